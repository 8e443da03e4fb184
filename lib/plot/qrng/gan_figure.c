/* SPDX-License-Identifier: MIT
   Generators of device bits: how far apart the pairs are, and the divergence and both losses by epoch, a
   line a generator. All from the file; beside what was trained stands what it is to be compared with. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/plot.h"

enum { NAME = 32, MOST_NAMED = 12, MOST_LINES = 8 };
static const double LEFT = 44, TOP = 18, WIDTH = 180, HEIGHT = 120, ACROSS = 246, DOWN = 176;

/* Datasets of the bars: the study's divergence and its closed form, or the sound way's with its interval
   and that of frequencies. */
static const char *const sets[2][4] = {
    { "scores/divergence", NULL, NULL, "scores/divergence_uniform" },
    { "scores/excess", "scores/excess_low", "scores/excess_high", "scores/plugin_excess" },
};
static const char *const histories[3] = { "history/divergence", "history/generator_loss",
                                          "history/discriminator_loss" };

struct gan {
    int32_t *pairs, *models; /* (n_pairs, 2) */
    char *devices;
    double *score[4];   /* (n_pairs) each, NULL: none */
    double *history[3]; /* (n_models, n_epochs) */
    size_t n_pairs, n_models, n_epochs, n_devices, name_size;
    bool sound;
};

static int load_scores(struct gan *g, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *set;
    int code = KL_OK;
    g->sound = kl_store_file_find(file, sets[1][0]) != NULL;
    for (int i = 0; i < 4 && !code; i++) {
        if (!sets[g->sound][i]) continue;
        code = kl_store_file_load_named((void **)&g->score[i], &set, file, sets[g->sound][i],
                                        KL_TYPE_F64, 1, err);
        if (!code && set->dims[0] != g->n_pairs)
            code = kl_fail(err, KL_EDATA, "%s: %s: expected one number for each pair",
                           kl_store_file_path(file), sets[g->sound][i]);
    }
    return code;
}

/* Indices are checked here, and trusted below. */
static int load_pairs(struct gan *g, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *pairs, *models, *devices;
    int code = kl_store_file_load_named((void **)&g->pairs, &pairs, file, "pairs", KL_TYPE_I32, 2, err);
    if (!code)
        code =
            kl_store_file_load_named((void **)&g->models, &models, file, "model", KL_TYPE_I32, 2, err);
    if (!code)
        code = kl_store_file_load_named((void **)&g->devices, &devices, file, "devices", KL_TYPE_STRING,
                                        1, err);
    if (code) return code;
    g->n_pairs = pairs->dims[0], g->n_devices = devices->dims[0], g->name_size = devices->item_size;
    bool right =
        g->n_pairs && pairs->dims[1] == 2 && models->dims[1] == 2 && models->dims[0] == g->n_pairs;
    for (size_t i = 0; right && i < 2 * g->n_pairs; i++)
        right = g->pairs[i] >= 0 && (size_t)g->pairs[i] < g->n_devices && g->models[i] >= 0 &&
                (size_t)g->models[i] < g->n_models;
    return right ? KL_OK
                 : kl_fail(err, KL_EDATA, "%s: pairs, model: expected two devices and generators each",
                           kl_store_file_path(file));
}

static int load_gan(struct gan *g, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *set;
    int code = KL_OK;
    for (int i = 0; i < 3 && !code; i++) {
        if (i == 2 && !kl_store_file_find(file, histories[i])) continue; /* there was no discriminator */
        code = kl_store_file_load_named((void **)&g->history[i], &set, file, histories[i], KL_TYPE_F64,
                                        2, err);
        if (code) return code;
        if (i && (set->dims[0] != g->n_models || set->dims[1] != g->n_epochs))
            return kl_fail(err, KL_EDATA, "%s: histories of different shapes", kl_store_file_path(file));
        g->n_models = set->dims[0], g->n_epochs = set->dims[1];
    }
    if (!code) code = load_pairs(g, file, err);
    return code ? code : load_scores(g, file, err);
}

static void free_gan(struct gan *g)
{
    free(g->pairs), free(g->models), free(g->devices);
    for (int i = 0; i < 4; i++) free(g->score[i]);
    for (int i = 0; i < 3; i++) free(g->history[i]);
}

static void device_name(char name[NAME + 1], const struct gan *g, int32_t number)
{
    const size_t size = g->name_size < NAME ? g->name_size : NAME;
    memset(name, 0, NAME + 1);
    memcpy(name, g->devices + (size_t)number * g->name_size, size);
}

static void widen(struct kl_axes *axes, const double *values, size_t n)
{
    for (size_t i = 0; values && i < n; i++) kl_plot_axes_widen(axes, values[i]);
}

static void finish_range(struct kl_axes *axes, bool from_zero)
{
    if (!(axes->y0 <= axes->y1)) axes->y0 = 0, axes->y1 = 1;
    if (from_zero) axes->y0 = fmin(axes->y0, 0);
    const double range = axes->y1 - axes->y0, margin = range > 1e-9 ? 0.06 * range : 0.05;
    if (!from_zero || axes->y0 < 0) axes->y0 -= margin;
    axes->y1 += margin;
}

/* A bar, its interval, and the mark that it is compared with; nothing for what is no number. */
static void draw_bar(cairo_t *cr, const struct kl_axes *axes, const struct gan *g, size_t i)
{
    const double x = kl_plot_axes_x(axes, (double)i + 1), half = 0.36 * axes->width / (double)g->n_pairs,
                 zero = kl_plot_axes_y(axes, 0), y = kl_plot_axes_y(axes, g->score[0][i]);
    if (isfinite(y)) {
        kl_plot_colour(cr, 1, 0.85);
        kl_plot_fill(cr, x - half, fmin(y, zero), 2 * half, fabs(zero - y));
    }
    if (g->score[1] && isfinite(g->score[1][i]) && isfinite(g->score[2][i])) {
        kl_plot_pen(cr, 0, 1, 0.7);
        kl_plot_axes_upright(cr, axes, x, g->score[1][i], g->score[2][i]);
    }
    if (!isfinite(g->score[3][i])) return;
    kl_plot_colour(cr, 2, 1);
    kl_plot_mark(cr, x + (g->score[1] ? fmin(half, 4) : 0), kl_plot_axes_y(axes, g->score[3][i]),
                 fmin(2.2, 0.6 + half), KL_DIAMOND);
}

static void name_bar(cairo_t *cr, const struct kl_axes *axes, const struct gan *g, size_t i)
{
    char a[NAME + 1], b[NAME + 1], text[2 * NAME + 4];
    device_name(a, g, g->pairs[2 * i]), device_name(b, g, g->pairs[2 * i + 1]);
    snprintf(text, sizeof text, "%s v %s", a, b);
    kl_plot_black_within(cr, kl_plot_axes_x(axes, (double)i + 1), axes->top + axes->height + 9, 6.5,
                         KL_CENTRE, 0.98 * axes->width / (double)g->n_pairs, text);
}

static void draw_pairs(cairo_t *cr, const struct gan *g)
{
    struct kl_axes axes = { .left = LEFT, .top = TOP, .width = WIDTH, .height = HEIGHT };
    axes.x0 = 0.4, axes.x1 = (double)g->n_pairs + 0.6, axes.y0 = INFINITY, axes.y1 = -INFINITY;
    axes.whole_x = axes.no_x_numbers = true;
    for (int k = 0; k < 4; k++) widen(&axes, g->score[k], g->n_pairs);
    finish_range(&axes, true);
    for (size_t i = 0; i < g->n_pairs; i++) draw_bar(cr, &axes, g, i);
    for (size_t i = 0; i < g->n_pairs && g->n_pairs <= MOST_NAMED; i++) name_bar(cr, &axes, g, i);
    kl_plot_axes_draw(cr, &axes, NULL, g->sound ? "KL(b || a), nats a word" : "KL, nats");
    kl_plot_black(cr, LEFT + WIDTH / 2, TOP + HEIGHT + 20, 7, KL_CENTRE,
                  g->n_pairs <= MOST_NAMED ? "pair (a v b)" : "pairs, in the order of the file");
    if (g->sound)
        kl_plot_text(cr, LEFT + WIDTH / 2, TOP + HEIGHT + 29, 7, KL_CENTRE,
                     "95 % of rows alone: too narrow for KL itself");
    kl_plot_text(cr, LEFT + WIDTH / 2, TOP - 6, 7.5, KL_CENTRE,
                 g->sound ? "bar: learnt, 95 % of rows; diamond: by frequencies"
                          : "bar: trained; diamond: of the uniform law");
}

static void draw_line(cairo_t *cr, const struct kl_axes *axes, const double *values, size_t n)
{
    for (size_t e = 0; e < n && isfinite(values[e]); e++)
        kl_plot_axes_to(cr, axes, (double)e + 1, values[e]);
    cairo_stroke(cr);
}

/* The first place of a generator, in pairs and models. */
static size_t place_of(const struct gan *g, size_t m)
{
    size_t i = 0;
    while (g->models[i] != (int32_t)m && i + 1 < 2 * g->n_pairs) i++;
    return i;
}

/* A generator of one device has the colour that this device has in the other figures. */
static void colour_line(cairo_t *cr, const struct gan *g, size_t m, double alpha)
{
    if (g->sound && g->n_devices < KL_N_COLOURS) kl_plot_colour(cr, g->pairs[place_of(g, m)] + 1, alpha);
    else kl_plot_ramp(cr, m, g->n_models, alpha);
    kl_plot_dashed(cr, g->n_models <= MOST_LINES ? m % 4 : 0);
}

static void name_lines(cairo_t *cr, const struct kl_axes *axes, const struct gan *g)
{
    for (size_t m = 0; m < g->n_models && g->n_models <= MOST_LINES; m++) {
        char a[NAME + 1], b[NAME + 1], text[2 * NAME + 4];
        const size_t i = place_of(g, m);
        device_name(a, g, g->pairs[i]), device_name(b, g, g->pairs[i - i % 2 + 1]);
        snprintf(text, sizeof text, g->sound ? "%s" : "%s v %s", a, b);
        colour_line(cr, g, m, 1);
        const double x = axes->left + axes->width + 4, y = axes->top + 6 + 11 * (double)m;
        kl_plot_text_within(cr, x, y, 6.5, KL_LEFT, 26, text);
        cairo_set_line_width(cr, 1);
        kl_plot_line(cr, x, y + 2.5, x + fmin(26, kl_plot_text_width(cr, 6.5, text)), y + 2.5);
    }
    kl_plot_dashed(cr, 0);
}

/* The last epoch that any generator was trained for, by any of the histories: one of them may hold
   nothing that is a number. */
static size_t last_epoch(const struct gan *g)
{
    size_t last = 1;
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; g->history[k] && i < g->n_models * g->n_epochs; i++)
            if (isfinite(g->history[k][i]) && i % g->n_epochs >= last) last = i % g->n_epochs + 1;
    return last;
}

static void draw_history(cairo_t *cr, const struct gan *g, int k, const char *label, const char *title)
{
    const struct kl_axes first = { LEFT, TOP, WIDTH, HEIGHT, .whole_x = true };
    struct kl_axes axes = kl_plot_axes_panel(cr, first, k + 1, ACROSS, DOWN);
    axes.x0 = 0.5, axes.x1 = (double)last_epoch(g) + 0.5, axes.y0 = INFINITY, axes.y1 = -INFINITY;
    widen(&axes, g->history[k], g->history[k] ? g->n_models * g->n_epochs : 0);
    finish_range(&axes, false);
    cairo_set_line_width(cr, g->n_models > MOST_LINES ? 0.4 : 0.9);
    for (size_t m = 0; g->history[k] && m < g->n_models; m++) {
        colour_line(cr, g, m, g->n_models > MOST_LINES ? 0.35 : 1);
        draw_line(cr, &axes, g->history[k] + m * g->n_epochs, g->n_epochs);
    }
    kl_plot_dashed(cr, 0);
    kl_plot_axes_draw(cr, &axes, "epoch", label);
    if (g->history[k]) name_lines(cr, &axes, g);
    kl_plot_black(cr, axes.left + WIDTH / 2, axes.top - 6, 7.5, KL_CENTRE,
                  g->history[k] ? title : "no discriminator was trained");
}

int kl_plot_gan(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    struct gan g = { 0 };
    int code = load_gan(&g, inputs->file, err);
    if (!code) {
        draw_pairs(sheet->cr, &g);
        draw_history(sheet->cr, &g, 0, "KL, nats",
                     g.sound ? "validation rows against the law" : "grid against the law");
        draw_history(sheet->cr, &g, 1, "loss", "generator's loss");
        draw_history(sheet->cr, &g, 2, "loss", "discriminator's loss");
    }
    free_gan(&g);
    return code;
}
