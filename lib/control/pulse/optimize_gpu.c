/* SPDX-License-Identifier: MIT
   Optimisation from many starts on a GPU (kernels/cuda_pulses.h): whole searches, all starts and
   members side by side. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/model/engine.h"
#include "control/pulse/pulse_int.h"
#include "kernels/cuda.h"
#include "kernels/device.h"

enum { TRIALS = 32 /* points of each start in a launch, after which the watch is asked */ };
_Static_assert((int)KL_CONTROL_MAX_CONTROLS == (int)KL_CUDA_WAVEFORM_CONTROLS, "one of each control");
_Static_assert((int)KL_CONTROL_MEAN == (int)KL_CUDA_PULSE_MEAN &&
                   (int)KL_CONTROL_WORST == (int)KL_CUDA_PULSE_WORST &&
                   (int)KL_CONTROL_CVAR == (int)KL_CUDA_PULSE_CVAR,
               "aggregates have the same numbers");

struct gpu {
    const struct kl_control_problem *p;
    const struct kl_control_search *search;
    int tasks;
    struct kl_control_engine engine;    /* its description alone */
    struct kl_control_evaluator *e;     /* of bounds, and of starts as they are drawn */
    double *params, *amplitude, *share; /* of the members, in one piece of memory */
    double *weights;                    /* of members with targets of their own */
    struct kl_cuda_pulse_result *results;
    struct kl_cuda_pulses *pulses;
};

static int choose(int32_t *method, const struct gpu *c, struct kl_error *err)
{
    switch (kl_control_search_method(c->search, c->p, c->e)) {
    case KL_CONTROL_LBFGS: *method = KL_CUDA_PULSE_LBFGS; return KL_OK;
    case KL_CONTROL_NEWTON: *method = KL_CUDA_PULSE_NEWTON; return kl_control_need_hessian(c->e, err);
    case KL_CONTROL_ADAM: *method = KL_CUDA_PULSE_ADAM; return KL_OK;
    default:
        return kl_fail(err, KL_EUSAGE, "--method krotov: not on a GPU; give another, or --device cpu");
    }
}

/* The members' values side by side, of all tasks. */
static int take_members(struct gpu *c, struct kl_cuda_pulse *to, struct kl_error *err)
{
    const struct kl_control_problem *p = c->p;
    const size_t n = (size_t)(to->tasks * to->members), params = (size_t)p->system->n_params,
                 numbers = n * (params + 2);
    struct kl_control_task own;
    const struct kl_control_task *members = p->members && p->n_members > 0 ? p->members : &own;
    kl_control_task_default(&own, p->system);
    c->params = malloc(numbers * sizeof *c->params);
    if (!c->params) return kl_fail_memory(err, numbers * sizeof *c->params);
    c->amplitude = c->params + n * params, c->share = c->amplitude + n;
    for (size_t m = 0; m < n; m++) {
        for (size_t j = 0; j < params; j++) c->params[m * params + j] = members[m].params[j];
        c->amplitude[m] = members[m].amplitude;
        c->share[m] = p->weights && members != &own ? p->weights[m] : 1.0 / to->members;
    }
    to->params = c->params, to->amplitude = c->amplitude, to->share = c->share;
    return KL_OK;
}

/* Of members with targets of their own; those of one qubit stand in the rows of its Bloch vector. */
static int take_targets(struct gpu *c, struct kl_cuda_pulse *to, struct kl_error *err)
{
    const struct kl_control_problem *p = c->p;
    const size_t n = (size_t)(to->tasks * to->members), columns = (size_t)to->g.columns,
                 matrix = (size_t)to->g.dim * columns, first = columns > 1;
    if (!p->targets) return KL_OK;
    c->weights = malloc(n * matrix * sizeof *c->weights);
    if (!c->weights) return kl_fail_memory(err, n * matrix * sizeof *c->weights);
    for (size_t m = 0; m < n; m++) {
        double *w = c->weights + m * matrix;
        memcpy(w, p->objective->weights, matrix * sizeof *w);
        for (size_t k = first; k < columns; k++)
            for (size_t i = 0; i < 3; i++) w[(i + 1) * columns + k] = p->targets[m][(k - first) * 3 + i];
    }
    to->weights = c->weights, to->own_weights = 1;
    return KL_OK;
}

static void describe_waveform(struct kl_cuda_waveform *to, const struct kl_control_waveform *w)
{
    const struct kl_control_low_pass f = kl_control_waveform_low_pass(w);
    *to = (struct kl_cuda_waveform){ .samples = w->samples,
                                     .oversample = w->oversample,
                                     .count = w->count,
                                     .n = w->n,
                                     .zero_ends = w->zero_ends,
                                     .most = kl_control_waveform_change(w),
                                     .decay = f.decay,
                                     .mean = f.mean,
                                     .values = w->values };
    for (int k = 0; k < w->controls; k++) {
        struct kl_cuda_waveform_control *c = &to->control[k];
        c->first = w->first[k], c->partner = -1;
        c->kind = w->constant[k]                         ? KL_CUDA_WAVEFORM_CONSTANT
                  : w->functions == KL_CONTROL_PIECEWISE ? KL_CUDA_WAVEFORM_PIECEWISE
                                                         : KL_CUDA_WAVEFORM_FUNCTIONS;
        kl_control_waveform_range(&c->middle, &c->half, w, k);
    }
    for (int i = 0; i < w->n_moduli; i++) {
        to->control[w->moduli[i].x].partner = w->moduli[i].y;
        to->control[w->moduli[i].y].partner = w->moduli[i].x;
    }
}

static int describe(struct gpu *c, struct kl_cuda_pulse *to, struct kl_error *err)
{
    const struct kl_control_problem *p = c->p;
    double most[KL_CONTROL_MAX_CONTROLS], params[KL_CONTROL_MAX_PARAMS];
    kl_control_problem_largest(most, params, p);
    const int code = kl_control_engine_describe(&c->engine, p->system, KL_LIOUVILLE_SPARSE, p->segments,
                                                p->duration, most, params, err);
    if (code) return code;
    *to =
        (struct kl_cuda_pulse){ .g = c->engine.g,
                                .norm = c->engine.norm / c->engine.g.substeps,
                                .start = p->objective->start,
                                .weights = p->objective->weights,
                                .constant = p->objective->constant,
                                .tasks = c->tasks,
                                .members = p->members && p->n_members > 0 ? p->n_members / c->tasks : 1,
                                .aggregate = (int32_t)p->aggregate,
                                .sharpness = p->sharpness,
                                .tail = p->tail,
                                .energy = p->energy,
                                .limit = p->limit,
                                .low = kl_control_evaluator_low(c->e),
                                .high = kl_control_evaluator_high(c->e),
                                .rules = kl_control_search_rules(c->search) };
    to->g.columns = p->objective->columns;
    if (p->waveform && !kl_control_waveform_plain(p->waveform))
        describe_waveform(&to->waveform, p->waveform);
    const int members = take_members(c, to, err);
    return members ? members : take_targets(c, to, err);
}

/* All starts to their ends, of which each counts as many iterations as it may take. */
static int search(struct gpu *c, const struct kl_device *device, const struct kl_watch *watch,
                  struct kl_error *err)
{
    const size_t starts = (size_t)c->tasks * (size_t)c->search->starts,
                 each = (size_t)c->search->iterations;
    for (size_t done = 0; done < starts;) {
        if (kl_watch_step(watch, done * each, starts * each, "at most"))
            return kl_fail(err, KL_ESIGNAL, "stopped");
        const int code = device->cuda->pulses->go(c->pulses, TRIALS, &done, err);
        if (code) return code;
    }
    kl_watch_step(watch, starts * each, starts * each, NULL);
    return KL_OK;
}

static int run(struct gpu *c, struct kl_control_start *results, double *points, double *gradients,
               const struct kl_device *device, const struct kl_watch *watch, struct kl_error *err)
{
    const struct kl_cuda_pulses_calls *calls = device->cuda->pulses;
    const size_t of_task = (size_t)c->search->starts, starts = (size_t)c->tasks * of_task,
                 n = (size_t)kl_control_evaluator_size(c->e);
    struct kl_cuda_pulse problem;
    int32_t method;
    int code = choose(&method, c, err);
    if (!code) code = describe(c, &problem, err);
    if (code) return code;
    problem.method = method, problem.lr = c->search->lr;
    c->results = calloc(starts, sizeof *c->results);
    if (!c->results) return kl_fail_memory(err, starts * sizeof *c->results);
    for (size_t i = 0; i < starts; i++)
        kl_control_start_draw(points + i * n, 1, c->search, c->e, (int)(i % of_task));
    code = calls->open(&c->pulses, &problem, points, starts, device->number, err);
    if (!code) code = search(c, device, watch, err);
    if (!code) code = calls->get(c->pulses, c->results, points, gradients, err);
    for (size_t i = 0; i < starts && !code; i++)
        results[i] = (struct kl_control_start){ c->results[i].loss, c->results[i].iterations,
                                                c->results[i].evaluations,
                                                (enum kl_control_stop)c->results[i].stop };
    return code;
}

int kl_control_optimize_gpu(struct kl_control_start *results, double *points, double *gradients,
                            const struct kl_control_problem *problem, int tasks,
                            const struct kl_control_search *search, const struct kl_device *device,
                            const struct kl_watch *watch, struct kl_error *err)
{
    struct gpu c = { .p = problem, .search = search, .tasks = tasks };
    int code = kl_control_evaluator_open(&c.e, problem, err);
    if (!code) code = run(&c, results, points, gradients, device, watch, err);
    if (c.pulses) device->cuda->pulses->close(&c.pulses);
    kl_control_evaluator_close(&c.e);
    kl_control_engine_close(&c.engine);
    free(c.params), free(c.weights), free(c.results);
    return code;
}
