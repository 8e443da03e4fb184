/* SPDX-License-Identifier: MIT
   Finished PNG, SVG and PDF files: what cairo leaves out of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "plot/plot.h"

const char *const kl_plot_formats[KL_N_FORMATS] = { "png", "svg", "pdf" };

enum kl_figure_format kl_plot_format_of(const char *path)
{
    const size_t n = strlen(path);
    int format = KL_PNG;
    while (format < KL_N_FORMATS &&
           !(n > 4 && path[n - 4] == '.' && strcasecmp(path + n - 3, kl_plot_formats[format]) == 0))
        format++;
    return (enum kl_figure_format)format;
}

bool kl_plot_sheet_insert(struct kl_sheet *sheet, size_t at, const void *bytes, size_t n)
{
    if (sheet->n + n > sheet->capacity) {
        const size_t capacity = 2 * (sheet->n + n);
        unsigned char *larger = realloc(sheet->bytes, capacity);
        if (!larger) return false;
        sheet->bytes = larger;
        sheet->capacity = capacity;
    }
    memmove(sheet->bytes + at + n, sheet->bytes + at, sheet->n - at);
    memcpy(sheet->bytes + at, bytes, n);
    sheet->n += n;
    return true;
}

/* ---- identifiers of an SVG file, made the page's own ---- */
/* If one of cairo's running numbers begins at `at`, the length of what stands before its digits. */
static size_t before_number(const unsigned char *at, size_t n)
{
    static const char *const marks[] = { "id=\"surface", "id=\"image", "\"#surface", "\"#image" };
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const size_t length = strlen(marks[i]);
        if (n > length && memcmp(at, marks[i], length) == 0 && at[length] >= '0' && at[length] <= '9')
            return length;
    }
    return 0;
}

static unsigned long read_number(const unsigned char *bytes, size_t n, size_t *at)
{
    unsigned long number = 0;
    while (*at < n && bytes[*at] >= '0' && bytes[*at] <= '9')
        number = 10 * number + (unsigned long)(bytes[(*at)++] - '0');
    return number;
}

size_t kl_plot_svg_renumber(unsigned char *bytes, size_t n)
{
    unsigned long least = (unsigned long)-1;
    size_t kept = 0;
    for (size_t at = 0, length; at < n; at++) {
        if (!(length = before_number(bytes + at, n - at))) continue;
        at += length;
        const unsigned long number = read_number(bytes, n, &at);
        if (number < least) least = number;
    }
    for (size_t at = 0, length; at < n;) {
        if (!(length = before_number(bytes + at, n - at))) {
            bytes[kept++] = bytes[at++];
            continue;
        }
        char text[24];
        memmove(bytes + kept, bytes + at, length);
        at += length;
        const int digits = snprintf(text, sizeof text, "%lu", read_number(bytes, n, &at) - least);
        memcpy(bytes + kept + length, text, (size_t)digits); /* never longer than the old number */
        kept += length + (size_t)digits;
    }
    return kept;
}

/* The place behind an SVG file's first tag. */
static size_t svg_body(const struct kl_sheet *sheet)
{
    static const char tag[] = "<svg ";
    const unsigned char *svg = memmem(sheet->bytes, sheet->n, tag, strlen(tag));
    const unsigned char *end = svg ? memchr(svg, '>', sheet->n - (size_t)(svg - sheet->bytes)) : NULL;
    return end ? (size_t)(end - sheet->bytes) + 1 : 0;
}

static bool svg_describe(struct kl_sheet *sheet, const char *about)
{
    char *text = NULL;
    size_t n;
    FILE *to = open_memstream(&text, &n);
    if (!to) return false;
    fputs("\n<desc>", to);
    kl_plot_html_text(to, about);
    fputs("</desc>", to);
    const bool done = fclose(to) == 0 && kl_plot_sheet_insert(sheet, svg_body(sheet), text, n);
    free(text);
    return done;
}

/* ---- chunks of a PNG file (PNG specification, third edition) ---- */
enum { HEAD = 8 + 25 }; /* the signature and the header's chunk, which is the first */

static void put_number(unsigned char *to, uint32_t n)
{
    for (int i = 0; i < 4; i++) to[i] = (unsigned char)(n >> (24 - 8 * i));
}

/* A chunk behind the header: length, the name of four letters, data, check. */
static bool png_insert(struct kl_sheet *sheet, const char *name, const void *data, size_t n)
{
    unsigned char *chunk = malloc(n + 12);
    if (!chunk) return false;
    put_number(chunk, (uint32_t)n);
    memcpy(chunk + 4, name, 4);
    memcpy(chunk + 8, data, n);
    put_number(chunk + 8 + n, (uint32_t)crc32(0, chunk + 4, (uInt)(4 + n)));
    const bool done = kl_plot_sheet_insert(sheet, HEAD, chunk, n + 12);
    free(chunk);
    return done;
}

/* UTF-8 as it is, of no language (11.3.3.4). */
static bool png_describe(struct kl_sheet *sheet, const char *about)
{
    static const char head[] = "Description\0\0\0\0";
    const size_t n = strlen(about);
    char *data = malloc(sizeof head + n);
    if (!data) return false;
    memcpy(data, head, sizeof head);
    memcpy(data + sizeof head, about, n);
    const bool done = png_insert(sheet, "iTXt", data, sizeof head + n);
    free(data);
    return done;
}

/* Printers and word processors take a picture without a resolution for 72 or 96 dots an inch
   (11.3.4.3). */
static bool png_set_resolution(struct kl_sheet *sheet, double dots_an_inch)
{
    unsigned char data[9] = { [8] = 1 }; /* the unit is the metre */
    const uint32_t dots_a_metre = (uint32_t)lround(dots_an_inch / 0.0254);
    put_number(data, dots_a_metre);
    put_number(data + 4, dots_a_metre);
    return png_insert(sheet, "pHYs", data, sizeof data);
}

bool kl_plot_sheet_complete(struct kl_sheet *sheet, enum kl_figure_format format, double dots_an_inch,
                            const char *about)
{
    if (format == KL_SVG) {
        sheet->n = kl_plot_svg_renumber(sheet->bytes, sheet->n);
        return !about || svg_describe(sheet, about);
    }
    return format == KL_PDF ||
           ((!about || png_describe(sheet, about)) && png_set_resolution(sheet, dots_an_inch));
}
