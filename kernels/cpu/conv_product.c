/* SPDX-License-Identifier: MIT
   The products of the convolutions, weights in panels; see kernels/conv.h. As kernels/cpu/gemm.c,
   but a panel is read in the order in which it lies: rows of weights that are 2 KiB apart meet in a
   few sets of the first cache and defeat the prefetchers. */
#include "kernels/conv.h"

#include "kernels/inline/gemm.h"
#include "kernels/inline/real.h"

#if !KL_F64

enum {
    KC = 256,                  /* a strip of B is at most 32 KiB and stays in the first cache */
    AHEAD = 64 * KL_CONV_PANEL /* weights come from the last cache or from memory: hundreds of cycles */
};

struct panel {
    float *c;
    size_t ldc;
    const float *a, *b;
    size_t ldb, k;
    int accumulate;
};

#define TILE(mr) \
    kl_gemm_tile(mr, nv, 1, p->c, p->ldc, p->a, 1, KL_CONV_PANEL, p->b, p->ldb, p->k, p->accumulate, AHEAD)

static inline __attribute__((always_inline)) void rows_of(struct panel *p, size_t rows, const int nv)
{
    while (rows) {
        size_t done = 4;
        if (rows >= 12 && KL_GEMM_MR >= 12) {
            TILE(KL_GEMM_MR >= 12 ? 12 : 1);
            done = 12;
        } else if (rows >= 8 && KL_GEMM_MR >= 8) {
            TILE(KL_GEMM_MR >= 8 ? 8 : 1);
            done = 8;
        } else if (rows % 6 == 0 && KL_GEMM_MR >= 6) {
            TILE(KL_GEMM_MR >= 6 ? 6 : 1);
            done = 6;
        } else {
            TILE(4);
        }
        rows -= done;
        p->a += done;
        p->c += done * p->ldc;
    }
}

static void rows_wide(struct panel p, size_t rows)
{
    rows_of(&p, rows, 2);
}

static void rows_narrow(struct panel p, size_t rows)
{
    rows_of(&p, rows, 1);
}

void KL_ISA_NAME(kl_conv_product)(float *c, size_t ldc, const float *weights, const float *b, size_t ldb,
                                  size_t m, size_t n, size_t k, bool accumulate)
{
    float strip[KC * KL_GEMM_NR] __attribute__((aligned(64)));
    for (size_t p = 0; p < k; p += KC) {
        size_t kc = k - p < KC ? k - p : KC;
        bool packs = kc * ldb * sizeof *b > 16384 && ldb > KL_GEMM_NR;
        for (size_t j = 0; j < n; j += KL_GEMM_NR) {
            bool wide = n - j >= KL_GEMM_NR;
            struct panel at = { c + j, ldc, weights + p * KL_CONV_PANEL, b + p * ldb + j,
                                ldb,   kc,  accumulate || p > 0 };
            if (packs && wide) {
                for (size_t q = 0; q < kc; q++)
                    for (int v = 0; v < KL_GEMM_NV; v++)
                        ((kl_lane *)(strip + q * KL_GEMM_NR))[v] = ((const kl_lane *)(at.b + q * ldb))[v];
                at.b = strip;
                at.ldb = KL_GEMM_NR;
            }
            for (size_t i = 0; i < m;
                 i += KL_CONV_PANEL, at.a += KL_CONV_PANEL * k, at.c += KL_CONV_PANEL * ldc) {
                size_t rows = m - i < KL_CONV_PANEL ? m - i : KL_CONV_PANEL;
                if (wide) rows_wide(at, rows);
                else rows_narrow(at, rows);
            }
        }
    }
}

#endif
