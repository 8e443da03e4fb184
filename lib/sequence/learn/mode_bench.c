/* SPDX-License-Identifier: MIT
   `qseq bench`: how a training scales, measured. What it writes is of this machine and this hour, so it
   measures anew whatever stands there. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sequence/learn/scaling.h"
#include "store/mode.h"
#include "train/ranks.h"

enum { NUMERICAL_VERSION = 1, PATIENCE = 120 /* seconds until all ranks have come */ };
struct values {
    struct kl_sequence_train_values v; /* of one training */
    const char *grid;
    int64_t processors;
    double seconds;
};
#define AT(field) offsetof(struct values, field)
/* clang-format off */
static const struct kl_option options[] = {
    { "grid", 'g', KL_OPT_LIST, AT(grid), "GRID", 0, 0, true,
      "what is measured: model=, qubits=, layers=, batch-size=", "Table", NULL },
    { "model", 'm', KL_OPT_CHOICE, AT(v.model), KL_SEQUENCE_MODELS, 0, 0, true, "the net", NULL, NULL },
    { "qubits", 0, KL_OPT_INT, AT(v.qubits), "N", 2, 20, true, "of its circuits", NULL, NULL },
    { "layers", 0, KL_OPT_INT, AT(v.layers), "N", 1, 64, true, "of its circuits", NULL, NULL },
    { "batch-size", 'b', KL_OPT_INT, AT(v.train.options.batch_size), "N", 1, 1e6, true,
      "windows a step", NULL, NULL },
    { "seconds", 0, KL_OPT_FLOAT, AT(seconds), "S", 0.01, 3600, true, "for each row", NULL, NULL },
    { "processors", 0, KL_OPT_INT, AT(processors), "N", 0, 1e6, true,
      "most of ranks x threads; 0: as many as here", NULL, NULL },
    { "ranks", 0, KL_OPT_STRING, AT(v.train.ranks), "R", 0, 0, false,
      "this process is one of them: auto (of mpirun or srun) or I/N", NULL, NULL },
};
/* clang-format on */
const struct kl_tool kl_sequence_bench_tool = {
    .name = "qseq",
    .summary = "Measures a step of training for 1, 2, 4, ... ranks and threads, by batch and qubits: "
               "its time, what ranks send and how long they wait",
    .arguments = "bench WINDOWS.h5... [-o SCALING.h5]",
    .example = "qseq bench S*.h5 -g \"qubits=6,8,10 batch-size=16,64\" -o scaling.h5\n"
               "  mpirun -n 2 qseq bench S*.h5 --ranks auto --threads 1 -o scaling.h5",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .without = "store force dry-run key device",
    .chosen_by = "bench",
};

static void defaults(void *values)
{
    struct values *v = values;
    kl_sequence_train_defaults(&v->v);
    v->grid = "qubits=6,8,10 batch-size=16,32,64", v->seconds = 1;
    v->v.common.force = true;
}

struct work {
    struct kl_mode_run *run;
    const struct values *v;
    struct kl_train_inputs inputs;
    struct kl_shard place;
    struct kl_ranks *ranks;
    struct kl_log quiet; /* of ranks that follow the first */
    struct kl_grid grid;
    struct kl_sequence_scaling table;
    struct values *point;
};

static bool follows(const struct work *w)
{
    return w->place.index > 0;
}

/* Ranks meet beside the output, and know each other by what they measure. */
static int meet(struct work *w, struct kl_error *err)
{
    const struct kl_stage *stage = &w->run->stage;
    if (w->place.count < 2) return KL_OK;
    if (!w->v->v.common.output || strcmp(w->v->v.common.output, "-") == 0)
        return kl_fail(err, KL_EUSAGE, "--ranks: they meet beside the output; give -o SCALING.h5");
    const int code = kl_train_ranks_check(&w->place, (size_t)1 << KL_RANKS_LEVELS, err);
    return code ? code
                : kl_train_ranks_open(&w->ranks, &w->place, w->v->v.common.output, stage->key, PATIENCE,
                                      err);
}

static int measure(struct work *w, struct kl_error *err)
{
    struct kl_progress progress;
    const struct values *v = w->v;
    const int64_t here = sysconf(_SC_NPROCESSORS_ONLN);
    struct kl_pool *pool = NULL;
    int code = kl_pool_create(&pool, (int)v->v.common.threads, err);
    if (code) return code;
    const struct kl_sequence_scaling_job job = { .inputs = &w->inputs,
                                                 .ranks = w->ranks,
                                                 .threads = kl_pool_size(pool),
                                                 .processors =
                                                     (int)(v->processors ? v->processors : here),
                                                 .seconds = v->seconds,
                                                 .log = w->run->stage.log };
    kl_pool_destroy(&pool);
    kl_progress_begin(&progress, w->run->stage.log, v->v.common.progress, "trainings");
    for (size_t i = 0; i < w->grid.n && !code; i++) {
        *w->point = *v;
        code = kl_grid_set(&w->grid, i, w->point, err);
        kl_train_settings_settle(&w->point->v.train, v->v.common.seed);
        if (!code) code = kl_sequence_train_settle(&w->point->v, err);
        if (!code) code = kl_sequence_scaling_add(&w->table, &w->point->v, &job, err);
        if (!code) kl_watch_step(&progress.watch, i + 1, w->grid.n, NULL);
    }
    kl_progress_end(&progress);
    if (!code && !w->table.n)
        code = kl_fail(err, KL_EUSAGE, "--processors %d: no row has so few", job.processors);
    return code;
}

static int publish(struct work *w, struct kl_error *err)
{
    struct kl_stage *stage = &w->run->stage;
    const struct kl_file *const *parents = (const struct kl_file *const *)w->inputs.files;
    struct kl_writer *writer = NULL;
    int code = kl_store_writer_open(&writer, w->v->v.common.output, &stage->header, err);
    if (!code) code = kl_sequence_scaling_save(writer, &w->table, err);
    if (!code) code = kl_store_stage_publish(stage, &writer, parents, w->inputs.n, NULL, NULL, err);
    kl_store_writer_abort(&writer);
    return code;
}

static int report(const struct work *w, struct kl_error *err)
{
    const struct kl_common *common = &w->v->v.common;
    FILE *to = kl_words_to(common);
    if (common->json)
        return kl_sequence_scaling_json(to, &w->table, common->output, w->run->stage.log, err);
    if (!common->quiet) kl_sequence_scaling_tell(to, &w->table);
    return KL_OK;
}

/* The key, by which ranks know that they measure the same. */
static int begin(struct work *w, struct kl_error *err)
{
    struct kl_stage *stage = &w->run->stage;
    enum kl_stage_answer answer = KL_STAGE_COMPUTE;
    struct kl_key *key = NULL;
    int code = kl_store_key_begin(&key, kl_sequence_scaling_kind.name, KL_SEQUENCE_SCALING_SCHEMA,
                                  "qseq bench", NUMERICAL_VERSION, err);
    if (!code) code = kl_store_key_options(key, stage->tool, w->v, err);
    if (!code) code = kl_train_inputs_key(key, &w->inputs, "windows", err);
    if (!code && w->v->v.common.output)
        code = kl_store_stage_begin(stage, &answer, &key, w->run->out, err);
    kl_store_key_abort(&key);
    return code;
}

static int work(struct work *w, struct kl_error *err)
{
    struct kl_stage *stage = &w->run->stage;
    stage->inputs++, stage->n_inputs--; /* the first is the word itself */
    if (!stage->n_inputs)
        return kl_fail_inputs(err, stage->inputs, 0, 1, "files of windows (qseq windows)");
    w->point = malloc(sizeof *w->point);
    if (!w->point) return kl_fail_memory(err, sizeof *w->point);
    int code = kl_grid_parse(&w->grid, stage->tool, NULL, w->v->grid, err);
    if (!code) code = kl_store_shard_rank(&w->place, w->v->v.train.ranks, stage->log, err);
    if (!code && follows(w)) {
        w->quiet = *stage->log, w->quiet.level = 0;
        stage->log = &w->quiet;
    }
    if (!code)
        code = kl_train_inputs_open(&w->inputs, stage->inputs, stage->n_inputs,
                                    &kl_sequence_windows_kind, err);
    if (!code) code = begin(w, err);
    if (!code) code = meet(w, err);
    if (!code) code = measure(w, err);
    if (code || follows(w)) return code;
    if (w->v->v.common.output) code = publish(w, err);
    return code ? code : report(w, err);
}

static int run(struct kl_mode_run *run, struct kl_error *err)
{
    struct work w = { .run = run, .v = run->values };
    const int code = work(&w, err);
    kl_store_stage_end(&run->stage);
    kl_train_ranks_close(&w.ranks);
    kl_sequence_scaling_free(&w.table);
    kl_grid_free(&w.grid);
    kl_train_inputs_close(&w.inputs);
    free(w.point);
    return code;
}

const struct kl_mode kl_sequence_mode_bench = { .tool = &kl_sequence_bench_tool,
                                                .defaults = defaults,
                                                .run = run };
