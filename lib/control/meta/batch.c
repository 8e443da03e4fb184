/* SPDX-License-Identifier: MIT
   Tasks of a family in the lanes of an adaptation, and the systems that they control there, for
   training in either precision and for judging. */
#include "control/meta/meta_train.h"

#include <math.h>
#include <stdlib.h>

#include "control/meta/meta.h"
#include "control/model/engine.h"
#include "kernels/bloch.h"
#include "kernels/device.h"
#include "kernels/inline/real.h"

/* ---- one qubit ----
   One qubit as what a network controls: a task a lane, each with its rates, its detuning, its factor of
   the amplitudes and its target. */

/* to = amplitude * from. */
static void scale_controls(kl_real *to, const struct kl_control_plant *p, const kl_real *from)
{
    const size_t rows = (size_t)(p->bloch.segments * p->bloch.controls);
    for (size_t i = 0; i < rows; i++)
        for (size_t t = 0; t < p->n; t++) to[i * p->n + t] = p->amplitude[t] * from[i * p->n + t];
}

static void gradient(const struct kl_control_plant *p, kl_real *loss, kl_real *grad_u, const kl_real *u)
{
    if (p->amplitude) scale_controls(p->scaled, p, u), u = p->scaled;
    if (p->context) kl_control_plant_gpu_gradient(p, loss, grad_u, u);
    else
        kl_kernel_bloch_gradient(loss, grad_u, NULL, NULL, u, p->params, p->weights, &p->bloch, p->n,
                                 p->work);
    if (p->amplitude && grad_u) scale_controls(grad_u, p, grad_u);
    for (size_t t = 0; t < p->n; t++) loss[t] += (kl_real)p->constant;
}

static void tangent(const struct kl_control_plant *p, kl_real *dgrad_u, const kl_real *u,
                    const kl_real *du)
{
    const size_t count = (size_t)(p->bloch.segments * p->bloch.controls) * p->n;
    kl_real *dloss = p->scaled + 2 * count;
    if (p->amplitude) {
        scale_controls(p->scaled, p, u), scale_controls(p->scaled + count, p, du);
        u = p->scaled, du = p->scaled + count;
    }
    if (p->context) kl_control_plant_gpu_tangent(p, dgrad_u, u, du);
    else
        kl_kernel_bloch_tangent(dloss, dgrad_u, NULL, NULL, NULL, u, du, p->params, NULL, p->weights,
                                &p->bloch, p->n, p->work);
    if (p->amplitude) scale_controls(dgrad_u, p, dgrad_u);
}

int kl_control_plant_make(struct kl_control_plant *plant, const struct kl_bloch *bloch, size_t n,
                          double limit, double factor, double rates, struct kl_arena *memory,
                          struct kl_error *err)
{
    const size_t count = (size_t)(bloch->segments * bloch->controls) * n, size = sizeof(kl_real);
    *plant = (struct kl_control_plant){
        .gradient = gradient, .tangent = tangent, .n = n, .limit = limit, .bloch = *bloch
    };
    const double norm = bloch->dt * (2 * sqrt(2) * limit * factor + rates);
    if (!(norm <= KL_CONTROL_PLANT_NORM))
        return kl_fail(err, KL_EUSAGE,
                       "a segment of %g: found a norm of %g by the family's rates, detunings and limit, "
                       "expected at most %d; give more segments, a shorter pulse or smaller ranges",
                       bloch->dt, norm, KL_CONTROL_PLANT_NORM);
    plant->bloch.substeps = kl_bloch_substeps(norm);
    plant->params = kl_arena_take(memory, KL_BLOCH_PARAMS * n, size);
    plant->amplitude = kl_arena_take(memory, n, size);
    plant->weights = kl_arena_take(memory, (size_t)bloch->columns * 3 * n, size);
    plant->scaled = kl_arena_take(memory, 2 * count + n, size);
    plant->work = kl_arena_take(memory, kl_bloch_work(&plant->bloch), size);
    if (plant->params && plant->amplitude && plant->weights && plant->scaled && plant->work)
        return KL_OK;
    return kl_fail_memory(err, (2 * count + kl_bloch_work(&plant->bloch)) * size);
}

/* ---- any system ----
   Any system as what a network controls, by kernels/liouville.h: the lanes' pulses one after another, in
   the precision of the network. Lanes behind the tasks have what the last task has. */

struct any {
    struct kl_control_engine e;
    size_t count;
    kl_real *start, *weights; /* of the objective */
    kl_real *u, *grad;        /* of one lane [rows] */
    double *v, *by_v;         /* the same in double, of shares of limits; else NULL */
    kl_real *params;          /* [n][params] */
    kl_real *amplitude;       /* [n] */
};

/* A lane's amplitudes without the factor. */
static void play_lane(struct any *a, const kl_real *u, size_t n, size_t t)
{
    const size_t rows = (size_t)(a->e.g.segments * a->e.g.controls);
    for (size_t i = 0; i < rows; i++) a->u[i] = u[i * n + t];
    if (!a->v) return;
    for (size_t i = 0; i < rows; i++) a->v[i] = a->by_v[i] = (double)a->u[i];
    kl_control_shares_play(a->by_v, a->e.system, a->e.g.segments);
    for (size_t i = 0; i < rows; i++) a->u[i] = (kl_real)a->by_v[i];
}

/* Its gradient by what was played. */
static void back_lane(struct any *a)
{
    const size_t rows = (size_t)(a->e.g.segments * a->e.g.controls);
    if (!a->v) return;
    for (size_t i = 0; i < rows; i++) a->by_v[i] = (double)a->grad[i];
    kl_control_shares_back(a->by_v, a->v, a->e.system, a->e.g.segments);
    for (size_t i = 0; i < rows; i++) a->grad[i] = (kl_real)a->by_v[i];
}

static void gradient_of_any(const struct kl_control_plant *p, kl_real *loss, kl_real *grad_u,
                            const kl_real *u)
{
    struct any *a = (struct any *)p->context;
    const struct kl_liouville *g = &a->e.g;
    const size_t rows = (size_t)(g->segments * g->controls), n = p->n;
    for (size_t t = 0; t < n; t++) {
        if (t < a->count) {
            play_lane(a, u, n, t);
            for (size_t i = 0; i < rows; i++) a->u[i] *= a->amplitude[t];
            const double value = kl_kernel_liouville_gradient(grad_u ? a->grad : NULL, NULL, NULL, a->u,
                                                              a->params + t * (size_t)g->params,
                                                              a->start, a->weights, g, a->e.work);
            loss[t] = (kl_real)(a->e.constant + value);
            for (size_t i = 0; grad_u && i < rows; i++) a->grad[i] *= a->amplitude[t];
            if (grad_u) back_lane(a);
        } else loss[t] = loss[t - 1];
        for (size_t i = 0; grad_u && i < rows; i++) grad_u[i * n + t] = a->grad[i];
    }
}

static kl_real *copy(const double *from, size_t n)
{
    kl_real *to = aligned_alloc(64, (n * sizeof *to + 63) / 64 * 64);
    for (size_t i = 0; to && i < n; i++) to[i] = (kl_real)from[i];
    return to;
}

/* The most that the engine's substeps have to be enough for. */
static int open_engine(struct any *a, const struct kl_control_system *system,
                       const struct kl_control_objective *objective, const struct kl_control_any *of,
                       struct kl_error *err)
{
    double most[KL_CONTROL_MAX_CONTROLS], params[KL_CONTROL_MAX_PARAMS] = { 0 }, factor = 0;
    for (size_t t = 0; t < of->count; t++) {
        if (of->tasks[t].amplitude > factor) factor = of->tasks[t].amplitude;
        for (int j = 0; j < system->n_params; j++) {
            const double x =
                of->tasks[t].params[j] < 0 ? -of->tasks[t].params[j] : of->tasks[t].params[j];
            if (x > params[j]) params[j] = x;
        }
    }
    for (int k = 0; k < system->n_controls; k++) most[k] = kl_control_any_most(of, system, k) * factor;
    const int code =
        kl_control_engine_open(&a->e, system, objective, of->segments, of->duration, most, params, err);
    if ((code && code != KL_ENOMEM) || a->e.g.substeps <= kl_liouville_substeps(KL_CONTROL_PLANT_NORM))
        return code;
    return kl_fail(err, KL_EUSAGE,
                   "a segment of %g: found a norm of about %g by the family's rates, couplings and "
                   "limit, expected at most %d; give more segments, a shorter pulse or smaller ranges",
                   a->e.g.dt, 2.0 * a->e.g.substeps, KL_CONTROL_PLANT_NORM);
}

int kl_control_plant_any(struct kl_control_plant *plant, const struct kl_control_system *system,
                         const struct kl_control_objective *objective, const struct kl_control_any *of,
                         struct kl_error *err)
{
    struct any *a = calloc(1, sizeof *a);
    *plant = (struct kl_control_plant){
        .gradient = gradient_of_any, .n = of->n, .limit = of->limit, .context = a
    };
    if (!a) return kl_fail_memory(err, sizeof *a);
    const int code = open_engine(a, system, objective, of, err);
    if (code) return code;
    const size_t size = (size_t)(a->e.g.dim * a->e.g.columns),
                 rows = (size_t)(a->e.g.segments * a->e.g.controls), params = (size_t)a->e.g.params;
    a->count = of->count;
    a->start = copy(a->e.start, size), a->weights = copy(a->e.weights, size);
    a->u = calloc(rows, sizeof *a->u), a->grad = calloc(rows, sizeof *a->grad);
    if (of->shares) a->v = calloc(2 * rows, sizeof *a->v), a->by_v = a->v ? a->v + rows : NULL;
    a->params = calloc(of->n * params + 1, sizeof *a->params);
    a->amplitude = calloc(of->n, sizeof *a->amplitude);
    if (!a->start || !a->weights || !a->u || !a->grad || !a->params || !a->amplitude ||
        (of->shares && !a->v))
        return kl_fail_memory(err, 2 * size * sizeof(kl_real));
    for (size_t t = 0; t < of->count; t++) kl_control_plant_any_set(plant, t, &of->tasks[t]);
    return KL_OK;
}

void kl_control_plant_any_set(struct kl_control_plant *plant, size_t lane,
                              const struct kl_control_task *task)
{
    struct any *a = (struct any *)plant->context;
    const size_t params = (size_t)a->e.g.params;
    a->amplitude[lane] = (kl_real)task->amplitude;
    for (size_t j = 0; j < params; j++) a->params[lane * params + j] = (kl_real)task->params[j];
}

void kl_control_plant_any_count(struct kl_control_plant *plant, size_t count)
{
    ((struct any *)plant->context)->count = count;
}
void kl_control_plant_any_close(struct kl_control_plant *plant)
{
    struct any *a = (struct any *)plant->context;
    if (!a) return;
    kl_control_engine_close(&a->e);
    free(a->start), free(a->weights), free(a->u), free(a->grad), free(a->params), free(a->amplitude);
    free(a->v), free(a);
    plant->context = NULL;
}

/* ---- tasks in lanes ---- */
/* Parameters of two qubits in the system's order; dz alike. */
static struct kl_control_task pair_task(const struct kl_control_family *f,
                                        const struct kl_control_system *s, const double rates[4],
                                        double coupling, double detuning, double amplitude)
{
    const int relaxes = f->jump_up ? 2 : 1; /* gamma_up or gamma_down of a qubit */
    struct kl_control_task t;
    kl_control_task_default(&t, s);
    for (int j = 0; j < 6; j++) t.params[j] = 0;
    t.params[0] = rates[0], t.params[relaxes] = rates[1];
    t.params[3] = rates[2], t.params[3 + relaxes] = rates[3];
    t.params[6] = coupling * s->params[6].value;
    t.params[7] = t.params[8] = detuning;
    t.amplitude = amplitude;
    return t;
}

/* The largest task of each kind of number. */
static struct kl_control_task most_of(const struct kl_control_batch *b)
{
    const struct kl_control_family *f = b->family;
    const double g = fmax(0.001, f->dephasing.high), r = fmax(0.001, f->relaxation.high),
                 detuning = fmax(fabs(f->detuning.low), fabs(f->detuning.high));
    if (f->setup) return kl_control_family_system_most(f);
    return pair_task(f, &b->system, (double[]){ g, r, 1.2 * g, 1.2 * r }, f->coupling.high, detuning,
                     f->controls.high);
}

/* Two qubits as any system, and what is asked of them. */
static int make_pair(struct kl_control_batch *b, int controls, struct kl_error *err)
{
    const struct kl_control_system_options o = { .controls = controls };
    struct kl_control_target target;
    int code = kl_control_system_make(&b->system, "two-qubits", &o, err);
    if (!code) code = kl_control_target_gate(&target, "cz", 4, err);
    return code ? code
                : kl_control_objective_make(
                      &b->objective, &b->system,
                      b->family->whole_gate ? KL_CONTROL_AVERAGE : KL_CONTROL_STATES, &target, err);
}

static int make_any(struct kl_control_batch *b, const struct kl_control_net *net, double limit, size_t n,
                    const struct kl_device *device, struct kl_arena *memory, struct kl_error *err)
{
    const struct kl_control_setup *setup = b->family->setup;
    const int code = setup ? KL_OK : make_pair(b, net->shape.controls, err);
    if (code) return code;
    const struct kl_control_task most = most_of(b);
    const struct kl_control_any of = {
        &most, 1, n, net->shape.segments, b->family->duration, limit, setup != NULL
    };
    const struct kl_control_system *system = setup ? &setup->system : &b->system;
    const struct kl_control_objective *objective = setup ? &setup->objective : &b->objective;
    return b->on_gpu ? kl_control_plant_gpu(&b->plant, system, objective, &of, device, memory, err)
                     : kl_control_plant_any(&b->plant, system, objective, &of, err);
}

/* Is its plant that of any system? */
static bool is_any(const struct kl_control_batch *b)
{
    return b->family->two_qubits || b->family->setup;
}

static int make_qubit(struct kl_control_batch *b, const struct kl_control_net *net, double limit,
                      size_t n, const struct kl_device *device, struct kl_arena *memory,
                      struct kl_error *err)
{
    const struct kl_control_family *f = b->family;
    const struct kl_bloch bloch = kl_control_family_bloch(f, net->shape.segments, f->duration);
    int code = kl_control_plant_make(&b->plant, &bloch, n, limit, f->controls.high,
                                     kl_control_family_rates(f), memory, err);
    b->plant.constant = 0.5;
    if (!code && b->on_gpu) code = kl_control_plant_gpu_qubit(&b->plant, device, memory, err);
    return code;
}

void kl_control_batch_close(struct kl_control_batch *b)
{
    if (b->on_gpu) kl_control_plant_gpu_close(&b->plant);
    else if (b->family && is_any(b)) kl_control_plant_any_close(&b->plant);
    kl_control_system_free(&b->system);
    kl_control_objective_free(&b->objective);
    b->family = NULL;
}

int kl_control_batch_make(struct kl_control_batch *b, const struct kl_control_net *net,
                          const struct kl_control_inner *inner, const struct kl_control_family *family,
                          double limit, size_t n, const struct kl_device *device,
                          struct kl_arena *memory, struct kl_error *err)
{
    *b = (struct kl_control_batch){ .family = family, .on_gpu = device && device->cuda };
    int code = kl_control_adapt_make(&b->adapt, net, inner, n, memory, err);
    if (!code) code = (is_any(b) ? make_any : make_qubit)(b, net, limit, n, device, memory, err);
    if (code) return code;
    b->weight = kl_arena_take(memory, n, sizeof *b->weight);
    return b->weight ? KL_OK : kl_fail_memory(err, n * sizeof *b->weight);
}

void kl_control_batch_set(struct kl_control_batch *b, size_t lane,
                          const struct kl_control_meta_task *task, const double *features)
{
    const size_t n = b->adapt.n;
    double weights[9];
    for (size_t i = 0; i < (size_t)b->adapt.net->size[0]; i++)
        b->adapt.x[i * n + lane] = (kl_real)features[i];
    if (is_any(b)) {
        const double rates[4] = { task->theta[0], task->theta[1], task->second[0], task->second[1] };
        const struct kl_control_task t = b->family->setup
                                             ? kl_control_family_member(b->family, task)
                                             : pair_task(b->family, &b->system, rates, task->coupling,
                                                         task->detuning, task->controls);
        if (b->on_gpu) kl_control_plant_gpu_set(&b->plant, lane, &t);
        else kl_control_plant_any_set(&b->plant, lane, &t);
        return;
    }
    kl_control_family_weights(weights, b->family, task);
    for (size_t i = 0; i < KL_BLOCH_PARAMS; i++) b->plant.params[i * n + lane] = (kl_real)task->rates[i];
    for (int i = 0; i < 3 * b->plant.bloch.columns; i++)
        b->plant.weights[(size_t)i * n + lane] = (kl_real)weights[i];
    b->plant.amplitude[lane] = (kl_real)task->controls;
}

void kl_control_batch_fill(struct kl_control_batch *b, struct kl_control_task_id id, size_t count,
                           double weight)
{
    const uint32_t first = id.number;
    struct kl_control_meta_task task;
    double features[KL_CONTROL_MAX_FEATURES];
    for (size_t l = 0; l < b->adapt.n; l++) {
        if (l < count) {
            id.number = first + (uint32_t)l;
            kl_control_family_draw(&task, b->family, &id);
            kl_control_family_features(features, b->family, &task, &id);
        }
        kl_control_batch_set(b, l, &task, features);
        b->weight[l] = l < count ? (kl_real)weight : 0;
    }
    if (is_any(b) && !b->on_gpu) kl_control_plant_any_count(&b->plant, count);
}

static int state(const struct kl_control_batch *b, struct kl_error *err)
{
    return b->on_gpu ? kl_control_plant_gpu_code(&b->plant, err) : KL_OK;
}

int kl_control_batch_adapt(struct kl_control_batch *b, const kl_real *params, struct kl_error *err)
{
    kl_control_adapt_run(&b->adapt, params, &b->plant, false);
    return state(b, err);
}

int kl_control_batch_gradient(kl_real *grad, double sums[2], struct kl_control_batch *b,
                              const kl_real *params, size_t count, struct kl_error *err)
{
    const bool adapts = b->adapt.inner.method != KL_CONTROL_UNADAPTED;
    const kl_real *before = b->adapt.loss,
                  *after = before + (adapts ? (size_t)b->adapt.inner.steps * b->adapt.n : 0);
    kl_control_adapt_run(&b->adapt, params, &b->plant, true);
    if (b->aggregate == KL_CONTROL_WORST)
        kl_control_worst(b->weight, after, (int)count, 1, KL_CONTROL_TASKS_SHARPNESS);
    else if (b->aggregate == KL_CONTROL_CVAR)
        kl_control_tail(b->weight, after, NULL, (int)count, 1, KL_CONTROL_TASKS_TAIL * (double)count);
    kl_control_adapt_meta(grad, &b->adapt, params, &b->plant, b->weight);
    sums[0] = sums[1] = 0;
    for (size_t l = 0; l < count; l++) sums[0] += (double)before[l], sums[1] += (double)after[l];
    return state(b, err);
}
