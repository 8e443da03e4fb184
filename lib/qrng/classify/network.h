/* SPDX-License-Identifier: MIT
   network: a small dense network that tells rows of devices apart, trained by one thread from the first
   step to the last. What it sees of a row are its bits, or numbers. */
#ifndef KL_QRNG_CLASSIFY_NETWORK_H
#define KL_QRNG_CLASSIFY_NETWORK_H

#include "base/base.h"
#include "kernels/mlp.h"
#include "nn/nn.h"
#include "qrng/bits/bits.h"

enum { KL_NETWORK_CLASSES = 64, KL_NETWORK_BATCH = 512 }; /* at most */
enum kl_network_init { KL_INIT_GLOROT, KL_INIT_FAN_IN };
enum kl_network_judge { KL_JUDGE_LOSS, KL_JUDGE_ACCURACY };

struct kl_network_options {
    struct kl_mlp net;
    enum kl_network_init init; /* U(+-sqrt(6 / (in + out))), biases 0; or U(+-1 / sqrt(in)) for both */
    int64_t batch;             /* rows of a step; on a GPU at most KL_MLP_BATCH */
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
   All that is random is Philox of seed and stream. stop (may be NULL): asked after each round of steps,
   a quarter second at most. KL_ENOMEM, KL_ESIGNAL. */
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

/* ---- mt19937: the random streams of the published study, for `--reference` alone. Everything else
   draws by Philox counters (kernels/inline/philox.h). What is made of the Mersenne Twister (nn.h) here
   is what NumPy's RandomState, PyTorch's randperm and scikit-learn's StratifiedShuffleSplit make of it
   ---- */

/* rows [n] = a permutation of 0 .. n-1 that depends on the seed alone; n < 2^31: the study's network
 * splits. */
void kl_classify_mt19937_split(int32_t *rows, size_t n, uint32_t seed);
/* rows [n] are put into the order of NumPy's RandomState.shuffle. */
void kl_classify_mt19937_shuffle(int32_t *rows, size_t n, struct kl_nn_mersenne *mt);
/* Stratified split of n rows whose labels are below `classes`: from each class the first `share` of its
   rows in a random order, rounded down, go to train, the others to test; then both are shuffled. train,
   test: room for n. */
void kl_classify_mt19937_stratified(int32_t *train, size_t *n_train, int32_t *test, size_t *n_test,
                                    const int32_t *labels, size_t n, int classes, double share,
                                    uint32_t seed);

/* ---- rules: classifiers without hidden units, whose scores are linear in what is counted in a row: the
   yardsticks of every network. n rows, c classes (devices), d numbers of a row
   ---- */

enum kl_rule_kind {
    KL_RULE_PAIRS,     /* naive Bayes on the counts of the four symbols of two bits; add-one smoothing */
    KL_RULE_LOGISTIC,  /* multinomial logistic regression on the bits, penalty |W|^2 / 2, free intercepts
                        */
    KL_RULE_BERNOULLI, /* naive Bayes on every bit by itself; add-one smoothing */
    KL_RULE_ONES,      /* naive Bayes on the count of ones */
    KL_RULES
};
extern const char *const kl_rule_names[KL_RULES]; /* "pairs", ... */
#define KL_RULE_CHOICES "pairs|logistic|bernoulli|ones"

/* score of class k = parameters[k (d + 1) + d] + sum over j of parameters[k (d + 1) + j] x_j. Naive
   Bayes is fitted with equal priors; whoever has others adds their logarithms to the constants. */
struct kl_rule {
    enum kl_rule_kind kind;
    size_t classes, inputs; /* c, d */
    double *parameters;     /* [c, d + 1] */
};
/* d of a kind for rows of n_bits; 0: there is none (pairs of an odd number of bits). */
size_t kl_classify_rule_inputs(enum kl_rule_kind kind, size_t n_bits);
/* Numbers of a class that are free: shares of symbols add to 1, and equal priors leave no intercept. */
size_t kl_classify_rule_free(enum kl_rule_kind kind, size_t n_bits);
/* Fits to rows [which[0..n)] with labels [n_rows of bits] in [0, classes). rule->parameters: room for
   classes (d + 1) numbers, given by the caller. KL_EDATA if a class has no row, KL_ENOMEM,
   KL_ESIGNAL. */
int kl_classify_rule_fit(struct kl_rule *rule, enum kl_rule_kind kind, const struct kl_bits *bits,
                         const int32_t *labels, size_t classes, const int64_t *which, size_t n,
                         struct kl_error *err);
/* scores [c] of a row: logarithms of the classes' probabilities but for a constant. */
void kl_classify_rule_scores(double *scores, const struct kl_rule *rule, const struct kl_bits *bits,
                             size_t row);

/* ---- logistic regression ---- */
/* Minimises the sum of cross-entropies + |W|^2 / 2 from 0 until no derivative exceeds 1e-8 of the
   largest possible one (n), by L-BFGS (Liu & Nocedal 1989, doi:10.1007/BF01589116), in double;
   parameters [c, n_bits + 1]. variance [n_bits], or NULL for ones: the penalty is sum variance_j W_j^2 /
   2, that on the weights of bits that were divided by their deviations. KL_ENOMEM; KL_ESIGNAL soon
   after a signal. */
int kl_classify_logistic_fit(double *parameters, const struct kl_bits *bits, const int32_t *labels,
                             size_t classes, const int64_t *which, size_t n, const double *variance,
                             struct kl_error *err);

#endif
