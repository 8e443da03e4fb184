/* SPDX-License-Identifier: MIT
   One qubit whose controls, terms and jumps are multiples and sums of what kernels/bloch.h knows: its
   controls along X, Y, Z and its three rates are linear in theirs. */
#include <math.h>
#include <string.h>

#include "control/model/axes.h"

enum { DIM = 4, X = 1, Y = 2, Z = 3 };

/* 2 axis x r, as rows and columns of a generator. */
static void turn_about(double to[DIM * DIM], const double axis[3])
{
    memset(to, 0, DIM * DIM * sizeof *to);
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        to[DIM * (b + 1) + c + 1] = -2 * axis[a];
        to[DIM * (c + 1) + b + 1] = 2 * axis[a];
    }
}

static void damp(double to[DIM * DIM], const double rate[3])
{
    const double both = rate[1] + rate[2];
    memset(to, 0, DIM * DIM * sizeof *to);
    to[DIM * X + X] = to[DIM * Y + Y] = -(rate[0] + both / 2);
    to[DIM * Z + Z] = -both;
    to[DIM * Z] = rate[1] - rate[2];
}

static bool same(const double *a, const double *b)
{
    double largest = 0, off = 0;
    for (int i = 0; i < DIM * DIM; i++)
        largest = fmax(largest, fabs(b[i])), off = fmax(off, fabs(a[i] - b[i]));
    return off <= 1e-12 * largest;
}

/* Parts below the 15 digits of a model in JSON are none: a control along X is not one of Z, and no rate
   is negative by rounding. */
static void clean(double part[3])
{
    const double largest = fmax(fabs(part[0]), fmax(fabs(part[1]), fabs(part[2])));
    for (int i = 0; i < 3; i++)
        if (fabs(part[i]) <= 1e-13 * largest) part[i] = 0;
}

/* H = axis . (X, Y, Z) and a multiple of 1; false: the generator is none of a Hamiltonian. */
static bool find_axis(double axis[3], const double *g)
{
    double again[DIM * DIM];
    axis[0] = (g[DIM * Z + Y] - g[DIM * Y + Z]) / 4;
    axis[1] = (g[DIM * X + Z] - g[DIM * Z + X]) / 4;
    axis[2] = (g[DIM * Y + X] - g[DIM * X + Y]) / 4;
    clean(axis);
    turn_about(again, axis);
    return same(again, g);
}

/* gamma_phi, gamma_down, gamma_up; false: a jump of another kind, such as X. */
static bool find_rates(double rate[3], const double *g)
{
    double again[DIM * DIM];
    const double both = -g[DIM * Z + Z];
    rate[0] = -g[DIM * X + X] - both / 2;
    rate[1] = (both + g[DIM * Z]) / 2, rate[2] = (both - g[DIM * Z]) / 2;
    clean(rate);
    damp(again, rate);
    return rate[0] >= 0 && rate[1] >= 0 && rate[2] >= 0 && same(again, g);
}

/* A system whose entries are the kernel's own, in its order. */
static void identity(struct kl_control_axes *axes)
{
    for (int k = 0; k < axes->n_controls; k++) axes->control[k][k] = 1;
    for (int j = 0; j < 3; j++) axes->rate[j][j] = 1;
    axes->term[KL_BLOCH_DETUNING][2] = 1;
    axes->controls = axes->n_controls;
}

bool kl_control_axes_make(struct kl_control_axes *axes, const struct kl_control_system *s)
{
    bool fits = s->d == 2;
    *axes = (struct kl_control_axes){ .n_controls = s->n_controls, .n_params = s->n_params, 2 };
    if (s->form == KL_CONTROL_ONE_QUBIT) {
        identity(axes);
        return true;
    }
    for (int k = 0; k < s->n_controls && fits; k++) {
        fits = find_axis(axes->control[k], s->controls[k].matrix);
        if (axes->control[k][2] != 0) axes->controls = 3;
    }
    for (int j = 0; j < s->n_params && fits; j++)
        fits = s->params[j].rate ? find_rates(axes->rate[j], s->params[j].matrix)
                                 : find_axis(axes->term[j], s->params[j].matrix);
    return fits;
}

void kl_control_axes_task(double params[KL_BLOCH_PARAMS], double drift[2],
                          const struct kl_control_axes *axes, const double *of_system)
{
    drift[0] = drift[1] = 0;
    for (int i = 0; i < KL_BLOCH_PARAMS; i++) params[i] = 0;
    for (int j = 0; j < axes->n_params; j++) {
        const double p = of_system[j];
        for (int i = 0; i < 3; i++) params[i] += axes->rate[j][i] * p;
        drift[0] += axes->term[j][0] * p, drift[1] += axes->term[j][1] * p;
        params[KL_BLOCH_DETUNING] += axes->term[j][2] * p;
    }
}

double kl_control_axes_norm(const struct kl_control_axes *axes, const double *controls,
                            const double *params)
{
    double square = 0, rates = 0;
    for (int a = 0; a < 3; a++) {
        double most = 0;
        for (int k = 0; k < axes->n_controls; k++) most += fabs(axes->control[k][a]) * controls[k];
        for (int j = 0; j < axes->n_params; j++) most += fabs(axes->term[j][a]) * params[j];
        square += most * most;
        for (int j = 0; j < axes->n_params; j++) rates += axes->rate[j][a] * params[j];
    }
    return 2 * sqrt(square) + rates;
}

void kl_control_axes_turn(double *to, const double *u, const struct kl_control_axes *axes, int segments,
                          size_t lanes, double factor, const double *drift)
{
    for (int s = 0; s < segments; s++, u += (size_t)axes->n_controls * lanes)
        for (int a = 0; a < axes->controls; a++, to += lanes) {
            const double start = drift && a < 2 ? drift[a] : 0;
            for (size_t l = 0; l < lanes; l++) to[l] = start;
            for (int k = 0; k < axes->n_controls; k++) {
                const double part = factor * axes->control[k][a];
                for (size_t l = 0; part != 0 && l < lanes; l++) to[l] += part * u[(size_t)k * lanes + l];
            }
        }
}

void kl_control_axes_back(double *to, const double *by_axes, const struct kl_control_axes *axes,
                          int segments, size_t lanes)
{
    for (int s = 0; s < segments; s++, by_axes += (size_t)axes->controls * lanes)
        for (int k = 0; k < axes->n_controls; k++, to += lanes) {
            for (size_t l = 0; l < lanes; l++) to[l] = 0;
            for (int a = 0; a < axes->controls; a++) {
                const double part = axes->control[k][a];
                for (size_t l = 0; l < lanes; l++) to[l] += part * by_axes[(size_t)a * lanes + l];
            }
        }
}
