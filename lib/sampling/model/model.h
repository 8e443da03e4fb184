/* SPDX-License-Identifier: MIT
   model: what is sampled: a target (mean loss over records, prior), the losses, the networks. */
#ifndef KL_SAMPLING_MODEL_H
#define KL_SAMPLING_MODEL_H

#include "kernels/inline/real.h"
#include "kernels/langevin.h"
#include "sampling/data/data.h"

/* ---- losses (loss.c) ---- */
/* Of one record. Binary (one logit z, margin v = (2 y - 1) z) or K logits; spec of the reference,
   section 3. bbce is bounded by l_max. All are finite for any finite z. */
enum kl_sampling_loss {
    KL_SAMPLING_BBCE,
    KL_SAMPLING_BCE,
    KL_SAMPLING_SAVAGE,
    KL_SAMPLING_TANGENT,
    KL_SAMPLING_CE
};
#define KL_SAMPLING_LOSSES "bbce|bce|savage|tangent|ce"

/* ---- a target: what a sampler knows of what it samples ---- */
/* Sums over records; the raw loss, in nats for bbce, and 0-1 errors. */
struct kl_sampling_sums {
    double loss, squares, wrong; /* of loss, loss^2, 0-1 error */
    int64_t count;
};
/* Who works: thread `thread` alone on a whole chain, or all threads of pool on one. */
struct kl_sampling_crew {
    int thread;
    struct kl_pool *pool; /* NULL: alone */
};
/* Steps of plain SGLD within one epoch: step i takes the records rows[i batch ..], the last one what is
 * left. */
struct kl_sampling_span {
    const int64_t *rows;
    size_t n_rows, batch, count;               /* records, records a step, steps */
    const struct kl_langevin_factors *factors; /* one a tensor */
    struct kl_langevin_stream stream;          /* of the first step; the i-th has stream.step + i */
};
/* Consecutive parameters with one prior deviation and one fan-in (a tensor). */
struct kl_sampling_tensor {
    char name[48];
    int rank;
    size_t dims[4], offset, size, fan_in;
    double sigma; /* of the prior; set by who knows the prior */
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
       sums: of each step, in order, overwritten; norms (steps, n_tensors): likewise, before the update;
       NULL: not asked for. Bits do not depend on how steps are grouped into spans and calls. */
    int (*walk)(void *context, kl_real *w, const struct kl_sampling_span *spans, size_t n_spans,
                struct kl_sampling_sums *sums, struct kl_langevin_sums *norms,
                const struct kl_sampling_crew *crew, struct kl_error *err);
};

#endif
