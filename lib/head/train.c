/* SPDX-License-Identifier: MIT
   A training begun and ended: split, replicas, threads, tools of the circuit. Its epochs: epoch.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/metric.h"
#include "head/train_int.h"

const char *const kl_history_names[KL_HISTORY_ROWS] = { "train_loss", "train_accuracy", "val_loss",
                                                        "val_accuracy", "learning_rate" };

void kl_train_options_default(struct kl_train_options *o)
{
    *o = (struct kl_train_options){ .epochs = 50,
                                    .batch_size = 64,
                                    .replicas = 1,
                                    .val_fraction = 0.1,
                                    .spsa_step = 0.1,
                                    .spsa_directions = 1 };
    kl_nn_optimizer_default(&o->optimizer);
    kl_nn_schedule_default(&o->schedule);
}

static int replica_open(struct kl_replica *r, const struct kl_train *train, int64_t index,
                        struct kl_error *err)
{
    const size_t size = train->model->block.size, epochs = (size_t)train->options.epochs;
    *r = (struct kl_replica){ .best_epoch = -1, .stopped_epoch = -1 };
    void *values = NULL;
    if (posix_memalign(&values, 64, 4 * size * sizeof(float)))
        return kl_fail_memory(err, 4 * size * sizeof(float));
    memset(values, 0, 4 * size * sizeof(float));
    r->params = values;
    r->m = r->params + size, r->v = r->m + size, r->best = r->v + size;
    r->history[0] = malloc(KL_HISTORY_ROWS * epochs * sizeof(double));
    if (!r->history[0]) return kl_fail_memory(err, KL_HISTORY_ROWS * epochs * sizeof(double));
    for (size_t i = 0; i < KL_HISTORY_ROWS * epochs; i++) r->history[0][i] = NAN;
    for (size_t k = 1; k < KL_HISTORY_ROWS; k++) r->history[k] = r->history[0] + k * epochs;
    const size_t n_norms = epochs * kl_head_n_groups(train->whole);
    r->norms = malloc(n_norms * sizeof *r->norms);
    if (!r->norms) return kl_fail_memory(err, n_norms * sizeof *r->norms);
    for (size_t i = 0; i < n_norms; i++) r->norms[i] = NAN;
    kl_head_init(r->params, train->model, train->options.seed, (uint32_t)index);
    return 0;
}

bool kl_train_whole_replicas(const struct kl_train *train)
{
    return train->options.replicas >= train->n_threads;
}

/* Batches gathered ahead, by all threads. For replicas one after another a few megabytes, so that
   each stays in its cache for many steps; for replicas that threads share no more than leaves the cache
   to the parameters. */
static int make_batches(struct kl_train *train, struct kl_error *err)
{
    const size_t budget = kl_train_whole_replicas(train) ? 1 << 22 : 1 << 18;
    size_t rows = kl_train_batch_size(train), row = train->features->d * sizeof(float);
    size_t ahead = budget / (rows * row);
    train->ahead = ahead < 1 ? 1 : ahead > 32 ? 32 : (int64_t)ahead;
    rows *= (size_t)train->ahead;
    void *memory = NULL;
    if (posix_memalign(&memory, 64, rows * row)) return kl_fail_memory(err, rows * row);
    train->batches = memory;
    train->batch_labels = malloc(rows * sizeof *train->batch_labels);
    return train->batch_labels ? 0 : kl_fail_memory(err, rows * sizeof *train->batch_labels);
}

int kl_train_wake(struct kl_train *train, int n_threads, struct kl_error *err)
{
    train->n_threads = n_threads;
    int code = make_batches(train, err);
    train->threads = calloc((size_t)n_threads, sizeof *train->threads);
    if (!code && !train->threads) code = kl_fail_memory(err, (size_t)n_threads * sizeof *train->threads);
    for (int i = 0; i < n_threads && !code; i++)
        code = kl_train_thread_init(&train->threads[i], train, err);
    return code;
}

void kl_train_rest(struct kl_train *train)
{
    kl_circuit_free(&train->stage.circuit);
    kl_train_rollback_free(train);
    for (int i = 0; train->threads && i < train->n_threads; i++)
        kl_train_thread_free(&train->threads[i]);
    free(train->threads);
    free(train->batches);
    free(train->batch_labels);
    train->threads = NULL, train->batches = NULL, train->batch_labels = NULL;
}

int kl_train_tools(struct kl_train *train, struct kl_error *err)
{
    const struct kl_head_model *model = train->model;
    const struct kl_train_options *o = &train->options;
    int code = 0;
    if (o->optimizer.kind == KL_QNG && model->options.core == KL_CORE_CIRCUIT)
        code = kl_circuit_metric_make(&train->metric, model->circuit, err);
    if (!code && o->shots && model->circuit)
        code = kl_circuit_measured_make(&train->measured, model->circuit, err);
    return code;
}

int kl_train_open(struct kl_train *train, struct kl_head_model *model,
                  const struct kl_features *features, const struct kl_train_options *options,
                  int n_threads, struct kl_error *err)
{
    *train =
        (struct kl_train){ .whole = model, .model = model, .options = *options, .features = features };
    int code = kl_nn_split_stratified(&train->training, &train->n_training, &train->validation,
                                      &train->n_validation, features->labels, features->n,
                                      features->n_classes, options->val_fraction, options->seed, err);
    if (code) return code;
    train->steps_per_epoch =
        ((int64_t)train->n_training + options->batch_size - 1) / options->batch_size;
    if (train->steps_per_epoch * options->epochs > (int64_t)UINT32_MAX) {
        code = kl_fail(err, KL_EUSAGE,
                       "%lld epochs of %lld steps: more than 2^32 steps; fewer epochs, larger batches",
                       (long long)options->epochs, (long long)train->steps_per_epoch);
        goto out;
    }
    train->order = malloc(train->n_training * sizeof *train->order);
    train->replicas = calloc((size_t)options->replicas, sizeof *train->replicas);
    if (!train->order || !train->replicas) {
        code = kl_fail_memory(err, train->n_training * sizeof *train->order);
        goto out;
    }
    for (int64_t r = 0; r < options->replicas && !code; r++)
        code = replica_open(&train->replicas[r], train, options->first_replica + r, err);
    if (!code) code = kl_train_tools(train, err);
    if (!code) code = kl_train_wake(train, n_threads, err);
out:
    if (code) kl_train_close(train);
    return code;
}

void kl_train_close(struct kl_train *train)
{
    kl_train_rest(train);
    for (int64_t r = 0; train->replicas && r < train->options.replicas; r++) {
        free(train->replicas[r].params);
        free(train->replicas[r].history[0]);
        free(train->replicas[r].norms);
    }
    kl_circuit_metric_free(&train->metric);
    kl_circuit_measured_free(&train->measured);
    free(train->replicas);
    free(train->order);
    free(train->training);
    free(train->validation);
    *train = (struct kl_train){ 0 };
}

double kl_replica_val_accuracy(const struct kl_replica *replica)
{
    return replica->history[KL_VAL_ACCURACY][replica->best_epoch];
}

int64_t kl_replica_diverged(const struct kl_replica *replica)
{
    const int64_t e = replica->stopped_epoch;
    return e >= 0 && !isfinite(replica->history[KL_TRAIN_LOSS][e]) ? e : -1;
}
