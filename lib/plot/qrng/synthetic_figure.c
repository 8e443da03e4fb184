/* SPDX-License-Identifier: MIT
   Devices of known laws: classes against each other, power of the tests. */
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>

#include "stats/stats.h"

struct kl_plot_synthetic {
    int32_t *class;
    double *divergence, *mean, *accuracy, *pairs; /* [d, d], [d], [d], [class pairs, COLUMNS] */
    size_t d, n_pairs;
};

enum { MOST_CLASSES = 12 };

static void draw_fit(cairo_t *cr, const struct kl_axes *a, const struct kl_plot_synthetic *s)
{
    double mx = 0, my = 0, xx = 0, xy = 0;
    for (size_t i = 0; i < s->d; i++)
        mx += s->mean[i] / (double)s->d, my += s->accuracy[i] / (double)s->d;
    for (size_t i = 0; i < s->d; i++) {
        xx += (s->mean[i] - mx) * (s->mean[i] - mx);
        xy += (s->mean[i] - mx) * (s->accuracy[i] - my);
    }
    if (!(xx > 0)) return;
    kl_plot_pen(cr, 0, 0.6, 0.8);
    kl_plot_axes_line(cr, a, a->x0, my + xy / xx * (a->x0 - mx), a->x1, my + xy / xx * (a->x1 - mx));
}

/* Marks and colours of the classes, at the right of the frame. */
static void draw_classes(cairo_t *cr, const struct kl_axes *a, const struct kl_plot_synthetic *s)
{
    const double x = a->left + a->width + 8;
    char text[32];
    int classes = 0;
    for (size_t i = 0; i < s->d; i++)
        if (s->class[i] >= classes) classes = s->class[i] + 1;
    for (int k = 0; k < classes && k <= MOST_CLASSES; k++) {
        const double y = a->top + 6 + 10 * (double)k;
        snprintf(text, sizeof text, k < MOST_CLASSES ? "class %d" : "and on", k);
        kl_plot_colour(cr, k + 1, 0.9);
        if (k < MOST_CLASSES) kl_plot_mark(cr, x, y, 2.2, (enum kl_mark)(k % KL_N_MARKS));
        kl_plot_black(cr, x + 5, y + 2.3, 6.5, KL_LEFT, text);
    }
}

static bool all_equal(const double *values, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (values[i] != values[0]) return false;
    return true;
}

static void title_scatter(cairo_t *cr, const struct kl_axes *a, const struct kl_plot_synthetic *s,
                          double r)
{
    char text[64] = "devices by class";
    if (isfinite(r)) snprintf(text, sizeof text, "devices by class, r = %.3f", r);
    else if (all_equal(s->accuracy, s->d))
        snprintf(text, sizeof text, "devices by class; all accuracies are equal");
    else if (all_equal(s->mean, s->d))
        snprintf(text, sizeof text, "devices by class; all divergences are equal");
    kl_plot_axes_title(cr, a, text);
}

static double margin(double range)
{
    return range > 1e-9 ? 0.08 * range : 0.05;
}

/* Accuracy against divergence, a mark a device, with the line of least squares. */
static int synthetic_scatter(cairo_t *cr, struct kl_axes a, const struct kl_plot_synthetic *s,
                             const struct kl_file *file, struct kl_error *err)
{
    double r = 0;
    a.x0 = a.y0 = INFINITY, a.x1 = a.y1 = -INFINITY;
    for (size_t i = 0; i < s->d; i++) {
        a.x0 = fmin(a.x0, s->mean[i]), a.x1 = fmax(a.x1, s->mean[i]);
        a.y0 = fmin(a.y0, s->accuracy[i]), a.y1 = fmax(a.y1, s->accuracy[i]);
    }
    const double dx = margin(a.x1 - a.x0), dy = margin(a.y1 - a.y0);
    a.x0 -= dx, a.x1 += dx, a.y0 -= dy, a.y1 += dy;
    kl_plot_axes_clip(cr, &a);
    draw_fit(cr, &a, s);
    cairo_restore(cr);
    for (size_t i = 0; i < s->d; i++) {
        kl_plot_colour(cr, s->class[i] + 1, 0.9);
        kl_plot_axes_mark(cr, &a, s->mean[i], s->accuracy[i], 2.2,
                          (enum kl_mark)(s->class[i] % KL_N_MARKS));
    }
    kl_plot_axes_draw(cr, &a, "mean smoothed divergence to the others, nats", "held-out accuracy");
    int code = kl_store_file_number(&r, file, "smoothed/divergence", "pearson", err);
    draw_classes(cr, &a, s);
    title_scatter(cr, &a, s, r);
    return code;
}

/* ---- synthetic figure ----
   Synthetic devices of several classes: divergences of all pairs, within and between classes, against
   what a classifier finds, by class pair. */

enum { COLUMNS = 8, CLASS_A = 0, CLASS_B = 1, MEAN = 3, SHADES = 64, MOST_BARS = 10, MOST_WORDS = 96 };
#define LEAST 1e-6 /* that the logarithmic panels draw; equal devices have 0 */

static void study_free(struct kl_plot_synthetic *s)
{
    free(s->class), free(s->divergence), free(s->mean), free(s->accuracy), free(s->pairs);
}

static int load(void **data, struct kl_file *file, const char *name, enum kl_type type, int rank,
                size_t rows, size_t columns, struct kl_error *err)
{
    const struct kl_dataset *set;
    int code = kl_store_file_expect(&set, file, name, type, rank, err);
    if (!code && (set->dims[0] != rows || (columns && set->dims[1] != columns)))
        code = kl_fail(err, KL_EDATA, "%s: %s: its shape does not fit the devices",
                       kl_store_file_path(file), name);
    return code ? code : kl_store_file_load(data, file, set, err);
}

static int load_study(struct kl_plot_synthetic *s, struct kl_file *f, struct kl_error *err)
{
    const struct kl_dataset *class, *pairs;
    int code = kl_store_file_expect(&class, f, "class", KL_TYPE_I32, 1, err);
    if (!code) code = kl_store_file_expect(&pairs, f, "smoothed/class_pairs", KL_TYPE_F64, 2, err);
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
                           kl_store_file_path(f), s->class[i], i);
    return code;
}

static double pair(const struct kl_plot_synthetic *s, size_t i, size_t k)
{
    return s->divergence[i * s->d + k];
}

/* "" if all pairs are drawn. */
static void say_least(char text[MOST_WORDS], const struct kl_plot_synthetic *s, const char *where)
{
    size_t n = 0;
    for (size_t i = 0; i < s->d; i++)
        for (size_t k = i + 1; k < s->d; k++) n += !(pair(s, i, k) >= LEAST);
    text[0] = '\0';
    if (n)
        snprintf(text, MOST_WORDS, "%zu of %zu pairs below 10\xe2\x81\xbb\xe2\x81\xb6 %s", n,
                 s->d * (s->d - 1) / 2, where);
}

static void caption(cairo_t *cr, const struct kl_axes *a, double x, const char *text)
{
    kl_plot_black(cr, x, a->top + a->height + 33, 7, KL_CENTRE, text);
}

static void log_range(struct kl_axes *a, const struct kl_plot_synthetic *s)
{
    a->y0 = INFINITY, a->y1 = -INFINITY;
    for (size_t i = 0; i < s->d; i++)
        for (size_t k = i + 1; k < s->d; k++) {
            const double x = pair(s, i, k);
            if (!(x >= LEAST) || !isfinite(x)) continue;
            a->y0 = fmin(a->y0, log10(x)), a->y1 = fmax(a->y1, log10(x));
        }
    if (!(a->y0 <= a->y1)) a->y0 = a->y1 = log10(LEAST);
    a->y0 = floor(a->y0), a->y1 = fmax(ceil(a->y1), a->y0 + 1), a->log_y = true;
}

/* Grey: below what has a shade. */
static void cell_colour(cairo_t *cr, const struct kl_axes *shades, double divergence)
{
    const double x = (log10(divergence) - shades->y0) / (shades->y1 - shades->y0);
    if (divergence >= LEAST && isfinite(x))
        kl_plot_ramp(cr, (size_t)(x * (SHADES - 1) + 0.5), SHADES, 1);
    else kl_plot_colour(cr, 0, 0.2);
}

static void draw_map(cairo_t *cr, struct kl_axes a, const struct kl_plot_synthetic *s)
{
    struct kl_axes shades = a;
    const double cell = a.height / (double)s->d;
    char text[MOST_WORDS];
    a.width = a.height, a.x0 = -0.5, a.x1 = (double)s->d - 0.5, a.whole_x = true;
    log_range(&shades, s);
    shades.left = a.left + a.width + 30, shades.width = 8;
    for (size_t i = 0; i < s->d; i++)
        for (size_t k = 0; k < s->d; k++) {
            if (i == k) continue;
            cell_colour(cr, &shades, pair(s, i, k));
            kl_plot_fill(cr, a.left + cell * (double)k, a.top + cell * (double)i, cell, cell);
        }
    for (int i = 0; i < SHADES; i++) {
        const double each = a.height / SHADES;
        kl_plot_ramp(cr, (size_t)i, SHADES, 1);
        kl_plot_fill(cr, shades.left, a.top + a.height - each * (i + 1), shades.width, each + 0.3);
    }
    kl_plot_axes_draw_x(cr, &a, "device");
    shades.x1 = 1, shades.no_x_numbers = true;
    kl_plot_pen(cr, 0, 1, 0.6);
    for (double k = shades.y0; k <= shades.y1 + 1e-9; k++) {
        snprintf(text, sizeof text, "%g", pow(10, k));
        kl_plot_text(cr, shades.left + 11, kl_plot_axes_y(&shades, k) + 2.3, 6.5, KL_LEFT, text);
    }
    kl_plot_axes_title(cr, &a, "smoothed divergence of every pair, nats");
    say_least(text, s, "are grey");
    caption(cr, &a, a.left + a.width / 2, text);
}

/* Quartiles as a box, all from least to most as a line. */
static void draw_box(cairo_t *cr, const struct kl_axes *a, double x, double *values, size_t n,
                     int colour)
{
    double y[5]; /* least, quartiles, most */
    const double half = 18;
    if (!n) return;
    kl_stats_sort(values, n);
    for (int k = 0; k < 5; k++)
        y[k] = kl_plot_axes_y(a, log10(kl_stats_sorted_quantile(values, n, k / 4.0)));
    kl_plot_colour(cr, colour, 0.35);
    kl_plot_fill(cr, x - half, y[3], 2 * half, y[1] - y[3]);
    kl_plot_pen(cr, colour, 1, 1);
    cairo_rectangle(cr, x - half, y[3], 2 * half, y[1] - y[3]);
    cairo_move_to(cr, x, y[1]), cairo_line_to(cr, x, y[0]);
    cairo_move_to(cr, x, y[3]), cairo_line_to(cr, x, y[4]);
    cairo_move_to(cr, x - half, y[2]), cairo_line_to(cr, x + half, y[2]);
    cairo_stroke(cr);
}

static int draw_boxes(cairo_t *cr, struct kl_axes a, const struct kl_plot_synthetic *s,
                      struct kl_error *err)
{
    const char *const names[] = { "within classes", "between" };
    char text[MOST_WORDS];
    double *values = malloc(s->d * s->d * sizeof *values);
    if (!values) return kl_fail_memory(err, s->d * s->d * sizeof *values);
    log_range(&a, s);
    a.x1 = 2, a.no_x_numbers = true, a.whole_x = true;
    kl_plot_axes_draw(cr, &a, NULL, "divergence, nats");
    for (int between = 0; between < 2; between++) {
        size_t n = 0;
        for (size_t i = 0; i < s->d; i++)
            for (size_t k = i + 1; k < s->d; k++)
                if ((s->class[i] != s->class[k]) == between && pair(s, i, k) >= LEAST &&
                    isfinite(pair(s, i, k)))
                    values[n++] = pair(s, i, k);
        draw_box(cr, &a, kl_plot_axes_x(&a, between + 0.5), values, n, between + 1);
        kl_plot_black(cr, kl_plot_axes_x(&a, between + 0.5), a.top + a.height + 11, 7, KL_CENTRE,
                      names[between]);
    }
    kl_plot_axes_title(cr, &a, "smoothed: quartiles and range of the pairs");
    say_least(text, s, "are left out");
    caption(cr, &a, a.left + a.width / 2, text);
    free(values);
    return KL_OK;
}

static void draw_bars(cairo_t *cr, struct kl_axes a, const struct kl_plot_synthetic *s)
{
    const size_t n = s->n_pairs < MOST_BARS ? s->n_pairs : MOST_BARS;
    a.x1 = (double)n, a.y0 = 0, a.y1 = 1e-3, a.no_x_numbers = true, a.whole_x = true;
    for (size_t i = 0; i < n; i++)
        if (isfinite(s->pairs[i * COLUMNS + MEAN]))
            a.y1 = fmax(a.y1, 1.08 * s->pairs[i * COLUMNS + MEAN]);
    for (size_t i = 0; i < n; i++) {
        const double *p = s->pairs + i * COLUMNS;
        const double left = kl_plot_axes_x(&a, (double)i + 0.2),
                     width = kl_plot_axes_x(&a, (double)i + 0.8) - left;
        char text[24];
        snprintf(text, sizeof text, "%.0f-%.0f", p[CLASS_A], p[CLASS_B]);
        kl_plot_black(cr, left + width / 2, a.top + a.height + 11, 7, KL_CENTRE, text);
        if (!isfinite(p[MEAN])) continue;
        kl_plot_colour(cr, p[CLASS_A] != p[CLASS_B] ? 2 : 1, 0.8);
        kl_plot_fill(cr, left, kl_plot_axes_y(&a, p[MEAN]), width,
                     a.top + a.height - kl_plot_axes_y(&a, p[MEAN]));
    }
    kl_plot_axes_draw(cr, &a, "classes", "mean divergence, nats");
    char text[64] = "smoothed, by pair of classes";
    if (n < s->n_pairs)
        snprintf(text, sizeof text, "smoothed, by pair of classes, first %zu of %zu", n, s->n_pairs);
    kl_plot_axes_title(cr, &a, text);
}

int kl_plot_synthetic_figure(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs,
                             struct kl_error *err)
{
    struct kl_plot_synthetic s = { 0 };
    const struct kl_axes a = { .left = 50, .top = 18, .width = 175, .height = 130, .x1 = 1, .y1 = 1 };
    const struct kl_axes b = kl_plot_axes_panel(sheet->cr, a, 1, 260, 187),
                         c = kl_plot_axes_panel(sheet->cr, a, 2, 260, 187),
                         d = kl_plot_axes_panel(sheet->cr, a, 3, 260, 187);
    int code = load_study(&s, inputs->file, err);
    if (!code) code = draw_boxes(sheet->cr, b, &s, err);
    if (!code) code = synthetic_scatter(sheet->cr, c, &s, inputs->file, err);
    if (!code) {
        draw_map(sheet->cr, a, &s);
        draw_bars(sheet->cr, d, &s);
    }
    study_free(&s);
    return code;
}
