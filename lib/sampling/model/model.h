/* SPDX-License-Identifier: MIT
   model: what is sampled: a target (mean loss over records, prior), the losses, the networks. */
#ifndef KL_SAMPLING_MODEL_H
#define KL_SAMPLING_MODEL_H

#include "kernels/inline/losses.h"
#include "kernels/inline/real.h"
#include "kernels/langevin.h"
#include "sampling/data/data.h"

/* ---- losses (net.c) ---- */
/* Of one record: kernels/inline/losses.h; spec of the reference, section 3. All are finite for any
   finite z. */
#define KL_SAMPLING_LOSSES "bbce|bce|savage|tangent|ce|square"
/* *value, and if asked (NULL: no) its derivative by the logits, of one record: outputs 1 (binary) or K
   logits. bce and tangent are of one logit, ce of several. */
void kl_sampling_loss_of(double *value, double *by_logits, const double *logits, int outputs,
                         int32_t label, enum kl_loss loss, double l_max);
/* 1 if the label is not the one predicted: logit > 0, or the first of the largest. */
int kl_sampling_loss_wrong(const double *logits, int outputs, int32_t label);
/* Ends of a loss; *high may be infinite. */
void kl_sampling_loss_ends(double *low, double *high, enum kl_loss loss, double l_max);

/* ---- a target: what a sampler knows of what it samples ---- */
/* Sums over records; the raw loss, in nats for bbce, and 0-1 errors. */
struct kl_sampling_sums {
    double loss, squares, wrong; /* of loss, loss^2, 0-1 error */
    int64_t count;
};
/* The workers: thread `thread` alone on a whole chain, or all threads of pool on one. */
struct kl_sampling_crew {
    int thread;
    struct kl_pool *pool; /* NULL: alone */
};
/* Steps of plain SGLD within one epoch, all tensors having one prior: step i takes the records rows[i
 * batch ..], the last one what is left. */
struct kl_sampling_span {
    const int64_t *rows;
    size_t n_rows, batch, count;        /* records, records a step, steps */
    struct kl_langevin_factors factors; /* of all weights */
    struct kl_langevin_stream stream;   /* of the first step; the i-th has stream.step + i */
};
/* Consecutive parameters with one prior deviation and one fan-in (a tensor). */
struct kl_sampling_tensor {
    char name[48];
    int rank;
    size_t dims[4], offset, size, fan_in;
    double sigma; /* of the prior; set by who knows the prior */
    double start; /* where fan_in is 0: what a chain starts from (batch norm: gamma 1, beta 0) */
};
/* In files that are compiled in both precisions (kernels/inline/real.h); else float. */
#define kl_sampling_target KL_NAME(kl_sampling_target)
struct kl_sampling_target {
    size_t size; /* P: parameters, flat in the field's order, no padding */
    const struct kl_sampling_tensor *tensors;
    int n_tensors;
    size_t n, n_test;           /* records */
    double loss_low, loss_high; /* ends of the loss: u = (loss - low) / (high - low) is its unit-interval
                                   form; high infinite: it has none */
    double chance;              /* 0-1 error of a guess: 1 - 1/classes */
    void *context;
    /* grad (size) of the mean loss over `count` records (rows[i], or i where rows is NULL); their sums
       are added. Bits depend on w, rows and count alone. */
    int (*gradient)(void *context, kl_real *grad, struct kl_sampling_sums *sums, const kl_real *w,
                    const int64_t *rows, size_t count, const struct kl_sampling_crew *crew,
                    struct kl_error *err);
    /* The sums over records of the training or the test set, rows as above. per_record (count; NULL: not
       asked for): each one's loss. */
    int (*evaluate)(void *context, struct kl_sampling_sums *sums, double *per_record, const kl_real *w,
                    bool test, const int64_t *rows, size_t count, const struct kl_sampling_crew *crew,
                    struct kl_error *err);
    /* NULL, or the fused form of gradient and update for many steps at once: w goes through all spans.
       sums: of each step, in order, overwritten. Bits do not depend on how steps are grouped into spans
       and calls. */
    int (*walk)(void *context, kl_real *w, const struct kl_sampling_span *spans, size_t n_spans,
                struct kl_sampling_sums *sums, const struct kl_sampling_crew *crew,
                struct kl_error *err);
    void (*close)(void *context); /* frees the context; NULL: nothing to free */
};

/* w uniform in +-1/sqrt(fan_in), tensor by tensor: element i of the flat vector is word i % 4 of block i
   / 4, purpose KL_RANDOM_CHAIN_START, of the chain's key. */
#define kl_sampling_start KL_NAME(kl_sampling_start)
void kl_sampling_start(kl_real *w, const struct kl_sampling_tensor *tensors, int n_tensors,
                       uint64_t key);

/* ---- networks (net.c) ---- */
/* All ReLU, logits out (linear: of one layer, so that bce and ce are logistic regression and square is
   linear regression on the classes); tensors [out,in] and [out,in,kh,kw] in the order of the reference
   (specification, section 2). Batch norm of vgg16: `batch` takes the statistics of the records in hand,
   so that the loss depends on the batch (the reference's way); `frozen` constant ones
   (kl_sampling_net_statistics); vgg16-plain has none. */
enum kl_sampling_norm { KL_SAMPLING_NORM_NONE, KL_SAMPLING_NORM_BATCH, KL_SAMPLING_NORM_FROZEN };
enum { KL_SAMPLING_TENSORS = 64, KL_SAMPLING_UNITS = 13, KL_SAMPLING_DENSE = 4 };
#define KL_SAMPLING_NETS \
    "linear|fcn1:WIDTH|fcn2:WIDTH|fcn3:WIDTH|lenet5|cnn4|vgg16|vgg16-frozen|vgg16-plain"
enum kl_sampling_pool {
    KL_SAMPLING_NO_POOL,
    KL_SAMPLING_MEAN_POOL,
    KL_SAMPLING_MAX_POOL
}; /* 2x2, stride 2 */
/* A convolution of stride 1, then batch norm if there is one, ReLU, pool; offsets into the flat vector.
 */
struct kl_sampling_unit {
    size_t in, in_h, in_w, out, out_h, out_w, kernel, pad;
    size_t w, b, gamma, beta, statistics; /* statistics: first channel among those of all units */
    bool norm;
    enum kl_sampling_pool pool;
};
struct kl_sampling_dense {
    size_t in, out, w, b;
};
struct kl_sampling_net {
    char name[48];
    size_t channels, height, width, inputs, size, n_statistics;
    int classes, outputs; /* outputs: 1 where classes is 2 */
    enum kl_loss loss;
    double l_max;
    enum kl_sampling_norm norm;
    int n_tensors, n_units, n_dense;
    struct kl_sampling_tensor tensors[KL_SAMPLING_TENSORS];
    struct kl_sampling_unit units[KL_SAMPLING_UNITS];
    struct kl_sampling_dense dense[KL_SAMPLING_DENSE];
};
/* name: one of KL_SAMPLING_NETS; cnn4:C1,C2,HIDDEN and vgg16:CHANNELS,HIDDEN give other sizes than
   32,64,128 and 64,1024. KL_EUSAGE: no such net, an image that does not fit it, a loss that is not for
   so many classes. */
int kl_sampling_net_make(struct kl_sampling_net *net, const char *name, size_t channels, size_t height,
                         size_t width, int classes, enum kl_loss loss, double l_max,
                         struct kl_error *err);

/* Is it of one hidden layer, few inputs and one logit, and of a loss that kernels/shallow.h has? Then
   its form there. */
struct kl_shallow;
bool kl_sampling_net_shallow(struct kl_shallow *form, const struct kl_sampling_net *net);
/* The mean loss of a net over records, with workspaces for threads 0 .. threads - 1. net and records
   must outlive the target. batch: most records of a gradient (0: all); with batch norm in training mode
   that many share their statistics, in evaluations too, else it only bounds memory. KL_EUSAGE: records
   that do not fit the net; KL_ENOMEM. */
#define kl_sampling_net_target KL_NAME(kl_sampling_net_target)
int kl_sampling_net_target(struct kl_sampling_target *target, const struct kl_sampling_net *net,
                           const struct kl_sampling_records *train,
                           const struct kl_sampling_records *test, size_t batch, int threads,
                           struct kl_error *err);
/* Records of any origin: row i of x (or exact, in double; the other is NULL) and label, i = rows[0],
 * rows[1], ... or 0, 1, ... */
struct kl_sampling_batch {
    const float *x;
    const double *exact;
    const int32_t *label;
    const int64_t *rows;
    size_t count, inputs;
};
/* The pass that gradient and evaluate are made of. grad (size; NULL: forward alone) is of the mean loss;
   per_record (count) and logits (count, outputs) may be NULL. context: a net target's. */
#define kl_sampling_net_pass KL_NAME(kl_sampling_net_pass)
int kl_sampling_net_pass(void *context, kl_real *grad, struct kl_sampling_sums *sums, double *per_record,
                         double *logits, const kl_real *w, const struct kl_sampling_batch *batch,
                         const struct kl_sampling_crew *crew, struct kl_error *err);
/* Statistics of batch norm, (n_statistics) each, which start at 0 and 1: they become (1 - momentum) of
   what they were and momentum of those of these records (variance over count - 1). Momentum 1 freezes
   those of the records. The pointers returned through mean and variance (NULL: not asked for) live as
   long as the target. KL_EUSAGE: more than `batch`. */
#define kl_sampling_net_statistics KL_NAME(kl_sampling_net_statistics)
int kl_sampling_net_statistics(void *context, const double **mean, const double **variance,
                               double momentum, const kl_real *w, const struct kl_sampling_batch *batch,
                               struct kl_error *err);

#endif
