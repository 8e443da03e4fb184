/* SPDX-License-Identifier: MIT
   What rows say about chance: their entropy, autocorrelation, runs, chi-squared against a fair coin. */
#include <math.h>
#include <stdlib.h>

#include "plot/qrng/bits_view.h"

static const double CRITICAL = 3.841; /* 95 % of chi-squared, one degree of freedom */

static double entropy(double ones, double n)
{
    const double p = ones / n;
    return p > 0 && p < 1 ? -p * log2(p) - (1 - p) * log2(1 - p) : 0;
}

static double chi_square(double ones, double n)
{
    return 4 * (ones - n / 2) * (ones - n / 2) / n;
}

struct row_value {
    double value, share;
};

static int by_value(const void *a, const void *b)
{
    const struct row_value *x = a, *y = b;
    return x->value < y->value ? -1 : x->value > y->value;
}

/* The values of f on device d's rows, in order; [n + 1], of which the number is returned. */
static size_t row_values(struct row_value *values, const struct kl_bits_view *v, size_t d,
                         double (*f)(double ones, double n))
{
    size_t n = 0;
    for (size_t c = 0; c <= v->n_bits; c++) {
        const int64_t count = v->ones[d * (v->n_bits + 1) + c];
        if (count)
            values[n++] = (struct row_value){ f((double)c, (double)v->n_bits),
                                              (double)count / (double)v->rows[d] };
    }
    qsort(values, n, sizeof *values, by_value);
    return n;
}

static double quantile(const struct row_value *values, size_t n, double level)
{
    double below = 0;
    size_t i = 0;
    while (i + 1 < n && (below += values[i].share) < level) i++;
    return values[i].value;
}

static struct kl_axes begin_places(cairo_t *cr, const struct kl_bits_view *v, int panel,
                                   const char *title)
{
    struct kl_axes axes = kl_plot_view_panel(cr, panel, title);
    axes.x0 = 0.5, axes.x1 = (double)v->n_devices + 0.5, axes.no_x_numbers = axes.whole_x = true;
    return axes;
}

/* As wide as the share of rows near each value, from the axis upwards; a line at the median. */
static void draw_violin(cairo_t *cr, const struct kl_bits_view *v, const struct kl_axes *axes, size_t d,
                        const struct row_value *values, size_t n)
{
    enum { STEPS = 60 };
    double density[STEPS] = { 0 }, most = 0;
    const double each = (axes->y1 - axes->y0) / STEPS;
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < STEPS; k++) {
            const double off = (values[i].value - axes->y0 - (k + 0.5) * each) / (2.5 * each);
            density[k] += values[i].share * exp(-off * off / 2);
            most = fmax(most, density[k]);
        }
    const double x = kl_plot_axes_x(axes, (double)d + 1),
                 half = 0.42 * axes->width / (double)v->n_devices;
    kl_plot_view_colour(cr, v, d, 0.6);
    for (int k = 0; k < STEPS; k++)
        cairo_line_to(cr, x + half * density[k] / most,
                      kl_plot_axes_y(axes, axes->y0 + (k + 0.5) * each));
    for (int k = STEPS; k-- > 0;)
        cairo_line_to(cr, x - half * density[k] / most,
                      kl_plot_axes_y(axes, axes->y0 + (k + 0.5) * each));
    cairo_close_path(cr);
    cairo_fill(cr);
    kl_plot_pen(cr, 0, 1, 0.9);
    const double y = kl_plot_axes_y(axes, quantile(values, n, 0.5));
    kl_plot_line(cr, x - half / 2, y, x + half / 2, y);
}

/* The axis leaves out the lowest 0.2 % of each device's rows: a single row would stretch it. */
static bool is_below(const struct kl_bits_view *v, const struct kl_axes *axes, size_t ones)
{
    return entropy((double)ones, (double)v->n_bits) < axes->y0;
}

static void draw_entropy(cairo_t *cr, const struct kl_bits_view *v, struct row_value *values)
{
    struct kl_axes axes = begin_places(cr, v, 0, "entropy of a row, median");
    axes.y1 = 1;
    for (size_t d = 0; d < v->n_devices; d++) {
        const size_t n = row_values(values, v, d, entropy);
        axes.y0 = fmin(axes.y0, quantile(values, n, 0.002));
    }
    axes.y0 = fmin(axes.y0, 0.999);
    for (size_t d = 0; d < v->n_devices; d++) {
        const size_t n = row_values(values, v, d, entropy);
        draw_violin(cr, v, &axes, d, values, n);
        kl_plot_view_name_place(cr, v, &axes, d);
    }
    kl_plot_axes_draw(cr, &axes,
                      v->n_devices > KL_VIEW_NAMED ? "devices, in the file's order" : "device",
                      "bits a bit");
    kl_plot_view_say_rows(cr, v, &axes, is_below, "lie below");
}

/* Box of the quarters, whiskers at 5 and 95 %, the bound of the test. */
static void draw_box(cairo_t *cr, const struct kl_bits_view *v, const struct kl_axes *axes, size_t d,
                     const struct row_value *values, size_t n)
{
    const double x = kl_plot_axes_x(axes, (double)d + 1),
                 half = 0.3 * axes->width / (double)v->n_devices;
    const double low = kl_plot_axes_y(axes, quantile(values, n, 0.25)),
                 high = kl_plot_axes_y(axes, quantile(values, n, 0.75)),
                 middle = kl_plot_axes_y(axes, quantile(values, n, 0.5));
    kl_plot_view_colour(cr, v, d, 0.6);
    kl_plot_fill(cr, x - half, high, 2 * half, low - high);
    kl_plot_view_colour(cr, v, d, 1);
    cairo_set_line_width(cr, 0.9);
    cairo_move_to(cr, x, low);
    cairo_line_to(cr, x, kl_plot_axes_y(axes, quantile(values, n, 0.05)));
    cairo_move_to(cr, x, high);
    cairo_line_to(cr, x, kl_plot_axes_y(axes, quantile(values, n, 0.95)));
    cairo_stroke(cr);
    kl_plot_colour(cr, 0, 1);
    kl_plot_line(cr, x - half, middle, x + half, middle);
}

static void draw_chi_square(cairo_t *cr, const struct kl_bits_view *v, struct row_value *values)
{
    struct kl_axes axes = begin_places(cr, v, 3, "chi-squared of a row; line: 95 % of fair rows");
    axes.y0 = 0, axes.y1 = 1.5 * CRITICAL;
    for (size_t d = 0; d < v->n_devices; d++) {
        const size_t n = row_values(values, v, d, chi_square);
        axes.y1 = fmax(axes.y1, 1.06 * quantile(values, n, 0.95));
    }
    kl_plot_pen(cr, 0, 0.6, 0.6);
    kl_plot_axes_level(cr, &axes, CRITICAL);
    for (size_t d = 0; d < v->n_devices; d++) {
        const size_t n = row_values(values, v, d, chi_square);
        draw_box(cr, v, &axes, d, values, n);
        kl_plot_view_name_place(cr, v, &axes, d);
    }
    kl_plot_axes_draw(cr, &axes,
                      v->n_devices > KL_VIEW_NAMED ? "devices, in the file's order" : "device",
                      "chi-squared, df 1");
    kl_plot_view_caption(cr, &axes, "box: quartiles and median; whiskers: 5 to 95 % of the rows");
}

/* A value on the panel's scale. */
static double scaled(const struct kl_axes *axes, double value)
{
    if (axes->log_y) value = value > 0 ? log10(value) : -INFINITY;
    return fmin(fmax(value, axes->y0), axes->y1);
}

/* Points with two standard errors at 1, 2, ...; the devices side by side. */
static void draw_series(cairo_t *cr, const struct kl_bits_view *v, const struct kl_axes *axes,
                        const double *values, const double *errors, size_t stride, size_t n)
{
    cairo_set_line_width(cr, 0.6);
    for (size_t i = 0; i < v->n_devices * n; i++) {
        const size_t d = i / n, k = i % n;
        const double aside = 0.4 * (((double)d + 0.5) / (double)v->n_devices - 0.5);
        const double at = values[d * stride + k], error = 2 * errors[d * stride + k];
        const double x = kl_plot_axes_x(axes, (double)k + 1 + aside);
        if (!isfinite(at) || (axes->log_y && !(at > 0))) continue;
        kl_plot_view_colour(cr, v, d, v->n_devices > KL_VIEW_NAMED ? 0.4 : 0.9);
        kl_plot_axes_upright(cr, axes, x, scaled(axes, at - error), scaled(axes, at + error));
        kl_plot_mark(cr, x, kl_plot_axes_y(axes, scaled(axes, at)), 1.3, KL_CIRCLE);
    }
}

static void draw_autocorrelation(cairo_t *cr, const struct kl_bits_view *v)
{
    struct kl_axes axes = kl_plot_view_panel(cr, 1, "autocorrelation in a row, two standard errors");
    axes.x0 = 0.4, axes.x1 = (double)v->n_lags + 0.6, axes.whole_x = true;
    for (size_t i = 0; i < v->n_devices * v->n_lags; i++) {
        const double ends[] = { v->lag[i] - 2 * v->lag_se[i], v->lag[i] + 2 * v->lag_se[i] };
        kl_plot_view_widen(&axes, ends, 2);
    }
    kl_plot_view_margin(&axes);
    draw_series(cr, v, &axes, v->lag, v->lag_se, v->n_lags, v->n_lags);
    kl_plot_axes_draw(cr, &axes, "lag, bits; of n independent ones -1 / (n - 1)", "autocorrelation");
    kl_plot_view_legend(cr, v, &axes);
}

/* Runs of more than so many bits a row, of the device that has the most. */
static double longer_runs(const struct kl_bits_view *v, size_t shown)
{
    double most = 0;
    for (size_t d = 0; d < v->n_devices; d++) {
        double longer = 0;
        for (size_t i = shown; i < v->n_runs; i++) longer += v->runs[d * v->n_runs + i];
        most = fmax(most, longer);
    }
    return most;
}

/* Logarithmic, since each bit more about halves their number. */
static void draw_runs(cairo_t *cr, const struct kl_bits_view *v)
{
    enum { SHOWN = 14 };
    struct kl_axes axes = kl_plot_view_panel(cr, 2, "runs of equal bits, two standard errors");
    const size_t shown = v->n_runs < SHOWN ? v->n_runs : SHOWN;
    const double longer = longer_runs(v, shown);
    char text[80];
    axes.x0 = 0.4, axes.x1 = (double)shown + 0.6, axes.whole_x = axes.log_y = true;
    for (size_t i = 0; i < v->n_devices * shown; i++) {
        const double runs = v->runs[i / shown * v->n_runs + i % shown], power = log10(runs);
        if (runs > 0) kl_plot_view_widen(&axes, &power, 1);
    }
    if (!(axes.y0 <= axes.y1)) axes.y0 = axes.y1 = 0;
    axes.y0 = floor(axes.y0), axes.y1 = fmax(ceil(axes.y1), axes.y0 + 1);
    draw_series(cr, v, &axes, v->runs, v->runs_se, v->n_runs, shown);
    kl_plot_axes_draw(cr, &axes, "length of the run, bits", "runs a row");
    snprintf(text, sizeof text, "runs of more than %zu bits are left out: at most %.2g a row", shown,
             longer);
    if (longer > 0) kl_plot_view_caption(cr, &axes, text);
    kl_plot_view_legend(cr, v, &axes);
}

int kl_plot_bit_tests(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs,
                      struct kl_error *err)
{
    struct kl_bits_view v;
    struct row_value *values = NULL;
    int code = kl_plot_bits_view_load(&v, inputs->file, err);
    if (!code && !(values = malloc((v.n_bits + 1) * sizeof *values)))
        code = kl_fail_memory(err, (v.n_bits + 1) * sizeof *values);
    if (!code) {
        draw_entropy(sheet->cr, &v, values);
        draw_autocorrelation(sheet->cr, &v);
        draw_runs(sheet->cr, &v);
        draw_chi_square(sheet->cr, &v, values);
    }
    free(values);
    kl_plot_bits_view_free(&v);
    return code;
}
