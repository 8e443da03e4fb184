/* SPDX-License-Identifier: MIT
   fitted: classifiers on covariances of windows (qseq fit): spatial patterns with a discriminant,
   tangent vectors with logistic regression, least distance to a mean. What they are fitted on are the
   windows of the split's training and validation parts: they choose no epoch. */
#ifndef KL_SEQUENCE_FITTED_H
#define KL_SEQUENCE_FITTED_H

#include "sequence/learn/split.h"
#include "sequence/learn/standardise.h"
#include "store/kind.h"
struct kl_mode;
struct kl_tool;

enum { KL_SEQUENCE_FIT_SCHEMA = 1, KL_SEQUENCE_FIT_VERSION = 2 };
extern const struct kl_kind kl_sequence_fit_kind; /* "sequence-fit" */
extern const struct kl_tool kl_sequence_fit_tool;
extern const struct kl_mode kl_sequence_mode_fit;

enum kl_sequence_method { KL_SEQUENCE_CSP_LDA, KL_SEQUENCE_TANGENT_LR, KL_SEQUENCE_MDM };
#define KL_SEQUENCE_METHODS "csp-lda|tangent-lr|mdm"
struct kl_sequence_fit_options {
    enum kl_sequence_method method;
    enum kl_sequence_estimator estimator;
    enum kl_sequence_alignment align;
    size_t filters;  /* of csp-lda */
    double strength; /* of tangent-lr: weight of the data against the penalty */
};
struct kl_sequence_fitted {
    struct kl_sequence_fit_options options;
    size_t channels, steps, n_points;
    int classes;
    double *align;   /* (C, C), of KL_SEQUENCE_ALIGN_TRAIN; else NULL */
    size_t lost;     /* directions without power that alignments left out so far, of whom most are */
    double *filters; /* (filters, C), of csp-lda */
    double *points;  /* (n_points, C, C): means, of mdm one a class, of tangent-lr one */
    struct kl_sequence_linear linear; /* of csp-lda, tangent-lr */
    size_t n_fitted;                  /* windows it is fitted on */
};
/* rows (n): windows it is fitted on. KL_EDATA: what the methods refuse; KL_EDEVICE, KL_EIO, KL_ENOMEM.
   Free it in any case. */
int kl_sequence_fit(struct kl_sequence_fitted *f, const struct kl_sequence_set *set, const int64_t *rows,
                    size_t n, const struct kl_sequence_fit_options *o, struct kl_pool *pool,
                    struct kl_error *err);
/* probabilities (n, classes) of windows rows[0..n) of a set with the same channels; alignment by each
   person is by all windows that the set has of him. */
int kl_sequence_fitted_apply(double *probabilities, struct kl_sequence_fitted *f,
                             const struct kl_sequence_set *set, const int64_t *rows, size_t n,
                             struct kl_pool *pool, struct kl_error *err);
void kl_sequence_fitted_free(struct kl_sequence_fitted *f);

/* ---- its file (fitted.c) ---- */
/* Attributes model (the method), estimator, align, filters, strength, steps, rate, unit, split, leak,
   parameters; datasets align, filters, points, weights, bias, class_names, channel_names; the group
   split/ is that of a sequence-model. */
int kl_sequence_fitted_save(struct kl_writer *writer, const struct kl_sequence_fitted *f,
                            const struct kl_sequence_set *set, const struct kl_sequence_split *split,
                            const char *kind, struct kl_file *const *files, size_t n_files,
                            struct kl_error *err);
/* KL_EDATA: what is no such file. Free it in any case. */
int kl_sequence_fitted_load(struct kl_sequence_fitted *f, struct kl_file *file, struct kl_error *err);

#endif
