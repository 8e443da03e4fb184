/* SPDX-License-Identifier: MIT
   Quadrature, shared by the files of noise. */
#ifndef KL_CONTROL_NOISE_INT_H
#define KL_CONTROL_NOISE_INT_H

#include "control/noise/noise.h"

/* ---- quadrature.c; its Gauss's rules are in noise.h ---- */
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
