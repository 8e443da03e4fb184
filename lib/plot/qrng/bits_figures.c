/* SPDX-License-Identifier: MIT
   Frequencies of bits and of symbols, transitions between them. */
#include "plot/qrng/bits_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/store.h"

static const double LEFT = 44, TOP = 18, WIDTH = 176, HEIGHT = 120, ACROSS = 252, DOWN = 176;

static int load(void **data, size_t *width, const struct kl_bits_view *v, struct kl_file *file,
                const char *name, enum kl_type type, int rank, struct kl_error *err)
{
    const struct kl_dataset *set;
    int code = kl_store_file_expect(&set, file, name, type, rank, err);
    if (!code && (set->dims[0] != v->n_devices || (rank == 2 && *width && set->dims[1] != *width)))
        code = kl_fail(err, KL_EDATA, "%s: %s: expected %zu devices", kl_store_file_path(file), name,
                       v->n_devices);
    if (code) return code;
    if (rank == 2) *width = set->dims[1];
    return kl_store_file_load(data, file, set, err);
}

int kl_plot_bits_view_load(struct kl_bits_view *v, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *names;
    size_t one = 1, four = 4, ones = 0;
    *v = (struct kl_bits_view){ 0 };
    int code = kl_store_file_load_named((void **)&v->names, &names, file, "class_names", KL_TYPE_STRING,
                                        1, err);
    if (code) return code;
    v->n_devices = names->dims[0], v->name_size = names->item_size;
    const struct {
        void *data;
        size_t *width;
        const char *name;
        int rank;
        enum kl_type type;
    } sets[] = {
        { &v->rows, &one, "device_stats/rows", 1, KL_TYPE_I64 },
        { &v->ones, &ones, "device_stats/ones_histogram", 2, KL_TYPE_I64 },
        { &v->rate, &one, "device_stats/rate", 1, KL_TYPE_F64 },
        { &v->rate_se, &one, "device_stats/rate_se", 1, KL_TYPE_F64 },
        { &v->position, &v->n_bits, "device_stats/position_rate", 2, KL_TYPE_F64 },
        { &v->lag, &v->n_lags, "device_stats/autocorrelation", 2, KL_TYPE_F64 },
        { &v->lag_se, &v->n_lags, "device_stats/autocorrelation_se", 2, KL_TYPE_F64 },
        { &v->runs, &v->n_runs, "device_stats/run_lengths_per_row", 2, KL_TYPE_F64 },
        { &v->runs_se, &v->n_runs, "device_stats/run_lengths_per_row_se", 2, KL_TYPE_F64 },
        { &v->conditional, &four, "device_stats/transition_conditional", 2, KL_TYPE_F64 },
        { &v->conditional_se, &four, "device_stats/transition_conditional_se", 2, KL_TYPE_F64 },
    };
    for (size_t i = 0; i < sizeof sets / sizeof *sets && !code; i++)
        code = load(sets[i].data, sets[i].width, v, file, sets[i].name, sets[i].type, sets[i].rank, err);
    if (!code && (v->n_devices == 0 || ones != v->n_bits + 1))
        code = kl_fail(err, KL_EDATA, "%s: device_stats/ones_histogram: expected one more than bits",
                       kl_store_file_path(file));
    return code;
}

void kl_plot_bits_view_free(struct kl_bits_view *v)
{
    free(v->names), free(v->rows), free(v->ones), free(v->rate), free(v->rate_se), free(v->position);
    free(v->lag), free(v->lag_se), free(v->runs), free(v->runs_se);
    free(v->conditional), free(v->conditional_se);
}

void kl_plot_view_colour(cairo_t *cr, const struct kl_bits_view *v, size_t d, double alpha)
{
    if (v->n_devices < KL_N_COLOURS) kl_plot_colour(cr, (int)d + 1, alpha);
    else kl_plot_ramp(cr, d, v->n_devices, alpha);
}

void kl_plot_view_legend(cairo_t *cr, const struct kl_bits_view *v, const struct kl_axes *axes)
{
    char text[KL_NAME];
    for (size_t d = 0; d < v->n_devices && v->n_devices <= KL_VIEW_NAMED; d++) {
        kl_plot_name(text, v->names, v->n_devices, v->name_size, d);
        kl_plot_view_colour(cr, v, d, 1);
        kl_plot_text_within(cr, axes->left + axes->width + 4, axes->top + 6 + 9 * (double)d, 6.5,
                            KL_LEFT, 30, text);
    }
}

struct kl_axes kl_plot_view_panel(cairo_t *cr, int i, const char *title)
{
    const struct kl_axes first = { LEFT, TOP, WIDTH, HEIGHT, .y0 = INFINITY, .y1 = -INFINITY },
                         axes = kl_plot_axes_panel(cr, first, i, ACROSS, DOWN);
    kl_plot_black_within(cr, axes.left + WIDTH / 2, axes.top - 6, 7.5, KL_CENTRE, WIDTH + 40, title);
    return axes;
}

void kl_plot_view_caption(cairo_t *cr, const struct kl_axes *axes, const char *text)
{
    kl_plot_black_within(cr, axes->left + axes->width / 2, axes->top + axes->height + 32, 7, KL_CENTRE,
                         axes->width + 40, text);
}

void kl_plot_view_say_rows(cairo_t *cr, const struct kl_bits_view *v, const struct kl_axes *axes,
                           bool (*left_out)(const struct kl_bits_view *v, const struct kl_axes *axes,
                                            size_t ones),
                           const char *where)
{
    char text[80];
    int64_t out = 0, all = 0;
    for (size_t i = 0; i < v->n_devices * (v->n_bits + 1); i++) {
        all += v->ones[i];
        if (left_out(v, axes, i % (v->n_bits + 1))) out += v->ones[i];
    }
    snprintf(text, sizeof text, "%lld of %lld rows %s", (long long)out, (long long)all, where);
    if (out) kl_plot_view_caption(cr, axes, text);
}

void kl_plot_view_widen(struct kl_axes *axes, const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) kl_plot_axes_widen(axes, values[i]);
}

void kl_plot_view_margin(struct kl_axes *axes)
{
    if (!(axes->y0 <= axes->y1)) axes->y0 = 0, axes->y1 = 1;
    const double range = axes->y1 - axes->y0;
    const double margin = range > 1e-9 ? fmax(0.06 * range, 1e-3 * fabs(axes->y1)) : 0.05;
    axes->y0 -= margin;
    axes->y1 += margin;
}

void kl_plot_view_name_place(cairo_t *cr, const struct kl_bits_view *v, const struct kl_axes *axes,
                             size_t d)
{
    char text[KL_NAME];
    if (v->n_devices > KL_VIEW_NAMED) return;
    kl_plot_name(text, v->names, v->n_devices, v->name_size, d);
    kl_plot_black_within(cr, kl_plot_axes_x(axes, (double)d + 1), axes->top + axes->height + 10, 6.5,
                         KL_CENTRE, 0.95 * axes->width / (double)v->n_devices, text);
}

/* ---- frequency figure ----
   How often devices deliver ones: by position, in all, its variance, and how many a row has. */

enum { BINS = 20 };

/* A line a device: of(rate) at each position, or of the mean rate of as many as one place stands for. */
static void draw_positions(cairo_t *cr, const struct kl_bits_view *v, int panel, const char *label,
                           const char *title, double (*of)(double rate))
{
    const size_t width = kl_plot_bin_width(v->n_bits), places = (v->n_bits + width - 1) / width;
    char text[96];
    snprintf(text, sizeof text, "%s, means of %zu", title, width);
    struct kl_axes axes = kl_plot_view_panel(cr, panel, width > 1 ? text : title);
    axes.x0 = 0.5, axes.x1 = (double)v->n_bits + 0.5, axes.whole_x = true; /* the first is 1 */
    for (int drawing = 0; drawing < 2; drawing++) { /* first how far the axis must reach */
        if (drawing) kl_plot_view_margin(&axes);
        cairo_set_line_width(cr, v->n_devices > KL_VIEW_NAMED ? 0.3 : 0.7);
        for (size_t d = 0; d < v->n_devices; d++) {
            kl_plot_view_colour(cr, v, d, v->n_devices > KL_VIEW_NAMED ? 0.5 : 0.9);
            for (size_t k = 0; k < places; k++) {
                double x;
                const double y =
                    of(kl_plot_bin_mean(&x, v->position + d * v->n_bits, v->n_bits, width, k));
                if (drawing) kl_plot_axes_to(cr, &axes, x + 1, y);
                else kl_plot_view_widen(&axes, &y, 1);
            }
            if (drawing) cairo_stroke(cr);
        }
    }
    kl_plot_axes_draw(cr, &axes, "position in the row", label);
    kl_plot_view_legend(cr, v, &axes);
}

static double same(double rate)
{
    return rate;
}

static double variance(double rate)
{
    return rate * (1 - rate);
}

/* Marks with two standard errors, and the line of a fair coin. */
static void draw_rates(cairo_t *cr, const struct kl_bits_view *v)
{
    struct kl_axes axes = kl_plot_view_panel(cr, 1, "rate of ones, two standard errors");
    axes.x0 = 0.5, axes.x1 = (double)v->n_devices + 0.5, axes.no_x_numbers = axes.whole_x = true;
    const double fair = 0.5;
    kl_plot_view_widen(&axes, &fair, 1);
    for (size_t d = 0; d < v->n_devices; d++) {
        const double ends[] = { v->rate[d] - 2 * v->rate_se[d], v->rate[d] + 2 * v->rate_se[d] };
        kl_plot_view_widen(&axes, ends, 2);
    }
    kl_plot_view_margin(&axes);
    kl_plot_pen(cr, 0, 0.5, 0.5);
    kl_plot_axes_level(cr, &axes, fair);
    for (size_t d = 0; d < v->n_devices; d++) {
        const double x = kl_plot_axes_x(&axes, (double)d + 1), room = axes.width / (double)v->n_devices;
        kl_plot_view_colour(cr, v, d, 1);
        cairo_set_line_width(cr, fmin(1.2, 0.4 * room));
        kl_plot_axes_upright(cr, &axes, x, v->rate[d] - 2 * v->rate_se[d],
                             v->rate[d] + 2 * v->rate_se[d]);
        kl_plot_mark(cr, x, kl_plot_axes_y(&axes, v->rate[d]), fmin(3, 0.35 * room), KL_CIRCLE);
        kl_plot_view_name_place(cr, v, &axes, d);
    }
    kl_plot_axes_draw(cr, &axes,
                      v->n_devices > KL_VIEW_NAMED ? "devices, in the file's order" : "device",
                      "rate of 1");
}

/* Counts of device d in bins of `width` numbers of ones from `first` on, as shares of its rows. */
static void fill_bins(double bins[BINS], const struct kl_bits_view *v, size_t d, size_t first,
                      size_t width)
{
    for (int k = 0; k < BINS; k++) bins[k] = 0;
    for (size_t c = 0; c <= v->n_bits; c++) {
        if (c < first) continue;
        const size_t k = (c - first) / width;
        if (k < BINS) bins[k] += (double)v->ones[d * (v->n_bits + 1) + c] / (double)v->rows[d];
    }
}

/* Bins so wide that 20 of them hold what occurs: 30, 32, ..., 70 for the study's rows of 100. */
static void choose_bins(size_t *first, size_t *width, const struct kl_bits_view *v)
{
    size_t least = v->n_bits, most = 0;
    for (size_t d = 0; d < v->n_devices; d++) {
        int64_t below = 0;
        for (size_t c = 0; c <= v->n_bits; c++) {
            below += v->ones[d * (v->n_bits + 1) + c];
            if (below * 1000 > v->rows[d] && c < least) least = c;
            if (below * 1000 < v->rows[d] * 999 && c + 1 > most) most = c + 1;
        }
    }
    if (most < least) most = least;
    *width = (most - least) / BINS + 1;
    *first = least - (BINS * *width - (most - least + 1)) / 2;
    if (*first > least) *first = 0;
    *first -= *first % *width;
}

/* Bins hold all but a thousandth of each device's rows at either end. */
static bool is_outside(const struct kl_bits_view *v, const struct kl_axes *axes, size_t ones)
{
    (void)v;
    return (double)ones < axes->x0 || (double)ones >= axes->x1;
}

static void draw_histogram(cairo_t *cr, const struct kl_bits_view *v)
{
    struct kl_axes axes = kl_plot_view_panel(cr, 3, "ones in a row");
    double bins[BINS];
    size_t first, width;
    choose_bins(&first, &width, v);
    axes.x0 = (double)first, axes.x1 = (double)(first + BINS * width), axes.y0 = 0;
    for (size_t d = 0; d < v->n_devices; d++) {
        fill_bins(bins, v, d, first, width);
        kl_plot_view_widen(&axes, bins, BINS);
    }
    axes.y1 = axes.y1 > 0 ? 1.06 * axes.y1 : 1;
    cairo_set_line_width(cr, v->n_devices > KL_VIEW_NAMED ? 0.3 : 0.9);
    for (size_t d = 0; d < v->n_devices; d++) {
        fill_bins(bins, v, d, first, width);
        kl_plot_view_colour(cr, v, d, v->n_devices > KL_VIEW_NAMED ? 0.5 : 0.9);
        cairo_move_to(cr, axes.left, kl_plot_axes_y(&axes, 0));
        for (int k = 0; k < BINS; k++) {
            kl_plot_axes_to(cr, &axes, axes.x0 + k * (double)width, bins[k]);
            kl_plot_axes_to(cr, &axes, axes.x0 + (k + 1) * (double)width, bins[k]);
        }
        cairo_stroke(cr);
    }
    kl_plot_axes_draw(cr, &axes, "ones in a row", "share of rows");
    kl_plot_view_say_rows(cr, v, &axes, is_outside, "lie outside");
    kl_plot_view_legend(cr, v, &axes);
}

int kl_plot_frequency(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs,
                      struct kl_error *err)
{
    struct kl_bits_view v;
    int code = kl_plot_bits_view_load(&v, inputs->file, err);
    if (!code) {
        draw_positions(sheet->cr, &v, 0, "rate of 1", "rate of ones by position", same);
        draw_rates(sheet->cr, &v);
        draw_positions(sheet->cr, &v, 2, "variance", "variance by position", variance);
        draw_histogram(sheet->cr, &v);
    }
    kl_plot_bits_view_free(&v);
    return code;
}

/* ---- symbols figure ----
   What the qubits of a symbol have to do with each other: correlation of neighbouring bits inside
   symbols and between them, and how often each symbol comes. Nothing here is a Bell test: all was
   measured in one basis. */

enum { MOST_SYMBOLS = 16, SYMBOL_NAME = 8 };

struct symbols {
    double *inside, *between; /* phi [d] */
    double *share, *share_se; /* [d, n] */
    size_t n;
    double width;
};

static int load_symbols(struct symbols *s, const struct kl_bits_view *v, struct kl_file *f,
                        struct kl_error *err)
{
    const struct {
        double **data;
        const char *name;
        int rank;
    } sets[] = { { &s->inside, "device_tests/inside_phi", 1 },
                 { &s->between, "device_tests/between_phi", 1 },
                 { &s->share, "device_stats/symbol_probability", 2 },
                 { &s->share_se, "device_stats/symbol_probability_se", 2 } };
    int code = kl_store_file_number(&s->width, f, "", "symbol_bits", err);
    for (size_t i = 0; i < sizeof sets / sizeof *sets && !code; i++) {
        const struct kl_dataset *set;
        code = kl_store_file_expect(&set, f, sets[i].name, KL_TYPE_F64, sets[i].rank, err);
        if (!code && sets[i].rank == 2 && s->n == 0) s->n = set->dims[1];
        if (!code && (set->dims[0] != v->n_devices || (sets[i].rank == 2 && set->dims[1] != s->n)))
            code = kl_fail(err, KL_EDATA, "%s: %s: its shape does not fit the devices",
                           kl_store_file_path(f), sets[i].name);
        if (!code) code = kl_store_file_load((void **)sets[i].data, f, set, err);
    }
    if (!code && !(s->width >= 1 && s->width <= (double)v->n_bits))
        code = kl_fail(err, KL_EDATA, "%s: symbol_bits: expected 1 to %zu", kl_store_file_path(f),
                       v->n_bits);
    return code;
}

/* A mark with two standard errors, if these are known; value NaN: none. */
static void draw_value(cairo_t *cr, const struct kl_axes *a, double x, double value, double error,
                       enum kl_mark mark)
{
    if (!isfinite(value)) return;
    if (isfinite(error)) {
        cairo_set_line_width(cr, 0.8);
        kl_plot_axes_upright(cr, a, x, value - 2 * error, value + 2 * error);
    }
    kl_plot_mark(cr, x, kl_plot_axes_y(a, value), 2.2, mark);
}

/* Widens the axis to hold what draw_value draws; kl_plot_view_widen takes nothing that is not finite. */
static void widen(struct kl_axes *a, double value, double error)
{
    const double all[] = { value, value - 2 * error, value + 2 * error };
    kl_plot_view_widen(a, all, 3);
}

/* Of phi, where there is none: one over the root of the number of steps; without steps infinite. */
static double phi_error(const struct symbols *s, const struct kl_bits_view *v, size_t d, bool inside)
{
    const double symbols = (double)v->n_bits / s->width;
    const double steps = inside ? symbols * (s->width - 1) : symbols - 1;
    return 1 / sqrt(steps * (double)v->rows[d]);
}

static void draw_line(cairo_t *cr, const struct kl_axes *a, double value)
{
    kl_plot_pen(cr, 0, 0.5, 0.5);
    kl_plot_axes_level(cr, a, value);
}

static void draw_phi(cairo_t *cr, const struct kl_bits_view *v, const struct symbols *s)
{
    struct kl_axes a = kl_plot_view_panel(cr, 0, "neighbours inside (disc) and between symbols");
    a.x0 = 0.5, a.x1 = (double)v->n_devices + 0.5, a.no_x_numbers = a.whole_x = true;
    const double none = 0;
    kl_plot_view_widen(&a, &none, 1);
    for (size_t d = 0; d < v->n_devices; d++) {
        widen(&a, s->inside[d], phi_error(s, v, d, true));
        widen(&a, s->between[d], phi_error(s, v, d, false));
    }
    kl_plot_view_margin(&a);
    draw_line(cr, &a, 0);
    for (size_t d = 0; d < v->n_devices; d++) {
        const double x = kl_plot_axes_x(&a, (double)d + 1), off = 0.12 * a.width / (double)v->n_devices;
        kl_plot_view_colour(cr, v, d, 1);
        draw_value(cr, &a, x - off, s->inside[d], phi_error(s, v, d, true), KL_CIRCLE);
        draw_value(cr, &a, x + off, s->between[d], phi_error(s, v, d, false), KL_SQUARE);
        kl_plot_view_name_place(cr, v, &a, d);
    }
    kl_plot_axes_draw(cr, &a, v->n_devices > KL_VIEW_NAMED ? "devices, in the file's order" : "device",
                      "phi");
}

/* Up to three bits in binary; more symbols side by side have room for hexadecimal alone. */
static bool in_binary(const struct symbols *s)
{
    return s->width <= 3;
}

static void name_symbol(char text[SYMBOL_NAME], const struct symbols *s, size_t i)
{
    const int width = (int)s->width;
    if (in_binary(s))
        for (int b = 0; b <= width; b++)
            text[b] = b == width ? '\0' : i >> (width - 1 - b) & 1 ? '1' : '0';
    else snprintf(text, SYMBOL_NAME, "%zx", i);
}

static void draw_shares(cairo_t *cr, const struct kl_bits_view *v, const struct symbols *s)
{
    const size_t n = s->n < MOST_SYMBOLS ? s->n : MOST_SYMBOLS;
    struct kl_axes a = kl_plot_view_panel(cr, 1, "how often each symbol comes, two standard errors");
    const double fair = 1 / (double)s->n;
    a.x0 = -0.5, a.x1 = (double)n - 0.5, a.no_x_numbers = a.whole_x = true;
    kl_plot_view_widen(&a, &fair, 1);
    for (size_t i = 0; i < v->n_devices * n; i++) {
        const size_t at = i / n * s->n + i % n;
        widen(&a, s->share[at], s->share_se[at]);
    }
    kl_plot_view_margin(&a);
    draw_line(cr, &a, fair);
    for (size_t i = 0; i < n; i++) {
        char text[SYMBOL_NAME];
        for (size_t d = 0; d < v->n_devices; d++) {
            const double off = ((double)d + 0.5) / (double)v->n_devices - 0.5;
            kl_plot_view_colour(cr, v, d, 1);
            draw_value(cr, &a, kl_plot_axes_x(&a, (double)i + 0.7 * off), s->share[d * s->n + i],
                       s->share_se[d * s->n + i], KL_CIRCLE);
        }
        name_symbol(text, s, i);
        kl_plot_black(cr, kl_plot_axes_x(&a, (double)i), a.top + a.height + 10, 6.5, KL_CENTRE, text);
    }
    char label[64] = "symbol";
    size_t used = strlen(label);
    if (!in_binary(s)) used += (size_t)snprintf(label + used, sizeof label - used, ", hexadecimal");
    if (n < s->n) snprintf(label + used, sizeof label - used, "; the first %zu of %zu", n, s->n);
    kl_plot_axes_draw(cr, &a, label, "share");
    kl_plot_view_legend(cr, v, &a);
}

int kl_plot_symbols(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    struct kl_bits_view v;
    struct symbols s = { 0 };
    int code = kl_plot_bits_view_load(&v, inputs->file, err);
    if (!code) code = load_symbols(&s, &v, inputs->file, err);
    if (!code) {
        draw_phi(sheet->cr, &v, &s);
        draw_shares(sheet->cr, &v, &s);
    }
    free(s.inside), free(s.between), free(s.share), free(s.share_se);
    kl_plot_bits_view_free(&v);
    return code;
}

/* ---- P(next bit | bit) inside rows: 2 x 2 each, first what independent fair bits would give ---- */

enum { COLUMNS = 4, MOST = 31 };
static const double MATRIX_LEFT = 30, MATRIX_TOP = 24, SIDE = 92, MATRIX_ACROSS = 122, MATRIX_DOWN = 142,
                    LOW = 0.35, HIGH = 0.65;

/* Blue below a half, orange above. */
static void shade(cairo_t *cr, double p)
{
    const double x = fmax(-1, fmin(1, (p - 0.5) / ((HIGH - LOW) / 2)));
    if (x >= 0) cairo_set_source_rgb(cr, 1 - 0.1 * x, 1 - 0.38 * x, 1 - x);
    else cairo_set_source_rgb(cr, 1 + x, 1 + 0.55 * x, 1 + 0.3 * x);
}

static void draw_matrix(cairo_t *cr, double x, double y, const char *title, const double p[4],
                        const double *errors)
{
    char text[32];
    const double half = SIDE / 2;
    for (int i = 0; i < 4; i++) {
        const double left = x + i % 2 * half, top = y + (double)(i / 2) * half;
        const bool there = isfinite(p[i]); /* this bit never came before another */
        shade(cr, there ? p[i] : 0.5);
        kl_plot_fill(cr, left, top, half, half);
        kl_plot_colour(cr, 0, 1);
        snprintf(text, sizeof text, "%.4f", p[i]);
        kl_plot_text(cr, left + half / 2, top + half / 2 + 2, 8, KL_CENTRE, there ? text : "-");
        if (!errors || !isfinite(errors[i])) continue;
        snprintf(text, sizeof text, "\xc2\xb1 %.4f", errors[i]);
        kl_plot_text(cr, left + half / 2, top + half / 2 + 11, 6.5, KL_CENTRE, text);
    }
    kl_plot_pen(cr, 0, 1, 0.6);
    kl_plot_frame(cr, x, y, SIDE, SIDE);
    for (int b = 0; b < 2; b++) {
        kl_plot_text(cr, x + (b + 0.5) * half, y + SIDE + 9, 7, KL_CENTRE, b ? "1" : "0");
        kl_plot_text(cr, x - 4, y + (b + 0.5) * half + 2.5, 7, KL_RIGHT, b ? "1" : "0");
    }
    kl_plot_text(cr, x + half, y + SIDE + 19, 7, KL_CENTRE, "next bit");
    kl_plot_text_upwards(cr, x - 14, y + half, 7, KL_CENTRE, SIDE, "bit");
    kl_plot_text_within(cr, x + half, y - 6, 7.5, KL_CENTRE, SIDE + 20, title);
}

static void draw_scale(cairo_t *cr, double x, double y)
{
    enum { STEPS = 60 };
    char text[16];
    for (int k = 0; k < STEPS; k++) {
        shade(cr, LOW + (HIGH - LOW) * (k + 0.5) / STEPS);
        kl_plot_fill(cr, x, y + SIDE * (1 - (k + 1.0) / STEPS), 7, SIDE / STEPS + 0.2);
    }
    kl_plot_pen(cr, 0, 1, 0.6);
    kl_plot_frame(cr, x, y, 7, SIDE);
    for (int k = 0; k <= 6; k++) {
        snprintf(text, sizeof text, "%.2f", LOW + (HIGH - LOW) * k / 6);
        kl_plot_text(cr, x + 10, y + SIDE * (1 - k / 6.0) + 2.2, 6, KL_LEFT, text);
    }
}

int kl_plot_transitions(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs,
                        struct kl_error *err)
{
    static const double fair[4] = { 0.5, 0.5, 0.5, 0.5 };
    struct kl_bits_view v;
    int code = kl_plot_bits_view_load(&v, inputs->file, err);
    const size_t n = code ? 0 : v.n_devices < MOST ? v.n_devices : MOST;
    const size_t across = sheet->narrow ? 2 : COLUMNS;
    for (size_t i = 0; i <= n && !code; i++) {
        char title[KL_NAME + 16] = "independent and fair", name[KL_NAME];
        if (i > 0) kl_plot_name(name, v.names, v.n_devices, v.name_size, i - 1);
        if (i > 0) snprintf(title, sizeof title, "device %s", name);
        draw_matrix(sheet->cr, MATRIX_LEFT + (double)(i % across) * MATRIX_ACROSS,
                    MATRIX_TOP + (double)(i / across) * MATRIX_DOWN, title,
                    i ? v.conditional + 4 * (i - 1) : fair, i ? v.conditional_se + 4 * (i - 1) : NULL);
    }
    if (!code && n < v.n_devices) {
        char text[64];
        snprintf(text, sizeof text, "the first %zu of %zu devices", n, v.n_devices);
        kl_plot_text(sheet->cr, MATRIX_LEFT, MATRIX_TOP + (double)(n / across + 1) * MATRIX_DOWN - 12, 8,
                     KL_LEFT, text);
    }
    if (!code) {
        const double columns = (double)(n + 1 < across ? n + 1 : across);
        draw_scale(sheet->cr, MATRIX_LEFT + columns * MATRIX_ACROSS - 18, MATRIX_TOP);
    }
    kl_plot_bits_view_free(&v);
    return code;
}
