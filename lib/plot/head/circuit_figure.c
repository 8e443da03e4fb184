/* SPDX-License-Identifier: MIT
   Circuits as drawings: gates on wires, with title and layers. */
#include "circuit/circuit.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/plot.h"

enum { KL_WIRE_STEP = 20, KL_GATE_BOX = 13 }; /* from wire to wire; sides of a box, points */

void kl_plot_circuit_title(char title[KL_TITLE], const struct kl_circuit_options *o,
                           const struct kl_circuit *c, bool noisy)
{
    char what[200];
    const size_t gates = kl_circuit_gates(c);
    const char *file = o->file ? o->file : "", *slash = strrchr(file, '/');
    if (!o->qasm || !*o->qasm)
        snprintf(what, sizeof what, "%s on %s: %d qubit%s, %lld layer%s", o->ansatz, o->embedding,
                 c->n_qubits, kl_s((unsigned)c->n_qubits), (long long)o->n_layers,
                 kl_s((uint64_t)o->n_layers));
    else
        snprintf(what, sizeof what, "OpenQASM%s%.100s: %d qubit%s", *file ? ", " : "",
                 slash ? slash + 1 : file, c->n_qubits, kl_s((unsigned)c->n_qubits));
    snprintf(title, KL_TITLE, "%s, %zu weight%s, %zu gate%s%s; measured: %s", what, c->n_weights,
             kl_s(c->n_weights), gates, kl_s(gates), noisy ? ", with noise" : "", o->observables);
}

/* ---- Gates and meters of a circuit's diagram ---- */

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
    kl_plot_line(cr, x, from, x, to);
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
static void meter(cairo_t *cr, double x, double y)
{
    box(cr, x, y, "", 0);
    cairo_arc(cr, x, y + 3.2, 4.6, M_PI, 2 * M_PI);
    cairo_stroke(cr);
    kl_plot_line(cr, x, y + 3.2, x + 3.4, y - 3.6);
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

static void kl_plot_gate(cairo_t *cr, double x, double top, const struct kl_op *op, int n)
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

/* with the room beside it */
static double gate_width(cairo_t *cr, const struct kl_op *op)
{
    char angle[KL_ANGLE_NAME], name[GATE_NAME];
    if (op->gate == KL_CNOT || op->gate == KL_CZ) return 14;
    gate_name(name, angle, op);
    return box_width(cr, op->gate == KL_MULTIRZ ? angle : name) + 5;
}

/* ---- circuit figure ----
   The head's circuit as a diagram, gate by gate: each stands in the first column that is free on its
   wires. Of a circuit that a page cannot hold, the first columns. */

static const double TOP = 12, STEP = KL_WIRE_STEP, LEFT = 40, GAP = 12, METER = 19;
static const double LINE = 10;    /* of text */
static const double LEAST = 0.15; /* scale at which gates can still be told apart */

static void wire_label(cairo_t *cr, double y, int q, bool begins)
{
    char text[32];
    snprintf(text, sizeof text, begins ? "q%d |0\xe2\x9f\xa9" : "q%d", q);
    kl_plot_black(cr, 36, y + 2.5, 7, KL_RIGHT, text);
}

static bool is_measured(const struct kl_circuit *c, int q)
{
    bool measured = c->probabilities || c->n_targets;
    for (size_t k = 0; k < c->n_strings; k++)
        measured = measured || ((c->strings[k].x | c->strings[k].z) >> q & 1);
    return measured;
}

/* The places of gates: in columns, and if these are too many for the width, in several rows. The last
   column is that of the meters, unless some are cut off. */
struct places {
    int *column, *row, columns, rows; /* of every gate; of every column */
    double *x, *wide, width;
    bool cut;
};

static int find_columns(struct places *p, cairo_t *cr, const struct kl_circuit *c, struct kl_error *err)
{
    const size_t n = c->n_ops + 1; /* the meters' column */
    p->column = malloc(n * sizeof *p->column);
    p->row = malloc(n * sizeof *p->row);
    p->x = malloc(n * sizeof *p->x);
    p->wide = calloc(n, sizeof *p->wide);
    if (!p->column || !p->row || !p->x || !p->wide) return kl_fail_memory(err, 4 * n * sizeof *p->x);
    p->columns = kl_circuit_columns(p->column, c);
    for (size_t i = 0; i < c->n_ops; i++) {
        double *wide = &p->wide[p->column[i]], own = gate_width(cr, &c->ops[i]);
        if (own > *wide) *wide = own;
    }
    p->wide[p->columns++] = METER;
    return KL_OK;
}

static void fold(struct places *p, double limit)
{
    double left = LEFT;
    p->rows = 0;
    p->width = 0;
    for (int k = 0; k < p->columns; k++) {
        const double more = k + 2 == p->columns ? p->wide[k + 1] : 0; /* no row of meters alone */
        if (left + p->wide[k] + more > limit && left > LEFT) left = LEFT, p->rows++;
        p->row[k] = p->rows;
        p->x[k] = left + p->wide[k] / 2;
        left += p->wide[k];
        p->width = left > p->width ? left : p->width;
    }
    p->rows++;
}

static double end_of_row(const struct places *p, int row)
{
    double end = LEFT;
    for (int k = 0; k < p->columns; k++)
        if (p->row[k] == row) end = p->x[k] + p->wide[k] / 2;
    return end;
}

/* The columns of the rows that a page has at the least scale, with a line that says so. */
static double cut(struct places *p, const struct kl_circuit *c, double width, double height)
{
    const int rows = (int)((height - LINE) / LEAST / (STEP * c->n_qubits + GAP));
    fold(p, width / LEAST);
    p->cut = p->rows > rows;
    if (p->cut) p->rows = rows;
    while (p->row[p->columns - 1] >= p->rows) p->columns--;
    return LEAST;
}

/* Of some widths to fold at, the one at which the whole is drawn largest; returns the scale. */
static double best_places(struct places *p, const struct kl_circuit *c, double width, double height)
{
    double best = 0, found = 0;
    for (double scale = 1.3; scale > LEAST; scale *= 0.9) {
        fold(p, width / scale);
        double wide = width / (p->width + 6), tall = height / (p->rows * (STEP * c->n_qubits + GAP));
        double fits = wide < tall ? wide : tall;
        if (fits > found) found = fits, best = scale;
    }
    if (found < LEAST) return cut(p, c, width, height);
    fold(p, width / best);
    return found < 1.3 ? found : 1.3;
}

/* Through a row of gates; in the circuit's last one up to the meters, of which not every qubit has one.
 */
static void draw_wires(cairo_t *cr, const struct places *p, const struct kl_circuit *c, int row)
{
    const double top = TOP + row * (STEP * c->n_qubits + GAP), meters = p->x[p->columns - 1];
    const bool last = row + 1 == p->rows && !p->cut;
    for (int q = 0; q < c->n_qubits; q++) {
        const double y = top + STEP * q;
        wire_label(cr, y, q, row == 0);
        kl_plot_colour(cr, 0, 0.6);
        kl_plot_line(cr, LEFT, y, last ? meters - KL_GATE_BOX / 2.0 : end_of_row(p, row) + 4, y);
        if (last && is_measured(c, q)) meter(cr, meters, y);
    }
}

/* Above the gates, of which n are drawn. */
static void caption(cairo_t *cr, double room, const char *title, size_t n, const struct kl_circuit *c)
{
    char part[80];
    kl_plot_black_lines(cr, 14, 14, 8, room, title);
    const size_t all = kl_circuit_gates(c);
    if (n < all) {
        snprintf(part, sizeof part, "the first columns: %zu of %zu gates", n, all);
        kl_plot_text(cr, 14, 14 + LINE, 8, KL_LEFT, part);
        cairo_translate(cr, 0, LINE);
    }
    cairo_translate(cr, 0, 18);
}

static int draw(struct kl_sheet *sheet, const struct kl_circuit *c, const char *title, size_t *drawn,
                struct kl_error *err)
{
    cairo_t *cr = sheet->cr;
    const double row_height = STEP * c->n_qubits + GAP;
    struct places place = { 0 }, *p = &place;
    size_t n = 0; /* gates that are drawn */
    int code = find_columns(p, cr, c, err);
    if (code) goto out;
    const double scale = best_places(p, c, sheet->width - 10, sheet->height - 30);
    for (size_t i = 0, end; i < c->n_ops; i = end) {
        bool whole = true;
        for (end = kl_circuit_gate_end(c->ops, c->n_ops, i); i < end; i++)
            whole = whole && p->column[i] < p->columns;
        n += whole;
    }
    if (drawn) *drawn = n;
    caption(cr, sheet->width - 20, title, n, c);
    cairo_scale(cr, scale, scale);
    for (int row = 0; row < p->rows; row++) draw_wires(cr, p, c, row);
    for (size_t i = 0; i < c->n_ops; i++)
        if (p->column[i] < p->columns)
            kl_plot_gate(cr, p->x[p->column[i]], TOP + row_height * p->row[p->column[i]], &c->ops[i],
                         c->n_qubits);
out:
    free(p->column), free(p->row), free(p->x), free(p->wide);
    return code;
}

int kl_plot_circuit(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    char *config = NULL, title[KL_TITLE];
    struct kl_circuit_options o;
    struct kl_circuit *c = NULL;
    json_t *options = NULL;
    int code = KL_OK;
    bool noisy = false;
    if (inputs->circuit) {
        o = *inputs->circuit;
        noisy = o.noise && *o.noise;
    } else {
        code = kl_store_file_text(&config, inputs->file, "", "config", err);
        if (code) return code;
        code = kl_json_parse(&options, config, kl_store_file_path(inputs->file), err);
        if (!code) code = kl_circuit_config(&o, options, kl_store_file_path(inputs->file), err);
        const char *core = code ? NULL : kl_circuit_absent(options);
        if (core)
            code = kl_fail(err, KL_EDATA, "%s: holds no circuit, its core is %s",
                           kl_store_file_path(inputs->file), core);
        const char *noise = json_string_value(json_object_get(options, "noise"));
        noisy = noise && *noise;
    }
    if (!code) code = kl_circuit_build(&c, &o, err);
    if (!code) {
        kl_plot_circuit_title(title, &o, c, noisy);
        code = draw(sheet, c, title, inputs->drawn, err);
    }
    kl_circuit_free(&c);
    json_decref(options);
    free(config);
    return code;
}
