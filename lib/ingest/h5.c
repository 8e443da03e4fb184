/* SPDX-License-Identifier: MIT
   HDF5 files of images, other people's or ours: FILE or FILE:DATASET, uint8 (n, h, w) or (n, h, w, c).
   The store's foreign.c reads them whole, so these inputs are bounded by memory. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ingest/ingest_int.h"
#include "store/store.h"

struct h5 {
    uint8_t *data;
    size_t item;
    size_t channels; /* in the file: 1, 3 or 4 (alpha, ignored) */
};

static bool knows(const char *path, bool is_folder, const unsigned char *magic, size_t n_magic)
{
    if (n_magic) return n_magic >= 8 && memcmp(magic, "\211HDF\r\n\032\n", 8) == 0;
    struct stat st;
    (void)is_folder; /* folders have been asked for before */
    return strrchr(path, ':') && stat(path, &st) != 0;
}

static void source_close(struct kl_image_source *s)
{
    struct h5 *f = s->state;
    if (f) free(f->data);
    free(f);
    s->state = NULL;
}

static int source_open(struct kl_image_source *s, const struct kl_images_options *o,
                       struct kl_error *err)
{
    size_t dims[4] = { 0 };
    int rank = 0;
    struct h5 *f = s->state = calloc(1, sizeof *f);
    if (!f) return kl_fail_memory(err, sizeof *f);
    const bool want_labels = !o->labels;
    if (o->labels && strcmp(o->labels, "none") != 0)
        return kl_fail(err, KL_EUSAGE, "%s: --labels FILE belongs to an IDX file; HDF5 brings its own",
                       s->path);
    int rc = kl_foreign_images(&f->data, dims, &rank, want_labels ? &s->labels : NULL, s->path, err);
    if (rc) return rc;
    f->channels = rank == 4 ? dims[3] : 1;
    if (f->channels != 1 && f->channels != 3 && f->channels != 4)
        return kl_fail(err, KL_EDATA, "%s: %zu channels, expected 1, 3 or 4", s->path, f->channels);
    s->n = s->total = dims[0];
    s->height = dims[1];
    s->width = dims[2];
    s->channels = f->channels == 1 ? 1 : 3;
    f->item = dims[1] * dims[2] * f->channels;
    if (f->item == 0 || s->n == 0) return kl_fail(err, KL_EDATA, "%s: no images", s->path);
    return s->labels ? kl_image_source_number(s, err) : 0;
}

static int source_read(struct kl_image_source *s, size_t first, size_t n, struct kl_picture *pictures,
                       struct kl_arena *arena, struct kl_error *err)
{
    const struct h5 *f = s->state;
    const size_t pixels = s->height * s->width;
    for (size_t i = 0; i < n; i++) {
        const uint8_t *from = f->data + (first + i) * f->item;
        if (f->channels == 4) {
            uint8_t *rgb = kl_arena_take(arena, pixels, 3);
            if (!rgb) return kl_fail_memory(err, pixels * 3);
            for (size_t p = 0; p < pixels; p++) memcpy(rgb + 3 * p, from + 4 * p, 3);
            from = rgb;
        }
        pictures[i] = (struct kl_picture){ s->height, s->width, s->channels, from };
    }
    return 0;
}

const struct kl_driver kl_driver_h5 = {
    .name = "HDF5", .knows = knows, .open = source_open, .read = source_read, .close = source_close
};
