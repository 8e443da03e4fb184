/* SPDX-License-Identifier: MIT
   What several models score on each person: dots of one person are joined, as people differ more than
   models do. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/plot.h"
#include "stats/stats.h"

static const double LEFT = 44, TOP = 16, HEIGHT = 170;
enum { MODELS = 16, PEOPLE = 4096 };

struct column {
    char *model, *names;
    size_t n, size;
    double leak;      /* 1: windows of the tested people trained it */
    size_t classes;   /* 0: not known */
    double *accuracy; /* (n), mean over replicas */
};

static int load(struct column *c, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *set, *names, *classes = kl_store_file_find(file, "class_names");
    double *all = NULL;
    int code = kl_store_file_expect(&set, file, "subjects/accuracy", KL_TYPE_F64, 2, err);
    if (!code) code = kl_store_file_expect(&names, file, "subject_names", KL_TYPE_STRING, 1, err);
    if (code) return code;
    c->n = names->dims[0], c->size = names->item_size, c->classes = classes ? classes->rows : 0;
    if (set->dims[1] != c->n || c->n > PEOPLE)
        return kl_fail(
            err, KL_EDATA,
            "%s: subjects/accuracy has %zu people, expected the %zu of subject_names, at most %d",
            kl_store_file_path(file), set->dims[1], c->n, PEOPLE);
    code = kl_store_file_text(&c->model, file, "", "model", err);
    if (!code) code = kl_store_file_number(&c->leak, file, "", "leak", err);
    if (!code) code = kl_store_file_load((void **)&c->names, file, names, err);
    if (!code) code = kl_store_file_load((void **)&all, file, set, err);
    if (!code && !(c->accuracy = calloc(c->n + 1, sizeof *c->accuracy)))
        code = kl_fail_memory(err, c->n);
    for (size_t i = 0; !code && i < c->n; i++)
        for (size_t r = 0; r < set->dims[0]; r++)
            c->accuracy[i] += all[r * c->n + i] / (double)set->dims[0];
    free(all);
    return code;
}

/* The number of a person of the first column in another one; its n: not there. */
static size_t find(const struct column *c, const char *name)
{
    char other[KL_NAME];
    size_t i = 0;
    for (; i < c->n; i++) {
        kl_plot_name(other, c->names, c->n, c->size, i);
        if (strcmp(other, name) == 0) break;
    }
    return i;
}

/* The place of a person's dot in column k: people of one accuracy stand beside each other. */
static double place_dot(const struct kl_axes *axes, const struct column *c, size_t k, size_t person)
{
    const double apart = 3.8;
    size_t before = 0;
    for (size_t i = 0; i < person; i++) before += fabs(c->accuracy[i] - c->accuracy[person]) < 1e-9;
    const double off = apart * ceil((double)before / 2);
    return kl_plot_axes_x(axes, (double)k) + fmin(off, 15) * (before % 2 ? 1 : -1);
}

static void draw_person(cairo_t *cr, const struct kl_axes *axes, const struct column *columns, size_t n,
                        size_t person)
{
    char name[KL_NAME];
    kl_plot_name(name, columns[0].names, columns[0].n, columns[0].size, person);
    cairo_new_path(cr);
    for (size_t k = 0; k < n; k++) {
        const size_t at = find(&columns[k], name);
        if (at == columns[k].n || !isfinite(columns[k].accuracy[at])) cairo_new_sub_path(cr);
        else
            cairo_line_to(cr, place_dot(axes, &columns[k], k, at),
                          kl_plot_axes_y(axes, columns[k].accuracy[at]));
    }
    kl_plot_pen(cr, 1, 0.3, 0.6);
    cairo_stroke(cr);
}

/* Mean over people, and its 95 % by Student's t, as far as that lies in the frame. */
static void draw_mean(cairo_t *cr, const struct kl_axes *axes, double x, const double *values, size_t n)
{
    const struct kl_t_test t = kl_stats_t_test(values, n, 0);
    if (!n) return;
    kl_plot_pen(cr, 2, 1, 1.6);
    kl_plot_line(cr, x - 9, kl_plot_axes_y(axes, t.mean), x + 9, kl_plot_axes_y(axes, t.mean));
    if (!kl_has_width(t.low, t.high)) return;
    const double ends[2] = { fmax(t.low, axes->y0), fmin(t.high, 1) };
    cairo_set_line_width(cr, 0.8);
    cairo_move_to(cr, x, kl_plot_axes_y(axes, ends[0]));
    cairo_line_to(cr, x, kl_plot_axes_y(axes, ends[1]));
    for (int k = 0; k < 2; k++) {
        if (ends[k] != (k ? t.high : t.low)) continue; /* it goes on */
        cairo_move_to(cr, x - 4, kl_plot_axes_y(axes, ends[k]));
        cairo_line_to(cr, x + 4, kl_plot_axes_y(axes, ends[k]));
    }
    cairo_stroke(cr);
}

static void draw_column(cairo_t *cr, const struct kl_axes *axes, const struct column *c, size_t k)
{
    double values[PEOPLE];
    const double x = kl_plot_axes_x(axes, (double)k);
    size_t n = 0;
    char text[80];
    for (size_t i = 0; i < c->n; i++) {
        if (!isfinite(c->accuracy[i])) continue;
        kl_plot_colour(cr, 1, 0.8);
        kl_plot_mark(cr, place_dot(axes, c, k, i), kl_plot_axes_y(axes, c->accuracy[i]), 1.8, KL_CIRCLE);
        values[n++] = c->accuracy[i];
    }
    draw_mean(cr, axes, x, values, n);
    kl_plot_colour(cr, 0, 1);
    snprintf(text, sizeof text, "%.60s%s", c->model, c->leak > 0 ? " (a leak)" : "");
    kl_plot_text_upwards(cr, x + 2.5, axes->top + axes->height + 5, 7, KL_RIGHT, 90, text);
}

/* Draw the accuracy of a guess if classes are equally frequent: one of so many. */
static void draw_chance(cairo_t *cr, const struct kl_axes *axes, size_t classes)
{
    const double chance = classes ? 1 / (double)classes : 0;
    const double y = kl_plot_axes_y(axes, chance);
    char text[40];
    if (!classes || chance < axes->y0) return;
    kl_plot_pen(cr, 0, 0.5, 0.6);
    kl_plot_dashed(cr, 1);
    kl_plot_line(cr, axes->left, y, axes->left + axes->width, y);
    kl_plot_dashed(cr, 0);
    snprintf(text, sizeof text, "1 of %zu classes", classes);
    kl_plot_black(cr, axes->left + axes->width + 4, y + 2, 6, KL_LEFT, text);
}

static void draw(cairo_t *cr, const struct column *columns, size_t n)
{
    char text[96];
    const struct kl_axes axes = { LEFT,   TOP,  fmax(34 * (double)n, 102),
                                  HEIGHT, -0.5, (double)n - 0.5,
                                  0,      1,    .whole_x = true };
    struct kl_axes shown = axes;
    shown.no_x_numbers = true;
    double low = columns[0].classes ? 1 / (double)columns[0].classes : 1;
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < columns[k].n; i++)
            if (isfinite(columns[k].accuracy[i])) low = fmin(low, columns[k].accuracy[i]);
    shown.y0 = fmax(0, floor(10 * low - 0.5) / 10), shown.y1 = 1.03;
    draw_chance(cr, &shown, columns[0].classes);
    kl_plot_axes_draw(cr, &shown, NULL, "accuracy");
    for (size_t i = 0; i < columns[0].n; i++) draw_person(cr, &shown, columns, n, i);
    for (size_t k = 0; k < n; k++) draw_column(cr, &shown, &columns[k], k);
    snprintf(text, sizeof text, "%zu people; a bar is their mean, with its 95 %% over people (t)",
             columns[0].n);
    kl_plot_black(cr, LEFT, TOP - 5, 7, KL_LEFT, text);
}

int kl_plot_people(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    struct column columns[MODELS] = { { 0 } };
    size_t n = 0;
    int code = KL_OK;
    for (size_t i = 0; i < inputs->n_files && n < MODELS && !code; i++)
        if (strcmp(kl_store_file_kind(inputs->files[i]), "sequence-report") == 0)
            code = load(&columns[n++], inputs->files[i], err);
    if (!code) draw(sheet->cr, columns, n);
    for (size_t k = 0; k < n; k++)
        free(columns[k].model), free(columns[k].names), free(columns[k].accuracy);
    return code;
}
