/* SPDX-License-Identifier: MIT
   How far the laws of two devices' symbols are apart. */
#include <math.h>

#include "qrng/bits/symbols.h"

const char *const kl_divergence_names[KL_N_DIVERGENCES] = { "kl_ab", "kl_ba", "js", "total_variation",
                                                            "chernoff" };

enum { MOST = 1 << KL_BITS_SYMBOL };

/* Of ln sum p^s q^(1 - s) over the symbols that both have (logarithms lp, lq [n]), its derivative by s.
 *value: the logarithm itself. */
static double slope(double *value, double s, const double *lp, const double *lq, size_t n)
{
    double sum = 0, along = 0;
    for (size_t i = 0; i < n; i++) {
        const double w = exp(s * lp[i] + (1 - s) * lq[i]);
        sum += w;
        along += w * (lp[i] - lq[i]);
    }
    *value = log(sum);
    return along / sum;
}

/* Chernoff's information (1952, doi:10.1214/aoms/1177729330): the largest of -ln sum p^s q^(1 - s) for s
   in [0, 1]. It is concave in s, so the derivative is bisected; its error is of second order. */
static double chernoff(const double *lp, const double *lq, size_t n)
{
    double low = 0, high = 1, value;
    if (!n) return INFINITY;
    for (int i = 0; i < 32; i++) {
        const double middle = 0.5 * (low + high);
        if (slope(&value, middle, lp, lq, n) > 0) high = middle;
        else low = middle;
    }
    return fmax(-value, 0);
}

void kl_symbol_divergences(double d[KL_N_DIVERGENCES], const int64_t *a, const int64_t *b, size_t n)
{
    double na = 0, nb = 0, lp[MOST], lq[MOST];
    size_t common = 0;
    for (int i = 0; i < KL_N_DIVERGENCES; i++) d[i] = 0;
    for (size_t s = 0; s < n; s++) na += (double)a[s], nb += (double)b[s];
    for (size_t s = 0; s < n; s++) {
        const double p = (double)a[s] / na, q = (double)b[s] / nb;
        d[KL_DIV_TV] += 0.5 * fabs(p - q);
        if (p > 0) d[KL_DIV_AB] += q > 0 ? p * log(p / q) : INFINITY;
        if (q > 0) d[KL_DIV_BA] += p > 0 ? q * log(q / p) : INFINITY;
        if (p > 0 && q > 0) lp[common] = log(p), lq[common++] = log(q);
    }
    d[KL_DIV_JS] = kl_jensen_shannon(NULL, a, b, n);
    d[KL_DIV_CHERNOFF] = chernoff(lp, lq, common);
    for (int i = 0; i < KL_N_DIVERGENCES; i++) d[i] = fmax(d[i], 0);
}
