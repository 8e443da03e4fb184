/* SPDX-License-Identifier: MIT
   Tasks of a family in the lanes of an adaptation, for training in either precision and for judging. */
#include <math.h>

#include "control/meta/meta_train.h"
#include "kernels/inline/real.h"

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

static int make_pair(struct kl_control_batch *b, const struct kl_control_net *net, double limit,
                     size_t n, struct kl_error *err)
{
    const struct kl_control_family *f = b->family;
    const struct kl_control_system_options o = { .controls = net->shape.controls };
    const double g = fmax(0.001, f->dephasing.high), r = fmax(0.001, f->relaxation.high);
    struct kl_control_target target;
    int code = kl_control_system_make(&b->system, "two-qubits", &o, err);
    if (!code) code = kl_control_target_gate(&target, "cz", 4, err);
    if (!code)
        code = kl_control_objective_make(&b->objective, &b->system,
                                         f->whole_gate ? KL_CONTROL_AVERAGE : KL_CONTROL_STATES, &target,
                                         err);
    if (code) return code;
    const struct kl_control_task most =
        pair_task(f, &b->system, (double[]){ g, r, 1.2 * g, 1.2 * r }, f->coupling.high,
                  fmax(fabs(f->detuning.low), fabs(f->detuning.high)), f->controls.high);
    const struct kl_control_any of = { &most, 1, n, net->shape.segments, f->duration, limit };
    return kl_control_plant_any(&b->plant, &b->system, &b->objective, &of, err);
}

void kl_control_batch_close(struct kl_control_batch *b)
{
    if (b->family && b->family->two_qubits) kl_control_plant_any_close(&b->plant);
    kl_control_system_free(&b->system);
    kl_control_objective_free(&b->objective);
    b->family = NULL;
}

int kl_control_batch_make(struct kl_control_batch *b, const struct kl_control_net *net,
                          const struct kl_control_inner *inner, const struct kl_control_family *family,
                          double limit, size_t n, struct kl_arena *memory, struct kl_error *err)
{
    const struct kl_bloch bloch = kl_control_family_bloch(family, net->shape.segments, family->duration);
    *b = (struct kl_control_batch){ .family = family };
    int code = kl_control_adapt_make(&b->adapt, net, inner, n, memory, err);
    if (!code && family->two_qubits) code = make_pair(b, net, limit, n, err);
    else if (!code)
        code = kl_control_plant_make(&b->plant, &bloch, n, limit, family->controls.high,
                                     kl_control_family_rates(family), memory, err);
    if (code) return code;
    if (!family->two_qubits) b->plant.constant = 0.5;
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
    if (b->family->two_qubits) {
        const double rates[4] = { task->theta[0], task->theta[1], task->second[0], task->second[1] };
        const struct kl_control_task t =
            pair_task(b->family, &b->system, rates, task->coupling, task->detuning, task->controls);
        kl_control_plant_any_set(&b->plant, lane, &t);
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
    if (b->family->two_qubits) kl_control_plant_any_count(&b->plant, count);
}

void kl_control_batch_gradient(kl_real *grad, double sums[2], struct kl_control_batch *b,
                               const kl_real *params, size_t count)
{
    const bool adapts = b->adapt.inner.method != KL_CONTROL_UNADAPTED;
    const kl_real *before = b->adapt.loss,
                  *after = before + (adapts ? (size_t)b->adapt.inner.steps * b->adapt.n : 0);
    kl_control_adapt_run(&b->adapt, params, &b->plant, true);
    kl_control_adapt_meta(grad, &b->adapt, params, &b->plant, b->weight);
    sums[0] = sums[1] = 0;
    for (size_t l = 0; l < count; l++) sums[0] += (double)before[l], sums[1] += (double)after[l];
}
