/* SPDX-License-Identifier: MIT
   The sheet, and a figure written to a file. */
#include "plot/plot.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PNG_DOTS = 300 /* an inch */, PNG_SCALE = 300.0 / 72;
static const double MARGIN = 3, NARROW = 340 /* 120 mm: one column of a journal and a half */,
                    COLUMN = 250, LABEL = 8, LEAST_LETTERS = 0.6, MOST_LETTERS = 1.5, READABLE = 6.1,
                    MOST_GROWN = 1.35;

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
static void set_font(cairo_t *cr, const char *family)
{
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(cr, options);
    cairo_font_options_destroy(options);
    cairo_select_font_face(cr, family ? family : "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                           CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_line_width(cr, 0.6);
}

static int status_code(cairo_status_t status, struct kl_error *err)
{
    if (!status) return KL_OK;
    return kl_fail(err, status == CAIRO_STATUS_NO_MEMORY ? KL_ENOMEM : KL_EINTERNAL, "cairo: %s",
                   cairo_status_to_string(status));
}

static const cairo_user_data_key_t drawn_on;

const struct kl_sheet *kl_plot_sheet_of(cairo_t *cr)
{
    static const struct kl_sheet none = { .letters = 1 };
    const struct kl_sheet *sheet = cairo_get_user_data(cr, &drawn_on);
    return sheet ? sheet : &none;
}

static struct kl_sheet empty_sheet(const struct kl_figure *figure, const struct kl_figure_look *look,
                                   double letters)
{
    const bool narrow = look->width > 0 && look->width < NARROW;
    return (struct kl_sheet){ .width = narrow ? fmin(figure->width, COLUMN) : figure->width,
                              .height = figure->height,
                              .narrow = narrow,
                              .letters = letters };
}

/* Texts on it are as the sheet has them. */
static void begin(struct kl_sheet *sheet, const char *family)
{
    sheet->cr = cairo_create(sheet->surface);
    cairo_set_user_data(sheet->cr, &drawn_on, sheet, NULL);
    set_font(sheet->cr, family);
}

/* The rectangle that a figure's drawing covers, and the size of its smallest text. */
static int measure(struct box *ink, double *least, const struct kl_figure *figure,
                   const struct kl_figure_inputs *inputs, double letters, struct kl_error *err)
{
    struct kl_sheet sheet = empty_sheet(figure, &inputs->look, letters);
    sheet.surface = cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, NULL);
    sheet.lacking = inputs->lacking, sheet.least = least;
    *least = INFINITY;
    begin(&sheet, inputs->look.font);
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

/* How large it comes out: of a figure of the look's width the scale, and the factor of its texts. */
static int fit(struct box *ink, double *scale, double *letters, const struct kl_figure *figure,
               const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    const struct kl_figure_look *look = &inputs->look;
    double least = INFINITY;
    int code = KL_OK;
    *scale = *letters = 1;
    /* Other letters, another width: each pass comes closer. Without a size of labels, letters grow until
       the smallest can be read in a figure of that width. */
    for (int pass = 0; pass < (look->size > 0 || look->width > 0 ? 4 : 1) && !code; pass++) {
        if (look->size > 0)
            *letters = fmax(LEAST_LETTERS, fmin(MOST_LETTERS, look->size / LABEL / *scale));
        else if (pass > 0) *letters = fmax(1, fmin(MOST_GROWN, *letters * READABLE / (least * *scale)));
        code = measure(ink, &least, figure, inputs, *letters, err);
        if (look->width > 0) *scale = look->width / (ink->width + 2 * MARGIN);
    }
    if (inputs->least) *inputs->least = least * *scale;
    if (inputs->label) *inputs->label = LABEL * *letters * *scale;
    return code;
}

static void open_sheet(struct kl_sheet *sheet, const struct kl_figure *figure, const struct box *ink,
                       double scale, double letters, enum kl_figure_format format,
                       const struct kl_figure_inputs *inputs)
{
    const double width = scale * (ink->width + 2 * MARGIN), height = scale * (ink->height + 2 * MARGIN);
    *sheet = empty_sheet(figure, &inputs->look, letters);
    if (format == KL_PDF) sheet->surface = make_pdf(sheet, width, height, figure->name, inputs->about);
    else if (format == KL_SVG)
        sheet->surface = cairo_svg_surface_create_for_stream(append, sheet, width, height);
    else
        sheet->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(width * PNG_SCALE),
                                                    (int)(height * PNG_SCALE));
    begin(sheet, inputs->look.font);
    if (format == KL_PNG) cairo_scale(sheet->cr, PNG_SCALE, PNG_SCALE);
    cairo_set_source_rgb(sheet->cr, 1, 1, 1);
    cairo_paint(sheet->cr);
    cairo_scale(sheet->cr, scale, scale);
    cairo_translate(sheet->cr, MARGIN - ink->x, MARGIN - ink->y);
    /* Words that stand alone, where there is nothing to draw, choose no colour. */
    kl_plot_colour(sheet->cr, 0, 1);
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
    double scale, letters;
    *bytes = NULL;
    int code = fit(&ink, &scale, &letters, figure, inputs, err);
    if (code) return code;
    open_sheet(&sheet, figure, &ink, scale, letters, format, inputs);
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

void kl_plot_dashed(cairo_t *cr, size_t pattern)
{
    static const double dashes[][4] = { { 3, 2, 3, 2 }, { 1, 1.5, 1, 1.5 }, { 5, 1.5, 1, 1.5 } };
    cairo_set_dash(cr, dashes[(pattern + 2) % 3], pattern ? 4 : 0, 0);
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
