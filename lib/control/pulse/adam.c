/* SPDX-License-Identifier: MIT
   Adam (Kingma and Ba 2015) from many starts, projected on the bounds: the baseline of other systems. A
   start's result is the best of its points. */
#include <math.h>
#include <string.h>

#include "control/pulse/pulse_int.h"

enum { LANES = KL_CONTROL_LANES };
static const double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;

struct lane {
    int start; /* -1: idle */
    int iterations, since_best;
    double best;
};
struct solver {
    struct kl_control_queue *all;
    struct kl_control_evaluator *e;
    struct kl_arena arena;
    int n;
    double *x, *g, *m, *v, *best; /* [n][16] */
    struct lane lanes[LANES];
};

static int open_solver(void *solver, struct kl_control_queue *all, struct kl_error *err)
{
    struct solver *s = solver;
    *s = (struct solver){ .all = all };
    int code = kl_control_evaluator_open(&s->e, all->problem, err);
    if (!code) code = kl_arena_init(&s->arena, 1 << 16, err);
    if (code) return code;
    s->n = kl_control_evaluator_size(s->e);
    double **const vectors[] = { &s->x, &s->g, &s->m, &s->v, &s->best };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        *vectors[i] = kl_arena_take(&s->arena, (size_t)(s->n * LANES), sizeof(double));
        if (!*vectors[i]) return kl_fail_memory(err, (size_t)(s->n * LANES) * sizeof(double));
        memset(*vectors[i], 0, (size_t)(s->n * LANES) * sizeof(double));
    }
    for (int l = 0; l < LANES; l++) s->lanes[l].start = -1;
    return 0;
}

static bool refill(struct solver *s)
{
    bool any = false;
    for (int l = 0; l < LANES; l++) {
        struct lane *lane = &s->lanes[l];
        if (lane->start < 0) {
            *lane = (struct lane){ .start = kl_control_queue_take(s->all), .best = INFINITY };
            if (lane->start < 0) continue;
            kl_control_start_draw(s->x + l, LANES, s->all->search, s->e, lane->start);
            for (int i = l; i < s->n * LANES; i += LANES) s->m[i] = s->v[i] = 0, s->best[i] = s->x[i];
        }
        any = true;
    }
    return any;
}

static void finish(struct solver *s, int l, enum kl_control_stop stop)
{
    struct lane *lane = &s->lanes[l];
    const struct kl_control_start result = { lane->best, lane->iterations, lane->iterations + 1, stop };
    kl_control_queue_finish(s->all, lane->start, &result, s->best, s->n, l);
    lane->start = -1;
}

static void step(struct solver *s, int l)
{
    const struct kl_control_search *o = s->all->search;
    const double *low = kl_control_evaluator_low(s->e), *high = kl_control_evaluator_high(s->e);
    const int t = ++s->lanes[l].iterations;
    const double rate = o->lr * sqrt(1 - pow(beta2, t)) / (1 - pow(beta1, t));
    for (int i = l; i < s->n * LANES; i += LANES) {
        s->m[i] = beta1 * s->m[i] + (1 - beta1) * s->g[i];
        s->v[i] = beta2 * s->v[i] + (1 - beta2) * s->g[i] * s->g[i];
        const double to = s->x[i] - rate * s->m[i] / (sqrt(s->v[i]) + epsilon * sqrt(1 - pow(beta2, t)));
        s->x[i] = fmin(fmax(to, low[i / LANES]), high[i / LANES]);
    }
}

/* After so many iterations without a better loss it is said to have stalled. */
enum { PATIENCE = 200 };

static bool one_round(void *solver, int thread)
{
    struct solver *s = solver;
    const struct kl_control_search *o = s->all->search;
    double f[LANES];
    bool wanted[LANES];
    (void)thread;
    if (!refill(s)) return false;
    for (int l = 0; l < LANES; l++) wanted[l] = s->lanes[l].start >= 0;
    kl_control_evaluate(s->e, f, s->g, s->x, wanted);
    for (int l = 0; l < LANES; l++) {
        struct lane *lane = &s->lanes[l];
        if (!wanted[l]) continue;
        lane->since_best++;
        if (f[l] < lane->best) {
            if (lane->best - f[l] > o->progress * fabs(f[l])) lane->since_best = 0;
            lane->best = f[l];
            for (int i = l; i < s->n * LANES; i += LANES) s->best[i] = s->x[i];
        }
        if (!isfinite(f[l])) finish(s, l, KL_CONTROL_NO_NUMBER);
        else if (lane->best <= o->target) finish(s, l, KL_CONTROL_REACHED);
        else if (lane->since_best >= PATIENCE) finish(s, l, KL_CONTROL_STALLED);
        else if (lane->iterations >= o->iterations) finish(s, l, KL_CONTROL_ITERATIONS);
        else step(s, l);
    }
    return true;
}

static void close_solver(void *solver)
{
    struct solver *s = solver;
    kl_control_evaluator_close(&s->e);
    kl_arena_free(&s->arena);
}

const struct kl_control_solver kl_control_adam = { sizeof(struct solver), open_solver, one_round,
                                                   close_solver };
