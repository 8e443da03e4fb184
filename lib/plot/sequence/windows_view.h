/* SPDX-License-Identifier: MIT
   Private to the figures of windows: a file of kind `windows`, its channels of interest, its spectra. */
#ifndef KL_PLOT_WINDOWS_VIEW_H
#define KL_PLOT_WINDOWS_VIEW_H

#include "plot/plot.h"

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
    /* Whose they are. */
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
   window, the mean taken off before. For a few frequencies of a few steps; power.h has whole spectra. */
double kl_plot_windows_density(const struct kl_windows_view *v, size_t window, size_t channel,
                               size_t from, size_t n, double hertz);
/* ---- heads (heads.c) ---- */
/* What colours stand for. both_signs: they diverge from zero, as far to either side; else they run from
   the least to the largest. Begins as { INFINITY, -INFINITY, ... }. */
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

#endif
