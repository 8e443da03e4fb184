/* SPDX-License-Identifier: MIT
   Central differences of the whole circuit: (f(p + h) - f(p - h)) / 2h, error O(h^2). */
#include <string.h>

#include "circuit/circuit_int.h"

struct differences {
    struct kl_circuit c; /* a copy that draws a sample's own noise */
    double *x, *w, *out; /* one sample's inputs and the weights, to be moved */
    const double *cot;
    double h;
    struct kl_arena local;
};

static int objective(double *sum, struct differences *d, struct kl_error *err)
{
    kl_arena_reset(&d->local);
    int code = kl_circuit_forward_f64(d->out, NULL, &d->c, d->x, d->w, 1, NULL, &d->local, err);
    *sum = 0;
    for (size_t o = 0; !code && o < d->c.n_obs; o++) *sum += d->cot[o] * d->out[o];
    return code;
}

static int derivative(double *result, struct differences *d, double *parameter, struct kl_error *err)
{
    double saved = *parameter, plus = 0, minus = 0;
    *parameter = saved + d->h;
    int code = objective(&plus, d, err);
    *parameter = saved - d->h;
    if (!code) code = objective(&minus, d, err);
    *parameter = saved;
    *result = (plus - minus) / (2 * d->h);
    return code;
}

int kl_circuit_differences(double *dx, double *dw, const struct kl_circuit *c, const double *x,
                           const double *w, const double *cot, size_t n, double h, struct kl_arena *work,
                           struct kl_error *err)
{
    struct differences d = { .c = *c, .h = h };
    d.x = kl_arena_take(work, c->n_inputs, sizeof *d.x);
    d.w = kl_arena_take(work, c->n_weights, sizeof *d.w);
    d.out = kl_arena_take(work, c->n_obs, sizeof *d.out);
    if (!d.x || !d.w || !d.out)
        return kl_fail_memory(err, (c->n_inputs + c->n_weights + c->n_obs) * sizeof *d.x);
    if (c->n_weights) memcpy(d.w, w, c->n_weights * sizeof *w);
    int code = kl_arena_init(&d.local, 0, err);
    for (size_t i = 0; !code && i < n; i++) {
        d.cot = cot + i * c->n_obs;
        d.c.draws.sample = c->draws.sample + i;
        if (c->n_inputs) memcpy(d.x, x + i * c->n_inputs, c->n_inputs * sizeof *x);
        for (size_t k = 0; !code && k < c->n_inputs; k++)
            code = derivative(&dx[i * c->n_inputs + k], &d, &d.x[k], err);
        for (size_t k = 0; !code && k < c->n_weights; k++) {
            double g = 0;
            code = derivative(&g, &d, &d.w[k], err);
            dw[k] += g;
        }
    }
    kl_arena_free(&d.local);
    return code;
}
