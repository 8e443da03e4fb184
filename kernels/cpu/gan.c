/* SPDX-License-Identifier: MIT
   Definition of the family, its layers; see kernels/gan.h. */
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

static inline kl_lane get(const kl_real *p)
{
    return *(const kl_lane *)p;
}

/* Four vectors of weights at a time, whose chains of dependent operations overlap, take n > 0 steps, the
   first with gradient x d, and are added to out. */
static inline __attribute__((always_inline)) void take_steps(const struct KL_NAME(kl_gan_input) * in,
                                                             const struct kl_bare_adam_lanes *steps,
                                                             const size_t n, kl_real x, kl_real y)
{
    enum { WIDE = 4 };
    for (size_t at = 0; at < in->n; at += WIDE * KL_LANES) {
        kl_lane w[WIDE], m[WIDE], v[WIDE];
        for (int l = 0; l < WIDE; l++) {
            const size_t j = at + (size_t)l * KL_LANES;
            w[l] = get(in->w + j), m[l] = get(in->m + j), v[l] = get(in->v + j);
            kl_bare_adam_lane(&w[l], &m[l], &v[l], x * get(in->d + j), &steps[0]);
        }
        for (size_t s = 1; s < n; s++)
            for (int l = 0; l < WIDE; l++)
                kl_bare_adam_lane(&w[l], &m[l], &v[l], (kl_lane){ 0 }, &steps[s]);
        for (int l = 0; l < WIDE; l++) {
            const size_t j = at + (size_t)l * KL_LANES;
            *(kl_lane *)(in->w + j) = w[l], *(kl_lane *)(in->m + j) = m[l];
            *(kl_lane *)(in->v + j) = v[l], *(kl_lane *)(in->out + j) += y * w[l];
        }
    }
}

static void add_product(const struct KL_NAME(kl_gan_input) * in)
{
    for (size_t j = 0; j < in->n; j += KL_LANES) *(kl_lane *)(in->out + j) += in->y * get(in->w + j);
}

void KL_ISA_NAME(kl_gan_input)(const struct KL_NAME(kl_gan_input) * in)
{
    struct kl_bare_adam_lanes steps[64];
    enum { MOST = sizeof steps / sizeof *steps };
    if (!in->n_steps && in->y != 0) add_product(in);
    for (size_t from = 0; from < in->n_steps; from += MOST) {
        const size_t left = in->n_steps - from, n = left < MOST ? left : MOST;
        const kl_real x = from ? 0 : in->x, y = left > MOST ? 0 : in->y;
        for (size_t s = 0; s < n; s++) steps[s] = kl_bare_adam_lanes(&in->steps[from + s]);
        if (n == 1) take_steps(in, steps, 1, x, y);
        else take_steps(in, steps, n, x, y);
    }
}
