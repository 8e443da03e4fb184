/* SPDX-License-Identifier: MIT
   The images of some samples of a report, from the inputs that its features were made from. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ingest/ingest.h"
#include "plot/plot.h"
#include "store/store.h"

enum { SIDE = 96 /* images that differ in size, or whose middle was taken, are drawn at this one */ };

int kl_plot_sample_paths_split(struct kl_sample_paths *p, const char *images, struct kl_error *err)
{
    *p = (struct kl_sample_paths){ .paths = { images }, .n = 1 };
    if (access(images, F_OK) == 0 || !strchr(images, ',')) return KL_OK;
    if (!(p->text = strdup(images))) return kl_fail_memory(err, strlen(images));
    p->n = 0;
    for (char *rest = p->text, *path; (path = strsep(&rest, ","));) {
        if (p->n == KL_SAMPLE_INPUTS)
            return kl_fail(err, KL_EUSAGE, "--images: more than %d inputs", (int)KL_SAMPLE_INPUTS);
        p->paths[p->n++] = path;
    }
    return KL_OK;
}

/* Were damaged images left out of the features (the report's rows count the others only), and of which
   part were they? */
static int recall(struct kl_images_options *o, const struct kl_file *report, struct kl_error *err)
{
    struct kl_sample_origin origin;
    int code = kl_plot_sample_origin_find(&origin, report, err);
    const json_t *options = json_object_get(origin.record, "options");
    const json_int_t crop = json_integer_value(json_object_get(options, "crop")),
                     shorter = json_integer_value(json_object_get(options, "resize"));
    o->skip_bad = json_is_true(json_object_get(options, "skip-bad"));
    if (crop > 0 && shorter >= crop) o->crop = SIDE, o->resize = (size_t)(SIDE * shorter / crop);
    kl_plot_sample_origin_free(&origin);
    return code;
}

/* What was taken of them, or all: as they are or, if they differ in size, resized. *p must live as long
   as *images. */
static int open_images(struct kl_images **images, struct kl_sample_paths *p,
                       const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    struct kl_images_options options;
    kl_ingest_images_options_default(&options);
    options.labels = "none";
    int code = recall(&options, inputs->file, err);
    if (!code) code = kl_plot_sample_paths_split(p, inputs->images, err);
    if (code) return code;
    code = kl_ingest_images_open(images, p->paths, p->n, &options, err);
    if (code != KL_EDATA || options.crop) return code;
    options.resize = SIDE;
    return kl_ingest_images_open(images, p->paths, p->n, &options, err);
}

/* In one pass: a compressed file goes only forwards. */
static int read_images(uint8_t *pixels, struct kl_images *images, const int64_t *rows, size_t n,
                       struct kl_error *err)
{
    const size_t size = images->height * images->width * images->channels;
    struct kl_arena arena = { 0 };
    size_t from = 0;
    int code = kl_arena_init(&arena, 0, err);
    for (size_t done = 0; !code && done < n;) {
        size_t next = images->n, first = n;
        for (size_t k = 0; k < n; k++)
            if ((size_t)rows[k] >= from && (size_t)rows[k] < next) next = (size_t)rows[k], first = k;
        if (next > from && images->in_order)
            code = kl_ingest_images_read(images, from, next - from, NULL, &arena, err);
        if (!code) code = kl_ingest_images_read(images, next, 1, pixels + first * size, &arena, err);
        for (size_t k = 0; !code && k < n; k++) {
            if ((size_t)rows[k] != next) continue;
            if (k != first) memcpy(pixels + k * size, pixels + first * size, size);
            done++;
        }
        from = next + 1;
    }
    kl_arena_free(&arena);
    return code;
}

int kl_plot_sample_images_read(struct kl_sample_images *s, const struct kl_figure_inputs *inputs,
                               const int64_t *rows, size_t n, struct kl_error *err)
{
    struct kl_images *images = NULL;
    struct kl_sample_paths paths = { 0 };
    *s = (struct kl_sample_images){ 0 };
    int code = open_images(&images, &paths, inputs, err);
    for (size_t k = 0; !code && k < n; k++)
        if (rows[k] < 0 || (size_t)rows[k] >= images->n)
            code = kl_fail(err, KL_EDATA,
                           "--images: %s holds %zu image%s, the report speaks of one with number %lld; "
                           "give all that the features were made from",
                           inputs->images, images->n, kl_s(images->n), (long long)rows[k] + 1);
    if (!code) {
        s->height = images->height, s->width = images->width, s->channels = images->channels;
        s->size = s->height * s->width * s->channels;
        s->pixels = malloc(n * s->size + 1);
        code =
            s->pixels ? read_images(s->pixels, images, rows, n, err) : kl_fail_memory(err, n * s->size);
    }
    kl_ingest_images_close(&images);
    free(paths.text);
    return code;
}
