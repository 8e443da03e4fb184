/* SPDX-License-Identifier: MIT
   Definition of the family; see kernels/liouville.h. A substep is R <- sum over k of (dt G)^k R / k! by
   Horner's rule; the way back is the exact adjoint of that polynomial: with v_k = (dt G)^k R / k!,
   c = l; for k = m ... 1: a = c / k, dG += a v_{k-1}^T, c = l + (dt G)^T a. Nothing but the states at
   the substeps' starts is kept. */
#include "kernels/liouville.h"

#include <stdbool.h>
#include <string.h>

#include "kernels/inline/lanes.h"
#include "kernels/inline/series.h"

/* Of one segment, all times the substep's duration. */
struct two {
    kl_real w1[3], w2[3], j, lift1, lift2, damping[16]; /* lift: what fills |0> or |1> */
};
/* The generator as rows of places; a place sums the terms that share it. */
struct sparse {
    int *row_begin, *column; /* [dim + 1], [places] */
    int places;
};
struct pass {
    const struct kl_liouville *g;
    struct sparse sparse;
    struct two *two;            /* [segments] */
    kl_real *values;            /* [segments][places] */
    int *order;                 /* [segments] */
    kl_lane *states;            /* [segments * substeps + 1][dim] */
    kl_lane *powers, *adjoints; /* [KL_LIOUVILLE_MAX_ORDER][dim] */
    double *slopes;   /* [segments][controls + params] of the loss by what multiplies the terms */
    double *by_place; /* [places] of a segment */
};

/* ---- workspace ---- */
static size_t round_up(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}
/* Cut from memory; with NULL nothing is, and the return is the size all the same. */
struct cutter {
    char *memory;
    size_t used;
};
static void *take(struct cutter *c, size_t bytes)
{
    void *here = c->memory ? c->memory + c->used : NULL;
    c->used += round_up(bytes);
    return here;
}
static size_t cut(struct pass *p, const struct kl_liouville *g, char *memory)
{
    const size_t segments = (size_t)g->segments, dim = (size_t)g->dim, terms = (size_t)g->n_terms,
                 of = (size_t)(g->controls + g->params), power = KL_LIOUVILLE_MAX_ORDER * dim * 64;
    struct cutter c = { .memory = memory };
    p->g = g;
    p->sparse.row_begin = take(&c, (dim + 1) * sizeof(int));
    p->sparse.column = take(&c, terms * sizeof(int));
    p->two = take(&c, segments * sizeof *p->two);
    p->values = take(&c, segments * terms * sizeof(kl_real));
    p->order = take(&c, segments * sizeof(int));
    p->states = take(&c, (segments * (size_t)g->substeps + 1) * dim * 64);
    p->powers = take(&c, power);
    p->adjoints = take(&c, power);
    p->slopes = take(&c, segments * of * sizeof(double));
    p->by_place = take(&c, terms * sizeof(double));
    return c.used;
}

/* ---- the generator of a segment ---- */
static kl_real coefficient(const struct kl_liouville *g, int of, const kl_real *u, const kl_real *params)
{
    return of < g->controls ? u[of] : params[of - g->controls];
}
static void find_places(struct pass *p)
{
    const struct kl_liouville *g = p->g;
    struct sparse *m = &p->sparse;
    int row = 0;
    m->places = 0, m->row_begin[0] = 0;
    for (int i = 0; i < g->n_terms; i++) {
        const struct kl_liouville_term *t = &g->terms[i];
        if (i > 0 && t->row == t[-1].row && t->col == t[-1].col) continue;
        while (row < t->row) m->row_begin[++row] = m->places;
        m->column[m->places++] = t->col;
    }
    while (row < g->dim) m->row_begin[++row] = m->places;
}
/* The norm: sqrt(||G||_1 ||G||_inf), which is not below ||G||_2. */
static kl_real set_sparse(struct pass *p, int s, const kl_real *u, const kl_real *params, kl_real dt)
{
    const struct kl_liouville *g = p->g;
    kl_real *value = p->values + (size_t)s * (size_t)g->n_terms, columns[KL_LIOUVILLE_MAX_DIM] = { 0 },
            most_row = 0, most_column = 0;
    int place = -1;
    for (int i = 0; i < g->n_terms; i++) {
        const struct kl_liouville_term *t = &g->terms[i];
        if (i == 0 || t->row != t[-1].row || t->col != t[-1].col) value[++place] = 0;
        value[place] += dt * (kl_real)t->value * coefficient(g, t->of, u, params);
    }
    for (int r = 0; r < g->dim; r++) {
        kl_real sum = 0;
        for (int i = p->sparse.row_begin[r]; i < p->sparse.row_begin[r + 1]; i++) {
            const kl_real size = value[i] < 0 ? -value[i] : value[i];
            sum += size, columns[p->sparse.column[i]] += size;
        }
        most_row = sum > most_row ? sum : most_row;
    }
    for (int c = 0; c < g->dim; c++) most_column = columns[c] > most_column ? columns[c] : most_column;
    return (kl_real)__builtin_sqrt((double)(most_row * most_column));
}
/* Of H = 2 w . sigma the rotation turns by |w|; that of ZZ by j. */
static kl_real set_two(struct pass *p, int s, const kl_real *u, const kl_real *params, kl_real dt)
{
    const bool z = p->g->controls > 4;
    struct two *t = &p->two[s];
    const kl_real twice = 2 * dt, *q = params,
                  relax[2] = { q[KL_TWO_QUBITS_DOWN_1] + q[KL_TWO_QUBITS_UP_1],
                               q[KL_TWO_QUBITS_DOWN_2] + q[KL_TWO_QUBITS_UP_2] },
                  across[2] = { q[KL_TWO_QUBITS_DEPHASING_1] + relax[0] / 2,
                                q[KL_TWO_QUBITS_DEPHASING_2] + relax[1] / 2 };
    for (int i = 0; i < 2; i++) t->w1[i] = twice * u[i], t->w2[i] = twice * u[2 + i];
    t->w1[2] = twice * (q[KL_TWO_QUBITS_DETUNING_1] + (z ? u[4] : 0));
    t->w2[2] = twice * (q[KL_TWO_QUBITS_DETUNING_2] + (z ? u[5] : 0));
    t->j = twice * q[KL_TWO_QUBITS_COUPLING];
    t->lift1 = dt * (q[KL_TWO_QUBITS_DOWN_1] - q[KL_TWO_QUBITS_UP_1]);
    t->lift2 = dt * (q[KL_TWO_QUBITS_DOWN_2] - q[KL_TWO_QUBITS_UP_2]);
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++)
            t->damping[4 * a + b] = -dt * ((a == 0   ? 0
                                            : a == 3 ? relax[0]
                                                     : across[0]) +
                                           (b == 0   ? 0
                                            : b == 3 ? relax[1]
                                                     : across[1]));
    kl_real squares[2] = { 0, 0 }, rates = 0;
    for (int i = 0; i < 3; i++) squares[0] += t->w1[i] * t->w1[i], squares[1] += t->w2[i] * t->w2[i];
    /* ||D||_1 and ||D||_inf of a dephasing are its rate, of a relaxation twice its rate. */
    for (int i = 0; i < KL_TWO_QUBITS_COUPLING; i++)
        rates += (i % 3 ? 2 : 1) * (q[i] < 0 ? -q[i] : q[i]);
    return (kl_real)(__builtin_sqrt((double)squares[0]) + __builtin_sqrt((double)squares[1])) +
           (t->j < 0 ? -t->j : t->j) + dt * rates;
}

/* ---- two qubits: w = to + G v and to + G^T v; rows are 4 * (of the first) + (of the second) ---- */
#define KL_EACH4 _Pragma("GCC unroll 4")
static inline __attribute__((always_inline)) void turn(kl_lane *to, const kl_real w[3], const kl_lane *v,
                                                       const int step, const kl_real sign)
{
    const kl_real x = sign * w[0], y = sign * w[1], z = sign * w[2];
    to[step] += y * v[3 * step], to[step] -= z * v[2 * step];
    to[2 * step] += z * v[step], to[2 * step] -= x * v[3 * step];
    to[3 * step] += x * v[2 * step], to[3 * step] -= y * v[step];
}
static inline __attribute__((always_inline)) void couple(kl_lane *to, kl_real j, const kl_lane *v)
{
    /* XI and YZ, XZ and YI; IX and ZY, ZX and IY: r'_x = -j r_y, r'_y = j r_x */
    to[4] -= j * v[11], to[11] += j * v[4];
    to[7] -= j * v[8], to[8] += j * v[7];
    to[1] -= j * v[14], to[14] += j * v[1];
    to[13] -= j * v[2], to[2] += j * v[13];
}
static inline __attribute__((always_inline)) void two_apply(kl_lane *to, const struct two *t,
                                                            const kl_lane *v, const bool back)
{
    const kl_real sign = back ? -1 : 1;
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++) to[i] = t->damping[i] * v[i];
    KL_EACH4 for (int i = 0; i < 4; i++)
    {
        turn(to + i, t->w1, v + i, 4, sign);
        turn(to + 4 * i, t->w2, v + 4 * i, 1, sign);
        if (back) {
            to[i] += t->lift1 * v[12 + i];
            to[4 * i] += t->lift2 * v[4 * i + 3];
        } else {
            to[12 + i] += t->lift1 * v[i];
            to[4 * i + 3] += t->lift2 * v[4 * i];
        }
    }
    couple(to, sign * t->j, v);
}
/* The slopes of a place's lanes: of w1, w2 (3 each), then, with params, j, lifts, damping. */
struct two_slopes {
    kl_lane w1[3], w2[3], j, lift1, lift2, damping[16];
};
static inline __attribute__((always_inline)) void cross_add(kl_lane s[3], const kl_lane *x,
                                                            const kl_lane *a, const int step)
{
    s[0] += x[2 * step] * a[3 * step], s[0] -= x[3 * step] * a[2 * step];
    s[1] += x[3 * step] * a[step], s[1] -= x[step] * a[3 * step];
    s[2] += x[step] * a[2 * step], s[2] -= x[2 * step] * a[step];
}
static inline __attribute__((always_inline)) void two_slopes_add(struct two_slopes *s, const kl_lane *x,
                                                                 const kl_lane *a, const bool params)
{
    KL_EACH4 for (int i = 0; i < 4; i++)
    {
        cross_add(s->w1, x + i, a + i, 4);
        cross_add(s->w2, x + 4 * i, a + 4 * i, 1);
    }
    if (!params) return;
    s->j += a[11] * x[4], s->j -= a[4] * x[11], s->j += a[8] * x[7], s->j -= a[7] * x[8];
    s->j += a[14] * x[1], s->j -= a[1] * x[14], s->j += a[2] * x[13], s->j -= a[13] * x[2];
    for (int i = 0; i < 4; i++) s->lift1 += a[12 + i] * x[i], s->lift2 += a[4 * i + 3] * x[4 * i];
    for (int i = 0; i < 16; i++) s->damping[i] += a[i] * x[i];
}
/* Into the slopes by controls and parameters. */
static void two_gather(double *slope, const struct two_slopes *s, int controls, double dt, bool params)
{
    double w1[3], w2[3], across[2] = { 0, 0 }, along[2] = { 0, 0 };
    for (int i = 0; i < 3; i++)
        w1[i] = 2 * dt * (double)kl_sum_lanes(s->w1[i]), w2[i] = 2 * dt * (double)kl_sum_lanes(s->w2[i]);
    for (int i = 0; i < 2; i++) slope[i] += w1[i], slope[2 + i] += w2[i];
    if (controls > 4) slope[4] += w1[2], slope[5] += w2[2];
    if (!params) return;
    double *q = slope + controls;
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) {
            const double d = -dt * (double)kl_sum_lanes(s->damping[4 * a + b]);
            if (a == 3) along[0] += d;
            else if (a > 0) across[0] += d;
            if (b == 3) along[1] += d;
            else if (b > 0) across[1] += d;
        }
    const double lift[2] = { dt * (double)kl_sum_lanes(s->lift1), dt * (double)kl_sum_lanes(s->lift2) };
    for (int i = 0; i < 2; i++) {
        q[3 * i] += across[i];
        q[3 * i + 1] += across[i] / 2 + along[i] + lift[i];
        q[3 * i + 2] += across[i] / 2 + along[i] - lift[i];
    }
    q[KL_TWO_QUBITS_COUPLING] += 2 * dt * (double)kl_sum_lanes(s->j);
    q[KL_TWO_QUBITS_DETUNING_1] += w1[2], q[KL_TWO_QUBITS_DETUNING_2] += w2[2];
}

/* ---- any generator ---- */
static void sparse_apply(kl_lane *to, const struct sparse *m, const kl_real *value, const kl_lane *v,
                         int dim)
{
    for (int r = 0; r < dim; r++) {
        kl_lane sum = { 0 };
        for (int i = m->row_begin[r]; i < m->row_begin[r + 1]; i++) sum += value[i] * v[m->column[i]];
        to[r] = sum;
    }
}
static void sparse_apply_back(kl_lane *to, const struct sparse *m, const kl_real *value,
                              const kl_lane *v, int dim)
{
    for (int r = 0; r < dim; r++) to[r] = (kl_lane){ 0 };
    for (int r = 0; r < dim; r++)
        for (int i = m->row_begin[r]; i < m->row_begin[r + 1]; i++) to[m->column[i]] += value[i] * v[r];
}
static void sparse_gather(double *slope, const struct pass *p, int order, double dt)
{
    const struct kl_liouville *g = p->g;
    const int dim = g->dim;
    for (int r = 0; r < dim; r++)
        for (int i = p->sparse.row_begin[r]; i < p->sparse.row_begin[r + 1]; i++) {
            kl_lane sum = { 0 };
            for (int k = 1; k <= order; k++)
                sum += p->adjoints[(k - 1) * dim + r] * p->powers[(k - 1) * dim + p->sparse.column[i]];
            p->by_place[i] = (double)kl_sum_lanes(sum);
        }
    int place = -1;
    for (int i = 0; i < g->n_terms; i++) {
        const struct kl_liouville_term *t = &g->terms[i];
        if (i == 0 || t->row != t[-1].row || t->col != t[-1].col) place++;
        slope[t->of] += dt * t->value * p->by_place[place];
    }
}

/* ---- a block of columns through all segments, and back ---- */
static inline __attribute__((always_inline)) void
apply(kl_lane *to, const struct pass *p, int s, const kl_lane *v, const bool two, const bool back)
{
    const kl_real *value = p->values + (size_t)s * (size_t)p->g->n_terms;
    if (two) two_apply(to, &p->two[s], v, back);
    else if (back) sparse_apply_back(to, &p->sparse, value, v, p->g->dim);
    else sparse_apply(to, &p->sparse, value, v, p->g->dim);
}

static inline __attribute__((always_inline)) void forward(struct pass *p, const bool two)
{
    const int dim = two ? 16 : p->g->dim;
    kl_lane *x = p->states, v[KL_LIOUVILLE_MAX_DIM], w[KL_LIOUVILLE_MAX_DIM];
    for (int s = 0; s < p->g->segments; s++)
        for (int i = 0; i < p->g->substeps; i++, x += dim) {
            for (int r = 0; r < dim; r++) v[r] = x[r];
            for (int k = p->order[s]; k >= 1; k--) {
                const kl_real share = 1 / (kl_real)k;
                apply(w, p, s, v, two, false);
                for (int r = 0; r < dim; r++) v[r] = x[r] + share * w[r];
            }
            for (int r = 0; r < dim; r++) x[dim + r] = v[r];
        }
}

/* l: minus the weights' columns; becomes the adjoint at the start. */
static inline __attribute__((always_inline)) void backward(struct pass *p, kl_lane *l, const bool two,
                                                           const bool params)
{
    const int dim = two ? 16 : p->g->dim, of = p->g->controls + p->g->params;
    const double dt = p->g->dt / p->g->substeps;
    const kl_lane *x = p->states + (size_t)(p->g->segments * p->g->substeps) * (size_t)dim;
    kl_lane w[KL_LIOUVILLE_MAX_DIM], c[KL_LIOUVILLE_MAX_DIM], own[16];
    for (int s = p->g->segments - 1; s >= 0; s--) {
        struct two_slopes slopes = { 0 };
        double *slope = p->slopes + (size_t)s * (size_t)of;
        const int order = p->order[s];
        for (int i = 0; i < p->g->substeps; i++) {
            x -= dim;
            for (int r = 0; r < dim; r++) p->powers[r] = x[r], c[r] = l[r];
            for (int k = 1; k < order; k++) {
                const kl_real share = 1 / (kl_real)k;
                apply(w, p, s, p->powers + (k - 1) * dim, two, false);
                for (int r = 0; r < dim; r++) p->powers[k * dim + r] = share * w[r];
            }
            for (int k = order; k >= 1; k--) {
                const kl_real share = 1 / (kl_real)k;
                kl_lane *a = two ? own : p->adjoints + (k - 1) * dim;
                for (int r = 0; r < dim; r++) a[r] = share * c[r];
                if (two) two_slopes_add(&slopes, p->powers + (k - 1) * dim, a, params);
                apply(w, p, s, a, two, true);
                for (int r = 0; r < dim; r++) c[r] = l[r] + w[r];
            }
            for (int r = 0; r < dim; r++) l[r] = c[r];
            if (!two) sparse_gather(slope, p, order, dt);
        }
        if (two) two_gather(slope, &slopes, p->g->controls, dt, params);
    }
}
static __attribute__((noinline)) void forward_two(struct pass *p)
{
    forward(p, true);
}
static __attribute__((noinline)) void forward_sparse(struct pass *p)
{
    forward(p, false);
}
static __attribute__((noinline)) void backward_two(struct pass *p, kl_lane *l)
{
    backward(p, l, true, false);
}
static __attribute__((noinline)) void backward_two_params(struct pass *p, kl_lane *l)
{
    backward(p, l, true, true);
}
static __attribute__((noinline)) void backward_sparse(struct pass *p, kl_lane *l)
{
    backward(p, l, false, true);
}

/* Are the substeps enough? */
static bool set_generators(struct pass *p, const kl_real *u, const kl_real *params)
{
    const struct kl_liouville *g = p->g;
    const kl_real dt = (kl_real)(g->dt / g->substeps);
    bool enough = true;
    if (g->form == KL_LIOUVILLE_SPARSE) find_places(p);
    for (int s = 0; s < g->segments; s++) {
        const kl_real *at = u + (size_t)s * (size_t)g->controls,
                      norm = g->form == KL_LIOUVILLE_TWO_QUBITS ? set_two(p, s, at, params, dt)
                                                                : set_sparse(p, s, at, params, dt);
        p->order[s] = kl_series_order(norm);
        enough &= norm <= kl_series_norm[KL_SERIES_MOST - KL_SERIES_LEAST];
    }
    return enough;
}

static void copy_path(kl_real *path, const struct pass *p, size_t column)
{
    const size_t dim = (size_t)p->g->dim, columns = (size_t)p->g->columns;
    for (size_t s = 0; s <= (size_t)p->g->segments; s++)
        for (size_t r = 0; r < dim; r++)
            *(kl_lane *)(path + (s * dim + r) * columns + column) =
                p->states[s * (size_t)p->g->substeps * dim + r];
}

static void sum_slopes(kl_real *grad_u, kl_real *grad_params, const struct pass *p)
{
    const size_t controls = (size_t)p->g->controls, params = (size_t)p->g->params;
    for (size_t j = 0; grad_params && j < params; j++) {
        double sum = 0;
        for (size_t s = 0; s < (size_t)p->g->segments; s++)
            sum += p->slopes[s * (controls + params) + controls + j];
        grad_params[j] = (kl_real)sum;
    }
    for (size_t s = 0; grad_u && s < (size_t)p->g->segments; s++)
        for (size_t k = 0; k < controls; k++)
            grad_u[s * controls + k] = (kl_real)p->slopes[s * (controls + params) + k];
}

double KL_ISA_NAME(kl_liouville_gradient)(kl_real *grad_u, kl_real *grad_params, kl_real *path,
                                          const kl_real *u, const kl_real *params, const kl_real *start,
                                          const kl_real *weights, const struct kl_liouville *g,
                                          void *work)
{
    const bool two = g->form == KL_LIOUVILLE_TWO_QUBITS;
    const size_t dim = (size_t)g->dim, columns = (size_t)g->columns,
                 last = (size_t)(g->segments * g->substeps) * dim;
    struct pass p;
    double loss = 0;
    cut(&p, g, work);
    if (!set_generators(&p, u, params)) return __builtin_nan("");
    memset(p.slopes, 0, (size_t)(g->segments * (g->controls + g->params)) * sizeof(double));
    for (size_t column = 0; column < columns; column += KL_LANES) {
        kl_lane l[KL_LIOUVILLE_MAX_DIM], sum = { 0 };
        for (size_t r = 0; r < dim; r++) p.states[r] = *(const kl_lane *)(start + r * columns + column);
        if (two) forward_two(&p);
        else forward_sparse(&p);
        for (size_t r = 0; r < dim; r++) {
            l[r] = -*(const kl_lane *)(weights + r * columns + column);
            sum += l[r] * p.states[last + r];
        }
        loss += (double)kl_sum_lanes(sum);
        if (path) copy_path(path, &p, column);
        if (!grad_u && !grad_params) continue;
        if (!two) backward_sparse(&p, l);
        else if (grad_params) backward_two_params(&p, l);
        else backward_two(&p, l);
    }
    if (grad_u || grad_params) sum_slopes(grad_u, grad_params, &p);
    return loss;
}

/* Once, in the precision that needs more. */
#if KL_F64 && !defined(__AVX__)
size_t kl_liouville_work(const struct kl_liouville *g)
{
    struct pass p;
    return cut(&p, g, NULL);
}
#endif
