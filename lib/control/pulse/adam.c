/* SPDX-License-Identifier: MIT
   Adam (Kingma and Ba 2015) from many starts, projected on the bounds: the baseline of other systems. A
   start's result is the best of its points. */
#include <math.h>
#include <string.h>

#include "control/pulse/pulse_int.h"
#include "kernels/inline/adam_start.h"

enum { LANES = KL_CONTROL_LANES };

struct lane {
    int start; /* -1: idle */
    struct kl_adam_start a;
};
struct solver {
    struct kl_control_queue *all;
    struct kl_control_evaluator *e;
    struct kl_arena arena;
    int n;
    double *x, *g, *m, *v, *best; /* [n][16] */
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
            *lane = (struct lane){ .start = kl_control_queue_take(s->all, l), .a.best = INFINITY };
            if (lane->start < 0) continue;
            kl_control_start_draw(s->x + l, LANES, s->all->search, s->e, lane->start);
            for (int i = l; i < s->n * LANES; i += LANES) s->m[i] = s->v[i] = 0, s->best[i] = s->x[i];
        }
        any = true;
    }
    return any;
}

static void finish(struct solver *s, int l, int stop)
{
    struct lane *lane = &s->lanes[l];
    const struct kl_control_start result = { lane->a.best, lane->a.iterations, lane->a.iterations + 1,
                                             (enum kl_control_stop)stop };
    kl_control_queue_finish(s->all, lane->start, &result, s->best, s->n, l);
    lane->start = -1;
}

static void step(struct solver *s, int l)
{
    const double *low = kl_control_evaluator_low(s->e), *high = kl_control_evaluator_high(s->e);
    const struct kl_adam_start_step step = kl_adam_start_step(&s->lanes[l].a, s->all->search->lr);
    for (int i = l; i < s->n * LANES; i += LANES) {
        const double to = kl_adam_start_move(&s->m[i], &s->v[i], s->x[i], s->g[i], step);
        s->x[i] = fmin(fmax(to, low[i / LANES]), high[i / LANES]);
    }
}

static bool one_round(void *solver, int thread)
{
    struct solver *s = solver;
    double f[LANES];
    bool wanted[LANES];
    (void)thread;
    if (!refill(s)) return false;
    for (int l = 0; l < LANES; l++) wanted[l] = s->lanes[l].start >= 0;
    kl_control_evaluate(s->e, f, s->g, s->x, wanted);
    for (int l = 0; l < LANES; l++) {
        struct kl_adam_start *a = &s->lanes[l].a;
        if (!wanted[l]) continue;
        if (kl_adam_start_better(a, &s->rules, f[l]))
            for (int i = l; i < s->n * LANES; i += LANES) s->best[i] = s->x[i];
        const int stop = kl_adam_start_judge(a, &s->rules, f[l]);
        if (stop != KL_DESCENT_RUNS) finish(s, l, stop);
        else step(s, l);
        if (s->lanes[l].start >= 0) kl_control_queue_count(s->all, s->lanes[l].start, a->iterations);
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
