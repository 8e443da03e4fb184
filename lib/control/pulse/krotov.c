/* SPDX-License-Identifier: MIT
   Krotov's method for piecewise-constant controls (Konnov and Krotov 1999; Reich, Ndong and Koch 2012):
   the costates of the old pulse come backwards; then the new pulse is found segment by segment while it
   is propagated, each control moved along the derivative at the state that has been reached. The loss is
   linear in the transfer matrix, so that it falls at every iteration whose step is small enough. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/model/engine.h"
#include "control/pulse/pulse.h"
#include "control/pulse/pulse_int.h"

struct solver {
    struct kl_control_queue *all;
    const struct kl_control_problem *p;
    struct kl_control_engine e;             /* of one segment and its whole matrix E */
    struct kl_control_evaluator *evaluator; /* of bounds, and of starts as they are drawn */
    struct kl_arena arena;
    int segments, controls, n_members, dim, columns; /* columns: of the objective */
    size_t state;                                    /* dim * columns */
    double *u, *next;                                /* [segments][controls] */
    double *maps;     /* [members][segments][dim][dim]: E of the old pulse */
    double *costates; /* [members][segments + 1][state]: of what the loss falls by, at the boundaries */
    double *reached;  /* [members][state] */
    double *drawn;    /* [segments * controls][16] */
    double *outer, *path; /* [dim][padded]; two of them */
    double *map, *other;  /* [dim][dim]; a state */
};

static const struct kl_control_objective *objective_of(const struct solver *s)
{
    return s->p->objective;
}
static double weight_of(const struct solver *s, int m)
{
    return s->p->weights && s->p->members ? s->p->weights[m] : 1.0 / s->n_members;
}

static int check_problem(const struct solver *s, struct kl_error *err)
{
    const struct kl_control_problem *p = s->p;
    if ((p->waveform && !kl_control_waveform_plain(p->waveform)) || p->energy > 0 ||
        (p->aggregate != KL_CONTROL_MEAN && s->n_members > 1))
        return kl_fail(err, KL_EUSAGE,
                       "Krotov's method takes piecewise controls and the mean of an ensemble, without "
                       "--energy; use lbfgs");
    return 0;
}

/* The engine has the identity as its start, whatever the objective. */
static int open_engine(struct solver *s, struct kl_error *err)
{
    const struct kl_control_system *system = s->p->system;
    const size_t dim = (size_t)system->dim;
    double most[KL_CONTROL_MAX_CONTROLS], params[KL_CONTROL_MAX_PARAMS] = { 0 }, amplitude = 1;
    for (int m = 0; s->p->members && m < s->n_members; m++) {
        for (int j = 0; j < system->n_params; j++)
            params[j] = fmax(params[j], fabs(s->p->members[m].params[j]));
        amplitude = fmax(amplitude, fabs(s->p->members[m].amplitude));
    }
    for (int j = 0; !s->p->members && j < system->n_params; j++)
        params[j] = fabs(system->params[j].value);
    for (int k = 0; k < s->controls; k++) most[k] = amplitude * s->p->limit[k];
    struct kl_control_objective whole = { .columns = system->dim,
                                          .start = calloc(dim * dim, sizeof(double)),
                                          .weights = calloc(dim * dim, sizeof(double)) };
    int code = whole.start && whole.weights ? 0 : kl_fail_memory(err, 2 * dim * dim * sizeof(double));
    for (size_t i = 0; !code && i < dim; i++) whole.start[i * dim + i] = 1;
    if (!code)
        code = kl_control_engine_open(&s->e, system, &whole, 1, s->p->duration / s->segments, most,
                                      params, err);
    kl_control_objective_free(&whole);
    return code;
}

static int open_solver(void *solver, struct kl_control_queue *all, struct kl_error *err)
{
    struct solver *s = solver;
    const struct kl_control_problem *p = all->problem;
    *s = (struct solver){ .all = all,
                          .p = p,
                          .segments = p->segments,
                          .controls = p->system->n_controls,
                          .n_members = p->members && p->n_members > 0 ? p->n_members : 1,
                          .dim = p->system->dim,
                          .columns = p->objective->columns };
    int code = check_problem(s, err);
    if (!code) code = kl_control_evaluator_open(&s->evaluator, p, err);
    if (!code) code = open_engine(s, err);
    if (!code) code = kl_arena_init(&s->arena, 1 << 16, err);
    if (code) return code;
    const size_t n = (size_t)(s->segments * s->controls), members = (size_t)s->n_members,
                 square = (size_t)(s->dim * s->dim), padded = (size_t)(s->dim * s->e.g.columns);
    s->state = (size_t)(s->dim * s->columns);
    const struct {
        double **to;
        size_t size;
    } arrays[] = { { &s->u, n },
                   { &s->next, n },
                   { &s->drawn, n * KL_CONTROL_LANES },
                   { &s->maps, members * (size_t)s->segments * square },
                   { &s->costates, members * ((size_t)s->segments + 1) * s->state },
                   { &s->reached, members * s->state },
                   { &s->outer, padded },
                   { &s->path, 2 * padded },
                   { &s->map, square },
                   { &s->other, s->state } };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i].to = kl_arena_take(&s->arena, arrays[i].size, sizeof(double));
        if (!*arrays[i].to) return kl_fail_memory(err, arrays[i].size * sizeof(double));
    }
    memset(s->outer, 0, padded * sizeof(double));
    return 0;
}

static void close_solver(void *solver)
{
    struct solver *s = solver;
    kl_control_evaluator_close(&s->evaluator);
    kl_control_engine_close(&s->e);
    kl_arena_free(&s->arena);
}

/* E of a segment into map [dim][dim]; slope [controls], with costate and state [dim][columns]: the
   derivative of
   -<costate, E state>, NULL: not asked for. */
static void one_segment(struct solver *s, double *map, double *slope, const double *u,
                        const double *from, const double *to, int m)
{
    const size_t dim = (size_t)s->dim, wide = (size_t)s->e.g.columns, columns = (size_t)s->columns;
    struct kl_control_task own;
    const struct kl_control_task *t = s->p->members ? &s->p->members[m] : &own;
    if (t == &own) kl_control_task_default(&own, s->p->system);
    for (size_t i = 0; slope && i < dim; i++)
        for (size_t j = 0; j < dim; j++) {
            s->outer[i * wide + j] = 0;
            for (size_t c = 0; c < columns; c++)
                s->outer[i * wide + j] += to[i * columns + c] * from[j * columns + c];
        }
    for (int k = 0; k < s->controls; k++) s->e.u[k] = t->amplitude * u[k];
    kl_kernel_liouville_gradient_f64()(slope, NULL, s->path, s->e.u, t->params, s->e.start, s->outer,
                                       &s->e.g, s->e.work);
    for (int k = 0; slope && k < s->controls; k++) slope[k] *= t->amplitude;
    for (size_t i = 0; i < dim; i++)
        memcpy(map + i * dim, s->path + (dim + i) * wide, dim * sizeof *map);
}

/* to = E from, or E^T from, [dim][columns] */
static void apply(double *to, const struct solver *s, const double *map, const double *from,
                  bool transposed)
{
    const int dim = s->dim, columns = s->columns;
    for (int i = 0; i < dim; i++)
        for (int c = 0; c < columns; c++) {
            double sum = 0;
            for (int j = 0; j < dim; j++)
                sum += map[transposed ? j * dim + i : i * dim + j] * from[j * columns + c];
            to[i * columns + c] = sum;
        }
}
static double *map_of(const struct solver *s, int m, int segment)
{
    return s->maps + (size_t)(m * s->segments + segment) * (size_t)(s->dim * s->dim);
}
static double *costate_of(const struct solver *s, int m, int segment)
{
    return s->costates + (size_t)(m * (s->segments + 1) + segment) * s->state;
}

static double loss_of_reached(const struct solver *s)
{
    const struct kl_control_objective *o = objective_of(s);
    double loss = 0;
    for (int m = 0; m < s->n_members; m++) {
        double value = o->constant;
        for (size_t i = 0; i < s->state; i++)
            value -= o->weights[i] * s->reached[(size_t)m * s->state + i];
        loss += weight_of(s, m) * value;
    }
    return loss;
}
static void to_start(const struct solver *s)
{
    for (int m = 0; m < s->n_members; m++)
        memcpy(s->reached + (size_t)m * s->state, objective_of(s)->start, s->state * sizeof(double));
}

/* Maps of the pulse u, its loss, its costates. */
static double prepare(struct solver *s)
{
    to_start(s);
    for (int segment = 0; segment < s->segments; segment++)
        for (int m = 0; m < s->n_members; m++) {
            double *r = s->reached + (size_t)m * s->state, *map = map_of(s, m, segment);
            one_segment(s, map, NULL, s->u + segment * s->controls, NULL, NULL, m);
            apply(s->other, s, map, r, false);
            memcpy(r, s->other, s->state * sizeof *r);
        }
    for (int m = 0; m < s->n_members; m++) {
        memcpy(costate_of(s, m, s->segments), objective_of(s)->weights, s->state * sizeof(double));
        for (int segment = s->segments - 1; segment >= 0; segment--)
            apply(costate_of(s, m, segment), s, map_of(s, m, segment), costate_of(s, m, segment + 1),
                  true);
    }
    return loss_of_reached(s);
}

/* Control i as it may be: within the limit, and 0 at ends that have to be. */
static double within(const struct solver *s, int i, double u)
{
    const double limit = s->p->limit[i % s->controls];
    return fmin(fmax(u, limit * kl_control_evaluator_low(s->evaluator)[i]),
                limit * kl_control_evaluator_high(s->evaluator)[i]);
}

/* The next pulse with the step 1/lambda, and its loss. */
static double sweep(struct solver *s, double step)
{
    to_start(s);
    for (int segment = 0; segment < s->segments; segment++) {
        const double *u = s->u + segment * s->controls;
        double *next = s->next + segment * s->controls, sum[KL_CONTROL_MAX_CONTROLS] = { 0 },
               slope[KL_CONTROL_MAX_CONTROLS];
        for (int m = 0; m < s->n_members; m++) {
            one_segment(s, s->map, slope, u, s->reached + (size_t)m * s->state,
                        costate_of(s, m, segment + 1), m);
            for (int k = 0; k < s->controls; k++) sum[k] += weight_of(s, m) * slope[k];
        }
        for (int k = 0; k < s->controls; k++)
            next[k] =
                within(s, segment * s->controls + k, u[k] - step * pow(s->p->limit[k], 2) * sum[k]);
        for (int m = 0; m < s->n_members; m++) {
            double *r = s->reached + (size_t)m * s->state;
            one_segment(s, s->map, NULL, next, NULL, NULL, m);
            apply(s->other, s, s->map, r, false);
            memcpy(r, s->other, s->state * sizeof *r);
        }
    }
    return loss_of_reached(s);
}

static void draw(struct solver *s, int start)
{
    kl_control_start_draw(s->drawn, KL_CONTROL_LANES, s->all->search, s->evaluator, start);
    for (int i = 0; i < s->segments * s->controls; i++)
        s->u[i] = s->p->limit[i % s->controls] * s->drawn[i * KL_CONTROL_LANES];
}

/* The step grows while sweeps succeed, and shrinks where one fails. */
static void run_start(struct solver *s, int start, int thread)
{
    const struct kl_control_search *o = s->all->search;
    const int n = s->segments * s->controls;
    struct kl_control_start result = { .stop = KL_CONTROL_RUNS };
    double recent[KL_CONTROL_WINDOW] = { 0 },
           step = s->segments / s->p->duration / 9; /* of a control in units of its limit */
    draw(s, start);
    result.loss = prepare(s), result.evaluations = 1;
    while (result.stop == KL_CONTROL_RUNS && kl_control_queue_step(s->all, thread)) {
        const double before = recent[(result.iterations + 1) % KL_CONTROL_WINDOW];
        if (!isfinite(result.loss)) result.stop = KL_CONTROL_NO_NUMBER;
        else if (result.loss <= o->target) result.stop = KL_CONTROL_REACHED;
        else if (result.iterations >= o->iterations) result.stop = KL_CONTROL_ITERATIONS;
        else if (result.iterations >= KL_CONTROL_WINDOW &&
                 before - result.loss <= o->progress * fabs(result.loss))
            result.stop = KL_CONTROL_STALLED;
        if (result.stop != KL_CONTROL_RUNS) break;
        const double f = sweep(s, step);
        result.evaluations++;
        if (f < result.loss) {
            recent[++result.iterations % KL_CONTROL_WINDOW] = result.loss;
            memcpy(s->u, s->next, (size_t)n * sizeof *s->u);
            result.loss = prepare(s), step *= 1.3;
            kl_control_queue_count(s->all, start, result.iterations);
        } else if ((step /= 3) < 1e-9) result.stop = KL_CONTROL_NO_DESCENT;
    }
    for (int i = 0; i < n; i++) s->drawn[i * KL_CONTROL_LANES] = s->u[i] / s->p->limit[i % s->controls];
    if (result.stop != KL_CONTROL_RUNS) kl_control_queue_finish(s->all, start, &result, s->drawn, n, 0);
}

/* A whole start. */
static bool one_round(void *solver, int thread)
{
    struct solver *s = solver;
    const int start = kl_control_queue_take(s->all, 0);
    if (start >= 0) run_start(s, start, thread);
    return start >= 0;
}

const struct kl_control_solver kl_control_krotov = { sizeof(struct solver), open_solver, one_round,
                                                     close_solver };
