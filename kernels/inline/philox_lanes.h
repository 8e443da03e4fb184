/* SPDX-License-Identifier: MIT
   Eight blocks of Philox side by side; for kernels/cpu/. */
#ifndef KL_PHILOX_LANES_H
#define KL_PHILOX_LANES_H

#include "kernels/inline/philox.h"

#if defined(__AVX512F__)
#include <immintrin.h>
/* The lower half of c times a factor of 32 bits. */
#define KL_PHILOX_PRODUCT(c, factor) \
    ((kl_philox_quads)_mm512_mul_epu32((__m512i)(c), _mm512_set1_epi64(factor)))
#else
#define KL_PHILOX_PRODUCT(c, factor) (((c)&0xffffffff) * (factor))
#endif

typedef uint64_t kl_philox_quads __attribute__((vector_size(64)));
typedef uint32_t kl_philox_words __attribute__((vector_size(32)));
enum { KL_PHILOX_LANES = 8 };

/* Word w of block index + l is lane l of out[w]: kl_philox over lanes of 64 bits, whose upper halves
   mean nothing. The tests compare the two. */
static inline void kl_philox_lanes(kl_philox_words out[4], uint64_t seed, uint32_t index,
                                   uint32_t purpose, uint32_t step, uint32_t replica)
{
    kl_philox_quads c0 = (kl_philox_quads){ 0, 1, 2, 3, 4, 5, 6, 7 } + index,
                    c1 = (kl_philox_quads){ 0 } + purpose, c2 = (kl_philox_quads){ 0 } + step,
                    c3 = (kl_philox_quads){ 0 } + replica;
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    for (int round = 0; round < KL_PHILOX_ROUNDS; round++, k0 += KL_PHILOX_W0, k1 += KL_PHILOX_W1) {
        kl_philox_quads p0 = KL_PHILOX_PRODUCT(c0, KL_PHILOX_M0),
                        p1 = KL_PHILOX_PRODUCT(c2, KL_PHILOX_M1);
        c0 = (p1 >> 32) ^ c1 ^ k0;
        c1 = p1;
        c2 = (p0 >> 32) ^ c3 ^ k1;
        c3 = p0;
    }
    const kl_philox_quads words[4] = { c0, c1, c2, c3 };
    for (int w = 0; w < 4; w++) out[w] = __builtin_convertvector(words[w], kl_philox_words);
}

#endif
