/* SPDX-License-Identifier: MIT
   Nets on windows: processor time of one thread for the gradients of an epoch of 1,492 windows of 64
   channels and 249 steps, float, in parts of `part` windows: sequence [MODEL [qubits [part]]]. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sequence/model/model.h"

static struct kl_error err;
static void must(int code)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err.text);
    exit(1);
}
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

static void measure(const char *model, int qubits, size_t part)
{
    enum { WINDOWS = 96, CHANNELS = 64, STEPS = 249 };
    struct kl_sequence_model_options o;
    struct kl_sequence_net net;
    const struct kl_sequence_shape shape = { CHANNELS, STEPS, 2, 80 };
    const size_t stride = kl_sequence_stride(STEPS);
    kl_sequence_model_options_default(&o);
    o.model = model, o.qubits = qubits;
    must(kl_sequence_net_open(&net, &o, &shape, &err));
    float *params = memory(net.block.size * sizeof(float)),
          *grad = memory(net.block.size * sizeof(float)),
          *x = memory(WINDOWS * CHANNELS * stride * sizeof(float)),
          *logits = memory(WINDOWS * 2 * sizeof(float));
    int32_t labels[WINDOWS];
    void *work = memory(net.model->work_f32(&net, part));
    net.model->init(&net, params, 1, 0);
    for (size_t i = 0; i < WINDOWS * CHANNELS * stride; i++)
        x[i] = i % stride < STEPS ? (float)sin(0.7 * (double)i) : 0;
    for (size_t i = 0; i < WINDOWS; i++) labels[i] = (int32_t)(i % 2);
    double best[2] = { 1e9, 1e9 };
    for (int round = 0; round < 12; round++)
        for (int gradient = 0; gradient < 2; gradient++) {
            const double from = now();
            for (size_t i = 0; i + part <= WINDOWS; i += part) {
                const struct kl_sequence_batch_f32 batch = { .x = x + i * CHANNELS * stride,
                                                             .labels = labels + i,
                                                             .scale = 1.0 / 32,
                                                             .n = part,
                                                             .training = gradient,
                                                             .row = i };
                struct kl_sequence_result_f32 result = { .logits = logits + 2 * i,
                                                         .grad = gradient ? grad : NULL };
                net.model->run_f32(&result, &net, params, &batch, work);
            }
            best[gradient] = fmin(best[gradient], (now() - from) / (double)(WINDOWS / part * part));
        }
    printf("%-18s %2d qubits, parts of %2zu: %7.1f us a window, %.3f s an epoch of one thread; logits "
           "alone %.3f s\n",
           model, qubits, part, 1e6 * best[1], 1492 * best[1], 1492 * best[0]);
    free(params), free(grad), free(x), free(logits), free(work);
    kl_sequence_net_close(&net);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        measure(argv[1], argc > 2 ? atoi(argv[2]) : 6, argc > 3 ? (size_t)atoi(argv[3]) : 2);
        return 0;
    }
    for (size_t m = 0; m < kl_sequence_n_models; m++)
        if (kl_sequence_models[m]->quantum) measure(kl_sequence_models[m]->name, 6, 2);
    return 0;
}
