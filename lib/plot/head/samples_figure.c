/* SPDX-License-Identifier: MIT
   Sample images with predictions: mistakes first (the most confident ones), then samples that are right,
   of as many classes as there is room for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/plot.h"
#include "store/store.h"

enum { ROWS = 4, COLUMNS = 6, PLACES = ROWS * COLUMNS };
static const double TEXT = 6.5;

struct report {
    int32_t *labels, *predictions;
    float *probabilities;
    int64_t *index;
    char *names;
    size_t n, c, n_names, name_size;
    char which[KL_WHICH];
};

static int load(struct report *r, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    const struct kl_dataset *p, *set;
    float *all = NULL;
    int32_t *predictions = NULL;
    const size_t replica = (size_t)inputs->replica;
    struct kl_file *file = inputs->file;
    int code = kl_store_file_expect(&p, file, "probabilities", KL_TYPE_F32, 3, err);
    if (!code) code = kl_plot_which_replica(r->which, inputs, p->dims[0], err);
    if (!code) code = kl_store_file_load((void **)&all, file, p, err);
    if (!code) code = kl_store_file_expect(&set, file, "predictions", KL_TYPE_I32, 2, err);
    if (!code) code = kl_store_file_load((void **)&predictions, file, set, err);
    if (!code) code = kl_store_file_expect(&set, file, "labels", KL_TYPE_I32, 1, err);
    if (!code) code = kl_store_file_load((void **)&r->labels, file, set, err);
    if (!code) code = kl_store_file_expect(&set, file, "index", KL_TYPE_I64, 1, err);
    if (!code) code = kl_store_file_load((void **)&r->index, file, set, err);
    if (!code) code = kl_store_file_expect(&set, file, "class_names", KL_TYPE_STRING, 1, err);
    if (!code) code = kl_store_file_load((void **)&r->names, file, set, err);
    r->probabilities = all;
    r->predictions = predictions;
    if (code) return code;
    r->n_names = set->dims[0];
    r->name_size = set->item_size;
    r->n = p->dims[1];
    r->c = p->dims[2];
    for (size_t i = 0; i < r->n; i++)
        if (r->labels[i] < 0 || r->predictions[i] < 0 || (size_t)r->predictions[i] >= r->c)
            return kl_fail(err, KL_EDATA, "%s: row %zu has label %d and prediction %d, of %zu class%s",
                           kl_store_file_path(file), i, r->labels[i], r->predictions[i], r->c,
                           r->c == 1 ? "" : "es");
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

static bool is_right(const struct report *r, size_t i)
{
    return r->predictions[i] == r->labels[i];
}

/* The most confident mistakes, for half of the places. Returns how many. */
static size_t choose_wrong(size_t rows[PLACES], const struct report *r)
{
    size_t n = 0;
    while (n < PLACES / 2) {
        size_t best = r->n;
        for (size_t i = 0; i < r->n; i++) {
            bool taken = is_right(r, i);
            for (size_t k = 0; k < n; k++) taken = taken || rows[k] == i;
            if (!taken && (best == r->n || confidence(r, i) > confidence(r, best))) best = i;
        }
        if (best == r->n) break;
        rows[n++] = best;
    }
    return n;
}

void kl_plot_share_places(size_t *quota, const size_t *have, size_t c, size_t places)
{
    for (size_t open = 1; places && open;) {
        open = 0;
        for (size_t k = 0; k < c; k++) open += quota[k] < have[k];
        const size_t given = places < open ? places : open;
        for (size_t k = 0, i = 0; k < c; k++) {
            if (quota[k] == have[k]) continue;
            quota[k] += (i + 1) * given / open - i * given / open;
            i++;
        }
        places -= given;
    }
}

/* Rows to show, *n of them. Rows sorted by class would otherwise show one class alone. */
static int choose(size_t rows[PLACES], size_t *n, const struct report *r, struct kl_error *err)
{
    size_t *have = calloc(2 * r->c + 1, sizeof *have);
    if (!have) return kl_fail_memory(err, 2 * r->c * sizeof *have);
    size_t *const quota = have + r->c;
    *n = choose_wrong(rows, r);
    for (size_t i = 0; i < r->n; i++)
        if (is_right(r, i)) have[r->labels[i]]++;
    kl_plot_share_places(quota, have, r->c, PLACES - *n);
    for (size_t i = 0; i < r->n && *n < PLACES; i++) {
        if (!is_right(r, i) || !quota[r->labels[i]]) continue;
        quota[r->labels[i]]--;
        rows[(*n)++] = i;
    }
    free(have);
    return KL_OK;
}

/* As a picture whose dots are whole blocks, about 250 a side: viewers smooth what they enlarge. */
static void draw_image(cairo_t *cr, double x, double y, double side, const uint8_t *pixels,
                       const struct kl_sample_images *images)
{
    const size_t height = images->height, width = images->width,
                 longest = height > width ? height : width, block = longest < 250 ? 250 / longest : 1;
    const double dot = side / (double)(longest * block);
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(width * block), (int)(height * block));
    unsigned char *data = cairo_image_surface_get_data(surface);
    for (size_t i = 0; data && i < height * block; i++) {
        uint32_t *row = (uint32_t *)(data + i * (size_t)cairo_image_surface_get_stride(surface));
        for (size_t j = 0; j < width * block; j++) {
            const uint8_t *p = pixels + (i / block * width + j / block) * images->channels;
            const bool colour = images->channels == 3;
            row[j] = (uint32_t)p[0] << 16 | (uint32_t)p[colour] << 8 | p[colour ? 2 : 0];
        }
    }
    cairo_surface_mark_dirty(surface);
    cairo_save(cr);
    cairo_translate(cr, x + (side - dot * (double)(width * block)) / 2, y);
    cairo_scale(cr, dot, dot);
    cairo_set_source_surface(cr, surface, 0, 0);
    cairo_rectangle(cr, 0, 0, (double)(width * block), (double)(height * block));
    cairo_fill(cr);
    cairo_restore(cr);
    cairo_surface_destroy(surface);
}

static void draw_sample(cairo_t *cr, const struct report *r, const struct kl_sample_images *images,
                        size_t place, size_t row)
{
    const double step = 62, side = 44, x = 10 + step * (double)(place % COLUMNS),
                 y = 16 + 70 * (double)(place / COLUMNS), middle = x + side / 2;
    const bool right = is_right(r, row);
    char name[KL_NAME], share[16], text[KL_NAME + 16];
    draw_image(cr, x, y, side, images->pixels + place * images->size, images);
    kl_plot_name(name, r->names, r->n_names, r->name_size, (size_t)r->predictions[row]);
    snprintf(share, sizeof share, " (%.1f %%)", 100 * (double)confidence(r, row));
    /* The name and its share, centred together; of the two only the name is cut. */
    const double rest = kl_plot_text_width(cr, TEXT, share), room = step - 4 - rest,
                 wide = fmin(kl_plot_text_width(cr, TEXT, name), room),
                 between = middle - rest / 2 + wide / 2;
    kl_plot_colour(cr, right ? 0 : 2, 1);
    kl_plot_text_within(cr, between, y + side + 8, TEXT, KL_RIGHT, room, name);
    kl_plot_text(cr, between, y + side + 8, TEXT, KL_LEFT, share);
    if (right) return;
    kl_plot_name(name, r->names, r->n_names, r->name_size, (size_t)r->labels[row]);
    snprintf(text, sizeof text, "is %s", name);
    kl_plot_text_within(cr, middle, y + side + 16, TEXT, KL_CENTRE, step - 4, text);
}

int kl_plot_samples(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    struct report r = { 0 };
    struct kl_sample_images images = { 0 };
    size_t rows[PLACES], n = 0;
    int64_t wanted[PLACES];
    int code = load(&r, inputs, err);
    if (!code) code = choose(rows, &n, &r, err);
    for (size_t k = 0; k < n; k++) wanted[k] = r.index[rows[k]];
    if (!code) code = kl_plot_sample_images_read(&images, inputs, wanted, n, err);
    for (size_t k = 0; !code && k < n; k++) draw_sample(sheet->cr, &r, &images, k, rows[k]);
    kl_plot_colour(sheet->cr, 0, 1);
    if (!code && *r.which) kl_plot_text(sheet->cr, 10, 9, 7, KL_LEFT, r.which);
    free(images.pixels);
    free(r.labels), free(r.predictions), free(r.probabilities), free(r.index), free(r.names);
    return code;
}
