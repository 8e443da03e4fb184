/* SPDX-License-Identifier: MIT
   One training epoch of every net on windows, as qseq trains it: 1,492 windows of 64 channels and 249
   timesteps in batches of 32, each in 16 parts, gradient and Adam's update, float. --model NAME --qubits
   N: one row alone. The time of an epoch on one thread is its processor time, on all threads the wall's;
   some batches are measured, the line says `scaled`. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device/device.h"
#include "kernels/isa.h"
#include "sequence/model/model.h"

enum { CHANNELS = 64, STEPS = 249, BATCH = 32, PARTS = 16, WINDOWS = 1492 };

static struct kl_error err;
static double budget = 1.5;

static void must(int code)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err.text);
    exit(1);
}
static void *memory(size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 127) / 64 * 64);
    if (!p) abort();
    memset(p, 0, (bytes + 127) / 64 * 64);
    return p;
}
static double now(bool wall)
{
    struct timespec t;
    clock_gettime(wall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct training {
    struct kl_sequence_net net;
    size_t parts;
    float *x, *params, *m, *v, *grad, *logits, *state;
    int32_t labels[BATCH];
    void *work;
    size_t work_size;
    uint64_t step;
};

static void part(void *context, size_t i, int thread)
{
    struct training *t = context;
    const size_t from = i * BATCH / t->parts, to = (i + 1) * BATCH / t->parts,
                 window = CHANNELS * kl_sequence_stride(STEPS), classes = 2;
    const struct kl_sequence_batch_f32 batch = { .x = t->x + from * window,
                                                 .labels = t->labels + from,
                                                 .scale = 1.0 / BATCH,
                                                 .n = to - from,
                                                 .training = true,
                                                 .seed = 1,
                                                 .step = (uint32_t)t->step,
                                                 .row = from };
    struct kl_sequence_result_f32 result = { .logits = t->logits + from * classes,
                                             .grad = t->grad + i * t->net.block.size,
                                             .state = t->state };
    t->net.model->run_f32(&result, &t->net, t->params, &batch,
                          (char *)t->work + (size_t)thread * t->work_size);
}

static void step(struct training *t, struct kl_pool *pool)
{
    struct kl_optimizer o;
    kl_nn_optimizer_default(&o);
    t->step++;
    kl_pool_for(pool, t->parts, part, t);
    const size_t size = t->net.block.size;
    for (size_t half = t->parts / 2; half; half /= 2)
        for (size_t i = 0; i < half; i++)
            for (size_t j = 0; j < size; j++) t->grad[i * size + j] += t->grad[(i + half) * size + j];
    const struct kl_update update = kl_nn_update_at(&o, 1e-4, t->step);
    kl_nn_update_apply_f32(t->params, t->m, t->v, t->grad, size, &update);
}

static void row(const struct kl_sequence_model *model, int qubits, double dropout, int threads)
{
    struct training t = { .parts = model->whole_batch ? 1 : PARTS };
    struct kl_sequence_model_options o;
    const struct kl_sequence_shape shape = { CHANNELS, STEPS, 2, 80 };
    struct kl_pool *pool = NULL;
    kl_sequence_model_options_default(&o);
    o.model = model->name, o.qubits = qubits, o.dropout = dropout;
    must(kl_sequence_net_open(&t.net, &o, &shape, &err));
    const size_t window = CHANNELS * kl_sequence_stride(STEPS), size = t.net.block.size;
    t.x = memory(BATCH * window * sizeof *t.x), t.params = memory(size * sizeof(float));
    t.m = memory(size * sizeof(float)), t.v = memory(size * sizeof(float));
    t.grad = memory(t.parts * size * sizeof(float)), t.logits = memory(BATCH * 2 * sizeof(float));
    t.work_size = (model->work_f32(&t.net, BATCH / t.parts) + 4095) / 4096 * 4096;
    t.work = memory((size_t)threads * t.work_size);
    if (t.net.first_state < t.net.block.n) t.state = memory(size * sizeof(float));
    for (size_t i = 0; i < BATCH * window; i++)
        if (i % kl_sequence_stride(STEPS) < STEPS) t.x[i] = (float)sin(0.7 * (double)i);
    for (int i = 0; i < BATCH; i++) t.labels[i] = i % 2;
    if (model->init) model->init(&t.net, t.params, 1, 0);
    if (threads > 1) must(kl_pool_create(&pool, threads, &err));
    double best = 1e9;
    step(&t, pool);
    for (double begun = now(true); now(true) - begun < budget;) {
        const double start = now(threads > 1);
        step(&t, pool);
        best = fmin(best, now(threads > 1) - start);
    }
    char name[96];
    snprintf(name, sizeof name, "sequence-%s%s%d%s%s", model->name, model->quantum ? "-" : "", qubits,
             dropout > 0 ? "-dropout" : "", threads > 1 ? "-threads" : "");
    if (!model->quantum)
        snprintf(name, sizeof name, "sequence-%s%s", model->name, threads > 1 ? "-threads" : "");
    printf("%s, %d threads: %.1f us a window\n", name, threads, 1e6 * best / BATCH);
    printf("bench %s/ketline %.6f s scaled\n", name, best / BATCH * WINDOWS);
    fflush(stdout);
    kl_pool_destroy(&pool);
    free(t.x), free(t.params), free(t.m), free(t.v), free(t.grad), free(t.logits), free(t.work),
        free(t.state);
    kl_sequence_net_close(&t.net);
}

int main(int argc, char **argv)
{
    const char *only = NULL;
    int qubits = 0;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--quick")) budget = 0.2;
        else if (!strcmp(argv[i], "--model") && i + 1 < argc) only = argv[++i];
        else if (!strcmp(argv[i], "--qubits") && i + 1 < argc) qubits = atoi(argv[++i]);
    }
    const int threads = kl_threads_available();
    printf("%s: %.1f GFLOP/s in registers alone\n", kl_isa_name(kl_isa()),
           kl_device_peak_gflops(kl_isa_name(kl_isa())));
    for (size_t i = 0; i < kl_sequence_n_models; i++) {
        const struct kl_sequence_model *model = kl_sequence_models[i];
        if (only && strcmp(only, model->name)) continue;
        for (int n = 6; n <= (model->quantum ? 10 : 6); n += 2) {
            if (qubits && n != qubits) continue;
            row(model, n, 0, 1);
            if (model->quantum && n == 6) row(model, n, 0.1, 1);
            if (threads > 1) row(model, n, 0, threads);
        }
    }
    return 0;
}
