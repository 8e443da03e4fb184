/* SPDX-License-Identifier: MIT
   Training of a study, in parts: study_train.c all runs on the CPU's threads, study_gpu.c on a GPU,
   study_run.c one run but for its network, study_declare.c the file's datasets. */
#ifndef KL_QRNG_CLASSIFY_STUDY_TRAIN_INT_H
#define KL_QRNG_CLASSIFY_STUDY_TRAIN_INT_H

#include <pthread.h>

#include "qrng/classify/study.h"

/* Datasets of the file; -1: not there. */
struct kl_study_sets {
    int split, rules[KL_RULES], weight[KL_MLP_LAYERS], bias[KL_MLP_LAYERS],
        history[KL_NETWORK_HISTORIES], best, epochs, collapsed;
};

/* Declares the datasets and writes what is the same for all runs. */
int kl_study_declare(struct kl_study_sets *sets, const struct kl_study *s, struct kl_writer *w,
                     struct kl_error *err);

struct kl_study_training {
    const struct kl_study *study;
    struct kl_writer *w;
    const struct kl_watch *watch;
    struct kl_study_sets sets;
    bool *done;           /* [r] runs that were there before */
    pthread_mutex_t lock; /* what follows, and the journal */
    size_t finished;
    bool stopped;
    size_t failed_run;
    struct kl_error error;
};

/* One run on its rows; n of the study. */
struct kl_study_run {
    size_t number;
    int32_t *labels;             /* [n] */
    int64_t *training, *judging; /* numbers of rows, for the network; one list */
    size_t n_training, n_judging;
    struct kl_network_run network;
    uint8_t *part; /* [n] */
    double *rule;  /* parameters of the largest rule */
    void *memory;  /* of all arrays, in one piece */
};
/* Labels, parts and rules, the latter written. kl_study_run_free even if it fails. */
int kl_study_run_begin(struct kl_study_run *run, const struct kl_study_training *t, size_t number,
                       struct kl_error *err);
/* Its trained network is written, the run is journalled and counted. Any thread. KL_ESIGNAL. */
int kl_study_run_end(const struct kl_study_run *run, struct kl_study_training *t, struct kl_error *err);
void kl_study_run_free(struct kl_study_run *run); /* accepts what was zeroed */
/* Does its trained network answer with one and the same device to all rows that it was trained on and
   those that judged its epochs? KL_ENOMEM. */
int kl_study_collapse(uint8_t *collapsed, const struct kl_study *s, const struct kl_study_run *run,
                      struct kl_error *err);

/* All networks on a GPU, as kl_study_train. */
int kl_study_gpu(struct kl_study_training *t, const struct kl_device *device, struct kl_pool *pool,
                 struct kl_error *err);

#endif
