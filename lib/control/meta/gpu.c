/* SPDX-License-Identifier: MIT
   What a network controls on a GPU, all lanes in one launch, in the network's precision: one qubit
   (kernels/cuda_bloch.h), losses, gradients and their derivatives; any system (kernels/cuda_pulses.h),
   losses and gradients. The network stays on the CPU. */
#include "control/meta/meta.h"

#include <math.h>
#include <string.h>

#include "control/model/engine.h"
#include "kernels/cuda.h"
#include "kernels/device.h"
#include "kernels/inline/real.h"

struct gpu {
    struct kl_error failed; /* the first call that failed; none follows it */
    int device;
    /* One qubit; NULL: any system, of which is what follows. */
    const struct kl_cuda_bloch_calls *bloch_calls;
    struct kl_cuda_bloch *bloch;
    const struct kl_cuda_pulses_calls *calls;
    const struct kl_control_objective *objective;
    struct kl_control_engine e;    /* its description alone */
    struct kl_cuda_pulses *pulses; /* opened when first asked */
    size_t n, rows;                /* rows: numbers of a pulse */
    double *params, *amplitude;    /* of lanes: [n][params], [n] */
    double *u, *v, *gradient; /* [n][rows]; v: shares of limits, while u has the amplitudes; or NULL */
    struct kl_cuda_pulse_result *results;
};

/* ---- one qubit ---- */
int kl_control_plant_gpu_qubit(struct kl_control_plant *plant, const struct kl_device *device,
                               struct kl_arena *memory, struct kl_error *err)
{
    struct gpu *c = kl_arena_take(memory, 1, sizeof *c);
    if (!c) return kl_fail_memory(err, sizeof *c);
    *c = (struct gpu){ .bloch_calls = device->cuda->bloch };
    plant->context = c;
    return c->bloch_calls->open(&c->bloch, &plant->bloch, plant->n, sizeof(kl_real) == sizeof(float),
                                device->number, err);
}

/* Behind a failure zeros. */
static void ask_qubit(const struct kl_control_plant *p, kl_real *loss, kl_real *to,
                      const struct kl_cuda_bloch_at *at)
{
    struct gpu *c = (struct gpu *)p->context;
    if (!c->failed.code) c->failed.code = c->bloch_calls->at(c->bloch, at, &c->failed);
    if (!c->failed.code) return;
    if (loss) memset(loss, 0, p->n * sizeof *loss);
    if (to) memset(to, 0, (size_t)(p->bloch.segments * p->bloch.controls) * p->n * sizeof *to);
}

void kl_control_plant_gpu_gradient(const struct kl_control_plant *p, kl_real *loss, kl_real *grad_u,
                                   const kl_real *u)
{
    const struct kl_cuda_bloch_at at = {
        .u = u, .params = p->params, .weights = p->weights, .loss = loss, .grad_u = grad_u
    };
    ask_qubit(p, loss, grad_u, &at);
}

void kl_control_plant_gpu_tangent(const struct kl_control_plant *p, kl_real *dgrad_u, const kl_real *u,
                                  const kl_real *du)
{
    const struct kl_cuda_bloch_at at = {
        .u = u, .du = du, .params = p->params, .weights = p->weights, .dgrad_u = dgrad_u
    };
    ask_qubit(p, NULL, dgrad_u, &at);
}

/* ---- any system ---- */
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
static int open_pulses(struct gpu *c, struct kl_error *err)
{
    const double share = 1;
    double one[KL_CONTROL_MAX_CONTROLS];
    for (int k = 0; k < c->e.g.controls; k++) one[k] = 1;
    const struct kl_cuda_pulse problem = {
        .g = c->e.g,
        .norm = c->e.norm / c->e.g.substeps,
        .start = c->objective->start,
        .weights = c->objective->weights,
        .constant = c->objective->constant,
        .tasks = (int32_t)c->n,
        .members = 1,
        .params = c->params,
        .amplitude = c->amplitude,
        .share = &share,
        .limit = one,
        .low = c->u,
        .high = c->u,
        .method = KL_CUDA_PULSE_POINTS,
        .single = sizeof(kl_real) == sizeof(float),
    };
    return c->calls->open(&c->pulses, &problem, NULL, c->n, c->device, err);
}

static void ask(struct gpu *c)
{
    const struct kl_cuda_pulse_points at = { .params = c->params,
                                             .amplitude = c->amplitude,
                                             .points = c->u,
                                             .gradients = c->gradient,
                                             .results = c->results };
    if (!c->failed.code && !c->pulses) c->failed.code = open_pulses(c, &c->failed);
    if (!c->failed.code) c->failed.code = c->calls->at(c->pulses, &at, &c->failed);
}

/* All lanes' shares become amplitudes; and the gradient's way back. */
static void play(struct gpu *c)
{
    memcpy(c->v, c->u, c->n * c->rows * sizeof *c->u);
    for (size_t t = 0; t < c->n; t++)
        kl_control_shares_play(c->u + t * c->rows, c->e.system, c->e.g.segments);
}
static void back(struct gpu *c)
{
    for (size_t t = 0; t < c->n; t++)
        kl_control_shares_back(c->gradient + t * c->rows, c->v + t * c->rows, c->e.system,
                               c->e.g.segments);
}

static void gradient(const struct kl_control_plant *p, kl_real *loss, kl_real *grad_u, const kl_real *u)
{
    struct gpu *c = (struct gpu *)p->context;
    transpose(c->u, c, u);
    if (c->v) play(c);
    ask(c);
    if (c->v) back(c);
    for (size_t t = 0; t < c->n; t++) loss[t] = (kl_real)c->results[t].loss;
    if (grad_u) transpose_back(grad_u, c, c->gradient);
}

void kl_control_plant_gpu_set(struct kl_control_plant *plant, size_t lane,
                              const struct kl_control_task *task)
{
    struct gpu *c = (struct gpu *)plant->context;
    const size_t params = (size_t)c->e.g.params;
    c->amplitude[lane] = task->amplitude;
    memcpy(c->params + lane * params, task->params, params * sizeof *c->params);
}

int kl_control_plant_gpu_code(const struct kl_control_plant *plant, struct kl_error *err)
{
    const struct gpu *c = plant->context;
    return c->failed.code ? kl_fail(err, c->failed.code, "%s", c->failed.text) : KL_OK;
}

/* ---- memory ---- */
static int take(struct gpu *c, bool shares, struct kl_arena *memory, struct kl_error *err)
{
    const size_t numbers = c->n * c->rows, size = sizeof(double);
    c->params = kl_arena_take(memory, c->n * (size_t)c->e.g.params, size);
    c->amplitude = kl_arena_take(memory, c->n, size);
    c->u = kl_arena_take(memory, numbers, size);
    if (shares) c->v = kl_arena_take(memory, numbers, size);
    c->gradient = kl_arena_take(memory, numbers, size);
    c->results = kl_arena_take(memory, c->n, sizeof *c->results);
    if (!c->params || !c->amplitude || !c->u || (shares && !c->v) || !c->gradient || !c->results)
        return kl_fail_memory(err, 3 * numbers * size);
    memset(c->gradient, 0, numbers * size);
    memset(c->results, 0, c->n * sizeof *c->results);
    return KL_OK;
}

int kl_control_plant_gpu(struct kl_control_plant *plant, const struct kl_control_system *system,
                         const struct kl_control_objective *objective, const struct kl_control_any *of,
                         const struct kl_device *device, struct kl_arena *memory, struct kl_error *err)
{
    struct gpu *c = kl_arena_take(memory, 1, sizeof *c);
    double most[KL_CONTROL_MAX_CONTROLS], params[KL_CONTROL_MAX_PARAMS] = { 0 };
    *plant =
        (struct kl_control_plant){ .gradient = gradient, .n = of->n, .limit = of->limit, .context = c };
    if (!c) return kl_fail_memory(err, sizeof *c);
    *c = (struct gpu){
        .calls = device->cuda->pulses, .objective = objective, .device = device->number, .n = of->n
    };
    for (int k = 0; k < system->n_controls; k++)
        most[k] = kl_control_any_most(of, system, k) * of->tasks->amplitude;
    for (int j = 0; j < system->n_params; j++) params[j] = fabs(of->tasks->params[j]);
    int code = kl_control_engine_describe(&c->e, system, KL_LIOUVILLE_SPARSE, of->segments, of->duration,
                                          most, params, err);
    if (code) return code;
    c->e.g.columns = objective->columns;
    c->rows = (size_t)(of->segments * system->n_controls);
    code = take(c, of->shares, memory, err);
    for (size_t t = 0; t < of->n && !code; t++) kl_control_plant_gpu_set(plant, t, of->tasks);
    return code;
}

void kl_control_plant_gpu_close(struct kl_control_plant *plant)
{
    struct gpu *c = (struct gpu *)plant->context;
    if (!c) return;
    if (c->bloch) c->bloch_calls->close(&c->bloch);
    if (c->pulses) c->calls->close(&c->pulses);
    kl_control_engine_close(&c->e);
    plant->context = NULL;
}
