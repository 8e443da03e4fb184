/* SPDX-License-Identifier: MIT
   The tool of a sweep: a model for every point of a grid of options, and their comparison. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "kernels/inline/philox.h"
#include "store/shard.h"
#include "train/sweep.h"

struct run {
    const struct kl_sweep_tool *of;
    const struct kl_sweep_stage *with;
    void *values;
    const struct kl_sweep_settings *v;
    struct kl_common *common;
    const struct kl_train_settings *train;
    struct kl_stage *stage;
    struct kl_grid grid;
    struct kl_sweep_job job;
    struct kl_device device;
    struct kl_sweep_points points;
    struct kl_sweep sweep;
    struct kl_train_inputs inputs;
    size_t folds; /* of a point; 1: none */
    struct kl_file *test;
    struct kl_pool *pool;
    struct kl_shard shard;
    struct kl_ranks *ranks; /* which share the points; NULL: alone */
    char *folder;
};

static int name_folder(struct run *run, struct kl_error *err)
{
    if (!run->v->folder)
        return kl_train_sweep_folder(&run->folder, run->common->output, run->with->kind->name, err);
    run->folder = strdup(run->v->folder);
    return run->folder ? KL_OK : kl_fail_memory(err, strlen(run->v->folder));
}

static int read_folds(struct run *run, struct kl_error *err)
{
    char *end;
    run->folds = 1;
    if (!run->v->folds) return KL_OK;
    const long n = strtol(run->v->folds, &end, 10);
    if (end == run->v->folds || *end || n < 2 || n > KL_SWEEP_FOLDS)
        return kl_fail(err, KL_EUSAGE, "--folds: found '%s', expected a whole number from 2 to %d",
                       run->v->folds, (int)KL_SWEEP_FOLDS);
    run->folds = (size_t)n;
    return KL_OK;
}

static int check(struct run *run, struct kl_error *err)
{
    const struct kl_sweep_stage *with = run->with;
    if (!run->v->grid)
        return kl_fail(err, KL_EUSAGE, "no --grid; expected 'NAME=VALUE,VALUE... NAME=...'");
    if (!run->common->output || strcmp(run->common->output, "-") == 0)
        return kl_fail(err, KL_EUSAGE, "no output; give -o SWEEP.h5, beside which the %ss go",
                       with->kind->name);
    if (run->v->folds && run->v->halving)
        return kl_fail(
            err, KL_EUSAGE,
            "--halving compares points in the middle of one training; it cannot be given with "
            "--folds");
    const int code = read_folds(run, err);
    if (code) return code;
    if (run->train->options.val_fraction <= 0 && run->folds == 1)
        return kl_fail(err, KL_EUSAGE, "--val-fraction 0: points are compared on validation samples");
    if (run->v->halving && run->v->shard)
        return kl_fail(err, KL_EUSAGE, "--halving compares all points; it cannot be given with --shard");
    if ((run->v->halving || run->v->shard) && run->v->ranks)
        return kl_fail(err, KL_EUSAGE, "--ranks shares the points; it cannot be given with --%s",
                       run->v->halving ? "halving, which compares all of them" : "shard");
    return kl_store_shard_parse(&run->shard, run->v->shard, run->stage->log, err);
}

/* A number that the seed, the point, the axis and the attempt give. */
static double unit(const void *context, size_t point, int axis, size_t attempt)
{
    uint32_t words[4];
    kl_philox(words, *(const uint64_t *)context, (uint32_t)point, KL_RANDOM_SWEEP_POINTS, (uint32_t)axis,
              (uint32_t)attempt);
    return kl_philox_unit(words[0]);
}

static int draw_grid(struct run *run, struct kl_error *err)
{
    const struct kl_sweep_stage *with = run->with;
    const uint64_t seed = (uint64_t)run->common->seed;
    char *end;
    const long n = strtol(run->v->random, &end, 10);
    if (end == run->v->random || *end || n < 1 || n > KL_GRID_POINTS)
        return kl_fail(err, KL_EUSAGE, "--random: found '%s', expected a whole number from 1 to %d",
                       run->v->random, KL_GRID_POINTS);
    return kl_grid_draw(&run->grid, with->tool, with->refusals, run->v->grid, (size_t)n, unit, &seed,
                        err);
}

static int make_grid(struct run *run, struct kl_error *err)
{
    const struct kl_sweep_stage *with = run->with;
    int code = run->v->random ? draw_grid(run, err)
                              : kl_grid_parse(&run->grid, with->tool, with->refusals, run->v->grid, err);
    if (!code && with->check_grid)
        code = with->check_grid(&run->grid, run->values, run->stage->log, err);
    for (int i = 0; i < run->grid.n_axes && run->v->halving && !code; i++)
        if (strcmp(run->grid.axes[i].option->name, "epochs") == 0)
            code =
                kl_fail(err, KL_EUSAGE,
                        "--grid: epochs: --halving gives each point its epochs; give --epochs outside "
                        "the grid");
    return code;
}

/* Of the whole, of which this run may be a part. What the points are, their keys say; the options,
   settled as for the first point, say it in words. */
static int make_key(struct kl_key **key, const struct run *run, struct kl_error *err)
{
    const struct kl_sweep_tool *of = run->of;
    const size_t size = of->tool->values_size;
    char digest[65], role[80], *settled = malloc(size);
    if (!settled) return kl_fail_memory(err, size);
    memcpy(settled, run->values, size);
    memcpy(settled, run->points.points[0].values, run->with->settings_size);
    snprintf(role, sizeof role, "%ss", run->with->kind->name);
    const int version = run->v->halving ? of->halving_version : of->version;
    int code = kl_store_key_begin(key, "sweep", KL_SWEEP_SCHEMA, of->tool->name, version, err);
    if (!code) code = kl_store_key_options(*key, of->tool, settled, err);
    free(settled);
    if (!code) code = kl_store_key_integer(*key, "seed", run->common->seed, err);
    if (!code) code = kl_train_sweep_points_digest(digest, &run->points, err);
    if (!code) code = kl_store_key_text(*key, role, digest, err);
    if (!code) code = kl_train_inputs_key(*key, &run->inputs, run->with->role, err);
    return code || !run->test ? code
                              : kl_store_key_input(*key, "test", kl_store_file_content(run->test), err);
}

static int prepare(struct run *run, struct kl_error *err)
{
    run->job = (struct kl_sweep_job){ .stage = run->with,
                                      .grid = &run->grid,
                                      .base = run->values,
                                      .folds = run->folds,
                                      .halving = run->v->halving,
                                      .folder = run->folder,
                                      .output = run->common->output,
                                      .inputs = &run->inputs,
                                      .input = run->inputs.files[0],
                                      .test = run->test,
                                      .argc = run->stage->argc,
                                      .argv = run->stage->argv,
                                      .log = run->stage->log,
                                      .device = &run->device };
    const int code = run->test ? run->with->check_test(&run->job, err) : KL_OK;
    return code ? code : kl_train_sweep_points_make(&run->points, &run->job, err);
}

/* The points of this run, each with all its folds: of a shard, or all. */
static void part_of(const struct run *run, size_t *first, size_t *n)
{
    const size_t parts = run->shard.count ? run->shard.count : 1;
    *first = run->grid.n * run->shard.index / parts;
    *n = (run->grid.n * (run->shard.index + 1) / parts - *first) * run->folds;
    *first *= run->folds;
}

static int try_a_moment(void *context, struct kl_estimate *estimate, struct kl_error *err)
{
    struct run *run = context;
    const struct kl_common *common = run->common;
    size_t first, n;
    part_of(run, &first, &n);
    int code = kl_device_choose(&run->device, common->device, err);
    if (!code) code = kl_pool_create(&run->pool, (int)common->threads, err);
    return code ? code : kl_train_sweep_estimate(estimate, &run->points, first, n, run->pool, err);
}

static int begin(struct run *run, enum kl_stage_answer *answer, FILE *out, struct kl_error *err)
{
    struct kl_key *key = NULL;
    int code = KL_OK;
    run->stage->estimate = try_a_moment, run->stage->estimate_context = run;
    if (run->shard.count) {
        code = make_key(&key, run, err);
        if (!code) code = kl_store_shard_of(&run->shard, &key, err);
    }
    if (!code) code = make_key(&key, run, err);
    if (!code) code = kl_store_key_shard(key, &run->shard, err);
    if (!code) code = kl_store_stage_begin(run->stage, answer, &key, out, err);
    if (!code && *answer == KL_STAGE_COMPUTE && !run->common->force)
        code = kl_store_shard_check_target(&run->shard, run->common->output, err);
    kl_store_key_abort(&key);
    return code;
}

static struct kl_sweep_found found_by(const struct run *run, enum kl_stage_answer answer)
{
    return (struct kl_sweep_found){ .sweep = &run->sweep,
                                    .job = &run->job,
                                    .key = run->stage->key,
                                    .part = run->shard.count > 0,
                                    .status = answer,
                                    .seconds = kl_clock() - run->stage->start };
}

static int tell_record(void *context, FILE *to, bool json, struct kl_error *err)
{
    const struct kl_sweep_found found = found_by(context, KL_STAGE_COMPUTE);
    return json ? kl_train_sweep_tell(to, &found, true, err) : kl_train_sweep_tell_best(to, &found, err);
}

static int publish(struct run *run, struct kl_error *err)
{
    const size_t n = run->inputs.n + (run->test != NULL);
    const struct kl_file **parents = calloc(n, sizeof *parents);
    struct kl_writer *writer = NULL;
    if (!parents) return kl_fail_memory(err, n * sizeof *parents);
    for (size_t i = 0; i < n; i++) parents[i] = i < run->inputs.n ? run->inputs.files[i] : run->test;
    int code = kl_store_writer_open(&writer, run->common->output, &run->stage->header, err);
    if (!code) code = kl_train_sweep_save(writer, &run->sweep, run->with->kind->name, err);
    if (!code) code = kl_store_shard_save(writer, &run->shard, err);
    if (!code) code = kl_store_stage_found(run->stage, tell_record, run, err);
    if (!code) code = kl_store_stage_publish(run->stage, &writer, parents, n, NULL, NULL, err);
    else kl_store_writer_abort(&writer);
    free(parents);
    return code;
}

static int train_points(struct run *run, size_t first, size_t n, struct kl_error *err)
{
    const bool follows = kl_store_ranks_follow(run->ranks);
    struct kl_progress progress;
    int code =
        kl_train_sweep_make(&run->sweep, &run->with->rows, n, (size_t)run->train->options.replicas, err);
    kl_progress_begin(&progress, run->stage->log, follows ? "none" : run->common->progress, "points");
    if (!code)
        code = kl_train_sweep_run(&run->sweep, &run->points, first, run->pool, &progress.watch, err);
    kl_progress_end(&progress);
    return code;
}

/* Each rank trains its share; the first then finds the others' files, and trains what it does not find,
   as where the folder is not one that all share. */
static int train_share(struct run *run, struct kl_error *err)
{
    size_t first, end;
    int64_t nothing = 0;
    kl_store_ranks_share(run->ranks, run->points.n, &first, &end);
    int code = train_points(run, first, end - first, err);
    int signal = code == KL_ESIGNAL ? kl_signals_pending() : 0;
    kl_train_sweep_free(&run->sweep);
    if (code && code != KL_ESIGNAL) return code;
    code = kl_store_ranks_agree(run->ranks, &nothing, &signal, err);
    if (!code && signal) {
        kl_signals_told(signal);
        return kl_fail(err, KL_ESIGNAL, "stopped");
    }
    for (size_t i = 0; i < run->points.n; i++) run->points.points[i].common->force = false;
    return code;
}

static int train(struct run *run, struct kl_error *err)
{
    size_t first, n;
    part_of(run, &first, &n);
    int code = kl_device_take(&run->device, run->common, run->ranks ? run->ranks->local : 0,
                              run->stage->log, err);
    for (size_t i = 0; i < run->points.n; i++)
        kl_device_used(run->points.points[i].common, &run->device);
    if (!code) code = kl_train_sweep_points_try(&run->points, first, n, err);
    if (code) return code;
    if (mkdir(run->folder, 0777) != 0 && errno != EEXIST)
        return kl_fail_errno(err, KL_EIO, "%s: the folder of the %ss cannot be made", run->folder,
                             run->with->kind->name);
    code = kl_pool_create(&run->pool, (int)run->common->threads, err);
    if (!code && run->ranks) code = train_share(run, err);
    if (code || kl_store_ranks_dismiss(run->ranks)) return code;
    code = train_points(run, first, n, err);
    if (!code && run->test) code = kl_train_sweep_test(&run->sweep, &run->points, first, run->pool, err);
    if (!code && run->folds > 1) code = kl_train_sweep_fold(&run->sweep, run->folds, err);
    return code ? code : publish(run, err);
}

/* Load an earlier run's rows from its file, which has the key of this command. */
static int recall(struct run *run, struct kl_error *err)
{
    struct kl_file *file = NULL;
    int code = kl_store_file_open_kind(&file, run->common->output, &kl_sweep_kind, err);
    if (!code) code = kl_train_sweep_load(&run->sweep, file, err);
    kl_store_file_close(&file);
    return code;
}

/* The table is whole, but its points may have gone since, or make room for another sweep's. */
static void say_points(const struct run *run)
{
    size_t n = 0, missing = 0;
    for (size_t i = 0; i < run->sweep.n; i++) {
        const struct kl_sweep_row *row = &run->sweep.rows[i];
        if ((!row->key[0] && run->folds == 1) || row->diverged || row->point >= run->grid.n) continue;
        for (size_t f = 0; f < run->folds; f++) {
            const struct kl_sweep_point *p = &run->points.points[row->point * run->folds + f];
            n++;
            missing += !kl_store_is_up_to_date(p->path, run->folds == 1 ? row->key : p->key);
        }
    }
    if (missing)
        kl_note(run->stage->log, 1,
                "%zu of %zu %s%s %s not in %s as this table has %s; --force trains %s", missing, n,
                run->with->kind->name, kl_s(n), missing == 1 ? "is" : "are", run->folder,
                missing == 1 ? "it" : "them", n == 1 ? "it" : "all");
}

static int tell(FILE *out, struct run *run, enum kl_stage_answer answer, struct kl_error *err)
{
    const struct kl_common *common = run->common;
    if (common->quiet && !common->json) return KL_OK;
    int code = answer == KL_STAGE_COMPUTE ? KL_OK : recall(run, err);
    const struct kl_sweep_found found = found_by(run, answer);
    if (!code) code = kl_train_sweep_tell(out, &found, common->json, err);
    if (!code && answer != KL_STAGE_COMPUTE) say_points(run);
    return code;
}

static int work(struct run *run, FILE *out, struct kl_error *err)
{
    enum kl_stage_answer answer = KL_STAGE_ANSWERED;
    bool answered = false;
    int code = check(run, err);
    if (!code && !run->v->shard)
        code = kl_store_ranks_start(&run->ranks, &answered, run->v->ranks, run->stage, err);
    if (code || answered) return code;
    code = name_folder(run, err);
    if (!code) code = make_grid(run, err);
    if (!code)
        code = kl_train_inputs_open(&run->inputs, run->stage->inputs, run->stage->n_inputs,
                                    run->with->input, err);
    if (!code && run->v->test)
        code = kl_store_file_open_kind(&run->test, run->v->test, run->with->input, err);
    if (!code) code = prepare(run, err);
    if (!code) code = kl_store_ranks_check(run->ranks, run->points.n, "points", err);
    if (!code) code = begin(run, &answer, out, err);
    int all = (int)answer;
    if (!code) code = kl_store_ranks_meet(run->ranks, run->stage->key, &all, err);
    answer = (enum kl_stage_answer)all;
    if (code || answer == KL_STAGE_ANSWERED) return code;
    if (answer == KL_STAGE_COMPUTE) {
        for (size_t i = 0; i < run->inputs.n; i++)
            kl_store_shard_say(run->inputs.files[i], run->stage->log);
        code = run->with->say_input ? run->with->say_input(run->job.input, run->stage->log, err) : KL_OK;
        if (!code) code = train(run, err);
    }
    return code || kl_store_ranks_follow(run->ranks) ? code : tell(out, run, answer, err);
}

int kl_train_sweep_main(const struct kl_sweep_tool *tool, struct kl_mode_run *mode, struct kl_error *err)
{
    char *values = mode->values;
    struct run run = { .of = tool,
                       .with = tool->stage,
                       .values = values,
                       .v = (struct kl_sweep_settings *)(values + tool->sweep_at),
                       .common = mode->values,
                       .train = (struct kl_train_settings *)(values + tool->stage->settings_at),
                       .stage = &mode->stage };
    const int code = work(&run, mode->out, err);
    kl_store_ranks_end(&run.ranks, code);
    kl_train_sweep_free(&run.sweep);
    kl_train_sweep_points_free(&run.points);
    kl_pool_destroy(&run.pool);
    kl_grid_free(&run.grid);
    kl_train_inputs_close(&run.inputs);
    kl_store_file_close(&run.test);
    kl_store_shard_free(&run.shard);
    free(run.folder);
    return code;
}
