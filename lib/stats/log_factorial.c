/* SPDX-License-Identifier: MIT
   The logarithm of a factorial. */
#include <math.h>

#include "stats/distributions.h"

double kl_stats_log_factorial(double n)
{
    int sign; /* of Gamma, which lgamma would write to a variable that all threads share */
    return lgamma_r(n + 1, &sign);
}
