/* SPDX-License-Identifier: MIT */
#include "qrng/bits/positions.h"

#include <math.h>

double kl_position_part(double a, double sum_a, double b, double sum_b)
{
    const double p = a / sum_a, q = b / sum_b, mixture = (a + b) / (sum_a + sum_b);
    return 0.5 * ((p > 0 ? p * log(p / mixture) : 0) + (q > 0 ? q * log(q / mixture) : 0));
}
