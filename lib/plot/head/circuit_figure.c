/* SPDX-License-Identifier: MIT
   The head's circuit as a diagram, gate by gate: each stands in the first column that is free on its
   wires. Of a circuit that a page cannot hold, the first columns. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/head/circuit_view.h"
#include "store/store.h"

static const double TOP = 12, STEP = KL_WIRE_STEP, LEFT = 40, GAP = 12, METER = 19;
static const double LINE = 10;    /* of text */
static const double LEAST = 0.15; /* scale at which gates can still be told apart */

static void wire_label(cairo_t *cr, double y, int q, bool begins)
{
    char text[32];
    snprintf(text, sizeof text, begins ? "q%d |0\xe2\x9f\xa9" : "q%d", q);
    kl_plot_colour(cr, 0, 1);
    kl_plot_text(cr, 36, y + 2.5, 7, KL_RIGHT, text);
}

static bool is_measured(const struct kl_circuit *c, int q)
{
    bool measured = c->probabilities || c->n_targets;
    for (size_t k = 0; k < c->n_strings; k++)
        measured = measured || ((c->strings[k].x | c->strings[k].z) >> q & 1);
    return measured;
}

/* Where gates stand: in columns, and where these are too many for the width, in several rows. The last
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
        double *wide = &p->wide[p->column[i]], own = kl_plot_gate_width(cr, &c->ops[i]);
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
        cairo_move_to(cr, LEFT, y);
        cairo_line_to(cr, last ? meters - KL_GATE_BOX / 2.0 : end_of_row(p, row) + 4, y);
        cairo_stroke(cr);
        if (last && is_measured(c, q)) kl_plot_meter(cr, meters, y);
    }
}

/* Above the gates, of which n are drawn. */
static void caption(cairo_t *cr, double room, const char *title, size_t n, const struct kl_circuit *c)
{
    char part[80];
    kl_plot_colour(cr, 0, 1);
    kl_plot_text_within(cr, 14, 14, 8, KL_LEFT, room, title);
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
