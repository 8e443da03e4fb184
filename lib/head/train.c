/* SPDX-License-Identifier: MIT
   The head as a learner of lib/train: split, threads, tools of the circuit, the rows of its history; a
   circuit that grows while it is trained. */
#include "circuit/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "head/gpu.h"
#include "head/head_int.h"

static int tools(struct kl_head_train *train, struct kl_error *err);

/* ---- A circuit that grows while it is trained: which layers are there when ---- */

int64_t kl_head_stages(const struct kl_head_model *model)
{
    const struct kl_head_options *o = &model->options;
    if (!o->grow || !model->circuit) return 1;
    const int64_t stages = o->circuit.n_layers / kl_circuit_growth(&o->circuit);
    return stages > 1 ? stages : 1;
}

static int64_t kl_head_stage(const struct kl_head_model *model, int64_t epoch)
{
    const int64_t last = kl_head_stages(model) - 1;
    if (!last) return 0;
    const int64_t stage = epoch / model->options.grow;
    return stage < last ? stage : last;
}

static int64_t stage_begin(const struct kl_head_model *model, int64_t stage)
{
    return stage * model->options.grow;
}

/* The circuit of a stage. KL_ENOMEM. */
static int stage_circuit(struct kl_circuit **circuit, const struct kl_head_model *model, int64_t stage,
                         struct kl_error *err)
{
    struct kl_circuit_options o = model->options.circuit;
    o.n_layers = (stage + 1) * kl_circuit_growth(&o);
    return kl_circuit_build(circuit, &o, err);
}

int kl_head_growth_check(const struct kl_head_options *o, int64_t epochs, struct kl_error *err)
{
    const int64_t unit = kl_circuit_growth(&o->circuit), layers = o->circuit.n_layers;
    if (!o->grow || o->core == KL_CORE_TWIN || o->core == KL_CORE_NONE) return KL_OK;
    if (o->circuit.learn_scale)
        return kl_fail(
            err, KL_EUSAGE,
            "--grow: learnable scales stand behind the weights of all layers, which then do not "
            "join one after another; leave --learn-scale or --grow out");
    if (!unit)
        return kl_fail(err, KL_EUSAGE, "--grow: %s cannot grow layer by layer",
                       *o->circuit.qasm ? "a circuit in OpenQASM" : "ansatz qcnn");
    const int64_t last = layers > unit ? (layers / unit - 1) * o->grow : 0;
    if (last < epochs) return KL_OK;
    return kl_fail(err, KL_EUSAGE,
                   "--grow %lld: the last of %lld layers join after epoch %lld; found %lld epochs, give "
                   "more, or a smaller --grow",
                   (long long)o->grow, (long long)layers, (long long)last, (long long)epochs);
}

/* When layers have joined, the optimiser begins anew: moments of the old circuit's gradients would be
   wrong for the new one's, and those of the new layers are 0. */
static int enter_stage(struct kl_head_train *train, struct kl_error *err)
{
    const struct kl_head_model *whole = train->whole;
    struct kl_train *loop = &train->loop;
    const int64_t stage = kl_head_stage(whole, loop->epoch), begin = stage_begin(whole, stage);
    const size_t moments = 2 * whole->block.size; /* m, then v */
    const bool joined = stage > 0 && loop->epoch == begin && loop->step == 0;
    for (int64_t r = 0; joined && r < loop->options.replicas; r++)
        memset(loop->replicas[r].m, 0, moments * sizeof(float));
    loop->optimizer_epoch = begin;
    if (loop->epoch > begin && loop->step == 0 && train->model != whole && train->stage.circuit)
        return 0; /* as in the epoch before */
    const bool was_whole = train->model == whole, is_whole = stage + 1 == kl_head_stages(whole);
    if (was_whole && is_whole) return 0;
    kl_circuit_free(&train->stage.circuit);
    train->model = train->whole;
    if (!is_whole) {
        train->stage = *whole;
        train->stage.circuit = NULL;
        train->model = &train->stage;
        int code = stage_circuit(&train->stage.circuit, whole, stage, err);
        if (code) return code;
    }
    kl_circuit_metric_free(&train->metric);
    kl_circuit_measured_free(&train->measured);
    return tools(train, err);
}

/* ---- The learner ---- */

const struct kl_train_row kl_head_history_rows[KL_HISTORY_ROWS] = { { "train_loss", "loss" },
                                                                    { "train_accuracy", NULL },
                                                                    { "val_loss", NULL },
                                                                    { "val_accuracy", "val accuracy" },
                                                                    { "learning_rate", NULL } };
static const struct kl_train_sum sums[] = { { "epoch_correct", true }, { "epoch_loss", false } };

/* Batches gathered ahead, by all threads. For replicas one after another a few megabytes, so that
   each stays in its cache for many steps; for replicas that threads share no more than leaves the cache
   to the parameters. */
static int make_batches(struct kl_head_train *train, struct kl_error *err)
{
    const size_t d = train->features->d;
    /* Rows a power of two apart would share a few sets of the first cache, which the gradient of the
       weights goes through by columns: with 512 features half of it would come from the second. */
    train->ldx = train->model->n_reduce && d % (2 * KL_HEAD_LINE) == 0 ? d + KL_HEAD_LINE : d;
    const size_t budget = kl_train_whole_replicas(&train->loop) ? 1 << 22 : 1 << 18;
    size_t rows = kl_head_batch_size(train), row = train->ldx * sizeof(float);
    size_t ahead = budget / (rows * d * sizeof(float));
    train->learner.ahead = ahead < 1 ? 1 : ahead > 32 ? 32 : (int64_t)ahead;
    rows *= (size_t)train->learner.ahead;
    void *memory = NULL;
    if (posix_memalign(&memory, 64, rows * row)) return kl_fail_memory(err, rows * row);
    train->batches = memory;
    train->batch_labels = malloc(rows * sizeof *train->batch_labels);
    return train->batch_labels ? 0 : kl_fail_memory(err, rows * sizeof *train->batch_labels);
}

static int wake(struct kl_train *loop, int n_threads, struct kl_error *err)
{
    struct kl_head_train *train = loop->learner->context;
    int code = make_batches(train, err);
    train->threads = calloc((size_t)n_threads, sizeof *train->threads);
    if (!code && !train->threads) code = kl_fail_memory(err, (size_t)n_threads * sizeof *train->threads);
    for (int i = 0; i < n_threads && !code; i++)
        code = kl_head_thread_init(&train->threads[i], train, err);
    return code;
}

static void rest(struct kl_train *loop)
{
    struct kl_head_train *train = loop->learner->context;
    kl_circuit_free(&train->stage.circuit);
    for (int i = 0; train->threads && i < loop->n_threads; i++) kl_head_thread_free(&train->threads[i]);
    free(train->threads);
    free(train->batches);
    free(train->batch_labels);
    train->threads = NULL, train->batches = NULL, train->batch_labels = NULL;
}

/* Make the metric of the optimiser and the measured circuit of shots. KL_ENOMEM, KL_EUSAGE. */
static int tools(struct kl_head_train *train, struct kl_error *err)
{
    const struct kl_head_model *model = train->model;
    int code = 0;
    if (train->loop.options.optimizer.kind == KL_QNG && model->options.core == KL_CORE_CIRCUIT)
        code = kl_circuit_metric_make(&train->metric, model->circuit, err);
    if (!code && model->options.shots && model->circuit)
        code = kl_circuit_measured_make(&train->measured, model->circuit, err);
    return code;
}

static void init(void *context, void *params, int64_t replica)
{
    const struct kl_head_train *train = context;
    kl_head_init(params, train->whole, train->loop.options.seed, (uint32_t)replica);
}

static int begin_epoch(struct kl_train *loop, struct kl_error *err)
{
    struct kl_head_train *train = loop->learner->context;
    int code = enter_stage(train, err);
    if (!code)
        kl_nn_shuffle(train->order, train->training, train->n_training, loop->options.seed,
                      (uint32_t)loop->epoch);
    return code;
}

/* Of the epoch's last step. */
static double last_rate(const struct kl_crew *crew, const struct kl_head_train *train)
{
    const struct kl_train_step last = kl_train_step_at(crew, train->learner.steps_per_epoch - 1);
    return train->loop.options.optimizer.kind == KL_SPSA ? kl_head_spsa_rate(train, last.number, last.lr)
                                                         : last.lr;
}

static int end_epoch(const struct kl_crew *crew, struct kl_error *err)
{
    struct kl_head_train *train = kl_train_crew_learner(crew);
    const struct kl_replica *r = crew->replica;
    const int64_t e = train->loop.epoch;
    const size_t place = (size_t)(r - train->loop.replicas);
    (void)err;
    r->history[KL_TRAIN_LOSS][e] = r->sums[KL_HEAD_LOSS] / (double)train->n_training;
    r->history[KL_TRAIN_ACCURACY][e] = r->sums[KL_HEAD_CORRECT] / (double)train->n_training;
    r->history[KL_LEARNING_RATE][e] = last_rate(crew, train);
    kl_head_norms_end(kl_head_norms(train, (int64_t)place, e), train, r->sums);
    if (train->gpu && train->n_validation > 0 && isfinite(r->history[KL_TRAIN_LOSS][e]))
        kl_head_gpu_validation(&r->history[KL_VAL_LOSS][e], &r->history[KL_VAL_ACCURACY][e], train,
                               place);
    return 0;
}

static void stoppable(struct kl_train *loop, bool stoppable)
{
    struct kl_head_train *train = loop->learner->context;
    kl_circuit_measured_stoppable(train->model->circuit, &train->measured, stoppable);
}

/* Better: higher accuracy, then lower loss. Without validation every epoch is. With a circuit that grows
   those with all layers are better than those in which some were absent. */
static void make_learner(struct kl_head_train *train, int64_t batch_size)
{
    const struct kl_head_model *model = train->whole;
    train->learner = (struct kl_learner){
        .context = train,
        .block = &model->block,
        .rows = kl_head_history_rows,
        .n_rows = KL_HISTORY_ROWS,
        .loss = KL_TRAIN_LOSS,
        .judged = { { KL_VAL_ACCURACY, true }, { KL_VAL_LOSS, false } },
        .n_judged = train->n_validation ? 2 : 0,
        .best_from = stage_begin(model, kl_head_stages(model) - 1),
        .sums = sums,
        .n_named = sizeof sums / sizeof *sums,
        .n_sums = KL_HEAD_NORMS + (int)kl_head_n_groups(model),
        .steps_per_epoch = ((int64_t)train->n_training + batch_size - 1) / batch_size,
        /* The way forward alone: a third of a step, row by row. */
        .judge_cost = (double)train->n_validation / 3 / (double)train->n_training,
        .init = init,
        .wake = wake,
        .rest = rest,
        .begin_epoch = begin_epoch,
        .prepare_step = kl_head_prepare_step,
        .steps = kl_head_steps,
        .judge = train->n_validation ? kl_head_judge : NULL,
        .end_epoch = end_epoch,
        .stoppable = model->circuit ? stoppable : NULL,
        .save = kl_head_save_rest,
        .restore = kl_head_restore_rest,
    };
}

static int take_norms(struct kl_head_train *train, const struct kl_train_options *o,
                      struct kl_error *err)
{
    const size_t n = (size_t)(o->replicas * o->epochs) * kl_head_n_groups(train->whole);
    train->norms = malloc(n * sizeof *train->norms);
    if (!train->norms) return kl_fail_memory(err, n * sizeof *train->norms);
    for (size_t i = 0; i < n; i++) train->norms[i] = NAN;
    return 0;
}

int kl_head_split(struct kl_head_train *t, const struct kl_train_options *o, struct kl_error *err)
{
    const struct kl_features *f = t->features;
    if (o->folds)
        return kl_nn_split_fold(&t->training, &t->n_training, &t->validation, &t->n_validation,
                                f->labels, f->n, f->n_classes, (size_t)o->fold, (size_t)o->folds,
                                o->seed, err);
    return kl_nn_split_stratified(&t->training, &t->n_training, &t->validation, &t->n_validation,
                                  f->labels, f->n, f->n_classes, o->val_fraction, o->seed, err);
}

int kl_head_train_open(struct kl_head_train *train, struct kl_head_model *model,
                       const struct kl_features *features, const struct kl_train_options *options,
                       int n_threads, struct kl_error *err)
{
    *train = (struct kl_head_train){ .whole = model, .model = model, .features = features };
    train->loop.options = *options;
    int code = kl_head_split(train, options, err);
    if (code) return code;
    make_learner(train, options->batch_size);
    train->order = malloc(train->n_training * sizeof *train->order);
    if (!train->order) code = kl_fail_memory(err, train->n_training * sizeof *train->order);
    if (!code) code = take_norms(train, options, err);
    if (!code) code = tools(train, err);
    if (!code) code = kl_train_open(&train->loop, &train->learner, options, n_threads, err);
    if (code) kl_head_train_close(train);
    return code;
}

void kl_head_train_close(struct kl_head_train *train)
{
    kl_train_close(&train->loop);
    kl_circuit_metric_free(&train->metric);
    kl_circuit_measured_free(&train->measured);
    free(train->norms);
    free(train->order);
    free(train->training);
    free(train->validation);
    *train = (struct kl_head_train){ 0 };
}

void kl_head_train_on(struct kl_head_train *train, const struct kl_device *device)
{
    train->device = device;
    train->loop.device = device && device->cuda ? &kl_head_gpu_device : NULL;
}

double kl_head_val_accuracy(const struct kl_head_train *train, int64_t r)
{
    const struct kl_replica *replica = &train->loop.replicas[r];
    return replica->history[KL_VAL_ACCURACY][replica->best_epoch];
}
