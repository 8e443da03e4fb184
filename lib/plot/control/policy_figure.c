/* SPDX-License-Identifier: MIT
   How a policy was meta-learned, by epoch: the loss of training tasks before and after adapting, and
   that of the validation tasks, which are always the same. */
#include <stdlib.h>

#include "plot/series.h"
#include "store/store.h"

enum { TRAIN, ADAPTED, BEFORE, AFTER, N_SERIES };
static const char *const names[N_SERIES] = { "history/train_loss", "history/adapted_loss",
                                             "history/val_pre", "history/val_post" };

static int load(struct kl_series series[N_SERIES], struct kl_file *file, struct kl_error *err)
{
    for (int i = 0; i < N_SERIES; i++) {
        const int code = kl_plot_series_load(&series[i], file, names[i], err);
        if (code) return code;
        if (series[i].replicas != series[0].replicas || series[i].epochs != series[0].epochs)
            return kl_fail(err, KL_EDATA, "%s: %s: its shape is not that of %s",
                           kl_store_file_path(file), names[i], names[0]);
    }
    kl_plot_series_lengths(series, N_SERIES);
    return KL_OK;
}

int kl_plot_policy(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    struct kl_series series[N_SERIES] = { 0 };
    struct kl_axes at = { .left = 50, .top = 16, .width = 190, .height = 130 };
    cairo_t *cr = sheet->cr;
    const int code = load(series, inputs->file, err);
    if (!code) {
        const bool marked = series[0].shown <= KL_SERIES_MARKED;
        char text[80];
        const double x = kl_plot_series_legend(cr, 50, 1, KL_CIRCLE, marked, "before adapting");
        kl_plot_series_legend(cr, x, 2, KL_TRIANGLE, marked, "after adapting");
        snprintf(text, sizeof text, "mean and range of %zu policies", series[0].replicas);
        if (series[0].replicas > 1) kl_plot_text(cr, 488, 10, 7, KL_RIGHT, text);
        kl_plot_series_panel(cr, at, &series[TRAIN], &series[ADAPTED], "loss, tasks of training", false);
        at.left = 298;
        kl_plot_series_panel(cr, at, &series[BEFORE], &series[AFTER], "loss, validation tasks", false);
    }
    for (int i = 0; i < N_SERIES; i++) free(series[i].values);
    return code;
}
