/* SPDX-License-Identifier: MIT
   Private to ingest: what a driver is. A new format is a file and a line in images.c. */
#ifndef KL_INGEST_INT_H
#define KL_INGEST_INT_H

#include <pthread.h>
#include <stdio.h>

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
    char *const *files;                    /* [n] of a folder: paths; else NULL */
    const char *images_from, *labels_from; /* HDF5: names of datasets, or "none"; else NULL */
    size_t skipped;
    void *state; /* the driver's */
};

/* Of sources that are read in order: who may read now (images.c, images_read.c). */
struct kl_ingest_turn {
    pthread_mutex_t lock;
    pthread_cond_t moved;
};

extern const struct kl_driver kl_driver_idx, kl_driver_folder, kl_driver_h5;

/* Class names "0", "1", ... up to the largest label. KL_EDATA (labels that do not count from 0, more
   than 65,536), KL_ENOMEM. */
int kl_ingest_image_source_number(struct kl_image_source *s, struct kl_error *err);

/* images.c: notes of classes without an image, to the log of the options. KL_ENOMEM. */
int kl_ingest_images_remark(const struct kl_images *images, const struct kl_images_options *options,
                            struct kl_error *err);
/* h5.c: is it read by that driver? */
bool kl_ingest_is_h5(const char *path);
/* Put the labels of images i into the key, the names of the datasets into the record of input i. Labels
   as in kl_images_options. KL_EUSAGE, KL_EDATA, KL_ENOINPUT, KL_ENOMEM. */
struct kl_key;
struct json_t;
int kl_ingest_h5_identify(struct kl_key *key, struct json_t *record, size_t i, const char *path,
                          const char *labels, struct kl_error *err);

/* ---- A growing list of names, and those in a folder ---- */

struct kl_names {
    char **items;
    size_t n, room;
};
/* Takes ownership of item, which may be NULL: KL_ENOMEM. */
int kl_ingest_names_add(struct kl_names *names, char *item, struct kl_error *err);
enum kl_names_kind {
    KL_NAMES_FOLDERS,
    KL_NAMES_PICTURES, /* PNG and JPEG, by their endings */
    KL_NAMES_JPEG,     /* the latter alone */
    KL_NAMES_UNREAD    /* images of other formats */
};
/* List the entries of this kind in a folder, sorted; names that begin with a dot are passed over. */
int kl_ingest_names_list(struct kl_names *names, const char *path, enum kl_names_kind kind,
                         struct kl_error *err);
void kl_ingest_names_free(struct kl_names *names);
/* "FOLDER/NAME", malloc'ed. */
char *kl_ingest_path_join(const char *folder, const char *name);

/* ---- the classes of a folder (folder_classes.c) ---- */
struct kl_folder_class {
    char *folder, *name; /* as it lies there; as the class is called */
    int32_t label;
};
struct kl_folder_classes {
    struct kl_folder_class *items;
    size_t n, n_classes; /* folders; two of them may be one class */
    size_t passed;       /* folders that are none */
    bool numbers;        /* all names are numbers */
    bool usual;          /* the folders in the order of their bytes, and called as they are */
};
/* KL_ENOINPUT, KL_EIO, KL_ENOMEM; free it in any case. */
int kl_ingest_folder_classes(struct kl_folder_classes *classes, const char *path, struct kl_error *err);
void kl_ingest_folder_classes_free(struct kl_folder_classes *classes);
/* Cautions on an order that may not be the expected one, and on folders that are no classes. */
void kl_ingest_folder_classes_say(const struct kl_folder_classes *classes, const char *path,
                                  const struct kl_log *log);

struct kl_image_source;
/* folder_look.c: sizes, colour and index of a folder's files into the source; bad ones are an error, or
   leave the list and s->labels. */
int kl_ingest_folder_look(struct kl_image_source *s, struct kl_names *files,
                          const struct kl_images_options *options, struct kl_error *err);
/* rc; a picture that is refused (KL_EDATA) has in *err what leaves it out, unless that was asked for. */
int kl_ingest_folder_refuse(int rc, bool skip_bad, struct kl_error *err);

/* ---- what a format of single pictures is. A new one is a file and a line in picture.c ---- */

enum { KL_PICTURE_SIDE = 65535 }; /* rows and columns at most */

struct kl_picture_format {
    unsigned char magic[8]; /* the file's first bytes */
    size_t n_magic;
    /* file: at its beginning, as for decode. path only for messages. KL_EDATA, KL_EIO, KL_ENOMEM. */
    int (*header)(struct kl_picture_header *header, FILE *file, const char *path, struct kl_error *err);
    /* The whole file; height and width are those of the header, pixels come from the arena. */
    int (*decode)(struct kl_picture *picture, FILE *file, const char *path, struct kl_arena *arena,
                  struct kl_error *err);
};
extern const struct kl_picture_format kl_format_png, kl_format_jpeg;
/* Do a file's first n bytes say that it is of one of these formats? */
bool kl_ingest_is_picture(const unsigned char *magic, size_t n);

/* Whether an Exif block, from its "Exif\0\0" on, says that the picture is to be turned or mirrored
   before it is looked at (tag 0x0112, Orientation, other than 1). What is no Exif block does not. */
bool kl_ingest_exif_turned(const unsigned char *block, size_t n);

#endif
