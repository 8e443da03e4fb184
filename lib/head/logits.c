/* SPDX-License-Identifier: MIT
   A trained head applied to many samples, and how far that is. */
#include "head/head_int.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "head/evaluate.h"

/* ---- How far an evaluation is ---- */

void kl_head_judge_progress_begin(struct kl_judge_progress *meter, uint64_t samples)
{
    if (meter) *meter = (struct kl_judge_progress){ .watch = meter->watch, .total = samples, .runs = 1 };
}

void kl_head_judge_progress_runs(struct kl_judge_progress *meter, size_t runs)
{
    if (meter) meter->runs = runs;
}

/* So many samples of the run in work are done; all of them: the next run begins. */
static void judge_progress_step(struct kl_judge_progress *meter, size_t done, size_t n)
{
    if (!meter) return;
    kl_watch_step(meter->watch, meter->before + (meter->run * n + done) / meter->runs, meter->total,
                  NULL);
    if (done == n) meter->run++;
}

void kl_head_judge_progress_head(struct kl_judge_progress *meter, size_t n)
{
    if (!meter) return;
    meter->before += n;
    meter->run = 0;
    meter->runs = 1;
}

/* ---- A trained head applied to many samples ---- */

enum { BLOCK = 256 };

struct job {
    const struct kl_head *head;
    struct kl_measured measured; /* with shots */
    struct kl_estimator estimator;
    const float *x;
    float *logits, *outputs; /* NULL: not wanted */
    size_t n;
    atomic_size_t n_done;
    struct kl_head_work *works;
    struct kl_error *errors;
    int *codes;
};

static int compute_block(const struct job *job, size_t from, size_t n, struct kl_head_work *work,
                         struct kl_error *err)
{
    const struct kl_head_model *all = &job->head->model, *model = all;
    struct kl_drawing_model own;
    struct kl_head_values_f32 values;
    struct kl_estimator e = job->estimator;
    e.first = from;
    if (all->circuit) model = kl_head_drawing(&own, all, &e, &all->circuit->draws, from);
    kl_arena_reset(&work->values);
    int code = kl_head_values_take_f32(&values, model, n, false, &work->values, err);
    if (!code)
        code = kl_head_measure_f32(&values, model, job->head->params, job->x + from * model->n_features,
                                   n, NULL, &e, work, err);
    if (code) return code;
    if (job->outputs)
        memcpy(job->outputs + from * model->n_expval, values.expval,
               n * model->n_expval * sizeof *job->outputs);
    if (!job->logits) return KL_OK;
    kl_head_classify_f32(&values, model, job->head->params, job->x + from * model->n_features, n, NULL);
    memcpy(job->logits + from * model->n_classes, values.head[model->n_head - 1],
           n * model->n_classes * sizeof *job->logits);
    return KL_OK;
}

static void one_block(void *context, size_t i, int thread)
{
    struct job *job = context;
    size_t from = i * BLOCK, n = job->n - from < BLOCK ? job->n - from : BLOCK;
    if (!job->codes[thread])
        job->codes[thread] = compute_block(job, from, n, &job->works[thread], &job->errors[thread]);
    const size_t done = atomic_fetch_add(&job->n_done, n) + n;
    if (thread == 0 && done < job->n) judge_progress_step(job->head->meter, done, job->n);
}

int kl_head_logits(float *logits, float *outputs, const struct kl_head *head, const float *x, size_t n,
                   const struct kl_shots *shots, struct kl_pool *pool, struct kl_error *err)
{
    size_t threads = pool ? (size_t)kl_pool_size(pool) : 1;
    struct job job = { .head = head, .x = x, .logits = logits, .outputs = outputs, .n = n };
    int code = 0;
    job.works = calloc(threads, sizeof *job.works);
    job.errors = calloc(threads, sizeof *job.errors);
    job.codes = calloc(threads, sizeof *job.codes);
    if (!job.works || !job.errors || !job.codes)
        code = kl_fail_memory(err, threads * sizeof *job.errors);
    for (size_t i = 0; i < threads && !code; i++) code = kl_head_work_init(&job.works[i], err);
    if (!code && shots && shots->n && head->model.circuit)
        code = kl_circuit_measured_make(&job.measured, head->model.circuit, err);
    if (code) goto out;
    if (job.measured.probabilities)
        job.estimator = (struct kl_estimator){ .circuit = head->model.circuit,
                                               .measured = &job.measured,
                                               .shots = *shots };
    kl_pool_for(pool, (n + BLOCK - 1) / BLOCK, one_block, &job);
    judge_progress_step(head->meter, n, n);
    for (size_t i = 0; i < threads && !code; i++)
        if (job.codes[i]) code = kl_fail(err, job.codes[i], "%s", job.errors[i].text);
out:
    for (size_t i = 0; job.works && i < threads; i++) kl_head_work_free(&job.works[i]);
    kl_circuit_measured_free(&job.measured);
    free(job.works);
    free(job.errors);
    free(job.codes);
    return code;
}

/* Few products a sample, so no threads. */
int kl_head_classify_outputs(float *logits, const struct kl_head *head, const float *outputs, size_t n,
                             struct kl_error *err)
{
    const struct kl_head_model *model = &head->model;
    const size_t c = model->n_classes, k = model->n_expval;
    struct kl_head_work work = { 0 };
    int code = kl_head_work_init(&work, err);
    for (size_t from = 0; from < n && !code; from += BLOCK) {
        const size_t rows = n - from < BLOCK ? n - from : BLOCK;
        struct kl_head_values_f32 values;
        kl_arena_reset(&work.values);
        code = kl_head_values_take_f32(&values, model, rows, false, &work.values, err);
        if (code) break;
        memcpy(values.expval, outputs + from * k, rows * k * sizeof *outputs);
        kl_head_classify_f32(&values, model, head->params, NULL, rows, NULL);
        memcpy(logits + from * c, values.head[model->n_head - 1], rows * c * sizeof *logits);
    }
    kl_head_work_free(&work);
    return code;
}
