/* SPDX-License-Identifier: MIT
   heads: the project's own heads as what is sampled: a target made of a head's forward and backward
   passes on cached features. */
#ifndef KL_SAMPLING_HEADS_H
#define KL_SAMPLING_HEADS_H

#include "sampling/chain/chain.h"
#include "sampling/diagnose/verdict.h"
#include "sampling/ensemble/ensemble.h"
#include "sampling/model/model.h"
struct kl_device;
struct kl_key;
struct kl_mode;
struct kl_tool;

/* ---- the target (target.c) ---- */
struct kl_sampling_head_question {
    const struct kl_head_model *model; /* must outlive the target */
    const float *params;               /* (block.size): values of what is not sampled; NULL if all is */
    enum kl_sampling_part part;
    struct kl_sampling_head_prior prior;
    const struct kl_features *features;
    const int64_t *validation; /* (n_validation), rising: rows that the head's training kept back; they
                                  are the test set */
    size_t n_validation;
    bool whiten; /* the chain moves in units of the prior: parameter i is scale[i] times its coordinate,
                    whose prior is N(0, 1). One step then fits weights of 1 / sqrt(512) and angles of pi
                  */
    int n_threads;
    const struct kl_device *device; /* where passes are made, in float; NULL: the CPU */
};
struct kl_sampling_target_f32;
struct kl_sampling_target_f64;
struct kl_sampling_head_f32;
struct kl_sampling_head_f64;
/* The mean cross-entropy, in nats, over the training rows, and its gradient by the sampled parameters,
   by lib/head's own passes: exact outputs of the circuit (with its noise, if it is run by density
   matrices), no dropout. Records in blocks of fixed size whose sums are taken in double, so that the
   bits depend on w and rows alone. KL_EUSAGE: as layout_make, or the circuit runs by drawn trajectories;
   KL_EDATA: no training rows, or rows that are not there; KL_ENOMEM; KL_EDEVICE. Close it in any case;
   target and head live as long as each other. */
int kl_sampling_head_target_f32(struct kl_sampling_target_f32 *target,
                                struct kl_sampling_head_f32 **head,
                                const struct kl_sampling_head_question *question, struct kl_error *err);
int kl_sampling_head_target_f64(struct kl_sampling_target_f64 *target,
                                struct kl_sampling_head_f64 **head,
                                const struct kl_sampling_head_question *question, struct kl_error *err);
void kl_sampling_head_close_f32(struct kl_sampling_head_f32 **head);
void kl_sampling_head_close_f64(struct kl_sampling_head_f64 **head);

/* ---- heads in files (found.c) ---- A file of kind `chains` of a head has, beside what chains have, the
   head that they are of: params/<tensor> [1, ...] with the values of what is not sampled, config,
   class_names, split/validation and the origin of its features as a head's file has them, and as
   attributes which parameters are sampled and their prior. */
/* The head as it is in memory; what stands beside its parameters from `from`, a file of a head or of
   chains of one; split: which rows were kept back, too. */
int kl_sampling_head_save(struct kl_writer *writer, const struct kl_head *head, struct kl_file *from,
                          bool split, struct kl_error *err);
/* part: of KL_SAMPLING_PARTS. */
int kl_sampling_question_save(struct kl_writer *writer, const char *part,
                              const struct kl_sampling_head_prior *prior, struct kl_error *err);
/* ---- evidence (found.c) ---- */
/* ln Z(n) = -int_0^n E_beta[L] dbeta of the normalised prior and the likelihood exp(-n L), by
   thermodynamic integration over the ladder of a run whose last temperature is n. */
struct kl_sampling_evidence {
    size_t n_rungs, parameters;
    double *beta, *mean, *mcse, *variance; /* (n_rungs) of the loss */
    struct kl_sampling_verdict *verdicts;  /* (n_rungs) of its chains */
    double log_z; /* Hermite: trapezoid with the slopes -Var; trapezoid where that is outside of low ..
                     high */
    double low, high; /* the left and the right sum, between which it lies but for chance */
    double mc,
        ladder; /* standard error of chance; of the ladder: |Hermite - trapezoid|, or |high - low| / 2 */
    double error; /* both, as a root of a sum of squares */
    double seconds;
};
/* KL_ENOMEM. Free it in any case. */
int kl_sampling_evidence_make(struct kl_sampling_evidence *e, const struct kl_sampling_run *run,
                              const struct kl_sampling_settings *settings, struct kl_error *err);
void kl_sampling_evidence_free(struct kl_sampling_evidence *e);

extern const struct kl_mode kl_sampling_mode_head, kl_sampling_mode_export;
extern const struct kl_tool kl_sampling_head_tool, kl_sampling_export_tool;

/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_sampling_head KL_NAME(kl_sampling_head)
#define kl_sampling_head_target KL_NAME(kl_sampling_head_target)
#define kl_sampling_head_close KL_NAME(kl_sampling_head_close)

#endif
