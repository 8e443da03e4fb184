/* SPDX-License-Identifier: MIT
   Newton's method with exact Hessian products: a trust region, in which conjugate gradients solve for
   what is not held at a bound (Steihaug 1983; the step is projected on the bounds). Sixteen starts side
   by side: in a round a lane either tries a point or takes one step of its conjugate gradients; one call
   of the kernel serves both. */
#include <math.h>
#include <string.h>

#include "control/pulse/pulse_int.h"
#include "kernels/inline/trust.h"

enum { LANES = KL_CONTROL_LANES };

struct lane {
    int start; /* -1: idle */
    struct kl_trust t;
};
struct solver {
    struct kl_control_queue *all;
    struct kl_control_evaluator *e;
    struct kl_arena arena;
    int n;
    /* [n][16]: point, gradient; step, residual, direction; where the kernel looks, and what it says
     * there */
    double *x, *g, *p, *r, *d, *hp, *at, *next_g, *hd;
    unsigned char *held; /* [n][16]: at a bound */
    const double *low, *high;
    struct kl_descent_rules rules;
    struct lane lanes[LANES];
};

int kl_control_need_hessian(const struct kl_control_evaluator *e, struct kl_error *err)
{
    if (kl_control_has_hessian(e)) return 0;
    return kl_fail(err, KL_EUSAGE,
                   "Newton's method needs Hessian products, which there are for one qubit whose jumps "
                   "are Z, |0><1|, |1><0|, and a mean; use lbfgs");
}

static int open_solver(void *solver, struct kl_control_queue *all, struct kl_error *err)
{
    struct solver *s = solver;
    *s = (struct solver){ .all = all };
    int code = kl_control_evaluator_open(&s->e, all->problem, err);
    if (!code) code = kl_control_need_hessian(s->e, err);
    if (!code) code = kl_arena_init(&s->arena, 1 << 16, err);
    if (code) return code;
    const size_t size = (size_t)kl_control_evaluator_size(s->e) * LANES;
    double **const vectors[] = { &s->x, &s->g, &s->p, &s->r, &s->d, &s->hp, &s->at, &s->next_g, &s->hd };
    s->rules = kl_control_search_rules(all->search);
    s->n = kl_control_evaluator_size(s->e);
    s->low = kl_control_evaluator_low(s->e), s->high = kl_control_evaluator_high(s->e);
    bool whole = (s->held = kl_arena_take(&s->arena, size, 1)) != NULL;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        *vectors[i] = kl_arena_take(&s->arena, size, sizeof(double));
        whole &= *vectors[i] != NULL;
        if (*vectors[i]) memset(*vectors[i], 0, size * sizeof(double));
    }
    for (int l = 0; l < LANES; l++) s->lanes[l].start = -1;
    return whole ? 0 : kl_fail(err, KL_ENOMEM, "out of memory");
}
static void close_solver(void *solver)
{
    struct solver *s = solver;
    kl_control_evaluator_close(&s->e);
    kl_arena_free(&s->arena);
}

#define EACH(i) for (int i = l; i < s->n * LANES; i += LANES)

static void finish(struct solver *s, int l, int stop)
{
    struct lane *lane = &s->lanes[l];
    const struct kl_control_start result = { lane->t.f, lane->t.iterations, lane->t.evaluations,
                                             (enum kl_control_stop)stop };
    kl_control_queue_finish(s->all, lane->start, &result, s->x, s->n, l);
    lane->start = -1;
}

static bool refill(struct solver *s)
{
    bool any = false;
    for (int l = 0; l < LANES; l++) {
        struct lane *lane = &s->lanes[l];
        if (lane->start < 0) {
            const int next = kl_control_queue_take(s->all, l);
            if (next >= 0) {
                *lane = (struct lane){ .start = next, .t.fresh = 1 };
                kl_control_start_draw(s->at + l, LANES, s->all->search, s->e, next);
                EACH(i) s->d[i] = 0;
            }
        }
        any |= lane->start >= 0;
    }
    return any;
}

/* The step as it is becomes the next trial. */
static void try_step(struct solver *s, int l)
{
    struct kl_trust *t = &s->lanes[l].t;
    double along = 0, curved = 0;
    EACH(i)
    {
        along += s->g[i] * s->p[i], curved += s->p[i] * s->hp[i];
        s->at[i] = fmin(fmax(s->x[i] + s->p[i], s->low[i / LANES]), s->high[i / LANES]);
        s->d[i] = 0;
    }
    t->gain = along + curved / 2, t->inner = 0;
}

/* At a new point, or with a smaller radius: conjugate gradients begin. */
static void begin_inner(struct solver *s, int l)
{
    struct kl_trust *t = &s->lanes[l].t;
    t->rr = t->pp = 0, t->steps = 0, t->inner = 1;
    EACH(i)
    {
        s->held[i] = (s->x[i] <= s->low[i / LANES] && s->g[i] > 0) ||
                     (s->x[i] >= s->high[i / LANES] && s->g[i] < 0);
        s->r[i] = s->held[i] ? 0 : s->g[i];
        s->p[i] = s->hp[i] = 0, s->d[i] = -s->r[i], s->at[i] = s->x[i];
        t->rr += s->r[i] * s->r[i];
    }
    t->rr_begin = t->rr;
}

static void inner_step(struct solver *s, int l)
{
    struct kl_trust *t = &s->lanes[l].t;
    double dhd = 0, pd = 0, dd = 0, rr = 0;
    int leaves;
    EACH(i)
    {
        if (s->held[i]) s->hd[i] = 0;
        dhd += s->d[i] * s->hd[i], pd += s->p[i] * s->d[i], dd += s->d[i] * s->d[i];
    }
    const double alpha = kl_trust_along(t, &leaves, dhd, pd, dd);
    t->pp = 0;
    EACH(i)
    {
        s->p[i] += alpha * s->d[i], s->hp[i] += alpha * s->hd[i], s->r[i] += alpha * s->hd[i];
        t->pp += s->p[i] * s->p[i], rr += s->r[i] * s->r[i];
    }
    if (leaves || kl_trust_enough(t, rr)) {
        try_step(s, l);
        return;
    }
    const double beta = rr / t->rr;
    EACH(i) s->d[i] = -s->r[i] + beta * s->d[i];
    t->rr = rr;
}

static double size_of_gradient(const struct solver *s, int l)
{
    double size = 0;
    EACH(i)
    {
        const bool held = (s->x[i] <= s->low[i / LANES] && s->g[i] > 0) ||
                          (s->x[i] >= s->high[i / LANES] && s->g[i] < 0);
        if (!held) size = fmax(size, fabs(s->g[i]));
    }
    return size;
}

/* The trial has the loss f. */
static void take_trial(struct solver *s, int l, double f)
{
    struct kl_trust *t = &s->lanes[l].t;
    int stop = KL_DESCENT_RUNS;
    if (kl_trust_take(t, f, (double)s->n)) {
        EACH(i) s->x[i] = s->at[i], s->g[i] = s->next_g[i];
        stop = kl_trust_judge(t, &s->rules, size_of_gradient(s, l));
    } else if (kl_trust_gives_up(t)) stop = KL_DESCENT_NO_DESCENT;
    if (stop != KL_DESCENT_RUNS) finish(s, l, stop);
    else begin_inner(s, l);
}

static bool one_round(void *solver, int thread)
{
    struct solver *s = solver;
    double f[LANES];
    (void)thread;
    if (!refill(s)) return false;
    kl_control_evaluate_hessian(s->e, f, s->next_g, s->hd, s->at, s->d);
    for (int l = 0; l < LANES; l++) {
        if (s->lanes[l].start < 0) continue;
        if (s->lanes[l].t.inner) s->lanes[l].t.evaluations++, inner_step(s, l);
        else take_trial(s, l, f[l]);
        if (s->lanes[l].start >= 0)
            kl_control_queue_count(s->all, s->lanes[l].start, s->lanes[l].t.iterations);
    }
    return true;
}

const struct kl_control_solver kl_control_newton = { sizeof(struct solver), open_solver, one_round,
                                                     close_solver };
