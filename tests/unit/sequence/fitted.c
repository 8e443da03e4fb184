/* SPDX-License-Identifier: MIT
   Classifiers on covariances: people whose classes differ by the power of two sources are told apart, by
   each method and alignment; a file gives the same probabilities; neither threads nor the other windows
   change a bit; what is singular is refused. */
#include <math.h>
#include <string.h>

#include "sequence/learn/fitted.h"
#include "tests/unit/sequence/saved_windows.h"

enum { PEOPLE = 5, RUNS = 2, EACH = 12, N = PEOPLE * RUNS * EACH, C = 6, T = 60 };
static float x[N][C][T];
static int32_t labels[N], subject[N], recording[N];
static double onset[N];
static const char *const classes[] = { "left", "right" }, *const channels[] = { "FC3", "C3",  "Cz",
                                                                                "C4",  "FC4", "Pz" },
                         *const subjects[] = { "S1", "S2", "S3", "S4", "S5" },
                         *const recordings[] = { "R04", "R08", "R04", "R08", "R04",
                                                 "R08", "R04", "R08", "R04", "R08" };
static unsigned long long state = 88172645463325252ull;

static double uniform(void)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (double)(state >> 11) / 9007199254740992.0 - 0.5;
}

/* Each person's own mixture of sources; source 1 is strong in class 0, source 2 in class 1. */
static void fill(void)
{
    for (int p = 0; p < PEOPLE; p++) {
        double mix[C][C];
        for (int i = 0; i < C; i++)
            for (int j = 0; j < C; j++) mix[i][j] = (i == j ? 1 : 0) + 0.3 * uniform();
        for (int w = 0; w < RUNS * EACH; w++) {
            const int n = p * RUNS * EACH + w;
            labels[n] = w % 2, subject[n] = p, recording[n] = p * RUNS + w / EACH, onset[n] = 8.2 * w;
            for (int t = 0; t < T; t++) {
                double source[C];
                for (int j = 0; j < C; j++) source[j] = 10 * uniform() * (j == 1 + labels[n] ? 2.2 : 1);
                for (int i = 0; i < C; i++) {
                    double sum = 0;
                    for (int j = 0; j < C; j++) sum += mix[i][j] * source[j];
                    x[n][i][t] = (float)sum;
                }
            }
        }
    }
}

static void save(const char *name)
{
    const struct kl_sequence_windows w = { .n = N,
                                           .channels = C,
                                           .steps = T,
                                           .rate = 80,
                                           .unit = "uV",
                                           .x = &x[0][0][0],
                                           .labels = labels,
                                           .subject = subject,
                                           .recording = recording,
                                           .onset = onset,
                                           .n_classes = 2,
                                           .n_subjects = PEOPLE,
                                           .n_recordings = PEOPLE * RUNS,
                                           .class_names = classes,
                                           .subject_names = subjects,
                                           .recording_names = recordings,
                                           .channel_names = channels };
    struct kl_error err = { 0 };
    CHECK(save_windows(name, &w, &err) == 0, "%s", err.text);
}

static double accuracy(const double *p, const int64_t *rows, size_t n)
{
    size_t right = 0;
    for (size_t i = 0; i < n; i++) right += (p[2 * i + 1] > p[2 * i]) == labels[rows[i]];
    return (double)right / (double)n;
}

static void check_method(const struct kl_sequence_set *set, struct kl_file *const *files, int method,
                         int align)
{
    const struct kl_sequence_fit_options o = { (enum kl_sequence_method)method, KL_SEQUENCE_OAS,
                                               (enum kl_sequence_alignment)align, 4, 1 };
    struct kl_sequence_split_options parts;
    struct kl_sequence_split split;
    struct kl_sequence_fitted f, threaded, loaded;
    struct kl_pool *pool = NULL;
    struct kl_writer *w = NULL;
    struct kl_file *file = NULL;
    struct kl_error err = { 0 };
    double p[2 * N], q[2 * N], few[2 * N];
    char path[1024];
    kl_sequence_split_options_default(&parts);
    parts.kind = KL_SEQUENCE_SPLIT_LOSO, parts.fold = 2, parts.validation = 0;
    CHECK(kl_sequence_split_make(&split, set, &parts, &err) == 0, "%s", err.text);
    const int64_t *const train = split.part[KL_SEQUENCE_TRAIN], *const test =
                                                                    split.part[KL_SEQUENCE_TEST];
    const size_t n = split.n[KL_SEQUENCE_TRAIN], m = split.n[KL_SEQUENCE_TEST];
    CHECK(n == N - RUNS * EACH && m == RUNS * EACH, "%zu, %zu", n, m);
    CHECK(kl_sequence_fit(&f, set, train, n, &o, NULL, &err) == 0, "%s", err.text);
    CHECK(kl_sequence_fitted_apply(p, &f, set, test, m, NULL, &err) == 0, "%s", err.text);
    CHECK(accuracy(p, test, m) >= 0.9, "method %d, alignment %d: accuracy %.3f", method, align,
          accuracy(p, test, m));
    for (size_t i = 0; i < m; i++)
        CHECK(fabs(p[2 * i] + p[2 * i + 1] - 1) < 1e-12, "%g", p[2 * i] + p[2 * i + 1]);

    CHECK(kl_pool_create(&pool, 2, &err) == 0, "%s", err.text);
    CHECK(kl_sequence_fit(&threaded, set, train, n, &o, pool, &err) == 0, "%s", err.text);
    CHECK(kl_sequence_fitted_apply(q, &threaded, set, test, m, pool, &err) == 0, "%s", err.text);
    CHECK(memcmp(p, q, 2 * m * sizeof *p) == 0, "threads change bits");
    CHECK(kl_sequence_fitted_apply(few, &f, set, test + 5, 3, NULL, &err) == 0, "%s", err.text);
    CHECK(memcmp(p + 10, few, 6 * sizeof *p) == 0, "windows beside change bits");

    in_folder(path, "fit.h5");
    CHECK(open_any_file(&w, path, "sequence-fit", &err) == 0, "%s", err.text);
    CHECK(kl_sequence_fitted_save(w, &f, set, &split, "loso", files, 1, &err) == 0, "%s", err.text);
    CHECK(kl_store_writer_publish(&w, NULL, &err) == 0, "%s", err.text);
    CHECK(kl_store_file_open(&file, path, &err) == 0, "%s", err.text);
    CHECK(kl_sequence_fitted_load(&loaded, file, &err) == 0, "%s", err.text);
    CHECK(kl_sequence_fitted_apply(q, &loaded, set, test, m, NULL, &err) == 0, "%s", err.text);
    CHECK(memcmp(p, q, 2 * m * sizeof *p) == 0, "a file gives other probabilities");
    kl_store_file_close(&file);
    kl_sequence_fitted_free(&f), kl_sequence_fitted_free(&threaded), kl_sequence_fitted_free(&loaded);
    kl_sequence_split_free(&split);
    kl_pool_destroy(&pool);
}

/* A channel that is the sum of two others: singular without shrinkage, and said so. */
static void check_singular(void)
{
    struct kl_sequence_set set;
    struct kl_sequence_fitted f;
    struct kl_error err = { 0 };
    struct kl_file *file = NULL;
    char path[1024];
    int64_t rows[N];
    for (int n = 0; n < N; n++) {
        rows[n] = n;
        for (int t = 0; t < T; t++) x[n][5][t] = x[n][0][t] + x[n][1][t];
    }
    save("sum.h5");
    CHECK(kl_store_file_open(&file, in_folder(path, "sum.h5"), &err) == 0, "%s", err.text);
    CHECK(kl_sequence_set_open(&set, &file, 1, &err) == 0, "%s", err.text);
    for (int method = 0; method < 3; method++) {
        struct kl_sequence_fit_options o = { (enum kl_sequence_method)method, KL_SEQUENCE_SAMPLE,
                                             KL_SEQUENCE_ALIGN_NONE, 4, 1 };
        for (o.filters = 2; o.filters <= 4; o.filters += 2) {
            CHECK(kl_sequence_fit(&f, &set, rows, N, &o, NULL, &err) == KL_EDATA, "method %d fits",
                  method);
            CHECK(strstr(err.text, "sum of others"), "%s", err.text);
            kl_sequence_fitted_free(&f);
        }
        o.filters = 4;
        o.estimator = KL_SEQUENCE_OAS;
        CHECK(kl_sequence_fit(&f, &set, rows, N, &o, NULL, &err) == 0, "%s", err.text);
        kl_sequence_fitted_free(&f);
    }
    kl_sequence_set_close(&set);
    kl_store_file_close(&file);
}

int main(void)
{
    struct kl_sequence_set set;
    struct kl_error err = { 0 };
    struct kl_file *file = NULL;
    char path[1024];
    make_test_folder();
    fill();
    save("windows.h5");
    CHECK(kl_store_file_open(&file, in_folder(path, "windows.h5"), &err) == 0, "%s", err.text);
    CHECK(kl_sequence_set_open(&set, &file, 1, &err) == 0, "%s", err.text);
    for (int method = 0; method < 3; method++)
        for (int align = 0; align < 3; align++) check_method(&set, &file, method, align);
    kl_sequence_set_close(&set);
    kl_store_file_close(&file);
    check_singular();
    return failures != 0;
}
