/* SPDX-License-Identifier: MIT
   `qseq bench`: how a training scales, measured. What it writes is of this machine and this hour: the
   moment is a part of its key, so that it measures anew. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/device.h"
#include "sequence/learn/scaling.h"
#include "store/mode.h"
#include "store/ranks.h"

enum { NUMERICAL_VERSION = 1 };
struct values {
    struct kl_sequence_train_values v; /* of one training */
    const char *grid, *forecast;
    double seconds;
};
#define AT(field) offsetof(struct values, field)
/* clang-format off */
static const struct kl_option options[] = {
    { "grid", 'g', KL_OPT_LIST, AT(grid), "GRID", 0, 0, true,
      "each combination of model=, qubits=, layers=, batch-size=", "Table", NULL },
    { "model", 'm', KL_OPT_CHOICE, AT(v.model), KL_SEQUENCE_MODELS, 0, 0, true, "the net", NULL, NULL },
    { "qubits", 0, KL_OPT_INT, AT(v.qubits), "N", 2, 20, true, "of its circuits", NULL, NULL },
    { "layers", 0, KL_OPT_INT, AT(v.layers), "N", 1, 64, true, "of its circuits", NULL, NULL },
    { "batch-size", 'b', KL_OPT_INT, AT(v.train.options.batch_size), "N", 1, 1e6, true,
      "windows a step", NULL, NULL },
    { "seconds", 0, KL_OPT_FLOAT, AT(seconds), "S", 0.01, 600, true, "for each row", NULL, NULL },
    { "forecast", 0, KL_OPT_STRING, AT(forecast), "R,R,...", 0, 0, false,
      "of so many ranks, by a fit to what is measured: 2,4,8", NULL, NULL },
    { "ranks", 0, KL_OPT_STRING, AT(v.train.ranks), "R", 0, 0, false,
      "this process is one of them: auto, of mpirun or srun", NULL, NULL },
    KL_DEVICE_OPTION(AT(v.common.device)),
};
/* clang-format on */
const struct kl_tool kl_sequence_bench_tool = {
    .name = "qseq",
    .summary = "Measures a step of training by ranks, threads, batch and qubits: "
               "its time, what ranks send and how long they wait, for 1, 2, 4, ... of them",
    .arguments = "bench WINDOWS.h5... [-o SCALING.h5]",
    .example = "qseq bench S*.h5 -g \"qubits=6,8,10 batch-size=16,64\" -o scaling.h5\n"
               "  mpirun -n 2 qseq bench S*.h5 --ranks auto --threads 1 -o scaling.h5",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .without = "store dry-run key",
    .chosen_by = "bench",
};

static void defaults(void *values)
{
    struct values *v = values;
    kl_sequence_train_defaults(&v->v);
    v->seconds = 1;
}

enum { MOST_RANKS = 16, LARGEST = 4096 }; /* of a forecast */
struct work {
    struct kl_mode_run *run;
    const struct values *v;
    struct kl_train_inputs inputs;
    struct kl_ranks *ranks;
    struct kl_device device; /* of all rows */
    struct kl_grid grid;
    size_t n_points;
    struct kl_sequence_scaling table;
    struct kl_sequence_forecast forecast;
    int32_t forecast_ranks[MOST_RANKS];
    size_t n_ranks;
    struct values *point;
};

static bool follows(const struct work *w)
{
    return kl_store_ranks_follow(w->ranks);
}

/* ---- the key, of which only ranks that meet make use ---- */

static int make_key(struct kl_key **key, const struct work *w, struct kl_error *err)
{
    int code = kl_store_key_begin(key, kl_sequence_scaling_kind.name, KL_SEQUENCE_SCALING_SCHEMA,
                                  "qseq bench", NUMERICAL_VERSION, err);
    if (!code) code = kl_store_key_options(*key, w->run->stage.tool, w->v, err);
    return code ? code : kl_train_inputs_key(*key, &w->inputs, "windows", err);
}

/* Ranks know by the key that they measure the same. */
static int meet(struct work *w, struct kl_error *err)
{
    struct kl_key *key = NULL;
    char hex[65];
    int nothing = 0, code = w->ranks ? make_key(&key, w, err) : KL_OK;
    if (!code && w->ranks) code = kl_store_key_finish(&key, hex, NULL, err);
    if (!code) code = kl_store_ranks_meet(w->ranks, hex, &nothing, err);
    kl_store_key_abort(&key);
    return code;
}

/* The file's: of this moment. What stands there and is none of these tables is not replaced. */
static int begin(struct work *w, struct kl_error *err)
{
    enum kl_stage_answer answer = KL_STAGE_COMPUTE;
    struct kl_key *key = NULL;
    struct timespec now;
    if (!w->v->v.common.output || follows(w)) return KL_OK;
    clock_gettime(CLOCK_REALTIME, &now);
    int code = make_key(&key, w, err);
    if (!code) code = kl_store_key_integer(key, "moment", now.tv_sec * 1000000000 + now.tv_nsec, err);
    if (!code) code = kl_store_stage_begin(&w->run->stage, &answer, &key, w->run->out, err);
    kl_store_key_abort(&key);
    return code;
}

/* --forecast: rising numbers. */
static int read_forecast(struct work *w, struct kl_error *err)
{
    for (const char *at = w->v->forecast; at && *at;) {
        char *end;
        const long number = strtol(at, &end, 10);
        if (end == at || (*end && *end != ',') || number < 2 || number > LARGEST ||
            w->n_ranks == MOST_RANKS || (w->n_ranks && number <= w->forecast_ranks[w->n_ranks - 1]))
            return kl_fail(
                err, KL_EUSAGE,
                "--forecast: found '%.40s', expected rising numbers of ranks from 2 to %d, at "
                "most %d of them: 2,4,8",
                at, LARGEST, MOST_RANKS);
        w->forecast_ranks[w->n_ranks++] = (int32_t)number;
        at = *end ? end + 1 : end;
    }
    return KL_OK;
}

/* The learners' too: they take what the values say is used. */
static int choose_device(struct work *w, struct kl_error *err)
{
    struct kl_common *common = &((struct values *)w->run->values)->v.common;
    return kl_device_take(&w->device, common, w->ranks ? w->ranks->local : 0, w->run->stage.log, err);
}

/* ---- the measurement ---- */

static int settle_point(struct work *w, size_t i, struct kl_error *err)
{
    *w->point = *w->v;
    const int code = w->v->grid ? kl_grid_set(&w->grid, i, w->point, err) : KL_OK;
    kl_train_settings_settle(&w->point->v.train, w->v->v.common.seed);
    return code ? code : kl_sequence_train_settle(&w->point->v, err);
}

/* Threads are as many as the first rank has, wherever the others run. One beside a GPU: it does a
   replica's part of a step, and a step measured is of one. */
static int make_job(struct kl_sequence_scaling_job *job, const struct work *w,
                    const struct kl_watch *watch, struct kl_error *err)
{
    struct kl_pool *pool = NULL;
    int64_t threads;
    int stop = 0;
    int code = kl_pool_create(&pool, (int)w->v->v.common.threads, err);
    if (code) return code;
    threads = kl_pool_size(pool);
    kl_pool_destroy(&pool);
    code = kl_store_ranks_agree(w->ranks, &threads, &stop, err);
    *job = (struct kl_sequence_scaling_job){ .inputs = &w->inputs,
                                             .ranks = w->ranks,
                                             .threads = w->device.cuda ? 1 : (int)threads,
                                             .seconds = w->v->seconds,
                                             .watch = watch,
                                             .log = w->run->stage.log };
    return code;
}

static int measure(struct work *w, struct kl_error *err)
{
    struct kl_progress progress;
    struct kl_sequence_scaling_job job;
    kl_progress_begin(&progress, w->run->stage.log, follows(w) ? "none" : w->v->v.common.progress,
                      "rows");
    int code = make_job(&job, w, &progress.watch, err);
    job.n_rows = w->n_points * (code ? 0 : kl_sequence_scaling_rows(&job));
    for (size_t i = 0; i < w->n_points && !code; i++) {
        code = settle_point(w, i, err);
        if (!code) code = kl_sequence_scaling_add(&w->table, &w->point->v, &job, err);
    }
    kl_progress_end(&progress);
    if (!code && strstr(w->device.name, "emulated"))
        kl_caution(job.log, "the GPU is emulated by this CPU: its times say nothing of a card");
    if (!code && w->table.n_left_out)
        kl_note(job.log, 1, "left out: %zu row%s of more ranks than a step's gradient has parts",
                w->table.n_left_out, kl_s(w->table.n_left_out));
    return code;
}

/* All of them, before the first is measured. */
static int check_points(struct work *w, struct kl_error *err)
{
    const struct kl_sequence_scaling_job job = { .inputs = &w->inputs,
                                                 .ranks = w->ranks,
                                                 .log = w->run->stage.log };
    int code = w->v->grid ? kl_grid_parse(&w->grid, w->run->stage.tool, NULL, w->v->grid, err) : KL_OK;
    w->n_points = w->v->grid ? w->grid.n : 1;
    for (size_t i = 0; i < w->n_points && !code; i++) {
        code = settle_point(w, i, err);
        if (!code) code = kl_sequence_scaling_check(&w->point->v, &job, err);
    }
    return code;
}

/* ---- the result ---- */

static int write_file(struct work *w, struct kl_error *err)
{
    struct kl_stage *stage = &w->run->stage;
    const struct kl_file *const *parents = (const struct kl_file *const *)w->inputs.files;
    struct kl_writer *writer = NULL;
    int code = kl_store_writer_open(&writer, w->v->v.common.output, &stage->header, err);
    if (!code) code = kl_sequence_scaling_save(writer, &w->table, err);
    if (!code && w->forecast.rows) code = kl_sequence_forecast_save(writer, &w->forecast, err);
    if (!code) code = kl_store_stage_publish(stage, &writer, parents, w->inputs.n, NULL, NULL, err);
    kl_store_writer_abort(&writer);
    return code;
}

/* The others wait for it, so that all know how it ended. */
static int publish(struct work *w, struct kl_error *err)
{
    int64_t nothing = 0;
    int stop = 0;
    const int code = w->v->v.common.output && !follows(w) ? write_file(w, err) : KL_OK;
    return code ? code : kl_store_ranks_agree(w->ranks, &nothing, &stop, err);
}

static int report(const struct work *w, struct kl_error *err)
{
    const struct kl_common *common = &w->v->v.common;
    FILE *to = kl_words_to(common);
    if (common->json)
        return kl_sequence_scaling_json(to, &w->table, w->forecast.rows ? &w->forecast : NULL,
                                        common->output, w->run->stage.log, err);
    if (!common->quiet) kl_sequence_scaling_tell(to, &w->table);
    if (!common->quiet && w->forecast.rows) kl_sequence_forecast_tell(to, &w->forecast);
    return KL_OK;
}

static int work(struct work *w, struct kl_error *err)
{
    struct kl_stage *stage = &w->run->stage;
    w->point = malloc(sizeof *w->point);
    if (!w->point) return kl_fail_memory(err, sizeof *w->point);
    int code = kl_store_ranks_start(&w->ranks, NULL, w->v->v.train.ranks, stage, err);
    if (!code)
        code = kl_train_inputs_open(&w->inputs, stage->inputs, stage->n_inputs,
                                    &kl_sequence_windows_kind, err);
    if (!code) code = read_forecast(w, err);
    if (!code) code = choose_device(w, err);
    if (!code) code = check_points(w, err);
    if (!code) code = begin(w, err);
    if (!code) code = meet(w, err);
    if (!code) code = measure(w, err);
    if (!code && w->n_ranks)
        code = kl_sequence_forecast_make(&w->forecast, &w->table, w->forecast_ranks, w->n_ranks, err);
    if (!code) code = publish(w, err);
    return code || follows(w) ? code : report(w, err);
}

static int run(struct kl_mode_run *run, struct kl_error *err)
{
    struct work w = { .run = run, .v = run->values };
    const int code = work(&w, err);
    kl_store_stage_end(&run->stage);
    kl_store_ranks_end(&w.ranks, code);
    kl_sequence_scaling_free(&w.table);
    kl_sequence_forecast_free(&w.forecast);
    kl_grid_free(&w.grid);
    kl_train_inputs_close(&w.inputs);
    free(w.point);
    return code;
}

const struct kl_mode kl_sequence_mode_bench = { .tool = &kl_sequence_bench_tool,
                                                .defaults = defaults,
                                                .run = run };
