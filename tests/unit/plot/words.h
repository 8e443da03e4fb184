/* SPDX-License-Identifier: MIT
   How often a text stands in a figure of files (drawn.h has what was drawn). A figure is drawn twice,
   the first time to be measured. */
#ifndef KL_TEST_WORDS_H
#define KL_TEST_WORDS_H

#include "tests/unit/plot/drawn.h"
#include "tests/unit/test_folder.h"

/* How often this text stands in the figure drawn last. */
static inline size_t times_drawn(const char *text)
{
    size_t n = 0;
    for (size_t i = 0; i < n_drawn_texts; i++) n += strcmp(drawn_texts[i].text, text) == 0;
    return n / 2;
}

static inline void list_drawn(void)
{
    for (size_t i = 0; i < n_drawn_texts / 2; i++) fprintf(stderr, "drawn: %s\n", drawn_texts[i].text);
}

#define CHECK_DRAWN(text, n)                                                        \
    do {                                                                            \
        CHECK(times_drawn(text) == (n), "'%s' %zu times", text, times_drawn(text)); \
        if (times_drawn(text) != (n)) list_drawn();                                 \
    } while (0)

/* The figure of this name of n files of its kind, at paths. */
static inline void draw_figure(const char *name, const char *const *paths, size_t n)
{
    struct kl_file *files[4] = { NULL };
    struct kl_error err = { 0 };
    const struct kl_figure *figure = kl_figures;
    unsigned char *bytes = NULL;
    size_t size;
    int code = KL_OK;
    while (figure->name && strcmp(figure->name, name) != 0) figure++;
    for (size_t i = 0; i < n && !code; i++) code = kl_store_file_open(&files[i], paths[i], &err);
    const struct kl_figure_inputs inputs = { .file = files[0], .files = files, .n_files = n };
    n_drawn_texts = n_drawn_discs = n_drawn_boxes = 0;
    if (!code) code = kl_plot_figure_bytes(&bytes, &size, figure, &inputs, KL_SVG, &err);
    CHECK(!code, "%s: %s", name, err.text);
    free(bytes);
    for (size_t i = 0; i < n; i++) kl_store_file_close(&files[i]);
}

#endif
