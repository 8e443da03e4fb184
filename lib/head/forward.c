/* SPDX-License-Identifier: MIT
   The head forwards: reduction, core, classifier. */
#include <string.h>

#include "head/head_int.h"
#include "kernels/inline/real.h"

int kl_head_take(kl_real **values, struct kl_arena *arena, size_t count, struct kl_error *err)
{
    *values = kl_arena_take(arena, count, sizeof **values);
    return *values ? 0 : kl_fail_memory(err, count * sizeof **values);
}

int kl_head_values_take(struct kl_head_values *values, const struct kl_head_model *model, size_t n,
                        bool with_state, struct kl_arena *arena, struct kl_error *err)
{
    int code = 0;
    for (int i = 0; i < model->n_reduce && !code; i++)
        code = kl_head_take(&values->reduce[i], arena, n * model->reduce[i].d_out, err);
    for (int i = 0; i < model->n_head && !code; i++)
        code = kl_head_take(&values->head[i], arena, n * model->head[i].d_out, err);
    for (int i = 0; i < model->n_twin && !code; i++)
        code = kl_head_take(&values->twin[i], arena, n * model->twin[i].d_out, err);
    values->expval = model->n_twin ? values->twin[model->n_twin - 1] : NULL;
    values->state = NULL;
    if (!model->circuit) return code;
    if (!code) code = kl_head_take(&values->expval, arena, n * model->n_expval, err);
    if (!code && with_state)
        code = kl_head_take(&values->state, arena, kl_circuit_state_size(model->circuit, n), err);
    return code;
}

struct kl_head_values kl_head_values_at(struct kl_head_values v, const struct kl_head_model *model,
                                        size_t row)
{
    for (int i = 0; i < model->n_reduce; i++) v.reduce[i] += row * model->reduce[i].d_out;
    for (int i = 0; i < model->n_twin; i++) v.twin[i] += row * model->twin[i].d_out;
    for (int i = 0; i < model->n_head; i++) v.head[i] += row * model->head[i].d_out;
    if (v.expval) v.expval += row * model->n_expval;
    if (v.state) v.state += kl_circuit_state_size(model->circuit, row);
    return v;
}

/* One chain of linear layers. `first` numbers its layers for dropout. */
static void chain(kl_real *const *outputs, const struct kl_layer *layers, int n_layers, uint32_t first,
                  const struct kl_block *block, const kl_real *params, const kl_real *x, size_t n,
                  const struct kl_dropout *dropout)
{
    for (int i = 0; i < n_layers; i++) {
        const struct kl_layer *l = &layers[i];
        struct kl_dropout here = dropout ? *dropout : (struct kl_dropout){ 0 };
        here.layer = first + (uint32_t)i;
        kl_nn_linear_forward(outputs[i], x, params + block->tensors[l->weight].offset,
                             params + block->tensors[l->bias].offset, n, l->d_in, l->d_out, l->act,
                             &here);
        x = outputs[i];
    }
}

int kl_head_measure(const struct kl_head_values *values, const struct kl_head_model *model,
                    const kl_real *params, const kl_real *x, size_t n, const struct kl_dropout *dropout,
                    const struct kl_estimator *e, struct kl_head_work *work, struct kl_error *err)
{
    const struct kl_block *block = &model->block;
    const kl_real *angles = model->n_reduce ? values->reduce[model->n_reduce - 1] : x;
    chain(values->reduce, model->reduce, model->n_reduce, 0, block, params, x, n, dropout);
    chain(values->twin, model->twin, model->n_twin, 0, block, params, angles, n, NULL);
    kl_arena_reset(&work->circuit);
    if (!model->circuit) return 0;
    const kl_real *w = params + block->tensors[model->vqc].offset;
    if (e && e->shots.n) return kl_circuit_outputs(values->expval, e, angles, w, n, &work->circuit, err);
    return kl_circuit_forward(values->expval, values->state, model->circuit, angles, w, n, NULL,
                              &work->circuit, err);
}

void kl_head_classify(const struct kl_head_values *values, const struct kl_head_model *model,
                      const kl_real *params, const kl_real *x, size_t n,
                      const struct kl_dropout *dropout)
{
    chain(values->head, model->head, model->n_head, KL_MAX_WIDTHS + 1, &model->block, params,
          values->expval ? values->expval : x, n, dropout);
}

int kl_head_activations(const struct kl_head_values *values, const struct kl_head_model *model,
                        const kl_real *params, const kl_real *x, size_t n,
                        const struct kl_dropout *dropout, const struct kl_estimator *e,
                        struct kl_head_work *work, struct kl_error *err)
{
    int code = kl_head_measure(values, model, params, x, n, dropout, e, work, err);
    if (!code) kl_head_classify(values, model, params, x, n, dropout);
    return code;
}

int kl_head_forward(kl_real *logits, kl_real *angles, kl_real *expval, const struct kl_head_model *model,
                    const kl_real *params, const kl_real *x, size_t n, struct kl_head_work *work,
                    struct kl_error *err)
{
    struct kl_head_values values;
    kl_arena_reset(&work->values);
    int code = kl_head_values_take(&values, model, n, false, &work->values, err);
    if (!code) code = kl_head_activations(&values, model, params, x, n, NULL, NULL, work, err);
    if (code) return code;
    size_t row = sizeof *logits;
    memcpy(logits, values.head[model->n_head - 1], n * model->n_classes * row);
    if (angles && model->n_reduce)
        memcpy(angles, values.reduce[model->n_reduce - 1], n * model->n_angles * row);
    if (expval && model->n_expval) memcpy(expval, values.expval, n * model->n_expval * row);
    return 0;
}

int kl_head_logits_by(kl_real *logits, const struct kl_head_model *model, const kl_real *params,
                      const kl_real *x, size_t n, const struct kl_estimator *e,
                      struct kl_head_work *work, struct kl_error *err)
{
    struct kl_head_values values;
    kl_arena_reset(&work->values);
    int code = kl_head_values_take(&values, model, n, false, &work->values, err);
    if (!code) code = kl_head_activations(&values, model, params, x, n, NULL, e, work, err);
    if (code) return code;
    memcpy(logits, values.head[model->n_head - 1], n * model->n_classes * sizeof *logits);
    return 0;
}
