/* SPDX-License-Identifier: MIT
   How far the error of m test records in the mean may lie below the true one. */
#include <math.h>

#include "sampling/ladder/ladder.h"
#include "stats/distributions.h"

/* The q with P(at most k wrong of m | q) = delta, that is I_{1-q}(m - k, k + 1) = delta: it falls with
 * q. */
double kl_sampling_clopper_upper(double p, int64_t m, double delta)
{
    const double k = p * (double)m, rest = (double)m - k, aim = log(delta);
    double low = p, high = 1;
    if (!(p >= 0 && p <= 1) || m < 1) return NAN;
    if (rest <= 0) return 1;
    for (int i = 0; i < 200; i++) {
        const double middle = (low + high) / 2;
        if (middle <= low || middle >= high) break;
        if (kl_stats_log_beta_lower(rest, k + 1, 1 - middle, middle) > aim) low = middle;
        else high = middle;
    }
    return high;
}

double kl_sampling_chernoff_upper(double p, int64_t m, double delta)
{
    return m < 1 ? NAN : kl_sampling_kl_upper(p, -log(delta) / (double)m);
}
