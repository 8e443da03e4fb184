/* SPDX-License-Identifier: MIT
   Any system as what a network controls, its pulses on a GPU (kernels/cuda_pulses.h): losses, gradients
   and their derivatives of all lanes in one launch, in the network's precision. The network stays on the
   CPU. */
#include "control/meta/meta.h"

#include <math.h>
#include <string.h>

#include "control/model/engine.h"
#include "kernels/cuda.h"
#include "kernels/device.h"
#include "kernels/inline/real.h"

struct gpu {
    const struct kl_cuda_pulses_calls *calls;
    const struct kl_control_objective *objective;
    struct kl_control_engine e;       /* its description alone */
    struct kl_cuda_pulses *pulses[2]; /* with products: the second; opened when first asked */
    int device;
    size_t n, rows;                      /* rows: numbers of a pulse */
    double *params, *amplitude, *share;  /* of lanes: [n][params], [n] */
    double *weights;                     /* [n][dim][columns] */
    double *u, *du, *gradient, *product; /* [n][rows] */
    struct kl_cuda_pulse_result *results;
    bool shares; /* pulses are shares of limits: these, while u has the amplitudes, are in du */
    struct kl_error failed; /* the first call that failed; none follows it */
};

/* ---- the plant ---- */
/* Lanes [rows][n] one after another, and back. */
static void transpose(double *to, const struct gpu *c, const kl_real *from)
{
    for (size_t t = 0; t < c->n; t++)
        for (size_t i = 0; i < c->rows; i++) to[t * c->rows + i] = (double)from[i * c->n + t];
}
static void transpose_back(kl_real *to, const struct gpu *c, const double *from)
{
    for (size_t i = 0; i < c->rows; i++)
        for (size_t t = 0; t < c->n; t++) to[i * c->n + t] = (kl_real)from[t * c->rows + i];
}

/* Controls are amplitudes, whose limit the network keeps: their unit is 1. */
static int open_pulses(struct kl_cuda_pulses **to, const struct gpu *c, int method, struct kl_error *err)
{
    double one[KL_CONTROL_MAX_CONTROLS];
    for (int k = 0; k < c->e.g.controls; k++) one[k] = 1;
    const struct kl_cuda_pulse problem = {
        .g = c->e.g,
        .norm = c->e.norm / c->e.g.substeps,
        .start = c->objective->start,
        .weights = c->weights,
        .constant = c->objective->constant,
        .tasks = (int32_t)c->n,
        .members = 1,
        .own_weights = 1,
        .params = c->params,
        .amplitude = c->amplitude,
        .share = c->share,
        .limit = one,
        .low = c->u,
        .high = c->u,
        .method = method,
        .single = sizeof(kl_real) == sizeof(float),
    };
    return c->calls->open(to, &problem, NULL, c->n, c->device, err);
}

static void ask(struct gpu *c, int method)
{
    struct kl_cuda_pulses **pulses = &c->pulses[method == KL_CUDA_PULSE_PRODUCTS];
    const struct kl_cuda_pulse_points at = { .params = c->params,
                                             .amplitude = c->amplitude,
                                             .weights = c->weights,
                                             .points = c->u,
                                             .along = c->du,
                                             .gradients = c->gradient,
                                             .products = c->product,
                                             .results = c->results };
    if (!c->failed.code && !*pulses) c->failed.code = open_pulses(pulses, c, method, &c->failed);
    if (!c->failed.code) c->failed.code = c->calls->at(*pulses, &at, &c->failed);
}

/* All lanes' shares become amplitudes; and the gradient's way back. */
static void play(struct gpu *c)
{
    memcpy(c->du, c->u, c->n * c->rows * sizeof *c->u);
    for (size_t t = 0; t < c->n; t++)
        kl_control_shares_play(c->u + t * c->rows, c->e.system, c->e.g.segments);
}
static void back(struct gpu *c)
{
    for (size_t t = 0; t < c->n; t++)
        kl_control_shares_back(c->gradient + t * c->rows, c->du + t * c->rows, c->e.system,
                               c->e.g.segments);
}

static void gradient(const struct kl_control_plant *p, kl_real *loss, kl_real *grad_u, const kl_real *u)
{
    struct gpu *c = (struct gpu *)p->context;
    transpose(c->u, c, u);
    if (c->shares) play(c);
    ask(c, KL_CUDA_PULSE_POINTS);
    if (c->shares) back(c);
    for (size_t t = 0; t < c->n; t++) loss[t] = (kl_real)c->results[t].loss;
    if (grad_u) transpose_back(grad_u, c, c->gradient);
}

static void tangent(const struct kl_control_plant *p, kl_real *dgrad_u, const kl_real *u,
                    const kl_real *du)
{
    struct gpu *c = (struct gpu *)p->context;
    transpose(c->u, c, u), transpose(c->du, c, du);
    ask(c, KL_CUDA_PULSE_PRODUCTS);
    transpose_back(dgrad_u, c, c->product);
}

void kl_control_plant_gpu_set(struct kl_control_plant *plant, size_t lane,
                              const struct kl_control_task *task, const double *target)
{
    struct gpu *c = (struct gpu *)plant->context;
    const struct kl_control_objective *o = c->objective;
    const size_t params = (size_t)c->e.g.params, columns = (size_t)o->columns, first = columns > 1;
    double *w = c->weights + lane * (size_t)c->e.g.dim * columns;
    c->amplitude[lane] = task->amplitude;
    memcpy(c->params + lane * params, task->params, params * sizeof *c->params);
    for (size_t k = first; target && k < columns; k++)
        for (size_t i = 0; i < 3; i++) w[(i + 1) * columns + k] = target[(k - first) * 3 + i];
}

int kl_control_plant_gpu_code(const struct kl_control_plant *plant, struct kl_error *err)
{
    const struct gpu *c = plant->context;
    return c->failed.code ? kl_fail(err, c->failed.code, "%s", c->failed.text) : KL_OK;
}

/* ---- memory ---- */
static int take(struct gpu *c, struct kl_arena *memory, struct kl_error *err)
{
    const size_t numbers = c->n * c->rows, size = sizeof(double),
                 matrix = (size_t)(c->e.g.dim * c->objective->columns);
    c->params = kl_arena_take(memory, c->n * (size_t)c->e.g.params, size);
    c->amplitude = kl_arena_take(memory, c->n, size), c->share = kl_arena_take(memory, 1, size);
    c->weights = kl_arena_take(memory, c->n * matrix, size);
    c->u = kl_arena_take(memory, numbers, size), c->du = kl_arena_take(memory, numbers, size);
    c->gradient = kl_arena_take(memory, numbers, size);
    c->product = kl_arena_take(memory, numbers, size);
    c->results = kl_arena_take(memory, c->n, sizeof *c->results);
    if (!c->params || !c->amplitude || !c->share || !c->weights || !c->u || !c->du || !c->gradient ||
        !c->product || !c->results)
        return kl_fail_memory(err, (4 * numbers + c->n * matrix) * size);
    memset(c->gradient, 0, numbers * size), memset(c->product, 0, numbers * size);
    memset(c->results, 0, c->n * sizeof *c->results);
    for (size_t t = 0; t < c->n; t++)
        memcpy(c->weights + t * matrix, c->objective->weights, matrix * size);
    *c->share = 1;
    return KL_OK;
}

int kl_control_plant_gpu(struct kl_control_plant *plant, const struct kl_control_system *system,
                         const struct kl_control_objective *objective, const struct kl_control_any *of,
                         const struct kl_device *device, struct kl_arena *memory, struct kl_error *err)
{
    struct gpu *c = kl_arena_take(memory, 1, sizeof *c);
    double most[KL_CONTROL_MAX_CONTROLS], params[KL_CONTROL_MAX_PARAMS] = { 0 };
    *plant = (struct kl_control_plant){ .gradient = gradient,
                                        .tangent = of->shares ? NULL : tangent,
                                        .n = of->n,
                                        .limit = of->limit,
                                        .context = c };
    if (!c) return kl_fail_memory(err, sizeof *c);
    *c = (struct gpu){ .calls = device->cuda->pulses,
                       .objective = objective,
                       .device = device->number,
                       .n = of->n,
                       .shares = of->shares };
    for (int k = 0; k < system->n_controls; k++)
        most[k] = kl_control_any_most(of, system, k) * of->tasks->amplitude;
    for (int j = 0; j < system->n_params; j++) params[j] = fabs(of->tasks->params[j]);
    int code = kl_control_engine_describe(&c->e, system, KL_LIOUVILLE_SPARSE, of->segments, of->duration,
                                          most, params, err);
    if (code) return code;
    c->e.g.columns = objective->columns;
    c->rows = (size_t)(of->segments * system->n_controls);
    code = take(c, memory, err);
    for (size_t t = 0; t < of->n && !code; t++) kl_control_plant_gpu_set(plant, t, of->tasks, NULL);
    return code;
}

void kl_control_plant_gpu_close(struct kl_control_plant *plant)
{
    struct gpu *c = (struct gpu *)plant->context;
    if (!c) return;
    for (int i = 0; i < 2; i++)
        if (c->pulses[i]) c->calls->close(&c->pulses[i]);
    kl_control_engine_close(&c->e);
    plant->context = NULL;
}
