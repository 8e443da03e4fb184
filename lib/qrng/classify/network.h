/* SPDX-License-Identifier: MIT
   network: a small dense network that tells rows of devices apart, trained by one thread from the first
   step to the last. What it sees of a row are its bits, or numbers. */
#ifndef KL_QRNG_CLASSIFY_NETWORK_H
#define KL_QRNG_CLASSIFY_NETWORK_H

#include "base/base.h"
#include "kernels/mlp.h"

enum { KL_NETWORK_CLASSES = 64 }; /* at most */
enum kl_network_init { KL_INIT_GLOROT, KL_INIT_FAN_IN };
enum kl_network_judge { KL_JUDGE_LOSS, KL_JUDGE_ACCURACY };

struct kl_network_options {
    struct kl_mlp net;
    enum kl_network_init init; /* U(+-sqrt(6 / (in + out))), biases 0; or U(+-1 / sqrt(in)) for both */
    int64_t batch;             /* 1 to KL_MLP_BATCH */
    int64_t epochs;            /* at most */
    int64_t patience;          /* epochs without a better one before the run ends; 0: never */
    int64_t rate_patience;     /* the same before the rate is halved; 0: never */
    double lr, dropout, l1, weight_decay;
    double clip;                 /* of the gradient's norm; 0: none */
    enum kl_network_judge judge; /* of epochs, on the judging rows */
    bool last;                   /* keep the last epoch's parameters, not the best one's */
};
/* Those of the study: 100-30-20-3, 1000 epochs, judged by accuracy. */
void kl_classify_network_options_default(struct kl_network_options *o);

/* n samples; row i at rows + i * stride bytes: packed bits (words), or net.size[0] floats. */
struct kl_samples {
    const void *rows;
    size_t n, stride;
    bool packed;
    const int32_t *labels; /* [n] */
};

enum kl_network_history {
    KL_NETWORK_TRAIN_LOSS, /* mean of the batches, with the penalty */
    KL_NETWORK_TRAIN_ACCURACY,
    KL_NETWORK_JUDGE_LOSS, /* cross-entropy, nats */
    KL_NETWORK_JUDGE_ACCURACY,
    KL_NETWORK_RATE,
    KL_NETWORK_HISTORIES
};
/* One trained network. The caller gives the memory: params of kl_classify_network_size floats in the
   order of files, layer by layer weights [out][in], then biases; history [KL_NETWORK_HISTORIES][epochs],
   NaN where no epoch ran. */
struct kl_network_run {
    float *params;
    double *history;
    int64_t best, epochs; /* the epoch judged best, from 0; how many ran */
};
size_t kl_classify_network_size(const struct kl_mlp *net);
/* Trains on the rows of `training`, and judges each epoch on those of `judging` (numbers of samples).
   All that is random is Philox of seed and stream. stop (may be NULL): asked after each round of steps, a quarter second at most.
   KL_ENOMEM, KL_ESIGNAL. */
int kl_classify_network_train(struct kl_network_run *run, const struct kl_network_options *o,
                              const struct kl_samples *samples, const int64_t *training,
                              size_t n_training, const int64_t *judging, size_t n_judging, uint64_t seed,
                              uint32_t stream, int (*stop)(void), struct kl_error *err);
/* logits (n, classes) of samples [which[0..n)]. KL_ENOMEM. */
int kl_classify_network_logits(float *logits, const struct kl_mlp *net, const float *params,
                               const struct kl_samples *samples, const int64_t *which, size_t n,
                               struct kl_error *err);

/* ---- many at once on a GPU (network_gpu.c) ---- */
/* Places for runs, which learn side by side an epoch at a time. The same random numbers and the same
   order of rows as on the CPU. KL_EUSAGE (not for a GPU), KL_EDEVICE, KL_ENOMEM. */
struct kl_network_gpu;
struct kl_device;
/* Room for as many runs as the GPU trains at once, at most *n_places, which becomes their number. The
   options and the samples (their labels apart) must outlive it. */
int kl_classify_network_gpu_open(struct kl_network_gpu **gpu, size_t *n_places,
                                 const struct kl_network_options *o, const struct kl_samples *samples,
                                 const struct kl_device *device, struct kl_pool *pool,
                                 struct kl_error *err);
/* As kl_classify_network_train, in a place that is free; run and training must last until it is taken.
 */
int kl_classify_network_gpu_begin(struct kl_network_gpu *gpu, size_t place, struct kl_network_run *run,
                                  const int32_t *labels, const int64_t *training, size_t n_training,
                                  const int64_t *judging, size_t n_judging, uint64_t seed,
                                  uint32_t stream, struct kl_error *err);
/* The next epoch of all runs that have not ended. */
int kl_classify_network_gpu_epoch(struct kl_network_gpu *gpu, struct kl_error *err);
/* *ended: the run's parameters are where it wants them, the place is free again. */
int kl_classify_network_gpu_take(bool *ended, struct kl_network_gpu *gpu, size_t place,
                                 struct kl_error *err);
void kl_classify_network_gpu_close(struct kl_network_gpu **gpu); /* accepts NULL in it */

/* Between the order of files and the kernel's block (kl_mlp_layer(net, n_layers) numbers, its padding
 * set to 0). */
void kl_classify_network_from_file_f32(float *block, const float *file, const struct kl_mlp *net);
void kl_classify_network_from_file_f64(double *block, const double *file, const struct kl_mlp *net);
void kl_classify_network_to_file_f32(float *file, const float *block, const struct kl_mlp *net);
void kl_classify_network_to_file_f64(double *file, const double *block, const struct kl_mlp *net);

/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_classify_network_from_file KL_NAME(kl_classify_network_from_file)
#define kl_classify_network_to_file KL_NAME(kl_classify_network_to_file)

#endif
