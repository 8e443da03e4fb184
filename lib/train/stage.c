/* SPDX-License-Identifier: MIT
   A stage that trains: what is the same for all of them between the command line and the file. */
#include "train/stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "train/history.h"

void kl_train_settings_default(struct kl_train_settings *s)
{
    *s = (struct kl_train_settings){ .optimizer = "adam", .schedule = "constant" };
    kl_train_options_default(&s->options);
}

void kl_train_settings_settle(struct kl_train_settings *s, const char *optimizers, int64_t seed)
{
    s->options.optimizer.kind = (enum kl_optimizer_kind)kl_choice(optimizers, s->optimizer);
    s->options.schedule.kind = (enum kl_schedule_kind)kl_choice(KL_TRAIN_SCHEDULES, s->schedule);
    s->options.seed = (uint64_t)seed;
}

/* ---- the state of a stopped run ---- */

static int save_all(void *context, struct kl_writer *writer, struct kl_error *err)
{
    const struct kl_training *t = context;
    int code = kl_store_writer_text(writer, "", "config", t->config, err);
    if (code >= 0) code = kl_train_save(writer, &t->train, "", true, err);
    return code || !t->of->save ? code : t->of->save(t, writer, err);
}

static int save_checkpoint(void *context, struct kl_train *train, struct kl_error *err)
{
    const struct kl_training *t = context;
    (void)train;
    return kl_store_checkpoint_write(t->checkpoint, &t->stage, save_all, context, err);
}

static int resume(struct kl_training *t, struct kl_error *err)
{
    struct kl_file *file = NULL;
    if (!t->settings->resume) {
        t->older = kl_store_checkpoint_forgotten(t->checkpoint, &t->stage, t->log, "epoch");
        return KL_OK;
    }
    int code = kl_store_checkpoint_resume(&file, t->checkpoint, &t->stage, t->log, err);
    if (code || !file) return code;
    code = kl_train_restore(&t->train, file, "", err);
    const long long done = t->train.epoch, all = t->train.options.epochs;
    if (!code)
        kl_note(t->log, 1, "found %s: %lld of %lld epoch%s; %lld left", t->checkpoint, done, all,
                kl_s((uint64_t)all), all - done);
    kl_store_file_close(&file);
    return code;
}

int kl_train_stopped(struct kl_train *train, const struct kl_log *log, const char *path, bool older,
                     struct kl_error *err)
{
    const int code = err->code;
    if (code != KL_ESIGNAL) return code;
    if (older && train->epochs_run == 0) {
        kl_note(log, 1, "%s; %s stays as it was", err->text, path);
        return code;
    }
    const int saved = train->checkpoint(train->checkpoint_context, train, err);
    if (saved) return saved;
    if (path) kl_note(log, 1, "%s; the same command with --resume goes on from there", err->text);
    return code;
}

/* ---- the training ---- */

static int make_key(struct kl_key **key, const struct kl_training *t, struct kl_error *err)
{
    const struct kl_train_stage *of = t->of;
    int code = kl_store_key_begin(key, of->kind->name, of->schema, of->tool->name, of->version, err);
    if (!code) code = kl_store_key_options(*key, of->tool, t->values, err);
    if (!code) code = kl_store_key_integer(*key, "seed", t->stage.common->seed, err);
    return code ? code : kl_store_key_input(*key, of->role, kl_store_file_content(t->input), err);
}

static int open_training(struct kl_training *t, struct kl_error *err)
{
    t->state = calloc(1, t->of->state_size + 1);
    if (!t->state) return kl_fail_memory(err, t->of->state_size);
    int code = kl_pool_create(&t->pool, (int)t->stage.common->threads, err);
    if (!code) code = t->of->open(t, err);
    if (!code)
        code = kl_train_open(&t->train, &t->learner, &t->settings->options, kl_pool_size(t->pool), err);
    t->train.checkpoint = save_checkpoint, t->train.checkpoint_context = t;
    return code;
}

static int try_a_moment(void *context, struct kl_estimate *estimate, struct kl_error *err)
{
    struct kl_training *t = context;
    const double start = kl_clock();
    double seconds = 0;
    int code = open_training(t, err);
    if (!code) code = resume(t, err);
    const double opened = kl_clock() - start;
    if (!code) code = kl_train_estimate(&seconds, &t->train, t->pool, err);
    *estimate = (struct kl_estimate){ seconds + opened, t->settings->options.patience > 0 };
    return code;
}

struct kl_train_summary kl_train_summary(const struct kl_train *train, int row)
{
    const int64_t n = train->options.replicas;
    struct kl_train_summary s = { 0, 0, INFINITY, -INFINITY, 0 };
    for (int64_t r = 0; r < n; r++) {
        const struct kl_replica *one = &train->replicas[r];
        const double value = one->history[row][one->best_epoch];
        const int64_t ran = one->stopped_epoch >= 0 ? one->stopped_epoch + 1 : train->epoch;
        s.mean += value, s.low = fmin(s.low, value), s.high = fmax(s.high, value);
        if (ran > s.epochs) s.epochs = ran;
    }
    s.mean /= (double)n;
    if (train->epochs_run > 0) s.seconds_per_epoch = train->seconds / (double)train->epochs_run;
    return s;
}

/* The row that chose the best epoch, or the loss. */
static int told_row(const struct kl_learner *l)
{
    return l->n_judged ? l->judged[0].row : l->loss >= 0 ? l->loss : 0;
}

static int summarise(const struct kl_training *t, FILE *to, struct kl_error *err)
{
    const struct kl_train *train = &t->train;
    const int row = told_row(&t->learner);
    const struct kl_train_row *told = &t->learner.rows[row];
    const struct kl_train_summary s = kl_train_summary(train, row);
    const char *output = t->stage.common->output;
    const struct kl_json_pair pairs[] = {
        { "output", KL_JSON_TEXT, output, 0 },
        { "key", KL_JSON_TEXT, t->stage.key, 0 },
        { "status", KL_JSON_TEXT, kl_store_stage_status(KL_STAGE_COMPUTE), 0 },
        { "epochs", KL_JSON_COUNT, NULL, (double)s.epochs },
        { "replicas", KL_JSON_COUNT, NULL, (double)train->options.replicas },
        { told->name, KL_JSON_NUMBER, NULL, s.mean },
        { "best_epoch", KL_JSON_COUNT, NULL, (double)train->replicas[0].best_epoch + 1 },
        { "seconds", KL_JSON_NUMBER, NULL, train->seconds },
        { "seconds_per_epoch", KL_JSON_NUMBER, NULL, s.seconds_per_epoch },
        kl_json_cautions(t->log),
    };
    if (t->stage.common->json) return kl_json_line(to, pairs, sizeof pairs / sizeof *pairs, err);
    if (t->stage.common->quiet) return KL_OK;
    fprintf(to, "%s: %lld epoch%s, %s %.4g", output, (long long)s.epochs, kl_s((uint64_t)s.epochs),
            told->label ? told->label : told->name, s.mean);
    if (train->options.replicas > 1)
        fprintf(to, " (%.4g to %.4g of %lld replicas)", s.low, s.high,
                (long long)train->options.replicas);
    else fprintf(to, " (best epoch %lld)", (long long)train->replicas[0].best_epoch + 1);
    fprintf(to, ", %.1f s\n", train->seconds);
    return KL_OK;
}

static int train(struct kl_training *t, FILE *to, struct kl_error *err)
{
    const struct kl_file *parents[] = { t->input };
    struct kl_progress progress;
    int code = kl_store_writer_open(&t->writer, t->stage.common->output, &t->stage.header, err);
    if (!code) code = open_training(t, err);
    if (!code) code = resume(t, err);
    if (code) return code;
    kl_progress_begin(&progress, t->log, t->stage.common->progress, "epochs");
    code = kl_train_run(&t->train, t->pool, &progress.watch, err);
    kl_progress_end(&progress);
    if (code) return kl_train_stopped(&t->train, t->log, t->checkpoint, t->older, err);
    code = save_all(t, t->writer, err);
    if (!code) code = kl_store_stage_publish(&t->stage, &t->writer, parents, 1, NULL, NULL, err);
    if (!code && t->checkpoint) kl_store_checkpoint_remove(t->checkpoint, NULL);
    return code ? code : summarise(t, to, err);
}

/* Where the summary goes: not among the lines of --history -. */
static FILE *words_to(const struct kl_training *t)
{
    const char *history = t->settings->history;
    return history && strcmp(history, "-") == 0 ? t->log->to : kl_words_to(t->stage.common);
}

static int work(struct kl_training *t, const char *path, FILE *out, struct kl_error *err)
{
    enum kl_stage_answer answer = KL_STAGE_ANSWERED;
    const struct kl_common *common = t->stage.common;
    struct kl_key *key = NULL;
    int code = t->of->settle ? t->of->settle(t->values, err) : KL_OK;
    if (!code && !common->output && !common->print_key)
        code = kl_fail(err, KL_EUSAGE, "no output; give -o FILE.h5");
    if (!code) code = kl_train_history_check(t->settings, common, t->of->kind, path, err);
    if (!code) code = kl_store_file_open_kind(&t->input, path, t->of->input, err);
    if (!code && !(t->config = kl_options_json(t->of->tool, t->values, true)))
        code = kl_fail_memory(err, 1024);
    if (!code) code = kl_store_checkpoint_path(&t->checkpoint, common->output, err);
    if (!code) code = make_key(&key, t, err);
    if (!code) code = kl_store_stage_begin(&t->stage, &answer, &key, out, err);
    kl_store_key_abort(&key);
    if (code || answer == KL_STAGE_ANSWERED) return code;
    /* A run that was killed between publishing and tidying up left it. */
    if (answer != KL_STAGE_COMPUTE && t->checkpoint)
        kl_store_checkpoint_remove(t->checkpoint, t->stage.key);
    out = words_to(t);
    code = answer == KL_STAGE_COMPUTE ? train(t, out, err)
                                      : kl_store_stage_report(&t->stage, answer, out, err);
    return code ? code
                : kl_train_history_write(t->settings, common, t->of->tool->name, t->of->kind,
                                         t->of->rows, t->of->n_rows, err);
}

int kl_train_stage_run(const struct kl_train_stage *stage, struct kl_mode_run *mode,
                       struct kl_error *err)
{
    struct kl_train_settings *settings =
        (struct kl_train_settings *)((char *)mode->values + stage->settings_at);
    struct kl_training t = { .of = stage,
                             .values = mode->values,
                             .settings = settings,
                             .log = mode->stage.log,
                             .stage = mode->stage };
    int code;
    t.stage.estimate = try_a_moment, t.stage.estimate_context = &t;
    kl_train_settings_settle(settings, stage->optimizers, t.stage.common->seed);
    if (t.stage.n_inputs != 1)
        code = kl_fail_inputs(err, t.stage.inputs, t.stage.n_inputs, 1, stage->reads);
    else code = work(&t, t.stage.inputs[0], mode->out, err);
    kl_store_writer_abort(&t.writer);
    kl_train_close(&t.train);
    if (t.state) stage->close(&t);
    kl_pool_destroy(&t.pool);
    kl_store_file_close(&t.input);
    kl_store_stage_end(&t.stage);
    free(t.state);
    free(t.config);
    free(t.checkpoint);
    return code;
}
