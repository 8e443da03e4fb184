/* SPDX-License-Identifier: MIT
   Convolutions of the family layers: products whose rows of B are found through a table, and gradients
   of filters as dot products over positions and images; see kernels/layers.h. */
#include "kernels/inline/gemm.h"
#include "kernels/inline/lanes.h"
#include "kernels/inline/real.h"
#include "kernels/layers.h"

typedef int32_t index_of; /* into maps */

/* Like kl_gemm_tile: mr rows by nv vectors stay in registers while k runs. */
static inline __attribute__((always_inline)) void taps_tile(const int mr, const int nv, kl_real *c,
                                                            size_t ldc, const kl_real *a, size_t am,
                                                            const kl_real *b, const index_of *offset,
                                                            size_t k, const kl_real *bias, int relu)
{
    kl_lane sum[KL_GEMM_MR][KL_GEMM_NV];
    const kl_real *row[KL_GEMM_MR / 3 + 1];
#pragma GCC unroll 16
    for (int i = 0; i < mr; i++)
#pragma GCC unroll 2
        for (int v = 0; v < nv; v++) sum[i][v] = (kl_lane){ 0 } + (bias ? bias[i] : 0);
#pragma GCC unroll 16
    for (int g = 0; g * 3 < mr; g++) row[g] = a + 3 * (size_t)g * am;
    for (size_t p = 0; p < k; p++) {
        const kl_real *at = b + offset[p];
        kl_lane bv[KL_GEMM_NV];
#pragma GCC unroll 2
        for (int v = 0; v < nv; v++) bv[v] = *(const kl_lane *)(at + v * KL_LANES);
#pragma GCC unroll 16
        for (int i = 0; i < mr; i++) {
            const kl_real s = row[i / 3][(size_t)(i % 3) * am];
#pragma GCC unroll 2
            for (int v = 0; v < nv; v++) sum[i][v] += s * bv[v];
        }
#pragma GCC unroll 16
        for (int g = 0; g * 3 < mr; g++) row[g]++;
    }
#pragma GCC unroll 16
    for (int i = 0; i < mr; i++)
#pragma GCC unroll 2
        for (int v = 0; v < nv; v++) {
            kl_lane y = sum[i][v];
            if (relu) y = kl_choose(y > 0, y, (kl_lane){ 0 });
            *(kl_lane *)(c + i * ldc + v * KL_LANES) = y;
        }
}

#define TAPS(mr)                                                                                       \
    case mr:                                                                                           \
        if (mr > KL_GEMM_MR) break;                                                                    \
        if (nv == 2) taps_tile(mr <= KL_GEMM_MR ? mr : 1, 2, c, ldc, a, am, b, offset, k, bias, relu); \
        else taps_tile(mr <= KL_GEMM_MR ? mr : 1, 1, c, ldc, a, am, b, offset, k, bias, relu);         \
        break;
static void taps_rows(size_t mr, int nv, kl_real *c, size_t ldc, const kl_real *a, size_t am,
                      const kl_real *b, const index_of *offset, size_t k, const kl_real *bias, int relu)
{
    switch (mr) {
        TAPS(1)
        TAPS(2) TAPS(3) TAPS(4) TAPS(5) TAPS(6) TAPS(7) TAPS(8) TAPS(9) TAPS(10) TAPS(11) TAPS(12)
    }
}

static void taps KL_LAYERS_TAPS_ARGS(kl_real)
{
    const size_t tiles = (m + KL_GEMM_MR - 1) / KL_GEMM_MR;
    for (size_t j = 0; j < n; j += KL_GEMM_NR) {
        const int nv = n - j >= KL_GEMM_NR ? 2 : 1;
        for (size_t r = 0, i = 0; r < tiles; r++) {
            const size_t end = m * (r + 1) / tiles;
            taps_rows(end - i, nv, c + i * ldc + j, ldc, a + i * am, am, b + j, offset, k,
                      bias ? bias + i : NULL, relu);
            i = end;
        }
    }
}

/* ---- gradients of filters ---- */
#if defined(__AVX512F__) || defined(__aarch64__)
enum { MD = 4, ND = 6 }; /* 24 sums, 4 of d, 1 of b */
#else
enum { MD = 3, ND = 4 }; /* 12, 3, 1 */
#endif
enum { PARTS = KL_LAYERS_IMAGES / KL_LANES };

static kl_real halves(const kl_real s[KL_LAYERS_IMAGES])
{
    kl_real t[8];
    for (int l = 0; l < 8; l++) t[l] = s[l] + s[l + 8];
    for (int l = 0; l < 4; l++) t[l] += t[l + 4];
    return (t[0] + t[2]) + (t[1] + t[3]);
}

static inline __attribute__((always_inline)) void dots_part(const int mr, const int nr, kl_real *sums,
                                                            const kl_real *d, size_t dm,
                                                            const kl_real *b, const index_of *offset,
                                                            const struct kl_layers_field *f)
{
    kl_lane sum[MD][ND];
    const kl_real *from[ND];
#pragma GCC unroll 8
    for (int i = 0; i < mr; i++)
#pragma GCC unroll 8
        for (int j = 0; j < nr; j++) sum[i][j] = (kl_lane){ 0 };
    for (size_t block = 0; block < f->blocks; block++)
        for (size_t y = 0; y < f->rows; y++) {
            const kl_real *at = d + block * f->d_block + y * f->d_row,
                          *in = b + block * f->b_block + y * f->b_row;
#pragma GCC unroll 8
            for (int j = 0; j < nr; j++) from[j] = in + offset[j];
            for (size_t x = 0; x < f->columns * KL_LAYERS_IMAGES; x += KL_LAYERS_IMAGES) {
                kl_lane dv[MD];
#pragma GCC unroll 8
                for (int i = 0; i < mr; i++) dv[i] = *(const kl_lane *)(at + (size_t)i * dm + x);
#pragma GCC unroll 8
                for (int j = 0; j < nr; j++) {
                    const kl_lane bv = *(const kl_lane *)(from[j] + x);
#pragma GCC unroll 8
                    for (int i = 0; i < mr; i++) sum[i][j] += dv[i] * bv;
                }
            }
        }
#pragma GCC unroll 8
    for (int i = 0; i < mr; i++)
#pragma GCC unroll 8
        for (int j = 0; j < nr; j++)
            *(kl_lane *)(sums + (size_t)(i * nr + j) * KL_LAYERS_IMAGES) = sum[i][j];
}

#define DOTS(mr, nr)                                                                            \
    case mr * 8 + nr:                                                                           \
        if (mr > MD || nr > ND) break;                                                          \
        dots_part(mr <= MD ? mr : 1, nr <= ND ? nr : 1, sums + l, d + l, dm, b + l, offset, f); \
        break;
#define DOTS_ROW(mr) DOTS(mr, 1) DOTS(mr, 2) DOTS(mr, 3) DOTS(mr, 4) DOTS(mr, 5) DOTS(mr, 6)
static void dots_tile(size_t mr, size_t nr, kl_real *g, size_t ldg, const kl_real *d, size_t dm,
                      const kl_real *b, const index_of *offset, const struct kl_layers_field *f)
{
    kl_real sums[MD * ND * KL_LAYERS_IMAGES] __attribute__((aligned(64)));
    for (size_t l = 0; l < KL_LAYERS_IMAGES; l += KL_LANES) switch (mr * 8 + nr) {
            DOTS_ROW(1) DOTS_ROW(2) DOTS_ROW(3) DOTS_ROW(4)
        }
    for (size_t i = 0; i < mr; i++)
        for (size_t j = 0; j < nr; j++) g[i * ldg + j] += halves(sums + (i * nr + j) * KL_LAYERS_IMAGES);
}

static void dots KL_LAYERS_DOTS_ARGS(kl_real)
{
    const size_t tall = (m + MD - 1) / MD, wide = (n + ND - 1) / ND;
    for (size_t r = 0, i = 0; r < tall; r++) {
        const size_t i_end = m * (r + 1) / tall;
        for (size_t s = 0, j = 0; s < wide; s++) {
            const size_t j_end = n * (s + 1) / wide;
            dots_tile(i_end - i, j_end - j, g + i * ldg + j, ldg, d + i * dm, dm, b, offset + j, field);
            j = j_end;
        }
        i = i_end;
    }
}

static void totals KL_LAYERS_TOTALS_ARGS(kl_real)
{
    for (size_t i = 0; i < m; i++) {
        kl_real sums[KL_LAYERS_IMAGES] __attribute__((aligned(64))) = { 0 };
        for (size_t l = 0; l < KL_LAYERS_IMAGES; l += KL_LANES) {
            kl_lane sum = { 0 };
            for (size_t block = 0; block < field->blocks; block++)
                for (size_t y = 0; y < field->rows; y++) {
                    const kl_real *at = d + i * dm + block * field->d_block + y * field->d_row + l;
                    for (size_t x = 0; x < field->columns; x++)
                        sum += *(const kl_lane *)(at + x * KL_LAYERS_IMAGES);
                }
            *(kl_lane *)(sums + l) = sum;
        }
        sum[i] += halves(sums);
    }
}

/* Defined in kernels/cpu/layers.c. */
void KL_ISA_NAME(kl_layers_turn) KL_LAYERS_TURN_ARGS(kl_real);
void KL_ISA_NAME(kl_layers_fill) KL_LAYERS_FILL_ARGS(kl_real);
void KL_ISA_NAME(kl_layers_add) KL_LAYERS_ADD_ARGS(kl_real);
void KL_ISA_NAME(kl_layers_pool) KL_LAYERS_POOL_ARGS(kl_real);
void KL_ISA_NAME(kl_layers_pool_back) KL_LAYERS_POOL_BACK_ARGS(kl_real);

#if KL_F64
const struct kl_layers_f64
#else
const struct kl_layers_f32
#endif
    KL_ISA_NAME(kl_layers) = { .taps = taps,
                               .dots = dots,
                               .totals = totals,
                               .turn = KL_ISA_NAME(kl_layers_turn),
                               .fill = KL_ISA_NAME(kl_layers_fill),
                               .add = KL_ISA_NAME(kl_layers_add),
                               .pool = KL_ISA_NAME(kl_layers_pool),
                               .pool_back = KL_ISA_NAME(kl_layers_pool_back) };
