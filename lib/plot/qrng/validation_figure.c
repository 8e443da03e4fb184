/* SPDX-License-Identifier: MIT
   The validation of classifiers on devices of known laws. */
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"

struct kl_validation {
    struct kl_file *file;
    double *mean, *accuracy; /* [d]: study's divergence to the others; the network's on all rows */
    double *divergence;      /* [d, d]: the study's */
    double *ones;            /* [d]: held-out accuracy by the count of ones */
    int64_t *confusion;      /* [c, c] [true][named]: the network's, of test rows */
    int32_t *class;          /* [d] */
    size_t d, c;
    double slope, level, centre, xx, scatter, t; /* of the fit; scatter: residual deviation */
};

/* rank 1: [d]; 2: [d, d]. d 0: is found out. */
static int load(void **data, size_t *d, struct kl_file *f, const char *name, enum kl_type type, int rank,
                struct kl_error *err)
{
    const struct kl_dataset *set;
    int code = kl_store_file_expect(&set, f, name, type, rank, err);
    if (code) return code;
    if (!*d) *d = set->dims[0];
    for (int i = 0; i < rank; i++)
        if (set->dims[i] != *d)
            return kl_fail(err, KL_EDATA, "%s: %s: expected %zu instead of %zu", kl_store_file_path(f),
                           name, *d, set->dims[i]);
    return kl_store_file_load(data, f, set, err);
}

/* Least squares of accuracy on divergence. */
static void fit(struct kl_validation *v)
{
    double xy = 0, squares = 0;
    v->centre = kl_stats_mean(v->mean, v->d), v->level = kl_stats_mean(v->accuracy, v->d);
    for (size_t i = 0; i < v->d; i++) {
        v->xx += pow(v->mean[i] - v->centre, 2);
        xy += (v->mean[i] - v->centre) * (v->accuracy[i] - v->level);
    }
    v->slope = v->xx > 0 ? xy / v->xx : 0;
    for (size_t i = 0; i < v->d; i++)
        squares += pow(v->accuracy[i] - v->level - v->slope * (v->mean[i] - v->centre), 2);
    v->scatter = v->d > 2 ? sqrt(squares / (double)(v->d - 2)) : 0;
    v->t = v->d > 2 ? kl_stats_student_quantile(0.95, v->d - 2) : 0;
}

static int check_classes(const struct kl_validation *v, struct kl_error *err)
{
    for (size_t i = 0; i < v->d; i++)
        if (v->class[i] < 0 || (size_t)v->class[i] >= v->c)
            return kl_fail(err, KL_EDATA, "%s: class %d of device %zu, expected 0 to %zu",
                           kl_store_file_path(v->file), v->class[i], i, v -> c - 1);
    for (size_t i = 0; i < v->c * v->c; i++)
        if (v->confusion[i] < 0)
            return kl_fail(err, KL_EDATA, "%s: network/confusion: found %lld rows",
                           kl_store_file_path(v->file), (long long)v->confusion[i]);
    return KL_OK;
}

static int validation_load(struct kl_validation *v, struct kl_file *f, struct kl_error *err)
{
    *v = (struct kl_validation){ .file = f };
    int code = load((void **)&v->class, &v->d, f, "class", KL_TYPE_I32, 1, err);
    if (!code) code = load((void **)&v->mean, &v->d, f, "study/mean", KL_TYPE_F64, 1, err);
    if (!code) code = load((void **)&v->divergence, &v->d, f, "study/divergence", KL_TYPE_F64, 2, err);
    if (!code) code = load((void **)&v->accuracy, &v->d, f, "network/accuracy", KL_TYPE_F64, 1, err);
    if (!code) code = load((void **)&v->ones, &v->d, f, "accuracy", KL_TYPE_F64, 1, err);
    if (!code) code = load((void **)&v->confusion, &v->c, f, "network/confusion", KL_TYPE_I64, 2, err);
    if (!code) code = check_classes(v, err);
    if (!code) fit(v);
    return code;
}

/* KL_EDATA: not of this form; KL_ENOMEM. Free with validation_free in every case. */
static void validation_free(struct kl_validation *v)
{
    free(v->mean), free(v->accuracy), free(v->class), free(v->divergence), free(v->ones);
    free(v->confusion);
}

/* ---- Panels of the figure of validation that compare numbers ---- */

/* ---- panels of bars (validation_figure.c): within the axes' frame. KL_EDATA, KL_ENOMEM ---- */
static void validation_title(cairo_t *cr, const struct kl_axes *a, const char *text)
{
    kl_plot_black_within(cr, a->left + a->width / 2, a->top - 6, 8, KL_CENTRE, a->width + 40, text);
}

struct bar {
    const char *name;
    double value, low, high; /* interval NaN: none */
    int colour;
    bool bound; /* the value is at least this */
};

static void name_bar(cairo_t *cr, const struct kl_axes *a, const struct bar *bars, size_t i, size_t n)
{
    kl_plot_black_within(cr, kl_plot_axes_x(a, (double)i + 0.5), a->top + a->height + 11, 6.5, KL_CENTRE,
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
    kl_plot_black(cr, x, kl_plot_axes_y(a, top) - 3, 6.5, KL_CENTRE, text);
}

static void draw_interval(cairo_t *cr, const struct kl_axes *a, double x, const struct bar *b)
{
    if (!isfinite(b->low) || !isfinite(b->high)) return;
    kl_plot_pen(cr, 0, 0.8, 0.8);
    kl_plot_axes_upright(cr, a, x, b->low, b->high);
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
        kl_plot_fill(cr, x - half, kl_plot_axes_y(a, value), 2 * half,
                     kl_plot_axes_y(a, 0) - kl_plot_axes_y(a, value));
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

/* Test rows whose class is named, by what. */
static int validation_accuracies(cairo_t *cr, struct kl_axes a, const struct kl_validation *v,
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
    validation_title(cr, &a, "classes of rows that were held out");
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

/* p-values, of pairs as if independent and of permuted devices. */
static int validation_p(cairo_t *cr, struct kl_axes a, const struct kl_validation *v,
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
    validation_title(cr, &a, "pairs taken for independent, devices permuted");
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

/* Correlations of divergence and accuracy, with their intervals. */
static int validation_r(cairo_t *cr, struct kl_axes a, const struct kl_validation *v,
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
    validation_title(cr, &a, "of divergence and accuracy by device, 95 %");
    return KL_OK;
}

/* The classifier of measured devices, from its report, beside that of the synthetic ones' classes. */
static int validation_tasks(cairo_t *cr, struct kl_axes a, const struct kl_validation *v,
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
    validation_title(cr, &a, "two tasks: a row's device, measured; its class, made");
    return KL_OK;
}

/* ---- validation figure ----
   What the study of thirty devices is worth: its classifiers beside counting ones and beside chance, and
   what they confuse; its p-values beside those that permute whole devices; its correlations; the line
   through divergence and accuracy, with its band and residuals; all divergences; and beside a report on
   measured devices, how it compares. */

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
    kl_plot_axes_clip(cr, &a);
    for (int line = -1; line <= 1; line++) {
        kl_plot_pen(cr, 0, line ? 0.35 : 0.7, 0.8);
        for (int k = 0; k <= STEPS; k++) {
            const double x = a.x0 + (a.x1 - a.x0) * k / STEPS;
            const double y = residuals ? 2 * v->scatter * line : line_at(v, x) + line * band_at(v, x);
            kl_plot_axes_to(cr, &a, x, y);
        }
        cairo_stroke(cr);
    }
    cairo_restore(cr);
    for (size_t i = 0; i < v->d; i++) {
        const double y = v->accuracy[i] - (residuals ? line_at(v, v->mean[i]) : 0);
        kl_plot_colour(cr, v->class[i] + 1, 0.9);
        kl_plot_axes_mark(cr, &a, v->mean[i], y, 2.2, (enum kl_mark)(v->class[i] % KL_N_MARKS));
    }
    kl_plot_axes_draw(cr, &a, "mean divergence to the others, nats",
                      residuals ? "accuracy above the line" : "accuracy, training rows included");
    validation_title(cr, &a,
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
        kl_plot_fill(cr, a.left + wide * (double)p, a.top + high * (double)t, wide, high);
        if (share > 0.6) cairo_set_source_rgb(cr, 1, 1, 1);
        else kl_plot_colour(cr, 0, 1);
        snprintf(text, sizeof text, "%.1f", 100 * share);
        kl_plot_text(cr, a.left + wide * ((double)p + 0.5), a.top + high * ((double)t + 0.5) + 2.5, 7,
                     KL_CENTRE, text);
    }
    kl_plot_axes_draw_x(cr, &a, "class named");
    kl_plot_text_upwards(cr, a.left - 10, a.top + a.height / 2, 8, KL_CENTRE, INFINITY,
                         "class, 0 on top");
    validation_title(cr, &a, "the network: % of each class's test rows");
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
        kl_plot_black(cr, kl_plot_axes_x(&a, k), a.top + a.height + 11, 7, KL_CENTRE, text);
    }
    kl_plot_axes_draw(cr, &a, "the study's divergence, nats", "% of the pairs");
    validation_title(cr, &a, "every pair of devices");
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
    int code = validation_load(&v, inputs->file, err);
    if (!code) code = validation_accuracies(cr, panel(0), &v, err);
    if (!code) code = validation_p(cr, panel(2), &v, err);
    if (!code) code = validation_r(cr, panel(3), &v, err);
    if (!code && report) code = validation_tasks(cr, panel(7), &v, report, err);
    if (!code) {
        draw_confusion(cr, panel(1), &v);
        draw_fit(cr, panel(4), &v, false);
        draw_fit(cr, panel(5), &v, true);
        draw_pairs(cr, panel(6), &v);
    }
    validation_free(&v);
    return code;
}
