/* SPDX-License-Identifier: MIT
   What one core can do at most: multiply-adds on registers alone, in the vectors of one instruction set
   (float); and how fast memory is read. */
#include "device/device.h"

#include <string.h>
#include <time.h>

#include "base/base.h"

typedef float v4 __attribute__((vector_size(16)));
typedef float v8 __attribute__((vector_size(32)));
typedef float v16 __attribute__((vector_size(64)));

/* Twelve independent chains hide the latency of four cycles on two ports. */
#define PEAK_LOOP(name, vector, flags)                                                 \
    __attribute__((target(flags), noinline)) static float name(long n, float seed)     \
    {                                                                                  \
        vector s[12], x = (vector){ 0 } + seed, y = x * 0.5f;                          \
        _Pragma("GCC unroll 12") for (int i = 0; i < 12; i++) s[i] = x * (float)i;     \
        for (long r = 0; r < n; r++) {                                                 \
            _Pragma("GCC unroll 12") for (int i = 0; i < 12; i++) s[i] = s[i] * x + y; \
        }                                                                              \
        _Pragma("GCC unroll 12") for (int i = 1; i < 12; i++) s[0] += s[i];            \
        return s[0][0];                                                                \
    }
PEAK_LOOP(peak_base, v4, "sse2")
PEAK_LOOP(peak_avx2, v8, "avx2,fma")
PEAK_LOOP(peak_avx512, v16, "avx512f,fma")

double kl_device_peak_gflops(const char *isa)
{
    const bool wide = strcmp(isa, "avx512") == 0, middle = strcmp(isa, "avx2") == 0;
    const double lanes = wide ? 16 : middle ? 8 : 4;
    double best = 0;
    volatile float sink;
    for (int round = 0; round < 8; round++) {
        const long n = 1000000;
        double start = kl_clock();
        sink = 0.25f;
        sink = wide ? peak_avx512(n, sink) : middle ? peak_avx2(n, sink) : peak_base(n, sink);
        double rate = 24e-9 * lanes * (double)n / (kl_clock() - start);
        if (rate > best) best = rate;
    }
    return best;
}

float kl_device_read_memory(const float *values, size_t n)
{
    enum { CHAINS = 8 };
    v8 sums[CHAINS] = { { 0 } };
    for (size_t i = 0; i + 8 * CHAINS <= n; i += 8 * CHAINS)
        for (size_t k = 0; k < CHAINS; k++) {
            v8 v;
            memcpy(&v, values + i + 8 * k, sizeof v);
            sums[k] += v;
        }
    for (size_t k = 1; k < CHAINS; k++) sums[0] += sums[k];
    return sums[0][0] + sums[0][7];
}
