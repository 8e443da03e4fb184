/* SPDX-License-Identifier: MIT
   A stage that trains: what is the same for all of them between the command line and the file. */
#include "train/stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/ranks.h"
#include "store/shard.h"
#include "train/history.h"

void kl_train_settings_default(struct kl_train_settings *s)
{
    *s = (struct kl_train_settings){ .optimizer = "adam", .schedule = "constant" };
    kl_train_options_default(&s->options);
}

void kl_train_settings_settle(struct kl_train_settings *s, int64_t seed)
{
    s->options.optimizer.kind = (enum kl_optimizer_kind)kl_choice(KL_OPTIMIZER_NAMES, s->optimizer);
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

static bool follows(const struct kl_training *t)
{
    return kl_store_ranks_follow(t->ranks);
}

static int save_checkpoint(void *context, struct kl_train *train, struct kl_error *err)
{
    const struct kl_training *t = context;
    (void)train;
    return follows(t) ? KL_OK
                      : kl_store_checkpoint_write(t->checkpoint, &t->stage, save_all, context, err);
}

static int resume(struct kl_training *t, struct kl_error *err)
{
    struct kl_file *file = NULL;
    int code =
        kl_store_checkpoint_resume(&file, &t->older, t->checkpoint, &t->stage, t->log, "epoch", err);
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
    if (code == KL_EDEVICE && path && access(path, F_OK) == 0)
        kl_note(log, 1, "%s stays; the same command goes on from there", path);
    if (code != KL_ESIGNAL) return code;
    if (older && train->epochs_run == 0) {
        kl_note(log, 1, "%s; %s stays as it was", err->text, path);
        return code;
    }
    const int saved = train->checkpoint(train->checkpoint_context, train, err);
    if (saved) return saved;
    if (path) kl_note(log, 1, "%s; the same command goes on from there", err->text);
    return code;
}

/* ---- the training ---- */

static int make_key(struct kl_key **key, const struct kl_train_stage *of, const void *values,
                    const struct kl_train_inputs *inputs, struct kl_error *err)
{
    const struct kl_common *common = values;
    int code = kl_store_key_begin(key, of->kind->name, of->schema, of->tool->name, of->version, err);
    if (!code) code = kl_store_key_options(*key, of->tool, values, err);
    if (!code) code = kl_store_key_integer(*key, "seed", common->seed, err);
    return code ? code : kl_train_inputs_key(*key, inputs, of->role, err);
}

/* A code that is not negative, such as the number of a tensor, is no failure. */
static int open_learner(struct kl_training *t, struct kl_error *err)
{
    const int code = t->of->open(t, err);
    return code < 0 ? code : KL_OK;
}

/* They begin at one place: a rank that did not find the checkpoint, or another, would give other bytes.
 */
static int same_position(const struct kl_training *t, struct kl_ranks *ranks, struct kl_error *err)
{
    const int64_t mine = t->train.epoch * t->learner.steps_per_epoch + t->train.step;
    int64_t first = mine;
    int differs = 0;
    int code = kl_store_ranks_agree(ranks, &first, &differs, err);
    differs = first != mine;
    if (!code) code = kl_store_ranks_agree(ranks, &first, &differs, err);
    return code || !differs
               ? code
               : kl_fail(err, KL_EUSAGE,
                         "--ranks: not all ranks go on from one place: give them one output, in a "
                         "folder that all see");
}

static int open_training(struct kl_training *t, int threads, struct kl_ranks *ranks,
                         struct kl_error *err)
{
    struct kl_train_options o = t->settings->options;
    t->state = calloc(1, t->of->state_size + 1);
    if (!t->state) return kl_fail_memory(err, t->of->state_size);
    int code = open_learner(t, err);
    if (!code)
        code = kl_store_ranks_check(ranks, t->learner.tree ? t->learner.parts : 1,
                                    "parts of a step's gradient", err);
    o.ranks = ranks;
    if (!code) code = kl_train_open(&t->train, &t->learner, &o, threads, err);
    t->train.checkpoint = save_checkpoint, t->train.checkpoint_context = t;
    if (!code && !t->learner.n_judged && o.patience)
        kl_note(t->log, 1, "--patience: changes nothing where no row of the history judges epochs");
    if (!code) code = resume(t, err);
    return code ? code : same_position(t, ranks, err);
}

static int estimate(struct kl_training *t, struct kl_estimate *estimate, struct kl_pool *pool,
                    struct kl_error *err)
{
    const double start = kl_clock();
    double seconds = 0;
    int code = open_training(t, kl_pool_size(pool), NULL, err);
    const double opened = kl_clock() - start;
    if (!code) code = kl_train_estimate(&seconds, &t->train, pool, err);
    *estimate = (struct kl_estimate){ seconds + opened, t->settings->options.patience > 0 };
    return code;
}

static int try_a_moment(void *context, struct kl_estimate *of, struct kl_error *err)
{
    struct kl_training *t = context;
    const int code = kl_pool_create(&t->pool, (int)t->stage.common->threads, err);
    return code ? code : estimate(t, of, t->pool, err);
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

static int summarise(void *context, FILE *to, bool json, struct kl_error *err)
{
    const struct kl_training *t = context;
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
        { "ranks", KL_JSON_COUNT, NULL, t->ranks ? (double)t->ranks->count : 1 },
        { "bytes_sent", KL_JSON_COUNT, NULL, t->ranks ? (double)t->ranks->bytes : 0 },
        { "seconds_waited", KL_JSON_NUMBER, NULL, t->ranks ? t->ranks->waited : 0 },
    };
    const size_t n_pairs = sizeof pairs / sizeof *pairs - (t->ranks ? 0 : 3); /* the last are of ranks */
    if (json) return kl_json_line(to, pairs, n_pairs, err);
    fprintf(to, "%s: %lld epoch%s, %s %.4g", output, (long long)s.epochs, kl_s((uint64_t)s.epochs),
            told->label ? told->label : told->name, s.mean);
    if (train->options.replicas > 1)
        fprintf(to, " (%.4g to %.4g of %lld replicas)", s.low, s.high,
                (long long)train->options.replicas);
    else fprintf(to, " (best epoch %lld)", (long long)train->replicas[0].best_epoch + 1);
    fprintf(to, ", %.1f s", train->seconds);
    if (t->ranks)
        fprintf(to, " on %zu ranks (%.3g MB sent, waited %.2g s)", t->ranks->count,
                (double)t->ranks->bytes / 1e6, t->ranks->waited);
    fputc('\n', to);
    return KL_OK;
}

static int open_writer(struct kl_training *t, struct kl_error *err)
{
    return kl_store_writer_open(&t->writer, t->stage.common->output, &t->stage.header, err);
}

/* Write the state into the checkpoint; the other ranks wait for it, as a launcher may end all soon after
 * one has ended. */
static int stop(struct kl_training *t, int code, struct kl_error *err)
{
    struct kl_error late;
    int64_t nothing = 0;
    int none = 0;
    const bool together = code == KL_ESIGNAL && t->ranks;
    code = kl_train_stopped(&t->train, t->log, t->checkpoint, t->older, err);
    if (together) kl_store_ranks_agree(t->ranks, &nothing, &none, &late);
    return code;
}

static int run_training(struct kl_training *t, struct kl_pool *pool, struct kl_error *err)
{
    struct kl_progress progress;
    kl_progress_begin(&progress, t->log, follows(t) ? "none" : t->stage.common->progress, "epochs");
    const int code = kl_train_run(&t->train, pool, &progress.watch, err);
    kl_progress_end(&progress);
    return code ? stop(t, code, err) : KL_OK;
}

static int publish(struct kl_training *t, struct kl_error *err)
{
    const struct kl_file *const *parents = (const struct kl_file *const *)t->inputs->files;
    const size_t n_parents = t->inputs->n;
    int code = t->writer ? KL_OK : open_writer(t, err);
    if (!code && t->of->remark) t->of->remark(t);
    if (!code) code = kl_store_stage_found(&t->stage, summarise, t, err);
    if (!code) code = save_all(t, t->writer, err);
    if (!code) code = kl_store_stage_publish(&t->stage, &t->writer, parents, n_parents, NULL, NULL, err);
    if (!code && t->checkpoint) kl_store_checkpoint_remove(t->checkpoint, NULL);
    return code;
}

/* The others wait until the first has published, so that all of them know how it ended. */
static int publish_together(struct kl_training *t, struct kl_error *err)
{
    int64_t nothing = 0;
    int stop = 0;
    const int code = follows(t) ? KL_OK : publish(t, err);
    return code ? code : kl_store_ranks_agree(t->ranks, &nothing, &stop, err);
}

/* The writer at once: a folder that refuses is found before the work. */
static int train(struct kl_training *t, FILE *to, struct kl_error *err)
{
    int code = follows(t) ? KL_OK : open_writer(t, err);
    if (!code) code = kl_pool_create(&t->pool, (int)t->stage.common->threads, err);
    if (!code) code = open_training(t, kl_pool_size(t->pool), t->ranks, err);
    if (!code) code = run_training(t, t->pool, err);
    if (!code) code = publish_together(t, err);
    if (!code && !follows(t)) kl_store_stage_tell(&t->stage, to);
    return code;
}

/* The stream of the summary: not among the lines of --history -. */
static FILE *words_to(const struct kl_training *t)
{
    const char *history = t->settings->history;
    return history && strcmp(history, "-") == 0 ? t->log->to : kl_words_to(t->stage.common);
}

/* Key, and the stage begun with it; the input is open. */
static int begin(struct kl_training *t, enum kl_stage_answer *answer, FILE *out, struct kl_error *err)
{
    struct kl_key *key = NULL;
    if (!(t->config = kl_options_json(t->of->tool, t->values, true))) return kl_fail_memory(err, 1024);
    int code = kl_store_checkpoint_path(&t->checkpoint, t->stage.common->output, err);
    if (!code) code = make_key(&key, t->of, t->values, t->inputs, err);
    if (!code) code = kl_store_stage_begin(&t->stage, answer, &key, out, err);
    kl_store_key_abort(&key);
    /* A run that was killed between publishing and tidying up left it. */
    if (!code && (*answer == KL_STAGE_UP_TO_DATE || *answer == KL_STAGE_FETCHED) && t->checkpoint)
        kl_store_checkpoint_remove(t->checkpoint, t->stage.key);
    return code;
}

static int settle(const struct kl_train_stage *of, void *values, struct kl_error *err)
{
    const struct kl_common *common = values;
    kl_train_settings_settle((struct kl_train_settings *)((char *)values + of->settings_at),
                             common->seed);
    return of->settle ? of->settle(values, err) : KL_OK;
}

/* inputs: to be opened. */
static int work(struct kl_training *t, struct kl_train_inputs *inputs, FILE *out, struct kl_error *err)
{
    enum kl_stage_answer answer = KL_STAGE_ANSWERED;
    const struct kl_common *common = t->stage.common;
    bool answered = false;
    int code = settle(t->of, t->values, err);
    if (!code) code = kl_store_ranks_start(&t->ranks, &answered, t->settings->ranks, &t->stage, err);
    t->log = t->stage.log;
    if (code || answered) return code;
    size_t i = 0;
    do
        if (!code)
            code = kl_train_history_check(t->settings, common, t->of->kind,
                                          t->stage.n_inputs ? t->stage.inputs[i] : NULL, err);
    while (++i < t->stage.n_inputs && !code);
    if (!code)
        code = kl_train_inputs_open(inputs, t->stage.inputs, t->stage.n_inputs, t->of->input, err);
    t->inputs = inputs, t->input = inputs->n ? inputs->files[0] : NULL;
    if (!code) code = begin(t, &answer, out, err);
    int all = (int)answer;
    if (!code) code = kl_store_ranks_meet(t->ranks, t->stage.key, &all, err);
    answer = (enum kl_stage_answer)all;
    if (code || answer == KL_STAGE_ANSWERED) return code;
    out = words_to(t);
    if (answer == KL_STAGE_COMPUTE) code = train(t, out, err);
    else if (!follows(t)) code = kl_store_stage_report(&t->stage, answer, out, err);
    return code || follows(t) ? code
                              : kl_train_history_write(t->settings, common, t->of->tool->name,
                                                       t->of->kind, t->of->rows, t->of->n_rows, err);
}

static void close_training(struct kl_training *t, int code)
{
    kl_store_writer_abort(&t->writer);
    kl_train_close(&t->train);
    kl_store_ranks_end(&t->ranks, code);
    if (t->state) t->of->close(t);
    kl_store_stage_end(&t->stage);
    free(t->state);
    free(t->config);
    free(t->checkpoint);
    t->state = NULL, t->config = t->checkpoint = NULL;
}

int kl_train_stage_run(const struct kl_train_stage *stage, struct kl_mode_run *mode,
                       struct kl_error *err)
{
    struct kl_training t = { .of = stage,
                             .values = mode->values,
                             .settings =
                                 (struct kl_train_settings *)((char *)mode->values + stage->settings_at),
                             .log = mode->stage.log,
                             .stage = mode->stage };
    t.stage.estimate = try_a_moment, t.stage.estimate_context = &t;
    struct kl_train_inputs inputs = { 0 };
    const int code = work(&t, &inputs, mode->out, err);
    close_training(&t, code);
    kl_pool_destroy(&t.pool);
    kl_train_inputs_close(&inputs);
    return code;
}

/* ---- as the points of a sweep ---- */

static int sweep_settle(const struct kl_sweep_stage *stage, void *settings, struct kl_error *err)
{
    return settle(stage->context, settings, err);
}

static int sweep_key(char hex[65], const struct kl_sweep_job *job, const void *settings,
                     struct kl_error *err)
{
    struct kl_key *key = NULL;
    int code = make_key(&key, job->stage->context, settings, job->inputs, err);
    if (!code) code = kl_store_key_finish(&key, hex, NULL, err);
    kl_store_key_abort(&key);
    return code;
}

static void sweep_init(void *run, const struct kl_sweep_stage *stage, const struct kl_sweep_job *job,
                       struct kl_sweep_point *point, const struct kl_log *log, const struct kl_log *said,
                       bool late)
{
    struct kl_training *t = run;
    *t = (struct kl_training){ .of = stage->context,
                               .values = point->values,
                               .settings = point->train,
                               .log = log,
                               .inputs = job->inputs,
                               .input = job->input,
                               .device = job->device,
                               .late = late,
                               .stage = kl_train_sweep_point_stage(job, point, said) };
}

static struct kl_sweep_run sweep_of(void *run)
{
    struct kl_training *t = run;
    return (struct kl_sweep_run){ &t->train, &t->stage, &t->checkpoint };
}

static int sweep_begin(void *run, enum kl_stage_answer *answer, struct kl_error *err)
{
    return begin(run, answer, NULL, err);
}

static int sweep_open(void *run, const void *data, int threads, struct kl_error *err)
{
    struct kl_training *t = run;
    (void)data;
    const int code = t->late ? KL_OK : open_writer(t, err);
    return code ? code : open_training(t, threads, NULL, err);
}

/* Count the parameters that training moves. */
static int sweep_count(int64_t *parameters, const struct kl_sweep_job *job, const void *settings,
                       struct kl_error *err)
{
    const struct kl_sweep_stage *stage = job->stage;
    const struct kl_log quiet = { stage->tool->name, job->log->to, 0, NULL };
    struct kl_training t = { .of = stage->context,
                             .values = (void *)settings,
                             .settings = (const struct kl_train_settings *)((const char *)settings +
                                                                            stage->settings_at),
                             .log = &quiet,
                             .stage = { .tool = stage->tool, .values = settings, .common = settings },
                             .inputs = job->inputs,
                             .input = job->input,
                             .device = job->device };
    *parameters = 0;
    t.state = calloc(1, t.of->state_size + 1);
    if (!t.state) return kl_fail_memory(err, t.of->state_size);
    const int code = open_learner(&t, err);
    if (!code) *parameters = t.learner.parameters;
    for (int i = 0; !code && !t.learner.parameters && i < t.learner.block->n; i++)
        *parameters += (int64_t)t.learner.block->tensors[i].size;
    t.of->close(&t);
    free(t.state);
    return code;
}

static int sweep_train(void *run, struct kl_pool *pool, struct kl_error *err)
{
    return run_training(run, pool, err);
}

static int sweep_publish(void *run, struct kl_error *err)
{
    return publish(run, err);
}

static int sweep_keep(void *run, struct kl_error *err)
{
    return save_checkpoint(run, NULL, err);
}

static void sweep_rest(void *run)
{
    kl_train_stop_workers(&((struct kl_training *)run)->train);
}

static int sweep_wake(void *run, int threads, struct kl_error *err)
{
    return kl_train_start_workers(&((struct kl_training *)run)->train, threads, err);
}

static int sweep_estimate(void *run, struct kl_estimate *of, const void *data, struct kl_pool *pool,
                          struct kl_error *err)
{
    (void)data;
    return estimate(run, of, pool, err);
}

static void sweep_close(void *run)
{
    close_training(run, KL_OK);
}

struct kl_sweep_stage kl_train_stage_sweep(const struct kl_train_stage *stage, int row, bool higher)
{
    static const char same[] =
        "points are compared on the same validation samples; give it outside the grid";
    static const struct kl_grid_refusal refusals[] = {
        { "seed", "points are compared by their means over seeds; give --replicas N outside the grid" },
        { "replica",
          "points are compared by their means over seeds; give --replicas N outside the grid" },
        { "replicas", "every point has as many; give --replicas N outside the grid" },
        { "val-fraction", same },
        { "test-fraction", same },
        { "split", same },
        { "split-seed", same },
        { "fold", same },
        { "folds", same },
        { NULL, NULL },
    };
    struct kl_sweep_stage s = {
        .context = stage,
        .tool = stage->tool,
        .kind = stage->kind,
        .input = stage->input,
        .many = stage->many,
        .role = stage->role,
        .rows = { .n = 1, .row = { { .higher = higher } } },
        .judgement = "a number to compare",
        .settings_size = stage->tool->values_size,
        .settings_at = stage->settings_at,
        .run_size = sizeof(struct kl_training),
        .refusals = refusals,
        .defaults = stage->defaults,
        .settle = sweep_settle,
        .key = sweep_key,
        .count = sweep_count,
        .init = sweep_init,
        .of = sweep_of,
        .begin = sweep_begin,
        .open = sweep_open,
        .train = sweep_train,
        .publish = sweep_publish,
        .keep = sweep_keep,
        .rest = sweep_rest,
        .wake = sweep_wake,
        .estimate = sweep_estimate,
        .close = sweep_close,
    };
    const struct kl_train_row *told = &stage->rows[row];
    snprintf(s.rows.row[0].name, sizeof s.rows.row[0].name, "%s", told->name);
    snprintf(s.rows.row[0].label, sizeof s.rows.row[0].label, "%s",
             told->label ? told->label : told->name);
    return s;
}
