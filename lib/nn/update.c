/* SPDX-License-Identifier: MIT
   What one step of SGD, Adam or AdamW has the same for all parameters. */
#include <math.h>

#include "nn/nn.h"

void kl_nn_optimizer_default(struct kl_optimizer *o)
{
    *o = (struct kl_optimizer){ .kind = KL_ADAM,
                                .beta1 = 0.9,
                                .beta2 = 0.999,
                                .epsilon = 1e-8,
                                .natural_lr = 0.1,
                                .natural_lambda = 1e-3,
                                .spsa_c = 0.01 };
}

struct kl_update kl_nn_update_at(const struct kl_optimizer *o, double lr, uint64_t step)
{
    /* torch's first velocity is the gradient itself, which momentum * 0 + g gives too */
    if (o->kind == KL_SGD || o->kind == KL_SPSA)
        return (struct kl_update){ .kind = KL_SGD, .sgd = { 1, o->weight_decay, o->momentum, lr } };
    return (struct kl_update){
        .kind = o->kind,
        .adam = {
            .grad_scale = 1,
            .decay = o->kind == KL_ADAMW ? 0 : o->weight_decay,
            .shrink = o->kind == KL_ADAMW ? 1 - lr * o->weight_decay : 1,
            .beta1 = o->beta1,
            .beta2 = o->beta2,
            .rate = lr / (1 - pow(o->beta1, (double)step)),
            .root = 1 / sqrt(1 - pow(o->beta2, (double)step)),
            .epsilon = o->epsilon,
        },
    };
}
