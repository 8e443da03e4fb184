/* SPDX-License-Identifier: MIT
   The gradient of the whole head against central differences of its loss. */
#include "head/check_int.h"

#include <math.h>
#include <stdlib.h>

/* How many entries of tensor t training moves. */
static size_t trained(const struct kl_head_model *model, int t)
{
    for (int i = 0; i < model->n_twin; i++) {
        if (t == model->twin[i].weight) return model->shape.weights[i];
        if (t == model->twin[i].bias) return model->shape.biases[i];
    }
    return t == model->vqc && model->options.core == KL_CORE_FROZEN ? 0 : model->block.tensors[t].size;
}

/* Where in the block the k-th of them lies. */
static size_t place(const struct kl_head_model *model, int t, size_t k)
{
    const struct kl_tensor *tensor = &model->block.tensors[t];
    size_t i = k / tensor->dims[1], j = k % tensor->dims[1];
    for (int l = 0; l < model->n_twin; l++)
        if (t == model->twin[l].weight) kl_head_twin_entry(&i, &j, k, tensor->dims[0], tensor->dims[1]);
    return tensor->offset + kl_nn_tensor_index(tensor, i, j);
}

static int loss_at(double *loss, double *logits, const struct kl_loss_check *c, double value, size_t at,
                   struct kl_error *err)
{
    const double kept = c->params[at];
    c->params[at] = value;
    int code = kl_head_forward_f64(logits, NULL, NULL, c->model, c->params, c->x, c->n, c->work, err);
    c->params[at] = kept;
    if (!code)
        *loss = kl_nn_cross_entropy_f64(NULL, NULL, logits, c->labels, c->n, c->model->n_classes, 1) /
                (double)c->n;
    return code;
}

/* How far the gradient at one entry is from a central difference. A ReLU that begins or ends within the
   step falsifies it, so of three steps the nearest counts: a wrong gradient is far from all of them. */
static int distance(double *least, double *logits, const struct kl_loss_check *c, size_t at,
                    struct kl_error *err)
{
    enum { STEPS = 3 };
    static const double steps[STEPS] = { 1e-5, 1e-6, 1e-7 };
    const double near = 1e-9; /* what rounding leaves of a difference over the first step */
    *least = INFINITY;
    for (int s = 0; s<STEPS && * least> near; s++) {
        double up, down;
        int code = loss_at(&up, logits, c, c->params[at] + steps[s], at, err);
        if (!code) code = loss_at(&down, logits, c, c->params[at] - steps[s], at, err);
        if (code) return code;
        *least = fmin(*least, fabs(c->grad[at] - (up - down) / (2 * steps[s])));
    }
    return 0;
}

int kl_head_loss_differences(double *largest, size_t *entries, const struct kl_loss_check *c,
                             struct kl_error *err)
{
    enum { MOST = 16 }; /* of a tensor, evenly spaced */
    double *logits = malloc(c->n * c->model->n_classes * sizeof *logits);
    int code = logits ? 0 : kl_fail_memory(err, c->n * c->model->n_classes * sizeof *logits);
    *largest = 0, *entries = 0;
    for (int t = 0; t < c->model->block.n && !code; t++) {
        const size_t all = trained(c->model, t), n = all < MOST ? all : MOST;
        for (size_t i = 0; i < n && !code; i++) {
            double d;
            code = distance(&d, logits, c, place(c->model, t, all * i / n), err);
            if (!code && !(d <= *largest)) *largest = d; /* a NaN stays */
        }
        *entries += n;
    }
    free(logits);
    return code;
}
