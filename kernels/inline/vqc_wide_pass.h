/* SPDX-License-Identifier: MIT
   Passes over one state, its amplitudes in the lanes (vqc_wide.h): which vectors and which lanes belong
   together for some gates of a layer. */
#ifndef KL_INLINE_VQC_WIDE_PASS_H
#define KL_INLINE_VQC_WIDE_PASS_H

#include "kernels/inline/vqc_wide.h"

/* Most qubits, or strings, of a pass; of those whose partners lie in other vectors: BLOCK_M. */
enum { MOST_M = 4, BLOCK_M = 3 };
/* Vectors of a tile, as a power of two, and passes over one: 64 KB of state and bra. */
enum { TILE_BITS = 8, MOST_PASSES = TILE_BITS + 1 };

/* m qubits of a layer. Vector j of a block lies at base ^ offset[j], its lanes in the order of index[j];
   the bases are the combinations of step. Whether a vector's lanes have bit t of their number set or not
   is sign[t], turned over by the parity of base & mask[t] and by odd[t]; the control likewise. INNER:
   partners lie in the same vector. PHASES: none, m strings of Z. */
enum kind { BLOCK, INNER, PHASES };
struct wide_pass {
    enum kind kind;
    int m, bit[MOST_M], odd[MOST_M];
    uint32_t mask[MOST_M];
    bool controlled; /* m is 1: lanes where the control is not set stay */
    int control_odd;
    uint32_t control_mask;
    kl_lane control;
    int tile_steps; /* so many steps come first; with them the blocks of one tile are reached */
    size_t offset[1 << BLOCK_M], step[KL_VQC_MOST_QUBITS + 1];
    kl_lane_index index[1 << BLOCK_M];
    kl_lane sign[MOST_M];
};

/* Passes that go over one tile, which is in the cache, one after another, before the next tile. */
struct wide_group {
    struct wide_pass pass[MOST_PASSES];
    int n_passes;
    size_t tiles;
    uint32_t
        row[TILE_BITS]; /* the directions of its bits, each without the lowest bits of those before */
    int n_rows;
};

static inline void add_bit(struct wide_pass *p, const struct kl_vqc_layer *layer, int b)
{
    const int t = p->m++;
    const uint32_t dual = layer->dual[b], direction = layer->direction[b];
    p->bit[t] = b;
    p->mask[t] = dual >> KL_LANE_BITS;
    p->odd[t] = __builtin_parity(dual & layer->origin);
    p->sign[t] = kl_lane_signs(dual);
    if (p->kind == INNER) {
        p->index[t] = kl_lanes_xor(direction);
        return;
    }
    for (size_t j = (size_t)1 << t; j < (size_t)2 << t; j++) {
        p->offset[j] = p->offset[j ^ (size_t)1 << t] ^ direction >> KL_LANE_BITS;
        p->index[j] = p->index[j ^ (size_t)1 << t] ^ kl_lanes_xor(direction) ^ kl_lanes_xor(0);
    }
}

static inline void empty_pass(struct wide_pass *p, enum kind kind)
{
    p->kind = kind;
    p->m = 0;
    p->controlled = false;
    p->offset[0] = 0;
    p->index[0] = kl_lanes_xor(0);
}

/* Reduce a direction by those of the group: 0 if it is a combination of them. */
static inline uint32_t reduced(const struct wide_group *g, uint32_t direction)
{
    for (int i = 0; i < g->n_rows; i++)
        if (direction & (g->row[i] & -g->row[i])) direction ^= g->row[i];
    return direction;
}

/* The bits that are left and lie within vectors, or in directions independent of the group's, up to
 * `most`.
 */
static inline void fill_pass(struct wide_group *g, struct wide_pass *p, uint32_t *left,
                             const struct kl_vqc_layer *layer, int n_qubits, int most)
{
    for (int b = 0; b < n_qubits && p->m < most; b++) {
        const uint32_t direction = layer->direction[b] >> KL_LANE_BITS, rest = reduced(g, direction);
        if (!(*left >> b & 1) || (p->kind == INNER ? direction != 0 : !rest)) continue;
        if (p->kind == BLOCK) {
            if (g->n_rows == TILE_BITS) return;
            g->row[g->n_rows++] = rest;
        }
        add_bit(p, layer, b);
        *left &= ~(1u << b);
    }
}

/* Steps of every pass: the other passes' directions and, to fill the tile, some unit steps that no
   combination of directions reaches; then the other ones, which lead from tile to tile. */
static inline void make_steps(struct wide_group *g, const struct kl_vqc_layer *layer, int n_bits)
{
    uint32_t pivots = 0, all = ((uint32_t)1 << n_bits) - 1, fill = 0;
    for (int i = 0; i < g->n_rows; i++) pivots |= g->row[i] & -g->row[i];
    for (int n = g->n_rows; n < TILE_BITS && (all & ~pivots & ~fill); n++)
        fill |= (all & ~pivots & ~fill) & -(all & ~pivots & ~fill);
    g->tiles = (size_t)1 << (n_bits - g->n_rows - __builtin_popcount(fill));
    for (int i = 0; i < g->n_passes; i++) {
        struct wide_pass *p = &g->pass[i];
        int n = 0;
        for (int j = 0; j < g->n_passes; j++)
            for (int t = 0; j != i && g->pass[j].kind == BLOCK && t < g->pass[j].m; t++)
                p->step[n++] = layer->direction[g->pass[j].bit[t]] >> KL_LANE_BITS;
        for (uint32_t f = fill; f; f &= f - 1) p->step[n++] = f & -f;
        p->tile_steps = n;
        for (uint32_t f = all & ~pivots & ~fill; f; f &= f - 1) p->step[n++] = f & -f;
        p->step[n] = 0; /* behind the last block */
    }
}

/* The next passes over the bits that are still to do, each of at most `most`; false: none is left. */
static inline bool next_group(struct wide_group *g, uint32_t *left, const struct kl_vqc_layer *layer,
                              int n_qubits, int most)
{
    if (!*left) return false;
    g->n_passes = g->n_rows = 0;
    for (enum kind kind = INNER; g->n_passes < MOST_PASSES; kind = BLOCK) {
        struct wide_pass *p = &g->pass[g->n_passes];
        empty_pass(p, kind);
        fill_pass(g, p, left, layer, n_qubits, kind == INNER ? MOST_M : most);
        if (p->m) g->n_passes++;
        else if (kind == BLOCK) break;
    }
    make_steps(g, layer, n_qubits - KL_LANE_BITS);
    return true;
}

static inline uint32_t turned_bits(const struct kl_vqc_layer *layer, int n_qubits)
{
    uint32_t bits = 0;
    for (int b = 0; b < n_qubits; b++) bits |= (uint32_t)(layer->slot[b] >= 0) << b;
    return bits;
}

static inline void add_string(struct wide_pass *p, const struct kl_vqc_layer *layer, uint32_t bits)
{
    const int t = p->m++;
    uint32_t mask = 0;
    for (; bits; bits &= bits - 1) mask ^= layer->dual[__builtin_ctz(bits)];
    p->bit[t] = t;
    p->mask[t] = mask >> KL_LANE_BITS;
    p->odd[t] = __builtin_parity(mask & layer->origin);
    p->sign[t] = kl_lane_signs(mask);
}

static inline void add_controlled(struct wide_pass *p, const struct kl_vqc_layer *layer,
                                  const struct kl_vqc_op *op)
{
    const uint32_t dual = layer->dual[__builtin_ctz(op->control)];
    add_bit(p, layer, __builtin_ctz(op->target));
    p->controlled = true;
    p->control = kl_lane_signs(dual);
    p->control_mask = dual >> KL_LANE_BITS;
    p->control_odd = __builtin_parity(dual & layer->origin);
}

static inline size_t base_of(const struct wide_pass *p, size_t block)
{
    size_t base = 0;
    for (size_t gray = block ^ block >> 1; gray; gray &= gray - 1) base ^= p->step[__builtin_ctzl(gray)];
    return base;
}

#endif
