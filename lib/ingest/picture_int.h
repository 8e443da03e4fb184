/* SPDX-License-Identifier: MIT
   Private to ingest: what a format of single pictures is. A new one is a file and a line in picture.c.
 */
#ifndef KL_PICTURE_INT_H
#define KL_PICTURE_INT_H

#include <stdio.h>

#include "ingest/ingest.h"

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
