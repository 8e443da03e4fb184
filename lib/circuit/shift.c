/* SPDX-License-Identifier: MIT
   Parameter-shift rules, gate by gate: two terms for exp(-i angle P/2), four for its controlled form
   (Wierichs et al. 2022, arXiv:2107.12390). Exact, and shares nothing with the adjoint sweep but the
   forward pass. */
#include <math.h>
#include <string.h>

#include "circuit/circuit_int.h"

struct probe {
    struct kl_circuit c; /* a copy whose one angle is replaced by constants */
    struct kl_circuit_plan plan;
    const double *x, *w, *cot;
    double *out;
    struct kl_arena local, moved;
};

static double value_of(const struct kl_angle *a, const double *x, const double *w)
{
    if (a->source == KL_CONSTANT) return a->scale;
    if (a->source == KL_WEIGHT) return a->scale * w[a->index];
    return a->scale * x[a->index] * (a->index2 >= 0 ? x[a->index2] : 1);
}

/* sum(cot * out) of one sample */
static int objective(double *sum, struct probe *p, struct kl_error *err)
{
    kl_arena_reset(&p->local);
    int code = kl_circuit_forward_f64(p->out, NULL, &p->c, p->x, p->w, 1, NULL, &p->local, err);
    *sum = 0;
    for (size_t o = 0; !code && o < p->c.n_obs; o++) *sum += p->cot[o] * p->out[o];
    return code;
}

static int shifted_difference(double *difference, struct probe *p, struct kl_angle *angle, double at,
                              double shift, struct kl_error *err)
{
    double plus = 0, minus = 0;
    *angle = (struct kl_angle){ KL_CONSTANT, 0, -1, at + shift };
    int code = objective(&plus, p, err);
    *angle = (struct kl_angle){ KL_CONSTANT, 0, -1, at - shift };
    if (!code) code = objective(&minus, p, err);
    *difference = plus - minus;
    return code;
}

static int derivative(double *d, struct probe *p, struct kl_angle *angle, bool controlled,
                      struct kl_error *err)
{
    const struct kl_angle original = *angle;
    double at = value_of(&original, p->x, p->w), near = 0, far = 0;
    int code = shifted_difference(&near, p, angle, at, M_PI / 2, err);
    if (!code && controlled) code = shifted_difference(&far, p, angle, at, 3 * M_PI / 2, err);
    *angle = original;
    *d = controlled ? ((M_SQRT2 + 1) * near - (M_SQRT2 - 1) * far) / (4 * M_SQRT2) : near / 2;
    return code;
}

static void spread(double *dx, double *dw, const struct kl_angle *a, const double *x, double d)
{
    if (a->source == KL_WEIGHT) {
        dw[a->index] += a->scale * d;
    } else if (a->index2 < 0) {
        dx[a->index] += a->scale * d;
    } else {
        dx[a->index] += a->scale * d * x[a->index2];
        dx[a->index2] += a->scale * d * x[a->index];
    }
}

static int sample_gradient(double *dx, double *dw, struct probe *p, struct kl_error *err)
{
    for (size_t i = 0; i < p->plan.n_angles; i++) {
        struct kl_angle *angle = &p->plan.angles[i];
        double d;
        if (angle->source == KL_CONSTANT) continue;
        int code = derivative(&d, p, angle, p->plan.controlled[i], err);
        if (code) return code;
        spread(dx, dw, angle, p->x, d);
    }
    return KL_OK;
}

/* By the amplitudes given: out(x) |x|^2 is a quadratic form, whose central difference is its derivative
   at any step; then the quotient rule. */
static int amplitude_gradient(double *dx, struct probe *p, struct kl_error *err)
{
    const size_t n = p->c.n_inputs;
    const double *const x = p->x;
    double *moved = kl_arena_take(&p->moved, n, sizeof *moved), squares = 0, at = 0;
    if (!moved) return kl_fail_memory(err, n * sizeof *moved);
    for (size_t k = 0; k < n; k++) moved[k] = x[k], squares += x[k] * x[k];
    int code = objective(&at, p, err);
    p->x = moved;
    for (size_t k = 0; !code && squares > 0 && k < n; k++) {
        const double rest = squares - x[k] * x[k], up = x[k] + 1, down = x[k] - 1;
        double plus = 0, minus = 0;
        moved[k] = up;
        code = objective(&plus, p, err);
        moved[k] = down;
        if (!code) code = objective(&minus, p, err);
        moved[k] = x[k];
        const double slope = (plus * (rest + up * up) - minus * (rest + down * down)) / 2;
        dx[k] = (slope - 2 * x[k] * at) / squares;
    }
    p->x = x;
    kl_arena_reset(&p->moved);
    return code;
}

int kl_circuit_shift(double *dx, double *dw, const struct kl_circuit *c, const double *x,
                     const double *w, const double *cot, size_t n, struct kl_arena *work,
                     struct kl_error *err)
{
    struct probe p = { .c = *c, .plan = *c->plan, .w = w };
    size_t bytes = c->plan->n_angles * sizeof *p.plan.angles;
    p.c.plan = &p.plan;
    p.plan.angles = kl_arena_take(work, c->plan->n_angles, sizeof *p.plan.angles);
    p.out = kl_arena_take(work, c->n_obs, sizeof *p.out);
    if (!p.plan.angles || !p.out) return kl_fail_memory(err, bytes);
    if (bytes) memcpy(p.plan.angles, c->plan->angles, bytes);
    int code = kl_arena_init(&p.local, 0, err);
    if (!code) code = kl_arena_init(&p.moved, 0, err);
    for (size_t i = 0; !code && i < n; i++) {
        p.x = x + i * c->n_inputs;
        p.c.draws.sample = c->draws.sample + i;
        p.cot = cot + i * c->n_obs;
        if (c->n_inputs) memset(dx + i * c->n_inputs, 0, c->n_inputs * sizeof *dx);
        code = sample_gradient(dx + i * c->n_inputs, dw, &p, err);
        if (!code && c->amplitude_inputs) code = amplitude_gradient(dx + i * c->n_inputs, &p, err);
    }
    kl_arena_free(&p.local);
    kl_arena_free(&p.moved);
    return code;
}
