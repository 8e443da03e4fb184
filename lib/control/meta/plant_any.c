/* SPDX-License-Identifier: MIT
   Any system as what a network controls, by kernels/liouville.h: the lanes' pulses one after another, in
   the precision of the network. Lanes behind the tasks have what the last task has. */
#include <stdlib.h>
#include <string.h>

#include "control/model/engine.h"
#include "control/meta/meta.h"
#include "kernels/inline/real.h"

struct any {
    struct kl_control_engine e;
    size_t count;
    kl_real *start, *weights; /* of the objective */
    kl_real *u, *grad;        /* of one lane [rows] */
    kl_real *params;          /* [n][params] */
    kl_real *amplitude;       /* [n] */
};

static void gradient(const struct kl_control_plant *p, kl_real *loss, kl_real *grad_u, const kl_real *u)
{
    const struct any *a = p->context;
    const struct kl_liouville *g = &a->e.g;
    const size_t rows = (size_t)(g->segments * g->controls), n = p->n;
    for (size_t t = 0; t < n; t++) {
        if (t < a->count) {
            for (size_t i = 0; i < rows; i++) a->u[i] = a->amplitude[t] * u[i * n + t];
            const double value = kl_kernel_liouville_gradient(grad_u ? a->grad : NULL, NULL, NULL, a->u,
                                                              a->params + t * (size_t)g->params,
                                                              a->start, a->weights, g, a->e.work);
            loss[t] = (kl_real)(a->e.constant + value);
            for (size_t i = 0; grad_u && i < rows; i++) a->grad[i] *= a->amplitude[t];
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
    for (int k = 0; k < system->n_controls; k++) most[k] = of->limit * factor;
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
    *plant =
        (struct kl_control_plant){ .gradient = gradient, .n = of->n, .limit = of->limit, .context = a };
    if (!a) return kl_fail_memory(err, sizeof *a);
    const int code = open_engine(a, system, objective, of, err);
    if (code) return code;
    const size_t size = (size_t)(a->e.g.dim * a->e.g.columns),
                 rows = (size_t)(a->e.g.segments * a->e.g.controls), params = (size_t)a->e.g.params;
    a->count = of->count;
    a->start = copy(a->e.start, size), a->weights = copy(a->e.weights, size);
    a->u = calloc(rows, sizeof *a->u), a->grad = calloc(rows, sizeof *a->grad);
    a->params = calloc(of->n * params + 1, sizeof *a->params);
    a->amplitude = calloc(of->n, sizeof *a->amplitude);
    if (!a->start || !a->weights || !a->u || !a->grad || !a->params || !a->amplitude)
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
    free(a);
    plant->context = NULL;
}
