/* SPDX-License-Identifier: MIT
   Waveforms: free numbers to the samples of a generator to the controls that the qubit sees, and back.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/pulse/pulse.h"

/* ---- functions ---- */
/* The cubic B-spline number i of `count` on clamped uniform knots over [0, 1] (de Boor 1978). */
static double knot(int i, int inner)
{
    return fmin(fmax((i - 3.0) / inner, 0), 1);
}
static double spline(int i, int degree, double t, int inner)
{
    const double from = knot(i, inner), to = knot(i + degree + 1, inner), next = knot(i + 1, inner),
                 before = knot(i + degree, inner);
    if (degree == 0) return t >= from && t < knot(i + 1, inner) ? 1 : 0;
    double sum = 0;
    if (before > from) sum += (t - from) / (before - from) * spline(i, degree - 1, t, inner);
    if (to > next) sum += (to - t) / (to - next) * spline(i + 1, degree - 1, t, inner);
    return sum;
}
static double function(const struct kl_control_waveform *w, int j, double t)
{
    if (w->functions == KL_CONTROL_SPLINES)
        /* Zero ends: without the first and the last, which alone are 1 there. */
        return w->zero_ends ? spline(j + 1, 3, t, w->count - 1) : spline(j, 3, t, w->count - 3);
    if (w->zero_ends) return sin(M_PI * (j + 1) * t);
    return j == 0 ? 1 : j % 2 ? sin(M_PI * (j + 1) * t) : cos(M_PI * j * t);
}

static bool is_piecewise(const struct kl_control_waveform *w, int k)
{
    return w->functions == KL_CONTROL_PIECEWISE && !w->constant[k];
}
static int functions_of(const struct kl_control_waveform *w, int k)
{
    return w->constant[k] ? 1 : w->functions == KL_CONTROL_PIECEWISE ? w->samples : w->count;
}

int kl_control_waveform_make(struct kl_control_waveform *w, struct kl_error *err)
{
    const int least = w->functions == KL_CONTROL_SPLINES && !w->zero_ends ? 4
                      : w->functions == KL_CONTROL_SPLINES                ? 2
                                                                          : 1;
    w->n = 0, w->values = NULL;
    if (w->functions != KL_CONTROL_PIECEWISE && (w->count < least || w->count > w->samples))
        return kl_fail(err, KL_EUSAGE,
                       "--count: found %d functions of a control, expected %d to %d, the samples",
                       w->count, least, w->samples);
    if (w->zero_ends && w->samples < 3)
        return kl_fail(err, KL_EUSAGE, "--zero-ends: %d samples, expected at least 3", w->samples);
    for (int k = 0; k < w->controls; k++) {
        if (w->constant[k] && w->zero_ends)
            return kl_fail(err, KL_EUSAGE,
                           "--constant: a control that is constant can not have --zero-ends");
        w->first[k] = w->n, w->n += functions_of(w, k);
    }
    w->first[w->controls] = w->n;
    if (w->functions == KL_CONTROL_PIECEWISE) return 0;
    w->values = malloc((size_t)(w->samples * w->count) * sizeof *w->values);
    if (!w->values) return kl_fail_memory(err, (size_t)(w->samples * w->count) * sizeof *w->values);
    for (int s = 0; s < w->samples; s++)
        for (int j = 0; j < w->count; j++)
            w->values[s * w->count + j] = function(w, j, (s + 0.5) / w->samples);
    return 0;
}

void kl_control_waveform_free(struct kl_control_waveform *w)
{
    free(w->values);
    w->values = NULL;
}

bool kl_control_waveform_plain(const struct kl_control_waveform *w)
{
    bool all = w->tau == 0 && w->oversample == 1 && w->slew == 0;
    for (int k = 0; k < w->controls; k++) all &= is_piecewise(w, k);
    return all;
}

/* ---- the low pass ---- */
static struct kl_control_low_pass low_pass_of(const struct kl_control_waveform *w)
{
    struct kl_control_low_pass f;
    kl_control_low_pass_make(&f, w->tau, w->duration / (w->samples * w->oversample));
    return f;
}

/* u [samples * oversample][controls][lanes] of samples. */
static void filter(double *u, const struct kl_control_waveform *w, const double *samples, int lanes)
{
    const struct kl_control_low_pass f = low_pass_of(w);
    kl_control_low_pass(u, NULL, &f, samples, w->samples, w->oversample, w->controls * lanes);
}
/* back += the adjoint of filter. */
static void filter_back(double *back, const double *gu, const struct kl_control_waveform *w, int lanes)
{
    const struct kl_control_low_pass f = low_pass_of(w);
    kl_control_low_pass_back(back, gu, &f, w->samples, w->oversample, w->controls * lanes);
}
void kl_control_waveform_filter(double *u, const struct kl_control_waveform *w, const double *samples)
{
    filter(u, w, samples, 1);
}

/* ---- samples ---- */
/* v / (1 + v^4)^(1/4) and its derivative. */
static double bounded(double v, double *slope)
{
    const double q = v * v * v * v, root = sqrt(sqrt(1 + q));
    *slope = 1 / (root * (1 + q));
    return v / root;
}

static double sum_of(const struct kl_control_waveform *w, int k, int s, const double *x, int lanes,
                     int l)
{
    if (w->constant[k]) return x[w->first[k] * lanes + l];
    double v = 0;
    for (int j = 0; j < w->count; j++)
        v += w->values[s * w->count + j] * x[(w->first[k] + j) * lanes + l];
    return v;
}

void kl_control_waveform_play(double *samples, double *u, const struct kl_control_waveform *w,
                              const double *x, int lanes)
{
    for (int s = 0; s < w->samples; s++)
        for (int k = 0; k < w->controls; k++)
            for (int l = 0; l < lanes; l++) {
                double *to = &samples[(s * w->controls + k) * lanes + l], slope;
                *to = is_piecewise(w, k) ? x[(w->first[k] + s) * lanes + l]
                                         : bounded(sum_of(w, k, s, x, lanes, l), &slope);
            }
    filter(u, w, samples, lanes);
}

/* gx += what the derivatives `back` by samples are by x. */
static void samples_back(double *gx, const double *back, const struct kl_control_waveform *w,
                         const double *x, int lanes)
{
    for (int s = 0; s < w->samples; s++)
        for (int k = 0; k < w->controls; k++)
            for (int l = 0; l < lanes; l++) {
                const double g = back[(s * w->controls + k) * lanes + l];
                double *to = gx + w->first[k] * lanes + l, slope;
                if (is_piecewise(w, k)) {
                    to[s * lanes] += g;
                    continue;
                }
                bounded(sum_of(w, k, s, x, lanes, l), &slope);
                if (w->constant[k]) *to += slope * g;
                else
                    for (int j = 0; j < w->count; j++)
                        to[j * lanes] += w->values[s * w->count + j] * slope * g;
            }
}

void kl_control_waveform_back(double *gx, const double *gu, const struct kl_control_waveform *w,
                              const double *x, double *back, int lanes)
{
    filter_back(back, gu, w, lanes);
    samples_back(gx, back, w, x, lanes);
}

/* ---- slew ---- */
/* The largest change from a sample to the next. */
static double largest_change(const struct kl_control_waveform *w)
{
    return w->slew * w->duration / w->samples;
}
/* How much the square of a change beyond it costs. */
static const double slew_cost = 30;

void kl_control_waveform_slew(double *f, double *back, const struct kl_control_waveform *w,
                              const double *samples, int lanes)
{
    if (!(w->slew > 0)) return;
    for (int s = w->zero_ends ? 0 : 1; s < w->samples + w->zero_ends; s++)
        for (int k = 0; k < w->controls; k++) {
            const double most = largest_change(w);
            for (int l = 0; l < lanes; l++) {
                const int here = (s * w->controls + k) * lanes + l, before = here - w->controls * lanes;
                const double change =
                                 (s < w->samples ? samples[here] : 0) - (s > 0 ? samples[before] : 0),
                             over = fabs(change) - most;
                if (!(over > 0)) continue;
                const double slope = 2 * slew_cost * over * (change > 0 ? 1 : -1);
                f[l] += slew_cost * over * over;
                if (back && s < w->samples) back[here] += slope;
                if (back && s > 0) back[before] -= slope;
            }
        }
}

void kl_control_waveform_limit(double *samples, const struct kl_control_waveform *w)
{
    const int c = w->controls;
    if (!(w->slew > 0)) return;
    for (int k = 0; k < c; k++) {
        const double most = largest_change(w);
        const bool end = w->zero_ends && is_piecewise(w, k); /* the last sample is 0, and stays so */
        double last = 0;
        for (int s = 0; s < w->samples - end; s++) {
            double *a = &samples[s * c + k];
            if (s > 0 || w->zero_ends) *a = fmin(fmax(*a, last - most), last + most);
            last = *a;
        }
        last = 0;
        for (int s = w->samples - 1; s >= 0; s--) {
            double *a = &samples[s * c + k];
            if (s < w->samples - 1 || w->zero_ends) *a = fmin(fmax(*a, last - most), last + most);
            last = *a;
        }
    }
}
