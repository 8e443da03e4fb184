/* SPDX-License-Identifier: MIT
   The epochs of replicas trained side by side. A replica's block of parameters, moments and gradient
   (about 1 MB) stays in the second-level cache for some steps at a time. Threads take whole replicas
   where there are enough of them, and share the steps of each where there are not. */
#include <math.h>
#include <signal.h>
#include <string.h>

#include "store/ranks.h"
#include "train/train_int.h"

#define ROUND_SECONDS 0.25

struct job {
    struct kl_train *train;
    struct kl_pool *shared; /* whose threads share each replica; NULL: one thread takes it */
    enum { STEPS, JUDGE, END_OF_EPOCH } what;
    int64_t count; /* steps */
};

bool kl_train_whole_replicas(const struct kl_train *train)
{
    return (!train->options.ranks || train->device) && train->options.replicas >= train->n_threads;
}

/* In its first epoch, or before those that count, there is no best yet: it is judged as it began. */
static int end_diverged(const struct kl_crew *crew, struct kl_error *err)
{
    struct kl_train *train = crew->train;
    const struct kl_learner *l = train->learner;
    struct kl_replica *r = crew->replica;
    const int64_t e = r->stopped_epoch = train->epoch;
    const size_t size = l->block->size * kl_train_real(l);
    if (r->best_epoch >= l->best_from) return 0;
    memset(r->params, 0, size);
    if (l->init) l->init(l->context, r->params, crew->index);
    memcpy(r->best, r->params, size);
    r->best_epoch = e;
    return l->judge ? l->judge(crew, true, err) : 0;
}

static int end_epoch(const struct kl_crew *crew, struct kl_error *err)
{
    struct kl_train *train = crew->train;
    const struct kl_learner *l = train->learner;
    struct kl_replica *r = crew->replica;
    int code = l->end_epoch ? l->end_epoch(crew, err) : 0;
    memset(r->sums, 0, (size_t)l->n_sums * sizeof *r->sums);
    if (code) return code;
    if (l->loss >= 0 && !isfinite(r->history[l->loss][train->epoch])) {
        if (train->bears_divergence) return end_diverged(crew, err);
        crew->replica->diverged = true;
        return kl_fail(
            err, KL_EDATA,
            "replica %lld, epoch %lld: the loss is no longer finite; try a lower --lr or --clip 1",
            (long long)crew->index, (long long)train->epoch + 1);
    }
    const bool best = kl_train_judge_epoch(train, r);
    return l->judged_epoch ? l->judged_epoch(crew, best, err) : 0;
}

static void work_on_replica(void *context, size_t i, int thread)
{
    const struct job *job = context;
    struct kl_train *train = job->train;
    const struct kl_learner *l = train->learner;
    struct kl_train_thread *own = &train->threads[thread];
    struct kl_error err;
    const struct kl_crew crew = { train, &train->replicas[i], train->options.first_replica + (int64_t)i,
                                  thread, job->shared };
    if (own->code || crew.replica->stopped_epoch >= 0) return;
    int code = job->what == JUDGE          ? l->judge(&crew, false, &err)
               : job->what == END_OF_EPOCH ? end_epoch(&crew, &err)
               : l->steps                  ? l->steps(&crew, train->step, job->count, &err)
                                           : kl_train_steps(&crew, train->step, job->count, &err);
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

int kl_train_update(struct kl_train *train, struct kl_pool *pool, struct kl_error *err)
{
    return for_all(pool, (struct job){ .train = train, .what = STEPS, .count = 1 }, err);
}

struct shared_loop {
    const struct kl_crew *crew;
    int (*fn)(void *context, size_t i, int thread, struct kl_error *err);
    void *context;
};

static void do_one(void *context, size_t i, int thread)
{
    const struct shared_loop *loop = context;
    const int who = loop->crew->pool ? thread : loop->crew->thread;
    struct kl_train_thread *own = &loop->crew->train->threads[who];
    if (own->code) return;
    own->code = loop->fn(loop->context, i, who, &own->error);
}

int kl_train_crew_for(const struct kl_crew *crew, size_t n,
                      int (*fn)(void *context, size_t i, int thread, struct kl_error *err),
                      void *context, struct kl_error *err)
{
    struct shared_loop loop = { crew, fn, context };
    kl_pool_for(crew->pool, n, do_one, &loop);
    for (int i = 0; i < crew->train->n_threads; i++) {
        const struct kl_train_thread *t = &crew->train->threads[i];
        if ((crew->pool || i == crew->thread) && t->code)
            return kl_fail(err, t->code, "%s", t->error.text);
    }
    return 0;
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

int64_t kl_train_diverged(const struct kl_train *train, const struct kl_replica *replica)
{
    const int64_t e = replica->stopped_epoch;
    const int loss = train->learner->loss;
    return loss >= 0 && e >= 0 && !isfinite(replica->history[loss][e]) ? e : -1;
}

enum { NOTE = 96 };
/* "loss 0.1234, val accuracy 0.9876" of the first replica. */
static void describe(char note[NOTE], const struct kl_train *train)
{
    const struct kl_replica *r = &train->replicas[0];
    const struct kl_learner *l = train->learner;
    const int64_t last = train->epoch - 1;
    size_t used = 0;
    note[0] = 0;
    if (last < 0 || (l->loss >= 0 && isnan(r->history[l->loss][last]))) return;
    for (int k = 0; k < l->n_rows && used < NOTE; k++)
        if (l->rows[k].label)
            used += (size_t)snprintf(note + used, NOTE - used, "%s%s %.4f", used ? ", " : "",
                                     l->rows[k].label, r->history[k][last]);
}

/* Ranks stop all at once, before a round. */
static int watch(struct kl_train *train, const struct kl_watch *w, const char *note)
{
    const int wish = kl_watch_step(w, (uint64_t)train->epoch, (uint64_t)train->options.epochs, note);
    if (!train->options.ranks) return wish;
    if (wish && !train->stop) train->stop = kl_signals_pending() ? kl_signals_pending() : SIGTERM;
    return 0;
}

static int agree(int64_t *count, struct kl_train *train, struct kl_error *err)
{
    const int code = kl_store_ranks_agree(train->options.ranks, count, &train->stop, err);
    if (code || !train->stop) return code;
    kl_signals_told(train->stop);
    train->stop = 0;
    return kl_fail(err, KL_ESIGNAL, "stopped in epoch %lld", (long long)train->epoch + 1);
}

static void prepare_one(void *context, size_t i, int thread)
{
    struct kl_train *train = context;
    train->learner->prepare_step(train, (int64_t)i, thread);
}

/* The next round of an epoch, of *count steps: on a device, or prepared for all replicas and threads.
   One step that takes longer than a round should is given up at a signal. */
static int round_of_steps(int64_t *count, struct kl_train *train, struct kl_pool *pool,
                          struct kl_error *err)
{
    const struct kl_learner *l = train->learner;
    const int64_t left = l->steps_per_epoch - train->step;
    if (train->device) {
        const int code = agree(count, train, err);
        return code ? code : train->device->steps(count, train, pool, err);
    }
    const bool quick = train->step_seconds > 0 && train->step_seconds < ROUND_SECONDS;
    *count = l->ahead && l->ahead < left ? l->ahead : left;
    if (!quick) *count = 1;
    else if ((double)*count * train->step_seconds > ROUND_SECONDS)
        *count = (int64_t)(ROUND_SECONDS / train->step_seconds);
    int code = agree(count, train, err);
    if (code) return code;
    if (l->prepare_step) kl_pool_for(pool, (size_t)*count, prepare_one, train);
    if (quick || train->options.ranks) kl_train_rollback_free(train);
    else kl_train_keep(train);
    code = for_all(pool, (struct job){ .train = train, .what = STEPS, .count = *count }, err);
    kl_train_stoppable(train, false);
    if (code == KL_ESIGNAL) kl_train_undo(train);
    return code;
}

/* Of all replicas, or of none. */
static int judge_all(struct kl_train *train, struct kl_pool *pool, struct kl_error *err)
{
    if (train->device) return train->device->judge(train, pool, err);
    if (!train->learner->judge) return 0;
    kl_train_stoppable(train, !train->options.ranks);
    int code = for_all(pool, (struct job){ .train = train, .what = JUDGE }, err);
    kl_train_stoppable(train, false);
    for (int64_t r = 0; code == KL_ESIGNAL && r < train->options.replicas; r++)
        for (int k = 0; k < train->learner->n_rows; k++)
            if (train->replicas[r].stopped_epoch < 0) train->replicas[r].history[k][train->epoch] = NAN;
    return code;
}

/* From the position to the end of the epoch, in rounds of a few steps; the watch is asked after each. */
static int run_epoch(struct kl_train *train, struct kl_pool *pool, const struct kl_watch *w,
                     struct kl_error *err)
{
    const struct kl_learner *l = train->learner;
    char note[NOTE];
    int code = l->begin_epoch ? l->begin_epoch(train, err) : 0;
    if (code) return code;
    describe(note, train);
    while (train->step < l->steps_per_epoch) {
        const double start = kl_clock();
        int64_t count = 0;
        code = round_of_steps(&count, train, pool, err);
        if (code) return code;
        train->step += count;
        train->step_seconds = (kl_clock() - start) / (double)count;
        if (train->step < l->steps_per_epoch && watch(train, w, note))
            return kl_fail(err, KL_ESIGNAL, "stopped in epoch %lld", (long long)train->epoch + 1);
    }
    code = judge_all(train, pool, err);
    if (!code) code = for_all(pool, (struct job){ .train = train, .what = END_OF_EPOCH }, err);
    if (code) return code;
    train->epoch++;
    train->epochs_run++;
    train->step = 0;
    return code;
}

/* A checkpoint holds what the device has. */
static int checkpoint(struct kl_train *train, struct kl_error *err)
{
    int code = train->device ? train->device->fetch(train, err) : KL_OK;
    return code ? code : train->checkpoint(train->checkpoint_context, train, err);
}

static int run_epochs(struct kl_train *train, struct kl_pool *pool, const struct kl_watch *w,
                      struct kl_error *err)
{
    const struct kl_train_options *o = &train->options;
    const int64_t until = train->until > 0 && train->until < o->epochs ? train->until : o->epochs;
    char note[NOTE];
    int code = 0;
    while (train->epoch < until && !all_stopped(train) && !code) {
        code = run_epoch(train, pool, w, err);
        if (code) break;
        describe(note, train);
        if (watch(train, w, note) && train->epoch < o->epochs && !all_stopped(train))
            code = kl_fail(err, KL_ESIGNAL, "stopped after epoch %lld", (long long)train->epoch);
        else if (train->checkpoint && o->checkpoint_every > 0 &&
                 train->epoch % o->checkpoint_every == 0 && train->epoch < o->epochs)
            code = checkpoint(train, err);
    }
    return code;
}

/* The state comes back from the device unless the device failed. */
static int run_on_device(struct kl_train *train, struct kl_pool *pool, const struct kl_watch *w,
                         struct kl_error *err)
{
    struct kl_error lost;
    int code = train->device->begin(train, err);
    if (!code) code = run_epochs(train, pool, w, err);
    if (!code || code == KL_ESIGNAL) {
        const int fetched = train->device->fetch(train, &lost);
        if (fetched) code = kl_fail(err, fetched, "%s", lost.text);
    }
    train->device->end(train);
    return code;
}

int kl_train_run(struct kl_train *train, struct kl_pool *pool, const struct kl_watch *w,
                 struct kl_error *err)
{
    const double start = kl_clock();
    const bool elsewhere = train->device && !kl_train_finished(train);
    const int code = (elsewhere ? run_on_device : run_epochs)(train, pool, w, err);
    kl_train_rollback_free(train);
    train->seconds += kl_clock() - start;
    return code;
}

static uint64_t steps_done(const struct kl_train *train)
{
    return (uint64_t)(train->epoch * train->learner->steps_per_epoch + train->step);
}

int kl_train_estimate(double *seconds, struct kl_train *train, struct kl_pool *pool,
                      struct kl_error *err)
{
    struct kl_trial trial;
    const uint64_t from = steps_done(train);
    *seconds = 0;
    train->checkpoint = NULL;
    kl_trial_begin(&trial);
    int code = kl_trial_end(kl_train_run(train, pool, &trial.watch, err));
    trial.seconds = kl_clock() - trial.start; /* the watch has been told of epochs */
    trial.from = from, trial.done = steps_done(train);
    trial.total = (uint64_t)(train->options.epochs * train->learner->steps_per_epoch);
    if (kl_train_finished(train)) *seconds = trial.seconds;
    else if (!code) code = kl_trial_whole(seconds, &trial, "a step", err);
    if (!train->epochs_run) *seconds *= 1 + train->learner->judge_cost;
    return code;
}
