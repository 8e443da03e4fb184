/* SPDX-License-Identifier: MIT
   bits: ones that two bit strings share, signs of weighted sums, random bits by the thousand: what a
   permutation test of measured bits consists of. No cuda/ twin: 10,000 permutations take milliseconds,
   less than a GPU needs to be asked. */
#ifndef KL_KERNEL_BITS_H
#define KL_KERNEL_BITS_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/isa.h"

/* counts[j] = ones of (a AND b_j), j < n; a [words]; b_j begins at b + j * stride. words * 64 < 2^32. */
typedef void kl_bit_counts_fn(uint32_t *restrict counts, const uint64_t *restrict a,
                              const uint64_t *restrict b, size_t stride, size_t n, size_t words);
KL_KERNEL(kl_bit_counts_fn, bit_counts)

/* Bit r of above[w] and of below[w]: is sum over i < n of weights[i] numbers[i stride + 64 w + r] above
   or below 0? w < words. Added in the order of i. */
typedef void kl_bit_sides_fn(uint64_t *restrict above, uint64_t *restrict below,
                             const float *restrict numbers, size_t stride, const float *restrict weights,
                             size_t n, size_t words);
KL_KERNEL(kl_bit_sides_fn, bit_sides)

/* out[2 i] and out[2 i + 1], for 2 i < words, are the four words of kl_philox(seed, first + i, purpose,
   step, replica), the lower halves first. */
typedef void kl_bit_noise_fn(uint64_t *restrict out, size_t words, uint64_t seed, uint32_t first,
                             uint32_t purpose, uint32_t step, uint32_t replica);
KL_KERNEL(kl_bit_noise_fn, bit_noise)

#endif
