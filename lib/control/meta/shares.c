/* SPDX-License-Identifier: MIT
   What a network gives for any system: shares of the limits of each control, which are its amplitudes,
   and the way back of derivatives. */
#include "control/meta/meta.h"
#include "kernels/inline/waveform.h"

double kl_control_any_most(const struct kl_control_any *of, const struct kl_control_system *system,
                           int k)
{
    return of->shares ? kl_control_largest(system->controls[k].low, system->controls[k].high)
                      : of->limit;
}

/* A point of a pair's disc of radius 1 and its derivatives, by the pair's shares of segment s. */
static void disc_of(double to[2], double slope[2][2], const double *v,
                    const struct kl_control_modulus *m)
{
    kl_waveform_disc_of_square(to, slope, (const double[]){ v[m->x], v[m->y] });
}

/* Half of a control's range; its middle as well. */
static double range_of(double *middle, const struct kl_control_entry *control)
{
    *middle = (control->high + control->low) / 2;
    return (control->high - control->low) / 2;
}

void kl_control_shares_play(double *u, const struct kl_control_system *system, int segments)
{
    const int n = system->n_controls;
    for (double *end = u + segments * n; u < end; u += n) {
        for (int i = 0; i < system->n_moduli; i++) {
            double at[2], slope[2][2];
            disc_of(at, slope, u, &system->moduli[i]);
            u[system->moduli[i].x] = at[0], u[system->moduli[i].y] = at[1];
        }
        for (int k = 0; k < n; k++) {
            double middle;
            const double half = range_of(&middle, &system->controls[k]);
            u[k] = middle + half * u[k];
        }
    }
}

void kl_control_shares_back(double *grad, const double *v, const struct kl_control_system *system,
                            int segments)
{
    const int n = system->n_controls;
    for (const double *end = v + segments * n; v < end; v += n, grad += n) {
        for (int k = 0; k < n; k++) {
            double middle;
            grad[k] *= range_of(&middle, &system->controls[k]);
        }
        for (int i = 0; i < system->n_moduli; i++) {
            const struct kl_control_modulus *m = &system->moduli[i];
            double at[2], slope[2][2];
            disc_of(at, slope, v, m);
            const double x = grad[m->x], y = grad[m->y];
            grad[m->x] = slope[0][0] * x + slope[1][0] * y;
            grad[m->y] = slope[0][1] * x + slope[1][1] * y;
        }
    }
}
