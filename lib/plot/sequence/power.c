/* SPDX-License-Identifier: MIT
   Power by frequency as Welch (1967) has it with one segment: a Hann window over all steps that are
   shown, so that the resolution is what they allow; the power of a band is the integral of that density.
 */
#include "plot/sequence/power.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

void kl_plot_power_of(double *density, struct kl_power *p, const struct kl_windows_view *v,
                      size_t window, const size_t *channels, size_t n)
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
            kl_plot_power_of(one, p, v, i, channels + c, some);
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
