/* SPDX-License-Identifier: MIT
   What models say of windows: logits, probabilities, and of each channel the root of the mean square of
   the loss's derivative by its (standardised) values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/report/report.h"

enum { CHUNK = 16 /* windows at once */ };

struct buffers {
    void *memory, *work;
    float *x, *by_x, *grad, *logits;
    int32_t *labels;
};
struct job {
    struct kl_sequence_report *r;
    size_t stride, chunks; /* of a replica */
    double *squares;       /* (replicas, n, channels) */
    struct buffers *threads;
    int n_threads, code;
    struct kl_error *err;
};

static size_t whole(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static int take_buffers(struct buffers *b, const struct job *job, struct kl_error *err)
{
    const struct kl_sequence_report *r = job->r;
    size_t needed = 0, size = 0; /* by the net that needs most: files may say what they like */
    for (size_t k = 0; k < r->n_models; k++) {
        const struct kl_sequence_net *one = &r->models[k].net;
        const size_t work = one->model->work_f32(one, CHUNK);
        needed = work > needed ? work : needed;
        size = one->block.size > size ? one->block.size : size;
    }
    const size_t x = whole(CHUNK * r->channels * job->stride * sizeof *b->x),
                 grad = whole(size * sizeof *b->grad),
                 logits = whole(CHUNK * r->classes * sizeof *b->logits),
                 labels = whole(CHUNK * sizeof *b->labels),
                 bytes = 2 * x + grad + logits + labels + needed;
    if (posix_memalign(&b->memory, 64, bytes)) {
        b->memory = NULL;
        return kl_fail_memory(err, bytes);
    }
    memset(b->memory, 0, bytes);
    char *at = b->memory;
    b->x = (float *)at, at += x;
    b->by_x = (float *)at, at += x;
    b->grad = (float *)at, at += grad;
    b->logits = (float *)at, at += logits;
    b->labels = (int32_t *)at, at += labels;
    b->work = at;
    return KL_OK;
}

/* Of window i of the report, as its model has it. */
static int copy(float *to, const struct job *job, size_t i, struct kl_error *err)
{
    const struct kl_sequence_report *r = job->r;
    const struct kl_sequence_tested *t = &r->tested[i];
    const struct kl_sequence_standard *s = &r->models[t->model].standard;
    const int64_t person = kl_sequence_standard_person(s, r->people[r->person[i]]);
    const float *x = kl_sequence_set_window(&r->set, t->window, err);
    if (!x) return err->code;
    kl_sequence_standard_apply(to, s, (size_t)person, x, r->set.steps, job->stride);
    return KL_OK;
}

static void keep(struct job *job, const struct buffers *b, size_t replica, size_t first, size_t n)
{
    struct kl_sequence_report *r = job->r;
    for (size_t i = 0; i < n; i++) {
        const size_t at = replica * r->n + first + i;
        memcpy(r->logits + at * r->classes, b->logits + i * r->classes, r->classes * sizeof *r->logits);
        for (size_t c = 0; c < r->channels; c++) {
            const float *d = b->by_x + (i * r->channels + c) * job->stride;
            double sum = 0;
            for (size_t t = 0; t < r->set.steps; t++) sum += (double)d[t] * (double)d[t];
            job->squares[at * r->channels + c] = sum;
        }
    }
}

/* Windows [first, first + n), n <= CHUNK, of one model. */
static int run(struct job *job, struct buffers *b, size_t replica, size_t first, size_t n,
               struct kl_error *err)
{
    struct kl_sequence_report *r = job->r;
    const struct kl_sequence_learned *m = &r->models[r->tested[first].model];
    int code = KL_OK;
    for (size_t i = 0; i < n && !code; i++) {
        code = copy(b->x + i * r->channels * job->stride, job, first + i, err);
        b->labels[i] = r->labels[first + i];
    }
    if (code) return code;
    const struct kl_sequence_batch_f32 batch = { .x = b->x, .labels = b->labels, .scale = 1, .n = n };
    struct kl_sequence_result_f32 result = { .logits = b->logits, .grad = b->grad, .by_x = b->by_x };
    m->net.model->run_f32(&result, &m->net, m->params + replica * m->net.block.size, &batch, b->work);
    keep(job, b, replica, first, n);
    return KL_OK;
}

/* Chunk i of all replicas; cut further where the model changes. */
static void do_chunk(void *context, size_t i, int thread)
{
    struct job *job = context;
    const struct kl_sequence_report *r = job->r;
    const size_t replica = i / job->chunks, from = i % job->chunks * CHUNK,
                 to = from + CHUNK < r->n ? from + CHUNK : r->n;
    struct kl_error err;
    for (size_t first = from, end; first < to; first = end) {
        for (end = first + 1; end < to && r->tested[end].model == r->tested[first].model;) end++;
        const int code = run(job, &job->threads[thread], replica, first, end - first, &err);
        int none = 0;
        if (!code) continue;
        if (__atomic_compare_exchange_n(&job->code, &none, code, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            *job->err = err;
        return;
    }
}

/* A net that has diverged says nothing. */
static int check_logits(const struct kl_sequence_report *r, struct kl_error *err)
{
    for (size_t i = 0; i < r->replicas * r->n * r->classes; i++) {
        const struct kl_sequence_tested *t = &r->tested[i / r->classes % r->n];
        if (!isfinite(r->logits[i]))
            return kl_fail(err, KL_EDATA,
                           "%s: logit %zu of replica %zu for window %zu is %g, no number: the model has "
                           "diverged, or the window is far from those that trained it",
                           kl_store_file_path(r->model_files[t->model]), i % r->classes,
                           i / r->classes / r->n, t->window, (double)r->logits[i]);
    }
    return KL_OK;
}

/* In double, from the largest on. */
static void take_probabilities(struct kl_sequence_report *r)
{
    const size_t K = r->classes;
    for (size_t i = 0; i < r->replicas * r->n; i++) {
        const float *logits = r->logits + i * K;
        double *p = r->probabilities + i * K, most = (double)logits[0], sum = 0;
        for (size_t k = 1; k < K; k++) most = fmax(most, (double)logits[k]);
        for (size_t k = 0; k < K; k++) sum += p[k] = exp((double)logits[k] - most);
        for (size_t k = 0; k < K; k++) p[k] /= sum;
    }
}

static void take_importance(struct kl_sequence_report *r, const double *squares)
{
    for (size_t rep = 0; rep < r->replicas; rep++)
        for (size_t c = 0; c < r->channels; c++) {
            double sum = 0;
            for (size_t i = 0; i < r->n; i++) sum += squares[(rep * r->n + i) * r->channels + c];
            r->importance[rep * r->channels + c] = sqrt(sum / ((double)r->n * (double)r->set.steps));
        }
}

/* By classifiers on covariances: their probabilities; logits are the logarithms of these, importances
   undefined. */
static int predict_fitted(struct kl_sequence_report *r, struct kl_pool *pool, struct kl_error *err)
{
    const size_t K = r->classes;
    int64_t *const rows = malloc((r->n + 1) * sizeof *rows);
    double *const p = malloc((r->n * K + 1) * sizeof *p);
    int code = rows && p ? KL_OK : kl_fail_memory(err, r->n * K * sizeof *p);
    for (size_t k = 0; k < r->n_models && !code; k++) {
        size_t n = 0;
        for (size_t i = 0; i < r->n; i++)
            if ((size_t)r->tested[i].model == k) rows[n++] = (int64_t)r->tested[i].window;
        code = kl_sequence_fitted_apply(p, r->models[k].fitted, &r->set, rows, n, pool, err);
        if (r->models[k].fitted->lost > r->lost) r->lost = r->models[k].fitted->lost;
        n = 0;
        for (size_t i = 0; i < r->n && !code; i++)
            if ((size_t)r->tested[i].model == k)
                memcpy(r->probabilities + i * K, p + n++ * K, K * sizeof *p);
    }
    /* 1e-300: a probability that is 0 to rounding */
    for (size_t i = 0; i < r->n * K && !code; i++)
        r->logits[i] = (float)log(fmax(r->probabilities[i], 1e-300));
    for (size_t c = 0; c < r->channels && !code; c++) r->importance[c] = NAN;
    free(rows), free(p);
    return code;
}

static int predict_nets(struct kl_sequence_report *r, struct kl_pool *pool, struct kl_error *err)
{
    const size_t all = r->replicas * r->n;
    struct job job = { .r = r,
                       .stride = kl_sequence_stride(r->set.steps),
                       .chunks = (r->n + CHUNK - 1) / CHUNK,
                       .n_threads = kl_pool_size(pool),
                       .err = err };
    job.squares = malloc((all * r->channels + 1) * sizeof *job.squares);
    job.threads = calloc((size_t)job.n_threads, sizeof *job.threads);
    int code = KL_OK;
    if (!job.squares || !job.threads) code = kl_fail_memory(err, all * r->channels * 8);
    for (int t = 0; t < job.n_threads && !code; t++) code = take_buffers(&job.threads[t], &job, err);
    if (!code) {
        kl_pool_for(pool, r->replicas * job.chunks, do_chunk, &job);
        code = job.code;
    }
    if (!code) code = check_logits(r, err);
    if (!code) take_probabilities(r), take_importance(r, job.squares);
    for (int t = 0; job.threads && t < job.n_threads; t++) free(job.threads[t].memory);
    free(job.threads), free(job.squares);
    return code;
}

int kl_sequence_report_predict(struct kl_sequence_report *r, struct kl_pool *pool, struct kl_error *err)
{
    const size_t all = r->replicas * r->n;
    r->logits = malloc((all * r->classes + 1) * sizeof *r->logits);
    r->probabilities = malloc((all * r->classes + 1) * sizeof *r->probabilities);
    r->importance = malloc((r->replicas * r->channels + 1) * sizeof *r->importance);
    if (!r->logits || !r->probabilities || !r->importance)
        return kl_fail_memory(err, all * r->classes * 8);
    return r->models[0].fitted ? predict_fitted(r, pool, err) : predict_nets(r, pool, err);
}
