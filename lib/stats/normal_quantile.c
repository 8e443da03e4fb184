/* SPDX-License-Identifier: MIT
   Quantiles of the normal law. */
#include <math.h>

#include "stats/distributions.h"

/* Newton's method on ln P(Z >= z), which is concave, so it converges from anywhere. */
double kl_stats_normal_quantile(double p)
{
    if (p > 0.5) return -kl_stats_normal_quantile(1 - p);
    double z = p < 0.1 ? sqrt(-2 * log(p)) : 0;
    for (int i = 0; i < 60; i++) {
        const double log_tail = kl_stats_normal_log10_upper(z) * M_LN10;
        const double slope = -exp(-z * z / 2 - 0.5 * log(2 * M_PI) - log_tail);
        const double step = (log_tail - log(p)) / slope;
        z -= step;
        if (fabs(step) <= 1e-15 * (1 + fabs(z))) break;
    }
    return -z;
}
