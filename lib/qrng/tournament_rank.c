/* SPDX-License-Identifier: MIT
   What can be said once all pairs are known: p-values corrected for their number, and the ranking. */
#include <stdlib.h>

#include "metrics/distributions.h"
#include "qrng/tournament_int.h"

static int correct(struct kl_tournament *t, struct kl_error *err)
{
    double *p = malloc(t->n_pairs * sizeof *p);
    if (!p) return kl_fail_memory(err, t->n_pairs * sizeof *p);
    for (size_t i = 0; i < t->n_pairs; i++) p[i] = t->pairs[i].test.log10_p;
    int code = kl_holm(p, p, t->n_pairs, err);
    for (size_t i = 0; i < t->n_pairs; i++) t->pairs[i].log10_p_holm = p[i];
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
    const int code = correct(t, err);
    if (code) return code;
    struct ranked *sorted = malloc(t->n_pairs * sizeof *sorted);
    if (!sorted) return kl_fail_memory(err, t->n_pairs * sizeof *sorted);
    for (size_t i = 0; i < t->n_pairs; i++) sorted[i] = (struct ranked){ rank_value(t, i), i };
    qsort(sorted, t->n_pairs, sizeof *sorted, by_value);
    for (size_t i = 0; i < t->n_pairs; i++) t->order[i] = sorted[i].i;
    free(sorted);
    return KL_OK;
}
