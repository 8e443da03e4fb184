/* SPDX-License-Identifier: MIT
   Pairs of random-number devices: the study's composites beside what they would be by chance,
   divergences with intervals, rates by position, and what a classifier tells. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/plot.h"

enum {
    MOST_PAIRS = 10,
    MOST_DEVICES = 6,
    COMPOSITE = 3,
    ACCURACY = 7,
    SCORES = 8,
    JS = 2,
    DIVERGENCES = 5
};

struct results {
    char *names;
    int32_t *pairs; /* [p, 2] */
    int64_t *order;
    double *rates, *score, *null_q95, *js, *low, *high, *row_accuracy, *accuracy_low, *accuracy_high;
    size_t n_devices, n_pairs, n_bits, name_size;
};

static void results_free(struct results *r)
{
    free(r->names), free(r->pairs), free(r->order), free(r->rates), free(r->score), free(r->null_q95);
    free(r->js), free(r->low), free(r->high), free(r->row_accuracy);
    free(r->accuracy_low), free(r->accuracy_high);
}

/* A dataset of `rows` rows, each of `columns` numbers unless that is 0. */
static int load(void **data, struct kl_file *file, const char *name, enum kl_type type, int rank,
                size_t rows, size_t columns, struct kl_error *err)
{
    const struct kl_dataset *set;
    int code = kl_store_file_expect(&set, file, name, type, rank, err);
    if (!code && (set->dims[0] != rows || (columns && set->dims[1] != columns)))
        code = kl_fail(err, KL_EDATA, "%s: %s: its shape does not fit the pairs",
                       kl_store_file_path(file), name);
    return code ? code : kl_store_file_load(data, file, set, err);
}

static int load_results(struct results *r, struct kl_file *f, struct kl_error *err)
{
    const struct kl_dataset *names, *pairs, *rates;
    int code = kl_store_file_expect(&names, f, "devices", KL_TYPE_STRING, 1, err);
    if (!code) code = kl_store_file_expect(&pairs, f, "pairs", KL_TYPE_I32, 2, err);
    if (!code) code = kl_store_file_expect(&rates, f, "rates", KL_TYPE_F64, 2, err);
    if (code) return code;
    r->n_devices = names->dims[0], r->n_pairs = pairs->dims[0], r->n_bits = rates->dims[1];
    r->name_size = names->item_size;
    const size_t p = r->n_pairs, d = r->n_devices;
    code = kl_store_file_load((void **)&r->names, f, names, err);
    if (!code) code = load((void **)&r->pairs, f, "pairs", KL_TYPE_I32, 2, p, 2, err);
    if (!code) code = load((void **)&r->rates, f, "rates", KL_TYPE_F64, 2, d, 0, err);
    if (!code) code = load((void **)&r->order, f, "order", KL_TYPE_I64, 1, p, 0, err);
    if (!code) code = load((void **)&r->score, f, "score", KL_TYPE_F64, 2, p, SCORES, err);
    if (!code) code = load((void **)&r->null_q95, f, "score_null_q95", KL_TYPE_F64, 2, p, SCORES, err);
    if (!code) code = load((void **)&r->js, f, "divergence", KL_TYPE_F64, 2, p, DIVERGENCES, err);
    if (!code) code = load((void **)&r->low, f, "divergence_low", KL_TYPE_F64, 2, p, DIVERGENCES, err);
    if (!code) code = load((void **)&r->high, f, "divergence_high", KL_TYPE_F64, 2, p, DIVERGENCES, err);
    if (!code) code = load((void **)&r->row_accuracy, f, "row_accuracy", KL_TYPE_F64, 1, p, 0, err);
    const bool bounded = kl_store_file_find(f, "accuracy_low"); /* not in older files */
    if (!code && bounded)
        code = load((void **)&r->accuracy_low, f, "accuracy_low", KL_TYPE_F64, 1, p, 0, err);
    if (!code && bounded)
        code = load((void **)&r->accuracy_high, f, "accuracy_high", KL_TYPE_F64, 1, p, 0, err);
    for (size_t i = 0; i < p && !code; i++)
        if (r->order[i] < 0 || (size_t)r->order[i] >= p || r->pairs[2 * i] < 0 ||
            r->pairs[2 * i + 1] < 0 || (size_t)r->pairs[2 * i] >= d || (size_t)r->pairs[2 * i + 1] >= d)
            code = kl_fail(err, KL_EDATA, "%s: pair %zu names a device that is not there",
                           kl_store_file_path(f), i);
    return code;
}

static size_t shown_pairs(const struct results *r)
{
    return r->n_pairs < MOST_PAIRS ? r->n_pairs : MOST_PAIRS;
}

/* Draw the line of the pair at a place of the ranking, its name left of the axes; returns its y. */
static double line_of(cairo_t *cr, const struct kl_axes *a, const struct results *r, size_t place)
{
    char first[KL_NAME], second[KL_NAME], text[2 * KL_NAME + 4];
    const int32_t *pair = r->pairs + 2 * r->order[place];
    const double step = a->height / (double)shown_pairs(r), y = a->top + step * ((double)place + 0.5);
    kl_plot_name(first, r->names, r->n_devices, r->name_size, (size_t)pair[0]);
    kl_plot_name(second, r->names, r->n_devices, r->name_size, (size_t)pair[1]);
    snprintf(text, sizeof text, "%s v %s", first, second);
    kl_plot_black_within(cr, a->left - 5, y + 2.3, 6.5, KL_RIGHT, 52, text);
    kl_plot_pen(cr, 0, 0.15, 0.6);
    kl_plot_line(cr, a->left, y, a->left + a->width, y);
    return y;
}

static void reach(struct kl_axes *a, double x)
{
    if (isfinite(x)) a->x1 = fmax(a->x1, x);
}

/* Below a panel of pairs: how many of all. Their order is that of the table. */
static void say_left_out(cairo_t *cr, const struct kl_axes *a, const struct results *r)
{
    char text[80];
    if (shown_pairs(r) == r->n_pairs) return;
    snprintf(text, sizeof text, "%zu of %zu pairs, the furthest apart", shown_pairs(r), r->n_pairs);
    kl_plot_black(cr, a->left + a->width / 2, a->top + a->height + 33, 7, KL_CENTRE, text);
}

static void mark(cairo_t *cr, double x, double y, double radius, enum kl_mark mark)
{
    if (isfinite(x) && isfinite(y)) kl_plot_mark(cr, x, y, radius, mark);
}

static void draw_composites(cairo_t *cr, struct kl_axes a, const struct results *r)
{
    for (size_t k = 0; k < shown_pairs(r); k++) {
        const size_t at = (size_t)r->order[k] * SCORES + COMPOSITE;
        reach(&a, 1.1 * r->score[at]), reach(&a, 1.1 * r->null_q95[at]);
    }
    for (size_t k = 0; k < shown_pairs(r); k++) {
        const size_t at = (size_t)r->order[k] * SCORES + COMPOSITE;
        const double y = line_of(cr, &a, r, k);
        if (isfinite(r->null_q95[at])) {
            kl_plot_colour(cr, 2, 0.3);
            kl_plot_fill(cr, a.left, y - 3, kl_plot_axes_x(&a, r->null_q95[at]) - a.left, 6);
        }
        kl_plot_colour(cr, 1, 1);
        mark(cr, kl_plot_axes_x(&a, r->score[at]), y, 2.4, KL_CIRCLE);
    }
    kl_plot_axes_draw_x(cr, &a, "the study's composite");
    say_left_out(cr, &a, r);
    kl_plot_axes_title(cr, &a, "score; shaded: 95 % of permutations");
}

static void draw_divergences(cairo_t *cr, struct kl_axes a, const struct results *r)
{
    for (size_t k = 0; k < shown_pairs(r); k++) {
        const size_t at = (size_t)r->order[k] * DIVERGENCES + JS;
        reach(&a, 1.08e3 * r->js[at]), reach(&a, 1.08e3 * r->high[at]);
    }
    for (size_t k = 0; k < shown_pairs(r); k++) {
        const size_t at = (size_t)r->order[k] * DIVERGENCES + JS;
        const double y = line_of(cr, &a, r, k);
        kl_plot_pen(cr, 1, 1, 1.2);
        if (isfinite(r->low[at]) && isfinite(r->high[at])) {
            kl_plot_axes_across(cr, &a, y, 1e3 * r->low[at], 1e3 * r->high[at]);
        }
        mark(cr, kl_plot_axes_x(&a, 1e3 * r->js[at]), y, 2.2, KL_SQUARE);
    }
    kl_plot_axes_draw_x(cr, &a, "10\xe2\x81\xbb\xc2\xb3 nats a symbol");
    say_left_out(cr, &a, r);
    kl_plot_axes_title(cr, &a, "Jensen\xe2\x80\x93Shannon, 95 % by bootstrap");
}

static void draw_rates(cairo_t *cr, struct kl_axes a, const struct results *r)
{
    const size_t devices = r->n_devices < MOST_DEVICES ? r->n_devices : MOST_DEVICES;
    const size_t width = kl_plot_bin_width(r->n_bits), places = (r->n_bits + width - 1) / width;
    const double each = fmin(30, (a.width - 12) / (double)devices);
    char text[112] = "rates by position";
    size_t used = strlen(text);
    if (devices < r->n_devices)
        used += (size_t)snprintf(text + used, sizeof text - used, ", first %zu of %zu devices", devices,
                                 r->n_devices);
    if (width > 1) snprintf(text + used, sizeof text - used, ", means of %zu", width);
    a.x0 = 0, a.x1 = (double)r->n_bits + 1, a.y0 = INFINITY, a.y1 = -INFINITY, a.whole_x = true;
    double x;
    for (size_t i = 0; i < devices * places; i++) {
        const double y =
            kl_plot_bin_mean(&x, r->rates + i / places * r->n_bits, r->n_bits, width, i % places);
        a.y0 = fmin(a.y0, y), a.y1 = fmax(a.y1, y);
    }
    const double margin = fmax(0.06 * (a.y1 - a.y0), 0.005);
    a.y0 -= margin, a.y1 += 3 * margin;
    for (size_t d = 0; d < devices; d++) {
        char name[KL_NAME];
        kl_plot_pen(cr, (int)d + 1, 0.9, 0.7);
        for (size_t k = 0; k < places; k++) {
            const double y = kl_plot_bin_mean(&x, r->rates + d * r->n_bits, r->n_bits, width, k);
            kl_plot_axes_to(cr, &a, x + 1, y);
        }
        cairo_stroke(cr);
        kl_plot_name(name, r->names, r->n_devices, r->name_size, d);
        kl_plot_text_within(cr, a.left + 6 + each * (double)d, a.top + 8, 6.5, KL_LEFT, each - 2, name);
    }
    kl_plot_axes_draw(cr, &a, "position", "rate of ones");
    kl_plot_axes_title(cr, &a, text);
}

/* The lower end of the axis of accuracies: below them all, intervals too. */
static double least_accuracy(const struct results *r)
{
    double least = 0.5;
    for (size_t i = 0; i < r->n_pairs; i++) {
        const double values[] = { r->score[i * SCORES + ACCURACY], r->row_accuracy[i],
                                  r->accuracy_low ? r->accuracy_low[i] : NAN };
        for (int k = 0; k < 3; k++)
            if (isfinite(values[k])) least = fmin(least, values[k]);
    }
    return least - 0.05;
}

static void draw_accuracy(cairo_t *cr, const struct kl_axes *a, const struct results *r, size_t i)
{
    const double x = kl_plot_axes_x(a, r->score[i * SCORES + COMPOSITE]);
    if (!isfinite(x)) return;
    if (isfinite(r->row_accuracy[i])) {
        kl_plot_pen(cr, 0, 0.8, 0.9);
        kl_plot_line(cr, x - 4, kl_plot_axes_y(a, r->row_accuracy[i]), x + 4,
                     kl_plot_axes_y(a, r->row_accuracy[i]));
    }
    kl_plot_colour(cr, 3, 0.9);
    if (r->accuracy_low && isfinite(r->accuracy_low[i]) && isfinite(r->accuracy_high[i])) {
        cairo_set_line_width(cr, 1);
        kl_plot_axes_upright(cr, a, x, r->accuracy_low[i], r->accuracy_high[i]);
    }
    mark(cr, x, kl_plot_axes_y(a, r->score[i * SCORES + ACCURACY]), 2.2, KL_CIRCLE);
}

/* Held-out accuracy against the composite: what a score says of how far devices can be told apart. */
static void draw_accuracies(cairo_t *cr, struct kl_axes a, const struct results *r)
{
    a.y0 = least_accuracy(r), a.y1 = 1;
    for (size_t i = 0; i < r->n_pairs; i++) reach(&a, 1.1 * r->score[i * SCORES + COMPOSITE]);
    for (size_t i = 0; i < r->n_pairs; i++) draw_accuracy(cr, &a, r, i);
    kl_plot_axes_draw(cr, &a, "the study's composite", "held-out accuracy");
    kl_plot_axes_title(cr, &a, "device found, 95 %; bar: best if independent");
}

int kl_plot_tournament(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs,
                       struct kl_error *err)
{
    struct results r = { 0 };
    /* x1: no values, or all of them 0, still leave room between the ticks */
    const struct kl_axes a = { .left = 62, .top = 18, .width = 175, .height = 120, .x1 = 1e-3, .y1 = 1 };
    const struct kl_axes b = kl_plot_axes_panel(sheet->cr, a, 1, 263, 177),
                         c = kl_plot_axes_panel(sheet->cr, a, 2, 263, 177),
                         d = kl_plot_axes_panel(sheet->cr, a, 3, 263, 177);
    int code = load_results(&r, inputs->file, err);
    if (!code) {
        draw_composites(sheet->cr, a, &r);
        draw_divergences(sheet->cr, b, &r);
        draw_rates(sheet->cr, c, &r);
        draw_accuracies(sheet->cr, d, &r);
    }
    results_free(&r);
    return code;
}
