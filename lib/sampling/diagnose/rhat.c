/* SPDX-License-Identifier: MIT
   Potential scale reduction: variance between chains against variance within. */
#include <math.h>
#include <string.h>

#include "sampling/diagnose/diagnose_int.h"

/* sqrt((B / W + n - 1) / n), Gelman and Rubin's, of rows of n values. */
static double reduction(const double *y, size_t rows, size_t n)
{
    double within = 0, mean = 0, between = 0;
    for (size_t r = 0; r < rows; r++) {
        const double sum = kl_sampling_sum(y + r * n, n);
        double squares = 0;
        for (size_t i = 0; i < n; i++) {
            const double d = y[r * n + i] - sum / (double)n;
            squares += d * d;
        }
        /* Welford's update, over the rows' means. */
        const double of_row = sum / (double)n, d = of_row - mean;
        within += squares / ((double)n - 1);
        mean += d / (double)(r + 1);
        between += d * (of_row - mean);
    }
    within /= (double)rows;
    between *= (double)n / ((double)rows - 1);
    return sqrt((between / within + (double)n - 1) / (double)n);
}

double kl_sampling_rhat(struct kl_sampling_traces *t, enum kl_sampling_rhat kind)
{
    double place = NAN, scale = NAN;
    if (!t->valid || t->chains < 2) return NAN;
    if (kind == KL_SAMPLING_RHAT_IDENTITY) return reduction(t->x, t->chains, t->draws);
    if (kind == KL_SAMPLING_RHAT_SPLIT) {
        t->scored = false;
        for (size_t r = 0; r < t->rows; r++)
            memcpy(t->y + r * t->half, kl_sampling_half(t, r), t->half * sizeof(double));
        return reduction(t->y, t->rows, t->half);
    }
    if (kind != KL_SAMPLING_RHAT_Z_SCALE) {
        kl_sampling_rows_folded(t);
        scale = reduction(t->y, t->rows, t->half);
    }
    if (kind != KL_SAMPLING_RHAT_FOLDED) {
        kl_sampling_rows_scored(t); /* last, for the ESS of the bulk looks at the same rows */
        place = reduction(t->y, t->rows, t->half);
    }
    if (kind != KL_SAMPLING_RHAT_RANK) return kind == KL_SAMPLING_RHAT_FOLDED ? scale : place;
    return scale > place ? scale : place;
}
