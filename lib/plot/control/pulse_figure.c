/* SPDX-License-Identifier: MIT
   The controls of a pulse against time, a panel each, as steps; and a pulse's file as all its figures
   take it. */
#include "plot/control/pulse_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/store.h"

/* ---- the file ---- */
int kl_plot_pulse_numbers(double **values, const struct kl_dataset **set, struct kl_file *file,
                          const char *name, int rank, struct kl_error *err)
{
    size_t n = 1;
    int code = kl_store_file_load_named((void **)values, set, file, name, KL_TYPE_F64, rank, err);
    if (code) return code;
    for (int i = 0; i < rank; i++) n *= (*set)->dims[i];
    for (size_t i = 0; i < n; i++)
        if (!isfinite((*values)[i]))
            return kl_fail(err, KL_EDATA, "%s: %s: number %zu is not finite", kl_store_file_path(file),
                           name, i);
    return n ? KL_OK
             : kl_fail(err, KL_EDATA, "%s: %s: found no number, expected some", kl_store_file_path(file),
                       name);
}

static int load_words(struct kl_pulse_view *v, struct kl_file *file, struct kl_error *err)
{
    char *system = NULL, *gate = NULL, *objective = NULL, *unit = NULL;
    int code = kl_store_file_text(&system, file, "", "system", err);
    if (!code) code = kl_store_file_text(&gate, file, "", "gate", err);
    if (!code) code = kl_store_file_text(&objective, file, "", "objective", err);
    if (!code) code = kl_store_file_text(&unit, file, "", "time_unit", err);
    if (!code) code = kl_store_file_number(&v->duration, file, "", "duration", err);
    if (!code) code = kl_store_file_number(&v->loss, file, "", "loss", err);
    if (!code && !(v->duration > 0 && isfinite(v->duration)))
        code = kl_fail(err, KL_EDATA, "%s: attribute duration: found %g, expected more than 0",
                       kl_store_file_path(file), v->duration);
    if (!code)
        snprintf(v->title, sizeof v->title, "%.30s of %.30s, loss %.3g (%.60s)", gate, system, v->loss,
                 objective);
    if (!code && strcmp(unit, "1") != 0) snprintf(v->unit, sizeof v->unit, "%.16s", unit);
    free(system), free(gate), free(objective), free(unit);
    return code;
}

static int load_shape(const struct kl_pulse_view *v, const struct kl_dataset *set, size_t columns,
                      struct kl_file *file, struct kl_error *err)
{
    return columns == v->controls ? KL_OK
                                  : kl_fail(err, KL_EDATA, "%s: %s: found %zu controls, expected %zu",
                                            kl_store_file_path(file), set->name, columns, v->controls);
}

int kl_plot_pulse_view_load(struct kl_pulse_view *v, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *set;
    *v = (struct kl_pulse_view){ 0 };
    int code = load_words(v, file, err);
    if (!code) code = kl_plot_pulse_numbers(&v->u, &set, file, "controls", 2, err);
    if (!code) v->segments = set->dims[0], v->controls = set->dims[1];
    if (!code) code = kl_plot_pulse_numbers(&v->limits, &set, file, "limits", 1, err);
    if (!code) code = load_shape(v, set, set->dims[0], file, err);
    for (int i = 0; !code && i < 2; i++) {
        const char *name = i ? "upper_limits" : "lower_limits";
        if (!kl_store_file_find(file, name)) continue;
        code = kl_plot_pulse_numbers(i ? &v->high : &v->low, &set, file, name, 1, err);
        if (!code) code = load_shape(v, set, set->dims[0], file, err);
    }
    if (!code && kl_store_file_find(file, "samples")) {
        code = kl_plot_pulse_numbers(&v->samples, &set, file, "samples", 2, err);
        if (!code) v->n_samples = set->dims[0];
        if (!code) code = load_shape(v, set, set->dims[1], file, err);
    }
    if (!code) code = kl_store_file_expect(&set, file, "control_names", KL_TYPE_STRING, 1, err);
    if (!code) code = load_shape(v, set, set->dims[0], file, err);
    if (!code) code = kl_store_file_load((void **)&v->names, file, set, err);
    if (!code) v->name_size = set->item_size;
    return code;
}

void kl_plot_pulse_view_free(struct kl_pulse_view *v)
{
    free(v->u), free(v->samples), free(v->limits), free(v->names), free(v->low), free(v->high);
}

/* "time" with its unit. */
static void pulse_time(char text[KL_PULSE_LABEL], const struct kl_pulse_view *v)
{
    snprintf(text, KL_PULSE_LABEL, *v->unit ? "time, %s" : "time", v->unit);
}

void kl_plot_pulse_frequency(char text[KL_PULSE_LABEL], const char *name, const struct kl_pulse_view *v)
{
    snprintf(text, KL_PULSE_LABEL, *v->unit ? "%.30s, rad/%s" : "%.30s", name, v->unit);
}

/* ---- the figure ----
   The controls of a pulse against time, a panel each, as steps; dashed what limits them; behind a filter
   or of splines also the generator's samples. */

static const double LEFT = 52, TOP = 20;

/* n values of a control, each as long as the others, `stride` apart. */
static void draw_steps(cairo_t *cr, const struct kl_axes *axes, const double *values, size_t n,
                       size_t stride)
{
    for (size_t i = 0; i < n; i++) {
        const double y = kl_plot_axes_y(axes, values[i * stride]), wide = axes->width / (double)n;
        cairo_line_to(cr, axes->left + wide * (double)i, y);
        cairo_line_to(cr, axes->left + wide * (double)(i + 1), y);
    }
    cairo_stroke(cr);
}

static void draw_levels(cairo_t *cr, const struct kl_axes *axes, const double limits[2])
{
    kl_plot_pen(cr, 0, 0.35, 0.5);
    kl_plot_rule(cr, axes->left, kl_plot_axes_y(axes, 0), axes->width, 0);
    kl_plot_pen(cr, 0, 0.8, 0.8);
    kl_plot_dashed(cr, 1);
    for (int i = 0; i < 2; i++) {
        if (fabs(limits[i]) > axes->y1) continue;
        cairo_move_to(cr, axes->left, kl_plot_axes_y(axes, limits[i]));
        cairo_rel_line_to(cr, axes->width, 0);
    }
    cairo_stroke(cr);
    kl_plot_dashed(cr, 0);
}

/* The limit, unless the control stays so far below it that its course would be lost. */
static double range_of(const struct kl_pulse_view *v, size_t k)
{
    double most = 0;
    for (size_t i = 0; i < v->segments; i++) most = fmax(most, fabs(v->u[i * v->controls + k]));
    for (size_t i = 0; i < v->n_samples; i++) most = fmax(most, fabs(v->samples[i * v->controls + k]));
    if (most == 0) return v->limits[k] > 0 ? v->limits[k] : 1;
    return most < 0.25 * v->limits[k] ? most : fmax(most, v->limits[k]);
}

static void draw_panel(cairo_t *cr, struct kl_axes axes, const struct kl_pulse_view *v, size_t k,
                       const char *x_label)
{
    char name[KL_NAME], label[KL_PULSE_LABEL], text[KL_PULSE_LABEL];
    const double range = range_of(v, k);
    axes.y1 = 1.12 * range, axes.y0 = -axes.y1;
    draw_levels(
        cr, &axes,
        (const double[]){ v->low ? v->low[k] : -v->limits[k], v->high ? v->high[k] : v->limits[k] });
    kl_plot_pen(cr, 4, 1, 0.8);
    if (v->samples) draw_steps(cr, &axes, v->samples + k, v->n_samples, v->controls);
    kl_plot_pen(cr, 1, 1, 1.2);
    draw_steps(cr, &axes, v->u + k, v->segments, v->controls);
    kl_plot_name(name, v->names, v->controls, v->name_size, k);
    kl_plot_pulse_frequency(label, name, v);
    kl_plot_axes_draw(cr, &axes, x_label, label);
    if (v->limits[k] <= axes.y1) return;
    snprintf(text, sizeof text, "limit %.4g", v->limits[k]);
    const double wide = kl_plot_text_width(cr, 6.5, text);
    cairo_set_source_rgba(cr, 1, 1, 1, 0.85);
    kl_plot_fill(cr, axes.left + axes.width - wide - 6, axes.top + 1, wide + 4, 9);
    kl_plot_black(cr, axes.left + axes.width - 4, axes.top + 8, 6.5, KL_RIGHT, text);
}

static double legend(cairo_t *cr, double x, int colour, double width, const char *text)
{
    kl_plot_pen(cr, colour, 1, width);
    kl_plot_rule(cr, x - 14, 7.5, 12, 0);
    kl_plot_black(cr, x, 10, 7, KL_LEFT, text);
    return x + kl_plot_text_width(cr, 7, text) + 24;
}

static void draw(cairo_t *cr, const struct kl_pulse_view *v)
{
    char time[KL_PULSE_LABEL];
    const double high = v->controls <= 2 ? 90 : v->controls <= 4 ? 64 : 42, gap = 9;
    const bool narrow = kl_plot_sheet_of(cr)->narrow;
    const double width = narrow ? 190 : 430;
    struct kl_axes axes = { LEFT, TOP, width, high, 0, v->duration, .label_out = 34 };
    pulse_time(time, v);
    for (size_t k = 0; k < v->controls; k++) {
        const bool last = k + 1 == v->controls;
        axes.no_x_numbers = !last;
        draw_panel(cr, axes, v, k, last ? time : NULL);
        axes.top += high + gap;
    }
    const double beside = v->samples && !narrow ? 190 : 0, above = v->samples && narrow ? 11 : 0;
    kl_plot_black_lines(cr, LEFT, 10 - above, 7, width - beside, v->title);
    if (!v->samples) return;
    const double x = legend(cr, narrow ? LEFT + 14 : LEFT + width - 160, 4, 0.8, "samples played");
    legend(cr, x, 1, 1.2, "at the qubit");
}

int kl_plot_pulse(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    struct kl_pulse_view v;
    const int code = kl_plot_pulse_view_load(&v, inputs->file, err);
    if (!code) draw(sheet->cr, &v);
    kl_plot_pulse_view_free(&v);
    return code;
}
