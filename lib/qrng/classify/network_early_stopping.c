/* SPDX-License-Identifier: MIT
   The course of a network's run, wherever it is trained: first parameters, history, rate, best epoch,
   end.
 */
#include <math.h>
#include <string.h>

#include "kernels/inline/philox.h"
#include "qrng/classify/network_int.h"

size_t kl_network_size(const struct kl_mlp *net)
{
    size_t size = 0;
    for (int l = 0; l < net->n_layers; l++)
        size += ((size_t)net->size[l] + 1) * (size_t)net->size[l + 1];
    return size;
}

void kl_network_draw(float *file, const struct kl_network_options *o, uint64_t seed)
{
    const struct kl_mlp *net = &o->net;
    float *to = file;
    for (int l = 0; l < net->n_layers; l++) {
        const size_t in = (size_t)net->size[l], out = (size_t)net->size[l + 1];
        const bool glorot = o->init == KL_INIT_GLOROT;
        const double bound = glorot ? sqrt(6 / (double)(in + out)) : 1 / sqrt((double)in);
        uint32_t words[4] = { 0 };
        for (size_t i = 0; i < (in + 1) * out; i++) {
            if (i % 4 == 0) kl_philox(words, seed, (uint32_t)(i / 4), KL_RANDOM_INIT, (uint32_t)l, 0);
            const double u = bound * (2 * kl_philox_unit(words[i % 4]) - 1);
            *to++ = glorot && i >= in * out ? 0 : (float)u;
        }
    }
}

void kl_early_stopping_begin(struct kl_early_stopping *c, struct kl_network_run *run,
                             const struct kl_network_options *o)
{
    *c = (struct kl_early_stopping){
        .o = o, .run = run, .lr = o->lr, .best_judged = -INFINITY, .best_scheduled = -1e300
    };
    run->best = run->epochs = 0;
    for (int64_t i = 0; i < KL_NETWORK_HISTORIES * o->epochs; i++) run->history[i] = NAN;
}

/* Is this epoch the best? The rate's schedule asks for a little more than better. */
static bool better(struct kl_early_stopping *c, double loss, double accuracy)
{
    const double value = c->o->judge == KL_JUDGE_LOSS ? -loss : accuracy;
    const bool improved = value > c->best_judged;
    if (improved) c->best_judged = value;
    c->stale = improved ? 0 : c->stale + 1;
    if (value > c->best_scheduled + 1e-4 * fabs(c->best_scheduled))
        c->best_scheduled = value, c->rate_stale = 0;
    else if (++c->rate_stale > c->o->rate_patience && c->o->rate_patience > 0)
        c->lr /= 2, c->rate_stale = 0;
    return improved;
}

bool kl_early_stopping_epoch(struct kl_early_stopping *c, const double found[KL_NETWORK_RATE])
{
    struct kl_network_run *run = c->run;
    const int64_t e = run->epochs++;
    for (int h = 0; h < KL_NETWORK_RATE; h++) run->history[h * c->o->epochs + e] = found[h];
    run->history[KL_NETWORK_RATE * c->o->epochs + e] = c->lr;
    const bool best =
        better(c, found[KL_NETWORK_JUDGE_LOSS], found[KL_NETWORK_JUDGE_ACCURACY]) || e == 0;
    if (best) run->best = e;
    c->ended = run->epochs == c->o->epochs || (c->o->patience > 0 && c->stale >= c->o->patience);
    return best;
}
