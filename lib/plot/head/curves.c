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

/* "mean and range of 5 heads"; of a file that says which model it holds that before it. */
enum { RUNS = 200 };
static int tell_runs(char text[RUNS], const struct kl_series *s, struct kl_file *file,
                     struct kl_error *err)
{
    const bool heads = strcmp(kl_store_file_kind(file), "head") == 0;
    const char *what = heads ? "heads" : "models";
    char *model = NULL;
    size_t used = 0;
    *text = '\0';
    if (!heads && kl_store_file_has_attribute(file, "", "model")) {
        const int code = kl_store_file_text(&model, file, "", "model", err);
        if (code) return code;
        used = (size_t)snprintf(text, RUNS, "%.60s%s", model, s->replicas > 1 ? ": " : "");
        free(model);
    }
    if (s->common < s->shown)
        snprintf(text + used, RUNS - used,
                 "mean of %zu %s, to epoch %zu where the first stops; range of all that train",
                 s->replicas, what, s->common);
    else if (s->replicas > 1)
        snprintf(text + used, RUNS - used, "mean and range of %zu %s", s->replicas, what);
    return KL_OK;
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
        char text[RUNS];
        kl_plot_series_lengths(s, 4);
        const bool marked = s[0].shown <= KL_SERIES_MARKED;
        double x = kl_plot_series_legend(sheet->cr, 44, 1, KL_CIRCLE, marked, "training");
        if (!is_empty(&s[1])) kl_plot_series_legend(sheet->cr, x, 2, KL_TRIANGLE, marked, "validation");
        kl_plot_series_panel(sheet->cr, left, &s[0], &s[1], "cross-entropy (nats)", true);
        kl_plot_series_panel(sheet->cr, right, &s[2], &s[3], "accuracy", false);
        code = tell_runs(text, &s[0], inputs->file, err);
        if (*text) kl_plot_text(sheet->cr, 483, 10, 7, KL_RIGHT, text);
    }
    if (!code) code = kl_plot_gradients(sheet->cr, 206, s[0].shown, inputs->file, err);
    for (int i = 0; i < 4; i++) free(s[i].values);
    return code;
}
