/* SPDX-License-Identifier: MIT
   temporal: convolutions over time of one filter a channel, silu(z) = z / (1 + e^-z), means over time
   and their way back. Channels are rows, time runs along them. Every sum over time is 64 bytes of
   partial sums, step t in partial sum t mod 16 (float) or 8 (double), then halves are added to halves:
   the same whatever the width of vectors. No cuda/ twin: cuDNN does this on a GPU. */
#ifndef KL_TEMPORAL_H
#define KL_TEMPORAL_H

#include <stddef.h>

#include "kernels/isa.h"

/* z[c][t] = bias[c] + sum over k of w[c][k] x[c][t + k - left], k in [0, taps), x being 0 outside [0,
   steps). taps is at most KL_TEMPORAL_TAPS, left at most taps - 1 (all of them: causal). */
enum { KL_TEMPORAL_TAPS = 16 };
#define KL_TEMPORAL_FILTER(real, p)                              \
    struct kl_temporal_filter_##p {                              \
        size_t channels, steps;                                  \
        int taps, left;                                          \
        const real *w, *bias; /* (channels, taps), (channels) */ \
    };
KL_TEMPORAL_FILTER(float, f32)
KL_TEMPORAL_FILTER(double, f64)
/* Values of scratch, aligned to 64 bytes, that a filter of so many steps takes. */
#define KL_TEMPORAL_ROW(steps) (((steps) + 15) / 16 * 16 + 64)

/* mean (channels) = mean over time of silu(z). slopes (channels, taps + 1) = its derivatives by the taps
   and the bias; NULL: not asked for. x (channels, ld). */
#define KL_TEMPORAL_POOL_ARGS(real, type) \
    (real * mean, real * slopes, const struct type *filter, const real *x, size_t ld, real *row)
/* y (channels, ld) = silu(z), then 0 up to a multiple of 16 steps. */
#define KL_TEMPORAL_FILTER_ARGS(real, type) \
    (real * y, const struct type *filter, const real *x, size_t ld, real *row)
/* From dy (channels, ld), the gradient by silu(z), or, if that is NULL, from each (channels), which is
   the same at all steps: dx (channels, ld), then 0 up to a multiple of 16 steps; dw (channels, taps) and
   db (channels), to which the gradients are added. dx and dw may be NULL (db goes with dw). row: twice
   the scratch. */
#define KL_TEMPORAL_BACK_ARGS(real, type)                                                  \
    (real * dx, real * dw, real * db, const struct type *filter, const real *x, size_t ld, \
     const real *dy, const real *each, real *row)
/* mean (width) = mean over the rows of silu(z + bias); z (steps, width), whose rows are ld values apart,
   becomes the derivative of the mean by it, unless slopes is 0. bias (width). */
#define KL_TEMPORAL_POOL_ROWS_ARGS(real) \
    (real * mean, real * z, size_t ld, const real *bias, size_t steps, size_t width, int slopes)

/* Filters of 3 taps over all channels as products, with half of the multiplications: F(4, 3) of Winograd
   (Lavin & Gray 2015, arXiv:1509.09308): tiles of 4 outputs from 6 inputs, of which KL_TEMPORAL_PARTS
   combinations are multiplied, each with one of the filters. Time runs down the rows here. Rows of
   `width` values, a multiple of 16. tile_inputs: parts (6, tiles, width) of x (4 tiles + 2, width), the
   first row is the step before the first output. tile_filters: parts (6, rows, width), `step` apart, of
   w (rows, 3, width). tile_filters_back: dw (count, 3) from parts d (6, count), `step` apart. tile_pool:
   as pool_rows of the outputs that parts (6, tiles, width) give; slopes (steps, width) or NULL.
   tile_slopes: parts from slopes times factor (width), the gradient by the outputs. */
enum { KL_TEMPORAL_TILE = 4, KL_TEMPORAL_PARTS = 6 };
#define KL_TEMPORAL_TILE_INPUTS_ARGS(real) (real * parts, const real *x, size_t tiles, size_t width)
#define KL_TEMPORAL_TILE_FILTERS_ARGS(real) \
    (real * parts, const real *w, size_t rows, size_t width, size_t step)
#define KL_TEMPORAL_TILE_FILTERS_BACK_ARGS(real) (real * dw, const real *d, size_t count, size_t step)
#define KL_TEMPORAL_TILE_POOL_ARGS(real) \
    (real * mean, real * slopes, const real *parts, const real *bias, size_t steps, size_t width)
#define KL_TEMPORAL_TILE_SLOPES_ARGS(real) \
    (real * parts, const real *slopes, const real *factor, size_t steps, size_t width)

#define KL_TEMPORAL_TABLE(p, real)                                           \
    struct kl_temporal_##p {                                                 \
        void(*pool) KL_TEMPORAL_POOL_ARGS(real, kl_temporal_filter_##p);     \
        void(*filter) KL_TEMPORAL_FILTER_ARGS(real, kl_temporal_filter_##p); \
        void(*back) KL_TEMPORAL_BACK_ARGS(real, kl_temporal_filter_##p);     \
        void(*pool_rows) KL_TEMPORAL_POOL_ROWS_ARGS(real);                   \
        void(*tile_inputs) KL_TEMPORAL_TILE_INPUTS_ARGS(real);               \
        void(*tile_filters) KL_TEMPORAL_TILE_FILTERS_ARGS(real);             \
        void(*tile_filters_back) KL_TEMPORAL_TILE_FILTERS_BACK_ARGS(real);   \
        void(*tile_pool) KL_TEMPORAL_TILE_POOL_ARGS(real);                   \
        void(*tile_slopes) KL_TEMPORAL_TILE_SLOPES_ARGS(real);               \
    };                                                                       \
    KL_KERNEL(const struct kl_temporal_##p, temporal_##p)
KL_TEMPORAL_TABLE(f32, float)
KL_TEMPORAL_TABLE(f64, double)

/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_kernel_temporal KL_NAME(kl_kernel_temporal)()
#define kl_temporal_filter KL_NAME(kl_temporal_filter)
#define kl_temporal KL_NAME(kl_temporal)

#endif
