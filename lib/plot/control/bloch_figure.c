/* SPDX-License-Identifier: MIT
   The Bloch sphere with the ways that states take under a pulse, a sphere each: dark at the beginning,
   light at the end, faint where it lies behind; and where the target takes them. */
#include <math.h>
#include <stdlib.h>

#include "plot/control/pulse_view.h"
#include "store/store.h"

static const double RADIUS = 66, STEP = 172, TOP = 26;
/* The eye's direction: so far round from X to Y, and above the equator. */
static const double ROUND = -0.55, ABOVE = 0.35;

struct ways {
    double *vectors, *target; /* [n][points][3], [n][3] */
    size_t n, points;
};
struct sphere {
    double x, y; /* of its middle */
};

static int load(struct ways *w, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *set, *ends;
    int code = kl_plot_pulse_numbers(&w->vectors, &set, file, "path/vectors", 3, err);
    if (!code) code = kl_plot_pulse_numbers(&w->target, &ends, file, "path/target", 2, err);
    if (!code && (set->dims[2] != 3 || ends->dims[1] != 3 || set->dims[0] != ends->dims[0] ||
                  set->dims[0] > 3 || set->dims[1] < 2))
        code = kl_fail(err, KL_EDATA, "%s: path: expected up to three ways of two vectors and more",
                       kl_store_file_path(file));
    if (!code) w->n = set->dims[0], w->points = set->dims[1];
    return code;
}

/* A vector on the sheet; returns how near it is to the eye. */
static double project(double *x, double *y, const struct sphere *s, const double r[3])
{
    const double right = -sin(ROUND) * r[0] + cos(ROUND) * r[1],
                 out = cos(ROUND) * r[0] + sin(ROUND) * r[1];
    *x = s->x + RADIUS * right;
    *y = s->y - RADIUS * (cos(ABOVE) * r[2] - sin(ABOVE) * out);
    return cos(ABOVE) * out + sin(ABOVE) * r[2];
}

/* A great circle through two axes, faint behind. */
static void draw_circle(cairo_t *cr, const struct sphere *s, int a, int b)
{
    enum { PARTS = 90 };
    double x, y;
    for (int i = 0; i < PARTS; i++) {
        double near = 0;
        for (int end = 0; end < 2; end++) {
            const double angle = 2 * M_PI * (i + end) / PARTS;
            double r[3] = { 0 };
            r[a] = cos(angle), r[b] = sin(angle);
            near += project(&x, &y, s, r);
            cairo_line_to(cr, x, y);
        }
        kl_plot_colour(cr, 0, near > 0 ? 0.3 : 0.12);
        cairo_stroke(cr);
    }
}

static void draw_axis(cairo_t *cr, const struct sphere *s, int axis, double sign, const char *name,
                      double dx, double dy)
{
    double x, y, r[3] = { 0 };
    r[axis] = sign;
    project(&x, &y, s, r);
    kl_plot_colour(cr, 0, 0.25);
    kl_plot_line(cr, s->x, s->y, x, y);
    kl_plot_colour(cr, 0, 1);
    if (name) kl_plot_text(cr, x + dx, y + dy, 7, KL_CENTRE, name);
}

static void draw_sphere(cairo_t *cr, const struct sphere *s)
{
    kl_plot_pen(cr, 6, 0.08, 0.6);
    cairo_arc(cr, s->x, s->y, RADIUS, 0, 2 * M_PI);
    cairo_fill_preserve(cr);
    kl_plot_colour(cr, 0, 0.5);
    cairo_stroke(cr);
    draw_circle(cr, s, 0, 1);
    draw_circle(cr, s, 1, 2);
    draw_circle(cr, s, 0, 2);
    draw_axis(cr, s, 2, 1, "|0\xe2\x9f\xa9", 0, -7);
    draw_axis(cr, s, 2, -1, "|1\xe2\x9f\xa9", 0, 12);
    draw_axis(cr, s, 0, 1, "x", -9, 9);
    draw_axis(cr, s, 1, 1, "y", 16, 2);
}

enum { COLOURS = 48 };
/* The ramp's colour, mixed with white behind: see-through strokes would show where they meet. */
static void choose_colour(cairo_t *cr, size_t colour, bool front)
{
    double c[4] = { 0 };
    kl_plot_ramp(cr, colour, COLOURS, 1);
    cairo_pattern_get_rgba(cairo_get_source(cr), &c[0], &c[1], &c[2], &c[3]);
    if (!front) cairo_set_source_rgb(cr, 0.6 + 0.4 * c[0], 0.6 + 0.4 * c[1], 0.6 + 0.4 * c[2]);
}

static bool is_front(const struct sphere *s, const double *r)
{
    double x, y;
    return project(&x, &y, s, r) + project(&x, &y, s, r + 3) >= 0;
}

/* Chords of one colour and on one side are one stroke; those behind come first. */
static void draw_way(cairo_t *cr, const struct sphere *s, const double *r, size_t points)
{
    double x, y;
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_width(cr, 1.5);
    for (int front = 0; front < 2; front++)
        for (size_t k = 0; k + 1 < points;) {
            const size_t colour = k * COLOURS / points;
            const bool drawn = is_front(s, r + 3 * k) == front;
            const size_t first = k;
            for (; k + 1 < points && k * COLOURS / points == colour &&
                   (is_front(s, r + 3 * k) == front) == drawn;
                 k++) {
            }
            for (size_t i = first; drawn && i <= k; i++) {
                project(&x, &y, s, r + 3 * i);
                cairo_line_to(cr, x, y);
            }
            choose_colour(cr, colour, front);
            cairo_stroke(cr);
        }
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_BUTT);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_MITER);
}

static void draw_ends(cairo_t *cr, const struct sphere *s, const double *first, const double *last,
                      const double *target)
{
    double x, y;
    kl_plot_colour(cr, 0, 1);
    project(&x, &y, s, first);
    kl_plot_mark(cr, x, y, 2.6, KL_CIRCLE);
    kl_plot_colour(cr, 2, 1);
    project(&x, &y, s, last);
    kl_plot_mark(cr, x, y, 2.8, KL_SQUARE);
    project(&x, &y, s, target);
    kl_plot_pen(cr, 0, 1, 1.1);
    cairo_arc(cr, x, y, 5, 0, 2 * M_PI);
    cairo_stroke(cr);
}

/* |0>, |+> and so on by its vector; any other by the numbers. */
static void name_start(char text[60], const double r[3])
{
    static const char *const names[6] = { "|+\xe2\x9f\xa9",  "|\xe2\x88\x92\xe2\x9f\xa9",
                                          "|+i\xe2\x9f\xa9", "|\xe2\x88\x92i\xe2\x9f\xa9",
                                          "|0\xe2\x9f\xa9",  "|1\xe2\x9f\xa9" };
    for (int a = 0; a < 3; a++)
        if (fabs(fabs(r[a]) - 1) < 1e-9) {
            snprintf(text, 60, "from %s", names[2 * a + (r[a] < 0)]);
            return;
        }
    snprintf(text, 60, "from (%.2f, %.2f, %.2f)", r[0], r[1], r[2]);
}

/* A mark and its words; returns where the next may begin. */
static double legend(cairo_t *cr, double x, double y, int which, const char *text)
{
    kl_plot_colour(cr, which == 1 ? 2 : 0, 1);
    if (which == 2) {
        cairo_set_line_width(cr, 1.1);
        cairo_arc(cr, x, y - 2.5, 4, 0, 2 * M_PI);
        cairo_stroke(cr);
    } else kl_plot_mark(cr, x, y - 2.5, 2.6, which ? KL_SQUARE : KL_CIRCLE);
    kl_plot_black(cr, x + 8, y, 7, KL_LEFT, text);
    return x + 8 + kl_plot_text_width(cr, 7, text) + 16;
}

static void draw(cairo_t *cr, const struct ways *w, const char *title)
{
    const bool narrow = kl_plot_sheet_of(cr)->narrow;
    const double down = narrow ? 2 * RADIUS + 36 : 0; /* from sphere to sphere */
    const double bottom = TOP + 2 * RADIUS + 32 + down * ((double)w->n - 1);
    char text[60];
    for (size_t i = 0; i < w->n; i++) {
        const double *r = w->vectors + 3 * i * w->points;
        const struct sphere s = { RADIUS + 14 + (narrow ? 0 : STEP * (double)i),
                                  TOP + RADIUS + 8 + down * (double)i };
        draw_sphere(cr, &s);
        draw_way(cr, &s, r, w->points);
        draw_ends(cr, &s, r, r + 3 * (w->points - 1), w->target + 3 * i);
        name_start(text, r);
        kl_plot_black(cr, s.x - RADIUS, TOP + down * (double)i, 7, KL_LEFT, text);
    }
    kl_plot_black(cr, 14, 10, 7, KL_LEFT, title);
    double x = legend(cr, 18, bottom, 0, "begin");
    x = legend(cr, x, bottom, 1, "end");
    legend(cr, x, bottom, 2, "where it should end");
}

int kl_plot_bloch(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    struct ways w = { 0 };
    struct kl_pulse_view v;
    int code = kl_plot_pulse_view_load(&v, inputs->file, err);
    if (!code) code = load(&w, inputs->file, err);
    if (!code) draw(sheet->cr, &w, v.title);
    free(w.vectors), free(w.target);
    kl_plot_pulse_view_free(&v);
    return code;
}
