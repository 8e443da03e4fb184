/* SPDX-License-Identifier: MIT
   Gradients and test passes of the networks that sgld samples, float, on one thread (CPU time, best of
   the rounds): a step of 784-1000-1000-1, an epoch of the reference's MNIST settings with its test pass,
   lenet5, cnn4; and the products alone, against what the core does in registers. Noise and update are
   rows of their own elsewhere. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device/device.h"
#include "kernels/gemm.h"
#include "kernels/langevin.h"
#include "sampling/model/model.h"

static struct kl_error err;
static int rounds = 15;

static void must(int code)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err.text);
    exit(1);
}
static double now(bool wall)
{
    struct timespec t;
    clock_gettime(wall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static float *numbers(size_t n, float scale)
{
    float *p = aligned_alloc(64, (n * sizeof *p + 63) / 64 * 64);
    if (!p) abort();
    uint64_t s = 88172645463325252u;
    for (size_t i = 0; i < n; i++) {
        s ^= s << 13, s ^= s >> 7, s ^= s << 17;
        p[i] = scale * ((float)(s >> 40) * 0x1p-23f - 1);
    }
    return p;
}

/* ---- products ---- */
enum { BATCH = 128 };
struct product {
    const char *name;
    size_t m, n, k, tile_m, tile_n;
};
static double products(double peak)
{
    static const struct product all[] = {
        { "forward 784-1000", 1000, BATCH, 784, 96, 128 },
        { "dW 784-1000", 1000, 784, BATCH, 252, 512 },
        { "forward 1000-1000", 1000, BATCH, 1000, 96, 128 },
        { "dX 1000-1000", BATCH, 1000, 1000, 128, 256 },
        { "dW 1000-1000", 1000, 1000, BATCH, 252, 512 },
    };
    float *a = numbers(1000 * 1000, 1), *b = numbers(1000 * 1000, 1), *c = numbers(1000 * 1000, 1);
    double flops = 0, seconds = 0;
    for (size_t p = 0; p < sizeof all / sizeof *all; p++) {
        const struct product *d = &all[p];
        double best = 1e9;
        for (int r = 0; r < rounds; r++) {
            const double start = now(false);
            for (size_t i = 0; i < d->m; i += d->tile_m)
                for (size_t j = 0; j < d->n; j += d->tile_n)
                    kl_kernel_gemm_f32()(c + i * d->n + j, d->n, a + i * d->k, d->k, 1, b + j, d->n,
                                         d->m - i < d->tile_m ? d->m - i : d->tile_m,
                                         d->n - j < d->tile_n ? d->n - j : d->tile_n, d->k, 0);
            best = fmin(best, now(false) - start);
        }
        const double work = 2.0 * (double)(d->m * d->n * d->k);
        printf("%-18s %6.1f GFLOP/s, %3.0f %% of registers alone\n", d->name, 1e-9 * work / best,
               1e-7 * work / best / peak);
        flops += work, seconds += best;
    }
    free(a), free(b), free(c);
    return 1e-9 * flops / seconds;
}

/* ---- networks ---- */
struct problem {
    struct kl_sampling_net net;
    struct kl_sampling_records train, test;
    struct kl_sampling_target target;
    float *w, *grad;
};
static struct kl_sampling_records records(size_t n, size_t inputs, int classes)
{
    struct kl_sampling_records r = { n, inputs, numbers(n * inputs, 1), calloc(n, sizeof *r.label) };
    for (size_t i = 0; i < n; i++) r.label[i] = (int32_t)(i % (size_t)classes);
    return r;
}
static void problem_make(struct problem *p, const char *name, int classes, size_t n, size_t n_test,
                         int threads)
{
    must(kl_sampling_net_make(&p->net, name, 1, 28, 28, classes, KL_LOSS_BBCE, 4, &err));
    p->train = records(n, p->net.inputs, classes), p->test = records(n_test, p->net.inputs, classes);
    must(kl_sampling_net_target_f32(&p->target, &p->net, &p->train, &p->test, 0, threads, &err));
    p->w = numbers(p->net.size, 1), p->grad = numbers(p->net.size, 0);
    kl_sampling_start_f32(p->w, p->net.tensors, p->net.n_tensors, 1);
}
static void problem_free(struct problem *p)
{
    p->target.close(p->target.context);
    free(p->w), free(p->grad), free(p->train.x), free(p->train.label), free(p->test.x),
        free(p->test.label);
}
/* Best seconds of a gradient of `count` records, of a pass over the test set. */
static double step(struct problem *p, size_t count, struct kl_pool *pool, int times)
{
    struct kl_sampling_sums sums = { 0 };
    const struct kl_sampling_crew crew = { 0, pool };
    double best = 1e9;
    for (int r = 0; r < times; r++) {
        const double start = now(pool != NULL);
        must(p->target.gradient(p->target.context, p->grad, &sums, p->w, NULL, count, &crew, &err));
        best = fmin(best, now(pool != NULL) - start);
    }
    return best;
}
/* The same with noise and update: a whole step of SGLD. */
static double whole_step(struct problem *p, size_t count, int times)
{
    const struct kl_langevin_factors factors = { 1 - 1e-9, 1e-9, 1e-9 };
    struct kl_langevin_stream stream = { 1, 70, 0, 0 };
    struct kl_sampling_sums sums = { 0 };
    struct kl_langevin_sums norms = { 0 };
    double best = 1e9;
    for (int r = 0; r < times; r++, stream.step++) {
        const double start = now(false);
        must(p->target.gradient(p->target.context, p->grad, &sums, p->w, NULL, count, NULL, &err));
        kl_kernel_langevin_step_f32()(p->w, p->grad, 0, p->net.size, &factors, &stream, &norms);
        best = fmin(best, now(false) - start);
    }
    return best;
}
static double test_pass(struct problem *p, struct kl_pool *pool, int times)
{
    struct kl_sampling_sums sums = { 0 };
    const struct kl_sampling_crew crew = { 0, pool };
    double best = 1e9;
    for (int r = 0; r < times; r++) {
        const double start = now(pool != NULL);
        must(p->target.evaluate(p->target.context, &sums, NULL, p->w, true, NULL, p->test.n, &crew,
                                &err));
        best = fmin(best, now(pool != NULL) - start);
    }
    return best;
}

static void mnist(double peak)
{
    struct problem p;
    struct kl_pool *pool;
    problem_make(&p, "fcn2:1000", 2, 1024, 1024, 1);
    const double t = step(&p, 128, NULL, 4 * rounds),
                 flops = 2.0 * 128 * (2 * 784000.0 + 3 * 1000000.0 + 3000),
                 small = step(&p, 100, NULL, 4 * rounds),
                 pass = test_pass(&p, NULL, rounds) / 1024 * 9786;
    printf("784-1000-1000-1, gradient of 128: %.2f ms, %.1f GFLOP/s, %.0f %% of registers alone\n",
           1e3 * t, 1e-9 * flops / t, 1e-7 * flops / t / peak);
    printf("bench mnist-gradient/ketline %.6f s\n", t);
    printf("bench mnist-step/ketline %.6f s\n", whole_step(&p, 128, 4 * rounds));
    printf("bench mnist-epoch/ketline %.6f s\n", 80 * whole_step(&p, 100, 4 * rounds) + pass);
    printf("bench mnist-test/ketline %.6f s\n", pass);
    printf("bench mnist-products-epoch/ketline %.6f s\n", 80 * small + pass);
    must(kl_pool_create(&pool, 2, &err));
    if (kl_threads_available() > 1)
        printf("bench mnist-products-epoch-2-threads/ketline %.6f s\n",
               80 * step(&p, 100, pool, 4 * rounds) + test_pass(&p, pool, rounds) / 1024 * 9786);
    kl_pool_destroy(&pool);
    problem_free(&p);
}

static void convolutions(const char *name, int classes, size_t count, size_t steps, size_t n_test,
                         double flops, double peak)
{
    struct problem p;
    problem_make(&p, name, classes, 512, 512, 1);
    const double t = step(&p, count, NULL, rounds),
                 pass = test_pass(&p, NULL, rounds) / 512 * (double)n_test;
    printf("%s, gradient of %zu: %.2f ms, %.1f GFLOP/s, %.0f %% of registers alone; test pass %.3f s\n",
           name, count, 1e3 * t, 1e-9 * flops / t, 1e-7 * flops / t / peak, pass);
    printf("bench %s-gradient/ketline %.6f s\n", name, t);
    printf("bench %s-epoch/ketline %.6f s\n", name, t * (double)steps + pass);
    problem_free(&p);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--quick") == 0) rounds = 3;
    const double peak = kl_device_peak_gflops(kl_isa_name(kl_isa())), rate = products(peak);
    printf("%s: %.1f GFLOP/s in registers alone\n", kl_isa_name(kl_isa()), peak);
    printf("bench sampling-products/ketline %.1f GFLOP/s\n", rate);
    printf("bench sampling-products-share/ketline %.3f 1\n", rate / peak);
    mnist(peak);
    convolutions("lenet5", 2, 100, 80, 9786,
                 2.0 * 100 * (2 * 117600.0 + 3 * (240000.0 + 48000 + 50400 + 420)), peak);
    convolutions("cnn4", 10, 250, 236, 9786,
                 2.0 * 250 * (2 * 194688.0 + 3 * (10616832.0 + 1179648 + 1280)), peak);
    return 0;
}
