/* SPDX-License-Identifier: MIT
   The sheet, and a figure written to a file. */
#include "plot/plot.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <stdlib.h>
#include <string.h>

static const double PNG_DOTS = 300 /* an inch */, PNG_SCALE = 300.0 / 72;
static const double MARGIN = 3;

struct box {
    double x, y, width, height;
};

static cairo_status_t append(void *context, const unsigned char *data, unsigned int n)
{
    struct kl_sheet *sheet = context;
    return kl_plot_sheet_insert(sheet, sheet->n, data, n) ? CAIRO_STATUS_SUCCESS
                                                          : CAIRO_STATUS_NO_MEMORY;
}

/* Glyphs stand where the font's own numbers put them, on screen, in print and while measuring. */
static void set_font(cairo_t *cr)
{
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(cr, options);
    cairo_font_options_destroy(options);
    cairo_select_font_face(cr, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_line_width(cr, 0.6);
}

static int status_code(cairo_status_t status, struct kl_error *err)
{
    if (!status) return KL_OK;
    return kl_fail(err, status == CAIRO_STATUS_NO_MEMORY ? KL_ENOMEM : KL_EINTERNAL, "cairo: %s",
                   cairo_status_to_string(status));
}

/* The rectangle that a figure's drawing covers. */
static int measure(struct box *ink, const struct kl_figure *figure,
                   const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    struct kl_sheet sheet = { .width = figure->width, .height = figure->height };
    sheet.surface = cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, NULL);
    sheet.cr = cairo_create(sheet.surface);
    set_font(sheet.cr);
    kl_plot_text_watch(sheet.cr, inputs->lacking);
    int code = figure->draw(&sheet, inputs, err);
    if (!code) code = status_code(cairo_status(sheet.cr), err);
    cairo_recording_surface_ink_extents(sheet.surface, &ink->x, &ink->y, &ink->width, &ink->height);
    cairo_destroy(sheet.cr);
    cairo_surface_destroy(sheet.surface);
    return code;
}

/* The same input gives the same bytes: a PDF does not say when it was made. */
static cairo_surface_t *make_pdf(struct kl_sheet *sheet, double width, double height, const char *title,
                                 const char *about)
{
    cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(append, sheet, width, height);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, NULL);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, title);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_SUBJECT, about);
    return surface;
}

static void open_sheet(struct kl_sheet *sheet, const struct kl_figure *figure, const struct box *ink,
                       enum kl_figure_format format, const char *about)
{
    const double width = ink->width + 2 * MARGIN, height = ink->height + 2 * MARGIN;
    *sheet = (struct kl_sheet){ .width = figure->width, .height = figure->height };
    if (format == KL_PDF) sheet->surface = make_pdf(sheet, width, height, figure->name, about);
    else if (format == KL_SVG)
        sheet->surface = cairo_svg_surface_create_for_stream(append, sheet, width, height);
    else
        sheet->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(width * PNG_SCALE),
                                                    (int)(height * PNG_SCALE));
    sheet->cr = cairo_create(sheet->surface);
    if (format == KL_PNG) cairo_scale(sheet->cr, PNG_SCALE, PNG_SCALE);
    cairo_set_source_rgb(sheet->cr, 1, 1, 1);
    cairo_paint(sheet->cr);
    cairo_translate(sheet->cr, MARGIN - ink->x, MARGIN - ink->y);
    /* Words that stand alone, where there is nothing to draw, choose no colour. */
    kl_plot_colour(sheet->cr, 0, 1);
    set_font(sheet->cr);
}

static int finish_sheet(struct kl_sheet *sheet, enum kl_figure_format format, const char *about,
                        struct kl_error *err)
{
    cairo_status_t status = cairo_status(sheet->cr);
    if (!status && format == KL_PNG)
        status = cairo_surface_write_to_png_stream(sheet->surface, append, sheet);
    cairo_destroy(sheet->cr);
    cairo_surface_finish(sheet->surface);
    if (!status) status = cairo_surface_status(sheet->surface);
    cairo_surface_destroy(sheet->surface);
    if (!status && !kl_plot_sheet_complete(sheet, format, PNG_DOTS, about))
        status = CAIRO_STATUS_NO_MEMORY;
    return status_code(status, err);
}

int kl_plot_figure_bytes(unsigned char **bytes, size_t *n, const struct kl_figure *figure,
                         const struct kl_figure_inputs *inputs, enum kl_figure_format format,
                         struct kl_error *err)
{
    struct kl_sheet sheet;
    struct box ink;
    *bytes = NULL;
    int code = measure(&ink, figure, inputs, err);
    if (code) return code;
    open_sheet(&sheet, figure, &ink, format, inputs->about);
    code = figure->draw(&sheet, inputs, err);
    int finished = finish_sheet(&sheet, format, inputs->about, code ? NULL : err);
    if (!code) code = finished;
    if (code) {
        free(sheet.bytes);
        return code;
    }
    *bytes = sheet.bytes;
    *n = sheet.n;
    return KL_OK;
}

int kl_plot_figure_write(bool *written, const struct kl_figure *figure,
                         const struct kl_figure_inputs *inputs, enum kl_figure_format format,
                         const char *path, struct kl_error *err)
{
    unsigned char *bytes;
    size_t n;
    *written = false;
    int code = kl_plot_figure_bytes(&bytes, &n, figure, inputs, format, err);
    if (!code) code = kl_store_publish_bytes(written, path, bytes, n, err);
    free(bytes);
    return code;
}

void kl_plot_colour(cairo_t *cr, int i, double alpha)
{
    static const double palette[KL_N_COLOURS][3] = { { 0, 0, 0 },         { 0, .447, .698 },
                                                     { .835, .369, 0 },   { 0, .620, .451 },
                                                     { .902, .624, 0 },   { .800, .475, .655 },
                                                     { .337, .706, .914 } };
    const double *c = palette[i % KL_N_COLOURS];
    cairo_set_source_rgba(cr, c[0], c[1], c[2], alpha);
}

void kl_plot_ramp(cairo_t *cr, size_t i, size_t n, double alpha)
{
    static const double at[5][3] = { { .267, .005, .329 },
                                     { .229, .322, .546 },
                                     { .128, .567, .551 },
                                     { .369, .789, .383 },
                                     { .74, .79, .1 } };
    const double x = n > 1 ? 4.0 * (double)i / (double)(n - 1) : 1;
    const int k = x < 3 ? (int)x : 3;
    double c[3];
    for (int j = 0; j < 3; j++) c[j] = at[k][j] + (x - k) * (at[k + 1][j] - at[k][j]);
    cairo_set_source_rgba(cr, c[0], c[1], c[2], alpha);
}

void kl_plot_pen(cairo_t *cr, int colour, double alpha, double width)
{
    kl_plot_colour(cr, colour, alpha);
    cairo_set_line_width(cr, width);
}

void kl_plot_dashed(cairo_t *cr, bool dashed)
{
    static const double dashes[] = { 3, 2 };
    cairo_set_dash(cr, dashes, dashed ? 2 : 0, 0);
}

void kl_plot_line(cairo_t *cr, double x0, double y0, double x1, double y1)
{
    cairo_move_to(cr, x0, y0);
    cairo_line_to(cr, x1, y1);
    cairo_stroke(cr);
}

void kl_plot_rule(cairo_t *cr, double x, double y, double dx, double dy)
{
    cairo_move_to(cr, x, y);
    cairo_rel_line_to(cr, dx, dy);
    cairo_stroke(cr);
}

void kl_plot_fill(cairo_t *cr, double x, double y, double width, double height)
{
    cairo_rectangle(cr, x, y, width, height);
    cairo_fill(cr);
}

void kl_plot_frame(cairo_t *cr, double x, double y, double width, double height)
{
    cairo_rectangle(cr, x, y, width, height);
    cairo_stroke(cr);
}
