/* SPDX-License-Identifier: MIT
   The circuit's weights by the natural gradient (Stokes, Izaac, Killoran & Carleo 2020,
   arXiv:1909.02108), whose metric is averaged over the samples of the batch. */
#include "head/natural.h"

int kl_head_natural_take(struct kl_natural *natural, const struct kl_metric *metric, size_t n,
                         struct kl_arena *arena, struct kl_error *err)
{
    *natural = (struct kl_natural){ .metric = metric };
    if (!metric) return 0;
    const size_t groups = (n + KL_CIRCUIT_GROUP - 1) / KL_CIRCUIT_GROUP,
                 count = groups * metric->shape.size;
    natural->sums = kl_arena_take(arena, count, sizeof *natural->sums);
    natural->step = kl_arena_take(arena, metric->shape.n, sizeof *natural->step);
    return natural->sums && natural->step ? 0 : kl_fail_memory(err, count * sizeof *natural->sums);
}

int kl_head_natural_rows(const struct kl_natural *natural, const struct kl_head_batch_f32 *batch,
                         const struct kl_head_model *model, const float *params, size_t from, size_t to,
                         struct kl_head_work *work, struct kl_error *err)
{
    const float *angles = batch->y.reduce[model->n_reduce - 1] + from * model->n_angles;
    kl_arena_reset(&work->circuit);
    return kl_circuit_metric_sums_f32(
        natural->sums + from / KL_CIRCUIT_GROUP * natural->metric->shape.size, natural->metric, angles,
        params + model->block.tensors[model->vqc].offset, to - from, &work->circuit, err);
}

void kl_head_natural_update(float *params, const struct kl_natural *natural, const float *grad,
                            const struct kl_head_model *model, size_t n_rows,
                            const struct kl_optimizer *o, double scale, double rate)
{
    const struct kl_nn_skyline *e = &natural->metric->shape;
    const size_t offset = model->block.tensors[model->vqc].offset,
                 groups = (n_rows + KL_CIRCUIT_GROUP - 1) / KL_CIRCUIT_GROUP;
    double *mean = natural->sums, *step = natural->step;
    for (size_t g = 1; g < groups; g++)
        for (size_t k = 0; k < e->size; k++) mean[k] += natural->sums[g * e->size + k];
    for (size_t k = 0; k < e->size; k++) mean[k] /= (double)n_rows;
    for (size_t i = 0; i < e->n; i++)
        step[i] = scale * grad[offset + i] + o->weight_decay * params[offset + i];
    kl_nn_skyline_solve(step, mean, e, o->natural_lambda);
    for (size_t i = 0; i < e->n; i++) params[offset + i] -= (float)(rate * step[i]);
}
