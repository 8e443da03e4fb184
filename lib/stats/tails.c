/* SPDX-License-Identifier: MIT
   Tails of the chi-squared, Student's and the normal distribution. */
#include <math.h>

#include "stats/distributions.h"

double kl_stats_chi_square_log10_p(double x, double df)
{
    return kl_stats_log_gamma_upper(df / 2, x / 2) / M_LN10;
}

double kl_stats_student_log10_p(double t, double df)
{
    const double sum = df + t * t;
    return kl_stats_log_beta_lower(df / 2, 0.5, df / sum, t * t / sum) / M_LN10;
}

double kl_stats_normal_log10_p(double z)
{
    return kl_stats_chi_square_log10_p(z * z, 1);
}

double kl_stats_normal_log10_upper(double z)
{
    if (z < 0) return log1p(-0.5 * erfc(-z / M_SQRT2)) / M_LN10;
    return kl_stats_normal_log10_p(z) - log10(2);
}
