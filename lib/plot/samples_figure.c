/* SPDX-License-Identifier: MIT
   Sample images with predictions: mistakes first (the most confident ones), then samples that are right. */
#include <stdlib.h>
#include <string.h>

#include "ingest/ingest.h"
#include "plot/plot.h"
#include "store/store.h"

enum { ROWS = 4, COLUMNS = 6, SIDE = 64 };

struct report {
    int32_t *labels, *predictions;
    float *probabilities;
    int64_t *index;
    char *names;
    size_t n, c, name_size;
};

static int load(struct report *r, struct kl_file *file, size_t replica, struct kl_error *err)
{
    const struct kl_dataset *p, *set;
    float *all = NULL;
    int32_t *predictions = NULL;
    int code = kl_file_expect(&p, file, "probabilities", KL_TYPE_F32, 3, err);
    if (!code && replica >= p->dims[0])
        code = kl_fail(err, KL_EUSAGE, "replica %zu: the report has %zu", replica, p->dims[0]);
    if (!code) code = kl_file_load((void **)&all, file, p, err);
    if (!code) code = kl_file_expect(&set, file, "predictions", KL_TYPE_I32, 2, err);
    if (!code) code = kl_file_load((void **)&predictions, file, set, err);
    if (!code) code = kl_file_expect(&set, file, "labels", KL_TYPE_I32, 1, err);
    if (!code) code = kl_file_load((void **)&r->labels, file, set, err);
    if (!code) code = kl_file_expect(&set, file, "index", KL_TYPE_I64, 1, err);
    if (!code) code = kl_file_load((void **)&r->index, file, set, err);
    if (!code) code = kl_file_expect(&set, file, "class_names", KL_TYPE_STRING, 1, err);
    if (!code) code = kl_file_load((void **)&r->names, file, set, err);
    r->probabilities = all;
    r->predictions = predictions;
    if (code) return code;
    r->name_size = set->item_size;
    r->n = p->dims[1];
    r->c = p->dims[2];
    if (r->n) {
        memmove(all, all + replica * r->n * r->c, r->n * r->c * sizeof *all);
        memmove(predictions, predictions + replica * r->n, r->n * sizeof *predictions);
    }
    return KL_OK;
}

static float confidence(const struct report *r, size_t i)
{
    return r->probabilities[i * r->c + (size_t)r->predictions[i]];
}

/* Rows to show: the most confident mistakes for half of the places, then the first that are right.
   Returns how many. */
static size_t choose(size_t rows[ROWS * COLUMNS], const struct report *r)
{
    size_t n = 0;
    while (n < ROWS * COLUMNS / 2) {
        size_t best = r->n;
        for (size_t i = 0; i < r->n; i++) {
            bool taken = r->predictions[i] == r->labels[i];
            for (size_t k = 0; k < n; k++) taken = taken || rows[k] == i;
            if (!taken && (best == r->n || confidence(r, i) > confidence(r, best))) best = i;
        }
        if (best == r->n) break;
        rows[n++] = best;
    }
    for (size_t i = 0; i < r->n && n < ROWS * COLUMNS; i++)
        if (r->predictions[i] == r->labels[i]) rows[n++] = i;
    return n;
}

static void draw_image(cairo_t *cr, double x, double y, double side, const uint8_t *pixels,
                       const struct kl_images *images)
{
    double dot = side / (double)(images->width > images->height ? images->width : images->height);
    for (size_t r = 0; r < images->height; r++)
        for (size_t c = 0; c < images->width; c++) {
            const uint8_t *p = pixels + (r * images->width + c) * images->channels;
            cairo_set_source_rgb(cr, p[0] / 255.0, p[images->channels == 3] / 255.0,
                                 p[images->channels == 3 ? 2 : 0] / 255.0);
            cairo_rectangle(cr, x + (double)c * dot, y + (double)r * dot, dot, dot);
            cairo_fill(cr);
        }
}

static int draw_sample(struct kl_sheet *sheet, const struct report *r, struct kl_images *images,
                       size_t place, size_t row, uint8_t *pixels, struct kl_arena *arena,
                       struct kl_error *err)
{
    char text[80];
    double x = 10 + 58 * (double)(place % COLUMNS), y = 8 + 60 * (double)(place / COLUMNS);
    bool right = r->predictions[row] == r->labels[row];
    if (r->index[row] < 0 || (size_t)r->index[row] >= images->n)
        return kl_fail(err, KL_EDATA, "--images: holds %zu images, the report speaks of image %lld",
                       images->n, (long long)r->index[row]);
    int code = kl_images_read(images, (size_t)r->index[row], 1, pixels, arena, err);
    if (code) return code;
    cairo_set_antialias(sheet->cr, CAIRO_ANTIALIAS_NONE);
    draw_image(sheet->cr, x + 5, y, 40, pixels, images);
    cairo_set_antialias(sheet->cr, CAIRO_ANTIALIAS_DEFAULT);
    int size = (int)(r->name_size < 10 ? r->name_size : 10);
    const char *predicted = r->names + (size_t)r->predictions[row] * r->name_size;
    const char *label = r->names + (size_t)r->labels[row] * r->name_size;
    if (right)
        snprintf(text, sizeof text, "%.*s (%.0f %%)", size, predicted, 100 * (double)confidence(r, row));
    else
        snprintf(text, sizeof text, "%.*s (%.0f %%), is %.*s", size, predicted,
                 100 * (double)confidence(r, row), size, label);
    kl_colour(sheet->cr, right ? 0 : 2, 1);
    kl_text(sheet->cr, x + 25, y + 48, 5.2, KL_CENTRE, text);
    return KL_OK;
}

int kl_draw_samples(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    struct report r = { 0 };
    struct kl_images_options options;
    struct kl_images *images = NULL;
    struct kl_arena arena = { 0 };
    uint8_t *pixels = NULL;
    size_t rows[ROWS * COLUMNS], n = 0;
    kl_images_options_default(&options);
    options.labels = "none";
    int code = load(&r, inputs->file, (size_t)inputs->replica, err);
    if (!code) code = kl_images_open(&images, &inputs->images, 1, &options, err);
    if (code == KL_EDATA && !images) { /* images of several sizes? */
        options.resize = SIDE;
        code = kl_images_open(&images, &inputs->images, 1, &options, err);
    }
    if (!code && images->in_order)
        code =
            kl_fail(err, KL_EUSAGE, "--images: %s is compressed; give the plain file", inputs->images);
    if (!code) code = kl_arena_init(&arena, 0, err);
    if (!code && !(pixels = malloc(images->height * images->width * images->channels)))
        code = kl_fail_memory(err, images->height * images->width * images->channels);
    if (!code) n = choose(rows, &r);
    for (size_t k = 0; !code && k < n; k++)
        code = draw_sample(sheet, &r, images, k, rows[k], pixels, &arena, err);
    free(pixels);
    kl_arena_free(&arena);
    kl_images_close(&images);
    free(r.labels), free(r.predictions), free(r.probabilities), free(r.index), free(r.names);
    return code;
}
