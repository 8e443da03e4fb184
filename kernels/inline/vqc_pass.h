/* SPDX-License-Identifier: MIT
   Passes over a state whose amplitudes have been moved (struct kl_vqc_layer): blocks of 2^m amplitudes
   that m bits span, in the order of a Gray code: one exclusive or a block. */
#ifndef KL_INLINE_VQC_PASS_H
#define KL_INLINE_VQC_PASS_H

#include "kernels/inline/vqc.h"

enum { KL_PASS_MOST_M = 4 };

/* Places are in bytes. step: the directions of the other bits, of which `blocks` combinations are
 * visited. */
struct pass {
    int slot[KL_PASS_MOST_M];
    size_t origin, blocks, offset[1 << KL_PASS_MOST_M], step[KL_VQC_MOST_QUBITS];
};

/* unit: bytes of an amplitude of the group. */
static inline void make_pass(struct pass *p, const struct kl_vqc_layer *layer, int n_qubits,
                             const int *bits, int m, size_t unit)
{
    int steps = 0;
    uint32_t mine = 0;
    for (int t = 0; t < m; t++) {
        p->slot[t] = layer->slot[bits[t]];
        mine |= 1u << bits[t];
    }
    p->offset[0] = 0;
    for (int j = 1; j < 1 << m; j++)
        p->offset[j] =
            p->offset[j & (j - 1)] ^ layer->direction[bits[__builtin_ctz((unsigned)j)]] * unit;
    for (int b = 0; b < n_qubits; b++)
        if (!(mine >> b & 1)) p->step[steps++] = layer->direction[b] * unit;
    p->origin = layer->origin * unit;
    p->blocks = (size_t)1 << steps;
}

KL_INLINE kl_lane *place(kl_real *state, size_t bytes)
{
    return (kl_lane *)((char *)state + bytes);
}

#define UNROLL _Pragma("GCC unroll 16") for

/* The bits that a layer turns; passes of nearly equal size, none larger than `most`. */
static inline int rotated_bits(int *bits, const struct kl_vqc_layer *layer, int n_qubits)
{
    int n = 0;
    for (int b = 0; b < n_qubits; b++)
        if (layer->slot[b] >= 0) bits[n++] = b;
    return n;
}

static inline int pass_size(int left, int most)
{
    int passes = (left + most - 1) / most;
    return (left + passes - 1) / passes;
}

#endif
