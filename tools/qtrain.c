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

struct run {
    struct kl_head_settings *v;
    struct kl_head_run head;
    struct kl_file *input;
    struct kl_features features;
    struct kl_pool *pool;
};

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
    if (!code) code = kl_head_run_judge(&run->head, run->pool, err);
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
                       common->output            ? "trains nothing to be kept; leave -o out"
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
