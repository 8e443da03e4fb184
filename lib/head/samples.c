/* SPDX-License-Identifier: MIT
   What is said of the samples of a training, where its accuracy would not mean what it seems to: classes
   without samples, rows that are all the same, too few samples to judge by, and copies of training
   samples among those that judge. */
#include <stdlib.h>
#include <string.h>

#include "head/run.h"

enum { DIGEST = 16, FEW = 30 };

static void say_classes(const struct kl_log *log, const struct kl_features *f, const size_t *counts)
{
    size_t empty = 0, first = 0;
    for (size_t c = f->n_classes; c--;)
        if (!counts[c]) first = c, empty++;
    if (f->n_classes - empty == 1)
        kl_caution(log, "one class: there is nothing to tell apart, and every accuracy is 1");
    if (!empty) return;
    kl_caution(log, "%zu of %zu classes %s no sample (first: '%.*s'): the head has %s for %s%s", empty,
               f->n_classes, empty == 1 ? "has" : "have", (int)f->name_size,
               f->class_names + first * f->name_size, empty == 1 ? "an output" : "outputs",
               empty == 1 ? "it" : "them", empty == 1 && first == 0 ? "; labels from 1?" : "");
}

static int count_classes(const struct kl_log *log, const struct kl_features *f, struct kl_error *err)
{
    size_t *counts = calloc(f->n_classes + 1, sizeof *counts);
    if (!counts) return kl_fail_memory(err, f->n_classes * sizeof *counts);
    for (size_t i = 0; i < f->n; i++) counts[f->labels[i]]++;
    say_classes(log, f, counts);
    free(counts);
    return KL_OK;
}

static bool all_equal(const struct kl_features *f)
{
    const size_t row = f->d * sizeof *f->x;
    for (size_t i = 1; i < f->n; i++)
        if (memcmp(f->x, f->x + i * f->d, row) != 0) return false;
    return f->n > 1;
}

/* A set of digests, open addressing; size: a power of two, above twice what it will hold. No row's
   digest is all zeros but by a chance of 2^-128: that is a free place. */
struct set {
    unsigned char (*places)[DIGEST];
    size_t size;
};

/* Where this digest is, or would go. */
static unsigned char *place_of(const struct set *set, const unsigned char digest[DIGEST])
{
    static const unsigned char none[DIGEST];
    size_t at;
    memcpy(&at, digest, sizeof at);
    for (at &= set->size - 1;; at = (at + 1) & (set->size - 1))
        if (memcmp(set->places[at], digest, DIGEST) == 0 || memcmp(set->places[at], none, DIGEST) == 0)
            return set->places[at];
}

static void digest_row(unsigned char digest[DIGEST], const struct kl_features *f, int64_t row)
{
    kl_xxh128(digest, f->x + (size_t)row * f->d, f->d * sizeof *f->x);
}

/* How many validation rows are, to the bit, training rows too; by their digests. */
static int count_copies(size_t *n, const struct kl_head_train *t, struct kl_error *err)
{
    struct set training = { .size = 2 };
    unsigned char digest[DIGEST];
    while (training.size <= 2 * t->n_training) training.size *= 2;
    training.places = calloc(training.size, sizeof *training.places);
    if (!training.places) return kl_fail_memory(err, training.size * sizeof *training.places);
    for (size_t i = 0; i < t->n_training; i++) {
        digest_row(digest, t->features, t->training[i]);
        memcpy(place_of(&training, digest), digest, DIGEST);
    }
    *n = 0;
    for (size_t i = 0; i < t->n_validation; i++) {
        digest_row(digest, t->features, t->validation[i]);
        *n += memcmp(place_of(&training, digest), digest, DIGEST) == 0;
    }
    free(training.places);
    return KL_OK;
}

/* Public sets of images have a few copies, by far less than one in a hundred, which change nothing. */
static int say_copies(const struct kl_log *log, const struct kl_head_train *t, struct kl_error *err)
{
    const size_t n = t->n_validation;
    size_t copies = 0;
    const int code = count_copies(&copies, t, err);
    if (!code && 100 * copies >= n)
        kl_caution(log,
                   "%zu of %zu validation samples %s features of training samples: val accuracy is "
                   "flattered; take the copies out",
                   copies, n, copies == 1 ? "has the very" : "have the very");
    return code;
}

int kl_head_remark_samples(const struct kl_log *log, const struct kl_head_train *t, struct kl_error *err)
{
    const size_t n = t->n_validation;
    int code = count_classes(log, t->features, err);
    if (code) return code;
    if (n && n < FEW)
        kl_caution(
            log,
            "%zu validation sample%s choose%s the epoch and %s the accuracy: too few to tell heads "
            "apart; give more samples, or a larger --val-fraction",
            n, kl_s(n), n == 1 ? "s" : "", n == 1 ? "is" : "are");
    if (all_equal(t->features))
        kl_caution(log, "all %zu rows of the features are equal: there is nothing to learn from them",
                   t->features->n);
    else if (n) code = say_copies(log, t, err);
    return code;
}

int kl_head_remark_split(const struct kl_log *log, const struct kl_features *f,
                         const struct kl_train_options *o, struct kl_error *err)
{
    struct kl_head_train t = { .features = f };
    int code = kl_nn_split_stratified(&t.training, &t.n_training, &t.validation, &t.n_validation,
                                      f->labels, f->n, f->n_classes, o->val_fraction, o->seed, err);
    if (!code) code = kl_head_remark_samples(log, &t, err);
    free(t.training);
    free(t.validation);
    return code;
}
