/* SPDX-License-Identifier: MIT
   A folder of PNG files: each sub-folder is a class; classes and files in the byte order of their names.
   Names that begin with a dot and files that do not end in .png are passed over. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/ingest_int.h"
#include "ingest/names_int.h"

struct folder {
    struct kl_names files; /* full paths */
    size_t max_bytes;
};

static bool knows(const char *path, bool is_folder, const unsigned char *magic, size_t n_magic)
{
    (void)path, (void)magic, (void)n_magic;
    return is_folder;
}

static void source_close(struct kl_image_source *s)
{
    struct folder *f = s->state;
    if (f) kl_names_free(&f->files);
    free(f);
    s->state = NULL;
}

/* All files of one class appended to f->files, their labels to s->labels. */
static int add_class(struct kl_image_source *s, const char *name, int32_t label,
                     const struct kl_log *log, struct kl_error *err)
{
    struct folder *f = s->state;
    struct kl_names files = { 0 };
    char *path = kl_path_join(s->path, name);
    int rc = path ? kl_names_list(&files, path, false, err) : kl_fail_memory(err, strlen(name));
    if (!rc && files.n == 0) kl_note(log, 1, "%s: a class without PNG files", path);
    for (size_t i = 0; i < files.n && !rc; i++)
        rc = kl_names_add(&f->files, kl_path_join(path, files.items[i]), err);
    if (!rc && files.n) {
        int32_t *labels = realloc(s->labels, f->files.n * sizeof *labels);
        if (!labels) {
            rc = kl_fail_memory(err, f->files.n * sizeof *labels);
            goto out;
        }
        s->labels = labels;
        for (size_t i = f->files.n - files.n; i < f->files.n; i++) labels[i] = label;
    }
out:
    kl_names_free(&files);
    free(path);
    return rc;
}

static int set_class_names(struct kl_image_source *s, const struct kl_names *classes,
                           struct kl_error *err)
{
    s->n_classes = classes->n;
    for (size_t i = 0; i < classes->n; i++)
        if (strlen(classes->items[i]) + 1 > s->class_name_size)
            s->class_name_size = strlen(classes->items[i]) + 1;
    if (!(s->class_names = calloc(s->n_classes, s->class_name_size)))
        return kl_fail_memory(err, s->n_classes * s->class_name_size);
    for (size_t i = 0; i < classes->n; i++)
        strcpy(s->class_names + i * s->class_name_size, classes->items[i]);
    return 0;
}

/* The first pass over the files: headers, or with skip_bad everything. */
struct pass {
    struct kl_image_source *s;
    const struct kl_images_options *o;
    struct look {
        size_t height, width;
        bool colour;
        int rc;
    } * looks;
};

static void look_at(void *context, size_t i, int thread)
{
    (void)thread;
    struct pass *pass = context;
    struct look *look = &pass->looks[i];
    const char *path = ((struct folder *)pass->s->state)->files.items[i];
    look->rc = kl_png_header(&look->height, &look->width, &look->colour, path, pass->o->max_bytes, NULL);
    if (look->rc || !pass->o->skip_bad) return;
    struct kl_arena arena = { 0 };
    struct kl_picture picture;
    look->rc = kl_arena_init(&arena, look->height * look->width * 4 + 4096, NULL);
    if (!look->rc) look->rc = kl_png_decode(&picture, path, pass->o->max_bytes, &arena, NULL);
    kl_arena_free(&arena);
}

/* The reader once more, for its words. Of many only the first ones without -v. */
static void say_left_out(const struct kl_images_options *o, const char *path, size_t before)
{
    enum { SHOWN = 10 };
    size_t height, width;
    bool colour;
    struct kl_error why = { 0 };
    struct kl_arena arena = { 0 };
    struct kl_picture picture;
    if (kl_png_header(&height, &width, &colour, path, o->max_bytes, &why) == 0)
        kl_png_decode(&picture, path, o->max_bytes, &arena, &why);
    kl_arena_free(&arena);
    kl_note(o->log, before < SHOWN ? 1 : 2, "%s; left out", why.text);
}

/* Sizes and colour of all; bad files are an error or leave the list. */
static int first_pass(struct kl_image_source *s, const struct kl_images_options *o, struct kl_error *err)
{
    struct folder *f = s->state;
    struct pass pass = { s, o, calloc(f->files.n, sizeof *pass.looks) };
    int rc = 0;
    size_t kept = 0;
    s->index = malloc(f->files.n * sizeof *s->index);
    if (!pass.looks || !s->index) {
        rc = kl_fail_memory(err, f->files.n * (sizeof *pass.looks + sizeof *s->index));
        goto out;
    }
    kl_pool_for(o->pool, f->files.n, look_at, &pass);
    s->total = f->files.n;
    s->channels = 1;
    for (size_t i = 0; i < s->total; i++) {
        const struct look *look = &pass.looks[i];
        char *file = f->files.items[i];
        size_t h, w;
        bool colour;
        if (look->rc && !(o->skip_bad && look->rc == KL_EDATA)) {
            rc = kl_png_header(&h, &w, &colour, file, o->max_bytes, err); /* again, for its words */
            rc = rc ? rc : kl_fail(err, look->rc, "%s: cannot be read", file);
            goto out;
        }
        if (look->rc) {
            say_left_out(o, file, i - kept);
            continue;
        }
        if (kept == 0) {
            s->height = look->height;
            s->width = look->width;
        } else if (look->height != s->height || look->width != s->width) {
            s->height = s->width = 0;
        }
        s->channels = look->colour ? 3 : s->channels;
        s->labels[kept] = s->labels[i];
        s->index[kept] = (int64_t)i;
        f->files.items[i] =
            f->files.items[kept]; /* swap: every path stays in the list and is freed once */
        f->files.items[kept++] = file;
    }
    s->n = kept;
    s->skipped = s->total - kept;
    if (kept == 0)
        rc = kl_fail(err, KL_EDATA, "%s: none of its %zu PNG files can be read", s->path, s->total);
out:
    free(pass.looks);
    return rc;
}

/* The folder may hold the files of MNIST, one of which is meant. */
static int nothing(const struct kl_image_source *s, size_t n_classes, struct kl_error *err)
{
    char idx[256] = "";
    DIR *dir = opendir(s->path);
    for (struct dirent *e; dir && !*idx && (e = readdir(dir));)
        if (strstr(e->d_name, "-idx3-")) snprintf(idx, sizeof idx, "%s", e->d_name);
    if (dir) closedir(dir);
    return kl_fail(err, KL_EDATA,
                   "%s: no PNG files in its %zu sub-folders; each class is a sub-folder%s%s", s->path,
                   n_classes, *idx ? "; or name an IDX file in it, such as " : "", idx);
}

static int source_open(struct kl_image_source *s, const struct kl_images_options *o,
                       struct kl_error *err)
{
    struct kl_names classes = { 0 };
    int rc;
    struct folder *f = s->state = calloc(1, sizeof *f);
    if (!f) return kl_fail_memory(err, sizeof *f);
    f->max_bytes = o->max_bytes;
    if (o->labels && strcmp(o->labels, "none") != 0)
        return kl_fail(
            err, KL_EUSAGE,
            "%s: --labels FILE belongs to an IDX file; a folder's classes are its sub-folders", s->path);
    if ((rc = kl_names_list(&classes, s->path, true, err))) goto out;
    for (size_t i = 0; i < classes.n; i++)
        if ((rc = add_class(s, classes.items[i], (int32_t)i, o->log, err))) goto out;
    if (f->files.n == 0) {
        rc = nothing(s, classes.n, err);
        goto out;
    }
    if ((rc = set_class_names(s, &classes, err))) goto out;
    rc = first_pass(s, o, err);
    if (o->labels) { /* none */
        free(s->labels);
        s->labels = NULL;
        s->n_classes = 0;
    }
out:
    kl_names_free(&classes);
    return rc;
}

static int source_read(struct kl_image_source *s, size_t first, size_t n, struct kl_picture *pictures,
                       struct kl_arena *arena, struct kl_error *err)
{
    const struct folder *f = s->state;
    int rc = 0;
    for (size_t i = 0; i < n && !rc; i++) {
        struct kl_picture *p = &pictures[i];
        rc = kl_png_decode(p, f->files.items[first + i], f->max_bytes, arena, err);
        if (!rc && s->height && (p->height != s->height || p->width != s->width))
            rc = kl_fail(err, KL_EDATA, "%s: changed while it was read", f->files.items[first + i]);
    }
    return rc;
}

const struct kl_driver kl_driver_folder = { .name = "folder of PNG",
                                            .knows = knows,
                                            .open = source_open,
                                            .read = source_read,
                                            .close = source_close,
                                            .singly = true };
