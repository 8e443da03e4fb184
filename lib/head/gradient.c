/* SPDX-License-Identifier: MIT
   The head forwards (reduction, core, classifier) and backwards: gradient of the mean cross-entropy of
   one batch. Compiled in both precisions. */
#include "head/head_int.h"

#include <string.h>

#include "head/head.h"
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
    values->ldx = model->n_features;
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
                  const struct kl_block *block, const kl_real *params, const kl_real *x, size_t ldx,
                  size_t n, const struct kl_dropout *dropout)
{
    for (int i = 0; i < n_layers; i++) {
        const struct kl_layer *l = &layers[i];
        struct kl_dropout here = dropout ? *dropout : (struct kl_dropout){ 0 };
        here.layer = first + (uint32_t)i;
        kl_nn_linear_forward(outputs[i], x, ldx, params + block->tensors[l->weight].offset,
                             params + block->tensors[l->bias].offset, n, l->d_in, l->d_out, l->act,
                             &here);
        x = outputs[i], ldx = l->d_out;
    }
}

int kl_head_measure(const struct kl_head_values *values, const struct kl_head_model *model,
                    const kl_real *params, const kl_real *x, size_t n, const struct kl_dropout *dropout,
                    const struct kl_estimator *e, struct kl_head_work *work, struct kl_error *err)
{
    const struct kl_block *block = &model->block;
    const kl_real *angles = model->n_reduce ? values->reduce[model->n_reduce - 1] : x;
    chain(values->reduce, model->reduce, model->n_reduce, 0, block, params, x, values->ldx, n, dropout);
    kl_head_lap(work, KL_HEAD_REDUCTION);
    chain(values->twin, model->twin, model->n_twin, 0, block, params, angles, model->n_angles, n, NULL);
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
          values->expval ? values->expval : x, model->head->d_in, n, dropout);
}

int kl_head_activations(const struct kl_head_values *values, const struct kl_head_model *model,
                        const kl_real *params, const kl_real *x, size_t n,
                        const struct kl_dropout *dropout, const struct kl_estimator *e,
                        struct kl_head_work *work, struct kl_error *err)
{
    int code = kl_head_measure(values, model, params, x, n, dropout, e, work, err);
    kl_head_lap(work, KL_HEAD_CORE);
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

/* ---- The head backwards: gradient of the mean cross-entropy of one batch ---- */

int kl_head_batch_take(struct kl_head_batch *batch, const struct kl_head_model *model, size_t n,
                       const struct kl_head_diff *diff, struct kl_arena *arena, struct kl_error *err)
{
    const struct kl_circuit *c = model->circuit;
    size_t groups = (n + KL_CIRCUIT_GROUP - 1) / KL_CIRCUIT_GROUP, angles = 0;
    *batch = (struct kl_head_batch){ .n = n };
    if (c && diff) batch->diff = *diff;
    struct kl_estimator *e = &batch->diff.estimator;
    const enum kl_diff_method method = batch->diff.method;
    e->circuit = c;
    if (c) batch->draws = c->draws;
    e->inputs_only = model->options.core == KL_CORE_FROZEN;
    int code = kl_head_values_take(&batch->y, model, n, method == KL_DIFF_ADJOINT, arena, err);
    if (!code) code = kl_head_values_take(&batch->dy, model, n, false, arena, err);
    if (c) angles = kl_circuit_angles_size(kl_circuit_estimated(e), n);
    if (method == KL_DIFF_DIFFERENCES) angles = c->n_weights;
    if (!code && c) code = kl_head_take(&batch->dangles, arena, angles, err);
    if (code) return code;
    batch->loss = kl_arena_take(arena, groups, sizeof *batch->loss);
    batch->correct = kl_arena_take(arena, groups, sizeof *batch->correct);
    return batch->loss && batch->correct ? 0 : kl_fail_memory(err, 2 * groups * sizeof *batch->loss);
}

/* Backwards through a chain, at whose end the gradient stands in dy. dx NULL: not wanted at its
 * beginning. */
static int chain_back(kl_real *dx, kl_real *const *dy, kl_real *const *y, const struct kl_layer *layers,
                      int n_layers, const struct kl_block *block, const kl_real *params, size_t n,
                      double rate, struct kl_arena *arena, struct kl_error *err)
{
    for (int i = n_layers - 1; i >= 0; i--) {
        const struct kl_layer *l = &layers[i];
        kl_real *down = i > 0 ? dy[i - 1] : dx, *transposed;
        kl_nn_activation_backward(dy[i], y[i], n * l->d_out, l->act, l->dropout ? rate : 0);
        if (!down) return 0;
        int code = kl_head_take(&transposed, arena, l->d_in * l->d_out, err);
        if (code) return code;
        kl_nn_linear_inputs(down, transposed, dy[i], params + block->tensors[l->weight].offset, n,
                            l->d_in, l->d_out);
    }
    return 0;
}

/* Gradient through the circuit by central differences, which need double. */
static int by_differences(kl_real *dangles, kl_real *dw, const struct kl_circuit *c,
                          const kl_real *angles, const kl_real *w, const kl_real *cot, size_t n,
                          struct kl_head_work *work, struct kl_error *err)
{
    const double step = 1e-5;
    size_t n_x = n * c->n_inputs, n_cot = n * c->n_obs, n_w = c->n_weights;
    double *all = kl_arena_take(&work->circuit, 2 * (n_x + n_w) + n_cot, sizeof *all);
    if (!all) return kl_fail_memory(err, (2 * (n_x + n_w) + n_cot) * sizeof *all);
    double *x64 = all, *w64 = x64 + n_x, *cot64 = w64 + n_w, *dx64 = cot64 + n_cot, *dw64 = dx64 + n_x;
    for (size_t i = 0; i < n_x; i++) x64[i] = angles[i];
    for (size_t i = 0; i < n_w; i++) w64[i] = w[i], dw64[i] = 0;
    for (size_t i = 0; i < n_cot; i++) cot64[i] = cot[i];
    int code = kl_circuit_differences(dx64, dw64, c, x64, w64, cot64, n, step, &work->circuit, err);
    if (code) return code;
    for (size_t i = 0; i < n_x; i++) dangles[i] = (kl_real)dx64[i];
    for (size_t i = 0; i < n_w; i++) dw[i] = (kl_real)dw64[i];
    return 0;
}

/* Each group's loss by itself, so that their sum does not depend on the parts. */
static void losses(const struct kl_head_batch *batch, const struct kl_head_model *model, size_t from,
                   size_t to)
{
    const kl_real *logits = batch->y.head[model->n_head - 1];
    kl_real *d = batch->dy.head[model->n_head - 1];
    const size_t classes = model->n_classes;
    for (size_t i = from; i < to; i += KL_CIRCUIT_GROUP) {
        size_t g = i / KL_CIRCUIT_GROUP, here = to - i < KL_CIRCUIT_GROUP ? to - i : KL_CIRCUIT_GROUP;
        batch->loss[g] = kl_nn_cross_entropy(d + i * classes, &batch->correct[g], logits + i * classes,
                                             batch->labels + i, here, classes, 1 / (double)batch->n);
    }
}

/* Through the core of n rows, which begin at row `from` of the batch: from dy.expval to the angles. */
static int core_back(const struct kl_head_batch *batch, const struct kl_head_values *y,
                     const struct kl_head_values *dy, const struct kl_head_model *model,
                     const struct kl_estimator *e, const kl_real *params, size_t from, size_t n,
                     struct kl_head_work *work, struct kl_error *err)
{
    const int n_reduce = model->n_reduce;
    const kl_real *angles = n_reduce ? y->reduce[n_reduce - 1] : batch->x + from * y->ldx;
    kl_real *d_angles = n_reduce ? dy->reduce[n_reduce - 1] : NULL;
    if (!model->circuit)
        return chain_back(d_angles, dy->twin, y->twin, model->twin, model->n_twin, &model->block, params,
                          n, 0, &work->circuit, err);
    const struct kl_circuit *c = model->circuit;
    const kl_real *w = params + model->block.tensors[model->vqc].offset, *cot = dy->expval;
    kl_real *dangles = batch->dangles + kl_circuit_angles_size(kl_circuit_estimated(e), from);
    switch (batch->diff.method) {
    case KL_DIFF_SHIFT:
        return kl_circuit_shift_samples(d_angles, dangles, e, angles, w, cot, n, &work->circuit, err);
    case KL_DIFF_SPSA:
        return kl_circuit_spsa_samples(d_angles, dangles, e, angles, w, cot, n, &work->circuit, err);
    case KL_DIFF_DIFFERENCES:
        return by_differences(d_angles, batch->dangles, c, angles, w, cot, n, work, err);
    default:
        return kl_circuit_samples(d_angles, dangles, y->state, c, angles, w, cot, n, NULL,
                                  &work->circuit, err);
    }
}

static int forward_rows(const struct kl_head_batch *batch, const struct kl_head_values *y,
                        const struct kl_head_model *model, const kl_real *params, size_t from, size_t to,
                        const struct kl_estimator *e, struct kl_head_work *work, struct kl_error *err)
{
    struct kl_dropout dropout = batch->dropout;
    dropout.row = from;
    int code = kl_head_activations(y, model, params, batch->x + from * y->ldx, to - from, &dropout, e,
                                   work, err);
    if (!code) losses(batch, model, from, to);
    kl_head_lap(work, KL_HEAD_CLASSIFIER);
    return code;
}

int kl_head_losses(const struct kl_head_batch *batch, const struct kl_head_model *model,
                   const kl_real *params, size_t from, size_t to, struct kl_head_work *work,
                   struct kl_error *err)
{
    struct kl_drawing_model own;
    struct kl_estimator e = batch->diff.estimator;
    e.first += from;
    model = kl_head_drawing(&own, model, &e, &batch->draws, from);
    const struct kl_head_values y = kl_head_values_at(batch->y, model, from);
    return forward_rows(batch, &y, model, params, from, to, &e, work, err);
}

int kl_head_rows(const struct kl_head_batch *batch, const struct kl_head_model *model,
                 const kl_real *params, size_t from, size_t to, struct kl_head_work *work,
                 struct kl_error *err)
{
    const size_t n = to - from;
    struct kl_drawing_model own;
    struct kl_estimator e = batch->diff.estimator;
    e.first += from;
    model = kl_head_drawing(&own, model, &e, &batch->draws, from);
    const struct kl_head_values y = kl_head_values_at(batch->y, model, from),
                                dy = kl_head_values_at(batch->dy, model, from);
    int code = forward_rows(batch, &y, model, params, from, to, &e, work, err);
    if (code) return code;
    code = chain_back(dy.expval, dy.head, y.head, model->head, model->n_head, &model->block, params, n,
                      batch->dropout.rate, &work->circuit, err);
    kl_head_lap(work, KL_HEAD_CLASSIFIER_BACK);
    if (code || !(model->n_twin || model->circuit)) return code;
    kl_arena_reset(&work->circuit);
    code = core_back(batch, &y, &dy, model, &e, params, from, n, work, err);
    kl_head_lap(work, KL_HEAD_CORE_BACK);
    if (!code)
        code = chain_back(NULL, dy.reduce, y.reduce, model->reduce, model->n_reduce, &model->block,
                          params, n, batch->dropout.rate, &work->circuit, err);
    kl_head_lap(work, KL_HEAD_REDUCTION_BACK);
    return code;
}

static void sum_circuit(kl_real *dw, const struct kl_head_batch *batch, size_t size)
{
    memset(dw, 0, size * sizeof *dw);
    if (batch->diff.method == KL_DIFF_DIFFERENCES)
        memcpy(dw, batch->dangles, batch->diff.estimator.circuit->n_weights * sizeof *dw);
    else kl_circuit_weights(dw, batch->dangles, kl_circuit_estimated(&batch->diff.estimator), batch->n);
}

void kl_head_sum(kl_real *grad, const struct kl_head_batch *batch, const struct kl_head_model *model,
                 const struct kl_head_part *part)
{
    if (part->kind == KL_PART_CIRCUIT) {
        sum_circuit(grad + part->offset, batch, part->size);
        return;
    }
    const struct kl_head_values *y = &batch->y, *dy = &batch->dy;
    const struct {
        const struct kl_layer *layers;
        const kl_real *input;
        kl_real *const *y, *const *dy;
    } chains[] = {
        [KL_CHAIN_REDUCE] = { model->reduce, batch->x, y->reduce, dy->reduce },
        [KL_CHAIN_TWIN] = { model->twin, model->n_reduce ? y->reduce[model->n_reduce - 1] : batch->x,
                            y->twin, dy->twin },
        [KL_CHAIN_HEAD] = { model->head, y->expval ? y->expval : batch->x, y->head, dy->head }
    };
    const int i = part->layer;
    const struct kl_layer *l = &chains[part->chain].layers[i];
    const kl_real *x = i > 0 ? chains[part->chain].y[i - 1] : chains[part->chain].input,
                  *d = chains[part->chain].dy[i];
    if (part->kind == KL_PART_BIAS) kl_nn_linear_biases(grad + part->offset, d, batch->n, l->d_out);
    else
        kl_nn_linear_weights(grad + model->block.tensors[l->weight].offset, x,
                             x == batch->x ? y->ldx : l->d_in, d, batch->n, l->d_in, l->d_out,
                             part->from, part->to);
    if (part->chain == KL_CHAIN_TWIN) kl_head_twin_mask(grad, model, part);
}

double kl_head_loss(size_t *correct, const struct kl_head_batch *batch)
{
    double sum = 0;
    size_t right = 0;
    for (size_t g = 0; g * KL_CIRCUIT_GROUP < batch->n; g++)
        sum += batch->loss[g], right += batch->correct[g];
    if (correct) *correct = right;
    return sum;
}

int kl_head_gradient(kl_real *grad, double *loss, size_t *correct, const struct kl_head_model *model,
                     const kl_real *params, const kl_real *x, const int32_t *labels, size_t n,
                     const struct kl_head_diff *diff, struct kl_head_work *work, struct kl_error *err)
{
    return kl_head_gradient_logits(grad, NULL, loss, correct, model, params, x, labels, n, diff, work,
                                   err);
}

int kl_head_gradient_logits(kl_real *grad, kl_real *logits, double *loss, size_t *correct,
                            const struct kl_head_model *model, const kl_real *params, const kl_real *x,
                            const int32_t *labels, size_t n, const struct kl_head_diff *diff,
                            struct kl_head_work *work, struct kl_error *err)
{
    struct kl_head_batch batch;
    kl_arena_reset(&work->values);
    int code = kl_head_batch_take(&batch, model, n, diff, &work->values, err);
    batch.x = x;
    batch.labels = labels;
    if (!code) code = kl_head_rows(&batch, model, params, 0, n, work, err);
    if (code) return code;
    if (model->options.core == KL_CORE_FROZEN) {
        const struct kl_tensor *t = &model->block.tensors[model->vqc];
        memset(grad + t->offset, 0, t->size * sizeof *grad);
    }
    for (size_t i = 0; i < kl_head_n_parts(model); i++) {
        struct kl_head_part part = kl_head_part(model, i);
        kl_head_sum(grad, &batch, model, &part);
    }
    *loss = kl_head_loss(correct, &batch);
    if (logits) memcpy(logits, batch.y.head[model->n_head - 1], n * model->n_classes * sizeof *logits);
    return 0;
}

/* ---- mask ----
   What a twin lacks of its full tensors is held at zero: in the initial values and in every gradient. */

void kl_head_twin_mask(kl_real *values, const struct kl_head_model *model,
                       const struct kl_head_part *part)
{
    const struct kl_layer *l = &model->twin[part->layer];
    const bool bias = part->kind == KL_PART_BIAS;
    const struct kl_tensor *t = &model->block.tensors[bias ? l->bias : l->weight];
    if (bias) {
        for (size_t k = model->shape.biases[part->layer]; k < t->size; k++) values[t->offset + k] = 0;
        return;
    }
    for (size_t k = model->shape.weights[part->layer]; k < t->size; k++) {
        size_t i, j;
        kl_head_twin_entry(&i, &j, k, l->d_out, l->d_in);
        if (i / KL_STRIP >= part->from && i / KL_STRIP < part->to)
            values[t->offset + kl_nn_tensor_index(t, i, j)] = 0;
    }
}
