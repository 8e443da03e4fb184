/* SPDX-License-Identifier: MIT
   HDF5 files of images, other people's or ours: FILE or FILE:DATASET, uint8 (n, h, w) or (n, h, w, c).
   The store's foreign.c reads them whole, so these inputs are bounded by memory. */
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ingest/ingest_int.h"
#include "store/store.h"

struct h5 {
    struct kl_foreign file;
    size_t item;
    size_t channels; /* in the file: 1, 3 or 4 (alpha, ignored) */
};

static bool knows(const char *path, bool is_folder, const unsigned char *magic, size_t n_magic)
{
    struct stat st;
    (void)is_folder; /* folders have been asked for before */
    if (n_magic >= 8 && memcmp(magic, "\211HDF\r\n\032\n", 8) == 0) return true;
    return n_magic ? kl_ingest_is_h5(path) : strrchr(path, ':') && stat(path, &st) != 0;
}

static void source_close(struct kl_image_source *s)
{
    struct h5 *f = s->state;
    if (f) kl_store_foreign_free(&f->file);
    free(f);
    s->state = NULL;
}

/* Resolve --labels: a dataset beside the images, or FILE:DATASET, *other. */
static int resolve_labels(const char **labels, const char **other, const char *given, const char *path,
                          struct kl_error *err)
{
    struct stat s;
    char file[4096];
    const char *colon = given ? strrchr(given, ':') : NULL;
    *labels = given, *other = NULL;
    if (!given || strcmp(given, "none") == 0) return KL_OK;
    if (stat(given, &s) == 0)
        return kl_fail(
            err, KL_EUSAGE,
            "%s: --labels %s: a file; labels of images in HDF5 are --labels DATASET or --labels "
            "FILE.h5:DATASET",
            path, given);
    if (!colon || (size_t)(colon - given) >= sizeof file) return KL_OK;
    snprintf(file, sizeof file, "%.*s", (int)(colon - given), given);
    if (stat(file, &s)) return KL_OK;
    *labels = "none", *other = given;
    return KL_OK;
}

/* Labels that are texts are the names. */
static int name_classes(struct kl_image_source *s, const struct kl_foreign *from, struct kl_error *err)
{
    s->n_classes = from->n_names, s->class_name_size = sizeof *from->names, s->named = true;
    if (!(s->class_names = calloc(s->n_classes, s->class_name_size)))
        return kl_fail_memory(err, s->n_classes * s->class_name_size);
    memcpy(s->class_names, from->names, s->n_classes * s->class_name_size);
    return KL_OK;
}

/* The labels and the names of their classes, and where all came from. */
static int take_labels(struct kl_image_source *s, const char *other, struct kl_error *err)
{
    struct h5 *f = s->state;
    struct kl_foreign others = { 0 }, *from = other ? &others : &f->file;
    int rc = other ? kl_store_foreign_labels_of(&others, s->n, other, err) : KL_OK;
    s->labels = from->label;
    from->label = NULL;
    s->images_from = f->file.images;
    s->labels_from = other ? other : s->labels ? f->file.labels : "none";
    if (!rc && from->names) rc = name_classes(s, from, err);
    else if (!rc && s->labels) rc = kl_ingest_image_source_number(s, err);
    kl_store_foreign_free(&others);
    return rc;
}

static int source_open(struct kl_image_source *s, const struct kl_images_options *o,
                       struct kl_error *err)
{
    const char *labels, *other;
    struct h5 *f = s->state = calloc(1, sizeof *f);
    if (!f) return kl_fail_memory(err, sizeof *f);
    int rc = resolve_labels(&labels, &other, o->labels, s->path, err);
    if (!rc) rc = kl_store_foreign_read(&f->file, s->path, labels, err);
    if (rc) return rc;
    const size_t *dims = f->file.dims;
    f->channels = f->file.rank == 4 ? dims[3] : 1;
    if (f->channels != 1 && f->channels != 3 && f->channels != 4)
        return kl_fail(err, KL_EDATA, "%s: %zu channels, expected 1, 3 or 4%s", s->path, f->channels,
                       dims[1] == 1 || dims[1] == 3 || dims[1] == 4
                           ? "; of (n, channels, h, w) make (n, h, w, channels)"
                           : "");
    s->n = s->total = dims[0];
    s->height = dims[1];
    s->width = dims[2];
    s->channels = f->channels == 1 ? 1 : 3;
    f->item = dims[1] * dims[2] * f->channels;
    if (f->item == 0 || s->n == 0) return kl_fail(err, KL_EDATA, "%s: no images", s->path);
    if (*f->file.note) kl_caution(o->log, "%s: %s", s->path, f->file.note);
    return take_labels(s, other, err);
}

static int source_read(struct kl_image_source *s, size_t first, size_t n, struct kl_picture *pictures,
                       struct kl_arena *arena, struct kl_error *err)
{
    const struct h5 *f = s->state;
    const size_t pixels = s->height * s->width;
    for (size_t i = 0; i < n; i++) {
        const uint8_t *from = f->file.data + (first + i) * f->item;
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

/* ---- the key ---- */

bool kl_ingest_is_h5(const char *path)
{
    if (access(path, F_OK) != 0) return strrchr(path, ':') != NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool h5 = fd >= 0 && kl_store_is_hdf5(fd);
    if (fd >= 0) close(fd);
    return h5;
}

/* Labels from another file: its content, and the dataset's name. */
static int identify_other(struct kl_key *key, json_t *record, const char *other, struct kl_error *err)
{
    char file[4096], hex[65];
    const char *colon = strrchr(other, ':');
    snprintf(file, sizeof file, "%.*s", (int)(colon - other), other);
    int rc = kl_store_input_content(hex, file, err);
    if (!rc) rc = kl_store_key_input(key, "labels", hex, err);
    if (!rc) rc = kl_store_key_text(key, "labels", colon + 1, err);
    return rc ? rc : kl_store_input_record(record, "labels", other, hex, err);
}

/* Write the names of the datasets that were read into the record of the images. */
static int record_datasets(json_t *record, size_t i, const struct kl_foreign *f, const char *labels,
                           struct kl_error *err)
{
    char name[32] = "images";
    json_t *images_from = NULL, *labels_from = NULL;
    if (i > 0) snprintf(name, sizeof name, "images %zu", i + 1);
    int rc = kl_json_string(&images_from, f->images, err);
    if (!rc) rc = kl_json_string(&labels_from, labels, err);
    json_t *input = json_object_get(record, name);
    if (!rc && (json_object_set(input, "dataset", images_from) ||
                json_object_set(input, "labels", labels_from)))
        rc = kl_fail_memory(err, 256);
    json_decref(images_from);
    json_decref(labels_from);
    return rc;
}

/* The key has a part for the labels unless they are those of the root by a usual name, which files of
   keys without it have. */
int kl_ingest_h5_identify(struct kl_key *key, json_t *record, size_t i, const char *path,
                          const char *given, struct kl_error *err)
{
    const char *labels, *other;
    char part[32] = "labels";
    struct kl_foreign f;
    int rc = resolve_labels(&labels, &other, given, path, err);
    if (!rc) rc = kl_store_foreign_look(&f, path, labels, err);
    if (rc) return rc;
    const char *from = other ? other : *f.labels ? f.labels : "none";
    if (i > 0 && !given) snprintf(part, sizeof part, "labels %zu", i + 1);
    if (other) rc = identify_other(key, record, other, err);
    else if (strcmp(f.labels, f.root_labels) != 0 || (given && strcmp(given, "none") == 0))
        rc = kl_store_key_text(key, part, from, err);
    return rc ? rc : record_datasets(record, i, &f, from, err);
}

const struct kl_driver kl_driver_h5 = {
    .name = "HDF5", .knows = knows, .open = source_open, .read = source_read, .close = source_close
};
