/* SPDX-License-Identifier: MIT
   Generalisation bounds along a ladder of inverse temperatures: errors and their bound, the curve of the
   loss whose area is the divergence, kl(train || test) with its budget, and what of the divergence falls
   on a record. Several files are drawn into the same panels: true labels beside random ones. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/plot.h"

enum { BETA, LOSS, LOSS_MCSE, TRAIN, TEST, BOUND, BOUND_UPPER, CALIBRATED, GAMMA, BUDGET, N_COLUMNS };
static const char *const columns[N_COLUMNS] = { "beta",   "loss",  "loss_mcse",   "train01",
                                                "test01", "bound", "bound_upper", "bound_calibrated",
                                                "gamma",  "budget" };
enum { MOST_FILES = 4, MOST_ENTRIES = 8 };
static const double LEFT = 50, ACROSS = 250, WIDTH = 190, HEIGHT = 118, TOP = 54, DOWN = 186;
static const double SOLID = 1.2, LETTERS = 6.5, ROW = 9;

struct ladder {
    double *of[N_COLUMNS]; /* [k]; NULL: the file has no such column */
    size_t k;
    double n, factor, chance,
        width;  /* width: raw loss for one of the file's scale, as gamma is of the raw loss */
    bool unit;  /* the bounds are of the unit-interval loss, and so are TRAIN and TEST here */
    char *name; /* as the file calls it, else the file's own */
};

/* ---- what the file holds ---- */
static int load_column(struct ladder *l, int column, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *set;
    if (column != BETA && !kl_store_file_find(file, columns[column])) return KL_OK;
    int code = kl_store_file_expect(&set, file, columns[column], KL_TYPE_F64, 1, err);
    if (!code && column == BETA) l->k = set->dims[0];
    if (!code && set->dims[0] != l->k)
        code = kl_fail(err, KL_EDATA, "%s: %s: found %zu values, expected one for each of %zu betas",
                       kl_store_file_path(file), columns[column], set->dims[0], l->k);
    return code ? code : kl_store_file_load((void **)&l->of[column], file, set, err);
}

/* Of a ladder in the unit-interval form: the ends of its raw loss apart. */
static int load_width(struct ladder *l, struct kl_file *file, struct kl_error *err)
{
    double low, high;
    char *scale = NULL;
    l->width = 1;
    if (!kl_store_file_has_attribute(file, "", "scale")) return KL_OK;
    int code = kl_store_file_text(&scale, file, "", "scale", err);
    if (!code && strcmp(scale, "unit") == 0) {
        code = kl_store_file_number(&low, file, "", "loss_low", err);
        if (!code) code = kl_store_file_number(&high, file, "", "loss_high", err);
        if (!code) l->width = high - low;
    }
    free(scale);
    return code;
}

/* The unit-interval form of `values` (k); NULL: there are none. */
static double *to_unit(const struct ladder *l, double *values, bool raw, double low, double high)
{
    for (size_t i = 0; values && raw && i < l->k; i++) values[i] = (values[i] - low) / (high - low);
    return values;
}

/* Load the unit-interval loss in place of the 0-1 errors, if the bounds are of it. */
static int load_unit(struct ladder *l, struct kl_file *file, struct kl_error *err)
{
    static const char *const losses[2] = { "loss", "test_loss" };
    char *of = NULL, *scale = NULL;
    double low = 0, high = 1;
    if (!kl_store_file_has_attribute(file, "", "bound_of")) return KL_OK;
    int code = kl_store_file_text(&of, file, "", "bound_of", err);
    l->unit = !code && strcmp(of, "unit") == 0;
    if (l->unit) code = kl_store_file_text(&scale, file, "", "scale", err);
    const bool raw = l->unit && !code && strcmp(scale, "raw") == 0;
    if (!code && raw) code = kl_store_file_number(&low, file, "", "loss_low", err);
    if (!code && raw) code = kl_store_file_number(&high, file, "", "loss_high", err);
    for (int i = 0; i < 2 && l->unit && !code; i++) {
        double **to = &l->of[i ? TEST : TRAIN], *values = NULL;
        if (kl_store_file_find(file, losses[i]))
            code =
                kl_store_file_load_shape((void **)&values, file, losses[i], KL_TYPE_F64, 1, &l->k, err);
        free(*to);
        *to = to_unit(l, values, raw, low, high);
    }
    free(of), free(scale);
    return code;
}

static int load(struct ladder *l, struct kl_file *file, struct kl_error *err)
{
    int code = 0;
    for (int i = 0; i < N_COLUMNS && !code; i++) code = load_column(l, i, file, err);
    if (!code) code = kl_store_file_number(&l->n, file, "", "n", err);
    if (!code) code = load_width(l, file, err);
    if (!code) code = load_unit(l, file, err);
    l->factor = l->chance = NAN;
    if (!code && !l->unit && kl_store_file_has_attribute(file, "", "chance"))
        code = kl_store_file_number(&l->chance, file, "", "chance", err);
    if (!code && kl_store_file_has_attribute(file, "", "calibration_factor"))
        code = kl_store_file_number(&l->factor, file, "", "calibration_factor", err);
    if (!code && kl_store_file_has_attribute(file, "", "ladder"))
        code = kl_store_file_text(&l->name, file, "", "ladder", err);
    if (code || (l->name && *l->name)) return code;
    const char *path = kl_store_file_path(file), *base = strrchr(path, '/');
    free(l->name);
    l->name = strdup(base ? base + 1 : path);
    return l->name ? KL_OK : kl_fail_memory(err, strlen(path));
}

static void ladder_free(struct ladder *l)
{
    for (int i = 0; i < N_COLUMNS; i++) free(l->of[i]);
    free(l->name);
}

/* ---- curves over log beta ---- */
static double at(const double *values, size_t i)
{
    return values ? values[i] : NAN;
}

/* The frame of a panel; its x holds every beta above 0. */
static struct kl_axes frame(cairo_t *cr, int panel, const struct ladder *ladders, size_t n)
{
    const struct kl_axes first = { LEFT, TOP, WIDTH, HEIGHT, INFINITY, -INFINITY, 0, 0, .log_x = true };
    struct kl_axes axes = kl_plot_axes_panel(cr, first, panel, ACROSS, DOWN);
    for (size_t f = 0; f < n; f++)
        for (size_t i = 0; i < ladders[f].k; i++)
            if (ladders[f].of[BETA][i] > 0) {
                axes.x0 = fmin(axes.x0, log10(ladders[f].of[BETA][i]));
                axes.x1 = fmax(axes.x1, log10(ladders[f].of[BETA][i]));
            }
    if (!(axes.x0 <= axes.x1)) axes.x0 = 0, axes.x1 = 1; /* beta 0 alone */
    axes.x0 -= 0.05, axes.x1 += 0.05;
    return axes;
}

/* Lines differ by their marks, too. */
static enum kl_mark mark_of(int colour)
{
    return (enum kl_mark)((colour - 1) % KL_N_MARKS);
}

/* A line through the finite values with a mark on each; dashed: what is no guarantee, and the second
 * file. */
static void draw_curve(cairo_t *cr, const struct kl_axes *axes, const double *beta, const double *values,
                       size_t k, int colour, bool dashed)
{
    bool begun = false;
    if (!values) return;
    kl_plot_pen(cr, colour, 1, SOLID);
    kl_plot_dashed(cr, dashed);
    for (size_t i = 0; i < k; i++) {
        if (!(beta[i] > 0) || !isfinite(values[i])) continue;
        const double x = kl_plot_axes_x(axes, log10(beta[i])), y = kl_plot_axes_y(axes, values[i]);
        if (begun) cairo_line_to(cr, x, y);
        else cairo_move_to(cr, x, y);
        begun = true;
    }
    cairo_stroke(cr);
    kl_plot_dashed(cr, 0);
    for (size_t i = 0; i < k; i++)
        if (beta[i] > 0 && isfinite(values[i]))
            kl_plot_axes_mark(cr, axes, log10(beta[i]), values[i], 1.8, mark_of(colour));
}

/* ---- legends: above a panel and no wider than it, in rows of which the last one stands above the frame
 * ----
 */
struct entry {
    int colour;
    bool dashed, area;
    char text[80];
};
struct legend {
    struct entry of[MOST_ENTRIES];
    int n;
};

static void add_entry(struct legend *l, int colour, bool dashed, const char *text)
{
    if (l->n == MOST_ENTRIES) return;
    struct entry *e = &l->of[l->n++];
    *e = (struct entry){ .colour = colour, .dashed = dashed };
    snprintf(e->text, sizeof e->text, "%s", text);
}

static double width_of(cairo_t *cr, const struct entry *e)
{
    return 14 + kl_plot_text_width(cr, LETTERS, e->text) + 7;
}

static void draw_entry(cairo_t *cr, const struct entry *e, double x, double y)
{
    kl_plot_colour(cr, e->colour, e->area ? 0.25 : 1);
    if (e->area) {
        kl_plot_fill(cr, x, y - 5, 11, 6);
    } else {
        cairo_set_line_width(cr, SOLID);
        kl_plot_dashed(cr, e->dashed);
        kl_plot_rule(cr, x, y - 2.5, 11, 0);
        kl_plot_dashed(cr, 0);
        kl_plot_mark(cr, x + 5.5, y - 2.5, 1.8, mark_of(e->colour));
    }
    kl_plot_black(cr, x + 14, y, LETTERS, KL_LEFT, e->text);
}

static void draw_legend(cairo_t *cr, const struct legend *l, double left, double top)
{
    double x = 0;
    int rows = 1, row = 0;
    for (int i = 0; i < l->n; i++) {
        const double width = width_of(cr, &l->of[i]);
        if (x > 0 && x + width > WIDTH + 7) rows++, x = 0;
        x += width;
    }
    x = 0;
    for (int i = 0; i < l->n; i++) {
        const double width = width_of(cr, &l->of[i]);
        if (x > 0 && x + width > WIDTH + 7) row++, x = 0;
        draw_entry(cr, &l->of[i], left + x, top - 5 - ROW * (rows - 1 - row));
        x += width;
    }
}

/* ---- the panels ---- */
static bool has_curve(const struct ladder *l, int column)
{
    for (size_t i = 0; i < l->k && l->of[column]; i++)
        if (l->of[BETA][i] > 0 && isfinite(l->of[column][i])) return true;
    return false;
}

/* Draw the error of a guess: a bound above it says nothing. */
static void draw_chance(cairo_t *cr, const struct kl_axes *axes, double chance)
{
    static const double dots[] = { 1, 2 };
    const double y = kl_plot_axes_y(axes, chance);
    kl_plot_pen(cr, 0, 0.6, 0.7);
    cairo_set_dash(cr, dots, 2, 0);
    kl_plot_rule(cr, axes->left, y, axes->width, 0);
    cairo_set_dash(cr, dots, 0, 0);
    kl_plot_black(cr, axes->left + 3, y - 2, LETTERS, KL_LEFT, "chance");
}

static void draw_errors(cairo_t *cr, const struct ladder *ladders, size_t n)
{
    static const struct {
        int column, colour;
        bool dashed;
        const char *name;
    } of[] = { { TRAIN, 1, false, "train" },
               { TEST, 2, false, "test" },
               { BOUND, 3, false, "bound" },
               { BOUND_UPPER, 4, false, "bound, upper confidence limit" },
               { CALIBRATED, 5, true, "calibrated: no guarantee" } };
    enum { CURVES = sizeof of / sizeof *of };
    struct kl_axes axes = frame(cr, 0, ladders, n);
    struct legend legend = { 0 };
    for (size_t f = 0; f < n; f++) {
        for (int c = 0; c < CURVES; c++)
            for (size_t i = 0; i < ladders[f].k; i++)
                if (ladders[f].of[BETA][i] > 0)
                    kl_plot_axes_widen(&axes, at(ladders[f].of[of[c].column], i));
        kl_plot_axes_widen(&axes, ladders[f].chance);
    }
    axes.y1 = axes.y1 > 0 ? 1.05 * axes.y1 : 1;
    for (size_t f = 0; f < n; f++)
        if (isfinite(ladders[f].chance)) draw_chance(cr, &axes, ladders[f].chance);
    for (size_t f = 0; f < n; f++)
        for (int c = 0; c < CURVES; c++)
            draw_curve(cr, &axes, ladders[f].of[BETA], ladders[f].of[of[c].column], ladders[f].k,
                       of[c].colour, of[c].dashed || f % 2);
    for (int c = 0; c < CURVES; c++) {
        bool any = false;
        for (size_t f = 0; f < n; f++) any |= has_curve(&ladders[f], of[c].column);
        if (any) add_entry(&legend, of[c].colour, of[c].dashed, of[c].name);
    }
    draw_legend(cr, &legend, axes.left, axes.top);
    bool unit = false, error = false;
    for (size_t f = 0; f < n; f++) *(ladders[f].unit ? &unit : &error) = true;
    kl_plot_axes_draw(cr, &axes, "inverse temperature beta",
                      !unit   ? "0-1 error"
                      : error ? "0-1 error, or unit-interval loss"
                              : "unit-interval loss");
}

/* The mean loss, two standard errors either way; what lies between the left and the right sum is not
 * known. */
static void draw_losses(cairo_t *cr, const struct ladder *ladders, size_t n)
{
    struct kl_axes axes = frame(cr, 1, ladders, n);
    struct legend legend = { 0 };
    for (size_t f = 0; f < n; f++)
        for (size_t i = 0; i < ladders[f].k; i++) kl_plot_axes_widen(&axes, at(ladders[f].of[LOSS], i));
    axes.y1 = axes.y1 > 0 ? 1.05 * axes.y1 : 1;
    for (size_t f = 0; f < n; f++) {
        const struct ladder *l = &ladders[f];
        kl_plot_colour(cr, 1 + (int)f, 0.25);
        for (size_t i = 0; i + 1 < l->k; i++) {
            if (!(l->of[BETA][i] > 0)) continue;
            const double from = kl_plot_axes_x(&axes, log10(l->of[BETA][i])),
                         to = kl_plot_axes_x(&axes, log10(l->of[BETA][i + 1])),
                         high = kl_plot_axes_y(&axes, at(l->of[LOSS], i)),
                         low = kl_plot_axes_y(&axes, at(l->of[LOSS], i + 1));
            if (!isfinite(high) || !isfinite(low)) continue;
            kl_plot_fill(cr, from, fmin(high, low), to - from, fabs(low - high));
        }
        draw_curve(cr, &axes, l->of[BETA], l->of[LOSS], l->k, 1 + (int)f, f % 2);
        for (size_t i = 0; l->of[LOSS_MCSE] && i < l->k; i++) {
            const double error = 2 * l->of[LOSS_MCSE][i];
            if (!(l->of[BETA][i] > 0) || !isfinite(error) || !isfinite(l->of[LOSS][i])) continue;
            const double mid = kl_plot_axes_x(&axes, log10(l->of[BETA][i]));
            kl_plot_axes_upright(cr, &axes, mid, l->of[LOSS][i] - error, l->of[LOSS][i] + error);
        }
        char text[80];
        snprintf(text, sizeof text, "%.24s", l->name);
        add_entry(&legend, 1 + (int)f, f % 2, *l->name ? text : "mean loss");
    }
    add_entry(&legend, 1, false, "between left and right sum");
    legend.of[legend.n - 1].area = true;
    draw_legend(cr, &legend, axes.left, axes.top);
    kl_plot_axes_draw(cr, &axes, "inverse temperature beta", "mean loss");
}

static double bernoulli_kl(double p, double q)
{
    if (!(q > 0 && q < 1)) return p == q ? 0 : NAN;
    return (p > 0 ? p * log(p / q) : 0) + (p < 1 ? (1 - p) * log((1 - p) / (1 - q)) : 0);
}

static int draw_divergences(cairo_t *cr, const struct ladder *ladders, size_t n, struct kl_error *err)
{
    struct kl_axes axes = frame(cr, 2, ladders, n);
    double *kl[MOST_FILES] = { 0 };
    int code = 0;
    for (size_t f = 0; f < n && !code; f++) {
        const struct ladder *l = &ladders[f];
        if (!(kl[f] = calloc(l->k + 1, sizeof *kl[f]))) code = kl_fail_memory(err, l->k * sizeof *kl[f]);
        for (size_t i = 0; !code && i < l->k; i++) {
            kl[f][i] = bernoulli_kl(at(l->of[TRAIN], i), at(l->of[TEST], i));
            kl_plot_axes_widen(&axes, kl[f][i]), kl_plot_axes_widen(&axes, at(l->of[BUDGET], i));
        }
    }
    axes.y1 = axes.y1 > 0 ? 1.05 * axes.y1 : 1;
    axes.y0 = axes.y0 < 0 ? 1.05 * axes.y0 : 0;
    for (size_t f = 0; f < n && !code; f++) {
        draw_curve(cr, &axes, ladders[f].of[BETA], kl[f], ladders[f].k, 2, f % 2);
        draw_curve(cr, &axes, ladders[f].of[BETA], ladders[f].of[BUDGET], ladders[f].k, 3, f % 2);
    }
    struct legend legend = { 0 };
    add_entry(&legend, 2, false, "kl(train || test)"), add_entry(&legend, 3, false, "its budget");
    draw_legend(cr, &legend, axes.left, axes.top);
    if (!code) kl_plot_axes_draw(cr, &axes, "inverse temperature beta", "nats a record");
    for (size_t f = 0; f < n; f++) free(kl[f]);
    return code;
}

/* Draw a line at beta = n of ladder f; its name below the curves, which rise, on the side that has
 * room. */
static void draw_records(cairo_t *cr, const struct kl_axes *axes, const struct ladder *ladders, size_t n,
                         size_t f)
{
    char name[40] = "beta = n";
    const double records = ladders[f].n;
    bool alike = true;
    for (size_t i = 0; i < n; i++) {
        if (i < f && ladders[i].n == records) return; /* it stands there */
        alike &= ladders[i].n == records;
    }
    if (!(records > 0 && log10(records) < axes->x1 && log10(records) > axes->x0)) return;
    if (!alike) snprintf(name, sizeof name, "beta = n = %.0f", records);
    const double x = kl_plot_axes_x(axes, log10(records)),
                 room = axes->left + axes->width - x - kl_plot_text_width(cr, LETTERS, name) - 4;
    kl_plot_pen(cr, 0, 0.5, 0.7);
    kl_plot_rule(cr, x, axes->top, 0, axes->height);
    kl_plot_black(cr, room > 0 ? x + 2 : x - 2, axes->top + axes->height - 4 - ROW * (double)f, LETTERS,
                  room > 0 ? KL_LEFT : KL_RIGHT, name);
}

/* Gamma / n as it is, calibrated, and by the loss of the prior alone; beyond beta = n a record weighs
 * more than itself. */
static int draw_gammas(cairo_t *cr, const struct ladder *ladders, size_t n, struct kl_error *err)
{
    enum { FORMS = 3 };
    static const char *const names[FORMS] = { "Gamma / n", "calibrated", "beta L(0) / n" };
    struct kl_axes axes = frame(cr, 3, ladders, n);
    double *values[MOST_FILES][FORMS] = { 0 };
    struct legend legend = { 0 };
    bool any[FORMS] = { false };
    int code = 0;
    axes.y0 = INFINITY, axes.y1 = -INFINITY, axes.log_y = true;
    for (size_t f = 0; f < n; f++)
        for (int form = 0; form < FORMS && !code; form++) {
            const struct ladder *l = &ladders[f];
            if (!(values[f][form] = calloc(l->k + 1, sizeof(double))))
                code = kl_fail_memory(err, l->k * sizeof(double));
            for (size_t i = 0; !code && i < l->k; i++) {
                const double gamma = at(l->of[GAMMA], i) / l->n,
                             of[] = { gamma, l->factor * gamma,
                                      l->of[BETA][i] * l->width * at(l->of[LOSS], 0) / l->n };
                values[f][form][i] = of[form] > 0 ? log10(of[form]) : NAN;
                if (!(l->of[BETA][i] > 0)) continue;
                kl_plot_axes_widen(&axes, values[f][form][i]);
                any[form] |= isfinite(values[f][form][i]) != 0;
            }
        }
    if (!(axes.y0 <= axes.y1)) axes.y0 = -1, axes.y1 = 0;
    axes.y0 -= 0.1, axes.y1 += 0.1;
    for (size_t f = 0; f < n && !code; f++)
        for (int form = 0; form < FORMS; form++)
            draw_curve(cr, &axes, ladders[f].of[BETA], values[f][form], ladders[f].k, 3 + form,
                       form == 1 || f % 2);
    for (int form = 0; form < FORMS && !code; form++)
        if (any[form]) add_entry(&legend, 3 + form, form == 1, names[form]);
    if (!code) draw_legend(cr, &legend, axes.left, axes.top);
    for (size_t f = 0; f < n && !code; f++) draw_records(cr, &axes, ladders, n, f);
    if (!code) kl_plot_axes_draw(cr, &axes, "inverse temperature beta", "nats a record");
    for (size_t f = 0; f < n; f++)
        for (int form = 0; form < FORMS; form++) free(values[f][form]);
    return code;
}

static void draw_head(cairo_t *cr, const struct ladder *ladders, size_t n)
{
    char text[300];
    size_t have = 0;
    for (size_t f = 0; f < n && have < sizeof text; f++)
        have += (size_t)snprintf(text + have, sizeof text - have, "%s%.60s, %.0f records%s",
                                 f ? "; " : "", ladders[f].name, ladders[f].n,
                                 n < 2   ? ""
                                 : f % 2 ? ": dashed"
                                         : ": solid");
    kl_plot_black_lines(cr, LEFT, 14, 7, WIDTH + (kl_plot_sheet_of(cr)->narrow ? 0 : ACROSS), text);
}

int kl_plot_bounds(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    struct ladder ladders[MOST_FILES] = { 0 };
    size_t n = 0;
    int code = load(&ladders[n++], inputs->file, err);
    for (size_t i = 0; i < inputs->n_files && !code; i++) {
        struct kl_file *file = inputs->files[i];
        if (file == inputs->file || strcmp(kl_store_file_kind(file), "bounds") != 0) continue;
        if (n == MOST_FILES)
            code = kl_fail(err, KL_EUSAGE, "%s: bounds of more than %d files in one figure",
                           kl_store_file_path(file), (int)MOST_FILES);
        else code = load(&ladders[n++], file, err);
    }
    if (!code) {
        draw_head(sheet->cr, ladders, n);
        draw_errors(sheet->cr, ladders, n);
        draw_losses(sheet->cr, ladders, n);
        code = draw_divergences(sheet->cr, ladders, n, err);
    }
    if (!code) code = draw_gammas(sheet->cr, ladders, n, err);
    for (size_t f = 0; f < n; f++) ladder_free(&ladders[f]);
    return code;
}
