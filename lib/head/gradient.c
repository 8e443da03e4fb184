/* SPDX-License-Identifier: MIT
   The head backwards: gradient of the mean cross-entropy of one batch. */
#include <string.h>

#include "head/head_int.h"
#include "kernels/inline/real.h"

/* Backwards through a chain; dy enters as the gradient at its end. dx NULL: not wanted at its beginning. */
static int chain_back(kl_real *dx, kl_real *grad, kl_real *dy, kl_real **outputs,
                      const struct kl_layer *layers, int n_layers, const struct kl_block *block,
                      const kl_real *params, const kl_real *x, size_t n, double rate,
                      struct kl_arena *arena, struct kl_error *err)
{
    for (int i = n_layers - 1; i >= 0; i--) {
        const struct kl_layer *l = &layers[i];
        const struct kl_tensor *w = &block->tensors[l->weight], *b = &block->tensors[l->bias];
        kl_real *down = i > 0 ? NULL : dx, *transposed = NULL;
        int code = 0;
        if (i > 0) code = KL_NAME(kl_head_take)(&down, arena, n * l->d_in, err);
        if (!code && down) code = KL_NAME(kl_head_take)(&transposed, arena, l->d_in * l->d_out, err);
        if (code) return code;
        KL_NAME(kl_linear_backward)
        (down, grad + w->offset, grad + b->offset, dy, i > 0 ? outputs[i - 1] : x, outputs[i],
         params + w->offset, transposed, n, l->d_in, l->d_out, l->act, l->dropout ? rate : 0);
        dy = down;
    }
    return 0;
}

/* Gradient through the circuit by one of the slow rules, which exist in double. */
static int circuit_slowly(kl_real *dangles, kl_real *dw, const struct kl_circuit *c, const kl_real *angles,
                          const kl_real *w, const kl_real *cot, size_t n, enum kl_diff_method diff,
                          struct kl_head_work *work, struct kl_error *err)
{
    const double step = 1e-5;
    size_t n_x = n * c->n_inputs, n_cot = n * c->n_obs, n_w = c->n_weights;
    double *all = kl_arena_take(&work->values, 2 * (n_x + n_w) + n_cot, sizeof *all);
    if (!all) return kl_fail_memory(err, (2 * (n_x + n_w) + n_cot) * sizeof *all);
    double *x64 = all, *w64 = x64 + n_x, *cot64 = w64 + n_w, *dx64 = cot64 + n_cot, *dw64 = dx64 + n_x;
    for (size_t i = 0; i < n_x; i++) x64[i] = angles[i];
    for (size_t i = 0; i < n_w; i++) w64[i] = w[i], dw64[i] = 0;
    for (size_t i = 0; i < n_cot; i++) cot64[i] = cot[i];
    int code = diff == KL_DIFF_SHIFT
                   ? kl_circuit_shift(dx64, dw64, c, x64, w64, cot64, n, &work->circuit, err)
                   : kl_circuit_differences(dx64, dw64, c, x64, w64, cot64, n, step, &work->circuit, err);
    if (code) return code;
    for (size_t i = 0; i < n_x; i++) dangles[i] = (kl_real)dx64[i];
    for (size_t i = 0; i < n_w; i++) dw[i] += (kl_real)dw64[i];
    return 0;
}

static int circuit_back(kl_real *dangles, kl_real *dw, const struct kl_head_model *model,
                        const struct KL_NAME(kl_head_values) * values, const kl_real *w, const kl_real *cot,
                        size_t n, enum kl_diff_method diff, struct kl_head_work *work, struct kl_error *err)
{
    const kl_real *angles = values->reduce[model->n_reduce - 1];
    kl_arena_reset(&work->circuit);
    if (diff != KL_DIFF_ADJOINT)
        return circuit_slowly(dangles, dw, model->circuit, angles, w, cot, n, diff, work, err);
    return KL_NAME(kl_circuit_adjoint)(dangles, dw, values->state, model->circuit, angles, w, cot, n, NULL,
                                       &work->circuit, err);
}

int KL_NAME(kl_head_gradient)(kl_real *grad, double *loss, size_t *correct,
                              const struct kl_head_model *model, const kl_real *params, const kl_real *x,
                              const int32_t *labels, size_t n, const struct kl_dropout *dropout,
                              enum kl_diff_method diff, struct kl_head_work *work, struct kl_error *err)
{
    struct KL_NAME(kl_head_values) values;
    const struct kl_block *block = &model->block;
    const struct kl_tensor *w = &block->tensors[model->vqc];
    struct kl_arena *arena = &work->values;
    double rate = dropout ? dropout->rate : 0;
    kl_real *dlogits, *dexpval, *dangles;
    kl_arena_reset(arena);
    int code = KL_NAME(kl_head_activations)(&values, model, params, x, n, dropout, diff == KL_DIFF_ADJOINT,
                                            work, err);
    if (!code) code = KL_NAME(kl_head_take)(&dlogits, arena, n * model->n_classes, err);
    if (!code) code = KL_NAME(kl_head_take)(&dexpval, arena, n * model->circuit->n_obs, err);
    if (!code) code = KL_NAME(kl_head_take)(&dangles, arena, n * model->circuit->n_inputs, err);
    if (code) return code;

    *loss = KL_NAME(kl_cross_entropy)(dlogits, correct, values.head[model->n_head - 1], labels, n,
                                      model->n_classes, 1 / (double)n);
    code = chain_back(dexpval, grad, dlogits, values.head, model->head, model->n_head, block, params,
                      values.expval, n, rate, arena, err);
    if (code) return code;
    memset(grad + w->offset, 0, w->size * sizeof *grad);
    code = circuit_back(dangles, grad + w->offset, model, &values, params + w->offset, dexpval, n, diff,
                        work, err);
    if (code) return code;
    return chain_back(NULL, grad, dangles, values.reduce, model->reduce, model->n_reduce, block, params, x,
                      n, rate, arena, err);
}
