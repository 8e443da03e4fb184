/* SPDX-License-Identifier: MIT
   Definition of the family; see kernels/act.h. Plain loops: the compiler's vectors are as good here. */
#include "kernels/act.h"

#include <string.h>

#include "kernels/inline/philox_lanes.h"
#include "kernels/inline/real.h"

enum { GROUP = 16, HALVES = 8 }; /* Philox blocks side by side, 16-bit numbers in each */

void KL_ISA_NAME(kl_bias)(kl_real *y, const kl_real *b, size_t m, size_t n, int relu)
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

/* The 16-bit numbers of eight Philox blocks from `index` on, number h of lane l at numbers[16 * h + l].
 */
static inline void eight_blocks(uint32_t *numbers, const struct kl_dropout_draw *draw, uint32_t index)
{
    kl_philox_words words[4];
    kl_philox_lanes(words, draw->seed, index, draw->purpose, draw->step, draw->replica);
    for (int w = 0; w < 4; w++) {
        kl_philox_words half = words[w] & 0xffff;
        memcpy(numbers + 2 * w * GROUP, &half, sizeof half);
        half = words[w] >> 16;
        memcpy(numbers + (2 * w + 1) * GROUP, &half, sizeof half);
    }
}

void KL_ISA_NAME(kl_dropout)(kl_real *y, size_t first, size_t count, const struct kl_dropout_draw *draw)
{
    const kl_real scale = (kl_real)draw->scale;
    const uint32_t threshold = draw->threshold;
    for (size_t at = first - first % (GROUP * HALVES); at < first + count; at += GROUP * HALVES) {
        uint32_t numbers[GROUP * HALVES], index = (uint32_t)(at / HALVES);
        eight_blocks(numbers, draw, index);
        eight_blocks(numbers + KL_PHILOX_LANES, draw, index + KL_PHILOX_LANES);
        const size_t from = at < first ? first - at : 0;
        const size_t left = first + count - at, to = left < GROUP * HALVES ? left : GROUP * HALVES;
        kl_real *restrict z = y + (at + from - first);
        const uint32_t *number = numbers + from;
        for (size_t e = 0; e < to - from; e++) z[e] = number[e] >= threshold ? z[e] * scale : 0;
    }
}

void KL_ISA_NAME(kl_relu_back)(kl_real *dy, const kl_real *y, size_t count, double scale)
{
    const kl_real s = (kl_real)scale;
    for (size_t i = 0; i < count; i++) dy[i] = y[i] > 0 ? dy[i] * s : 0;
}

void KL_ISA_NAME(kl_sum_rows)(kl_real *sum, const kl_real *y, size_t m, size_t n)
{
    for (size_t j = 0; j < n; j++) sum[j] = 0;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) sum[j] += y[i * n + j];
}
