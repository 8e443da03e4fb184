/* SPDX-License-Identifier: MIT
   How fast chains forget, by lag, and over the ladder how often they accept and whether they are at
   equilibrium. */
#include <math.h>
#include <stdlib.h>

#include "plot/sampling/chains_view.h"
#include "store/store.h"

/* ---- autocorrelation: the mean over the chains, a line a temperature ---- */
enum { MOST_LAGS = 200 };

/* rho (lags) of chain c is added, divided by the chains. false: a draw is no number, or all are the
 * same. */
static bool add_chain(double *rho, size_t lags, double *x, const struct kl_chains_view *v, size_t c,
                      size_t b)
{
    const size_t n = (size_t)v->draws[b];
    double mean = 0, whole = 0;
    for (size_t t = 0; t < n; t++) mean += x[t] = kl_plot_chains_at(v, c, t, b);
    mean /= (double)n;
    for (size_t t = 0; t < n; t++) x[t] -= mean, whole += x[t] * x[t];
    if (!(whole > 0) || !isfinite(whole)) return false;
    for (size_t lag = 0; lag < lags; lag++) {
        double sum = 0;
        for (size_t t = 0; t + lag < n; t++) sum += x[t] * x[t + lag];
        rho[lag] += sum / whole / (double)v->chains;
    }
    return true;
}

/* Lags up to which a temperature's line goes: half of its draws. */
static size_t lags_of(const struct kl_chains_view *v, size_t b)
{
    const size_t half = (size_t)v->draws[b] / 2 + 1;
    return half < MOST_LAGS + 1 ? half : MOST_LAGS + 1;
}

static void draw_line(cairo_t *cr, const struct kl_axes *axes, const double *rho, size_t lags, size_t i,
                      size_t n)
{
    for (size_t lag = 0; lag < lags; lag++)
        cairo_line_to(cr, kl_plot_axes_x(axes, (double)lag), kl_plot_axes_y(axes, rho[lag]));
    kl_plot_ramp(cr, i, n, 1);
    cairo_set_line_width(cr, 1);
    cairo_stroke(cr);
}

static void legend(cairo_t *cr, const struct kl_axes *axes, const struct kl_chains_view *v,
                   const size_t *rungs, size_t n)
{
    char text[40];
    for (size_t i = 0; i < n; i++) {
        const double x = axes->left + axes->width + 10, y = axes->top + 8 + 11 * (double)i;
        snprintf(text, sizeof text, "\xce\xb2 = %g", v->beta[rungs[i]]);
        kl_plot_ramp(cr, i, n, 1);
        cairo_set_line_width(cr, 1.4);
        cairo_move_to(cr, x, y - 2.5);
        cairo_rel_line_to(cr, 12, 0);
        cairo_stroke(cr);
        kl_plot_colour(cr, 0, 1);
        kl_plot_text(cr, x + 16, y, 7, KL_LEFT, text);
    }
}

/* The mean over the chains, (n, longest); known: of each temperature, whether there is one. */
static void correlate(double *rho, bool *known, double *x, size_t longest,
                      const struct kl_chains_view *v, const size_t *rungs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        known[i] = true;
        for (size_t c = 0; c < v->chains && known[i]; c++)
            known[i] = add_chain(rho + i * longest, lags_of(v, rungs[i]), x, v, c, rungs[i]);
    }
}

static void draw_lines(cairo_t *cr, const double *rho, const bool *known, size_t longest,
                       const struct kl_chains_view *v, const size_t *rungs, size_t n)
{
    struct kl_axes axes = { .left = 50,
                            .top = 18,
                            .width = 260,
                            .height = 150,
                            .x1 = (double)longest - 1,
                            .y0 = -0.2,
                            .y1 = 1.02,
                            .whole_x = true };
    for (size_t i = 0; i < n * longest; i++)
        if (known[i / longest]) axes.y0 = fmin(axes.y0, rho[i] - 0.05);
    for (size_t i = 0; i < n; i++)
        if (known[i]) draw_line(cr, &axes, rho + i * longest, lags_of(v, rungs[i]), i, n);
    kl_plot_axes_draw(cr, &axes, "lag, draws", "autocorrelation");
    legend(cr, &axes, v, rungs, n);
    kl_plot_chains_head(cr, v, n, "autocorrelation of the training loss, mean over the chains");
}

int kl_plot_autocorrelation(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs,
                            struct kl_error *err)
{
    struct kl_chains_view v;
    size_t rungs[KL_CHAINS_PANELS], longest = 2;
    bool known[KL_CHAINS_PANELS];
    double *x = NULL, *rho = NULL;
    int code = kl_plot_chains_load(&v, inputs->file, "posterior/train_loss", err);
    const size_t n = code ? 0 : kl_plot_chains_rungs(rungs, KL_CHAINS_PANELS, &v);
    for (size_t i = 0; i < n; i++)
        longest = lags_of(&v, rungs[i]) > longest ? lags_of(&v, rungs[i]) : longest;
    if (!code && (!(x = malloc(v.most * sizeof *x)) || !(rho = calloc(n * longest, sizeof *rho))))
        code = kl_fail_memory(err, v.most * sizeof *x);
    if (!code) {
        correlate(rho, known, x, longest, &v, rungs, n);
        draw_lines(sheet->cr, rho, known, longest, &v, rungs, n);
    }
    free(x), free(rho);
    kl_plot_chains_free(&v);
    return code;
}

/* ---- over the ladder ---- */
/* A mark for each chain at each rung; each panel's rungs are equally far apart, for a beta may be 0. */
static void draw_marks(cairo_t *cr, const struct kl_axes *axes, const double *values,
                       const struct kl_chains_view *v)
{
    for (size_t b = 0; b < v->betas; b++)
        for (size_t c = 0; c < v->chains; c++) {
            const double shift = v->chains > 1 ? 0.3 * ((double)c / ((double)v->chains - 1) - 0.5) : 0;
            const double value = values[c * v->betas + b];
            if (!isfinite(value)) continue;
            kl_plot_colour(cr, (int)(c % (KL_N_COLOURS - 1)) + 1, 0.9);
            kl_plot_mark(cr, kl_plot_axes_x(axes, (double)b + shift), kl_plot_axes_y(axes, value), 1.6,
                         KL_CIRCLE);
        }
}

static void ladder_axis(cairo_t *cr, const struct kl_axes *axes, const struct kl_chains_view *v)
{
    const size_t step = v->betas / 9 + 1;
    char text[40];
    for (size_t b = 0; b < v->betas; b += step) {
        snprintf(text, sizeof text, "%g", v->beta[b]);
        kl_plot_colour(cr, 0, 1);
        kl_plot_text(cr, kl_plot_axes_x(axes, (double)b), axes->top + axes->height + 11, 7, KL_CENTRE,
                     text);
    }
    kl_plot_text(cr, axes->left + axes->width / 2, axes->top + axes->height + 23, 8, KL_CENTRE,
                 "\xce\xb2");
}

/* values (chains, betas); reference: a line of what they ought to be, NaN: none. */
static void panel(cairo_t *cr, struct kl_axes axes, const double *values, const struct kl_chains_view *v,
                  const char *label, double reference)
{
    axes.x0 = -0.5, axes.x1 = (double)v->betas - 0.5, axes.no_x_numbers = true, axes.whole_x = true;
    for (size_t i = 0; i < v->chains * v->betas; i++)
        if (isfinite(values[i]))
            axes.y0 = fmin(axes.y0, values[i] - 0.02), axes.y1 = fmax(axes.y1, values[i] + 0.02);
    if (isfinite(reference)) {
        kl_plot_colour(cr, 0, 0.5);
        cairo_set_line_width(cr, 0.5);
        cairo_move_to(cr, axes.left, kl_plot_axes_y(&axes, reference));
        cairo_rel_line_to(cr, axes.width, 0);
        cairo_stroke(cr);
    }
    draw_marks(cr, &axes, values, v);
    kl_plot_axes_draw(cr, &axes, NULL, label);
    ladder_axis(cr, &axes, v);
}

/* Of each chain at each rung the mean of a trace. */
static void means(double *values, const struct kl_chains_view *v)
{
    for (size_t c = 0; c < v->chains; c++)
        for (size_t b = 0; b < v->betas; b++) {
            double sum = 0;
            for (size_t t = 0; t < (size_t)v->draws[b]; t++) sum += kl_plot_chains_at(v, c, t, b);
            values[c * v->betas + b] = sum / (double)v->draws[b]; /* of none: no number */
        }
}

/* The right panel, of a file that has virial ratios. values (chains, betas) of `all`. */
static int draw_virial(cairo_t *cr, struct kl_axes axes, struct kl_file *file, double *values,
                       const struct kl_chains_view *all, struct kl_error *err)
{
    static const char name[] = "sample_stats/virial";
    struct kl_chains_view v = { 0 };
    if (!kl_store_file_find(file, name)) return KL_OK;
    int code = kl_plot_chains_load(&v, file, name, err);
    if (!code && (v.chains != all->chains || v.betas != all->betas))
        code = kl_fail(err, KL_EDATA, "%s: %s: %zu chains and %zu temperatures, expected %zu and %zu",
                       kl_store_file_path(file), name, v.chains, v.betas, all->chains, all->betas);
    axes.left = 300, axes.y0 = 0.9, axes.y1 = 1.1;
    if (!code) {
        means(values, &v);
        panel(cr, axes, values, &v, "virial ratio", 1);
    }
    kl_plot_chains_free(&v);
    return code;
}

int kl_plot_acceptance(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs,
                       struct kl_error *err)
{
    const struct kl_axes axes = {
        .left = 50, .top = 18, .width = 190, .height = 130, .y0 = 0, .y1 = 1.02
    };
    struct kl_chains_view v;
    float *accepted = NULL;
    double *values = NULL;
    int code = kl_plot_chains_load(&v, inputs->file, "posterior/train_loss", err);
    const size_t dims[2] = { v.chains, v.betas }, n = v.chains * v.betas;
    if (!code)
        code = kl_store_file_load_shape((void **)&accepted, inputs->file, "sample_stats/acceptance",
                                        KL_TYPE_F32, 2, dims, err);
    if (!code && !(values = malloc(n * sizeof *values))) code = kl_fail_memory(err, n * sizeof *values);
    if (!code) {
        for (size_t i = 0; i < n; i++) values[i] = accepted[i];
        panel(sheet->cr, axes, values, &v, "proposals accepted", NAN);
        code = draw_virial(sheet->cr, axes, inputs->file, values, &v, err);
        kl_plot_chains_head(sheet->cr, &v, v.betas,
                            "a mark a chain; at equilibrium the virial ratio is 1");
    }
    free(accepted), free(values);
    kl_plot_chains_free(&v);
    return code;
}
