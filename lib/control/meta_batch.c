/* SPDX-License-Identifier: MIT
   Tasks of a family in the lanes of an adaptation, for training in either precision and for judging. */
#include "control/meta_train.h"
#include "kernels/inline/real.h"

int kl_control_batch_make(struct kl_control_batch *b, const struct kl_control_net *net,
                          const struct kl_control_inner *inner, const struct kl_control_family *family,
                          double limit, size_t n, struct kl_arena *memory, struct kl_error *err)
{
    const struct kl_bloch bloch = kl_control_family_bloch(family, net->shape.segments, family->duration);
    *b = (struct kl_control_batch){ .family = family };
    int code = kl_control_adapt_make(&b->adapt, net, inner, n, memory, err);
    if (!code)
        code = kl_control_plant_make(&b->plant, &bloch, n, limit, family->controls.high,
                                     kl_control_family_rates(family), memory, err);
    if (code) return code;
    b->plant.constant = 0.5;
    b->weight = kl_arena_take(memory, n, sizeof *b->weight);
    return b->weight ? KL_OK : kl_fail_memory(err, n * sizeof *b->weight);
}

void kl_control_batch_set(struct kl_control_batch *b, size_t lane,
                          const struct kl_control_meta_task *task, const double *features)
{
    const size_t n = b->adapt.n;
    double weights[9];
    kl_control_family_weights(weights, b->family, task);
    for (size_t i = 0; i < KL_BLOCH_PARAMS; i++) b->plant.params[i * n + lane] = (kl_real)task->rates[i];
    for (int i = 0; i < 3 * b->plant.bloch.columns; i++)
        b->plant.weights[(size_t)i * n + lane] = (kl_real)weights[i];
    b->plant.amplitude[lane] = (kl_real)task->controls;
    for (size_t i = 0; i < (size_t)b->adapt.net->size[0]; i++)
        b->adapt.x[i * n + lane] = (kl_real)features[i];
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
