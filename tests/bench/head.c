/* SPDX-License-Identifier: MIT
   Epochs of the default head on 60,000 random features (54,000 train): one replica on all threads and on
   one, sixteen replicas, and the same epoch's matrix products alone on one thread. Also the share of the
   core's peak. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "head_features.h"
#include "kernels/gemm.h"
#include "lap.h"

enum { N = 60000, BATCH = 64, LDX = 528 /* as training's batches have it */ };

/* The best epoch's seconds; validation of 6,000 samples included. */
static double train(struct kl_head_model *model, const struct kl_features *f, int64_t replicas,
                    int64_t epochs, int threads)
{
    struct kl_train_options o;
    struct kl_head_train t;
    struct kl_pool *pool = NULL;
    struct kl_error err;
    struct lap l = { .best = 1e9 };
    struct kl_watch watch = { lap, &l };
    kl_train_options_default(&o);
    o.replicas = replicas;
    o.epochs = epochs;
    if (kl_pool_create(&pool, threads, &err) ||
        kl_head_train_open(&t, model, f, &o, kl_pool_size(pool), &err) ||
        kl_train_run(&t.loop, pool, &watch, &err)) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    kl_head_train_close(&t);
    kl_pool_destroy(&pool);
    return l.best;
}

/* The products of one epoch's training steps: forward, gradient of weights, gradient of inputs (but
   for the first layer). */
static double products(const float *x, double *flops)
{
    static const size_t widths[][2] = { { 512, 128 }, { 128, 32 }, { 32, 4 }, { 4, 16 }, { 16, 10 } };
    enum kl_isa k = kl_isa();
    float *w = aligned_alloc(64, 2 * 512 * 128 * sizeof *w),
          *y = aligned_alloc(64, 2 * BATCH * LDX * sizeof *y);
    if (!w || !y) exit(1);
    memset(w, 0, 2 * 512 * 128 * sizeof *w);
    memset(y, 0, 2 * BATCH * LDX * sizeof *y);
    float *dw = w + 512 * 128, *dx = y + BATCH * LDX;
    const size_t steps = (54000 + BATCH - 1) / BATCH;
    double start = kl_clock();
    *flops = 0;
    for (size_t s = 0; s < steps; s++)
        for (int l = 0; l < 5; l++) {
            const size_t in = widths[l][0], out = widths[l][1], ldx = l ? in : LDX;
            const float *a = l ? dx : x + s % 8 * BATCH * D;
            kl_isa_gemm_f32(k)(y, out, a, ldx, 1, w, out, BATCH, out, in, 0);
            kl_isa_gemm_f32(k)(dw, out, a, 1, ldx, y, out, in, out, BATCH, 0);
            if (l) kl_isa_gemm_f32(k)(dx, in, y, out, 1, w, in, BATCH, in, out, 0);
            *flops += (l ? 6.0 : 4.0) * BATCH * (double)(in * out);
        }
    double seconds = kl_clock() - start;
    free(w), free(y);
    return seconds;
}

int main(int argc, char **argv)
{
    const int quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    struct kl_head_options options;
    struct kl_head_model model;
    struct kl_features features;
    struct kl_error err;
    double flops, best = 1e9;
    kl_head_options_default(&options);
    if (kl_head_model_make(&model, &options, D, CLASSES, &err)) return 1;
    make_features(&features, N);
    for (int i = 0; i < (quick ? 2 : 8); i++) {
        double seconds = products(features.x, &flops);
        if (seconds < best) best = seconds;
    }
    double one = train(&model, &features, 1, quick ? 3 : 10, 0),
           alone = train(&model, &features, 1, quick ? 3 : 10, 1),
           sixteen = train(&model, &features, 16, quick ? 2 : 4, 0);
    double peak = kl_device_peak_gflops(kl_isa_name(kl_isa())), rate = flops / best * 1e-9;
    printf("%s: products %.1f GFLOP/s of %.1f (%.0f %%); an epoch is %.2f times its products, on one "
           "thread "
           "%.2f times; 16 replicas %.2f times one\n",
           kl_isa_name(kl_isa()), rate, peak, 100 * rate / peak, one / best, alone / best,
           sixteen / one);
    printf("bench epoch/products %.6g s\n", best);
    printf("bench epoch/ketline %.6g s\n", one);
    printf("bench epoch-1-thread/ketline %.6g s\n", alone);
    printf("bench epoch16/ketline %.6g s\n", sixteen);
    free(features.x), free(features.labels);
    kl_head_model_free(&model);
    return 0;
}
