/* SPDX-License-Identifier: MIT
   Chains: losses by draw and their ranks, autocorrelation, acceptance and equilibrium over the ladder;
   each for some of the temperatures. */
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>

#include "stats/stats.h"

struct kl_chains_view {
    size_t chains, most, betas;
    double *beta;   /* (betas) */
    int64_t *draws; /* (betas) */
    float *trace;   /* (chains, most, betas) */
};
static inline double chains_at(const struct kl_chains_view *v, size_t chain, size_t draw, size_t beta)
{
    return v->trace[(chain * v->most + draw) * v->betas + beta];
}

/* Panels for temperatures, two across. */
enum { KL_CHAINS_PANELS = 8 };

/* ---- loading, the choice of temperatures, panels ---- */
static int check(const struct kl_chains_view *v, const struct kl_file *file, const char *name,
                 struct kl_error *err)
{
    int64_t most = 0;
    for (size_t b = 0; b < v->betas; b++) {
        if (!isfinite(v->beta[b]) || v->draws[b] < 0 || (size_t)v->draws[b] > v->most)
            return kl_fail(err, KL_EDATA, "%s: ladder: beta %g with %lld draws of %zu",
                           kl_store_file_path(file), v->beta[b], (long long)v->draws[b], v->most);
        most = v->draws[b] > most ? v->draws[b] : most;
    }
    return most && v->chains
               ? KL_OK
               : kl_fail(err, KL_EDATA, "%s: %s: no draws", kl_store_file_path(file), name);
}

/* `name`: a trace [chain, draw, beta]. KL_EDATA: another form, or nothing in it. Free it in any case. */
static int chains_load(struct kl_chains_view *v, struct kl_file *file, const char *name,
                       struct kl_error *err)
{
    const struct kl_dataset *trace, *beta;
    *v = (struct kl_chains_view){ 0 };
    int code = kl_store_file_expect(&trace, file, name, KL_TYPE_F32, 3, err);
    if (!code) code = kl_store_file_expect(&beta, file, "ladder/beta", KL_TYPE_F64, 1, err);
    if (code) return code;
    v->chains = trace->dims[0], v->most = trace->dims[1], v->betas = trace->dims[2];
    code =
        kl_store_file_load_shape((void **)&v->beta, file, "ladder/beta", KL_TYPE_F64, 1, &v->betas, err);
    if (!code)
        code = kl_store_file_load_shape((void **)&v->draws, file, "ladder/draws", KL_TYPE_I64, 1,
                                        &v->betas, err);
    if (!code) code = kl_store_file_load((void **)&v->trace, file, trace, err);
    return code ? code : check(v, file, name, err);
}

static void chains_free(struct kl_chains_view *v)
{
    free(v->beta), free(v->draws), free(v->trace);
    *v = (struct kl_chains_view){ 0 };
}

/* Temperatures that are shown, up to `most`, evenly over those that have draws: rungs (most) receives
 * them. */
static size_t chains_rungs(size_t *rungs, size_t most, const struct kl_chains_view *v)
{
    size_t have = 0, n = 0, seen = 0;
    for (size_t b = 0; b < v->betas; b++) have += v->draws[b] > 0;
    const size_t shown = have < most ? have : most;
    for (size_t b = 0; b < v->betas && n < shown; b++) {
        if (v->draws[b] <= 0) continue;
        /* the n-th shown is that nearest to n / (shown - 1) of the way */
        const double at = shown > 1 ? (double)n * (double)(have - 1) / (double)(shown - 1) : 0;
        if ((double)seen++ >= floor(at + 0.5)) rungs[n++] = b;
    }
    return n;
}

static struct kl_axes chains_panel(cairo_t *cr, size_t i, double height)
{
    const struct kl_axes first = { .left = 50, .top = 30, .width = 190, .height = height };
    return kl_plot_axes_panel(cr, first, (int)i, 250, height + 42);
}

/* Is panel i of n the last one of its column, below which stands the axis's name? */
static bool is_lowest(cairo_t *cr, size_t i, size_t n)
{
    return i + (kl_plot_sheet_of(cr)->narrow ? 1 : 2) >= n;
}

/* "beta 10", above the panel's left end. */
static void chains_title(cairo_t *cr, const struct kl_axes *axes, double beta)
{
    char text[40];
    snprintf(text, sizeof text, "\xce\xb2 = %g", beta);
    kl_plot_black(cr, axes->left, axes->top - 4, 8, KL_LEFT, text);
}

/* Above all panels: which chains there are, and what was left out. */
static void chains_head(cairo_t *cr, const struct kl_chains_view *v, size_t shown, const char *what)
{
    char text[200];
    size_t have = 0;
    for (size_t b = 0; b < v->betas; b++) have += v->draws[b] > 0;
    const int n = snprintf(text, sizeof text, "%s; %zu chain%s", what, v->chains, kl_s(v->chains));
    if (shown < have)
        snprintf(text + n, sizeof text - (size_t)n, "; %zu of %zu temperatures", shown, have);
    kl_plot_black_lines(cr, 50, 10, 7, kl_plot_sheet_of(cr)->narrow ? 200 : 440, text);
}

/* ---- traces and ranks ----
   Each chain's training loss by draw, and the ranks of its values among those of all chains: of chains
   that have met, all ranks are as frequent in each (Vehtari et al. 2021, doi:10.1214/20-BA1221, section
   5). */

static const double HEIGHT = 76;

/* Place k of a line: the mean of so many draws that a thousand places do. */
static double place(double *x, const struct kl_chains_view *v, size_t c, size_t b, size_t k)
{
    const size_t n = (size_t)v->draws[b], width = kl_plot_bin_width(n), from = k * width;
    const size_t to = from + width < n ? from + width : n;
    double sum = 0;
    for (size_t t = from; t < to; t++) sum += chains_at(v, c, t, b);
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
            kl_plot_axes_widen(axes, y);
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
        else kl_plot_axes_to(cr, axes, x, y);
    }
    kl_plot_pen(cr, (int)(c % (KL_N_COLOURS - 1)) + 1, v->chains > 4 ? 0.6 : 0.8, 0.5);
    cairo_stroke(cr);
}

int kl_plot_traces(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    struct kl_chains_view v;
    size_t rungs[KL_CHAINS_PANELS];
    const int code = chains_load(&v, inputs->file, "posterior/train_loss", err);
    const size_t n = code ? 0 : chains_rungs(rungs, KL_CHAINS_PANELS, &v);
    if (n) chains_head(sheet->cr, &v, n, "training loss of each chain");
    for (size_t i = 0; i < n; i++) {
        struct kl_axes axes = chains_panel(sheet->cr, i, HEIGHT);
        axes.x0 = 0.5, axes.x1 = (double)v.draws[rungs[i]] + 0.5, axes.whole_x = true;
        range(&axes, &v, rungs[i]);
        for (size_t c = 0; c < v.chains; c++) draw_chain(sheet->cr, &axes, &v, c, rungs[i]);
        kl_plot_axes_draw(sheet->cr, &axes, is_lowest(sheet->cr, i, n) ? "draw" : NULL,
                          axes.left > 50 ? "" : "loss");
        chains_title(sheet->cr, &axes, v.beta[rungs[i]]);
    }
    chains_free(&v);
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
        x[i] = chains_at(v, i / draws, i % draws, b);
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
    kl_plot_pen(cr, 0, 0.7, 0.4);
    kl_plot_rule(cr, axes->left, base - scale * expected, axes->width, 0);
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
        chains_title(cr, axes, v->beta[b]);
    }
    free(counts);
    return code;
}

int kl_plot_ranks(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    struct kl_chains_view v;
    size_t rungs[KL_CHAINS_PANELS];
    char what[120] = "ranks of the training loss, a row a chain; level where the chains have met";
    int code = chains_load(&v, inputs->file, "posterior/train_loss", err);
    const size_t n = code ? 0 : chains_rungs(rungs, KL_CHAINS_PANELS, &v);
    if (v.chains > MOST_CHAINS)
        snprintf(what, sizeof what, "ranks of the training loss, a row a chain, the first %d",
                 MOST_CHAINS);
    if (n) chains_head(sheet->cr, &v, n, what);
    for (size_t i = 0; i < n && !code; i++) {
        struct kl_axes axes = chains_panel(sheet->cr, i, HEIGHT);
        code = draw_ranks(sheet->cr, &axes, &v, rungs[i], is_lowest(sheet->cr, i, n), err);
    }
    chains_free(&v);
    return code;
}

/* ---- how fast they forget, how often they accept ----
   How fast chains forget, by lag, and over the ladder how often they accept and whether they are at
   equilibrium. */

/* ---- autocorrelation: the mean over the chains, a line a temperature ---- */
enum { MOST_LAGS = 200 };

/* rho (lags) of chain c is added, divided by the chains. false: a draw is no number, or all are the
 * same. */
static bool add_chain(double *rho, size_t lags, double *x, const struct kl_chains_view *v, size_t c,
                      size_t b)
{
    const size_t n = (size_t)v->draws[b];
    double mean = 0, whole = 0;
    for (size_t t = 0; t < n; t++) mean += x[t] = chains_at(v, c, t, b);
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
    for (size_t lag = 0; lag < lags; lag++) kl_plot_axes_to(cr, axes, (double)lag, rho[lag]);
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
        kl_plot_rule(cr, x, y - 2.5, 12, 0);
        kl_plot_black(cr, x + 16, y, 7, KL_LEFT, text);
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
    const double width = kl_plot_sheet_of(cr)->narrow ? 150 : 260;
    struct kl_axes axes = { 50, 18, width, 150, 0, (double)longest - 1, -0.2, 1.02, .whole_x = true };
    for (size_t i = 0; i < n * longest; i++)
        if (known[i / longest]) axes.y0 = fmin(axes.y0, rho[i] - 0.05);
    for (size_t i = 0; i < n; i++)
        if (known[i]) draw_line(cr, &axes, rho + i * longest, lags_of(v, rungs[i]), i, n);
    kl_plot_axes_draw(cr, &axes, "lag, draws", "autocorrelation");
    legend(cr, &axes, v, rungs, n);
    chains_head(cr, v, n, "autocorrelation of the training loss, mean over the chains");
}

int kl_plot_autocorrelation(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs,
                            struct kl_error *err)
{
    struct kl_chains_view v;
    size_t rungs[KL_CHAINS_PANELS], longest = 2;
    bool known[KL_CHAINS_PANELS];
    double *x = NULL, *rho = NULL;
    int code = chains_load(&v, inputs->file, "posterior/train_loss", err);
    const size_t n = code ? 0 : chains_rungs(rungs, KL_CHAINS_PANELS, &v);
    for (size_t i = 0; i < n; i++)
        longest = lags_of(&v, rungs[i]) > longest ? lags_of(&v, rungs[i]) : longest;
    if (!code && (!(x = malloc(v.most * sizeof *x)) || !(rho = calloc(n * longest, sizeof *rho))))
        code = kl_fail_memory(err, v.most * sizeof *x);
    if (!code) {
        correlate(rho, known, x, longest, &v, rungs, n);
        draw_lines(sheet->cr, rho, known, longest, &v, rungs, n);
    }
    free(x), free(rho);
    chains_free(&v);
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
            kl_plot_axes_mark(cr, axes, (double)b + shift, value, 1.6, KL_CIRCLE);
        }
}

static void ladder_axis(cairo_t *cr, const struct kl_axes *axes, const struct kl_chains_view *v)
{
    const size_t step = v->betas / 9 + 1;
    char text[40];
    for (size_t b = 0; b < v->betas; b += step) {
        snprintf(text, sizeof text, "%g", v->beta[b]);
        kl_plot_black(cr, kl_plot_axes_x(axes, (double)b), axes->top + axes->height + 11, 7, KL_CENTRE,
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
        kl_plot_pen(cr, 0, 0.5, 0.5);
        kl_plot_rule(cr, axes.left, kl_plot_axes_y(&axes, reference), axes.width, 0);
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
            for (size_t t = 0; t < (size_t)v->draws[b]; t++) sum += chains_at(v, c, t, b);
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
    int code = chains_load(&v, file, name, err);
    if (!code && (v.chains != all->chains || v.betas != all->betas))
        code = kl_fail(err, KL_EDATA, "%s: %s: %zu chains and %zu temperatures, expected %zu and %zu",
                       kl_store_file_path(file), name, v.chains, v.betas, all->chains, all->betas);
    axes = kl_plot_axes_panel(cr, axes, 1, 250, 178);
    axes.y0 = 0.9, axes.y1 = 1.1;
    if (!code) {
        means(values, &v);
        panel(cr, axes, values, &v, "virial ratio", 1);
    }
    chains_free(&v);
    return code;
}

int kl_plot_acceptance(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs,
                       struct kl_error *err)
{
    const struct kl_axes axes = { 50, 18, 190, 130, .y1 = 1.02 };
    struct kl_chains_view v;
    float *accepted = NULL;
    double *values = NULL;
    int code = chains_load(&v, inputs->file, "posterior/train_loss", err);
    const size_t dims[2] = { v.chains, v.betas }, n = v.chains * v.betas;
    if (!code)
        code = kl_store_file_load_shape((void **)&accepted, inputs->file, "sample_stats/acceptance",
                                        KL_TYPE_F32, 2, dims, err);
    if (!code && !(values = malloc(n * sizeof *values))) code = kl_fail_memory(err, n * sizeof *values);
    if (!code) {
        for (size_t i = 0; i < n; i++) values[i] = accepted[i];
        panel(sheet->cr, axes, values, &v, "proposals accepted", NAN);
        code = draw_virial(sheet->cr, axes, inputs->file, values, &v, err);
        chains_head(sheet->cr, &v, v.betas, "each mark is a chain; at equilibrium the virial ratio is 1");
    }
    free(accepted), free(values);
    chains_free(&v);
    return code;
}
