/* SPDX-License-Identifier: MIT
   data: the records that a network is sampled on: SYNTH, selections of images, labels made random; as
   the reference (Maurer, Mirzaei, Pontil, arXiv:2510.06028) takes them. Tiers: what a run calls; the
   parts that tests call. */
#ifndef KL_SAMPLING_DATA_H
#define KL_SAMPLING_DATA_H

#include "base/base.h"
struct kl_file;
struct kl_key;
struct json_t;

/* n records of `inputs` numbers, row-major, and their labels 0 .. classes - 1 (binary: 0 or 1, classes
 * 2). */
struct kl_sampling_records {
    size_t n, inputs;
    float *x;       /* (n, inputs), 64-byte aligned */
    int32_t *label; /* (n) */
};
/* A problem: what is trained on and what is tested on. */
struct kl_sampling_data {
    char name[32];                  /* "mnist", "synth" */
    size_t channels, height, width; /* of an image; 1, 1, inputs where the records are none */
    int classes;
    struct kl_sampling_records train, test;
    int64_t *train_index, *test_index; /* (n) each record's position in its source; NULL: SYNTH */
    int32_t *true_test_label;          /* (test.n) where test labels were made random; else NULL */
};
void kl_sampling_data_free(struct kl_sampling_data *data);

/* images: any, normalised by mean and deviation of the chosen training records of each channel. The
   others are normalised by their usual constants, and must have their size. features: two feature
   caches, as they are. */
#define KL_SAMPLING_SETS "synth|features|images|mnist|cifar10|cifar100|svhn"
enum kl_sampling_set {
    KL_SAMPLING_SYNTH,
    KL_SAMPLING_FEATURES,
    KL_SAMPLING_IMAGES,
    KL_SAMPLING_MNIST,
    KL_SAMPLING_CIFAR10,
    KL_SAMPLING_CIFAR100,
    KL_SAMPLING_SVHN
};
struct kl_sampling_data_options {
    enum kl_sampling_set set;
    const char *
        groups; /* "01234/56789", "55/88" of over ten classes, "0,12/3"; NULL or "": each class is one */
    int64_t train_size,
        test_size; /* records of a group (of SYNTH, in all); 0: all; of the test at most */
    double random; /* probability that a label is drawn anew, of training and test */
    bool permute;  /* training and test records, once; else they stand as in their files */
    uint64_t seed;
    struct kl_pool *pool;
    const struct kl_log *log;
    struct kl_file *features[2]; /* of KL_SAMPLING_FEATURES: the training and the test part */
};
/* paths: a folder that has both parts, or one of each: IDX (plain or gzip), folders of pictures, HDF5,
   the binary files of CIFAR; SYNTH takes none. KL_EUSAGE: groups, sizes; KL_EDATA, KL_ENOINPUT, KL_EIO,
   KL_ENOMEM. */
int kl_sampling_data_load(struct kl_sampling_data *data, const struct kl_sampling_data_options *options,
                          const char *const *paths, size_t n_paths, struct kl_error *err);
/* The contents of all its files into a key, their paths into a record of provenance. */
int kl_sampling_data_identify(struct kl_key *key, struct json_t *record, const char *const *paths,
                              size_t n_paths, struct kl_error *err);

/* ---- selection (records.c) ---- */
enum { KL_SAMPLING_CLASSES = 1000 };
/* group_of[c]: class c's group, -1: none; of classes 0 .. classes - 1. n_groups: at least 2. */
struct kl_sampling_groups {
    int classes, n_groups;
    int group_of[KL_SAMPLING_CLASSES], members[KL_SAMPLING_CLASSES]; /* members: classes of a group */
};
/* KL_EUSAGE: a class that is not there, twice, a group without any. text NULL or "": each class is a
 * group. */
int kl_sampling_groups_parse(struct kl_sampling_groups *groups, const char *text, int classes,
                             struct kl_error *err);
/* Of n labels in file order those that are taken, up to `size` of a group (0: all); index (n): their
   positions, rising. Of a class with others in its group at most size / members, until the group lacks
   as many as it has classes. taken (n_groups): of each group. Returns how many. */
size_t kl_sampling_select(int64_t *index, size_t *taken, const int32_t *label, size_t n,
                          const struct kl_sampling_groups *groups, size_t size);

/* ---- what the records are made of (records.c, source.c) ---- */
/* w (4; or NULL): the direction that labels follow. options->random 1: fair coins of the same stream;
   between 0 and 1 the labels stay, and kl_sampling_data_load draws some anew. */
int kl_sampling_synth_make(struct kl_sampling_data *data, double *w,
                           const struct kl_sampling_data_options *options, struct kl_error *err);
struct kl_sampling_source {
    size_t n, height, width, channels;
    int classes;
    const int32_t *label; /* (n) */
    char *files[6];       /* what it is read from */
    size_t n_files;
    struct kl_images *images;     /* NULL: binary files of CIFAR, or */
    struct kl_features *features; /* a feature cache, whose rows are x (n, channels) */
    int32_t *own_label;
    size_t label_bytes; /* of CIFAR: before each image; the last is the label */
};
/* The training or the test part of paths, as above. */
int kl_sampling_source_open(struct kl_sampling_source *source, const char *const *paths, size_t n_paths,
                            bool test, const struct kl_sampling_data_options *options,
                            struct kl_error *err);
/* The n images at index (rising) into pixels (n, channels, height, width). */
int kl_sampling_source_read(struct kl_sampling_source *source, uint8_t *pixels, const int64_t *index,
                            size_t n, struct kl_error *err);
void kl_sampling_source_close(struct kl_sampling_source *source);

#endif
