/* SPDX-License-Identifier: MIT
   The searches of a regret: the pulse that is the best for many tasks, and the best of each, which ranks
   share. */
#include "control/meta/regret_int.h"

#include <stdlib.h>
#include <string.h>

/* ---- tasks as problems of optimal control ---- */
struct kl_control_problem kl_control_regret_problem(const struct kl_control_regret_work *w,
                                                    const struct kl_control_task *members,
                                                    const double (*targets)[9], int n)
{
    const struct kl_control_net_shape *s = &w->p->net.shape;
    if (w->p->family.setup) {
        struct kl_control_problem p = w->p->family.setup->problem;
        p.members = members, p.n_members = n, p.weights = NULL;
        return p;
    }
    struct kl_control_problem p = { .system = &w->qubit,
                                    .objective = &w->objective,
                                    .segments = s->segments,
                                    .duration = w->p->family.duration,
                                    .members = members,
                                    .n_members = n,
                                    .targets = targets };
    for (int k = 0; k < s->controls; k++) p.limit[k] = w->p->limit;
    return p;
}

/* A search's own steps are not told, but a signal ends it. */
static int ask(void *context, uint64_t done, uint64_t total, const char *note)
{
    const struct kl_control_regret_work *w = context;
    (void)done, (void)total, (void)note;
    return atomic_load(&w->failed) || kl_signals_pending() ? KL_ESIGNAL : 0;
}

/* Searches from some starts: for the mean of n tasks, or for each of them. */
struct searches {
    int n, starts; /* starts: of all */
    bool each;
    struct kl_control_task *members;
    double (*targets)[9];
    struct kl_control_start *found;
    double *points; /* [starts][size] */
};

static void close_searches(struct searches *s)
{
    free(s->members), free(s->targets), free(s->found), free(s->points);
}

/* Close them in any case. */
static int open_searches(struct searches *s, const struct kl_control_regret_work *w,
                         const struct kl_control_meta_task *tasks, int n, bool each,
                         struct kl_error *err)
{
    *s = (struct searches){ .n = n, .starts = (each ? n : 1) * w->o->starts, .each = each };
    const size_t all = (size_t)s->starts, numbers = all * (size_t)kl_control_regret_size(w);
    s->members = malloc((size_t)n * sizeof *s->members);
    s->targets = malloc((size_t)n * sizeof *s->targets);
    s->found = malloc(all * sizeof *s->found), s->points = malloc(numbers * sizeof *s->points);
    if (!s->members || !s->targets || !s->found || !s->points) return kl_fail_memory(err, numbers * 8);
    for (int i = 0; i < n; i++) {
        s->members[i] = kl_control_family_member(&w->p->family, &tasks[i]);
        kl_control_family_weights(s->targets[i], &w->p->family, &tasks[i]);
    }
    return KL_OK;
}

/* Each task's on the GPU, if there is one; the few starts for the mean would leave it idle. */
static int seek(struct searches *s, const struct kl_control_regret_work *w, int iterations,
                struct kl_pool *pool, const struct kl_watch *watch, struct kl_error *err)
{
    const struct kl_control_problem problem =
        kl_control_regret_problem(w, s->members, (const double(*)[9])s->targets, s->n);
    struct kl_control_search search;
    kl_control_search_default(&search);
    search.starts = w->o->starts, search.iterations = iterations, search.seed = w->o->seed;
    search.size = 0.1, search.method = KL_CONTROL_NEWTON;
    if (w->p->family.setup) {
        search.method = KL_CONTROL_AUTO;
        const int code = kl_control_method_of(&search.method, &problem, err);
        if (code) return code;
        if (search.method == KL_CONTROL_LBFGS) search.progress = KL_CONTROL_LBFGS_PROGRESS;
    }
    if (!s->each && w->p->family.setup && kl_control_is_costly(&problem))
        return kl_control_race(s->found, s->points, (size_t)kl_control_regret_size(w),
                               s->starts < KL_CONTROL_FINALISTS ? s->starts : KL_CONTROL_FINALISTS,
                               &problem, &search, &(struct kl_device){ 0 }, pool, watch, err);
    if (w->device->cuda && s->each)
        return kl_control_optimize_gpu(s->found, s->points, NULL, &problem, s->starts / w->o->starts,
                                       &search, w->device, watch, err);
    return kl_control_optimize(s->found, s->points, &problem, &search, pool, watch, err);
}

/* The best of the starts from `first` on; evaluations are counted, each of n gradients. */
static int best_of(struct kl_control_regret_work *w, const struct searches *s, int first, int n)
{
    int best = first;
    for (int i = first; i < first + w->o->starts; i++) {
        if (s->found[i].loss < s->found[best].loss) best = i;
        atomic_fetch_add(&w->gradients, (long)s->found[i].evaluations * n);
    }
    return best;
}

int kl_control_regret_best_pulse(struct kl_control_regret_work *w, double *point, double *loss,
                                 const struct kl_control_meta_task *tasks, int n, int iterations,
                                 struct kl_pool *pool, struct kl_error *err)
{
    const struct kl_watch quiet = { .step = ask, .context = w };
    struct searches s;
    int code = open_searches(&s, w, tasks, n, false, err);
    if (!code) code = seek(&s, w, iterations, pool, pool ? w->watch : &quiet, err);
    if (!code) {
        const int best = best_of(w, &s, 0, n);
        *loss = s.found[best].loss;
        memcpy(point, s.points + best * kl_control_regret_size(w),
               (size_t)kl_control_regret_size(w) * sizeof *point);
    }
    close_searches(&s);
    return code;
}

/* ---- each task's optimum ---- */
static int iterations_of(const struct kl_control_regret_work *w)
{
    const int64_t each = w->o->gradients / w->r->tasks / w->o->starts;
    return each < 20 ? 20 : each > 400 ? 400 : (int)each;
}

static void find_optimum(void *context, size_t own, int thread)
{
    struct kl_control_regret_work *w = context;
    const size_t i = w->first + own;
    const size_t size = (size_t)kl_control_regret_size(w);
    if (atomic_load(&w->failed)) return;
    double *pulse = malloc(size * sizeof *pulse);
    int code = pulse ? 0 : kl_fail_memory(&w->errors[thread], size * sizeof *pulse);
    if (!code)
        code = kl_control_regret_best_pulse(w, pulse, &w->r->optimum[i], &w->tests[i], 1,
                                            iterations_of(w), NULL, &w->errors[thread]);
    const long found = atomic_fetch_add(&w->found, 1) + 1;
    /* The watch is not for several threads. */
    if (!code && thread == 0 &&
        kl_watch_step(w->watch, (uint64_t)found, (uint64_t)w->r->tasks, "optima"))
        code = kl_fail(&w->errors[thread], KL_ESIGNAL, "stopped");
    int none = 0; /* the first failure is the one that is told: it ends the others' searches */
    if (code) atomic_compare_exchange_strong(&w->failed, &none, code);
    free(pulse);
}

/* Of this rank's tasks, those up to `end`, all searches at once. */
static int find_share_gpu(struct kl_control_regret_work *w, size_t end, struct kl_error *err)
{
    const int n = (int)(end - w->first);
    struct searches s;
    int code = open_searches(&s, w, w->tests + w->first, n, true, err);
    if (!code) code = seek(&s, w, iterations_of(w), NULL, w->watch, err);
    for (int t = 0; !code && t < n; t++)
        w->r->optimum[w->first + (size_t)t] = s.found[best_of(w, &s, t * w->o->starts, 1)].loss;
    close_searches(&s);
    return code;
}

/* This rank's share of them. */
static int find_share(struct kl_control_regret_work *w, struct kl_error *err)
{
    const int threads = w->pool ? kl_pool_size(w->pool) : 1;
    size_t end;
    kl_store_ranks_share(w->ranks, (size_t)w->r->tasks, &w->first, &end);
    if (w->device->cuda) return find_share_gpu(w, end, err);
    w->errors = calloc((size_t)threads, sizeof *w->errors);
    if (!w->errors) return kl_fail_memory(err, (size_t)threads * sizeof *w->errors);
    kl_pool_for(w->pool, end - w->first, find_optimum, w);
    const int code = atomic_load(&w->failed);
    for (int t = 0; code && t < threads; t++)
        if (w->errors[t].code == code) *err = w->errors[t];
    free(w->errors);
    return code;
}

/* A signal to any rank stops all, once each has come to the end of its share or was stopped, too. */
int kl_control_regret_optima(struct kl_control_regret_work *w, struct kl_error *err)
{
    struct kl_ranks *ranks = w->ranks;
    int64_t gradients[KL_RANKS_MOST], nothing = 0;
    int code = find_share(w, err);
    w->r->gradients = atomic_load(&w->gradients);
    if (!ranks || (code && code != KL_ESIGNAL)) return code;
    int signal = code ? kl_signals_pending() : 0;
    code = kl_store_ranks_agree(ranks, &nothing, &signal, err);
    if (!code && signal) {
        kl_signals_told(signal);
        return kl_fail(err, KL_ESIGNAL, "stopped");
    }
    gradients[ranks->index] = w->r->gradients;
    if (!code)
        code = kl_store_ranks_gather(ranks, w->r->optimum, (size_t)w->r->tasks, sizeof(double), err);
    if (!code) code = kl_store_ranks_gather(ranks, gradients, ranks->count, sizeof *gradients, err);
    w->r->gradients = 0;
    for (size_t i = 0; i < ranks->count && !code; i++) w->r->gradients += gradients[i];
    return code;
}
