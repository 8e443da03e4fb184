/* SPDX-License-Identifier: MIT
   Loss and accuracy of heads by epoch, above the norms of gradients. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/series.h"
#include "store/store.h"

static bool is_empty(const struct kl_series *s)
{
    for (size_t i = 0; i < s->replicas * s->epochs; i++)
        if (isfinite(s->values[i])) return false;
    return true;
}

int kl_plot_curves(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    static const char *const names[4] = { "history/train_loss", "history/val_loss",
                                          "history/train_accuracy", "history/val_accuracy" };
    const struct kl_axes left = { .left = 44, .top = 16, .width = 195, .height = 140 };
    struct kl_axes right = left;
    struct kl_series s[4] = { { 0 } };
    int code = KL_OK;
    right.left = 288;
    for (int i = 0; !code && i < 4; i++) code = kl_plot_series_load(&s[i], inputs->file, names[i], err);
    if (!code) {
        char text[120];
        kl_plot_series_lengths(s, 4);
        const bool marked = s[0].shown <= KL_SERIES_MARKED;
        double x = kl_plot_series_legend(sheet->cr, 44, 1, KL_CIRCLE, marked, "training");
        if (!is_empty(&s[1])) kl_plot_series_legend(sheet->cr, x, 2, KL_TRIANGLE, marked, "validation");
        kl_plot_series_panel(sheet->cr, left, &s[0], &s[1], "cross-entropy (nats)", true);
        kl_plot_series_panel(sheet->cr, right, &s[2], &s[3], "accuracy", false);
        const char *what = strcmp(kl_store_file_kind(inputs->file), "head") == 0 ? "heads" : "models";
        snprintf(text, sizeof text, "mean and range of %zu %s", s[0].replicas, what);
        if (s[0].common < s[0].shown)
            snprintf(text, sizeof text,
                     "mean of %zu %s, to epoch %zu where the first stops; range of all that train",
                     s[0].replicas, what, s[0].common);
        if (s[0].replicas > 1) kl_plot_text(sheet->cr, 483, 10, 7, KL_RIGHT, text);
    }
    if (!code) code = kl_plot_gradients(sheet->cr, 206, s[0].shown, inputs->file, err);
    for (int i = 0; i < 4; i++) free(s[i].values);
    return code;
}
