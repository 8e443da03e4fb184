/* SPDX-License-Identifier: MIT
   Each chain's training loss by draw, and the ranks of its values among those of all chains: of chains
   that have met, all ranks are as frequent in each (Vehtari et al. 2021, doi:10.1214/20-BA1221, section
   5). */
#include <math.h>
#include <stdlib.h>

#include "plot/sampling/chains_view.h"
#include "stats/tests.h"

static const double HEIGHT = 76;

/* Place k of a line: the mean of so many draws that a thousand places do. */
static double place(double *x, const struct kl_chains_view *v, size_t c, size_t b, size_t k)
{
    const size_t n = (size_t)v->draws[b], width = kl_plot_bin_width(n), from = k * width;
    const size_t to = from + width < n ? from + width : n;
    double sum = 0;
    for (size_t t = from; t < to; t++) sum += kl_plot_chains_at(v, c, t, b);
    *x = 0.5 * (double)(from + to - 1) + 1;
    return sum / (double)(to - from);
}

static size_t places(const struct kl_chains_view *v, size_t b)
{
    const size_t n = (size_t)v->draws[b], width = kl_plot_bin_width(n);
    return (n + width - 1) / width;
}

/* The range of what is drawn at one temperature. */
static void range(struct kl_axes *axes, const struct kl_chains_view *v, size_t b)
{
    axes->y0 = INFINITY, axes->y1 = -INFINITY;
    for (size_t c = 0; c < v->chains; c++)
        for (size_t k = 0; k < places(v, b); k++) {
            double x;
            const double y = place(&x, v, c, b, k);
            if (isfinite(y)) axes->y0 = fmin(axes->y0, y), axes->y1 = fmax(axes->y1, y);
        }
    if (axes->y0 > axes->y1) axes->y0 = 0, axes->y1 = 1;
    double margin = 0.05 * (axes->y1 - axes->y0);
    if (!(margin > 1e-9 * fabs(axes->y1))) margin = fmax(0.05 * fabs(axes->y1), 1e-6); /* a constant */
    axes->y0 -= margin, axes->y1 += margin;
}

/* A gap where there is no number. */
static void draw_chain(cairo_t *cr, const struct kl_axes *axes, const struct kl_chains_view *v, size_t c,
                       size_t b)
{
    for (size_t k = 0; k < places(v, b); k++) {
        double x;
        const double y = place(&x, v, c, b, k);
        if (!isfinite(y)) cairo_new_sub_path(cr);
        else cairo_line_to(cr, kl_plot_axes_x(axes, x), kl_plot_axes_y(axes, y));
    }
    kl_plot_colour(cr, (int)(c % (KL_N_COLOURS - 1)) + 1, v->chains > 4 ? 0.6 : 0.8);
    cairo_set_line_width(cr, 0.5);
    cairo_stroke(cr);
}

int kl_plot_traces(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    struct kl_chains_view v;
    size_t rungs[KL_CHAINS_PANELS];
    const int code = kl_plot_chains_load(&v, inputs->file, "posterior/train_loss", err);
    const size_t n = code ? 0 : kl_plot_chains_rungs(rungs, KL_CHAINS_PANELS, &v);
    if (n) kl_plot_chains_head(sheet->cr, &v, n, "training loss of each chain");
    for (size_t i = 0; i < n; i++) {
        struct kl_axes axes = kl_plot_chains_panel(i, HEIGHT);
        axes.x0 = 0.5, axes.x1 = (double)v.draws[rungs[i]] + 0.5, axes.whole_x = true;
        range(&axes, &v, rungs[i]);
        for (size_t c = 0; c < v.chains; c++) draw_chain(sheet->cr, &axes, &v, c, rungs[i]);
        kl_plot_axes_draw(sheet->cr, &axes, i + 2 >= n ? "draw" : NULL, i % 2 ? "" : "loss");
        kl_plot_chains_title(sheet->cr, &axes, v.beta[rungs[i]]);
    }
    kl_plot_chains_free(&v);
    return code;
}

/* ---- ranks ---- */
enum { BINS = 20, MOST_CHAINS = 12 };

/* How many of each chain's values lie in each twentieth of all ranks; false: a value is no number. */
static int count(double *counts, bool *numbers, const struct kl_chains_view *v, size_t b,
                 struct kl_error *err)
{
    const size_t draws = (size_t)v->draws[b], n = v->chains * draws;
    double *x = malloc(n * sizeof *x), *ranks = malloc(n * sizeof *ranks);
    int code = x && ranks ? KL_OK : kl_fail_memory(err, 2 * n * sizeof *x);
    *numbers = true;
    for (size_t i = 0; i < v->chains * BINS; i++) counts[i] = 0;
    for (size_t i = 0; i < n && !code; i++) {
        x[i] = kl_plot_chains_at(v, i / draws, i % draws, b);
        *numbers &= isfinite(x[i]) != 0;
    }
    if (!code && *numbers) code = kl_stats_ranks(ranks, NULL, x, n, err);
    for (size_t i = 0; i < n && !code && *numbers; i++) {
        const size_t bin = (size_t)((ranks[i] - 0.5) / (double)n * BINS);
        counts[i / draws * BINS + (bin < BINS ? bin : BINS - 1)]++;
    }
    free(x), free(ranks);
    return code;
}

/* One chain's counts as bars on a line of its own, of which the first chain's is the uppermost; a thin
   line is what all would have. */
static void draw_counts(cairo_t *cr, const struct kl_axes *axes, const double *counts, size_t c,
                        size_t shown, double expected, double most)
{
    const double row = axes->height / (double)shown, base = axes->top + row * (double)(c + 1);
    const double scale = 0.92 * row / most, width = axes->width / BINS;
    kl_plot_colour(cr, (int)(c % (KL_N_COLOURS - 1)) + 1, 0.75);
    for (int k = 0; k < BINS; k++)
        cairo_rectangle(cr, axes->left + width * k, base - scale * counts[k], 0.9 * width,
                        scale * counts[k]);
    cairo_fill(cr);
    kl_plot_colour(cr, 0, 0.7);
    cairo_set_line_width(cr, 0.4);
    cairo_move_to(cr, axes->left, base - scale * expected);
    cairo_rel_line_to(cr, axes->width, 0);
    cairo_stroke(cr);
}

static int draw_ranks(cairo_t *cr, struct kl_axes *axes, const struct kl_chains_view *v, size_t b,
                      bool last, struct kl_error *err)
{
    const size_t shown = v->chains < MOST_CHAINS ? v->chains : MOST_CHAINS;
    double *counts = malloc(v->chains * BINS * sizeof *counts);
    bool numbers = false;
    const double expected = (double)v->draws[b] / BINS;
    double most = 2 * expected;
    const int code = counts ? count(counts, &numbers, v, b, err)
                            : kl_fail_memory(err, v->chains * BINS * sizeof *counts);
    if (!code) {
        axes->x0 = 0, axes->x1 = (double)v->chains * (double)v->draws[b];
        for (size_t i = 0; i < shown * BINS; i++) most = fmax(most, counts[i]);
        for (size_t c = 0; c < shown && numbers; c++)
            draw_counts(cr, axes, counts + c * BINS, c, shown, expected, most);
        if (!numbers)
            kl_plot_text(cr, axes->left + axes->width / 2, axes->top + 40, 7, KL_CENTRE,
                         "a draw is no number");
        kl_plot_axes_draw_x(cr, axes, last ? "rank among all chains" : NULL);
        kl_plot_chains_title(cr, axes, v->beta[b]);
    }
    free(counts);
    return code;
}

int kl_plot_ranks(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    struct kl_chains_view v;
    size_t rungs[KL_CHAINS_PANELS];
    char what[120] = "ranks of the training loss, a row a chain; level where the chains have met";
    int code = kl_plot_chains_load(&v, inputs->file, "posterior/train_loss", err);
    const size_t n = code ? 0 : kl_plot_chains_rungs(rungs, KL_CHAINS_PANELS, &v);
    if (v.chains > MOST_CHAINS)
        snprintf(what, sizeof what, "ranks of the training loss, a row a chain, the first %d",
                 MOST_CHAINS);
    if (n) kl_plot_chains_head(sheet->cr, &v, n, what);
    for (size_t i = 0; i < n && !code; i++) {
        struct kl_axes axes = kl_plot_chains_panel(i, HEIGHT);
        code = draw_ranks(sheet->cr, &axes, &v, rungs[i], i + 2 >= n, err);
    }
    kl_plot_chains_free(&v);
    return code;
}
