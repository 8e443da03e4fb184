/* SPDX-License-Identifier: MIT
   What a pass over one state, its amplitudes in the lanes (vqc_wide_pass.h), does to a run of blocks: on
   the way there, and on the way back with the inner products of the generators. */
#ifndef KL_INLINE_VQC_WIDE_TURN_H
#define KL_INLINE_VQC_WIDE_TURN_H

#include "kernels/inline/vqc_wide_pass.h"

/* Registers: 2^m amplitudes forward, twice as many backward. */
#if KL_VECTOR_BYTES == 64
enum { FORWARD_M = 3, ADJOINT_M = 2 };
#else
enum { FORWARD_M = 2, ADJOINT_M = 1 };
#endif

/* A qubit's matrix for lanes of one sign or the other, and (last two) with the control's lanes the other
   way round; on: 1 where the gate acts. */
struct signed_matrix {
    struct kl_matrix u;
    kl_lane sign, on;
};
enum { SIGNS = 4 };

/* One sample's matrices of a pass; u: of each bit, or of each string of PHASES. */
static inline void take_matrices(struct signed_matrix (*m)[SIGNS], const struct wide_pass *p,
                                 const struct kl_matrix *u, size_t lane, bool back)
{
    const kl_lane zero = { 0 };
    for (int t = 0; t < p->m; t++) {
        const struct kl_matrix *own = &u[p->bit[t]];
        for (int k = 0; k < (p->controlled ? SIGNS : 2); k++) {
            const kl_lane sign = k & 1 ? -p->sign[t] : p->sign[t];
            kl_lane on = zero + 1;
            if (p->controlled) on = (1 - (k & 2 ? -p->control : p->control)) / 2;
            const struct kl_matrix one = { on * own->ar[lane] + (1 - on), on * sign * own->ai[lane],
                                           on * sign * own->br[lane], on * own->bi[lane] };
            m[t][k] = (struct signed_matrix){ back ? kl_matrix_back(one) : one, on * sign, on };
        }
    }
}

/* The number of the bit's matrix that a block takes. */
KL_INLINE int which(const struct wide_pass *p, int t, size_t base)
{
    const int sign = __builtin_parity((unsigned)base & p->mask[t]) ^ p->odd[t];
    if (!p->controlled) return sign;
    return sign | (__builtin_parity((unsigned)base & p->control_mask) ^ p->control_odd) << 1;
}

KL_INLINE void load(const bool real, kl_lane *re, kl_lane *im, const kl_lane *a, size_t v,
                    kl_lane_index index)
{
    *re = kl_exchanged(a[real ? v : 2 * v], index);
    if (!real) *im = kl_exchanged(a[2 * v + 1], index);
}

KL_INLINE void store(const bool real, kl_lane *a, size_t v, kl_lane re, kl_lane im, kl_lane_index index)
{
    a[real ? v : 2 * v] = kl_exchanged(re, index);
    if (!real) a[2 * v + 1] = kl_exchanged(im, index);
}

KL_INLINE void turn(const bool real, kl_lane *re, kl_lane *im, int i, int j, const struct kl_matrix *u)
{
    if (real) kl_rotate(&re[i], &re[j], u->ar, u->br);
    else kl_ingest_turn(&re[i], &im[i], &re[j], &im[j], u);
}

KL_INLINE void forward_m(const int m, const bool real, kl_lane *a, const struct wide_pass *p,
                         const struct signed_matrix (*u)[SIGNS], size_t from, size_t to)
{
    kl_lane re[1 << FORWARD_M], im[1 << FORWARD_M];
    const int size = 1 << m;
    size_t base = base_of(p, from);
    for (size_t i = from; i < to; base ^= p->step[__builtin_ctzl(++i)]) {
        UNROLL(int j = 0; j < size; j++) load(real, &re[j], &im[j], a, base ^ p->offset[j], p->index[j]);
        UNROLL(int t = 0; t < m; t++)
        {
            const struct signed_matrix *own = &u[t][which(p, t, base)];
            UNROLL(int j = 0; j < size; j++)
            if (!(j >> t & 1)) turn(real, re, im, j, j | 1 << t, &own->u);
        }
        UNROLL(int j = 0; j < size; j++) store(real, a, base ^ p->offset[j], re[j], im[j], p->index[j]);
    }
}

static inline void add(struct kl_generators *to, const struct kl_generators *g)
{
    to->x += g->x;
    to->y += g->y;
    to->z += g->z;
}

/* The generators' inner products of two vectors that are partners. */
KL_INLINE void add_generators(const bool real, struct kl_generators *g, const kl_lane *re,
                              const kl_lane *im, const kl_lane *bre, const kl_lane *bim, int i, int j,
                              kl_lane sign, const kl_lane *on)
{
    if (real) {
        g->y += sign * (bre[j] * re[i] - bre[i] * re[j]);
        return;
    }
    kl_lane x = bre[i] * im[j] - bim[i] * re[j] + bre[j] * im[i] - bim[j] * re[i];
    if (on) x *= *on;
    g->x += x;
    g->y += sign * (bre[j] * re[i] + bim[j] * im[i] - bre[i] * re[j] - bim[i] * im[j]);
    g->z += sign * (bre[i] * im[i] - bim[i] * re[i] - bre[j] * im[j] + bim[j] * re[j]);
}

KL_INLINE void adjoint_m(const int m, const bool real, struct kl_generators *sum, kl_lane *a, kl_lane *b,
                         const struct wide_pass *p, const struct signed_matrix (*u)[SIGNS], size_t from,
                         size_t to)
{
    kl_lane re[1 << ADJOINT_M], im[1 << ADJOINT_M], bre[1 << ADJOINT_M], bim[1 << ADJOINT_M];
    struct kl_generators g[ADJOINT_M] = { 0 };
    const int size = 1 << m;
    size_t base = base_of(p, from);
    for (size_t i = from; i < to; base ^= p->step[__builtin_ctzl(++i)]) {
        UNROLL(int j = 0; j < size; j++)
        {
            load(real, &re[j], &im[j], a, base ^ p->offset[j], p->index[j]);
            load(real, &bre[j], &bim[j], b, base ^ p->offset[j], p->index[j]);
        }
        UNROLL(int t = 0; t < m; t++)
        {
            const struct signed_matrix *own = &u[t][which(p, t, base)];
            UNROLL(int j = 0; j < size; j++)
            if (!(j >> t & 1)) {
                add_generators(real, &g[t], re, im, bre, bim, j, j | 1 << t, own->sign,
                               m == 1 ? &own->on : NULL);
                turn(real, re, im, j, j | 1 << t, &own->u);
                turn(real, bre, bim, j, j | 1 << t, &own->u);
            }
        }
        UNROLL(int j = 0; j < size; j++)
        {
            store(real, a, base ^ p->offset[j], re[j], im[j], p->index[j]);
            store(real, b, base ^ p->offset[j], bre[j], bim[j], p->index[j]);
        }
    }
    for (int t = 0; t < m; t++) add(&sum[p->bit[t]], &g[t]);
}

/* A vector and itself with its lanes exchanged: all lanes do the work of their own amplitude. */
KL_INLINE void turn_inner(const bool real, kl_lane *re, kl_lane *im, const struct kl_matrix *u,
                          kl_lane_index index)
{
    const kl_lane x = *re, c = kl_exchanged(x, index);
    if (real) {
        *re = u->ar * x - u->br * c;
        return;
    }
    const kl_lane y = *im, d = kl_exchanged(y, index);
    *re = u->ar * x - u->ai * y - u->br * c - u->bi * d;
    *im = u->ar * y + u->ai * x - u->br * d + u->bi * c;
}

KL_INLINE void generators_inner(const bool real, struct kl_generators *g, kl_lane re, kl_lane im,
                                kl_lane bre, kl_lane bim, const struct signed_matrix *u,
                                kl_lane_index index)
{
    const kl_lane c = kl_exchanged(re, index);
    if (real) {
        g->y -= u->sign * bre * c;
        return;
    }
    const kl_lane d = kl_exchanged(im, index);
    g->x += u->on * (bre * d - bim * c);
    g->y -= u->sign * (bre * c + bim * d);
    g->z += u->sign * (bre * im - bim * re);
}

KL_INLINE void inner(const bool real, const bool back, struct kl_generators *sum, kl_lane *a, kl_lane *b,
                     const struct wide_pass *p, const struct signed_matrix (*u)[SIGNS], size_t from,
                     size_t to)
{
    struct kl_generators g[MOST_M] = { 0 };
    size_t base = base_of(p, from);
    for (size_t i = from; i < to; base ^= p->step[__builtin_ctzl(++i)]) {
        kl_lane re = a[real ? base : 2 * base], im = { 0 }, bre = { 0 }, bim = { 0 };
        if (!real) im = a[2 * base + 1];
        if (back) bre = b[real ? base : 2 * base];
        if (back && !real) bim = b[2 * base + 1];
        for (int t = 0; t < p->m; t++) {
            const struct signed_matrix *own = &u[t][which(p, t, base)];
            if (back) generators_inner(real, &g[t], re, im, bre, bim, own, p->index[t]);
            turn_inner(real, &re, &im, &own->u, p->index[t]);
            if (back) turn_inner(real, &bre, &bim, &own->u, p->index[t]);
        }
        a[real ? base : 2 * base] = re;
        if (!real) a[2 * base + 1] = im;
        if (back) b[real ? base : 2 * base] = bre;
        if (back && !real) b[2 * base + 1] = bim;
    }
    for (int t = 0; back && t < p->m; t++) add(&sum[p->bit[t]], &g[t]);
}

KL_INLINE void turn_phase(kl_lane *re, kl_lane *im, const struct kl_matrix *u)
{
    const kl_lane x = *re, y = *im;
    *re = u->ar * x - u->ai * y;
    *im = u->ar * y + u->ai * x;
}

KL_INLINE void phases(const bool back, struct kl_generators *sum, kl_lane *a, kl_lane *b,
                      const struct wide_pass *p, const struct signed_matrix (*u)[SIGNS], size_t from,
                      size_t to)
{
    struct kl_generators g[MOST_M] = { 0 };
    for (size_t v = from; v < to; v++) {
        kl_lane re = a[2 * v], im = a[2 * v + 1], bre = { 0 }, bim = { 0 };
        if (back) bre = b[2 * v], bim = b[2 * v + 1];
        for (int t = 0; t < p->m; t++) {
            const struct signed_matrix *own = &u[t][which(p, t, v)];
            if (back) g[t].z += own->sign * (bre * im - bim * re);
            turn_phase(&re, &im, &own->u);
            if (back) turn_phase(&bre, &bim, &own->u);
        }
        a[2 * v] = re, a[2 * v + 1] = im;
        if (back) b[2 * v] = bre, b[2 * v + 1] = bim;
    }
    for (int t = 0; back && t < p->m; t++) add(&sum[p->bit[t]], &g[t]);
}

#endif
