/* SPDX-License-Identifier: MIT
   Private to the figure of synthetic devices. */
#ifndef KL_PLOT_SYNTHETIC_VIEW_H
#define KL_PLOT_SYNTHETIC_VIEW_H

#include "plot/plot.h"

struct kl_plot_synthetic {
    int32_t *class;
    double *divergence, *mean, *accuracy, *pairs; /* [d, d], [d], [d], [class pairs, COLUMNS] */
    size_t d, n_pairs;
};
void kl_plot_synthetic_title(cairo_t *cr, const struct kl_axes *a, const char *text);
/* Accuracy against divergence, a mark a device, with the line of least squares. */
int kl_plot_synthetic_scatter(cairo_t *cr, struct kl_axes a, const struct kl_plot_synthetic *s,
                              const struct kl_file *file, struct kl_error *err);

#endif
