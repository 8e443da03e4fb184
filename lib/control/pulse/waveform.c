/* SPDX-License-Identifier: MIT
   Waveforms: free numbers to the samples of a generator to the controls that the qubit sees, and back.
 */
#include "control/pulse/pulse_int.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/inline/waveform.h"

/* ---- the filter ----
   A low pass of the first order between a generator and a qubit, y' = (a - y) / tau, y(0) = 0, exact for
   samples that are held: ends and means of segments, and the adjoint of the means. */

void kl_control_low_pass_make(struct kl_control_low_pass *f, double tau, double dt)
{
    const double ratio = tau > 0 ? dt / tau : 0;
    *f = (struct kl_control_low_pass){ .decay = ratio > 0 ? exp(-ratio) : 0,
                                       .mean = ratio > 0 ? -expm1(-ratio) / ratio : 0 };
}

void kl_control_low_pass(double *means, double *ends, const struct kl_control_low_pass *f,
                         const double *samples, int n, int oversample, int row)
{
    for (int i = 0; i < row; i++) {
        double y = 0;
        for (int s = 0; s < n * oversample; s++) {
            const double a = samples[s / oversample * row + i];
            means[s * row + i] = kl_waveform_low_pass(&y, a, f->decay, f->mean);
            if (ends) ends[s * row + i] = y;
        }
    }
}

void kl_control_low_pass_back(double *back, const double *by_means, const struct kl_control_low_pass *f,
                              int n, int oversample, int row)
{
    for (int i = 0; i < row; i++) {
        double gy = 0; /* by y at the segment's end */
        for (int s = n * oversample - 1; s >= 0; s--)
            back[s / oversample * row + i] +=
                kl_waveform_low_pass_back(&gy, by_means[s * row + i], f->decay, f->mean);
    }
}

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
/* The pair of control k; NULL: it is alone. */
static const struct kl_control_modulus *pair_of(const struct kl_control_waveform *w, int k)
{
    for (int i = 0; i < w->n_moduli; i++)
        if (w->moduli[i].x == k || w->moduli[i].y == k) return &w->moduli[i];
    return NULL;
}
static int functions_of(const struct kl_control_waveform *w, int k)
{
    return w->constant[k] ? 1 : w->functions == KL_CONTROL_PIECEWISE ? w->samples : w->count;
}

/* Of a sample, from 0 to 1: its middle; with zero ends the first and the last sample are the ends. */
static double time_of(const struct kl_control_waveform *w, int s)
{
    return w->zero_ends ? (double)s / (w->samples - 1) : (s + 0.5) / w->samples;
}

int kl_control_waveform_make(struct kl_control_waveform *w, struct kl_error *err)
{
    const int least = w->functions == KL_CONTROL_SPLINES && !w->zero_ends ? 4
                      : w->functions == KL_CONTROL_SPLINES                ? 2
                                                                          : 1;
    const int most = w->samples - 2 * w->zero_ends;
    w->n = 0, w->values = NULL;
    if (w->zero_ends && w->samples < 3)
        return kl_fail(err, KL_EUSAGE, "--zero-ends: %d samples, expected at least 3", w->samples);
    if (w->functions != KL_CONTROL_PIECEWISE && (w->count < least || w->count > most))
        return kl_fail(err, KL_EUSAGE,
                       "--count: found %d functions of a control, expected %d to %d, the samples%s",
                       w->count, least, most, w->zero_ends ? " but the two that are 0" : "");
    for (int k = 0; k < w->controls; k++) {
        if (w->constant[k] && w->zero_ends)
            return kl_fail(err, KL_EUSAGE,
                           "--constant: a control that is constant can not have --zero-ends");
        if (w->constant[k] && pair_of(w, k))
            return kl_fail(
                err, KL_EUSAGE,
                "--constant: a control whose modulus with another is limited can not be constant");
        w->first[k] = w->n, w->n += functions_of(w, k);
    }
    w->first[w->controls] = w->n;
    if (w->functions == KL_CONTROL_PIECEWISE) return 0;
    w->values = malloc((size_t)(w->samples * w->count) * sizeof *w->values);
    if (!w->values) return kl_fail_memory(err, (size_t)(w->samples * w->count) * sizeof *w->values);
    for (int s = 0; s < w->samples; s++)
        for (int j = 0; j < w->count; j++)
            w->values[s * w->count + j] =
                w->zero_ends && (s == 0 || s == w->samples - 1) ? 0 : function(w, j, time_of(w, s));
    return 0;
}

void kl_control_waveform_free(struct kl_control_waveform *w)
{
    free(w->values);
    w->values = NULL;
}

bool kl_control_waveform_is_free(const struct kl_control_waveform *w)
{
    bool all = w->tau == 0 && w->oversample == 1 && w->slew == 0;
    for (int k = 0; k < w->controls; k++) all &= is_piecewise(w, k);
    return all;
}

bool kl_control_waveform_plain(const struct kl_control_waveform *w)
{
    return w->n_moduli == 0 && kl_control_waveform_is_free(w);
}

/* ---- the low pass ---- */
struct kl_control_low_pass kl_control_waveform_low_pass(const struct kl_control_waveform *w)
{
    struct kl_control_low_pass f;
    kl_control_low_pass_make(&f, w->tau, w->duration / (w->samples * w->oversample));
    return f;
}

/* u [samples * oversample][controls][lanes] of samples. */
static void filter(double *u, const struct kl_control_waveform *w, const double *samples, int lanes)
{
    const struct kl_control_low_pass f = kl_control_waveform_low_pass(w);
    kl_control_low_pass(u, NULL, &f, samples, w->samples, w->oversample, w->controls * lanes);
}
/* back += the adjoint of filter. */
static void filter_back(double *back, const double *gu, const struct kl_control_waveform *w, int lanes)
{
    const struct kl_control_low_pass f = kl_control_waveform_low_pass(w);
    kl_control_low_pass_back(back, gu, &f, w->samples, w->oversample, w->controls * lanes);
}
void kl_control_waveform_filter(double *u, const struct kl_control_waveform *w, const double *samples)
{
    filter(u, w, samples, 1);
}

/* ---- samples ---- */
void kl_control_waveform_range(double *middle, double *half, const struct kl_control_waveform *w, int k)
{
    const bool usual = w->low[k] == 0 && w->high[k] == 0;
    *half = usual ? 1 : (w->high[k] - w->low[k]) / 2;
    *middle = usual ? 0 : (w->high[k] + w->low[k]) / 2;
}

/* Between the limits of control k. */
static double bounded(const struct kl_control_waveform *w, int k, double v, double *slope)
{
    double middle, half;
    kl_control_waveform_range(&middle, &half, w, k);
    return kl_waveform_bounded(slope, v, middle, half);
}

static void disc_of(double to[2], double slope[2][2], const struct kl_control_waveform *w,
                    const double v[2])
{
    if (w->functions == KL_CONTROL_PIECEWISE) kl_waveform_disc_of_square(to, slope, v);
    else kl_waveform_disc_of_plane(to, slope, v);
}
/* The square's point of one of the disc; rounding may leave neither. */
static void square_of_disc(double v[2], const double at[2])
{
    for (int a = 0; a < 2; a++) {
        const double x = at[a], y = at[1 - a], base = 2 + x * x - y * y, twice = 2 * M_SQRT2 * x;
        const double u = (sqrt(fmax(base + twice, 0)) - sqrt(fmax(base - twice, 0))) / 2;
        v[a] = fmin(fmax(u, -1), 1);
    }
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

/* The value of sample s of control k: its own number, or the sum of its functions. */
static double number_of(const struct kl_control_waveform *w, int k, int s, const double *x, int lanes,
                        int l)
{
    return is_piecewise(w, k) ? x[(w->first[k] + s) * lanes + l] : sum_of(w, k, s, x, lanes, l);
}

static void play_pair(double *samples, const struct kl_control_waveform *w,
                      const struct kl_control_modulus *m, int s, const double *x, int lanes)
{
    for (int l = 0; l < lanes; l++) {
        const double v[2] = { number_of(w, m->x, s, x, lanes, l), number_of(w, m->y, s, x, lanes, l) };
        double at[2], slope[2][2];
        disc_of(at, slope, w, v);
        samples[(s * w->controls + m->x) * lanes + l] = at[0];
        samples[(s * w->controls + m->y) * lanes + l] = at[1];
    }
}

void kl_control_waveform_play(double *samples, double *u, const struct kl_control_waveform *w,
                              const double *x, int lanes)
{
    for (int s = 0; s < w->samples; s++)
        for (int k = 0; k < w->controls; k++) {
            const struct kl_control_modulus *pair = pair_of(w, k);
            if (pair && pair->x == k) play_pair(samples, w, pair, s, x, lanes);
            for (int l = 0; l < lanes && !pair; l++) {
                double *to = &samples[(s * w->controls + k) * lanes + l], slope;
                *to = is_piecewise(w, k) ? x[(w->first[k] + s) * lanes + l]
                                         : bounded(w, k, sum_of(w, k, s, x, lanes, l), &slope);
            }
        }
    filter(u, w, samples, lanes);
}

/* to [lanes], of the first number of control k: += what the derivative g by its number's value is. */
static void number_back(double *to, double g, const struct kl_control_waveform *w, int k, int s,
                        int lanes)
{
    if (is_piecewise(w, k)) to[s * lanes] += g;
    else
        for (int j = 0; j < w->count; j++) to[j * lanes] += w->values[s * w->count + j] * g;
}

static void pair_back(double *gx, const double *back, const struct kl_control_waveform *w,
                      const struct kl_control_modulus *m, int s, const double *x, int lanes)
{
    const int both[2] = { m->x, m->y };
    for (int l = 0; l < lanes; l++) {
        const double v[2] = { number_of(w, m->x, s, x, lanes, l), number_of(w, m->y, s, x, lanes, l) },
                     g[2] = { back[(s * w->controls + m->x) * lanes + l],
                              back[(s * w->controls + m->y) * lanes + l] };
        double at[2], slope[2][2];
        disc_of(at, slope, w, v);
        for (int b = 0; b < 2; b++)
            number_back(gx + w->first[both[b]] * lanes + l, slope[0][b] * g[0] + slope[1][b] * g[1], w,
                        both[b], s, lanes);
    }
}

/* gx += what the derivatives `back` by samples are by x. */
static void samples_back(double *gx, const double *back, const struct kl_control_waveform *w,
                         const double *x, int lanes)
{
    for (int s = 0; s < w->samples; s++)
        for (int k = 0; k < w->controls; k++) {
            const struct kl_control_modulus *pair = pair_of(w, k);
            if (pair && pair->x == k) pair_back(gx, back, w, pair, s, x, lanes);
            for (int l = 0; l < lanes && !pair; l++) {
                const double g = back[(s * w->controls + k) * lanes + l];
                double *to = gx + w->first[k] * lanes + l, slope;
                if (is_piecewise(w, k)) {
                    to[s * lanes] += g;
                    continue;
                }
                bounded(w, k, sum_of(w, k, s, x, lanes, l), &slope);
                if (w->constant[k]) *to += slope * g;
                else
                    for (int j = 0; j < w->count; j++)
                        to[j * lanes] += w->values[s * w->count + j] * slope * g;
            }
        }
}

void kl_control_waveform_back(double *gx, const double *gu, const struct kl_control_waveform *w,
                              const double *x, double *back, int lanes)
{
    filter_back(back, gu, w, lanes);
    samples_back(gx, back, w, x, lanes);
}

/* ---- slew ---- */
double kl_control_waveform_change(const struct kl_control_waveform *w)
{
    return w->slew * w->duration / w->samples;
}

void kl_control_waveform_slew(double *f, double *back, const struct kl_control_waveform *w,
                              const double *samples, int lanes)
{
    if (!(w->slew > 0)) return;
    for (int s = w->zero_ends ? 0 : 1; s < w->samples + w->zero_ends; s++)
        for (int k = 0; k < w->controls; k++) {
            const double most = kl_control_waveform_change(w);
            for (int l = 0; l < lanes; l++) {
                const int here = (s * w->controls + k) * lanes + l, before = here - w->controls * lanes;
                const double change =
                    (s < w->samples ? samples[here] : 0) - (s > 0 ? samples[before] : 0);
                double slope;
                f[l] += kl_waveform_slew(&slope, change, most);
                if (back && s < w->samples) back[here] += slope;
                if (back && s > 0) back[before] -= slope;
            }
        }
}

/* Both controls of a pair by one factor, which keeps their changes as slow as they are. */
static void shrink(double *samples, const struct kl_control_waveform *w,
                   const struct kl_control_modulus *m)
{
    double most = 1;
    for (int s = 0; s < w->samples; s++)
        most = fmax(most, hypot(samples[s * w->controls + m->x], samples[s * w->controls + m->y]));
    for (int s = 0; s < w->samples && most > 1; s++)
        samples[s * w->controls + m->x] /= most, samples[s * w->controls + m->y] /= most;
}

void kl_control_waveform_limit(double *samples, const struct kl_control_waveform *w)
{
    const int c = w->controls;
    if (!(w->slew > 0)) return;
    for (int k = 0; k < c; k++) {
        const double most = kl_control_waveform_change(w);
        const bool end = w->zero_ends; /* the last sample is 0, and stays so */
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
    for (int i = 0; i < w->n_moduli; i++) shrink(samples, w, &w->moduli[i]);
}

void kl_control_waveform_unplay(double *samples, const struct kl_control_waveform *w)
{
    for (int i = 0; i < w->n_moduli; i++)
        for (int s = 0; s < w->samples; s++) {
            double *x = &samples[s * w->controls + w->moduli[i].x],
                   *y = &samples[s * w->controls + w->moduli[i].y], v[2];
            square_of_disc(v, (const double[]){ *x, *y });
            *x = v[0], *y = v[1];
        }
}
