/* SPDX-License-Identifier: MIT
   Layers of rotations on one state after another, its amplitudes in the lanes (vqc_wide.h): for states
   that would be too large side by side, and for batches smaller than a vector. No amplitude ever moves:
   a CNOT changes which vector and which lane is whose partner. A pass holds 2^m vectors in registers and
   turns m qubits; on the way back state and bra together, with three inner products a qubit, from which
   the derivatives of all its rotations follow. Passes of a layer go over one tile after another. */
#include "kernels/vqc.h"

#include "base/base.h"
#include "kernels/inline/real.h"
#include "kernels/inline/vqc_wide_turn.h"

enum { CHUNKS = KL_VQC_WIDE_CHUNKS, WORTH_CHUNKS = 64 };

/* A group of passes over one state. */
struct passing {
    const struct wide_group *group;
    struct signed_matrix (*u)[MOST_M][SIGNS];         /* of each pass */
    kl_lane *a, *b;                                   /* b NULL: forward */
    struct kl_generators (*sums)[KL_VQC_MOST_QUBITS]; /* of each chunk and bit */
    size_t chunks;
    bool real;
};

KL_INLINE void run_as(const bool real, const struct passing *k, int i, struct kl_generators *sum,
                      size_t from, size_t to)
{
    const struct wide_pass *p = &k->group->pass[i];
    const struct signed_matrix(*u)[SIGNS] = (const struct signed_matrix(*)[SIGNS])k->u[i];
    if (p->kind == PHASES) {
        if (k->b) phases(true, sum, k->a, k->b, p, u, from, to);
        else phases(false, NULL, k->a, NULL, p, u, from, to);
    } else if (p->kind == INNER) {
        if (k->b) inner(real, true, sum, k->a, k->b, p, u, from, to);
        else inner(real, false, NULL, k->a, NULL, p, u, from, to);
    } else if (k->b) {
        if (p->m == 1) adjoint_m(1, real, sum, k->a, k->b, p, u, from, to);
#if KL_VECTOR_BYTES == 64
        else adjoint_m(2, real, sum, k->a, k->b, p, u, from, to);
#endif
    } else {
        if (p->m == 1) forward_m(1, real, k->a, p, u, from, to);
        else if (p->m == 2) forward_m(2, real, k->a, p, u, from, to);
#if KL_VECTOR_BYTES == 64
        else forward_m(3, real, k->a, p, u, from, to);
#endif
    }
}

static void run_complex(const struct passing *k, int i, struct kl_generators *sum, size_t from,
                        size_t to)
{
    run_as(false, k, i, sum, from, to);
}

static void run_real(const struct passing *k, int i, struct kl_generators *sum, size_t from, size_t to)
{
    run_as(true, k, i, sum, from, to);
}

static void run_chunk(void *context, size_t c, int thread)
{
    const struct passing *k = context;
    const struct wide_group *g = k->group;
    struct kl_generators *sum = k->b ? k->sums[c] : NULL;
    (void)thread;
    for (int i = 0; sum && i < g->n_passes; i++)
        for (int t = 0; t < g->pass[i].m; t++) sum[g->pass[i].bit[t]] = (struct kl_generators){ 0 };
    for (size_t tile = g->tiles * c / k->chunks; tile < g->tiles * (c + 1) / k->chunks; tile++)
        for (int i = 0; i < g->n_passes; i++)
            (k->real ? run_real : run_complex)(k, i, sum, tile << g->pass[i].tile_steps,
                                               (tile + 1) << g->pass[i].tile_steps);
}

/* Of the chunks in order, then of the lanes. */
static void add_up(struct kl_generators *to, const struct passing *k, int bit, size_t lane)
{
    struct kl_generators sum = k->sums[0][bit];
    for (size_t i = 1; i < k->chunks; i++) add(&sum, &k->sums[i][bit]);
    to[bit].x[lane] = kl_lanes_sum(sum.x);
    to[bit].y[lane] = kl_lanes_sum(sum.y);
    to[bit].z[lane] = kl_lanes_sum(sum.z);
}

/* One of a sweep's samples [first, first + count) after another. */
struct sweep {
    const struct kl_vqc_rotations *turns;
    const kl_lane *cosine, *sine;
    kl_real *state, *bra;    /* bra NULL: forward */
    struct kl_matrix *u;     /* of a layer */
    struct kl_generators *g; /* of a layer, one sample a lane */
    kl_lane *rest;           /* scratch */
    size_t first, count, size;
    struct kl_pool *pool;
};

static struct sweep begin(kl_real *state, kl_real *bra, kl_real *work,
                          const struct kl_vqc_rotations *turns, const kl_real *cosine,
                          const kl_real *sine)
{
    struct sweep w = { .turns = turns,
                       .cosine = (const kl_lane *)cosine,
                       .sine = (const kl_lane *)sine,
                       .state = state,
                       .bra = bra,
                       .u = (struct kl_matrix *)work };
    w.g = (struct kl_generators *)(w.u + turns->n_qubits);
    w.rest = (kl_lane *)(w.g + turns->n_qubits);
    w.size = (size_t)(turns->real ? 1 : 2) << turns->n_qubits;
    return w;
}

/* Over each state: in one piece, or in a fixed number of chunks that threads may share. */
static void group_over(const struct sweep *w, const struct wide_group *g)
{
    struct signed_matrix u[MOST_PASSES][MOST_M][SIGNS];
    for (size_t s = 0; s < w->count; s++) {
        struct passing k = { .group = g,
                             .u = u,
                             .a = (kl_lane *)(w->state + s * w->size),
                             .b = w->bra ? (kl_lane *)(w->bra + s * w->size) : NULL,
                             .sums = (struct kl_generators(*)[KL_VQC_MOST_QUBITS])w->rest,
                             .chunks = g->tiles < WORTH_CHUNKS ? 1 : CHUNKS,
                             .real = w->turns->real };
        for (int i = 0; i < g->n_passes; i++)
            take_matrices(u[i], &g->pass[i], w->u, w->first + s, w->bra != NULL);
        kl_pool_for(k.chunks > 1 ? w->pool : NULL, k.chunks, run_chunk, &k);
        for (int i = 0; w->bra && i < g->n_passes; i++)
            for (int t = 0; t < g->pass[i].m; t++) add_up(w->g, &k, g->pass[i].bit[t], w->first + s);
    }
}

static void layer_matrices(const struct sweep *w, const struct kl_vqc_layer *layer)
{
    for (int b = 0; b < w->turns->n_qubits; b++)
        kl_matrix_of_rotations(&w->u[b], w->turns, layer->slot[b], w->cosine, w->sine);
}

static void turn_layer(const struct sweep *w, const struct kl_vqc_layer *layer)
{
    const int n = w->turns->n_qubits;
    struct wide_group g;
    uint32_t left = turned_bits(layer, n);
    layer_matrices(w, layer);
    while (next_group(&g, &left, layer, n, w->bra ? ADJOINT_M : FORWARD_M)) group_over(w, &g);
}

static void turn_layer_derivatives(kl_real *dangle, const struct sweep *w,
                                   const struct kl_vqc_layer *layer)
{
    for (int b = 0; b < w->turns->n_qubits; b++)
        if (layer->slot[b] >= 0)
            kl_rotations_derivatives(dangle, w->turns, layer->slot[b], w->g[b], w->cosine, w->sine,
                                     w->first, w->first + w->count);
}

/* The first gates of [op, end) that go together; returns how many. */
static size_t other_group(struct wide_group *g, const struct sweep *w, const struct kl_vqc_layer *layer,
                          const struct kl_vqc_op *op, const struct kl_vqc_op *end)
{
    const bool string = op->gate == KL_VQC_MULTIRZ;
    const uint32_t direction = layer->direction[__builtin_ctz(op->target)] >> KL_LANE_BITS;
    struct wide_pass *p = &g->pass[0];
    size_t n = 0;
    g->n_passes = 1;
    g->n_rows = 0;
    if (!string && direction) g->row[g->n_rows++] = direction;
    empty_pass(p, string ? PHASES : direction ? BLOCK : INNER);
    do {
        if (string) add_string(p, layer, op[n].target);
        else add_controlled(p, layer, op);
        struct kl_matrix *u = &w->u[p->bit[n]];
        *u = kl_matrix_identity();
        kl_matrix_turn(u, op[n].gate, w->cosine[op[n].slot], w->sine[op[n].slot]);
        n++;
    } while (string && n < MOST_M && op + n < end);
    make_steps(g, layer, w->turns->n_qubits - KL_LANE_BITS);
    return n;
}

/* A layer of other gates, all of which commute. */
static void other_layer(kl_real *dangle, const struct sweep *w, size_t l)
{
    const struct kl_vqc_op *op = w->turns->other + w->turns->first_other[l],
                           *end = w->turns->other + w->turns->first_other[l + 1];
    struct wide_group g;
    for (size_t n; op < end; op += n) {
        n = other_group(&g, w, &w->turns->layer[l], op, end);
        group_over(w, &g);
        for (size_t t = 0; dangle && t < n; t++)
            for (size_t i = w->first; i < w->first + w->count; i++)
                dangle[(size_t)op[t].slot * KL_LANES + i] =
                    (*kl_generator(&w->g[g.pass[0].bit[t]], op[t].gate))[i];
    }
}

static bool has_other(const struct kl_vqc_rotations *turns, size_t l)
{
    return turns->first_other && turns->first_other[l + 1] > turns->first_other[l];
}

void KL_ISA_NAME(kl_vqc_wide_forward)(kl_real *out, kl_real *state, kl_real *work,
                                      const struct kl_vqc_rotations *turns, const kl_real *cosine,
                                      const kl_real *sine, size_t first, size_t count,
                                      struct kl_pool *pool)
{
    struct sweep w = begin(state, NULL, work, turns, cosine, sine);
    w.first = first, w.count = count, w.pool = pool;
    layer_matrices(&w, &turns->layer[0]);
    for (size_t s = 0; s < count; s++)
        KL_ISA_NAME(kl_vqc_wide_start)(state + s * w.size, turns, w.u, first + s);
    for (size_t l = 1; l < turns->n_layers; l++) {
        if (has_other(turns, l)) other_layer(NULL, &w, l);
        else turn_layer(&w, &turns->layer[l]);
    }
    for (size_t s = 0; s < count; s++)
        KL_ISA_NAME(kl_vqc_wide_outputs)(out, w.rest, state + s * w.size, turns, first + s);
}

void KL_ISA_NAME(kl_vqc_wide_adjoint)(kl_real *dangle, kl_real *state, kl_real *bra, kl_real *work,
                                      const struct kl_vqc_rotations *turns, const kl_real *cosine,
                                      const kl_real *sine, const kl_real *cot, size_t first,
                                      size_t count, struct kl_pool *pool)
{
    struct sweep w = begin(state, bra, work, turns, cosine, sine);
    w.first = first, w.count = count, w.pool = pool;
    for (size_t s = 0; s < count; s++) KL_ISA_NAME(kl_vqc_wide_observe)
    (bra + s * w.size, w.rest, state + s * w.size, turns, cot, first + s);
    for (size_t l = turns->n_layers; l-- > 1;) {
        if (has_other(turns, l)) {
            other_layer(dangle, &w, l);
            continue;
        }
        turn_layer(&w, &turns->layer[l]);
        turn_layer_derivatives(dangle, &w, &turns->layer[l]);
    }
    layer_matrices(&w, &turns->layer[0]);
    for (size_t s = 0; s < count; s++) KL_ISA_NAME(kl_vqc_wide_start_back)
    (w.g, state + s * w.size, bra + s * w.size, turns, w.u, first + s);
    turn_layer_derivatives(dangle, &w, &turns->layer[0]);
}
