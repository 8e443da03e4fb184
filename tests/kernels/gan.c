/* SPDX-License-Identifier: MIT
   checkkernels, family gan, its layers: every instruction set and precision against the formulas of
   kernels/gan.h in long double. */
#include "kernels/gan.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "isas.h"
#include "numbers.h"

enum { ROWS = 7, COLUMNS = 80, MOST_STEPS = 130 };

/* Row after row: products of the weights before, Adam, products of the weights behind. */
#define CHECK_STEP(real, p, eps)                                                                      \
    static int check_step_##p(enum kl_isa k, size_t columns, int wants)                               \
    {                                                                                                 \
        static real w[ROWS * COLUMNS], m[ROWS * COLUMNS], v[ROWS * COLUMNS], d[ROWS], x[COLUMNS],     \
            next[COLUMNS], back[COLUMNS], out[ROWS];                                                  \
        const struct kl_bare_adam a = { 0.01, 0.7, 0.999, 150, 1e-6 };                                \
        long double sums[COLUMNS] = { 0 };                                                            \
        int bad = 0;                                                                                  \
        for (size_t i = 0; i < ROWS * columns; i++)                                                   \
            w[i] = (real)uniform(), m[i] = (real)uniform(), v[i] = (real)(uniform() + 0.5);           \
        for (size_t j = 0; j < columns; j++) x[j] = (real)uniform(), next[j] = (real)uniform();       \
        for (size_t i = 0; i < ROWS; i++) d[i] = (real)uniform();                                     \
        static real w0[ROWS * COLUMNS], m0[ROWS * COLUMNS], v0[ROWS * COLUMNS];                       \
        memcpy(w0, w, sizeof w), memcpy(m0, m, sizeof m), memcpy(v0, v, sizeof v);                    \
        const struct kl_gan_step_rows_##p rows = {                                                    \
            w, m, v, d, x, wants & 1 ? next : NULL, wants & 2 ? back : NULL, out, ROWS, columns       \
        };                                                                                            \
        kl_isa_gan_forward_##p(k)(out, w, x, ROWS, columns);                                          \
        for (size_t i = 0; i < ROWS; i++) {                                                           \
            long double sum = 0;                                                                      \
            for (size_t j = 0; j < columns; j++) sum += (long double)w[i * columns + j] * x[j];       \
            bad += far(kl_isa_name(k), "forward " #p, i, out[i], sum, (long double)columns, 8, eps);  \
        }                                                                                             \
        kl_isa_gan_step_##p(k)(&rows, &a);                                                            \
        for (size_t i = 0; i < ROWS; i++) {                                                           \
            long double sum = 0;                                                                      \
            for (size_t j = 0; j < columns; j++) {                                                    \
                const size_t at = i * columns + j;                                                    \
                const long double g = (long double)d[i] * x[j] + 0.01L * w0[at],                      \
                                  mi = 0.7L * m0[at] + g, vi = 0.999L * v0[at] + g * g,               \
                                  wi = w0[at] - mi / (150 * sqrtl(vi) + 1e-6L);                       \
                bad += far(kl_isa_name(k), "m " #p, at, m[at], mi, 1, 8, eps);                        \
                bad += far(kl_isa_name(k), "v " #p, at, v[at], vi, 1, 8, eps);                        \
                bad += far(kl_isa_name(k), "w " #p, at, w[at], wi, 1, 8, eps);                        \
                sums[j] += (long double)d[i] * w0[at];                                                \
                sum += (long double)w[at] * next[j];                                                  \
            }                                                                                         \
            if (wants & 1)                                                                            \
                bad += far(kl_isa_name(k), "next " #p, i, out[i], sum, (long double)columns, 8, eps); \
        }                                                                                             \
        for (size_t j = 0; wants & 2 && j < columns; j++)                                             \
            bad += far(kl_isa_name(k), "back " #p, j, back[j], sums[j], ROWS, 8, eps);                \
        return bad;                                                                                   \
    }
CHECK_STEP(float, f32, FLT_EPSILON)
CHECK_STEP(double, f64, DBL_EPSILON)

/* Steps of one input's weights together: `n` of them, the first alone with a gradient; then a product.
 */
#define CHECK_INPUT(real, p, eps)                                                                       \
    static int check_input_##p(enum kl_isa k, size_t n, int steps, real y)                              \
    {                                                                                                   \
        static real w[COLUMNS * 4], m[COLUMNS * 4], v[COLUMNS * 4], d[COLUMNS * 4], out[COLUMNS * 4];   \
        struct kl_bare_adam a[MOST_STEPS];                                                              \
        long double want[COLUMNS * 4][4];                                                               \
        for (int i = 0; i < MOST_STEPS; i++)                                                            \
            a[i] = (struct kl_bare_adam){ 0.01 + 0.01 * (i % 3), 0.7 - 0.1 * (i % 2),                   \
                                          0.999 - 0.009 * (i % 5), 150 - 10 * (i % 4), 1e-6 };          \
        const real x = (real)0.75;                                                                      \
        int bad = 0;                                                                                    \
        for (size_t j = 0; j < n; j++) {                                                                \
            w[j] = (real)uniform(), m[j] = (real)uniform(), v[j] = (real)(uniform() + 0.5);             \
            d[j] = (real)uniform(), out[j] = (real)uniform();                                           \
            long double *r = want[j];                                                                   \
            r[0] = w[j], r[1] = m[j], r[2] = v[j];                                                      \
            for (int s = 0; s < steps; s++) {                                                           \
                const long double g = (s ? 0 : (long double)x * d[j]) + (long double)a[s].decay * r[0]; \
                r[1] = (long double)a[s].beta1 * r[1] + g;                                              \
                r[2] = (long double)a[s].beta2 * r[2] + g * g;                                          \
                r[0] -= r[1] / ((long double)a[s].root * sqrtl(r[2]) + (long double)a[s].epsilon);      \
            }                                                                                           \
            r[3] = out[j] + y * r[0];                                                                   \
        }                                                                                               \
        const struct kl_gan_input_##p in = { w, m, v, d, out, x, y, n, (size_t)steps, steps % 2, a };   \
        kl_isa_gan_input_##p(k)(&in);                                                                   \
        for (size_t j = 0; j < n; j++) {                                                                \
            bad += far(kl_isa_name(k), "input w " #p, j, w[j], want[j][0], 1 + steps, 8, eps);          \
            bad += far(kl_isa_name(k), "input m " #p, j, m[j], want[j][1], 1 + steps, 8, eps);          \
            bad += far(kl_isa_name(k), "input v " #p, j, v[j], want[j][2], 1 + steps, 8, eps);          \
            bad += far(kl_isa_name(k), "input out " #p, j, out[j], want[j][3], 1 + steps, 8, eps);      \
        }                                                                                               \
        return bad;                                                                                     \
    }
CHECK_INPUT(float, f32, FLT_EPSILON)
CHECK_INPUT(double, f64, DBL_EPSILON)

static void bench(enum kl_isa k)
{
    enum { N = 4096 * 256 };
    static float w[N], m[N], v[N], d[4096], x[256], back[256];
    const struct kl_bare_adam a = { 0.005, 0.7, 0.999, 100, 1e-6 };
    const struct kl_gan_step_rows_f32 rows = { w, m, v, d, x, NULL, back, NULL, 4096, 256 };
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (int i = 0; i < 50; i++) kl_isa_gan_step_f32(k)(&rows, &a);
    clock_gettime(CLOCK_MONOTONIC, &to);
    const double seconds =
        ((double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) * 1e-9) / 50;
    printf("gan %-6s step: %.2f ns a weight, %.1f GB/s\n", kl_isa_name(k), seconds * 1e9 / N,
           24.0 * N / seconds * 1e-9);
}

static int check(enum kl_isa k)
{
    int bad = 0;
    for (int wants = 0; wants < 4; wants++)
        for (size_t columns = 16; columns <= COLUMNS; columns += 32)
            bad += check_step_f32(k, columns, wants) + check_step_f64(k, columns, wants);
    for (int steps = 0; steps <= MOST_STEPS; steps += steps < 3 ? 1 : 31) /* also 65 and 127 */
        for (size_t n = 128; n <= 256; n += 128)
            for (int y = 0; y < 2; y++)
                bad +=
                    check_input_f32(k, n, steps, (float)y / 2) + check_input_f64(k, n, steps, y / 2.0);
    return bad;
}

int main(int argc, char **argv)
{
    return with_each_isa(argc, argv, check, bench);
}
