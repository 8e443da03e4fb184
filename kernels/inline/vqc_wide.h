/* SPDX-License-Identifier: MIT
   One state, its amplitudes in the lanes of vectors: place p is lane p % L of vector p / L, whose real
   parts are followed by its imaginary parts. Where CNOT has moved amplitudes (struct kl_vqc_layer), the
   partner of a place is that place ^ direction: another vector, and another lane of it. */
#ifndef KL_INLINE_VQC_WIDE_H
#define KL_INLINE_VQC_WIDE_H

#include "kernels/inline/vqc.h"

#if KL_F64
typedef int64_t kl_lane_index __attribute__((vector_size(KL_VECTOR_BYTES)));
#else
typedef int32_t kl_lane_index __attribute__((vector_size(KL_VECTOR_BYTES)));
#endif
enum { KL_LANE_BITS = KL_LANES == 2 ? 1 : KL_LANES == 4 ? 2 : KL_LANES == 8 ? 3 : 4 };

#define UNROLL _Pragma("GCC unroll 16") for

/* Lane l of the result is lane from[l] of v. */
KL_INLINE kl_lane kl_exchanged(kl_lane v, kl_lane_index from)
{
#ifdef __clang__
    kl_lane moved;
    for (int l = 0; l < KL_LANES; l++) moved[l] = v[from[l]];
    return moved;
#else
    return __builtin_shuffle(v, from);
#endif
}

static inline kl_lane_index kl_lanes_xor(uint32_t by)
{
    kl_lane_index index;
    for (int l = 0; l < KL_LANES; l++) index[l] = l ^ (int)(by % KL_LANES);
    return index;
}

/* +1 or -1 in each lane, by the parity of its number & mask. */
static inline kl_lane kl_lane_signs(uint32_t mask)
{
    kl_lane sign;
    for (int l = 0; l < KL_LANES; l++) sign[l] = __builtin_parity((unsigned)l & mask) ? -1 : 1;
    return sign;
}

/* By halves: one order, whatever the compiler. */
static inline kl_real kl_lanes_sum(kl_lane v)
{
    for (int half = KL_LANES / 2; half; half /= 2)
        for (int l = 0; l < half; l++) v[l] += v[l + half];
    return v[0];
}

/* Both ends of a sweep (vqc_start.c, vqc_strings.c), samples [first, first + count) of the group. start:
   the state that the first layer makes of |0>, a product of the qubits' first columns u (n_qubits). */
void KL_ISA_NAME(kl_vqc_wide_start)(kl_real *state, const struct kl_vqc_rotations *turns,
                                    const struct kl_matrix *u, size_t lane);
/* The generators of the first layer, lane by lane; state is lost, bra is used up. */
void KL_ISA_NAME(kl_vqc_wide_start_back)(struct kl_generators *g, kl_real *state, kl_real *bra,
                                         const struct kl_vqc_rotations *turns, const struct kl_matrix *u,
                                         size_t lane);
/* out (n_obs, L), one lane of it; work: n_obs vectors. */
void KL_ISA_NAME(kl_vqc_wide_outputs)(kl_real *out, kl_lane *work, const kl_real *state,
                                      const struct kl_vqc_rotations *turns, size_t lane);
/* bra = (sum over the strings of cot * string) |state>. */
void KL_ISA_NAME(kl_vqc_wide_observe)(kl_real *bra, kl_lane *work, const kl_real *state,
                                      const struct kl_vqc_rotations *turns, const kl_real *cot,
                                      size_t lane);

#endif
