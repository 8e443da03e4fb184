/* SPDX-License-Identifier: MIT
   One qubit as what a network controls: a task a lane, each with its rates, its detuning, its factor of
   the amplitudes and its target. */
#include <math.h>

#include "control/meta/meta.h"
#include "kernels/bloch.h"
#include "kernels/inline/real.h"

/* to = amplitude * from. */
static void scale_controls(kl_real *to, const struct kl_control_plant *p, const kl_real *from)
{
    const size_t rows = (size_t)(p->bloch.segments * p->bloch.controls);
    for (size_t i = 0; i < rows; i++)
        for (size_t t = 0; t < p->n; t++) to[i * p->n + t] = p->amplitude[t] * from[i * p->n + t];
}

static void gradient(const struct kl_control_plant *p, kl_real *loss, kl_real *grad_u, const kl_real *u)
{
    if (p->amplitude) scale_controls(p->scaled, p, u);
    kl_kernel_bloch_gradient(loss, grad_u, NULL, NULL, p->amplitude ? p->scaled : u, p->params,
                             p->weights, &p->bloch, p->n, p->work);
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
