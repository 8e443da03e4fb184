/* SPDX-License-Identifier: MIT
   Heads of the mu band's power behind the event: each class against its own time before the event, where
   windows have such, and every pair of classes. */
#include <math.h>
#include <stdlib.h>

#include "plot/sequence/windows_view.h"

enum { COLUMNS = 4, CLASSES = 6 /* that are drawn */ };
static const double LEFT = 20, TOP = 33, CELL = 116, HIGH = 118;

struct map {
    const struct kl_windows_view *v;
    struct kl_windows_span after, before;
    bool baseline;
    size_t classes;  /* that are drawn */
    double *power;   /* (2, classes of the file, channels): behind the event, before it */
    double *decibel; /* (heads, channels) */
    size_t n;        /* heads */
    char (*label)[2 * KL_NAME + 20]; /* (heads) */
};

/* Power of the band, (classes, channels), over a span. */
static int band(double *power, const struct map *m, struct kl_windows_span span, struct kl_error *err)
{
    const struct kl_windows_view *v = m->v;
    struct kl_power p = { 0 };
    size_t *all = malloc((v->channels + 1) * sizeof *all);
    int code = kl_plot_power_open(&p, span, v->rate, err);
    double *density = malloc(v->n_classes * v->channels * p.bins * sizeof *density + 1);
    if (!code && (!all || !density)) code = kl_fail_memory(err, v->n_classes * v->channels * p.bins * 8);
    for (size_t c = 0; c < v->channels && !code; c++) all[c] = c;
    if (!code) code = kl_plot_class_densities(density, &p, v, all, v->channels, err);
    for (size_t i = 0; i < v->n_classes * v->channels && !code; i++)
        power[i] = kl_plot_band_power(density + i * p.bins, p.bins, p.step, KL_MU_LOW, KL_MU_HIGH);
    free(all), free(density);
    kl_plot_power_close(&p);
    return code;
}

static double *next_head(struct map *m, const char *first, const char *against)
{
    snprintf(m->label[m->n], sizeof *m->label, "%.60s\n%.80s", first, against);
    return m->decibel + m->n++ * m->v->channels;
}

/* Of each class, then of each pair; classes without windows have none. */
static void fill(struct map *m)
{
    const struct kl_windows_view *v = m->v;
    const size_t each = v->channels;
    const double *after = m->power, *before = m->power + v->n_classes * each;
    char name[KL_NAME], other[KL_NAME], over[KL_NAME + 8];
    for (size_t a = 0; a < m->classes && m->baseline; a++) {
        if (!kl_plot_windows_count(v, (int32_t)a)) continue;
        kl_plot_name(name, v->class_names, v->n_classes, v->class_size, a);
        double *to = next_head(m, name, "over before");
        for (size_t c = 0; c < each; c++) to[c] = 10 * log10(after[a * each + c] / before[a * each + c]);
    }
    for (size_t a = 0; a < m->classes; a++)
        for (size_t b = a + 1; b < m->classes; b++) {
            if (!kl_plot_windows_count(v, (int32_t)a) || !kl_plot_windows_count(v, (int32_t)b)) continue;
            kl_plot_name(name, v->class_names, v->n_classes, v->class_size, a);
            kl_plot_name(other, v->class_names, v->n_classes, v->class_size, b);
            snprintf(over, sizeof over, "over %.76s", other);
            double *to = next_head(m, name, over);
            for (size_t c = 0; c < each; c++)
                to[c] = 10 * log10(after[a * each + c] / after[b * each + c]);
        }
}

/* Below the heads: whose windows, when, and which side. */
static int draw_words(cairo_t *cr, const struct map *m, double y, struct kl_error *err)
{
    const struct kl_windows_view *v = m->v;
    struct kl_laterality side;
    char text[4 * KL_NAME], whose[3 * KL_NAME], when[KL_SPAN], name[KL_NAME], told[KL_LATERALITY];
    const int code = kl_plot_laterality_find(&side, v, err);
    if (code) return code;
    kl_plot_windows_whose(whose, v), kl_plot_windows_span_text(when, v, m->after);
    kl_plot_colour(cr, 0, 1);
    size_t used = (size_t)snprintf(text, sizeof text, "%.100s:", whose);
    for (size_t k = 0; k < m->classes && used + KL_NAME + 20 < sizeof text; k++) {
        kl_plot_name(name, v->class_names, v->n_classes, v->class_size, k);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s %zu %s", k ? "," : "",
                                 kl_plot_windows_count(v, (int32_t)k), name);
    }
    if (m->classes < v->n_classes)
        snprintf(text + used, sizeof text - used, " (of %zu classes)", v->n_classes);
    const bool narrow = kl_plot_sheet_of(cr)->narrow;
    const double room = narrow ? 250 : 500;
    y = kl_plot_black_down(cr, LEFT, y, 7, KL_LEFT, room, text);
    used = (size_t)snprintf(text, sizeof text, "8 to 13 Hz, %s", when);
    if (m->baseline)
        snprintf(text + used, sizeof text - used, "; before: %.3g to %.3g s", kl_plot_windows_time(v, 0),
                 kl_plot_windows_time(v, (double)m->before.n));
    y = kl_plot_black_down(cr, LEFT, y, 7, KL_LEFT, room, text);
    kl_plot_laterality_text(told, &side);
    kl_plot_black_down(cr, LEFT, y, 7, KL_LEFT, room, told);
    return KL_OK;
}

static int draw_heads(cairo_t *cr, const struct map *m, struct kl_error *err)
{
    const struct kl_windows_view *v = m->v;
    const size_t across = kl_plot_sheet_of(cr)->narrow ? 2 : COLUMNS,
                 columns = m->n < across ? m->n : across, rows = (m->n + across - 1) / across;
    const double radius = m->n == 1 ? 78 : 40, cell = m->n == 1 ? 2.2 * radius : CELL,
                 high = m->n == 1 ? 2.5 * radius : HIGH;
    struct kl_head_range range = { INFINITY, -INFINITY, true };
    int code = KL_OK;
    for (size_t h = 0; h < m->n; h++)
        kl_plot_head_range(&range, m->decibel + h * v->channels, v->positions, v->channels);
    for (size_t h = 0; h < m->n && !code; h++)
        code = kl_plot_head(cr, LEFT + cell * ((double)(h % across) + 0.5),
                            TOP + 1.2 * radius + high * (double)(h / across), radius,
                            m->decibel + h * v->channels, v->positions, v->channels, &range, m->label[h],
                            err);
    if (!code)
        code = kl_plot_head_scale(cr, LEFT + cell * (double)columns + 6, TOP + 0.2 * radius, 2 * radius,
                                  &range, "power of 8 to 13 Hz (dB)", err);
    return code ? code
                : draw_words(cr, m, TOP + 1.2 * radius + high * (double)(rows - 1) + radius + 16, err);
}

static int draw(cairo_t *cr, struct map *m, struct kl_error *err)
{
    const struct kl_windows_view *v = m->v;
    const size_t most = m->classes + m->classes * (m->classes - 1) / 2;
    m->power = calloc(2 * v->n_classes * v->channels + 1, sizeof *m->power);
    m->decibel = calloc(most * v->channels + 1, sizeof *m->decibel),
    m->label = calloc(most + 1, sizeof *m->label);
    int code = m->power && m->decibel && m->label
                   ? band(m->power, m, m->after, err)
                   : kl_fail_memory(err, (most + 2 * v->n_classes) * v->channels * 8);
    if (!code && m->baseline) code = band(m->power + v->n_classes * v->channels, m, m->before, err);
    if (!code) fill(m);
    if (!code && !m->n)
        kl_plot_text(
            cr, LEFT, TOP, 7, KL_LEFT,
            "windows of one class alone, and of no time before their event: nothing to compare");
    else if (!code) code = draw_heads(cr, m, err);
    free(m->power), free(m->decibel), free(m->label);
    return code;
}

int kl_plot_topography(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs,
                       struct kl_error *err)
{
    struct kl_windows_view v;
    int code = kl_plot_windows_load(&v, inputs->file, err);
    struct map m = { .v = &v, .classes = v.n_classes < CLASSES ? v.n_classes : CLASSES };
    if (!code) m.after = kl_plot_windows_span(&v), m.baseline = kl_plot_windows_before(&m.before, &v);
    if (!code && (!v.positions || !v.timed || !v.n_classes || 0.5 * v.rate < KL_MU_HIGH))
        kl_plot_text(sheet->cr, LEFT, TOP, 7, KL_LEFT,
                     "no places of electrodes, no rate above 26 Hz or no class: no map of the mu band");
    else if (!code && v.rate / (double)m.after.n > KL_MU_HIGH - KL_MU_LOW)
        kl_plot_text(sheet->cr, LEFT, TOP, 7, KL_LEFT,
                     "windows are too short for the band of 8 to 13 Hz: no map of it");
    else if (!code) code = draw(sheet->cr, &m, err);
    kl_plot_windows_free(&v);
    return code;
}
