/* SPDX-License-Identifier: MIT
   checkkernels, family act: every instruction set and precision against the formulas of kernels/act.h,
   written out one element at a time; all results must be equal, because each element is one addition,
   product or comparison (the sign of a zero is free). */
#include "kernels/act.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "kernels/inline/philox.h"
#include "isas.h"
#include "numbers.h"

enum { MOST = 4096 };
static const struct {
    size_t m, n;
} shapes[] = {
    { 1, 1 }, { 64, 128 }, { 64, 32 }, { 3, 7 }, { 64, 4 }, { 5, 17 }, { 1, 131 }, { 13, 257 }
};

/* The random number of element e, from the header's words. */
static uint32_t number(const struct kl_dropout_draw *d, size_t e)
{
    uint32_t block[4];
    kl_philox(block, d->seed, (uint32_t)(16 * (e / 128) + e % 16), d->purpose, d->step, d->replica);
    return block[e / 16 % 8 / 2] >> (e / 16 % 2 * 16) & 0xffff;
}

/* Extreme values take part: zeros of both signs, denormals, infinities. */
static double value(size_t i)
{
    static const double extreme[] = { 0.0, -0.0, 1e-40, -1e-40, 1e30, -1e30 };
    return i % 11 == 3 ? extreme[i / 11 % 6] : uniform();
}

enum { FIRST = 3 * 128 + 37 }; /* where a part begins in the whole */

#define CHECK(real, p)                                                                            \
    static int differ_##p(const char *isa, const char *what, const real *found, const real *want, \
                          size_t n)                                                               \
    {                                                                                             \
        for (size_t i = 0; i < n; i++)                                                            \
            if (!(found[i] == want[i])) {                                                         \
                printf("%s %s " #p " [%zu]: found %.9g, expected %.9g\n", isa, what, i,           \
                       (double)found[i], (double)want[i]);                                        \
                return 1;                                                                         \
            }                                                                                     \
        return 0;                                                                                 \
    }                                                                                             \
    static int check_##p(enum kl_isa k, size_t m, size_t n)                                       \
    {                                                                                             \
        static real y[MOST], x[MOST], b[MOST], want[MOST], sum[MOST], db[MOST];                   \
        const size_t count = m * n;                                                               \
        const struct kl_dropout_draw draw = { 7, 4 + 256, 12345, 3, 13107, 1.25 };                \
        int failures = 0;                                                                         \
        for (int relu = 0; relu < 2; relu++) {                                                    \
            for (size_t j = 0; j < n; j++) b[j] = (real)value(j);                                 \
            for (size_t i = 0; i < count; i++) {                                                  \
                y[i] = (real)value(i);                                                            \
                const real z = y[i] + b[i % n];                                                   \
                want[i] = !relu || z > 0 ? z : 0;                                                 \
            }                                                                                     \
            kl_isa_bias_##p(k)(y, b, m, n, relu);                                                 \
            failures += differ_##p(kl_isa_name(k), relu ? "bias+relu" : "bias", y, want, count);  \
        }                                                                                         \
        for (size_t i = 0; i < count; i++) {                                                      \
            y[i] = (real)value(i);                                                                \
            want[i] = y[i] * (number(&draw, i) >= draw.threshold ? (real)draw.scale : 0);         \
        }                                                                                         \
        kl_isa_dropout_##p(k)(y, 0, count, &draw);                                                \
        failures += differ_##p(kl_isa_name(k), "dropout", y, want, count);                        \
        for (size_t i = 0; i < count; i++) {                                                      \
            y[i] = (real)value(i);                                                                \
            want[i] = y[i] * (number(&draw, FIRST + i) >= draw.threshold ? (real)draw.scale : 0); \
        }                                                                                         \
        kl_isa_dropout_##p(k)(y, FIRST, count, &draw);                                            \
        failures += differ_##p(kl_isa_name(k), "dropout of a part", y, want, count);              \
        memset(sum, 0, sizeof sum);                                                               \
        for (size_t i = 0; i < count; i++) {                                                      \
            x[i] = (real)value(i + 5);                                                            \
            y[i] = (real)uniform();                                                               \
            want[i] = x[i] > 0 ? y[i] * (real)1.25 : 0;                                           \
            sum[i % n] += want[i];                                                                \
        }                                                                                         \
        kl_isa_relu_back_##p(k)(y, x, count, 1.25);                                               \
        failures += differ_##p(kl_isa_name(k), "relu_back", y, want, count);                      \
        kl_isa_sum_rows_##p(k)(db, y, m, n);                                                      \
        failures += differ_##p(kl_isa_name(k), "sum_rows", db, sum, n);                           \
        return failures;                                                                          \
    }
CHECK(float, f32)
CHECK(double, f64)

static void bench(enum kl_isa k)
{
    static float y[64 * 128];
    struct timespec a, b;
    const struct kl_dropout_draw draw = { 7, 4, 1, 0, 13107, 1.25 };
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (int i = 0; i < 2000; i++) kl_isa_dropout_f32(k)(y, 0, sizeof y / sizeof *y, &draw);
    clock_gettime(CLOCK_MONOTONIC, &b);
    printf("act %-6s dropout 64x128: %.2f ns a value\n", kl_isa_name(k),
           ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / 2000 / (64 * 128));
}

static int check(enum kl_isa k)
{
    int failures = 0;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        if (shapes[s].m * shapes[s].n <= MOST)
            failures += check_f32(k, shapes[s].m, shapes[s].n) + check_f64(k, shapes[s].m, shapes[s].n);
        else failures += check_f32(k, MOST / shapes[s].n, shapes[s].n);
    return failures;
}

int main(int argc, char **argv)
{
    return with_each_isa(argc, argv, check, bench);
}
