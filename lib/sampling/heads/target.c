/* SPDX-License-Identifier: MIT
   A head as a target: its loss over the training rows and the gradient by the parameters that are
   sampled. What stands before them is fixed, so its outputs are computed once and are the records. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/inline/real.h"
#include "sampling/heads/heads.h"
#include "sampling/heads/heads_gpu.h"

enum { BLOCK = 512 }; /* records of a pass: whose bits, and whose activations stay in the cache */

struct own { /* of a thread */
    struct kl_head_work work;
    kl_real *params, *grad, *logits, *x; /* (block.size) twice, (BLOCK, classes), (BLOCK, inputs) */
    int32_t *labels;                     /* (BLOCK) */
    double *sum;                         /* (P) */
};
struct kl_sampling_head {
    struct kl_sampling_layout layout;
    struct kl_sampling_tensor *tensors; /* as the layout's slices */
    kl_real *scale;                     /* (P): 1 unless the chain moves in units of the prior */
    struct kl_head_model view;          /* of the model that was given */
    kl_real *params;                    /* (block.size) of what is fixed */
    struct kl_sampling_head_records train, test;
    struct own *threads;
    int n_threads;
    struct kl_sampling_head_gpu *gpu; /* NULL: passes are made on the CPU */
};

static int take(void **to, size_t n, size_t size, struct kl_error *err)
{
    if (posix_memalign(to, 64, (n ? n : 1) * size)) {
        *to = NULL;
        return kl_fail_memory(err, n * size);
    }
    memset(*to, 0, n * size);
    return KL_OK;
}

/* Records rows[i], or `from` on, of a block: in place, or gathered. */
static const kl_real *block_of(const int32_t **labels, struct own *own,
                               const struct kl_sampling_head_records *r, const int64_t *rows,
                               size_t from, size_t n, size_t d)
{
    if (!rows) {
        *labels = r->labels + from;
        return r->x + from * d;
    }
    for (size_t i = 0; i < n; i++) {
        const size_t row = (size_t)rows[from + i];
        memcpy(own->x + i * d, r->x + row * d, d * sizeof *own->x);
        own->labels[i] = r->labels[row];
    }
    *labels = own->labels;
    return own->x;
}

static void add_sums(struct kl_sampling_sums *sums, double *per_record, const kl_real *logits,
                     const int32_t *labels, size_t n, size_t classes)
{
    for (size_t i = 0; i < n; i++) {
        size_t right;
        const double loss =
            kl_nn_cross_entropy(NULL, &right, logits + i * classes, labels + i, 1, classes, 1);
        sums->loss += loss, sums->squares += loss * loss, sums->wrong += !right, sums->count++;
        if (per_record) per_record[i] = loss;
    }
}

static void place(struct own *own, const struct kl_sampling_head *h, const kl_real *w)
{
    for (size_t i = 0; i < h->layout.size; i++) own->params[h->layout.index[i]] = h->scale[i] * w[i];
}

static int gradient(void *context, kl_real *grad, struct kl_sampling_sums *sums, const kl_real *w,
                    const int64_t *rows, size_t count, const struct kl_sampling_crew *crew,
                    struct kl_error *err)
{
    struct kl_sampling_head *h = context;
    struct own *own = &h->threads[crew->thread];
    const struct kl_sampling_layout *l = &h->layout;
    const size_t d = h->view.n_features, classes = h->view.n_classes;
    int code = KL_OK;
    place(own, h, w);
    if (h->gpu) {
        code = kl_sampling_head_gpu_gradient(h->gpu, own->grad, sums, own->params, rows, count,
                                             crew->thread, err);
        for (size_t i = 0; i < l->size && !code; i++) grad[i] = h->scale[i] * own->grad[l->index[i]];
        return code;
    }
    memset(own->sum, 0, l->size * sizeof *own->sum);
    for (size_t from = 0; from < count && !code; from += BLOCK) {
        const size_t n = count - from < BLOCK ? count - from : BLOCK;
        const int32_t *labels;
        const kl_real *x = block_of(&labels, own, &h->train, rows, from, n, d);
        double loss;
        size_t right;
        code = kl_head_gradient_logits(own->grad, own->logits, &loss, &right, &h->view, own->params, x,
                                       labels, n, NULL, &own->work, err);
        if (code) break;
        for (size_t i = 0; i < l->size; i++) own->sum[i] += (double)n * (double)own->grad[l->index[i]];
        add_sums(sums, NULL, own->logits, labels, n, classes);
    }
    for (size_t i = 0; i < l->size && !code; i++)
        grad[i] = (kl_real)(h->scale[i] * own->sum[i] / (double)count);
    return code;
}

static int evaluate(void *context, struct kl_sampling_sums *sums, double *per_record, const kl_real *w,
                    bool test, const int64_t *rows, size_t count, const struct kl_sampling_crew *crew,
                    struct kl_error *err)
{
    struct kl_sampling_head *h = context;
    struct own *own = &h->threads[crew->thread];
    const size_t d = h->view.n_features, classes = h->view.n_classes;
    int code = KL_OK;
    place(own, h, w);
    if (h->gpu)
        return kl_sampling_head_gpu_evaluate(h->gpu, sums, per_record, own->params, test, rows, count,
                                             crew->thread, err);
    for (size_t from = 0; from < count && !code; from += BLOCK) {
        const size_t n = count - from < BLOCK ? count - from : BLOCK;
        const int32_t *labels;
        const kl_real *x = block_of(&labels, own, test ? &h->test : &h->train, rows, from, n, d);
        code = kl_head_forward(own->logits, NULL, NULL, &h->view, own->params, x, n, &own->work, err);
        if (!code)
            add_sums(sums, per_record ? per_record + from : NULL, own->logits, labels, n, classes);
    }
    return code;
}

/* Split the features' rows into those that train and those that test. */
static int split(struct kl_sampling_head *h, const struct kl_sampling_head_question *q, size_t width,
                 struct kl_error *err)
{
    const struct kl_features *f = q->features;
    size_t next = 0;
    h->test.n = q->n_validation, h->train.n = f->n - q->n_validation;
    int code = q->n_validation < f->n
                   ? KL_OK
                   : kl_fail(err, KL_EDATA,
                             "%zu of %zu rows are kept for validation: none is left to "
                             "sample on",
                             q->n_validation, f->n);
    for (int test = 0; test < 2 && !code; test++) {
        struct kl_sampling_head_records *r = test ? &h->test : &h->train;
        code = take((void **)&r->x, r->n * width, sizeof *r->x, err);
        if (!code) code = take((void **)&r->labels, r->n, sizeof *r->labels, err);
        r->n = 0;
    }
    for (size_t row = 0; row < f->n && !code; row++) {
        const bool test = next < q->n_validation && q->validation[next] == (int64_t)row;
        struct kl_sampling_head_records *r = test ? &h->test : &h->train;
        next += test;
        if (!test && row - next >= f->n - q->n_validation) break;
        for (size_t j = 0; j < f->d; j++) r->x[r->n * width + j] = (kl_real)f->x[row * f->d + j];
        r->labels[r->n++] = f->labels[row];
    }
    if (!code && next != q->n_validation)
        code = kl_fail(
            err, KL_EDATA,
            "rows kept for validation: expected rising numbers below %zu, found others; give the "
            "features that the head was trained on",
            f->n);
    return code;
}

/* The features become the view's inputs, in place: rows of the wider of the two, then packed. */
static int advance(struct kl_sampling_head *h, struct kl_sampling_head_records *r,
                   const struct kl_head_model *model, size_t width, struct kl_error *err)
{
    struct own *own = &h->threads[0];
    const size_t d = h->view.n_features, from_d = model->n_features;
    const bool behind = h->view.options.core == KL_CORE_NONE && model->options.core != KL_CORE_NONE;
    int code = KL_OK;
    for (size_t from = 0; from < r->n && !code; from += BLOCK) {
        const size_t n = r->n - from < BLOCK ? r->n - from : BLOCK;
        for (size_t i = 0; i < n; i++)
            memcpy(own->x + i * from_d, r->x + (from + i) * width, from_d * sizeof *r->x);
        kl_real *out = r->x + from * d; /* behind all that is still to be read, as d <= width */
        code = kl_head_forward(own->logits, behind ? NULL : out, behind ? out : NULL, model, h->params,
                               own->x, n, &own->work, err);
    }
    return code;
}

static int open_threads(struct kl_sampling_head *h, const struct kl_head_model *model, int n,
                        struct kl_error *err)
{
    const size_t inputs =
        model->n_features > h->view.n_features ? model->n_features : h->view.n_features;
    int code = KL_OK;
    if (!(h->threads = calloc((size_t)n, sizeof *h->threads)))
        return kl_fail_memory(err, (size_t)n * sizeof *h->threads);
    for (int i = 0; i < n && !code; i++) {
        struct own *own = &h->threads[i];
        code = kl_head_work_init(&own->work, err);
        if (code) break;
        h->n_threads++;
        code = take((void **)&own->params, model->block.size, sizeof *own->params, err);
        if (!code) code = take((void **)&own->grad, model->block.size, sizeof *own->grad, err);
        if (!code)
            code = take((void **)&own->logits, BLOCK * model->n_classes, sizeof *own->logits, err);
        if (!code) code = take((void **)&own->x, BLOCK * inputs, sizeof *own->x, err);
        if (!code) code = take((void **)&own->labels, BLOCK, sizeof *own->labels, err);
        if (!code) code = take((void **)&own->sum, h->layout.size, sizeof *own->sum, err);
        if (!code) memcpy(own->params, h->params, model->block.size * sizeof *own->params);
    }
    return code;
}

static int check(const struct kl_sampling_head_question *q, struct kl_error *err)
{
    const struct kl_head_model *m = q->model;
    if (m->circuit && m->circuit->trajectories)
        return kl_fail(
            err, KL_EUSAGE,
            "the head's circuit runs by drawn trajectories, so its loss is no function of the "
            "parameters; sample a head without noise, or with few enough qubits for the density matrix");
    if (q->features->d != m->n_features || q->features->n_classes > m->n_classes)
        return kl_fail(err, KL_EDATA,
                       "the head is made for %zu features and %zu classes, found %zu and %zu",
                       m->n_features, m->n_classes, q->features->d, q->features->n_classes);
    return KL_OK;
}

static int lay_tensors(struct kl_sampling_head *h, bool whiten, struct kl_error *err)
{
    const int code = take((void **)&h->tensors, (size_t)h->layout.n_slices, sizeof *h->tensors, err);
    for (int t = 0; !code && t < h->layout.n_slices; t++) {
        const struct kl_sampling_slice *s = &h->layout.slices[t];
        h->tensors[t] = (struct kl_sampling_tensor){ .rank = s->rank,
                                                     .offset = s->offset,
                                                     .size = s->size,
                                                     .fan_in = s->fan_in,
                                                     .sigma = whiten ? 1 : s->sigma };
        memcpy(h->tensors[t].name, s->name, sizeof s->name);
        memcpy(h->tensors[t].dims, s->dims, sizeof s->dims);
    }
    return code;
}

static int open_head(struct kl_sampling_head *h, const struct kl_sampling_head_question *q,
                     struct kl_error *err)
{
    const struct kl_head_model *m = q->model;
    const bool core = m->circuit || m->n_twin, fixed = core && q->part != KL_SAMPLING_ALL;
    int code = check(q, err);
    if (!code) code = kl_sampling_layout_make(&h->layout, m, q->part, &q->prior, err);
    if (code) return code;
    code = take((void **)&h->scale, h->layout.size, sizeof *h->scale, err);
    if (code) return code;
    for (size_t i = 0; i < h->layout.size; i++)
        h->scale[i] = q->whiten ? (kl_real)h->layout.scale[i] : 1;
    code = lay_tensors(h, q->whiten, err);
    h->view = fixed ? kl_head_view(m, q->part == KL_SAMPLING_CLASSIFIER) : *m;
    if (!code) code = take((void **)&h->params, m->block.size, sizeof *h->params, err);
    for (size_t i = 0; !code && q->params && i < m->block.size; i++)
        h->params[i] = (kl_real)q->params[i];
    const size_t width = m->n_features > h->view.n_features ? m->n_features : h->view.n_features;
    if (!code) code = open_threads(h, m, q->n_threads > 0 ? q->n_threads : 1, err);
    if (!code) code = split(h, q, width, err);
    if (!code && fixed) code = advance(h, &h->train, m, width, err);
    if (!code && fixed) code = advance(h, &h->test, m, width, err);
    if (!code && q->device && q->device->cuda)
        code = kl_sampling_head_gpu_open(&h->gpu, &h->view, &h->train, &h->test, h->n_threads, q->device,
                                         err);
    return code;
}

int kl_sampling_head_target(struct kl_sampling_target *target, struct kl_sampling_head **head,
                            const struct kl_sampling_head_question *question, struct kl_error *err)
{
    struct kl_sampling_head *h = *head = calloc(1, sizeof *h);
    if (!h) return kl_fail_memory(err, sizeof *h);
    const int code = open_head(h, question, err);
    if (code) {
        kl_sampling_head_close(head);
        return code;
    }
    *target = (struct kl_sampling_target){ .size = h->layout.size,
                                           .tensors = h->tensors,
                                           .n_tensors = h->layout.n_slices,
                                           .n = h->train.n,
                                           .n_test = h->test.n,
                                           .loss_high = INFINITY,
                                           .chance = 1 - 1 / (double)question->model->n_classes,
                                           .context = h,
                                           .gradient = gradient,
                                           .evaluate = evaluate };
    return KL_OK;
}

void kl_sampling_head_close(struct kl_sampling_head **head)
{
    struct kl_sampling_head *h = *head;
    if (!h) return;
    for (int i = 0; i < h->n_threads; i++) {
        struct own *own = &h->threads[i];
        kl_head_work_free(&own->work);
        free(own->params);
        free(own->grad);
        free(own->logits);
        free(own->x);
        free(own->labels);
        free(own->sum);
    }
    free(h->threads);
    kl_sampling_head_gpu_close(&h->gpu);
    kl_sampling_layout_free(&h->layout);
    free(h->scale), free(h->tensors);
    free(h->params);
    free(h->train.x);
    free(h->train.labels);
    free(h->test.x);
    free(h->test.labels);
    free(h);
    *head = NULL;
}
