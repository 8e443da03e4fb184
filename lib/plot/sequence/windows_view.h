/* SPDX-License-Identifier: MIT
   Private to the figures of windows: a file of kind `windows`, its channels of interest, its spectra. */
#ifndef KL_PLOT_WINDOWS_VIEW_H
#define KL_PLOT_WINDOWS_VIEW_H

#include <stddef.h>

#include "plot/plot.h"
#include "kernels/fft.h"

struct kl_windows_view {
    size_t n, channels, steps, n_classes;
    double rate;     /* Hz; 1 where none is known, and then time is in samples */
    bool timed;      /* a rate is known */
    int64_t before;  /* samples of a window before its event */
    float *x;        /* (n, channels, steps) */
    int32_t *labels; /* (n), -1: none */
    char *class_names, *channel_names, *unit;
    size_t class_size, channel_size;
    double *positions; /* (channels, 2) on the unit disc, the nose upwards; NULL: none are known */
    /* The origin of each window. */
    int32_t *subject, *recording; /* (n) */
    double *onset;                /* (n) seconds of the event in its recording; NaN: of none */
    char *people, *recordings;    /* names */
    size_t n_people, n_recordings, person_size, recording_size;
};
/* KL_EDATA, KL_ENOMEM. Free in any case. */
int kl_plot_windows_load(struct kl_windows_view *v, struct kl_file *file, struct kl_error *err);
void kl_plot_windows_free(struct kl_windows_view *v);
static inline const float *kl_plot_windows_at(const struct kl_windows_view *v, size_t window,
                                              size_t channel)
{
    return v->x + (window * v->channels + channel) * v->steps;
}
/* Seconds (or samples) after the event of step t. */
static inline double kl_plot_windows_time(const struct kl_windows_view *v, double t)
{
    return (t - (double)v->before) / v->rate;
}
/* C3, Cz, C4 and so many more as there are, spread over all; where those names are missing, spread
   alone. Returns how many stand in list (most). */
size_t kl_plot_windows_channels(size_t *list, size_t most, const struct kl_windows_view *v);
/* "S001"; "10 people, S001 to S010": whose the windows of a file are. */
void kl_plot_windows_whose(char text[3 * KL_NAME], const struct kl_windows_view *v);
/* As it is printed: "µV" of uV; "" where nobody knows it. */
const char *kl_plot_windows_unit(const struct kl_windows_view *v);
/* Windows of the class; of any, -1. */
size_t kl_plot_windows_count(const struct kl_windows_view *v, int32_t label);
/* One-sided power spectral density at `hertz`, unit^2/Hz, of steps [from, from + n) of a channel: a Hann
   window, the mean taken off before. For a few frequencies of a few steps; whole spectra are below. */
double kl_plot_windows_density(const struct kl_windows_view *v, size_t window, size_t channel,
                               size_t from, size_t n, double hertz);
/* ---- heads (heads.c) ---- */
/* The range of values of the colours. both_signs: they diverge from zero, as far to either side; else
   they run from the least to the largest. Begins as { INFINITY, -INFINITY, ... }. */
struct kl_head_range {
    double low, high;
    bool both_signs;
};
/* Takes in what stands at a place. */
void kl_plot_head_range(struct kl_head_range *range, const double *values, const double *positions,
                        size_t n);
/* Values by place on a head seen from above, nose upwards: values (n) at positions (n, 2), places that
   are no number left out; between them by spherical splines. label, of one line or two, stands
   above. KL_ENOMEM. */
int kl_plot_head(cairo_t *cr, double x, double y, double radius, const double *values,
                 const double *positions, size_t n, const struct kl_head_range *range, const char *label,
                 struct kl_error *err);
/* The scale of heads, `unit` beside it. KL_ENOMEM. */
int kl_plot_head_scale(cairo_t *cr, double x, double y, double height, const struct kl_head_range *range,
                       const char *unit, struct kl_error *err);
/* A colour between -1 and 1, white at 0: blue below, red above; grey: no number. */
struct kl_rgb {
    double red, green, blue;
};
struct kl_rgb kl_plot_diverging(double value);
/* colours (h, w), from the top, as one picture into a rectangle; smooth: between them. KL_ENOMEM. */
int kl_plot_field(cairo_t *cr, const struct kl_axes *into, const struct kl_rgb *colours, int w, int h,
                  bool smooth, struct kl_error *err);

/* ---- Power by frequency of windows, as SciPy's welch has it with one segment (scipy.signal.welch(x,
   rate, "hann", nperseg=n))
   ---- */

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

/* ---- Values at electrodes as a smooth map of the head ---- */

struct kl_error;

/* Spherical splines through values at n places on the unit disc (the head from above, radius 1 at 90
   degrees from the vertex). Places or values that are no number are left out. */
struct kl_scalp {
    size_t n;
    double *place; /* (n, 3) on the unit sphere */
    double *disc;  /* (n, 2) */
    double *hull;  /* (n_hull, 2) corners of the area between the electrodes, anticlockwise, each once;
                      beyond it the map is a guess */
    size_t n_hull;
    double *weights; /* (n + 1), the last is the constant */
};
/* Of order 4, 50 Legendre terms (Perrin et al. 1989, doi:10.1016/0013-4694(89)90180-6), as MNE-Python
   interpolates channels, but for what is added to the diagonal: 1e-9, so that the map has the
   electrodes' own values, where MNE's 1e-5 takes three quarters of a peak at one of 64. KL_ENOMEM. Free
   it in any case. */
int kl_plot_scalp_fit(struct kl_scalp *s, const double *values, const double *positions, size_t n,
                      struct kl_error *err);
/* The map's value at a place of the disc. */
double kl_plot_scalp_at(const struct kl_scalp *s, double x, double y);
void kl_plot_scalp_free(struct kl_scalp *s);

#endif
