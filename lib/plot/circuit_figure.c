/* SPDX-License-Identifier: MIT
   The head's circuit as a diagram, gate by gate: each stands in the first column that is free on its
   wires. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/circuit.h"
#include "plot/plot.h"
#include "store/store.h"

static const double TOP = 12, STEP = 20, BOX = 13, LEFT = 40, GAP = 12, NAME_SIZE = 5.5, METER = 19;

static void wire_label(cairo_t *cr, double y, int q, bool begins)
{
    char text[32];
    snprintf(text, sizeof text, begins ? "q%d |0\xe2\x9f\xa9" : "q%d", q);
    kl_colour(cr, 0, 1);
    kl_text(cr, 36, y + 2.5, 7, KL_RIGHT, text);
}

static double box_width(cairo_t *cr, const char *name)
{
    return fmax(kl_text_width(cr, NAME_SIZE, name) + 5, BOX);
}

static void box(cairo_t *cr, double x, double y, const char *name, int colour)
{
    const double half = box_width(cr, name) / 2;
    cairo_rectangle(cr, x - half, y - BOX / 2, 2 * half, BOX);
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_fill_preserve(cr);
    kl_colour(cr, colour, 0.25);
    cairo_fill_preserve(cr);
    kl_colour(cr, 0, 1);
    cairo_stroke(cr);
    kl_text(cr, x, y + 0.37 * NAME_SIZE, NAME_SIZE, KL_CENTRE, name);
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

/* A dial with its needle: here the qubit is measured. */
static void meter(cairo_t *cr, double x, double y)
{
    box(cr, x, y, "", 0);
    cairo_arc(cr, x, y + 3.2, 4.6, M_PI, 2 * M_PI);
    cairo_stroke(cr);
    cairo_move_to(cr, x, y + 3.2);
    cairo_line_to(cr, x + 3.4, y - 3.6);
    cairo_stroke(cr);
}

static bool is_measured(const struct kl_circuit *c, int q)
{
    bool measured = c->probabilities || c->n_targets;
    for (size_t k = 0; k < c->n_strings; k++)
        measured = measured || ((c->strings[k].x | c->strings[k].z) >> q & 1);
    return measured;
}

static bool has_two_wires(enum kl_gate g)
{
    return g >= KL_CNOT && g <= KL_CRZ;
}

enum { GATE_NAME = KL_ANGLE_NAME + 24 };

static void gate_name(char name[GATE_NAME], char angle[KL_ANGLE_NAME], const struct kl_op *op)
{
    static const char *const names[] = {
        [KL_RX] = "RX",  [KL_RY] = "RY",  [KL_RZ] = "RZ",  [KL_ROT] = "Rot",
        [KL_H] = "H",    [KL_X] = "X",    [KL_CNOT] = "",  [KL_CZ] = "",
        [KL_CRX] = "RX", [KL_CRY] = "RY", [KL_CRZ] = "RZ", [KL_MULTIRZ] = "ZZ"
    };
    kl_angle_name(angle, &op->angle[0]);
    snprintf(name, GATE_NAME, "%s%s%s", names[op->gate], kl_op_angles(op) ? " " : "",
             kl_op_angles(op) ? angle : "");
    if (op->gate == KL_ROT) snprintf(name, GATE_NAME, "Rot %s-%d", angle, op->angle[2].index);
}

static void draw_op(cairo_t *cr, double x, double top, const struct kl_op *op, int n)
{
    char angle[KL_ANGLE_NAME], name[GATE_NAME];
    const double y0 = top + STEP * op->wire[0], y1 = top + STEP * op->wire[1];
    int first, last;
    kl_op_span(&first, &last, op);
    gate_name(name, angle, op);
    if (op->gate == KL_CNOT) {
        cnot(cr, x, y0, y1);
    } else if (op->gate == KL_CZ) {
        line(cr, x, y0, y1);
        dot(cr, x, y0), dot(cr, x, y1);
    } else if (op->gate == KL_MULTIRZ) {
        line(cr, x, top + STEP * first, top + STEP * last);
        for (int q = 0; q < n; q++)
            if (op->mask >> q & 1) dot(cr, x, top + STEP * q);
        kl_text(cr, x, top + STEP * first - 3, NAME_SIZE, KL_CENTRE, angle);
    } else if (has_two_wires(op->gate)) {
        line(cr, x, y0, y1);
        dot(cr, x, y0);
        box(cr, x, y1, name, 1);
    } else {
        box(cr, x, y0, name, op->angle[0].source == KL_INPUT && kl_op_angles(op) ? 3 : 1);
    }
}

/* Where gates stand: in columns, and where these are too many for the width, in several rows. The last
   column is that of the meters. */
struct places {
    int *column, *row, columns, rows; /* of every gate; of every column */
    double *x, *wide, width;
};

static double width_of(cairo_t *cr, const struct kl_op *op)
{
    char angle[KL_ANGLE_NAME], name[GATE_NAME];
    if (op->gate == KL_CNOT || op->gate == KL_CZ) return 14;
    gate_name(name, angle, op);
    return box_width(cr, op->gate == KL_MULTIRZ ? angle : name) + 5;
}

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
        double *wide = &p->wide[p->column[i]], own = width_of(cr, &c->ops[i]);
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

/* Of some widths to fold at, the one at which the whole is drawn largest; returns the scale. */
static double best_places(struct places *p, const struct kl_circuit *c, double width, double height)
{
    double best = 0, found = 0;
    for (double scale = 1.3; scale > 0.2; scale *= 0.9) {
        fold(p, width / scale);
        double wide = width / (p->width + 6), tall = height / (p->rows * (STEP * c->n_qubits + GAP));
        double fits = wide < tall ? wide : tall;
        if (fits > found) found = fits, best = scale;
    }
    fold(p, width / best);
    return found < 1.3 ? found : 1.3;
}

/* Through a row of gates; in the last one up to the meters, of which not every qubit has one. */
static void draw_wires(cairo_t *cr, const struct places *p, const struct kl_circuit *c, int row)
{
    const double top = TOP + row * (STEP * c->n_qubits + GAP), meters = p->x[p->columns - 1];
    const bool last = row + 1 == p->rows;
    for (int q = 0; q < c->n_qubits; q++) {
        const double y = top + STEP * q;
        wire_label(cr, y, q, row == 0);
        kl_colour(cr, 0, 0.6);
        cairo_move_to(cr, LEFT, y);
        cairo_line_to(cr, last ? meters - BOX / 2 : end_of_row(p, row) + 4, y);
        cairo_stroke(cr);
        if (last && is_measured(c, q)) meter(cr, meters, y);
    }
}

static int draw(struct kl_sheet *sheet, const struct kl_circuit *c, const char *title,
                struct kl_error *err)
{
    cairo_t *cr = sheet->cr;
    const double row_height = STEP * c->n_qubits + GAP;
    struct places place = { 0 }, *p = &place;
    int code = find_columns(p, cr, c, err);
    if (code) goto out;
    const double scale = best_places(p, c, sheet->width - 10, sheet->height - 30);
    kl_colour(cr, 0, 1);
    kl_text_within(cr, 14, 14, 8, KL_LEFT, sheet->width - 20, title);
    cairo_translate(cr, 0, 18);
    cairo_scale(cr, scale, scale);
    for (int row = 0; row < p->rows; row++) draw_wires(cr, p, c, row);
    for (size_t i = 0; i < c->n_ops; i++)
        draw_op(cr, p->x[p->column[i]], TOP + row_height * p->row[p->column[i]], &c->ops[i],
                c->n_qubits);
out:
    free(p->column), free(p->row), free(p->x), free(p->wide);
    return code;
}

int kl_draw_circuit(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
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
        code = kl_file_text(&config, inputs->file, "", "config", err);
        if (code) return code;
        code = kl_json_parse(&options, config, kl_file_path(inputs->file), err);
        if (!code) code = kl_circuit_config(&o, options, kl_file_path(inputs->file), err);
        const char *core = code ? NULL : kl_circuit_absent(options);
        if (core)
            code = kl_fail(err, KL_EDATA, "%s: holds no circuit, its core is %s",
                           kl_file_path(inputs->file), core);
        const char *noise = json_string_value(json_object_get(options, "noise"));
        noisy = noise && *noise;
    }
    if (!code) code = kl_circuit_build(&c, &o, err);
    if (!code) {
        kl_circuit_title(title, &o, c, noisy);
        code = draw(sheet, c, title, err);
    }
    kl_circuit_free(&c);
    json_decref(options);
    free(config);
    return code;
}
