/* SPDX-License-Identifier: MIT
   ensemble: draws of a head's parameters as an ensemble of heads: which parameters are sampled, and the
   kept draws of a file of chains. It is what evaluates them needs, without what samples. */
#ifndef KL_SAMPLING_ENSEMBLE_H
#define KL_SAMPLING_ENSEMBLE_H

#include "head/evaluate.h"
#include "head/head.h"
struct kl_key;

#define KL_SAMPLING_CHAINS "chains" /* the kind of a file of them */

/* ---- which parameters are sampled, and their prior (ensemble.c) ---- */
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
/* Consecutive parameters of one tensor with one prior. */
struct kl_sampling_slice {
    char name[48];
    int rank;
    size_t dims[4], offset, size, fan_in;
    double sigma;
};
struct kl_sampling_layout {
    size_t size;   /* P */
    size_t *index; /* (P) of parameter i in the block of the head's model */
    float *scale;  /* (P) its prior's deviation */
    struct kl_sampling_slice *slices;
    int n_slices;
};
/* KL_EUSAGE: there is no such part (a core that is frozen, or none), or a deviation is not positive;
   KL_ENOMEM. Free it in any case. */
int kl_sampling_layout_make(struct kl_sampling_layout *layout, const struct kl_head_model *model,
                            enum kl_sampling_part part, const struct kl_sampling_head_prior *prior,
                            struct kl_error *err);
void kl_sampling_layout_free(struct kl_sampling_layout *layout);

/* ---- kept weights (ensemble.c) ---- */
/* Kept weights of a file (with keep_last its one rung is the ladder's last): `draws` of each rung and
 * chain at most, of `size` each. KL_EDATA, also where none were kept. */
struct kl_sampling_kept {
    size_t rungs, size;
    int64_t chains, draws;
    const struct kl_dataset *weights;
    struct kl_file *file;
    float *chain; /* (hidden) the one that was read last */
    int64_t at;
};
/* Close it in any case. */
int kl_sampling_kept_open(struct kl_sampling_kept *kept, struct kl_file *file, struct kl_error *err);
/* w (size). KL_EUSAGE: there is no such draw. */
int kl_sampling_kept_read(float *w, struct kl_sampling_kept *kept, size_t rung, int64_t chain,
                          int64_t draw, struct kl_error *err);
void kl_sampling_kept_close(struct kl_sampling_kept *kept);

/* ---- heads (ensemble.c) ---- */
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
/* What judges or predicts: a file of heads, or chains of one, whose draws (n > 0) then stand in its
   place. KL_EDATA, ... */
int kl_sampling_judged_open(struct kl_file **head, struct kl_sampling_heads *draws, const char *path,
                            struct kl_error *err);

/* ---- predictions (mode_predict.c) ---- */
extern const struct kl_kind kl_predictions_kind;
extern const struct kl_tool kl_predict_tool;
extern const struct kl_mode kl_mode_predict; /* of qeval */

#endif
