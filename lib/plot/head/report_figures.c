/* SPDX-License-Identifier: MIT
   A report on heads: accuracy against confidence, and how often samples of each class were given to
   each. */
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>

#include "stats/stats.h"

/* ---- calibration ----
   Reliability diagram: accuracy against confidence, bin by bin, with the number of samples in each bin
   below. */

struct bin {
    double count, accuracy, confidence;
};

/* A bin of few samples says little: its 95 % interval shows how little. */
static void draw_accuracies(cairo_t *cr, const struct kl_axes *axes, const struct bin *bins, size_t n)
{
    kl_plot_dashed(cr, 1);
    kl_plot_colour(cr, 0, 0.6);
    kl_plot_axes_line(cr, axes, 0, 0, 1, 1);
    kl_plot_dashed(cr, 0);
    kl_plot_pen(cr, 1, 1, 0.9);
    for (size_t b = 0; b < n; b++) {
        if (bins[b].count <= 0) continue;
        const double x = kl_plot_axes_x(axes, bins[b].confidence);
        const struct kl_interval range =
            kl_stats_wilson(bins[b].accuracy, (size_t)bins[b].count, KL_Z95);
        kl_plot_axes_upright(cr, axes, x, range.low, range.high);
        kl_plot_mark(cr, x, kl_plot_axes_y(axes, bins[b].accuracy), 2.2, KL_CIRCLE);
    }
}

/* Logarithmic: nearly all samples are in the last bin. */
static void draw_counts(cairo_t *cr, struct kl_axes *axes, const struct bin *bins, size_t n)
{
    double most = 10;
    for (size_t b = 0; b < n; b++) most = fmax(most, bins[b].count);
    axes->y0 = -0.3; /* a bin of one sample has a bar */
    axes->y1 = log10(most) + 0.15;
    kl_plot_colour(cr, 6, 1);
    for (size_t b = 0; b < n; b++) {
        if (bins[b].count <= 0) continue;
        const double left = kl_plot_axes_x(axes, (double)b / (double)n),
                     right = kl_plot_axes_x(axes, (double)(b + 1) / (double)n),
                     top = kl_plot_axes_y(axes, log10(bins[b].count));
        kl_plot_fill(cr, left + 0.6, top, right - left - 1.2, kl_plot_axes_y(axes, axes->y0) - top);
    }
}

static int draw(cairo_t *cr, const struct bin *bins, size_t n, const struct kl_file *file,
                const char *which, struct kl_error *err)
{
    char text[96];
    double total = 0, error = 0;
    struct kl_axes above = { .left = 44, .top = 26, .width = 195, .height = 160, .x1 = 1 };
    struct kl_axes below = above;
    for (size_t b = 0; b < n; b++) total += bins[b].count;
    for (size_t b = 0; b < n; b++)
        if (total > 0) error += bins[b].count / total * fabs(bins[b].accuracy - bins[b].confidence);
    above.y0 = -0.03, above.y1 = 1.03;
    above.no_x_numbers = true;
    above.label_out = below.label_out = 30;
    below.top = above.top + above.height + 8;
    below.height = 48;
    below.log_y = true;
    draw_accuracies(cr, &above, bins, n);
    draw_counts(cr, &below, bins, n);
    kl_plot_axes_draw(cr, &above, NULL, "accuracy (95 % interval)");
    kl_plot_axes_draw(cr, &below, "confidence", "samples");
    snprintf(text, sizeof text, "expected calibration error %.4f", error);
    kl_plot_text(cr, above.left, above.top - 7, 7, KL_LEFT, text);
    return kl_plot_report_head(cr, above.left, above.top - 10, file, total, which, err);
}

int kl_plot_calibration(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs,
                        struct kl_error *err)
{
    const struct kl_dataset *set;
    struct bin *bins = NULL;
    char which[KL_WHICH];
    int code = kl_store_file_expect(&set, inputs->file, "calibration", KL_TYPE_F64, 3, err);
    if (!code) code = kl_plot_which_replica(which, inputs, set->dims[0], err);
    if (!code) code = kl_store_file_load((void **)&bins, inputs->file, set, err);
    if (!code)
        code = draw(sheet->cr, bins + (size_t)inputs->replica * set->dims[1], set->dims[1], inputs->file,
                    which, err);
    free(bins);
    return code;
}

/* ---- confusion ----
   How often samples of each class were given to each: rows are true classes, colour is the share of a
   row. */

static const double LEFT = 44, TOP = 16, SIDE = 190;
enum { SIZE = 7, SMALLEST = 5 };

struct matrix {
    const int64_t *counts; /* (c, c) [true][predicted] */
    const char *names;
    size_t c, n_names, name_size;
};

/* Of a name. */
static double room(cairo_t *cr)
{
    return kl_plot_sheet_of(cr)->narrow ? 60 : 90;
}

/* The least size of text: on a narrow sheet, of one column of a journal (244 points), one of 6 when all
   that stands beside the cells has made it smaller. */
static double smallest(cairo_t *cr, const struct matrix *m)
{
    double widest = 0;
    char text[KL_NAME];
    if (!kl_plot_sheet_of(cr)->narrow) return SMALLEST;
    for (size_t k = 0; k < m->c; k++) {
        kl_plot_name(text, m->names, m->n_names, m->name_size, k);
        widest = fmax(widest, fmin(kl_plot_text_width(cr, SIZE, text), room(cr)));
    }
    return 6.05 * (SIDE + 65 + widest) / 244 / kl_plot_sheet_of(cr)->letters;
}

static void shade(cairo_t *cr, double share)
{
    cairo_set_source_rgb(cr, 1 - 0.9 * share, 1 - 0.55 * share, 1 - 0.3 * share);
}

/* size 0: no number is written. */
static void draw_cell(cairo_t *cr, double x, double y, double side, double size, int64_t count,
                      double share)
{
    char text[24];
    shade(cr, share);
    kl_plot_fill(cr, x, y, side, side);
    if (!count || size <= 0) return;
    if (share > 0.6) cairo_set_source_rgb(cr, 1, 1, 1);
    else kl_plot_colour(cr, 0, 1);
    snprintf(text, sizeof text, "%lld", (long long)count);
    kl_plot_text(cr, x + side / 2, y + side / 2 + 0.36 * size, size, KL_CENTRE, text);
}

/* The size of text at which the largest count fits its cell; 0: that is too small. */
static double count_size(cairo_t *cr, const struct matrix *m, double side)
{
    char text[24];
    int64_t most = 0;
    for (size_t i = 0; i < m->c * m->c; i++) most = m->counts[i] > most ? m->counts[i] : most;
    snprintf(text, sizeof text, "%lld", (long long)most);
    const double size = fmin(SIZE, SIZE * (side - 2) / kl_plot_text_width(cr, SIZE, text));
    return size < smallest(cr, m) ? 0 : size;
}

static void draw_cells(cairo_t *cr, const struct matrix *m, double side)
{
    const double size = count_size(cr, m, side);
    for (size_t t = 0; t < m->c; t++) {
        int64_t total = 0;
        for (size_t p = 0; p < m->c; p++) total += m->counts[t * m->c + p];
        for (size_t p = 0; p < m->c; p++)
            draw_cell(cr, LEFT + (double)p * side, TOP + (double)t * side, side, size,
                      m->counts[t * m->c + p],
                      total ? (double)m->counts[t * m->c + p] / (double)total : 0);
    }
    kl_plot_colour(cr, 0, 1);
    kl_plot_frame(cr, LEFT, TOP, SIDE, SIDE);
}

/* Names of classes along both axes, every k-th where lines would touch; upright below if they fit. */
static void draw_names(cairo_t *cr, const struct matrix *m, double side)
{
    char text[KL_NAME];
    double widest = 0;
    const double size = fmin(fmax(SIZE, smallest(cr, m)), fmax(side, smallest(cr, m)));
    const size_t every =
        (size_t)fmax(1, ceil((size * kl_plot_sheet_of(cr)->letters + 0.5) / side - 0.2));
    for (size_t k = 0; k < m->c; k += every) {
        kl_plot_name(text, m->names, m->n_names, m->name_size, k);
        widest = fmax(widest, fmin(kl_plot_text_width(cr, size, text), room(cr)));
    }
    const bool upright = widest < side * (double)every - 2;
    for (size_t k = 0; k < m->c; k += every) {
        const double middle = ((double)k + 0.5) * side;
        kl_plot_name(text, m->names, m->n_names, m->name_size, k);
        const double lines = kl_plot_text_lines(cr, size, room(cr), text),
                     tall = 1.25 * size * kl_plot_sheet_of(cr)->letters;
        if (lines * tall < side) /* a name of several words */
            kl_plot_black_down(cr, LEFT - 4, TOP + middle + 0.36 * size - (lines - 1) * tall / 2, size,
                               KL_RIGHT, room(cr), text);
        else
            kl_plot_text_within(cr, LEFT - 4, TOP + middle + 0.36 * size, size, KL_RIGHT, room(cr),
                                text);
        if (upright) kl_plot_text(cr, LEFT + middle, TOP + SIDE + 10, size, KL_CENTRE, text);
        else
            kl_plot_text_upwards(cr, LEFT + middle + 0.36 * size, TOP + SIDE + 4, size, KL_RIGHT,
                                 room(cr), text);
    }
    kl_plot_text(cr, LEFT + SIDE / 2, TOP + SIDE + (upright ? 22 : 15 + widest), 8, KL_CENTRE,
                 "predicted class");
    kl_plot_text_upwards(cr, LEFT - 9 - widest, TOP + SIDE / 2, 8, KL_CENTRE, INFINITY, "true class");
}

static void draw_scale(cairo_t *cr)
{
    enum { STEPS = 64 };
    char text[8];
    const double x = LEFT + SIDE + 8, height = SIDE / STEPS;
    for (int k = 0; k < STEPS; k++) {
        shade(cr, (k + 0.5) / STEPS);
        kl_plot_fill(cr, x, TOP + SIDE - (k + 1) * height, 7, height + (k ? 0.2 : 0));
    }
    kl_plot_colour(cr, 0, 1);
    kl_plot_frame(cr, x, TOP, 7, SIDE);
    for (int k = 0; k <= 4; k++) {
        const double y = TOP + SIDE * (1 - k / 4.0);
        kl_plot_line(cr, x + 7, y, x + 9.5, y);
        snprintf(text, sizeof text, "%d", 25 * k);
        kl_plot_text(cr, x + 12, y + 2.2, 6, KL_LEFT, text);
    }
    kl_plot_text_upwards(cr, x + 32, TOP + SIDE / 2, SIZE, KL_CENTRE, INFINITY, "% of the true class");
}

int kl_plot_confusion(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs,
                      struct kl_error *err)
{
    const struct kl_dataset *set, *names_set;
    int64_t *counts = NULL;
    char *names = NULL, which[KL_WHICH];
    int code = kl_store_file_expect(&set, inputs->file, "confusion", KL_TYPE_I64, 3, err);
    if (!code) code = kl_plot_which_replica(which, inputs, set->dims[0], err);
    if (!code)
        code = kl_store_file_expect(&names_set, inputs->file, "class_names", KL_TYPE_STRING, 1, err);
    if (!code) code = kl_store_file_load((void **)&counts, inputs->file, set, err);
    if (!code) code = kl_store_file_load((void **)&names, inputs->file, names_set, err);
    if (!code) {
        const size_t c = set->dims[1];
        const struct matrix m = { counts + (size_t)inputs->replica * c * c, names, c, names_set->dims[0],
                                  names_set->item_size };
        draw_cells(sheet->cr, &m, SIDE / (double)c);
        draw_names(sheet->cr, &m, SIDE / (double)c);
        double n = 0;
        for (size_t i = 0; i < c * c; i++) n += (double)m.counts[i];
        draw_scale(sheet->cr);
        code = kl_plot_report_head(sheet->cr, LEFT, TOP, inputs->file, n, which, err);
    }
    free(counts);
    free(names);
    return code;
}
