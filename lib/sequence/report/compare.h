/* SPDX-License-Identifier: MIT
   compare: several models' reports on the same test windows, paired over people. */
#ifndef KL_SEQUENCE_COMPARE_H
#define KL_SEQUENCE_COMPARE_H

#include "stats/stats.h"
struct kl_file;
struct kl_kind;
struct kl_mode;
struct kl_tool;
struct kl_writer;

extern const struct kl_tool kl_sequence_compare_tool;
extern const struct kl_mode kl_sequence_mode_compare;
extern const struct kl_kind kl_sequence_comparison_kind; /* "sequence-comparison" (compared_file.c) */

/* ---- a report (compare.c) ---- */
struct kl_sequence_reported {
    const char *path;
    char *model, *split;
    size_t n, replicas, classes, n_people, n_recordings, folds;
    int32_t *labels, *subject, *recording, *fold; /* (n) */
    double *probabilities;                        /* (replicas, n, classes) */
    double *onset;                                /* (n) or NULL */
    double train_windows;                         /* of a fold; NaN: not told */
    char **people, **recordings;
    bool transductive; /* each person's own windows fitted what is done to them */
};
/* KL_EDATA: another kind of file, one that is damaged. Close it in any case. */
int kl_sequence_reported_open(struct kl_sequence_reported *r, struct kl_file *file,
                              struct kl_error *err);
void kl_sequence_reported_close(struct kl_sequence_reported *r);
/* KL_EDATA unless both judge the same windows in the same order: which is the first that differs. */
int kl_sequence_reported_same(const struct kl_sequence_reported *a, const struct kl_sequence_reported *b,
                              struct kl_error *err);

/* ---- the comparison (compare.c) ---- */
struct kl_sequence_compare_options {
    int metric;   /* of kl_stats_metric_names */
    size_t draws; /* of sign flips of more than KL_SIGN_FLIP_EXACT people */
    uint64_t seed;
    bool against_first; /* pairs of the first report with each other one alone */
};
struct kl_sequence_compared_model {
    char name[96];           /* the model's, with its file where two are of one name */
    double *value;           /* (people): mean over seeds */
    double *by_seed;         /* (people, seeds) */
    double mean, low, high;  /* over people; 95 % by Student's t over people */
    struct kl_interval both; /* 95 % over people and seeds; NaN: one seed */
    double windows;          /* of all windows together, mean over seeds */
    double seeds;            /* standard deviation of that over seeds (n - 1); NaN: one seed */
    double rank;             /* mean over people, 1: the best */
};
struct kl_sequence_compared_pair {
    size_t a, b;
    double difference;       /* a - b, mean over people; its 95 % is that of t */
    struct kl_interval both; /* 95 % over people and seeds; NaN: one seed, or numbers that differ */
    double test_error;       /* sqrt(p (1 - p) / windows) of the accuracy; other metrics NaN */
    struct kl_tested flips, wilcoxon; /* of the people's differences */
    double flips_holm, wilcoxon_holm; /* two-sided, over all pairs */
    struct kl_mcnemar
        windows; /* of one person: by the mean of the seeds' probabilities; p NaN: of several */
    struct kl_t_test t, folds; /* of people; of folds, corrected for what their training shares */
};
struct kl_sequence_compared {
    size_t n_models, n_pairs, n_people, n_left_out, n_windows, n_seeds, n_folds;
    double ratio; /* of test to training windows, of a fold; NaN: no folds that overlap */
    bool guessed; /* ratio from the number of folds */
    struct kl_sequence_compared_model *models;
    struct kl_sequence_compared_pair *pairs;
    struct kl_friedman friedman; /* of three and more */
    int metric;
    double *room; /* (hidden) */
};
/* People whose metric is undefined in a report are left out of all. KL_EDATA: reports differ in their
   windows; KL_ENOMEM. Free it in any case. */
int kl_sequence_compare(struct kl_sequence_compared *c, const struct kl_sequence_reported *reports,
                        size_t n, const struct kl_sequence_compare_options *o, struct kl_error *err);
/* All of it into its file (docs/files.md). KL_EIO, KL_ENOMEM. */
int kl_sequence_compared_save(struct kl_writer *w, const struct kl_sequence_compared *c,
                              struct kl_error *err);
void kl_sequence_compared_free(struct kl_sequence_compared *c);

#endif
