/* SPDX-License-Identifier: MIT
   Private to the figure of configurations: what reports on device classifiers say of how they were
   trained. */
#ifndef KL_PLOT_CONFIGURATIONS_VIEW_H
#define KL_PLOT_CONFIGURATIONS_VIEW_H

#include "plot/qrng/report_view.h"

enum { KL_CONFIGURATIONS = 24, KL_SETTING = 40 };
struct kl_configuration {
    char name[2 * KL_SETTING], layers[KL_SETTING], epochs[KL_SETTING], penalty[KL_SETTING],
        splits[KL_SETTING];                  /* "-": has none */
    double parameters, batch, dropout, test; /* NaN: has none */
    double mean, low, high, chance;          /* of the accuracy; 1 / devices */
    bool named; /* with its model: a yardstick, or the one report there is */
};
/* The chosen model of each report, then the yardsticks of inputs->file, which had the same splits.
   KL_EDATA, KL_ENOMEM; KL_EUSAGE: more than KL_CONFIGURATIONS reports. */
struct kl_configurations {
    struct kl_configuration line[KL_CONFIGURATIONS + KL_REPORT_ROWS];
    size_t n;
    bool alone; /* there is one report */
};
int kl_plot_configurations_load(struct kl_configurations *c, const struct kl_figure_inputs *inputs,
                                struct kl_error *err);

#endif
