/* SPDX-License-Identifier: MIT
   The first pass over the pictures of a folder: their sizes and colour, and which of them are damaged.
 */
#include <stdlib.h>
#include <string.h>

#include "ingest/ingest_int.h"

/* Of each file the header, or with skip_bad everything. */
struct pass {
    const struct kl_names *files;
    const struct kl_images_options *o;
    struct look {
        struct kl_picture_header header;
        int rc;
    } * looks;
};

static void look_at(void *context, size_t i, int thread)
{
    (void)thread;
    struct pass *pass = context;
    struct look *look = &pass->looks[i];
    const char *path = pass->files->items[i];
    const struct kl_picture_header *h = &look->header;
    look->rc = kl_ingest_picture_header(&look->header, path, pass->o->max_bytes, NULL);
    if (look->rc || !pass->o->skip_bad) return;
    struct kl_arena arena = { 0 };
    struct kl_picture picture;
    look->rc = kl_arena_init(&arena, h->height * h->width * 4 + 4096, NULL);
    if (!look->rc) look->rc = kl_ingest_picture_decode(&picture, path, pass->o->max_bytes, &arena, NULL);
    kl_arena_free(&arena);
}

/* The reader once more, for its words. Of many only the first ones without -v. */
static void say_left_out(const struct kl_images_options *o, const char *path, size_t before)
{
    enum { SHOWN = 10 };
    struct kl_error why = { 0 };
    struct kl_arena arena = { 0 };
    struct kl_picture picture;
    kl_ingest_picture_decode(&picture, path, o->max_bytes, &arena, &why);
    kl_arena_free(&arena);
    if (before == SHOWN && o->log && o->log->level < 2)
        kl_note(o->log, 1, "more files cannot be read and are left out; -v names them");
    kl_note(o->log, before < SHOWN ? 1 : 2, "%s; left out", why.text);
}

/* File i is left out. If it was the last of its class, of which none is kept: a word. */
static void remark_lost(const struct kl_image_source *s, const struct kl_names *files, size_t i,
                        size_t kept, const struct kl_log *log)
{
    const char *file = files->items[i];
    const bool last = i + 1 == s->total || s->labels[i + 1] != s->labels[i],
               some = kept && s->labels[kept - 1] == s->labels[i];
    if (last && !some)
        kl_caution(log, "%.*s: a class without an undamaged image file",
                   (int)(strrchr(file, '/') - file), file);
}

int kl_ingest_folder_refuse(int rc, bool skip_bad, struct kl_error *err)
{
    if (rc != KL_EDATA || skip_bad || !err) return rc;
    const size_t used = strlen(err->text);
    snprintf(err->text + used, sizeof err->text - used, "; --skip-bad leaves it out");
    return rc;
}

/* The first file that cannot be read, again, for its words. */
static int refuse(const char *file, int rc, const struct kl_images_options *o, struct kl_error *err)
{
    struct kl_picture_header header;
    const int code = kl_ingest_folder_refuse(kl_ingest_picture_header(&header, file, o->max_bytes, err),
                                             o->skip_bad, err);
    return code ? code : kl_fail(err, rc, "%s: cannot be read", file);
}

/* File i is the source's next one. */
static void keep(struct kl_image_source *s, struct kl_names *files, size_t i,
                 const struct kl_picture_header *h)
{
    char *file = files->items[i];
    const size_t at = s->n++;
    if (at == 0) s->height = h->height, s->width = h->width;
    else if (h->height != s->height || h->width != s->width) s->height = s->width = 0;
    s->channels = h->colour ? 3 : s->channels;
    s->labels[at] = s->labels[i];
    s->index[at] = (int64_t)i;
    files->items[i] = files->items[at]; /* swap: every path stays in the list and is freed once */
    files->items[at] = file;
}

int kl_ingest_folder_look(struct kl_image_source *s, struct kl_names *files,
                          const struct kl_images_options *o, struct kl_error *err)
{
    struct pass pass = { files, o, calloc(files->n, sizeof *pass.looks) };
    int rc = 0;
    size_t n_turned = 0, first_turned = 0, n_alpha = 0, first_alpha = 0;
    s->index = malloc(files->n * sizeof *s->index);
    if (!pass.looks || !s->index)
        rc = kl_fail_memory(err, files->n * (sizeof *pass.looks + sizeof *s->index));
    else kl_pool_for(o->pool, files->n, look_at, &pass);
    s->total = files->n, s->n = 0;
    s->channels = 1;
    for (size_t i = 0; i < s->total && !rc; i++) {
        const struct look *look = &pass.looks[i];
        if (look->rc && !(o->skip_bad && look->rc == KL_EDATA)) {
            rc = refuse(files->items[i], look->rc, o, err);
        } else if (look->rc) {
            say_left_out(o, files->items[i], i - s->n);
            if (!o->labels) remark_lost(s, files, i, s->n, o->log);
        } else {
            if (look->header.turned && !n_turned++) first_turned = s->n;
            if (look->header.alpha && !n_alpha++) first_alpha = s->n;
            keep(s, files, i, &look->header);
        }
    }
    s->skipped = s->total - s->n;
    if (!rc && s->n == 0)
        rc = kl_fail(err, KL_EDATA, "%s: none of its %zu image files can be read", s->path, s->total);
    if (!rc && n_turned)
        kl_caution(
            o->log,
            "%zu of %zu image files are to be turned, as their Exif says (first: %s): they are read "
            "as they are stored, as torchvision does; exiftran -ai turns the files",
            n_turned, s->n, files->items[first_turned]);
    if (!rc && n_alpha)
        kl_caution(
            o->log,
            "%zu of %zu image files have a channel of transparency (first: %s): it is dropped, and "
            "what it hides is seen, as Pillow's convert('RGB') does",
            n_alpha, s->n, files->items[first_alpha]);
    free(pass.looks);
    return rc;
}
