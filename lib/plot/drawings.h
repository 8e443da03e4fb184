/* SPDX-License-Identifier: MIT
   Figures of several files into a folder, or one figure into one file: chosen, checked, written. */
#ifndef KL_DRAWINGS_H
#define KL_DRAWINGS_H

#include "base/base.h"
#include "plot/plot.h"

struct kl_drawings {
    const char *output; /* a folder, or a file that ends in .png, .svg or .pdf */
    const char *figure; /* a name, or "all" */
    const char
        *format; /* of the files in a folder: "png", "svg", "pdf", "both" of the first two, "all" */
    struct kl_figure_inputs inputs; /* of every figure; its file is set by the functions */
    const struct kl_log *log;
    struct kl_file *const *files; /* [n_files], open */
    size_t n_files;
    bool single; /* output is a file (kl_plot_drawings_place) */
    struct kl_drawing
        *list; /* [n] files, of which so many were written: the others were there already */
    size_t n, n_figures, written; /* a figure may be a file of each format */
};
/* Can output be drawn into? KL_EUSAGE: "-", a format that is not written, one file for all figures.
 */
int kl_plot_drawings_place(struct kl_drawings *d, struct kl_error *err);
/* The list: figures of the files' kinds. What "all" leaves out is noted. KL_EUSAGE: two figures for one
   file, or nothing to draw; KL_EDATA: the named figure needs what the file lacks; KL_ENOMEM. */
int kl_plot_drawings_choose(struct kl_drawings *d, struct kl_error *err);
/* May each be written where it goes? As kl_plot_figure_target_check. */
int kl_plot_drawings_check(const struct kl_drawings *d, bool force, const char *const *inputs, size_t n,
                           struct kl_error *err);
/* Makes the folder; a file whose bytes are the same already is not touched; older figures there that
   were left out this time are noted. KL_EDATA, KL_EIO, KL_ENOMEM. */
int kl_plot_drawings_write(struct kl_drawings *d, struct kl_error *err);
void kl_plot_drawings_free(struct kl_drawings *d);

#endif
