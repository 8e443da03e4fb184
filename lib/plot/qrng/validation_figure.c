/* SPDX-License-Identifier: MIT
   What the study of thirty devices is worth: its classifiers beside counting ones and beside chance, and
   what they confuse; its p-values beside those that permute whole devices; its correlations; the line
   through divergence and accuracy, with its band and residuals; all divergences; and beside a report on
   measured devices, how it compares. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/qrng/validation_view.h"
#include "store/store.h"

enum { STEPS = 60, BINS = 24 };

static double line_at(const struct kl_validation *v, double x)
{
    return v->level + v->slope * (x - v->centre);
}

/* 95 % of the line's mean. */
static double band_at(const struct kl_validation *v, double x)
{
    if (!(v->xx > 0)) return 0;
    return v->t * v->scatter * sqrt(1 / (double)v->d + pow(x - v->centre, 2) / v->xx);
}

/* Divergence across; the accuracies with the line, or what they are above it. */
static void draw_fit(cairo_t *cr, struct kl_axes a, const struct kl_validation *v, bool residuals)
{
    a.x0 = a.y0 = INFINITY, a.x1 = a.y1 = -INFINITY;
    for (size_t i = 0; i < v->d; i++) {
        const double y = v->accuracy[i] - (residuals ? line_at(v, v->mean[i]) : 0);
        a.x0 = fmin(a.x0, v->mean[i]), a.x1 = fmax(a.x1, v->mean[i]);
        a.y0 = fmin(a.y0, y), a.y1 = fmax(a.y1, y);
    }
    if (residuals) a.y0 = fmin(a.y0, -2 * v->scatter), a.y1 = fmax(a.y1, 2 * v->scatter);
    const double dx = fmax(0.08 * (a.x1 - a.x0), 1e-6), dy = fmax(0.08 * (a.y1 - a.y0), 1e-3);
    a.x0 -= dx, a.x1 += dx, a.y0 -= dy, a.y1 += dy;
    cairo_save(cr);
    cairo_rectangle(cr, a.left, a.top, a.width, a.height);
    cairo_clip(cr);
    for (int line = -1; line <= 1; line++) {
        kl_plot_colour(cr, 0, line ? 0.35 : 0.7);
        cairo_set_line_width(cr, 0.8);
        for (int k = 0; k <= STEPS; k++) {
            const double x = a.x0 + (a.x1 - a.x0) * k / STEPS;
            const double y = residuals ? 2 * v->scatter * line : line_at(v, x) + line * band_at(v, x);
            cairo_line_to(cr, kl_plot_axes_x(&a, x), kl_plot_axes_y(&a, y));
        }
        cairo_stroke(cr);
    }
    cairo_restore(cr);
    for (size_t i = 0; i < v->d; i++) {
        const double y = v->accuracy[i] - (residuals ? line_at(v, v->mean[i]) : 0);
        kl_plot_colour(cr, v->class[i] + 1, 0.9);
        kl_plot_mark(cr, kl_plot_axes_x(&a, v->mean[i]), kl_plot_axes_y(&a, y), 2.2,
                     (enum kl_mark)(v->class[i] % KL_N_MARKS));
    }
    kl_plot_axes_draw(cr, &a, "mean divergence to the others, nats",
                      residuals ? "accuracy above the line" : "accuracy, training rows included");
    kl_plot_validation_title(cr, &a,
                             residuals ? "residuals, twice their deviation"
                                       : "the network by device, 95 % of the line");
}

/* Of each class's test rows, the share of each answer. */
static void draw_confusion(cairo_t *cr, struct kl_axes a, const struct kl_validation *v)
{
    const double wide = a.width / (double)v->c, high = a.height / (double)v->c;
    a.x0 = -0.5, a.x1 = (double)v->c - 0.5, a.whole_x = true;
    for (size_t i = 0; i < v->c * v->c; i++) {
        const size_t t = i / v->c, p = i % v->c;
        double all = 0;
        char text[16];
        for (size_t k = 0; k < v->c; k++) all += (double)v->confusion[t * v->c + k];
        const double share = all > 0 ? (double)v->confusion[i] / all : 0;
        cairo_set_source_rgb(cr, 1 - 0.9 * share, 1 - 0.55 * share, 1 - 0.3 * share);
        cairo_rectangle(cr, a.left + wide * (double)p, a.top + high * (double)t, wide, high);
        cairo_fill(cr);
        if (share > 0.6) cairo_set_source_rgb(cr, 1, 1, 1);
        else kl_plot_colour(cr, 0, 1);
        snprintf(text, sizeof text, "%.1f", 100 * share);
        kl_plot_text(cr, a.left + wide * ((double)p + 0.5), a.top + high * ((double)t + 0.5) + 2.5, 7,
                     KL_CENTRE, text);
    }
    kl_plot_axes_draw_x(cr, &a, "class named");
    kl_plot_text_upwards(cr, a.left - 10, a.top + a.height / 2, 8, KL_CENTRE, INFINITY,
                         "class, 0 on top");
    kl_plot_validation_title(cr, &a, "the network: % of each class's test rows");
}

/* Shares of the pairs, within classes and between them, in bins of the logarithm. */
static void count_pairs(double share[2][BINS], struct kl_axes *a, const struct kl_validation *v)
{
    double n[2] = { 0 };
    a->x0 = INFINITY, a->x1 = -INFINITY, a->y0 = a->y1 = 0;
    for (size_t i = 0; i < v->d * v->d; i++)
        if (i / v->d < i % v->d && v->divergence[i] > 0) {
            a->x0 = fmin(a->x0, log10(v->divergence[i]));
            a->x1 = fmax(a->x1, log10(v->divergence[i]));
        }
    if (!(a->x0 < a->x1)) a->x0 = 0, a->x1 = 1;
    for (size_t i = 0; i < v->d * v->d; i++)
        if (i / v->d < i % v->d && v->divergence[i] > 0) {
            const int between = v->class[i / v->d] != v->class[i % v->d];
            const double x = (log10(v->divergence[i]) - a->x0) / (a->x1 - a->x0) * BINS;
            n[between]++, share[between][x < BINS ? (size_t)fmax(x, 0) : BINS - 1]++;
        }
    for (size_t i = 0; i < 2 * BINS; i++) {
        double *s = &share[i / BINS][i % BINS];
        if (n[i / BINS] > 0) *s *= 100 / n[i / BINS];
        a->y1 = fmax(a->y1, 1.3 * *s);
    }
    if (!(a->y1 > 0)) a->y1 = 1;
}

static void draw_pairs(cairo_t *cr, struct kl_axes a, const struct kl_validation *v)
{
    static const char *const names[] = { "within classes", "between" };
    double share[2][BINS] = { { 0 } };
    const double wide = a.width / BINS;
    count_pairs(share, &a, v);
    a.no_x_numbers = a.whole_x = true;
    for (int k = 0; k < 2; k++) {
        kl_plot_colour(cr, k + 1, 0.55);
        for (size_t i = 0; i < BINS; i++)
            cairo_rectangle(cr, a.left + wide * (double)i, kl_plot_axes_y(&a, share[k][i]), wide,
                            a.top + a.height - kl_plot_axes_y(&a, share[k][i]));
        cairo_fill(cr);
        kl_plot_colour(cr, k + 1, 1);
        kl_plot_text(cr, a.left + a.width - 4, a.top + 10 + 9 * k, 7, KL_RIGHT, names[k]);
    }
    for (double k = ceil(a.x0); k <= a.x1; k++) {
        char text[24];
        snprintf(text, sizeof text, "%g", pow(10, k));
        kl_plot_colour(cr, 0, 1);
        kl_plot_text(cr, kl_plot_axes_x(&a, k), a.top + a.height + 11, 7, KL_CENTRE, text);
    }
    kl_plot_axes_draw(cr, &a, "the study's divergence, nats", "% of the pairs");
    kl_plot_validation_title(cr, &a, "every pair of devices");
}

static const struct kl_file *find_report(const struct kl_figure_inputs *inputs)
{
    for (size_t i = 0; i < inputs->n_files; i++)
        if (strcmp(kl_store_file_kind(inputs->files[i]), "device-report") == 0) return inputs->files[i];
    return NULL;
}

/* Panel i of two columns. */
static struct kl_axes panel(int i)
{
    return (struct kl_axes){ .left = i % 2 ? 310 : 50,
                             .top = 18 + 187 * (i / 2),
                             .width = 185,
                             .height = 130,
                             .x1 = 1,
                             .y1 = 1 };
}

int kl_plot_validation(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs,
                       struct kl_error *err)
{
    struct kl_validation v;
    cairo_t *cr = sheet->cr;
    const struct kl_file *report = find_report(inputs);
    int code = kl_plot_validation_load(&v, inputs->file, err);
    if (!code) code = kl_plot_validation_accuracies(cr, panel(0), &v, err);
    if (!code) code = kl_plot_validation_p(cr, panel(2), &v, err);
    if (!code) code = kl_plot_validation_r(cr, panel(3), &v, err);
    if (!code && report) code = kl_plot_validation_tasks(cr, panel(7), &v, report, err);
    if (!code) {
        draw_confusion(cr, panel(1), &v);
        draw_fit(cr, panel(4), &v, false);
        draw_fit(cr, panel(5), &v, true);
        draw_pairs(cr, panel(6), &v);
    }
    kl_plot_validation_free(&v);
    return code;
}
