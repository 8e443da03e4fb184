/* SPDX-License-Identifier: MIT
   Definition of the family; see kernels/act.h. Plain loops: the compiler's vectors are as good here. */
#include "kernels/act.h"

#include <string.h>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "kernels/inline/philox.h"
#include "kernels/inline/real.h"

enum { GROUP = 16, HALVES = 8 }; /* Philox blocks side by side, 16-bit numbers in each */

void KL_ISA_NAME(kl_bias) KL_BIAS_ARGS(kl_real)
{
    for (size_t i = 0; i < m; i++) {
        kl_real *row = y + i * n;
        if (relu)
            for (size_t j = 0; j < n; j++) {
                kl_real z = row[j] + b[j];
                row[j] = z > 0 ? z : 0;
            }
        else
            for (size_t j = 0; j < n; j++) row[j] += b[j];
    }
}

typedef uint64_t kl_quads __attribute__((vector_size(64)));
typedef uint32_t kl_words __attribute__((vector_size(32)));
enum { LANES = 8 };

/* The lower half of c times a factor of 32 bits. */
#if defined(__AVX512F__)
#define PRODUCT(c, factor) ((kl_quads)_mm512_mul_epu32((__m512i)(c), _mm512_set1_epi64(factor)))
#else
#define PRODUCT(c, factor) (((c)&0xffffffff) * (factor))
#endif

/* The 16-bit numbers of eight Philox blocks from `index` on, number h of lane l at numbers[16 * h +
   l]: kl_philox over lanes of 64 bits, whose upper halves mean nothing. The test compares the two. */
static inline void eight_blocks(uint32_t *numbers, const struct kl_dropout_draw *draw, uint32_t index)
{
    kl_quads c0 = (kl_quads){ 0, 1, 2, 3, 4, 5, 6, 7 } + index, c1 = (kl_quads){ 0 } + draw->purpose;
    kl_quads c2 = (kl_quads){ 0 } + draw->step, c3 = (kl_quads){ 0 } + draw->replica;
    uint32_t k0 = (uint32_t)draw->seed, k1 = (uint32_t)(draw->seed >> 32);
    for (int round = 0; round < KL_PHILOX_ROUNDS; round++, k0 += KL_PHILOX_W0, k1 += KL_PHILOX_W1) {
        kl_quads p0 = PRODUCT(c0, KL_PHILOX_M0), p1 = PRODUCT(c2, KL_PHILOX_M1);
        c0 = (p1 >> 32) ^ c1 ^ k0;
        c1 = p1;
        c2 = (p0 >> 32) ^ c3 ^ k1;
        c3 = p0;
    }
    const kl_quads words[4] = { c0, c1, c2, c3 };
    for (int w = 0; w < 4; w++) {
        kl_words word = __builtin_convertvector(words[w], kl_words), half = word & 0xffff;
        memcpy(numbers + 2 * w * GROUP, &half, sizeof half);
        half = word >> 16;
        memcpy(numbers + (2 * w + 1) * GROUP, &half, sizeof half);
    }
}

void KL_ISA_NAME(kl_dropout) KL_DROPOUT_ARGS(kl_real)
{
    const kl_real scale = (kl_real)draw->scale;
    const uint32_t threshold = draw->threshold;
    for (size_t at = first - first % (GROUP * HALVES); at < first + count; at += GROUP * HALVES) {
        uint32_t numbers[GROUP * HALVES], index = (uint32_t)(at / HALVES);
        eight_blocks(numbers, draw, index);
        eight_blocks(numbers + LANES, draw, index + LANES);
        const size_t from = at < first ? first - at : 0;
        const size_t left = first + count - at, to = left < GROUP * HALVES ? left : GROUP * HALVES;
        kl_real *restrict z = y + (at + from - first);
        const uint32_t *number = numbers + from;
        for (size_t e = 0; e < to - from; e++) z[e] = number[e] >= threshold ? z[e] * scale : 0;
    }
}

void KL_ISA_NAME(kl_relu_back) KL_RELU_BACK_ARGS(kl_real)
{
    const kl_real s = (kl_real)scale;
    for (size_t i = 0; i < count; i++) dy[i] = y[i] > 0 ? dy[i] * s : 0;
}

void KL_ISA_NAME(kl_sum_rows) KL_SUM_ROWS_ARGS(kl_real)
{
    for (size_t j = 0; j < n; j++) sum[j] = 0;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) sum[j] += y[i * n + j];
}
