/* SPDX-License-Identifier: MIT
   Private to pulse_file.c: datasets of a pulse's file that figures are drawn from. Another room draws
   them, which cannot compute them. */
#ifndef KL_CONTROL_PULSE_VIEWS_H
#define KL_CONTROL_PULSE_VIEWS_H

#include "control/pulse/pulse.h"

struct kl_writer;
/* Of one qubit: path/vectors [n][points][3], Bloch vectors at equal steps of time from n states (|0>,
   |+> and |+i>, or the objective's one), path/target [n][3], where the target takes these; filter/omega
   [f], filter/F [3][f] of noise on X, Y, Z. Of any system with parameters: landscape/x, landscape/y [n],
   landscape/loss [n][n] (rows by y), the loss of a task at these values; attribute `parameter` of the
   axes: a parameter's name or "amplitude". KL_EDATA, KL_EIO, KL_ENOMEM. */
int kl_control_views_put(struct kl_writer *writer, const struct kl_control_setup *setup, const double *u,
                         struct kl_error *err);

#endif
