/* SPDX-License-Identifier: MIT
   Private to the files export*.c: what readers of different formats share. */
#ifndef KL_CONTROL_EXPORT_INT_H
#define KL_CONTROL_EXPORT_INT_H

#include "control/pulse/export.h"

/* From the controls of the outputs: which are quadratures of one signal. */
void kl_control_samples_pair(struct kl_control_samples *samples);
/* Number i of output j, as it stands in the file. KL_EDATA. */
int kl_control_samples_take(struct kl_control_samples *samples, int i, int j, double number,
                            const char *path, struct kl_error *err);
/* Do two numbers that say the same agree, but for rounding? */
bool kl_control_samples_agree(double a, double b);
/* The statements behind the first line of an OpenQASM file (export_qasm.c). KL_EDATA. */
int kl_control_samples_read_qasm(struct kl_control_samples *samples, const char *text, const char *path,
                                 struct kl_error *err);

#endif
