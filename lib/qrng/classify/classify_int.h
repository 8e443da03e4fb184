/* SPDX-License-Identifier: MIT
   Private to lib/qrng/classify/: a network's run on the CPU and on a GPU; the parts of judging. */
#ifndef KL_QRNG_CLASSIFY_CLASSIFY_INT_H
#define KL_QRNG_CLASSIFY_CLASSIFY_INT_H

#include "qrng/classify/study.h"
#include "train/train.h"

/* ---- what a network's run is to lib/train (network.c, network_gpu.c) ---- */
extern const struct kl_train_row kl_network_rows[KL_NETWORK_HISTORIES];
/* The history of a run and what follows from it; how and where it is trained is added by the caller. */
struct kl_learner kl_classify_network_learner(const struct kl_network_options *o, size_t n_training);
struct kl_train_options kl_classify_network_train_options(const struct kl_network_options *o);
/* Of the epoch at hand; after its judgement of the next one. */
double kl_classify_network_rate(const struct kl_train *train);
/* Take over the results of a finished training, but for the parameters. */
void kl_classify_network_result(struct kl_network_run *run, const struct kl_train *train);

/* First parameters in the order of files, drawn in this order: number i of layer l is word i % 4 of
   Philox block i / 4, step l. */
void kl_classify_network_draw(float *file, const struct kl_network_options *o, uint64_t seed);
/* The key of all that is random in a run. */
static inline uint64_t kl_classify_network_seed(uint64_t seed, uint32_t stream)
{
    return seed ^ (uint64_t)stream << 32;
}

/* ---- judging (study_judge.c), and what is compared with it (baselines.c) ---- */
/* The workspace of judging one model; n rows, c classes. */
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

/* A dataset with a row of row_size bytes for each run. KL_EDATA. */
int kl_classify_judge_find(const struct kl_dataset **d, const struct kl_judge *j, const char *name,
                           enum kl_type type, int rank, size_t row_size, struct kl_error *err);
/* The run's test rows and their labels, then probabilities, predictions and confusion; *right: how many
   predictions are right. */
int kl_classify_judge_apply(size_t *right, struct kl_judge *j, int model, size_t run,
                            struct kl_error *err);
/* "MODEL/what" [n] into the report. */
int kl_classify_judge_put(const struct kl_judge *j, const char *model, const char *what,
                          const double *values, size_t n, struct kl_error *err);

/* Each fills its part of the report, if there is something to fill it with, and writes it. */
int kl_classify_judge_null(struct kl_study_report *r, struct kl_judge *j, struct kl_error *err);
int kl_classify_judge_limit(struct kl_study_report *r, const struct kl_judge *j, struct kl_error *err);
int kl_classify_judge_epochs(struct kl_study_report *r, const struct kl_judge *j, struct kl_error *err);
/* kept_last: the networks are those of their last epochs. Nothing if all runs have collapsed. */
void kl_classify_reference_table(FILE *to, const struct kl_study_report *r, bool kept_last);

#endif
