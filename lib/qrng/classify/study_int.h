/* SPDX-License-Identifier: MIT
   Judging, in parts: study_apply.c one run of one model, study_judge.c one model on all splits,
   study_beside.c what stands beside the models, study_reference.c what the epoch's choice is worth. */
#ifndef KL_QRNG_CLASSIFY_STUDY_INT_H
#define KL_QRNG_CLASSIFY_STUDY_INT_H

#include "qrng/classify/study.h"

/* What judging one model takes; n rows, c classes. */
struct kl_judge {
    const struct kl_study *study;
    struct kl_file *file;
    struct kl_writer *w;
    size_t n, c;
    /* of the run at hand: its test rows (count), their labels and probabilities in that order */
    uint8_t *part;
    int32_t *labels, *own, *predicted;
    int64_t *rows; /* [2 n] */
    size_t count;
    float *logits, *probabilities, *spread; /* spread [n, c]: NaN where a row is no test row */
    int32_t *spread_predicted;
    double *parameters; /* of a rule, or of a network (as floats) */
    int64_t *confusion;
    double *per_class;
};

int kl_judge_take(struct kl_judge *j, struct kl_arena *memory, struct kl_error *err);
/* A dataset with a row of row_size bytes for each run. KL_EDATA. */
int kl_judge_find(const struct kl_dataset **d, const struct kl_judge *j, const char *name,
                  enum kl_type type, int rank, size_t row_size, struct kl_error *err);
/* The run's test rows and their labels. */
int kl_judge_load(struct kl_judge *j, size_t run, struct kl_error *err);
/* The same, then probabilities, predictions and confusion; *right: how many predictions are right. */
int kl_judge_apply(size_t *right, struct kl_judge *j, int model, size_t run, struct kl_error *err);
/* Behind kl_judge_apply: does the model answer with one device whatever the row? Few test rows may have
   the same answer of a sound model too, so all rows are asked then; what j had of the run is lost. */
int kl_judge_collapse(bool *collapsed, struct kl_judge *j, int model, size_t run, struct kl_error *err);
/* "MODEL/what" [n] into the report. */
int kl_judge_put(const struct kl_judge *j, const char *model, const char *what, const double *values,
                 size_t n, struct kl_error *err);

/* What trained the models, of the classifier's options, and how large the first one is, as attributes
   (study_describe.c). */
int kl_judge_describe(const struct kl_judge *j, struct kl_error *err);

/* Each fills its part of the report, if there is something to fill it with, and writes it. */
int kl_judge_null(struct kl_study_report *r, struct kl_judge *j, struct kl_error *err);
int kl_judge_limit(struct kl_study_report *r, const struct kl_judge *j, struct kl_error *err);
int kl_judge_epochs(struct kl_study_report *r, const struct kl_judge *j, struct kl_error *err);
/* kept_last: the networks are those of their last epochs. Nothing if all runs have collapsed. */
void kl_study_reference_table(FILE *to, const struct kl_study_report *r, bool kept_last);

#endif
