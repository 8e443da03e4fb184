/* SPDX-License-Identifier: MIT
   Some steps of one replica, and its validation, in one thread. */
#include <string.h>

#include "head/train_int.h"
#include "kernels/inline/flush.h"

enum { EVALUATE_BLOCK = 256 };

/* Rows of batch `step`, of which the last of an epoch may be short. */
static size_t batch_rows(const struct kl_train *train, int64_t step)
{
    size_t size = (size_t)train->options.batch_size, left = train->n_training - (size_t)step * size;
    return left < size ? left : size;
}

void kl_train_gather(struct kl_train *train, int64_t ahead)
{
    const struct kl_features *f = train->features;
    size_t size = (size_t)train->options.batch_size, to = (size_t)ahead * size;
    size_t n = batch_rows(train, train->step + ahead);
    const int64_t *rows = train->order + (size_t)(train->step + ahead) * size;
    for (size_t i = 0; i < n; i++) {
        memcpy(train->batches + (to + i) * f->d, f->x + (size_t)rows[i] * f->d, f->d * sizeof *f->x);
        train->batch_labels[to + i] = f->labels[rows[i]];
    }
}

static int steps(struct kl_train *train, struct kl_replica *replica, int64_t index, int64_t first,
                 int64_t count, struct kl_train_thread *own, struct kl_error *err)
{
    const struct kl_train_options *o = &train->options;
    const struct kl_head_model *model = train->model;
    struct kl_dropout dropout = { .rate = model->options.dropout,
                                  .seed = o->seed,
                                  .replica = (uint32_t)index };
    for (int64_t step = first; step < first + count; step++) {
        uint64_t number = (uint64_t)(train->epoch * train->steps_per_epoch + step);
        double loss;
        size_t correct, from = (size_t)(step - first) * (size_t)o->batch_size, n = batch_rows(train, step);
        dropout.step = (uint32_t)number;
        int code = kl_head_gradient_f32(own->grad, &loss, &correct, model, replica->params,
                                        train->batches + from * train->features->d,
                                        train->batch_labels + from, n, &dropout, o->diff, &own->work, err);
        if (code) return code;
        double lr = kl_schedule_rate(&o->schedule, train->epoch, step, train->steps_per_epoch, o->epochs,
                                     replica->reductions);
        kl_optimizer_step_f32(replica->params, replica->m, replica->v, own->grad, model->block.size,
                              &o->optimizer, lr, number + 1);
        replica->epoch_loss += loss;
        replica->epoch_correct += (int64_t)correct;
    }
    return 0;
}

int kl_train_steps(struct kl_train *train, struct kl_replica *replica, int64_t index, int64_t first,
                   int64_t count, struct kl_train_thread *own, struct kl_error *err)
{
    unsigned before = kl_flush_begin();
    int code = steps(train, replica, index, first, count, own, err);
    kl_flush_end(before);
    return code;
}

int kl_train_validate(double *loss, double *accuracy, const struct kl_train *train,
                      const struct kl_replica *replica, struct kl_train_thread *own, struct kl_error *err)
{
    const struct kl_features *f = train->features;
    size_t right = 0;
    *loss = 0;
    for (size_t from = 0; from < train->n_validation; from += EVALUATE_BLOCK) {
        size_t n =
            train->n_validation - from < EVALUATE_BLOCK ? train->n_validation - from : EVALUATE_BLOCK;
        size_t correct;
        for (size_t i = 0; i < n; i++) {
            size_t row = (size_t)train->validation[from + i];
            memcpy(own->x + i * f->d, f->x + row * f->d, f->d * sizeof *f->x);
            own->labels[i] = f->labels[row];
        }
        int code = kl_head_forward_f32(own->logits, NULL, NULL, train->model, replica->params, own->x, n,
                                       &own->work, err);
        if (code) return code;
        *loss += kl_cross_entropy_f32(NULL, &correct, own->logits, own->labels, n, f->n_classes, 1);
        right += correct;
    }
    *loss /= (double)train->n_validation;
    *accuracy = (double)right / (double)train->n_validation;
    return 0;
}

int kl_train_thread_init(struct kl_train_thread *own, const struct kl_train *train, struct kl_error *err)
{
    const size_t rows = EVALUATE_BLOCK;
    const struct kl_head_model *model = train->model;
    int code = kl_head_work_init(&own->work, err);
    if (!code)
        code = kl_arena_init(&own->buffers,
                             rows * (train->features->d + model->n_classes + 1) * sizeof(float), err);
    if (code) return code;
    own->x = kl_arena_take(&own->buffers, rows * train->features->d, sizeof(float));
    own->logits = kl_arena_take(&own->buffers, rows * model->n_classes, sizeof(float));
    own->labels = kl_arena_take(&own->buffers, rows, sizeof(int32_t));
    own->grad = kl_arena_take(&own->buffers, model->block.size, sizeof(float));
    if (!own->x || !own->logits || !own->labels || !own->grad)
        return kl_fail_memory(err, rows * train->features->d * sizeof(float));
    memset(own->grad, 0, model->block.size * sizeof(float)); /* the padding between tensors stays 0 */
    return 0;
}

void kl_train_thread_free(struct kl_train_thread *own)
{
    kl_head_work_free(&own->work);
    kl_arena_free(&own->buffers);
}
