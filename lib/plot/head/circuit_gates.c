/* SPDX-License-Identifier: MIT
   Gates and meters of a circuit's diagram. */
#include <math.h>

#include "plot/head/circuit_view.h"

static const double BOX = KL_GATE_BOX, NAME_SIZE = 5.5;

static double box_width(cairo_t *cr, const char *name)
{
    return fmax(kl_plot_text_width(cr, NAME_SIZE, name) + 5, BOX);
}

static void box(cairo_t *cr, double x, double y, const char *name, int colour)
{
    const double half = box_width(cr, name) / 2;
    cairo_rectangle(cr, x - half, y - BOX / 2, 2 * half, BOX);
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_fill_preserve(cr);
    kl_plot_colour(cr, colour, 0.25);
    cairo_fill_preserve(cr);
    kl_plot_colour(cr, 0, 1);
    cairo_stroke(cr);
    kl_plot_text(cr, x, y + 0.37 * NAME_SIZE, NAME_SIZE, KL_CENTRE, name);
}

static void dot(cairo_t *cr, double x, double y)
{
    kl_plot_colour(cr, 0, 1);
    cairo_arc(cr, x, y, 1.7, 0, 6.283185307179586);
    cairo_fill(cr);
}

static void line(cairo_t *cr, double x, double from, double to)
{
    kl_plot_colour(cr, 0, 1);
    cairo_move_to(cr, x, from);
    cairo_line_to(cr, x, to);
    cairo_stroke(cr);
}

static void cnot(cairo_t *cr, double x, double control, double target)
{
    line(cr, x, control, target + (target > control ? 3.5 : -3.5));
    dot(cr, x, control);
    cairo_arc(cr, x, target, 3.5, 0, 6.283185307179586);
    cairo_move_to(cr, x - 3.5, target);
    cairo_line_to(cr, x + 3.5, target);
    cairo_stroke(cr);
}

/* A dial with its needle: here the qubit is measured. */
void kl_plot_meter(cairo_t *cr, double x, double y)
{
    box(cr, x, y, "", 0);
    cairo_arc(cr, x, y + 3.2, 4.6, M_PI, 2 * M_PI);
    cairo_stroke(cr);
    cairo_move_to(cr, x, y + 3.2);
    cairo_line_to(cr, x + 3.4, y - 3.6);
    cairo_stroke(cr);
}

static bool has_two_wires(enum kl_gate g)
{
    return g >= KL_CNOT && g <= KL_CRZ;
}

enum { GATE_NAME = KL_ANGLE_NAME + 24 };

static void gate_name(char name[GATE_NAME], char angle[KL_ANGLE_NAME], const struct kl_op *op)
{
    static const char *const names[] = {
        [KL_RX] = "RX",  [KL_RY] = "RY",      [KL_RZ] = "RZ", [KL_ROT] = "Rot", [KL_H] = "H",
        [KL_X] = "X",    [KL_CNOT] = "",      [KL_CZ] = "",   [KL_CRX] = "RX",  [KL_CRY] = "RY",
        [KL_CRZ] = "RZ", [KL_MULTIRZ] = "ZZ", [KL_ID] = "I"
    };
    kl_circuit_angle_name(angle, &op->angle[0]);
    snprintf(name, GATE_NAME, "%s%s%s", names[op->gate], kl_circuit_op_angles(op) ? " " : "",
             kl_circuit_op_angles(op) ? angle : "");
    if (op->gate == KL_ROT) snprintf(name, GATE_NAME, "Rot %s-%d", angle, op->angle[2].index);
}

void kl_plot_gate(cairo_t *cr, double x, double top, const struct kl_op *op, int n)
{
    char angle[KL_ANGLE_NAME], name[GATE_NAME];
    const double y0 = top + KL_WIRE_STEP * op->wire[0], y1 = top + KL_WIRE_STEP * op->wire[1];
    int first, last;
    kl_circuit_op_span(&first, &last, op);
    gate_name(name, angle, op);
    if (op->gate == KL_CNOT) {
        cnot(cr, x, y0, y1);
    } else if (op->gate == KL_CZ) {
        line(cr, x, y0, y1);
        dot(cr, x, y0), dot(cr, x, y1);
    } else if (op->gate == KL_MULTIRZ) {
        line(cr, x, top + KL_WIRE_STEP * first, top + KL_WIRE_STEP * last);
        for (int q = 0; q < n; q++)
            if (op->mask >> q & 1) dot(cr, x, top + KL_WIRE_STEP * q);
        kl_plot_text(cr, x, top + KL_WIRE_STEP * first - 3, NAME_SIZE, KL_CENTRE, angle);
    } else if (has_two_wires(op->gate)) {
        line(cr, x, y0, y1);
        dot(cr, x, y0);
        box(cr, x, y1, name, 1);
    } else {
        box(cr, x, y0, name, op->angle[0].source == KL_INPUT && kl_circuit_op_angles(op) ? 3 : 1);
    }
}

double kl_plot_gate_width(cairo_t *cr, const struct kl_op *op)
{
    char angle[KL_ANGLE_NAME], name[GATE_NAME];
    if (op->gate == KL_CNOT || op->gate == KL_CZ) return 14;
    gate_name(name, angle, op);
    return box_width(cr, op->gate == KL_MULTIRZ ? angle : name) + 5;
}
