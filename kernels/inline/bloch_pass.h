/* SPDX-License-Identifier: MIT
   A block of lanes through all segments and back, over numbers (kernels/inline/dual.h), included plainly
   and for tangents: by kernels/cpu/bloch.c, whose lane is a vector, and by kernels/cuda/bloch.cuh, whose
   lane is one number of a thread. What lies in their own way:
   KL_BLOCH_APART  from a number of a block's `terms`, `past` or `states` to the next: 1, or 32 where a
                   warp's threads lie side by side
   KL_BLOCH_AHEAD  1: memory is slow, and states and controls are asked for a step before their use
   KL_BLOCH_UNROLL, KL_BLOCH_COLUMNS   pragmas of the loops over a series and over columns

   With B = dt A, the 3x3 linear part, r' = r + phi_1(B) (B r + dt b) for an affine column, r' = exp(B) r
   for another. Both series are reduced to a I + b B + c B^2 by Horner's rule modulo B's characteristic
   polynomial x^3 = t x^2 - s x + e (Cayley and Hamilton): three multiply-adds a term, no division, no
   root, no case of equal eigenvalues. The way back is the exact adjoint of that polynomial. */
#include "kernels/inline/dual.h"

#define vec KL_N(vec)
#define generator KL_N(generator)
#define sums KL_N(sums)
#define column KL_N(column)
#define block KL_N(block)
typedef struct {
    number x, y, z;
} vec;
/* B = w cross - diag(-d1, -d1, -d3); its invariants t, s, e. */
typedef struct {
    vec w;
    number d1, d3, bz, q, t, s, e;
} generator;
typedef struct {
    number a, b, c;
} KL_N(series);
/* Derivatives of the loss by a segment's w, d1, d3, b_z and a, b, c. */
typedef struct {
    vec w;
    number d1, d3, bz, a, b, c;
} sums;

KL_NUMBER_INLINE vec KL_N(cross_add)(vec to, vec a, vec b)
{
    return (vec){ KL_N(msc)(KL_N(mac)(to.x, a.y, b.z), a.z, b.y),
                  KL_N(msc)(KL_N(mac)(to.y, a.z, b.x), a.x, b.z),
                  KL_N(msc)(KL_N(mac)(to.z, a.x, b.y), a.y, b.x) };
}
KL_NUMBER_INLINE number KL_N(dot_add)(number to, vec a, vec b)
{
    return KL_N(mac)(KL_N(mac)(KL_N(mac)(to, a.x, b.x), a.y, b.y), a.z, b.z);
}
KL_NUMBER_INLINE vec KL_N(scale_add)(vec to, number s, vec a)
{
    return (vec){ KL_N(mac)(to.x, s, a.x), KL_N(mac)(to.y, s, a.y), KL_N(mac)(to.z, s, a.z) };
}
KL_NUMBER_INLINE vec KL_N(damp)(const generator *g, vec v)
{
    return (vec){ KL_N(mul)(g->d1, v.x), KL_N(mul)(g->d1, v.y), KL_N(mul)(g->d3, v.z) };
}
/* B v, and to + B^T v */
KL_NUMBER_INLINE vec KL_N(apply)(const generator *g, vec v)
{
    return KL_N(cross_add)(KL_N(damp)(g, v), g->w, v);
}
KL_NUMBER_INLINE vec KL_N(apply_back)(vec to, const generator *g, vec v)
{
    const vec damped = { KL_N(mac)(to.x, g->d1, v.x), KL_N(mac)(to.y, g->d1, v.y),
                         KL_N(mac)(to.z, g->d3, v.z) };
    return KL_N(cross_add)(damped, v, g->w);
}

/* Set the part of a generator that does not change with the segment, if w.z does not. */
KL_NUMBER_INLINE void KL_N(set_constant)(generator *g)
{
    const number dd = KL_N(mul)(g->d1, g->d3), zz = KL_N(mul)(g->w.z, g->w.z);
    g->t = KL_N(add)(KL_N(scale)(2, g->d1), g->d3);
    g->s = KL_N(mac)(KL_N(mac)(KL_N(scale)(2, dd), g->d1, g->d1), g->w.z, g->w.z);
    g->e = KL_N(mac)(KL_N(mul)(g->d1, dd), g->d3, zz);
}
/* The controls x, y of a segment. s and e without them are constant. */
KL_NUMBER_INLINE generator KL_N(with)(const generator *constant, number wx, number wy)
{
    generator g = *constant;
    g.w.x = wx, g.w.y = wy;
    g.q = KL_N(mac)(KL_N(mul)(wx, wx), wy, wy);
    g.s = KL_N(add)(g.s, g.q);
    g.e = KL_N(mac)(g.e, g.d1, g.q);
    return g;
}

/* terms[0 .. top] of the series, those beyond a lane's order being 0; past (NULL: not kept): c before
   each step. */
KL_NUMBER_INLINE KL_N(series)
    KL_N(reduce)(const generator *g, const kl_lane *terms, const int top, number *past)
{
    const number zero = KL_N(number_of)((kl_lane){ 0 });
    KL_N(series) f = { KL_N(number_of)(terms[top * KL_BLOCH_APART]), zero, zero };
    KL_BLOCH_UNROLL
    for (int k = top - 1; k >= 0; k--) {
        if (past) past[k * KL_BLOCH_APART] = f.c;
        f = (KL_N(series)){ KL_N(mac)(KL_N(number_of)(terms[k * KL_BLOCH_APART]), f.c, g->e),
                            KL_N(msc)(f.a, f.c, g->s), KL_N(mac)(f.b, f.c, g->t) };
    }
    return f;
}

/* A column's way through one segment: what the way back needs again. */
typedef struct {
    vec r, v, p, h;
} column;
KL_NUMBER_INLINE column KL_N(column_of)(const generator *g, vec r, const int affine)
{
    column c;
    c.r = r;
    if (affine) {
        c.v = KL_N(apply)(g, r);
        c.v.z = KL_N(add)(c.v.z, g->bz);
    } else c.v = r;
    c.p = KL_N(apply)(g, c.v);
    c.h = KL_N(apply)(g, c.p);
    return c;
}
KL_NUMBER_INLINE vec KL_N(column_end)(const column *c, KL_N(series) f, const int affine)
{
    const vec first =
        affine ? KL_N(scale_add)(c->r, f.a, c->v)
               : (vec){ KL_N(mul)(f.a, c->r.x), KL_N(mul)(f.a, c->r.y), KL_N(mul)(f.a, c->r.z) };
    return KL_N(scale_add)(KL_N(scale_add)(first, f.b, c->p), f.c, c->h);
}
/* y = B x with the adjoint Y of y */
KL_NUMBER_INLINE void KL_N(product_back)(sums *s, vec x, vec adjoint, const bool params)
{
    s->w = KL_N(cross_add)(s->w, x, adjoint);
    if (!params) return;
    s->d1 = KL_N(mac)(KL_N(mac)(s->d1, x.x, adjoint.x), x.y, adjoint.y);
    s->d3 = KL_N(mac)(s->d3, x.z, adjoint.z);
}
/* The adjoint l of the column's end becomes that of its start. */
KL_NUMBER_INLINE vec KL_N(column_back)(sums *s, const generator *g, const column *c, KL_N(series) f,
                                       vec l, const int affine, const bool params)
{
    const number zero = KL_N(number_of)((kl_lane){ 0 });
    const vec none = { zero, zero, zero }, h = KL_N(scale_add)(none, f.c, l),
              p = KL_N(apply_back)(KL_N(scale_add)(none, f.b, l), g, h),
              v = KL_N(apply_back)(KL_N(scale_add)(none, f.a, l), g, p);
    s->a = KL_N(dot_add)(s->a, l, c->v);
    s->b = KL_N(dot_add)(s->b, l, c->p);
    s->c = KL_N(dot_add)(s->c, l, c->h);
    KL_N(product_back)(s, c->p, h, params);
    KL_N(product_back)(s, c->v, p, params);
    if (!affine) return v;
    KL_N(product_back)(s, c->r, v, params);
    if (params) s->bz = KL_N(add)(s->bz, v.z);
    return KL_N(apply_back)(l, g, v);
}
/* Through the invariants into w, d1, d3. */
KL_NUMBER_INLINE void KL_N(reduce_back)(sums *s, const generator *g, const number *past, const int top,
                                        const bool params, const bool z)
{
    const number zero = KL_N(number_of)((kl_lane){ 0 });
    number a = s->a, b = s->b, c = s->c, de = zero, ds = zero, dt = zero;
    KL_BLOCH_UNROLL
    for (int k = 0; k < top; k++) {
        const number was = past[k * KL_BLOCH_APART],
                     next = KL_N(mac)(KL_N(msc)(KL_N(mul)(a, g->e), b, g->s), c, g->t);
        de = KL_N(mac)(de, a, was);
        ds = KL_N(msc)(ds, b, was);
        if (params) dt = KL_N(mac)(dt, c, was);
        a = b, b = c, c = next;
    }
    const number across = KL_N(scale)(2, KL_N(mac)(ds, g->d1, de));
    s->w.x = KL_N(mac)(s->w.x, g->w.x, across);
    s->w.y = KL_N(mac)(s->w.y, g->w.y, across);
    if (z || params) s->w.z = KL_N(mac)(s->w.z, g->w.z, KL_N(scale)(2, KL_N(mac)(ds, g->d3, de)));
    if (!params) return;
    const number both = KL_N(add)(g->d1, g->d3), dd = KL_N(mul)(g->d1, g->d3);
    s->d1 = KL_N(add)(s->d1, KL_N(scale)(2, KL_N(mac)(dt, both, ds)));
    s->d1 = KL_N(mac)(s->d1, KL_N(add)(KL_N(scale)(2, dd), g->q), de);
    s->d3 = KL_N(add)(s->d3, KL_N(mac)(dt, KL_N(scale)(2, g->d1), ds));
    s->d3 = KL_N(mac)(s->d3, KL_N(mac)(KL_N(mul)(g->d1, g->d1), g->w.z, g->w.z), de);
}

/* The arguments of a block of lanes. Pointers are those of its first lane. */
typedef struct {
    const struct kl_bloch *b;
    size_t n;   /* from a row to the next */
    kl_real dt; /* of a substep */
    const kl_real *u, *du, *params, *dparams, *weights;
    kl_real *loss, *grad_u, *grad_params, *ends; /* NULL: not asked for */
    kl_real *dloss, *dgrad_u, *dgrad_params;     /* of duals alone */
    const kl_lane *terms;
    number *states; /* [segments * substeps][columns][3] */
} block;

KL_NUMBER_INLINE number KL_N(load)(const kl_real *v, const kl_real *d, size_t at)
{
#if KL_DUAL
    return (number){ *(const kl_lane *)(v + at), d ? *(const kl_lane *)(d + at) : (kl_lane){ 0 } };
#else
    (void)d;
    return *(const kl_lane *)(v + at);
#endif
}
KL_NUMBER_INLINE void KL_N(store)(kl_real *v, kl_real *d, size_t at, number x)
{
#if KL_DUAL
    if (v) *(kl_lane *)(v + at) = x.v;
    if (d) *(kl_lane *)(d + at) = x.d;
#else
    (void)d;
    if (v) *(kl_lane *)(v + at) = x;
#endif
}

KL_NUMBER_INLINE generator KL_N(generator_of)(const block *k)
{
    const size_t n = k->n;
    const kl_real dt = k->dt;
    const number dephasing = KL_N(load)(k->params, k->dparams, KL_BLOCH_DEPHASING * n),
                 down = KL_N(load)(k->params, k->dparams, KL_BLOCH_DOWN * n),
                 up = KL_N(load)(k->params, k->dparams, KL_BLOCH_UP * n),
                 relaxation = KL_N(add)(down, up), zero = KL_N(number_of)((kl_lane){ 0 });
    generator g;
    g.w = (vec){ zero, zero,
                 KL_N(scale)(2 * dt, KL_N(load)(k->params, k->dparams, KL_BLOCH_DETUNING * n)) };
    g.q = zero;
    g.d1 = KL_N(scale)(-dt, KL_N(add)(dephasing, KL_N(scale)((kl_real)0.5, relaxation)));
    g.d3 = KL_N(scale)(-dt, relaxation);
    g.bz = KL_N(scale)(dt, KL_N(add)(down, KL_N(scale)(-1, up)));
    KL_N(set_constant)(&g);
    return g;
}
/* A control of segment s: `ahead`, which becomes that of segment `then`; or as memory has it. */
KL_NUMBER_INLINE number KL_N(control)(const block *k, number *ahead, int s, int then, size_t axis)
{
    const size_t row = (size_t)k->b->controls * k->n, at = axis * k->n;
    if (!KL_BLOCH_AHEAD) return KL_N(load)(k->u, k->du, (size_t)s * row + at);
    const number here = *ahead;
    *ahead = KL_N(load)(k->u, k->du, (size_t)then * row + at);
    return here;
}
/* The first of those that come ahead. */
KL_NUMBER_INLINE vec KL_N(first)(const block *k, int s, const bool z)
{
    const number zero = KL_N(number_of)((kl_lane){ 0 });
    vec u = { zero, zero, zero };
    if (!KL_BLOCH_AHEAD) return u;
    KL_N(control)(k, &u.x, s, s, 0), KL_N(control)(k, &u.y, s, s, 1);
    if (z) KL_N(control)(k, &u.z, s, s, 2);
    return u;
}
KL_NUMBER_INLINE generator KL_N(segment)(const block *k, vec *ahead, const generator *constant, int s,
                                         int then, const bool z)
{
    const kl_real twice = 2 * k->dt;
    const number wx = KL_N(scale)(twice, KL_N(control)(k, &ahead->x, s, then, 0)),
                 wy = KL_N(scale)(twice, KL_N(control)(k, &ahead->y, s, then, 1));
    if (!z) return KL_N(with)(constant, wx, wy);
    generator g = *constant;
    g.w.z = KL_N(add)(g.w.z, KL_N(scale)(twice, KL_N(control)(k, &ahead->z, s, then, 2)));
    KL_N(set_constant)(&g);
    return KL_N(with)(&g, wx, wy);
}
/* State i of the way forward, from 0. */
KL_NUMBER_INLINE void KL_N(keep)(const block *k, size_t i, vec r)
{
    number *to = k->states + 3 * i * KL_BLOCH_APART;
    to[0] = r.x, to[KL_BLOCH_APART] = r.y, to[2 * KL_BLOCH_APART] = r.z;
}
KL_NUMBER_INLINE vec KL_N(kept)(const block *k, size_t i)
{
    const number *from = k->states + 3 * i * KL_BLOCH_APART;
    return (vec){ from[0], from[KL_BLOCH_APART], from[2 * KL_BLOCH_APART] };
}

/* Forward: the states at the segments' starts, the ends, the loss; l: minus the weights. */
KL_NUMBER_INLINE void KL_N(forward)(vec *l, const block *k, const generator *constant, const int columns,
                                    const int affine, const int top, const bool z)
{
    const struct kl_bloch *b = k->b;
    vec r[3];
    number loss = KL_N(number_of)((kl_lane){ 0 });
    KL_BLOCH_COLUMNS
    for (int c = 0; c < columns; c++) {
        const kl_lane none = { 0 };
        r[c] = (vec){ KL_N(number_of)(none + (kl_real)b->start[c][0]),
                      KL_N(number_of)(none + (kl_real)b->start[c][1]),
                      KL_N(number_of)(none + (kl_real)b->start[c][2]) };
    }
    size_t at = 0;
    vec u = KL_N(first)(k, 0, z);
    for (int s = 0; s < b->segments; s++) {
        const generator g = KL_N(segment)(k, &u, constant, s, s + 1 < b->segments ? s + 1 : s, z);
        const KL_N(series) f = KL_N(reduce)(&g, k->terms, top, NULL);
        for (int i = 0; i < b->substeps; i++) {
            KL_BLOCH_COLUMNS
            for (int c = 0; c < columns; c++) {
                KL_N(keep)(k, at++, r[c]);
                const column way = KL_N(column_of)(&g, r[c], affine);
                r[c] = KL_N(column_end)(&way, f, affine);
            }
        }
    }
    KL_BLOCH_COLUMNS
    for (int c = 0; c < columns; c++) {
        at = (size_t)c * 3 * k->n;
        const vec weights = { KL_N(load)(k->weights, NULL, at), KL_N(load)(k->weights, NULL, at + k->n),
                              KL_N(load)(k->weights, NULL, at + 2 * k->n) };
        l[c] =
            (vec){ KL_N(scale)(-1, weights.x), KL_N(scale)(-1, weights.y), KL_N(scale)(-1, weights.z) };
        loss = KL_N(dot_add)(loss, l[c], r[c]);
        KL_N(store)(k->ends, NULL, at, r[c].x);
        KL_N(store)(k->ends, NULL, at + k->n, r[c].y);
        KL_N(store)(k->ends, NULL, at + 2 * k->n, r[c].z);
    }
    KL_N(store)(k->loss, k->dloss, 0, loss);
}

KL_NUMBER_INLINE void KL_N(backward)(vec *l, const block *k, number *past, const generator *constant,
                                     const int columns, const int affine, const int top,
                                     const bool params, const bool z)
{
    const struct kl_bloch *b = k->b;
    const kl_real dt = k->dt, twice = 2 * dt;
    const number zero = KL_N(number_of)((kl_lane){ 0 });
    number d1 = zero, d3 = zero, bz = zero, wz = zero;
    size_t left = (size_t)(b->segments * b->substeps * columns);
    vec next[3], u = KL_N(first)(k, b->segments - 1, z);
    KL_BLOCH_COLUMNS
    for (int c = columns - 1; c >= 0; c--)
        if (KL_BLOCH_AHEAD) next[c] = KL_N(kept)(k, --left);
    for (int s = b->segments - 1; s >= 0; s--) {
        const generator g = KL_N(segment)(k, &u, constant, s, s > 0 ? s - 1 : s, z);
        const KL_N(series) f = KL_N(reduce)(&g, k->terms, top, past);
        sums sum = { .w = { zero, zero, zero },
                     .d1 = zero,
                     .d3 = zero,
                     .bz = zero,
                     .a = zero,
                     .b = zero,
                     .c = zero };
        for (int i = 0; i < b->substeps; i++) {
            KL_BLOCH_COLUMNS
            for (int c = columns - 1; c >= 0; c--) {
                const vec r = KL_BLOCH_AHEAD ? next[c] : KL_N(kept)(k, --left);
                if (KL_BLOCH_AHEAD && left > 0) next[c] = KL_N(kept)(k, --left);
                const column way = KL_N(column_of)(&g, r, affine);
                l[c] = KL_N(column_back)(&sum, &g, &way, f, l[c], affine, params);
            }
        }
        KL_N(reduce_back)(&sum, &g, past, top, params, z);
        const size_t at = (size_t)s * (size_t)b->controls * k->n;
        KL_N(store)(k->grad_u, k->dgrad_u, at, KL_N(scale)(twice, sum.w.x));
        KL_N(store)(k->grad_u, k->dgrad_u, at + k->n, KL_N(scale)(twice, sum.w.y));
        if (z) KL_N(store)(k->grad_u, k->dgrad_u, at + 2 * k->n, KL_N(scale)(twice, sum.w.z));
        if (!params) continue;
        d1 = KL_N(add)(d1, sum.d1), d3 = KL_N(add)(d3, sum.d3);
        bz = KL_N(add)(bz, sum.bz), wz = KL_N(add)(wz, sum.w.z);
    }
    if (!params) return;
    const number down = KL_N(add)(KL_N(scale)(-dt / 2, d1), KL_N(scale)(-dt, d3));
    KL_N(store)(k->grad_params, k->dgrad_params, KL_BLOCH_DEPHASING * k->n, KL_N(scale)(-dt, d1));
    KL_N(store)
    (k->grad_params, k->dgrad_params, KL_BLOCH_DOWN * k->n, KL_N(add)(down, KL_N(scale)(dt, bz)));
    KL_N(store)
    (k->grad_params, k->dgrad_params, KL_BLOCH_UP * k->n, KL_N(add)(down, KL_N(scale)(-dt, bz)));
    KL_N(store)(k->grad_params, k->dgrad_params, KL_BLOCH_DETUNING * k->n, KL_N(scale)(twice, wz));
}

/* past: room for KL_BLOCH_MAX_ORDER numbers. */
KL_NUMBER_INLINE void KL_N(run)(const block *k, number *past, const int columns, const int affine,
                                const int top, const bool back, const bool params, const bool z)
{
    const generator constant = KL_N(generator_of)(k);
    vec l[3];
    KL_N(forward)(l, k, &constant, columns, affine, top, z);
    if (back) KL_N(backward)(l, k, past, &constant, columns, affine, top, params, z);
}

#undef vec
#undef generator
#undef sums
#undef column
#undef block
