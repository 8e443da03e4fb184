/* SPDX-License-Identifier: MIT
   qtrain: a feature cache in, trained hybrid heads out, with their controls. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backbone/extract.h"
#include "head/run.h"
#include "qrng/classify/study.h"
#include "store/mode.h"
#include "store/shard.h"
#include "train/history.h"
#include "train/stage.h"

struct run {
    struct kl_head_settings *v;
    struct kl_head_run head;
    struct kl_file *input;
    struct kl_features features;
    struct kl_pool *pool;
    struct kl_paired found[KL_CONTROLS]; /* the head's accuracy less each control's */
    int n_found;
};

/* Accuracy on the validation samples, the head's less each control's. */
static int compare(struct run *run, struct kl_error *err)
{
    int code = 0;
    run->n_found = run->head.train.n_validation ? run->head.controls.n : 0;
    for (int i = 0; i < run->n_found && !code; i++)
        code =
            kl_head_controls_difference(&run->found[i], &run->head.controls, i, &run->head.train, err);
    return code;
}

static int summarise_as_json(const struct run *run, const struct kl_train_summary *s, FILE *out,
                             struct kl_error *err)
{
    enum { HEAD = 12 };
    const struct kl_head_train *t = &run->head.train;
    struct kl_control_numbers numbers;
    struct kl_json_pair pairs[HEAD + 3 * KL_CONTROLS] = {
        { "output", KL_JSON_TEXT, run->v->common.output, 0 },
        { "key", KL_JSON_TEXT, run->head.stage.key, 0 },
        { "status", KL_JSON_TEXT, kl_store_stage_status(KL_STAGE_COMPUTE), 0 },
        { "epochs", KL_JSON_COUNT, NULL, (double)s->epochs },
        { "replicas", KL_JSON_COUNT, NULL, (double)t->loop.options.replicas },
        { t->n_validation ? "val_accuracy" : "train_accuracy", KL_JSON_NUMBER, NULL, s->mean },
        { "best_epoch", KL_JSON_COUNT, NULL, (double)t->loop.replicas[0].best_epoch + 1 },
        { "seconds", KL_JSON_NUMBER, NULL, t->loop.seconds },
        { "seconds_per_epoch", KL_JSON_NUMBER, NULL, s->seconds_per_epoch },
        { "collapsed", KL_JSON_COUNT, NULL, (double)run->head.collapse.n_collapsed },
        kl_json_cautions(run->head.log),
        { "controls", KL_JSON_BOOL, NULL, run->head.controls.n > 0 }
    };
    kl_head_control_numbers(&numbers, run->found, run->n_found, true);
    memcpy(pairs + HEAD, numbers.pairs, numbers.n * sizeof *pairs);
    return kl_json_line(out, pairs, HEAD + numbers.n, err);
}

static void write_controls(const struct run *run, FILE *out)
{
    kl_head_controls_write(out, run->found, run->n_found);
    fprintf(out, "  controls: %.1f s; parameters: circuit %zu, twin %zu%s\n",
            kl_head_controls_seconds(&run->head.controls), run->head.model.circuit->n_weights,
            kl_head_twin_parameters(&run->head.controls.models[0].shape),
            run->n_found ? "" : "; no validation samples to compare on");
}

static int summarise(void *context, FILE *out, bool json, struct kl_error *err)
{
    const struct run *run = context;
    const struct kl_head_train *t = &run->head.train;
    const int64_t n = t->loop.options.replicas;
    const enum kl_history_row judged = t->n_validation ? KL_VAL_ACCURACY : KL_TRAIN_ACCURACY;
    const char *what = t->n_validation ? "val" : "no validation, train";
    const struct kl_train_summary s = kl_train_summary(&t->loop, judged);
    const char *output = run->v->common.output;
    if (json) return summarise_as_json(run, &s, out, err);
    if (n == 1)
        fprintf(out, "%s: %lld epoch%s, %s accuracy %.4f (best epoch %lld), %.1f s, %.3f s/epoch\n",
                output, (long long)s.epochs, kl_s((uint64_t)s.epochs), what, s.mean,
                (long long)t->loop.replicas[0].best_epoch + 1, t->loop.seconds, s.seconds_per_epoch);
    else
        fprintf(out,
                "%s: %lld heads, %lld epoch%s, %s accuracy %.4f (%.4f to %.4f), %.1f s, %.3f s/epoch\n",
                output, (long long)n, (long long)s.epochs, kl_s((uint64_t)s.epochs), what, s.mean, s.low,
                s.high, t->loop.seconds, s.seconds_per_epoch);
    if (run->head.controls.n) write_controls(run, out);
    return KL_OK;
}

/* Choose the device, load the features, and start the threads. */
static int prepare(struct run *run, struct kl_error *err)
{
    int code = kl_device_choose(&run->head.device, run->v->common.device, err);
    kl_device_used(&run->v->common, &run->head.device);
    if (!code) code = kl_head_features_load(&run->features, run->input, err);
    if (!code) code = kl_pool_create(&run->pool, (int)run->v->common.threads, err);
    return code ? code : kl_head_run_device(&run->head, &run->features, kl_pool_size(run->pool), err);
}

static int try_a_moment(void *context, struct kl_estimate *estimate, struct kl_error *err)
{
    struct run *run = context;
    const double start = kl_clock();
    int code = prepare(run, err);
    const double prepared = kl_clock() - start;
    if (!code) code = kl_head_run_estimate(estimate, &run->head, &run->features, run->pool, err);
    estimate->seconds += prepared;
    return code;
}

static int train(struct run *run, FILE *out, struct kl_error *err)
{
    int code = prepare(run, err);
    if (!code) kl_head_say_without_effect(run->head.log, run->v);
    if (!code) kl_store_shard_say(run->input, run->head.log);
    if (!code) code = kl_head_origin_seen(run->input, run->head.log, err);
    if (!code) code = kl_head_run_open(&run->head, &run->features, kl_pool_size(run->pool), err);
    if (!code) code = kl_head_run_train(&run->head, run->pool, err);
    if (!code) code = compare(run, err);
    if (!code) code = kl_head_run_judge(&run->head, run->pool, err);
    if (!code) code = kl_store_stage_found(&run->head.stage, summarise, run, err);
    if (!code) code = kl_head_run_publish(&run->head, err);
    if (!code) kl_store_stage_tell(&run->head.stage, out);
    return code;
}

/* The stream of the summary: not among the lines of --history -. */
static FILE *words_to(const struct kl_head_settings *v)
{
    return v->train.history && strcmp(v->train.history, "-") == 0 ? stderr : kl_words_to(&v->common);
}

static int work(struct run *run, const char *path, FILE *out, struct kl_error *err)
{
    enum kl_stage_answer answer = KL_STAGE_ANSWERED;
    int code = kl_head_settings_settle(run->v, err);
    if (!code) code = kl_train_history_check(&run->v->train, &run->v->common, &kl_head_kind, path, err);
    if (!code) code = kl_store_file_open_kind(&run->input, path, &kl_features_kind, err);
    run->head.input = run->input;
    if (!code) code = kl_head_run_begin(&run->head, &answer, out, err);
    if (code || answer == KL_STAGE_ANSWERED) return code;
    out = words_to(run->v);
    code = answer == KL_STAGE_COMPUTE ? train(run, out, err)
                                      : kl_store_stage_report(&run->head.stage, answer, out, err);
    return code ? code
                : kl_train_history_write(&run->v->train, &run->v->common, "qtrain", &kl_head_kind,
                                         kl_head_history_rows, KL_HISTORY_ROWS, err);
}

static int check_gradients(struct run *run, const char *path, FILE *out, struct kl_error *err)
{
    struct kl_gradient_check check;
    int code = kl_head_settings_settle(run->v, err);
    if (!code) code = kl_store_file_open_kind(&run->input, path, &kl_features_kind, err);
    if (!code) code = kl_head_features_load(&run->features, run->input, err);
    kl_signals_plain(); /* nothing is kept of it: who stops it need not wait */
    if (!code)
        code = kl_head_model_make(&run->head.model, &run->v->head, run->features.d,
                                  run->features.n_classes, err);
    if (!code)
        code = kl_head_check_gradients(&check, &run->head.model, &run->features,
                                       (size_t)run->v->train.options.batch_size,
                                       run->v->train.options.seed, err);
    if (!code && run->v->common.json)
        code = kl_head_gradient_check_json(out, &check, run->v->shape.core, err);
    if (code) return code;
    if (!run->v->common.json) kl_head_gradient_check_write(out, &check, run->v->shape.core);
    return check.agree ? 0 : kl_fail(err, KL_ENO, "the gradients differ by more than their bounds");
}

static int profile(struct run *run, const char *path, FILE *out, struct kl_error *err)
{
    struct kl_head_profile found;
    const struct kl_common *common = &run->v->common;
    if (common->output || run->v->check_gradients || strncmp(common->device, "cuda", 4) == 0)
        return kl_fail(err, KL_EUSAGE, "--profile: %s",
                       common->output            ? "trains nothing to be kept; leave -o away"
                       : run->v->check_gradients ? "found --check-gradients beside it; give one"
                                                 : "is of the CPU's steps; give --device cpu");
    int code = kl_head_settings_settle(run->v, err);
    if (!code) code = kl_store_file_open_kind(&run->input, path, &kl_features_kind, err);
    run->head.input = run->input;
    run->v->no_controls = true;
    if (!code) code = kl_head_features_load(&run->features, run->input, err);
    if (!code) code = kl_head_profile_make(&found, &run->head, &run->features, err);
    if (code) return code;
    if (run->v->common.json) return kl_head_profile_json(out, &found, err);
    kl_head_profile_write(out, &found);
    return KL_OK;
}

static int run(struct kl_mode_run *mode, struct kl_error *err)
{
    struct run run = { .v = mode->values };
    run.head.v = run.v;
    run.head.log = mode->stage.log;
    run.head.stage = mode->stage;
    run.head.stage.estimate = try_a_moment, run.head.stage.estimate_context = &run;
    int (*const what)(struct run *, const char *, FILE *, struct kl_error *) = run.v->profile ? profile
                                                                               : run.v->check_gradients
                                                                                   ? check_gradients
                                                                                   : work;
    const int code = what(&run, *mode->stage.inputs, mode->out, err);
    kl_head_run_close(&run.head);
    kl_pool_destroy(&run.pool);
    kl_head_features_free(&run.features);
    kl_store_file_close(&run.input);
    kl_head_settings_free(run.v);
    return code;
}

static bool has_output(const void *values)
{
    const struct kl_head_settings *v = values;
    return !v->check_gradients && !v->profile;
}

static void defaults(void *values)
{
    kl_head_settings_default(values);
}

static int complete(void *values, struct kl_error *err)
{
    (void)err;
    kl_head_settings_complete(values);
    return KL_OK;
}

int main(int argc, char **argv)
{
    /* Rooms do not know each other: their modes meet here. */
    const struct kl_tool *const parts[] = { kl_mode_qtrain.tool, NULL };
    struct kl_tool tool = kl_head_tool;
    tool.parts = parts;
    const struct kl_mode heads = {
        .tool = &tool, .defaults = defaults, .run = run, .complete = complete, .has_output = has_output
    };
    const struct kl_mode *const modes[] = { &heads, &kl_mode_qtrain };
    return kl_store_modes_main(modes, 2, argc, argv, stdout, stderr);
}
