/* SPDX-License-Identifier: MIT
   Private to the figures of pulses: what a file of kind "pulse" holds of all of them. */
#ifndef KL_PLOT_PULSE_VIEW_H
#define KL_PLOT_PULSE_VIEW_H

#include "plot/plot.h"

struct kl_pulse_view {
    double *u;          /* [segments][controls] */
    double *samples;    /* [n_samples][controls] of the generator; NULL: they are the controls */
    double *limits;     /* [controls]: of |u| */
    double *low, *high; /* [controls]: where others are given; NULL: -limits, limits */
    char *names;        /* of the controls */
    size_t segments, controls, n_samples, name_size;
    double duration, loss;
    char title[160]; /* "x of qubit, loss 0.0414 (average x)" */
    char unit[20];   /* of time; "": none */
};
/* KL_EDATA: not of this form; KL_ENOMEM. Free with kl_plot_pulse_view_free in every case. */
int kl_plot_pulse_view_load(struct kl_pulse_view *v, struct kl_file *file, struct kl_error *err);
void kl_plot_pulse_view_free(struct kl_pulse_view *v);
/* "radians per ns". */
enum { KL_PULSE_LABEL = 60 };
void kl_plot_pulse_frequency(char text[KL_PULSE_LABEL], const char *name, const struct kl_pulse_view *v);
/* A dataset of numbers of this rank, which are checked to be finite; set its description.
   KL_EDATA, KL_ENOMEM. */
struct kl_dataset;
int kl_plot_pulse_numbers(double **values, const struct kl_dataset **set, struct kl_file *file,
                          const char *name, int rank, struct kl_error *err);

#endif
