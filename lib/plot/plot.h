/* SPDX-License-Identifier: MIT
   plot: figures of finished files, through cairo; the same input gives the same bytes. Sizes are in
   points (1/72 inch). Tiers: a figure made (figure.c); drawing a plot (axes.c); the sheet (sheet.c). */
#ifndef KL_PLOT_H
#define KL_PLOT_H

#include <cairo.h>

#include "base/base.h"

struct kl_circuit_options;
struct kl_file;
struct kl_sheet;

/* Extra inputs that some figures need. */
struct kl_figure_inputs {
    struct kl_file *file;                     /* the head, report, features or plateau */
    const char *images;                       /* samples: the images behind the report's rows, or NULL */
    int64_t replica;                          /* which of several heads */
    const struct kl_circuit_options *circuit; /* circuit: this one, not that of a file */
};
struct kl_figure {
    const char *name, *kind; /* "curves" of a "head" */
    double width, height;    /* of the sheet */
    int (*draw)(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err);
    const char *dataset; /* without which there is nothing to draw; NULL: any file of the kind has it */
    bool needs_images;
};
/* All figures; the last has name NULL. */
extern const struct kl_figure kl_figures[];
enum kl_figure_format { KL_PNG, KL_SVG };
/* Draw and write to path, atomically, only if the bytes differ; *written says. KL_EDATA, KL_EIO,
   KL_ENOMEM. */
int kl_figure_write(bool *written, const struct kl_figure *figure, const struct kl_figure_inputs *inputs,
                    enum kl_figure_format format, const char *path, struct kl_error *err);

/* ---- the sheet ---- */
struct kl_sheet {
    cairo_t *cr;
    cairo_surface_t *surface;
    double width, height;
    unsigned char *bytes; /* the finished file */
    size_t n, capacity;
    bool failed;
};
enum { KL_N_COLOURS = 8 };
/* Okabe & Ito's palette, which colour-blind readers can tell apart; i is taken modulo 8, 0 is black. */
void kl_colour(cairo_t *cr, int i, double alpha);
enum kl_align { KL_LEFT, KL_CENTRE, KL_RIGHT };
void kl_text(cairo_t *cr, double x, double y, double size, enum kl_align align, const char *text);

/* ---- a plot: a frame with axes ---- */
struct kl_axes {
    double left, top, width, height; /* of the frame on the sheet */
    double x0, x1, y0, y1;           /* values at its edges */
    bool whole_x;                    /* x values are whole numbers: no ticks between them */
    bool log_y;                      /* y values are logarithms to the base of ten */
    bool bare_y; /* no numbers and no label at the left: those of a panel beside it */
};
/* Frame, about five ticks at round numbers an axis, labels. */
void kl_axes_draw(cairo_t *cr, const struct kl_axes *axes, const char *x_label, const char *y_label);
/* Frame and the lower axis alone. */
void kl_axes_draw_x(cairo_t *cr, const struct kl_axes *axes, const char *label);
double kl_axes_x(const struct kl_axes *axes, double value);
double kl_axes_y(const struct kl_axes *axes, double value);
/* One entry of a legend: a short line and a text, at (x, y). */
void kl_legend(cairo_t *cr, double x, double y, int colour, const char *text);

/* ---- the figures ---- */
int kl_draw_curves(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err);
int kl_draw_circuit(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err);
int kl_draw_confusion(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs,
                      struct kl_error *err);
int kl_draw_calibration(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs,
                        struct kl_error *err);
int kl_draw_pca(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err);
int kl_draw_plateau(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err);
int kl_draw_samples(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err);
int kl_draw_sweep(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err);
/* First two principal components of x (n, d): scores (n, 2), explained[2] shares of the variance.
   Subspace iteration on the covariance (Golub & Van Loan, Matrix Computations, 8.2.4), from a fixed
   start; a component's largest loading is positive. */
int kl_pca(double *scores, double explained[2], const float *x, size_t n, size_t d,
           struct kl_error *err);

#endif
