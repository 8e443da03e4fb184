/* SPDX-License-Identifier: MIT
   What an update is made of: factors of a step, learning rates over epochs. */
#include "nn/nn.h"

#include <math.h>

void kl_nn_schedule_default(struct kl_schedule *s)
{
    *s = (struct kl_schedule){
        .kind = KL_CONSTANT_RATE, .lr = 1e-3, .period = 10, .patience = 5, .factor = 0.1
    };
}

double kl_nn_schedule_rate(const struct kl_schedule *s, int64_t epoch, int64_t step,
                           int64_t steps_per_epoch, int64_t epochs, int64_t reductions)
{
    int64_t at = epoch * steps_per_epoch + step, warm = s->warmup * steps_per_epoch;
    int64_t last = epochs * steps_per_epoch - 1;
    if (at < warm) return s->lr * (double)(at + 1) / (double)(warm + 1);
    switch (s->kind) {
    case KL_STEP_RATE:
        return s->lr * pow(s->factor, (double)((epoch - s->warmup) / (s->period > 0 ? s->period : 1)));
    case KL_COSINE_RATE: {
        double along = last > warm ? (double)(at - warm) / (double)(last - warm) : 0;
        return s->min_lr + (s->lr - s->min_lr) * 0.5 * (1 + cos(3.141592653589793 * along));
    }
    case KL_PLATEAU_RATE: return fmax(s->min_lr, s->lr * pow(s->factor, (double)reductions));
    case KL_CONSTANT_RATE: break;
    }
    return s->lr;
}

/* ---- What one step of SGD, Adam or AdamW has the same for all parameters ---- */

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
