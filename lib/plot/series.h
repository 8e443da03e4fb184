/* SPDX-License-Identifier: MIT
   Private to the figures of training: what replicas did by epoch. */
#ifndef KL_PLOT_SERIES_H
#define KL_PLOT_SERIES_H

#include "plot/plot.h"

struct kl_series {
    double *values; /* (replicas, epochs); NaN: not trained */
    size_t replicas, epochs;
    size_t shown, common; /* epochs that any replica, and that every one was trained for */
};
/* A dataset; the caller frees values. KL_EDATA, KL_ENOMEM. */
int kl_plot_series_load(struct kl_series *s, struct kl_file *file, const char *name,
                        struct kl_error *err);
/* Finds what n series of the same replicas show. */
void kl_plot_series_lengths(struct kl_series *s, size_t n);
/* An entry at x, above the panels; returns where the next may begin. */
double kl_plot_series_legend(cairo_t *cr, double x, int colour, enum kl_mark mark, bool marked,
                             const char *text);
/* So few epochs are marked one by one. */
enum { KL_SERIES_MARKED = 20 };
/* Two series, or one (val NULL), in a frame whose place is given; returned are its finished axes. A
   loss is seen against zero (from_zero); an accuracy takes the range that it needs. */
struct kl_axes kl_plot_series_panel(cairo_t *cr, struct kl_axes axes, const struct kl_series *train,
                                    const struct kl_series *val, const char *label, bool from_zero);

#endif
