/* SPDX-License-Identifier: MIT
   Several inputs as one list of images of one size and colour. */
#include "ingest/ingest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ingest/ingest_int.h"
#include "store/store.h"

static const struct kl_driver *const drivers[] = { &kl_driver_folder, &kl_driver_h5, &kl_driver_idx };

void kl_ingest_images_options_default(struct kl_images_options *options)
{
    *options =
        (struct kl_images_options){ .channels = KL_CHANNELS_AUTO, .max_bytes = (size_t)256 << 20 };
}

int kl_ingest_image_source_number(struct kl_image_source *s, struct kl_error *err)
{
    int32_t most = 0;
    for (size_t i = 0; i < s->total; i++) {
        if (s->labels[i] < 0 || s->labels[i] > 65535)
            return kl_fail(err, KL_EDATA, "%s: label %d of image %zu, expected 0 to 65535", s->path,
                           s->labels[i], i);
        most = s->labels[i] > most ? s->labels[i] : most;
    }
    s->n_classes = (size_t)most + 1;
    s->class_name_size = 8;
    if (!(s->class_names = calloc(s->n_classes, s->class_name_size)))
        return kl_fail_memory(err, s->n_classes * s->class_name_size);
    for (size_t i = 0; i < s->n_classes; i++)
        snprintf(s->class_names + i * s->class_name_size, s->class_name_size, "%d", (int)(i & 0xffff));
    return 0;
}

static int open_source(struct kl_image_source *s, const char *path, const struct kl_images_options *o,
                       struct kl_error *err)
{
    struct stat st = { 0 };
    unsigned char magic[KL_STAND_IN];
    size_t n_magic = 0;
    s->path = path;
    const bool there = stat(path, &st) == 0;
    const int why = errno;
    const bool is_folder = there && S_ISDIR(st.st_mode);
    if (there && !is_folder) {
        int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (fd < 0) return kl_fail_errno(err, KL_ENOINPUT, "%s: cannot open", path);
        if (S_ISREG(st.st_mode)) n_magic = st.st_size < KL_STAND_IN ? (size_t)st.st_size : KL_STAND_IN;
        int code = kl_store_pread_all(fd, magic, n_magic, 0, path, err);
        close(fd);
        if (!code) code = kl_no_stand_in(magic, n_magic, path, err);
        if (code) return code;
    }
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++) {
        if (!drivers[i]->knows(path, is_folder, magic, n_magic)) continue;
        s->driver = drivers[i];
        return s->driver->open(s, o, err);
    }
    if (!there) {
        errno = why;
        return kl_fail_errno(err, KL_ENOINPUT, "%s: cannot open", path);
    }
    if (kl_ingest_is_picture(magic, n_magic))
        return kl_fail(
            err, KL_EDATA,
            "%s: a single image file; give the folder above its class's, in which each class is a "
            "sub-folder, or its own folder with --labels none",
            path);
    return kl_fail(err, KL_EDATA,
                   "%s: not an IDX file, a folder of PNG or JPEG files or an HDF5 file; a table or "
                   "array of numbers "
                   "takes --label COLUMN",
                   path);
}

/* One size for all, unless they are resized; RGB if any has colour. */
static int agree_on_size(struct kl_images *im, const struct kl_images_options *o, struct kl_error *err)
{
    const struct kl_image_source *first = &im->sources[0];
    im->source_height = first->height;
    im->source_width = first->width;
    for (size_t i = 0; i < im->n_sources; i++) {
        const struct kl_image_source *s = &im->sources[i];
        if (s->height == 0 || s->height != first->height || s->width != first->width)
            im->source_height = im->source_width = 0;
        if (im->source_height == 0 && !o->resize)
            return s->height == 0
                       ? kl_fail(err, KL_EDATA, "%s: its images differ in size; give --resize N",
                                 s->path)
                       : kl_fail(err, KL_EDATA,
                                 "%s: images of %zu x %zu pixels, those of %s have %zu x %zu; give "
                                 "--resize N",
                                 s->path, s->height, s->width, first->path, first->height, first->width);
        im->source_channels = s->channels > im->source_channels ? s->channels : im->source_channels;
    }
    im->height = o->crop ? o->crop : o->resize ? o->resize : im->source_height;
    im->width = o->crop ? o->crop : o->resize ? o->resize : im->source_width;
    im->shorter = o->crop ? o->resize : 0;
    im->channels = o->channels == KL_CHANNELS_AUTO   ? im->source_channels
                   : o->channels == KL_CHANNELS_GREY ? 1
                                                     : 3;
    return 0;
}

/* Class names must be the same list; numbered ones may be longer in one input than in another. */
static int agree_on_classes(struct kl_images *im, struct kl_error *err)
{
    struct kl_image_source *most = &im->sources[0];
    for (size_t i = 0; i < im->n_sources; i++) {
        struct kl_image_source *s = &im->sources[i];
        if (!s->labels != !most->labels)
            return kl_fail(err, KL_EDATA, "%s has labels, %s has none", (s->labels ? s : most)->path,
                           (s->labels ? most : s)->path);
        if (s->n_classes > most->n_classes) most = s;
    }
    for (size_t i = 0; i < im->n_sources; i++) {
        const struct kl_image_source *s = &im->sources[i];
        const bool numbered = !s->named && !most->named;
        for (size_t k = 0; k < most->n_classes && !numbered; k++) {
            const char *theirs = k < s->n_classes ? s->class_names + k * s->class_name_size : "(none)";
            const char *ours = most->class_names + k * most->class_name_size;
            if (strcmp(theirs, ours) != 0)
                return kl_fail(
                    err, KL_EDATA,
                    "%s: class %zu is '%.60s', in %s it is '%.60s'; inputs need the same classes",
                    s->path, k, theirs, most->path, ours);
        }
    }
    im->n_classes = most->n_classes;
    im->class_name_size = most->class_name_size;
    im->class_names = most->class_names;
    return 0;
}

static int gather(struct kl_images *im, const struct kl_images_options *o, struct kl_error *err)
{
    size_t all = 0, at = 0;
    int64_t position = 0;
    for (size_t i = 0; i < im->n_sources; i++) {
        struct kl_image_source *s = &im->sources[i];
        if (o->limit && s->n > o->limit - all) s->n = o->limit - all;
        all += s->n;
        im->skipped += s->skipped;
        im->in_order = im->in_order || s->in_order;
    }
    im->n = all;
    im->labels = malloc(all ? all * sizeof *im->labels : 1);
    im->index = malloc(all ? all * sizeof *im->index : 1);
    if (!im->labels || !im->index)
        return kl_fail_memory(err, all * (sizeof *im->labels + sizeof *im->index));
    for (size_t i = 0; i < im->n_sources; i++) {
        struct kl_image_source *s = &im->sources[i];
        for (size_t k = 0; k < s->n; k++, at++) {
            im->labels[at] = s->labels ? s->labels[k] : -1;
            im->index[at] = position + (s->index ? s->index[k] : (int64_t)k);
        }
        position += (int64_t)s->total;
    }
    return all ? 0 : kl_fail(err, KL_EDATA, "%s: no images", im->sources[0].path);
}

/* One of the names after the other, unless it is the last one again. */
static void add_name(char *list, size_t size, const char *name)
{
    const size_t used = strlen(list), n = strlen(name);
    const bool again = used >= n && strcmp(list + used - n, name) == 0 &&
                       (used == n || (used >= n + 2 && strncmp(list + used - n - 2, ", ", 2) == 0));
    if (!again) snprintf(list + used, size - used, "%s%s", used ? ", " : "", name);
}

/* What image k of a folder is called. */
static const char *file_of(const struct kl_images *im, const struct kl_image_source *s, size_t k)
{
    const size_t n = strlen(s->path);
    const char *file = s->files[k];
    if (im->n_sources > 1 || strncmp(file, s->path, n) != 0) return file;
    return file + n + strspn(file + n, "/");
}

static int gather_files(struct kl_images *im, struct kl_error *err)
{
    size_t size = 0, at = 0;
    for (size_t i = 0; i < im->n_sources; i++) {
        const struct kl_image_source *s = &im->sources[i];
        if (!s->files) return KL_OK;
        for (size_t k = 0; k < s->n; k++) {
            const char *file = file_of(im, s, k);
            const size_t n = strlen(file);
            if (n > size) size = n;
            for (uint32_t letter; *file;) {
                const int bytes = kl_get_utf8(&letter, file);
                if (bytes <= 0) return KL_OK; /* a name in no text that HDF5 has */
                file += bytes;
            }
        }
    }
    if (!(im->files = calloc(im->n, size))) return kl_fail_memory(err, im->n * size);
    im->file_size = size;
    for (size_t i = 0; i < im->n_sources; i++)
        for (size_t k = 0; k < im->sources[i].n; k++, at++) {
            const char *file = file_of(im, &im->sources[i], k);
            memcpy(im->files + at * size, file, strlen(file));
        }
    return KL_OK;
}

static void gather_names(struct kl_images *im)
{
    for (size_t i = 0; i < im->n_sources; i++) {
        const struct kl_image_source *s = &im->sources[i];
        if (!s->images_from) continue;
        add_name(im->images_from, sizeof im->images_from, s->images_from);
        add_name(im->labels_from, sizeof im->labels_from, s->labels_from);
    }
}

int kl_ingest_images_open(struct kl_images **images, const char *const *paths, size_t n_paths,
                          const struct kl_images_options *options, struct kl_error *err)
{
    int rc = 0;
    struct kl_images *im = calloc(1, sizeof *im);
    *images = NULL;
    if (!im || !(im->sources = calloc(n_paths, sizeof *im->sources)) ||
        !(im->turn = calloc(1, sizeof *im->turn))) {
        rc = kl_fail_memory(err, sizeof *im + n_paths * sizeof *im->sources);
        goto out;
    }
    pthread_mutex_init(&im->turn->lock, NULL);
    pthread_cond_init(&im->turn->moved, NULL);
    for (size_t i = 0; i < n_paths; i++) {
        im->n_sources = i + 1;
        if ((rc = open_source(&im->sources[i], paths[i], options, err))) goto out;
    }
    if ((rc = agree_on_size(im, options, err)) || (rc = agree_on_classes(im, err))) goto out;
    if ((rc = gather(im, options, err)) || (rc = gather_files(im, err))) goto out;
    gather_names(im);
    rc = kl_ingest_images_remark(im, options, err);
out:
    if (rc) kl_ingest_images_close(&im);
    *images = im;
    return rc;
}

void kl_ingest_images_choose(struct kl_images *images, int64_t *chosen, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const size_t from = (size_t)chosen[i], size = images->file_size;
        images->labels[i] = images->labels[from];
        images->index[i] = images->index[from];
        memmove(images->files + i * size, images->files + from * size, size);
    }
    images->n = n;
    images->chosen = chosen;
}

void kl_ingest_images_close(struct kl_images **images)
{
    if (!images || !*images) return;
    struct kl_images *im = *images;
    for (size_t i = 0; i < im->n_sources; i++) {
        struct kl_image_source *s = &im->sources[i];
        if (s->driver) s->driver->close(s);
        free(s->labels);
        free(s->index);
        free(s->class_names);
    }
    if (im->turn) {
        pthread_cond_destroy(&im->turn->moved);
        pthread_mutex_destroy(&im->turn->lock);
    }
    free(im->turn);
    free(im->sources);
    free(im->labels);
    free(im->index);
    free(im->files);
    free(im->chosen);
    free(im);
    *images = NULL;
}

/* ---- Classes without an image: of all that are read, and of the first ones that --limit takes
   ---- */

/* Images lie by class in a folder and in many a file: the first ones may be of a few classes alone.
   first: image of a class, from 1; 0: there is none. */
static void remark_limit(const struct kl_images *im, const struct kl_images_options *o,
                         const size_t *first)
{
    size_t lost = 0, needed = 0;
    const char *name = NULL;
    for (size_t c = 0; o->limit && c < im->n_classes; c++) {
        if (first[c] <= o->limit) continue;
        if (!lost++) name = im->class_names + c * im->class_name_size;
        if (first[c] > needed) needed = first[c];
    }
    if (lost)
        kl_caution(
            o->log,
            "--limit %zu leaves %zu of %zu classes without an image (first: '%.60s'); --limit %zu "
            "gives each of these one",
            o->limit, lost, im->n_classes, name, needed);
}

/* Classes of numbers reach up to the largest label: labels may count from 1, or one may stand for what
   has no class. A folder's classes have names, and are told one by one. */
static void remark_empty(const struct kl_images *im, const struct kl_images_options *o,
                         const size_t *first)
{
    size_t empty = 0, which = 0;
    for (size_t i = 0; i < im->n_sources; i++)
        if (im->sources[i].named) return;
    for (size_t c = im->n_classes; c-- > 0;)
        if (!first[c]) empty++, which = c;
    if (empty == 1 && which == 0)
        kl_caution(o->log, "labels from 1 to %zu: class 0 has no image; labels count from 0",
                   im->n_classes - 1);
    else if (empty)
        kl_caution(o->log, "labels up to %zu: %zu of these %zu classes %s no image (first: %zu)",
                   im->n_classes - 1, empty, im->n_classes, empty == 1 ? "has" : "have", which);
}

int kl_ingest_images_remark(const struct kl_images *im, const struct kl_images_options *o,
                            struct kl_error *err)
{
    size_t at = 0;
    if (!im->n_classes) return 0;
    size_t *first = calloc(im->n_classes, sizeof *first);
    if (!first) return kl_fail_memory(err, im->n_classes * sizeof *first);
    for (size_t i = 0; i < im->n_sources; i++) {
        const struct kl_image_source *s = &im->sources[i];
        for (size_t k = 0, n = s->total - s->skipped; k < n; k++, at++)
            if (!first[s->labels[k]]) first[s->labels[k]] = at + 1;
    }
    remark_limit(im, o, first);
    remark_empty(im, o, first);
    free(first);
    return 0;
}
