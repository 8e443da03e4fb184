/* SPDX-License-Identifier: MIT
   Private to the figures of device bits: what extract-features --qrng wrote of d devices. */
#ifndef KL_PLOT_BITS_VIEW_H
#define KL_PLOT_BITS_VIEW_H

#include "plot/plot.h"

enum { KL_VIEW_NAMED = 8 }; /* devices that a legend names */
struct kl_bits_view {
    size_t n_devices, n_bits, name_size, n_runs, n_lags;
    char *names;
    int64_t *rows, *ones;                  /* [d], [d, n + 1] */
    double *rate, *rate_se, *position;     /* [d], [d], [d, n] */
    double *lag, *lag_se, *runs, *runs_se; /* [d, n_lags], [d, n_runs] */
    double *conditional, *conditional_se;  /* [d, 4] */
};
/* KL_EDATA: not of this form. Free with kl_plot_bits_view_free in every case. */
int kl_plot_bits_view_load(struct kl_bits_view *v, struct kl_file *file, struct kl_error *err);
void kl_plot_bits_view_free(struct kl_bits_view *v);

/* The colour of device d: of a palette for few, of a ramp for many. */
void kl_plot_view_colour(cairo_t *cr, const struct kl_bits_view *v, size_t d, double alpha);
/* Names in their colours, one below the other, at the right of the axes; nothing for many. */
void kl_plot_view_legend(cairo_t *cr, const struct kl_bits_view *v, const struct kl_axes *axes);
/* Panel i of 2 x 2 (0: left above), its title above it. */
struct kl_axes kl_plot_view_panel(cairo_t *cr, int i, const char *title);
/* A line below the label of a panel's lower axis. */
void kl_plot_view_caption(cairo_t *cr, const struct kl_axes *axes, const char *text);
/* Of how many rows, by their ones, the panel shows nothing: "6 of 6000 rows lie below"; of none nothing.
 */
void kl_plot_view_say_rows(cairo_t *cr, const struct kl_bits_view *v, const struct kl_axes *axes,
                           bool (*left_out)(const struct kl_bits_view *v, const struct kl_axes *axes,
                                            size_t ones),
                           const char *where);
/* Widens y to hold these numbers, then by a margin; x from 0.5 to n + 0.5: a place for each device. */
void kl_plot_view_widen(struct kl_axes *axes, const double *values, size_t n);
void kl_plot_view_margin(struct kl_axes *axes);
/* Device d's name below its place. */
void kl_plot_view_name_place(cairo_t *cr, const struct kl_bits_view *v, const struct kl_axes *axes,
                             size_t d);

#endif
