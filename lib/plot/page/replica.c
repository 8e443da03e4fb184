/* SPDX-License-Identifier: MIT
   What figures of a report say above their frames. */
#include <string.h>

#include "plot/page/headline_int.h"
#include "store/store.h"

int kl_plot_which_replica(char which[KL_WHICH], const struct kl_figure_inputs *inputs, size_t n,
                          struct kl_error *err)
{
    *which = '\0';
    if ((size_t)inputs->replica >= n)
        return kl_fail(err, KL_EUSAGE, "--replica %lld: %s has %zu head%s, numbered from 0",
                       (long long)inputs->replica, kl_store_file_path(inputs->file), n, kl_s(n));
    if (n > 1)
        snprintf(which, KL_WHICH, "replica %lld (of 0 to %zu)", (long long)inputs->replica, n - 1);
    return KL_OK;
}

int kl_plot_report_head(cairo_t *cr, double left, double top, const struct kl_file *file, double n,
                        const char *which, struct kl_error *err)
{
    const double room = 230;
    char text[KL_HEADLINE], cautions[KL_HEADLINE] = "";
    const bool windows = strcmp(kl_store_file_kind(file), "sequence-report") == 0;
    *text = '\0';
    int code = windows ? kl_plot_headline_text(text, file, "model", "", err) : KL_OK;
    kl_plot_headline_add(text, "%s%.0f %s%s", *text ? ", " : "", n, windows ? "window" : "sample",
                         n == 1 ? "" : "s");
    if (!code) code = kl_plot_headline_means(text, file, err);
    if (code) return code;
    if (*which) kl_plot_headline_add(text, ", %s", which);
    kl_plot_headline_cautions(cautions, file);
    kl_plot_colour(cr, 0, 1);
    if (*cautions) kl_plot_text_within(cr, left, top - 7, 7, KL_LEFT, room, cautions + 2);
    kl_plot_text_within(cr, left, top - (*cautions ? 17 : 7), 7, KL_LEFT, room, text);
    return KL_OK;
}
