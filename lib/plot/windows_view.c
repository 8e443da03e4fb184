/* SPDX-License-Identifier: MIT
   What figures of windows share: loading, the channels that are shown, spectral densities. */
#include "plot/windows_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "store/store.h"

static int load_positions(struct kl_windows_view *v, struct kl_file *file, struct kl_error *err)
{
    const size_t shape[2] = { v->channels, 2 };
    if (!kl_store_file_find(file, "channel_positions")) return KL_OK;
    const int code = kl_store_file_load_shape((void **)&v->positions, file, "channel_positions",
                                              KL_TYPE_F64, 2, shape, err);
    size_t known = 0;
    for (size_t c = 0; !code && c < v->channels; c++)
        known += isfinite(v->positions[2 * c]) && isfinite(v->positions[2 * c + 1]);
    if (!code && known >= 3) return KL_OK;
    free(v->positions);
    v->positions = NULL;
    return code;
}

static int check(const struct kl_windows_view *v, const struct kl_file *file, struct kl_error *err)
{
    for (size_t i = 0; i < v->n; i++)
        if (v->labels[i] < -1 || (v->labels[i] >= 0 && (size_t)v->labels[i] >= v->n_classes))
            return kl_fail(err, KL_EDATA, "%s: labels[%zu] is %d, expected -1 to %zu",
                           kl_store_file_path(file), i, v->labels[i], v->n_classes - 1);
    return v->n && v->channels && v->steps
               ? KL_OK
               : kl_fail(err, KL_EDATA, "%s: no windows", kl_store_file_path(file));
}

int kl_plot_windows_load(struct kl_windows_view *v, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *x, *classes, *channels;
    double before = 0;
    *v = (struct kl_windows_view){ 0 };
    int code = kl_store_file_expect(&x, file, "x", KL_TYPE_F32, 3, err);
    if (!code) code = kl_store_file_expect(&classes, file, "class_names", KL_TYPE_STRING, 1, err);
    if (!code) code = kl_store_file_expect(&channels, file, "channel_names", KL_TYPE_STRING, 1, err);
    if (code) return code;
    v->n = x->dims[0], v->channels = x->dims[1], v->steps = x->dims[2], v->n_classes = classes->dims[0];
    v->class_size = classes->item_size, v->channel_size = channels->item_size;
    if (channels->dims[0] != v->channels)
        return kl_fail(err, KL_EDATA, "%s: %zu channel_names, expected %zu", kl_store_file_path(file),
                       channels->dims[0], v->channels);
    code = kl_store_file_load_shape((void **)&v->labels, file, "labels", KL_TYPE_I32, 1, &v->n, err);
    if (!code) code = kl_store_file_load((void **)&v->x, file, x, err);
    if (!code) code = kl_store_file_load((void **)&v->class_names, file, classes, err);
    if (!code) code = kl_store_file_load((void **)&v->channel_names, file, channels, err);
    if (!code) code = kl_store_file_number(&v->rate, file, "", "rate", err);
    if (!code) code = kl_store_file_number(&before, file, "", "steps_before", err);
    if (!code) code = kl_store_file_text(&v->unit, file, "", "unit", err);
    if (!code) code = load_positions(v, file, err);
    v->before = (int64_t)before, v->timed = v->rate > 0;
    if (!v->timed) v->rate = 1;
    return code ? code : check(v, file, err);
}

void kl_plot_windows_free(struct kl_windows_view *v)
{
    free(v->x), free(v->labels), free(v->class_names), free(v->channel_names), free(v->unit),
        free(v->positions);
    *v = (struct kl_windows_view){ 0 };
}

static bool listed(const size_t *list, size_t n, size_t channel)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == channel) return true;
    return false;
}

static int rising(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

size_t kl_plot_windows_channels(size_t *list, size_t most, const struct kl_windows_view *v)
{
    static const char *const wanted[] = { "C3", "C4", "CZ" };
    char name[KL_NAME];
    size_t n = 0;
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
        for (size_t c = 0; c < v->channels && n < most; c++) {
            kl_plot_name(name, v->channel_names, v->channels, v->channel_size, c);
            if (strcasecmp(name, wanted[k]) == 0 && !listed(list, n, c)) list[n++] = c;
        }
    const size_t all = v->channels < most ? v->channels : most;
    for (size_t k = 0; k < all && n < all; k++) {
        const size_t c = k * v->channels / all;
        if (!listed(list, n, c)) list[n++] = c;
    }
    for (size_t c = 0; c < v->channels && n < all; c++)
        if (!listed(list, n, c)) list[n++] = c;
    qsort(list, n, sizeof *list, rising);
    return n;
}

double kl_plot_windows_density(const struct kl_windows_view *v, size_t window, size_t channel,
                               size_t from, size_t n, double hertz)
{
    const float *x = kl_plot_windows_at(v, window, channel) + from;
    double mean = 0, re = 0, im = 0, squares = 0;
    for (size_t t = 0; t < n; t++) mean += (double)x[t] / (double)n;
    for (size_t t = 0; t < n; t++) {
        const double angle = 2 * M_PI * hertz * (double)t / v->rate;
        const double hann = 0.5 - 0.5 * cos(2 * M_PI * ((double)t + 0.5) / (double)n);
        re += hann * ((double)x[t] - mean) * cos(angle);
        im += hann * ((double)x[t] - mean) * sin(angle);
        squares += hann * hann;
    }
    return 2 * (re * re + im * im) / (v->rate * squares);
}
