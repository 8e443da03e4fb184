/* SPDX-License-Identifier: MIT
   Synthetic devices of several classes: divergences of all pairs, within and between classes, against
   what a classifier finds, by class pair. */
#include <math.h>
#include <stdlib.h>

#include "plot/plot.h"
#include "store/store.h"

enum { COLUMNS = 8, CLASS_A = 0, CLASS_B = 1, MEAN = 3, SHADES = 64, MOST_BARS = 10 };

struct study {
    int32_t *class;
    double *divergence, *mean, *accuracy, *pairs; /* [d, d], [d], [d], [class pairs, COLUMNS] */
    size_t d, n_pairs;
};

static void study_free(struct study *s)
{
    free(s->class), free(s->divergence), free(s->mean), free(s->accuracy), free(s->pairs);
}

static int load(void **data, struct kl_file *file, const char *name, enum kl_type type, int rank,
                size_t rows, size_t columns, struct kl_error *err)
{
    const struct kl_dataset *set;
    int code = kl_file_expect(&set, file, name, type, rank, err);
    if (!code && (set->dims[0] != rows || (columns && set->dims[1] != columns)))
        code = kl_fail(err, KL_EDATA, "%s: %s: its shape does not fit the devices", kl_file_path(file),
                       name);
    return code ? code : kl_file_load(data, file, set, err);
}

static int load_study(struct study *s, struct kl_file *f, struct kl_error *err)
{
    const struct kl_dataset *class, *pairs;
    int code = kl_file_expect(&class, f, "class", KL_TYPE_I32, 1, err);
    if (!code) code = kl_file_expect(&pairs, f, "smoothed/class_pairs", KL_TYPE_F64, 2, err);
    if (code) return code;
    s->d = class->dims[0], s->n_pairs = pairs->dims[0];
    code = load((void **)&s->class, f, "class", KL_TYPE_I32, 1, s->d, 0, err);
    if (!code)
        code = load((void **)&s->divergence, f, "smoothed/divergence", KL_TYPE_F64, 2, s->d, s->d, err);
    if (!code) code = load((void **)&s->mean, f, "smoothed/mean", KL_TYPE_F64, 1, s->d, 0, err);
    if (!code) code = load((void **)&s->accuracy, f, "accuracy", KL_TYPE_F64, 1, s->d, 0, err);
    if (!code)
        code = load((void **)&s->pairs, f, "smoothed/class_pairs", KL_TYPE_F64, 2, s->n_pairs, COLUMNS,
                    err);
    for (size_t i = 0; i < s->d && !code; i++)
        if (s->class[i] < 0)
            code = kl_fail(err, KL_EDATA, "%s: class %d of device %zu, expected 0 or more",
                           kl_file_path(f), s->class[i], i);
    return code;
}

static void title(cairo_t *cr, const struct kl_axes *a, const char *text)
{
    kl_colour(cr, 0, 1);
    kl_text(cr, a->left + a->width / 2, a->top - 6, 8, KL_CENTRE, text);
}

static double log_of(double divergence)
{
    return log10(fmax(divergence, 1e-6));
}

static void log_range(struct kl_axes *a, const struct study *s)
{
    a->y0 = INFINITY, a->y1 = -INFINITY;
    for (size_t i = 0; i < s->d; i++)
        for (size_t k = i + 1; k < s->d; k++) {
            a->y0 = fmin(a->y0, log_of(s->divergence[i * s->d + k]));
            a->y1 = fmax(a->y1, log_of(s->divergence[i * s->d + k]));
        }
    a->y0 = floor(a->y0), a->y1 = fmax(ceil(a->y1), a->y0 + 1), a->log_y = true;
}

static void draw_map(cairo_t *cr, struct kl_axes a, const struct study *s)
{
    struct kl_axes shades = a;
    const double cell = a.height / (double)s->d;
    a.width = a.height, a.x1 = (double)s->d, a.whole_x = true;
    log_range(&shades, s);
    shades.left = a.left + a.width + 30, shades.width = 8;
    for (size_t i = 0; i < s->d; i++)
        for (size_t k = 0; k < s->d; k++) {
            if (i == k) continue;
            const double x = (log_of(s->divergence[i * s->d + k]) - shades.y0) / (shades.y1 - shades.y0);
            kl_ramp(cr, (size_t)(x * (SHADES - 1) + 0.5), SHADES, 1);
            cairo_rectangle(cr, a.left + cell * (double)k, a.top + cell * (double)i, cell, cell);
            cairo_fill(cr);
        }
    for (int i = 0; i < SHADES; i++) {
        const double each = a.height / SHADES;
        kl_ramp(cr, (size_t)i, SHADES, 1);
        cairo_rectangle(cr, shades.left, a.top + a.height - each * (i + 1), shades.width, each + 0.3);
        cairo_fill(cr);
    }
    kl_axes_draw_x(cr, &a, "device");
    shades.x1 = 1, shades.no_x_numbers = true;
    kl_colour(cr, 0, 1);
    cairo_set_line_width(cr, 0.6);
    for (double k = shades.y0; k <= shades.y1 + 1e-9; k++) {
        char text[16];
        snprintf(text, sizeof text, "%g", pow(10, k));
        kl_text(cr, shades.left + 11, kl_axes_y(&shades, k) + 2.3, 6.5, KL_LEFT, text);
    }
    title(cr, &a, "divergence of every pair, nats");
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Quartiles as a box, all from least to most as a line. */
static void draw_box(cairo_t *cr, const struct kl_axes *a, double x, double *values, size_t n,
                     int colour)
{
    if (!n) return;
    qsort(values, n, sizeof *values, by_value);
    const double low = kl_axes_y(a, values[n / 4]), high = kl_axes_y(a, values[3 * n / 4]), half = 18;
    kl_colour(cr, colour, 0.35);
    cairo_rectangle(cr, x - half, high, 2 * half, low - high);
    cairo_fill(cr);
    kl_colour(cr, colour, 1);
    cairo_set_line_width(cr, 1);
    cairo_rectangle(cr, x - half, high, 2 * half, low - high);
    cairo_move_to(cr, x, low), cairo_line_to(cr, x, kl_axes_y(a, values[0]));
    cairo_move_to(cr, x, high), cairo_line_to(cr, x, kl_axes_y(a, values[n - 1]));
    cairo_move_to(cr, x - half, kl_axes_y(a, values[n / 2]));
    cairo_line_to(cr, x + half, kl_axes_y(a, values[n / 2]));
    cairo_stroke(cr);
}

static int draw_boxes(cairo_t *cr, struct kl_axes a, const struct study *s, struct kl_error *err)
{
    const char *const names[] = { "within classes", "between" };
    double *values = malloc(s->d * s->d * sizeof *values);
    if (!values) return kl_fail_memory(err, s->d * s->d * sizeof *values);
    log_range(&a, s);
    a.x1 = 2, a.no_x_numbers = true, a.whole_x = true;
    kl_axes_draw(cr, &a, NULL, "divergence, nats");
    for (int between = 0; between < 2; between++) {
        size_t n = 0;
        for (size_t i = 0; i < s->d; i++)
            for (size_t k = i + 1; k < s->d; k++)
                if ((s->class[i] != s->class[k]) == between)
                    values[n++] = log_of(s->divergence[i * s->d + k]);
        draw_box(cr, &a, kl_axes_x(&a, between + 0.5), values, n, between + 1);
        kl_colour(cr, 0, 1);
        kl_text(cr, kl_axes_x(&a, between + 0.5), a.top + a.height + 11, 7, KL_CENTRE, names[between]);
    }
    title(cr, &a, "quartiles and range of the pairs");
    free(values);
    return KL_OK;
}

static void draw_fit(cairo_t *cr, const struct kl_axes *a, const struct study *s)
{
    double mx = 0, my = 0, xx = 0, xy = 0;
    for (size_t i = 0; i < s->d; i++)
        mx += s->mean[i] / (double)s->d, my += s->accuracy[i] / (double)s->d;
    for (size_t i = 0; i < s->d; i++) {
        xx += (s->mean[i] - mx) * (s->mean[i] - mx);
        xy += (s->mean[i] - mx) * (s->accuracy[i] - my);
    }
    if (!(xx > 0)) return;
    kl_colour(cr, 0, 0.6);
    cairo_set_line_width(cr, 0.8);
    cairo_move_to(cr, kl_axes_x(a, a->x0), kl_axes_y(a, my + xy / xx * (a->x0 - mx)));
    cairo_line_to(cr, kl_axes_x(a, a->x1), kl_axes_y(a, my + xy / xx * (a->x1 - mx)));
    cairo_stroke(cr);
}

static int draw_scatter(cairo_t *cr, struct kl_axes a, const struct study *s, const struct kl_file *file,
                        struct kl_error *err)
{
    double r = 0;
    char text[64];
    a.x0 = a.y0 = INFINITY, a.x1 = a.y1 = -INFINITY;
    for (size_t i = 0; i < s->d; i++) {
        a.x0 = fmin(a.x0, s->mean[i]), a.x1 = fmax(a.x1, s->mean[i]);
        a.y0 = fmin(a.y0, s->accuracy[i]), a.y1 = fmax(a.y1, s->accuracy[i]);
    }
    const double dx = fmax(0.08 * (a.x1 - a.x0), 1e-6), dy = fmax(0.08 * (a.y1 - a.y0), 1e-3);
    a.x0 -= dx, a.x1 += dx, a.y0 -= dy, a.y1 += dy;
    cairo_save(cr);
    cairo_rectangle(cr, a.left, a.top, a.width, a.height);
    cairo_clip(cr);
    draw_fit(cr, &a, s);
    cairo_restore(cr);
    for (size_t i = 0; i < s->d; i++) {
        kl_colour(cr, s->class[i] + 1, 0.9);
        kl_mark(cr, kl_axes_x(&a, s->mean[i]), kl_axes_y(&a, s->accuracy[i]), 2.2,
                (enum kl_mark)(s->class[i] % KL_N_MARKS));
    }
    kl_axes_draw(cr, &a, "mean divergence to the others, nats", "held-out accuracy");
    int code = kl_file_number(&r, file, "smoothed/divergence", "pearson", err);
    snprintf(text, sizeof text, "devices by class, r = %.3f", r);
    title(cr, &a, text);
    return code;
}

static void draw_bars(cairo_t *cr, struct kl_axes a, const struct study *s)
{
    const size_t n = s->n_pairs < MOST_BARS ? s->n_pairs : MOST_BARS;
    a.x1 = (double)n, a.y0 = 0, a.y1 = 1e-9, a.no_x_numbers = true, a.whole_x = true;
    for (size_t i = 0; i < n; i++)
        if (isfinite(s->pairs[i * COLUMNS + MEAN]))
            a.y1 = fmax(a.y1, 1.08 * s->pairs[i * COLUMNS + MEAN]);
    for (size_t i = 0; i < n; i++) {
        const double *p = s->pairs + i * COLUMNS;
        const double left = kl_axes_x(&a, (double)i + 0.2),
                     width = kl_axes_x(&a, (double)i + 0.8) - left;
        char text[24];
        snprintf(text, sizeof text, "%.0f-%.0f", p[CLASS_A], p[CLASS_B]);
        kl_colour(cr, 0, 1);
        kl_text(cr, left + width / 2, a.top + a.height + 11, 7, KL_CENTRE, text);
        if (!isfinite(p[MEAN])) continue;
        kl_colour(cr, p[CLASS_A] != p[CLASS_B] ? 2 : 1, 0.8);
        cairo_rectangle(cr, left, kl_axes_y(&a, p[MEAN]), width,
                        a.top + a.height - kl_axes_y(&a, p[MEAN]));
        cairo_fill(cr);
    }
    kl_axes_draw(cr, &a, "classes", "mean divergence, nats");
    title(cr, &a, "by pair of classes");
}

int kl_draw_synthetic(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs,
                      struct kl_error *err)
{
    struct study s = { 0 };
    const struct kl_axes a = { .left = 50, .top = 18, .width = 175, .height = 130, .x1 = 1, .y1 = 1 };
    struct kl_axes b = a, c = a, d = a;
    b.left = d.left = 310, c.top = d.top = 205;
    int code = load_study(&s, inputs->file, err);
    if (!code) code = draw_boxes(sheet->cr, b, &s, err);
    if (!code) code = draw_scatter(sheet->cr, c, &s, inputs->file, err);
    if (!code) {
        draw_map(sheet->cr, a, &s);
        draw_bars(sheet->cr, d, &s);
    }
    study_free(&s);
    return code;
}
