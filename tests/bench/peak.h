/* SPDX-License-Identifier: MIT
   What one core can do: multiply-adds on registers alone, in the vectors of one instruction set (float). */
#ifndef KL_TESTS_PEAK_H
#define KL_TESTS_PEAK_H

#include <string.h>
#include <time.h>

static inline double peak_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef float peak_v4 __attribute__((vector_size(16)));
typedef float peak_v8 __attribute__((vector_size(32)));
typedef float peak_v16 __attribute__((vector_size(64)));

/* Twelve independent chains hide the latency of four cycles on two ports. */
#define PEAK_LOOP(name, vector, flags)                                                                  \
    __attribute__((target(flags), noinline, unused)) static float name(long n, float seed)              \
    {                                                                                                   \
        vector s[12], x = (vector){ 0 } + seed, y = x * 0.5f;                                           \
        _Pragma("GCC unroll 12") for (int i = 0; i < 12; i++) s[i] = x * (float)i;                      \
        for (long r = 0; r < n; r++) {                                                                  \
            _Pragma("GCC unroll 12") for (int i = 0; i < 12; i++) s[i] = s[i] * x + y;                  \
        }                                                                                               \
        _Pragma("GCC unroll 12") for (int i = 1; i < 12; i++) s[0] += s[i];                             \
        return s[0][0];                                                                                 \
    }
PEAK_LOOP(peak_base, peak_v4, "sse2")
PEAK_LOOP(peak_avx2, peak_v8, "avx2,fma")
PEAK_LOOP(peak_avx512, peak_v16, "avx512f,fma")

/* GFLOP/s of one core; the best of several short rounds. */
static inline double peak_gflops(const char *isa)
{
    int wide = strcmp(isa, "avx512") == 0, middle = strcmp(isa, "avx2") == 0;
    double lanes = wide ? 16 : middle ? 8 : 4, best = 0;
    volatile float sink = 0.25f;
    for (int round = 0; round < 8; round++) {
        const long n = 1000000;
        double start = peak_clock();
        sink = wide ? peak_avx512(n, sink) : middle ? peak_avx2(n, sink) : peak_base(n, sink);
        double rate = 24e-9 * lanes * (double)n / (peak_clock() - start);
        if (rate > best) best = rate;
        sink = 0.25f;
    }
    return best;
}

#endif
