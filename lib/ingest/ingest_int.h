/* SPDX-License-Identifier: MIT
   Private to ingest: what a driver is. A new format is a file and a line in images.c. */
#ifndef KL_INGEST_INT_H
#define KL_INGEST_INT_H

#include <pthread.h>

#include "ingest/ingest.h"

struct kl_image_source;

struct kl_driver {
    const char *name;
    /* Is it this format? is_folder and the first n_magic bytes (0 if there is no such file). */
    bool (*knows)(const char *path, bool is_folder, const unsigned char *magic, size_t n_magic);
    /* Fill the source's public part. */
    int (*open)(struct kl_image_source *s, const struct kl_images_options *o, struct kl_error *err);
    /* Images [first, first + n): pixels from the arena, or pointers into the source. In order: pictures
       NULL passes over. */
    int (*read)(struct kl_image_source *s, size_t first, size_t n, struct kl_picture *pictures,
                struct kl_arena *arena, struct kl_error *err);
    void (*close)(struct kl_image_source *s);
    bool singly; /* read one at a time: sizes are not known beforehand */
};

struct kl_image_source {
    const struct kl_driver *driver;
    const char *path; /* the caller's */
    bool in_order;
    size_t n;                       /* images, after the limit and without skipped ones */
    size_t total;                   /* positions in the source: n and skipped ones */
    size_t height, width, channels; /* height 0: they differ */
    int32_t *labels;                /* [n], or NULL: not known */
    int64_t *index;                 /* [n], or NULL: 0, 1, 2, ... */
    size_t n_classes, class_name_size;
    char *class_names;
    bool named;                            /* they are no numbers from 0 */
    const char *images_from, *labels_from; /* HDF5: names of datasets, or "none"; else NULL */
    size_t skipped;
    void *state; /* the driver's */
};

/* Of sources that are read in order: who may read now (images.c, images_read.c). */
struct kl_turn {
    pthread_mutex_t lock;
    pthread_cond_t moved;
};

extern const struct kl_driver kl_driver_idx, kl_driver_folder, kl_driver_h5;

/* Class names "0", "1", ... up to the largest label. KL_EDATA (labels that do not count from 0, more
   than 65,536), KL_ENOMEM. */
int kl_ingest_image_source_number(struct kl_image_source *s, struct kl_error *err);

/* remarks.c: notes of classes without an image, to the log of the options. KL_ENOMEM. */
int kl_ingest_images_remark(const struct kl_images *images, const struct kl_images_options *options,
                            struct kl_error *err);
/* h5.c: is it read by that driver? */
bool kl_ingest_is_h5(const char *path);
/* Which labels belong to images i into the key, the names of the datasets into the record of input i.
   Labels as in kl_images_options. KL_EUSAGE, KL_EDATA, KL_ENOINPUT, KL_ENOMEM. */
struct kl_key;
struct json_t;
int kl_ingest_h5_identify(struct kl_key *key, struct json_t *record, size_t i, const char *path,
                          const char *labels, struct kl_error *err);

#endif
