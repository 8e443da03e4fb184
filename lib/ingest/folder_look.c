/* SPDX-License-Identifier: MIT
   The first pass over the PNG files of a folder: their sizes and colour, and which of them are damaged.
 */
#include <stdlib.h>
#include <string.h>

#include "ingest/ingest_int.h"
#include "ingest/names_int.h"

/* Of each file the header, or with skip_bad everything. */
struct pass {
    const struct kl_names *files;
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
    const char *path = pass->files->items[i];
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

/* File i is left out. If it was the last of its class, of which none is kept: a word. */
static void remark_lost(const struct kl_image_source *s, const struct kl_names *files, size_t i,
                        size_t kept, const struct kl_log *log)
{
    const char *file = files->items[i];
    const bool last = i + 1 == s->total || s->labels[i + 1] != s->labels[i],
               some = kept && s->labels[kept - 1] == s->labels[i];
    if (last && !some)
        kl_note(log, 1, "%.*s: a class without an undamaged PNG file", (int)(strrchr(file, '/') - file),
                file);
}

int kl_folder_refuse(int rc, bool skip_bad, struct kl_error *err)
{
    if (rc != KL_EDATA || skip_bad || !err) return rc;
    const size_t used = strlen(err->text);
    snprintf(err->text + used, sizeof err->text - used, "; --skip-bad leaves it out");
    return rc;
}

int kl_folder_look(struct kl_image_source *s, struct kl_names *files, const struct kl_images_options *o,
                   struct kl_error *err)
{
    struct pass pass = { files, o, calloc(files->n, sizeof *pass.looks) };
    int rc = 0;
    size_t kept = 0;
    s->index = malloc(files->n * sizeof *s->index);
    if (!pass.looks || !s->index) {
        rc = kl_fail_memory(err, files->n * (sizeof *pass.looks + sizeof *s->index));
        goto out;
    }
    kl_pool_for(o->pool, files->n, look_at, &pass);
    s->total = files->n;
    s->channels = 1;
    for (size_t i = 0; i < s->total; i++) {
        const struct look *look = &pass.looks[i];
        char *file = files->items[i];
        size_t h, w;
        bool colour;
        if (look->rc && !(o->skip_bad && look->rc == KL_EDATA)) {
            rc = kl_png_header(&h, &w, &colour, file, o->max_bytes, err); /* again, for its words */
            rc = kl_folder_refuse(rc, o->skip_bad, err);
            rc = rc ? rc : kl_fail(err, look->rc, "%s: cannot be read", file);
            goto out;
        }
        if (look->rc) {
            say_left_out(o, file, i - kept);
            if (!o->labels) remark_lost(s, files, i, kept, o->log);
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
        files->items[i] = files->items[kept]; /* swap: every path stays in the list and is freed once */
        files->items[kept++] = file;
    }
    s->n = kept;
    s->skipped = s->total - kept;
    if (kept == 0)
        rc = kl_fail(err, KL_EDATA, "%s: none of its %zu PNG files can be read", s->path, s->total);
out:
    free(pass.looks);
    return rc;
}
