/* SPDX-License-Identifier: MIT
   Quadrature, shared by the files of noise. */
#ifndef KL_CONTROL_NOISE_INT_H
#define KL_CONTROL_NOISE_INT_H

#include "control/control.h"

/* ---- quadrature.c ---- */
/* Weight functions 1 on [-1, 1]; exp(-x) on [0, inf); the standard normal density. */
enum kl_control_weight { KL_CONTROL_LEGENDRE, KL_CONTROL_LAGUERRE, KL_CONTROL_NORMAL };
enum { KL_CONTROL_MAX_NODES = 128 };
/* n <= KL_CONTROL_MAX_NODES nodes, rising, and weights of Gauss's rule. Golub, Welsch 1969. */
void kl_control_noise_gauss(double *nodes, double *weights, int n, enum kl_control_weight weight);

struct kl_control_integrand {
    double (*value)(double x, const void *context);
    const void *context;
};
/* The integral over [from, to], first cut into `panels` equal parts, each halved until its error is
   below 1e-15 of the whole: the integrand may have powers with fractions at the ends of parts. */
double kl_control_noise_integral(const struct kl_control_integrand *f, double from, double to,
                                 int panels);

/* ---- noise_average.c ---- */
/* KL_EUSAGE: a pulse of other controls, a process of no parameter, negative numbers. */
int kl_control_noise_check(const struct kl_control_system *system, const struct kl_control_pulse *pulse,
                           const struct kl_control_process *processes, int n, struct kl_error *err);

#endif
