/* SPDX-License-Identifier: MIT
   What figures of windows share: loading, the channels that are shown, spectral densities. */
#include "plot/sequence/windows_view.h"

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

/* Names, and of each window the number of its own. */
static int load_owners(int32_t **owner, char **names, size_t *n_names, size_t *size,
                       const struct kl_windows_view *v, struct kl_file *file, const char *of,
                       struct kl_error *err)
{
    const struct kl_dataset *set;
    char name[40];
    snprintf(name, sizeof name, "%s_names", of);
    int code = kl_store_file_load_named((void **)names, &set, file, name, KL_TYPE_STRING, 1, err);
    if (!code) code = kl_store_file_load_shape((void **)owner, file, of, KL_TYPE_I32, 1, &v->n, err);
    if (code) return code;
    *n_names = set->dims[0], *size = set->item_size;
    for (size_t i = 0; i < v->n; i++)
        if ((*owner)[i] < 0 || (size_t)(*owner)[i] >= *n_names)
            return kl_fail(err, KL_EDATA, "%s: %s[%zu] is %d, expected 0 to %zu",
                           kl_store_file_path(file), of, i, (*owner)[i], *n_names - 1);
    return KL_OK;
}

static int load_whose(struct kl_windows_view *v, struct kl_file *file, struct kl_error *err)
{
    int code =
        load_owners(&v->subject, &v->people, &v->n_people, &v->person_size, v, file, "subject", err);
    if (!code)
        code = load_owners(&v->recording, &v->recordings, &v->n_recordings, &v->recording_size, v, file,
                           "recording", err);
    return code
               ? code
               : kl_store_file_load_shape((void **)&v->onset, file, "onset", KL_TYPE_F64, 1, &v->n, err);
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
    if (!code) code = load_whose(v, file, err);
    v->before = (int64_t)before, v->timed = v->rate > 0;
    if (!v->timed) v->rate = 1;
    return code ? code : check(v, file, err);
}

void kl_plot_windows_free(struct kl_windows_view *v)
{
    free(v->x), free(v->labels), free(v->class_names), free(v->channel_names), free(v->unit),
        free(v->positions), free(v->subject), free(v->recording), free(v->onset), free(v->people),
        free(v->recordings);
    *v = (struct kl_windows_view){ 0 };
}

void kl_plot_windows_whose(char text[3 * KL_NAME], const struct kl_windows_view *v)
{
    char first[KL_NAME], last[KL_NAME];
    kl_plot_name(first, v->people, v->n_people, v->person_size, 0);
    kl_plot_name(last, v->people, v->n_people, v->person_size, v->n_people - 1);
    if (v->n_people == 1) snprintf(text, 3 * KL_NAME, "%s", first);
    else snprintf(text, 3 * KL_NAME, "%zu people, %s to %s", v->n_people, first, last);
}

const char *kl_plot_windows_unit(const struct kl_windows_view *v)
{
    if (strcmp(v->unit, "1") == 0) return "";
    return strcmp(v->unit, "uV") == 0 ? "\xc2\xb5V" : v->unit;
}

size_t kl_plot_windows_count(const struct kl_windows_view *v, int32_t label)
{
    size_t n = 0;
    for (size_t i = 0; i < v->n; i++) n += label < 0 || v->labels[i] == label;
    return n;
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

struct kl_rgb kl_plot_diverging(double value)
{
    const double a = fmin(1, fabs(value));
    if (!isfinite(value)) return (struct kl_rgb){ 0.85, 0.85, 0.85 };
    if (value >= 0) return (struct kl_rgb){ 1 - 0.1 * a, 1 - 0.45 * a, 1 - 0.7 * a };
    return (struct kl_rgb){ 1 - 0.95 * a, 1 - 0.8 * a, 1 - 0.55 * a };
}

int kl_plot_field(cairo_t *cr, const struct kl_axes *into, const struct kl_rgb *colours, int w, int h,
                  bool smooth, struct kl_error *err)
{
    const int stride = cairo_format_stride_for_width(CAIRO_FORMAT_RGB24, w);
    unsigned char *bytes = malloc((size_t)stride * (size_t)h + 1);
    if (!bytes) return kl_fail_memory(err, (size_t)stride * (size_t)h);
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            const struct kl_rgb *c = &colours[y * w + x];
            ((uint32_t *)(bytes + (size_t)y * (size_t)stride))[x] =
                (uint32_t)(255 * c->red + 0.5) << 16 | (uint32_t)(255 * c->green + 0.5) << 8 |
                (uint32_t)(255 * c->blue + 0.5);
        }
    cairo_surface_t *picture =
        cairo_image_surface_create_for_data(bytes, CAIRO_FORMAT_RGB24, w, h, stride);
    kl_plot_axes_clip(cr, into);
    cairo_translate(cr, into->left, into->top);
    cairo_scale(cr, into->width / w, into->height / h);
    cairo_set_source_surface(cr, picture, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(cr),
                             smooth ? CAIRO_FILTER_BILINEAR : CAIRO_FILTER_NEAREST);
    cairo_pattern_set_extend(cairo_get_source(cr), CAIRO_EXTEND_PAD);
    cairo_paint(cr);
    cairo_restore(cr);
    cairo_surface_finish(picture);
    cairo_surface_destroy(picture);
    free(bytes);
    return KL_OK;
}
