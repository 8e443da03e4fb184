/* SPDX-License-Identifier: MIT
   A trained head applied to many samples. */
#include <stdlib.h>

#include "head/head.h"

enum { BLOCK = 256 };

struct job {
    const struct kl_head *head;
    const float *x;
    float *logits;
    size_t n;
    struct kl_head_work *works;
    struct kl_error *errors;
    int *codes;
};

static void one_block(void *context, size_t i, int thread)
{
    const struct job *job = context;
    const struct kl_head_model *model = &job->head->model;
    size_t from = i * BLOCK, n = job->n - from < BLOCK ? job->n - from : BLOCK;
    if (job->codes[thread]) return;
    job->codes[thread] = kl_head_forward_f32(job->logits + from * model->n_classes, NULL, NULL, model,
                                             job->head->params, job->x + from * model->n_features, n,
                                             &job->works[thread], &job->errors[thread]);
}

int kl_head_logits(float *logits, const struct kl_head *head, const float *x, size_t n,
                   struct kl_pool *pool, struct kl_error *err)
{
    size_t threads = pool ? (size_t)kl_pool_size(pool) : 1;
    struct job job = { .head = head, .x = x, .logits = logits, .n = n };
    int code = 0;
    job.works = calloc(threads, sizeof *job.works);
    job.errors = calloc(threads, sizeof *job.errors);
    job.codes = calloc(threads, sizeof *job.codes);
    if (!job.works || !job.errors || !job.codes)
        code = kl_fail_memory(err, threads * sizeof *job.errors);
    for (size_t i = 0; i < threads && !code; i++) code = kl_head_work_init(&job.works[i], err);
    if (code) goto out;
    kl_pool_for(pool, (n + BLOCK - 1) / BLOCK, one_block, &job);
    for (size_t i = 0; i < threads && !code; i++)
        if (job.codes[i]) code = kl_fail(err, job.codes[i], "%s", job.errors[i].text);
out:
    for (size_t i = 0; job.works && i < threads; i++) kl_head_work_free(&job.works[i]);
    free(job.works);
    free(job.errors);
    free(job.codes);
    return code;
}
