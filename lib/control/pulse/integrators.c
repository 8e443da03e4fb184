/* SPDX-License-Identifier: MIT
   Euler's method and Runge and Kutta's on the density matrix, as real vectors: what simulators do that
   have no exponentials. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/pulse/integrators.h"

const char *kl_control_integrator_name(enum kl_control_integrator integrator)
{
    static const char *const names[] = { "exact", "rk4", "euler" };
    return names[integrator];
}

int kl_control_steps(double segment, double dt)
{
    return (int)fmin(fmax(1, floor(segment / dt)), 1e9);
}

/* to = G from */
static void slope(double *to, const double *g, const double *from, int dim, int columns)
{
    for (int a = 0; a < dim; a++) {
        double *row = to + a * columns;
        for (int c = 0; c < columns; c++) row[c] = 0;
        for (int b = 0; b < dim; b++)
            for (int c = 0; c < columns; c++) row[c] += g[a * dim + b] * from[b * columns + c];
    }
}

static void euler(double *r, const double *g, double h, int dim, int columns, double *work)
{
    slope(work, g, r, dim, columns);
    for (int i = 0; i < dim * columns; i++) r[i] += h * work[i];
}

static void rk4(double *r, const double *g, double h, int dim, int columns, double *work)
{
    static const double at[] = { 0, 0.5, 0.5, 1 }, weight[] = { 1, 2, 2, 1 };
    const int n = dim * columns;
    double *k = work, *point = work + n, *sum = work + 2 * n;
    for (int i = 0; i < n; i++) sum[i] = 0, k[i] = 0;
    for (int stage = 0; stage < 4; stage++) {
        for (int i = 0; i < n; i++) point[i] = r[i] + h * at[stage] * k[i];
        slope(k, g, point, dim, columns);
        for (int i = 0; i < n; i++) sum[i] += weight[stage] * k[i];
    }
    for (int i = 0; i < n; i++) r[i] += h / 6 * sum[i];
}

static int integrate_exactly(double *states, int columns, const struct kl_control_system *system,
                             const struct kl_control_pulse *pulse, const struct kl_control_task *task,
                             double *work, struct kl_error *err)
{
    const int dim = system->dim;
    double *transfer = malloc((size_t)(dim * dim) * sizeof *transfer);
    if (!transfer) return kl_fail_memory(err, (size_t)(dim * dim) * sizeof *transfer);
    const int code = kl_control_transfer(transfer, system, pulse, task, err);
    if (!code) {
        slope(work, transfer, states, dim, columns);
        memcpy(states, work, (size_t)(dim * columns) * sizeof *states);
    }
    free(transfer);
    return code;
}

int kl_control_integrate(double *states, int columns, const struct kl_control_system *system,
                         const struct kl_control_pulse *pulse, const struct kl_control_task *task,
                         enum kl_control_integrator integrator, int steps, struct kl_error *err)
{
    const int dim = system->dim;
    const size_t size = (size_t)(dim * dim + 3 * dim * columns);
    const double h = pulse->duration / pulse->segments / steps;
    double *g = malloc(size * sizeof *g), *work = g + dim * dim;
    int code = g ? 0 : kl_fail_memory(err, size * sizeof *g);
    if (!code && integrator == KL_CONTROL_EXACT)
        code = integrate_exactly(states, columns, system, pulse, task, work, err);
    for (int s = 0; !code && integrator != KL_CONTROL_EXACT && s < pulse->segments; s++) {
        kl_control_system_generator(g, system, pulse->u + s * pulse->controls, task);
        for (int k = 0; k < steps; k++)
            (integrator == KL_CONTROL_RK4 ? rk4 : euler)(states, g, h, dim, columns, work);
    }
    free(g);
    return code;
}

int kl_control_state_of_vector(double complex *rho, double *smallest, double *population,
                               const double *vector, const double complex *basis, int d,
                               struct kl_error *err)
{
    const size_t size = (size_t)(d * d);
    double complex sum[KL_CONTROL_MATRIX];
    for (size_t i = 0; i < size; i++) {
        sum[i] = 0;
        for (size_t a = 0; a < size; a++) sum[i] += vector[a] * basis[a * size + i] / d;
    }
    if (rho) memcpy(rho, sum, size * sizeof *rho);
    *population = -INFINITY;
    for (int i = 0; i < d; i++) *population = fmax(*population, creal(sum[i * d + i]));
    return kl_control_smallest_eigenvalue(smallest, sum, d, err);
}
