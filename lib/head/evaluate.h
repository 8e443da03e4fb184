/* SPDX-License-Identifier: MIT
   A trained head judged on features: what qeval writes. Every replica is a row. */
#ifndef KL_HEAD_EVALUATE_H
#define KL_HEAD_EVALUATE_H

#include "base/base.h"
#include "circuit/noise.h"
#include "head/controls.h"
#include "head/drawn.h"
#include "head/mitigate.h"
#include "stats/stats.h"

struct kl_file;
struct kl_writer;
struct kl_features;
struct kl_kind;

enum { KL_CALIBRATION_BINS = 15 };

/* Heads that differ in their parameters alone, such as draws of a chain, judged as one: by the mean of
   their probabilities. */
struct kl_head;
struct kl_head_ensemble {
    size_t n;
    int (*set)(void *context, struct kl_head *head, size_t i,
               struct kl_error *err); /* the i-th's parameters */
    void *context;
};
struct kl_evaluation {
    size_t n, c, replicas;
    size_t ensemble;                    /* heads of it, which are one replica; 0: none */
    const char *replica;                /* of the options */
    int64_t first;                      /* number in the file of the first of them */
    const struct kl_features *features; /* the samples judged: rows[n] of it */
    int64_t *rows;
    int32_t *labels;                                         /* [n] */
    int32_t *predictions;                                    /* (replicas, n) */
    float *probabilities;                                    /* (replicas, n, c) */
    double *accuracy, *log_loss, *top_k, *calibration_error; /* [replicas] */
    size_t k;                                                /* of top_k: 5, or c - 1 if that is less */
    size_t shots, trained_shots; /* of this evaluation, and of the head's training; 0: exact */
    char noise[KL_NOISE_LABEL];
    struct kl_mitigation mitigation;
    struct kl_mitigated *mitigated; /* [replicas], with mitigation; else NULL */
    size_t trajectories;            /* 0: none */
    struct kl_drawn *drawn;         /* [replicas], with trajectories and no mitigation; else NULL */
};

struct kl_evaluation_options {
    const char *split;   /* "all" rows, or "val": those that the head's training kept back (features must
                            then be the training file) */
    const char *replica; /* NULL: all heads of the file; "best": the one with the highest validation
                            accuracy, of each control as well; or a number, from 0 */
    const char *noise;   /* a text of kl_circuit_noise_text; NULL: what the head was trained with */
    size_t shots;        /* measurements a sample; 0: exact expectation values */
    uint64_t seed;       /* of the shots */
    struct kl_mitigation mitigation;
    size_t trajectories;                     /* of kl_conditions */
    const struct kl_device *device;          /* NULL: the CPU */
    struct kl_meter *meter;                  /* NULL: none */
    const struct kl_head_ensemble *ensemble; /* in place of the heads of the file; NULL: none */
};
/* Logits on the device that o names. */
int kl_head_evaluation_logits(float *logits, const struct kl_head *head, const float *x, size_t n,
                              const struct kl_shots *shots, const struct kl_evaluation_options *o,
                              struct kl_pool *pool, struct kl_error *err);
/* KL_EDATA if the head was made for other features; KL_EUSAGE: no such replica, or none is the best
   since no samples were kept for validation; KL_ENOMEM. Free with kl_head_evaluation_free. */
int kl_head_evaluate(struct kl_evaluation *e, struct kl_file *head, const struct kl_features *features,
                     const struct kl_evaluation_options *o, struct kl_pool *pool, struct kl_error *err);
void kl_head_evaluation_free(struct kl_evaluation *e);
/* Which replica of a head file, or of its control ("controls/twin/"), kl_evaluation_options.replica
   names; 0 if it is NULL. KL_EUSAGE, KL_EDATA, KL_ENOMEM. */
int kl_head_evaluation_replica(int64_t *replica, const char *word, struct kl_file *file,
                               const char *group, struct kl_error *err);
/* How the circuit of replica r is run, on e->rows. */
struct kl_conditions kl_head_evaluation_conditions(const struct kl_evaluation *e,
                                                   const struct kl_evaluation_options *o, size_t r);
/* Means over the heads. */
struct kl_evaluation_summary {
    double accuracy, deviation;  /* standard deviation between heads (n - 1), 0 for one */
    struct kl_interval interval; /* Wilson, 95 %, of the mean accuracy on n samples */
    double log_loss, calibration_error;
};
struct kl_evaluation_summary kl_head_evaluation_summary(const struct kl_evaluation *e);
/* Samples that only one of the two gets right: replica 0 of each, on the same rows. KL_EDATA if the rows
 * differ. */
int kl_head_evaluation_compare(struct kl_mcnemar *test, const struct kl_evaluation *a,
                               const struct kl_evaluation *b, struct kl_error *err);
/* What a reader of an accuracy must know of its samples. */
struct kl_evaluation_cautions {
    bool differs; /* the features' preprocessing, from that of the features that a head was trained on */
    bool trained; /* the head was trained on them */
};
/* All datasets and attributes of a report (docs/files.md). */
int kl_head_evaluation_save(struct kl_writer *writer, const struct kl_evaluation *e,
                            const struct kl_evaluation_cautions *cautions, const struct kl_mcnemar *test,
                            struct kl_error *err);
/* Root attribute of a head that is a draw of a chain, and of chains of heads. */
#define KL_HEAD_SAMPLED "sampled_parameters"
extern const struct kl_kind kl_report_kind; /* what its file shows (store/kind.h) */

/* ---- the controls in a head's file, on the samples of its evaluation (evaluate_controls.c) ---- */
struct kl_control_scores {
    const char *absent; /* why the file holds no controls, in words; NULL: it does */
    size_t replicas;
    double *accuracy[KL_CONTROLS], *log_loss[KL_CONTROLS]; /* [replicas] */
    size_t collapsed[KL_CONTROLS];            /* that do not tell all classes apart on these samples */
    struct kl_paired difference[KL_CONTROLS]; /* accuracy of the head less the control's, by replica */
};
/* Free with kl_head_control_scores_free. */
int kl_head_control_scores(struct kl_control_scores *s, const struct kl_evaluation *e,
                           struct kl_file *head, const struct kl_evaluation_options *o,
                           struct kl_pool *pool, struct kl_error *err);
void kl_head_control_scores_free(struct kl_control_scores *s);
/* Into the report: the root attribute `controls`, and what there is. */
int kl_head_control_scores_save(struct kl_writer *writer, const struct kl_control_scores *s,
                                struct kl_error *err);

/* ---- the summary on standard output (evaluate_tell.c) ---- */
struct kl_evaluation_found {
    const char *output, *key; /* of the report */
    const struct kl_evaluation *e;
    const struct kl_control_scores *controls;
    const struct kl_evaluation_cautions *cautions;
    size_t collapsed;              /* heads (collapse.h) */
    const struct kl_log *log;      /* of the run */
    const struct kl_mcnemar *test; /* against the head `compared`; NULL: none */
    const char *compared;
    const int64_t *confusion; /* (c, c) of the first head, for a line a class; NULL: not wanted */
};
/* malloc'ed: before the report is in its place, since what can fail should fail while the old one is
   there. KL_ENOMEM. */
int kl_head_evaluation_confusion(int64_t **confusion, const struct kl_evaluation *e,
                                 struct kl_error *err);
void kl_head_evaluation_tell(FILE *to, const struct kl_evaluation_found *found);
/* As one JSON object. */
int kl_head_evaluation_tell_json(FILE *to, const struct kl_evaluation_found *found,
                                 struct kl_error *err);

#endif
