/* SPDX-License-Identifier: MIT
   report: models on the windows that they were not trained on (qseq eval): what was kept apart, checked
   anew; predictions, metrics overall and of each person, what of each channel the loss depends on. */
#ifndef KL_SEQUENCE_REPORT_H
#define KL_SEQUENCE_REPORT_H

#include "sequence/learn/learn.h"
#include "stats/stats.h"

enum { KL_SEQUENCE_REPORT_SCHEMA = 1, KL_SEQUENCE_EVAL_VERSION = 3 };
extern const struct kl_kind kl_sequence_report_kind;
extern const struct kl_kind kl_sequence_predictions_kind; /* "sequence-predictions" */
extern const struct kl_tool kl_sequence_eval_tool, kl_sequence_predict_tool;
extern const struct kl_mode kl_sequence_mode_eval, kl_sequence_mode_predict;
/* qseq train, fit and sweep of one fold, or with --fold all of each and their report (mode_folds.c). */
extern const struct kl_mode kl_sequence_mode_train_folds, kl_sequence_mode_fit_folds,
    kl_sequence_mode_sweep_folds;

/* One window that is tested, and by which model. */
struct kl_sequence_tested {
    size_t window; /* of the set */
    int32_t model, file;
    bool fresh; /* of a file that the model does not know */
};
/* Folds of one model, or of one sweep (what), are made alike, of the same windows: nothing in their keys
   differs but the fold, and with it the keys of a sweep's points. KL_EDATA. (tested.c) */
int kl_sequence_check_fold(const struct kl_file *file, const struct kl_file *first, const char *what,
                           struct kl_error *err);
/* A model that a sweep's table says is its best point (chosen.c). */
struct kl_sequence_choice {
    int64_t fold;
    size_t model;
    char point[KL_SWEEP_NAME]; /* "lr=1e-3 layers=2" */
    double judged;             /* by its validation: mean over replicas */
};
struct kl_sequence_report {
    /* given: open */
    struct kl_file *const *model_files, *const *window_files, *const *sweep_files;
    size_t n_models, n_windows;
    size_t n_sweeps; /* 0: models are folds of one; else as many as these, each the best of one sweep */
    /* found */
    struct kl_sequence_set set;
    struct kl_sequence_learned *models;                   /* (n_models) */
    struct kl_sequence_choice *chosen;                    /* (n_sweeps) by fold */
    char judge[48];                                       /* of them: "val_loss" */
    struct kl_sequence_tested *tested;                    /* (n) by window */
    bool all;                                             /* hidden */
    size_t seen;                                          /* of kl_sequence_report_open_all */
    size_t n, replicas, classes, channels, train_windows; /* train_windows: mean over the models */
    bool leak;
    const char
        *transductive; /* options of what is fitted on each tested person's own windows, or NULL */
    size_t lost;       /* directions without power that alignments left out, of whom most are */
    const struct kl_file *undigested; /* a model that cannot know copies in fresh files, or NULL */
    int32_t *labels, *person;         /* (n); number among the people */
    size_t n_people;
    const char **people;          /* (n_people) in the order of their names */
    float *logits;                /* (replicas, n, classes) */
    double *probabilities;        /* likewise */
    double *importance;           /* (replicas, channels): root of the mean square of d loss / d input */
    struct kl_metrics *metrics;   /* (replicas) */
    int64_t *confusion;           /* (replicas, classes, classes) */
    struct kl_metrics *of_person; /* (replicas, n_people) */
    int64_t *person_n;            /* (n_people) */
    int64_t *own_n; /* (n_people) windows given of each, all of them: what is his own is fitted on these;
                       NULL unless transductive */
};
/* Models and windows of a command line, and tables of sweeps, each by content: open, and into the report
   (mode_eval.c). KL_EUSAGE: no model or windows, or one twice; KL_EDATA. Close them in any case, the
   report before. */
struct kl_sequence_models_and_windows {
    struct kl_file **files; /* models, windows, tables */
    size_t n, n_models, n_sweeps;
};
int kl_sequence_report_files(struct kl_sequence_models_and_windows *w, struct kl_sequence_report *report,
                             struct kl_mode_run *run, struct kl_error *err);
int kl_sequence_report_key(const struct kl_sequence_models_and_windows *w, struct kl_key *key,
                           struct kl_error *err);
void kl_sequence_report_files_close(struct kl_sequence_models_and_windows *w);
/* The models, the windows that each tests, and all checks: the split of a model's file is of the windows
   in its key and keeps recordings (and people) apart; windows that are given are those; what a model has
   not seen is of nobody whom it was trained on, and no copy of what it was trained on. What is each
   person's own is fitted on the windows given, whatever the model was trained with. (tested.c) KL_EDATA
   says what leaks, or does not fit. */
int kl_sequence_report_open(struct kl_sequence_report *r, struct kl_error *err);
/* In its place where nothing is judged: every model on all windows given, model after model, whether
   they have labels or not; r->seen of them trained a model or chose its epoch. Labels are 0 then. */
int kl_sequence_report_open_all(struct kl_sequence_report *r, struct kl_error *err);
/* Which point each sweep that was given chose: all are of one grid on the folds of one split, and every
   model is the best point of one of them. (chosen.c) KL_EDATA says what is not so. */
int kl_sequence_report_choose(struct kl_sequence_report *r, struct kl_error *err);
int kl_sequence_chosen_save(const struct kl_sequence_report *r, struct kl_writer *writer,
                            struct kl_error *err);
/* A line for each point that was chosen; and [{"fold":0,"point":"lr=1e-3","val_loss":0.6},...],
   malloc'ed. */
void kl_sequence_chosen_write(FILE *to, const struct kl_sequence_report *r);
int kl_sequence_chosen_json(char **text, const struct kl_sequence_report *r, struct kl_error *err);
/* The name of all models in tables; of several nets "hydra|means", by fold. */
void kl_sequence_report_name(char name[KL_SEQUENCE_NAME], const struct kl_sequence_report *r);
/* Check fresh files. KL_EDATA: a window there has the numbers of one that trained a model or chose its
   epoch; one that is tested stands in two files. (copies.c) */
int kl_sequence_report_check_copies(struct kl_sequence_report *r, struct kl_error *err);
/* A window, of those that trained a model or chose its epoch (at: in the model's lists), or of those
   that it is tested on (at: among the tested). */
struct kl_sequence_digest {
    int64_t digest;
    size_t at;
};
/* The windows that trained a model or chose its epoch, sorted; how many: of files without digests none.
   known (m->n): room. */
size_t kl_sequence_digests_known(struct kl_sequence_digest *known, const struct kl_sequence_learned *m);
/* The first of n that is such a window; NULL: it is none of them. */
const struct kl_sequence_digest *kl_sequence_digests_find(const struct kl_sequence_digest *known,
                                                          size_t n, int64_t digest);
/* Logits, probabilities, importance. (predict.c) */
int kl_sequence_report_predict(struct kl_sequence_report *r, struct kl_pool *pool, struct kl_error *err);
/* (measure.c) */
int kl_sequence_report_measure(struct kl_sequence_report *r, struct kl_error *err);
/* Mean over replicas of metric k; NaN if it is undefined. */
double kl_sequence_report_mean(const struct kl_sequence_report *r, int k);
/* Standard errors of the accuracy, mean over replicas. Over people, as windows of one person are alike:
   the ratio estimator of clusters of unequal size (Cochran 1977, Sampling Techniques, chapter 9A), which
   of as many windows each is the deviation over people / sqrt(people). NaN: one person. And by windows
   alone, sqrt(p (1 - p) / n), without how people differ: as a rule too small for a claim on others. */
double kl_sequence_report_se_people(const struct kl_sequence_report *r);
double kl_sequence_report_se_windows(const struct kl_sequence_report *r);
/* A caution on what names one class for all windows of several: at all, of a fold, of a person.
   (measure.c) KL_ENOMEM. */
int kl_sequence_report_say_one_class(const struct kl_sequence_report *r, const struct kl_log *log,
                                     struct kl_error *err);
int kl_sequence_report_save(const struct kl_sequence_report *r, struct kl_writer *writer,
                            struct kl_error *err);
void kl_sequence_report_close(struct kl_sequence_report *r);

#endif
