/* SPDX-License-Identifier: MIT
   Curves of a training: losses, accuracies, norms of gradients. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/plot.h"

/* ---- gradients ----
   Norms of gradients by epoch, logarithmic: a line a layer, of the circuit at the left and of the linear
   layers at the right. A mean is over the replicas that trained in the epoch. */

struct norms {
    double *values; /* (replicas, epochs, groups) */
    char *names;    /* (groups, name_size) */
    size_t replicas, epochs, groups, name_size, shown;
};

static int load(struct norms *n, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *values, *names;
    int code = kl_store_file_expect(&values, file, "history/gradient_norm", KL_TYPE_F64, 3, err);
    if (!code)
        code = kl_store_file_expect(&names, file, "history/gradient_group", KL_TYPE_STRING, 1, err);
    if (!code && values->dims[2] != names->dims[0])
        code = kl_fail(err, KL_EDATA, "%s: history/gradient_norm has %zu groups, expected %zu",
                       kl_store_file_path(file), values->dims[2], names->dims[0]);
    if (!code) code = kl_store_file_load((void **)&n->values, file, values, err);
    if (!code) code = kl_store_file_load((void **)&n->names, file, names, err);
    if (code) return code;
    n->replicas = values->dims[0], n->epochs = values->dims[1], n->groups = values->dims[2];
    n->name_size = names->item_size;
    return KL_OK;
}

/* NAN: no replica trained this group then. */
static double mean_of(const struct norms *n, size_t e, size_t g)
{
    double sum = 0;
    size_t count = 0;
    for (size_t r = 0; r < n->replicas; r++) {
        const double v = n->values[(r * n->epochs + e) * n->groups + g];
        if (isfinite(v)) sum += v, count++;
    }
    return count ? sum / (double)count : NAN;
}

/* NAN: there is none, or it is 0. */
static double log_mean(const struct norms *n, size_t e, size_t g)
{
    const double mean = mean_of(n, e, g);
    return mean > 0 ? log10(mean) : NAN;
}

/* Epochs that every replica trained for. */
static size_t common_epochs(const struct norms *n)
{
    size_t common = n->epochs;
    for (size_t r = 0; r < n->replicas; r++) {
        size_t last = 0;
        for (size_t i = 0; i < n->epochs * n->groups; i++)
            if (isfinite(n->values[r * n->epochs * n->groups + i])) last = i / n->groups + 1;
        common = last < common ? last : common;
    }
    return common;
}

static bool of_circuit(const struct norms *n, size_t g)
{
    const char start[] = "circuit.";
    return n->name_size >= sizeof start &&
           !strncmp(n->names + g * n->name_size, start, sizeof start - 1);
}

static void widen(struct kl_axes *axes, const struct norms *n)
{
    axes->y0 = INFINITY, axes->y1 = -INFINITY;
    for (size_t e = 0; e < n->shown; e++)
        for (size_t g = 0; g < n->groups; g++) {
            const double v = log_mean(n, e, g);
            if (isfinite(v)) axes->y0 = fmin(axes->y0, v), axes->y1 = fmax(axes->y1, v);
        }
    axes->y0 = axes->y0 <= axes->y1 ? floor(axes->y0) : -1;
    axes->y1 = fmax(ceil(axes->y1), axes->y0 + 1);
}

/* A line breaks where there is no norm; an epoch between two of these has a dot. */
static void draw_line(cairo_t *cr, const struct kl_axes *axes, const struct norms *n, size_t g)
{
    size_t joined = 0;
    cairo_set_line_width(cr, 1.1);
    for (size_t e = 0; e < n->shown; e++) {
        const double v = log_mean(n, e, g);
        if (!isfinite(v)) {
            cairo_stroke(cr);
            joined = 0;
            continue;
        }
        const double x = kl_plot_axes_x(axes, (double)e + 1), y = kl_plot_axes_y(axes, v);
        cairo_line_to(cr, x, y);
        const bool last = e + 1 == n->shown || !isfinite(log_mean(n, e + 1, g));
        if (!joined++ && last) {
            cairo_new_path(cr);
            kl_plot_mark(cr, x, y, 1.6, KL_CIRCLE);
        }
    }
    cairo_stroke(cr);
}

/* A logarithmic axis has no zero: a panel without a line says why, and one whose lines have gaps. */
static void name_zeros(cairo_t *cr, const struct kl_axes *axes, const struct norms *n, bool circuit)
{
    const double x = axes->left + axes->width / 2, bottom = axes->top + axes->height;
    size_t zeros = 0, others = 0;
    for (size_t g = 0; g < n->groups; g++)
        for (size_t e = 0; e < n->shown && of_circuit(n, g) == circuit; e++) {
            const double mean = mean_of(n, e, g);
            zeros += mean == 0, others += mean > 0;
        }
    kl_plot_colour(cr, 0, 1);
    if (zeros && !others)
        kl_plot_text(cr, x, bottom - axes->height / 2, 7, KL_CENTRE, "every gradient is 0");
    else if (zeros) kl_plot_text(cr, x, bottom - 5, 6.5, KL_CENTRE, "no line where a gradient is 0");
}

/* A sample of line i of n and its name; returns where the next may begin. */
static const double SAMPLE = 12;
static double draw_entry(cairo_t *cr, double x, double y, size_t i, size_t n, const char *name)
{
    kl_plot_ramp(cr, i, n, 1);
    cairo_set_line_width(cr, 1.1);
    kl_plot_dashed(cr, i % 4);
    kl_plot_line(cr, x, y - 2.5, x + SAMPLE, y - 2.5);
    kl_plot_dashed(cr, 0);
    kl_plot_black(cr, x + SAMPLE + 2, y, 6, KL_LEFT, name);
    return x + kl_plot_text_width(cr, 6, name) + SAMPLE + 6;
}

/* Lines of one kind, and above the panel the names of the first ones, for which there is room, and of
   the last. */
static void draw_panel(cairo_t *cr, const struct kl_axes *axes, const struct norms *n, bool circuit)
{
    const double y = axes->top - 5, end = axes->left + axes->width;
    size_t count = 0, i = 0;
    double x = axes->left;
    for (size_t g = 0; g < n->groups; g++) count += of_circuit(n, g) == circuit;
    for (size_t g = 0; g < n->groups; g++) {
        char name[KL_NAME];
        if (of_circuit(n, g) != circuit) continue;
        kl_plot_ramp(cr, i, count, 1);
        kl_plot_dashed(cr, i % 4);
        draw_line(cr, axes, n, g);
        kl_plot_dashed(cr, 0);
        kl_plot_name(name, n->names, n->groups, n->name_size, g);
        const double width = kl_plot_text_width(cr, 6, name) + SAMPLE + 6;
        if (i + 1 == count || x + 2 * width <= end) x = draw_entry(cr, x, y, i, count, name);
        i++;
    }
    name_zeros(cr, axes, n, circuit);
}

static const double ACROSS = 244, DOWN = 190;

/* Unlike the curves above, these lines go on where replicas have stopped. */
static void draw_common(cairo_t *cr, const struct kl_axes *first, const struct norms *n)
{
    char text[120];
    const size_t common = common_epochs(n);
    if (common >= n->shown) return;
    snprintf(text, sizeof text,
             "gradients: mean of the heads that still train, from epoch %zu on fewer than %zu",
             common + 1, n->replicas);
    if (kl_plot_sheet_of(cr)->narrow)
        kl_plot_black_lines(cr, first->left, first->top - 15, 7, first->width, text);
    else kl_plot_black(cr, 483, first->top - 15, 7, KL_RIGHT, text);
}

/* Norms of gradients by epoch, the mean over replicas, below the curves: panels of the circuit's layers
   and of the linear ones, of which the first stands at `axes`, for epochs up to `shown`. A file without
   them: nothing. */
static int draw_gradients(cairo_t *cr, struct kl_axes axes, size_t shown, struct kl_file *file,
                          struct kl_error *err)
{
    struct norms n = { 0 };
    if (!kl_store_file_find(file, "history/gradient_norm")) return KL_OK;
    int code = load(&n, file, err);
    if (!code) {
        n.shown = shown < n.epochs ? shown : n.epochs;
        axes.whole_x = axes.log_y = true;
        axes.x0 = 0.5, axes.x1 = fmax((double)shown, 1) + 0.5;
        widen(&axes, &n);
        draw_common(cr, &axes, &n);
        bool circuit = false;
        for (size_t g = 0; g < n.groups; g++) circuit |= of_circuit(&n, g);
        for (int panel = circuit ? 0 : 1; panel < 2; panel++) {
            const struct kl_axes at = kl_plot_axes_panel(cr, axes, circuit ? panel : 0, ACROSS, DOWN);
            draw_panel(cr, &at, &n, panel == 0);
            kl_plot_axes_draw(cr, &at, "epoch", "norm of the gradient");
        }
    }
    free(n.values);
    free(n.names);
    return code;
}

/* ---- the figure ---- */
static bool is_empty(const struct kl_series *s)
{
    for (size_t i = 0; i < s->replicas * s->epochs; i++)
        if (isfinite(s->values[i])) return false;
    return true;
}

/* "mean and range of 5 heads"; of a file that says which model it holds that before it. */
enum { RUNS = 200 };
static int tell_runs(char text[RUNS], const struct kl_series *s, struct kl_file *file,
                     struct kl_error *err)
{
    const bool heads = strcmp(kl_store_file_kind(file), "head") == 0;
    const char *what = heads ? "heads" : "models";
    char *model = NULL;
    size_t used = 0;
    *text = '\0';
    if (!heads && kl_store_file_has_attribute(file, "", "model")) {
        const int code = kl_store_file_text(&model, file, "", "model", err);
        if (code) return code;
        used = (size_t)snprintf(text, RUNS, "%.60s%s", model, s->replicas > 1 ? ": " : "");
        free(model);
    }
    if (s->common < s->shown)
        snprintf(text + used, RUNS - used,
                 "mean of %zu %s, to epoch %zu where the first stops; range of all that train",
                 s->replicas, what, s->common);
    else if (s->replicas > 1)
        snprintf(text + used, RUNS - used, "mean and range of %zu %s", s->replicas, what);
    return KL_OK;
}

int kl_plot_curves(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    static const char *const names[4] = { "history/train_loss", "history/val_loss",
                                          "history/train_accuracy", "history/val_accuracy" };
    const struct kl_axes left = { .left = 44, .top = 16, .width = 195, .height = 140 };
    const struct kl_axes right = kl_plot_axes_panel(sheet->cr, left, 1, ACROSS, DOWN);
    struct kl_series s[4] = { { 0 } };
    int code = KL_OK;
    for (int i = 0; !code && i < 4; i++) code = kl_plot_series_load(&s[i], inputs->file, names[i], err);
    if (!code) {
        char text[RUNS];
        kl_plot_series_lengths(s, 4);
        const bool marked = s[0].shown <= KL_SERIES_MARKED;
        double x = kl_plot_series_legend(sheet->cr, 44, 1, KL_CIRCLE, marked, "training");
        if (!is_empty(&s[1])) kl_plot_series_legend(sheet->cr, x, 2, KL_TRIANGLE, marked, "validation");
        kl_plot_series_panel(sheet->cr, left, &s[0], &s[1], "cross-entropy (nats)", true);
        kl_plot_series_panel(sheet->cr, right, &s[2], &s[3], "accuracy", false);
        code = tell_runs(text, &s[0], inputs->file, err);
        if (*text) kl_plot_series_head(sheet->cr, 483, text);
    }
    const struct kl_axes below = kl_plot_axes_panel(sheet->cr, left, 2, ACROSS, DOWN);
    if (!code) code = draw_gradients(sheet->cr, below, s[0].shown, inputs->file, err);
    for (int i = 0; i < 4; i++) free(s[i].values);
    return code;
}
