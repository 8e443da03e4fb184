/* SPDX-License-Identifier: MIT
   qtrain: a feature cache in, trained hybrid heads out, with their controls. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backbone/extract.h"
#include "head/check.h"
#include "head/idle.h"
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
    struct kl_paired found[KL_CONTROLS]; /* the head's accuracy less each control's */
    int n_found;
};

static int check_mlflow(const char *folder, struct kl_error *err)
{
    struct stat s;
    if (strcmp(folder, "-") == 0)
        return kl_fail(err, KL_EUSAGE, "--mlflow: found '-', expected a folder");
    if (stat(folder, &s)) return kl_store_place_check(folder, err);
    if (!S_ISDIR(s.st_mode))
        return kl_fail(err, KL_EUSAGE, "--mlflow: found the file %s, expected a folder", folder);
    return access(folder, W_OK | X_OK) ? kl_fail_errno(err, KL_EIO, "--mlflow: %s", folder) : KL_OK;
}

/* Before anything is trained: histories are read from the finished head file, so there has to be one,
   and they replace nothing but older ones. */
static int check_histories(const struct kl_head_settings *v, const char *input, struct kl_error *err)
{
    const char *const inputs[] = { input, v->common.config };
    const size_t n_inputs = v->common.config ? 2 : 1;
    if ((v->history || v->mlflow) && v->common.output && strcmp(v->common.output, "-") == 0)
        return kl_fail(
            err, KL_EUSAGE,
            "--%s: cannot be made while the head goes to standard output; name a file with -o",
            v->history ? "history" : "mlflow");
    if (v->mlflow && v->common.output && kl_store_same_place(v->mlflow, v->common.output))
        return kl_fail(err, KL_EUSAGE, "--mlflow: found the file %s, which -o writes; give a folder",
                       v->mlflow);
    int code = v->mlflow ? check_mlflow(v->mlflow, err) : KL_OK;
    if (code || !v->history || strcmp(v->history, "-") == 0) return code;
    if (v->common.output && kl_store_same_place(v->history, v->common.output))
        return kl_fail(err, KL_EUSAGE,
                       "--history: found the file %s, which -o writes; give another name", v->history);
    if (access(v->history, F_OK) && kl_store_place_check(v->history, err)) return err->code;
    return kl_store_target_check_bytes(v->history, 0, "{\"replica\":", v->common.force, inputs, n_inputs,
                                       err);
}

/* --history and --mlflow are made from the finished file, so they come with "up to date" as well. */
static int write_histories(const struct run *run, struct kl_error *err)
{
    struct kl_file *file = NULL;
    const struct kl_head_settings *v = run->v;
    if ((!v->history && !v->mlflow) || !v->common.output) return 0;
    int code = kl_store_file_open_kind(&file, v->common.output, &kl_head_kind, err);
    if (!code && v->history)
        code = kl_history_jsonl(v->history, file, kl_head_history_rows, KL_HISTORY_ROWS, err);
    if (!code && v->mlflow)
        code = kl_history_mlflow(v->mlflow, "qtrain", file, kl_head_history_rows, KL_HISTORY_ROWS, err);
    kl_store_file_close(&file);
    return code;
}

/* Accuracy on the validation samples, the head's less each control's. */
static int compare(struct run *run, struct kl_error *err)
{
    int code = 0;
    run->n_found = run->head.train.n_validation ? run->head.controls.n : 0;
    for (int i = 0; i < run->n_found && !code; i++)
        code = kl_controls_difference(&run->found[i], &run->head.controls, i, &run->head.train, err);
    return code;
}

static double seconds_per_epoch(const struct kl_head_train *t)
{
    return t->loop.epochs_run > 0 ? t->loop.seconds / (double)t->loop.epochs_run : 0;
}

static int summarise_as_json(const struct run *run, int64_t epochs, double mean, FILE *out,
                             struct kl_error *err)
{
    enum { HEAD = 12 };
    const struct kl_head_train *t = &run->head.train;
    struct kl_control_numbers numbers;
    struct kl_json_pair pairs[HEAD + 3 * KL_CONTROLS] = {
        { "output", KL_JSON_TEXT, run->v->common.output, 0 },
        { "key", KL_JSON_TEXT, run->head.stage.key, 0 },
        { "status", KL_JSON_TEXT, kl_store_stage_status(KL_STAGE_COMPUTE), 0 },
        { "epochs", KL_JSON_COUNT, NULL, (double)epochs },
        { "replicas", KL_JSON_COUNT, NULL, (double)t->loop.options.replicas },
        { t->n_validation ? "val_accuracy" : "train_accuracy", KL_JSON_NUMBER, NULL, mean },
        { "best_epoch", KL_JSON_COUNT, NULL, (double)t->loop.replicas[0].best_epoch + 1 },
        { "seconds", KL_JSON_NUMBER, NULL, t->loop.seconds },
        { "seconds_per_epoch", KL_JSON_NUMBER, NULL, seconds_per_epoch(t) },
        { "collapsed", KL_JSON_COUNT, NULL, (double)run->head.collapse.n_collapsed },
        kl_json_cautions(run->head.log),
        { "controls", KL_JSON_BOOL, NULL, run->head.controls.n > 0 }
    };
    kl_control_numbers(&numbers, run->found, run->n_found, true);
    memcpy(pairs + HEAD, numbers.pairs, numbers.n * sizeof *pairs);
    return kl_json_line(out, pairs, HEAD + numbers.n, err);
}

static void write_controls(const struct run *run, FILE *out)
{
    kl_controls_write(out, run->found, run->n_found);
    fprintf(out, "  controls: %.1f s; parameters: circuit %zu, twin %zu%s\n",
            kl_controls_seconds(&run->head.controls), run->head.model.circuit->n_weights,
            kl_twin_parameters(&run->head.controls.models[0].shape),
            run->n_found ? "" : "; no validation samples to compare on");
}

static int summarise(const struct run *run, FILE *out, struct kl_error *err)
{
    const struct kl_head_train *t = &run->head.train;
    const int64_t n = t->loop.options.replicas;
    const enum kl_history_row judged = t->n_validation ? KL_VAL_ACCURACY : KL_TRAIN_ACCURACY;
    const char *what = t->n_validation ? "val" : "no validation, train";
    double sum = 0, low = 1, high = 0;
    int64_t epochs = 0;
    for (int64_t r = 0; r < n; r++) {
        double a = t->loop.replicas[r].history[judged][t->loop.replicas[r].best_epoch];
        sum += a, low = a < low ? a : low, high = a > high ? a : high;
        int64_t ran = t->loop.replicas[r].stopped_epoch >= 0 ? t->loop.replicas[r].stopped_epoch + 1
                                                             : t->loop.epoch;
        epochs = ran > epochs ? ran : epochs;
    }
    double mean = sum / (double)n, per_epoch = seconds_per_epoch(t);
    const char *output = run->v->common.output;
    if (run->v->common.json) return summarise_as_json(run, epochs, mean, out, err);
    if (run->v->common.quiet) return KL_OK;
    if (n == 1)
        fprintf(out, "%s: %lld epoch%s, %s accuracy %.4f (best epoch %lld), %.1f s, %.3f s/epoch\n",
                output, (long long)epochs, kl_s((uint64_t)epochs), what, mean,
                (long long)t->loop.replicas[0].best_epoch + 1, t->loop.seconds, per_epoch);
    else
        fprintf(out,
                "%s: %lld heads, %lld epoch%s, %s accuracy %.4f (%.4f to %.4f), %.1f s, %.3f s/epoch\n",
                output, (long long)n, (long long)epochs, kl_s((uint64_t)epochs), what, mean, low, high,
                t->loop.seconds, per_epoch);
    if (run->head.controls.n) write_controls(run, out);
    return KL_OK;
}

/* What trains, and on what. */
static int prepare(struct run *run, struct kl_error *err)
{
    int code = kl_device_choose(&run->head.device, run->v->common.device, err);
    run->v->common.device_used = run->head.device.name;
    if (!code) code = kl_features_load(&run->features, run->input, err);
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
    if (!code) kl_head_say_idle(run->head.log, run->v);
    if (!code) kl_store_shard_say(run->input, run->head.log);
    if (!code) code = kl_origin_seen(run->input, run->head.log, err);
    if (!code) code = kl_head_run_open(&run->head, &run->features, kl_pool_size(run->pool), err);
    if (!code) code = kl_head_run_train(&run->head, run->pool, err);
    if (!code) code = compare(run, err);
    if (!code) code = kl_head_run_judge(&run->head, run->pool, err);
    if (!code) code = kl_head_run_publish(&run->head, err);
    return code ? code : summarise(run, out, err);
}

/* Where the summary goes: not among the lines of --history -. */
static FILE *words_to(const struct kl_head_settings *v)
{
    return v->history && strcmp(v->history, "-") == 0 ? stderr : kl_words_to(&v->common);
}

static int work(struct run *run, const char *path, FILE *out, struct kl_error *err)
{
    enum kl_stage_answer answer = KL_STAGE_ANSWERED;
    int code = kl_head_settings_settle(run->v, err);
    if (!code && !run->v->common.output && !run->v->common.print_key)
        code = kl_fail(err, KL_EUSAGE, "no output; give -o HEAD.h5");
    if (!code) code = check_histories(run->v, path, err);
    if (!code) code = kl_store_file_open_kind(&run->input, path, &kl_features_kind, err);
    run->head.input = run->input;
    if (!code) code = kl_head_run_begin(&run->head, &answer, out, err);
    if (code || answer == KL_STAGE_ANSWERED) return code;
    out = words_to(run->v);
    code = answer == KL_STAGE_COMPUTE ? train(run, out, err)
                                      : kl_store_stage_report(&run->head.stage, answer, out, err);
    return code ? code : write_histories(run, err);
}

static int check_gradients(struct run *run, const char *path, FILE *out, struct kl_error *err)
{
    struct kl_gradient_check check;
    int code = kl_head_settings_settle(run->v, err);
    if (!code) code = kl_store_file_open_kind(&run->input, path, &kl_features_kind, err);
    if (!code) code = kl_features_load(&run->features, run->input, err);
    kl_signals_plain(); /* nothing is kept of it: who stops it need not wait */
    if (!code)
        code = kl_head_model_make(&run->head.model, &run->v->head, run->features.d,
                                  run->features.n_classes, err);
    if (!code)
        code = kl_head_check_gradients(&check, &run->head.model, &run->features,
                                       (size_t)run->v->train.batch_size, run->v->train.seed, err);
    if (!code && run->v->common.json)
        code = kl_gradient_check_json(out, &check, run->v->shape.core, err);
    if (code) return code;
    if (!run->v->common.json) kl_gradient_check_write(out, &check, run->v->shape.core);
    return check.agree ? 0 : kl_fail(err, KL_ENO, "the gradients differ by more than their bounds");
}

static int run(struct kl_mode_run *mode, struct kl_error *err)
{
    struct run run = { .v = mode->values };
    const char *const *inputs = mode->stage.inputs;
    const size_t n = mode->stage.n_inputs;
    int code;
    run.head.v = run.v;
    run.head.log = mode->stage.log;
    run.head.stage = mode->stage;
    run.head.stage.estimate = try_a_moment, run.head.stage.estimate_context = &run;
    if (n != 1) code = kl_fail_inputs(err, inputs, n, 1, "one feature cache");
    else code = (run.v->check_gradients ? check_gradients : work)(&run, inputs[0], mode->out, err);
    kl_head_run_close(&run.head);
    kl_pool_destroy(&run.pool);
    kl_features_free(&run.features);
    kl_store_file_close(&run.input);
    kl_head_settings_free(run.v);
    return code;
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
        .tool = &tool, .defaults = defaults, .run = run, .complete = complete
    };
    const struct kl_mode *const modes[] = { &heads, &kl_mode_qtrain };
    return kl_store_modes_main(modes, 2, argc, argv, stdout, stderr);
}
