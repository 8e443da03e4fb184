/* SPDX-License-Identifier: MIT
   Power by frequency of windows, as SciPy's welch has it with one segment (scipy.signal.welch(x, rate,
   "hann", nperseg=n)). */
#ifndef KL_PLOT_POWER_H
#define KL_PLOT_POWER_H

#include "kernels/fft.h"
#include "plot/sequence/windows_view.h"

/* The band of figures: the mu rhythm's. */
#define KL_MU_LOW 8.0
#define KL_MU_HIGH 13.0
#define KL_POWER_BASELINE 0.4 /* seconds that a baseline has at least: a resolution of 2.5 Hz */
enum { KL_POWER_LEAST = 8, KL_SPAN = 64 };

/* Steps of a window. */
struct kl_windows_span {
    size_t from, n;
};
/* Those at and behind the event, where windows begin before it; else all. */
struct kl_windows_span kl_plot_windows_span(const struct kl_windows_view *v);
/* Those before the event; false: they are too few for a baseline. */
bool kl_plot_windows_before(struct kl_windows_span *span, const struct kl_windows_view *v);
/* "0 to 4.1 s after the event" */
void kl_plot_windows_span_text(char text[KL_SPAN], const struct kl_windows_view *v,
                               struct kl_windows_span span);

struct kl_power {
    struct kl_windows_span span;
    size_t bins; /* n / 2 + 1, `step` Hz apart */
    double step, scale, *hann, *data;
    struct kl_fft_f64 *plan;
};
/* KL_ENOMEM. Close it in any case. */
int kl_plot_power_open(struct kl_power *p, struct kl_windows_span span, double rate,
                       struct kl_error *err);
void kl_plot_power_close(struct kl_power *p);
/* mean (classes, n, bins): over the windows of each class; of a class without windows 0. KL_ENOMEM. */
int kl_plot_class_densities(double *mean, struct kl_power *p, const struct kl_windows_view *v,
                            const size_t *channels, size_t n, struct kl_error *err);
/* Integral over low to high Hz, below the last bin, of a density whose bins are `step` Hz apart, taken
   for straight between them. */
double kl_plot_band_power(const double *density, size_t bins, double step, double low, double high);

/* ---- the side of an event-related desynchronisation (power.c) ---- */
/* Does the mu power fall on the side opposite to the hand? Of classes called left and right, at C3 and
 * C4. */
struct kl_laterality {
    bool known;            /* there are such classes and channels */
    size_t left, right, n; /* classes; windows of both */
    double decibel[2];     /* power at C3 over that at C4, means of the left and of the right */
    double t;              /* Welch's (1947) of their difference; above 0: contralateral */
};
/* KL_ENOMEM */
int kl_plot_laterality_find(struct kl_laterality *l, const struct kl_windows_view *v,
                            struct kl_error *err);
/* In a line; "": it is not known. */
enum { KL_LATERALITY = 200 };
void kl_plot_laterality_text(char text[KL_LATERALITY], const struct kl_laterality *l);

#endif
