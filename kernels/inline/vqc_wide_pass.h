/* SPDX-License-Identifier: MIT
   Passes over one state, its amplitudes in the lanes (vqc_wide.h): which vectors and which lanes belong
   together for some gates of a layer. */
#ifndef KL_INLINE_VQC_WIDE_PASS_H
#define KL_INLINE_VQC_WIDE_PASS_H

#include "kernels/inline/vqc_wide.h"

/* Most qubits, or strings, of a pass; of those whose partners lie in other vectors: BLOCK_M. */
enum { MOST_M = 4, BLOCK_M = 3 };

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
    size_t offset[1 << BLOCK_M], step[KL_VQC_MOST_QUBITS + 1], blocks;
    kl_lane_index index[1 << BLOCK_M];
    kl_lane sign[MOST_M];
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

/* The vectors that no combination of the pass's directions reaches: unit steps without the pivots of an
   elimination. */
static inline void make_steps(struct wide_pass *p, const struct kl_vqc_layer *layer, int n_bits)
{
    uint32_t pivots = 0, row[MOST_M];
    int steps = 0;
    for (int t = 0; p->kind == BLOCK && t < p->m; t++) {
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
static inline bool depends(const struct wide_pass *p, uint32_t direction)
{
    for (size_t j = 0; j < (size_t)1 << p->m; j++)
        if (p->offset[j] == direction) return true;
    return false;
}

static inline void empty_pass(struct wide_pass *p, enum kind kind)
{
    p->kind = kind;
    p->m = 0;
    p->controlled = false;
    p->offset[0] = 0;
    p->index[0] = kl_lanes_xor(0);
}

/* The next pass over the bits that are still to do, of at most `most`; false: none is left. */
static inline bool next_pass(struct wide_pass *p, uint32_t *left, const struct kl_vqc_layer *layer,
                             int n_qubits, int most)
{
    if (!*left) return false;
    empty_pass(p, BLOCK);
    for (int b = 0; b < n_qubits; b++) /* those within vectors go first, together */
        if ((*left >> b & 1) && !(layer->direction[b] >> KL_LANE_BITS)) p->kind = INNER;
    for (int b = 0; b < n_qubits && p->m < (p->kind == INNER ? MOST_M : most); b++) {
        const uint32_t direction = layer->direction[b] >> KL_LANE_BITS;
        if (!(*left >> b & 1) || (p->kind == INNER ? direction != 0 : depends(p, direction))) continue;
        add_bit(p, layer, b);
        *left &= ~(1u << b);
    }
    make_steps(p, layer, n_qubits - KL_LANE_BITS);
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
