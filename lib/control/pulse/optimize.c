/* SPDX-License-Identifier: MIT
   Optimisation from many starts: sixteen side by side in the lanes of kernels/lbfgs.h; a lane whose
   start has stopped takes the next one. In every round each lane tries one point, whatever the others
   do. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/model/model.h"
#include "control/pulse/pulse_int.h"
#include "kernels/inline/philox.h"

enum { LANES = KL_CONTROL_LANES };
_Static_assert((int)KL_CONTROL_LANES == (int)KL_LBFGS_LANES, "points are lanes");
_Static_assert((int)KL_CONTROL_BEHIND == (int)KL_DESCENT_STOPS, "files have the numbers of the rules");

const char *kl_control_stop_words(enum kl_control_stop stop)
{
    static const char *const words[KL_CONTROL_STOPS] = {
        "runs",
        "reached the loss that was asked for",
        "the projected gradient vanishes",
        "the loss no longer falls",
        "no step along the gradient lowers the loss",
        "the limit of iterations",
        "the loss is no number",
        "others were ahead",
    };
    return words[stop];
}

void kl_control_search_default(struct kl_control_search *s)
{
    *s = (struct kl_control_search){ .starts = 32,
                                     .iterations = 1000,
                                     .target = -1,
                                     .gradient = 1e-10,
                                     .progress = 1e-9,
                                     .size = 0.03,
                                     .lr = 0.1 };
}

struct kl_descent_rules kl_control_search_rules(const struct kl_control_search *o)
{
    return (struct kl_descent_rules){ o->target, o->gradient, o->progress, o->iterations };
}

/* ---- the queue of starts ---- */
int kl_control_queue_take(struct kl_control_queue *queue, int lane)
{
    if (lane >= queue->lanes) return -1;
    const int next = atomic_fetch_add(&queue->next, 1);
    return next < queue->search->starts ? next : -1;
}

void kl_control_start_draw(double *x, int stride, const struct kl_control_search *o,
                           const struct kl_control_evaluator *e, int start)
{
    const double *low = kl_control_evaluator_low(e), *high = kl_control_evaluator_high(e);
    for (int i = 0; i < kl_control_evaluator_size(e); i++) {
        uint32_t w[4];
        kl_philox(w, o->seed, (uint32_t)i, KL_RANDOM_STARTS, (uint32_t)start, 0);
        const double normal = kl_control_normal(kl_philox_unit(w[0]), kl_philox_unit(w[1]));
        const bool given = start < o->n_first;
        double first = given ? o->first[start * kl_control_evaluator_size(e) + i] : o->size * normal;
        /* If 0 is no inner value, start inwards of the bound that is nearest to it. */
        if (!given) {
            if (low[i] >= 0) first = low[i] + fabs(first) * (high[i] - low[i]);
            else if (high[i] <= 0) first = high[i] - fabs(first) * (high[i] - low[i]);
        }
        x[i * stride] = fmin(fmax(first, low[i]), high[i]);
    }
}

void kl_control_queue_count(struct kl_control_queue *queue, int start, int iterations)
{
    struct kl_control_start *so_far = &queue->results[start];
    atomic_fetch_add(&queue->done, iterations + 1 - so_far->evaluations);
    so_far->evaluations = iterations + 1; /* that are counted */
}

void kl_control_queue_finish(struct kl_control_queue *queue, int start,
                             const struct kl_control_start *result, const double *x, int n, int lane)
{
    kl_control_queue_count(queue, start, result->iterations);
    atomic_fetch_sub(&queue->total, queue->search->iterations - result->iterations);
    queue->results[start] = *result;
    for (int i = 0; i < n; i++)
        queue->points[(size_t)start * (size_t)n + (size_t)i] = x[i * LANES + lane];
}

bool kl_control_queue_step(struct kl_control_queue *queue, int thread)
{
    if (atomic_load(&queue->failed)) return false;
    if (atomic_flag_test_and_set(&queue->asking)) return true;
    const int stop = kl_watch_step(queue->watch, (uint64_t)atomic_load(&queue->done),
                                   (uint64_t)atomic_load(&queue->total), "at most");
    atomic_flag_clear(&queue->asking);
    if (!stop) return true;
    atomic_store(&queue->failed, kl_fail(&queue->errors[thread], KL_ESIGNAL, "stopped"));
    return false;
}

/* ---- projected L-BFGS ---- */
struct lane {
    int start; /* -1: idle */
    struct kl_descent d;
};
struct solver {
    struct kl_control_queue *all;
    struct kl_control_evaluator *e;
    struct kl_arena arena;
    struct kl_lbfgs b;
    struct kl_descent_rules rules;
    struct lane lanes[LANES];
};

static int open_solver(void *solver, struct kl_control_queue *all, struct kl_error *err)
{
    struct solver *s = solver;
    *s = (struct solver){ .all = all };
    int code = kl_control_evaluator_open(&s->e, all->problem, err);
    if (!code) code = kl_arena_init(&s->arena, 1 << 16, err);
    if (code) return code;
    s->rules = kl_control_search_rules(all->search);
    const size_t n = (size_t)kl_control_evaluator_size(s->e);
    double **const vectors[] = { &s->b.x, &s->b.g, &s->b.d, &s->b.free, &s->b.next_x, &s->b.next_g };
    bool whole = true;
    s->b.n = n, s->b.low = kl_control_evaluator_low(s->e), s->b.high = kl_control_evaluator_high(s->e);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        whole &= (*vectors[i] = kl_arena_take(&s->arena, n * LANES, sizeof(double))) != NULL;
    for (int p = 0; p < KL_LBFGS_PAIRS; p++) {
        whole &= (s->b.s[p] = kl_arena_take(&s->arena, n * LANES, sizeof(double))) != NULL;
        whole &= (s->b.y[p] = kl_arena_take(&s->arena, n * LANES, sizeof(double))) != NULL;
        for (size_t i = 0; whole && i < n * LANES; i++) s->b.s[p][i] = s->b.y[p][i] = 0;
    }
    if (!whole) return kl_fail(err, KL_ENOMEM, "out of memory");
    memset(s->b.x, 0, n * LANES * sizeof(double)), memset(s->b.g, 0, n * LANES * sizeof(double));
    for (int l = 0; l < LANES; l++) s->lanes[l].start = -1;
    return 0;
}
static void close_solver(void *solver)
{
    struct solver *s = solver;
    kl_control_evaluator_close(&s->e);
    kl_arena_free(&s->arena);
}

/* Idle lanes take starts; false: none runs any more. The trial of a fresh lane is its start: what is
   drawn here stays, since fresh lanes are drawn again after each trial. */
static bool refill(struct solver *s)
{
    bool any = false;
    for (int l = 0; l < LANES; l++) {
        struct lane *lane = &s->lanes[l];
        if (lane->start < 0) {
            const int next = kl_control_queue_take(s->all, l);
            if (next >= 0)
                *lane = (struct lane){ .start = next, .d = { .fresh = 1, .without_pairs = 1 } };
        }
        any |= lane->start >= 0;
    }
    return any;
}

/* Where it stops. */
static void finish(struct solver *s, int l, int stop)
{
    struct lane *lane = &s->lanes[l];
    const struct kl_control_start result = { lane->d.f, lane->d.iterations, lane->d.evaluations,
                                             (enum kl_control_stop)stop };
    if (stop == KL_DESCENT_RUNS) return;
    kl_control_queue_finish(s->all, lane->start, &result, s->b.x, (int)s->b.n, l);
    lane->start = -1;
}

/* One trial in every lane. */
static void round_of_trials(struct solver *s)
{
    double slope[LANES], size[LANES], step[LANES], gain[LANES], f[LANES], accept[LANES];
    bool wanted[LANES];
    kl_kernel_lbfgs_direction_f64()(&s->b, slope, size);
    for (int l = 0; l < LANES; l++) {
        struct lane *lane = &s->lanes[l];
        if (lane->start >= 0) finish(s, l, kl_descent_judge(&lane->d, &s->rules, size[l]));
    }
    if (!refill(s)) return;
    for (int l = 0; l < LANES; l++) step[l] = s->lanes[l].start < 0 ? 0 : s->lanes[l].d.step;
    kl_kernel_lbfgs_trial_f64()(&s->b, gain, step);
    for (int l = 0; l < LANES; l++) {
        wanted[l] = s->lanes[l].start >= 0;
        if (wanted[l] && s->lanes[l].d.fresh)
            kl_control_start_draw(s->b.next_x + l, LANES, s->all->search, s->e, s->lanes[l].start);
    }
    kl_control_evaluate(s->e, f, s->b.next_g, s->b.next_x, wanted);
    for (int l = 0; l < LANES; l++) {
        accept[l] = KL_LBFGS_STAY;
        if (!wanted[l]) continue;
        finish(s, l, kl_descent_take(&s->lanes[l].d, &accept[l], f[l], gain[l]));
        if (s->lanes[l].start >= 0)
            kl_control_queue_count(s->all, s->lanes[l].start, s->lanes[l].d.iterations);
    }
    kl_kernel_lbfgs_update_f64()(&s->b, accept);
}

static bool one_round(void *solver, int thread)
{
    (void)thread;
    if (!refill(solver)) return false;
    round_of_trials(solver);
    return true;
}

static const struct kl_control_solver lbfgs = { sizeof(struct solver), open_solver, one_round,
                                                close_solver };

/* ---- any method ---- */
/* Called once a thread. */
static void work(void *context, size_t i, int thread)
{
    struct kl_control_queue *queue = context;
    const struct kl_control_solver *method = queue->method;
    void *solver = calloc(1, method->size);
    (void)i;
    const int code = solver ? method->open(solver, queue, &queue->errors[thread])
                            : kl_fail_memory(&queue->errors[thread], method->size);
    if (code) atomic_store(&queue->failed, code);
    else
        while (kl_control_queue_step(queue, thread) && method->round(solver, thread)) continue;
    if (solver) method->close(solver);
    free(solver);
}

enum kl_control_method kl_control_search_method(const struct kl_control_search *search,
                                                const struct kl_control_problem *problem,
                                                const struct kl_control_evaluator *e)
{
    if (search->method != KL_CONTROL_AUTO) return search->method;
    return kl_control_has_hessian(e) && problem->n_members <= 1 ? KL_CONTROL_NEWTON : KL_CONTROL_LBFGS;
}

int kl_control_method_of(enum kl_control_method *method, const struct kl_control_problem *problem,
                         struct kl_error *err)
{
    const struct kl_control_search search = { .method = *method };
    struct kl_control_evaluator *e = NULL;
    const int code = *method == KL_CONTROL_AUTO ? kl_control_evaluator_open(&e, problem, err) : 0;
    if (!code) *method = kl_control_search_method(&search, problem, e);
    kl_control_evaluator_close(&e);
    return code;
}

static const struct kl_control_solver *const solvers[] = { NULL, &lbfgs, &kl_control_newton,
                                                           &kl_control_adam, &kl_control_krotov };

int kl_control_optimize(struct kl_control_start *results, double *points,
                        const struct kl_control_problem *problem, const struct kl_control_search *search,
                        struct kl_pool *pool, const struct kl_watch *watch, struct kl_error *err)
{
    const int threads = pool ? kl_pool_size(pool) : 1;
    struct kl_control_queue all = { .problem = problem,
                                    .search = search,
                                    .results = results,
                                    .points = points,
                                    .watch = watch,
                                    .total = (long long)search->starts * (search->iterations + 1),
                                    .lanes = kl_control_one_qubit(problem->system)
                                                 ? LANES
                                                 : (search->starts + threads - 1) / threads,
                                    .asking = ATOMIC_FLAG_INIT,
                                    .errors = calloc((size_t)threads, sizeof *all.errors) };
    if (!all.errors) return kl_fail(err, KL_ENOMEM, "out of memory");
    for (int i = 0; i < search->starts; i++) results[i] = (struct kl_control_start){ .evaluations = 0 };
    enum kl_control_method method = search->method;
    int code = kl_control_method_of(&method, problem, err);
    all.method = solvers[method];
    if (!code) kl_pool_for(pool, (size_t)threads, work, &all), code = atomic_load(&all.failed);
    for (int t = 0; code && t < threads; t++)
        if (all.errors[t].text[0]) *err = all.errors[t];
    free(all.errors);
    return code;
}
