/* SPDX-License-Identifier: MIT
   study: how well rows of measured bits tell which device they come from. Splits of the rows, on each of
   which classifiers are trained (`qtrain --qrng`), and judged on the rows that training has not seen
   (`qeval --qrng`). n rows, c devices, r runs: the splits, then the runs on shuffled labels. */
#ifndef KL_QRNG_CLASSIFY_STUDY_H
#define KL_QRNG_CLASSIFY_STUDY_H

#include "qrng/bits/dependence.h"
#include "qrng/bits/bits.h"
#include "qrng/classify/network.h"

/* ---- settings (mode_qtrain.c) ---- */
#define KL_STUDY_MODELS "network|" KL_RULE_CHOICES
#define KL_STUDY_FEATURES "bits|pairs"
#define KL_STUDY_PROTOCOLS "holdout|folds|reference"
enum kl_protocol { KL_HOLDOUT, KL_FOLDS, KL_REFERENCE };

struct kl_study_settings {
    struct kl_common common;
    bool qrng, packed, reference;
    const char *model, *features, *protocol, *hidden, *init, *keep, *encoding;
    int64_t symbol_bits, row_bits, seeds, folds, null, batch, epochs, patience, rate_patience;
    double test, validation, lr, dropout, l1, weight_decay, clip;
};
extern const struct kl_tool kl_study_tool;
/* Before the options are read; afterwards what was not given gets the values of the protocol. */
void kl_classify_settings_default(void *values);
int kl_classify_settings_complete(void *values, struct kl_error *err);
/* KL_EUSAGE if an option was given that does nothing beside the others. */
int kl_classify_settings_check(const struct kl_study_settings *v, struct kl_error *err);

/* ---- a study on its data (study.c) ---- */
enum kl_part { KL_PART_TRAINING, KL_PART_VALIDATION, KL_PART_TEST };
/* Bit k of `rules`: rule k is fitted to the splits. To shuffled labels only the chosen model is. */
struct kl_study {
    const struct kl_study_settings *v;
    const struct kl_bits *bits;
    enum kl_protocol protocol;
    bool network, pairs; /* is a network trained? on counts of pairs, not on bits? */
    int chosen;          /* rule, if there is no network */
    unsigned rules;
    struct kl_network_options options; /* of the network */
    struct kl_samples samples;
    float *counts;                                            /* (hidden) */
    size_t n_splits, n_runs, device_rows[KL_NETWORK_CLASSES]; /* rows of each device */
};
/* KL_EUSAGE, KL_EDATA, KL_ENOMEM. The settings and the bits must outlive it. */
int kl_classify_study_open(struct kl_study *study, const struct kl_study_settings *v,
                           const struct kl_bits *bits, struct kl_error *err);
void kl_classify_study_close(struct kl_study *study); /* accepts what was zeroed */
/* labels [n] of a run: the devices, or, from n_splits on, the devices in a random order. */
void kl_classify_labels(int32_t *labels, const struct kl_study *study, size_t run, int64_t *scratch);
/* part [n] (enum kl_part) of each row in a run with these labels. KL_EDATA if a part would be empty,
 * KL_ENOMEM. */
int kl_classify_split(uint8_t *part, const struct kl_study *study, size_t run, const int32_t *labels,
                      struct kl_error *err);
/* Numbers of the rows whose part is from `first` to `last`, rising; returns how many. */
size_t kl_classify_rows(int64_t *rows, const uint8_t *part, size_t n, enum kl_part first,
                        enum kl_part last);

/* ---- training (study_train.c) ---- */
/* Declares the datasets, trains the runs that are not there yet, each by one thread, or the networks
   side by side on a GPU, and writes each as soon as it is done. Results do not depend on threads, nor on
   what is trained beside. KL_ESIGNAL: stopped, finished runs are kept. KL_EUSAGE (not for a GPU),
   KL_EDEVICE.
 */
struct kl_device;
int kl_classify_train(const struct kl_study *study, struct kl_writer *w, const struct kl_device *device,
                      struct kl_pool *pool, const struct kl_watch *watch, struct kl_error *err);

/* How many networks of the splits in a finished file answer with one device whatever the row
   (study_train.c). KL_EDATA: the file has none, KL_ENOINPUT, KL_EIO, KL_ENOMEM. */
int kl_classify_count_collapsed(size_t *n, const char *path, size_t n_splits, struct kl_error *err);

/* ---- judging (study.c, study_judge.c) ---- */
/* A file of kind `device-classifier`, with the settings that it was made with. */
struct kl_study_file {
    struct kl_file *file;
    struct kl_study_settings v;
    char *texts[5]; /* (hidden) what v points into */
};
int kl_classify_file_open(struct kl_study_file *f, const char *path, struct kl_error *err);
/* KL_EDATA unless it was trained on these bits. */
int kl_classify_file_check(const struct kl_study_file *f, const struct kl_bits *bits,
                           struct kl_error *err);
void kl_classify_file_close(struct kl_study_file *f); /* accepts what was zeroed */

/* Models of a study in the order of reports: the network (-1), the chosen rule, the others. */
enum { KL_STUDY_NETWORK = -1, KL_STUDY_MOST_MODELS = KL_RULES + 1 };
int kl_classify_models(int models[KL_STUDY_MOST_MODELS], const struct kl_study *study);
const char *kl_classify_model_name(int model); /* "network", "pairs", ... */

/* One model on the test rows of all splits. Arrays [splits]. */
enum { KL_STUDY_BINS = 10 };
struct kl_study_verdict {
    int model;
    size_t n_train; /* rows of the first split that trained it: rules take those of validation too */
    double *accuracy, *log_loss, *calibration_error;
    double *log10_p; /* of that many right answers by guessing, one-sided */
    double *recall;  /* [splits, c] */
    double mean, low,
        high;       /* of the accuracy, 95 %: corrected resampled t over splits; of one split Wilson's */
    uint8_t *alike; /* [splits] does it answer with one and the same device? */
    size_t collapsed;     /* on how many splits it does */
    double others;        /* mean accuracy of the other splits; NaN: there are none */
    double worst_log10_p; /* largest of the splits' */
    double commonest; /* mean over splits of what always naming the test rows' commonest device scores */
};
struct kl_study_report {
    size_t n_splits, n_test, classes; /* n_test: rows of the first split */
    int n_models;
    struct kl_study_verdict models[KL_STUDY_MOST_MODELS];
    double *null; /* [null runs] accuracy of the first model */
    size_t n_null;
    double
        null_p; /* share of null runs at least as good as the first split, both counted; NaN: no runs */
    int symbol_bits;
    const char *no_limit;  /* why it was not found; NULL: it was */
    struct kl_limit limit; /* of the symbols' counts, fitted on all rows, if those are independent */
    struct kl_dependence dependence; /* and whether they are */
    /* [n_chosen] reference protocol, of the splits on which the network did not collapse: at the best
       epoch of the test curve, at the last one; each in rising order */
    double *best, *last;
    size_t n_chosen;
};
/* Judges and writes: all datasets and attributes of the report. */
int kl_classify_judge(struct kl_study_report *report, const struct kl_study *study, struct kl_file *file,
                      struct kl_writer *w, struct kl_error *err);
void kl_classify_report_free(struct kl_study_report *report); /* accepts what was zeroed */
/* The report as text. */
void kl_classify_table(FILE *to, const struct kl_study_report *report, const struct kl_study *study);

/* ---- --qrng of qtrain and qeval ---- */
struct kl_mode;
struct kl_kind;
extern const struct kl_mode kl_mode_qtrain, kl_mode_qeval;
extern const struct kl_tool kl_judge_tool; /* of qeval's, for tool->parts; of qtrain's: kl_study_tool */
extern const struct kl_kind kl_study_kind, kl_judge_kind; /* what files show of themselves */

#endif
