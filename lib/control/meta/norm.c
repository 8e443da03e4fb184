/* SPDX-License-Identifier: MIT
   Layer norms (Ba, Kiros, Hinton 2016, arXiv:1607.06450) of a network that adapts: their weights and
   biases are vectors, so each task has its own. */
#include <math.h>

#include "control/meta/adapt_int.h"
#include "kernels/inline/real.h"

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

size_t kl_control_norm_size(const struct kl_control_adapt *a)
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

void kl_control_norm_begin(struct kl_control_adapt *a, const kl_real *params)
{
    for (int l = 0; a->norm && l + 1 < a->net->layers; l++) {
        const struct norm m = norm_of(a, l);
        const kl_real *weight = vector(a, params, a->net->at[l].norm_weight),
                      *bias = vector(a, params, a->net->at[l].norm_bias);
        for (size_t i = 0; i < m.units * m.n; i++)
            m.weight[i] = weight[i / m.n], m.bias[i] = bias[i / m.n];
    }
}

void kl_control_norm_forward(struct kl_control_adapt *a, int l, kl_real *z)
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

void kl_control_norm_back(struct kl_control_adapt *a, int l, kl_real *d)
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

void kl_control_norm_squares(const struct kl_control_adapt *a, int l, kl_real *squares)
{
    if (!a->norm || l + 1 == a->net->layers) return;
    const struct norm m = norm_of(a, l);
    for (size_t i = 0; i < m.units; i++)
        for (size_t t = 0; t < m.n; t++) {
            const kl_real w = m.grad_weight[i * m.n + t], b = m.grad_bias[i * m.n + t];
            squares[t] += w * w + b * b;
        }
}

void kl_control_norm_step(struct kl_control_adapt *a, const kl_real *rate)
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

void kl_control_norm_gradient(kl_real *grad, const struct kl_control_adapt *a, const kl_real *params,
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
