/* SPDX-License-Identifier: MIT
   What a network's run has in common on the CPU (network.c) and on a GPU (network_gpu.c). */
#ifndef KL_QRNG_CLASSIFY_NETWORK_INT_H
#define KL_QRNG_CLASSIFY_NETWORK_INT_H

#include "qrng/classify/network.h"

/* Where a run stands: how its epochs are judged decides its rate, its best epoch and its end. */
struct kl_early_stopping {
    const struct kl_network_options *o;
    struct kl_network_run *run;
    double lr;                          /* of the next epoch */
    double best_judged, best_scheduled; /* larger is better */
    int64_t stale, rate_stale;
    bool ended;
};
/* Its history is NaN, no epoch has run. */
void kl_early_stopping_begin(struct kl_early_stopping *c, struct kl_network_run *run,
                             const struct kl_network_options *o);
/* The next epoch: what it gave, by enum kl_network_history. True: it is the best so far. */
bool kl_early_stopping_epoch(struct kl_early_stopping *c, const double found[KL_NETWORK_RATE]);

/* First parameters in the order of files, drawn in this order: number i of layer l is word i % 4 of
   Philox block i / 4, step l. */
void kl_network_draw(float *file, const struct kl_network_options *o, uint64_t seed);
/* The key of all that is random in a run. */
static inline uint64_t kl_network_seed(uint64_t seed, uint32_t stream)
{
    return seed ^ (uint64_t)stream << 32;
}

#endif
