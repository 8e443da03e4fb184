/* SPDX-License-Identifier: MIT
   Heads as the points of a sweep (train/sweep.h): which options may be an axis, and how one is trained.
 */
#include "head/run.h"

#include <stdlib.h>
#include <string.h>

#include "head/gpu.h"

static const struct kl_grid_refusal refusals[] = {
    { "seed", "points are compared by their means over seeds; give --replicas N outside the grid" },
    { "replica", "points are compared by their means over seeds; give --replicas N outside the grid" },
    { "replicas", "every point has as many heads; give --replicas N outside the grid" },
    { "no-controls",
      "heads of a sweep have no controls; repeat the best point with qtrain, which adds them" },
    { "fold", "points are compared on the same validation samples; give --folds K outside the grid" },
    { "val-fraction", "points are compared on the same validation samples; give it outside the grid" },
    { "circuit-file", NULL }, /* what it says is in the key, as --qasm */
    { NULL, NULL },
};

static const struct kl_grid_axis *find_axis(const struct kl_grid *grid, const char *name)
{
    for (int i = 0; i < grid->n_axes; i++)
        if (strcmp(grid->axes[i].option->name, name) == 0) return &grid->axes[i];
    return NULL;
}

/* The values of `other` with which the option of c is idle, "A,B" or as many as there is room for;
   returns how many they are. */
static size_t idle_values(char *text, size_t size, const struct kl_grid_axis *other,
                          const struct kl_without_effect *c)
{
    size_t n = 0, used = 0;
    for (size_t i = 0; i < other->n; i++) {
        if (kl_head_without_effect_among(c->values, other->values[i])) continue;
        if (used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", n ? "," : "", other->values[i]);
        n++;
    }
    return n;
}

/* An axis must change some points, and is told of if it leaves others as they are: a grid has a head for
   each. What the grid does not say is the base's. */
static int check_idle(const struct kl_grid *grid, const struct kl_head_settings *base,
                      const struct kl_without_effect *c, const struct kl_log *log, struct kl_error *err)
{
    const struct kl_grid_axis *other = find_axis(grid, c->other);
    char idle[200] = "";
    if (!find_axis(grid, c->option)) return KL_OK;
    const size_t n = other ? idle_values(idle, sizeof idle, other, c) : 0;
    if (other ? n == other->n
              : !kl_head_without_effect_among(c->values, kl_head_without_effect_value(base, c->other)))
        return kl_fail(err, KL_EUSAGE, "--grid: %s: changes nothing without --%s %s", c->option,
                       c->other, c->values);
    if (n)
        kl_note(log, 1,
                "--grid: %s changes nothing of points with %s=%s: each is trained again for each of its "
                "values; two sweeps would save that",
                c->option, c->other, idle);
    return KL_OK;
}

static int check_grid(const struct kl_grid *grid, const void *base, const struct kl_log *log,
                      struct kl_error *err)
{
    for (const struct kl_without_effect *c = kl_without_effect; c->option; c++) {
        const int code = check_idle(grid, base, c, log, err);
        if (code) return code;
    }
    return KL_OK;
}

/* ---- settings ---- */

static void defaults(void *settings)
{
    kl_head_settings_default(settings);
}

static int settle(const struct kl_sweep_stage *stage, void *settings, struct kl_error *err)
{
    (void)stage;
    return kl_head_settings_settle(settings, err);
}

static void release(void *settings)
{
    kl_head_settings_free(settings);
}

static int key(char hex[65], const struct kl_sweep_job *job, const void *settings, struct kl_error *err)
{
    return kl_head_key(hex, settings, job->input, err);
}

static int count(int64_t *parameters, const struct kl_sweep_job *job, const void *settings,
                 struct kl_error *err)
{
    const struct kl_head_settings *v = settings;
    struct kl_features f;
    struct kl_head_model model;
    int code = kl_head_features_describe(&f, job->input, err);
    if (!code && (size_t)v->train.options.folds > f.n)
        code = kl_fail(err, KL_EDATA, "--folds %lld: %s has %zu rows", (long long)v->train.options.folds,
                       kl_store_file_path(job->input), f.n);
    if (!code) code = kl_head_model_make(&model, &v->head, f.d, f.n_classes, err);
    kl_head_features_free(&f);
    if (code) return code;
    if (job->device && job->device->cuda) code = kl_head_gpu_check(&model, &v->train.options, err);
    *parameters = (int64_t)kl_head_parameters(&model);
    kl_head_model_free(&model);
    return code;
}

static void fold(void *settings, const char *text)
{
    ((struct kl_head_settings *)settings)->fold = text;
}

/* The best one gets the controls that a sweep leaves out. */
static const char *again(void *settings)
{
    struct kl_head_settings *v = settings;
    v->no_controls = false;
    return strcmp(v->shape.core, kl_core_names[KL_CORE_CIRCUIT]) == 0 ? ", with its controls" : "";
}

/* ---- the features ---- */

static int say_data(const struct kl_log *log, const void *data, const void *settings,
                    struct kl_error *err)
{
    const struct kl_head_settings *v = settings;
    return kl_head_remark_split(log, data, &v->train.options, err);
}

static int load(void **data, struct kl_file *input, struct kl_error *err)
{
    struct kl_features *f = calloc(1, sizeof *f);
    if (!f) return kl_fail_memory(err, sizeof *f);
    const int code = kl_head_features_load(f, input, err);
    if (code) free(f);
    else *data = f;
    return code;
}

static void unload(void *data)
{
    kl_head_features_free(data);
    free(data);
}

static int check_test(const struct kl_sweep_job *job, struct kl_error *err)
{
    struct kl_features f[2] = { 0 };
    int code = strcmp(kl_store_file_content(job->input), kl_store_file_content(job->test)) == 0
                   ? kl_fail(err, KL_EUSAGE, "--test: %s has the content of %s, which trains",
                             kl_store_file_path(job->test), kl_store_file_path(job->input))
                   : kl_head_features_describe(&f[0], job->input, err);
    if (!code) code = kl_head_features_describe(&f[1], job->test, err);
    if (!code) code = kl_head_features_check_alike(&f[0], job->input, &f[1], job->test, job->log, err);
    kl_head_features_free(&f[0]), kl_head_features_free(&f[1]);
    return code;
}

/* As qeval has them: exact values, on the device where they train. */
static size_t samples(const void *data)
{
    return ((const struct kl_features *)data)->n;
}
static int test(double *const to[KL_SWEEP_ROWS], struct kl_file *model, const struct kl_sweep_job *job,
                const void *data, struct kl_pool *pool, struct kl_error *err)
{
    const struct kl_evaluation_options o = { .split = "all", .device = job->device };
    struct kl_evaluation e;
    const int code = kl_head_evaluate(&e, model, data, &o, pool, err);
    if (!code) {
        memcpy(to[0], e.accuracy, e.replicas * sizeof *e.accuracy);
        memcpy(to[1], e.log_loss, e.replicas * sizeof *e.log_loss);
    }
    kl_head_evaluation_free(&e);
    return code;
}

/* ---- the training of a point ---- */

static void init(void *context, const struct kl_sweep_stage *stage, const struct kl_sweep_job *job,
                 struct kl_sweep_point *point, const struct kl_log *log, const struct kl_log *said,
                 bool late)
{
    struct kl_head_run *run = context;
    (void)stage;
    *run = (struct kl_head_run){ .v = point->values,
                                 .log = log,
                                 .input = job->input,
                                 .device = job->device ? *job->device : (struct kl_device){ 0 },
                                 .late = late,
                                 .stage = kl_train_sweep_point_stage(job, point, said) };
}

static struct kl_sweep_run of(void *context)
{
    struct kl_head_run *run = context;
    return (struct kl_sweep_run){ &run->train.loop, &run->stage, &run->checkpoint };
}

static int begin(void *run, enum kl_stage_answer *answer, struct kl_error *err)
{
    return kl_head_run_begin(run, answer, NULL, err);
}

static int open_run(void *run, const void *data, int threads, struct kl_error *err)
{
    return kl_head_run_open(run, data, threads, err);
}

static int train(void *run, struct kl_pool *pool, struct kl_error *err)
{
    return kl_head_run_train(run, pool, err);
}

static int judge(void *context, size_t *collapsed, struct kl_pool *pool, struct kl_error *err)
{
    struct kl_head_run *run = context;
    const int code = kl_head_run_judge(run, pool, err);
    *collapsed = run->collapse.n_collapsed;
    return code;
}

static int publish(void *run, struct kl_error *err)
{
    return kl_head_run_publish(run, err);
}

static int keep(void *run, struct kl_error *err)
{
    return kl_head_run_keep(run, err);
}

static void rest(void *run)
{
    kl_head_run_stop_workers(run);
}

static int wake(void *run, int threads, struct kl_error *err)
{
    return kl_head_run_start_workers(run, threads, err);
}

static int estimate(void *run, struct kl_estimate *estimate, const void *data, struct kl_pool *pool,
                    struct kl_error *err)
{
    return kl_head_run_estimate(estimate, run, data, pool, err);
}

static void close_run(void *run)
{
    kl_head_run_close(run);
}

const struct kl_sweep_stage kl_head_sweep = {
    .tool = &kl_head_tool,
    .kind = &kl_head_kind,
    .role = "features",
    .rows = { 2, { { "val_accuracy", "val accuracy", true }, { "val_loss", "val loss", false } } },
    .judgement = "an accuracy",
    .collapsed = "heads that do not tell all classes apart",
    .judge_tool = "qeval",
    .settings_size = sizeof(struct kl_head_settings),
    .settings_at = offsetof(struct kl_head_settings, train),
    .run_size = sizeof(struct kl_head_run),
    .refusals = refusals,
    .check_grid = check_grid,
    .defaults = defaults,
    .settle = settle,
    .release = release,
    .key = key,
    .count = count,
    .say_data = say_data,
    .load = load,
    .unload = unload,
    .init = init,
    .of = of,
    .begin = begin,
    .open = open_run,
    .train = train,
    .judge = judge,
    .publish = publish,
    .keep = keep,
    .rest = rest,
    .wake = wake,
    .estimate = estimate,
    .close = close_run,
    .fold = fold,
    .check_test = check_test,
    .samples = samples,
    .test = test,
    .again = again,
};
