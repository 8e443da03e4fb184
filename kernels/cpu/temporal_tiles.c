/* SPDX-License-Identifier: MIT
   Filters of three taps as tiles of four outputs, for products with half of the multiplications; see
   kernels/temporal.h. The points of the transform are 0, 1, -1, 2, -2 and infinity. */

#include "kernels/inline/groups.h"
#include "kernels/temporal.h"

#define INLINE static inline __attribute__((always_inline))
#define AT(p, row) (*(kl_lane *)((p) + (row)*width + j))
#define FROM(p, row) (*(const kl_lane *)((p) + (row)*width + j))

void KL_ISA_NAME(kl_temporal_tile_inputs) KL_TEMPORAL_TILE_INPUTS_ARGS(kl_real)
{
    for (size_t i = 0; i < tiles; i++)
        for (size_t j = 0; j < width; j += KL_LANES) {
            const size_t t = 4 * i;
            const kl_lane a = FROM(x, t), b = FROM(x, t + 1), c = FROM(x, t + 2), d = FROM(x, t + 3),
                          e = FROM(x, t + 4), f = FROM(x, t + 5), even = e - 4 * c, odd = d - 4 * b,
                          far = e - c, near = 2 * (d - b);
            AT(parts, i) = 4 * a + (e - 5 * c);
            AT(parts, tiles + i) = even + odd;
            AT(parts, 2 * tiles + i) = even - odd;
            AT(parts, 3 * tiles + i) = far + near;
            AT(parts, 4 * tiles + i) = far - near;
            AT(parts, 5 * tiles + i) = 4 * b + (f - 5 * d);
        }
}

void KL_ISA_NAME(kl_temporal_tile_filters) KL_TEMPORAL_TILE_FILTERS_ARGS(kl_real)
{
    const kl_real sixth = (kl_real)(1 / 6.0), least = (kl_real)(1 / 24.0);
    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < width; j += KL_LANES) {
            kl_real *to = parts + r * width + j;
            const kl_lane a = FROM(w, 3 * r), b = FROM(w, 3 * r + 1), c = FROM(w, 3 * r + 2),
                          ends = a + c, far = a + 4 * c;
            *(kl_lane *)to = a * (kl_real)0.25, *(kl_lane *)(to + step) = -sixth * (ends + b);
            *(kl_lane *)(to + 2 * step) = -sixth * (ends - b),
                                  *(kl_lane *)(to + 3 * step) = least * (far + 2 * b);
            *(kl_lane *)(to + 4 * step) = least * (far - 2 * b), *(kl_lane *)(to + 5 * step) = c;
        }
}
void KL_ISA_NAME(kl_temporal_tile_filters_back) KL_TEMPORAL_TILE_FILTERS_BACK_ARGS(kl_real)
{
    const kl_real sixth = (kl_real)(1 / 6.0), least = (kl_real)(1 / 24.0);
    for (size_t i = 0; i < count; i++) {
        const kl_real *at = d + i, one = at[step] + at[2 * step], two = at[3 * step] + at[4 * step];
        dw[3 * i] = (kl_real)0.25 * at[0] - sixth * one + least * two;
        dw[3 * i + 1] = sixth * (at[2 * step] - at[step]) + 2 * least * (at[3 * step] - at[4 * step]);
        dw[3 * i + 2] = sixth * (two - one) + at[5 * step];
    }
}

/* The four outputs of tile i. */
INLINE void outputs(kl_lane y[4], const kl_real *parts, size_t i, size_t j, size_t tiles, size_t width)
{
    const kl_lane a = FROM(parts, i), b = FROM(parts, tiles + i), c = FROM(parts, 2 * tiles + i),
                  d = FROM(parts, 3 * tiles + i), e = FROM(parts, 4 * tiles + i),
                  f = FROM(parts, 5 * tiles + i), one = b + c, two = d + e, one_less = b - c,
                  two_less = d - e;
    y[0] = a + (one + two), y[1] = one_less + 2 * two_less;
    y[2] = one + 4 * two, y[3] = (one_less + f) + 8 * two_less;
}

void KL_ISA_NAME(kl_temporal_tile_pool) KL_TEMPORAL_TILE_POOL_ARGS(kl_real)
{
    const size_t tiles = (steps + 3) / 4;
    const kl_real share = 1 / (kl_real)steps;
    for (size_t j = 0; j < width; j += KL_LANES) {
        const kl_lane shift = *(const kl_lane *)(bias + j);
        kl_lane sum = { 0 };
        for (size_t i = 0; i < tiles; i++) {
            kl_lane y[4], slope;
            outputs(y, parts, i, j, tiles, width);
#pragma GCC unroll 4
            for (size_t k = 0; k < 4; k++) {
                if (4 * i + k >= steps) continue;
                sum += kl_silu_lane(y[k] + shift, &slope);
                if (slopes) AT(slopes, 4 * i + k) = slope * share;
            }
        }
        *(kl_lane *)(mean + j) = sum * share;
    }
}

void KL_ISA_NAME(kl_temporal_tile_slopes) KL_TEMPORAL_TILE_SLOPES_ARGS(kl_real)
{
    const size_t tiles = (steps + 3) / 4;
    for (size_t i = 0; i < tiles; i++)
        for (size_t j = 0; j < width; j += KL_LANES) {
            const kl_lane f = *(const kl_lane *)(factor + j);
            kl_lane y[4];
#pragma GCC unroll 4
            for (size_t k = 0; k < 4; k++) {
                y[k] = (kl_lane){ 0 };
                if (4 * i + k < steps) y[k] = f * FROM(slopes, 4 * i + k);
            }
            const kl_lane even = y[0] + y[2], odd = y[1] + y[3], even_far = y[0] + 4 * y[2],
                          odd_far = 2 * y[1] + 8 * y[3];
            AT(parts, i) = y[0];
            AT(parts, tiles + i) = even + odd, AT(parts, 2 * tiles + i) = even - odd;
            AT(parts, 3 * tiles + i) = even_far + odd_far, AT(parts, 4 * tiles + i) = even_far - odd_far;
            AT(parts, 5 * tiles + i) = y[3];
        }
}
