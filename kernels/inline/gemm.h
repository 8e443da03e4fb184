/* SPDX-License-Identifier: MIT
   The register tile of the product: mr rows by nv vectors of C stay in registers while k runs (the
   scheme of Goto & van de Geijn 2008, doi:10.1145/1356052.1356053, without their packing of A).
   Inlined with constant mr, nv and unit, so that loops unroll. */
#ifndef KL_INLINE_GEMM_H
#define KL_INLINE_GEMM_H

#include <stddef.h>

#include "kernels/inline/real.h"

/* 2 vectors of B and mr x 2 accumulators, with a register left for the broadcast: of 32 registers or
   16. */
#if defined(__AVX512F__) || defined(__aarch64__)
enum { KL_GEMM_MR = 12 };
#elif defined(__AVX__)
enum { KL_GEMM_MR = 6 };
#else
enum { KL_GEMM_MR = 4 };
#endif
enum { KL_GEMM_FAR = 64 };
enum { KL_GEMM_NV = 2, KL_GEMM_NR = KL_GEMM_NV * KL_LANES };

/* C (mr, nv vectors) = or += A (mr,k) B (k, nv vectors); unit: am is 1;
   ahead: values of A to prefetch by, or 0. Rows of A go in threes, one pointer each: x86
   addresses p, p+am and p+2am without arithmetic. */
static inline __attribute__((always_inline)) void
kl_gemm_tile(const int mr, const int nv, const int unit, kl_real *c, size_t ldc, const kl_real *a, size_t am,
             size_t ak, const kl_real *b, size_t ldb, size_t k, int accumulate, const size_t ahead)
{
    kl_lane sum[KL_GEMM_MR][KL_GEMM_NV];
    const kl_real *row[KL_GEMM_MR / 3 + 1];
#pragma GCC unroll 16
    for (int i = 0; i < mr; i++)
#pragma GCC unroll 2
        for (int v = 0; v < nv; v++)
            sum[i][v] = accumulate ? *(const kl_lane *)(c + i * ldc + v * KL_LANES) : (kl_lane){ 0 };
#pragma GCC unroll 16
    for (int g = 0; g * 3 < mr; g++) row[g] = a + 3 * (size_t)g * am;
    if (!accumulate && k >= KL_GEMM_FAR) /* C is on its way while the sums run */
#pragma GCC unroll 16
        for (int i = 0; i < mr; i++)
#pragma GCC unroll 2
            for (int v = 0; v < nv; v++) __builtin_prefetch(c + i * ldc + v * KL_LANES, 1);

    for (size_t p = 0; p < k; p++) {
        kl_lane bv[KL_GEMM_NV];
#pragma GCC unroll 2
        for (int v = 0; v < nv; v++) bv[v] = *(const kl_lane *)(b + v * KL_LANES);
#pragma GCC unroll 16
        for (int i = 0; i < mr; i++) {
            kl_real s = unit ? a[i] : row[i / 3][(size_t)(i % 3) * am];
#pragma GCC unroll 2
            for (int v = 0; v < nv; v++) sum[i][v] += s * bv[v];
        }
        if (ahead) __builtin_prefetch(a + ahead);
        b += ldb;
        a += ak;
#pragma GCC unroll 16
        for (int g = 0; g * 3 < mr; g++) row[g] += ak;
    }
#pragma GCC unroll 16
    for (int i = 0; i < mr; i++)
#pragma GCC unroll 2
        for (int v = 0; v < nv; v++) *(kl_lane *)(c + i * ldc + v * KL_LANES) = sum[i][v];
}

#endif
