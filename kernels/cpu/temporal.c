/* SPDX-License-Identifier: MIT
   Definition of the family; see kernels/temporal.h. A row is copied between zeros first, which it leaves
   the first cache for no more. */
#include "kernels/temporal.h"

#include <string.h>

#include "kernels/inline/groups.h"

enum { PAD = KL_TEMPORAL_TAPS };
#define INLINE static inline __attribute__((always_inline))

/* Steps t, t + 1, ... that are less than `steps`. */
INLINE kl_lane_bits before(size_t t, size_t steps)
{
    kl_real number[KL_LANES];
    for (int l = 0; l < KL_LANES; l++) number[l] = (kl_real)(t + (size_t)l < steps);
    kl_lane v;
    memcpy(&v, number, sizeof v);
    return v > 0;
}

/* row: PAD zeros, x, zeros to a whole group and PAD more. */
static const kl_real *between_zeros(kl_real *row, const kl_real *x, size_t steps)
{
    memset(row, 0, PAD * sizeof *row);
    memcpy(row + PAD, x, steps * sizeof *row);
    memset(row + PAD + steps, 0, (KL_TEMPORAL_ROW(steps) - PAD - steps) * sizeof *row);
    return row + PAD;
}

INLINE kl_lane convolve(const kl_real *at, const kl_real *w, kl_real bias, const int taps)
{
    kl_lane z = (kl_lane){ 0 } + bias;
#pragma GCC unroll 4
    for (int k = 0; k < taps; k++) z += w[k] * *(const kl_lane *)(at + k);
    return z;
}

/* ---- silu and mean in one pass ---- */
INLINE void pool_row(kl_real *mean, kl_real *slopes, const kl_real *x, const kl_real *w, kl_real bias,
                     size_t steps, const int taps, const int left, const int slope_too)
{
    kl_lane sum[KL_GROUP_VECTORS] = { { 0 } }, by[KL_TEMPORAL_TAPS + 1][KL_GROUP_VECTORS];
    for (int k = 0; k <= taps; k++) memset(by[k], 0, sizeof by[k]);
    for (size_t t = 0; t < steps; t += KL_GROUP)
#pragma GCC unroll 4
        for (int v = 0; v < KL_GROUP_VECTORS; v++) {
            const size_t at = t + (size_t)(v * KL_LANES);
            const kl_real *from = x + at - left;
            kl_lane slope, y = kl_silu_lane(convolve(from, w, bias, taps), &slope);
            if (t + KL_GROUP > steps) {
                const kl_lane_bits inside = before(at, steps);
                y = kl_choose(inside, y, (kl_lane){ 0 }),
                slope = kl_choose(inside, slope, (kl_lane){ 0 });
            }
            sum[v] += y;
            if (!slope_too) continue;
#pragma GCC unroll 4
            for (int k = 0; k < taps; k++) by[k][v] += slope * *(const kl_lane *)(from + k);
            by[taps][v] += slope;
        }
    const kl_real share = 1 / (kl_real)steps;
    *mean = kl_sum_group(sum) * share;
    for (int k = 0; slope_too && k <= taps; k++) slopes[k] = kl_sum_group(by[k]) * share;
}

static void pool KL_TEMPORAL_POOL_ARGS(kl_real, kl_temporal_filter)
{
    for (size_t c = 0; c < filter->channels; c++) {
        const kl_real *at = between_zeros(row, x + c * ld, filter->steps),
                      *w = filter->w + c * (size_t)filter->taps;
        const kl_real bias = filter->bias[c];
        kl_real *to = slopes ? slopes + c * (size_t)(filter->taps + 1) : NULL;
        if (filter->taps == 3 && slopes)
            pool_row(mean + c, to, at, w, bias, filter->steps, 3, filter->left, 1);
        else if (filter->taps == 3)
            pool_row(mean + c, to, at, w, bias, filter->steps, 3, filter->left, 0);
        else
            pool_row(mean + c, to, at, w, bias, filter->steps, filter->taps, filter->left,
                     slopes != NULL);
    }
}

/* ---- silu of a filter, and back ---- */
INLINE void filter_row(kl_real *y, const kl_real *x, const kl_real *w, kl_real bias, size_t steps,
                       const int taps, const int left)
{
    for (size_t t = 0; t < steps; t += 16)
        for (size_t at = t; at < t + 16; at += KL_LANES) {
            kl_lane slope, z = kl_silu_lane(convolve(x + at - left, w, bias, taps), &slope);
            if (at + KL_LANES > steps) z = kl_choose(before(at, steps), z, (kl_lane){ 0 });
            *(kl_lane *)(y + at) = z;
        }
}

static void filter_rows KL_TEMPORAL_FILTER_ARGS(kl_real, kl_temporal_filter)
{
    for (size_t c = 0; c < filter->channels; c++) {
        const kl_real *at = between_zeros(row, x + c * ld, filter->steps),
                      *w = filter->w + c * (size_t)filter->taps;
        if (filter->taps == 4)
            filter_row(y + c * ld, at, w, filter->bias[c], filter->steps, 4, filter->left);
        else filter_row(y + c * ld, at, w, filter->bias[c], filter->steps, filter->taps, filter->left);
    }
}

/* dz (between zeros) = gradient by z; sums by taps and bias are added. */
INLINE void back_row(kl_real *dz, kl_real *dw, kl_real *db, const kl_real *x, const kl_real *w,
                     kl_real bias, const kl_real *dy, kl_real each, size_t steps, const int taps,
                     const int left)
{
    kl_lane by[KL_TEMPORAL_TAPS + 1][KL_GROUP_VECTORS];
    for (int k = 0; k <= taps; k++) memset(by[k], 0, sizeof by[k]);
    for (size_t t = 0; t < steps; t += KL_GROUP)
#pragma GCC unroll 4
        for (int v = 0; v < KL_GROUP_VECTORS; v++) {
            const size_t at = t + (size_t)(v * KL_LANES);
            const kl_real *from = x + at - left;
            kl_lane d = (kl_lane){ 0 } + each, slope;
            if (dy && at + KL_LANES <= steps) d = *(const kl_lane *)(dy + at);
            else if (dy && at < steps)
                d = (kl_lane){ 0 }, memcpy(&d, dy + at, (steps - at) * sizeof *dy);
            kl_silu_lane(convolve(from, w, bias, taps), &slope);
            d *= slope;
            if (at + KL_LANES > steps) d = kl_choose(before(at, steps), d, (kl_lane){ 0 });
            *(kl_lane *)(dz + at) = d;
#pragma GCC unroll 4
            for (int k = 0; k < taps; k++) by[k][v] += d * *(const kl_lane *)(from + k);
            by[taps][v] += d;
        }
    for (int k = 0; dw && k < taps; k++) dw[k] += kl_sum_group(by[k]);
    if (dw) *db += kl_sum_group(by[taps]);
}

/* dx[t] = sum over k of w[k] dz[t - k + left]. */
INLINE void spread_row(kl_real *dx, const kl_real *dz, const kl_real *w, size_t steps, const int taps,
                       const int left)
{
    for (size_t t = 0; t < steps; t += 16)
        for (size_t at = t; at < t + 16; at += KL_LANES) {
            kl_lane d = { 0 };
#pragma GCC unroll 4
            for (int k = 0; k < taps; k++) d += w[k] * *(const kl_lane *)(dz + at + left - k);
            if (at + KL_LANES > steps) d = kl_choose(before(at, steps), d, (kl_lane){ 0 });
            *(kl_lane *)(dx + at) = d;
        }
}

INLINE void back_channel(kl_real *dx, kl_real *dw, kl_real *db, const struct kl_temporal_filter *filter,
                         const kl_real *x, const kl_real *dy, kl_real each, size_t c, kl_real *row,
                         const int taps)
{
    const size_t steps = filter->steps;
    const kl_real *at = between_zeros(row, x, steps), *w = filter->w + c * (size_t)taps;
    kl_real *dz = row + KL_TEMPORAL_ROW(steps);
    memset(dz, 0, KL_TEMPORAL_ROW(steps) * sizeof *dz);
    back_row(dz + PAD, dw ? dw + c * (size_t)taps : NULL, dw ? db + c : NULL, at, w, filter->bias[c], dy,
             each, steps, taps, filter->left);
    if (dx) spread_row(dx, dz + PAD, w, steps, taps, filter->left);
}

static void back KL_TEMPORAL_BACK_ARGS(kl_real, kl_temporal_filter)
{
    for (size_t c = 0; c < filter->channels; c++) {
        kl_real *to = dx ? dx + c * ld : NULL;
        const kl_real *from = dy ? dy + c * ld : NULL, all = dy ? 0 : each[c];
        if (filter->taps == 4) back_channel(to, dw, db, filter, x + c * ld, from, all, c, row, 4);
        else back_channel(to, dw, db, filter, x + c * ld, from, all, c, row, filter->taps);
    }
}

/* ---- silu and mean of rows in time ---- */
INLINE void pool_columns(kl_real *mean, kl_real *z, size_t ld, kl_lane bias, size_t steps, kl_real share,
                         int slopes)
{
    kl_lane sum = { 0 }, slope;
    for (size_t t = 0; t < steps; t++) {
        kl_lane *at = (kl_lane *)(z + t * ld);
        sum += kl_silu_lane(*at + bias, &slope);
        if (slopes) *at = slope * share;
    }
    *(kl_lane *)mean = sum * share;
}

static void pool_rows KL_TEMPORAL_POOL_ROWS_ARGS(kl_real)
{
    const kl_real share = 1 / (kl_real)steps;
    size_t j = 0;
    for (; j + KL_LANES <= width; j += KL_LANES)
        pool_columns(mean + j, z + j, ld, *(const kl_lane *)(bias + j), steps, share, slopes);
    if (j == width) return;
    const size_t bytes = (width - j) * sizeof *z;
    kl_lane sum = { 0 }, b = { 0 }, slope;
    memcpy(&b, bias + j, bytes);
    for (size_t t = 0; t < steps; t++) {
        kl_lane at = { 0 };
        memcpy(&at, z + t * ld + j, bytes);
        sum += kl_silu_lane(at + b, &slope);
        slope *= share;
        if (slopes) memcpy(z + t * ld + j, &slope, bytes);
    }
    sum *= share;
    memcpy(mean + j, &sum, bytes);
}

/* Defined in kernels/cpu/temporal_tiles.c. */
void KL_ISA_NAME(kl_temporal_tile_inputs) KL_TEMPORAL_TILE_INPUTS_ARGS(kl_real);
void KL_ISA_NAME(kl_temporal_tile_filters) KL_TEMPORAL_TILE_FILTERS_ARGS(kl_real);
void KL_ISA_NAME(kl_temporal_tile_filters_back) KL_TEMPORAL_TILE_FILTERS_BACK_ARGS(kl_real);
void KL_ISA_NAME(kl_temporal_tile_pool) KL_TEMPORAL_TILE_POOL_ARGS(kl_real);
void KL_ISA_NAME(kl_temporal_tile_slopes) KL_TEMPORAL_TILE_SLOPES_ARGS(kl_real);

#define KL_TABLE_NAME KL_ISA_NAME(kl_temporal)
const struct kl_temporal KL_TABLE_NAME = { pool,
                                           filter_rows,
                                           back,
                                           pool_rows,
                                           KL_ISA_NAME(kl_temporal_tile_inputs),
                                           KL_ISA_NAME(kl_temporal_tile_filters),
                                           KL_ISA_NAME(kl_temporal_tile_filters_back),
                                           KL_ISA_NAME(kl_temporal_tile_pool),
                                           KL_ISA_NAME(kl_temporal_tile_slopes) };
