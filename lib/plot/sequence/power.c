/* SPDX-License-Identifier: MIT
   Power by frequency as Welch (1967) has it with one segment: a Hann window over all steps that are
   shown, so that the resolution is what they allow; the power of a band is the integral of that
   density. */
#include "plot/sequence/windows_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "kernels/fft.h"

enum { HALF = KL_FFT_ROW_F64 };

struct kl_windows_span kl_plot_windows_span(const struct kl_windows_view *v)
{
    const int64_t behind = (int64_t)v->steps - v->before;
    if (v->timed && v->before > 0 && behind >= KL_POWER_LEAST)
        return (struct kl_windows_span){ (size_t)v->before, (size_t)behind };
    return (struct kl_windows_span){ 0, v->steps };
}

bool kl_plot_windows_before(struct kl_windows_span *span, const struct kl_windows_view *v)
{
    const bool long_enough = v->timed && v->before >= KL_POWER_LEAST &&
                             (double)v->before >= KL_POWER_BASELINE * v->rate &&
                             v->before < (int64_t)v->steps;
    *span = (struct kl_windows_span){ 0, long_enough ? (size_t)v->before : 0 };
    return long_enough;
}

void kl_plot_windows_span_text(char text[KL_SPAN], const struct kl_windows_view *v,
                               struct kl_windows_span span)
{
    const double from = kl_plot_windows_time(v, (double)span.from),
                 to = kl_plot_windows_time(v, (double)(span.from + span.n - 1));
    snprintf(text, KL_SPAN, "%.3g to %.3g s after the event", from, to);
}

/* ---- one window ---- */
int kl_plot_power_open(struct kl_power *p, struct kl_windows_span span, double rate,
                       struct kl_error *err)
{
    double squares = 0;
    *p = (struct kl_power){ .span = span, .bins = span.n / 2 + 1, .step = rate / (double)span.n };
    p->plan = kl_fft_plan_f64(span.n, 0);
    p->hann = malloc((span.n + 1) * sizeof *p->hann);
    const size_t numbers = p->plan ? 2 * HALF * span.n + p->plan->work : 0;
    if (!p->plan || !p->hann || posix_memalign((void **)&p->data, 64, (numbers + 8) * sizeof *p->data)) {
        p->data = NULL;
        return kl_fail_memory(err, numbers * sizeof *p->data);
    }
    for (size_t t = 0; t < span.n; t++) {
        p->hann[t] = 0.5 - 0.5 * cos(2 * M_PI * (double)t / (double)span.n);
        squares += p->hann[t] * p->hann[t];
    }
    p->scale = 1 / (rate * squares);
    return KL_OK;
}

void kl_plot_power_close(struct kl_power *p)
{
    kl_fft_plan_free_f64(p->plan);
    free(p->hann), free(p->data);
    *p = (struct kl_power){ 0 };
}

/* Real signals k and k + HALF are the real and the imaginary part of lane k. */
static void lay(struct kl_power *p, const struct kl_windows_view *v, size_t window,
                const size_t *channels, size_t n)
{
    memset(p->data, 0, 2 * HALF * p->span.n * sizeof *p->data);
    for (size_t k = 0; k < n; k++) {
        const float *x = kl_plot_windows_at(v, window, channels[k]) + p->span.from;
        double mean = 0;
        for (size_t t = 0; t < p->span.n; t++) mean += (double)x[t] / (double)p->span.n;
        for (size_t t = 0; t < p->span.n; t++)
            p->data[2 * HALF * t + k] = p->hann[t] * ((double)x[t] - mean);
    }
}

/* One-sided density (n, bins), unit^2/Hz, of n channels (at most 16) of a window, each less its mean. */
static void power_of(double *density, struct kl_power *p, const struct kl_windows_view *v, size_t window,
                     const size_t *channels, size_t n)
{
    const size_t steps = p->span.n;
    lay(p, v, window, channels, n);
    kl_kernel_fft_f64()->forward(p->plan, p->data, p->data + 2 * HALF * steps);
    for (size_t b = 0; b < p->bins; b++) {
        const double *z = p->data + 2 * HALF * kl_fft_place_f64(p->plan, b),
                     *y = p->data + 2 * HALF * kl_fft_place_f64(p->plan, (steps - b) % steps);
        const double sides = b == 0 || 2 * b == steps ? 1 : 2;
        for (size_t k = 0; k < n; k++) {
            const size_t lane = k % HALF;
            const double re = k < HALF ? z[lane] + y[lane] : z[HALF + lane] + y[HALF + lane],
                         im = k < HALF ? z[HALF + lane] - y[HALF + lane] : y[lane] - z[lane];
            density[k * p->bins + b] = sides * p->scale * (re * re + im * im) / 4;
        }
    }
}

/* ---- means of classes ---- */
int kl_plot_class_densities(double *mean, struct kl_power *p, const struct kl_windows_view *v,
                            const size_t *channels, size_t n, struct kl_error *err)
{
    const size_t each = n * p->bins;
    double *one = malloc(2 * HALF * p->bins * sizeof *one);
    if (!one) return kl_fail_memory(err, 2 * HALF * p->bins * sizeof *one);
    memset(mean, 0, v->n_classes * each * sizeof *mean);
    for (size_t i = 0; i < v->n; i++) {
        if (v->labels[i] < 0) continue;
        const double windows = (double)kl_plot_windows_count(v, v->labels[i]);
        for (size_t c = 0; c < n; c += 2 * HALF) {
            const size_t some = n - c < 2 * HALF ? n - c : 2 * HALF;
            double *to = mean + (size_t)v->labels[i] * each + c * p->bins;
            power_of(one, p, v, i, channels + c, some);
            for (size_t k = 0; k < some * p->bins; k++) to[k] += one[k] / windows;
        }
    }
    free(one);
    return KL_OK;
}

/* ---- a band ---- */
static double at(const double *density, size_t bins, double step, double hertz)
{
    const double place = hertz / step;
    const size_t k = place < (double)(bins - 1) ? (size_t)place : bins - 1;
    return k + 1 < bins ? density[k] + (place - (double)k) * (density[k + 1] - density[k]) : density[k];
}

double kl_plot_band_power(const double *density, size_t bins, double step, double low, double high)
{
    double sum = 0, from = low, before = at(density, bins, step, low);
    for (size_t k = (size_t)floor(low / step) + 1; k < bins && (double)k * step < high; k++) {
        sum += ((double)k * step - from) * (before + density[k]) / 2;
        from = (double)k * step, before = density[k];
    }
    return sum + (high - from) * (before + at(density, bins, step, high)) / 2;
}

/* ---- laterality ----
   Which side an event-related desynchronisation lies on: moving or imagining a hand lowers the mu power
   over the opposite half (Pfurtscheller and Lopes da Silva 1999, doi:10.1016/S1388-2457(99)00141-8); the
   other way round, labels or channels are swapped. */

/* Does the name say this side, and not the other? */
static bool says(const char *name, const char *side, const char *other)
{
    return strcasestr(name, side) && !strcasestr(name, other);
}

static bool find_classes(struct kl_laterality *l, const struct kl_windows_view *v)
{
    char name[KL_NAME];
    size_t n_left = 0, n_right = 0;
    for (size_t c = 0; c < v->n_classes; c++) {
        kl_plot_name(name, v->class_names, v->n_classes, v->class_size, c);
        if (says(name, "left", "right")) l->left = c, n_left++;
        if (says(name, "right", "left")) l->right = c, n_right++;
    }
    return n_left == 1 && n_right == 1;
}

static bool find_channels(size_t channels[2], const struct kl_windows_view *v)
{
    static const char *const wanted[2] = { "C3", "C4" };
    char name[KL_NAME];
    int found = 0;
    for (size_t c = 0; c < v->channels; c++) {
        kl_plot_name(name, v->channel_names, v->channels, v->channel_size, c);
        for (int k = 0; k < 2; k++)
            if (strcasecmp(name, wanted[k]) == 0) channels[k] = c, found |= 1 << k;
    }
    return found == 3;
}

/* Means and squares about them of both classes; values: of all windows. */
static void compare(struct kl_laterality *l, const struct kl_windows_view *v, const double *values)
{
    double n[2] = { 0 }, square[2] = { 0 };
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < v->n; i++) {
            const bool left = v->labels[i] == (int32_t)l->left,
                       right = v->labels[i] == (int32_t)l->right;
            if ((!left && !right) || !isfinite(values[i])) continue;
            const double off = values[i] - l->decibel[right];
            if (!pass) n[right]++, l->decibel[right] += off / n[right];
            else square[right] += off * off;
        }
    const double error = square[0] / (n[0] * (n[0] - 1)) + square[1] / (n[1] * (n[1] - 1));
    l->known = n[0] > 1 && n[1] > 1 && error > 0;
    l->n = (size_t)(n[0] + n[1]);
    l->t = l->known ? (l->decibel[0] - l->decibel[1]) / sqrt(error) : NAN;
}

int kl_plot_laterality_find(struct kl_laterality *l, const struct kl_windows_view *v,
                            struct kl_error *err)
{
    struct kl_power p = { 0 };
    size_t channels[2];
    *l = (struct kl_laterality){ 0 };
    if (!v->timed || 0.5 * v->rate <= KL_MU_HIGH || !find_classes(l, v) || !find_channels(channels, v))
        return KL_OK;
    int code = kl_plot_power_open(&p, kl_plot_windows_span(v), v->rate, err);
    double *density = malloc(2 * p.bins * sizeof *density + 1),
           *values = malloc(v->n * sizeof *values + 1);
    if (!code && (!density || !values)) code = kl_fail_memory(err, v->n * sizeof *values);
    for (size_t i = 0; i < v->n && !code; i++) {
        power_of(density, &p, v, i, channels, 2);
        const double c3 = kl_plot_band_power(density, p.bins, p.step, KL_MU_LOW, KL_MU_HIGH),
                     c4 = kl_plot_band_power(density + p.bins, p.bins, p.step, KL_MU_LOW, KL_MU_HIGH);
        values[i] = c3 > 0 && c4 > 0 ? 10 * log10(c3 / c4) : NAN;
    }
    if (!code) compare(l, v, values);
    free(density), free(values);
    kl_plot_power_close(&p);
    return code;
}

void kl_plot_laterality_text(char text[KL_LATERALITY], const struct kl_laterality *l)
{
    *text = 0;
    if (!l->known) return;
    snprintf(text, KL_LATERALITY,
             "C3 over C4, 8 to 13 Hz: %+.1f dB left, %+.1f dB right (t %.1f, %zu windows): %s",
             l->decibel[0], l->decibel[1], l->t, l->n,
             l->t > 2    ? "contralateral, as a hand's desynchronisation lies"
             : l->t < -2 ? "on the hand's own side: labels or channels swapped?"
                         : "no lateralisation");
}
