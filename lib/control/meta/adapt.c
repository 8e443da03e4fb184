/* SPDX-License-Identifier: MIT
   Adaptation of a network to many tasks without copies of its weights. A task has one input, so a step
   of gradient descent changes a weight by a term of rank one, and W_k x = W_0 x - sum_j lr d_j (x_j . x
   + 1) with the bias, W_k^T d = W_0^T d - sum_j lr x_j (d_j . d): products with the shared W_0 over all
   tasks, and dot products. */
#include <math.h>
#include <string.h>

#include "control/meta/adapt_int.h"
#include "kernels/gemm.h"
#include "kernels/inline/real.h"

/* ---- memory ---- */

static bool take(kl_real **to, struct kl_arena *memory, size_t count, bool *failed)
{
    *to = kl_arena_take(memory, count, sizeof(kl_real));
    if (*to) memset(*to, 0, count * sizeof(kl_real));
    else *failed = true;
    return *to != NULL;
}

static int check(const struct kl_control_net *net, const struct kl_control_inner *inner, size_t n,
                 struct kl_error *err)
{
    if (n == 0 || n % KL_POLICY_LANES)
        return kl_fail(err, KL_EUSAGE, "adaptation: found %zu lanes, expected a multiple of %d", n,
                       KL_POLICY_LANES);
    if (inner->steps < 0 || inner->steps > KL_CONTROL_MAX_STEPS)
        return kl_fail(err, KL_EUSAGE, "adaptation: found %d inner steps, expected 0 to %d",
                       inner->steps, KL_CONTROL_MAX_STEPS);
    if (inner->method == KL_CONTROL_MAML && (net->shape.norm || inner->clip > 0))
        return kl_fail(err, KL_EUSAGE,
                       "adaptation: second order goes with neither layer norms nor a clipped inner "
                       "gradient; expected first order, or none of these");
    return KL_OK;
}

static void lay_out(struct kl_control_adapt *a)
{
    for (int l = 0; l <= a->net->layers; l++) {
        a->x_at[l] = a->x_stride, a->x_stride += (size_t)a->net->size[l] * a->n;
        if (l == 0) continue;
        a->d_at[l - 1] = a->d_stride, a->d_stride += (size_t)a->net->size[l] * a->n;
    }
}

int kl_control_adapt_make(struct kl_control_adapt *a, const struct kl_control_net *net,
                          const struct kl_control_inner *inner, size_t n, struct kl_arena *memory,
                          struct kl_error *err)
{
    const int code = check(net, inner, n, err);
    if (code) return code;
    const size_t steps = (size_t)inner->steps, outputs = (size_t)net->size[net->layers] * n;
    const bool second = inner->method == KL_CONTROL_MAML;
    size_t most = n;
    bool failed = false;
    *a = (struct kl_control_adapt){ .net = net, .inner = *inner, .n = n };
    a->adapts = inner->last_layer ? net->layers - 1 : 0;
    lay_out(a);
    for (int l = 0; l <= net->layers; l++)
        if ((size_t)net->size[l] * n > most) most = (size_t)net->size[l] * n;
    take(&a->x, memory, (steps + 1) * a->x_stride, &failed);
    take(&a->d, memory, (steps + 1) * a->d_stride, &failed);
    if (second) {
        take(&a->e, memory, (steps + 1) * a->d_stride, &failed);
        take(&a->tx, memory, (steps + 1) * a->x_stride, &failed);
        take(&a->td, memory, (steps + 1) * a->d_stride, &failed);
        take(&a->du, memory, outputs, &failed), take(&a->dgrad_u, memory, outputs, &failed);
    }
    take(&a->loss, memory, (steps + 1) * n, &failed), take(&a->rate, memory, (steps + 1) * n, &failed);
    take(&a->u, memory, outputs, &failed), take(&a->grad_u, memory, outputs, &failed);
    take(&a->c, memory, (2 * steps + 2) * n, &failed), take(&a->dots, memory, (steps + 2) * n, &failed);
    take(&a->turned, memory, most, &failed), take(&a->scratch, memory, 4 * n, &failed);
    if (net->shape.norm) take(&a->norm, memory, kl_control_norm_size(a), &failed);
    return failed ? kl_fail_memory(err, (steps + 1) * (a->x_stride + a->d_stride) * sizeof(kl_real))
                  : KL_OK;
}

/* ---- products with shared weights ---- */

static const struct kl_tensor *weight_of(const struct kl_control_adapt *a, int l)
{
    return &a->net->block.tensors[a->net->at[l].weight];
}

void kl_control_adapt_product(kl_real *out, const struct kl_control_adapt *a, const kl_real *params,
                              int l, const kl_real *in)
{
    const struct kl_tensor *t = weight_of(a, l);
    const size_t n = a->n, outputs = t->dims[0], inputs = t->dims[1];
    for (size_t o = 0; o < outputs; o += KL_STRIP) {
        const size_t width = outputs - o < KL_STRIP ? outputs - o : KL_STRIP;
        kl_kernel_gemm(out + o * n, n, params + t->offset + o * inputs, 1, width, in, n, width, n,
                       inputs, 0);
    }
}

void kl_control_adapt_product_back(kl_real *to, const struct kl_control_adapt *a, const kl_real *params,
                                   int l, const kl_real *from)
{
    const struct kl_tensor *t = weight_of(a, l);
    const size_t n = a->n, outputs = t->dims[0], inputs = t->dims[1];
    for (size_t o = 0; o < outputs; o += KL_STRIP) {
        const size_t width = outputs - o < KL_STRIP ? outputs - o : KL_STRIP;
        kl_kernel_gemm(to, n, params + t->offset + o * inputs, width, 1, from + o * n, n, inputs, n,
                       width, o > 0);
    }
}

void kl_control_adapt_outer(kl_real *grad, const struct kl_control_adapt *a, int l, const kl_real *d,
                            const kl_real *x, const kl_real *weight, bool bias)
{
    const struct kl_tensor *t = weight_of(a, l);
    const size_t n = a->n, outputs = t->dims[0], inputs = t->dims[1];
    kl_kernel_policy_turn(a->turned, d, weight, outputs, n);
    for (size_t o = 0; o < outputs; o += KL_STRIP) {
        const size_t width = outputs - o < KL_STRIP ? outputs - o : KL_STRIP;
        kl_kernel_gemm(grad + t->offset + o * inputs, width, x, n, 1, a->turned + o, outputs, inputs,
                       width, n, 1);
    }
    kl_real *b = grad + a->net->block.tensors[a->net->at[l].bias].offset;
    for (size_t i = 0; bias && i < n; i++)
        for (size_t o = 0; o < outputs; o++) b[o] += a->turned[i * outputs + o];
}

/* ---- forward ---- */

/* c [k][n] = rate_j (x_j . x + 1) for the steps before step k. */
static void factors(struct kl_control_adapt *a, int k, const kl_real *v, size_t stride, const kl_real *x,
                    size_t units, kl_real one)
{
    const size_t n = a->n;
    kl_kernel_policy_dots(a->dots, v, stride, (size_t)k, x, units, n);
    for (size_t i = 0; i < (size_t)k * n; i++) a->c[i] = a->rate[i] * (a->dots[i] + one);
}

static void layer(struct kl_control_adapt *a, const kl_real *params, int k, int l)
{
    const struct kl_control_net *net = a->net;
    const bool last = l + 1 == net->layers, norm = net->shape.norm && !last;
    const size_t in = (size_t)net->size[l], out = (size_t)net->size[l + 1];
    const kl_real *x = a->x + (size_t)k * a->x_stride + a->x_at[l];
    kl_real *y = a->x + (size_t)k * a->x_stride + a->x_at[l + 1];
    const size_t before = l < a->adapts ? 0 : (size_t)k;
    kl_control_adapt_product(y, a, params, l, x);
    if (before) factors(a, k, a->x + a->x_at[l], a->x_stride, x, in, 1);
    kl_kernel_policy_forward(y, params + net->block.tensors[net->at[l].bias].offset, a->d + a->d_at[l],
                             a->d_stride, a->c, before, out, a->n,
                             last || norm ? KL_POLICY_NONE : net->shape.act);
    if (!norm) return;
    kl_control_norm_forward(a, l, y);
    kl_kernel_policy_forward(y, NULL, NULL, 0, NULL, 0, out, a->n, net->shape.act);
}

/* u = clamped scale * z, or scale * tanh z. */
static void outputs(struct kl_control_adapt *a, int k, double limit)
{
    const struct kl_control_net *net = a->net;
    const size_t rows = (size_t)net->size[net->layers], count = rows * a->n;
    const kl_real scale = (kl_real)net->shape.scale, most = (kl_real)limit;
    kl_real *z = a->x + (size_t)k * a->x_stride + a->x_at[net->layers];
    if (net->shape.norm) kl_kernel_policy_forward(z, NULL, NULL, 0, NULL, 0, rows, a->n, KL_POLICY_TANH);
    for (size_t i = 0; i < count; i++) {
        kl_real u = scale * z[i];
        u = u > most ? most : u;
        a->u[i] = u < -most ? -most : u;
    }
}

static void forward(struct kl_control_adapt *a, const kl_real *params, int k, double limit)
{
    kl_real *x = a->x + (size_t)k * a->x_stride;
    /* What does not adapt is the same at every step. */
    const int from = k == 0 ? 0 : a->adapts;
    const size_t same = a->x_at[from] + (size_t)a->net->size[from] * a->n;
    if (k) memcpy(x, a->x, same * sizeof *x);
    for (int l = from; l < a->net->layers; l++) layer(a, params, k, l);
    outputs(a, k, limit);
}

void kl_control_adapt_pulse(struct kl_control_adapt *a, const kl_real *params)
{
    kl_control_norm_begin(a, params);
    forward(a, params, 0, INFINITY);
}

/* ---- back ---- */

/* The gradient by the last layer's z; 0 where the pulse is clamped. */
static void back_outputs(struct kl_control_adapt *a, int k, double limit)
{
    const struct kl_control_net *net = a->net;
    const size_t rows = (size_t)net->size[net->layers], count = rows * a->n;
    const kl_real scale = (kl_real)net->shape.scale, most = (kl_real)limit;
    kl_real *d = a->d + (size_t)k * a->d_stride + a->d_at[net->layers - 1];
    for (size_t i = 0; i < count; i++)
        d[i] = a->u[i] < most && a->u[i] > -most ? scale * a->grad_u[i] : 0;
    if (net->shape.norm)
        kl_kernel_policy_backward(d, NULL, a->x + (size_t)k * a->x_stride + a->x_at[net->layers], NULL,
                                  0, NULL, 0, rows, a->n, KL_POLICY_TANH);
}

void kl_control_adapt_back(struct kl_control_adapt *a, const kl_real *params, int k, int down)
{
    const struct kl_control_net *net = a->net;
    const kl_real *x = a->x + (size_t)k * a->x_stride;
    kl_real *d = a->d + (size_t)k * a->d_stride;
    for (int l = net->layers - 1; l > down; l--) {
        const size_t in = (size_t)net->size[l], out = (size_t)net->size[l + 1];
        const size_t before = l < a->adapts ? 0 : (size_t)k;
        kl_real *to = d + a->d_at[l - 1];
        kl_control_adapt_product_back(to, a, params, l, d + a->d_at[l]);
        if (before) factors(a, k, a->d + a->d_at[l], a->d_stride, d + a->d_at[l], out, 0);
        kl_kernel_policy_backward(to, a->e ? a->e + (size_t)k * a->d_stride + a->d_at[l - 1] : NULL,
                                  x + a->x_at[l], a->x + a->x_at[l], a->x_stride, a->c, before, in, a->n,
                                  net->shape.act);
        if (net->shape.norm) kl_control_norm_back(a, l - 1, to);
    }
}

/* Squares of each task's gradient: of a layer |d|^2 (|x|^2 + 1). */
static void gradient_squares(struct kl_control_adapt *a, int k, kl_real *squares)
{
    const struct kl_control_net *net = a->net;
    const size_t n = a->n;
    kl_real *d2 = a->scratch, *x2 = a->scratch + n;
    for (size_t t = 0; t < n; t++) squares[t] = 0;
    for (int l = a->adapts; l < net->layers; l++) {
        const kl_real *d = a->d + (size_t)k * a->d_stride + a->d_at[l],
                      *x = a->x + (size_t)k * a->x_stride + a->x_at[l];
        kl_kernel_policy_dots(d2, d, 0, 1, d, (size_t)net->size[l + 1], n);
        kl_kernel_policy_dots(x2, x, 0, 1, x, (size_t)net->size[l], n);
        for (size_t t = 0; t < n; t++) squares[t] += d2[t] * (x2[t] + 1);
        if (net->shape.norm) kl_control_norm_squares(a, l, squares);
    }
}

/* Step k is taken: the factor of its terms. */
static void step(struct kl_control_adapt *a, int k)
{
    kl_real *rate = a->rate + (size_t)k * a->n, *squares = a->scratch + 2 * a->n;
    for (size_t t = 0; t < a->n; t++) rate[t] = -(kl_real)a->inner.lr;
    if (a->inner.clip > 0) {
        gradient_squares(a, k, squares);
        for (size_t t = 0; t < a->n; t++) {
            const double size = sqrt((double)squares[t]);
            if (size > a->inner.clip) rate[t] *= (kl_real)(a->inner.clip / size);
        }
    }
    kl_control_norm_step(a, rate);
}

void kl_control_adapt_run(struct kl_control_adapt *a, const kl_real *params,
                          const struct kl_control_plant *plant, bool whole)
{
    const int K = a->inner.method == KL_CONTROL_UNADAPTED && whole ? 0 : a->inner.steps;
    kl_control_norm_begin(a, params);
    for (int k = 0; k <= K; k++) {
        const bool needed = k < K || (whole && a->inner.method != KL_CONTROL_REPTILE);
        forward(a, params, k, plant->limit);
        plant->gradient(plant, a->loss + (size_t)k * a->n, needed ? a->grad_u : NULL, a->u);
        if (!needed) continue;
        back_outputs(a, k, plant->limit);
        kl_control_adapt_back(a, params, k, k < K && !a->e ? a->adapts : 0);
        if (k < K) step(a, k);
    }
}

/* ---- the gradient of the first parameters ---- */

static void first_order(kl_real *grad, const struct kl_control_adapt *a, int k, const kl_real *weight,
                        int from)
{
    for (int l = from; l < a->net->layers; l++)
        kl_control_adapt_outer(grad, a, l, a->d + (size_t)k * a->d_stride + a->d_at[l],
                               a->x + (size_t)k * a->x_stride + a->x_at[l], weight, true);
}

static void reptile(kl_real *grad, struct kl_control_adapt *a, const kl_real *weight)
{
    const double scale = -1 / (a->inner.lr * a->inner.steps);
    for (int k = 0; k < a->inner.steps; k++) {
        for (size_t t = 0; t < a->n; t++)
            a->c[t] = weight[t] * (kl_real)(scale * (double)a->rate[(size_t)k * a->n + t]);
        first_order(grad, a, k, a->c, a->adapts);
    }
}

void kl_control_adapt_meta(kl_real *grad, struct kl_control_adapt *a, const kl_real *params,
                           const struct kl_control_plant *plant, const kl_real *weight)
{
    memset(grad, 0, a->net->block.size * sizeof *grad);
    switch (a->inner.method) {
    case KL_CONTROL_UNADAPTED: first_order(grad, a, 0, weight, 0); break;
    case KL_CONTROL_REPTILE: reptile(grad, a, weight); break;
    case KL_CONTROL_FOMAML: first_order(grad, a, a->inner.steps, weight, 0); break;
    case KL_CONTROL_MAML:
        first_order(grad, a, a->inner.steps, weight, 0);
        kl_control_adapt_second(grad, a, params, plant, weight);
        break;
    }
    kl_control_norm_gradient(grad, a, params, weight);
}
