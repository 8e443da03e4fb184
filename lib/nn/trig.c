/* SPDX-License-Identifier: MIT
   Where a function of an angle is smallest: on a grid over the whole turn, then twice on a finer one
   around the best point, then at the vertex of the parabola through the last three. */
#include <math.h>

#include "nn/nn.h"

enum { COARSE = 16, FINE = 17, ROUNDS = 3 };

static double vertex(double left, double middle, double right, double h)
{
    const double curvature = left - 2 * middle + right;
    return curvature > 0 ? h * 0.5 * (left - right) / curvature : 0;
}

/* Of equal values that in the middle, or else the first. */
static size_t least(const double *values, size_t n)
{
    size_t best = n / 2;
    for (size_t i = 0; i < n; i++)
        if (values[i] < values[best]) best = i;
    return best;
}

int kl_nn_trig_minimum(double *at, size_t degree, kl_trig_values_fn values_of, void *context,
                       struct kl_error *err)
{
    double points[KL_TRIG_POINTS] = { 0 }, values[KL_TRIG_POINTS];
    size_t n = COARSE * degree < KL_TRIG_POINTS ? COARSE * degree : KL_TRIG_POINTS, best = 0;
    double h = 2 * M_PI / (double)n;
    *at = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < n; i++) points[i] = *at + h * ((double)i - (double)(n / 2));
        int code = values_of(values, points, n, context, err);
        if (code) return code;
        best = least(values, n);
        *at = points[best];
        if (round + 1 < ROUNDS) n = FINE, h /= FINE / 2;
    }
    if (best > 0 && best + 1 < n) *at += vertex(values[best - 1], values[best], values[best + 1], h);
    return KL_OK;
}
