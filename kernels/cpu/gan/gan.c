/* SPDX-License-Identifier: MIT
   Definition of the family, its layers; see kernels/gan.h. */
#include "kernels/gan.h"

#include <stdbool.h>
#include <string.h>

#include "kernels/inline/adam.h"
#include "kernels/inline/lanes.h"

static inline kl_real product(const kl_real *w, const kl_real *x, size_t columns)
{
    kl_lane sum[2] = { 0 };
    size_t j = 0;
    for (; j + 2 * KL_LANES <= columns; j += 2 * KL_LANES) {
        sum[0] += *(const kl_lane *)(w + j) * *(const kl_lane *)(x + j);
        sum[1] += *(const kl_lane *)(w + j + KL_LANES) * *(const kl_lane *)(x + j + KL_LANES);
    }
    for (; j < columns; j += KL_LANES) sum[0] += *(const kl_lane *)(w + j) * *(const kl_lane *)(x + j);
    return kl_sum_lanes(sum[0] + sum[1]);
}

void KL_ISA_NAME(kl_gan_forward)(kl_real *restrict out, const kl_real *restrict w,
                                 const kl_real *restrict x, size_t rows, size_t columns)
{
    for (size_t i = 0; i < rows; i++) out[i] = product(w + i * columns, x, columns);
}

/* Vectors that take a step together; three steps and more, KL_BARE_ADAM_MOST. */
enum { WIDE = 4 };

/* n vectors of row i from j on; what is not wanted is left out by the compiler. */
static inline __attribute__((always_inline)) void
step_vectors(const bool pulled, const bool back, const bool next, const struct kl_gan_step_rows *r,
             size_t i, size_t j, const int n, kl_lane *sum, const struct kl_bare_adam_lanes *f)
{
    const size_t at = i * r->columns + j * KL_LANES;
    kl_lane *w = (kl_lane *)(r->w + at), *to = (kl_lane *)r->back + j, p[WIDE], g[WIDE];
    const kl_lane *x = (const kl_lane *)r->x + j, *y = (const kl_lane *)r->next + j;
    for (int l = 0; l < n; l++) {
        p[l] = w[l], g[l] = (kl_lane){ 0 };
        if (pulled) g[l] = r->d[i] * x[l];
        if (back) to[l] += r->d[i] * p[l];
    }
    kl_bare_adam(p, (kl_lane *)(r->m + at), (kl_lane *)(r->v + at), g, n, f);
    for (int l = 0; l < n; l++) {
        w[l] = p[l];
        if (next) *sum += p[l] * y[l];
    }
}

static inline __attribute__((always_inline)) void step_row(const bool pulled, const bool back,
                                                           const bool next,
                                                           const struct kl_gan_step_rows *r, size_t i,
                                                           const struct kl_bare_adam_lanes *f)
{
    const size_t vectors = r->columns / KL_LANES;
    kl_lane sum = { 0 };
    size_t j = 0;
    for (; j + WIDE <= vectors; j += WIDE) step_vectors(pulled, back, next, r, i, j, WIDE, &sum, f);
    for (; j < vectors; j++) step_vectors(pulled, back, next, r, i, j, 1, &sum, f);
    if (next) r->next_out[i] = kl_sum_lanes(sum);
}

void KL_ISA_NAME(kl_gan_step)(const struct kl_gan_step_rows *r, const struct kl_bare_adam *f)
{
    const struct kl_bare_adam_lanes own = kl_bare_adam_lanes(f);
    if (r->back) memset(r->back, 0, r->columns * sizeof *r->back);
    for (size_t i = 0; i < r->rows; i++) {
        if (r->back && r->next) step_row(true, true, true, r, i, &own);
        else if (r->back) step_row(true, true, false, r, i, &own);
        else if (!r->next) step_row(true, false, false, r, i, &own);
        else if (r->d[i] != 0) step_row(true, false, true, r, i, &own);
        else step_row(false, false, true, r, i, &own);
    }
}

/* Prefetch n vectors that lie ahead: arithmetic leaves the memory time. */
static inline __attribute__((always_inline)) void fetch(const kl_lane *p, ptrdiff_t ahead, const int n)
{
    enum { WRITE = 1, SECOND_CACHE = 2 };
    for (int l = 0; l < n; l++)
        __builtin_prefetch((const kl_real *)(p + l) + ahead, WRITE, SECOND_CACHE);
}

/* Weights take n > 0 steps, the first with gradient x d, `wide` vectors at a time, and are added to out.
 */
static inline __attribute__((always_inline)) void take_steps(const struct kl_gan_input *in,
                                                             const struct kl_bare_adam_lanes *steps,
                                                             const size_t n, kl_real x, kl_real y,
                                                             const int wide)
{
    for (size_t at = 0; at < in->n; at += (size_t)wide * KL_LANES) {
        kl_lane *w = (kl_lane *)(in->w + at), *m = (kl_lane *)(in->m + at), *v = (kl_lane *)(in->v + at),
                *out = (kl_lane *)(in->out + at), p[KL_BARE_ADAM_MOST], g[KL_BARE_ADAM_MOST];
        const kl_lane *d = (const kl_lane *)(in->d + at);
        for (int l = 0; l < wide; l++) p[l] = w[l], g[l] = x * d[l];
        kl_bare_adam(p, m, v, g, wide, &steps[0]);
        if (n > 1 && in->ahead)
            fetch(w, in->ahead, wide), fetch(m, in->ahead, wide), fetch(v, in->ahead, wide);
        for (size_t s = 1; s < n; s++) {
            for (int l = 0; l < wide; l++) g[l] = (kl_lane){ 0 };
            kl_bare_adam(p, m, v, g, wide, &steps[s]);
        }
        for (int l = 0; l < wide; l++) w[l] = p[l], out[l] += y * p[l];
    }
}

static void add_product(const struct kl_gan_input *in)
{
    for (size_t j = 0; j < in->n; j += KL_LANES)
        *(kl_lane *)(in->out + j) += in->y * *(kl_lane *)(in->w + j);
}

void KL_ISA_NAME(kl_gan_input)(const struct kl_gan_input *in)
{
    struct kl_bare_adam_lanes steps[64];
    enum { MOST = sizeof steps / sizeof *steps };
    if (!in->n_steps && in->y != 0) add_product(in);
    for (size_t from = 0; from < in->n_steps; from += MOST) {
        const size_t left = in->n_steps - from, n = left < MOST ? left : MOST;
        const kl_real x = from ? 0 : in->x, y = left > MOST ? 0 : in->y;
        for (size_t s = 0; s < n; s++) steps[s] = kl_bare_adam_lanes(&in->steps[from + s]);
        if (n == 1) take_steps(in, steps, 1, x, y, WIDE);
        else if (n == 2) take_steps(in, steps, 2, x, y, WIDE);
        else take_steps(in, steps, n, x, y, KL_BARE_ADAM_MOST);
    }
}
