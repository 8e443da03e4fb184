/* SPDX-License-Identifier: MIT
   The tournament of the three measured devices against the reference values
   ($KETLINE_SHARED/reference/qrng, NumPy and SciPy): the study's scores to 1e-12, tests and divergences,
   what permutations make of them. */
#include <jansson.h>
#include <math.h>

#include "golden.h"
#include "qrng/pairs/tournament.h"

static int bad;

static void near(const char *what, const char *pair, double found, double want, double allowed)
{
    if (fabs(found - want) <= allowed) return;
    printf("%s %s: found %.17g, expected %.17g\n", pair, what, found, want);
    bad++;
}
static double number(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    golden_need(json_is_number(value), name);
    return json_number_value(value);
}
static void scores(const struct kl_tournament *t, const json_t *all, const char *key)
{
    const json_t *pairs = json_object_get(all, key);
    static const char *const names[] = { "1v2", "1v3", "2v3" };
    for (int i = 0; i < 3; i++) {
        const json_t *want = json_object_get(pairs, names[i]);
        const double *found = t->pairs[i].score;
        static const char *const members[] = { "bit_freq_kl", "pattern_freq_kl", "diff_grid_kl",
                                               "composite" };
        for (int s = KL_SCORE_BITS; s <= KL_SCORE_COMPOSITE; s++) {
            const double value = number(want, members[s]);
            near(members[s], names[i], found[s], value, 1e-12 * value);
        }
    }
}
static void single(const struct kl_tournament *t, const json_t *all, const char *key,
                   enum kl_score score)
{
    static const char *const names[] = { "1v2", "1v3", "2v3" };
    for (int i = 0; i < 3; i++) {
        const double value = number(json_object_get(all, key), names[i]);
        near(key, names[i], t->pairs[i].score[score], value, 1e-12 * value);
    }
}
static void sound(const struct kl_tournament *t, const json_t *all)
{
    const json_t *pairs = json_object_get(json_object_get(all, "sound"), "pairwise");
    static const char *const members[KL_N_DIVERGENCES] = { "kl_ab_nats_per_symbol",
                                                           "kl_ba_nats_per_symbol", "js_nats_per_symbol",
                                                           "tv_per_symbol", "chernoff_nats_per_symbol" };
    golden_need(json_array_size(pairs) == 3, "sound.pairwise");
    for (size_t i = 0; i < 3; i++) {
        const json_t *want = json_array_get(pairs, i);
        const struct kl_pair_result *r = &t->pairs[i];
        const char *pair = json_string_value(json_object_get(want, "pair"));
        near("chi2", pair, r->test.chi_square, number(want, "chi2"), 1e-11 * number(want, "chi2"));
        near("df", pair, r->test.df, number(want, "df"), 0);
        near("log10 p", pair, r->test.log10_p, number(want, "log10_p"),
             1e-10 * -number(want, "log10_p"));
        for (int d = 0; d < KL_N_DIVERGENCES; d++) {
            const double value = number(want, members[d]);
            /* The reference takes the best of a grid: Chernoff's is a little more. */
            const double more = d == KL_DIV_CHERNOFF ? 2e-7 * value : 0;
            near(members[d], pair, r->divergence[d], value + more, 1e-10 * value + more);
            if (!(r->low[d] < value && value < r->high[d] && r->high[d] < 2 * value))
                printf("%s %s: interval %g to %g\n", pair, members[d], r->low[d], r->high[d]), bad++;
        }
        near("js a row", pair, r->row_js, number(want, "js_nats_per_row_exact"), 1e-10);
        near("accuracy", pair, r->row_accuracy, number(want, "bayes_accuracy_pairwise_50_symbols"),
             1e-10);
        /* A fitted classifier stays below the best possible, by little. */
        near("held out", pair, r->score[KL_SCORE_ACCURACY], r->row_accuracy - 0.006, 0.016);
        near("p, held out", pair, r->p[KL_SCORE_ACCURACY], 1.0 / 401, 1e-12);
        near("p, chi2", pair, r->p[KL_SCORE_CHI_SQUARE], 1.0 / 401, 1e-12);
    }
}
/* specs/qrng.md, section 3: 400 permutations and some samples of each device; by another generator. */
static void nulls(const struct kl_tournament *t)
{
    static const double p[] = { 0.76, 0.63, 0.06 }, mean[] = { 0.057, 0.049, 0.228 },
                        q95[] = { 0.067, 0.058, 0.269 };
    static const char *const pairs[] = { "1v2", "1v3", "2v3" }, *const devices[] = { "1", "2", "3" };
    for (int i = 0; i < 3; i++) {
        /* of two counts of 400, in three standard errors: .06 is told from .14, and from 0 */
        near("p of the composite", pairs[i], t->pairs[i].p[KL_SCORE_COMPOSITE], p[i],
             3 * sqrt(2 * p[i] * (1 - p[i]) / 400));
        near("mean of a device with itself", devices[i],
             t->self_mean[i * KL_N_LEGACY + KL_SCORE_COMPOSITE], mean[i], 0.03 * mean[i]);
        near("95 % of a device with itself", devices[i],
             t->self_q95[i * KL_N_LEGACY + KL_SCORE_COMPOSITE], q95[i], 0.06 * q95[i]);
    }
}

int main(void)
{
    const char *shared = getenv("KETLINE_SHARED");
    char path[4096], data[4096];
    snprintf(path, sizeof path, "%s/reference/qrng/expected.json", shared ? shared : "");
    snprintf(data, sizeof data, "%s/data/qrng/AI_2qubits_training_data.txt", shared ? shared : "");
    json_t *all = json_load_file(path, 0, NULL);
    if (!all) {
        printf("no reference values: %s\n", path);
        return 77;
    }
    struct kl_error err;
    struct kl_bits bits;
    struct kl_tournament t;
    struct kl_tournament_options o = { .permutations = 400, .resamples = 200, .wanted = KL_ALL_SCORES };
    const struct kl_bits_how how = { .symbol_bits = 2 };
    must(kl_bits_read_files(&bits, (const char *[]){ data }, 1, &how, &err), &err);
    must(kl_pairs_tournament_run(&t, &bits, &o, NULL, NULL, &err), &err);
    scores(&t, all, "tournament_all_rows");
    single(&t, all, "js_position_frequencies_reference", KL_SCORE_POSITIONS);
    single(&t, all, "unified_histogram_kl", KL_SCORE_HISTOGRAM);
    sound(&t, all);
    nulls(&t);
    kl_pairs_tournament_free(&t);
    o = (struct kl_tournament_options){ .resamples = 2, .reference = true };
    must(kl_pairs_tournament_run(&t, &bits, &o, NULL, NULL, &err), &err);
    scores(&t, all, "tournament_reference");
    if (t.order[0] != 1 || t.order[1] != 2) printf("the study ranks 1v3 first, 2v3 second\n"), bad++;
    kl_pairs_tournament_free(&t);
    kl_bits_free(&bits);
    json_decref(all);
    return bad != 0;
}
