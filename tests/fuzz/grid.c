/* SPDX-License-Identifier: MIT
   Any bytes as the text of --grid. What is read has as many points as its axes multiply to; each sets
   the options to values within their bounds, and no two points are one. */
#include <stdio.h>

#include "tests/fuzz/frame/tool.h"

const int fuzz_corpus = 20;
enum { MOST_POINTS = 64 };

static const struct kl_grid_refusal refusals[] = { { "grey", "not in a grid" }, { NULL, NULL } };

static void check_points(const struct kl_grid *grid)
{
    size_t n = 1;
    for (int i = 0; i < grid->n_axes; i++) n *= grid->axes[i].n;
    need(grid->n_axes >= 1 && n == grid->n && n <= KL_GRID_POINTS, "another number of points",
         grid->text);
    for (size_t point = 0; point < n && point < MOST_POINTS; point++) {
        struct values v = tool_defaults;
        struct kl_error err = { 0 };
        need(kl_grid_set(grid, point, &v, &err) == 0, "a point that cannot be set", err.text);
        need_bounds(&v);
        bool differs = point == 0;
        for (int i = 0; i < grid->n_axes && !differs; i++)
            differs = strcmp(kl_grid_value(grid, point, i), kl_grid_value(grid, point - 1, i)) != 0;
        need(differs, "a point twice", kl_grid_value(grid, point, 0));
    }
}

bool fuzz(const unsigned char *data, size_t n)
{
    struct kl_grid grid;
    struct kl_error err = { 0 };
    char *text = fuzz_text(data, n);
    const int code = kl_grid_parse(&grid, &tool, refusals, text, &err);
    free(text); /* the grid has its own */
    if (code) need_refusal(code, KL_EUSAGE, KL_EUSAGE, &err);
    else check_points(&grid);
    kl_grid_free(&grid);
    return code == 0;
}
