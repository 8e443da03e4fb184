/* SPDX-License-Identifier: MIT
   fitted: classifiers on covariances of windows (qseq fit): spatial patterns with a discriminant,
   tangent vectors with logistic regression, least distance to a mean. What they are fitted on are the
   windows of the split's training and validation parts: they choose no epoch. */
#ifndef KL_SEQUENCE_FITTED_H
#define KL_SEQUENCE_FITTED_H

#include "store/kind.h"
#include "base/base.h"
#include "sequence/windows/windows.h"
#include "sequence/covariance/covariance.h"

/* ---- split: which windows train, choose the epoch and test. No split but the one that shows the leak
   shares a recording between parts, and those over people share no person. Windows without a label are
   in none
   ---- */

/* People are in the order of their names (S2 before S10), a person's runs, the recordings of one name,
   too; so a split depends on what the windows are and not on the order of files.
     subject: ceil((validation + test) people) are held out, of them ceil(test / (validation + test))
   test: with 0.15 and 0.15 the reference's split, by NumPy's MT19937 permutation of the seed; loso: fold
   f tests person f; kfold: fold f of the people, permuted; loro: within each person, fold f tests run f;
   within: each person's last runs test, those before them validate; leak: random windows, to show what
   that claims (never without saying so). Validation is taken from the training side alone: loso, kfold:
   ceil(validation people of it), permuted; loro: the runs after the tested one, in turn; 0: none, but in
   any other case at least one. */
enum kl_sequence_split_kind {
    KL_SEQUENCE_SPLIT_SUBJECT,
    KL_SEQUENCE_SPLIT_LOSO,
    KL_SEQUENCE_SPLIT_KFOLD,
    KL_SEQUENCE_SPLIT_LORO,
    KL_SEQUENCE_SPLIT_WITHIN,
    KL_SEQUENCE_SPLIT_LEAK
};
#define KL_SEQUENCE_SPLITS "subject|loso|kfold|loro|within|leak"
#define KL_SEQUENCE_SPLITS_OF_SHARES \
    "subject|within|leak" /* where --test-fraction says what is tested */
#define KL_SEQUENCE_SPLITS_OF_SEED "subject|loso|kfold|leak" /* which draw; runs are in their order */
struct kl_sequence_split_options {
    enum kl_sequence_split_kind kind;
    int64_t fold, folds;     /* from 0; kfold: of how many */
    double validation, test; /* shares */
    uint64_t seed;           /* below 2^32, as NumPy's */
};
/* subject, fold 0 of 5, 0.15 and 0.15, seed 0. */
void kl_sequence_split_options_default(struct kl_sequence_split_options *o);
enum { KL_SEQUENCE_TRAIN, KL_SEQUENCE_VALIDATION, KL_SEQUENCE_TEST, KL_SEQUENCE_PARTS };
struct kl_sequence_split {
    int64_t *part[KL_SEQUENCE_PARTS]; /* numbers of windows, by people, runs and onset */
    size_t n[KL_SEQUENCE_PARTS];
    size_t unlabelled; /* windows that are in no part */
    int64_t folds;     /* there are of this kind: people, folds, the fewest runs of a person; else 1 */
    int64_t *digests;  /* (windows of the set) or NULL: see kl_sequence_split_digest */
};
/* KL_EUSAGE: no such fold; KL_EDATA: a part would be empty, too few people or runs (whose). Free it in
   any case. */
int kl_sequence_split_make(struct kl_sequence_split *split, const struct kl_sequence_set *set,
                           const struct kl_sequence_split_options *o, struct kl_error *err);
/* Does this kind promise that no person is in two parts? */
bool kl_sequence_split_across(enum kl_sequence_split_kind kind);
/* KL_EDATA if two parts share a recording (or, across, a person): which, and which parts. */
int kl_sequence_split_check(const struct kl_sequence_split *split, const struct kl_sequence_set *set,
                            bool across, struct kl_error *err);
/* ---- copies (copies.c) ---- */
/* Of a window, the first eight bytes of its numbers' XXH128; 0: its channels never move, which says
 * nothing. */
int64_t kl_sequence_window_digest(const float *x, size_t channels, size_t steps);
/* Takes digests of all windows that are in a part; others have 0. Reads them: what
   kl_sequence_set_window returns; KL_ENOMEM. */
int kl_sequence_split_digest(struct kl_sequence_split *split, const struct kl_sequence_set *set,
                             struct kl_error *err);
/* With digests: KL_EDATA if a window of one part stands in another one too, under whatever names: a
   copied recording. KL_ENOMEM, what kl_sequence_set_window returns. */
int kl_sequence_split_check_copies(const struct kl_sequence_split *split,
                                   const struct kl_sequence_set *set, struct kl_error *err);
/* KL_EDATA if of a recording half the windows or more have a correlation above 0.99 with windows of one
   recording of another part, over all channels, shifted by up to 8 steps (fewer where there are very
   many windows), whatever the gain, offset and rate that it was saved with; a caution of fewer.
   (copies.c) KL_ENOMEM, what kl_sequence_set_window returns. */
int kl_sequence_split_check_near(const struct kl_sequence_split *split,
                                 const struct kl_sequence_set *set, const struct kl_log *log,
                                 struct kl_error *err);
/* People whom only a file's name names, which does not say whose it is. (copies.c) */
void kl_sequence_caution_people(const struct kl_sequence_set *set, const struct kl_log *log);
/* All that a split of this kind promises: takes digests; no copy in two parts; and cautions of people
   who may be sessions. leak: digests alone. (copies.c) */
int kl_sequence_split_guard(struct kl_sequence_split *split, const struct kl_sequence_set *set,
                            enum kl_sequence_split_kind kind, const struct kl_log *log,
                            struct kl_error *err);
void kl_sequence_split_free(struct kl_sequence_split *split);
/* ids (n), put in the order of RandomState(seed).permutation: the first ceil(share n) are held out,
   which is what is returned. */
size_t kl_sequence_split_hold(int64_t *ids, size_t n, double share, uint64_t seed);

/* ---- a split as a group of a file ---- */
/* files (n_files): those of the set, in its order. KL_EIO, KL_ENOMEM. */
int kl_sequence_split_put(struct kl_writer *writer, const struct kl_sequence_set *set,
                          const struct kl_sequence_split *split, struct kl_file *const *files,
                          size_t n_files, struct kl_error *err);

/* ---- standardise: what windows go through before a net has them: Euclidean alignment, then each
   channel as (x - mean) scale. Either is fitted on the training windows, or on each person's own, whose
   labels are not looked at (what is tested is among them then: transductive), or left out
   ---- */

enum kl_sequence_standard_kind {
    KL_SEQUENCE_STANDARD_TRAIN,
    KL_SEQUENCE_STANDARD_SUBJECT,
    KL_SEQUENCE_STANDARD_NONE /* millivolts as they are; aligned windows as they are */
};
#define KL_SEQUENCE_STANDARDS "train|subject|none"
enum kl_sequence_alignment {
    KL_SEQUENCE_ALIGN_NONE,
    KL_SEQUENCE_ALIGN_TRAIN, /* by the windows that a model is fitted on */
    KL_SEQUENCE_ALIGN_SUBJECT
};
#define KL_SEQUENCE_ALIGNMENTS "none|train|subject"
struct kl_sequence_standard_options {
    enum kl_sequence_standard_kind kind;
    enum kl_sequence_alignment align;
};
/* The standardisation of windows. What is fitted on each person has `people` rows, all else has one. */
struct kl_sequence_standard {
    enum kl_sequence_standard_kind kind;
    enum kl_sequence_alignment align;
    size_t channels, people;
    char **names;        /* (people); NULL: nobody has anything of his own */
    double *align_by;    /* (rows, channels, channels), NULL: not aligned */
    float *multiply;     /* the same in float, by which windows are multiplied */
    float *mean, *scale; /* (rows, channels) of aligned windows; scale 0: the channel never moved */
    size_t lost;         /* directions without power that the alignment leaves out, of whom most are */
};
size_t kl_sequence_standard_rows(const struct kl_sequence_standard *s);
bool kl_sequence_standard_own(const struct kl_sequence_standard *s); /* is anything of each person? */
/* train (n): numbers of the training windows, of which what is no person's own is fitted; NULL: all. Of
   a person all windows of the set count. KL_EDATA: windows without power cannot be aligned (whose);
   KL_ENOMEM, and what kl_sequence_set_window returns. Free it in any case. */
int kl_sequence_standard_fit(struct kl_sequence_standard *s, const struct kl_sequence_set *set,
                             const struct kl_sequence_standard_options *o, const int64_t *train,
                             size_t n, struct kl_error *err);
/* Fit each person's own part anew, to people of another set, wanted[i] of set->subject_names[i]; the
   rest stays as it was fitted. Codes as above. */
int kl_sequence_standard_refit(struct kl_sequence_standard *s, const struct kl_sequence_set *set,
                               const bool *wanted, struct kl_error *err);
/* The number of a person; -1: it was not fitted on him. 0 if nobody has anything of his own. */
int64_t kl_sequence_standard_person(const struct kl_sequence_standard *s, const char *name);
/* out (channels, stride) from x (channels, steps); zeros beyond the steps. */
void kl_sequence_standard_apply(float *out, const struct kl_sequence_standard *s, size_t person,
                                const float *x, size_t steps, size_t stride);
/* align_by has come from a file: multiply by it. KL_ENOMEM. */
int kl_sequence_standard_ready(struct kl_sequence_standard *s, struct kl_error *err);
void kl_sequence_standard_free(struct kl_sequence_standard *s);
/* Messages about it: the options, as of kl_sequence_transductive; directions that are lost, channels. */
#define KL_SEQUENCE_OWN \
    "%s: fitted on each person's own windows, test windows among them (not their labels): transductive"
#define KL_SEQUENCE_LOST                                                                                \
    "--align: %zu of %zu directions of the channels have no power, as one after an average reference: " \
    "they are left out"
/* The options of what is fitted on each person's own windows: "--align subject, --standardise subject";
   NULL: nothing is. */
const char *kl_sequence_transductive(enum kl_sequence_standard_kind kind,
                                     enum kl_sequence_alignment align);
/* A set's windows as the room of covariances takes them. */
struct kl_sequence_window_source kl_sequence_standard_source(const struct kl_sequence_set *set);

struct kl_mode;
struct kl_tool;

enum { KL_SEQUENCE_FIT_SCHEMA = 1, KL_SEQUENCE_FIT_VERSION = 2 };
extern const struct kl_kind kl_sequence_fit_kind; /* "sequence-fit" */
extern const struct kl_tool kl_sequence_fit_tool;
extern const struct kl_mode kl_sequence_mode_fit;
/* Of the values of that table: as they are at first; --fold, -1: all; and what they split. */
void kl_sequence_fit_defaults(void *values);
int64_t *kl_sequence_fit_fold(void *values);
int kl_sequence_fit_split(struct kl_sequence_split_options *o, const void *values, struct kl_error *err);

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
