/* SPDX-License-Identifier: MIT
   Replica exchange (Swendsen and Wang 1986): once a draw, of each chain number, neighbouring
   temperatures swap their weights with probability min(1, exp((beta_i - beta_j) (L_i - L_j))); even
   pairs and odd ones in turn. */
#include <math.h>
#include <string.h>

#include "kernels/inline/philox.h"
#include "sampling/chain/chain_int.h"

static void swap_floats(float *a, float *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const float kept = a[i];
        a[i] = b[i], b[i] = kept;
    }
}

static void meet(struct kl_sampling_chain *cold, struct kl_sampling_chain *hot)
{
    const int64_t d = hot->at.draws - 1;
    const double apart =
        (double)cold->trace[KL_SAMPLING_LOSS][d] - (double)hot->trace[KL_SAMPLING_LOSS][d];
    uint32_t words[4];
    kl_philox(words, hot->key, 0, KL_RANDOM_SWAP, (uint32_t)d, 0);
    hot->at.tried++;
    if (!(log(kl_philox_unit(words[0])) < (cold->beta - hot->beta) * apart)) return;
    hot->at.swapped++;
    swap_floats(cold->w, hot->w, hot->target->size);
    if (hot->v && hot->settings->sampler != KL_SAMPLING_HMC)
        swap_floats(cold->v, hot->v, hot->target->size);
}

void kl_sampling_run_exchange(struct kl_sampling_run *run)
{
    const struct kl_sampling_settings *s = &run->settings;
    for (int64_t c = 0; c < s->chains && s->exchange; c++) {
        bool all = true;
        for (size_t k = 0; k < s->n_rungs; k++)
            all = all && kl_sampling_run_chain(run, 0, k, c)->at.waiting;
        if (!all) continue;
        const int64_t round = kl_sampling_run_chain(run, 0, 0, c)->at.draws;
        for (size_t k = (size_t)(round % 2); k + 1 < s->n_rungs; k += 2)
            meet(kl_sampling_run_chain(run, 0, k + 1, c), kl_sampling_run_chain(run, 0, k, c));
        for (size_t k = 0; k < s->n_rungs; k++) kl_sampling_run_chain(run, 0, k, c)->at.waiting = 0;
    }
}
