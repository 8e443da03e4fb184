/* SPDX-License-Identifier: MIT
   The interval of a proportion, Wilson's. */
#include <math.h>

#include "stats/stats.h"

struct kl_interval kl_stats_wilson(double p, size_t n, double z)
{
    if (!n) return (struct kl_interval){ 0, 1 };
    double total = (double)n, z2 = z * z;
    double centre = (p + z2 / (2 * total)) / (1 + z2 / total);
    double half = z / (1 + z2 / total) * sqrt(p * (1 - p) / total + z2 / (4 * total * total));
    return (struct kl_interval){ fmax(0, centre - half), fmin(1, centre + half) };
}
