/* SPDX-License-Identifier: MIT
   y = w x + b, where x are features and y is the number of the class; the mean square error, in double.
 */
#include "line.h"

#include <stdlib.h>

#include "backbone/extract.h"
#include "head/features.h"

enum { TRAIN_LOSS, VAL_LOSS, ROWS, PARTS = 4 };
static const struct kl_train_row rows[] = { { "train_loss", "loss" }, { "val_loss", "val loss" } };
static const struct kl_train_sum sums[] = { { "epoch_loss", false } };

struct line {
    struct kl_features f;
    struct kl_block block;
    int64_t *training, *validation, *order;
    size_t n_training, n_validation, batch;
    double ridge;
};

static double residual(const struct line *s, const double *params, int64_t row)
{
    const float *x = s->f.x + (size_t)row * s->f.d;
    double y = params[s->block.tensors[1].offset] - s->f.labels[row];
    for (size_t j = 0; j < s->f.d; j++) y += params[j] * (double)x[j];
    return y;
}

static int begin_epoch(struct kl_train *train, struct kl_error *err)
{
    const struct line *s = train->learner->context;
    (void)err;
    kl_nn_shuffle(s->order, s->training, s->n_training, train->options.seed, (uint32_t)train->epoch);
    return 0;
}

static int gradient(const struct kl_crew *crew, const struct kl_train_step *step, size_t part, void *to,
                    double *sum, int thread, struct kl_error *err)
{
    const struct line *s = kl_train_crew_learner(crew);
    const double *params = crew->replica->params;
    const size_t first = (size_t)step->step * s->batch, left = s->n_training - first,
                 n = left < s->batch ? left : s->batch;
    double *grad = to;
    (void)thread, (void)err;
    for (size_t k = 0; k < s->block.size; k++) grad[k] = part ? 0 : 2 * s->ridge * params[k];
    for (size_t i = n * part / PARTS; i < n * (part + 1) / PARTS; i++) {
        const int64_t row = s->order[first + i];
        const double r = residual(s, params, row), scale = 2 * r / (double)n;
        for (size_t j = 0; j < s->f.d; j++) grad[j] += scale * (double)s->f.x[(size_t)row * s->f.d + j];
        grad[s->block.tensors[1].offset] += scale;
        sum[0] += r * r;
    }
    return 0;
}

static int judge(const struct kl_crew *crew, bool untrained, struct kl_error *err)
{
    const struct line *s = kl_train_crew_learner(crew);
    double loss = 0;
    (void)untrained, (void)err;
    for (size_t i = 0; i < s->n_validation; i++) {
        const double r = residual(s, crew->replica->params, s->validation[i]);
        loss += r * r;
    }
    crew->replica->history[VAL_LOSS][crew->train->epoch] = loss / (double)s->n_validation;
    return 0;
}

static int end_epoch(const struct kl_crew *crew, struct kl_error *err)
{
    const struct line *s = kl_train_crew_learner(crew);
    (void)err;
    crew->replica->history[TRAIN_LOSS][crew->train->epoch] =
        crew->replica->sums[0] / (double)s->n_training;
    return 0;
}

static int open_line(struct kl_training *t, struct kl_error *err)
{
    struct line *s = t->state;
    const struct kl_train_options *o = &t->settings->options;
    s->batch = (size_t)o->batch_size, s->ridge = ((const struct line_values *)t->values)->ridge;
    int code = kl_head_features_load(&s->f, t->input, err);
    if (!code)
        code =
            kl_nn_split_stratified(&s->training, &s->n_training, &s->validation, &s->n_validation,
                                   s->f.labels, s->f.n, s->f.n_classes, o->val_fraction, o->seed, err);
    if (code) return code;
    code = kl_nn_block_add_tensor(&s->block, "weight", 1, &s->f.d, err);
    if (code >= 0) code = kl_nn_block_add_tensor(&s->block, "bias", 1, (size_t[]){ 1 }, err);
    s->order = malloc(s->n_training * sizeof *s->order);
    t->learner = (struct kl_learner){
        .context = s,
        .block = &s->block,
        .wide = true,
        .rows = rows,
        .n_rows = ROWS,
        .loss = TRAIN_LOSS,
        .judged = { { s->n_validation ? VAL_LOSS : TRAIN_LOSS, false } },
        .n_judged = 1,
        .sums = sums,
        .n_named = 1,
        .n_sums = 1,
        .steps_per_epoch = (int64_t)((s->n_training + s->batch - 1) / s->batch),
        .parts = PARTS,
        .begin_epoch = begin_epoch,
        .gradient = gradient,
        .judge = s->n_validation ? judge : NULL,
        .end_epoch = end_epoch,
    };
    return code < 0 ? code : s->order ? 0 : kl_fail_memory(err, s->n_training * sizeof *s->order);
}

static void close_line(struct kl_training *t)
{
    struct line *s = t->state;
    kl_head_features_free(&s->f);
    kl_nn_block_free(&s->block);
    free(s->training), free(s->validation), free(s->order);
}

static const struct kl_kind_history histories[] = { { .loss = { "history/train_loss", "training loss" },
                                                      .judged = { "history/val_loss",
                                                                  "validation loss" },
                                                      .least = true,
                                                      .of = "line" },
                                                    { .of = NULL } };
static const struct kl_kind kind = { .name = "line", .maker = "line", .histories = histories };
const int stage_judged = VAL_LOSS;
const bool stage_higher = false;
const struct kl_train_stage stage = {
    .tool = &line_tool,
    .kind = &kind,
    .schema = 1,
    .version = 1,
    .input = &kl_features_kind,
    .role = "features",
    .defaults = line_defaults,
    .settings_at = offsetof(struct line_values, train),
    .rows = rows,
    .n_rows = ROWS,
    .state_size = sizeof(struct line),
    .open = open_line,
    .close = close_line,
};
