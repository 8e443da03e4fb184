/* SPDX-License-Identifier: MIT
   What adapting a policy is worth: loss and gain by steps with the fit of the gain, the gain against the
   family's variance, and the regret of what stands beside it. */
#include <math.h>
#include <stdlib.h>

#include "plot/plot.h"
#include "stats/stats.h"

enum { FIXED, STEERED, MEAN, OPTIMUM, N_OTHERS };
static const char *const others[N_OTHERS] = { "losses/fixed_pulse", "losses/steered_pulse",
                                              "losses/mean_network", "losses/optimum" };
static const double LEFT = 56, ACROSS = 256, WIDTH = 180, HEIGHT = 130, TOP = 30, DOWN = 186;

static struct kl_axes panel(cairo_t *cr, int i)
{
    const struct kl_axes first = { LEFT, TOP, WIDTH, HEIGHT, .y0 = 0 };
    return kl_plot_axes_panel(cr, first, i, ACROSS, DOWN);
}

struct adaptation {
    double *policy;           /* [tasks][steps + 1] */
    double *others[N_OTHERS]; /* [tasks] */
    double *variance, *gain;  /* [scales]; NULL: not measured */
    size_t tasks, steps, scales;
    double own, c, beta, r2, slope, intercept, line_r2; /* NaN: the file has none */
};

/* ---- what the file holds ---- */
static int load_scales(struct adaptation *a, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *x, *y;
    if (!kl_store_file_find(file, "scales/gain")) return KL_OK;
    int code = kl_store_file_expect(&x, file, "scales/variance", KL_TYPE_F64, 1, err);
    if (!code) code = kl_store_file_expect(&y, file, "scales/gain", KL_TYPE_F64, 1, err);
    if (!code && x->dims[0] != y->dims[0])
        code = kl_fail(err, KL_EDATA, "%s: scales: found %zu variances and %zu gains",
                       kl_store_file_path(file), x->dims[0], y->dims[0]);
    if (!code) code = kl_store_file_load((void **)&a->variance, file, x, err);
    if (!code) code = kl_store_file_load((void **)&a->gain, file, y, err);
    if (!code) a->scales = x->dims[0];
    return code;
}

static int load(struct adaptation *a, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *set;
    int code = kl_store_file_expect(&set, file, "losses/policy", KL_TYPE_F64, 2, err);
    if (!code && (set->dims[0] < 1 || set->dims[1] < 2))
        code = kl_fail(err, KL_EDATA, "%s: losses/policy: found %zu x %zu, expected tasks by steps",
                       kl_store_file_path(file), set->dims[0], set->dims[1]);
    if (!code) code = kl_store_file_load((void **)&a->policy, file, set, err);
    if (code) return code;
    a->tasks = set->dims[0], a->steps = set->dims[1] - 1;
    for (int i = 0; i < N_OTHERS && !code; i++) {
        void *data = NULL;
        code = kl_store_file_load_shape(&data, file, others[i], KL_TYPE_F64, 1, &a->tasks, err);
        a->others[i] = data;
    }
    a->own = kl_plot_file_number(file, "inner_steps");
    a->c = kl_plot_file_number(file, "gain_c"), a->beta = kl_plot_file_number(file, "gain_beta"),
    a->r2 = kl_plot_file_number(file, "gain_r2");
    a->slope = kl_plot_file_number(file, "variance_slope"),
    a->intercept = kl_plot_file_number(file, "variance_intercept");
    a->line_r2 = kl_plot_file_number(file, "variance_r2");
    return code ? code : load_scales(a, file, err);
}

static void adaptation_free(struct adaptation *a)
{
    free(a->policy), free(a->variance), free(a->gain);
    for (int i = 0; i < N_OTHERS; i++) free(a->others[i]);
}

/* ---- panels by steps ---- */
/* Of step k: the mean loss, and the mean gain with its interval over tasks. */
static struct kl_paired at_step(double *loss, const struct adaptation *a, size_t k)
{
    double *before = malloc(2 * a->tasks * sizeof *before), *after = before ? before + a->tasks : NULL;
    struct kl_paired gain = { 0 };
    *loss = NAN;
    for (size_t t = 0; before && t < a->tasks; t++) {
        before[t] = a->policy[t * (a->steps + 1)];
        after[t] = a->policy[t * (a->steps + 1) + k];
    }
    if (before) gain = kl_stats_paired(before, after, a->tasks), *loss = kl_stats_mean(after, a->tasks);
    free(before);
    return gain;
}

static void add_margin(struct kl_axes *axes)
{
    if (!(axes->y0 <= axes->y1)) axes->y0 = 0, axes->y1 = 1; /* no number */
    const double margin =
        axes->y1 > axes->y0 ? 0.06 * (axes->y1 - axes->y0) : fmax(0.05 * fabs(axes->y1), 1e-6);
    axes->y0 -= margin, axes->y1 += margin;
}

static double fitted(const struct adaptation *a, double k)
{
    return a->c * (1 - exp(-a->beta * k));
}

/* base + sign * fit, by steps. */
static void draw_fit(cairo_t *cr, const struct kl_axes *axes, const struct adaptation *a, double base,
                     double sign)
{
    enum { PARTS = 100 };
    if (!isfinite(a->c) || !isfinite(a->beta)) return;
    kl_plot_pen(cr, 2, 1, 1.1);
    for (int i = 0; i <= PARTS; i++) {
        const double k = (double)a->steps * i / PARTS;
        kl_plot_axes_to(cr, axes, k, base + sign * fitted(a, k));
    }
    cairo_stroke(cr);
}

static double entry(cairo_t *cr, double x, double y, int colour, const char *text)
{
    kl_plot_pen(cr, colour, 1, 1.2);
    kl_plot_rule(cr, x, y - 2.5, 11, 0);
    kl_plot_black(cr, x + 14, y, 6.5, KL_LEFT, text);
    return x + 14 + kl_plot_text_width(cr, 6.5, text) + 7;
}

static void draw_losses(cairo_t *cr, const struct adaptation *a)
{
    static const char *const names[N_OTHERS] = { "fixed pulse", NULL, "mean net", "optimum" };
    static const int colours[N_OTHERS] = { 3, 0, 5, 4 };
    struct kl_axes axes = panel(cr, 0);
    axes.x0 = -0.5, axes.x1 = (double)a->steps + 0.5, axes.whole_x = true;
    axes.y0 = INFINITY, axes.y1 = -INFINITY;
    double loss, first, x = LEFT + 6;
    at_step(&first, a, 0);
    kl_plot_colour(cr, 1, 1);
    kl_plot_mark(cr, LEFT + 2, TOP - 7.5, 2, KL_CIRCLE);
    kl_plot_black(cr, x, TOP - 5, 6.5, KL_LEFT, "policy");
    x += kl_plot_text_width(cr, 6.5, "policy") + 7;
    for (size_t k = 0; k <= a->steps; k++) at_step(&loss, a, k), kl_plot_axes_widen(&axes, loss);
    for (int i = 0; i < N_OTHERS; i++)
        if (names[i]) kl_plot_axes_widen(&axes, kl_stats_mean(a->others[i], a->tasks));
    add_margin(&axes);
    for (int i = 0; i < N_OTHERS; i++) {
        if (!names[i]) continue;
        kl_plot_pen(cr, colours[i], 1, 1.2);
        kl_plot_rule(cr, axes.left, kl_plot_axes_y(&axes, kl_stats_mean(a->others[i], a->tasks)),
                     axes.width, 0);
        x = entry(cr, x, TOP - 5, colours[i], names[i]);
    }
    draw_fit(cr, &axes, a, first, -1);
    kl_plot_colour(cr, 1, 1);
    for (size_t k = 0; k <= a->steps; k++) {
        at_step(&loss, a, k);
        kl_plot_axes_mark(cr, &axes, (double)k, loss, 2, KL_CIRCLE);
    }
    kl_plot_axes_draw(cr, &axes, "steps K of adaptation", "mean loss");
}

static void draw_gains(cairo_t *cr, const struct adaptation *a)
{
    struct kl_axes axes = panel(cr, 1);
    axes.x0 = -0.5, axes.x1 = (double)a->steps + 0.5, axes.whole_x = true;
    double loss;
    char text[100];
    for (size_t k = 0; k <= a->steps; k++) {
        const struct kl_paired gain = at_step(&loss, a, k);
        kl_plot_axes_widen(&axes, gain.low), kl_plot_axes_widen(&axes, gain.high),
            kl_plot_axes_widen(&axes, gain.difference);
    }
    add_margin(&axes);
    draw_fit(cr, &axes, a, 0, 1);
    for (size_t k = 0; k <= a->steps; k++) {
        const struct kl_paired gain = at_step(&loss, a, k);
        const double x = kl_plot_axes_x(&axes, (double)k);
        kl_plot_pen(cr, 1, 1, 0.9);
        if (isfinite(gain.low) && isfinite(gain.high)) {
            kl_plot_axes_upright(cr, &axes, x, gain.low, gain.high);
        }
        kl_plot_mark(cr, x, kl_plot_axes_y(&axes, gain.difference), 2, KL_CIRCLE);
    }
    kl_plot_axes_draw(cr, &axes, "steps K of adaptation; bars: 95 % of the mean",
                      "gain: loss before - after");
    if (!isfinite(a->c)) return;
    snprintf(text, sizeof text, "%.3g (1 - exp(-%.3g K)), R\xc2\xb2 %.3f", a->c, a->beta, a->r2);
    entry(cr, axes.left, axes.top - 5, 2, text);
}

/* ---- the gain against the family's variance ---- */
static void draw_scales(cairo_t *cr, const struct adaptation *a)
{
    struct kl_axes axes = panel(cr, 2);
    char text[100];
    for (size_t i = 0; i < a->scales; i++) {
        kl_plot_axes_widen(&axes, a->gain[i]);
        if (isfinite(a->variance[i])) axes.x1 = fmax(axes.x1, a->variance[i]);
    }
    if (axes.x1 <= 0) return; /* a family without spread, or scales were not asked for */
    add_margin(&axes);
    axes.x0 = -0.04 * axes.x1, axes.x1 *= 1.04;
    kl_plot_axes_clip(cr, &axes);
    if (isfinite(a->slope)) {
        kl_plot_pen(cr, 2, 1, 1.1);
        kl_plot_line(cr, axes.left, kl_plot_axes_y(&axes, a->intercept + a->slope * axes.x0),
                     axes.left + axes.width, kl_plot_axes_y(&axes, a->intercept + a->slope * axes.x1));
    }
    kl_plot_colour(cr, 1, 1);
    for (size_t i = 0; i < a->scales; i++)
        if (isfinite(a->gain[i])) kl_plot_axes_mark(cr, &axes, a->variance[i], a->gain[i], 2, KL_CIRCLE);
    cairo_restore(cr);
    kl_plot_axes_draw(cr, &axes, "variance of the family", "gain of adapting");
    if (!isfinite(a->slope)) return;
    snprintf(text, sizeof text, "%.3g + %.3g x, R\xc2\xb2 %.3f", a->intercept, a->slope, a->line_r2);
    entry(cr, axes.left, axes.top - 5, 2, text);
}

/* ---- regret ---- */
static void draw_bar(cairo_t *cr, const struct kl_axes *axes, double y, double high,
                     const struct kl_paired *p, int colour)
{
    const double from = kl_plot_axes_x(axes, 0), to = kl_plot_axes_x(axes, p->difference);
    kl_plot_colour(cr, colour, 0.8);
    kl_plot_fill(cr, fmin(from, to), y - high / 2, fabs(to - from), high);
    if (!isfinite(p->low) || !isfinite(p->high)) return;
    kl_plot_pen(cr, 0, 1, 0.8);
    kl_plot_axes_across(cr, axes, y, p->low, p->high);
}

static void draw_regrets(cairo_t *cr, const struct adaptation *a, const struct kl_file *file)
{
    static const char *const names[][2] = { { "regret", "adapted" },
                                            { "regret_unadapted", "not adapted" },
                                            { "regret_mean_network", "mean network" },
                                            { "regret_steered_pulse", NULL },
                                            { "regret_fixed_pulse", "fixed pulse" } };
    static const int colours[] = { 1, 6, 5, 4, 3 };
    enum { ROWS = 5 };
    struct kl_axes axes = panel(cr, 3);
    axes.y1 = 1;
    struct kl_paired of[ROWS];
    char name[64], text[120];
    for (int i = 0; i < ROWS; i++) {
        of[i].difference = kl_plot_file_number(file, names[i][0]);
        snprintf(name, sizeof name, "%s_low", names[i][0]), of[i].low = kl_plot_file_number(file, name);
        snprintf(name, sizeof name, "%s_high", names[i][0]),
            of[i].high = kl_plot_file_number(file, name);
        const double ends[] = { of[i].difference, of[i].low, of[i].high };
        for (int k = 0; k < 3; k++)
            if (isfinite(ends[k])) axes.x0 = fmin(axes.x0, ends[k]), axes.x1 = fmax(axes.x1, ends[k]);
    }
    if (axes.x1 <= axes.x0) axes.x1 = axes.x0 + 1e-9;
    const double tens = floor(log10(fmax(axes.x1, -axes.x0))), unit = pow(10, tens);
    axes.x0 /= unit, axes.x1 /= unit;
    const double step = HEIGHT / ROWS, margin = 0.04 * (axes.x1 - axes.x0);
    if (axes.x0 < 0) axes.x0 -= margin;
    axes.x1 += margin;
    for (int i = 0; i < ROWS; i++) {
        const double y = axes.top + step * (i + 0.5);
        of[i].difference /= unit, of[i].low /= unit, of[i].high /= unit;
        if (isfinite(of[i].difference)) draw_bar(cr, &axes, y, 0.6 * step, &of[i], colours[i]);
        snprintf(text, sizeof text, "fixed pulse, %.0f step%s", a->own, a->own == 1 ? "" : "s");
        kl_plot_black(cr, axes.left - 4, y + 2.5, 6.5, KL_RIGHT, names[i][1] ? names[i][1] : text);
    }
    kl_plot_axes_power(name, sizeof name, (int)tens);
    snprintf(text, sizeof text, "regret / 10%s: loss above the optimum", name);
    kl_plot_axes_draw_x(cr, &axes, text);
    snprintf(text, sizeof text, "bars: mean over %zu tasks; lines: its 95 %%, paired", a->tasks);
    kl_plot_text(cr, axes.left, axes.top - 5, 6.5, KL_LEFT, text);
}

static int draw_head(cairo_t *cr, const struct adaptation *a, const struct kl_file *file,
                     struct kl_error *err)
{
    char *verdict = NULL, text[240];
    const int code = kl_store_file_text(&verdict, file, "", "verdict", err);
    if (!code) {
        snprintf(text, sizeof text, "%zu tasks, %.0f steps: %.160s", a->tasks, a->own, verdict);
        kl_plot_black_lines(cr, LEFT, 10, 6.5, WIDTH + (kl_plot_sheet_of(cr)->narrow ? 0 : ACROSS),
                            text);
    }
    free(verdict);
    return code;
}

int kl_plot_adaptation(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs,
                       struct kl_error *err)
{
    struct adaptation a = { 0 };
    int code = load(&a, inputs->file, err);
    if (!code) code = draw_head(sheet->cr, &a, inputs->file, err);
    if (!code) {
        draw_losses(sheet->cr, &a);
        draw_gains(sheet->cr, &a);
        draw_scales(sheet->cr, &a);
        draw_regrets(sheet->cr, &a, inputs->file);
    }
    adaptation_free(&a);
    return code;
}
