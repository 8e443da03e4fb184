/* SPDX-License-Identifier: MIT
   A trained head judged on features: what qeval writes. Every replica is a row. Its controls beside it,
   noise by trajectories and taken back, heads that have collapsed. */
#ifndef KL_HEAD_EVALUATE_H
#define KL_HEAD_EVALUATE_H

#include "base/base.h"
#include "circuit/noise.h"
#include "head/head.h"
#include "stats/stats.h"

/* ---- The controls of a head with a trained circuit: the same training with another core (head.h), one
   after another, for the same replicas on the same split in the same order of batches
   ---- */
enum { KL_CONTROLS = KL_CORES - 1 }; /* control i has core i + 1 */

struct kl_controls {
    struct kl_head_model models[KL_CONTROLS];
    struct kl_head_train trains[KL_CONTROLS]; /* whose divergence is borne */
    int n;                                    /* KL_CONTROLS, or 0: not open */
};
const char *kl_head_control_name(int i);
/* features must outlive it. KL_EUSAGE, KL_EDATA, KL_ENOMEM. Close it in any case. */
int kl_head_controls_open(struct kl_controls *c, const struct kl_head_options *head,
                          const struct kl_features *features, const struct kl_train_options *options,
                          int n_threads, struct kl_error *err);
/* As kl_train_run, from wherever each of them is to its end; watch counts the epochs of all. */
int kl_head_controls_run(struct kl_controls *c, struct kl_pool *pool, const struct kl_watch *watch,
                         struct kl_error *err);
/* whole: for a checkpoint, from which those that have begun can go on. */
int kl_head_controls_save(struct kl_writer *writer, const struct kl_controls *c, bool whole,
                          struct kl_error *err);
/* Out of a checkpoint; what it does not hold has not begun. */
int kl_head_controls_restore(struct kl_controls *c, struct kl_file *file, struct kl_error *err);
void kl_head_controls_close(struct kl_controls *c);
double kl_head_controls_seconds(const struct kl_controls *c); /* spent in training */
/* A line for each replica that diverged. */
void kl_head_controls_note_diverged(const struct kl_controls *c, const struct kl_log *log);

/* A line on the controls that do not tell all classes apart, of so many replicas each; their differences
   rest on them. of: before it, "a.h5: " or "". */
void kl_head_controls_say_collapsed(const struct kl_log *log, const char *of,
                                    const size_t collapsed[KL_CONTROLS], size_t replicas);

/* Validation accuracy of the head less that of control i, each at its best epoch, paired over replicas.
   There must be validation samples. KL_ENOMEM. */
int kl_head_controls_difference(struct kl_paired *difference, const struct kl_controls *c, int i,
                                const struct kl_head_train *head, struct kl_error *err);

/* Such differences as named numbers, for JSON and reports: minus_twin, and with more than one replica
   minus_twin_low and minus_twin_high; the others alike. told: NaN, null in JSON, for the ends of what is
   no interval; a report keeps them. `names` holds the texts of `pairs`. */
struct kl_control_numbers {
    size_t n;
    struct kl_json_pair pairs[3 * KL_CONTROLS];
    char names[3 * KL_CONTROLS][32];
};
void kl_head_control_numbers(struct kl_control_numbers *to, const struct kl_paired *differences, int n,
                             bool told);
/* "  circuit - twin   +0.0012 (95 % ...)", a line each; collapsed: controls that do not tell all classes
   apart. */
void kl_head_controls_write(FILE *to, const struct kl_paired *differences, int n,
                            const size_t collapsed[KL_CONTROLS]);

/* ---- Heads that have collapsed: that take the samples of one class for another's, or end far below the
   heads of other seeds (docs/head.md, "Lost classes")
   ---- */
struct kl_evaluation;

enum { KL_COLLAPSE_PAIRS = 3 };
struct kl_collapsed {
    double accuracy;
    size_t merged; /* classes that are not told from another one (kl_stats_merged_classes) */
    int32_t pairs[KL_COLLAPSE_PAIRS][2]; /* the first of them, and what each is taken for */
    bool far;                            /* below the median of the heads by more than chance */
};
struct kl_collapse {
    size_t replicas, n_collapsed;
    int64_t first;              /* number of the first replica */
    const char *samples;        /* on which they were judged: "val ", "train ", or "" */
    double median;              /* of their accuracies */
    struct kl_collapsed *heads; /* [replicas] */
};
/* The heads of a training that has ended, each at its best epoch and with exact outputs, on its
   validation samples; without any, on some thousands of those that it was trained on. Free with
   kl_head_collapse_free. KL_ENOMEM, KL_EDEVICE. */
int kl_head_collapse_of_training(struct kl_collapse *c, const struct kl_head_train *train,
                                 struct kl_pool *pool, struct kl_error *err);
/* Heads that were judged on labelled samples. KL_ENOMEM. */
int kl_head_collapse_of_evaluation(struct kl_collapse *c, const struct kl_evaluation *e,
                                   struct kl_error *err);
void kl_head_collapse_free(struct kl_collapse *c);
/* One line, if any has collapsed: which, how, and what helps. names: of the classes. */
void kl_head_collapse_say(const struct kl_log *log, const struct kl_collapse *c,
                          const struct kl_features *names);

/* ---- mitigate: a head's outputs under noise, with what can be known of the noise taken back: errors of
   the readout by the inverse of their confusion matrices, those of the gates by zero-noise extrapolation
   (Temme, Bravyi, Gambetta 2017, arXiv:1612.02058). docs/noise.md
   ---- */
enum { KL_MOST_SCALES = 8 };

struct kl_mitigation {
    bool readout;
    int n_scales; /* 0: no extrapolation, the circuit as it is */
    int scale[KL_MOST_SCALES];
    double weight[KL_MOST_SCALES]; /* the extrapolated output: the sum of weight * output at scale */
    char label[64];                /* "readout, ZNE 1,3,5 linear"; "": none */
};
static inline bool kl_head_mitigates(const struct kl_mitigation *m)
{
    return m->readout || m->n_scales;
}
/* scales: NULL, or "1,3,5": two to KL_MOST_SCALES odd numbers in rising order. method: "richardson", the
   polynomial through all of them, or "linear", the straight line of least squares, at scale 0.
   KL_EUSAGE. */
int kl_head_mitigation_make(struct kl_mitigation *m, const char *scales, const char *method,
                            bool readout, struct kl_error *err);

/* The effect of mitigation on one replica. Errors: mean of |output - that of the exact circuit without
   noise| over samples and outputs. */
struct kl_mitigated {
    double accuracy, log_loss; /* without mitigation */
    double error, error_mitigated;
};

/* ---- told (mitigate.c) ---- of n replicas; all without effect if there is no mitigation */
struct kl_json_pair;
enum { KL_MITIGATION_PAIRS = 5 };
size_t kl_head_mitigation_pairs(struct kl_json_pair pairs[KL_MITIGATION_PAIRS],
                                const struct kl_mitigation *how, const struct kl_mitigated *m, size_t n);
/* One line for people, below the summary. */
void kl_head_mitigation_write(FILE *to, const struct kl_mitigation *how, const struct kl_mitigated *m,
                              size_t n);
/* Into the report: root attributes named as the pairs, and replicas/ of the same names. */
int kl_head_mitigation_save(struct kl_writer *writer, const struct kl_mitigation *how,
                            const struct kl_mitigated *m, size_t n, struct kl_error *err);

/* ---- computed (mitigate.c) ---- */

/* A job: a replica of a file, or of its control, and the conditions of its run. */
struct kl_mitigation_job {
    struct kl_file *file;
    const char *control; /* of kl_head_load */
    size_t replica;
    struct kl_conditions how;
    const struct kl_mitigation *mitigation;
    const struct kl_shots *shots; /* of every scale; NULL or n 0: exact */
};
/* logits (n, n_classes) with mitigation, and plain (n, n_classes) without, of features x. *m: its
   errors; accuracy and log_loss are left. plain and m may be NULL both. KL_EUSAGE: there is no noise, or
   it cannot be mitigated; those of kl_head_load. */
int kl_head_mitigated_logits(float *logits, float *plain, struct kl_mitigated *m,
                             const struct kl_mitigation_job *job, const float *x, size_t n,
                             struct kl_pool *pool, struct kl_error *err);

/* ---- drawn: what is left to chance in an evaluation by trajectories ---- */
/* The error of a finite number of realisations of the noise, from two halves of them. Standard errors:
   of the accuracy and the log loss on these samples, and of one output of the circuit (root mean square
   over outputs and samples). An output that scatters is taken for another class more often, so there is
   a bias as well: half_ are accuracy and log loss by half as many, the mean of both halves. */
struct kl_trajectory_error {
    double accuracy, log_loss, output, half_accuracy, half_log_loss;
};
/* logits (n, n_classes) of features x (n, n_features) by head->model.circuit->trajectories, two or more.
   shots: as kl_head_logits; the errors are without them. KL_ENOMEM; those of kl_head_logits. */
int kl_head_trajectory_logits(float *logits, struct kl_trajectory_error *drawn, struct kl_head *head,
                              const float *x, const int32_t *labels, size_t n,
                              const struct kl_shots *shots, struct kl_pool *pool, struct kl_error *err);

/* ---- told ---- of n replicas: errors of their mean; nothing where trajectories is 0; drawn may be NULL
 */
enum { KL_DRAWN_PAIRS = 6 };
size_t kl_head_trajectory_error_pairs(struct kl_json_pair pairs[KL_DRAWN_PAIRS], size_t trajectories,
                                      const struct kl_trajectory_error *drawn, size_t n);
/* One line for people, below the summary. */
void kl_head_trajectory_error_write(FILE *to, size_t trajectories,
                                    const struct kl_trajectory_error *drawn, size_t n);
/* Root attributes of a report, named as the pairs. */
int kl_head_trajectory_error_save(struct kl_writer *writer, size_t trajectories,
                                  const struct kl_trajectory_error *drawn, size_t n,
                                  struct kl_error *err);

/* ---- How far an evaluation is: samples of all heads, of which each may run its circuit several times.
   All functions take NULL: nobody watches. One thread at a time
   ---- */
struct kl_judge_progress {
    const struct kl_watch *watch;
    uint64_t before, total; /* samples of the heads that are done, and of all */
    size_t run, runs;       /* of the circuit, for the head in work */
};
/* Other heads: `samples` of all of them. */
void kl_head_judge_progress_begin(struct kl_judge_progress *meter, uint64_t samples);
/* The head in work runs its circuit so often; once, where this is not called. */
void kl_head_judge_progress_runs(struct kl_judge_progress *meter, size_t runs);
/* A head of n samples is done. */
void kl_head_judge_progress_head(struct kl_judge_progress *meter, size_t n);

/* ---- the evaluation ---- */
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
    int32_t *labels;      /* [n]; of features without labels -1, and there are no scores */
    int32_t *predictions; /* (replicas, n) */
    float *probabilities; /* (replicas, n, c) */
    double *accuracy, *log_loss, *top_k, *calibration_error; /* [replicas] */
    size_t k;                                                /* of top_k: 5, or c - 1 if that is less */
    size_t shots, trained_shots; /* of this evaluation, and of the head's training; 0: exact */
    char noise[KL_NOISE_LABEL];
    struct kl_mitigation mitigation;
    struct kl_mitigated *mitigated;    /* [replicas], with mitigation; else NULL */
    size_t trajectories;               /* 0: none */
    struct kl_trajectory_error *drawn; /* [replicas], with trajectories and no mitigation; else NULL */
    double *spread; /* (n, c) standard deviation over an ensemble's heads; else NULL */
    size_t agree;   /* samples of which all of them say one class */
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
    struct kl_judge_progress *meter;         /* NULL: none */
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
/* The replica of a head file, or of its control ("controls/twin/"), that kl_evaluation_options.replica
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
/* Cautions about the samples of an accuracy. */
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

/* ---- the summary on standard output (report.c) ---- */
struct kl_evaluation_found {
    const char *output, *key; /* of the report */
    const struct kl_evaluation *e;
    const struct kl_control_scores *controls;
    const struct kl_evaluation_cautions *cautions;
    size_t collapsed;              /* heads (collapse.c) */
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
