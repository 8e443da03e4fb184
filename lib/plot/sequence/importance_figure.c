/* SPDX-License-Identifier: MIT
   Which channels a model's loss depends on, on a head. */
#include <math.h>
#include <stdlib.h>

#include "plot/sequence/windows_view.h"
#include "store/store.h"

static const double LEFT = 20, TOP = 24, RADIUS = 78;

static int draw(cairo_t *cr, const double *shares, const double *positions, size_t n, const char *label,
                struct kl_error *err)
{
    struct kl_head_range range = { INFINITY, -INFINITY, false };
    kl_plot_head_range(&range, shares, positions, n);
    const double x = LEFT + RADIUS, y = TOP + 1.2 * RADIUS;
    const int code = kl_plot_head(cr, x, y, RADIUS, shares, positions, n, &range, label, err);
    return code ? code
                : kl_plot_head_scale(cr, x + 1.16 * RADIUS, y - RADIUS, 2 * RADIUS, &range,
                                     "share of the gradient (%)", err);
}

/* channel_importance (replicas, channels) of a report: the mean over its replicas, as shares of the sum.
 */
int kl_plot_importance(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs,
                       struct kl_error *err)
{
    const struct kl_dataset *set;
    double *all = NULL, *positions = NULL, *mean = NULL, sum = 0;
    char *model = NULL, label[KL_NAME];
    int code = kl_store_file_text(&model, inputs->file, "", "model", err);
    if (!code)
        code = kl_store_file_expect(&set, inputs->file, "channel_importance", KL_TYPE_F64, 2, err);
    const size_t n = code ? 0 : set->dims[1], shape[2] = { n, 2 };
    if (!code) code = kl_store_file_load((void **)&all, inputs->file, set, err);
    if (!code)
        code = kl_store_file_load_shape((void **)&positions, inputs->file, "channel_positions",
                                        KL_TYPE_F64, 2, shape, err);
    if (!code && !(mean = calloc(n + 1, sizeof *mean))) code = kl_fail_memory(err, n * sizeof *mean);
    for (size_t r = 0; !code && r < set->dims[0]; r++)
        for (size_t c = 0; c < n; c++) mean[c] += all[r * n + c], sum += all[r * n + c];
    size_t known = 0;
    for (size_t c = 0; !code && c < n; c++)
        mean[c] *= sum > 0 ? 100 / sum : 0, known += isfinite(positions[2 * c]) && isfinite(mean[c]);
    if (!code && known < 3)
        kl_plot_text(sheet->cr, LEFT, TOP, 7, KL_LEFT,
                     isfinite(n ? mean[0] : 0) ? "no places of electrodes are known"
                                               : "this model has no gradient by its channels");
    snprintf(label, sizeof label, "%.40s: what its loss depends on", code ? "" : model);
    if (!code && known >= 3) code = draw(sheet->cr, mean, positions, n, label, err);
    free(all), free(positions), free(mean), free(model);
    return code;
}
