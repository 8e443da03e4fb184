/* SPDX-License-Identifier: MIT
   checkkernels, family temporal: every instruction set and precision against the definitions; the same
   bits on all sets with fused multiply-adds. --bench: a window of 64 channels, 249 steps. */
#include "kernels/temporal.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "isas.h"
#include "numbers.h"

enum { ROOM = 1 << 15 };

static long double silu(long double z)
{
    return z / (1 + expl(-z));
}
static long double slope(long double z)
{
    const long double s = 1 / (1 + expl(-z));
    return s + z * s * (1 - s);
}

#define REAL float
#define NAME(base) base##_f32
#define EPS 0x1p-23L
#include "temporal_check.h"
#undef REAL
#undef NAME
#undef EPS
#define REAL double
#define NAME(base) base##_f64
#define EPS 0x1p-52L
#include "temporal_check.h"

static int check(enum kl_isa k)
{
    return check_f32(k) + check_f64(k);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static void bench(enum kl_isa k)
{
    static float mean[64], slopes[256];
    const struct kl_temporal_filter_f32 f = { 64, 249, 3, 1, w_f32, b_f32 };
    double best[2] = { 1, 1 };
    numbers_f32();
    for (int round = 0; round < 200; round++)
        for (int part = 0; part < 2; part++) {
            const double from = now();
            if (part) kl_isa_temporal_f32(k)->pool_rows(mean, x_f32, 64, b_f32, 249, 64, 0);
            else kl_isa_temporal_f32(k)->pool(mean, slopes, &f, x_f32, 256, row_f32);
            best[part] = fmin(best[part], now() - from);
        }
    printf("temporal %s: pool with slopes %.1f us a window, rows %.1f us\n", kl_isa_name(k),
           1e6 * best[0], 1e6 * best[1]);
}

int main(int argc, char **argv)
{
    return with_each_isa(argc, argv, check, bench);
}
