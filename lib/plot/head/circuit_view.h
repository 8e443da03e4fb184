/* SPDX-License-Identifier: MIT
   Private to the figure of a circuit: its gates (circuit_gates.c). */
#ifndef KL_PLOT_CIRCUIT_VIEW_H
#define KL_PLOT_CIRCUIT_VIEW_H

#include "circuit/circuit.h"
#include "plot/plot.h"

enum { KL_WIRE_STEP = 20, KL_GATE_BOX = 13 }; /* from wire to wire; sides of a box, points */

/* A gate of a circuit of n qubits about x; top: the first wire's place. */
void kl_plot_gate(cairo_t *cr, double x, double top, const struct kl_op *op, int n);
double kl_plot_gate_width(cairo_t *cr, const struct kl_op *op); /* with the room beside it */
void kl_plot_meter(cairo_t *cr, double x, double y);

#endif
