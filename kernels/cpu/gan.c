/* SPDX-License-Identifier: MIT
   Definition of the family; see kernels/gan.h. */
#include "kernels/gan.h"

#include <stdbool.h>
#include <string.h>

#include "kernels/inline/adam.h"

/* By halves: one order, whatever the compiler. */
static inline kl_real sum_lanes(kl_lane v)
{
    for (int half = KL_LANES / 2; half; half /= 2)
        for (int l = 0; l < half; l++) v[l] += v[l + half];
    return v[0];
}

static inline kl_real product(const kl_real *w, const kl_real *x, size_t columns)
{
    kl_lane sum[2] = { 0 };
    size_t j = 0;
    for (; j + 2 * KL_LANES <= columns; j += 2 * KL_LANES) {
        sum[0] += *(const kl_lane *)(w + j) * *(const kl_lane *)(x + j);
        sum[1] += *(const kl_lane *)(w + j + KL_LANES) * *(const kl_lane *)(x + j + KL_LANES);
    }
    for (; j < columns; j += KL_LANES) sum[0] += *(const kl_lane *)(w + j) * *(const kl_lane *)(x + j);
    return sum_lanes(sum[0] + sum[1]);
}

void KL_ISA_NAME(kl_gan_forward) KL_GAN_FORWARD_ARGS(kl_real)
{
    for (size_t i = 0; i < rows; i++) out[i] = product(w + i * columns, x, columns);
}

/* One row; what is not wanted is left out by the compiler. */
static inline __attribute__((always_inline)) void step_row(const bool back, const bool next,
                                                           const struct KL_NAME(kl_gan_rows) * r,
                                                           size_t i, const struct kl_bare_adam_lanes *f)
{
    kl_lane *w = (kl_lane *)(r->w + i * r->columns), *m = (kl_lane *)(r->m + i * r->columns),
            *v = (kl_lane *)(r->v + i * r->columns), *to = (kl_lane *)r->back, sum = { 0 };
    const kl_lane *x = (const kl_lane *)r->x, *y = (const kl_lane *)r->next;
    const kl_real d = r->d[i];
    for (size_t j = 0; j < r->columns / KL_LANES; j++) {
        if (back) to[j] += d * w[j];
        kl_bare_adam_lane(&w[j], &m[j], &v[j], d * x[j], f);
        if (next) sum += w[j] * y[j];
    }
    if (next) r->next_out[i] = sum_lanes(sum);
}

void KL_ISA_NAME(kl_gan_step)(const struct KL_NAME(kl_gan_rows) * r, const struct kl_bare_adam *f)
{
    const struct kl_bare_adam_lanes own = kl_bare_adam_lanes(f);
    if (r->back) memset(r->back, 0, r->columns * sizeof *r->back);
    for (size_t i = 0; i < r->rows; i++) {
        if (r->back && r->next) step_row(true, true, r, i, &own);
        else if (r->back) step_row(true, false, r, i, &own);
        else if (r->next) step_row(false, true, r, i, &own);
        else step_row(false, false, r, i, &own);
    }
}

/* The first step, and the product where there is no other. */
static inline __attribute__((always_inline)) void first_step(const bool last,
                                                             const struct KL_NAME(kl_gan_input) * in)
{
    const struct kl_bare_adam_lanes own = kl_bare_adam_lanes(in->steps);
    kl_lane *restrict w = (kl_lane *)in->w, *restrict m = (kl_lane *)in->m,
                      *restrict v = (kl_lane *)in->v, *restrict out = (kl_lane *)in->out;
    const kl_lane *d = (const kl_lane *)in->d;
    const kl_real x = in->x, y = in->y;
    for (size_t j = 0; j < in->n / KL_LANES; j++) {
        kl_bare_adam_lane(&w[j], &m[j], &v[j], x * d[j], &own);
        if (last) out[j] += y * w[j];
    }
}

/* The steps of four vectors at a time, whose chains of dependent operations overlap. */
static void further_steps(const struct KL_NAME(kl_gan_input) * in)
{
    enum { WIDE = 4 };
    for (size_t at = 0; at < in->n; at += WIDE * KL_LANES) {
        kl_lane w[WIDE], m[WIDE], v[WIDE];
        memcpy(w, in->w + at, sizeof w), memcpy(m, in->m + at, sizeof m);
        memcpy(v, in->v + at, sizeof v);
        for (size_t s = 1; s < in->n_steps; s++) {
            const struct kl_bare_adam_lanes own = kl_bare_adam_lanes(&in->steps[s]);
            for (int l = 0; l < WIDE; l++) kl_bare_adam_lane(&w[l], &m[l], &v[l], (kl_lane){ 0 }, &own);
        }
        memcpy(in->w + at, w, sizeof w), memcpy(in->m + at, m, sizeof m);
        memcpy(in->v + at, v, sizeof v);
    }
}

static void add_product(const struct KL_NAME(kl_gan_input) * in)
{
    const kl_lane *w = (const kl_lane *)in->w;
    kl_lane *restrict out = (kl_lane *)in->out;
    for (size_t j = 0; j < in->n / KL_LANES; j++) out[j] += in->y * w[j];
}

void KL_ISA_NAME(kl_gan_input)(const struct KL_NAME(kl_gan_input) * in)
{
    if (in->n_steps == 1 && in->y != 0) {
        first_step(true, in);
        return;
    }
    if (in->n_steps) first_step(false, in);
    if (in->n_steps > 1) further_steps(in);
    if (in->y != 0) add_product(in);
}

/* Leaky ReLU's derivative: 1 where a > 0, slope elsewhere. */
static inline kl_lane slope_at(kl_lane a, kl_real slope)
{
    const __typeof__(a > 0) positive = a > 0;
    const kl_lane one = (kl_lane){ 0 } + 1, other = (kl_lane){ 0 } + slope;
    return (kl_lane)(((__typeof__(positive))one & positive) | ((__typeof__(positive))other & ~positive));
}

/* Of neuron h before its activation, for the cells of vector j. */
static inline kl_lane neuron(const struct KL_NAME(kl_gan_cells) * c, size_t h, size_t j)
{
    const kl_real *w = c->params + h * c->n_inputs;
    kl_lane a = (kl_lane){ 0 } + c->params[c->n_hidden * c->n_inputs + h];
    for (size_t i = 0; i < c->n_inputs; i++)
        a += w[i] * *(const kl_lane *)(c->x + i * c->stride + j * KL_LANES);
    return a;
}

void KL_ISA_NAME(kl_gan_logits)(kl_real *logit, const struct KL_NAME(kl_gan_cells) * c)
{
    const kl_real *w = c->params + c->n_hidden * (c->n_inputs + 1);
    for (size_t j = 0; j < c->n / KL_LANES; j++) {
        kl_lane sum = (kl_lane){ 0 } + w[c->n_hidden];
        for (size_t h = 0; h < c->n_hidden; h++) {
            const kl_lane a = neuron(c, h, j);
            sum += w[h] * slope_at(a, c->slope) * a;
        }
        *(kl_lane *)(logit + j * KL_LANES) = sum;
    }
}

/* Neuron after neuron, whose sums stay in the registers. */
static void neuron_back(kl_real *grad, const kl_real *d, const struct KL_NAME(kl_gan_cells) * c,
                        size_t h)
{
    const kl_real *w = c->params + c->n_hidden * (c->n_inputs + 1);
    kl_lane inputs[KL_GAN_INPUTS] = { 0 }, bias = { 0 }, weight = { 0 };
    for (size_t j = 0; j < c->n / KL_LANES; j++) {
        const kl_lane a = neuron(c, h, j), slope = slope_at(a, c->slope),
                      dl = *(const kl_lane *)(d + j * KL_LANES), da = w[h] * slope * dl;
        weight += dl * slope * a;
        bias += da;
        for (size_t i = 0; i < c->n_inputs; i++)
            inputs[i] += da * *(const kl_lane *)(c->x + i * c->stride + j * KL_LANES);
    }
    for (size_t i = 0; i < c->n_inputs; i++) grad[h * c->n_inputs + i] = sum_lanes(inputs[i]);
    grad[c->n_hidden * c->n_inputs + h] = sum_lanes(bias);
    grad[c->n_hidden * (c->n_inputs + 1) + h] = sum_lanes(weight);
}

void KL_ISA_NAME(kl_gan_logits_back)(kl_real *grad, const kl_real *d,
                                     const struct KL_NAME(kl_gan_cells) * c)
{
    kl_lane sum = { 0 };
    for (size_t h = 0; h < c->n_hidden; h++) neuron_back(grad, d, c, h);
    for (size_t j = 0; j < c->n / KL_LANES; j++) sum += *(const kl_lane *)(d + j * KL_LANES);
    grad[c->n_hidden * (c->n_inputs + 2)] = sum_lanes(sum);
}
