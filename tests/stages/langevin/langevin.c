/* SPDX-License-Identifier: MIT
   langevin: a toy stage: logistic regression, upper classes from lower, whose weights are drawn from
   their posterior by Langevin dynamics: steps down the gradient over all training samples, noise after
   each. What is judged is the mean of the draws after the burn-in. It stands in the block behind the
   draw, with a gradient of 0, so that the loop keeps, saves and resumes it as well. */
#include <math.h>
#include <stdlib.h>

#include "backbone/extract.h"
#include "head/features.h"
#include "kernels/inline/philox.h"
#include "tests/stages/stage.h"

struct langevin_values {
    struct kl_common common;
    struct kl_train_settings train;
    double temperature, burn_in;
};
#define AT(field) offsetof(struct langevin_values, field)
#define TRAIN(field) KL_TRAIN_AT(AT(train), options.field)
/* No batches, momentum, Adam or decay: with them the draws would not be those of the posterior. */
static const struct kl_option options[] = {
    { "temperature", 0, KL_OPT_FLOAT, AT(temperature), "T", 0, 1e6, true,
      "of the noise; 1: the posterior, 0: no noise", "Model", NULL },
    { "burn-in", 0, KL_OPT_FLOAT, AT(burn_in), "P", 0, 0.9, true, "part of the run before the mean",
      NULL, NULL },
    { "epochs", 'e', KL_OPT_INT, TRAIN(epochs), "N", 1, 1e6, true, "of four steps", "Training", NULL },
    { "lr", 0, KL_OPT_FLOAT, TRAIN(schedule.lr), "X", 0, 1e3, true, "length of a step", NULL, NULL },
    KL_TRAIN_VALIDATION_OPTION(AT(train), "stratified validation part"),
    KL_TRAIN_REPLICA_OPTIONS(AT(train), "chains that differ in their noise"),
    KL_TRAIN_CHECKPOINT_OPTION(AT(train)),
    KL_TRAIN_HISTORY_OPTIONS(AT(train)),
};
static const struct kl_tool tool = {
    .name = "langevin",
    .summary = "Samples logistic regressions: upper classes from lower, by cached features",
    .arguments = "FEATURES.h5 -o MODEL.h5",
    .example = "langevin train.h5 -o model.h5",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct langevin_values),
};

static void defaults(void *values)
{
    struct langevin_values *v = values;
    v->common.progress = "auto";
    kl_train_settings_default(&v->train);
    v->train.optimizer = "sgd", v->train.options.schedule.lr = 0.1;
    v->temperature = 1, v->burn_in = 0.25;
}

enum { TRAIN_LOSS, VAL_LOSS, ROWS, DRAW = 0, MEAN, PARTS = 4, STEPS = 4 };
enum { NOISE = 1000 /* a purpose: none of philox.h, nor a multiple of 256 above one */ };
static const struct kl_train_row rows[] = { { "train_loss", "loss" }, { "val_loss", "val loss" } };
static const struct kl_train_sum sums[] = { { "epoch_loss", false } };

struct langevin {
    struct kl_features f;
    struct kl_block block;
    int64_t *training, *validation;
    size_t n_training, n_validation;
    double temperature;
};

/* -log of the label's probability; *slope: its derivative by the logit. */
static double loss_of(double *slope, const struct langevin *s, const double *w, int64_t sample)
{
    const float *x = s->f.x + (size_t)sample * s->f.d;
    const double label = 2 * (size_t)s->f.labels[sample] >= s->f.n_classes ? 1 : -1;
    double margin = w[s->f.d];
    for (size_t j = 0; j < s->f.d; j++) margin += w[j] * (double)x[j];
    margin *= label;
    *slope = -label / (1 + exp(margin));
    return fmax(-margin, 0) + log1p(exp(-fabs(margin)));
}

/* Of -log of the posterior, with a standard normal prior, divided by the number of samples. */
static int gradient(const struct kl_crew *crew, const struct kl_train_step *step, size_t part, void *to,
                    double *sum, int thread, struct kl_error *err)
{
    const struct langevin *s = kl_train_crew_learner(crew);
    const double *w = crew->replica->params;
    const size_t n = s->n_training, d = s->f.d;
    double *grad = to, slope;
    (void)step, (void)thread, (void)err;
    for (size_t k = 0; k < s->block.size; k++) grad[k] = part || k > d ? 0 : w[k] / (double)n;
    for (size_t i = n * part / PARTS; i < n * (part + 1) / PARTS; i++) {
        const float *x = s->f.x + (size_t)s->training[i] * d;
        sum[0] += loss_of(&slope, s, w, s->training[i]) / (double)n;
        slope /= (double)n;
        for (size_t j = 0; j < d; j++) grad[j] += slope * (double)x[j];
        grad[d] += slope;
    }
    return 0;
}

/* Noise by Box and Muller (1958), whose variance is that of the step, and the draw into the mean. */
static int after_update(const struct kl_crew *crew, const struct kl_train_step *step,
                        struct kl_error *err)
{
    const struct langevin *s = kl_train_crew_learner(crew);
    const int64_t kept = (int64_t)step->number - crew->train->learner->best_from * STEPS;
    const double sigma = sqrt(2 * step->lr * s->temperature / (double)s->n_training),
                 share = kept < 0 ? 1 : 1 / (double)(kept + 1);
    double *draw = crew->replica->params, *mean = draw + s->block.tensors[MEAN].offset;
    const uint32_t number = (uint32_t)step->number, chain = (uint32_t)crew->index;
    (void)err;
    for (uint32_t k = 0, w[4]; k <= s->f.d; k++) {
        kl_philox(w, crew->train->options.seed, k, NOISE, number, chain);
        draw[k] +=
            sigma * sqrt(-2 * log(kl_philox_unit(w[0]))) * cos(2 * acos(-1) * kl_philox_unit(w[1]));
        mean[k] += share * (draw[k] - mean[k]);
    }
    return 0;
}

static int end_epoch(const struct kl_crew *crew, struct kl_error *err)
{
    const struct langevin *s = kl_train_crew_learner(crew);
    const double *mean = (double *)crew->replica->params + s->block.tensors[MEAN].offset;
    double **history = crew->replica->history, loss = 0, slope;
    (void)err;
    for (size_t i = 0; i < s->n_validation; i++) loss += loss_of(&slope, s, mean, s->validation[i]);
    history[TRAIN_LOSS][crew->train->epoch] = crew->replica->sums[0] / STEPS;
    history[VAL_LOSS][crew->train->epoch] = loss / (double)s->n_validation;
    return 0;
}

static int open_langevin(struct kl_training *t, struct kl_error *err)
{
    struct langevin *s = t->state;
    const struct langevin_values *v = t->values;
    const struct kl_train_options *o = &v->train.options;
    int code = kl_head_features_load(&s->f, t->input, err);
    const size_t n = s->f.d + 1;
    if (!code)
        code =
            kl_nn_split_stratified(&s->training, &s->n_training, &s->validation, &s->n_validation,
                                   s->f.labels, s->f.n, s->f.n_classes, o->val_fraction, o->seed, err);
    s->temperature = v->temperature;
    if (!code) code = kl_nn_block_add_tensor(&s->block, "draw", 1, &n, err);
    if (code >= 0) code = kl_nn_block_add_tensor(&s->block, "mean", 1, &n, err);
    t->learner = (struct kl_learner){
        .context = s,
        .block = &s->block,
        .wide = true,
        .rows = rows,
        .n_rows = ROWS,
        .loss = TRAIN_LOSS,
        .judged = { { VAL_LOSS, false } },
        .n_judged = s->n_validation ? 1 : 0, /* else the last mean, of most draws */
        .best_from = (int64_t)(v->burn_in * (double)o->epochs),
        .sums = sums,
        .n_named = 1,
        .n_sums = 1,
        .steps_per_epoch = STEPS,
        .parts = PARTS,
        .gradient = gradient,
        .after_update = after_update,
        .end_epoch = end_epoch,
    };
    return code < 0 ? code : 0;
}

static void close_langevin(struct kl_training *t)
{
    struct langevin *s = t->state;
    kl_head_features_free(&s->f);
    kl_nn_block_free(&s->block);
    free(s->training), free(s->validation);
}

static const struct kl_kind_history histories[] = { { .loss = { "history/train_loss", "training loss" },
                                                      .judged = { "history/val_loss", "val loss" },
                                                      .least = true,
                                                      .of = "chain" },
                                                    { .of = NULL } };
static const struct kl_kind kind = { .name = "langevin", .maker = "langevin", .histories = histories };
const int stage_judged = VAL_LOSS;
const bool stage_higher = false;
const struct kl_train_stage stage = {
    .tool = &tool,
    .kind = &kind,
    .schema = 1,
    .version = 1,
    .input = &kl_features_kind,
    .role = "features",
    .defaults = defaults,
    .settings_at = AT(train),
    .rows = rows,
    .n_rows = ROWS,
    .state_size = sizeof(struct langevin),
    .open = open_langevin,
    .close = close_langevin,
};
