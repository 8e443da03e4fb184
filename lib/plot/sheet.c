/* SPDX-License-Identifier: MIT
   The sheet, and a figure written to a file. */
#include <cairo-svg.h>
#include <stdlib.h>
#include <string.h>

#include "plot/plot.h"
#include "store/store.h"

static const double PNG_SCALE = 300.0 / 72; /* 300 dots an inch */

static cairo_status_t append(void *context, const unsigned char *data, unsigned int n)
{
    struct kl_sheet *sheet = context;
    if (sheet->n + n > sheet->capacity) {
        size_t capacity = 2 * (sheet->n + n);
        unsigned char *larger = realloc(sheet->bytes, capacity);
        if (!larger) return CAIRO_STATUS_NO_MEMORY;
        sheet->bytes = larger;
        sheet->capacity = capacity;
    }
    memcpy(sheet->bytes + sheet->n, data, n);
    sheet->n += n;
    return CAIRO_STATUS_SUCCESS;
}

static void open_sheet(struct kl_sheet *sheet, double width, double height, enum kl_figure_format format)
{
    *sheet = (struct kl_sheet){ .width = width, .height = height };
    sheet->surface = format == KL_SVG
                         ? cairo_svg_surface_create_for_stream(append, sheet, width, height)
                         : cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(width * PNG_SCALE),
                                                      (int)(height * PNG_SCALE));
    sheet->cr = cairo_create(sheet->surface);
    if (format == KL_PNG) cairo_scale(sheet->cr, PNG_SCALE, PNG_SCALE);
    cairo_set_source_rgb(sheet->cr, 1, 1, 1);
    cairo_paint(sheet->cr);
    cairo_select_font_face(sheet->cr, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_line_width(sheet->cr, 0.6);
}

/* cairo numbers its surfaces through the life of a process; a figure's bytes must not depend on those
   before it. */
static void drop_surface_number(struct kl_sheet *sheet)
{
    static const char mark[] = "id=\"surface";
    unsigned char *at = memmem(sheet->bytes, sheet->n, mark, sizeof mark - 1), *end;
    if (!at) return;
    at += sizeof mark - 1;
    for (end = at; end < sheet->bytes + sheet->n && *end >= '0' && *end <= '9'; end++) continue;
    memmove(at, end, (size_t)(sheet->bytes + sheet->n - end));
    sheet->n -= (size_t)(end - at);
}

static int finish_sheet(struct kl_sheet *sheet, enum kl_figure_format format, struct kl_error *err)
{
    cairo_status_t status = cairo_status(sheet->cr);
    if (!status && format == KL_PNG)
        status = cairo_surface_write_to_png_stream(sheet->surface, append, sheet);
    cairo_destroy(sheet->cr);
    cairo_surface_finish(sheet->surface);
    if (!status) status = cairo_surface_status(sheet->surface);
    cairo_surface_destroy(sheet->surface);
    if (!status && format == KL_SVG) drop_surface_number(sheet);
    if (!status) return KL_OK;
    return kl_fail(err, status == CAIRO_STATUS_NO_MEMORY ? KL_ENOMEM : KL_EINTERNAL, "cairo: %s",
                   cairo_status_to_string(status));
}

int kl_figure_write(bool *written, const struct kl_figure *figure, const struct kl_figure_inputs *inputs,
                    enum kl_figure_format format, const char *path, struct kl_error *err)
{
    struct kl_sheet sheet;
    *written = false;
    open_sheet(&sheet, figure->width, figure->height, format);
    int code = figure->draw(&sheet, inputs, err);
    int finished = finish_sheet(&sheet, format, code ? NULL : err);
    if (!code) code = finished;
    if (!code) code = kl_publish_bytes(written, path, sheet.bytes, sheet.n, err);
    free(sheet.bytes);
    return code;
}

void kl_colour(cairo_t *cr, int i, double alpha)
{
    static const double palette[KL_N_COLOURS][3] = { { 0, 0, 0 },          { 0, .447, .698 },
                                                     { .835, .369, 0 },    { 0, .620, .451 },
                                                     { .902, .624, 0 },    { .800, .475, .655 },
                                                     { .337, .706, .914 }, { .941, .894, .259 } };
    const double *c = palette[i % KL_N_COLOURS];
    cairo_set_source_rgba(cr, c[0], c[1], c[2], alpha);
}

void kl_text(cairo_t *cr, double x, double y, double size, enum kl_align align, const char *text)
{
    cairo_text_extents_t extents;
    cairo_set_font_size(cr, size);
    cairo_text_extents(cr, text, &extents);
    double shift = align == KL_LEFT ? 0 : align == KL_CENTRE ? extents.x_advance / 2 : extents.x_advance;
    cairo_move_to(cr, x - shift, y);
    cairo_show_text(cr, text);
    cairo_new_path(cr); /* no current point: the next line begins anew */
}

const struct kl_figure kl_figures[] = {
    { "curves", "head", 460, 190, kl_draw_curves, "history/train_loss", false },
    { "circuit", "head", 460, 170, kl_draw_circuit, NULL, false },
    { "confusion", "report", 270, 260, kl_draw_confusion, NULL, false },
    { "calibration", "report", 245, 235, kl_draw_calibration, NULL, false },
    { "samples", "report", 360, 250, kl_draw_samples, NULL, true },
    { "pca", "features", 290, 250, kl_draw_pca, NULL, false },
    { "sweep", "sweep", 460, 290, kl_draw_sweep, NULL, false },
    { "plateau", "plateau", 460, 190, kl_draw_plateau, NULL, false },
    { NULL, NULL, 0, 0, NULL, NULL, false },
};
