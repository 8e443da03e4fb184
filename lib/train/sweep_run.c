/* SPDX-License-Identifier: MIT
   The points of a sweep are independent: each thread takes the next point and is trained alone,
   with no thread waiting for another. The store (HDF5) is entered by one at a time.

   Successive halving (Karnin, Koren & Somekh 2013; Jamieson & Talwalkar 2016): all points train for
   epochs / 2^k, the better half goes on to twice as many, and so forth to the full number. A survivor's
   schedule is that of the full number throughout, so it ends as it would have alone. */
#include "train/sweep.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "train/train.h"

struct point {
    struct kl_sweep_point *at;
    void *run;              /* the stage's */
    struct kl_sweep_run of; /* it */
    struct kl_sweep_row *row;
    struct kl_log log, quiet; /* what is said of the point; what only its file keeps */
    struct kl_cautions cautions;
    struct kl_error error;
    int code;
    bool train, open, dropped;
    bool kept; /* its checkpoint holds what a stopped sweep had trained of it */
};
struct crew {
    const struct kl_sweep_job *job;
    const struct kl_sweep_stage *stage;
    struct kl_sweep *sweep;
    void *data; /* the input */
    struct point *points;
    size_t *todo, n_todo;   /* points that are not up to date and not dropped */
    struct kl_pool *shared; /* whose threads share one point; NULL: a thread a point */
    int64_t until; /* epochs, in this round; 0: as many as each point asks for, the last round */
    pthread_mutex_t store;
    atomic_bool broken; /* a point failed: the sweep will, so no other is begun */
    const struct kl_watch *watch;
    size_t finished, total; /* points times rounds */
};

/* Is the point there already? Halving compares points while they are trained, so it trains all, but
   replaces only what any run would. */
static int prepare(struct point *p, const struct crew *crew, struct kl_error *err)
{
    const struct kl_sweep_job *job = crew->job;
    const struct kl_sweep_stage *stage = crew->stage;
    enum kl_stage_answer answer;
    struct kl_common *common = p->at->common;
    int code = KL_OK;
    if (job->halving) {
        code = kl_store_target_check(p->at->path, stage->kind->name, common->force, job->inputs->paths,
                                     job->inputs->n, err);
        common->force = true;
    }
    if (code) return code;
    const char *lines = job->log->cautions ? job->log->cautions->lines : NULL;
    p->log = *job->log, p->log.cautions = &p->cautions;
    if (lines && !(p->cautions.lines = strdup(lines))) return kl_fail_memory(err, strlen(lines));
    p->quiet = p->log, p->quiet.level = 0;
    if (!(p->run = calloc(1, stage->run_size))) return kl_fail_memory(err, stage->run_size);
    stage->init(p->run, stage, job, p->at, &p->quiet, &p->log, job->halving);
    p->of = stage->of(p->run);
    code = stage->begin(p->run, &answer, err);
    p->train = !code && answer == KL_STAGE_COMPUTE;
    if (job->halving) free(*p->of.checkpoint), *p->of.checkpoint = NULL; /* all from the beginning */
    else if (p->train && !common->force && *p->of.checkpoint)
        p->kept = kl_store_checkpoint_fits(*p->of.checkpoint, p->of.stage->key);
    return code;
}

static void lose(struct crew *crew, struct point *p)
{
    if (p->code && p->code != KL_ESIGNAL && !p->row->diverged) atomic_store(&crew->broken, true);
    crew->stage->close(p->run);
}

/* For the threads of this round, which may be others than those of the last. */
static int open_point(struct crew *crew, struct point *p)
{
    const int threads = crew->shared ? kl_pool_size(crew->shared) : 1;
    if (p->open) return crew->stage->wake(p->run, threads, &p->error);
    pthread_mutex_lock(&crew->store);
    int code = crew->stage->open(p->run, crew->data, threads, &p->error);
    pthread_mutex_unlock(&crew->store);
    p->open = !code;
    return code;
}

/* The training has no checkpoint to write meanwhile: that would enter the store out of turn. */
static int advance(struct crew *crew, struct point *p)
{
    char *checkpoint = *p->of.checkpoint;
    *p->of.checkpoint = NULL;
    p->of.train->until = crew->until;
    int code = crew->stage->train(p->run, crew->shared, &p->error);
    *p->of.checkpoint = checkpoint;
    for (int64_t r = 0; code == KL_EDATA && r < p->of.train->options.replicas; r++)
        p->row->diverged |= p->of.train->replicas[r].diverged;
    return code;
}

/* Of a point that was stopped. Halving keeps nothing: what was dropped would have to be kept as well. */
static void keep(const struct crew *crew, struct point *p)
{
    struct kl_error problem;
    if (crew->job->halving) return;
    int code = crew->stage->keep(p->run, &problem);
    p->kept = !code;
    if (code) p->code = code, p->error = problem;
}

/* One round of one point: open, train, publish in the last one. Between rounds a point holds its state
   and nothing else: there may be thousands. */
static void train_point(void *context, size_t i, int thread)
{
    struct crew *crew = context;
    struct point *p = &crew->points[crew->todo[i]];
    (void)thread;
    if (atomic_load(&crew->broken)) return;
    if (kl_signals_pending()) {
        p->code = kl_fail(&p->error, KL_ESIGNAL, "stopped");
        lose(crew, p);
        return;
    }
    p->code = open_point(crew, p);
    if (!p->code) p->code = advance(crew, p);
    if (!p->code && crew->until) {
        crew->stage->rest(p->run);
        return;
    }
    if (!p->code && crew->stage->judge)
        p->code = crew->stage->judge(p->run, &p->row->collapsed, crew->shared, &p->error);
    pthread_mutex_lock(&crew->store);
    if (!p->code && !(p->code = crew->stage->publish(p->run, &p->error))) p->train = p->kept = false;
    if (p->code == KL_ESIGNAL) keep(crew, p);
    lose(crew, p);
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

/* Fail as a point did, by a signal only if nothing else failed; one that diverged is a result. */
static int judge(struct crew *crew, struct kl_error *err)
{
    size_t left = 0;
    const struct point *bad = NULL;
    for (size_t k = 0; k < crew->n_todo; k++) {
        const struct point *p = &crew->points[crew->todo[k]];
        if (p->code && !p->row->diverged && (!bad || bad->code == KL_ESIGNAL)) bad = p;
    }
    if (bad) return kl_fail(err, bad->code, "%s", bad->error.text);
    for (size_t k = 0; k < crew->n_todo; k++) {
        struct point *p = &crew->points[crew->todo[k]];
        if (!p->row->diverged) {
            crew->todo[left++] = crew->todo[k];
            continue;
        }
        kl_caution(crew->job->log, "%s: %s", p->row->name, p->error.text);
        p->row->epochs = 0; /* what an earlier round found is no result */
        for (int j = 0; j < KL_SWEEP_ROWS; j++)
            for (size_t r = 0; r < crew->sweep->replicas; r++) p->row->judged[j][r] = NAN;
    }
    crew->n_todo = left;
    return KL_OK;
}

static void train_round(struct crew *crew, struct kl_pool *pool)
{
    const struct kl_device *device = crew->job->device;
    const bool on_gpu = device && device->cuda; /* where each point has a stream of its own */
    bool share = !on_gpu && crew->n_todo < (size_t)kl_pool_size(pool);
    crew->shared = share ? pool : NULL;
    kl_pool_for(share ? NULL : pool, crew->n_todo, work_on_point, crew);
}

static int row_of(const struct kl_learner *learner, const char *name)
{
    int k = 0;
    while (k + 1 < learner->n_rows && strcmp(learner->rows[k].name, name) != 0) k++;
    return k;
}

/* Into the row, from the state of a training that has not ended. */
static void take_numbers(const struct crew *crew, struct point *p)
{
    const struct kl_train *t = p->of.train;
    p->row->epochs = t->epoch;
    for (int j = 0; j < crew->sweep->by.n; j++) {
        const int k = row_of(t->learner, crew->sweep->by.row[j].name);
        for (int64_t i = 0; i < t->options.replicas; i++)
            p->row->judged[j][i] = t->replicas[i].history[k][t->replicas[i].best_epoch];
    }
}

/* The worse half of what is left is closed; worse is what the table has further down. */
static int drop_half(struct crew *crew, struct kl_error *err)
{
    size_t keep = (crew->n_todo + 1) / 2, kept = 0, n = crew->sweep->n;
    size_t *order = malloc((n + 1) * sizeof *order);
    if (!order) return kl_fail_memory(err, n * sizeof *order);
    for (size_t k = 0; k < crew->n_todo; k++) take_numbers(crew, &crew->points[crew->todo[k]]);
    kl_train_sweep_order(order, crew->sweep);
    for (size_t k = 0; k < n; k++) {
        struct point *p = &crew->points[order[k]];
        if (!p->train || p->dropped || p->code) continue;
        if (kept < keep) {
            crew->todo[kept++] = order[k];
            continue;
        }
        p->dropped = true;
        crew->stage->close(p->run);
    }
    crew->n_todo = kept;
    free(order);
    return KL_OK;
}

/* How often successive halving of n points doubles the epochs. */
static int count_rounds(size_t n, int64_t epochs)
{
    int rounds = 0;
    while (n >> (rounds + 1) && epochs >> (rounds + 1)) rounds++;
    return rounds;
}

static int train_all(struct crew *crew, struct kl_pool *pool, struct kl_error *err)
{
    const int64_t epochs = kl_train_sweep_base(crew->job)->options.epochs;
    const int rounds = crew->job->halving ? count_rounds(crew->n_todo, epochs) : 0;
    int code = KL_OK;
    for (int k = 0; k <= rounds; k++) crew->total += (crew->n_todo + (1u << k) - 1) >> k;
    for (int k = rounds; k >= 0 && !code; k--) {
        crew->until = k ? epochs >> k : 0;
        train_round(crew, pool);
        code = judge(crew, err);
        if (!code && k > 0) code = drop_half(crew, err);
    }
    return code;
}

/* Say what is kept after a signal, and what the same command would do. */
static void say_stopped(const struct crew *crew)
{
    const struct kl_sweep_job *job = crew->job;
    size_t finished = 0, kept = 0;
    for (size_t i = 0; i < crew->sweep->n; i++)
        finished += !crew->points[i].train, kept += crew->points[i].kept;
    if (job->halving)
        kl_note(
            job->log, 1,
            "stopped; points of --halving are trained side by side, so the same command begins anew");
    else
        kl_note(job->log, 1,
                "stopped with %zu of %zu %s%s finished and %zu half-way, all kept in %s; the same "
                "command%s goes on from there",
                finished, crew->sweep->n, job->folds > 1 ? "fold" : "point", kl_s(crew->sweep->n), kept,
                job->folder, ((const struct kl_common *)job->base)->force ? " without --force" : "");
}

static int read_back(const struct crew *crew, struct point *p, struct kl_error *err)
{
    struct kl_file *file = NULL;
    if (p->dropped || p->row->diverged) return KL_OK;
    int code = kl_store_file_open_kind(&file, p->at->path, crew->stage->kind, err);
    if (!code) code = kl_train_sweep_read(p->row, crew->sweep, file, err);
    kl_store_file_close(&file);
    return code;
}

static void crew_free(struct crew *crew)
{
    for (size_t i = 0; crew->points && i < crew->sweep->n; i++) {
        if (crew->points[i].run) crew->stage->close(crew->points[i].run);
        free(crew->points[i].run);
        kl_cautions_free(&crew->points[i].cautions);
    }
    free(crew->points);
    free(crew->todo);
    if (crew->data) crew->stage->unload(crew->data);
    pthread_mutex_destroy(&crew->store);
}

/* Halving opens its files late: a folder that refuses is found before the work all the same. */
static int try_folder(const struct point *p, struct kl_error *err)
{
    struct kl_writer *writer = NULL;
    int code = kl_store_writer_open(&writer, p->at->path, &p->of.stage->header, err);
    kl_store_writer_abort(&writer);
    return code;
}

static void say_collapsed(const struct crew *crew)
{
    const struct kl_sweep_row *first = NULL;
    size_t points = 0;
    for (size_t i = 0; i < crew->sweep->n; i++) {
        const struct kl_sweep_row *row = &crew->sweep->rows[i];
        if (!row->collapsed) continue;
        if (!first) first = row;
        points++;
    }
    if (first)
        kl_caution(
            crew->job->log,
            "of the %s trained now %zu %s %s, as %zu of %zu with %s: means over few seeds rest on "
            "that; cache show names them",
            crew->job->folds > 1 ? "folds" : "points", points, points == 1 ? "has" : "have",
            crew->stage->collapsed, first->collapsed, crew->sweep->replicas, first->name);
}

int kl_train_sweep_run(struct kl_sweep *sweep, const struct kl_sweep_points *points, size_t first,
                       struct kl_pool *pool, const struct kl_watch *watch, struct kl_error *err)
{
    const struct kl_sweep_job *job = points->job;
    const size_t n = sweep->n;
    struct crew crew = { .job = job, .stage = job->stage, .sweep = sweep, .watch = watch };
    pthread_mutex_init(&crew.store, NULL);
    crew.points = calloc(n + 1, sizeof *crew.points);
    crew.todo = malloc((n + 1) * sizeof *crew.todo);
    int code = crew.points && crew.todo ? KL_OK : kl_fail_memory(err, n * sizeof *crew.points);
    for (size_t i = 0; i < n && !code; i++) {
        struct point *p = &crew.points[i];
        p->at = &points->points[first + i];
        p->row = &sweep->rows[i];
        p->row->point = first + i;
        p->row->parameters = p->at->parameters;
        strcpy(p->row->name, p->at->name);
        code = prepare(p, &crew, err);
        if (!code && p->train) crew.todo[crew.n_todo++] = i;
    }
    if (!code && crew.n_todo && job->halving) code = try_folder(&crew.points[0], err);
    if (!code && crew.n_todo)
        code = crew.stage->load ? crew.stage->load(&crew.data, job->input, err) : KL_OK;
    if (!code && crew.n_todo && crew.stage->say_data)
        code = crew.stage->say_data(job->log, crew.data, points->points[first].values, err);
    if (!code) code = train_all(&crew, pool, err);
    if (code == KL_ESIGNAL) say_stopped(&crew);
    if (!code) say_collapsed(&crew);
    for (size_t i = 0; i < n && !code; i++) code = read_back(&crew, &crew.points[i], err);
    crew_free(&crew);
    return code;
}

/* ---- other samples ---- */

static int test_point(struct kl_sweep_row *row, const struct kl_sweep_point *p,
                      const struct kl_sweep_job *job, const void *data, struct kl_pool *pool,
                      struct kl_error *err)
{
    struct kl_file *file = NULL;
    if (!row->key[0]) return KL_OK; /* it diverged, or was dropped */
    int code = kl_store_file_open_kind(&file, p->path, job->stage->kind, err);
    if (!code) code = job->stage->test(row->tested, file, job, data, pool, err);
    kl_store_file_close(&file);
    return code;
}

int kl_train_sweep_test(struct kl_sweep *sweep, const struct kl_sweep_points *points, size_t first,
                        struct kl_pool *pool, struct kl_error *err)
{
    const struct kl_sweep_job *job = points->job;
    void *data = NULL;
    int code = job->stage->load(&data, job->test, err);
    if (!code) sweep->samples = job->stage->samples(data);
    for (size_t i = 0; i < sweep->n && !code; i++) {
        code = test_point(&sweep->rows[i], &points->points[first + i], job, data, pool, err);
        if (!code && kl_signals_pending()) code = kl_fail(err, KL_ESIGNAL, "stopped");
    }
    if (data) job->stage->unload(data);
    return code;
}

/* ---- how long it would take: the first moments of some of its points, side by side as a sweep trains
   them, or each with all threads where there are fewer points than threads ---- */

enum { MOST = 8 /* points that are tried */ };

struct trial {
    const struct kl_sweep_points *points;
    const void *data;
    struct kl_pool *shared; /* whose threads share one point; NULL: a thread a point */
    struct kl_log quiet;
    size_t tried[MOST];
    struct kl_estimate estimates[MOST];
    int codes[MOST];
    struct kl_error errors[MOST];
};

static void try_point(void *context, size_t i, int thread)
{
    struct trial *t = context;
    const struct kl_sweep_job *job = t->points->job;
    const struct kl_sweep_stage *stage = job->stage;
    void *run = calloc(1, stage->run_size);
    (void)thread;
    t->codes[i] = run ? KL_OK : kl_fail_memory(&t->errors[i], stage->run_size);
    if (!run) return;
    stage->init(run, stage, job, &t->points->points[t->tried[i]], &t->quiet, &t->quiet, false);
    t->codes[i] = stage->estimate(run, &t->estimates[i], t->data, t->shared, &t->errors[i]);
    stage->close(run);
    free(run);
}

/* The epochs that n points train while the worse half of them is dropped, again and again, in parts of
   what they would train without. */
static double share_of_halving(size_t n, int64_t epochs)
{
    int64_t sum = 0, before = 0;
    size_t left = n;
    for (int k = count_rounds(n, epochs); k >= 0; k--, left = (left + 1) / 2) {
        sum += (int64_t)left * ((epochs >> k) - before);
        before = epochs >> k;
    }
    return (double)sum / ((double)n * (double)epochs);
}

/* Choose one of n points as the i-th of `tried`: one of each part, and of these not always the same
   place, since in a grid that may always be the same value. */
static size_t choose(size_t i, size_t n, size_t tried)
{
    const double golden = 0.61803398875, place = (double)i * golden + 0.5;
    return (size_t)(((double)i + place - floor(place)) * (double)n / (double)tried);
}

/* Tries some of `todo`. A point that diverges has taken no time. */
static int try_some(struct kl_estimate *estimate, struct trial *t, const size_t *todo, size_t n,
                    struct kl_pool *pool, struct kl_error *err)
{
    const size_t threads = (size_t)kl_pool_size(pool), tried = n < MOST ? n : MOST;
    const struct kl_sweep_job *job = t->points->job;
    const bool share = n < threads && !(job->device && job->device->cuda);
    double sum = 0, longest = 0;
    t->shared = share ? pool : NULL;
    for (size_t i = 0; i < tried; i++) t->tried[i] = todo[tried < n ? choose(i, n, tried) : i];
    kl_pool_for(share ? NULL : pool, tried, try_point, t);
    for (size_t i = 0; i < tried; i++) {
        const double seconds = t->codes[i] ? 0 : t->estimates[i].seconds;
        if (t->codes[i] && t->codes[i] != KL_EDATA)
            return kl_fail(err, t->codes[i], "%s: %s", t->points->points[t->tried[i]].name,
                           t->errors[i].text);
        sum += seconds;
        if (seconds > longest) longest = seconds;
        estimate->at_most |= t->estimates[i].at_most;
    }
    estimate->seconds = sum / (double)tried * (double)n / (share ? 1 : (double)threads);
    if (job->halving) estimate->seconds *= share_of_halving(n, kl_train_sweep_base(job)->options.epochs);
    if (estimate->seconds < longest) estimate->seconds = longest;
    return KL_OK;
}

int kl_train_sweep_estimate(struct kl_estimate *estimate, const struct kl_sweep_points *points,
                            size_t first, size_t n, struct kl_pool *pool, struct kl_error *err)
{
    const struct kl_sweep_job *job = points->job;
    struct trial t = { .points = points, .quiet = { "", job->log->to, 0, NULL } };
    void *data = NULL;
    size_t *todo = malloc((n + 1) * sizeof *todo), n_todo = 0;
    *estimate = (struct kl_estimate){ 0 };
    if (!todo) return kl_fail_memory(err, n * sizeof *todo);
    for (size_t i = first; i < first + n; i++) {
        const struct kl_sweep_point *p = &points->points[i];
        const bool train = job->halving || p->common->force || !kl_store_is_up_to_date(p->path, p->key);
        if (train) todo[n_todo++] = i;
    }
    int code = n_todo && job->stage->load ? job->stage->load(&data, job->input, err) : KL_OK;
    t.data = data;
    if (!code && n_todo) code = try_some(estimate, &t, todo, n_todo, pool, err);
    if (data) job->stage->unload(data);
    free(todo);
    return code;
}
