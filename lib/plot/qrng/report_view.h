/* SPDX-License-Identifier: MIT
   Private to the figure of device classifiers: what qeval --qrng wrote of c devices over s splits. */
#ifndef KL_PLOT_REPORT_VIEW_H
#define KL_PLOT_REPORT_VIEW_H

#include "plot/plot.h"

/* Accuracies: of a model on each split, or of what stands beside the models. */
struct kl_accuracies {
    char name[24];
    double *values; /* [n] */
    size_t n;
    double mean, low, high; /* interval NaN: none */
};
enum { KL_REPORT_ROWS = 8, KL_REPORT_RATES = 3 };
struct kl_report_view {
    char *names; /* of devices */
    size_t n_devices, name_size, n_splits, n_bins;
    struct kl_accuracies rows[KL_REPORT_ROWS]; /* the chosen model first */
    size_t n_rows;
    double limit; /* of any classifier; NaN: not known */
    /* Of the chosen model: */
    int64_t *confusion;  /* [s, c, c] [true][predicted] */
    double *per_class;   /* [s, c, 3]: precision, recall, F1 */
    double *calibration; /* [s, bins, 3]: rows, accuracy, confidence */
    double *errors;      /* [s] of calibration */
};
/* KL_EDATA: not of this form; KL_ENOMEM. Free with kl_plot_report_view_free in every case. */
int kl_plot_report_view_load(struct kl_report_view *v, struct kl_file *file, struct kl_error *err);
void kl_plot_report_view_free(struct kl_report_view *v);

#endif
