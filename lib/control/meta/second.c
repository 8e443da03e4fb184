/* SPDX-License-Identifier: MIT
   MAML's gradient of second order: v = the gradient at phi_K, then v -= lr H_k v for k = K - 1, ..., 0,
   H_k v being the derivative along v of step k's gradient, forward over reverse (Pearlmutter 1994,
   doi:10.1162/neco.1994.6.1.147). A gradient is d x^T, and its derivative td x^T + d tx^T, so that v
   stays a sum of terms of rank one and is never written out. */
#include <string.h>

#include "control/meta/adapt_int.h"
#include "kernels/inline/real.h"

/* y [units][n] += sum over m in [from, to) of rate_m (q_m . x + one) p_m; p, q: of step 0. from = to =
   K: the gradient at phi_K, whose factor is 1. */
struct terms {
    const kl_real *p, *q;
    size_t p_stride, q_stride, p_units, q_units;
    kl_real one;
};

static void add_terms(kl_real *y, struct kl_control_adapt *a, const struct terms *s, int from, int to,
                      const kl_real *x)
{
    const size_t n = a->n, steps = from == to ? 1 : (size_t)(to - from), first = (size_t)from;
    kl_kernel_policy_dots(a->dots, s->q + first * s->q_stride, s->q_stride, steps, x, s->q_units, n);
    for (size_t i = 0; i < steps * n; i++)
        a->c[i] = (from == to ? 1 : a->rate[first * n + i]) * (a->dots[i] + s->one);
    kl_kernel_policy_forward(y, NULL, s->p + first * s->p_stride, s->p_stride, a->c, steps, s->p_units,
                             n, KL_POLICY_NONE);
}

/* Outputs += V x of layer l, v being what is known before step k: biases see the 1 beside x. */
static void along(kl_real *y, struct kl_control_adapt *a, int k, int l, const kl_real *x)
{
    const int K = a->inner.steps;
    const size_t in = (size_t)a->net->size[l], out = (size_t)a->net->size[l + 1];
    struct terms s = { a->d + a->d_at[l], a->x + a->x_at[l], a->d_stride, a->x_stride, out, in, 1 };
    add_terms(y, a, &s, K, K, x);
    if (k + 1 == K) return;
    s.p = a->td + a->d_at[l];
    add_terms(y, a, &s, k + 1, K, x);
    s.p = a->d + a->d_at[l], s.q = a->tx + a->x_at[l], s.one = 0;
    add_terms(y, a, &s, k + 1, K, x);
}

/* Inputs += V^T d. */
static void along_back(kl_real *y, struct kl_control_adapt *a, int k, int l, const kl_real *d)
{
    const int K = a->inner.steps;
    const size_t in = (size_t)a->net->size[l], out = (size_t)a->net->size[l + 1];
    struct terms s = { a->x + a->x_at[l], a->d + a->d_at[l], a->x_stride, a->d_stride, in, out, 0 };
    add_terms(y, a, &s, K, K, d);
    if (k + 1 == K) return;
    s.q = a->td + a->d_at[l];
    add_terms(y, a, &s, k + 1, K, d);
    s.p = a->tx + a->x_at[l], s.q = a->d + a->d_at[l];
    add_terms(y, a, &s, k + 1, K, d);
}

/* The corrections of the steps before step k to W_0 x, W_0^T d. */
static void before(kl_real *y, struct kl_control_adapt *a, int k, const struct terms *s,
                   const kl_real *x)
{
    if (k > 0) add_terms(y, a, s, 0, k, x);
}

static void tangent_forward(struct kl_control_adapt *a, const kl_real *params, int k)
{
    const struct kl_control_net *net = a->net;
    const kl_real *x = a->x + (size_t)k * a->x_stride;
    kl_real *tx = a->tx + (size_t)k * a->x_stride;
    memset(tx, 0, a->x_stride * sizeof *tx);
    for (int l = a->adapts; l < net->layers; l++) {
        const bool last = l + 1 == net->layers;
        const size_t in = (size_t)net->size[l], out = (size_t)net->size[l + 1];
        const struct terms s = {
            a->d + a->d_at[l], a->x + a->x_at[l], a->d_stride, a->x_stride, out, in, 0
        };
        kl_real *y = tx + a->x_at[l + 1];
        if (l > a->adapts) {
            kl_control_adapt_product(y, a, params, l, tx + a->x_at[l]);
            before(y, a, k, &s, tx + a->x_at[l]);
        }
        along(y, a, k, l, x + a->x_at[l]);
        kl_kernel_policy_backward(y, NULL, x + a->x_at[l + 1], NULL, 0, NULL, 0, out, a->n,
                                  last ? KL_POLICY_NONE : net->shape.act);
    }
}

static void tangent_outputs(struct kl_control_adapt *a, int k, const struct kl_control_plant *plant)
{
    const struct kl_control_net *net = a->net;
    const size_t count = (size_t)net->size[net->layers] * a->n;
    const kl_real scale = (kl_real)net->shape.scale, most = (kl_real)plant->limit;
    const kl_real *z = a->x + (size_t)k * a->x_stride + a->x_at[net->layers],
                  *tz = a->tx + (size_t)k * a->x_stride + a->x_at[net->layers];
    kl_real *td = a->td + (size_t)k * a->d_stride + a->d_at[net->layers - 1];
    for (size_t i = 0; i < count; i++) {
        const kl_real u = scale * z[i];
        const bool inside = u < most && u > -most;
        a->u[i] = inside ? u : u > 0 ? most : -most;
        a->du[i] = inside ? scale * tz[i] : 0;
    }
    plant->tangent(plant, a->dgrad_u, a->u, a->du);
    for (size_t i = 0; i < count; i++)
        td[i] = a->u[i] < most && a->u[i] > -most ? scale * a->dgrad_u[i] : 0;
}

static void tangent_back(struct kl_control_adapt *a, const kl_real *params, int k)
{
    const struct kl_control_net *net = a->net;
    const size_t at = (size_t)k * a->d_stride;
    const kl_real *x = a->x + (size_t)k * a->x_stride, *tx = a->tx + (size_t)k * a->x_stride;
    for (int l = net->layers - 1; l > 0; l--) {
        const size_t in = (size_t)net->size[l], out = (size_t)net->size[l + 1];
        const struct terms s = {
            a->x + a->x_at[l], a->d + a->d_at[l], a->x_stride, a->d_stride, in, out, 0
        };
        const kl_real *td = a->td + at + a->d_at[l];
        kl_real *to = a->td + at + a->d_at[l - 1];
        kl_control_adapt_product_back(to, a, params, l, td);
        if (l >= a->adapts) {
            before(to, a, k, &s, td);
            along_back(to, a, k, l, a->d + at + a->d_at[l]);
        }
        kl_kernel_policy_backward(to, NULL, x + a->x_at[l], NULL, 0, NULL, 0, in, a->n, net->shape.act);
        kl_kernel_policy_bend(to, a->e + at + a->d_at[l - 1], x + a->x_at[l], tx + a->x_at[l], in * a->n,
                              net->shape.act);
    }
}

void kl_control_adapt_second(kl_real *grad, struct kl_control_adapt *a, const kl_real *params,
                             const struct kl_control_plant *plant, const kl_real *weight)
{
    for (int k = a->inner.steps - 1; k >= 0; k--) {
        const size_t x_at = (size_t)k * a->x_stride, d_at = (size_t)k * a->d_stride;
        tangent_forward(a, params, k);
        tangent_outputs(a, k, plant);
        tangent_back(a, params, k);
        for (size_t t = 0; t < a->n; t++) a->c[t] = weight[t] * a->rate[(size_t)k * a->n + t];
        for (int l = 0; l < a->net->layers; l++) {
            kl_control_adapt_outer(grad, a, l, a->td + d_at + a->d_at[l], a->x + x_at + a->x_at[l], a->c,
                                   true);
            if (l > a->adapts)
                kl_control_adapt_outer(grad, a, l, a->d + d_at + a->d_at[l], a->tx + x_at + a->x_at[l],
                                       a->c, false);
        }
    }
}
