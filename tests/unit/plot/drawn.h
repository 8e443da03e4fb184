/* SPDX-License-Identifier: MIT
   What a figure writes and where, and where its discs and rectangles are: this program's own
   cairo_show_text, cairo_arc and cairo_rectangle stand before the library's. Whole files' figures:
   words.h. */
#ifndef KL_TEST_DRAWN_H
#define KL_TEST_DRAWN_H

#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plot/plot.h"
#include "store/store.h"
#include "tests/unit/any_file.h"
#include "tests/unit/check.h"

enum { MOST_DRAWN = 2000 };
static struct drawn {
    char text[KL_TEXT];
    double x, y, right; /* where it begins and ends */
} drawn_texts[MOST_DRAWN];
static struct {
    double x, y;
} drawn_discs[MOST_DRAWN];
static struct {
    double x, y, width, height;
} drawn_boxes[MOST_DRAWN];
static size_t n_drawn_texts, n_drawn_discs, n_drawn_boxes;

void cairo_rectangle(cairo_t *cr, double x, double y, double width, double height)
{
    cairo_move_to(cr, x, y);
    cairo_rel_line_to(cr, width, 0);
    cairo_rel_line_to(cr, 0, height);
    cairo_rel_line_to(cr, -width, 0);
    cairo_close_path(cr);
    if (n_drawn_boxes == MOST_DRAWN) return;
    drawn_boxes[n_drawn_boxes].x = x, drawn_boxes[n_drawn_boxes].width = width;
    drawn_boxes[n_drawn_boxes].y = y, drawn_boxes[n_drawn_boxes++].height = height;
}

void cairo_show_text(cairo_t *cr, const char *text)
{
    cairo_text_extents_t extents;
    if (n_drawn_texts == MOST_DRAWN) return;
    struct drawn *d = &drawn_texts[n_drawn_texts++];
    snprintf(d->text, sizeof d->text, "%s", text);
    cairo_get_current_point(cr, &d->x, &d->y);
    cairo_text_extents(cr, text, &extents);
    d->right = d->x + extents.x_advance;
}

void cairo_arc(cairo_t *cr, double x, double y, double radius, double from, double to)
{
    (void)from, (void)to;
    cairo_move_to(cr, x - radius, y - radius);
    cairo_line_to(cr, x + radius, y + radius);
    if (n_drawn_discs == MOST_DRAWN) return;
    drawn_discs[n_drawn_discs].x = x, drawn_discs[n_drawn_discs++].y = y;
}

/* The first text that has these words in it, or NULL. */
static inline const struct drawn *drawn_text(const char *words)
{
    for (size_t i = 0; i < n_drawn_texts; i++)
        if (strstr(drawn_texts[i].text, words)) return &drawn_texts[i];
    return NULL;
}

static inline bool drawn_exactly(const char *text)
{
    for (size_t i = 0; i < n_drawn_texts; i++)
        if (strcmp(drawn_texts[i].text, text) == 0) return true;
    return false;
}

#define CHECK_WORDS(words) CHECK(drawn_text(words), "not drawn: %s", words)

static const char *drawn_key_parts = "{}"; /* of the file */

/* Draws a figure of the file that `write` fills; what it drew is in the lists. */
static inline void draw_file(const char *path, const char *kind, const char *name,
                             int (*write)(struct kl_writer *, const void *, struct kl_error *),
                             const void *what)
{
    const struct kl_figure *figure = kl_figures;
    struct kl_error err = { 0 };
    struct kl_writer *w = NULL;
    struct kl_file *file = NULL;
    struct kl_header header = ANY_HEADER(kind);
    header.key_parts = drawn_key_parts;
    int rc = kl_store_writer_open(&w, path, &header, &err);
    if (rc >= 0) rc = write(w, what, &err);
    if (rc >= 0) rc = kl_store_writer_publish(&w, NULL, &err);
    if (rc >= 0) rc = kl_store_file_open(&file, path, &err);
    while (figure->name && strcmp(figure->name, name) != 0) figure++;
    struct kl_sheet sheet = { .width = figure->width, .height = figure->height };
    sheet.surface = cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, NULL);
    sheet.cr = cairo_create(sheet.surface);
    const struct kl_figure_inputs inputs = { .file = file };
    unsigned char *bytes = NULL;
    size_t n;
    if (rc >= 0) rc = kl_plot_figure_bytes(&bytes, &n, figure, &inputs, KL_PNG, &err);
    free(bytes);
    n_drawn_texts = n_drawn_discs = n_drawn_boxes = 0; /* of the finished figure, which is drawn twice */
    if (rc >= 0) rc = figure->draw(&sheet, &inputs, &err);
    CHECK(rc >= 0, "%s: %d %s", name, rc, err.text);
    cairo_destroy(sheet.cr);
    cairo_surface_destroy(sheet.surface);
    kl_store_file_close(&file);
    kl_store_writer_abort(&w);
}

#endif
