/* SPDX-License-Identifier: MIT
   A low pass of the first order between a generator and a qubit, y' = (a - y) / tau, y(0) = 0, exact for
   samples that are held: ends and means of segments, and the adjoint of the means. */
#include <math.h>

#include "control/pulse/pulse.h"

void kl_control_low_pass_make(struct kl_control_low_pass *f, double tau, double dt)
{
    const double ratio = tau > 0 ? dt / tau : 0;
    *f = (struct kl_control_low_pass){ .decay = ratio > 0 ? exp(-ratio) : 0,
                                       .mean = ratio > 0 ? -expm1(-ratio) / ratio : 0 };
}

void kl_control_low_pass(double *means, double *ends, const struct kl_control_low_pass *f,
                         const double *samples, int n, int oversample, int row)
{
    for (int i = 0; i < row; i++) {
        double y = 0;
        for (int s = 0; s < n * oversample; s++) {
            const double a = samples[s / oversample * row + i];
            means[s * row + i] = a + (y - a) * f->mean;
            y = a + (y - a) * f->decay;
            if (ends) ends[s * row + i] = y;
        }
    }
}

void kl_control_low_pass_back(double *back, const double *by_means, const struct kl_control_low_pass *f,
                              int n, int oversample, int row)
{
    for (int i = 0; i < row; i++) {
        double gy = 0; /* by y at the segment's end */
        for (int s = n * oversample - 1; s >= 0; s--) {
            const double g = by_means[s * row + i];
            back[s / oversample * row + i] += g * (1 - f->mean) + gy * (1 - f->decay);
            gy = g * f->mean + gy * f->decay;
        }
    }
}
