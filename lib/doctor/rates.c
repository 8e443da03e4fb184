/* SPDX-License-Identifier: MIT
   A benchmark of two seconds: what the machine could do, and what circuits, products and convolutions
   reach. Every thread works on data of its own; a rate is that of the best of several rounds. */
#include "doctor/doctor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/doctor_int.h"
#include "kernels/gemm.h"

const int kl_rates_qubits[2] = { 4, 10 };
enum { SIDE = 256, DEPTH = 512 }; /* of the product: (SIDE, DEPTH) times (DEPTH, SIDE) */

struct race {
    void (*work)(void *context, size_t thread);
    void *context;
};

static void run_one(void *context, size_t i, int thread)
{
    const struct race *race = context;
    (void)thread;
    race->work(race->context, i);
}

double kl_doctor_rates_race(void (*work)(void *, size_t), void *context, struct kl_pool *pool,
                            double seconds)
{
    struct race race = { work, context };
    const size_t threads = (size_t)kl_pool_size(pool);
    double best = 1e9, begun = kl_clock();
    for (int round = 0; round < 3 || kl_clock() - begun < seconds; round++) {
        const double start = kl_clock();
        kl_pool_for(pool, threads, run_one, &race);
        const double time = kl_clock() - start;
        if (round && time < best) best = time; /* the first one warms up */
    }
    return (double)threads / best;
}

void kl_doctor_rates_fill(float *values, size_t n, float step)
{
    for (size_t i = 0; i < n; i++) values[i] = sinf(step * (float)(i + 1));
}

/* ---- peak ---- */

static void find_peak(void *context, size_t thread)
{
    double *peaks = context;
    peaks[thread] = kl_device_peak_gflops(kl_isa_name(kl_isa()));
}

static int peak(struct kl_rates *rates, struct kl_pool *pool, struct kl_error *err)
{
    const size_t threads = (size_t)kl_pool_size(pool);
    double *peaks = calloc(threads, sizeof *peaks);
    if (!peaks) return kl_fail_memory(err, threads * sizeof *peaks);
    struct race race = { find_peak, peaks };
    kl_pool_for(pool, threads, run_one, &race);
    for (size_t i = 0; i < threads; i++) rates->peak += 1e9 * peaks[i];
    free(peaks);
    return KL_OK;
}

/* ---- bandwidth ---- */

struct reading {
    float *values;
    size_t n; /* a thread */
    volatile float sink;
};

static void read_share(void *context, size_t thread)
{
    struct reading *r = context;
    const float sum = kl_device_read_memory(r->values + thread * r->n, r->n);
    if (sum == 1) r->sink = sum;
}

/* Beyond any cache, but no more than an eighth of what is free. */
static int bandwidth(struct kl_rates *rates, struct kl_pool *pool, const struct kl_memory *memory,
                     struct kl_error *err)
{
    size_t bytes = (size_t)256 << 20;
    while (memory->available && bytes > memory->available / 8) bytes /= 2;
    while (memory->limit && bytes > memory->limit / 8) bytes /= 2;
    const size_t threads = (size_t)kl_pool_size(pool);
    struct reading r = { .n = bytes / sizeof(float) / threads };
    if (!(r.values = malloc(threads * r.n * sizeof *r.values))) return kl_fail_memory(err, bytes);
    for (size_t i = 0; i < threads * r.n; i += 64) r.values[i] = 0;
    memset(r.values, 0, threads * r.n * sizeof *r.values);
    rates->bandwidth =
        (double)(r.n * sizeof *r.values) * kl_doctor_rates_race(read_share, &r, pool, 0.2);
    free(r.values);
    return KL_OK;
}

/* ---- product ---- */

enum { MATRICES = 2 * SIDE * DEPTH + SIDE * SIDE };

static void multiply(void *context, size_t thread)
{
    float *a = (float *)context + thread * MATRICES, *b = a + SIDE * DEPTH, *c = b + DEPTH * SIDE;
    kl_kernel_gemm_f32()(c, SIDE, a, DEPTH, 1, b, SIDE, SIDE, SIDE, DEPTH, 0);
}

/* A few elements against their definition in double. */
static bool product_is_right(const float *a, const float *b, const float *c)
{
    for (size_t k = 0; k < 64; k++) {
        const size_t i = k * 37 % SIDE, j = k * 101 % SIDE;
        double sum = 0;
        for (size_t p = 0; p < DEPTH; p++) sum += (double)a[i * DEPTH + p] * (double)b[p * SIDE + j];
        if (!(fabs(sum - (double)c[i * SIDE + j]) < 1e-3)) return false;
    }
    return true;
}

static int product(struct kl_rates *rates, struct kl_pool *pool, struct kl_error *err)
{
    const size_t threads = (size_t)kl_pool_size(pool), bytes = threads * MATRICES * sizeof(float);
    float *values = malloc(bytes);
    if (!values) return kl_fail_memory(err, bytes);
    kl_doctor_rates_fill(values, threads * MATRICES, 0.37f);
    rates->product = 2.0 * SIDE * SIDE * DEPTH * kl_doctor_rates_race(multiply, values, pool, 0.25);
    const float *last = values + (threads - 1) * MATRICES;
    if (!product_is_right(last, last + SIDE * DEPTH, last + 2 * SIDE * DEPTH))
        snprintf(rates->problem, sizeof rates->problem, "matrix products (%s) give wrong numbers",
                 kl_isa_name(kl_isa()));
    free(values);
    return KL_OK;
}

int kl_doctor_rates_measure(struct kl_rates *rates, struct kl_pool *pool, const struct kl_memory *memory,
                            struct kl_error *err)
{
    memset(rates, 0, sizeof *rates);
    int code = peak(rates, pool, err);
    if (!code) code = bandwidth(rates, pool, memory, err);
    if (!code) code = product(rates, pool, err);
    if (!code) code = kl_doctor_rates_convolution(rates, pool, err);
    if (!code) code = kl_doctor_rates_langevin(rates, pool, err);
    for (int i = 0; !code && i < 2; i++) code = kl_doctor_rates_circuit(rates, i, pool, err);
    return code;
}
