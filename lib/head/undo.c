/* SPDX-License-Identifier: MIT
   Rounds of steps that a signal cuts short. A step of many samples, qubits or shots takes minutes: it is
   given up and undone, of all replicas, as some may have got further than others. */
#include <stdlib.h>
#include <string.h>

#include "head/train_int.h"

struct kl_head_rollback {
    float *values; /* (replicas, 3, block.size): parameters and both moments, as they lie in a replica */
    double *norms; /* (replicas, groups), of the epoch begun */
    double *loss;  /* (replicas) */
    int64_t *correct;
};

void kl_train_stoppable(struct kl_train *train, bool stoppable)
{
    kl_circuit_measured_stoppable(train->model->circuit, &train->measured, stoppable);
}

void kl_train_rollback_free(struct kl_train *train)
{
    if (!train->rollback) return;
    free(train->rollback->values);
    free(train->rollback->norms);
    free(train->rollback->loss);
    free(train->rollback->correct);
    free(train->rollback);
    train->rollback = NULL;
}

/* Of so many replicas that keeping them would cost more than a little, each has a step that is short. */
static const size_t MOST_BYTES = (size_t)64 << 20;

static bool has_room(struct kl_train *train)
{
    const size_t replicas = (size_t)train->options.replicas;
    if (!train->model->circuit || replicas * 3 * train->model->block.size * sizeof(float) > MOST_BYTES)
        return false;
    if (train->rollback) return true;
    struct kl_head_rollback *k = train->rollback = calloc(1, sizeof *k);
    if (!k) return false;
    k->values = malloc(replicas * 3 * train->model->block.size * sizeof *k->values);
    k->norms = malloc(replicas * kl_head_n_groups(train->whole) * sizeof *k->norms);
    k->loss = malloc(replicas * sizeof *k->loss);
    k->correct = malloc(replicas * sizeof *k->correct);
    if (k->values && k->norms && k->loss && k->correct) return true;
    kl_train_rollback_free(train);
    return false;
}

/* From the replicas to what is kept, or back. */
static void copy(struct kl_train *train, bool back)
{
    const size_t size = 3 * train->model->block.size, groups = kl_head_n_groups(train->whole);
    struct kl_head_rollback *k = train->rollback;
    for (size_t i = 0; i < (size_t)train->options.replicas; i++) {
        struct kl_replica *r = &train->replicas[i];
        float *values = k->values + i * size;
        double *norms = r->norms + (size_t)train->epoch * groups, *kept_norms = k->norms + i * groups;
        memcpy(back ? r->params : values, back ? values : r->params, size * sizeof *values);
        memcpy(back ? norms : kept_norms, back ? kept_norms : norms, groups * sizeof *norms);
        if (back) r->epoch_loss = k->loss[i], r->epoch_correct = k->correct[i];
        else k->loss[i] = r->epoch_loss, k->correct[i] = r->epoch_correct;
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
    copy(train, true);
}
