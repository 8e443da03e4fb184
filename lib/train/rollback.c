/* SPDX-License-Identifier: MIT
   Rounds of steps that a signal cuts short. A step of many samples, qubits or shots takes minutes: it is
   given up and undone, of all replicas, as some may have got further than others. */
#include <stdlib.h>
#include <string.h>

#include "train/train_int.h"

struct kl_train_rollback {
    char *values; /* (replicas, 3, block.size): parameters and both moments, as they lie in a replica */
    double *sums; /* (replicas, n_sums) */
};

void kl_train_stoppable(struct kl_train *train, bool stoppable)
{
    if (train->learner->stoppable) train->learner->stoppable(train, stoppable);
}

void kl_train_rollback_free(struct kl_train *train)
{
    if (!train->rollback) return;
    free(train->rollback->values);
    free(train->rollback->sums);
    free(train->rollback);
    train->rollback = NULL;
}

static size_t kept_bytes(const struct kl_train *train)
{
    return 3 * train->learner->block->size * kl_train_real(train->learner);
}

/* Of so many replicas that keeping them would cost more than a little, each has a step that is short. */
static const size_t MOST_BYTES = (size_t)64 << 20;

static bool has_room(struct kl_train *train)
{
    const size_t replicas = (size_t)train->options.replicas;
    if (!train->learner->stoppable || replicas * kept_bytes(train) > MOST_BYTES) return false;
    if (train->rollback) return true;
    struct kl_train_rollback *k = train->rollback = calloc(1, sizeof *k);
    if (!k) return false;
    k->values = malloc(replicas * kept_bytes(train));
    k->sums = malloc(replicas * (size_t)train->learner->n_sums * sizeof *k->sums + 1);
    if (k->values && k->sums) return true;
    kl_train_rollback_free(train);
    return false;
}

/* From the replicas to what is kept, or back. */
static void copy(struct kl_train *train, bool back)
{
    const size_t bytes = kept_bytes(train), n_sums = (size_t)train->learner->n_sums;
    struct kl_train_rollback *k = train->rollback;
    for (size_t i = 0; i < (size_t)train->options.replicas; i++) {
        struct kl_replica *r = &train->replicas[i];
        char *values = k->values + i * bytes;
        double *sums = k->sums + i * n_sums;
        memcpy(back ? r->params : values, back ? values : r->params, bytes);
        memcpy(back ? r->sums : sums, back ? sums : r->sums, n_sums * sizeof *sums);
    }
}

void kl_train_keep(struct kl_train *train)
{
    if (!has_room(train)) return;
    copy(train, false);
    kl_train_stoppable(train, true);
}

void kl_train_undo(struct kl_train *train)
{
    if (train->rollback) copy(train, true);
}
