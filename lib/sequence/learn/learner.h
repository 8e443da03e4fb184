/* SPDX-License-Identifier: MIT
   Private to learn: the state of one training of a net on windows. */
#ifndef KL_SEQUENCE_LEARNER_H
#define KL_SEQUENCE_LEARNER_H

#include "kernels/device.h"
#include "sequence/learn/learn.h"

enum {
    KL_SEQUENCE_TRAIN_LOSS,
    KL_SEQUENCE_TRAIN_ACCURACY,
    KL_SEQUENCE_VAL_LOSS,
    KL_SEQUENCE_VAL_ACCURACY,
    KL_SEQUENCE_GRADIENT_SIZE,
    KL_SEQUENCE_ROWS
};
extern const struct kl_train_row kl_sequence_rows[KL_SEQUENCE_ROWS];

/* The workspace of one thread. */
struct kl_sequence_worker {
    float *x, *logits; /* (room, channels, stride), (room, classes), aligned */
    int32_t *labels;   /* (room) */
    void *work, *memory;
};
/* Of some validation windows. */
struct kl_sequence_chunk {
    double loss, correct;
};
struct kl_sequence_learner {
    const struct kl_sequence_train_values *v;
    const struct kl_train_inputs *inputs;
    const struct kl_log *log;
    struct kl_sequence_set set;
    struct kl_sequence_split split;
    struct kl_sequence_standard standard;
    size_t *person; /* (set.n_subjects) number in the standard */
    struct kl_sequence_net net;
    size_t batch, parts, room, stride, chunks;
    int64_t *order;                   /* (replicas, training windows) */
    float *state;                     /* (replicas, size of the running statistics) of the last step */
    struct kl_sequence_chunk *judged; /* (replicas, chunks) */
    struct kl_sequence_worker *workers;
    int n_workers;
    struct kl_device device;
    struct kl_sequence_gpu_run *gpu; /* of a training under way there; else NULL */
    bool timed;                      /* seconds there are counted */
};
/* n windows, standardised, and their labels into a thread's buffer. */
int kl_sequence_learner_copy(struct kl_sequence_worker *w, const struct kl_sequence_learner *s,
                             const int64_t *windows, size_t n, struct kl_error *err);

/* ---- on a GPU (gpu.c) ---- */
extern const struct kl_train_device kl_sequence_gpu_device;
/* Is the training for one? KL_EUSAGE. */
int kl_sequence_gpu_check(const struct kl_sequence_learner *s, struct kl_error *err);
/* The gradient of the step under way, and what it adds to the sums. */
void kl_sequence_gpu_gradient(float *grad, double *loss, double *correct,
                              const struct kl_sequence_learner *s, size_t replica);
/* Of a timed training under way: in calls that compute, copies included; of them, in kernels. */
void kl_sequence_gpu_seconds(double *called, double *computed, const struct kl_sequence_learner *s);

#endif
