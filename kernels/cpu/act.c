/* SPDX-License-Identifier: MIT
   Definition of the family; see kernels/act.h. Plain loops: the compiler's vectors are as good here. */
#include "kernels/act.h"

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

/* Words [w][lane] of the sixteen Philox blocks from `index` on: rounds outside, lanes inside, so
   that a round is a few vector operations. The test compares it with kl_philox. */
static inline void sixteen_blocks(uint32_t c[4][GROUP], const struct kl_dropout_draw *draw, uint32_t index)
{
    uint32_t k0 = (uint32_t)draw->seed, k1 = (uint32_t)(draw->seed >> 32);
    for (uint32_t lane = 0; lane < GROUP; lane++) {
        c[0][lane] = index + lane, c[1][lane] = draw->purpose;
        c[2][lane] = draw->step, c[3][lane] = draw->replica;
    }
    for (int round = 0; round < KL_PHILOX_ROUNDS; round++, k0 += KL_PHILOX_W0, k1 += KL_PHILOX_W1)
        for (int lane = 0; lane < GROUP; lane++)
            kl_philox_round(&c[0][lane], &c[1][lane], &c[2][lane], &c[3][lane], k0, k1);
}

void KL_ISA_NAME(kl_dropout) KL_DROPOUT_ARGS(kl_real)
{
    const kl_real scale = (kl_real)draw->scale;
    const uint32_t threshold = draw->threshold;
    for (size_t at = 0; at < count; at += GROUP * HALVES) {
        uint32_t words[4][GROUP];
        sixteen_blocks(words, draw, (uint32_t)(at / HALVES));
        for (int h = 0; h < HALVES; h++) {
            size_t from = at + (size_t)h * GROUP;
            if (from >= count) break;
            int shift = h % 2 * 16;
            kl_real factor[GROUP];
            for (int lane = 0; lane < GROUP; lane++)
                factor[lane] = (words[h / 2][lane] >> shift & 0xffff) >= threshold ? scale : 0;
            if (from + GROUP <= count)
                for (int lane = 0; lane < GROUP; lane++) y[from + lane] *= factor[lane];
            else
                for (size_t lane = 0; lane < count - from; lane++) y[from + lane] *= factor[lane];
        }
    }
}

void KL_ISA_NAME(kl_bias_back) KL_BIAS_BACK_ARGS(kl_real)
{
    const kl_real s = (kl_real)scale;
    for (size_t j = 0; j < n; j++) db[j] = 0;
    for (size_t i = 0; i < m; i++) {
        kl_real *d = dy + i * n;
        if (y)
            for (size_t j = 0; j < n; j++) d[j] = y[i * n + j] > 0 ? d[j] * s : 0;
        for (size_t j = 0; j < n; j++) db[j] += d[j];
    }
}
