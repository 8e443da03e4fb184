/* SPDX-License-Identifier: MIT
   Chains of a ladder, to see whether they have mixed: the loss of each by draw, how the ranks of all
   draws fall on each (Vehtari et al. 2021, doi:10.1214/20-BA1221), autocorrelations, acceptance and the
   virial ratio by temperature. */
#include <math.h>
#include <stdlib.h>

#include "plot/plot.h"
#include "stats/ranks.h"
#include "stats/stats.h"
#include "store/store.h"

enum { MOST_ROWS = 4, RANK_BINS = 20, MOST_LAGS = 100 };
static const double LEFT = 56, RIGHT = 310, WIDTH = 190, HEIGHT = 84, TOP = 34, APART = 122;

/* Traces of the loss [chains][draws][rungs]; a rung has its own number of draws. */
struct chains {
    float *loss, *virial, *acceptance; /* virial likewise, acceptance [chains][rungs]; NULL: not told */
    double *beta, *x;                  /* [rungs]; one rung's losses, [chains][its draws] */
    int64_t *draws;                    /* [rungs] */
    size_t n, most, rungs;
};

/* ---- what the file holds ---- */
static int load_optional(float **values, struct kl_file *file, const char *name, int rank,
                         const size_t *dims, struct kl_error *err)
{
    void *data = NULL;
    if (!kl_store_file_find(file, name)) return KL_OK;
    const int code = kl_store_file_load_shape(&data, file, name, KL_TYPE_F32, rank, dims, err);
    *values = data;
    return code;
}

static int load(struct chains *c, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *set;
    void *beta = NULL, *draws = NULL;
    int code = kl_store_file_expect(&set, file, "posterior/train_loss", KL_TYPE_F32, 3, err);
    if (!code) code = kl_store_file_load((void **)&c->loss, file, set, err);
    if (code) return code;
    c->n = set->dims[0], c->most = set->dims[1], c->rungs = set->dims[2];
    code = kl_store_file_load_shape(&beta, file, "ladder/beta", KL_TYPE_F64, 1, &c->rungs, err);
    c->beta = beta;
    if (!code)
        code = kl_store_file_load_shape(&draws, file, "ladder/draws", KL_TYPE_I64, 1, &c->rungs, err);
    c->draws = draws;
    for (size_t k = 0; !code && k < c->rungs; k++)
        if (c->draws[k] < 0 || (size_t)c->draws[k] > c->most)
            code = kl_fail(err, KL_EDATA, "%s: ladder/draws: found %lld, expected at most %zu",
                           kl_store_file_path(file), (long long)c->draws[k], c->most);
    if (!code) code = load_optional(&c->virial, file, "sample_stats/virial", 3, set->dims, err);
    const size_t by_rung[] = { c->n, c->rungs };
    if (!code) code = load_optional(&c->acceptance, file, "sample_stats/acceptance", 2, by_rung, err);
    if (!code && !(c->x = malloc((c->n * c->most + 1) * sizeof *c->x)))
        code = kl_fail_memory(err, c->n * c->most * sizeof *c->x);
    return code;
}

static void chains_free(struct chains *c)
{
    free(c->loss), free(c->virial), free(c->acceptance), free(c->beta), free(c->draws), free(c->x);
}

/* The losses of rung k into c->x; how many draws. */
static size_t take_rung(struct chains *c, size_t k)
{
    const size_t t = (size_t)c->draws[k];
    for (size_t i = 0; i < c->n; i++)
        for (size_t d = 0; d < t; d++) c->x[i * t + d] = c->loss[(i * c->most + d) * c->rungs + k];
    return t;
}

/* ---- traces and ranks ---- */
static void draw_trace(cairo_t *cr, double top, const struct chains *c, size_t k, size_t t, bool last)
{
    struct kl_axes axes = { .left = LEFT,
                            .top = top,
                            .width = WIDTH,
                            .height = HEIGHT,
                            .x0 = 0,
                            .x1 = (double)t,
                            .y0 = INFINITY,
                            .y1 = -INFINITY,
                            .no_x_numbers = !last };
    const size_t width = kl_plot_bin_width(t);
    char text[60];
    for (size_t i = 0; i < c->n * t; i++)
        if (isfinite(c->x[i])) axes.y0 = fmin(axes.y0, c->x[i]), axes.y1 = fmax(axes.y1, c->x[i]);
    if (!(axes.y0 <= axes.y1)) axes.y0 = 0, axes.y1 = 1;
    const double margin = fmax(0.05 * (axes.y1 - axes.y0), 1e-9 + 1e-6 * fabs(axes.y1));
    axes.y0 -= margin, axes.y1 += margin;
    for (size_t i = 0; i < c->n; i++) {
        kl_plot_ramp(cr, i, c->n, 0.75);
        cairo_set_line_width(cr, 0.5);
        for (size_t p = 0; p * width < t; p++) {
            double at;
            const double mean = kl_plot_bin_mean(&at, c->x + i * t, t, width, p);
            if (isfinite(mean))
                cairo_line_to(cr, kl_plot_axes_x(&axes, at), kl_plot_axes_y(&axes, mean));
        }
        cairo_stroke(cr);
    }
    kl_plot_axes_draw(cr, &axes, last ? "draw" : NULL, "training loss");
    snprintf(text, sizeof text, "beta %.6g", c->beta[k]);
    kl_plot_text(cr, LEFT, top - 4, 6.5, KL_LEFT, text);
}

/* How many of each chain's draws fall into each part of the ranks of all, over what is expected. */
static int draw_ranks(cairo_t *cr, double top, const struct chains *c, size_t t, bool last,
                      struct kl_error *err)
{
    struct kl_axes axes = { .left = RIGHT,
                            .top = top,
                            .width = WIDTH,
                            .height = HEIGHT,
                            .x0 = 0,
                            .x1 = 1,
                            .y0 = 0,
                            .y1 = 2,
                            .no_x_numbers = !last };
    const size_t all = c->n * t;
    double *ranks = malloc((all + 1) * sizeof *ranks),
           *counts = calloc(c->n * RANK_BINS + 1, sizeof *counts);
    int code = ranks && counts ? kl_stats_ranks(ranks, NULL, c->x, all, err)
                               : kl_fail_memory(err, all * sizeof *ranks);
    for (size_t i = 0; !code && i < all; i++) {
        const size_t bin = (size_t)fmin((ranks[i] - 0.5) / (double)all * RANK_BINS, RANK_BINS - 1);
        counts[i / t * RANK_BINS + bin] += (double)RANK_BINS / (double)t;
    }
    for (size_t i = 0; !code && i < c->n * RANK_BINS; i++) axes.y1 = fmax(axes.y1, 1.05 * counts[i]);
    for (size_t i = 0; !code && i < c->n; i++) {
        kl_plot_ramp(cr, i, c->n, 0.8);
        cairo_set_line_width(cr, 0.8);
        for (int b = 0; b < RANK_BINS; b++) {
            const double y = kl_plot_axes_y(&axes, counts[i * RANK_BINS + (size_t)b]);
            cairo_line_to(cr, kl_plot_axes_x(&axes, (double)b / RANK_BINS), y);
            cairo_line_to(cr, kl_plot_axes_x(&axes, (b + 1.0) / RANK_BINS), y);
        }
        cairo_stroke(cr);
    }
    if (!code)
        kl_plot_axes_draw(cr, &axes, last ? "rank among all chains' draws" : NULL, "share / expected");
    free(ranks), free(counts);
    return code;
}

/* Up to MOST_ROWS rungs above beta 0, evenly from the first to the last; returns how many. */
static size_t choose_rungs(size_t chosen[MOST_ROWS], const struct chains *c)
{
    size_t first = 0, n;
    while (first < c->rungs && (!(c->beta[first] > 0) || c->draws[first] < 2)) first++;
    const size_t have = c->rungs - first;
    n = have < MOST_ROWS ? have : MOST_ROWS;
    for (size_t i = 0; i < n; i++) chosen[i] = first + (n > 1 ? i * (have - 1) / (n - 1) : 0);
    return n;
}

int kl_plot_traces(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    struct chains c = { 0 };
    size_t chosen[MOST_ROWS], n = 0;
    char text[100];
    int code = load(&c, inputs->file, err);
    if (!code) n = choose_rungs(chosen, &c);
    if (!code && !n)
        code = kl_fail(err, KL_EDATA, "%s: no temperature has two draws: nothing to draw",
                       kl_store_file_path(inputs->file));
    for (size_t i = 0; i < n && !code; i++) {
        const size_t t = take_rung(&c, chosen[i]);
        draw_trace(sheet->cr, TOP + APART * (double)i, &c, chosen[i], t, i + 1 == n);
        code = draw_ranks(sheet->cr, TOP + APART * (double)i, &c, t, i + 1 == n, err);
    }
    if (!code) {
        snprintf(text, sizeof text, "%zu chains, a colour each; %zu of %zu temperatures", c.n, n,
                 c.rungs);
        kl_plot_colour(sheet->cr, 0, 1);
        kl_plot_text(sheet->cr, LEFT, 14, 7, KL_LEFT, text);
    }
    chains_free(&c);
    return code;
}

/* ---- mixing by temperature ---- */
/* Mean over chains of the autocorrelation at this lag, each about its own mean. */
static double autocorrelation(const double *x, size_t n, size_t t, size_t lag)
{
    double with = 0, without = 0;
    for (size_t i = 0; i < n; i++) {
        const double mean = kl_stats_mean(x + i * t, t);
        for (size_t d = 0; d < t; d++) {
            const double here = x[i * t + d] - mean;
            without += here * here;
            if (d + lag < t) with += here * (x[i * t + d + lag] - mean);
        }
    }
    return without > 0 ? with / without : NAN;
}

static void draw_autocorrelations(cairo_t *cr, struct chains *c)
{
    struct kl_axes axes = { .left = LEFT,
                            .top = TOP,
                            .width = WIDTH,
                            .height = 140,
                            .x0 = 0,
                            .x1 = 1,
                            .y0 = -0.2,
                            .y1 = 1,
                            .whole_x = true };
    for (size_t k = 0; k < c->rungs; k++)
        if (c->draws[k] > 2) axes.x1 = fmax(axes.x1, fmin(MOST_LAGS, (double)c->draws[k] / 2));
    for (size_t k = 0; k < c->rungs; k++) {
        const size_t t = take_rung(c, k);
        kl_plot_ramp(cr, k, c->rungs, 1);
        cairo_set_line_width(cr, 0.9);
        for (size_t lag = 0; lag < t / 2 && (double)lag <= axes.x1; lag++) {
            const double r = autocorrelation(c->x, c->n, t, lag);
            if (isfinite(r))
                cairo_line_to(cr, kl_plot_axes_x(&axes, (double)lag),
                              kl_plot_axes_y(&axes, fmax(r, axes.y0)));
        }
        cairo_stroke(cr);
    }
    kl_plot_colour(cr, 0, 1);
    kl_plot_text(cr, LEFT, TOP - 5, 6.5, KL_LEFT,
                 "of the training loss; low beta dark, high beta light");
    kl_plot_axes_draw(cr, &axes, "lag in draws", "autocorrelation");
}

/* Mean over chains (and draws) of rung k. */
static double rung_mean(const float *values, const struct chains *c, size_t k, bool by_draw)
{
    double sum = 0, n = 0;
    for (size_t i = 0; values && i < c->n; i++)
        for (size_t d = 0; d < (by_draw ? (size_t)c->draws[k] : 1); d++) {
            const double v =
                by_draw ? values[(i * c->most + d) * c->rungs + k] : values[i * c->rungs + k];
            if (isfinite(v)) sum += v, n++;
        }
    return n > 0 ? sum / n : NAN;
}

static void draw_by_beta(cairo_t *cr, const struct chains *c)
{
    struct kl_axes axes = { .left = RIGHT,
                            .top = TOP,
                            .width = WIDTH,
                            .height = 140,
                            .x0 = INFINITY,
                            .x1 = -INFINITY,
                            .y0 = 0,
                            .y1 = 1.2,
                            .log_x = true };
    for (size_t k = 0; k < c->rungs; k++)
        if (c->beta[k] > 0)
            axes.x0 = fmin(axes.x0, log10(c->beta[k])), axes.x1 = fmax(axes.x1, log10(c->beta[k]));
    if (!(axes.x0 <= axes.x1)) axes.x0 = 0, axes.x1 = 1;
    axes.x0 -= 0.1, axes.x1 += 0.1;
    for (size_t k = 0; k < c->rungs; k++) {
        const double virial = rung_mean(c->virial, c, k, true);
        if (isfinite(virial)) axes.y1 = fmax(axes.y1, fmin(1.1 * virial, 5));
    }
    kl_plot_colour(cr, 0, 0.4);
    cairo_set_line_width(cr, 0.6);
    cairo_move_to(cr, axes.left, kl_plot_axes_y(&axes, 1)), cairo_rel_line_to(cr, axes.width, 0);
    cairo_stroke(cr);
    for (int which = 0; which < 2; which++)
        for (size_t k = 0; k < c->rungs; k++) {
            const double v =
                which ? rung_mean(c->acceptance, c, k, false) : rung_mean(c->virial, c, k, true);
            if (!isfinite(v) || !(c->beta[k] > 0)) continue;
            kl_plot_colour(cr, 1 + which, 1);
            kl_plot_mark(cr, kl_plot_axes_x(&axes, log10(c->beta[k])),
                         kl_plot_axes_y(&axes, fmin(fmax(v, 0), axes.y1)), 2,
                         which ? KL_SQUARE : KL_CIRCLE);
        }
    kl_plot_colour(cr, 1, 1), kl_plot_mark(cr, RIGHT + 2, TOP - 7.5, 2, KL_CIRCLE);
    kl_plot_colour(cr, 0, 1),
        kl_plot_text(cr, RIGHT + 6, TOP - 5, 6.5, KL_LEFT, "virial ratio, 1 at equilibrium");
    if (c->acceptance) {
        kl_plot_colour(cr, 2, 1), kl_plot_mark(cr, RIGHT + 112, TOP - 7.5, 2, KL_SQUARE);
        kl_plot_colour(cr, 0, 1), kl_plot_text(cr, RIGHT + 116, TOP - 5, 6.5, KL_LEFT, "acceptance");
    }
    kl_plot_axes_draw(cr, &axes, "inverse temperature beta", NULL);
}

int kl_plot_mixing(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    struct chains c = { 0 };
    const int code = load(&c, inputs->file, err);
    if (!code) draw_autocorrelations(sheet->cr, &c), draw_by_beta(sheet->cr, &c);
    chains_free(&c);
    return code;
}
