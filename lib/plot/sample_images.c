/* SPDX-License-Identifier: MIT
   The images of some samples of a report, from the inputs that its features were made from. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ingest/ingest.h"
#include "plot/plot.h"
#include "store/store.h"

enum {
    SIDE = 96,   /* images that differ in size are drawn at this one */
    MOST_IN = 64 /* inputs */
};

/* --images as one input or, where no such file is there, several with commas between them. */
static int split(const char *paths[MOST_IN], size_t *n, char **copy, const char *images,
                 struct kl_error *err)
{
    paths[0] = images;
    *n = 1;
    if (access(images, F_OK) == 0 || !strchr(images, ',')) return KL_OK;
    if (!(*copy = strdup(images))) return kl_fail_memory(err, strlen(images));
    *n = 0;
    for (char *rest = *copy, *path; (path = strsep(&rest, ","));) {
        if (*n == MOST_IN) return kl_fail(err, KL_EUSAGE, "--images: more than %d inputs", (int)MOST_IN);
        paths[(*n)++] = path;
    }
    return KL_OK;
}

/* Were damaged images left out of the features? The report's rows count the others only. */
static int find_skip_bad(bool *skip_bad, const struct kl_file *report, struct kl_error *err)
{
    json_t *records, *record;
    size_t i;
    int code = kl_json_parse(&records, kl_file_provenance(report), kl_file_path(report), err);
    *skip_bad = false;
    if (code) return code;
    json_array_foreach(records, i, record)
    {
        const json_t *options = json_object_get(record, "options");
        *skip_bad = *skip_bad || json_is_true(json_object_get(options, "skip-bad"));
    }
    json_decref(records);
    return KL_OK;
}

/* As they are or, if they differ in size, resized. *paths_text must live as long as *images. */
static int open_images(struct kl_images **images, char **paths_text,
                       const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    struct kl_images_options options;
    const char *paths[MOST_IN];
    size_t n;
    kl_images_options_default(&options);
    options.labels = "none";
    int code = find_skip_bad(&options.skip_bad, inputs->file, err);
    if (!code) code = split(paths, &n, paths_text, inputs->images, err);
    if (code) return code;
    code = kl_images_open(images, paths, n, &options, err);
    options.resize = SIDE;
    return code == KL_EDATA ? kl_images_open(images, paths, n, &options, err) : code;
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
            code = kl_images_read(images, from, next - from, NULL, &arena, err);
        if (!code) code = kl_images_read(images, next, 1, pixels + first * size, &arena, err);
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

int kl_sample_images_read(struct kl_sample_images *s, const struct kl_figure_inputs *inputs,
                          const int64_t *rows, size_t n, struct kl_error *err)
{
    struct kl_images *images = NULL;
    char *paths_text = NULL;
    *s = (struct kl_sample_images){ 0 };
    int code = open_images(&images, &paths_text, inputs, err);
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
    kl_images_close(&images);
    free(paths_text);
    return code;
}
