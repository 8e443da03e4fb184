/* SPDX-License-Identifier: MIT
   Heads seen from above, with values between their electrodes; which channels a model's loss depends
   on, on such a head. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "plot/sequence/windows_view.h"
#include "store/store.h"

/* ---- splines ----
   Spherical splines: sums of a kernel of the angle to each electrode, with a constant, so that the
   weights add up to 0 (Perrin et al. 1989). */

enum { TERMS = 50 };
static const double RIDGE = 1e-9; /* so little that the map has the values at the electrodes */

/* g(cos) = sum over k of (2 k + 1) / (k (k + 1))^4 P_k(cos) / (4 pi), Legendre polynomials by their
   recurrence. */
static double kernel(double cosine)
{
    double before = 1, now = cosine, sum = 0;
    for (int k = 1; k <= TERMS; k++) {
        const double square = (double)k * (k + 1) * k * (k + 1);
        sum += (2 * k + 1) * now / (square * square);
        const double next = ((2 * k + 1) * cosine * now - k * before) / (k + 1);
        before = now, now = next;
    }
    return sum / (4 * M_PI);
}

/* From the disc, where radii are angles from the vertex, to the sphere. */
static void raise_place(double to[3], double x, double y)
{
    const double r = hypot(x, y), angle = r * M_PI / 2;
    to[0] = r > 0 ? sin(angle) * x / r : 0, to[1] = r > 0 ? sin(angle) * y / r : 0, to[2] = cos(angle);
}

static double cosine(const double a[3], const double b[3])
{
    return fmax(-1, fmin(1, a[0] * b[0] + a[1] * b[1] + a[2] * b[2]));
}

/* a (n, n) x = b by elimination with pivots; x comes into b. A column without a pivot has no say. */
static void solve(double *a, double *b, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
        for (size_t j = 0; j < n && best != k; j++) {
            const double kept = a[k * n + j];
            a[k * n + j] = a[best * n + j], a[best * n + j] = kept;
        }
        const double kept = b[k];
        b[k] = b[best], b[best] = kept;
        if (!(fabs(a[k * n + k]) > 1e-14)) continue;
        for (size_t i = k + 1; i < n; i++) {
            const double f = a[i * n + k] / a[k * n + k];
            for (size_t j = k; j < n && f != 0; j++) a[i * n + j] -= f * a[k * n + j];
            b[i] -= f * b[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++) b[k] -= a[k * n + j] * b[j];
        b[k] = fabs(a[k * n + k]) > 1e-14 ? b[k] / a[k * n + k] : 0;
    }
}

/* ---- the area that electrodes cover ---- */
static int by_place(const void *a, const void *b)
{
    const double *x = a, *y = b;
    if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
    return (x[1] > y[1]) - (x[1] < y[1]);
}

/* Above 0: c lies to the left of the line from a to b. */
static double turn(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* The convex hull, lower half and upper half (Andrew 1979). Sorts the disc's places. */
static void find_hull(struct kl_scalp *s)
{
    size_t n = 0, least = 1, kept = 0;
    if (s->n) qsort(s->disc, s->n, 2 * sizeof *s->disc, by_place);
    for (int half = 0; half < 2; half++, least = n)
        for (size_t k = 0; k < s->n; k++) {
            const double *place = s->disc + 2 * (half ? s->n - 1 - k : k);
            while (n > least && turn(s->hull + 2 * (n - 2), s->hull + 2 * (n - 1), place) <= 0) n--;
            memcpy(s->hull + 2 * n++, place, 2 * sizeof *place);
        }
    for (size_t k = 0; k < n; k++) { /* where the halves meet, a corner stands twice */
        const double *place = s->hull + 2 * k, *last = s->hull + 2 * (kept ? kept - 1 : 0);
        if (kept && ((place[0] == last[0] && place[1] == last[1]) ||
                     (place[0] == s->hull[0] && place[1] == s->hull[1])))
            continue;
        memmove(s->hull + 2 * kept++, place, 2 * sizeof *place);
    }
    s->n_hull = kept;
}

/* ---- the map ---- */
int kl_plot_scalp_fit(struct kl_scalp *s, const double *values, const double *positions, size_t n,
                      struct kl_error *err)
{
    *s = (struct kl_scalp){ .place = malloc((3 * n + 1) * sizeof *s->place),
                            .disc = malloc((2 * n + 1) * sizeof *s->disc),
                            .hull = malloc((4 * n + 4) * sizeof *s->hull),
                            .weights = calloc(n + 1, sizeof *s->weights) };
    double *a = calloc((n + 1) * (n + 1), sizeof *a);
    if (!s->place || !s->weights || !s->disc || !s->hull || !a) {
        free(a);
        return kl_fail_memory(err, (n + 1) * (n + 1) * sizeof *a);
    }
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(values[i]) || !isfinite(positions[2 * i]) || !isfinite(positions[2 * i + 1]))
            continue;
        raise_place(s->place + 3 * s->n, positions[2 * i], positions[2 * i + 1]);
        memcpy(s->disc + 2 * s->n, positions + 2 * i, 2 * sizeof *positions);
        s->weights[s->n++] = values[i];
    }
    const size_t m = s->n + 1;
    for (size_t i = 0; i < s->n; i++) {
        for (size_t k = 0; k < s->n; k++)
            a[i * m + k] = kernel(cosine(s->place + 3 * i, s->place + 3 * k)) + (i == k ? RIDGE : 0);
        a[i * m + s->n] = a[s->n * m + i] = 1;
    }
    s->weights[s->n] = 0;
    solve(a, s->weights, m);
    free(a);
    find_hull(s);
    return KL_OK;
}

double kl_plot_scalp_at(const struct kl_scalp *s, double x, double y)
{
    double place[3], sum = s->weights[s->n];
    raise_place(place, x, y);
    for (size_t i = 0; i < s->n; i++) sum += s->weights[i] * kernel(cosine(s->place + 3 * i, place));
    return sum;
}

void kl_plot_scalp_free(struct kl_scalp *s)
{
    free(s->place), free(s->weights), free(s->disc), free(s->hull);
    *s = (struct kl_scalp){ 0 };
}

/* ---- a head and the scale of its colours ---- */
enum { GRID = 64 };

static void outline(cairo_t *cr, double x, double y, double r)
{
    kl_plot_pen(cr, 0, 1, 0.8);
    cairo_new_path(cr);
    cairo_arc(cr, x, y, r, 0, 2 * M_PI);
    cairo_stroke(cr);
    cairo_move_to(cr, x - 0.1 * r, y - 0.995 * r);
    cairo_line_to(cr, x, y - 1.12 * r);
    cairo_line_to(cr, x + 0.1 * r, y - 0.995 * r);
    cairo_stroke(cr);
    for (int side = -1; side <= 1; side += 2) {
        cairo_save(cr);
        cairo_translate(cr, x + side * 1.02 * r, y);
        cairo_scale(cr, 0.05 * r, 0.16 * r);
        cairo_arc(cr, 0, 0, 1, 0, 2 * M_PI);
        cairo_restore(cr);
        cairo_stroke(cr);
    }
}

void kl_plot_head_range(struct kl_head_range *range, const double *values, const double *positions,
                        size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (isfinite(values[i]) && isfinite(positions[2 * i]))
            range->low = fmin(range->low, values[i]), range->high = fmax(range->high, values[i]);
}

/* Its ends as they are drawn: of both signs as far to either side. */
static void ends(double *low, double *high, const struct kl_head_range *r)
{
    const double most = fmax(fabs(r->low), fabs(r->high));
    *low = r->both_signs ? -most : r->low, *high = r->both_signs ? most : r->high;
}

static struct kl_rgb colour(double value, const struct kl_head_range *r)
{
    double low, high;
    ends(&low, &high, r);
    if (r->both_signs) return kl_plot_diverging(value / fmax(high, 1e-300));
    return kl_plot_diverging(high > low ? (value - low) / (high - low) : 0);
}

int kl_plot_head_scale(cairo_t *cr, double x, double y, double height, const struct kl_head_range *range,
                       const char *unit, struct kl_error *err)
{
    char text[KL_TICK];
    struct kl_rgb colours[GRID];
    double low, high, widest = 0;
    ends(&low, &high, range);
    const double most = fmax(fabs(low), fabs(high));
    const struct kl_axes into = { .left = x, .top = y, .width = 7, .height = height };
    for (int k = 0; k < GRID; k++) colours[k] = colour(high - (high - low) * (k + 0.5) / GRID, range);
    const int code = kl_plot_field(cr, &into, colours, 1, GRID, false, err);
    kl_plot_pen(cr, 0, 1, 0.5);
    kl_plot_frame(cr, x, y, 7, height);
    for (int k = 0; k <= 4; k++) {
        const double value = low + (high - low) * k / 4, at = y + height * (1 - k / 4.0);
        kl_plot_line(cr, x + 7, at, x + 9, at);
        kl_plot_tick_text(text, value, fmax((high - low) / 40, 1e-12), fmax(most, 1e-12));
        kl_plot_text(cr, x + 11, at + 2, 6, KL_LEFT, text);
        widest = fmax(widest, kl_plot_text_width(cr, 6, text));
    }
    kl_plot_text_upwards(cr, x + 21 + widest, y + height / 2, 7, KL_CENTRE, 1.5 * height, unit);
    return code;
}

/* White where no electrode is near, and the map a guess: beyond a line around the area between them,
   half as far from it as electrodes of the 10-10 system are from each other. */
static void mask(cairo_t *cr, double x, double y, double radius, const struct kl_scalp *s)
{
    const double apart = 0.15 * radius;
    cairo_new_path(cr);
    cairo_rectangle(cr, x - radius, y - radius, 2 * radius, 2 * radius);
    cairo_new_sub_path(cr);
    for (size_t k = 0; k < s->n_hull; k++) {
        const double *before = s->hull + 2 * ((k + s->n_hull - 1) % s->n_hull), *at = s->hull + 2 * k,
                     *next = s->hull + 2 * ((k + 1) % s->n_hull);
        /* Outwards of the lines that meet here; on the sheet y runs down. */
        const double from = atan2(at[0] - before[0], at[1] - before[1]),
                     to = atan2(next[0] - at[0], next[1] - at[1]);
        cairo_arc_negative(cr, x + at[0] * radius, y - at[1] * radius, apart, from,
                           s->n_hull > 1 ? to : from - 2 * M_PI);
    }
    cairo_close_path(cr);
    cairo_set_fill_rule(cr, CAIRO_FILL_RULE_EVEN_ODD);
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_fill(cr);
    cairo_set_fill_rule(cr, CAIRO_FILL_RULE_WINDING);
}

/* Colours of the disc, from the top. */
static int paint(cairo_t *cr, const struct kl_axes *into, const struct kl_scalp *scalp,
                 const struct kl_head_range *range, struct kl_error *err)
{
    struct kl_rgb *colours = calloc((size_t)GRID * GRID, sizeof *colours);
    if (!colours) return kl_fail_memory(err, (size_t)GRID * GRID * sizeof *colours);
    for (int k = 0; k < GRID; k++)
        for (int i = 0; i < GRID; i++) {
            const double x = (i + 0.5) * 2 / GRID - 1, y = 1 - (k + 0.5) * 2 / GRID;
            if (hypot(x, y) < 1.1) colours[k * GRID + i] = colour(kl_plot_scalp_at(scalp, x, y), range);
        }
    const int code = kl_plot_field(cr, into, colours, GRID, GRID, true, err);
    free(colours);
    return code;
}

/* Up to two lines, the last at y. */
static void draw_label(cairo_t *cr, double x, double y, double room, const char *label)
{
    char first[KL_TEXT];
    const char *second = strchr(label, '\n');
    snprintf(first, sizeof first, "%.*s", (int)(second ? second - label : (ptrdiff_t)strlen(label)),
             label);
    kl_plot_text_within(cr, x, second ? y - 9 : y, 7, KL_CENTRE, room, first);
    if (second) kl_plot_text_within(cr, x, y, 7, KL_CENTRE, room, second + 1);
}

int kl_plot_head(cairo_t *cr, double x, double y, double radius, const double *values,
                 const double *positions, size_t n, const struct kl_head_range *range, const char *label,
                 struct kl_error *err)
{
    const struct kl_axes into = { x - radius, y - radius, 2 * radius, 2 * radius, .y1 = 0 };
    struct kl_scalp scalp;
    int code = kl_plot_scalp_fit(&scalp, values, positions, n, err);
    cairo_save(cr);
    cairo_arc(cr, x, y, radius, 0, 2 * M_PI);
    cairo_clip(cr);
    if (!code) code = paint(cr, &into, &scalp, range, err);
    if (!code) mask(cr, x, y, radius, &scalp);
    cairo_restore(cr);
    kl_plot_scalp_free(&scalp);
    kl_plot_colour(cr, 0, 0.8);
    for (size_t i = 0; i < n; i++)
        if (isfinite(positions[2 * i]) && isfinite(values[i]))
            kl_plot_mark(cr, x + positions[2 * i] * radius, y - positions[2 * i + 1] * radius, 1,
                         KL_CIRCLE);
    outline(cr, x, y, radius);
    draw_label(cr, x, y - 1.12 * radius - 6, 2.8 * radius, label);
    return code;
}

/* ---- the importance of channels ---- */
static const double LEFT = 20, TOP = 24, RADIUS = 78;

static int draw(cairo_t *cr, const double *shares, const double *positions, size_t n, const char *label,
                struct kl_error *err)
{
    struct kl_head_range range = { INFINITY, -INFINITY, false };
    kl_plot_head_range(&range, shares, positions, n);
    const double x = LEFT + RADIUS, y = TOP + 1.2 * RADIUS;
    const int code = kl_plot_head(cr, x, y, RADIUS, shares, positions, n, &range, label, err);
    return code ? code
                : kl_plot_head_scale(cr, x + 1.16 * RADIUS, y - RADIUS, 2 * RADIUS, &range,
                                     "share of the gradient (%)", err);
}

/* channel_importance (replicas, channels) of a report: the mean over its replicas, as shares of the sum.
 */
int kl_plot_importance(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs,
                       struct kl_error *err)
{
    const struct kl_dataset *set;
    double *all = NULL, *positions = NULL, *mean = NULL, sum = 0;
    char *model = NULL, label[KL_NAME];
    int code = kl_store_file_text(&model, inputs->file, "", "model", err);
    if (!code)
        code = kl_store_file_expect(&set, inputs->file, "channel_importance", KL_TYPE_F64, 2, err);
    const size_t n = code ? 0 : set->dims[1], shape[2] = { n, 2 };
    if (!code) code = kl_store_file_load((void **)&all, inputs->file, set, err);
    if (!code)
        code = kl_store_file_load_shape((void **)&positions, inputs->file, "channel_positions",
                                        KL_TYPE_F64, 2, shape, err);
    if (!code && !(mean = calloc(n + 1, sizeof *mean))) code = kl_fail_memory(err, n * sizeof *mean);
    for (size_t r = 0; !code && r < set->dims[0]; r++)
        for (size_t c = 0; c < n; c++) mean[c] += all[r * n + c], sum += all[r * n + c];
    size_t known = 0;
    for (size_t c = 0; !code && c < n; c++)
        mean[c] *= sum > 0 ? 100 / sum : 0, known += isfinite(positions[2 * c]) && isfinite(mean[c]);
    if (!code && known < 3)
        kl_plot_text(sheet->cr, LEFT, TOP, 7, KL_LEFT, "no places of electrodes are known");
    snprintf(label, sizeof label, "%.40s: what its loss depends on", code ? "" : model);
    if (!code && known >= 3) code = draw(sheet->cr, mean, positions, n, label, err);
    free(all), free(positions), free(mean), free(model);
    return code;
}
