/* SPDX-License-Identifier: MIT
   A linear Gaussian target, L = mean of (x . w - y)^2 / 2, for tests of samplers whose laws are known;
   runs of many chains of it. */
#ifndef KL_TESTS_GOLDEN_CHAINS_H
#define KL_TESTS_GOLDEN_CHAINS_H

#include <math.h>

#include "golden.h"
#include "kernels/langevin.h"
#include "sampling/chain/chain_int.h"

enum { GOLDEN_WEIGHTS = 128, GOLDEN_RECORDS = 64 };
struct golden_linear {
    size_t d, n;
    double x[GOLDEN_RECORDS * 8], y[GOLDEN_RECORDS];
    struct kl_sampling_tensor tensor;
    struct kl_sampling_target_f32 target;
};

static inline int golden_linear_gradient(void *context, float *grad, struct kl_sampling_sums *sums,
                                         const float *w, const int64_t *rows, size_t count,
                                         const struct kl_sampling_crew *crew, struct kl_error *err)
{
    const struct golden_linear *g = context;
    double sum[GOLDEN_WEIGHTS] = { 0 };
    (void)crew, (void)err;
    for (size_t i = 0; i < count && g->n > 1; i++) {
        const size_t r = rows ? (size_t)rows[i] : i;
        double left = -g->y[r];
        for (size_t j = 0; j < g->d; j++) left += g->x[r * g->d + j] * (double)w[j];
        for (size_t j = 0; j < g->d; j++) sum[j] += left * g->x[r * g->d + j];
        sums->loss += left * left / 2, sums->wrong += left > 0;
    }
    sums->count += (int64_t)count;
    for (size_t j = 0; j < g->d; j++) grad[j] = (float)(sum[j] / (double)count);
    return KL_OK;
}

static inline int golden_linear_evaluate(void *context, struct kl_sampling_sums *sums,
                                         double *per_record, const float *w, bool test,
                                         const int64_t *rows, size_t count,
                                         const struct kl_sampling_crew *crew, struct kl_error *err)
{
    float unused[GOLDEN_WEIGHTS];
    const struct golden_linear *g = context;
    (void)test;
    for (size_t i = 0; i < count && per_record; i++) {
        struct kl_sampling_sums one = { 0 };
        const int64_t row = rows ? rows[i] : (int64_t)i;
        golden_linear_gradient(context, unused, &one, w, &row, 1, crew, err);
        per_record[i] = one.loss;
    }
    return golden_linear_gradient((void *)g, unused, sums, w, rows, count, crew, err);
}

/* Many steps at once, by the same functions. */
static inline int golden_linear_walk(void *context, float *w, const struct kl_sampling_span *spans,
                                     size_t n, struct kl_sampling_sums *sums,
                                     const struct kl_sampling_crew *crew, struct kl_error *err)
{
    const struct golden_linear *g = context;
    float grad[GOLDEN_WEIGHTS];
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < spans[i].count; k++, sums++) {
            const size_t first = k * spans[i].batch, left = spans[i].n_rows - first;
            struct kl_langevin_stream stream = spans[i].stream;
            stream.step += (uint32_t)k, *sums = (struct kl_sampling_sums){ 0 };
            golden_linear_gradient(context, grad, sums, w, spans[i].rows + first,
                                   left < spans[i].batch ? left : spans[i].batch, crew, err);
            kl_kernel_langevin_step_f32()(w, grad, 0, g->d, &spans[i].factors, &stream, NULL);
        }
    return KL_OK;
}

/* n 1: no data, the prior alone. */
static inline void golden_linear_make(struct golden_linear *g, size_t d, size_t n, double sigma)
{
    g->d = d, g->n = n;
    g->tensor = (struct kl_sampling_tensor){
        .name = "w", .rank = 1, .dims = { d }, .size = d, .fan_in = d, .sigma = sigma
    };
    g->target = (struct kl_sampling_target_f32){ .size = d,
                                                 .tensors = &g->tensor,
                                                 .n_tensors = 1,
                                                 .n = n,
                                                 .n_test = n,
                                                 .loss_high = INFINITY,
                                                 .chance = NAN,
                                                 .context = g,
                                                 .gradient = golden_linear_gradient,
                                                 .evaluate = golden_linear_evaluate };
}

/* Opened and gone to its end. */
static inline struct kl_sampling_run *golden_run(const struct kl_sampling_settings *s,
                                                 const struct kl_sampling_target_f32 *target)
{
    struct kl_sampling_run *run = NULL;
    struct kl_error err = { 0 };
    must(kl_sampling_run_open(&run, s, target, 1, 1, &err), &err);
    must(kl_sampling_run_go(run, NULL, NULL, &err), &err);
    return run;
}

/* Mean over chains of a number of each, and its standard error. */
static inline void golden_mean(double *mean, double *error, const double *values, size_t n)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) sum += values[i];
    *mean = sum / (double)n;
    for (size_t i = 0; i < n; i++) squares += (values[i] - *mean) * (values[i] - *mean);
    *error = sqrt(squares / (double)(n - 1) / (double)n);
}

#endif
