/* SPDX-License-Identifier: MIT
   One head file from one feature cache: key, device, training with its checkpoints, controls,
   publishing; how long it would take. */
#include "head/run.h"

#include <stdlib.h>
#include <string.h>

#include "circuit/noise.h"
#include "head/gpu.h"
#include "train/stage.h"

/* A part of the key of circuits whose channels stand after composite gates. */
static int add_composites(struct kl_key *key, const struct kl_circuit_options *o, struct kl_error *err)
{
    bool composites = false;
    const int code = kl_circuit_options_err_by_composites(&composites, o, err);
    return code || !composites ? code : kl_store_key_text(key, KL_COMPOSITES_PART, err);
}

static int make_key(struct kl_key **key, const struct kl_head_settings *v, const struct kl_file *input,
                    struct kl_error *err)
{
    /* Before, the history of spsa had the schedule's rate; nothing else has changed since. */
    const int version = KL_HEAD_NUMERICAL_VERSION + (strcmp(v->train.optimizer, "spsa") == 0);
    int code = kl_store_key_begin(key, "head", KL_HEAD_SCHEMA, kl_head_tool.name, version, err);
    if (!code) code = kl_store_key_options(*key, &kl_head_tool, v, err);
    if (!code) code = kl_store_key_integer(*key, "seed", v->common.seed, err);
    if (!code && (v->head.core == KL_CORE_CIRCUIT || v->head.core == KL_CORE_FROZEN))
        code = add_composites(*key, &v->head.circuit, err);
    return code ? code : kl_store_key_input(*key, "features", kl_store_file_content(input), err);
}

int kl_head_key(char hex[65], const struct kl_head_settings *v, const struct kl_file *input,
                struct kl_error *err)
{
    struct kl_key *key = NULL;
    int code = make_key(&key, v, input, err);
    if (!code) code = kl_store_key_finish(&key, hex, NULL, err);
    kl_store_key_abort(&key);
    return code;
}

/* Whichever training is under way: the head's or a control's. */
static int save_all(void *context, struct kl_writer *writer, struct kl_error *err)
{
    const struct kl_head_run *run = context;
    int code = kl_head_train_save(writer, &run->train, run->config, err);
    return code ? code : kl_head_controls_save(writer, &run->controls, true, err);
}

int kl_head_run_keep(struct kl_head_run *run, struct kl_error *err)
{
    return kl_store_checkpoint_write(run->checkpoint, &run->stage, save_all, run, err);
}

static int save_checkpoint(void *context, struct kl_train *train, struct kl_error *err)
{
    (void)train;
    return kl_head_run_keep(context, err);
}

/* Say how far the checkpoint had come, and how much is left. */
static void say_resumed(const struct kl_head_run *run)
{
    const struct kl_head_train *at = &run->train;
    const char *name = "head";
    char within[64] = "", then[64] = "";
    int controls = run->controls.n; /* still to come */
    for (int i = 0; i < run->controls.n; i++)
        if (run->controls.trains[i].loop.epoch > 0 || run->controls.trains[i].loop.step > 0)
            at = &run->controls.trains[i], name = kl_head_control_name(i),
            controls = run->controls.n - 1 - i;
    const long long done = at->loop.epoch, all = at->loop.options.epochs;
    if (at->loop.step)
        snprintf(within, sizeof within, " and %lld of %lld steps of the next", (long long)at->loop.step,
                 (long long)at->learner.steps_per_epoch);
    if (controls) snprintf(then, sizeof then, ", then %d control%s", controls, kl_s((unsigned)controls));
    kl_note(run->log, 1, "found %s: %lld of %lld epoch%s of the %s%s; %lld left%s", run->checkpoint,
            done, all, kl_s((uint64_t)all), name, within, all - done, then);
}

static int resume(struct kl_head_run *run, struct kl_error *err)
{
    struct kl_file *file = NULL;
    int code = kl_store_checkpoint_resume(&file, &run->older, run->checkpoint, &run->stage, run->log,
                                          "epoch", err);
    if (code || !file) return code;
    code = kl_head_train_restore(&run->train, file, err);
    if (!code) code = kl_head_controls_restore(&run->controls, file, err);
    if (!code) say_resumed(run);
    kl_store_file_close(&file);
    return code;
}

static int open_writer(struct kl_head_run *run, struct kl_error *err)
{
    return kl_store_writer_open(&run->writer, run->v->common.output, &run->stage.header, err);
}

int kl_head_run_judge(struct kl_head_run *run, struct kl_pool *pool, struct kl_error *err)
{
    int code = kl_head_collapse_of_training(&run->collapse, &run->train, pool, err);
    for (int i = 0; i < run->controls.n && !code; i++) {
        struct kl_collapse control;
        code = kl_head_collapse_of_training(&control, &run->controls.trains[i], pool, err);
        if (code) break;
        run->collapsed_controls[i] = control.n_collapsed;
        kl_head_collapse_free(&control);
    }
    if (!code) kl_head_remark_unfinished(run->log, &run->train, &run->controls);
    if (!code) kl_head_collapse_say(run->log, &run->collapse, run->train.features);
    if (!code && run->controls.n)
        kl_head_controls_say_collapsed(run->log, "", run->collapsed_controls,
                                       (size_t)run->train.loop.options.replicas);
    return code;
}

/* ---- what was found ---- */

/* Accuracy on the validation samples, the head's less each control's. */
static int compare(struct kl_head_run *run, struct kl_error *err)
{
    int code = KL_OK;
    run->n_found = run->train.n_validation ? run->controls.n : 0;
    for (int i = 0; i < run->n_found && !code; i++)
        code = kl_head_controls_difference(&run->found[i], &run->controls, i, &run->train, err);
    return code;
}

static int summarise_as_json(const struct kl_head_run *run, const struct kl_train_summary *s, FILE *out,
                             struct kl_error *err)
{
    enum { HEAD = 12 };
    const struct kl_head_train *t = &run->train;
    struct kl_control_numbers numbers;
    struct kl_json_pair pairs[HEAD + 3 * KL_CONTROLS] = {
        { "output", KL_JSON_TEXT, run->v->common.output, 0 },
        { "key", KL_JSON_TEXT, run->stage.key, 0 },
        { "status", KL_JSON_TEXT, kl_store_stage_status(KL_STAGE_COMPUTE), 0 },
        { "epochs", KL_JSON_COUNT, NULL, (double)s->epochs },
        { "replicas", KL_JSON_COUNT, NULL, (double)t->loop.options.replicas },
        { t->n_validation ? "val_accuracy" : "train_accuracy", KL_JSON_NUMBER, NULL, s->mean },
        { "best_epoch", KL_JSON_COUNT, NULL, (double)t->loop.replicas[0].best_epoch + 1 },
        { "seconds", KL_JSON_NUMBER, NULL, t->loop.seconds },
        { "seconds_per_epoch", KL_JSON_NUMBER, NULL, s->seconds_per_epoch },
        { "collapsed", KL_JSON_COUNT, NULL, (double)run->collapse.n_collapsed },
        kl_json_cautions(run->log),
        { "controls", KL_JSON_BOOL, NULL, run->controls.n > 0 }
    };
    kl_head_control_numbers(&numbers, run->found, run->n_found, true);
    memcpy(pairs + HEAD, numbers.pairs, numbers.n * sizeof *pairs);
    return kl_json_line(out, pairs, HEAD + numbers.n, err);
}

static void write_controls(const struct kl_head_run *run, FILE *out)
{
    kl_head_controls_write(out, run->found, run->n_found, run->collapsed_controls);
    fprintf(out, "  controls: %.1f s; parameters: circuit %zu, twin %zu%s\n",
            kl_head_controls_seconds(&run->controls), run->model.circuit->n_weights,
            kl_head_twin_parameters(&run->controls.models[0].shape),
            run->n_found ? "" : "; no validation samples to compare on");
}

static int summarise(void *context, FILE *out, bool json, struct kl_error *err)
{
    const struct kl_head_run *run = context;
    const struct kl_head_train *t = &run->train;
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
    if (run->controls.n) write_controls(run, out);
    return KL_OK;
}

int kl_head_run_publish(struct kl_head_run *run, struct kl_error *err)
{
    const struct kl_file *parents[] = { run->input };
    int code = run->writer ? KL_OK : open_writer(run, err);
    if (!code) code = compare(run, err);
    if (!code) code = kl_store_stage_found(&run->stage, summarise, run, err);
    if (!code) code = kl_head_train_save(run->writer, &run->train, run->config, err);
    if (!code) code = kl_head_origin_save(run->writer, run->input, err);
    if (!code) code = kl_head_controls_save(run->writer, &run->controls, false, err);
    if (!code) code = kl_store_stage_publish(&run->stage, &run->writer, parents, 1, NULL, NULL, err);
    if (!code && run->checkpoint) kl_store_checkpoint_remove(run->checkpoint, NULL);
    return code;
}

int kl_head_run_begin(struct kl_head_run *run, enum kl_stage_answer *answer, FILE *out,
                      struct kl_error *err)
{
    struct kl_key *key = NULL;
    if (!(run->config = kl_options_json(&kl_head_tool, run->v, true))) return kl_fail_memory(err, 1024);
    int code = kl_store_checkpoint_path(&run->checkpoint, run->v->common.output, err);
    if (!code) code = make_key(&key, run->v, run->input, err);
    if (!code) code = kl_store_stage_begin(&run->stage, answer, &key, out, err);
    kl_store_key_abort(&key);
    /* A run that was killed between publishing and tidying up left it. */
    if (!code && (*answer == KL_STAGE_UP_TO_DATE || *answer == KL_STAGE_FETCHED) && run->checkpoint)
        kl_store_checkpoint_remove(run->checkpoint, run->stage.key);
    return code;
}

/* The writer at once: a folder that refuses is found before the work. */
int kl_head_run_open(struct kl_head_run *run, const struct kl_features *features, int threads,
                     struct kl_error *err)
{
    const struct kl_head_settings *v = run->v;
    int code = kl_head_model_make(&run->model, &v->head, features->d, features->n_classes, err);
    if (!code && run->device.cuda) code = kl_head_gpu_check(&run->model, &v->train.options, err);
    if (!code) kl_head_remarks(run->log, v, &run->model);
    if (!code && !run->late) code = open_writer(run, err);
    if (!code)
        code = kl_head_train_open(&run->train, &run->model, features, &v->train.options, threads, err);
    if (!code) code = kl_head_remark_samples(run->log, &run->train, err);
    if (!code && !v->no_controls)
        code =
            kl_head_controls_open(&run->controls, &v->head, features, &v->train.options, threads, err);
    if (!code) code = resume(run, err);
    run->train.loop.checkpoint = save_checkpoint;
    run->train.loop.checkpoint_context = run;
    kl_head_train_on(&run->train, &run->device);
    run->train.log = run->log;
    for (int i = 0; i < run->controls.n; i++) {
        run->controls.trains[i].loop.checkpoint = save_checkpoint;
        run->controls.trains[i].loop.checkpoint_context = run;
        kl_head_train_on(&run->controls.trains[i], &run->device);
    }
    return code;
}

/* The head first, so that its numbers are what they are without controls; then the controls. */
int kl_head_run_train(struct kl_head_run *run, struct kl_pool *pool, struct kl_error *err)
{
    struct kl_progress progress;
    const char *mode = run->v->common.progress;
    kl_progress_begin(&progress, run->log, mode, "epochs");
    int code = kl_train_run(&run->train.loop, pool, &progress.watch, err);
    kl_progress_end(&progress);
    if (!code && run->controls.n && kl_train_finished(&run->train.loop)) {
        kl_progress_begin(&progress, run->log, mode, "epochs of controls");
        code = kl_head_controls_run(&run->controls, pool, &progress.watch, err);
        kl_progress_end(&progress);
        if (!code) kl_head_controls_note_diverged(&run->controls, run->log);
    }
    return code ? kl_train_stopped(&run->train.loop, run->log, run->checkpoint, run->older, err) : code;
}

void kl_head_run_stop_workers(struct kl_head_run *run)
{
    kl_train_stop_workers(&run->train.loop);
    for (int i = 0; i < run->controls.n; i++) kl_train_stop_workers(&run->controls.trains[i].loop);
}

int kl_head_run_start_workers(struct kl_head_run *run, int threads, struct kl_error *err)
{
    int code = kl_train_start_workers(&run->train.loop, threads, err);
    for (int i = 0; i < run->controls.n && !code; i++)
        code = kl_train_start_workers(&run->controls.trains[i].loop, threads, err);
    return code;
}

void kl_head_run_close(struct kl_head_run *run)
{
    kl_store_writer_abort(&run->writer);
    kl_head_collapse_free(&run->collapse);
    kl_head_train_close(&run->train);
    kl_head_controls_close(&run->controls);
    kl_head_model_free(&run->model);
    kl_store_stage_end(&run->stage);
    free(run->config);
    free(run->checkpoint);
    run->config = run->checkpoint = NULL;
}

/* ---- --device auto of a head's training ---- */

/* Seconds of one thread for a sample and a parameter, forward and back, and of the H100 for a step: at
   least so much, however few heads it trains, and so much a head, of the default head's 70,000
   parameters (docs/benchmarks.md). */
#define THREAD_SAMPLE 2.1e-11
#define GPU_START 0.5
#define GPU_STEP 70e-6
#define GPU_STEP_HEAD 2e-6
#define DEFAULT_PARAMETERS 70000

static struct kl_device_work work_of(const struct kl_head_run *run, const struct kl_head_model *model,
                                     size_t samples)
{
    const struct kl_train_options *o = &run->v->train.options;
    const double size = (double)model->block.size, epochs = (double)o->epochs,
                 heads = (double)o->replicas, trainings = run->v->no_controls ? 1 : 1 + KL_CONTROLS,
                 steps = epochs * (double)samples / (double)o->batch_size;
    const double step = GPU_STEP_HEAD * heads * size / DEFAULT_PARAMETERS;
    return (struct kl_device_work){
        .thread = trainings * epochs * heads * (double)samples * size * THREAD_SAMPLE,
        .gpu = GPU_START + trainings * steps * (step > GPU_STEP ? step : GPU_STEP)
    };
}

int kl_head_run_device(struct kl_head_run *run, const struct kl_features *features, int threads,
                       struct kl_error *err)
{
    const struct kl_head_settings *v = run->v;
    struct kl_head_model model;
    struct kl_error refused;
    if (strcmp(v->common.device, "auto") != 0) return KL_OK;
    const int code = kl_head_model_make(&model, &v->head, features->d, features->n_classes, err);
    if (code) return code;
    struct kl_device_work work = work_of(run, &model, features->n);
    if (kl_head_gpu_check(&model, &v->train.options, &refused)) work.refused = refused.text;
    kl_device_auto(&run->device, &work, threads, run->log);
    kl_head_model_free(&model);
    return KL_OK;
}

/* ---- estimate ----
   How long a training would take: its first moments, and those of its controls, which are then thrown
   away. */

/* Adds what is left of one training. */
static int add(double *seconds, struct kl_train *train, struct kl_pool *pool, struct kl_error *err)
{
    double whole;
    const int code = kl_train_estimate(&whole, train, pool, err);
    *seconds += whole;
    return code;
}

int kl_head_run_estimate(struct kl_estimate *estimate, struct kl_head_run *run,
                         const struct kl_features *features, struct kl_pool *pool, struct kl_error *err)
{
    const struct kl_head_settings *v = run->v;
    const struct kl_log *log = run->log, quiet = { log->tool, log->to, 0, NULL };
    struct kl_head_settings whole = *v; /* a circuit that grows has all layers at last */
    whole.head.grow = 0;
    *estimate = (struct kl_estimate){ .at_most = v->head.grow || v->train.options.patience > 0 };
    run->log = &quiet, run->late = true;
    if (v->head.grow && !(run->checkpoint && kl_store_checkpoint_fits(run->checkpoint, run->stage.key)))
        run->v = &whole;
    int code = kl_head_run_open(run, features, kl_pool_size(pool), err);
    run->train.log = NULL;
    if (!code) code = add(&estimate->seconds, &run->train.loop, pool, err);
    for (int i = 0; i < run->controls.n && !code; i++)
        code = add(&estimate->seconds, &run->controls.trains[i].loop, pool, err);
    run->log = log, run->v = v;
    return code;
}
