/* SPDX-License-Identifier: MIT
   What the figures of device bits share: numbers, colours, legends, panels. */
#include "plot/qrng/bits_view.h"

#include <math.h>
#include <stdlib.h>

#include "store/store.h"

static const double LEFT = 44, TOP = 18, WIDTH = 176, HEIGHT = 120, ACROSS = 252, DOWN = 176;

static int load(void **data, size_t *width, const struct kl_bits_view *v, struct kl_file *file,
                const char *name, enum kl_type type, int rank, struct kl_error *err)
{
    const struct kl_dataset *set;
    int code = kl_store_file_expect(&set, file, name, type, rank, err);
    if (!code && (set->dims[0] != v->n_devices || (rank == 2 && *width && set->dims[1] != *width)))
        code = kl_fail(err, KL_EDATA, "%s: %s: expected %zu devices", kl_store_file_path(file), name,
                       v->n_devices);
    if (code) return code;
    if (rank == 2) *width = set->dims[1];
    return kl_store_file_load(data, file, set, err);
}

int kl_plot_bits_view_load(struct kl_bits_view *v, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *names;
    size_t one = 1, four = 4, ones = 0;
    *v = (struct kl_bits_view){ 0 };
    int code = kl_store_file_expect(&names, file, "class_names", KL_TYPE_STRING, 1, err);
    if (!code) code = kl_store_file_load((void **)&v->names, file, names, err);
    if (code) return code;
    v->n_devices = names->dims[0], v->name_size = names->item_size;
    const struct {
        void *data;
        size_t *width;
        const char *name;
        int rank;
        enum kl_type type;
    } sets[] = {
        { &v->rows, &one, "device_stats/rows", 1, KL_TYPE_I64 },
        { &v->ones, &ones, "device_stats/ones_histogram", 2, KL_TYPE_I64 },
        { &v->rate, &one, "device_stats/rate", 1, KL_TYPE_F64 },
        { &v->rate_se, &one, "device_stats/rate_se", 1, KL_TYPE_F64 },
        { &v->position, &v->n_bits, "device_stats/position_rate", 2, KL_TYPE_F64 },
        { &v->lag, &v->n_lags, "device_stats/autocorrelation", 2, KL_TYPE_F64 },
        { &v->lag_se, &v->n_lags, "device_stats/autocorrelation_se", 2, KL_TYPE_F64 },
        { &v->runs, &v->n_runs, "device_stats/run_lengths_per_row", 2, KL_TYPE_F64 },
        { &v->runs_se, &v->n_runs, "device_stats/run_lengths_per_row_se", 2, KL_TYPE_F64 },
        { &v->conditional, &four, "device_stats/transition_conditional", 2, KL_TYPE_F64 },
        { &v->conditional_se, &four, "device_stats/transition_conditional_se", 2, KL_TYPE_F64 },
    };
    for (size_t i = 0; i < sizeof sets / sizeof *sets && !code; i++)
        code = load(sets[i].data, sets[i].width, v, file, sets[i].name, sets[i].type, sets[i].rank, err);
    if (!code && (v->n_devices == 0 || ones != v->n_bits + 1))
        code = kl_fail(err, KL_EDATA, "%s: device_stats/ones_histogram: expected one more than bits",
                       kl_store_file_path(file));
    return code;
}

void kl_plot_bits_view_free(struct kl_bits_view *v)
{
    free(v->names), free(v->rows), free(v->ones), free(v->rate), free(v->rate_se), free(v->position);
    free(v->lag), free(v->lag_se), free(v->runs), free(v->runs_se);
    free(v->conditional), free(v->conditional_se);
}

void kl_plot_view_colour(cairo_t *cr, const struct kl_bits_view *v, size_t d, double alpha)
{
    if (v->n_devices < KL_N_COLOURS) kl_plot_colour(cr, (int)d + 1, alpha);
    else kl_plot_ramp(cr, d, v->n_devices, alpha);
}

void kl_plot_view_legend(cairo_t *cr, const struct kl_bits_view *v, const struct kl_axes *axes)
{
    char text[KL_NAME];
    for (size_t d = 0; d < v->n_devices && v->n_devices <= KL_VIEW_NAMED; d++) {
        kl_plot_name(text, v->names, v->n_devices, v->name_size, d);
        kl_plot_view_colour(cr, v, d, 1);
        kl_plot_text_within(cr, axes->left + axes->width + 4, axes->top + 6 + 9 * (double)d, 6.5,
                            KL_LEFT, 30, text);
    }
}

struct kl_axes kl_plot_view_panel(cairo_t *cr, int i, const char *title)
{
    const struct kl_axes axes = { .left = LEFT + i % 2 * ACROSS,
                                  .top = TOP + (double)(i / 2) * DOWN,
                                  .width = WIDTH,
                                  .height = HEIGHT,
                                  .y0 = INFINITY,
                                  .y1 = -INFINITY };
    kl_plot_colour(cr, 0, 1);
    kl_plot_text_within(cr, axes.left + WIDTH / 2, axes.top - 6, 7.5, KL_CENTRE, WIDTH + 40, title);
    return axes;
}

void kl_plot_view_caption(cairo_t *cr, const struct kl_axes *axes, const char *text)
{
    kl_plot_colour(cr, 0, 1);
    kl_plot_text_within(cr, axes->left + axes->width / 2, axes->top + axes->height + 32, 7, KL_CENTRE,
                        axes->width + 40, text);
}

void kl_plot_view_say_rows(cairo_t *cr, const struct kl_bits_view *v, const struct kl_axes *axes,
                           bool (*left_out)(const struct kl_bits_view *v, const struct kl_axes *axes,
                                            size_t ones),
                           const char *where)
{
    char text[80];
    int64_t out = 0, all = 0;
    for (size_t i = 0; i < v->n_devices * (v->n_bits + 1); i++) {
        all += v->ones[i];
        if (left_out(v, axes, i % (v->n_bits + 1))) out += v->ones[i];
    }
    snprintf(text, sizeof text, "%lld of %lld rows %s", (long long)out, (long long)all, where);
    if (out) kl_plot_view_caption(cr, axes, text);
}

void kl_plot_view_widen(struct kl_axes *axes, const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(values[i])) continue;
        axes->y0 = fmin(axes->y0, values[i]);
        axes->y1 = fmax(axes->y1, values[i]);
    }
}

void kl_plot_view_margin(struct kl_axes *axes)
{
    if (!(axes->y0 <= axes->y1)) axes->y0 = 0, axes->y1 = 1;
    const double range = axes->y1 - axes->y0;
    const double margin = range > 1e-9 ? fmax(0.06 * range, 1e-3 * fabs(axes->y1)) : 0.05;
    axes->y0 -= margin;
    axes->y1 += margin;
}

void kl_plot_view_name_place(cairo_t *cr, const struct kl_bits_view *v, const struct kl_axes *axes,
                             size_t d)
{
    char text[KL_NAME];
    if (v->n_devices > KL_VIEW_NAMED) return;
    kl_plot_name(text, v->names, v->n_devices, v->name_size, d);
    kl_plot_colour(cr, 0, 1);
    kl_plot_text_within(cr, kl_plot_axes_x(axes, (double)d + 1), axes->top + axes->height + 10, 6.5,
                        KL_CENTRE, 0.95 * axes->width / (double)v->n_devices, text);
}
