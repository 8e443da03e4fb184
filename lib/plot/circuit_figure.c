/* SPDX-License-Identifier: MIT
   The head's circuit as a diagram: embedding, then the layers of ry-ring (the first two and the last if there are more). */
#include <jansson.h>
#include <stdlib.h>

#include "plot/plot.h"
#include "store/store.h"

static const double TOP = 26, STEP = 20, BOX = 13;

static void wire_label(cairo_t *cr, double y, int q)
{
    char text[16];
    snprintf(text, sizeof text, "q%d |0>", q);
    kl_colour(cr, 0, 1);
    kl_text(cr, 36, y + 2.5, 7, KL_RIGHT, text);
}

static void gate(cairo_t *cr, double x, double y, const char *name, int colour)
{
    cairo_rectangle(cr, x - 11, y - BOX / 2, 22, BOX);
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_fill_preserve(cr);
    kl_colour(cr, colour, 0.25);
    cairo_fill_preserve(cr);
    kl_colour(cr, 0, 1);
    cairo_stroke(cr);
    kl_text(cr, x, y + 2, 5.2, KL_CENTRE, name);
}

static void cnot(cairo_t *cr, double x, double control, double target)
{
    kl_colour(cr, 0, 1);
    cairo_move_to(cr, x, control);
    cairo_line_to(cr, x, target + (target > control ? 3.5 : -3.5));
    cairo_stroke(cr);
    cairo_arc(cr, x, control, 1.7, 0, 6.283185307179586);
    cairo_fill(cr);
    cairo_arc(cr, x, target, 3.5, 0, 6.283185307179586);
    cairo_move_to(cr, x - 3.5, target);
    cairo_line_to(cr, x + 3.5, target);
    cairo_stroke(cr);
}

/* Returns the x behind the layer. */
static double layer(cairo_t *cr, double x, int n, int l)
{
    char name[24];
    for (int q = 0; q < n; q++) {
        snprintf(name, sizeof name, "RY w%d", l * n + q);
        gate(cr, x, TOP + STEP * q, name, 1);
    }
    x += 18;
    for (int q = 0; n > 1 && q < n; q++, x += 9) cnot(cr, x, TOP + STEP * q, TOP + STEP * ((q + 1) % n));
    return x + 10;
}

static double drawn_width(int n, int layers)
{
    int drawn = layers > 3 ? 3 : layers;
    return 42 + 34 + drawn * (28.0 + (n > 1 ? 9.0 * n : 0)) + (layers > 3 ? 26 : 0) + 40;
}

static void draw(cairo_t *cr, int n, int layers)
{
    char name[24];
    double x = 58, end = drawn_width(n, layers);
    for (int q = 0; q < n; q++) {
        double y = TOP + STEP * q;
        wire_label(cr, y, q);
        kl_colour(cr, 0, 0.6);
        cairo_move_to(cr, 40, y);
        cairo_line_to(cr, end - 34, y);
        cairo_stroke(cr);
        snprintf(name, sizeof name, "RY x%d", q);
        gate(cr, x, y, name, 3);
        kl_text(cr, end - 30, y + 2.5, 7, KL_LEFT, "<Z>");
    }
    x += 28;
    for (int l = 0; l < layers; l++) {
        if (layers > 3 && l == 2) {
            kl_text(cr, x + 4, TOP - 10, 7, KL_CENTRE, "...");
            x += 26;
            l = layers - 1;
        }
        x = layer(cr, x, n, l);
    }
}

int kl_draw_circuit(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    char *config = NULL, text[128];
    int code = kl_file_text(&config, inputs->file, "", "config", err);
    if (code) return code;
    json_t *options = json_loads(config, 0, NULL);
    int n = (int)json_integer_value(json_object_get(options, "qubits"));
    int layers = (int)json_integer_value(json_object_get(options, "layers"));
    const char *ansatz = json_string_value(json_object_get(options, "ansatz"));
    if (n < 1 || n > 20 || layers < 0 || !ansatz)
        code = kl_fail(err, KL_EDATA, "%s: config: found no qubits, layers and ansatz", kl_file_path(inputs->file));
    if (!code) {
        double scale = (sheet->width - 10) / drawn_width(n, layers), tall = (sheet->height - 10) / (TOP + STEP * n);
        if (tall < scale) scale = tall;
        if (scale > 1.3) scale = 1.3;
        snprintf(text, sizeof text, "%s: %d qubits, %d layers, %d weights", ansatz, n, layers, n * layers);
        kl_colour(sheet->cr, 0, 1);
        cairo_scale(sheet->cr, scale, scale);
        kl_text(sheet->cr, 14, 11, 7, KL_LEFT, text);
        draw(sheet->cr, n, layers);
    }
    json_decref(options);
    free(config);
    return code;
}
