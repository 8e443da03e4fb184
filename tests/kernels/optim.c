/* SPDX-License-Identifier: MIT
   checkkernels, family optim: every instruction set and precision against the formulas of
   kernels/optim.h in long double, to a few units in the last place (the kernels may fuse products and
   sums). */
#include "kernels/optim.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "isas.h"
#include "numbers.h"

enum { MOST = 1031 };
static const size_t sizes[] = { 1, 3, 4, 7, 8, 15, 16, 17, 64, MOST };

#define CHECK(real, p, eps)                                                                             \
    static int check_##p(enum kl_isa k, size_t n, double extreme)                                       \
    {                                                                                                   \
        static real x[MOST], m[MOST], v[MOST], g[MOST], x0[MOST], m0[MOST], v0[MOST];                   \
        const struct kl_adam_factors a = { 0.5, 0.01, 0.999, 0.9, 0.999, 2e-3, 1.5, 1e-8 };             \
        const struct kl_sgd_factors s = { 0.5, 0.01, 0.9, 0.1 };                                        \
        int bad = 0;                                                                                    \
        for (size_t i = 0; i < n; i++) {                                                                \
            x0[i] = x[i] = (real)uniform(), m0[i] = m[i] = (real)(uniform() * extreme);                 \
            v0[i] = v[i] = (real)((uniform() + 0.5) * extreme * extreme),                               \
            g[i] = (real)(uniform() * extreme);                                                         \
        }                                                                                               \
        const double squares = kl_isa_adam_##p(k)(x, m, v, g, n, &a);                                   \
        for (size_t i = 0; i < n; i++) {                                                                \
            const long double t = 0.5L * g[i] + 0.01L * x0[i],                                          \
                              st = 0.5L * fabsl(g[i]) + 0.01L * fabsl(x0[i]);                           \
            const long double mi = 0.9L * m0[i] + (1 - 0.9L) * t,                                       \
                              vi = 0.999L * v0[i] + (1 - 0.999L) * t * t;                               \
            const long double step = 2e-3L / (1.5L * sqrtl(vi) + 1e-8L);                                \
            const long double size = 0.9L * fabsl(m0[i]) + 0.1L * st;                                   \
            bad += far(kl_isa_name(k), "adam m " #p, i, m[i], mi, size, 8, eps);                        \
            bad += far(kl_isa_name(k), "adam v " #p, i, v[i], vi, 0.999L * v0[i] + 0.001L * st * st, 8, \
                       eps);                                                                            \
            bad += far(kl_isa_name(k), "adam p " #p, i, x[i], 0.999L * x0[i] - step * mi,               \
                       fabsl(x0[i]) + 2 * step * size, 8, eps);                                         \
        }                                                                                               \
        long double sum = 0;                                                                            \
        for (size_t i = 0; i < n; i++) sum += (long double)g[i] * g[i];                                 \
        memcpy(x, x0, sizeof x), memcpy(m, m0, sizeof m);                                               \
        bad += far(kl_isa_name(k), "adam squares " #p, 0, squares, sum, sum, 8, 8 * eps);               \
        bad += far(kl_isa_name(k), "sgd squares " #p, 0, kl_isa_sgd_##p(k)(x, m, g, n, &s), sum, sum,   \
                   8, 8 * eps);                                                                         \
        for (size_t i = 0; i < n; i++) {                                                                \
            const long double mi = 0.9L * m0[i] + 0.5L * g[i] + 0.01L * x0[i];                          \
            const long double size = 0.9L * fabsl(m0[i]) + 0.5L * fabsl(g[i]) + 0.01L * fabsl(x0[i]);   \
            bad += far(kl_isa_name(k), "sgd m " #p, i, m[i], mi, size, 8, eps);                         \
            bad += far(kl_isa_name(k), "sgd p " #p, i, x[i], x0[i] - 0.1L * mi,                         \
                       fabsl(x0[i]) + 0.1L * size, 8, eps);                                             \
        }                                                                                               \
        return bad;                                                                                     \
    }
CHECK(float, f32, FLT_EPSILON)
CHECK(double, f64, DBL_EPSILON)

static void bench(enum kl_isa k)
{
    static float x[70186], m[70186], v[70186], g[70186];
    const struct kl_adam_factors a = { 1, 0, 1, 0.9, 0.999, 1e-3, 1, 1e-8 };
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (int i = 0; i < 500; i++) kl_isa_adam_f32(k)(x, m, v, g, 70186, &a);
    clock_gettime(CLOCK_MONOTONIC, &to);
    printf("optim %-6s adam: %.2f ns a value\n", kl_isa_name(k),
           ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) / 500 /
               70186);
}

static int check(enum kl_isa k)
{
    int bad = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        bad += check_f32(k, sizes[s], 1) + check_f64(k, sizes[s], 1) + check_f32(k, sizes[s], 1e6) +
               check_f64(k, sizes[s], 1e-6);
    return bad;
}

int main(int argc, char **argv)
{
    return with_each_isa(argc, argv, check, bench);
}
