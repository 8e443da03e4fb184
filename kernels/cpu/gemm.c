/* SPDX-License-Identifier: MIT
   C = or += A B; see kernels/gemm.h. Loops: blocks of k, strips of KL_GEMM_NR columns of B, tiles of
   rows. C carries the chains from one block of k to the next, so blocking changes no bit. */
#include "kernels/gemm.h"

#include <string.h>

#include "kernels/inline/gemm.h"
#include "kernels/inline/real.h"

enum { KC = 256 }; /* a strip of B is at most 32 KiB and stays in the first cache */
#if defined(__AVX512F__)
enum { NARROW = 256 };
#else
enum { NARROW = KL_GEMM_NR };
#endif

struct tile {
    kl_real *c;
    size_t ldc;
    const kl_real *a;
    size_t am, ak;
    const kl_real *b;
    size_t ldb, k;
    int accumulate;
};

#define TILE(mr, nv, unit) \
    kl_gemm_tile(mr, nv, unit, t->c, t->ldc, t->a, t->am, t->ak, t->b, t->ldb, t->k, t->accumulate, 0)
#define CASE(mr)                                                          \
    case mr:                                                              \
        if (mr > KL_GEMM_MR) break;                                       \
        if (nv == 2 && t->am == 1) TILE(mr <= KL_GEMM_MR ? mr : 1, 2, 1); \
        else if (nv == 2) TILE(mr <= KL_GEMM_MR ? mr : 1, 2, 0);          \
        else TILE(mr <= KL_GEMM_MR ? mr : 1, 1, 0);                       \
        break;

static void tile(const struct tile *t, size_t mr, int nv)
{
    switch (mr) {
        CASE(1)
        CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8) CASE(9) CASE(10) CASE(11) CASE(12)
    }
}

/* Columns [0, n) of a block of B, n <= KL_GEMM_NR, side by side and filled up with zeros to whole
 * vectors. */
static void pack(kl_real *strip, const kl_real *b, size_t ldb, size_t n, size_t k, size_t width)
{
    if (n == KL_GEMM_NR) {
        for (size_t p = 0; p < k; p++) {
            kl_lane *to = (kl_lane *)(strip + p * width);
            const kl_lane *from = (const kl_lane *)(b + p * ldb);
            to[0] = from[0];
            to[1] = from[1];
        }
        return;
    }
    for (size_t p = 0; p < k; p++) {
        for (size_t j = 0; j < n; j++) strip[p * width + j] = b[p * ldb + j];
        for (size_t j = n; j < width; j++) strip[p * width + j] = 0;
    }
}

/* One strip against all rows, in tiles of nearly equal height: a short last tile could not hide the
   latency of its sums. next (NULL: none): the strip of B that is packed after this one, a share of which
   each tile asks for: it comes from another cache, by rows too far apart for the processor to foresee
   them. */
static void strip_rows(struct tile t, size_t m, int nv, const kl_real *next, size_t ldb)
{
    size_t n_tiles = (m + KL_GEMM_MR - 1) / KL_GEMM_MR, i = 0, asked = 0;
    for (size_t r = 0; r < n_tiles; r++) {
        size_t end = m * (r + 1) / n_tiles;
        for (; next && asked < t.k * (r + 1) / n_tiles; asked++) {
            __builtin_prefetch(next + asked * ldb);
            __builtin_prefetch(next + asked * ldb + KL_LANES);
        }
        tile(&t, end - i, nv);
        t.c += (end - i) * t.ldc;
        t.a += (end - i) * t.am;
        i = end;
    }
}

/* The same where the strip's last vector is not full: C passes through a buffer of whole vectors. */
static void strip_edge(struct tile t, size_t m, size_t n, int nv)
{
    kl_real edge[KL_GEMM_MR * KL_GEMM_NR] __attribute__((aligned(64)));
    kl_real *c = t.c;
    size_t ldc = t.ldc, width = (size_t)nv * KL_LANES;
    t.c = edge;
    t.ldc = width;
    for (size_t i = 0; i < m; i += KL_GEMM_MR) {
        size_t mr = m - i < KL_GEMM_MR ? m - i : KL_GEMM_MR;
        if (t.accumulate) {
            memset(edge, 0, sizeof edge);
            for (size_t r = 0; r < mr; r++) memcpy(edge + r * width, c + (i + r) * ldc, n * sizeof *c);
        }
        tile(&t, mr, nv);
        for (size_t r = 0; r < mr; r++) memcpy(c + (i + r) * ldc, edge + r * width, n * sizeof *c);
        t.a += mr * t.am;
    }
}

void KL_ISA_NAME(kl_gemm)(kl_real *c, size_t ldc, const kl_real *a, size_t am, size_t ak,
                          const kl_real *b, size_t ldb, size_t m, size_t n, size_t k, int accumulate)
{
    kl_real strip[KC * KL_GEMM_NR] __attribute__((aligned(64)));
    if (k == 0 && !accumulate)
        for (size_t i = 0; i < m; i++) memset(c + i * ldc, 0, n * sizeof *c);
    for (size_t p = 0; p < k; p += KC) {
        size_t kc = k - p < KC ? k - p : KC;
        /* A block of B that fills a part of the first cache, meets few rows, or has short rows of which
           each strip takes whole cache lines in pairs, is used where it lies. */
        int packs = m > 2 * KL_GEMM_MR && kc * ldb * sizeof *b > 16384 && ldb > NARROW;
        for (size_t j = 0; j < n; j += KL_GEMM_NR) {
            size_t nr = n - j < KL_GEMM_NR ? n - j : KL_GEMM_NR;
            int nv = nr > KL_LANES ? 2 : 1, ragged = nr % KL_LANES != 0;
            struct tile t = { c + j, ldc, a + p * ak,         am, ak, b + p * ldb + j,
                              ldb,   kc,  accumulate || p > 0 };
            if (packs || ragged) {
                t.ldb = (size_t)nv * KL_LANES;
                pack(strip, t.b, ldb, nr, kc, t.ldb);
                t.b = strip;
            }
            if (ragged) strip_edge(t, m, nr, nv);
            else
                strip_rows(t, m, nv,
                           packs && n - j >= 2 * KL_GEMM_NR ? b + p * ldb + j + KL_GEMM_NR : NULL, ldb);
        }
    }
}
