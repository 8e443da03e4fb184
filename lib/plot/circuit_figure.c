/* SPDX-License-Identifier: MIT
   The head's circuit as a diagram, gate by gate: each stands in the first column that is free on its
   wires. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/circuit.h"
#include "plot/plot.h"
#include "store/store.h"

static const double TOP = 12, STEP = 20, BOX = 13, LEFT = 40, GAP = 12;

static void wire_label(cairo_t *cr, double y, int q, bool begins)
{
    char text[16];
    snprintf(text, sizeof text, begins ? "q%d |0>" : "q%d", q);
    kl_colour(cr, 0, 1);
    kl_text(cr, 36, y + 2.5, 7, KL_RIGHT, text);
}

static void box(cairo_t *cr, double x, double y, const char *name, int colour)
{
    double half = strlen(name) > 7 ? 15 : strlen(name) > 1 ? 11 : 6;
    cairo_rectangle(cr, x - half, y - BOX / 2, 2 * half, BOX);
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_fill_preserve(cr);
    kl_colour(cr, colour, 0.25);
    cairo_fill_preserve(cr);
    kl_colour(cr, 0, 1);
    cairo_stroke(cr);
    kl_text(cr, x, y + 2, 5.2, KL_CENTRE, name);
}

static void dot(cairo_t *cr, double x, double y)
{
    kl_colour(cr, 0, 1);
    cairo_arc(cr, x, y, 1.7, 0, 6.283185307179586);
    cairo_fill(cr);
}

static void line(cairo_t *cr, double x, double from, double to)
{
    kl_colour(cr, 0, 1);
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

/* "w3", "x0", "2 x0", "x0 x1", "-1.57" */
static void angle_name(char text[24], const struct kl_angle *a)
{
    char scale[12] = "";
    if (a->scale != 1) snprintf(scale, sizeof scale, "%.3g ", a->scale);
    if (a->source == KL_CONSTANT) snprintf(text, 24, "%.3g", a->scale);
    else if (a->source == KL_WEIGHT) snprintf(text, 24, "%sw%d", scale, a->index);
    else if (a->index2 < 0) snprintf(text, 24, "%sx%d", scale, a->index);
    else snprintf(text, 24, "%sx%dx%d", scale, a->index, a->index2);
}

static bool has_two_wires(enum kl_gate g)
{
    return g >= KL_CNOT && g <= KL_CRZ;
}
static bool has_angle(enum kl_gate g)
{
    return g != KL_H && g != KL_X && g != KL_CNOT && g != KL_CZ;
}

/* First and last wire of a gate. */
static void span(int *first, int *last, const struct kl_op *op, int n)
{
    *first = *last = op->wire[0];
    if (has_two_wires(op->gate)) {
        *first = op->wire[0] < op->wire[1] ? op->wire[0] : op->wire[1];
        *last = op->wire[0] + op->wire[1] - *first;
    }
    if (op->gate != KL_MULTIRZ) return;
    *first = __builtin_ctz(op->mask);
    for (int q = 0; q < n; q++)
        if (op->mask >> q & 1) *last = q;
}

static void draw_op(cairo_t *cr, double x, double top, const struct kl_op *op, int n)
{
    static const char *const names[] = {
        [KL_RX] = "RX",  [KL_RY] = "RY",  [KL_RZ] = "RZ",  [KL_ROT] = "Rot",
        [KL_H] = "H",    [KL_X] = "X",    [KL_CNOT] = "",  [KL_CZ] = "",
        [KL_CRX] = "RX", [KL_CRY] = "RY", [KL_CRZ] = "RZ", [KL_MULTIRZ] = "ZZ"
    };
    char angle[24], name[40];
    const double y0 = top + STEP * op->wire[0], y1 = top + STEP * op->wire[1];
    int first, last;
    span(&first, &last, op, n);
    angle_name(angle, &op->angle[0]);
    snprintf(name, sizeof name, "%s%s%s", names[op->gate], has_angle(op->gate) ? " " : "",
             has_angle(op->gate) ? angle : "");
    if (op->gate == KL_ROT) snprintf(name, sizeof name, "Rot %s-%d", angle, op->angle[2].index);
    if (op->gate == KL_CNOT) {
        cnot(cr, x, y0, y1);
    } else if (op->gate == KL_CZ) {
        line(cr, x, y0, y1);
        dot(cr, x, y0), dot(cr, x, y1);
    } else if (op->gate == KL_MULTIRZ) {
        line(cr, x, top + STEP * first, top + STEP * last);
        for (int q = 0; q < n; q++)
            if (op->mask >> q & 1) dot(cr, x, top + STEP * q);
        kl_text(cr, x, top + STEP * first - 3, 4.2, KL_CENTRE, angle);
    } else if (has_two_wires(op->gate)) {
        line(cr, x, y0, y1);
        dot(cr, x, y0);
        box(cr, x, y1, name, 1);
    } else {
        box(cr, x, y0, name, op->angle[0].source == KL_INPUT && has_angle(op->gate) ? 3 : 1);
    }
}

/* Where gates stand: in columns, and where these are too many for the width, in several rows. */
enum { MOST_COLUMNS = 400, MOST_GATES = 4096 };
struct places {
    size_t n; /* gates placed, from the first on */
    int column[MOST_GATES], row[MOST_COLUMNS], rows;
    double x[MOST_COLUMNS], wide[MOST_COLUMNS], width;
};

static double width_of(const struct kl_op *op)
{
    return op->gate == KL_MULTIRZ ? 20 : op->gate == KL_ROT ? 34 : has_angle(op->gate) ? 27 : 14;
}

static void place(struct places *p, const struct kl_circuit *c, double limit)
{
    int next[KL_MAX_QUBITS] = { 0 }, columns = 0;
    double left = LEFT;
    for (; p->n < c->n_ops && p->n < MOST_GATES; p->n++) {
        const struct kl_op *op = &c->ops[p->n];
        int first, last, at = 0;
        span(&first, &last, op, c->n_qubits);
        for (int q = first; q <= last; q++) at = next[q] > at ? next[q] : at;
        if (at >= MOST_COLUMNS) break;
        for (int q = first; q <= last; q++) next[q] = at + 1;
        p->wide[at] = width_of(op) > p->wide[at] ? width_of(op) : p->wide[at];
        p->column[p->n] = at;
        columns = at + 1 > columns ? at + 1 : columns;
    }
    for (int k = 0; k < columns; k++) {
        if (left + p->wide[k] > limit) left = LEFT, p->rows++;
        p->row[k] = p->rows;
        p->x[k] = left + p->wide[k] / 2;
        left += p->wide[k];
        p->width = left > p->width ? left : p->width;
    }
    p->rows++;
}

/* Of some widths to fold at, the one at which the whole is drawn largest; returns the scale. */
static double best_places(struct places *p, const struct kl_circuit *c, double width, double height)
{
    double best = 0, found = 0;
    for (double scale = 1.3; scale > 0.2; scale *= 0.9) {
        *p = (struct places){ 0 };
        place(p, c, width / scale);
        double wide = width / (p->width + 6), tall = height / (p->rows * (STEP * c->n_qubits + GAP));
        double fits = wide < tall ? wide : tall;
        if (fits > found) found = fits, best = scale;
    }
    *p = (struct places){ 0 };
    place(p, c, width / best);
    return found < 1.3 ? found : 1.3;
}

static int draw(struct kl_sheet *sheet, const struct kl_circuit *c, const char *title,
                struct kl_error *err)
{
    cairo_t *cr = sheet->cr;
    const double row_height = STEP * c->n_qubits + GAP;
    struct places *p = calloc(1, sizeof *p);
    if (!p) return kl_fail_memory(err, sizeof *p);
    const double scale = best_places(p, c, sheet->width - 10, sheet->height - 30);
    kl_colour(cr, 0, 1);
    kl_text(cr, 14, 14, 8, KL_LEFT, title);
    cairo_translate(cr, 0, 18);
    cairo_scale(cr, scale, scale);
    for (int q = 0; q < c->n_qubits * p->rows; q++) {
        double y = TOP + row_height * (q / c->n_qubits) + STEP * (q % c->n_qubits);
        wire_label(cr, y, q % c->n_qubits, q < c->n_qubits);
        kl_colour(cr, 0, 0.6);
        cairo_move_to(cr, LEFT, y);
        cairo_line_to(cr, p->width + 4, y);
        cairo_stroke(cr);
    }
    for (size_t i = 0; i < p->n; i++)
        draw_op(cr, p->x[p->column[i]], TOP + row_height * p->row[p->column[i]], &c->ops[i],
                c->n_qubits);
    if (p->n < c->n_ops) kl_text(cr, p->width, TOP - 9, 7, KL_RIGHT, "the first gates");
    free(p);
    return KL_OK;
}

int kl_draw_circuit(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    char *config = NULL, title[160];
    struct kl_circuit_options o;
    struct kl_circuit *c = NULL;
    int code = kl_file_text(&config, inputs->file, "", "config", err);
    if (code) return code;
    json_t *options = json_loads(config, 0, NULL);
    code = kl_circuit_config(&o, options, kl_file_path(inputs->file), err);
    if (!code) code = kl_circuit_build(&c, &o, err);
    if (!code) {
        snprintf(title, sizeof title,
                 "%s on %s: %d qubits, %lld layers, %zu weights, %zu gates; measured: %s", o.ansatz,
                 o.embedding, c->n_qubits, (long long)o.n_layers, c->n_weights, c->n_ops, o.observables);
        code = draw(sheet, c, title, err);
    }
    kl_circuit_free(&c);
    json_decref(options);
    free(config);
    return code;
}
