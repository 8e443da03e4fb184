/* SPDX-License-Identifier: MIT
   Windows as they are: one of each class, some channels above each other, the event as a line. */
#include <math.h>
#include <string.h>

#include "plot/sequence/windows_view.h"

enum { PANELS = 3, CHANNELS = 10 };
static const double LEFT = 44, TOP = 26, GAP = 14, ALL = 456, HEIGHT = 210;

struct panel {
    const struct kl_windows_view *v;
    const size_t *channels;
    size_t n, window;
    double step; /* between two channels, in the unit of x */
};

/* So far apart that neighbours seldom meet: six times the median channel's deviation. */
static double spacing(const struct kl_windows_view *v, const size_t *channels, size_t n)
{
    double squares = 0;
    for (size_t i = 0; i < v->n; i++)
        for (size_t k = 0; k < n; k++) {
            const float *x = kl_plot_windows_at(v, i, channels[k]);
            double mean = 0, own = 0;
            for (size_t t = 0; t < v->steps; t++) mean += (double)x[t] / (double)v->steps;
            for (size_t t = 0; t < v->steps; t++) own += ((double)x[t] - mean) * ((double)x[t] - mean);
            squares += own / (double)v->steps;
        }
    const double rms = sqrt(squares / (double)(v->n * n));
    return rms > 0 ? 6 * rms : 1;
}

static void draw_channel(cairo_t *cr, const struct kl_axes *axes, const struct panel *p, size_t k)
{
    const struct kl_windows_view *v = p->v;
    const float *x = kl_plot_windows_at(v, p->window, p->channels[k]);
    double mean = 0;
    for (size_t t = 0; t < v->steps; t++) mean += (double)x[t] / (double)v->steps;
    for (size_t t = 0; t < v->steps; t++)
        kl_plot_axes_to(cr, axes, kl_plot_windows_time(v, (double)t),
                        ((double)x[t] - mean) / p->step - (double)k);
    kl_plot_pen(cr, 1, 1, 0.5);
    cairo_stroke(cr);
}

static void draw_event(cairo_t *cr, const struct kl_axes *axes)
{
    const double x = kl_plot_axes_x(axes, 0);
    if (axes->x0 > 0 || axes->x1 < 0) return;
    kl_plot_pen(cr, 2, 1, 0.8);
    kl_plot_line(cr, x, axes->top, x, axes->top + axes->height);
}

/* Above a panel: the class, and below it whose window it is and from where. */
static void draw_head(cairo_t *cr, const struct kl_axes *axes, const struct panel *p)
{
    const struct kl_windows_view *v = p->v;
    char name[KL_NAME], person[KL_NAME], recording[KL_NAME], text[3 * KL_NAME];
    const int32_t label = v->labels[p->window];
    const size_t own = kl_plot_windows_count(v, label);
    kl_plot_name(name, v->class_names, v->n_classes, v->class_size, (size_t)label);
    snprintf(text, sizeof text, "%s: one of %zu window%s", name, own, kl_s(own));
    kl_plot_text_within(cr, axes->left, axes->top - 13, 7, KL_LEFT, axes->width, text);
    kl_plot_name(person, v->people, v->n_people, v->person_size, (size_t)v->subject[p->window]);
    kl_plot_name(recording, v->recordings, v->n_recordings, v->recording_size,
                 (size_t)v->recording[p->window]);
    snprintf(text, sizeof text, strcmp(person, recording) ? "%s, recording %s" : "%s", person,
             recording);
    const size_t used = strlen(text);
    if (v->timed && isfinite(v->onset[p->window]))
        snprintf(text + used, sizeof text - used, ", event at %.1f s", v->onset[p->window]);
    kl_plot_text_within(cr, axes->left, axes->top - 4, 6, KL_LEFT, axes->width, text);
}

static void draw_panel(cairo_t *cr, struct kl_axes axes, const struct panel *p, bool first)
{
    char name[KL_NAME];
    kl_plot_axes_draw_x(cr, &axes, p->v->timed ? "time after the event (s)" : "sample");
    kl_plot_axes_clip(cr, &axes);
    for (size_t k = 0; k < p->n; k++) draw_channel(cr, &axes, p, k);
    if (p->v->timed) draw_event(cr, &axes);
    cairo_restore(cr);
    kl_plot_colour(cr, 0, 1);
    for (size_t k = 0; first && k < p->n; k++) {
        kl_plot_name(name, p->v->channel_names, p->v->channels, p->v->channel_size, p->channels[k]);
        kl_plot_text_within(cr, axes.left - 4, kl_plot_axes_y(&axes, -(double)k) + 2, 6, KL_RIGHT, 38,
                            name);
    }
    draw_head(cr, &axes, p);
}

/* The first window of each class, up to PANELS; where no window has a label, the first one. */
static size_t choose(size_t windows[PANELS], const struct kl_windows_view *v)
{
    size_t n = 0;
    for (size_t c = 0; c < v->n_classes && n < PANELS; c++)
        for (size_t i = 0; i < v->n; i++)
            if (v->labels[i] == (int32_t)c) {
                windows[n++] = i;
                break;
            }
    return n;
}

static void draw_bar(cairo_t *cr, const struct kl_axes *axes, const struct panel *p)
{
    const double power = pow(10, floor(log10(p->step))), x = axes->left + axes->width + 6,
                 size = power * (p->step < 2 * power   ? 1
                                 : p->step < 5 * power ? 2
                                                       : 5);
    const double high = kl_plot_axes_y(axes, 0) - kl_plot_axes_y(axes, size / p->step),
                 y = axes->top + axes->height / 2;
    char text[48];
    kl_plot_pen(cr, 0, 1, 1);
    kl_plot_line(cr, x, y - high / 2, x, y + high / 2);
    snprintf(text, sizeof text, "%g %.20s", size, kl_plot_windows_unit(p->v));
    kl_plot_text(cr, x + 4, y + 2, 6, KL_LEFT, text);
}

int kl_plot_windows(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    struct kl_windows_view v;
    size_t channels[CHANNELS], windows[PANELS];
    const int code = kl_plot_windows_load(&v, inputs->file, err);
    const size_t panels = code ? 0 : choose(windows, &v);
    if (!code && !panels) kl_plot_text(sheet->cr, LEFT, TOP, 7, KL_LEFT, "no window has a label");
    const size_t n = code ? 0 : kl_plot_windows_channels(channels, CHANNELS, &v);
    const bool narrow = sheet->narrow;
    for (size_t i = 0; i < panels; i++) {
        const double width = narrow ? 170 : (ALL - GAP * (double)(panels - 1)) / (double)panels;
        const struct kl_axes axes = { LEFT + (narrow ? 0 : (double)i * (width + GAP)),
                                      TOP + (narrow ? (double)i * (HEIGHT + 58) : 0),
                                      width,
                                      HEIGHT,
                                      .x0 = kl_plot_windows_time(&v, 0),
                                      .x1 = kl_plot_windows_time(&v, (double)v.steps - 1),
                                      .y0 = -(double)n + 0.3,
                                      .y1 = 0.7 };
        const struct panel p = { &v, channels, n, windows[i], spacing(&v, channels, n) };
        draw_panel(sheet->cr, axes, &p, i == 0 || narrow);
        if (i + 1 == panels) draw_bar(sheet->cr, &axes, &p);
    }
    kl_plot_windows_free(&v);
    return code;
}
