/* SPDX-License-Identifier: MIT
   Learning rates. */
#include <math.h>

#include "nn/nn.h"

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
