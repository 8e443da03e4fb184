/* SPDX-License-Identifier: MIT
   A folder of PNG and JPEG files: each sub-folder is a class (folder_classes.c); its files in the byte
   order of their names. Names that begin with a dot and files of other endings are passed over; of
   images among them there is a word. Without labels the files may lie in the folder itself, if no
   sub-folder has any.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ingest/ingest_int.h"

struct folder {
    struct kl_names files; /* full paths */
    size_t max_bytes;
    bool skip_bad;
    size_t n_unread, unread_folders; /* images that cannot be read, and the folders that hold them */
    char *first_unread;
};

static bool knows(const char *path, bool is_folder, const unsigned char *magic, size_t n_magic)
{
    (void)path, (void)magic, (void)n_magic;
    return is_folder;
}

static void source_close(struct kl_image_source *s)
{
    struct folder *f = s->state;
    if (f) kl_ingest_names_free(&f->files);
    if (f) free(f->first_unread);
    free(f);
    s->state = NULL;
}

static int count_unread(struct folder *f, const char *path, struct kl_error *err)
{
    struct kl_names unread = { 0 };
    int rc = kl_ingest_names_list(&unread, path, KL_NAMES_UNREAD, err);
    if (!rc && unread.n && !f->first_unread &&
        !(f->first_unread = kl_ingest_path_join(path, unread.items[0])))
        rc = kl_fail_memory(err, strlen(path));
    f->n_unread += unread.n;
    f->unread_folders += unread.n > 0;
    kl_ingest_names_free(&unread);
    return rc;
}

/* All files of one folder appended to f->files, their labels to s->labels. */
static int add_files(struct kl_image_source *s, const char *path, int32_t label, struct kl_error *err)
{
    struct folder *f = s->state;
    struct kl_names files = { 0 };
    int rc = kl_ingest_names_list(&files, path, KL_NAMES_PICTURES, err);
    if (!rc) rc = count_unread(f, path, err);
    for (size_t i = 0; i < files.n && !rc; i++)
        rc = kl_ingest_names_add(&f->files, kl_ingest_path_join(path, files.items[i]), err);
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
    kl_ingest_names_free(&files);
    return rc;
}

/* Images in sub-folders of a class are in no class: a word. */
static int remark_below(const char *path, const struct kl_log *log, struct kl_error *err)
{
    struct kl_names folders = { 0 };
    size_t n = 0;
    char *first = NULL;
    int rc = kl_ingest_names_list(&folders, path, KL_NAMES_FOLDERS, err);
    for (size_t i = 0; i < folders.n && !rc; i++) {
        struct kl_names files = { 0 };
        char *folder = kl_ingest_path_join(path, folders.items[i]);
        rc = folder ? kl_ingest_names_list(&files, folder, KL_NAMES_PICTURES, err)
                    : kl_fail_memory(err, strlen(path));
        if (!rc && files.n && !first && !(first = kl_ingest_path_join(folder, files.items[0])))
            rc = kl_fail_memory(err, strlen(path));
        n += files.n;
        kl_ingest_names_free(&files);
        free(folder);
    }
    if (!rc && n)
        kl_caution(log,
                   "%s: left out %zu image file%s in sub-folders of this class (first: %s); move %s up",
                   path, n, kl_s(n), first, n == 1 ? "it" : "them");
    kl_ingest_names_free(&folders);
    free(first);
    return rc;
}

static int add_class(struct kl_image_source *s, const struct kl_folder_class *c,
                     const struct kl_log *log, struct kl_error *err)
{
    const size_t before = ((struct folder *)s->state)->files.n;
    char *path = kl_ingest_path_join(s->path, c->folder);
    int rc = path ? add_files(s, path, c->label, err) : kl_fail_memory(err, strlen(c->folder));
    const bool none = ((struct folder *)s->state)->files.n == before;
    if (!rc && none) kl_caution(log, "%s: a class without PNG or JPEG files", path);
    if (!rc && !none) rc = remark_below(path, log, err);
    free(path);
    return rc;
}

static int set_class_names(struct kl_image_source *s, const struct kl_folder_classes *classes,
                           struct kl_error *err)
{
    s->n_classes = classes->n_classes, s->named = true;
    for (size_t i = 0; i < classes->n; i++)
        if (strlen(classes->items[i].name) + 1 > s->class_name_size)
            s->class_name_size = strlen(classes->items[i].name) + 1;
    if (!(s->class_names = calloc(s->n_classes, s->class_name_size)))
        return kl_fail_memory(err, s->n_classes * s->class_name_size);
    for (size_t i = 0; i < classes->n; i++)
        strcpy(s->class_names + (size_t)classes->items[i].label * s->class_name_size,
               classes->items[i].name);
    return 0;
}

/* By their letters, whatever their case, without blanks at the end. */
static int by_letters(const void *x, const void *y)
{
    const char *a = *(const char *const *)x, *b = *(const char *const *)y;
    size_t m = strlen(a), n = strlen(b);
    while (m && a[m - 1] == ' ') m--;
    while (n && b[n - 1] == ' ') n--;
    const int order = strncasecmp(a, b, m < n ? m : n);
    return order ? order : (m > n) - (m < n);
}

static int remark_alike(const struct kl_folder_classes *classes, const struct kl_log *log,
                        struct kl_error *err)
{
    const char **names = malloc((classes->n + 1) * sizeof *names);
    if (!names) return kl_fail_memory(err, classes->n * sizeof *names);
    size_t n = 0;
    for (size_t i = 0; i < classes->n; i++)
        if (i == 0 || classes->items[i].label != classes->items[i - 1].label)
            names[n++] = classes->items[i].name;
    qsort(names, n, sizeof *names, by_letters);
    for (size_t i = 1; i < n; i++)
        if (by_letters(&names[i - 1], &names[i]) == 0)
            kl_caution(log, "classes '%s' and '%s' are two, and differ in case or blanks alone",
                       strcmp(names[i - 1], names[i]) < 0 ? names[i - 1] : names[i],
                       strcmp(names[i - 1], names[i]) < 0 ? names[i] : names[i - 1]);
    free(names);
    return KL_OK;
}

/* The first class that holds folders: classes may lie one level further down. NULL: none does. */
static char *find_deeper(const struct kl_image_source *s, const struct kl_folder_classes *classes)
{
    for (size_t i = 0; i < classes->n; i++) {
        struct kl_names below = { 0 };
        char *path = kl_ingest_path_join(s->path, classes->items[i].folder);
        const bool holds =
            path && kl_ingest_names_list(&below, path, KL_NAMES_FOLDERS, NULL) == 0 && below.n;
        kl_ingest_names_free(&below);
        if (holds) return path;
        free(path);
    }
    return NULL;
}

static int refuse_empty(const struct kl_image_source *s, const struct kl_folder_classes *classes,
                        const char *idx, struct kl_error *err)
{
    char *deeper = *idx ? NULL : find_deeper(s, classes);
    const int code =
        kl_fail(err, KL_EDATA,
                "%s: no PNG or JPEG files in its %zu sub-folder%s; each class is a sub-folder%s%s%s%s",
                s->path, classes->n, kl_s(classes->n),
                *idx     ? "; or name an IDX file in it, such as "
                : deeper ? "; "
                         : "",
                deeper ? deeper : idx, deeper ? " holds folders: give that" : "",
                deeper && classes->n > 1 ? ", or one beside it" : "");
    free(deeper);
    return code;
}

/* The folder may hold the files of MNIST, one of which is meant; or files without classes, which
   --labels none reads. */
static int nothing(const struct kl_image_source *s, const struct kl_folder_classes *classes,
                   struct kl_error *err)
{
    const size_t n = ((struct folder *)s->state)->files.n;
    char idx[256] = "";
    DIR *dir = n ? NULL : opendir(s->path);
    for (struct dirent *e; dir && !*idx && (e = readdir(dir));)
        if (strstr(e->d_name, "-idx3-")) snprintf(idx, sizeof idx, "%s", e->d_name);
    if (dir) closedir(dir);
    if (n)
        return kl_fail(
            err, KL_EDATA,
            "%s: %zu image file%s, but in no sub-folder, and each class is a sub-folder; give the "
            "folder above if this is a class, or --labels none to do without classes",
            s->path, n, kl_s(n));
    return refuse_empty(s, classes, idx, err);
}

/* Those beside the classes' folders are no class: a word, and they are left out. */
static int remark_beside(const struct kl_image_source *s, const struct kl_log *log, struct kl_error *err)
{
    struct kl_names beside = { 0 };
    const int rc = kl_ingest_names_list(&beside, s->path, KL_NAMES_PICTURES, err);
    if (!rc && beside.n)
        kl_caution(log, "left out %zu image file%s beside the classes' sub-folders (first: %s/%s)",
                   beside.n, kl_s(beside.n), s->path, beside.items[0]);
    kl_ingest_names_free(&beside);
    return rc;
}

/* The files of all classes; if there are none, those in the folder itself, if they are wanted. */
static int list(struct kl_image_source *s, const struct kl_folder_classes *classes,
                const struct kl_images_options *o, struct kl_error *err)
{
    struct folder *f = s->state;
    int rc = 0;
    for (size_t i = 0; i < classes->n && !rc; i++) rc = add_class(s, &classes->items[i], o->log, err);
    if (!rc && !o->labels) kl_ingest_folder_classes_say(classes, s->path, o->log);
    if (!rc) rc = remark_alike(classes, o->log, err);
    const bool flat = !rc && f->files.n == 0;
    if (flat) rc = add_files(s, s->path, 0, err);
    else if (!rc) rc = remark_beside(s, o->log, err);
    if (rc) return rc;
    if (f->n_unread)
        kl_caution(
            o->log, "left out %zu image file%s in %zu folder%s (first: %s): images must be PNG or JPEG",
            f->n_unread, kl_s(f->n_unread), f->unread_folders, kl_s(f->unread_folders), f->first_unread);
    return f->files.n && !(flat && !o->labels) ? 0 : nothing(s, classes, err);
}

static int source_open(struct kl_image_source *s, const struct kl_images_options *o,
                       struct kl_error *err)
{
    struct kl_folder_classes classes = { 0 };
    int rc;
    struct folder *f = s->state = calloc(1, sizeof *f);
    if (!f) return kl_fail_memory(err, sizeof *f);
    f->max_bytes = o->max_bytes, f->skip_bad = o->skip_bad;
    if (o->labels && strcmp(o->labels, "none") != 0)
        return kl_fail(
            err, KL_EUSAGE,
            "%s: --labels FILE belongs to an IDX file; a folder's classes are its sub-folders", s->path);
    if ((rc = kl_ingest_folder_classes(&classes, s->path, err)) || (rc = list(s, &classes, o, err)) ||
        (!o->labels && (rc = set_class_names(s, &classes, err))))
        goto out;
    rc = kl_ingest_folder_look(s, &f->files, o, err);
    s->files = f->files.items;
    if (o->labels) { /* none */
        free(s->labels);
        s->labels = NULL;
    }
out:
    kl_ingest_folder_classes_free(&classes);
    return rc;
}

static int source_read(struct kl_image_source *s, size_t first, size_t n, struct kl_picture *pictures,
                       struct kl_arena *arena, struct kl_error *err)
{
    const struct folder *f = s->state;
    int rc = 0;
    for (size_t i = 0; i < n && !rc; i++) {
        struct kl_picture *p = &pictures[i];
        rc = kl_ingest_picture_decode(p, f->files.items[first + i], f->max_bytes, arena, err);
        rc = kl_ingest_folder_refuse(rc, f->skip_bad, err);
        if (!rc && s->height && (p->height != s->height || p->width != s->width))
            rc = kl_fail(err, KL_EDATA, "%s: changed while it was read", f->files.items[first + i]);
    }
    return rc;
}

const struct kl_driver kl_driver_folder = { .name = "folder of pictures",
                                            .knows = knows,
                                            .open = source_open,
                                            .read = source_read,
                                            .close = source_close,
                                            .singly = true };
