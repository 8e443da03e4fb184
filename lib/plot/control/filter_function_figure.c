/* SPDX-License-Identifier: MIT
   The filter function of a pulse: how much of noise at each frequency reaches the qubit, on X, Y and Z,
   with its definition (control/noise/noise.h); beside it that of a qubit left alone for as long. */
#include <math.h>
#include <stdlib.h>

#include "plot/control/pulse_view.h"
#include "store/store.h"

static const double LEFT = 48, TOP = 18, HEIGHT = 160;
enum { AXES = 3, DASHES = 4 };
/* Lines of a plain pulse on X lie on each other: each is broken in its own way. */
static const double line_width = 1.1,
                    dashes[AXES + 1][DASHES] = { { 1.5, 2 }, { 0 }, { 5, 2.5 }, { 5, 2, 1.5, 2 } };
static const int n_dashes[AXES + 1] = { 2, 0, 2, 4 };

struct filter {
    double *omega, *values; /* [n], [3][n] */
    size_t n;
};

static int load(struct filter *f, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *grid, *set;
    int code = kl_plot_pulse_numbers(&f->omega, &grid, file, "filter/omega", 1, err);
    if (!code) code = kl_plot_pulse_numbers(&f->values, &set, file, "filter/F", 2, err);
    if (!code && (set->dims[0] != AXES || set->dims[1] != grid->dims[0] || grid->dims[0] < 2 ||
                  !(f->omega[0] > 0 && f->omega[grid->dims[0] - 1] > f->omega[0])))
        code =
            kl_fail(err, KL_EDATA, "%s: filter/F: expected three rows over rising frequencies above 0",
                    kl_store_file_path(file));
    if (!code) f->n = grid->dims[0];
    return code;
}

/* Of noise on Z without a pulse: 2 sin^2(wT/2)/w^2 = (1 - cos wT)/w^2, whose oscillation fades into its
   mean beyond the first turn. */
static double alone(double omega, double duration)
{
    const double x = omega * duration;
    return (1 - cos(x) * exp(-pow(x / M_PI, 4))) / (omega * omega);
}

static void range(struct kl_axes *a, const struct filter *f, double duration)
{
    double most = alone(f->omega[0], duration), last = 0;
    for (size_t i = 0; i < AXES * f->n; i++) most = fmax(most, f->values[i]);
    for (int k = 0; k < AXES; k++) last = fmax(last, f->values[(size_t)(k + 1) * f->n - 1]);
    a->x0 = log10(f->omega[0]), a->x1 = log10(f->omega[f->n - 1]);
    a->y1 = ceil(log10(most) + 0.1);
    a->y0 = floor(fmax(a->y1 - 9, fmin(log10(fmax(last, 1e-300)), a->y1 - 3)));
}

/* Line 0: of a qubit alone; from 1 on noise on X, Y, Z. */
static void set_line(cairo_t *cr, int line)
{
    kl_plot_pen(cr, line, line ? 1 : 0.7, line_width);
    cairo_set_dash(cr, dashes[line], n_dashes[line], 0);
}

static void draw_lines(cairo_t *cr, const struct kl_axes *a, const struct filter *f, double duration)
{
    for (int k = 0; k <= AXES; k++) {
        set_line(cr, k);
        for (size_t i = 0; i < f->n; i++) {
            const double value =
                k ? f->values[(size_t)(k - 1) * f->n + i] : alone(f->omega[i], duration);
            kl_plot_axes_to(cr, a, log10(f->omega[i]), fmax(a->y0 - 1, log10(fmax(value, 1e-300))));
        }
        cairo_stroke(cr);
    }
    cairo_set_dash(cr, NULL, 0, 0);
}

static void draw_legend(cairo_t *cr, double x, double y)
{
    static const char *const names[] = { "no pulse, Z", "noise on X", "noise on Y", "noise on Z" };
    static const char *const words[] = { "F: noise x(t) P/2 of the", "spectrum S(\xcf\x89) costs",
                                         "\xe2\x88\xab S F d\xcf\x89 / 4\xcf\x80 of F_e" };
    for (int i = 0; i <= AXES; i++, y += 12) {
        set_line(cr, i);
        kl_plot_rule(cr, x, y - 2.5, 18, 0);
        cairo_set_dash(cr, NULL, 0, 0);
        kl_plot_black(cr, x + 22, y, 7, KL_LEFT, names[i]);
    }
    y += 6;
    for (int i = 0; i < 3; i++, y += 10) kl_plot_text(cr, x, y, 6.5, KL_LEFT, words[i]);
}

static void draw(cairo_t *cr, const struct filter *f, const struct kl_pulse_view *v)
{
    const bool narrow = kl_plot_sheet_of(cr)->narrow;
    struct kl_axes axes = { LEFT, TOP, narrow ? 190 : 380, HEIGHT, .log_x = true, .log_y = true };
    char label[KL_PULSE_LABEL], unit[KL_PULSE_LABEL];
    range(&axes, f, v->duration);
    kl_plot_axes_clip(cr, &axes);
    draw_lines(cr, &axes, f, v->duration);
    cairo_restore(cr);
    kl_plot_pulse_frequency(label, "angular frequency of the noise", v);
    snprintf(unit, sizeof unit, *v->unit ? "filter function F, %.16s\xc2\xb2" : "filter function F",
             v->unit);
    kl_plot_axes_draw(cr, &axes, label, unit);
    kl_plot_text(cr, LEFT, 10, 7, KL_LEFT, v->title);
    draw_legend(cr, narrow ? LEFT : LEFT + axes.width + 8, narrow ? TOP + HEIGHT + 40 : TOP + 8);
}

int kl_plot_filter_function(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs,
                            struct kl_error *err)
{
    struct filter f = { 0 };
    struct kl_pulse_view v;
    int code = kl_plot_pulse_view_load(&v, inputs->file, err);
    if (!code) code = load(&f, inputs->file, err);
    if (!code) draw(sheet->cr, &f, &v);
    free(f.omega), free(f.values);
    kl_plot_pulse_view_free(&v);
    return code;
}
