/* SPDX-License-Identifier: MIT
   checkkernels, family fft: every instruction set and precision against the plain definition in long
   double; there and back; the place of every frequency; AVX2 and AVX-512 to the same bits. */
#include "kernels/fft.h"

#include <stdlib.h>

#include "base/base.h"

#include "isas.h"
#include "numbers.h"

static const size_t lengths[] = { 1,   2,   3,   4,   5,   6,    7,    8,    9,    12,
                                  15,  16,  25,  31,  32,  60,   64,   97,   99,   128,
                                  243, 256, 360, 480, 512, 1000, 1024, 1080, 1155, 1536 };
enum { LENGTHS = sizeof lengths / sizeof *lengths, MOST = 1536 };

#define ROW_f32 KL_FFT_ROW_F32
#define ROW_f64 KL_FFT_ROW_F64
/* The definition for lane l at frequency k: the angle from the exact j k mod n. */
#define CHECK_OF(real, p, eps)                                                                         \
    static void plain_##p(long double x[2], const real *data, size_t n, size_t k, int l)               \
    {                                                                                                  \
        x[0] = x[1] = 0;                                                                               \
        for (size_t j = 0; j < n; j++) {                                                               \
            const long double a =                                                                      \
                -2 * 3.14159265358979323846264338328L * (long double)(j * k % n) / (long double)n;     \
            const long double re = data[2 * ROW_##p * j + (size_t)l],                                  \
                              im = data[2 * ROW_##p * j + ROW_##p + (size_t)l];                        \
            x[0] += re * cosl(a) - im * sinl(a), x[1] += re * sinl(a) + im * cosl(a);                  \
        }                                                                                              \
    }                                                                                                  \
    static int check_length_##p(enum kl_isa k, size_t n, unsigned long long *digest)                   \
    {                                                                                                  \
        static real x[2 * ROW_##p * MOST] __attribute__((aligned(64))),                                \
            y[2 * ROW_##p * MOST] __attribute__((aligned(64)));                                        \
        struct kl_fft_##p *plan = kl_fft_plan_##p(n, n % 24 == 0 ? 24 : 0);                            \
        int failures = 0;                                                                              \
        if (!plan) return 1;                                                                           \
        real *work = aligned_alloc(64, (plan->work + 16) * sizeof *work / 64 * 64 + 64);               \
        for (size_t i = 0; i < 2 * ROW_##p * n; i++) x[i] = (real)uniform(), y[i] = x[i];              \
        kl_isa_fft_##p(k)->forward(plan, y, work);                                                     \
        for (size_t i = 0; i < 2 * ROW_##p * n; i++) {                                                 \
            unsigned long long bits = 0;                                                               \
            memcpy(&bits, &y[i], sizeof y[i]);                                                         \
            *digest = *digest * 6364136223846793005ull + bits;                                         \
        }                                                                                              \
        for (size_t f = 0; f<n; f += n> 200 ? 7 : 1) {                                                 \
            const size_t at = kl_fft_place_##p(plan, f) * 2 * ROW_##p;                                 \
            for (int l = 0; l < ROW_##p; l += 3) {                                                     \
                long double want[2];                                                                   \
                plain_##p(want, x, n, f, l);                                                           \
                const long double scale = sqrtl((long double)n);                                       \
                failures += far(kl_isa_name(k), "fft " #p " re", f, y[at + (size_t)l], want[0], scale, \
                                12, eps);                                                              \
                failures += far(kl_isa_name(k), "fft " #p " im", f, y[at + ROW_##p + (size_t)l],       \
                                want[1], scale, 12, eps);                                              \
            }                                                                                          \
        }                                                                                              \
        kl_isa_fft_##p(k)->backward(plan, y, work);                                                    \
        for (size_t i = 0; i < 2 * ROW_##p * n; i++)                                                   \
            failures += far(kl_isa_name(k), "fft " #p " back", i, y[i] / (real)n, x[i], 1, 24, eps);   \
        free(work);                                                                                    \
        kl_fft_plan_free_##p(plan);                                                                    \
        if (failures) printf("%s: length %zu\n", kl_isa_name(k), n);                                   \
        return failures;                                                                               \
    }
CHECK_OF(float, f32, 1.2e-7L)
CHECK_OF(double, f64, 2.3e-16L)

static unsigned long long digests[3];

static int check(enum kl_isa k)
{
    int failures = 0;
    random_state = 88172645463325252ull;
    kl_isa_use(k); /* a plan of Bluestein's transforms its kernel */
    for (int i = 0; i < LENGTHS; i++) {
        failures += check_length_f32(k, lengths[i], &digests[k]);
        failures += check_length_f64(k, lengths[i], &digests[k]);
    }
    if (k == KL_ISA_AVX512 && digests[KL_ISA_AVX2] != digests[k])
        failures++, printf("fft: AVX2 and AVX-512 differ\n");
    printf("fft %s: %s\n", kl_isa_name(k), failures ? "off" : "as defined");
    return failures;
}

static double clock_of(void)
{
    return kl_clock();
}

#define BENCH(real, p)                                                                            \
    static void bench_##p(enum kl_isa k, size_t n)                                                \
    {                                                                                             \
        struct kl_fft_##p *plan = kl_fft_plan_##p(n, 0);                                          \
        if (!plan) return;                                                                        \
        real *data = aligned_alloc(64, (2 * ROW_##p * n + plan->work) * sizeof *data),            \
             *work = data + 2 * ROW_##p * n;                                                      \
        double best = 1e9;                                                                        \
        memset(data, 0, 2 * ROW_##p * n * sizeof *data);                                          \
        for (int repeat = 0; repeat < 20; repeat++) {                                             \
            const double start = clock_of();                                                      \
            kl_isa_fft_##p(k)->forward(plan, data, work);                                         \
            const double seconds = clock_of() - start;                                            \
            best = seconds < best ? seconds : best;                                               \
        }                                                                                         \
        printf("fft %s " #p " %zu x %d: %.1f us, %.1f GFLOP/s (5 n log2 n)\n", kl_isa_name(k), n, \
               ROW_##p, best * 1e6, 5e-9 * (double)n * log2((double)n) * ROW_##p / best);         \
        free(data);                                                                               \
        kl_fft_plan_free_##p(plan);                                                               \
    }
BENCH(float, f32)
BENCH(double, f64)

static void bench(enum kl_isa k)
{
    static const size_t sizes[] = { 64, 256, 512, 4096, 16384, 20480, 32768, 26214, 262144 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) bench_f64(k, sizes[i]);
    bench_f32(k, 32768);
}

int main(int argc, char **argv)
{
    return with_each_isa(argc, argv, check, bench);
}
