/* SPDX-License-Identifier: MIT
   What can be said once all pairs are known: p-values corrected for their number, and the ranking. */
#include <math.h>
#include <stdlib.h>

#include "stats/distributions.h"
#include "qrng/pairs/tournament_int.h"

/* log10 of p-values of all pairs, after Holm. A score is permuted for all of them or for none. */
static int correct(double *p, size_t n, struct kl_error *err)
{
    return isnan(p[0]) ? KL_OK : kl_stats_holm(p, p, n, err);
}

static int correct_all(struct kl_tournament *t, struct kl_error *err)
{
    const size_t n = t->n_pairs;
    double *p = calloc(n, sizeof *p);
    if (!p) return kl_fail_memory(err, n * sizeof *p);
    for (size_t i = 0; i < n; i++) p[i] = t->pairs[i].test.log10_p;
    int code = correct(p, n, err);
    for (size_t i = 0; i < n; i++) t->pairs[i].log10_p_holm = p[i];
    for (int s = 0; s < KL_N_SCORES && !code; s++) {
        for (size_t i = 0; i < n; i++) p[i] = log10(t->pairs[i].p[s]);
        code = correct(p, n, err);
        for (size_t i = 0; i < n; i++) t->pairs[i].p_holm[s] = pow(10, p[i]);
    }
    free(p);
    return code;
}

/* By divergence, not by p, which speaks of the number of rows as well; the study by its composite. */
static double rank_value(const struct kl_tournament *t, size_t i)
{
    return t->reference ? t->pairs[i].score[KL_SCORE_COMPOSITE] : t->pairs[i].divergence[KL_DIV_JS];
}

struct ranked {
    double value;
    size_t i;
};

static int by_value(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->value != y->value) return x->value > y->value ? -1 : 1;
    return x->i < y->i ? -1 : 1;
}

int kl_tournament_rank(struct kl_tournament *t, struct kl_error *err)
{
    const int code = correct_all(t, err);
    if (code) return code;
    struct ranked *sorted = malloc(t->n_pairs * sizeof *sorted);
    if (!sorted) return kl_fail_memory(err, t->n_pairs * sizeof *sorted);
    for (size_t i = 0; i < t->n_pairs; i++) sorted[i] = (struct ranked){ rank_value(t, i), i };
    qsort(sorted, t->n_pairs, sizeof *sorted, by_value);
    for (size_t i = 0; i < t->n_pairs; i++) t->order[i] = sorted[i].i;
    free(sorted);
    return KL_OK;
}

struct kl_differ kl_tournament_differ(const struct kl_tournament *t)
{
    struct kl_differ d = { .permutations = t->permutations, .dependent = kl_depends(&t->dependence) };
    for (size_t i = 0; i < t->n_devices; i++) kl_stats_differ_device(&d, (size_t)t->rows[i]);
    for (size_t i = 0; i < t->n_pairs; i++)
        kl_stats_differ_add(&d, t->pairs[i].log10_p_holm, t->pairs[i].p_holm[KL_SCORE_ACCURACY]);
    return d;
}
