/* SPDX-License-Identifier: MIT
   Sixteen signals side by side, each with its own filter; see kernels/depthwise.h. */
#include "kernels/depthwise.h"

#include "kernels/inline/elementary.h"
#include "kernels/inline/lanes.h"
#include "kernels/inline/real.h"

enum { SIDE = KL_DEPTHWISE_SIDE, TILE = 8, AHEAD = 4 };

#define AT(p) (*(kl_lane *)(p))
#define FROM(p) (*(const kl_lane *)(p))
/* Vectors of the sixteen signals, each on its own. */
#define EACH_VECTOR for (size_t l = 0; l < SIDE; l += KL_LANES)

/* `rows` sums stay in registers while the taps go by, AHEAD of them on one window of x. */
static inline __attribute__((always_inline)) void
filter_tile(const int rows, kl_real *y, const kl_real *x, const kl_real *w, size_t k)
{
    kl_lane sum[TILE];
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++) sum[i] = (kl_lane){ 0 };
    size_t j = 0;
    for (; j + AHEAD <= k; j += AHEAD, x += AHEAD * SIDE, w += AHEAD * SIDE) {
        kl_lane in[TILE + AHEAD - 1];
#pragma GCC unroll 16
        for (int i = 0; i < rows + AHEAD - 1; i++) in[i] = FROM(x + i * SIDE);
#pragma GCC unroll 4
        for (int a = 0; a < AHEAD; a++) {
            const kl_lane tap = FROM(w + a * SIDE);
#pragma GCC unroll 8
            for (int i = 0; i < rows; i++) sum[i] += tap * in[i + a];
        }
    }
    for (; j < k; j++, x += SIDE, w += SIDE) {
        const kl_lane tap = FROM(w);
#pragma GCC unroll 8
        for (int i = 0; i < rows; i++) sum[i] += tap * FROM(x + i * SIDE);
    }
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++) AT(y + i * SIDE) = sum[i];
}

#define FILTER(rows) \
    case rows: filter_tile(rows, y, x, w, k); break;
static void filter_rows(size_t rows, kl_real *y, const kl_real *x, const kl_real *w, size_t k)
{
    switch (rows) {
        FILTER(1)
        FILTER(2) FILTER(3) FILTER(4) FILTER(5) FILTER(6) FILTER(7) FILTER(8)
    }
}

static void filter KL_DEPTHWISE_FILTER_ARGS(kl_real)
{
    EACH_VECTOR for (size_t t = 0; t < n; t += TILE)
        filter_rows(n - t < TILE ? n - t : TILE, y + t * SIDE + l, x + t * SIDE + l, w + l, k);
}

/* `rows` lags stay in registers while time goes by. */
static inline __attribute__((always_inline)) void lags_tile(const int rows, kl_real *g, const kl_real *d,
                                                            const kl_real *x, size_t n, int accumulate)
{
    kl_lane sum[TILE];
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++) sum[i] = accumulate ? FROM(g + i * SIDE) : (kl_lane){ 0 };
    size_t t = 0;
    for (; t + AHEAD <= n; t += AHEAD, d += AHEAD * SIDE, x += AHEAD * SIDE) {
        kl_lane in[TILE + AHEAD - 1];
#pragma GCC unroll 16
        for (int i = 0; i < rows + AHEAD - 1; i++) in[i] = FROM(x + i * SIDE);
#pragma GCC unroll 4
        for (int a = 0; a < AHEAD; a++) {
            const kl_lane now = FROM(d + a * SIDE);
#pragma GCC unroll 8
            for (int i = 0; i < rows; i++) sum[i] += now * in[i + a];
        }
    }
    for (; t < n; t++, d += SIDE, x += SIDE) {
        const kl_lane now = FROM(d);
#pragma GCC unroll 8
        for (int i = 0; i < rows; i++) sum[i] += now * FROM(x + i * SIDE);
    }
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++) AT(g + i * SIDE) = sum[i];
}

#define LAGS(rows) \
    case rows: lags_tile(rows, g, d, x, n, accumulate); break;
static void lags_rows(size_t rows, kl_real *g, const kl_real *d, const kl_real *x, size_t n,
                      int accumulate)
{
    switch (rows) {
        LAGS(1)
        LAGS(2) LAGS(3) LAGS(4) LAGS(5) LAGS(6) LAGS(7) LAGS(8)
    }
}

static void lags KL_DEPTHWISE_LAGS_ARGS(kl_real)
{
    EACH_VECTOR for (size_t j = 0; j < k; j += TILE)
        lags_rows(k - j < TILE ? k - j : TILE, g + j * SIDE + l, d + l, x + j * SIDE + l, n, accumulate);
}

static void moments KL_DEPTHWISE_MOMENTS_ARGS(kl_real)
{
    const kl_real share = 1 / (kl_real)n;
    EACH_VECTOR
    {
        kl_lane s[4] = { { 0 } };
        for (size_t t = 0; t < n; t++) s[t % 4] += FROM(x + t * SIDE + l);
        const kl_lane middle = ((s[0] + s[1]) + (s[2] + s[3])) * share;
        AT(mean + l) = middle;
        for (int i = 0; i < 4; i++) s[i] = (kl_lane){ 0 };
        for (size_t t = 0; t < n; t++) {
            const kl_lane off = FROM(x + t * SIDE + l) - middle;
            s[t % 4] += off * off;
        }
        AT(squares + l) = (s[0] + s[1]) + (s[2] + s[3]);
    }
}

/* e^x - 1 below 0, else 0. */
static inline kl_lane below(kl_lane x)
{
    return kl_expm1_lane(kl_choose(x < 0, x, (kl_lane){ 0 }));
}

static void pool_means KL_DEPTHWISE_POOL_ARGS(kl_real)
{
    const kl_real share = 1 / (kl_real)pool;
    EACH_VECTOR
    {
        const kl_lane a = FROM(scale + l), b = FROM(shift + l);
        for (size_t s = 0; s < n; s++) {
            kl_lane sum = { 0 };
            for (size_t p = 0; p < pool; p++) {
                const kl_lane x = FROM(v + (s * pool + p) * SIDE + l) * a + b;
                sum += kl_choose(x < 0, below(x), x);
            }
            AT(out + s * SIDE + l) = sum * share;
        }
    }
}

static void pool_back KL_DEPTHWISE_POOL_BACK_ARGS(kl_real)
{
    const kl_real share = 1 / (kl_real)pool;
    EACH_VECTOR
    {
        const kl_lane a = FROM(scale + l), b = FROM(shift + l), c = FROM(centre + l);
        kl_lane sum = { 0 }, with = { 0 };
        for (size_t s = 0; s < n; s++) {
            const kl_lane g = FROM(d + s * SIDE + l) * share;
            for (size_t p = 0; p < pool; p++) {
                const kl_lane at = FROM(v + (s * pool + p) * SIDE + l),
                              one = (below(at * a + b) + 1) * g;
                sum += one, with += one * (at - c);
                AT(dv + (s * pool + p) * SIDE + l) = one;
            }
        }
        AT(sums + l) = sum, AT(sums + SIDE + l) = with;
    }
}

static void blend KL_DEPTHWISE_BLEND_ARGS(kl_real)
{
    EACH_VECTOR
    {
        const kl_lane e = FROM(f + l), g = FROM(f + SIDE + l), h = FROM(f + 2 * SIDE + l);
        for (size_t t = 0; t < some; t++) {
            const kl_lane rest = FROM(v + t * SIDE + l) * g + h;
            AT(y + t * SIDE + l) = FROM(d + t * SIDE + l) * e + rest;
        }
        for (size_t t = some; t < n; t++) AT(y + t * SIDE + l) = FROM(v + t * SIDE + l) * g + h;
    }
}

#if KL_F64
const struct kl_depthwise_f64
#else
const struct kl_depthwise_f32
#endif
    KL_ISA_NAME(kl_depthwise) = { .filter = filter,
                                  .lags = lags,
                                  .moments = moments,
                                  .pool = pool_means,
                                  .pool_back = pool_back,
                                  .blend = blend };
