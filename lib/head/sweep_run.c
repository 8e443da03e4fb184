/* SPDX-License-Identifier: MIT
   The points of a sweep are independent: each thread takes the next point and trains its head alone,
   with no thread waiting for another. The store (HDF5) is entered by one at a time.

   Successive halving (Karnin, Koren & Somekh 2013; Jamieson & Talwalkar 2016): all points train for
   epochs / 2^k, the better half goes on to twice as many, and so forth to the full number. A survivor's
   schedule is that of the full number throughout, so it ends as it would have alone. */
#include "head/sweep_run.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "head/run.h"

struct point {
    struct kl_head_settings v;
    struct kl_head_run run;
    char *path;
    struct kl_sweep_row *row;
    struct kl_error error;
    int code;
    bool train, dropped;
    bool kept; /* its checkpoint holds what a stopped sweep had trained of it */
};
struct crew {
    const struct kl_sweep_job *job;
    struct kl_sweep *sweep;
    struct kl_features features;
    struct point *points;
    size_t *todo, n_todo;   /* points that are not up to date and not dropped */
    struct kl_pool *shared; /* whose threads share one head; NULL: a thread a head */
    int64_t until;          /* epochs, in this round; 0: as many as each point asks for */
    pthread_mutex_t store;
    const struct kl_watch *watch;
    size_t finished, total; /* heads times rounds */
    struct kl_log quiet;
};

/* "lr=1e-3 layers=2"; as a file's name with '_' and '-' for what has no place in one. */
static int name_point(struct point *p, const struct kl_sweep_job *job, struct kl_error *err)
{
    size_t used = 0;
    for (int a = 0; a < job->grid->n_axes; a++) {
        int n = snprintf(p->row->name + used, KL_SWEEP_NAME - used, "%s%s=%s", a ? " " : "",
                         job->grid->axes[a].option->name, kl_grid_value(job->grid, p->row->point, a));
        used += (size_t)n;
        if (used >= KL_SWEEP_NAME)
            return kl_fail(err, KL_EUSAGE, "--grid: the values of a point take more than %d bytes",
                           KL_SWEEP_NAME - 1);
    }
    if (asprintf(&p->path, "%s/%s.h5", job->folder, p->row->name) < 0) {
        p->path = NULL;
        return kl_fail_memory(err, used);
    }
    for (char *c = p->path + strlen(job->folder) + 1; *c; c++)
        *c = *c == ' ' ? '_' : *c == '/' ? '-' : *c;
    return KL_OK;
}

/* Settings, key, and whether the head is there already. */
static int prepare(struct point *p, const struct crew *crew, struct kl_error *err)
{
    const struct kl_sweep_job *job = crew->job;
    enum kl_stage_answer answer;
    int code = name_point(p, job, err);
    p->v = *job->base;
    if (!code) code = kl_grid_set(job->grid, p->row->point, &p->v, err);
    if (!code) code = kl_head_settings_settle(&p->v, err);
    if (code) return code;
    p->v.common.output = p->path;
    p->v.common.progress = "none";
    p->v.common.print_key = p->v.common.dry_run = p->v.common.json = false;
    if (job->halving) p->v.common.force = true;
    p->run = (struct kl_head_run){ .v = &p->v,
                                   .log = &crew->quiet,
                                   .input = job->input,
                                   .stage = { .tool = &kl_head_tool,
                                              .values = &p->v,
                                              .common = &p->v.common,
                                              .log = job->log,
                                              .argc = job->argc,
                                              .argv = job->argv,
                                              .start = kl_clock() } };
    code = kl_head_run_begin(&p->run, &answer, NULL, err);
    p->train = !code && answer == KL_STAGE_COMPUTE;
    if (p->train && !p->v.common.force && p->run.checkpoint)
        p->v.resume = p->kept = kl_checkpoint_fits(p->run.checkpoint, p->run.stage.key);
    return code;
}

static void lose(struct point *p, int code)
{
    p->code = code;
    kl_head_run_close(&p->run);
}

static int open_point(struct crew *crew, struct point *p)
{
    int threads = crew->shared ? kl_pool_size(crew->shared) : 1;
    pthread_mutex_lock(&crew->store);
    int code = kl_head_run_open(&p->run, &crew->features, threads, &p->error);
    pthread_mutex_unlock(&crew->store);
    p->v.resume = false; /* how it began is no part of the head's provenance */
    return code;
}

/* The training has no checkpoint to write meanwhile: that would enter the store out of turn. */
static int advance(struct crew *crew, struct point *p)
{
    char *checkpoint = p->run.checkpoint;
    p->run.checkpoint = NULL;
    p->run.train.until = crew->until;
    int code = kl_head_run_train(&p->run, crew->shared, &p->error);
    p->run.checkpoint = checkpoint;
    return code;
}

/* Of a point that was stopped. Halving keeps nothing: what was dropped would have to be kept as well. */
static void keep(const struct crew *crew, struct point *p)
{
    struct kl_error problem;
    if (crew->job->halving) return;
    int code = kl_head_run_keep(&p->run, &problem);
    p->kept = !code;
    if (code) p->code = code, p->error = problem;
}

/* One round of one point: open unless it is, train, publish at the end. */
static void train_point(void *context, size_t i, int thread)
{
    struct crew *crew = context;
    struct point *p = &crew->points[crew->todo[i]];
    (void)thread;
    if (kl_signals_pending()) {
        lose(p, kl_fail(&p->error, KL_ESIGNAL, "stopped"));
        return;
    }
    if (!p->run.writer) p->code = open_point(crew, p);
    if (!p->code) p->code = advance(crew, p);
    if (!p->code && crew->until && p->run.train.epoch < p->v.train.epochs) return;
    pthread_mutex_lock(&crew->store);
    if (!p->code && !(p->code = kl_head_run_publish(&p->run, &p->error))) p->train = p->kept = false;
    if (p->code == KL_ESIGNAL) keep(crew, p);
    lose(p, p->code);
    pthread_mutex_unlock(&crew->store);
}

static void work_on_point(void *context, size_t i, int thread)
{
    struct crew *crew = context;
    train_point(context, i, thread);
    pthread_mutex_lock(&crew->store);
    kl_watch_step(crew->watch, ++crew->finished, crew->total, NULL);
    pthread_mutex_unlock(&crew->store);
}

/* What went wrong with any point, a signal last; one that diverged is a result. */
static int judge(struct crew *crew, struct kl_error *err)
{
    size_t left = 0;
    const struct point *bad = NULL;
    for (size_t k = 0; k < crew->n_todo; k++) {
        const struct point *p = &crew->points[crew->todo[k]];
        if (p->code && p->code != KL_EDATA && (!bad || bad->code == KL_ESIGNAL)) bad = p;
    }
    if (bad) return kl_fail(err, bad->code, "%s", bad->error.text);
    for (size_t k = 0; k < crew->n_todo; k++) {
        struct point *p = &crew->points[crew->todo[k]];
        p->row->diverged = p->code == KL_EDATA;
        if (p->code == KL_EDATA) kl_note(crew->job->log, 1, "%s: %s", p->row->name, p->error.text);
        else crew->todo[left++] = crew->todo[k];
    }
    crew->n_todo = left;
    return KL_OK;
}

static void train_round(struct crew *crew, struct kl_pool *pool)
{
    bool share = crew->n_todo < (size_t)kl_pool_size(pool);
    crew->shared = share ? pool : NULL;
    kl_pool_for(share ? NULL : pool, crew->n_todo, work_on_point, crew);
}

/* Into the row, from the state of a training that has not ended. */
static void take_numbers(struct point *p)
{
    const struct kl_train *t = &p->run.train;
    p->row->epochs = t->epoch;
    p->row->parameters = (int64_t)kl_head_parameters(&p->run.model);
    for (int64_t r = 0; r < t->options.replicas; r++) {
        p->row->accuracy[r] = t->replicas[r].history[3][t->replicas[r].best_epoch];
        p->row->loss[r] = t->replicas[r].history[2][t->replicas[r].best_epoch];
    }
}

/* The worse half of what is left is closed. */
static int drop_half(struct crew *crew, struct kl_error *err)
{
    size_t keep = (crew->n_todo + 1) / 2, kept = 0, n = crew->sweep->n;
    size_t *order = malloc((n + 1) * sizeof *order);
    if (!order) return kl_fail_memory(err, n * sizeof *order);
    for (size_t k = 0; k < crew->n_todo; k++) take_numbers(&crew->points[crew->todo[k]]);
    kl_sweep_order(order, crew->sweep);
    for (size_t k = 0; k < n; k++) {
        struct point *p = &crew->points[order[k]];
        if (!p->train || p->dropped || p->code) continue;
        if (kept < keep) {
            crew->todo[kept++] = order[k];
            continue;
        }
        p->dropped = true;
        kl_head_run_close(&p->run);
    }
    crew->n_todo = kept;
    free(order);
    return KL_OK;
}

static int train_all(struct crew *crew, struct kl_pool *pool, struct kl_error *err)
{
    const int64_t epochs = crew->job->base->train.epochs;
    int rounds = 0, code = KL_OK;
    while (crew->job->halving && crew->n_todo >> (rounds + 1) && epochs >> (rounds + 1)) rounds++;
    for (int k = 0; k <= rounds; k++) crew->total += (crew->n_todo + (1u << k) - 1) >> k;
    for (int k = rounds; k >= 0 && !code; k--) {
        crew->until = k ? epochs >> k : 0;
        train_round(crew, pool);
        code = judge(crew, err);
        if (!code && k > 0) code = drop_half(crew, err);
    }
    return code;
}

/* What is there after a signal, and what the same command would do. */
static void say_stopped(const struct crew *crew)
{
    const struct kl_sweep_job *job = crew->job;
    size_t finished = 0, kept = 0;
    for (size_t i = 0; i < job->n; i++) finished += !crew->points[i].train, kept += crew->points[i].kept;
    if (job->halving)
        kl_note(
            job->log, 1,
            "stopped; points of --halving are trained side by side, so the same command begins anew");
    else
        kl_note(job->log, 1,
                "stopped with %zu of %zu point%s finished and %zu half-way, all kept in %s; the same "
                "command%s goes on from there",
                finished, job->n, kl_s(job->n), kept, job->folder,
                job->base->common.force ? " without --force" : "");
}

static int read_back(struct point *p, size_t replicas, struct kl_error *err)
{
    struct kl_file *file = NULL;
    if (p->dropped || p->row->diverged) return KL_OK;
    int code = kl_file_open_kind(&file, p->path, "head", err);
    if (!code) code = kl_sweep_read_head(p->row, replicas, file, err);
    kl_file_close(&file);
    return code;
}

static void crew_free(struct crew *crew)
{
    for (size_t i = 0; crew->points && i < crew->job->n; i++) {
        kl_head_run_close(&crew->points[i].run);
        free(crew->points[i].path);
        kl_head_settings_free(&crew->points[i].v);
    }
    free(crew->points);
    free(crew->todo);
    kl_features_free(&crew->features);
    pthread_mutex_destroy(&crew->store);
}

int kl_sweep_run(struct kl_sweep *sweep, const struct kl_sweep_job *job, struct kl_pool *pool,
                 const struct kl_watch *watch, struct kl_error *err)
{
    struct crew crew = { .job = job, .sweep = sweep, .watch = watch, .quiet = { "", job->log->to, 0 } };
    pthread_mutex_init(&crew.store, NULL);
    crew.points = calloc(job->n + 1, sizeof *crew.points);
    crew.todo = malloc((job->n + 1) * sizeof *crew.todo);
    int code = crew.points && crew.todo ? KL_OK : kl_fail_memory(err, job->n * sizeof *crew.points);
    for (size_t i = 0; i < job->n && !code; i++) {
        struct point *p = &crew.points[i];
        p->row = &sweep->rows[i];
        p->row->point = job->first + i;
        code = prepare(p, &crew, err);
        if (!code && p->train) crew.todo[crew.n_todo++] = i;
    }
    if (!code && crew.n_todo) code = kl_features_load(&crew.features, job->input, err);
    if (!code) code = train_all(&crew, pool, err);
    if (code == KL_ESIGNAL) say_stopped(&crew);
    for (size_t i = 0; i < job->n && !code; i++) code = read_back(&crew.points[i], sweep->replicas, err);
    crew_free(&crew);
    return code;
}
