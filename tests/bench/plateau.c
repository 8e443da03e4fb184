/* SPDX-License-Identifier: MIT
   The plateau scan in memory, 2-12 qubits, 1-64 layers of strongly-entangling, 200 draws: one thread and
   all; then each instruction set beside its peak. */
#include <time.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/isa.h"
#include "device/device.h"
#include "plateau/plateau.h"

static void must(int code, const struct kl_error *err)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

/* One thread is judged by its processor's time, so that neighbours do not count. */
static double now(bool alone)
{
    struct timespec t;
    clock_gettime(alone ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The best of several rounds; flops: multiplications and additions of the circuits alone. A pair of
   amplitudes under one matrix takes 28; the first layer is a product of columns, 14 an amplitude made
   by doubling; a probability and its two observables 5. */
static double seconds(double *flops, const struct kl_plateau_options *o, struct kl_pool *pool,
                      int rounds)
{
    struct kl_plateau p;
    struct kl_error err;
    double best = 1e9;
    for (int r = 0; r < rounds; r++) {
        const double start = now(!pool);
        must(kl_plateau_scan(&p, o, pool, NULL, &err), &err);
        best = fmin(best, now(!pool) - start);
        *flops = 0;
        for (size_t q = 0; q < p.n_qubits; q++)
            for (size_t l = 0; l < p.n_layers; l++)
                *flops += 2 * (double)o->draws * ldexp(1, p.qubits[q]) *
                          (14.0 * (p.layers[l] - 1) * p.qubits[q] + 14 + 5);
        kl_plateau_free(&p);
    }
    return best;
}

int main(int argc, char **argv)
{
    const bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    const char *work = quick ? "plateau-quick" : "plateau";
    struct kl_plateau_options o;
    struct kl_pool *pool = NULL;
    struct kl_error err;
    double flops;
    kl_plateau_options_default(&o);
    o.qubits = quick ? "2,4,8" : "2-12";
    o.layers = "1,2,4,8,16,32,64";
    must(kl_pool_create(&pool, 0, &err), &err);
    printf("bench %s-1-thread/ketline %.4g s\n", work, seconds(&flops, &o, NULL, 3));
    printf("bench %s-in-memory/ketline %.4g s\n", work, seconds(&flops, &o, pool, 5));
    for (int isa = 0; kl_isa_is_here(isa); isa++) {
        const double peak = kl_device_peak_gflops(kl_isa_name(isa)) / 2; /* double: half the lanes */
        kl_isa_use(isa);
        const double t = seconds(&flops, &o, NULL, 3), rate = 1e-9 * flops / t;
        printf("%s: %.3g s, one thread; %.1f GFLOP/s, peak in double %.1f: %.0f%%\n", kl_isa_name(isa),
               t, rate, peak, 100 * rate / peak);
    }
    kl_pool_destroy(&pool);
    return 0;
}
