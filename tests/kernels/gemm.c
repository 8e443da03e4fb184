/* SPDX-License-Identifier: MIT
   checkkernels, family gemm: every instruction set and precision, bit for bit against the definition:
   one chain of fused multiply-adds over k (without FMA hardware: of products and sums). --bench prints
   GFLOP/s beside the processor's peak. */
#include "base/base.h"
#include "device/device.h"
#include "kernels/gemm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isas.h"
#include "numbers.h"

struct shape {
    size_t m, n, k;
};
static const struct shape shapes[] = {
    { 1, 1, 1 },       { 64, 128, 512 }, { 64, 32, 128 }, { 64, 4, 32 },   { 64, 10, 16 },
    { 512, 128, 64 },  { 33, 16, 700 },  { 3, 50, 0 },    { 25, 47, 257 }, { 13, 33, 19 },
    { 100, 100, 300 }, { 5, 8, 3 },      { 11, 96, 256 }, { 2, 3, 1000 },  { 29, 31, 2 },
    { 12, 24, 5 },     { 7, 65, 64 },    { 26, 64, 513 }, { 128, 20, 33 }, { 1, 200, 40 },
};

/* The definition for both precisions, the test's own, and the comparison. Guard values around C
   must survive. */
#define DEFINE_CHECK(real, precision, fused)                                                         \
    static int check_##precision(enum kl_isa table, struct shape s, int layout, int accumulate)      \
    {                                                                                                \
        size_t ldc = s.n + 3, ldb = s.n + (size_t)layout, bad = 0;                                   \
        const size_t row_steps[] = { s.k, 1, 2 * s.k + 1 }, k_steps[] = { 1, s.m, 2 };               \
        size_t am = row_steps[layout], ak = k_steps[layout];                                         \
        real *a = malloc((s.m * s.k * 2 + s.m + s.k + 1) * sizeof *a),                               \
             *b = malloc((s.k * ldb + 1) * sizeof *b);                                               \
        real *c = malloc(s.m * ldc * sizeof *c), *want = malloc(s.m * ldc * sizeof *want);           \
        if (!a || !b || !c || !want) exit(75);                                                       \
        for (size_t i = 0; i < s.m * s.k * 2 + s.m + s.k + 1; i++) a[i] = (real)uniform();           \
        for (size_t i = 0; i < s.k * ldb; i++) b[i] = (real)uniform();                               \
        for (size_t i = 0; i < s.m * ldc; i++) want[i] = c[i] = (real)uniform();                     \
        int has_fma = strcmp(kl_isa_name(table), "base") != 0;                                       \
        for (size_t i = 0; i < s.m; i++)                                                             \
            for (size_t j = 0; j < s.n; j++) {                                                       \
                real sum = accumulate ? c[i * ldc + j] : 0;                                          \
                for (size_t p = 0; p < s.k; p++) {                                                   \
                    volatile real product = a[i * am + p * ak] * b[p * ldb + j];                     \
                    sum = has_fma ? fused(a[i * am + p * ak], b[p * ldb + j], sum) : sum + product;  \
                }                                                                                    \
                want[i * ldc + j] = sum;                                                             \
            }                                                                                        \
        kl_isa_gemm_##precision(table)(c, ldc, a, am, ak, b, ldb, s.m, s.n, s.k, accumulate);        \
        for (size_t i = 0; i < s.m * ldc; i++) bad += c[i] != want[i];                               \
        if (bad)                                                                                     \
            printf("%s:%d: gemm_%s_%s m=%zu n=%zu k=%zu layout=%d accumulate=%d: %zu of %zu values " \
                   "differ\n",                                                                       \
                   __FILE__, __LINE__, #precision, kl_isa_name(table), s.m, s.n, s.k, layout,        \
                   accumulate, bad, s.m *ldc);                                                       \
        free(a), free(b), free(c), free(want);                                                       \
        return bad != 0;                                                                             \
    }
DEFINE_CHECK(float, f32, fmaf)
DEFINE_CHECK(double, f64, fma)

static void bench(enum kl_isa table)
{
    static const struct shape sizes[] = { { 64, 128, 512 }, { 512, 128, 64 }, { 64, 512, 128 },
                                          { 64, 32, 128 },  { 64, 16, 4 },    { 64, 64, 64 },
                                          { 512, 512, 512 } };
    double peak = kl_device_peak_gflops(kl_isa_name(table));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int layout = 0; layout < 2; layout++) {
            struct shape s = sizes[i];
            float *a = aligned_alloc(64, s.m * s.k * 4), *b = aligned_alloc(64, s.k * s.n * 4);
            float *c = aligned_alloc(64, s.m * s.n * 4);
            if (!a || !b || !c) exit(75);
            for (size_t j = 0; j < s.m * s.k; j++) a[j] = (float)uniform();
            for (size_t j = 0; j < s.k * s.n; j++) b[j] = (float)uniform();
            double best = 0;
            for (int round = 0; round < 5; round++) {
                size_t repeats = 1 + (size_t)(2e7 / (double)(s.m * s.n * s.k));
                double start = kl_clock();
                for (size_t r = 0; r < repeats; r++)
                    kl_isa_gemm_f32(table)(c, s.n, a, layout ? 1 : s.k, layout ? s.m : 1, b, s.n, s.m,
                                           s.n, s.k, 0);
                double rate = 2e-9 * (double)(s.m * s.n * s.k * repeats) / (kl_clock() - start);
                if (rate > best) best = rate;
            }
            printf("gemm_f32_%-7s %4zu x %4zu x %4zu %s: %7.1f GFLOP/s, %3.0f %% of peak %.1f\n",
                   kl_isa_name(table), s.m, s.n, s.k, layout ? "A transposed" : "A as it is  ", best,
                   100 * best / peak, peak);
            free(a), free(b), free(c);
        }
}

static int check(enum kl_isa table)
{
    int failures = 0;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int layout = 0; layout < 3; layout++)
            for (int accumulate = 0; accumulate < 2; accumulate++) {
                failures += check_f32(table, shapes[s], layout, accumulate);
                failures += check_f64(table, shapes[s], layout, accumulate);
            }
    return failures;
}

int main(int argc, char **argv)
{
    return with_each_isa(argc, argv, check, bench);
}
