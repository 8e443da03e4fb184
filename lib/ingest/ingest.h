/* SPDX-License-Identifier: MIT
   ingest: anything -> blocks of 8-bit images of one size, with labels. Formats are a table of drivers
   (images.c): IDX, plain or gzip (idx.c); a folder of PNG and JPEG files, one sub-folder a class
   (folder.c, folder_look.c; picture.c, png.c, jpeg.c); HDF5 (h5.c). Tiers: what a stage calls; the parts
   that drivers and tests call. */
#ifndef KL_INGEST_H
#define KL_INGEST_H

#include "base/base.h"

enum kl_channels { KL_CHANNELS_AUTO, KL_CHANNELS_GREY, KL_CHANNELS_RGB };

struct kl_images_options {
    const char *labels;        /* "none": images without labels. IDX: file of labels; HDF5: DATASET or
                                  FILE:DATASET; NULL: found beside the images by its name */
    enum kl_channels channels; /* AUTO: RGB if any image has colour */
    size_t resize; /* every image becomes resize x resize; 0: as it is (all must have one size) */
    size_t crop;   /* at most resize, which then is the shorter side, and what is taken crop x crop in
                      the middle, as by torchvision's Resize and CenterCrop; 0: all of it */
    size_t limit;  /* only the first so many; 0: all */
    bool skip_bad; /* of folders: leave damaged files out (each is decoded twice), else they are an error
                    */
    size_t max_bytes;         /* an image may take so many bytes decoded */
    struct kl_pool *pool;     /* for skip_bad's first pass, or NULL */
    const struct kl_log *log; /* told of files left out, of classes without images; or NULL */
};
void kl_ingest_images_options_default(struct kl_images_options *options);

/* Several inputs, one after another, as one list of images. */
struct kl_images {
    size_t n;                           /* images */
    size_t height, width, channels;     /* as kl_ingest_images_read gives them; channels 1 or 3 */
    size_t shorter;                     /* side, before what is in the middle is taken; 0: all is */
    size_t source_height, source_width; /* before the resize; 0: they differ */
    size_t source_channels;             /* 1: all are grey, 3: some have colour */
    int32_t *labels;                    /* [n]; -1: not known */
    int64_t *index;                     /* [n] position in the source, skipped ones counted */
    size_t n_classes, class_name_size;  /* 0 without labels */
    char *class_names;                  /* [n_classes][class_name_size], NUL padded */
    size_t file_size;                   /* 0: not all inputs are folders */
    char *files;                        /* [n][file_size], NUL padded: below the folder; of several
                                           folders with the folder's path */
    size_t skipped;                     /* bad files left out */
    int64_t *chosen; /* [n], rising, of all images (kl_ingest_images_choose); NULL: all */
    char images_from[512],
        labels_from[512];            /* HDF5: names of the inputs' datasets, or "none"; else "" */
    struct kl_image_source *sources; /* (hidden) */
    size_t n_sources;
    bool in_order, cancelled;
    size_t next; /* in order: the image that may be read now */
    struct kl_ingest_turn *turn;
};
/* Open, read labels and names, check sizes; no pixel is decoded (but with skip_bad). KL_ENOINPUT,
   KL_EDATA, KL_ENOMEM. */
int kl_ingest_images_open(struct kl_images **images, const char *const *paths, size_t n_paths,
                          const struct kl_images_options *options, struct kl_error *err);
/* Keep the n images at these places, which rise, of all that were opened, as if there were no others
   (index alone tells). Takes ownership of chosen, malloc'ed. Once, before the first is read. */
void kl_ingest_images_choose(struct kl_images *images, int64_t *chosen, size_t n);
/* Images [first, first + n) into pixels (n, height, width, channels), decoded, converted, resized; arena
   is reset. Thread-safe. Compressed sources are read in order: if images->in_order, every image must be
   asked for exactly once, in blocks that follow each other; a call waits for its turn, and pixels NULL
   passes over a block. KL_EDATA names file and image. */
int kl_ingest_images_read(struct kl_images *images, size_t first, size_t n, uint8_t *pixels,
                          struct kl_arena *arena, struct kl_error *err);
/* Calls that wait for their turn return KL_ESIGNAL, now and later. */
void kl_ingest_images_cancel(struct kl_images *images);
void kl_ingest_images_close(struct kl_images **images); /* accepts NULL, clears the caller's pointer */

/* The file of labels that belongs to an IDX file of images ("train-images-idx3-ubyte.gz" ->
   "train-labels-idx1-ubyte.gz", or without .gz), malloc'ed; NULL if the name has no such form or no such
   file is there. KL_ENOMEM. */
int kl_ingest_idx_labels_path(char **path, const char *images, struct kl_error *err);

struct kl_key;
struct json_t;
/* Contents of the images' and labels' files (labels and skip_bad as in kl_images_options) into a key,
   their paths and digests into a JSON object for the provenance (kl_store_input_identify). */
int kl_ingest_images_identify(struct kl_key *key, struct json_t *record, const char *const *paths,
                              size_t n_paths, const char *labels, bool skip_bad, struct kl_error *err);

/* ---- parts ---- */
struct kl_picture {
    size_t height, width, channels; /* 1 or 3 */
    const uint8_t *pixels;
};

struct kl_picture_header {
    size_t height, width;
    bool colour;
    bool alpha;  /* it has a channel of transparency, which is dropped */
    bool turned; /* it says (Exif) that it is to be turned before it is looked at */
};
/* Size and colour of a PNG or JPEG file, which is told by its first bytes; path is named in messages.
   KL_ENOINPUT, KL_EDATA, KL_EIO, KL_ENOMEM. */
int kl_ingest_picture_header(struct kl_picture_header *header, const char *path, size_t max_bytes,
                             struct kl_error *err);
/* The whole file, all chunks of a PNG checked. 16 bits are scaled to 8, palettes expanded, alpha is
   ignored (as by PIL's convert("RGB")); of JPEG the pixels are PIL's, not turned. Pixels come from the
   arena: 1 channel for grey files, 3 for colour. */
int kl_ingest_picture_decode(struct kl_picture *picture, const char *path, size_t max_bytes,
                             struct kl_arena *arena, struct kl_error *err);

/* Bilinear with antialias, separable, in float32, rounded once (halves to even), as PyTorch's
   interpolate(bilinear, antialias=True) of the image as float32. Where the exact value lies halfway
   between two whole ones, which the rounding of sums in float32 decides, it may differ from PyTorch, by
   1: of noise up to 12 pixels in 10,000 (from 8 to 28 pixels a side; from 16 to 28, 5; from 32 on, under
   3), elsewhere none. Its 8-bit short cut and PIL round after each pass and differ by at most 1. out
   (height->n, width->n, c), in (in_height, in_width, c); work: tables and rows, not reset. KL_ENOMEM. */
struct kl_ingest_span { /* of the `whole` that rows or columns become, [from, from + n) */
    size_t whole, from, n;
};
int kl_ingest_resize(uint8_t *out, const struct kl_ingest_span *height,
                     const struct kl_ingest_span *width, const struct kl_picture *in,
                     struct kl_arena *work, struct kl_error *err);

#endif
