/* SPDX-License-Identifier: MIT
   Where amplitudes lie in a block's memory on the GPU (kernels/cuda_circuit.h). */
#ifndef KL_INLINE_PLACE_H
#define KL_INLINE_PLACE_H

#include "kernels/cuda_circuit.h"

#ifndef KL_INLINE
#define KL_INLINE static inline __attribute__((always_inline))
#endif

/* Bits of a thread's own amplitudes choose the bank as well as those of threads do; or threads that each
   write all of their own, side by side, would meet in one. */
KL_INLINE uint32_t kl_cuda_place(uint32_t number, int lane_bits)
{
    const int bits = lane_bits < KL_CUDA_OWN_BITS ? lane_bits : KL_CUDA_OWN_BITS;
    return number ^ (number >> lane_bits & ((1u << bits) - 1));
}

#endif
