/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "qrng/bits/symbols.h"

/* d JS / d p_s = ln(p_s / mixture_s) / 2: the rest is constant or cancels. */
double kl_jensen_shannon(double *error, const int64_t *a, const int64_t *b, size_t n)
{
    double na = 0, nb = 0, js = 0, first[2] = { 0 },
           second[2] = { 0 }; /* means of ln(p / mixture), squared */
    for (size_t s = 0; s < n; s++) na += (double)a[s], nb += (double)b[s];
    for (size_t s = 0; s < n; s++) {
        const double p = (double)a[s] / na, q = (double)b[s] / nb, mixture = 0.5 * (p + q);
        const double x = p > 0 ? log(p / mixture) : 0, y = q > 0 ? log(q / mixture) : 0;
        js += 0.5 * p * x;
        js += 0.5 * q * y;
        first[0] += p * x, second[0] += p * x * x;
        first[1] += q * y, second[1] += q * y * y;
    }
    if (error)
        *error = sqrt(fmax(0, second[0] - first[0] * first[0]) / na +
                      fmax(0, second[1] - first[1] * first[1]) / nb) /
                 2;
    return fmax(js, 0);
}
