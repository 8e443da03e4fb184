/* SPDX-License-Identifier: MIT
   Tails and quantiles of the distributions that tests refer to. Tails are logarithms, so that they do
   not underflow. Relative errors of the logarithms: below 1e-12, of beta's for parameters up to 1e4
   (1e-10 at 1e6). Of NaN they are NaN. */
#ifndef KL_METRICS_DISTRIBUTIONS_H
#define KL_METRICS_DISTRIBUTIONS_H

#include "base/base.h"

/* ln Q(a, x), the regularised incomplete gamma function (DLMF 8.2.4), a > 0, x >= 0. */
double kl_stats_log_gamma_upper(double a, double x);
/* ln I_x(a, b), regularised incomplete beta function (DLMF 8.17.2), a, b > 0, x + y = 1: both are given,
   so that neither has lost digits. */
double kl_stats_log_beta_lower(double a, double b, double x, double y);
/* ln n! = ln Gamma(n + 1), n >= 0; from several threads at once, as all here. */
double kl_stats_log_factorial(double n);
/* ln(ratio) - off, ratio = 1 + off: without cancellation where the ratio is close to 1 or to 0. */
double kl_stats_log_ratio_less(double ratio, double off);

/* log10 of the probability of at least x, chi-squared with df degrees of freedom. */
double kl_stats_chi_square_log10_p(double x, double df);
/* log10 of the probability of |T| >= |t|, Student's t with df degrees of freedom. */
double kl_stats_student_log10_p(double t, double df);
/* log10 of the probability of Z >= z, and of |Z| >= |z|, standard normal. */
double kl_stats_normal_log10_upper(double z);
double kl_stats_normal_log10_p(double z);
/* z with P(Z <= z) = p, 0 < p < 1. */
double kl_stats_normal_quantile(double p);

/* Holm's correction (1979, doi:10.2307/4615733) of n tests: adjusted[i] = log10 of the family-wise p of
   test i, at most 0; log10_p [n]. adjusted may be log10_p. KL_ENOMEM. */
int kl_stats_holm(double *adjusted, const double *log10_p, size_t n, struct kl_error *err);
/* Benjamini and Hochberg's (1995, doi:10.1111/j.2517-6161.1995.tb02031.x): log10 of the share of false
   ones among all tests with a p as small, if they are independent. As kl_stats_holm. */
int kl_stats_false_discovery(double *adjusted, const double *log10_p, size_t n, struct kl_error *err);

#endif
