/* SPDX-License-Identifier: MIT
   What windows hold by frequency: mean spectra of each class, and over time what an event changes:
   against what was before it (event-related desynchronisation: Pfurtscheller and Lopes da Silva 1999,
   doi:10.1016/S1388-2457(99)00141-8), or, where windows begin after it, one class against the other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/sequence/windows_view.h"

enum { CHANNELS = 3, FREQUENCIES = 45, PLACES = 40, CURVES = KL_N_COLOURS - 1, COLUMNS = 3 };
static const double LEFT = 44, TOP = 27, GAP = 40, HEAD = 7 /* the line above all */;

/* Frequencies up to 45 Hz, or to the highest that the rate has, from 2 / (n / rate) on: below that a
   Hann window mixes them with the mean. */
static double hertz(const struct kl_windows_view *v, size_t k, size_t n)
{
    const double low = fmax(1, 2 * v->rate / (double)n), high = fmin(45, 0.5 * v->rate);
    return low + (high - low) * (double)k / (FREQUENCIES - 1);
}

/* The part of a density that is shown: from the second bin on, below which a Hann window mixes it with
   the mean, up to 45 Hz. */
struct shown {
    size_t first, n; /* bins */
    double step;     /* Hz */
};
static struct shown bins_shown(const struct kl_power *p)
{
    /* The bin at half the rate has one side alone. */
    const double last = floor(fmin(45, p->step * ((double)(p->span.n - 1) / 2)) / p->step + 1e-9);
    return (struct shown){ 2, last > 2 ? (size_t)last - 1 : 0, p->step };
}

/* Means over the windows of each class, (classes, shown.n): the logarithm to the base of ten. */
static void class_spectra(double *spectra, const double *densities, const struct kl_windows_view *v,
                          const struct kl_power *p, const struct shown *shown, size_t n, size_t channel)
{
    for (size_t c = 0; c < v->n_classes; c++)
        for (size_t k = 0; k < shown->n; k++) {
            const double d = densities[(c * n + channel) * p->bins + shown->first + k];
            spectra[c * shown->n + k] = d > 0 ? log10(d) : NAN;
        }
}

/* At most four decades, what filters leave outside their band is none of the signal's. */
static void range(struct kl_axes *axes, const double *values, size_t n)
{
    axes->y0 = INFINITY, axes->y1 = -INFINITY;
    for (size_t i = 0; i < n; i++)
        if (isfinite(values[i]))
            axes->y0 = fmin(axes->y0, values[i]), axes->y1 = fmax(axes->y1, values[i]);
    if (axes->y0 > axes->y1) axes->y0 = 0, axes->y1 = 1;
    axes->y0 = fmax(axes->y0, axes->y1 - 4);
    const double margin = fmax(0.05 * (axes->y1 - axes->y0), 0.05);
    axes->y0 -= margin, axes->y1 += margin;
}

static void title(cairo_t *cr, const struct kl_axes *axes, const struct kl_windows_view *v,
                  size_t channel)
{
    char name[KL_NAME];
    kl_plot_name(name, v->channel_names, v->channels, v->channel_size, channel);
    kl_plot_black_within(cr, axes->left, axes->top - 4, 7, KL_LEFT, axes->width, name);
}

static void draw_spectra(cairo_t *cr, const struct kl_axes *axes, const double *spectra,
                         const struct shown *shown, const struct kl_windows_view *v)
{
    kl_plot_axes_clip(cr, axes);
    for (size_t c = 0; c < v->n_classes && c < CURVES; c++) {
        for (size_t k = 0; k < shown->n; k++)
            if (isfinite(spectra[c * shown->n + k]))
                kl_plot_axes_to(cr, axes, shown->step * (double)(shown->first + k),
                                spectra[c * shown->n + k]);
        kl_plot_pen(cr, (int)c + 1, 1, 0.8);
        kl_plot_dashed(cr, c % 4);
        cairo_stroke(cr);
    }
    cairo_restore(cr);
    kl_plot_dashed(cr, 0);
}

/* Above all panels, the last line at y: whose windows they are the means of, and how many of each class,
   behind a piece of its curve where it has one. */
static void draw_head(cairo_t *cr, const struct kl_windows_view *v, double y, bool coloured)
{
    const bool narrow = kl_plot_sheet_of(cr)->narrow;
    const double room = narrow ? 196 : 446;
    char whose[3 * KL_NAME], name[KL_NAME], text[4 * KL_NAME];
    const size_t shown = v->n_classes < CURVES ? v->n_classes : CURVES;
    double x = LEFT;
    kl_plot_windows_whose(whose, v);
    snprintf(text, sizeof text, "%s: %s", whose, shown ? "means of " : "no window has a label");
    y -= narrow ? 10 * (double)shown : 0;                       /* a line each */
    for (size_t c = 0; c <= shown; c++, y += narrow ? 10 : 0) { /* the first text, then a class each */
        if (narrow) x = LEFT;
        if (c && coloured) {
            kl_plot_pen(cr, (int)c, 1, 0.8);
            kl_plot_dashed(cr, (c - 1) % 4);
            kl_plot_rule(cr, x, y - 2.5, 12, 0);
            kl_plot_dashed(cr, 0);
            x += 15;
        }
        kl_plot_black_within(cr, x, y, 7, KL_LEFT, LEFT + room - x, text);
        x += kl_plot_text_width(cr, 7, text) + (c ? 3 : 0);
        if (c == shown || (!narrow && x > LEFT + room - 20)) break;
        const size_t n = kl_plot_windows_count(v, (int32_t)c);
        kl_plot_name(name, v->class_names, v->n_classes, v->class_size, c);
        snprintf(text, sizeof text, "%zu window%s %s%s", n, kl_s(n), name, c + 1 < shown ? "," : "");
        if (c + 1 == shown && shown < v->n_classes)
            snprintf(text, sizeof text, "%zu window%s %s (%zu classes more)", n, kl_s(n), name,
                     v->n_classes - shown);
    }
}

static int no_rate(struct kl_sheet *sheet, const struct kl_windows_view *v, size_t least)
{
    if (v->timed && v->steps >= least) return 0;
    kl_plot_text(sheet->cr, LEFT, TOP, 7, KL_LEFT,
                 v->timed ? "these windows are too short for it"
                          : "these windows have no rate: no frequencies are known");
    return 1;
}

/* Below the panels: which part of windows, and how fine. */
static void tell_span(cairo_t *cr, const struct kl_windows_view *v, const struct kl_power *p, double y)
{
    char when[KL_SPAN], text[KL_SPAN + 60];
    kl_plot_windows_span_text(when, v, p->span);
    snprintf(text, sizeof text, "%s, resolution %.2g Hz", when, p->step);
    kl_plot_black(cr, LEFT, y, 7, KL_LEFT, text);
}

static int draw_panels(cairo_t *cr, const struct kl_windows_view *v, struct kl_power *p,
                       struct kl_error *err)
{
    const struct shown shown = bins_shown(p);
    size_t channels[CHANNELS];
    char label[80];
    const size_t n = kl_plot_windows_channels(channels, CHANNELS, v);
    double *densities = malloc(v->n_classes * n * p->bins * sizeof *densities + 1),
           *spectra = malloc(v->n_classes * shown.n * sizeof *spectra + 1);
    int code = densities && spectra ? kl_plot_class_densities(densities, p, v, channels, n, err)
                                    : kl_fail_memory(err, v->n_classes * n * p->bins * 8);
    const char *unit = kl_plot_windows_unit(v);
    snprintf(label, sizeof label, "density (%.20s%s/Hz)", *unit ? unit : "1", *unit ? "\xc2\xb2" : "");
    const bool narrow = kl_plot_sheet_of(cr)->narrow;
    const double down = narrow ? 156 : 0; /* from panel to panel */
    for (size_t i = 0; i < n && !code; i++) {
        struct kl_axes axes = { LEFT + (narrow ? 0 : (double)i * (122 + GAP)),
                                TOP + down * (double)i,
                                narrow ? 190 : 122,
                                110,
                                0,
                                p->step * (double)(shown.first + shown.n - 1),
                                .log_y = true };
        class_spectra(spectra, densities, v, p, &shown, n, i);
        range(&axes, spectra, v->n_classes * shown.n);
        kl_plot_axes_draw(cr, &axes, "frequency (Hz)", i && !narrow ? "" : label);
        draw_spectra(cr, &axes, spectra, &shown, v);
        title(cr, &axes, v, channels[i]);
    }
    if (!code)
        draw_head(cr, v, HEAD, true), tell_span(cr, v, p, TOP + down * (double)(n - 1) + 110 + 36);
    free(densities), free(spectra);
    return code;
}

int kl_plot_spectra(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    struct kl_windows_view v;
    struct kl_power p = { 0 };
    int code = kl_plot_windows_load(&v, inputs->file, err);
    if (!code && !no_rate(sheet, &v, KL_POWER_LEAST)) {
        code = kl_plot_power_open(&p, kl_plot_windows_span(&v), v.rate, err);
        if (!code && bins_shown(&p).n < 2)
            kl_plot_text(sheet->cr, LEFT, TOP, 7, KL_LEFT, "these windows are too short for it");
        else if (!code) code = draw_panels(sheet->cr, &v, &p, err);
    }
    kl_plot_power_close(&p);
    kl_plot_windows_free(&v);
    return code;
}

/* ---- over time ---- */

struct map {
    const struct kl_windows_view *v;
    size_t channel, length, places; /* steps of the sliding window; how often it stands */
    double *power; /* (2, places, FREQUENCIES): of two classes, or of one and what was before */
    bool blank;    /* a frequency has been left out */
};
/* Less than so much of the most is what a filter left: its ratio says nothing of the signal. */
static const double NOTHING = 1e-4;

static double greatest(const double *values, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, values[i]);
    return most;
}

static size_t place_at(const struct map *m, size_t place)
{
    return m->places > 1 ? place * (m->v->steps - m->length) / (m->places - 1) : 0;
}

static void mean_power(double *power, const struct map *m, int32_t label)
{
    const struct kl_windows_view *v = m->v;
    for (size_t p = 0; p < m->places; p++)
        for (size_t k = 0; k < FREQUENCIES; k++) {
            double sum = 0;
            for (size_t i = 0; i < v->n; i++)
                if (v->labels[i] == label)
                    sum += kl_plot_windows_density(v, i, m->channel, place_at(m, p), m->length,
                                                   hertz(v, k, m->length));
            power[p * FREQUENCIES + k] = sum;
        }
}

/* Classes that are compared; b -1: a with what was before. */
struct pair {
    int32_t a, b;
};
/* Find the pairs of the columns: each class against before, else pairs; the first COLUMNS. *all: how
 * many there are. */
static size_t find_pairs(struct pair pairs[COLUMNS], size_t *all, const struct kl_windows_view *v,
                         bool baseline)
{
    size_t n = 0;
    *all = 0;
    for (int32_t a = 0; a < (int32_t)v->n_classes; a++)
        for (int32_t b = baseline ? -1 : a + 1; b < (baseline ? 0 : (int32_t)v->n_classes); b++) {
            if (!kl_plot_windows_count(v, a) || (b >= 0 && !kl_plot_windows_count(v, b))) continue;
            if (n < COLUMNS) pairs[n++] = (struct pair){ a, b };
            ++*all;
        }
    return n;
}

/* In decibel: of class `label` against the places that end before the event. */
static void against_before(struct map *m, int32_t label)
{
    mean_power(m->power, m, label);
    const double least = NOTHING * greatest(m->power, m->places * FREQUENCIES);
    for (size_t k = 0; k < FREQUENCIES; k++) {
        double before = 0;
        size_t n = 0;
        for (size_t p = 0; p < m->places; p++)
            if ((int64_t)(place_at(m, p) + m->length) <= m->v->before || p == 0)
                before += m->power[p * FREQUENCIES + k], n++;
        const bool nothing = before < least * (double)n;
        m->blank = m->blank || nothing;
        for (size_t p = 0; p < m->places; p++)
            m->power[p * FREQUENCIES + k] =
                nothing ? NAN : 10 * log10(m->power[p * FREQUENCIES + k] * (double)n / before);
    }
}

static void against_other(struct map *m, const struct pair *p)
{
    double *other = m->power + m->places * FREQUENCIES;
    const double ratio =
        (double)kl_plot_windows_count(m->v, p->b) / (double)kl_plot_windows_count(m->v, p->a);
    mean_power(m->power, m, p->a);
    mean_power(other, m, p->b);
    const double least = NOTHING * greatest(other, m->places * FREQUENCIES);
    for (size_t i = 0; i < m->places * FREQUENCIES; i++) {
        const bool nothing = other[i] < least;
        m->blank = m->blank || nothing;
        m->power[i] = nothing ? NAN : 10 * log10(m->power[i] * ratio / other[i]);
    }
}

enum { DECIBEL = 3 };
static int draw_map(cairo_t *cr, const struct map *m, struct kl_axes axes, bool first, bool last,
                    struct kl_error *err)
{
    const struct kl_windows_view *v = m->v;
    const double half = (double)m->length / 2;
    axes.x0 = kl_plot_windows_time(v, half), axes.x1 = kl_plot_windows_time(v, (double)v->steps - half);
    axes.y0 = hertz(v, 0, m->length), axes.y1 = hertz(v, FREQUENCIES - 1, m->length);
    axes.bare_y = !first;
    struct kl_rgb colours[PLACES * FREQUENCIES];
    for (size_t p = 0; p < m->places; p++)
        for (size_t k = 0; k < FREQUENCIES; k++)
            colours[(FREQUENCIES - 1 - k) * m->places + p] =
                kl_plot_diverging(m->power[p * FREQUENCIES + k] / DECIBEL);
    const int code = kl_plot_field(cr, &axes, colours, (int)m->places, FREQUENCIES, false, err);
    if (axes.x0 < 0 && axes.x1 > 0) {
        kl_plot_colour(cr, 0, 0.6);
        kl_plot_line(cr, kl_plot_axes_x(&axes, 0), axes.top, kl_plot_axes_x(&axes, 0),
                     axes.top + axes.height);
    }
    kl_plot_axes_draw(cr, &axes, last ? "time after the event (s)" : NULL,
                      first ? "frequency (Hz)" : NULL);
    return code;
}

static int draw_scale(cairo_t *cr, double x, double y, double height, bool blank, struct kl_error *err)
{
    enum { STEPS = 64 };
    struct kl_rgb colours[STEPS];
    const struct kl_axes into = { .left = x, .top = y, .width = 7, .height = height };
    for (int k = 0; k < STEPS; k++) colours[k] = kl_plot_diverging(1 - 2 * (k + 0.5) / STEPS);
    const int code = kl_plot_field(cr, &into, colours, 1, STEPS, false, err);
    kl_plot_pen(cr, 0, 1, 0.5);
    kl_plot_frame(cr, x, y, 7, height);
    kl_plot_text(cr, x + 10, y + 4, 6, KL_LEFT, "\xe2\x89\xa5 3 dB");
    kl_plot_text(cr, x + 10, y + height / 2 + 2, 6, KL_LEFT, "0");
    kl_plot_text(cr, x + 10, y + height, 6, KL_LEFT,
                 "\xe2\x89\xa4 \xe2\x88\x92"
                 "3 dB");
    if (blank) kl_plot_text(cr, x, y + height + 10, 6, KL_LEFT, "grey: no signal");
    return code;
}

static bool has_baseline(const struct map *m)
{
    return m->v->before >= (int64_t)m->length;
}

/* Why there is no map against what was before the event, and how to get one. */
static void tell_no_baseline(cairo_t *cr, const struct map *m)
{
    const double begin = kl_plot_windows_time(m->v, 0);
    char text[160];
    snprintf(
        text, sizeof text,
        "No baseline: windows begin %.3g s %s the event, not %.3g s before; `qseq windows --from -1` "
        "has one",
        fabs(begin), begin < 0 ? "before" : "after", (double)m->length / m->v->rate);
    kl_plot_black_lines(cr, LEFT, HEAD, 7, kl_plot_sheet_of(cr)->narrow ? 196 : INFINITY, text);
}

static void title_map(cairo_t *cr, const struct kl_axes *axes, const struct kl_windows_view *v,
                      size_t channel, const struct pair *p)
{
    char text[2 * KL_NAME + 20], name[KL_NAME], other[KL_NAME];
    kl_plot_name(name, v->class_names, v->n_classes, v->class_size, (size_t)p->a);
    kl_plot_name(other, v->class_names, v->n_classes, v->class_size, (size_t)(p->b < 0 ? 0 : p->b));
    kl_plot_name(text, v->channel_names, v->channels, v->channel_size, channel);
    const size_t used = strlen(text);
    if (p->b < 0) snprintf(text + used, sizeof text - used, ": %.60s against before", name);
    else snprintf(text + used, sizeof text - used, ": %.40s against %.40s", name, other);
    kl_plot_text_within(cr, axes->left, axes->top - 4, 7, KL_LEFT, axes->width, text);
}

/* Below the maps: which side, and what is not shown. */
static int tell_side(cairo_t *cr, const struct kl_windows_view *v, double y, size_t shown, size_t all,
                     struct kl_error *err)
{
    struct kl_laterality side;
    char text[KL_LATERALITY];
    const int code = kl_plot_laterality_find(&side, v, err);
    if (code) return code;
    kl_plot_colour(cr, 0, 1);
    kl_plot_laterality_text(text, &side);
    y = kl_plot_black_down(cr, LEFT, y, 7, KL_LEFT, kl_plot_sheet_of(cr)->narrow ? 206 : 480, text);
    snprintf(text, sizeof text, "%zu of %zu comparisons; the topography has all", shown, all);
    if (shown < all) kl_plot_text(cr, LEFT, y, 7, KL_LEFT, text);
    return KL_OK;
}

/* A row a channel; a column a class, or two of them; on a narrow sheet all in one column. */
static int draw_maps(cairo_t *cr, struct map *m, const size_t *channels, size_t n, struct kl_error *err)
{
    int code = KL_OK;
    const struct kl_windows_view *v = m->v;
    const bool baseline = has_baseline(m);
    const double top = baseline ? TOP : TOP + 10;
    struct pair pairs[COLUMNS];
    size_t all, columns = find_pairs(pairs, &all, v, baseline);
    const bool narrow = kl_plot_sheet_of(cr)->narrow;
    const double width = narrow ? 160 : columns == 1 ? 330 : 138;
    if (!baseline) tell_no_baseline(cr, m);
    draw_head(cr, v, HEAD + top - TOP, false);
    for (size_t c = 0; c < columns; c++)
        for (size_t i = 0; i < n && !code; i++) {
            const double right = narrow ? 0 : (double)c, down = (double)(narrow ? i * columns + c : i);
            const struct kl_axes axes = { LEFT + right * (width + 10), top + down * 118, width, 92,
                                          .y1 = 0 };
            const bool last = i + 1 == n && (!narrow || c + 1 == columns);
            m->channel = channels[i];
            if (baseline) against_before(m, pairs[c].a);
            else against_other(m, &pairs[c]);
            code = draw_map(cr, m, axes, c == 0 || narrow, last, err);
            title_map(cr, &axes, v, channels[i], &pairs[c]);
        }
    const double across = (double)(narrow ? 1 : columns), down = (double)(narrow ? n * columns : n) - 1;
    if (!code) code = tell_side(cr, v, top + down * 118 + 92 + 36, columns, all, err);
    return code ? code : draw_scale(cr, LEFT + across * (width + 10), top, 92, m->blank, err);
}

int kl_plot_erd(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    struct kl_windows_view v;
    size_t channels[CHANNELS];
    int code = kl_plot_windows_load(&v, inputs->file, err);
    struct map m = { .v = &v, .places = PLACES, .length = (size_t)(0.75 * v.rate) };
    m.power = code ? NULL : calloc((size_t)2 * PLACES * FREQUENCIES, sizeof *m.power);
    if (!code && !m.power) code = kl_fail_memory(err, sizeof(double) * 2 * PLACES * FREQUENCIES);
    if (!code && !no_rate(sheet, &v, 2 * m.length + 8)) {
        struct pair pairs[COLUMNS];
        size_t all;
        if (!find_pairs(pairs, &all, &v, has_baseline(&m)))
            kl_plot_text(sheet->cr, LEFT, TOP, 7, KL_LEFT,
                         has_baseline(&m)
                             ? "no window has a label"
                             : "windows of one class alone, and of no time before their event: "
                               "nothing to compare");
        else
            code = draw_maps(sheet->cr, &m, channels, kl_plot_windows_channels(channels, CHANNELS, &v),
                             err);
    }
    free(m.power);
    kl_plot_windows_free(&v);
    return code;
}
