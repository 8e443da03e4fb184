/* SPDX-License-Identifier: MIT
   Features in the plane of their two principal components. */
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

static void covariance(double *c, double *mean, const float *x, size_t n, size_t d)
{
    /* from the first sample on: the mean of equal numbers is that number, not one beside it */
    for (size_t i = 1; i < n; i++)
        for (size_t j = 0; j < d; j++) mean[j] += ((double)x[i * d + j] - (double)x[j]) / (double)n;
    for (size_t j = 0; j < d; j++) mean[j] += (double)x[j];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < d; j++) {
            double a = ((double)x[i * d + j] - mean[j]) / (double)n;
            const float *row = x + i * d;
            for (size_t k = j; k < d; k++) c[j * d + k] += a * ((double)row[k] - mean[k]);
        }
    for (size_t j = 0; j < d; j++)
        for (size_t k = 0; k < j; k++) c[j * d + k] = c[k * d + j];
}

static double dot(const double *a, const double *b, size_t d)
{
    double sum = 0;
    for (size_t j = 0; j < d; j++) sum += a[j] * b[j];
    return sum;
}

static double normalise(double *v, size_t d)
{
    const double length = sqrt(dot(v, v, d));
    for (size_t j = 0; j < d && length > 0; j++) v[j] /= length;
    return length;
}

static void remove_part(double *own, const double *v, size_t d)
{
    const double overlap = dot(v, own, d);
    for (size_t j = 0; j < d; j++) own[j] -= overlap * v[j];
}

/* Unit length, the second orthogonal to the first: in two steps, as the first leaves rounding alone of
   vectors that are nearly parallel. Data on a line, or of no extent, leave a component open. */
static void orthonormalise(double *v, size_t d)
{
    double *second = v + d;
    if (normalise(v, d) == 0) v[0] = 1;
    for (int step = 0; step < 2; step++) {
        remove_part(second, v, d);
        if (normalise(second, d) > 0) continue;
        size_t least = 0;
        for (size_t j = 1; j < d; j++)
            if (fabs(v[j]) < fabs(v[least])) least = j;
        second[least] = 1;
    }
    if (d == 1) *second = 0;
}

static void iterate(double *v, double *next, const double *c, size_t d)
{
    enum { STEPS = 500 };
    for (int step = 0; step < STEPS; step++) {
        for (size_t k = 0; k < 2; k++)
            for (size_t j = 0; j < d; j++) next[k * d + j] = dot(c + j * d, v + k * d, d);
        orthonormalise(next, d);
        double change = 0;
        for (size_t j = 0; j < 2 * d; j++) change = fmax(change, fabs(next[j] - v[j]));
        memcpy(v, next, 2 * d * sizeof *v);
        if (change < 1e-12) break;
    }
}

static void fix_sign(double *v, size_t d)
{
    size_t largest = 0;
    for (size_t j = 1; j < d; j++)
        if (fabs(v[j]) > fabs(v[largest])) largest = j;
    if (v[largest] < 0)
        for (size_t j = 0; j < d; j++) v[j] = -v[j];
}

int kl_plot_pca_project(double *scores, double explained[2], const float *x, size_t n, size_t d,
                        struct kl_error *err)
{
    size_t values = d * d + 5 * d + 1;
    double *c = calloc(values, sizeof *c);
    if (!c) return kl_fail_memory(err, values * sizeof *c);
    double *mean = c + d * d, *v = mean + d, *next = v + 2 * d, trace = 0;
    covariance(c, mean, x, n, d);
    for (size_t j = 0; j < d;
         j++) { /* a start that no symmetry of the data can make orthogonal to the answer */
        trace += c[j * d + j];
        v[j] = 1 + 0.5 * sin((double)j + 1);
        v[d + j] = cos(2.5 * (double)j);
    }
    orthonormalise(v, d);
    iterate(v, next, c, d);
    for (size_t k = 0; k < 2; k++) {
        fix_sign(v + k * d, d);
        double variance = 0;
        for (size_t j = 0; j < d; j++) variance += v[k * d + j] * dot(c + j * d, v + k * d, d);
        explained[k] = trace > 0 ? variance / trace : 0;
        for (size_t i = 0; i < n; i++) {
            double sum = 0;
            for (size_t j = 0; j < d; j++) sum += ((double)x[i * d + j] - mean[j]) * v[k * d + j];
            scores[2 * i + k] = sum;
        }
    }
    free(c);
    return KL_OK;
}

/* ---- Features in two dimensions by class ---- */

enum {
    MOST_POINTS = 2000, /* more would hide each other; evenly spaced rows are taken */
    MOST_NAMES = 24,    /* as many as colours and marks can tell apart */
};

/* Colour and mark of a class; black: no label. */
static void draw_point(cairo_t *cr, double x, double y, double radius, double alpha, int32_t label)
{
    const int colours = KL_N_COLOURS - 1;
    kl_plot_colour(cr, label < 0 ? 0 : 1 + label % colours, alpha);
    kl_plot_mark(cr, x, y, radius, label < 0 ? KL_CIRCLE : (enum kl_mark)(label / colours % KL_N_MARKS));
}

static void draw_legend(cairo_t *cr, double x, double y, const char *names, size_t n, size_t size)
{
    char text[KL_NAME];
    for (size_t k = 0; k < n && k < MOST_NAMES; k++, y += 10) {
        draw_point(cr, x, y - 2.5, 2.1, 1, (int32_t)k);
        kl_plot_name(text, names, n, size, k);
        kl_plot_black_within(cr, x + 6, y, 7, KL_LEFT, 90, text);
    }
    if (n <= MOST_NAMES) return;
    snprintf(text, sizeof text, "and %zu more", n - MOST_NAMES);
    kl_plot_text(cr, x - 2, y, 7, KL_LEFT, text);
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
        code = kl_store_file_rows(file, set, i * *step, 1, to, err);
        if (!code && set->type == KL_TYPE_F16) kl_float_from_half(*x + i * d, half, d);
    }
    free(half);
    return code;
}

/* One unit is as long along either axis: distances in the plane are those of the data. */
static void fit(struct kl_axes *a, const double *scores, size_t n)
{
    const double longest = 195, shortest = 90;
    a->x0 = a->y0 = INFINITY;
    a->x1 = a->y1 = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        a->x0 = fmin(a->x0, scores[2 * i]), a->x1 = fmax(a->x1, scores[2 * i]);
        a->y0 = fmin(a->y0, scores[2 * i + 1]), a->y1 = fmax(a->y1, scores[2 * i + 1]);
    }
    const double range = fmax(fmax(a->x1 - a->x0, a->y1 - a->y0) * 1.08, 2e-6);
    a->width = fmax((a->x1 - a->x0) / range * longest + 14, shortest);
    a->height = fmax((a->y1 - a->y0) / range * longest + 14, shortest);
    const double x = (a->x0 + a->x1) / 2, y = (a->y0 + a->y1) / 2, unit = range / longest / 2;
    a->x0 = x - a->width * unit, a->x1 = x + a->width * unit;
    a->y0 = y - a->height * unit, a->y1 = y + a->height * unit;
}

/* Returns the frame's right edge. */
static double draw(cairo_t *cr, const double *scores, const double explained[2], const int32_t *labels,
                   size_t n, size_t step, size_t all)
{
    struct kl_axes axes = { .left = 44, .top = 16 };
    char text[64], x_label[64], y_label[64];
    fit(&axes, scores, n);
    for (size_t i = 0; i < n; i++)
        draw_point(cr, kl_plot_axes_x(&axes, scores[2 * i]), kl_plot_axes_y(&axes, scores[2 * i + 1]),
                   1.5, 0.7, labels[i * step]);
    snprintf(x_label, sizeof x_label, "first component (%.1f %%)", 100 * explained[0]);
    snprintf(y_label, sizeof y_label, "second component (%.1f %%)", 100 * explained[1]);
    kl_plot_axes_draw(cr, &axes, x_label, y_label);
    if (!(explained[0] > 0))
        kl_plot_text(cr, axes.left + axes.width / 2, axes.top + axes.height / 2 - 8, 7, KL_CENTRE,
                     "all samples are equal");
    snprintf(text, sizeof text, "%zu of %zu samples; axes: share of variance", n, all);
    if (n == all) snprintf(text, sizeof text, "%zu samples; axes: share of variance", n);
    kl_plot_text(cr, axes.left, 9, 7, KL_LEFT, text);
    return axes.left + axes.width;
}

int kl_plot_pca(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    const struct kl_dataset *set = kl_store_file_find(inputs->file, "features"), *labels_set,
                            *names_set = NULL;
    float *x = NULL;
    double *scores = NULL, explained[2];
    int32_t *labels = NULL;
    char *names = NULL;
    size_t n = 0, step = 1;
    int code = kl_store_file_expect(&set, inputs->file, "features",
                                    set && set->type == KL_TYPE_F16 ? KL_TYPE_F16 : KL_TYPE_F32, 2, err);
    if (!code) code = kl_store_file_expect(&labels_set, inputs->file, "labels", KL_TYPE_I32, 1, err);
    if (!code && kl_store_file_find(inputs->file, "class_names"))
        code = kl_store_file_expect(&names_set, inputs->file, "class_names", KL_TYPE_STRING, 1, err);
    if (!code && set->dims[0] < 3)
        code = kl_fail(err, KL_EDATA, "%s: found %zu samples, expected at least 3 for two components",
                       kl_store_file_path(inputs->file), set->dims[0]);
    if (!code) code = kl_store_file_load((void **)&labels, inputs->file, labels_set, err);
    if (!code && names_set) code = kl_store_file_load((void **)&names, inputs->file, names_set, err);
    if (!code) code = load_rows(&x, &n, &step, inputs->file, set, err);
    if (!code && !(scores = malloc(2 * n * sizeof *scores)))
        code = kl_fail_memory(err, 2 * n * sizeof *scores);
    if (!code) code = kl_plot_pca_project(scores, explained, x, n, set->dims[1], err);
    if (!code) {
        double right = draw(sheet->cr, scores, explained, labels, n, step, set->dims[0]);
        if (names_set)
            draw_legend(sheet->cr, right + 12, 24, names, names_set->dims[0], names_set->item_size);
    }
    free(x), free(scores), free(labels), free(names);
    return code;
}
