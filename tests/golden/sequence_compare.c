/* SPDX-License-Identifier: MIT
   Reports of models whose people have the accuracies of reference/sequence/statistics.json, written as
   files, read and compared: means, intervals and tests are SciPy's. */
#include <jansson.h>
#include <math.h>
#include <unistd.h>

#include "../unit/any_file.h"
#include "golden.h"
#include "sequence/report/compare.h"
#include "sequence/windows/windows.h"
#include "store/store.h"

enum { EACH = 45, MOST = 12 };
static int failures;
static char folder[] = "/tmp/sequence_compare.XXXXXX";

static void compare(const char *what, double found, double expected)
{
    if (fabs(found - expected) <= 1e-12 * fmax(1, fabs(expected))) return;
    fprintf(stderr, "%s: found %.17g, expected %.17g\n", what, found, expected);
    failures++;
}

/* Of n people EACH windows, of which accuracy[p] * EACH are right with every one of two seeds. shift: of
   the last window's label. */
static void write_report(const char *path, const char *model, const double *accuracy, size_t n,
                         bool shifted)
{
    static double probability[2 * MOST * EACH * 2];
    static int32_t label[MOST * EACH], person[MOST * EACH];
    static char names[MOST][8];
    const char *list[MOST];
    struct kl_writer *w = NULL;
    struct kl_error err = { 0 };
    const size_t all = n * EACH, dims[3] = { 2, all, 2 };
    for (size_t p = 0; p < n; p++) snprintf(names[p], sizeof names[p], "P%zu", p), list[p] = names[p];
    for (size_t i = 0; i < all; i++) {
        const size_t p = i / EACH, k = i % EACH;
        label[i] = (int32_t)(k % 2), person[i] = (int32_t)p;
        const bool right = (double)k < accuracy[p] * EACH - 0.5;
        for (int s = 0; s < 2; s++)
            for (int c = 0; c < 2; c++)
                probability[((size_t)s * all + i) * 2 + (size_t)c] =
                    (c == label[i]) == right ? 0.75 : 0.25;
    }
    if (shifted) label[all - 1] ^= 1;
    must(open_any_file(&w, path, "sequence-report", &err), &err);
    must(kl_store_writer_text(w, "", "model", model, &err), &err);
    must(kl_store_writer_text(w, "", "split", "loso", &err), &err);
    kl_store_writer_put(w, "probabilities", KL_TYPE_F64, 0, 3, dims, probability, &err);
    kl_store_writer_put(w, "labels", KL_TYPE_I32, 0, 1, &all, label, &err);
    kl_store_writer_put(w, "subject", KL_TYPE_I32, 0, 1, &all, person, &err);
    kl_store_writer_put(w, "recording", KL_TYPE_I32, 0, 1, &all, person, &err);
    kl_store_writer_put(w, "fold", KL_TYPE_I32, 0, 1, &all, person, &err);
    must(kl_sequence_names_put(w, "subject_names", list, n, &err), &err);
    must(kl_sequence_names_put(w, "recording_names", list, n, &err), &err);
    must(kl_store_writer_publish(&w, NULL, &err), &err);
}

static size_t numbers(double *to, const json_t *from, const char *name)
{
    const json_t *const list = json_object_get(from, name);
    for (size_t i = 0; i < json_array_size(list); i++)
        to[i] = json_number_value(json_array_get(list, i));
    return json_array_size(list);
}

static void check_pair(const json_t *pair)
{
    static const char *const model[3] = { "hydra", "eegnet", "means" };
    double value[3][MOST], want[2], mean[2] = { 0 };
    struct kl_sequence_reported reports[3];
    struct kl_sequence_compared c;
    struct kl_file *files[3] = { NULL };
    struct kl_error err = { 0 };
    char path[3][128];
    const struct kl_sequence_compare_options o = { 0, 1000, 7, false };
    const size_t n = numbers(value[0], pair, "a");
    numbers(value[1], pair, "b");
    for (size_t p = 0; p < n; p++) value[2][p] = 0.4;
    for (int m = 0; m < 3; m++) {
        snprintf(path[m], sizeof path[m], "%s/%s.h5", folder, model[m]);
        write_report(path[m], model[m], value[m], n, false);
        must(kl_store_file_open(&files[m], path[m], &err), &err);
        must(kl_sequence_reported_open(reports + m, files[m], &err), &err);
    }
    must(kl_sequence_compare(&c, reports, 3, &o, &err), &err);
    for (size_t p = 0; p < n; p++)
        for (int m = 0; m < 2; m++) mean[m] += value[m][p] / (double)n;
    failures += c.n_people != n || c.n_pairs != 3 || c.n_seeds != 2 || c.n_windows != n * EACH;
    for (int m = 0; m < 2; m++) {
        compare("mean", c.models[m].mean, mean[m]);
        compare("all windows", c.models[m].windows, mean[m]);
        compare("over seeds", c.models[m].seeds, 0);
        const struct kl_t_test t = kl_stats_t_test(value[m], n, 0);
        compare("low", c.models[m].low, fmax(0, t.low)),
            compare("high", c.models[m].high, fmin(1, t.high));
    }
    const struct kl_sequence_compared_pair *const p = c.pairs;
    numbers(want, pair, "t_interval");
    compare("difference", p->difference, mean[0] - mean[1]);
    compare("t, low", p->t.low, want[0]), compare("t, high", p->t.high, want[1]);
    compare("sign flips", p->flips.both,
            json_number_value(json_object_get(pair, "sign_flip_exact_two_sided")));
    const double share = (mean[0] + mean[1]) / 2;
    compare("test error", p->test_error, sqrt(share * (1 - share) / (double)(n * EACH)));
    /* Both seeds gave the same: over people and seeds is over people. */
    compare("people and seeds, low", p->both.low, want[0]),
        compare("people and seeds, high", p->both.high, want[1]);
    /* loso: a fold a person, test to training 1 / (folds - 1). */
    compare("ratio", c.ratio, 1 / (double)(n - 1));
    compare("corrected t", p->folds.t, p->t.t * sqrt((1 / (double)n) / (1 / (double)n + c.ratio)));
    /* "means" is the worst for everybody, and Holm of three pairs holds. */
    compare("worst rank", c.models[2].rank, 3);
    failures += !(c.friedman.p < 0.01);
    for (size_t k = 0; k < 3; k++)
        failures += c.pairs[k].flips_holm < c.pairs[k].flips.both || c.pairs[k].flips_holm > 1;
    compare("holm of the least",
            c.pairs[1].flips_holm < c.pairs[2].flips_holm ? c.pairs[1].flips_holm
                                                          : c.pairs[2].flips_holm,
            fmin(1, 3 * fmin(c.pairs[1].flips.both, c.pairs[2].flips.both)));
    kl_sequence_compared_free(&c);

    /* One label differs: refused, and which window is said. */
    struct kl_file *other = NULL;
    struct kl_sequence_reported moved;
    char where[32];
    write_report(path[1], model[1], value[1], n, true);
    must(kl_store_file_open(&other, path[1], &err), &err);
    must(kl_sequence_reported_open(&moved, other, &err), &err);
    snprintf(where, sizeof where, "window %zu:", n * EACH - 1);
    const int code = kl_sequence_reported_same(reports, &moved, &err);
    failures += code != KL_EDATA || !strstr(err.text, where);
    kl_sequence_reported_close(&moved), kl_store_file_close(&other);
    for (int m = 0; m < 3; m++) {
        kl_sequence_reported_close(reports + m), kl_store_file_close(&files[m]);
        unlink(path[m]);
    }
}

int main(void)
{
    const char *shared = getenv("KETLINE_SHARED");
    char path[4096];
    snprintf(path, sizeof path, "%s/reference/sequence/statistics.json", shared ? shared : "../shared");
    json_t *const all = json_load_file(path, 0, NULL);
    if (!all) {
        puts("skipped: KETLINE_SHARED holds no reference/sequence/statistics.json");
        return 77;
    }
    golden_need(mkdtemp(folder) != NULL, folder);
    const json_t *const pairs = json_object_get(all, "pairs");
    for (size_t i = 0; i < json_array_size(pairs); i++) {
        const json_t *const pair = json_array_get(pairs, i);
        const size_t n = json_array_size(json_object_get(pair, "a"));
        if (n >= 8 && n <= MOST) check_pair(pair);
    }
    rmdir(folder);
    json_decref(all);
    return failures != 0;
}
