/* SPDX-License-Identifier: MIT
   What may stand where a figure goes: nothing, or a picture of its format. */
#include "plot/plot.h"
#include "store/store.h"

int kl_plot_figure_target_check(const char *path, enum kl_figure_format format, bool force,
                                const char *const *inputs, size_t n, struct kl_error *err)
{
    int code = kl_store_target_no_input(path, inputs, n, err);
    if (code) return code;
    if (format == KL_PNG)
        return kl_store_target_check_bytes(path, 0, "\x89PNG\r\n\x1a\n", force, inputs, n, err);
    /* an SVG may do without the line that says it is XML */
    code = kl_store_target_check_bytes(path, 0, "<svg", force, inputs, n, err);
    if (code != KL_EUSAGE) return code; /* that it cannot be read is not hidden by what is read next */
    return kl_store_target_check_bytes(path, 0, "<?xml", force, inputs, n, err);
}
