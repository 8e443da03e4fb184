/* SPDX-License-Identifier: MIT
   Sweeps: accuracy over one axis or two, and what its points are called. */
#include "plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "train/sweep.h"

enum { KL_SWEEP_LABEL = 512 };

/* The option that begins at or behind text, up to the next blank; NULL: there is none. */
static const char *next_option(const char *text, size_t *length)
{
    text += strspn(text, " ");
    *length = strcspn(text, " ");
    return *length ? text : NULL;
}

static bool has_option(const char *name, const char *option, size_t length)
{
    size_t own;
    for (const char *at = name; (at = next_option(at, &own)); at += own)
        if (own == length && strncmp(at, option, length) == 0) return true;
    return false;
}

static void append(char label[KL_SWEEP_LABEL], const char *option, size_t length)
{
    const size_t used = strlen(label);
    snprintf(label + used, KL_SWEEP_LABEL - used, "%s%.*s", used ? " " : "", (int)length, option);
}

/* Names "lr=1e-3 layers=2" of n rows without the options that all of them have, which go to `shared`; a
   row alone keeps its own. */
static void sweep_labels(char (*labels)[KL_SWEEP_LABEL], char shared[KL_SWEEP_LABEL],
                         const char (*names)[KL_SWEEP_LABEL], size_t n)
{
    size_t length;
    shared[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        labels[i][0] = '\0';
        for (const char *at = names[i]; (at = next_option(at, &length)); at += length) {
            size_t having = 0;
            for (size_t k = 0; k < n; k++) having += has_option(names[k], at, length);
            if (having < n || n == 1) append(labels[i], at, length);
            else if (i == 0) append(shared, at, length);
        }
    }
}

/* Are two of them the same where there is so much room? */
static bool sweep_labels_collide(cairo_t *cr, double size, double room,
                                 const char (*labels)[KL_SWEEP_LABEL], size_t n)
{
    char one[KL_TEXT], other[KL_TEXT];
    for (size_t i = 0; i < n; i++) {
        kl_plot_text_cut(one, cr, size, room, labels[i]);
        for (size_t k = 0; k < i; k++) {
            kl_plot_text_cut(other, cr, size, room, labels[k]);
            if (strcmp(one, other) == 0) return true;
        }
    }
    return false;
}

/* ---- sweep figure ----
   Points of a sweep, best first: what each model scored on validation samples, an accuracy, a loss or
   what else its stage compares by, and the mean of the point. A point with a model that diverged has no
   mean; such points are counted. */

enum { MOST = 24 };
static const double HEIGHT = 240, SIZE = 6, EPOCHS = 42;

struct table {
    struct kl_sweep sweep;
    size_t *order;
    size_t n;         /* points that have a mean: the first so many of the order */
    bool uneven;      /* their epochs differ: halving, an early stop, a grid of epochs */
    const char *what; /* a point is so many of: "head" */
};

static void table_free(struct table *t)
{
    kl_train_sweep_free(&t->sweep), free(t->order);
}

static const struct kl_sweep_row *row_of(const struct table *t, size_t place)
{
    return &t->sweep.rows[t->order[place]];
}

/* The order of the means, as in the table; points without a number are not drawn. */
static int load(struct table *t, struct kl_file *file, struct kl_error *err)
{
    const int code = kl_train_sweep_load(&t->sweep, file, err);
    if (code) return code;
    t->what = kl_store_file_has_attribute(file, "", "of") ? "model" : "head";
    t->order = malloc((t->sweep.n + 1) * sizeof *t->order);
    if (!t->order) return kl_fail_memory(err, t->sweep.n * sizeof *t->order);
    kl_train_sweep_order(t->order, &t->sweep);
    while (t->n < t->sweep.n && isfinite(kl_train_sweep_mean(&t->sweep, t->order[t->n], 0))) t->n++;
    for (size_t k = 1; k < t->n; k++)
        t->uneven = t->uneven || row_of(t, k)->epochs != row_of(t, 0)->epochs;
    return KL_OK;
}

/* The labels beside the rows that are drawn. */
struct labels {
    char of[MOST][KL_SWEEP_LABEL], shared[KL_SWEEP_LABEL];
    double room;   /* of a label */
    bool numbered; /* they would be the same, cut to this */
};

/* Returns how far right they reach: as far as they need, up to two thirds of the sheet. */
static double place_labels(struct labels *l, cairo_t *cr, const struct table *t, size_t shown)
{
    enum { MOST_ROOM = 310 };
    char names[MOST][KL_SWEEP_LABEL];
    for (size_t k = 0; k < shown; k++) snprintf(names[k], KL_SWEEP_LABEL, "%s", row_of(t, k)->name);
    sweep_labels(l->of, l->shared, (const char(*)[KL_SWEEP_LABEL])names, shown);
    l->room = 0;
    for (size_t k = 0; k < shown; k++)
        l->room = fmax(l->room, ceil(kl_plot_text_width(cr, SIZE, l->of[k])));
    l->room = fmin(l->room, MOST_ROOM - (t->uneven ? EPOCHS : 0));
    l->numbered = sweep_labels_collide(cr, SIZE, l->room, (const char(*)[KL_SWEEP_LABEL])l->of, shown);
    for (size_t k = 0; k < shown && l->numbered; k++) {
        snprintf(names[k], KL_SWEEP_LABEL, "%.500s", l->of[k]);
        snprintf(l->of[k], KL_SWEEP_LABEL, "%zu. %.500s", k + 1, names[k]);
    }
    return 5 + l->room + (t->uneven ? EPOCHS : 0);
}

/* Left of the axes: the point's label, and behind it its epochs where points had more and fewer. */
static void draw_label(cairo_t *cr, const struct kl_axes *axes, const struct table *t,
                       const struct labels *l, size_t place, double y)
{
    const double x = axes->left - 5;
    const int64_t epochs = row_of(t, place)->epochs;
    char text[KL_NAME];
    kl_plot_black_within(cr, x - (t->uneven ? EPOCHS : 0), y, SIZE, KL_RIGHT, l->room, l->of[place]);
    if (!t->uneven) return;
    snprintf(text, sizeof text, "%lld epoch%s", (long long)epochs, kl_s((uint64_t)epochs));
    kl_plot_text_within(cr, x, y, SIZE, KL_RIGHT, EPOCHS - 4, text);
}

static void draw_point(cairo_t *cr, const struct kl_axes *axes, const struct table *t,
                       const struct labels *l, size_t place, double row)
{
    const double y = axes->top + row * ((double)place + 0.5),
                 x = kl_plot_axes_x(axes, kl_train_sweep_mean(&t->sweep, t->order[place], 0));
    kl_plot_colour(cr, 0, 0.15);
    kl_plot_line(cr, axes->left, y, axes->left + axes->width, y);
    for (size_t r = 0; r < t->sweep.replicas && t->sweep.replicas > 1; r++) {
        kl_plot_colour(cr, 1, 0.5);
        kl_plot_mark(cr, kl_plot_axes_x(axes, row_of(t, place)->judged[0][r]), y, 1.6, KL_CIRCLE);
    }
    kl_plot_colour(cr, 2, 1);
    kl_plot_fill(cr, x - 1, y - 3.5, 2, 7);
    draw_label(cr, axes, t, l, place, y + 2.2);
}

/* Above the axes: how many of the points are drawn, and the options that all of these have. */
static void draw_head(cairo_t *cr, const struct kl_axes *axes, const struct table *t,
                      const struct labels *l, size_t shown)
{
    const double right = axes->left + axes->width;
    char text[KL_SWEEP_LABEL + 16];
    size_t used =
        (size_t)snprintf(text, sizeof text, "%zu of %zu point%s; ", shown, t->sweep.n, kl_s(t->sweep.n));
    if (t->n < t->sweep.n)
        used += (size_t)snprintf(text + used, sizeof text - used, "%zu diverged; ", t->sweep.n - t->n);
    snprintf(text + used, sizeof text - used, "mean (bar) of %zu %s%s", t->sweep.replicas, t->what,
             kl_s(t->sweep.replicas));
    kl_plot_text(cr, right, 10, 7, KL_RIGHT, text);
    snprintf(text, sizeof text, "all rows: %s", l->shared);
    if (*l->shared) kl_plot_text_within(cr, right, 20, 7, KL_RIGHT, right - 5, text);
}

/* "validation accuracy", "validation loss, less is better" */
static void label_axis(char label[KL_NAME], const struct table *t)
{
    const char *words = t->sweep.by.row[0].label;
    const bool validation = strncmp(words, "val ", 4) == 0;
    snprintf(label, KL_NAME, "%s%.40s%s", validation ? "validation " : "", words + (validation ? 4 : 0),
             t->sweep.by.row[0].higher ? "" : ", less is better");
}

static void draw(cairo_t *cr, const struct table *t)
{
    char label[KL_NAME];
    const size_t shown = t->n < MOST ? t->n : MOST;
    const double row = fmin(20, HEIGHT / (double)shown);
    struct labels l;
    struct kl_axes axes = {
        place_labels(&l, cr, t, shown) + 5, 0, 0, 0, .x0 = INFINITY, .x1 = -INFINITY, .y1 = 1
    };
    axes.top = *l.shared ? 28 : 18;
    axes.width = fmin(240, 495 - axes.left);
    axes.height = row * (double)shown;
    for (size_t k = 0; k < shown * t->sweep.replicas; k++) {
        const double value = row_of(t, k / t->sweep.replicas)->judged[0][k % t->sweep.replicas];
        axes.x0 = fmin(axes.x0, value), axes.x1 = fmax(axes.x1, value);
    }
    const double margin = fmax(0.04 * (axes.x1 - axes.x0), 0.002);
    axes.x0 -= margin, axes.x1 += margin;
    for (size_t k = 0; k < shown; k++) draw_point(cr, &axes, t, &l, k, row);
    label_axis(label, t);
    kl_plot_axes_draw_x(cr, &axes, label);
    draw_head(cr, &axes, t, &l, shown);
}

int kl_plot_sweep(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    struct table t = { 0 };
    int code = load(&t, inputs->file, err);
    if (!code && t.n == 0)
        code = kl_fail(err, KL_EDATA, "%s: no point has a %s that is a number",
                       kl_store_file_path(inputs->file), t.sweep.by.row[0].label);
    if (!code) draw(sheet->cr, &t);
    table_free(&t);
    return code;
}
