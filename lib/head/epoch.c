/* SPDX-License-Identifier: MIT
   The epochs of heads trained side by side. A replica's block of parameters, moments and gradient (about
   1 MB) stays in the second-level cache for some steps at a time. Threads take whole replicas where
   there are enough of them, and share the steps of each where there are not. */
#include <math.h>
#include <string.h>

#include "circuit/metric.h"
#include "head/gpu.h"
#include "head/step_int.h"

#define ROUND_SECONDS 0.25

struct job {
    struct kl_train *train;
    struct kl_pool *shared; /* whose threads share each replica; NULL: one thread takes it */
    enum { STEPS, VALIDATION, END_OF_EPOCH } what;
    int64_t count; /* steps */
};

/* The first epoch with all layers of a circuit that grows. */
static int64_t whole_from(const struct kl_train *train)
{
    return kl_head_stage_begin(train->whole, kl_head_stages(train->whole) - 1);
}

/* Better: higher accuracy, then lower loss; the earlier epoch on a tie. Without validation every
   epoch is, and every one is better than those in which layers were absent. */
static bool better(const struct kl_train *train, const struct kl_replica *r, int64_t epoch)
{
    if (r->best_epoch < whole_from(train) || train->n_validation == 0) return true;
    double a = r->history[KL_VAL_ACCURACY][epoch], b = r->history[KL_VAL_ACCURACY][r->best_epoch];
    return a > b || (a == b && r->history[KL_VAL_LOSS][epoch] < r->history[KL_VAL_LOSS][r->best_epoch]);
}

/* In its first epoch, or while layers are absent, there is no best yet: it is judged as it began. */
static int end_diverged(const struct kl_crew *crew, struct kl_error *err)
{
    struct kl_train *train = crew->train;
    struct kl_replica *r = crew->replica;
    const int64_t e = r->stopped_epoch = train->epoch;
    if (r->best_epoch >= whole_from(train)) return 0;
    kl_head_init(r->params, train->whole, train->options.seed, (uint32_t)crew->index);
    memcpy(r->best, r->params, train->model->block.size * sizeof *r->best);
    r->best_epoch = e;
    if (train->n_validation == 0) return 0;
    return kl_train_validate(&r->history[KL_VAL_LOSS][e], &r->history[KL_VAL_ACCURACY][e], crew,
                             train->whole, err);
}

/* Of the epoch's last step. */
static double last_rate(const struct kl_train *train, const struct kl_replica *r)
{
    const struct kl_train_options *o = &train->options;
    const int64_t steps = train->steps_per_epoch, e = train->epoch;
    const double lr = kl_nn_schedule_rate(&o->schedule, e, steps - 1, steps, o->epochs, r->reductions);
    return o->optimizer.kind == KL_SPSA ? kl_spsa_rate(train, (uint64_t)((e + 1) * steps - 1), lr) : lr;
}

static int end_epoch(const struct kl_crew *crew, struct kl_error *err)
{
    struct kl_train *train = crew->train;
    struct kl_replica *r = crew->replica;
    const struct kl_train_options *o = &train->options;
    const int64_t e = train->epoch;
    r->history[KL_TRAIN_LOSS][e] = r->epoch_loss / (double)train->n_training;
    r->history[KL_TRAIN_ACCURACY][e] = (double)r->epoch_correct / (double)train->n_training;
    r->history[KL_LEARNING_RATE][e] = last_rate(train, r);
    kl_train_norms_end(crew);
    r->epoch_loss = 0, r->epoch_correct = 0;
    if (!isfinite(r->history[KL_TRAIN_LOSS][e])) {
        if (train->bears_divergence) return end_diverged(crew, err);
        return kl_fail(
            err, KL_EDATA,
            "replica %lld, epoch %lld: the loss is no longer finite; try a lower --lr or --clip 1",
            (long long)crew->index, (long long)e + 1);
    }
    if (train->gpu && train->n_validation > 0)
        kl_head_gpu_validation(&r->history[KL_VAL_LOSS][e], &r->history[KL_VAL_ACCURACY][e], train,
                               (size_t)(r - train->replicas));
    if (better(train, r, e)) {
        r->best_epoch = e;
        r->stale = r->plateau_stale = 0;
        memcpy(r->best, r->params, train->model->block.size * sizeof *r->best);
        return 0;
    }
    r->stale++;
    if (++r->plateau_stale > o->schedule.patience) r->reductions++, r->plateau_stale = 0;
    if (o->patience > 0 && r->stale >= o->patience) r->stopped_epoch = e;
    return 0;
}

/* Of a replica that goes on. */
static int validate(const struct kl_crew *crew, struct kl_error *err)
{
    const struct kl_replica *r = crew->replica;
    const int64_t e = crew->train->epoch;
    if (!isfinite(r->epoch_loss)) return 0;
    return kl_train_validate(&r->history[KL_VAL_LOSS][e], &r->history[KL_VAL_ACCURACY][e], crew,
                             crew->train->model, err);
}

static void work_on_replica(void *context, size_t i, int thread)
{
    const struct job *job = context;
    struct kl_train *train = job->train;
    struct kl_train_thread *own = &train->threads[thread];
    struct kl_error err;
    const struct kl_crew crew = { train, &train->replicas[i], train->options.first_replica + (int64_t)i,
                                  thread, job->shared };
    if (own->code || crew.replica->stopped_epoch >= 0) return;
    int code = job->what == STEPS        ? kl_train_steps(&crew, train->step, job->count, &err)
               : job->what == VALIDATION ? validate(&crew, &err)
                                         : end_epoch(&crew, &err);
    if (code && !own->code) own->error = err;
    if (code) own->code = code;
}

static int for_all(struct kl_pool *pool, struct job job, struct kl_error *err)
{
    struct kl_train *train = job.train;
    const bool whole = kl_train_whole_replicas(train);
    bool stopped = false;
    job.shared = whole ? NULL : pool;
    kl_pool_for(whole ? pool : NULL, (size_t)train->options.replicas, work_on_replica, &job);
    for (int i = 0; i < train->n_threads; i++) {
        struct kl_train_thread *t = &train->threads[i];
        if (t->code && t->code != KL_ESIGNAL) return kl_fail(err, t->code, "%s", t->error.text);
        stopped |= t->code == KL_ESIGNAL;
        t->code = 0;
    }
    return stopped ? kl_fail(err, KL_ESIGNAL, "stopped in epoch %lld", (long long)train->epoch + 1) : 0;
}

static bool all_stopped(const struct kl_train *train)
{
    for (int64_t r = 0; r < train->options.replicas; r++)
        if (train->replicas[r].stopped_epoch < 0) return false;
    return true;
}

bool kl_train_finished(const struct kl_train *train)
{
    return train->epoch >= train->options.epochs || all_stopped(train);
}

/* "loss 0.1234, val accuracy 0.9876" of the first replica. */
static void describe(char note[64], const struct kl_train *train)
{
    const struct kl_replica *r = &train->replicas[0];
    int64_t last = train->epoch - 1;
    note[0] = 0;
    if (last >= 0 && !isnan(r->history[KL_TRAIN_LOSS][last]))
        snprintf(note, 64, "loss %.4f, val accuracy %.4f", r->history[KL_TRAIN_LOSS][last],
                 r->history[KL_VAL_ACCURACY][last]);
}

static int watch(const struct kl_train *train, const struct kl_watch *w, const char *note)
{
    return kl_watch_step(w, (uint64_t)train->epoch, (uint64_t)train->options.epochs, note);
}

static void gather_one(void *context, size_t i, int thread)
{
    (void)thread;
    kl_train_gather(context, (int64_t)i);
}

/* The circuit of the epoch. Where layers have joined, the optimiser begins anew: moments of the old
   circuit's gradients would be wrong for the new one's, and those of the new layers are 0. */
static int enter_stage(struct kl_train *train, struct kl_error *err)
{
    const struct kl_head_model *whole = train->whole;
    const int64_t stage = kl_head_stage(whole, train->epoch), begin = kl_head_stage_begin(whole, stage);
    const size_t moments = 2 * whole->block.size; /* m, then v */
    const bool joined = stage > 0 && train->epoch == begin && train->step == 0;
    for (int64_t r = 0; joined && r < train->options.replicas; r++)
        memset(train->replicas[r].m, 0, moments * sizeof(float));
    train->optimizer_epoch = begin;
    if (train->epoch > begin && train->step == 0 && train->model != whole && train->stage.circuit)
        return 0; /* as in the epoch before */
    const bool was_whole = train->model == whole, is_whole = stage + 1 == kl_head_stages(whole);
    if (was_whole && is_whole) return 0;
    kl_circuit_free(&train->stage.circuit);
    train->model = train->whole;
    if (!is_whole) {
        train->stage = *whole;
        train->stage.circuit = NULL;
        train->model = &train->stage;
        int code = kl_head_stage_circuit(&train->stage.circuit, whole, stage, err);
        if (code) return code;
    }
    kl_circuit_metric_free(&train->metric);
    kl_circuit_measured_free(&train->measured);
    return kl_train_tools(train, err);
}

/* The next round of an epoch, of *count steps: on a GPU, or gathered for all replicas and threads. One
   step that takes longer than a round should is given up at a signal. */
static int round_of_steps(int64_t *count, struct kl_train *train, struct kl_pool *pool,
                          struct kl_error *err)
{
    const int64_t left = train->steps_per_epoch - train->step;
    if (train->gpu) return kl_head_gpu_steps(count, train, err);
    const bool quick = train->step_seconds > 0 && train->step_seconds < ROUND_SECONDS;
    *count = left < train->ahead ? left : train->ahead;
    if (!quick) *count = 1;
    else if ((double)*count * train->step_seconds > ROUND_SECONDS)
        *count = (int64_t)(ROUND_SECONDS / train->step_seconds);
    kl_pool_for(pool, (size_t)*count, gather_one, train);
    if (quick) kl_train_rollback_free(train);
    else kl_train_keep(train);
    int code = for_all(pool, (struct job){ .train = train, .what = STEPS, .count = *count }, err);
    kl_train_stoppable(train, false);
    if (code == KL_ESIGNAL) kl_train_undo(train);
    return code;
}

/* Of all replicas, or of none. */
static int validate_all(struct kl_train *train, struct kl_pool *pool, struct kl_error *err)
{
    if (train->gpu) return kl_head_gpu_validate(train, err);
    if (train->n_validation == 0) return 0;
    kl_train_stoppable(train, true);
    int code = for_all(pool, (struct job){ .train = train, .what = VALIDATION }, err);
    kl_train_stoppable(train, false);
    for (int64_t r = 0; code == KL_ESIGNAL && r < train->options.replicas; r++) {
        double *const *history = train->replicas[r].history;
        history[KL_VAL_LOSS][train->epoch] = history[KL_VAL_ACCURACY][train->epoch] = NAN;
    }
    return code;
}

/* From the position to the end of the epoch, in rounds of a few steps; the watch is asked after each. */
static int run_epoch(struct kl_train *train, struct kl_pool *pool, const struct kl_watch *w,
                     struct kl_error *err)
{
    char note[64];
    int entered = enter_stage(train, err);
    if (entered) return entered;
    describe(note, train);
    kl_nn_shuffle(train->order, train->training, train->n_training, train->options.seed,
                  (uint32_t)train->epoch);
    while (train->step < train->steps_per_epoch) {
        double start = kl_clock();
        int64_t count;
        int code = round_of_steps(&count, train, pool, err);
        if (code) return code;
        train->step += count;
        train->step_seconds = (kl_clock() - start) / (double)count;
        if (train->step < train->steps_per_epoch && watch(train, w, note))
            return kl_fail(err, KL_ESIGNAL, "stopped in epoch %lld", (long long)train->epoch + 1);
    }
    int code = validate_all(train, pool, err);
    if (!code) code = for_all(pool, (struct job){ .train = train, .what = END_OF_EPOCH }, err);
    if (code) return code;
    train->epoch++;
    train->epochs_run++;
    train->step = 0;
    return code;
}

/* A checkpoint holds what the GPU has. */
static int checkpoint(struct kl_train *train, struct kl_error *err)
{
    int code = train->gpu ? kl_head_gpu_fetch(train, err) : KL_OK;
    return code ? code : train->checkpoint(train->checkpoint_context, train, err);
}

static int run_epochs(struct kl_train *train, struct kl_pool *pool, const struct kl_watch *w,
                      struct kl_error *err)
{
    char note[64];
    int code = 0;
    const int64_t last =
        train->until > 0 && train->until < train->options.epochs ? train->until : train->options.epochs;
    while (!code && train->epoch < last && !all_stopped(train)) {
        code = run_epoch(train, pool, w, err);
        if (code) break;
        describe(note, train);
        if (watch(train, w, note) && train->epoch < train->options.epochs && !all_stopped(train))
            code = kl_fail(err, KL_ESIGNAL, "stopped after epoch %lld", (long long)train->epoch);
        else if (train->checkpoint && train->options.checkpoint_every > 0 &&
                 train->epoch % train->options.checkpoint_every == 0 &&
                 train->epoch < train->options.epochs)
            code = checkpoint(train, err);
    }
    return code;
}

/* What has happened on a GPU comes back unless the GPU failed. */
static int run_on_gpu(struct kl_train *train, struct kl_pool *pool, const struct kl_watch *w,
                      struct kl_error *err)
{
    struct kl_error lost;
    int code = kl_head_gpu_begin(train, err);
    if (!code) code = run_epochs(train, pool, w, err);
    if (!code || code == KL_ESIGNAL) {
        const int fetched = kl_head_gpu_fetch(train, &lost);
        if (fetched) code = kl_fail(err, fetched, "%s", lost.text);
    }
    kl_head_gpu_end(train);
    return code;
}

int kl_train_run(struct kl_train *train, struct kl_pool *pool, const struct kl_watch *w,
                 struct kl_error *err)
{
    const double start = kl_clock();
    const bool on_gpu = train->device && train->device->cuda && !kl_train_finished(train);
    const int code = (on_gpu ? run_on_gpu : run_epochs)(train, pool, w, err);
    kl_train_rollback_free(train);
    train->seconds += kl_clock() - start;
    return code;
}
