/* SPDX-License-Identifier: MIT
   heads: the project's own heads as what is sampled: a target made of a head's forward and backward
   passes on cached features. Tiers: which parameters, and their priors; the target. The one room of
   sampling that knows lib/head. */
#ifndef KL_SAMPLING_HEADS_H
#define KL_SAMPLING_HEADS_H

#include "head/evaluate.h"
#include "head/head.h"
#include "sampling/chain/chain.h"
#include "sampling/diagnose/verdict.h"
#include "sampling/model/model.h"
struct kl_key;
struct kl_mode;
struct kl_tool;

/* ---- which parameters are sampled, and their prior (layout.c) ---- */
/* all; the core and what is behind it; the classifier behind the core; the core alone. What is not
   sampled keeps its trained values. Of a head without a core the first three are the same. */
enum kl_sampling_part { KL_SAMPLING_ALL, KL_SAMPLING_TAIL, KL_SAMPLING_CLASSIFIER, KL_SAMPLING_CORE };
#define KL_SAMPLING_PARTS "all|tail|head|circuit"
/* Independent normals around 0. An angle's is that of the circle all the same: a rotation's outputs have
   the period 2 pi, and N(0, pi^2) wrapped around it is the uniform law to within 1.5 % (its first
   Fourier coefficient is exp(-pi^2 / 2) = 0.0072), while a chain needs no walls and no wrapping. */
struct kl_sampling_head_prior {
    double sigma;  /* of weights and biases, 1 */
    double angles; /* of a circuit's weights, pi */
    double scales; /* of a circuit's learnable scales of inputs, 1 */
    bool flat; /* sigma as it is; else sigma / sqrt(fan_in) of each layer (of a twin: the entries a unit
                  has) */
};
void kl_sampling_head_prior_default(struct kl_sampling_head_prior *prior);
struct kl_sampling_layout {
    size_t size;   /* P */
    size_t *index; /* (P) of parameter i in the block of the head's model */
    float *scale;  /* (P) its prior's deviation */
    struct kl_sampling_tensor *tensors;
    int n_tensors;
};
/* KL_EUSAGE: there is no such part (a core that is frozen, or none), or a deviation is not positive;
   KL_ENOMEM. Free it in any case. */
int kl_sampling_layout_make(struct kl_sampling_layout *layout, const struct kl_head_model *model,
                            enum kl_sampling_part part, const struct kl_sampling_head_prior *prior,
                            struct kl_error *err);
void kl_sampling_layout_free(struct kl_sampling_layout *layout);

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
};
struct kl_sampling_target_f32;
struct kl_sampling_target_f64;
struct kl_sampling_head_f32;
struct kl_sampling_head_f64;
/* The mean cross-entropy, in nats, over the training rows, and its gradient by the sampled parameters,
   by lib/head's own passes: exact outputs of the circuit (with its noise, if it is run by density
   matrices), no dropout. Records in blocks of fixed size whose sums are taken in double, so that the
   bits depend on w and rows alone. KL_EUSAGE: as layout_make, or the circuit runs by drawn trajectories;
   KL_EDATA: no training rows, or rows that are not there; KL_ENOMEM. Close it in any case; target and
   head live as long as each other. */
int kl_sampling_head_target_f32(struct kl_sampling_target_f32 *target,
                                struct kl_sampling_head_f32 **head,
                                const struct kl_sampling_head_question *question, struct kl_error *err);
int kl_sampling_head_target_f64(struct kl_sampling_target_f64 *target,
                                struct kl_sampling_head_f64 **head,
                                const struct kl_sampling_head_question *question, struct kl_error *err);
void kl_sampling_head_close_f32(struct kl_sampling_head_f32 **head);
void kl_sampling_head_close_f64(struct kl_sampling_head_f64 **head);

/* ---- heads in files (file.c) ---- A file of kind `chains` of a head has, beside what chains have, the
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
/* The features that chains were sampled on, as an input of a key of what is made of them. */
int kl_sampling_head_key_features(struct kl_key *key, const struct kl_file *chains,
                                  struct kl_error *err);
/* Kept draws at the posterior, beta = n, of such a file. Draw number i is draw i / chains of chain i %
 * chains. */
struct kl_sampling_heads {
    struct kl_sampling_kept kept;
    struct kl_sampling_layout layout;
    size_t rung, n; /* n: draws of all chains */
    float *w;       /* (P) */
    char *part;     /* of KL_SAMPLING_PARTS */
    struct kl_head_ensemble
        ensemble; /* of them, for kl_head_evaluate; its context is this struct, which must stay */
};
/* file must stay open. KL_EDATA: chains of something else, none kept, no temperature beta = n;
   KL_ENOMEM. Close it in any case. */
int kl_sampling_heads_open(struct kl_sampling_heads *heads, struct kl_file *file, struct kl_error *err);
void kl_sampling_heads_close(struct kl_sampling_heads *heads);

/* ---- evidence (evidence.c) ---- */
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
/* ln of the Bayes factor of a against b, and its error. */
double kl_sampling_bayes_factor(double *error, const struct kl_sampling_evidence *a,
                                const struct kl_sampling_evidence *b);

extern const struct kl_mode kl_sampling_mode_head, kl_sampling_mode_export;
extern const struct kl_tool kl_sampling_head_tool, kl_sampling_export_tool;

/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_sampling_head KL_NAME(kl_sampling_head)
#define kl_sampling_head_target KL_NAME(kl_sampling_head_target)
#define kl_sampling_head_close KL_NAME(kl_sampling_head_close)

#endif
