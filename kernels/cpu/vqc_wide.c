/* SPDX-License-Identifier: MIT
   Layers of rotations on one state after another, its amplitudes in the lanes (vqc_wide.h): for states
   that would be too large side by side, and for batches smaller than a vector. No amplitude ever moves:
   a CNOT changes which vector and which lane is whose partner. A pass holds 2^m vectors in registers and
   turns m qubits; on the way back state and bra together, with three inner products a qubit, from which
   the derivatives of all its rotations follow. */
#include "kernels/vqc.h"

#include "base/base.h"
#include "kernels/inline/real.h"
#include "kernels/inline/vqc_wide.h"

/* Registers: 2^m amplitudes forward, twice as many backward. */
#if KL_VECTOR_BYTES == 64
enum { FORWARD_M = 3, ADJOINT_M = 2 };
#else
enum { FORWARD_M = 2, ADJOINT_M = 1 };
#endif
enum { MOST_M = 4, CHUNKS = KL_VQC_WIDE_CHUNKS, WORTH_CHUNKS = 1024 };

/* m qubits of a layer. Vector j of a block lies at base ^ offset[j], its lanes in the order of index[j];
   the bases are the combinations of step. Whether a vector's lanes have bit t of their number set or not
   is sign[t], turned over by the parity of base & mask[t] and by odd[t]. inner: partners lie in the same
   vector. */
struct wide_pass {
    bool inner;
    int m, bit[MOST_M], odd[MOST_M];
    uint32_t mask[MOST_M];
    size_t offset[1 << FORWARD_M], step[KL_VQC_MOST_QUBITS + 1], blocks;
    kl_lane_index index[1 << FORWARD_M > MOST_M ? 1 << FORWARD_M : MOST_M];
    kl_lane sign[MOST_M];
};

/* A qubit's matrix for lanes of one sign or the other. */
struct signed_matrix {
    struct kl_matrix u;
    kl_lane sign;
};

static void add_bit(struct wide_pass *p, const struct kl_vqc_layer *layer, int b)
{
    const int t = p->m++;
    const uint32_t dual = layer->dual[b], direction = layer->direction[b];
    p->bit[t] = b;
    p->mask[t] = dual >> KL_LANE_BITS;
    p->odd[t] = __builtin_parity(dual & layer->origin);
    p->sign[t] = kl_lane_signs(dual);
    if (p->inner) {
        p->index[t] = kl_lanes_xor(direction);
        return;
    }
    for (size_t j = (size_t)1 << t; j < (size_t)2 << t; j++) {
        p->offset[j] = p->offset[j ^ (size_t)1 << t] ^ direction >> KL_LANE_BITS;
        p->index[j] = p->index[j ^ (size_t)1 << t] ^ kl_lanes_xor(direction) ^ kl_lanes_xor(0);
    }
}

/* The vectors that no combination of the pass's directions reaches: unit steps without the pivots of an
   elimination. */
static void make_steps(struct wide_pass *p, const struct kl_vqc_layer *layer, int n_bits)
{
    uint32_t pivots = 0, row[MOST_M];
    int steps = 0;
    for (int t = 0; !p->inner && t < p->m; t++) {
        row[t] = layer->direction[p->bit[t]] >> KL_LANE_BITS;
        for (int s = 0; s < t; s++)
            if (row[t] & (row[s] & -row[s])) row[t] ^= row[s];
        pivots |= row[t] & -row[t];
    }
    for (int b = 0; b < n_bits; b++)
        if (!(pivots >> b & 1)) p->step[steps++] = (size_t)1 << b;
    p->blocks = (size_t)1 << steps;
    p->step[steps] = 0; /* behind the last block */
}

/* Is `direction` a combination of those of the pass? */
static bool depends(const struct wide_pass *p, uint32_t direction)
{
    for (size_t j = 0; j < (size_t)1 << p->m; j++)
        if (p->offset[j] == direction) return true;
    return false;
}

/* The next pass over the bits that are still to do, of at most `most`; false: none is left. */
static bool next_pass(struct wide_pass *p, uint32_t *left, const struct kl_vqc_layer *layer,
                      int n_qubits, int most)
{
    if (!*left) return false;
    p->m = 0;
    p->inner = false;
    p->offset[0] = 0;
    p->index[0] = kl_lanes_xor(0);
    for (int b = 0; b < n_qubits; b++) /* those within vectors go first, together */
        p->inner |= (*left >> b & 1) && !(layer->direction[b] >> KL_LANE_BITS);
    for (int b = 0; b < n_qubits && p->m < (p->inner ? MOST_M : most); b++) {
        const uint32_t direction = layer->direction[b] >> KL_LANE_BITS;
        if (!(*left >> b & 1) || (p->inner ? direction != 0 : depends(p, direction))) continue;
        add_bit(p, layer, b);
        *left &= ~(1u << b);
    }
    make_steps(p, layer, n_qubits - KL_LANE_BITS);
    return true;
}

static uint32_t turned_bits(const struct kl_vqc_layer *layer, int n_qubits)
{
    uint32_t bits = 0;
    for (int b = 0; b < n_qubits; b++) bits |= (uint32_t)(layer->slot[b] >= 0) << b;
    return bits;
}

/* One sample's matrices of a pass, for both signs. */
static void take_matrices(struct signed_matrix (*m)[2], const struct wide_pass *p,
                          const struct kl_matrix *u, size_t lane, bool back)
{
    const kl_lane zero = { 0 };
    for (int t = 0; t < p->m; t++) {
        const struct kl_matrix *own = &u[p->bit[t]];
        for (int odd = 0; odd < 2; odd++) {
            const kl_lane sign = odd ? -p->sign[t] : p->sign[t];
            struct kl_matrix one = { zero + own->ar[lane], sign * own->ai[lane], sign * own->br[lane],
                                     zero + own->bi[lane] };
            m[t][odd] = (struct signed_matrix){ back ? kl_matrix_back(one) : one, sign };
        }
    }
}

static size_t base_of(const struct wide_pass *p, size_t block)
{
    size_t base = 0;
    for (size_t gray = block ^ block >> 1; gray; gray &= gray - 1) base ^= p->step[__builtin_ctzl(gray)];
    return base;
}

KL_INLINE int parity_of(const struct wide_pass *p, int t, size_t base)
{
    return __builtin_parity((unsigned)base & p->mask[t]) ^ p->odd[t];
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
    else kl_turn(&re[i], &im[i], &re[j], &im[j], u);
}

KL_INLINE void forward_m(const int m, const bool real, kl_lane *a, const struct wide_pass *p,
                         const struct signed_matrix (*u)[2], size_t from, size_t to)
{
    kl_lane re[1 << FORWARD_M], im[1 << FORWARD_M];
    const int size = 1 << m;
    size_t base = base_of(p, from);
    for (size_t i = from; i < to; base ^= p->step[__builtin_ctzl(++i)]) {
        UNROLL(int j = 0; j < size; j++) load(real, &re[j], &im[j], a, base ^ p->offset[j], p->index[j]);
        UNROLL(int t = 0; t < m; t++)
        {
            const struct signed_matrix *own = &u[t][parity_of(p, t, base)];
            UNROLL(int j = 0; j < size; j++)
            if (!(j >> t & 1)) turn(real, re, im, j, j | 1 << t, &own->u);
        }
        UNROLL(int j = 0; j < size; j++) store(real, a, base ^ p->offset[j], re[j], im[j], p->index[j]);
    }
}

/* The generators' inner products of two vectors that are partners. */
KL_INLINE void add_generators(const bool real, struct kl_generators *g, const kl_lane *re,
                              const kl_lane *im, const kl_lane *bre, const kl_lane *bim, int i, int j,
                              kl_lane sign)
{
    if (real) {
        g->y += sign * (bre[j] * re[i] - bre[i] * re[j]);
        return;
    }
    g->x += bre[i] * im[j] - bim[i] * re[j] + bre[j] * im[i] - bim[j] * re[i];
    g->y += sign * (bre[j] * re[i] + bim[j] * im[i] - bre[i] * re[j] - bim[i] * im[j]);
    g->z += sign * (bre[i] * im[i] - bim[i] * re[i] - bre[j] * im[j] + bim[j] * re[j]);
}

KL_INLINE void adjoint_m(const int m, const bool real, struct kl_generators *sum, kl_lane *a, kl_lane *b,
                         const struct wide_pass *p, const struct signed_matrix (*u)[2], size_t from,
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
            const struct signed_matrix *own = &u[t][parity_of(p, t, base)];
            UNROLL(int j = 0; j < size; j++)
            if (!(j >> t & 1)) {
                add_generators(real, &g[t], re, im, bre, bim, j, j | 1 << t, own->sign);
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
    for (int t = 0; t < m; t++) sum[t] = g[t];
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
                                kl_lane bre, kl_lane bim, kl_lane sign, kl_lane_index index)
{
    const kl_lane c = kl_exchanged(re, index);
    if (real) {
        g->y -= sign * bre * c;
        return;
    }
    const kl_lane d = kl_exchanged(im, index);
    g->x += bre * d - bim * c;
    g->y -= sign * (bre * c + bim * d);
    g->z += sign * (bre * im - bim * re);
}

KL_INLINE void inner(const bool real, const bool back, struct kl_generators *sum, kl_lane *a, kl_lane *b,
                     const struct wide_pass *p, const struct signed_matrix (*u)[2], size_t from,
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
            const struct signed_matrix *own = &u[t][parity_of(p, t, base)];
            if (back) generators_inner(real, &g[t], re, im, bre, bim, own->sign, p->index[t]);
            turn_inner(real, &re, &im, &own->u, p->index[t]);
            if (back) turn_inner(real, &bre, &bim, &own->u, p->index[t]);
        }
        a[real ? base : 2 * base] = re;
        if (!real) a[2 * base + 1] = im;
        if (back) b[real ? base : 2 * base] = bre;
        if (back && !real) b[2 * base + 1] = bim;
    }
    for (int t = 0; back && t < p->m; t++) sum[t] = g[t];
}

struct passing {
    const struct wide_pass *p;
    const struct signed_matrix (*u)[2];
    kl_lane *a, *b;                       /* b NULL: forward */
    struct kl_generators (*sums)[MOST_M]; /* of each chunk */
    size_t chunks;
    bool real;
};

KL_INLINE void run_as(const bool real, const struct passing *k, struct kl_generators *sum, size_t from,
                      size_t to)
{
    const struct wide_pass *p = k->p;
    if (p->inner) {
        if (k->b) inner(real, true, sum, k->a, k->b, p, k->u, from, to);
        else inner(real, false, NULL, k->a, NULL, p, k->u, from, to);
    } else if (k->b) {
        if (p->m == 1) adjoint_m(1, real, sum, k->a, k->b, p, k->u, from, to);
#if KL_VECTOR_BYTES == 64
        else adjoint_m(2, real, sum, k->a, k->b, p, k->u, from, to);
#endif
    } else {
        if (p->m == 1) forward_m(1, real, k->a, p, k->u, from, to);
        else if (p->m == 2) forward_m(2, real, k->a, p, k->u, from, to);
#if KL_VECTOR_BYTES == 64
        else forward_m(3, real, k->a, p, k->u, from, to);
#endif
    }
}

static void run_complex(const struct passing *k, struct kl_generators *sum, size_t from, size_t to)
{
    run_as(false, k, sum, from, to);
}

static void run_real(const struct passing *k, struct kl_generators *sum, size_t from, size_t to)
{
    run_as(true, k, sum, from, to);
}

static void run_chunk(void *context, size_t i, int thread)
{
    const struct passing *k = context;
    const size_t blocks = k->p->blocks;
    (void)thread;
    (k->real ? run_real : run_complex)(k, k->sums ? k->sums[i] : NULL, blocks * i / k->chunks,
                                       blocks * (i + 1) / k->chunks);
}

/* Over one state: in one piece, or in a fixed number of chunks that threads may share. */
static void run_pass(struct passing *k, struct kl_pool *pool)
{
    k->chunks = k->p->blocks < WORTH_CHUNKS ? 1 : CHUNKS;
    kl_pool_for(k->chunks > 1 ? pool : NULL, k->chunks, run_chunk, k);
}

/* Of the chunks in order, then of the lanes. */
static void add_up(struct kl_generators *to, const struct passing *k, size_t lane)
{
    for (int t = 0; t < k->p->m; t++) {
        struct kl_generators sum = k->sums[0][t], *g = &to[k->p->bit[t]];
        for (size_t i = 1; i < k->chunks; i++) {
            sum.x += k->sums[i][t].x;
            sum.y += k->sums[i][t].y;
            sum.z += k->sums[i][t].z;
        }
        g->x[lane] = kl_lanes_sum(sum.x);
        g->y[lane] = kl_lanes_sum(sum.y);
        g->z[lane] = kl_lanes_sum(sum.z);
    }
}

static void layer_matrices(struct kl_matrix *u, const struct kl_vqc_turns *turns, size_t layer,
                           const kl_real *cosine, const kl_real *sine)
{
    for (int b = 0; b < turns->n_qubits; b++)
        kl_matrix_of_turns(&u[b], turns, turns->layer[layer].slot[b], (const kl_lane *)cosine,
                           (const kl_lane *)sine);
}

static size_t state_values(const struct kl_vqc_turns *turns)
{
    return (size_t)(turns->real ? 1 : 2) << turns->n_qubits;
}

void KL_ISA_NAME(kl_vqc_wide_forward)(kl_real *out, kl_real *state, kl_real *work,
                                      const struct kl_vqc_turns *turns, const kl_real *cosine,
                                      const kl_real *sine, size_t first, size_t count,
                                      struct kl_pool *pool)
{
    struct kl_matrix *u = (struct kl_matrix *)work;
    kl_lane *rest = (kl_lane *)(u + turns->n_qubits);
    struct signed_matrix m[MOST_M][2];
    struct wide_pass p;
    layer_matrices(u, turns, 0, cosine, sine);
    for (size_t s = 0; s < count; s++)
        KL_ISA_NAME(kl_vqc_wide_start)(state + s * state_values(turns), turns, u, first + s);
    for (size_t l = 1; l < turns->n_layers; l++) {
        uint32_t left = turned_bits(&turns->layer[l], turns->n_qubits);
        layer_matrices(u, turns, l, cosine, sine);
        while (next_pass(&p, &left, &turns->layer[l], turns->n_qubits, FORWARD_M))
            for (size_t s = 0; s < count; s++) {
                struct passing k = { .p = &p,
                                     .u = (const struct signed_matrix(*)[2])m,
                                     .a = (kl_lane *)(state + s * state_values(turns)),
                                     .real = turns->real };
                take_matrices(m, &p, u, first + s, false);
                run_pass(&k, pool);
            }
    }
    for (size_t s = 0; s < count; s++)
        KL_ISA_NAME(kl_vqc_wide_outputs)(out, rest, state + s * state_values(turns), turns, first + s);
}

void KL_ISA_NAME(kl_vqc_wide_adjoint)(kl_real *dangle, kl_real *state, kl_real *bra, kl_real *work,
                                      const struct kl_vqc_turns *turns, const kl_real *cosine,
                                      const kl_real *sine, const kl_real *cot, size_t first,
                                      size_t count, struct kl_pool *pool)
{
    const int n = turns->n_qubits;
    const size_t size = state_values(turns);
    struct kl_matrix *u = (struct kl_matrix *)work;
    struct kl_generators *g = (struct kl_generators *)(u + n);
    kl_lane *rest = (kl_lane *)(g + n);
    struct signed_matrix m[MOST_M][2];
    struct wide_pass p;
    for (size_t s = 0; s < count; s++)
        KL_ISA_NAME(kl_vqc_wide_observe)(bra + s * size, rest, state + s * size, turns, cot, first + s);
    for (size_t l = turns->n_layers; l-- > 0;) {
        const struct kl_vqc_layer *layer = &turns->layer[l];
        uint32_t left = turned_bits(layer, n);
        layer_matrices(u, turns, l, cosine, sine);
        while (l > 0 && next_pass(&p, &left, layer, n, ADJOINT_M))
            for (size_t s = 0; s < count; s++) {
                struct passing k = { .p = &p,
                                     .u = (const struct signed_matrix(*)[2])m,
                                     .a = (kl_lane *)(state + s * size),
                                     .b = (kl_lane *)(bra + s * size),
                                     .sums = (struct kl_generators(*)[MOST_M])rest,
                                     .real = turns->real };
                take_matrices(m, &p, u, first + s, true);
                run_pass(&k, pool);
                add_up(g, &k, first + s);
            }
        for (size_t s = 0; l == 0 && s < count; s++)
            KL_ISA_NAME(kl_vqc_wide_start_back)
            (g, state + s * size, bra + s * size, turns, u, first + s);
        for (int b = 0; b < n; b++)
            if (layer->slot[b] >= 0)
                kl_turns_derivatives(dangle, turns, layer->slot[b], g[b], (const kl_lane *)cosine,
                                     (const kl_lane *)sine, first, first + count);
    }
}
