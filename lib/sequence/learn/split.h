/* SPDX-License-Identifier: MIT
   split: which windows train, choose the epoch and test. No split but the one that shows the leak shares
   a recording between parts, and those over people share no person. Windows without a label are in none.
 */
#ifndef KL_SEQUENCE_SPLIT_H
#define KL_SEQUENCE_SPLIT_H

#include "base/base.h"
#include "sequence/windows/windows.h"

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

#endif
