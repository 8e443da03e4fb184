/* SPDX-License-Identifier: MIT
   A two-sample test that assumes nothing of the data: a classifier is fitted to four fifths of the rows
   and judged on the others, for each fifth in turn; how often it is right is compared with how often it
   is right when the labels are permuted (Lopez-Paz & Oquab 2017, arXiv:1610.06545; the p-value by
   permutation, with the fit repeated). The classifier is the likelihood ratio of two Markov chains over
   the symbols, or of their frequencies where the chain would have too many numbers; add-one smoothing.
 */
#include <math.h>

#include "kernels/select.h"
#include "stats/stats.h"
#include "qrng/pairs/planes.h"

/* ln of the smoothed share of number i among its `among` alternatives, counts c [.] of all numbers. */
static double log_share(const double *c, size_t i, size_t among)
{
    const size_t from = i / among * among;
    double sum = 0;
    for (size_t k = from; k < from + among; k++) sum += c[k] + 1;
    return log((c[i] + 1) / sum);
}

enum { MOST = 1 << KL_BITS_SYMBOL };

/* weights [numbers of the classifier] from all rows outside the fold. l->folds: sums of the first
   device's rows. */
static void fit(float *weights, const struct kl_labelling *l, const struct kl_planes *p, size_t fold)
{
    const size_t skipped = p->chain ? p->n_symbols : 0, n = p->n_counts - skipped;
    double a[MOST], b[MOST];
    for (size_t i = 0; i < n; i++) {
        const uint32_t *first = l->folds + (skipped + i) * KL_CROSSFIT_FOLDS,
                       *both = p->folds + (skipped + i) * KL_CROSSFIT_FOLDS;
        a[i] = b[i] = 0;
        for (size_t f = 0; f < KL_CROSSFIT_FOLDS; f++)
            if (f != fold) a[i] += first[f], b[i] += both[f] - first[f];
    }
    for (size_t i = 0; i < n; i++)
        weights[i] = (float)(log_share(a, i, p->n_symbols) - log_share(b, i, p->n_symbols));
}

static size_t ones(uint64_t word)
{
    return (size_t)__builtin_popcountll(word);
}

struct right {
    size_t twice[2], rows[2]; /* of each device; a tie is half right */
};

/* The rows of a fold. */
static void judge(struct right *right, struct kl_labelling *l, const struct kl_planes *p, size_t fold)
{
    const size_t n = p->chain ? p->n_symbols * p->n_symbols : p->n_symbols, from = fold * p->fold_words;
    kl_kernels()->bit_sides(l->sides[0], l->sides[1], p->classified + from * 64, p->words * 64,
                            l->weights, n, p->fold_words);
    for (size_t w = 0; w < p->fold_words; w++) {
        const uint64_t above = l->sides[0][w], below = l->sides[1][w];
        const uint64_t first = l->mask[from + w], second = p->valid[from + w] & ~first;
        right->rows[0] += ones(first), right->rows[1] += ones(second);
        right->twice[0] += 2 * ones(first & above) + ones(first & ~(above | below));
        right->twice[1] += 2 * ones(second & below) + ones(second & ~(above | below));
    }
}

double kl_crossfit_accuracy(struct kl_labelling *l, const struct kl_planes *p)
{
    struct right right = { 0 };
    for (size_t fold = 0; fold < KL_CROSSFIT_FOLDS; fold++) {
        fit(l->weights, l, p, fold);
        judge(&right, l, p, fold);
    }
    return 0.25 * ((double)right.twice[0] / (double)right.rows[0] +
                   (double)right.twice[1] / (double)right.rows[1]);
}

void kl_crossfit_bounds(double *low, double *high, double accuracy, const struct kl_planes *p)
{
    const double rows = floor(4 / (1 / (double)p->rows_a + 1 / (double)(p->rows - p->rows_a)));
    const struct kl_interval i = kl_stats_wilson(accuracy, (size_t)rows, KL_Z95);
    *low = i.low, *high = i.high;
}
