/* SPDX-License-Identifier: MIT
   Variance of gradients against the number of qubits: a panel an observable, a line a number of layers,
   with its bootstrap band; logarithmic. Values of rounding alone are left out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/plot.h"

enum { COLUMNS = 3, NAME = 33 };
static const double LEFT = 46, TOP = 18, HEIGHT = 140, GAP = 14, LEGEND = 58, ROW = 190,
                    ROUNDING = 1e-28;

struct scan {
    int32_t *qubits, *layers;
    char *observables;
    double *variance, *low, *high; /* (observables, qubits, layers) */
    size_t n_observables, n_qubits, n_layers, name_size;
};

static int load_scan(struct scan *s, struct kl_file *file, struct kl_error *err)
{
    static const char *const names[3] = { "variance", "variance_low", "variance_high" };
    double **numbers[3] = { &s->variance, &s->low, &s->high };
    const struct kl_dataset *set;
    int code = kl_store_file_load_named((void **)&s->qubits, &set, file, "qubits", KL_TYPE_I32, 1, err);
    if (!code) s->n_qubits = set->dims[0];
    if (!code)
        code = kl_store_file_load_named((void **)&s->layers, &set, file, "layers", KL_TYPE_I32, 1, err);
    if (!code) s->n_layers = set->dims[0];
    if (!code)
        code = kl_store_file_load_named((void **)&s->observables, &set, file, "observables",
                                        KL_TYPE_STRING, 1, err);
    if (!code) s->n_observables = set->dims[0], s->name_size = set->item_size;
    for (int i = 0; i < 3 && !code; i++) {
        code = kl_store_file_load_named((void **)numbers[i], &set, file, names[i], KL_TYPE_F64, 3, err);
        if (!code && (set->dims[0] != s->n_observables || set->dims[1] != s->n_qubits ||
                      set->dims[2] != s->n_layers))
            code =
                kl_fail(err, KL_EDATA, "%s: %s: expected one number for each observable, qubits, layers",
                        kl_store_file_path(file), names[i]);
    }
    return code;
}

static void free_scan(struct scan *s)
{
    free(s->qubits), free(s->layers), free(s->observables);
    free(s->variance), free(s->low), free(s->high);
}

static double bounded_log(double variance)
{
    return log10(fmax(variance, ROUNDING));
}

/* Qubits [from, to) whose variance is above rounding, one after another: a line breaks at the others. */
static void draw_run(cairo_t *cr, const struct kl_axes *axes, const struct scan *s, size_t o, size_t l,
                     size_t from, size_t to)
{
    const size_t stride = s->n_layers, base = o * s->n_qubits * stride + l;
    kl_plot_ramp(cr, l, s->n_layers, to - from > 1 ? 0.18 : 0.5);
    cairo_set_line_width(cr, 1.1);
    for (size_t q = from; q < to; q++)
        kl_plot_axes_to(cr, axes, s->qubits[q], bounded_log(s->high[base + q * stride]));
    for (size_t q = to; q-- > from;)
        kl_plot_axes_to(cr, axes, s->qubits[q], bounded_log(s->low[base + q * stride]));
    cairo_close_path(cr);
    if (to - from > 1) cairo_fill(cr);
    else cairo_stroke(cr); /* a cell alone has a bar for a band */
    kl_plot_ramp(cr, l, s->n_layers, 1);
    for (size_t q = from; q < to; q++)
        kl_plot_axes_to(cr, axes, s->qubits[q], bounded_log(s->variance[base + q * stride]));
    cairo_stroke(cr);
    for (size_t q = from; q < to; q++) {
        cairo_arc(cr, kl_plot_axes_x(axes, s->qubits[q]),
                  kl_plot_axes_y(axes, bounded_log(s->variance[base + q * stride])), 1.5, 0, 2 * M_PI);
        cairo_fill(cr);
    }
}

static void draw_lines(cairo_t *cr, const struct kl_axes *axes, const struct scan *s, size_t o)
{
    for (size_t l = 0; l < s->n_layers; l++)
        for (size_t q = 0, end; q < s->n_qubits; q = end + 1) {
            const double *v = s->variance + o * s->n_qubits * s->n_layers + l;
            for (end = q; end < s->n_qubits && v[end * s->n_layers] > ROUNDING;) end++;
            if (end > q) draw_run(cr, axes, s, o, l, q, end);
        }
}

static bool line_is_zero(const struct scan *s, size_t o, size_t l)
{
    for (size_t q = 0; q < s->n_qubits; q++)
        if (s->variance[(o * s->n_qubits + q) * s->n_layers + l] > ROUNDING) return false;
    return true;
}

/* A logarithmic axis has no zero: layers without a line are named at the panel's lower edge. */
static void name_zeros(cairo_t *cr, const struct kl_axes *axes, const struct scan *s, size_t o)
{
    char text[120] = "";
    size_t n = 0, used = 0;
    bool single = false; /* "1 layer" */
    for (size_t l = 0; l < s->n_layers; l++) {
        if (!line_is_zero(s, o, l)) continue;
        if (used + 24 < sizeof text)
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "%s%d", n ? ", " : "", s->layers[l]);
        single = !n++ && s->layers[l] == 1;
    }
    if (!n) return;
    snprintf(text + used, sizeof text - used, " layer%s: 0", single ? "" : "s");
    kl_plot_colour(cr, 0, 1);
    if (n == s->n_layers)
        kl_plot_text(cr, axes->left + axes->width / 2, TOP + HEIGHT / 2, 7, KL_CENTRE,
                     "every derivative is 0");
    else kl_plot_text_within(cr, axes->left + 5, TOP + HEIGHT - 5, 6.5, KL_LEFT, axes->width - 10, text);
}

static void title_of(char title[64], const char *name)
{
    const char *words = strcmp(name, "local") == 0    ? "local: Z on qubit 0"
                        : strcmp(name, "global") == 0 ? "global: Z on every qubit"
                                                      : name;
    snprintf(title, 64, "%s", words);
}

/* The whole decades that hold data: every variance, and its band as far as a decade below the least
   variance. A band that reaches down to 0 would take the axis with it. */
static void range(struct kl_axes *axes, const struct scan *s)
{
    const size_t n = s->n_observables * s->n_qubits * s->n_layers;
    double least = INFINITY, low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        if (!(s->variance[i] > ROUNDING)) continue;
        least = fmin(least, bounded_log(s->variance[i]));
        low = fmin(low, bounded_log(s->low[i]));
        high = fmax(high, bounded_log(s->high[i]));
    }
    low = fmax(low, floor(least) - 1);
    axes->y0 = low <= high ? floor(low) : -1;
    axes->y1 = low <= high ? fmax(ceil(high), axes->y0 + 1) : 0;
    axes->x0 = s->qubits[0] - 0.4;
    axes->x1 = s->qubits[s->n_qubits - 1] + 0.4;
}

static void draw_legend(cairo_t *cr, const struct scan *s, double x)
{
    const double step = fmin(11, HEIGHT / (double)(s->n_layers + 1));
    char text[16];
    kl_plot_black(cr, x, TOP + 6, 7, KL_LEFT, "layers");
    for (size_t l = 0; l < s->n_layers; l++) {
        const double y = TOP + 7 + step * (double)(l + 1);
        kl_plot_ramp(cr, l, s->n_layers, 1);
        cairo_set_line_width(cr, 1.2);
        kl_plot_line(cr, x, y - 2.5, x + 14, y - 2.5);
        kl_plot_colour(cr, 0, 1);
        snprintf(text, sizeof text, "%d", s->layers[l]);
        kl_plot_text(cr, x + 18, y, fmin(7, step), KL_LEFT, text);
    }
}

static void draw_panel(cairo_t *cr, const struct kl_axes *axes, const struct scan *s, size_t o)
{
    char name[NAME] = "", title[64];
    memcpy(name, s->observables + o * s->name_size, s->name_size < NAME ? s->name_size : NAME - 1);
    title_of(title, name);
    kl_plot_axes_clip(cr, axes);
    draw_lines(cr, axes, s, o);
    cairo_restore(cr);
    name_zeros(cr, axes, s, o);
    kl_plot_axes_draw(cr, axes, "qubits", "variance of the derivative");
    kl_plot_text(cr, axes->left + axes->width / 2, axes->top - 6, 8, KL_CENTRE, title);
}

/* Explain the bands: each cell's variance, of so many draws of all parameters. */
static void say_bands(cairo_t *cr, const struct kl_axes *last, const struct kl_file *file)
{
    double draws;
    char text[96] = "band: 95 % by bootstrap";
    const size_t used = strlen(text);
    if (!kl_store_file_number(&draws, file, "", "draws", NULL))
        snprintf(text + used, sizeof text - used, ", of %.0f draws of the parameters", draws);
    kl_plot_black(cr, LEFT, last->top + HEIGHT + 36, 7, KL_LEFT, text);
}

int kl_plot_plateau(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    struct scan s = { 0 };
    int code = load_scan(&s, inputs->file, err);
    if (code) {
        free_scan(&s);
        return code;
    }
    const size_t across = sheet->narrow ? 1 : COLUMNS,
                 columns = s.n_observables < across ? s.n_observables : across;
    const double panels = (double)columns;
    const double width = fmin((sheet->width - LEFT - LEGEND - (panels - 1) * GAP) / panels, 220);
    struct kl_axes axes = { .width = width, .height = HEIGHT, .whole_x = true, .log_y = true };
    range(&axes, &s);
    for (size_t o = 0; o < s.n_observables; o++) {
        axes.left = LEFT + (double)(o % columns) * (width + GAP);
        axes.top = TOP + (double)(o / columns) * ROW;
        axes.bare_y = o % columns > 0;
        draw_panel(sheet->cr, &axes, &s, o);
    }
    say_bands(sheet->cr, &axes, inputs->file);
    draw_legend(sheet->cr, &s, LEFT + panels * (width + GAP) - GAP + 10);
    free_scan(&s);
    return KL_OK;
}
