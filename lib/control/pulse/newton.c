/* SPDX-License-Identifier: MIT
   Newton's method with exact Hessian products: a trust region, in which conjugate gradients solve for
   what is not held at a bound (Steihaug 1983; the step is projected on the bounds). Sixteen starts side
   by side: in a round a lane either tries a point or takes one step of its conjugate gradients; one call
   of the kernel serves both. */
#include <math.h>
#include <string.h>

#include "control/pulse/pulse_int.h"

enum { LANES = KL_CONTROL_LANES, MOST_INNER = 60 };

struct lane {
    int start;               /* -1: idle */
    bool fresh, inner;       /* inner: within the conjugate gradients */
    double f, radius, gain;  /* gain: what the model says that the step brings */
    double rr, rr_begin, pp; /* squares of residual and step */
    double recent[KL_CONTROL_WINDOW];
    int iterations, evaluations, steps; /* steps: inner ones */
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
    struct lane lanes[LANES];
};

static int open_solver(void *solver, struct kl_control_queue *all, struct kl_error *err)
{
    struct solver *s = solver;
    *s = (struct solver){ .all = all };
    int code = kl_control_evaluator_open(&s->e, all->problem, err);
    if (!code && !kl_control_has_hessian(s->e))
        code =
            kl_fail(err, KL_EUSAGE,
                    "Newton's method needs Hessian products, which there are for one qubit whose jumps "
                    "are Z, |0><1|, |1><0|, and a mean; use lbfgs");
    if (!code) code = kl_arena_init(&s->arena, 1 << 16, err);
    if (code) return code;
    const size_t size = (size_t)kl_control_evaluator_size(s->e) * LANES;
    double **const vectors[] = { &s->x, &s->g, &s->p, &s->r, &s->d, &s->hp, &s->at, &s->next_g, &s->hd };
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

static void finish(struct solver *s, int l, enum kl_control_stop stop)
{
    struct lane *lane = &s->lanes[l];
    const struct kl_control_start result = { lane->f, lane->iterations, lane->evaluations, stop };
    kl_control_queue_finish(s->all, lane->start, &result, s->x, s->n, l);
    lane->start = -1;
}

static bool refill(struct solver *s)
{
    bool any = false;
    for (int l = 0; l < LANES; l++) {
        struct lane *lane = &s->lanes[l];
        if (lane->start < 0) {
            const int next = kl_control_queue_take(s->all);
            if (next >= 0) {
                *lane = (struct lane){ .start = next, .fresh = true };
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
    struct lane *lane = &s->lanes[l];
    double along = 0, curved = 0;
    EACH(i)
    {
        along += s->g[i] * s->p[i], curved += s->p[i] * s->hp[i];
        s->at[i] = fmin(fmax(s->x[i] + s->p[i], s->low[i / LANES]), s->high[i / LANES]);
        s->d[i] = 0;
    }
    lane->gain = along + curved / 2, lane->inner = false;
}

/* At a new point, or with a smaller radius: conjugate gradients begin. */
static void begin_inner(struct solver *s, int l)
{
    struct lane *lane = &s->lanes[l];
    lane->rr = lane->pp = 0, lane->steps = 0, lane->inner = true;
    EACH(i)
    {
        s->held[i] = (s->x[i] <= s->low[i / LANES] && s->g[i] > 0) ||
                     (s->x[i] >= s->high[i / LANES] && s->g[i] < 0);
        s->r[i] = s->held[i] ? 0 : s->g[i];
        s->p[i] = s->hp[i] = 0, s->d[i] = -s->r[i], s->at[i] = s->x[i];
        lane->rr += s->r[i] * s->r[i];
    }
    lane->rr_begin = lane->rr;
}

/* To the border of the trust region along d; of the two the one ahead. */
static double to_border(const struct lane *lane, double pd, double dd)
{
    const double c = lane->radius * lane->radius - lane->pp;
    return c <= 0 || dd <= 0 ? 0 : c / (pd + sqrt(pd * pd + dd * c));
}

static void inner_step(struct solver *s, int l)
{
    struct lane *lane = &s->lanes[l];
    double dhd = 0, pd = 0, dd = 0, rr = 0;
    EACH(i)
    {
        if (s->held[i]) s->hd[i] = 0;
        dhd += s->d[i] * s->hd[i], pd += s->p[i] * s->d[i], dd += s->d[i] * s->d[i];
    }
    double alpha = dhd > 0 ? lane->rr / dhd : INFINITY;
    const bool leaves =
        lane->pp + 2 * alpha * pd + alpha * alpha * dd >= lane->radius * lane->radius || !(dhd > 0);
    if (leaves) alpha = to_border(lane, pd, dd);
    lane->pp = 0;
    EACH(i)
    {
        s->p[i] += alpha * s->d[i], s->hp[i] += alpha * s->hd[i], s->r[i] += alpha * s->hd[i];
        lane->pp += s->p[i] * s->p[i], rr += s->r[i] * s->r[i];
    }
    /* Superlinear: the residual falls with the gradient (Dembo and Steihaug 1983). */
    const double enough = fmin(0.1, sqrt(sqrt(lane->rr_begin)));
    if (leaves || ++lane->steps >= MOST_INNER || rr <= enough * enough * lane->rr_begin) {
        try_step(s, l);
        return;
    }
    const double beta = rr / lane->rr;
    EACH(i) s->d[i] = -s->r[i] + beta * s->d[i];
    lane->rr = rr;
}

static enum kl_control_stop judge(const struct solver *s, int l)
{
    const struct kl_control_search *o = s->all->search;
    const struct lane *lane = &s->lanes[l];
    double size = 0;
    EACH(i)
    {
        const bool held = (s->x[i] <= s->low[i / LANES] && s->g[i] > 0) ||
                          (s->x[i] >= s->high[i / LANES] && s->g[i] < 0);
        if (!held) size = fmax(size, fabs(s->g[i]));
    }
    if (!isfinite(lane->f)) return KL_CONTROL_NO_NUMBER;
    if (lane->f <= o->target) return KL_CONTROL_REACHED;
    if (size <= o->gradient) return KL_CONTROL_FLAT;
    if (lane->iterations >= o->iterations) return KL_CONTROL_ITERATIONS;
    const double before = lane->recent[(lane->iterations + 1) % KL_CONTROL_WINDOW];
    if (lane->iterations >= KL_CONTROL_WINDOW && before - lane->f <= o->progress * fabs(lane->f))
        return KL_CONTROL_STALLED;
    return KL_CONTROL_RUNS;
}

/* The trial has the loss f. */
static void take_trial(struct solver *s, int l, double f)
{
    struct lane *lane = &s->lanes[l];
    const double fall = f - lane->f, ratio = lane->gain < 0 ? fall / lane->gain : -1;
    lane->evaluations++;
    if (lane->fresh) lane->radius = 0.1 * sqrt((double)s->n);
    else if (!(ratio > 0.25)) lane->radius = 0.25 * fmin(lane->radius, sqrt(lane->pp));
    else if (ratio > 0.75 && lane->pp > 0.8 * lane->radius * lane->radius) lane->radius *= 2;
    const bool accept = lane->fresh || (fall < 0 && ratio > 1e-4);
    if (accept) {
        EACH(i) s->x[i] = s->at[i], s->g[i] = s->next_g[i];
        if (!lane->fresh) lane->iterations++;
        lane->recent[lane->iterations % KL_CONTROL_WINDOW] = lane->fresh ? INFINITY : lane->f;
        lane->f = f, lane->fresh = false;
    }
    enum kl_control_stop stop = accept ? judge(s, l) : KL_CONTROL_RUNS;
    if (!accept && lane->radius < 1e-12) stop = KL_CONTROL_NO_DESCENT;
    if (stop != KL_CONTROL_RUNS) finish(s, l, stop);
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
        if (s->lanes[l].inner) s->lanes[l].evaluations++, inner_step(s, l);
        else take_trial(s, l, f[l]);
    }
    return true;
}

const struct kl_control_solver kl_control_newton = { sizeof(struct solver), open_solver, one_round,
                                                     close_solver };
