/* SPDX-License-Identifier: MIT
   Classes without an image: of all that are read, and of the first ones that --limit takes. */
#include <stdlib.h>

#include "ingest/ingest_int.h"

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
