/* SPDX-License-Identifier: MIT
   A feature cache in memory. Apart from head.h because what reads files needs no circuits. */
#ifndef KL_HEAD_FEATURES_H
#define KL_HEAD_FEATURES_H

#include "base/base.h"

struct kl_file;

/* A feature cache in memory: x (n, d) as float whatever is stored, labels (n) in [0, n_classes), or
 * NULL. */
struct kl_features {
    size_t n, d, n_classes;
    float *x;
    int32_t *labels;
    char *class_names; /* n_classes strings of name_size bytes each */
    size_t name_size;
};
/* KL_EDATA: not as it should be (no labels, a label outside the classes, a value that is not
   finite), KL_EIO, KL_ENOMEM. */
int kl_head_features_load(struct kl_features *features, struct kl_file *file, struct kl_error *err);
/* x and its sizes alone, whether there are labels or not. */
int kl_head_features_load_bare(struct kl_features *features, struct kl_file *file, struct kl_error *err);
/* The same without x and labels: sizes and class names. */
int kl_head_features_describe(struct kl_features *features, struct kl_file *file, struct kl_error *err);
void kl_head_features_free(struct kl_features *features);

/* KL_EDATA if two caches differ in backbone, weights, tap, columns or scaling, or the second has other
   classes or another width than the first; a caution if the preprocessing differs. */
int kl_head_features_check_alike(const struct kl_features *first, const struct kl_file *first_file,
                                 const struct kl_features *second, const struct kl_file *second_file,
                                 const struct kl_log *log, struct kl_error *err);

struct kl_writer;
/* Backbone, weights, tap and preprocessing of the features, where they say so, into the head's file. */
int kl_head_origin_save(struct kl_writer *head, const struct kl_file *features, struct kl_error *err);
/* The same from a head's file into another one. */
int kl_head_origin_copy(struct kl_writer *to, const struct kl_file *head, struct kl_error *err);
/* A caution if the images of these features are among those that their weights were trained on, as
   extract-features found. KL_EDATA, KL_ENOMEM. */
int kl_head_origin_seen(const struct kl_file *features, const struct kl_log *log, struct kl_error *err);
/* A caution if the head was trained on other features of the same images, by the digests in both files'
   provenance. KL_EDATA, KL_ENOMEM. */
int kl_head_origin_same_images(const struct kl_file *head, const struct kl_file *features,
                               const struct kl_log *log, struct kl_error *err);
/* The same of a head, as JSON: {"backbone":"resnet18",...}; malloc'ed. KL_EDATA, KL_ENOMEM. */
int kl_head_origin_text(char **text, const struct kl_file *head, struct kl_error *err);
/* As kl_head_origin_check, for weights (`head`, their path) beside which that text stands; NULL, or no
   JSON: nothing is known. */
int kl_head_origin_check_text(const char *text, const char *head, const struct kl_file *features,
                              const struct kl_log *log, struct kl_error *err);
/* KL_EDATA if the head was trained on features of another backbone, other weights or another tap; a note
   (warning) if the preprocessing differs, which may be meant (another source of images), and *differs is
   set; else it is left as it is. */
int kl_head_origin_check(bool *differs, const struct kl_file *head, const struct kl_file *features,
                         const struct kl_log *log, struct kl_error *err);

/* ---- what a head was trained on, where it is judged (trained.c) ---- */
bool kl_head_trained_on(const struct kl_file *head, const struct kl_file *input);
/* --split val: KL_EDATA unless it was trained on these features and has kept samples of them. */
int kl_head_trained_check(const struct kl_file *head, const struct kl_file *input, struct kl_error *err);
/* A line where it has seen these samples. KL_EDATA, KL_ENOMEM. */
int kl_head_trained_say(const struct kl_file *head, const struct kl_file *input, const char *split,
                        const struct kl_log *log, struct kl_error *err);

#endif
