/* SPDX-License-Identifier: MIT
   The loss of a pulse where two parameters differ from what it was made for, as colours with lines of
   equal loss; the ensemble's members as dots, the problem's own values as a cross. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/control/pulse_view.h"
#include "store/store.h"

static const double LEFT = 50, TOP = 20, SIDE = 200, BAR = 266, BAR_WIDTH = 10;
enum { SHADES = 256 };
static const double FLOOR = 1e-9; /* of colours: below lies rounding */

struct landscape {
    double *x, *y, *loss; /* [n], [m], [m][n] */
    size_t n, m;
    char *names[2];
    double low, high;   /* log10 of the colours' ends */
    double *members[2]; /* values of the ensemble's members on both axes, [n_members]; NULL: not told */
    size_t n_members;
};

/* ---- what the file holds ---- */
static int load_grid(struct landscape *l, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *x, *y, *set;
    int code = kl_plot_pulse_numbers(&l->x, &x, file, "landscape/x", 1, err);
    if (!code) code = kl_plot_pulse_numbers(&l->y, &y, file, "landscape/y", 1, err);
    if (!code) code = kl_plot_pulse_numbers(&l->loss, &set, file, "landscape/loss", 2, err);
    if (!code) code = kl_store_file_text(&l->names[0], file, "landscape/x", "parameter", err);
    if (!code) code = kl_store_file_text(&l->names[1], file, "landscape/y", "parameter", err);
    if (code) return code;
    l->n = x->dims[0], l->m = y->dims[0];
    if (set->dims[0] != l->m || set->dims[1] != l->n || l->n < 2 || l->m < 2 ||
        !(l->x[l->n - 1] > l->x[0]) || !(l->y[l->m - 1] > l->y[0]))
        return kl_fail(err, KL_EDATA, "%s: landscape: expected a loss for each of rising x and y",
                       kl_store_file_path(file));
    return KL_OK;
}

/* Values of the members in the parameter of this name. */
static int load_member_axis(struct landscape *l, int axis, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *set, *names;
    double *params = NULL;
    char *text = NULL, name[KL_NAME];
    if (strcmp(l->names[axis], "amplitude") == 0) {
        const int code =
            kl_plot_pulse_numbers(&l->members[axis], &set, file, "members/amplitude", 1, err);
        if (!code) l->n_members = set->dims[0];
        return code;
    }
    int code = kl_plot_pulse_numbers(&params, &set, file, "members/params", 2, err);
    if (!code)
        code = kl_store_file_load_named((void **)&text, &names, file, "param_names", KL_TYPE_STRING, 1,
                                        err);
    if (!code && !(l->members[axis] = malloc(set->dims[0] * sizeof **l->members)))
        code = kl_fail_memory(err, set->dims[0] * sizeof **l->members);
    if (!code) l->n_members = set->dims[0];
    for (size_t j = 0; !code && j < names->dims[0] && j < set->dims[1]; j++) {
        kl_plot_name(name, text, names->dims[0], names->item_size, j);
        for (size_t i = 0; i < l->n_members && strcmp(name, l->names[axis]) == 0; i++)
            l->members[axis][i] = params[i * set->dims[1] + j];
    }
    free(params), free(text);
    return code;
}

static int load(struct landscape *l, struct kl_file *file, struct kl_error *err)
{
    int code = load_grid(l, file, err);
    if (!code) code = load_member_axis(l, 0, file, err);
    const size_t first = l->n_members;
    if (!code) code = load_member_axis(l, 1, file, err);
    if (!code && l->n_members != first)
        code = kl_fail(err, KL_EDATA, "%s: members: found %zu and %zu", kl_store_file_path(file), first,
                       l->n_members);
    if (code) return code;
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < l->n * l->m; i++)
        least = fmin(least, l->loss[i]), most = fmax(most, l->loss[i]);
    l->high = log10(fmax(most, 10 * FLOOR));
    l->low = log10(fmax(least, FLOOR));
    if (l->high - l->low < 0.05) l->low -= 0.025, l->high += 0.025;
    return KL_OK;
}

static void landscape_free(struct landscape *l)
{
    free(l->x), free(l->y), free(l->loss);
    free(l->names[0]), free(l->names[1]);
    free(l->members[0]), free(l->members[1]);
}

/* ---- drawing ---- */
static double level(const struct landscape *l, size_t row, size_t column)
{
    return log10(fmax(l->loss[row * l->n + column], FLOOR));
}

/* Dots between the corners of the grid's cells, each the mean of the corners by nearness. */
static double between(const struct landscape *l, double x, double y)
{
    const size_t j = fmin(x, (double)l->n - 2), i = fmin(y, (double)l->m - 2);
    const double u = x - (double)j, v = y - (double)i;
    return (1 - v) * ((1 - u) * level(l, i, j) + u * level(l, i, j + 1)) +
           v * ((1 - u) * level(l, i + 1, j) + u * level(l, i + 1, j + 1));
}

/* The ramp's colour as a pixel: cairo gives a source's components back. */
static uint32_t pixel(cairo_t *cr, double share)
{
    double c[4] = { 0 };
    kl_plot_ramp(cr, (size_t)lround(fmin(fmax(share, 0), 1) * (SHADES - 1)), SHADES, 1);
    cairo_pattern_get_rgba(cairo_get_source(cr), &c[0], &c[1], &c[2], &c[3]);
    return (uint32_t)lround(255 * c[0]) << 16 | (uint32_t)lround(255 * c[1]) << 8 |
           (uint32_t)lround(255 * c[2]);
}

static void draw_colours(cairo_t *cr, const struct kl_axes *axes, const struct landscape *l)
{
    enum { DOTS = 200 };
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, DOTS, DOTS);
    unsigned char *data = cairo_image_surface_get_data(image);
    for (int r = 0; data && r < DOTS; r++) {
        uint32_t *row = (uint32_t *)(data + r * cairo_image_surface_get_stride(image));
        for (int c = 0; c < DOTS; c++) {
            const double x = ((double)l->n - 1) * (c + 0.5) / DOTS,
                         y = ((double)l->m - 1) * (DOTS - r - 0.5) / DOTS;
            row[c] = pixel(cr, (between(l, x, y) - l->low) / (l->high - l->low));
        }
    }
    cairo_surface_mark_dirty(image);
    cairo_save(cr);
    cairo_translate(cr, axes->left, axes->top);
    cairo_scale(cr, axes->width / DOTS, axes->height / DOTS);
    cairo_set_source_surface(cr, image, 0, 0);
    kl_plot_fill(cr, 0, 0, DOTS, DOTS);
    cairo_restore(cr);
    cairo_surface_destroy(image);
}

/* Find where the line of this level crosses the side between two corners of a cell. */
static bool crossing(double *x, double *y, double at, const double corner[4], int side, double x0,
                     double x1, double y0, double y1)
{
    const double a = corner[side] - at, b = corner[(side + 1) % 4] - at;
    if ((a < 0) == (b < 0)) return false;
    const double t = a / (a - b), xs[] = { x0, x1, x1, x0, x0 }, ys[] = { y0, y0, y1, y1, y0 };
    *x = xs[side] + t * (xs[side + 1] - xs[side]);
    *y = ys[side] + t * (ys[side + 1] - ys[side]);
    return true;
}

/* Marching squares: a cell that the line enters it leaves again. */
static void draw_line(cairo_t *cr, const struct kl_axes *axes, const struct landscape *l, double at)
{
    for (size_t i = 0; i + 1 < l->m; i++)
        for (size_t j = 0; j + 1 < l->n; j++) {
            const double corner[4] = { level(l, i, j), level(l, i, j + 1), level(l, i + 1, j + 1),
                                       level(l, i + 1, j) };
            int n = 0;
            for (int side = 0; side < 4; side++) {
                double x, y;
                if (!crossing(&x, &y, at, corner, side, kl_plot_axes_x(axes, l->x[j]),
                              kl_plot_axes_x(axes, l->x[j + 1]), kl_plot_axes_y(axes, l->y[i]),
                              kl_plot_axes_y(axes, l->y[i + 1])))
                    continue;
                if (n++ % 2) cairo_line_to(cr, x, y);
                else cairo_move_to(cr, x, y);
            }
        }
    cairo_stroke(cr);
}

/* Levels that are told, of m times ten to the k: of a few decades the powers, of about one those of 2
   and 5, too, of less all. */
static bool is_level(const struct landscape *l, double k, int m)
{
    const double at = k + log10(m), range = l->high - l->low;
    if (at < l->low || at > l->high) return false;
    return m == 1 || range < 0.6 || (range < 1.3 && (m == 2 || m == 5));
}

static void draw_lines(cairo_t *cr, const struct kl_axes *axes, const struct landscape *l)
{
    cairo_set_line_width(cr, 0.7);
    cairo_set_source_rgba(cr, 1, 1, 1, 0.85);
    for (double k = floor(l->low); k <= ceil(l->high); k++)
        for (int m = 1; m < 10; m++)
            if (is_level(l, k, m)) draw_line(cr, axes, l, k + log10(m));
}

static void bar_tick(cairo_t *cr, const struct kl_axes *axes, double at)
{
    const double y = kl_plot_axes_y(axes, at);
    char text[30];
    kl_plot_rule(cr, BAR + BAR_WIDTH, y, 3, 0);
    snprintf(text, sizeof text, "%.3g", pow(10, at));
    kl_plot_text(cr, BAR + BAR_WIDTH + 5, y + 2.5, 7, KL_LEFT, text);
}

static void draw_bar(cairo_t *cr, const struct landscape *l)
{
    const struct kl_axes axes = { BAR, TOP, BAR_WIDTH, SIDE, .y0 = l->low, .y1 = l->high };
    const double step = SIDE / SHADES;
    int told = 0;
    for (int i = 0; i < SHADES; i++) {
        kl_plot_ramp(cr, (size_t)i, SHADES, 1);
        kl_plot_fill(cr, BAR, TOP + SIDE - step * (i + 1), BAR_WIDTH, step + 0.25);
    }
    kl_plot_pen(cr, 0, 1, 0.6);
    kl_plot_frame(cr, BAR, TOP, BAR_WIDTH, SIDE);
    for (double k = floor(l->low); k <= ceil(l->high); k++)
        for (int m = 1; m < 10; m++)
            if (is_level(l, k, m)) bar_tick(cr, &axes, k + log10(m)), told++;
    if (!told) bar_tick(cr, &axes, l->low), bar_tick(cr, &axes, l->high);
    kl_plot_text(cr, BAR + BAR_WIDTH / 2, TOP - 6, 7, KL_CENTRE, "loss");
}

static void draw_members(cairo_t *cr, const struct kl_axes *axes, const struct landscape *l)
{
    for (size_t i = 0; i < l->n_members && l->n_members > 1; i++) {
        const double x = kl_plot_axes_x(axes, l->members[0][i]),
                     y = kl_plot_axes_y(axes, l->members[1][i]);
        cairo_set_source_rgba(cr, 1, 1, 1, 0.9);
        kl_plot_mark(cr, x, y, 1.9, KL_CIRCLE);
        kl_plot_colour(cr, 0, 1);
        kl_plot_mark(cr, x, y, 1.2, KL_CIRCLE);
    }
}

/* The middle of the grid. */
static void draw_cross(cairo_t *cr, const struct kl_axes *axes, const struct landscape *l)
{
    const double x = kl_plot_axes_x(axes, l->x[l->n / 2]), y = kl_plot_axes_y(axes, l->y[l->m / 2]);
    for (int over = 0; over < 2; over++) {
        cairo_set_line_width(cr, over ? 1.1 : 2.4);
        if (over) kl_plot_colour(cr, 2, 1);
        else cairo_set_source_rgba(cr, 1, 1, 1, 0.9);
        cairo_move_to(cr, x - 4, y), cairo_line_to(cr, x + 4, y);
        cairo_move_to(cr, x, y - 4), cairo_line_to(cr, x, y + 4);
        cairo_stroke(cr);
    }
}

static void axis_label(char text[KL_PULSE_LABEL], const char *name, const struct kl_pulse_view *v)
{
    if (strcmp(name, "amplitude") == 0) snprintf(text, KL_PULSE_LABEL, "factor of all controls");
    else snprintf(text, KL_PULSE_LABEL, *v->unit ? "%.30s, 1/%s" : "%.30s", name, v->unit);
}

static void draw(cairo_t *cr, const struct landscape *l, const struct kl_pulse_view *v)
{
    const struct kl_axes axes = {
        LEFT, TOP, SIDE, SIDE, .x0 = l->x[0], .x1 = l->x[l->n - 1], .y0 = l->y[0], .y1 = l->y[l->m - 1]
    };
    char x[KL_PULSE_LABEL], y[KL_PULSE_LABEL];
    cairo_save(cr);
    cairo_rectangle(cr, LEFT, TOP, SIDE, SIDE);
    cairo_clip(cr);
    draw_colours(cr, &axes, l);
    draw_lines(cr, &axes, l);
    draw_members(cr, &axes, l);
    draw_cross(cr, &axes, l);
    cairo_restore(cr);
    axis_label(x, l->names[0], v);
    axis_label(y, l->names[1], v);
    kl_plot_axes_draw(cr, &axes, x, y);
    draw_bar(cr, l);
    kl_plot_black_within(cr, LEFT, 10, 7, KL_LEFT, SIDE, v->title);
    kl_plot_text(cr, LEFT, TOP + SIDE + 36, 6.5, KL_LEFT,
                 l->n_members > 1 ? "cross: the problem's own values; dots: members of the ensemble"
                                  : "cross: what the pulse was made for");
}

int kl_plot_landscape(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs,
                      struct kl_error *err)
{
    struct landscape l = { 0 };
    struct kl_pulse_view v;
    int code = kl_plot_pulse_view_load(&v, inputs->file, err);
    if (!code) code = load(&l, inputs->file, err);
    if (!code) draw(sheet->cr, &l, &v);
    landscape_free(&l);
    kl_plot_pulse_view_free(&v);
    return code;
}
