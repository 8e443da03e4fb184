/* SPDX-License-Identifier: MIT
   Private to the figure of a sweep: what stands beside its rows. */
#ifndef KL_PLOT_SWEEP_LABELS_H
#define KL_PLOT_SWEEP_LABELS_H

#include "plot/plot.h"

enum { KL_SWEEP_LABEL = 512 };
/* Names "lr=1e-3 layers=2" of n rows without the options that all of them have, which go to `shared`; a
   row alone keeps its own. */
void kl_plot_sweep_labels(char (*labels)[KL_SWEEP_LABEL], char shared[KL_SWEEP_LABEL],
                          const char (*names)[KL_SWEEP_LABEL], size_t n);
/* Are two of them the same where there is so much room? */
bool kl_plot_sweep_labels_collide(cairo_t *cr, double size, double room,
                                  const char (*labels)[KL_SWEEP_LABEL], size_t n);

#endif
