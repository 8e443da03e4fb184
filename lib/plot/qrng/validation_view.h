/* SPDX-License-Identifier: MIT
   Private to the figure of validation: what the study of d synthetic devices in c classes left. */
#ifndef KL_PLOT_VALIDATION_VIEW_H
#define KL_PLOT_VALIDATION_VIEW_H

#include "plot/plot.h"

struct kl_validation {
    struct kl_file *file;
    double *mean, *accuracy; /* [d]: study's divergence to the others; the network's on all rows */
    double *divergence;      /* [d, d]: the study's */
    double *ones;            /* [d]: held-out accuracy by the count of ones */
    int64_t *confusion;      /* [c, c] [true][named]: the network's, of test rows */
    int32_t *class;          /* [d] */
    size_t d, c;
    double slope, level, centre, xx, scatter, t; /* of the fit; scatter: residual deviation */
};
/* KL_EDATA: not of this form; KL_ENOMEM. Free with kl_plot_validation_free in every case. */
int kl_plot_validation_load(struct kl_validation *v, struct kl_file *file, struct kl_error *err);
void kl_plot_validation_free(struct kl_validation *v);

/* ---- panels of bars (validation_bars.c): within the axes' frame. KL_EDATA, KL_ENOMEM ---- */
void kl_plot_validation_title(cairo_t *cr, const struct kl_axes *a, const char *text);
/* Test rows whose class is named, by what. */
int kl_plot_validation_accuracies(cairo_t *cr, struct kl_axes a, const struct kl_validation *v,
                                  struct kl_error *err);
/* p-values, of pairs as if independent and of permuted devices. */
int kl_plot_validation_p(cairo_t *cr, struct kl_axes a, const struct kl_validation *v,
                         struct kl_error *err);
/* Correlations of divergence and accuracy, with their intervals. */
int kl_plot_validation_r(cairo_t *cr, struct kl_axes a, const struct kl_validation *v,
                         struct kl_error *err);
/* The classifier of measured devices, from its report, beside that of the synthetic ones' classes. */
int kl_plot_validation_tasks(cairo_t *cr, struct kl_axes a, const struct kl_validation *v,
                             const struct kl_file *report, struct kl_error *err);

#endif
