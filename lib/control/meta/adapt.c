/* SPDX-License-Identifier: MIT
   Adaptation of a network to many tasks without copies of its weights. A task has one input, so a step
   changes a weight by a term of rank one: W_k x = W_0 x - sum_j lr d_j (x_j . x + 1) with the bias,
   W_k^T d = W_0^T d - sum_j lr x_j (d_j . d), products with the shared W_0 and dot products. */
#include "control/meta/meta.h"

#include <math.h>
#include <string.h>

#include "kernels/gemm.h"
#include "kernels/inline/real.h"

/* ---- layer norms (Ba, Kiros, Hinton 2016, arXiv:1607.06450): each task has its own vectors ---- */

#define EPSILON ((kl_real)1e-5)

/* Of layer l: weight, bias, the normalised z, gradients of weight and bias [units][n] each, and one over
   the deviation [n]. */
struct norm {
    kl_real *weight, *bias, *unit, *grad_weight, *grad_bias, *inverse;
    size_t units, n;
};

static size_t layer_size(const struct kl_control_adapt *a, int l)
{
    return (5 * (size_t)a->net->size[l + 1] + 1) * a->n;
}

static size_t norm_size(const struct kl_control_adapt *a)
{
    size_t size = 0;
    for (int l = 0; l + 1 < a->net->layers; l++) size += layer_size(a, l);
    return size;
}

static struct norm norm_of(const struct kl_control_adapt *a, int l)
{
    const size_t units = (size_t)a->net->size[l + 1], count = units * a->n;
    kl_real *at = a->norm;
    for (int i = 0; i < l; i++) at += layer_size(a, i);
    return (struct norm){
        at, at + count, at + 2 * count, at + 3 * count, at + 4 * count, at + 5 * count, units, a->n
    };
}

static const kl_real *vector(const struct kl_control_adapt *a, const kl_real *params, int number)
{
    return params + a->net->block.tensors[number].offset;
}

/* The vectors of all tasks are those of params. */
static void norm_begin(struct kl_control_adapt *a, const kl_real *params)
{
    for (int l = 0; a->norm && l + 1 < a->net->layers; l++) {
        const struct norm m = norm_of(a, l);
        const kl_real *weight = vector(a, params, a->net->at[l].norm_weight),
                      *bias = vector(a, params, a->net->at[l].norm_bias);
        for (size_t i = 0; i < m.units * m.n; i++)
            m.weight[i] = weight[i / m.n], m.bias[i] = bias[i / m.n];
    }
}

/* z [units][n] of layer l becomes weight * (z - mean) / deviation + bias. */
static void norm_forward(struct kl_control_adapt *a, int l, kl_real *z)
{
    const struct norm m = norm_of(a, l);
    const size_t n = m.n;
    kl_real *mean = a->scratch, *var = a->scratch + n;
    const kl_real part = 1 / (kl_real)m.units;
    for (size_t t = 0; t < n; t++) mean[t] = var[t] = 0;
    for (size_t i = 0; i < m.units; i++)
        for (size_t t = 0; t < n; t++) mean[t] += z[i * n + t];
    for (size_t t = 0; t < n; t++) mean[t] *= part;
    for (size_t i = 0; i < m.units; i++)
        for (size_t t = 0; t < n; t++) {
            const kl_real apart = z[i * n + t] - mean[t];
            var[t] += apart * apart;
        }
    for (size_t t = 0; t < n; t++) m.inverse[t] = 1 / (kl_real)sqrt((double)(var[t] * part + EPSILON));
    for (size_t i = 0; i < m.units; i++)
        for (size_t t = 0; t < n; t++) {
            const size_t at = i * n + t;
            m.unit[at] = (z[at] - mean[t]) * m.inverse[t];
            z[at] = m.weight[at] * m.unit[at] + m.bias[at];
        }
}

/* d, the gradient behind the norm of layer l, becomes that before it; the vectors' is kept. */
static void norm_back(struct kl_control_adapt *a, int l, kl_real *d)
{
    const struct norm m = norm_of(a, l);
    const size_t n = m.n;
    kl_real *mean = a->scratch, *along = a->scratch + n;
    const kl_real part = 1 / (kl_real)m.units;
    for (size_t t = 0; t < n; t++) mean[t] = along[t] = 0;
    for (size_t i = 0; i < m.units; i++)
        for (size_t t = 0; t < n; t++) {
            const size_t at = i * n + t;
            m.grad_bias[at] = d[at], m.grad_weight[at] = d[at] * m.unit[at];
            d[at] *= m.weight[at];
            mean[t] += d[at], along[t] += d[at] * m.unit[at];
        }
    for (size_t t = 0; t < n; t++) mean[t] *= part, along[t] *= part;
    for (size_t i = 0; i < m.units; i++)
        for (size_t t = 0; t < n; t++) {
            const size_t at = i * n + t;
            d[at] = (d[at] - mean[t] - m.unit[at] * along[t]) * m.inverse[t];
        }
}

/* squares [n] += those of the gradient by layer l's vectors. */
static void norm_squares(const struct kl_control_adapt *a, int l, kl_real *squares)
{
    if (!a->norm || l + 1 == a->net->layers) return;
    const struct norm m = norm_of(a, l);
    for (size_t i = 0; i < m.units; i++)
        for (size_t t = 0; t < m.n; t++) {
            const kl_real w = m.grad_weight[i * m.n + t], b = m.grad_bias[i * m.n + t];
            squares[t] += w * w + b * b;
        }
}

/* The vectors move along their gradients, each task by its rate. */
static void norm_step(struct kl_control_adapt *a, const kl_real *rate)
{
    for (int l = a->adapts; a->norm && l + 1 < a->net->layers; l++) {
        const struct norm m = norm_of(a, l);
        for (size_t i = 0; i < m.units; i++)
            for (size_t t = 0; t < m.n; t++) {
                m.weight[i * m.n + t] += rate[t] * m.grad_weight[i * m.n + t];
                m.bias[i * m.n + t] += rate[t] * m.grad_bias[i * m.n + t];
            }
    }
}

/* to [units] = sum over the lanes. */
static void sum(kl_real *to, const kl_real *from, const kl_real *weight, size_t units, size_t n)
{
    for (size_t i = 0; i < units; i++) {
        kl_real all = 0;
        for (size_t t = 0; t < n; t++) all += weight[t] * from[i * n + t];
        to[i] = all;
    }
}

/* Their part of the meta-gradient: that of the last way back. Reptile's: what they have moved. */
static void norm_gradient(kl_real *grad, const struct kl_control_adapt *a, const kl_real *params,
                          const kl_real *weight)
{
    const bool reptile = a->inner.method == KL_CONTROL_REPTILE;
    const kl_real scale = reptile ? (kl_real)(1 / (a->inner.lr * a->inner.steps)) : 0;
    for (int l = 0; a->norm && l + 1 < a->net->layers; l++) {
        const struct norm m = norm_of(a, l);
        const int numbers[] = { a->net->at[l].norm_weight, a->net->at[l].norm_bias };
        kl_real *const now[] = { m.weight, m.bias }, *const gradient[] = { m.grad_weight, m.grad_bias };
        for (int j = 0; j < 2; j++) {
            const kl_real *first = vector(a, params, numbers[j]);
            for (size_t i = 0; reptile && i < m.units * m.n; i++)
                gradient[j][i] = scale * (first[i / m.n] - now[j][i]);
            sum(grad + a->net->block.tensors[numbers[j]].offset, gradient[j], weight, m.units, m.n);
        }
    }
}

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
    if (net->shape.norm) take(&a->norm, memory, norm_size(a), &failed);
    return failed ? kl_fail_memory(err, (steps + 1) * (a->x_stride + a->d_stride) * sizeof(kl_real))
                  : KL_OK;
}

/* ---- products with shared weights ---- */

static const struct kl_tensor *weight_of(const struct kl_control_adapt *a, int l)
{
    return &a->net->block.tensors[a->net->at[l].weight];
}

/* out [outputs][n] = W in, and to [inputs][n] = W^T from, of layer l's shared weights. */
static void product(kl_real *out, const struct kl_control_adapt *a, const kl_real *params, int l,
                    const kl_real *in)
{
    const struct kl_tensor *t = weight_of(a, l);
    const size_t n = a->n, outputs = t->dims[0], inputs = t->dims[1];
    for (size_t o = 0; o < outputs; o += KL_STRIP) {
        const size_t width = outputs - o < KL_STRIP ? outputs - o : KL_STRIP;
        kl_kernel_gemm(out + o * n, n, params + t->offset + o * inputs, 1, width, in, n, width, n,
                       inputs, 0);
    }
}

static void product_back(kl_real *to, const struct kl_control_adapt *a, const kl_real *params, int l,
                         const kl_real *from)
{
    const struct kl_tensor *t = weight_of(a, l);
    const size_t n = a->n, outputs = t->dims[0], inputs = t->dims[1];
    for (size_t o = 0; o < outputs; o += KL_STRIP) {
        const size_t width = outputs - o < KL_STRIP ? outputs - o : KL_STRIP;
        kl_kernel_gemm(to, n, params + t->offset + o * inputs, width, 1, from + o * n, n, inputs, n,
                       width, o > 0);
    }
}

/* grad += d x^T over the lanes, each by its weight; bias: and the biases' sums. */
static void outer(kl_real *grad, const struct kl_control_adapt *a, int l, const kl_real *d,
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
    product(y, a, params, l, x);
    if (before) factors(a, k, a->x + a->x_at[l], a->x_stride, x, in, 1);
    kl_kernel_policy_forward(y, params + net->block.tensors[net->at[l].bias].offset, a->d + a->d_at[l],
                             a->d_stride, a->c, before, out, a->n,
                             last || norm ? KL_POLICY_NONE : net->shape.act);
    if (!norm) return;
    norm_forward(a, l, y);
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
    /* Layers that do not adapt are the same at every step. */
    const int from = k == 0 ? 0 : a->adapts;
    const size_t same = a->x_at[from] + (size_t)a->net->size[from] * a->n;
    if (k) memcpy(x, a->x, same * sizeof *x);
    for (int l = from; l < a->net->layers; l++) layer(a, params, k, l);
    outputs(a, k, limit);
}

void kl_control_adapt_pulse(struct kl_control_adapt *a, const kl_real *params)
{
    norm_begin(a, params);
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

/* Of step k, down to the gradients of layer `down`. */
static void back(struct kl_control_adapt *a, const kl_real *params, int k, int down)
{
    const struct kl_control_net *net = a->net;
    const kl_real *x = a->x + (size_t)k * a->x_stride;
    kl_real *d = a->d + (size_t)k * a->d_stride;
    for (int l = net->layers - 1; l > down; l--) {
        const size_t in = (size_t)net->size[l], out = (size_t)net->size[l + 1];
        const size_t before = l < a->adapts ? 0 : (size_t)k;
        kl_real *to = d + a->d_at[l - 1];
        product_back(to, a, params, l, d + a->d_at[l]);
        if (before) factors(a, k, a->d + a->d_at[l], a->d_stride, d + a->d_at[l], out, 0);
        kl_kernel_policy_backward(to, a->e ? a->e + (size_t)k * a->d_stride + a->d_at[l - 1] : NULL,
                                  x + a->x_at[l], a->x + a->x_at[l], a->x_stride, a->c, before, in, a->n,
                                  net->shape.act);
        if (net->shape.norm) norm_back(a, l - 1, to);
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
        if (net->shape.norm) norm_squares(a, l, squares);
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
    norm_step(a, rate);
}

void kl_control_adapt_run(struct kl_control_adapt *a, const kl_real *params,
                          const struct kl_control_plant *plant, bool whole)
{
    const int K = a->inner.method == KL_CONTROL_UNADAPTED && whole ? 0 : a->inner.steps;
    norm_begin(a, params);
    for (int k = 0; k <= K; k++) {
        const bool needed = k < K || (whole && a->inner.method != KL_CONTROL_REPTILE);
        forward(a, params, k, plant->limit);
        plant->gradient(plant, a->loss + (size_t)k * a->n, needed ? a->grad_u : NULL, a->u);
        if (!needed) continue;
        back_outputs(a, k, plant->limit);
        back(a, params, k, k < K && !a->e ? a->adapts : 0);
        if (k < K) step(a, k);
    }
}

/* ---- second order ----
   MAML's gradient of second order: v = the gradient at phi_K, then v -= lr H_k v for k = K - 1, ..., 0,
   H_k v being the derivative along v of step k's gradient, forward over reverse (Pearlmutter 1994,
   doi:10.1162/neco.1994.6.1.147). A gradient is d x^T, and its derivative td x^T + d tx^T, so that v
   stays a sum of terms of rank one and is never written out. */

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
            product(y, a, params, l, tx + a->x_at[l]);
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
        product_back(to, a, params, l, td);
        if (l >= a->adapts) {
            before(to, a, k, &s, td);
            along_back(to, a, k, l, a->d + at + a->d_at[l]);
        }
        kl_kernel_policy_backward(to, NULL, x + a->x_at[l], NULL, 0, NULL, 0, in, a->n, net->shape.act);
        kl_kernel_policy_bend(to, a->e + at + a->d_at[l - 1], x + a->x_at[l], tx + a->x_at[l], in * a->n,
                              net->shape.act);
    }
}

static void second_order(kl_real *grad, struct kl_control_adapt *a, const kl_real *params,
                         const struct kl_control_plant *plant, const kl_real *weight)
{
    for (int k = a->inner.steps - 1; k >= 0; k--) {
        const size_t x_at = (size_t)k * a->x_stride, d_at = (size_t)k * a->d_stride;
        tangent_forward(a, params, k);
        tangent_outputs(a, k, plant);
        tangent_back(a, params, k);
        for (size_t t = 0; t < a->n; t++) a->c[t] = weight[t] * a->rate[(size_t)k * a->n + t];
        for (int l = 0; l < a->net->layers; l++) {
            outer(grad, a, l, a->td + d_at + a->d_at[l], a->x + x_at + a->x_at[l], a->c, true);
            if (l > a->adapts)
                outer(grad, a, l, a->d + d_at + a->d_at[l], a->tx + x_at + a->x_at[l], a->c, false);
        }
    }
}

/* ---- the gradient of the first parameters ---- */
static void first_order(kl_real *grad, const struct kl_control_adapt *a, int k, const kl_real *weight,
                        int from)
{
    for (int l = from; l < a->net->layers; l++)
        outer(grad, a, l, a->d + (size_t)k * a->d_stride + a->d_at[l],
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
        second_order(grad, a, params, plant, weight);
        break;
    }
    norm_gradient(grad, a, params, weight);
}
