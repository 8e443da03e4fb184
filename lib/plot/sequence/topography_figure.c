/* SPDX-License-Identifier: MIT
   Heads seen from above: where two classes differ in the mu band, and which channels a model's loss
   depends on. */
#include <math.h>
#include <stdlib.h>

#include "plot/sequence/windows_view.h"
#include "store/store.h"

static const double LEFT = 20, TOP = 24, RADIUS = 78;
enum { GRID = 64, BAND = 6 };
static const double MU_LOW = 8, MU_HIGH = 13;

/* Between electrodes: weights by the inverse fourth power of the distance (Shepard 1968,
 * doi:10.1145/800186.810616). */
static double value_at(double x, double y, const double *values, const double *positions, size_t n)
{
    double sum = 0, weights = 0;
    for (size_t i = 0; i < n; i++) {
        const double dx = x - positions[2 * i], dy = y - positions[2 * i + 1];
        const double square = dx * dx + dy * dy + 1e-4;
        if (!isfinite(values[i]) || !isfinite(square)) continue;
        sum += values[i] / (square * square), weights += 1 / (square * square);
    }
    return weights > 0 ? sum / weights : NAN;
}

static void outline(cairo_t *cr, double x, double y, double r)
{
    kl_plot_colour(cr, 0, 1);
    cairo_set_line_width(cr, 0.8);
    cairo_new_path(cr);
    cairo_arc(cr, x, y, r, 0, 2 * M_PI);
    cairo_stroke(cr);
    cairo_move_to(cr, x - 0.1 * r, y - 0.995 * r);
    cairo_line_to(cr, x, y - 1.12 * r);
    cairo_line_to(cr, x + 0.1 * r, y - 0.995 * r);
    cairo_stroke(cr);
    for (int side = -1; side <= 1; side += 2) {
        cairo_save(cr);
        cairo_translate(cr, x + side * 1.02 * r, y);
        cairo_scale(cr, 0.05 * r, 0.16 * r);
        cairo_arc(cr, 0, 0, 1, 0, 2 * M_PI);
        cairo_restore(cr);
        cairo_stroke(cr);
    }
}

static double largest(const double *values, size_t n, double *least)
{
    double most = -INFINITY;
    *least = INFINITY;
    for (size_t i = 0; i < n; i++)
        if (isfinite(values[i])) most = fmax(most, values[i]), *least = fmin(*least, values[i]);
    return most;
}

static struct kl_rgb colour(double value, double low, double high, bool signed_)
{
    if (signed_) return kl_plot_diverging(value / fmax(fmax(fabs(low), fabs(high)), 1e-300));
    return kl_plot_diverging(high > low ? (value - low) / (high - low) : 0);
}

static int draw_scale(cairo_t *cr, double x, double y, double height, double low, double high,
                      bool signed_, const char *unit, struct kl_error *err)
{
    char text[KL_TICK];
    struct kl_rgb colours[GRID];
    const double most = fmax(fabs(low), fabs(high));
    const struct kl_axes into = { .left = x, .top = y, .width = 7, .height = height };
    if (signed_) low = -most, high = most;
    for (int k = 0; k < GRID; k++)
        colours[k] = colour(high - (high - low) * (k + 0.5) / GRID, low, high, signed_);
    const int code = kl_plot_field(cr, &into, colours, 1, GRID, false, err);
    kl_plot_colour(cr, 0, 1);
    cairo_set_line_width(cr, 0.5);
    cairo_rectangle(cr, x, y, 7, height);
    cairo_stroke(cr);
    double widest = 0;
    for (int k = 0; k <= 4; k++) {
        const double value = low + (high - low) * k / 4, at = y + height * (1 - k / 4.0);
        cairo_move_to(cr, x + 7, at);
        cairo_line_to(cr, x + 9, at);
        cairo_stroke(cr);
        kl_plot_tick_text(text, value, fmax((high - low) / 40, 1e-12), fmax(most, 1e-12));
        kl_plot_text(cr, x + 11, at + 2, 6, KL_LEFT, text);
        widest = fmax(widest, kl_plot_text_width(cr, 6, text));
    }
    kl_plot_text_upwards(cr, x + 21 + widest, y + height / 2, 7, KL_CENTRE, height, unit);
    return code;
}

int kl_plot_head(cairo_t *cr, double x, double y, double radius, const double *values,
                 const double *positions, size_t n, bool signed_, const char *label, const char *unit,
                 struct kl_error *err)
{
    const struct kl_axes into = {
        .left = x - radius, .top = y - radius, .width = 2 * radius, .height = 2 * radius
    };
    double low, high = largest(values, n, &low);
    struct kl_rgb *colours = calloc((size_t)GRID * GRID, sizeof *colours);
    if (!colours) return kl_fail_memory(err, (size_t)GRID * GRID * sizeof *colours);
    for (int k = 0; k < GRID; k++)
        for (int i = 0; i < GRID; i++)
            colours[k * GRID + i] = colour(
                value_at((i + 0.5) * 2 / GRID - 1, 1 - (k + 0.5) * 2 / GRID, values, positions, n), low,
                high, signed_);
    cairo_save(cr);
    cairo_arc(cr, x, y, radius, 0, 2 * M_PI);
    cairo_clip(cr);
    int code = kl_plot_field(cr, &into, colours, GRID, GRID, true, err);
    cairo_restore(cr);
    free(colours);
    kl_plot_colour(cr, 0, 0.8);
    for (size_t i = 0; i < n; i++)
        if (isfinite(positions[2 * i]) && isfinite(values[i]))
            kl_plot_mark(cr, x + positions[2 * i] * radius, y - positions[2 * i + 1] * radius, 1,
                         KL_CIRCLE);
    outline(cr, x, y, radius);
    if (!code)
        code = draw_scale(cr, x + 1.16 * radius, y - radius, 2 * radius, low, high, signed_, unit, err);
    kl_plot_text(cr, x, y - 1.18 * radius, 7, KL_CENTRE, label);
    return code;
}

/* Decibel of the first class's mu power over the second's, a channel. */
static void mu_contrast(double *decibel, const struct kl_windows_view *v)
{
    for (size_t c = 0; c < v->channels; c++) {
        double power[2] = { 0, 0 }, n[2] = { 0, 0 };
        for (size_t i = 0; i < v->n; i++) {
            if (v->labels[i] < 0 || v->labels[i] > 1) continue;
            for (int k = 0; k < BAND; k++)
                power[v->labels[i]] += kl_plot_windows_density(
                    v, i, c, 0, v->steps, MU_LOW + (MU_HIGH - MU_LOW) * k / (BAND - 1));
            n[v->labels[i]]++;
        }
        decibel[c] = 10 * log10(power[0] / n[0] * n[1] / power[1]);
    }
}

/* Below the head: whose windows, and how many of both classes. */
static void draw_whose(cairo_t *cr, const struct kl_windows_view *v)
{
    char whose[3 * KL_NAME], text[4 * KL_NAME];
    kl_plot_windows_whose(whose, v);
    snprintf(text, sizeof text, "%s: %zu windows over %zu", whose, kl_plot_windows_count(v, 0),
             kl_plot_windows_count(v, 1));
    kl_plot_colour(cr, 0, 1);
    kl_plot_text_within(cr, LEFT + RADIUS, TOP + 2.2 * RADIUS + 12, 7, KL_CENTRE, 2.4 * RADIUS, text);
}

int kl_plot_topography(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs,
                       struct kl_error *err)
{
    struct kl_windows_view v;
    char first[KL_NAME], second[KL_NAME], label[2 * KL_NAME + 60];
    int code = kl_plot_windows_load(&v, inputs->file, err);
    double *decibel = code ? NULL : calloc(v.channels + 1, sizeof *decibel);
    if (!code && !decibel) code = kl_fail_memory(err, v.channels * sizeof *decibel);
    if (!code && (!v.positions || !v.timed || v.n_classes < 2 || 0.5 * v.rate < MU_HIGH))
        kl_plot_text(
            sheet->cr, LEFT, TOP, 7, KL_LEFT,
            "no places of electrodes, no rate above 26 Hz or no two classes: no map of the mu band");
    else if (!code && (!kl_plot_windows_count(&v, 0) || !kl_plot_windows_count(&v, 1)))
        kl_plot_text(sheet->cr, LEFT, TOP, 7, KL_LEFT, "windows of one class alone: nothing to compare");
    else if (!code) {
        mu_contrast(decibel, &v);
        kl_plot_name(first, v.class_names, v.n_classes, v.class_size, 0);
        kl_plot_name(second, v.class_names, v.n_classes, v.class_size, 1);
        snprintf(label, sizeof label, "%.40s over %.40s", first, second);
        code = kl_plot_head(sheet->cr, LEFT + RADIUS, TOP + 1.2 * RADIUS, RADIUS, decibel, v.positions,
                            v.channels, true, label, "power of 8 to 13 Hz (dB)", err);
        draw_whose(sheet->cr, &v);
    }
    free(decibel);
    kl_plot_windows_free(&v);
    return code;
}

/* channel_importance (replicas, channels) of a report: the mean over its replicas, as shares of the sum.
 */
int kl_plot_importance(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs,
                       struct kl_error *err)
{
    const struct kl_dataset *set;
    double *all = NULL, *positions = NULL, *mean = NULL, sum = 0;
    char *model = NULL, label[KL_NAME];
    int code = kl_store_file_text(&model, inputs->file, "", "model", err);
    if (!code)
        code = kl_store_file_expect(&set, inputs->file, "channel_importance", KL_TYPE_F64, 2, err);
    const size_t n = code ? 0 : set->dims[1], shape[2] = { n, 2 };
    if (!code) code = kl_store_file_load((void **)&all, inputs->file, set, err);
    if (!code)
        code = kl_store_file_load_shape((void **)&positions, inputs->file, "channel_positions",
                                        KL_TYPE_F64, 2, shape, err);
    if (!code && !(mean = calloc(n + 1, sizeof *mean))) code = kl_fail_memory(err, n * sizeof *mean);
    for (size_t r = 0; !code && r < set->dims[0]; r++)
        for (size_t c = 0; c < n; c++) mean[c] += all[r * n + c], sum += all[r * n + c];
    size_t known = 0;
    for (size_t c = 0; !code && c < n; c++)
        mean[c] *= sum > 0 ? 100 / sum : 0, known += isfinite(positions[2 * c]) && isfinite(mean[c]);
    if (!code && known < 3)
        kl_plot_text(sheet->cr, LEFT, TOP, 7, KL_LEFT,
                     isfinite(n ? mean[0] : 0) ? "no places of electrodes are known"
                                               : "this model has no gradient by its channels");
    snprintf(label, sizeof label, "%.40s: what its loss depends on", code ? "" : model);
    if (!code && known >= 3)
        code = kl_plot_head(sheet->cr, LEFT + RADIUS, TOP + 1.2 * RADIUS, RADIUS, mean, positions, n,
                            false, label, "share of the gradient (%)", err);
    free(all), free(positions), free(mean), free(model);
    return code;
}
