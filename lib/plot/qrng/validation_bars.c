/* SPDX-License-Identifier: MIT
   Panels of the figure of validation that compare numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"
#include "plot/qrng/validation_view.h"
#include "store/store.h"

void kl_plot_validation_title(cairo_t *cr, const struct kl_axes *a, const char *text)
{
    kl_plot_colour(cr, 0, 1);
    kl_plot_text_within(cr, a->left + a->width / 2, a->top - 6, 8, KL_CENTRE, a->width + 40, text);
}

struct bar {
    const char *name;
    double value, low, high; /* interval NaN: none */
    int colour;
    bool bound; /* the value is at least this */
};

static void name_bar(cairo_t *cr, const struct kl_axes *a, const struct bar *bars, size_t i, size_t n)
{
    kl_plot_colour(cr, 0, 1);
    kl_plot_text_within(cr, kl_plot_axes_x(a, (double)i + 0.5), a->top + a->height + 11, 6.5, KL_CENTRE,
                        a->width / (double)n - 2, bars[i].name);
}

/* The value, above the bar or what it reaches. */
static void write_value(cairo_t *cr, const struct kl_axes *a, double x, const struct bar *b,
                        const char *form)
{
    char text[32] = "-";
    const size_t used = b->bound ? strlen(strcpy(text, "\xe2\x89\xa5 ")) : 0;
    const double top = isfinite(b->high) ? b->high : isfinite(b->value) ? b->value : a->y0;
    if (isfinite(b->value)) snprintf(text + used, sizeof text - used, form, b->value);
    kl_plot_colour(cr, 0, 1);
    kl_plot_text(cr, x, kl_plot_axes_y(a, top) - 3, 6.5, KL_CENTRE, text);
}

static void draw_interval(cairo_t *cr, const struct kl_axes *a, double x, const struct bar *b)
{
    if (!isfinite(b->low) || !isfinite(b->high)) return;
    kl_plot_colour(cr, 0, 0.8);
    cairo_set_line_width(cr, 0.8);
    cairo_move_to(cr, x, kl_plot_axes_y(a, b->low));
    cairo_line_to(cr, x, kl_plot_axes_y(a, b->high));
    cairo_stroke(cr);
}

/* Bars from 0 with their values and intervals; what is not known has none. */
static void draw_bars(cairo_t *cr, struct kl_axes *a, const struct bar *bars, size_t n, const char *form,
                      const char *label)
{
    a->x1 = (double)n, a->y0 = a->y1 = 0, a->no_x_numbers = true, a->whole_x = true;
    for (size_t i = 0; i < n; i++) {
        a->y0 = fmin(a->y0, 1.15 * fmin(bars[i].value, bars[i].low));
        a->y1 = fmax(a->y1, 1.15 * fmax(bars[i].value, bars[i].high));
    }
    if (!(a->y1 > a->y0) || !isfinite(a->y1) || !isfinite(a->y0)) a->y0 = 0, a->y1 = 1;
    for (size_t i = 0; i < n; i++) {
        const double x = kl_plot_axes_x(a, (double)i + 0.5), half = 0.3 * a->width / (double)n,
                     value = isfinite(bars[i].value) ? bars[i].value : 0;
        kl_plot_colour(cr, bars[i].colour, 0.8);
        cairo_rectangle(cr, x - half, kl_plot_axes_y(a, value), 2 * half,
                        kl_plot_axes_y(a, 0) - kl_plot_axes_y(a, value));
        cairo_fill(cr);
        draw_interval(cr, a, x, &bars[i]);
        write_value(cr, a, x, &bars[i], form);
        name_bar(cr, a, bars, i, n);
    }
    kl_plot_axes_draw(cr, a, NULL, label);
}

static double test_rows(const struct kl_validation *v)
{
    double n = 0;
    for (size_t i = 0; i < v->c * v->c; i++) n += (double)v->confusion[i];
    return n;
}

/* Of a share of the test rows. */
static struct bar of_rows(const char *name, double share, double rows, int colour)
{
    const struct kl_interval w =
        rows > 0 ? kl_stats_wilson(share, (size_t)rows, KL_Z95) : (struct kl_interval){ NAN, NAN };
    return (struct bar){ name, share, w.low, w.high, colour, false };
}

int kl_plot_validation_accuracies(cairo_t *cr, struct kl_axes a, const struct kl_validation *v,
                                  struct kl_error *err)
{
    double network = 0, logistic = 0;
    int code = kl_store_file_number(&network, v->file, "network/accuracy", "test", err);
    if (!code) code = kl_store_file_number(&logistic, v->file, "logistic/accuracy", "test", err);
    if (code) return code;
    const double rows = test_rows(v);
    const struct bar bars[] = { of_rows("network", network, rows, 1),
                                of_rows("logistic", logistic, rows, 2),
                                { "count of ones", kl_stats_mean(v->ones, v->d), NAN, NAN, 3, false },
                                { "chance", 1 / (double)v->c, NAN, NAN, 4, false } };
    draw_bars(cr, &a, bars, sizeof bars / sizeof *bars, "%.4f", "accuracy");
    kl_plot_validation_title(cr, &a, "classes of rows that were held out");
    return KL_OK;
}

/* Is p only a bound: one over the permutations and the order that was found, since none of them went as
   far? orders: p is of all of them. */
static int is_bound(bool *bound, double p, const struct kl_file *file, struct kl_error *err)
{
    double orders = 0, n;
    const int code = kl_plot_key_option(&n, file, "null", err);
    kl_store_file_number(&orders, file, "study/divergence", "orders", NULL); /* not in older files: 0 */
    *bound = n > 0 && orders == 0 && p * (n + 1) < 1.5;
    return code;
}

int kl_plot_validation_p(cairo_t *cr, struct kl_axes a, const struct kl_validation *v,
                         struct kl_error *err)
{
    double u = 0, p = 0, r[2] = { 0 };
    int code = kl_store_file_number(&u, v->file, "study/divergence", "log10_p_u", err);
    if (!code) code = kl_store_file_number(&p, v->file, "study/divergence", "p_devices", err);
    if (!code) code = kl_store_file_number(&r[0], v->file, "network/accuracy", "log10_p_pearson", err);
    if (!code) code = kl_store_file_number(&r[1], v->file, "network/accuracy", "log10_p_spearman", err);
    bool bound = false;
    if (!code) code = is_bound(&bound, p, v->file, err);
    const struct bar bars[] = { { "U, pairs", -u, NAN, NAN, 1, false },
                                { "U, devices", -log10(p), NAN, NAN, 2, bound },
                                { "r", -r[0], NAN, NAN, 3, false },
                                { "rho", -r[1], NAN, NAN, 4, false } };
    if (code) return code;
    draw_bars(cr, &a, bars, sizeof bars / sizeof *bars, "%.1f", "-log10 p");
    kl_plot_validation_title(cr, &a, "pairs taken for independent, devices permuted");
    return KL_OK;
}

/* Fisher's z; of ranks its variance is 1.06 times as large (Fieller, Hartley & Pearson 1957,
   doi:10.1093/biomet/44.3-4.470). */
static struct bar of_correlation(const char *name, double r, size_t n, bool ranks, int colour)
{
    const double half = n > 3 && fabs(r) < 1 ? KL_Z95 * sqrt((ranks ? 1.06 : 1) / (double)(n - 3))
                                             : NAN; /* 1: no width */
    return (struct bar){ name, r, tanh(atanh(r) - half), tanh(atanh(r) + half), colour, false };
}

int kl_plot_validation_r(cairo_t *cr, struct kl_axes a, const struct kl_validation *v,
                         struct kl_error *err)
{
    static const struct {
        const char *dataset, *name;
    } of[] = { { "network/accuracy", "network" },
               { "logistic/accuracy", "logistic" },
               { "study/divergence", "ones" } };
    struct bar bars[6];
    char names[6][24];
    for (size_t i = 0; i < 6; i++) {
        const bool ranks = i % 2;
        double r;
        const int code =
            kl_store_file_number(&r, v->file, of[i / 2].dataset, ranks ? "spearman" : "pearson", err);
        if (code) return code;
        snprintf(names[i], sizeof names[i], "%s r", of[i / 2].name);
        if (ranks) snprintf(names[i], sizeof names[i], "rho");
        bars[i] = of_correlation(names[i], r, v->d, ranks, (int)i / 2 + 1);
    }
    draw_bars(cr, &a, bars, 6, "%.3f", "correlation");
    kl_plot_validation_title(cr, &a, "of divergence and accuracy by device, 95 %");
    return KL_OK;
}

int kl_plot_validation_tasks(cairo_t *cr, struct kl_axes a, const struct kl_validation *v,
                             const struct kl_file *report, struct kl_error *err)
{
    const struct kl_dataset *names = NULL;
    double value[4] = { 0 };
    char *model = NULL, name[48], label[2][32];
    int code = kl_store_file_text(&model, report, "", "model", err);
    if (!code) code = kl_store_file_expect(&names, report, "device_names", KL_TYPE_STRING, 1, err);
    static const char *const ends[] = { "", "_low", "_high" };
    for (size_t i = 0; i < 3 && !code; i++) {
        snprintf(name, sizeof name, "%.24s_accuracy%s", model, ends[i]);
        code = kl_store_file_number(&value[i], report, "", name, err);
    }
    if (!code) code = kl_store_file_number(&value[3], v->file, "network/accuracy", "test", err);
    free(model);
    if (code) return code;
    snprintf(label[0], sizeof label[0], "of %zu devices", names->dims[0]);
    snprintf(label[1], sizeof label[1], "of %zu classes", v->c);
    const struct bar bars[] = { { label[0], value[0], value[1], value[2], 1, false },
                                { "chance", 1 / (double)names->dims[0], NAN, NAN, 4, false },
                                of_rows(label[1], value[3], test_rows(v), 2),
                                { "chance", 1 / (double)v->c, NAN, NAN, 4, false } };
    draw_bars(cr, &a, bars, sizeof bars / sizeof *bars, "%.4f", "accuracy");
    kl_plot_validation_title(cr, &a, "two tasks: a row's device, measured; its class, made");
    return KL_OK;
}
