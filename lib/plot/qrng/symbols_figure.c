/* SPDX-License-Identifier: MIT
   What the qubits of a symbol have to do with each other: correlation of neighbouring bits inside
   symbols and between them, and how often each symbol comes. Nothing here is a Bell test: all was
   measured in one basis. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/qrng/bits_view.h"
#include "store/store.h"

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
        cairo_move_to(cr, x, kl_plot_axes_y(a, value - 2 * error));
        cairo_line_to(cr, x, kl_plot_axes_y(a, value + 2 * error));
        cairo_stroke(cr);
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
    kl_plot_colour(cr, 0, 0.5);
    cairo_set_line_width(cr, 0.5);
    cairo_move_to(cr, a->left, kl_plot_axes_y(a, value));
    cairo_line_to(cr, a->left + a->width, kl_plot_axes_y(a, value));
    cairo_stroke(cr);
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
        kl_plot_colour(cr, 0, 1);
        kl_plot_text(cr, kl_plot_axes_x(&a, (double)i), a.top + a.height + 10, 6.5, KL_CENTRE, text);
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
