/* SPDX-License-Identifier: MIT
   The published study's scores of a pair, from counts. */
#include "qrng/pairs/tournament.h"

#include <math.h>
#include <stdlib.h>

#include "qrng/bits/bits.h"

/* An element is a share of rows, c / rows + 1e-10, so its logarithm is looked up. */

static const double LEAST = 1e-10;

int kl_pairs_shares_make(struct kl_shares *s, size_t rows, struct kl_error *err)
{
    const size_t bytes = 2 * (rows + 1) * sizeof *s->value;
    *s = (struct kl_shares){ .rows = rows, .value = malloc(bytes) };
    if (!s->value) return kl_fail_memory(err, bytes);
    s->log = s->value + rows + 1;
    for (size_t c = 0; c <= rows; c++) {
        s->value[c] = (double)c / (double)rows + LEAST;
        s->log[c] = log(s->value[c]);
    }
    return KL_OK;
}

void kl_pairs_shares_free(struct kl_shares *s)
{
    free(s->value);
    *s = (struct kl_shares){ 0 };
}

/* (KL(a|b) + KL(b|a)) / 2 of two vectors a / sum a and b / sum b is half the sum of (a - b)(ln a - ln
 * b). */
struct divergence {
    double sum_a, sum_b, along_a, along_b;
};
static inline void add(struct divergence *d, const struct kl_pairs_side *a,
                       const struct kl_pairs_side *b, size_t ca, size_t cb, double times)
{
    const double va = times * a->shares->value[ca], vb = times * b->shares->value[cb];
    const double ratio = a->shares->log[ca] - b->shares->log[cb];
    d->sum_a += va, d->sum_b += vb;
    d->along_a += va * ratio, d->along_b += vb * ratio;
}
static double value(const struct divergence *d)
{
    return 0.5 * (d->along_a / d->sum_a - d->along_b / d->sum_b);
}

/* Sums of two chains, since one would wait for each addition. */
enum { CHAINS = 2 };
static double together(const struct divergence d[CHAINS])
{
    const struct divergence sum = { d[0].sum_a + d[1].sum_a, d[0].sum_b + d[1].sum_b,
                                    d[0].along_a + d[1].along_a, d[0].along_b + d[1].along_b };
    return value(&sum);
}

static double of_bits(const struct kl_pairs_side *a, const struct kl_pairs_side *b, size_t n)
{
    struct divergence d = { 0 };
    for (size_t i = 0; i < n; i++) add(&d, a, b, a->ones[i], b->ones[i], 1);
    return value(&d);
}

static double of_patterns(const struct kl_pairs_side *a, const struct kl_pairs_side *b, size_t n)
{
    struct divergence d[CHAINS] = { { 0 } };
    for (size_t i = 0; i < n; i++) {
        const uint32_t *ca = a->both + i * n, *cb = b->both + i * n;
        add(&d[0], a, b, ca[i], cb[i], 1);
        for (size_t j = i + 1; j < n; j++) add(&d[j % CHAINS], a, b, ca[j], cb[j], 2);
    }
    return together(d);
}

static size_t apart(const uint32_t *ones, size_t i, size_t j)
{
    return ones[i] > ones[j] ? ones[i] - ones[j] : ones[j] - ones[i];
}

static double of_differences(const struct kl_pairs_side *a, const struct kl_pairs_side *b, size_t n)
{
    struct divergence d[CHAINS] = { { 0 } };
    add(&d[0], a, b, 0, 0, (double)n); /* the diagonal */
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            add(&d[j % CHAINS], a, b, apart(a->ones, i, j), apart(b->ones, i, j), 2);
    return together(d);
}

static double of_histograms(const struct kl_pairs_side *a, const struct kl_pairs_side *b)
{
    double counts[2][KL_BINS];
    for (int i = 0; i < KL_BINS; i++) counts[0][i] = a->bins[i], counts[1][i] = b->bins[i];
    return kl_bits_histogram_divergence(counts[0], (double)a->shares->rows, counts[1],
                                        (double)b->shares->rows);
}

static double of_positions(const struct kl_pairs_side *a, const struct kl_pairs_side *b, size_t n)
{
    double sums[2] = { 0 }, d = 0;
    const double ra = (double)a->shares->rows, rb = (double)b->shares->rows;
    for (size_t i = 0; i < n; i++) sums[0] += a->ones[i] / ra, sums[1] += b->ones[i] / rb;
    for (size_t i = 0; i < n; i++)
        d += kl_bits_position_part(a->ones[i] / ra, sums[0], b->ones[i] / rb, sums[1]);
    return d;
}

void kl_pairs_reference_scores(double scores[KL_N_LEGACY], const struct kl_pairs_side *a,
                               const struct kl_pairs_side *b, size_t n_bits, size_t n_wide)
{
    scores[KL_SCORE_BITS] = of_bits(a, b, n_wide);
    scores[KL_SCORE_PATTERNS] = of_patterns(a, b, n_wide);
    scores[KL_SCORE_DIFFERENCES] = of_differences(a, b, n_wide);
    scores[KL_SCORE_COMPOSITE] = 0.2 * scores[KL_SCORE_BITS] + 0.4 * scores[KL_SCORE_PATTERNS] +
                                 0.4 * scores[KL_SCORE_DIFFERENCES];
    scores[KL_SCORE_POSITIONS] = of_positions(a, b, n_bits);
    scores[KL_SCORE_HISTOGRAM] = of_histograms(a, b);
}

const char *kl_pairs_composite_label(double composite)
{
    return composite > 5     ? "highly distinguishable"
           : composite > 1   ? "moderately distinguishable"
           : composite > 0.1 ? "somewhat distinguishable"
                             : "difficult to distinguish";
}
