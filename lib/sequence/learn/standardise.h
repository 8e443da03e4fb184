/* SPDX-License-Identifier: MIT
   standardise: what windows go through before a net has them: Euclidean alignment, then each channel as
   (x - mean) scale. Either is fitted on the training windows, or on each person's own, whose labels are
   not looked at (what is tested is among them then: transductive), or left out. */
#ifndef KL_SEQUENCE_STANDARDISE_H
#define KL_SEQUENCE_STANDARDISE_H

#include "sequence/covariance/covariance.h"
#include "sequence/windows/windows.h"

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
/* What is fitted on each person has `people` rows, what is not has one. */
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
/* What is each person's own becomes that of people of another set, wanted[i] of set->subject_names[i];
   the rest stays as it was fitted. Codes as above. */
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
/* What is said of it: the options, as of kl_sequence_transductive; directions that are lost, channels.
 */
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

#endif
