/* SPDX-License-Identifier: MIT
   Points of a sweep, best first: each head's validation accuracy and the mean of the point. A point with
   a head that diverged has no mean; such points are counted. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"
#include "plot/head/sweep_labels.h"
#include "store/store.h"

enum { MOST = 24 };
static const double HEIGHT = 240, SIZE = 6, EPOCHS = 42;

struct table {
    char *names;
    double *accuracy, *losses;
    struct kl_judgement *means;
    int64_t *epochs; /* that each point was trained */
    bool uneven;     /* these differ: halving, an early stop, a grid of epochs */
    size_t *order;
    size_t n, replicas, n_names, name_size;
};

static void table_free(struct table *t)
{
    free(t->names), free(t->accuracy), free(t->losses);
    free(t->means), free(t->epochs), free(t->order);
}

/* Names, accuracies, losses, epochs. */
static int load_columns(struct table *t, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *d, *losses, *points, *epochs;
    int code = kl_store_file_expect(&d, file, "val_accuracy", KL_TYPE_F64, 2, err);
    if (!code) code = kl_store_file_expect(&losses, file, "val_loss", KL_TYPE_F64, 2, err);
    if (!code) code = kl_store_file_expect(&points, file, "point", KL_TYPE_STRING, 1, err);
    if (!code) code = kl_store_file_expect(&epochs, file, "epochs", KL_TYPE_I64, 1, err);
    if (!code && (points->dims[0] != d->dims[0] || epochs->dims[0] != d->dims[0] || d->dims[1] == 0))
        code = kl_fail(err, KL_EDATA, "%s: %zu points, but %zu rows of accuracies and %zu of epochs",
                       kl_store_file_path(file), points->dims[0], d->dims[0], epochs->dims[0]);
    if (!code && (losses->dims[0] != d->dims[0] || losses->dims[1] != d->dims[1]))
        code =
            kl_fail(err, KL_EDATA, "%s: %zu x %zu losses, but %zu x %zu accuracies",
                    kl_store_file_path(file), losses->dims[0], losses->dims[1], d->dims[0], d->dims[1]);
    if (!code) code = kl_store_file_load((void **)&t->accuracy, file, d, err);
    if (!code) code = kl_store_file_load((void **)&t->losses, file, losses, err);
    if (!code) code = kl_store_file_load((void **)&t->names, file, points, err);
    if (!code) code = kl_store_file_load((void **)&t->epochs, file, epochs, err);
    if (code) return code;
    t->n = d->dims[0], t->replicas = d->dims[1], t->name_size = points->item_size;
    t->n_names = points->dims[0];
    return KL_OK;
}

/* The order of the means, as in the table; points without a number are not drawn. */
static int load(struct table *t, struct kl_file *file, struct kl_error *err)
{
    const int code = load_columns(t, file, err);
    if (code) return code;
    t->means = calloc(t->n + 1, sizeof *t->means);
    t->order = malloc((t->n + 1) * sizeof *t->order);
    if (!t->means || !t->order) return kl_fail_memory(err, t->n * sizeof *t->means);
    size_t kept = 0;
    for (size_t i = 0; i < t->n; i++) {
        t->means[i] = (struct kl_judgement){ kl_stats_mean(t->accuracy + i * t->replicas, t->replicas),
                                             kl_stats_mean(t->losses + i * t->replicas, t->replicas) };
        if (!isfinite(t->means[i].accuracy)) continue;
        size_t k = kept++;
        for (; k > 0 && kl_stats_comes_before(t->means[i], t->means[t->order[k - 1]]); k--)
            t->order[k] = t->order[k - 1];
        t->order[k] = i;
        t->uneven = t->uneven || t->epochs[i] != t->epochs[t->order[0]];
    }
    t->n = kept;
    return KL_OK;
}

/* What stands beside the rows that are drawn. */
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
    for (size_t k = 0; k < shown; k++)
        snprintf(names[k], KL_SWEEP_LABEL, "%.*s", (int)t->name_size,
                 t->names + t->order[k] * t->name_size);
    kl_plot_sweep_labels(l->of, l->shared, (const char(*)[KL_SWEEP_LABEL])names, shown);
    l->room = 0;
    for (size_t k = 0; k < shown; k++)
        l->room = fmax(l->room, ceil(kl_plot_text_width(cr, SIZE, l->of[k])));
    l->room = fmin(l->room, MOST_ROOM - (t->uneven ? EPOCHS : 0));
    l->numbered =
        kl_plot_sweep_labels_collide(cr, SIZE, l->room, (const char(*)[KL_SWEEP_LABEL])l->of, shown);
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
    const int64_t epochs = t->epochs[t->order[place]];
    char text[KL_NAME];
    kl_plot_colour(cr, 0, 1);
    kl_plot_text_within(cr, x - (t->uneven ? EPOCHS : 0), y, SIZE, KL_RIGHT, l->room, l->of[place]);
    if (!t->uneven) return;
    snprintf(text, sizeof text, "%lld epoch%s", (long long)epochs, kl_s((uint64_t)epochs));
    kl_plot_text_within(cr, x, y, SIZE, KL_RIGHT, EPOCHS - 4, text);
}

static void draw_point(cairo_t *cr, const struct kl_axes *axes, const struct table *t,
                       const struct labels *l, size_t place, double row)
{
    size_t i = t->order[place];
    double y = axes->top + row * ((double)place + 0.5), x = kl_plot_axes_x(axes, t->means[i].accuracy);
    kl_plot_colour(cr, 0, 0.15);
    cairo_move_to(cr, axes->left, y);
    cairo_line_to(cr, axes->left + axes->width, y);
    cairo_stroke(cr);
    for (size_t r = 0; r < t->replicas && t->replicas > 1; r++) {
        kl_plot_colour(cr, 1, 0.5);
        kl_plot_mark(cr, kl_plot_axes_x(axes, t->accuracy[i * t->replicas + r]), y, 1.6, KL_CIRCLE);
    }
    kl_plot_colour(cr, 2, 1);
    cairo_rectangle(cr, x - 1, y - 3.5, 2, 7);
    cairo_fill(cr);
    draw_label(cr, axes, t, l, place, y + 2.2);
}

/* Above the axes: how many of the points are drawn, and the options that all of these have. */
static void draw_head(cairo_t *cr, const struct kl_axes *axes, const struct table *t,
                      const struct labels *l, size_t shown)
{
    const double right = axes->left + axes->width;
    char text[KL_SWEEP_LABEL + 16];
    size_t used =
        (size_t)snprintf(text, sizeof text, "%zu of %zu point%s; ", shown, t->n_names, kl_s(t->n_names));
    if (t->n < t->n_names)
        used += (size_t)snprintf(text + used, sizeof text - used, "%zu diverged; ", t->n_names - t->n);
    snprintf(text + used, sizeof text - used, "mean (bar) of %zu head%s", t->replicas,
             kl_s(t->replicas));
    kl_plot_text(cr, right, 10, 7, KL_RIGHT, text);
    snprintf(text, sizeof text, "all rows: %s", l->shared);
    if (*l->shared) kl_plot_text_within(cr, right, 20, 7, KL_RIGHT, right - 5, text);
}

static void draw(cairo_t *cr, const struct table *t)
{
    const size_t shown = t->n < MOST ? t->n : MOST;
    const double row = fmin(20, HEIGHT / (double)shown);
    struct labels l;
    struct kl_axes axes = {
        .left = place_labels(&l, cr, t, shown) + 5, .x0 = INFINITY, .x1 = -INFINITY, .y1 = 1
    };
    axes.top = *l.shared ? 28 : 18;
    axes.width = fmin(240, 495 - axes.left);
    axes.height = row * (double)shown;
    for (size_t k = 0; k < shown * t->replicas; k++) {
        const double a = t->accuracy[t->order[k / t->replicas] * t->replicas + k % t->replicas];
        axes.x0 = fmin(axes.x0, a), axes.x1 = fmax(axes.x1, a);
    }
    const double margin = fmax(0.04 * (axes.x1 - axes.x0), 0.002);
    axes.x0 -= margin, axes.x1 += margin;
    for (size_t k = 0; k < shown; k++) draw_point(cr, &axes, t, &l, k, row);
    kl_plot_axes_draw_x(cr, &axes, "validation accuracy");
    draw_head(cr, &axes, t, &l, shown);
}

int kl_plot_sweep(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    struct table t = { 0 };
    int code = load(&t, inputs->file, err);
    if (!code && t.n == 0)
        code = kl_fail(err, KL_EDATA, "%s: no point has an accuracy", kl_store_file_path(inputs->file));
    if (!code) draw(sheet->cr, &t);
    table_free(&t);
    return code;
}
