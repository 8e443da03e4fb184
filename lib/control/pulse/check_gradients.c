/* SPDX-License-Identifier: MIT
   Gradients and Hessian products of a problem against central differences. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/pulse/pulse.h"
#include "kernels/inline/philox.h"

enum { LANES = KL_CONTROL_LANES };

struct check {
    struct kl_control_evaluator *e;
    int n;
    double *x, *v, *g, *other, *hv; /* [n][16] */
};

/* Random numbers in the middle half of what may be; the same in all lanes. */
static void draw(struct check *c, uint64_t seed)
{
    const double *low = kl_control_evaluator_low(c->e), *high = kl_control_evaluator_high(c->e);
    for (int i = 0; i < c->n; i++) {
        uint32_t w[4];
        kl_philox(w, seed, (uint32_t)i, KL_RANDOM_STARTS, UINT32_MAX, 0);
        const double from = fmax(low[i], -1), to = fmin(high[i], 1),
                     x = (from + to) / 2 + (to - from) / 4 * (2 * kl_philox_unit(w[0]) - 1);
        for (int l = 0; l < LANES; l++)
            c->x[i * LANES + l] = x,
                             c->v[i * LANES + l] = low[i] == high[i] ? 0 : 2 * kl_philox_unit(w[1]) - 1;
    }
}

/* Two lanes step forward and back along component i; sixteen lanes serve eight components. */
static double differences(struct check *c, double largest)
{
    const double h = 1e-5;
    const bool wanted[LANES] = { true, true, true, true, true, true, true, true,
                                 true, true, true, true, true, true, true, true };
    double worst = 0, f[LANES];
    for (int from = 0; from < c->n; from += LANES / 2) {
        memcpy(c->other, c->x, (size_t)(c->n * LANES) * sizeof *c->other);
        for (int l = 0; l < LANES && from + l / 2 < c->n; l++)
            c->other[(from + l / 2) * LANES + l] += l % 2 ? -h : h;
        kl_control_evaluate(c->e, f, NULL, c->other, wanted);
        for (int l = 0; l < LANES && from + l / 2 < c->n; l += 2) {
            const double slope = (f[l] - f[l + 1]) / (2 * h);
            worst = fmax(worst, fabs(slope - c->g[(from + l / 2) * LANES]) / largest);
        }
    }
    return worst;
}

static double largest_of(const double *v, int n)
{
    double most = 1e-300;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(v[i * LANES]));
    return most;
}

/* Lane 0 a step along v, lane 1 one back. */
static double check_hessian(struct check *c)
{
    const double h = 1e-5;
    double f[LANES], worst = 0;
    const bool wanted[LANES] = { true, true };
    kl_control_evaluate_hessian(c->e, f, c->g, c->hv, c->x, c->v);
    for (int i = 0; i < c->n * LANES; i++) c->other[i] = c->x[i] + (i % 2 ? -h : h) * c->v[i];
    kl_control_evaluate(c->e, f, c->g, c->other, wanted);
    const double largest = largest_of(c->hv, c->n);
    for (int i = 0; i < c->n; i++) {
        const double slope = (c->g[i * LANES] - c->g[i * LANES + 1]) / (2 * h);
        worst = fmax(worst, fabs(slope - c->hv[i * LANES]) / largest);
    }
    return worst;
}

int kl_control_check_gradients(double *gradient, double *hessian,
                               const struct kl_control_problem *problem, uint64_t seed,
                               struct kl_error *err)
{
    struct check c = { 0 };
    struct kl_arena arena = { 0 };
    double f[LANES];
    const bool wanted[LANES] = { true };
    int code = kl_control_evaluator_open(&c.e, problem, err);
    if (!code) code = kl_arena_init(&arena, 1 << 16, err);
    if (!code) {
        double **const vectors[] = { &c.x, &c.v, &c.g, &c.other, &c.hv };
        c.n = kl_control_evaluator_size(c.e);
        for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
            if (!(*vectors[i] = kl_arena_take(&arena, (size_t)(c.n * LANES), sizeof(double))))
                code = kl_fail_memory(err, (size_t)(c.n * LANES) * sizeof(double));
    }
    if (!code) {
        draw(&c, seed);
        kl_control_evaluate(c.e, f, c.g, c.x, wanted);
        *gradient = differences(&c, largest_of(c.g, c.n));
        *hessian = kl_control_has_hessian(c.e) ? check_hessian(&c) : NAN;
    }
    kl_control_evaluator_close(&c.e);
    kl_arena_free(&arena);
    return code;
}
