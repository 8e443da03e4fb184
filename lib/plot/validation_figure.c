/* SPDX-License-Identifier: MIT
   What the study of thirty devices is worth: its classifiers beside counting ones and beside chance; its
   p-values beside those that permute whole devices; the line through divergence and accuracy, with its
   band and residuals. */
#include <math.h>
#include <stdlib.h>

#include "metrics/metrics.h"
#include "plot/plot.h"
#include "store/store.h"

enum { STEPS = 60 };

struct validation {
    double *mean, *accuracy; /* [d]: study's divergence to the others; the network's on all rows */
    int32_t *class;
    size_t d, n_classes;
    double slope, level, centre, xx, scatter, t; /* of the fit; scatter: residual deviation */
};

static int load(void **data, size_t *d, struct kl_file *f, const char *name, enum kl_type type,
                struct kl_error *err)
{
    const struct kl_dataset *set;
    int code = kl_file_expect(&set, f, name, type, 1, err);
    if (!code && *d && set->dims[0] != *d)
        code = kl_fail(err, KL_EDATA, "%s: %s: expected %zu devices", kl_file_path(f), name, *d);
    if (code) return code;
    *d = set->dims[0];
    return kl_file_load(data, f, set, err);
}

/* Least squares of accuracy on divergence. */
static void fit(struct validation *v)
{
    double xy = 0, squares = 0;
    v->centre = kl_mean(v->mean, v->d), v->level = kl_mean(v->accuracy, v->d);
    for (size_t i = 0; i < v->d; i++) {
        v->xx += pow(v->mean[i] - v->centre, 2);
        xy += (v->mean[i] - v->centre) * (v->accuracy[i] - v->level);
    }
    v->slope = v->xx > 0 ? xy / v->xx : 0;
    for (size_t i = 0; i < v->d; i++)
        squares += pow(v->accuracy[i] - v->level - v->slope * (v->mean[i] - v->centre), 2);
    v->scatter = v->d > 2 ? sqrt(squares / (double)(v->d - 2)) : 0;
    v->t = v->d > 2 ? kl_student_quantile(0.95, v->d - 2) : 0;
}

static int load_validation(struct validation *v, struct kl_file *f, struct kl_error *err)
{
    int code = load((void **)&v->class, &v->d, f, "class", KL_TYPE_I32, err);
    if (!code) code = load((void **)&v->mean, &v->d, f, "study/mean", KL_TYPE_F64, err);
    if (!code) code = load((void **)&v->accuracy, &v->d, f, "network/accuracy", KL_TYPE_F64, err);
    for (size_t i = 0; i < v->d && !code; i++)
        if (v->class[i] < 0 || (size_t)v->class[i] >= v->d)
            code = kl_fail(err, KL_EDATA, "%s: class %d of device %zu, expected 0 to %zu",
                           kl_file_path(f), v->class[i], i, v -> d - 1);
        else if ((size_t)v->class[i] >= v->n_classes) v->n_classes = (size_t)v->class[i] + 1;
    if (!code) fit(v);
    return code;
}

static void title(cairo_t *cr, const struct kl_axes *a, const char *text)
{
    kl_colour(cr, 0, 1);
    kl_text_within(cr, a->left + a->width / 2, a->top - 6, 8, KL_CENTRE, a->width + 40, text);
}

struct bar {
    const char *name;
    double value;
};

/* Bars with their values; NaN is left out. */
static void draw_bars(cairo_t *cr, struct kl_axes *a, const struct bar *bars, size_t n, const char *form,
                      const char *label)
{
    a->x1 = (double)n, a->y0 = 0, a->no_x_numbers = true, a->whole_x = true;
    for (size_t i = 0; i < n; i++)
        if (isfinite(bars[i].value)) a->y1 = fmax(a->y1, 1.15 * bars[i].value);
    for (size_t i = 0; i < n; i++) {
        const double left = kl_axes_x(a, (double)i + 0.2), right = kl_axes_x(a, (double)i + 0.8),
                     y = kl_axes_y(a, isfinite(bars[i].value) ? bars[i].value : 0);
        char text[24];
        kl_colour(cr, (int)i + 1, 0.8);
        cairo_rectangle(cr, left, y, right - left, a->top + a->height - y);
        cairo_fill(cr);
        kl_colour(cr, 0, 1);
        snprintf(text, sizeof text, form, bars[i].value);
        kl_text(cr, (left + right) / 2, y - 3, 6.5, KL_CENTRE, isfinite(bars[i].value) ? text : "-");
        kl_text_within(cr, (left + right) / 2, a->top + a->height + 11, 6.5, KL_CENTRE,
                       a->width / (double)n - 2, bars[i].name);
    }
    kl_axes_draw(cr, a, NULL, label);
}

static int draw_accuracies(cairo_t *cr, struct kl_axes a, const struct validation *v, struct kl_file *f,
                           struct kl_error *err)
{
    double *ones = NULL, tests[2] = { 0 };
    size_t d = v->d;
    int code = kl_file_number(&tests[0], f, "network/accuracy", "test", err);
    if (!code) code = kl_file_number(&tests[1], f, "logistic/accuracy", "test", err);
    if (!code) code = load((void **)&ones, &d, f, "accuracy", KL_TYPE_F64, err);
    if (code) return code;
    const struct bar bars[] = { { "network", tests[0] },
                                { "logistic", tests[1] },
                                { "count of ones", kl_mean(ones, d) },
                                { "chance", 1 / (double)v->n_classes } };
    a.y1 = 0;
    draw_bars(cr, &a, bars, sizeof bars / sizeof *bars, "%.4f", "accuracy");
    title(cr, &a, "classes of rows that were held out");
    free(ones);
    return KL_OK;
}

static int draw_p(cairo_t *cr, struct kl_axes a, struct kl_file *f, struct kl_error *err)
{
    double u = 0, p = 0, r[2] = { 0 };
    int code = kl_file_number(&u, f, "study/divergence", "log10_p_u", err);
    if (!code) code = kl_file_number(&p, f, "study/divergence", "p_devices", err);
    if (!code) code = kl_file_number(&r[0], f, "network/accuracy", "log10_p_pearson", err);
    if (!code) code = kl_file_number(&r[1], f, "network/accuracy", "log10_p_spearman", err);
    const struct bar bars[] = {
        { "U, pairs", -u }, { "U, devices", -log10(p) }, { "r", -r[0] }, { "rho", -r[1] }
    };
    if (code) return code;
    a.y1 = 0;
    draw_bars(cr, &a, bars, sizeof bars / sizeof *bars, "%.1f", "-log10 p");
    title(cr, &a, "pairs taken for independent, devices permuted");
    return KL_OK;
}

static double line_at(const struct validation *v, double x)
{
    return v->level + v->slope * (x - v->centre);
}

/* 95 % of the line's mean. */
static double band_at(const struct validation *v, double x)
{
    if (!(v->xx > 0)) return 0;
    return v->t * v->scatter * sqrt(1 / (double)v->d + pow(x - v->centre, 2) / v->xx);
}

/* Divergence across; the accuracies with the line, or what they are above it. */
static void draw_fit(cairo_t *cr, struct kl_axes a, const struct validation *v, bool residuals)
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
        kl_colour(cr, 0, line ? 0.35 : 0.7);
        cairo_set_line_width(cr, 0.8);
        for (int k = 0; k <= STEPS; k++) {
            const double x = a.x0 + (a.x1 - a.x0) * k / STEPS;
            const double y = residuals ? 2 * v->scatter * line : line_at(v, x) + line * band_at(v, x);
            cairo_line_to(cr, kl_axes_x(&a, x), kl_axes_y(&a, y));
        }
        cairo_stroke(cr);
    }
    cairo_restore(cr);
    for (size_t i = 0; i < v->d; i++) {
        const double y = v->accuracy[i] - (residuals ? line_at(v, v->mean[i]) : 0);
        kl_colour(cr, v->class[i] + 1, 0.9);
        kl_mark(cr, kl_axes_x(&a, v->mean[i]), kl_axes_y(&a, y), 2.2,
                (enum kl_mark)(v->class[i] % KL_N_MARKS));
    }
    kl_axes_draw(cr, &a, "mean divergence to the others, nats",
                 residuals ? "accuracy above the line" : "accuracy, training rows included");
    title(cr, &a,
          residuals ? "residuals, twice their deviation" : "the network by device, 95 % of the line");
}

int kl_draw_validation(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs,
                       struct kl_error *err)
{
    struct validation v = { 0 };
    const struct kl_axes a = { .left = 50, .top = 18, .width = 185, .height = 130, .x1 = 1, .y1 = 1 };
    struct kl_axes b = a, c = a, d = a;
    b.left = d.left = 310, c.top = d.top = 205;
    int code = load_validation(&v, inputs->file, err);
    if (!code) code = draw_accuracies(sheet->cr, a, &v, inputs->file, err);
    if (!code) code = draw_p(sheet->cr, b, inputs->file, err);
    if (!code) {
        draw_fit(sheet->cr, c, &v, false);
        draw_fit(sheet->cr, d, &v, true);
    }
    free(v.mean), free(v.accuracy), free(v.class);
    return code;
}
