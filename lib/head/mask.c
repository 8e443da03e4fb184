/* SPDX-License-Identifier: MIT
   What a twin lacks of its full tensors is held at zero: in the initial values and in every gradient. */
#include "head/head.h"
#include "head/part.h"
#include "head/twin.h"
#include "kernels/inline/real.h"

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
