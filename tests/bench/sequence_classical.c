/* SPDX-License-Identifier: MIT
   An epoch of classical Mamba and Hydra, float, on one thread (CPU time, best of the rounds): gradients
   of windows of 64 channels x 249 steps, two at a time as 16 parts of a batch of 32 take them, scaled to
   1,492 windows; the products alone, what the core does in registers, and the scan. Pin it to a core. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/gemm.h"
#include "sequence/model/model.h"

enum { CHANNELS = 64, STEPS = 249, PART = 2, EPOCH = 1492 };
static struct kl_error err;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static void *memory(size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!p) abort();
    memset(p, 0, (bytes + 63) / 64 * 64);
    return p;
}
static float *numbers(size_t n, float scale)
{
    float *p = memory(n * sizeof *p);
    uint64_t s = 88172645463325252u;
    for (size_t i = 0; i < n; i++) {
        s ^= s << 13, s ^= s >> 7, s ^= s << 17;
        p[i] = scale * ((float)(s >> 40) * 0x1p-23f - 1);
    }
    return p;
}

/* Multiply-adds of a window's products there and back, twice the forward's but for the input's. */
static double work_of(const struct kl_sequence_net *net)
{
    double all = 0;
    for (int i = 0; i < net->block.n; i++) {
        const struct kl_tensor *t = &net->block.tensors[i];
        if (!t->strips || strstr(t->name, "classifier")) continue;
        all += (double)t->size * STEPS * (strstr(t->name, "embedding") ? 4 : 6);
    }
    return all;
}

/* The largest of its products with everything else left out. */
static double products(void)
{
    float *a = numbers(STEPS * 512, 1), *b = numbers(512 * 128, 1), *c = numbers(STEPS * 512, 1),
          *d = numbers(512 * 128, 1);
    double best = 1e9;
    for (int round = 0; round < 40; round++) {
        const double start = now();
        for (size_t j = 0; j < 512; j += 32)
            kl_kernel_gemm_f32()(c + j, 512, a, 128, 1, b + j * 128, 32, STEPS, 32, 128, 0);
        for (size_t j = 0; j < 512; j += 32)
            kl_kernel_gemm_f32()(d + j * 128, 32, a, 1, 128, c + j, 512, 128, 32, STEPS, 0);
        for (size_t j = 0; j < 128; j += 32)
            kl_kernel_gemm_f32()(a + j, 128, c, 512, 1, b + j * 512, 32, STEPS, 32, 512, 0);
        best = fmin(best, now() - start);
        for (size_t i = 0; i < STEPS * 512; i++) a[i] = 0.5f, c[i] = 0.5f;
    }
    free(a), free(b), free(c), free(d);
    return 6.0 * STEPS * 512 * 128 / best;
}

static double epoch(const char *model, bool gradients, int rounds)
{
    struct kl_sequence_net net;
    struct kl_sequence_model_options o;
    const struct kl_sequence_shape shape = { CHANNELS, STEPS, 2, 80 };
    kl_sequence_model_options_default(&o);
    o.model = model, o.dropout = 0.1;
    if (kl_sequence_net_open(&net, &o, &shape, &err)) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    float *params = memory(net.block.size * sizeof *params),
          *grad = memory(net.block.size * sizeof *grad), *x = numbers(PART * CHANNELS * 256, 1),
          logits[PART * 2];
    int32_t labels[PART] = { 0, 1 };
    void *work = memory(net.model->work_f32(&net, PART));
    net.model->init(&net, params, 7, 0);
    double best = 1e9;
    for (int r = 0; r < rounds; r++) {
        struct kl_sequence_result_f32 result = { .logits = logits, .grad = gradients ? grad : NULL };
        const struct kl_sequence_batch_f32 batch = {
            .x = x, .labels = labels, .scale = 1, .n = PART, .training = gradients, .step = (uint32_t)r
        };
        const double start = now();
        net.model->run_f32(&result, &net, params, &batch, work);
        best = fmin(best, now() - start);
    }
    const double seconds = best * EPOCH / PART, flops = work_of(&net) / (gradients ? 1 : 3) * EPOCH;
    printf("%s%s: %.2f ms a window, products %.0f GFLOP an epoch, %.0f GFLOP/s in all\n", model,
           gradients ? "" : ", logits", 1e3 * best / PART, 1e-9 * flops, 1e-9 * flops / seconds);
    printf("bench %s%s/ketline %.6f s\n", model, gradients ? "-epoch" : "-pass", seconds);
    free(params), free(grad), free(x), free(work);
    kl_sequence_net_close(&net);
    return seconds;
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 && !strcmp(argv[1], "--quick") ? 5 : 60;
    printf("bench classical-products/ketline %.1f GFLOP/s\n", 1e-9 * products());
    epoch("classical-mamba", true, rounds);
    epoch("classical-mamba", false, rounds);
    epoch("classical-hydra", true, rounds);
    epoch("classical-hydra", false, rounds);
    return 0;
}
