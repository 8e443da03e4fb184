/* SPDX-License-Identifier: MIT
   qsweep: a feature cache in, a head for every point of a grid of options out, and their comparison. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "device/device.h"
#include "head/run.h"
#include "head/sweep_run.h"
#include "ingest/ingest.h"

enum { NUMERICAL_VERSION = 2, MOST_ROWS = 40 };

struct values {
    struct kl_head_settings head;
    const char *grid, *heads, *shard;
    bool halving;
};

#define AT(field) offsetof(struct values, field)
static const struct kl_option options[] = {
    { "grid", 'g', KL_OPT_STRING, AT(grid), "GRID", 0, 0, true,
      "\"lr=1e-3,3e-3 layers=1,2\": every combination", "Sweep", NULL },
    { "halving", 0, KL_OPT_FLAG, AT(halving), NULL, 0, 0, true,
      "drop the worse half, double the epochs, and again", NULL, NULL },
    { "heads", 0, KL_OPT_STRING, AT(heads), "FOLDER", 0, 0, false,
      "of the heads; default: NAME-heads of -o NAME.h5", NULL, NULL },
    { "shard", 0, KL_OPT_STRING, AT(shard), "I/N", 0, 0, false,
      "a part of the points; cache merge joins; auto: Slurm, MPI", NULL, NULL },
    KL_DEVICE_OPTION(AT(head.common.device)),
    KL_HEAD_SETTINGS,
};
static const struct kl_tool tool = {
    .name = "qsweep",
    .summary = "Trains a head for every combination of options on cached features, and compares\n"
               "them, without controls; its last line is the qtrain command for the best point\n"
               "with its controls",
    .arguments = "FEATURES.h5 --grid GRID -o SWEEP.h5",
    .example = "qsweep train.h5 --grid \"lr=1e-3,3e-3 n_layers=1,2,3\" --replicas 3 -o sweep.h5",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .without = "device",
};

struct run {
    struct values v;
    struct kl_log log;
    struct kl_stage stage;
    struct kl_grid grid;
    struct kl_sweep_job job;
    struct kl_device device;
    struct kl_sweep_points points;
    struct kl_sweep sweep;
    struct kl_file *input;
    struct kl_pool *pool;
    size_t shard, shards; /* shards 0: not asked for */
    char *folder, *whole_parts;
    char whole_key[65];
};

/* -o DIR/NAME.h5: DIR/NAME-heads */
static int name_folder(struct run *run, struct kl_error *err)
{
    const char *output = run->v.head.common.output;
    size_t n = strlen(output);
    if (n > 3 && strcmp(output + n - 3, ".h5") == 0) n -= 3;
    int length = run->v.heads ? asprintf(&run->folder, "%s", run->v.heads)
                              : asprintf(&run->folder, "%.*s-heads", (int)n, output);
    if (length >= 0) return KL_OK;
    run->folder = NULL;
    return kl_fail_memory(err, n);
}

static int check(struct run *run, size_t n_inputs, struct kl_error *err)
{
    const struct kl_head_settings *h = &run->v.head;
    if (n_inputs != 1)
        return kl_fail(err, KL_EUSAGE, "%zu inputs, expected one feature cache%s; see --help", n_inputs,
                       n_inputs && run->v.grid ? " (all of --grid is one word: quote it)" : "");
    if (!run->v.grid)
        return kl_fail(err, KL_EUSAGE, "no --grid; expected \"NAME=VALUE,VALUE... NAME=...\"");
    if (!h->common.output || strcmp(h->common.output, "-") == 0)
        return kl_fail(err, KL_EUSAGE, "no output; give -o SWEEP.h5, beside which the heads go");
    if (h->train.val_fraction <= 0)
        return kl_fail(err, KL_EUSAGE, "--val-fraction 0: points are compared on validation samples");
    if (run->v.halving && run->v.shard)
        return kl_fail(err, KL_EUSAGE, "--halving compares all points; it cannot be given with --shard");
    return run->v.shard ? kl_shard_parse(&run->shard, &run->shards, run->v.shard, err) : KL_OK;
}

/* Of this run, or of the whole of which it is a shard. What the heads are, their keys say; the options,
   settled as for the first point, say it in words. */
static int make_key(struct kl_key **key, const struct run *run, bool whole, struct kl_error *err)
{
    char text[64], heads[65];
    struct values settled = run->v;
    settled.head = run->points.points[0].v;
    int code = kl_key_begin(key, "sweep", KL_SWEEP_SCHEMA, tool.name, NUMERICAL_VERSION, err);
    if (!code) code = kl_key_options(*key, &tool, &settled, err);
    if (!code) code = kl_key_integer(*key, "seed", run->v.head.common.seed, err);
    if (!code) code = kl_sweep_points_digest(heads, &run->points, err);
    if (!code) code = kl_key_text(*key, "heads", heads, err);
    snprintf(text, sizeof text, "%zu/%zu", run->shard, run->shards);
    if (!code && run->shards && !whole) code = kl_key_text(*key, "shard", text, err);
    return code ? code : kl_key_input(*key, "features", kl_file_content(run->input), err);
}

static int prepare(struct run *run, const char *input, struct kl_error *err)
{
    run->job = (struct kl_sweep_job){ .grid = &run->grid,
                                      .base = &run->v.head,
                                      .halving = run->v.halving,
                                      .folder = run->folder,
                                      .output = run->v.head.common.output,
                                      .input = run->input,
                                      .input_path = input,
                                      .argc = run->stage.argc,
                                      .argv = run->stage.argv,
                                      .log = &run->log,
                                      .device = &run->device };
    return kl_sweep_points_make(&run->points, &run->job, err);
}

static int begin(struct run *run, enum kl_stage_answer *answer, struct kl_error *err)
{
    struct kl_key *key = NULL;
    int code = KL_OK;
    if (run->shards) {
        code = make_key(&key, run, true, err);
        if (!code) code = kl_key_finish(&key, run->whole_key, &run->whole_parts, err);
    }
    if (!code) code = make_key(&key, run, false, err);
    if (!code) code = kl_stage_begin(&run->stage, answer, &key, stdout, err);
    kl_key_abort(&key);
    return code;
}

static int write_shard(struct kl_writer *w, const struct run *run, struct kl_error *err)
{
    if (!run->shards) return KL_OK;
    int code = kl_writer_integer(w, "", "shard_index", (int64_t)run->shard, err);
    if (!code) code = kl_writer_integer(w, "", "shard_count", (int64_t)run->shards, err);
    if (!code) code = kl_writer_text(w, "", "whole_key", run->whole_key, err);
    return code ? code : kl_writer_text(w, "", "whole_key_parts", run->whole_parts, err);
}

static int publish(struct run *run, struct kl_error *err)
{
    const struct kl_file *parents[] = { run->input };
    struct kl_writer *writer = NULL;
    int code = kl_writer_open(&writer, run->v.head.common.output, &run->stage.header, err);
    if (!code) code = kl_sweep_save(writer, &run->sweep, err);
    if (!code) code = write_shard(writer, run, err);
    if (!code) return kl_stage_publish(&run->stage, &writer, parents, 1, NULL, NULL, err);
    kl_writer_abort(&writer);
    return code;
}

static int train(struct run *run, struct kl_error *err)
{
    struct kl_progress progress;
    const struct kl_common *common = &run->v.head.common;
    size_t from = 0, to = run->grid.n, shards = run->shards;
    if (shards) from = run->grid.n * run->shard / shards, to = run->grid.n * (run->shard + 1) / shards;
    int code = kl_device_choose(&run->device, common->device, err);
    run->v.head.common.device_used = run->device.name;
    for (size_t i = 0; i < run->points.n; i++)
        run->points.points[i].v.common.device_used = run->device.name;
    if (!code) code = kl_sweep_points_try(&run->points, from, to - from, err);
    if (code) return code;
    if (mkdir(run->folder, 0777) != 0 && errno != EEXIST)
        return kl_fail_errno(err, KL_EIO, "%s: the folder of the heads cannot be made", run->folder);
    code = kl_sweep_make(&run->sweep, to - from, (size_t)run->v.head.train.replicas, err);
    if (!code) code = kl_pool_create(&run->pool, (int)common->threads, err);
    kl_progress_begin(&progress, &run->log, common->progress, "points");
    if (!code) code = kl_sweep_run(&run->sweep, &run->points, from, run->pool, &progress.watch, err);
    kl_progress_end(&progress);
    return code ? code : publish(run, err);
}

/* The best point is the best of many on one validation set: its accuracy is flattered, which is said. */
static void write_words(const struct run *run, const struct kl_sweep_row *best, const char *command,
                        bool controls, double seconds)
{
    const struct kl_sweep *s = &run->sweep;
    printf("%s: %zu point%s of %zu head%s, %.1f s; heads in %s\n", run->v.head.common.output, s->n,
           kl_s(s->n), s->replicas, kl_s(s->replicas), seconds, run->folder);
    if (best)
        printf("the best of %zu is flattered by the choice: judge it with qeval on other samples\n",
               s->n);
    else printf("no point has an accuracy on validation samples\n");
    if (command) printf("the best again%s: %s\n", controls ? ", with its controls" : "", command);
}

/* What is not there is not said: no best point, no command. */
static int write_json(const struct run *run, const struct kl_sweep_row *best, double accuracy,
                      const char *command, double seconds, struct kl_error *err)
{
    const struct kl_json_pair pairs[] = {
        { "output", KL_JSON_TEXT, run->v.head.common.output, 0 },
        { "key", KL_JSON_TEXT, run->stage.key, 0 },
        { "status", KL_JSON_TEXT, kl_stage_status(KL_STAGE_COMPUTE), 0 },
        { "points", KL_JSON_COUNT, NULL, (double)run->sweep.n },
        { "replicas", KL_JSON_COUNT, NULL, (double)run->sweep.replicas },
        { "seconds", KL_JSON_NUMBER, NULL, seconds },
        { "best", KL_JSON_TEXT, best ? best->name : NULL, 0 },
        { "val_accuracy", KL_JSON_NUMBER, NULL, accuracy },
        { "best_command", KL_JSON_TEXT, command, 0 },
    };
    const size_t n = sizeof pairs / sizeof *pairs;
    return kl_json_line(stdout, pairs, n - (best ? 0 : 2) - (command ? 0 : 1), err);
}

/* A shard's best point is not the sweep's: of it no command is told. */
static int summarise(const struct run *run, struct kl_error *err)
{
    const struct kl_sweep *s = &run->sweep;
    const struct kl_common *common = &run->v.head.common;
    double seconds = kl_clock() - run->stage.start, accuracy = 0;
    const struct kl_sweep_row *best = NULL;
    char *command = NULL;
    bool controls = false;
    size_t *order = malloc((s->n + 1) * sizeof *order);
    if (!order) return kl_fail_memory(err, s->n * sizeof *order);
    kl_sweep_order(order, s);
    if (s->n) accuracy = kl_sweep_accuracy(s, order[0]);
    if (s->n && !isnan(accuracy)) best = &s->rows[order[0]];
    free(order);
    int code = KL_OK;
    if (best && !run->shards)
        code = kl_sweep_command(&command, &controls, &run->job, best->point, run->stage.inputs[0], err);
    if (!code && common->json) code = write_json(run, best, accuracy, command, seconds, err);
    else if (!code && !common->quiet) {
        code = kl_sweep_write(stdout, s, MOST_ROWS, err);
        if (!code) write_words(run, best, command, controls, seconds);
    }
    free(command);
    return code;
}

static int work(struct run *run, const char *const *inputs, size_t n_inputs, struct kl_error *err)
{
    enum kl_stage_answer answer = KL_STAGE_ANSWERED;
    int code = check(run, n_inputs, err);
    if (!code) code = name_folder(run, err);
    if (!code) code = kl_sweep_grid(&run->grid, run->v.grid, &run->v.head, run->v.halving, err);
    if (!code) code = kl_file_open_kind(&run->input, inputs[0], "features", err);
    if (!code) code = prepare(run, inputs[0], err);
    if (!code) code = begin(run, &answer, err);
    if (code || answer == KL_STAGE_ANSWERED) return code;
    if (answer != KL_STAGE_COMPUTE) return kl_stage_report(&run->stage, answer, stdout, err);
    code = train(run, err);
    return code ? code : summarise(run, err);
}

int main(int argc, char **argv)
{
    struct kl_error err = { 0 };
    struct run run = { .log = { tool.name, stderr, 1 } };
    const char **inputs = NULL;
    size_t n_inputs = 0;
    kl_signals_install();
    kl_head_settings_default(&run.v.head);
    run.v.head.no_controls = true;
    int code = kl_options_parse(&tool, &run.v, argc, argv, &inputs, &n_inputs, &err);
    if (code) return kl_report(&run.log, &err);
    if (kl_options_answer(&tool, &run.v, stdout)) {
        free(inputs);
        return kl_finish(&run.log, 0);
    }
    run.log.level = run.v.head.common.quiet ? 0 : run.v.head.common.verbose ? 2 : 1;
    run.stage = (struct kl_stage){ .tool = &tool,
                                   .values = &run.v,
                                   .common = &run.v.head.common,
                                   .log = &run.log,
                                   .argc = argc,
                                   .argv = argv,
                                   .inputs = inputs,
                                   .n_inputs = n_inputs,
                                   .start = kl_clock() };
    code = work(&run, inputs, n_inputs, &err);
    kl_sweep_free(&run.sweep);
    kl_sweep_points_free(&run.points);
    kl_pool_destroy(&run.pool);
    kl_grid_free(&run.grid);
    kl_file_close(&run.input);
    kl_stage_end(&run.stage);
    free(run.folder);
    free(run.whole_parts);
    free(inputs);
    return kl_end(&run.log, code, &err);
}
