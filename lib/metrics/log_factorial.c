/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "metrics/distributions.h"

double kl_log_factorial(double n)
{
    int sign; /* of Gamma, which lgamma would write to a variable that all threads share */
    return lgamma_r(n + 1, &sign);
}
