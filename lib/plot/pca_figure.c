/* SPDX-License-Identifier: MIT
   Features in two dimensions by class. */
#include <math.h>
#include <stdlib.h>

#include "ingest/ingest.h"
#include "plot/plot.h"
#include "store/store.h"

enum { MOST_POINTS = 2000 /* more would hide each other; evenly spaced rows are taken */ };

static void draw_points(cairo_t *cr, const struct kl_axes *axes, const double *scores,
                        const int32_t *labels, size_t n, size_t step)
{
    for (size_t i = 0; i < n; i++) {
        int32_t label = labels[i * step];
        double x = kl_axes_x(axes, scores[2 * i]), y = kl_axes_y(axes, scores[2 * i + 1]);
        kl_colour(cr, 1 + label % 7, 0.7);
        if (label >= 0 && label / 7 % 2)
            cairo_rectangle(cr, x - 1.3, y - 1.3, 2.6, 2.6); /* the palette's second round */
        else cairo_arc(cr, x, y, 1.4, 0, 2 * M_PI);
        cairo_fill(cr);
    }
}

static void draw_legend(cairo_t *cr, double x, const char *names, size_t n, size_t size)
{
    for (size_t k = 0; k < n && k < 20; k++) {
        char text[24];
        double y = 20 + 11 * (double)k;
        kl_colour(cr, 1 + (int)(k % 7), 1);
        if (k / 7 % 2) cairo_rectangle(cr, x - 2, y - 4.5, 4, 4);
        else cairo_arc(cr, x, y - 2.5, 2.1, 0, 2 * M_PI);
        cairo_fill(cr);
        snprintf(text, sizeof text, "%.*s", (int)(size < 12 ? size : 12), names + k * size);
        kl_colour(cr, 0, 1);
        kl_text(cr, x + 6, y, 6.5, KL_LEFT, text);
    }
}

/* Evenly spaced rows as float, whatever is stored. */
static int load_rows(float **x, size_t *n, size_t *step, struct kl_file *file,
                     const struct kl_dataset *set, struct kl_error *err)
{
    size_t d = set->dims[1];
    *step = (set->dims[0] + MOST_POINTS - 1) / MOST_POINTS;
    if (*step == 0) *step = 1;
    *n = (set->dims[0] + *step - 1) / *step;
    *x = malloc((*n * d + 1) * sizeof **x);
    uint16_t *half = malloc(d * sizeof *half + 1);
    int code = *x && half ? KL_OK : kl_fail_memory(err, *n * d * sizeof **x);
    for (size_t i = 0; !code && i < *n; i++) {
        void *to = set->type == KL_TYPE_F16 ? (void *)half : (void *)(*x + i * d);
        code = kl_file_rows(file, set, i * *step, 1, to, err);
        if (!code && set->type == KL_TYPE_F16) kl_float_from_half(*x + i * d, half, d);
    }
    free(half);
    return code;
}

static void draw(struct kl_sheet *sheet, const double *scores, const double explained[2],
                 const int32_t *labels, size_t n, size_t step)
{
    struct kl_axes axes = { .left = 40,
                            .top = 14,
                            .width = 180,
                            .height = 190,
                            .x0 = INFINITY,
                            .x1 = -INFINITY,
                            .y0 = INFINITY,
                            .y1 = -INFINITY };
    char x_label[64], y_label[64];
    for (size_t i = 0; i < n; i++) {
        axes.x0 = fmin(axes.x0, scores[2 * i]), axes.x1 = fmax(axes.x1, scores[2 * i]);
        axes.y0 = fmin(axes.y0, scores[2 * i + 1]), axes.y1 = fmax(axes.y1, scores[2 * i + 1]);
    }
    double mx = fmax(0.04 * (axes.x1 - axes.x0), 1e-6), my = fmax(0.04 * (axes.y1 - axes.y0), 1e-6);
    axes.x0 -= mx, axes.x1 += mx, axes.y0 -= my, axes.y1 += my;
    draw_points(sheet->cr, &axes, scores, labels, n, step);
    snprintf(x_label, sizeof x_label, "first component (%.1f %%)", 100 * explained[0]);
    snprintf(y_label, sizeof y_label, "second component (%.1f %%)", 100 * explained[1]);
    kl_axes_draw(sheet->cr, &axes, x_label, y_label);
}

int kl_draw_pca(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    const struct kl_dataset *set = kl_file_find(inputs->file, "features"), *labels_set,
                            *names_set = NULL;
    float *x = NULL;
    double *scores = NULL, explained[2];
    int32_t *labels = NULL;
    char *names = NULL;
    size_t n = 0, step = 1;
    int code = kl_file_expect(&set, inputs->file, "features",
                              set && set->type == KL_TYPE_F16 ? KL_TYPE_F16 : KL_TYPE_F32, 2, err);
    if (!code) code = kl_file_expect(&labels_set, inputs->file, "labels", KL_TYPE_I32, 1, err);
    if (!code && kl_file_find(inputs->file, "class_names"))
        code = kl_file_expect(&names_set, inputs->file, "class_names", KL_TYPE_STRING, 1, err);
    if (!code && set->dims[0] < 3)
        code = kl_fail(err, KL_EDATA, "%s: found %zu samples, expected at least 3 for two components",
                       kl_file_path(inputs->file), set->dims[0]);
    if (!code) code = kl_file_load((void **)&labels, inputs->file, labels_set, err);
    if (!code && names_set) code = kl_file_load((void **)&names, inputs->file, names_set, err);
    if (!code) code = load_rows(&x, &n, &step, inputs->file, set, err);
    if (!code && !(scores = malloc(2 * n * sizeof *scores)))
        code = kl_fail_memory(err, 2 * n * sizeof *scores);
    if (!code) code = kl_pca(scores, explained, x, n, set->dims[1], err);
    if (!code) {
        draw(sheet, scores, explained, labels, n, step);
        if (names_set) draw_legend(sheet->cr, 232, names, names_set->dims[0], names_set->item_size);
    }
    free(x), free(scores), free(labels), free(names);
    return code;
}
