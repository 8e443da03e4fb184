/* SPDX-License-Identifier: MIT
   plot: figures of finished files, through cairo; the same input gives the same bytes. Sizes are in
   points (1/72 inch). Tiers: a figure and what it takes (inputs.c); drawing a plot (axes.c); the sheet
   (sheet.c). */
#ifndef KL_PLOT_H
#define KL_PLOT_H

#include <cairo.h>

#include "base/base.h"
#include "store/store.h"

struct kl_circuit;
struct kl_circuit_options;
struct kl_sheet;
struct json_t;

enum { KL_CHARACTER = 5 }; /* one in UTF-8 */
/* As a paper wants it; zeros: as the figure is. */
struct kl_figure_look {
    double width;     /* of the picture, in points; below 340 panels stand one below the other */
    double size;      /* of the axes' labels, in points; without it 8, and as the width scales it */
    const char *font; /* a family */
};
/* Extra inputs that some figures need. */
struct kl_figure_inputs {
    struct kl_file *file;                     /* the head, report, features or plateau */
    const char *images;                       /* samples: the images behind the report's rows, or NULL */
    int64_t replica;                          /* which of several heads */
    const struct kl_circuit_options *circuit; /* circuit: this one, not that of a file */
    size_t *drawn;                            /* circuit: its gates that there is room for; or NULL */
    const char *about; /* what a picture file says of itself: UTF-8, printable; or NULL */
    struct kl_figure_look look;
    double *label, *least; /* receive the size of the axes' labels and of the smallest text, in points;
                              or NULL */
    char *lacking; /* [KL_CHARACTER], "" before: the first character that the font lacks; or NULL */
    struct kl_file *const *files; /* [n_files]: all, for figures that look beside theirs */
    size_t n_files;
};
typedef int kl_plot_draw(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs,
                         struct kl_error *err);
struct kl_figure {
    const char *name, *kind; /* "curves" of a "head" */
    double width, height;    /* that it may take, in points */
    kl_plot_draw *draw;
    const char *dataset; /* without which there is nothing to draw; NULL: any file of the kind has it */
    const char *lack;    /* what a file without it holds; NULL: "no DATASET" */
    bool needs_images, needs_circuit; /* --images; a head whose core is a circuit */
    bool needs_numbers;               /* one in the dataset at least, float64 of two dimensions */
    const char *beside; /* kind of further files that it takes from inputs->files; if it is `kind`, one
                           figure is of all files of the kind */
};
/* All figures (figures.c); the last has name NULL. */
extern const struct kl_figure kl_figures[];
enum kl_figure_format { KL_PNG, KL_SVG, KL_PDF, KL_N_FORMATS };
extern const char *const kl_plot_formats[KL_N_FORMATS]; /* "png", ...: also how names end */
/* The format of a path by its end, in any case: KL_N_FORMATS, if by that it is no picture. (picture.c)
 */
enum kl_figure_format kl_plot_format_of(const char *path);
/* Why a figure of the file's kind is left out where all are drawn: "needs --images", ...; "": it is not.
   KL_EDATA, KL_ENOMEM. (inputs.c) */
enum { KL_OBSTACLE = 200 };
int kl_plot_figure_obstacle(char why[KL_OBSTACLE], const struct kl_figure *figure,
                            const struct kl_figure_inputs *inputs, struct kl_error *err);
/* Is inputs->file of the figure's kind, and if the figure is of all files of a kind, the first of them?
 */
bool kl_plot_figure_takes(const struct kl_figure *figure, const struct kl_figure_inputs *inputs);
/* May a figure go to path? KL_EUSAGE if that is one of the n inputs or, without force, holds something
   other than a picture of this format. */
int kl_plot_figure_target_check(const char *path, enum kl_figure_format format, bool force,
                                const char *const *inputs, size_t n, struct kl_error *err);
/* The finished picture, malloc'ed. KL_EDATA, KL_ENOMEM. */
int kl_plot_figure_bytes(unsigned char **bytes, size_t *n, const struct kl_figure *figure,
                         const struct kl_figure_inputs *inputs, enum kl_figure_format format,
                         struct kl_error *err);
/* Draw and write to path, atomically, only if the bytes differ; *written says. KL_EDATA, KL_EIO,
   KL_ENOMEM. */
int kl_plot_figure_write(bool *written, const struct kl_figure *figure,
                         const struct kl_figure_inputs *inputs, enum kl_figure_format format,
                         const char *path, struct kl_error *err);

/* Lines, each ended by a newline, on files that are drawn together and are of two runs: of the kind that
   another one was made from, and not the one that it was made from, by the records of provenance. NULL:
   none. malloc'ed. KL_EDATA, KL_ENOMEM. (inputs.c) */
int kl_plot_files_apart(char **lines, struct kl_file *const *files, size_t n, struct kl_error *err);

/* ---- the page (page/page.c): files as one HTML document that needs nothing beside it, no script and no
   network. What was found comes first: sentences, the numbers and the figure that decide, cautions; then
   each file's figures, and folded its facts, tables and options; last what it was all made from. found:
   the sentences, a line each; NULL: those that the tools told of results. The same files give the same
   bytes, written to path, atomically, only if they differ; *written says. inputs->file is not used.
   KL_EDATA, KL_EIO, KL_ENOMEM. */
int kl_plot_page_write(bool *written, const char *path, struct kl_file *const *files, size_t n,
                       const char *found, const struct kl_figure_inputs *inputs, struct kl_error *err);

/* ---- the sheet ----
   A figure is drawn twice: first to find out how much room it takes, then on a sheet that is cut to
   that with a narrow margin. Lengths are points (1/72 inch); text is 6 points or larger wherever the
   number of classes, gates or bins leaves the choice. */
struct kl_sheet {
    cairo_t *cr;
    cairo_surface_t *surface;
    double width, height;
    bool narrow;          /* panels stand one below the other */
    double letters;       /* factor of all sizes of text */
    char *lacking;        /* as kl_figure_inputs */
    double *least;        /* of the sizes of texts, before the sheet is scaled; or NULL */
    unsigned char *bytes; /* the finished file */
    size_t n, capacity;
};
/* The sheet that is drawn on; one that is as the figure is, where there is none. (sheet.c) */
const struct kl_sheet *kl_plot_sheet_of(cairo_t *cr);
/* Is a family of fonts on this machine? (text.c) */
bool kl_plot_has_font(const char *family);
enum { KL_N_COLOURS = 7 };
/* Okabe & Ito's palette, which colour-blind readers can tell apart, without its yellow, which white
   paper swallows; i is taken modulo 7, 0 is black. */
void kl_plot_colour(cairo_t *cr, int i, double alpha);
/* The i-th of n colours in an order: five points of viridis (van der Walt & Smith 2015), from dark to
   light, which print and colour-blind readers keep. Its yellow end is too light for lines. */
void kl_plot_ramp(cairo_t *cr, size_t i, size_t n, double alpha);
/* Colour and width of the lines that follow; how they are dashed: 0 not at all, else one of three
   patterns, so that lines are told apart without their colours. */
void kl_plot_pen(cairo_t *cr, int colour, double alpha, double width);
void kl_plot_dashed(cairo_t *cr, size_t pattern);
/* One line, from end to end or so far on; a box, filled; a box's edge. */
void kl_plot_line(cairo_t *cr, double x0, double y0, double x1, double y1);
void kl_plot_rule(cairo_t *cr, double x, double y, double dx, double dy);
void kl_plot_fill(cairo_t *cr, double x, double y, double width, double height);
void kl_plot_frame(cairo_t *cr, double x, double y, double width, double height);

/* ---- finished picture files (picture.c) ---- */
/* Numbers that cairo gives to surfaces and images through the life of a process, in a finished SVG file,
   count from 0 instead: a figure's bytes do not depend on those before it. Returns the new length. */
size_t kl_plot_svg_renumber(unsigned char *bytes, size_t n);
/* More bytes at a place of a sheet's file; false: no memory. */
bool kl_plot_sheet_insert(struct kl_sheet *sheet, size_t at, const void *bytes, size_t n);
/* What cairo leaves out of a sheet's finished file: of a PNG its resolution and, as of an SVG, `about`
   (or NULL). false: no memory. */
bool kl_plot_sheet_complete(struct kl_sheet *sheet, enum kl_figure_format format, double dots_an_inch,
                            const char *about);

/* ---- text (text.c): any bytes; those that are not UTF-8 become question marks ---- */
enum kl_align { KL_LEFT, KL_CENTRE, KL_RIGHT };
/* Between the tags or in an attribute of XML or HTML. */
void kl_plot_html_text(FILE *to, const char *text);
void kl_plot_text(cairo_t *cr, double x, double y, double size, enum kl_align align, const char *text);
/* Cut to the width `room`, with three dots in its middle. */
void kl_plot_text_within(cairo_t *cr, double x, double y, double size, enum kl_align align, double room,
                         const char *text);
/* The same in black, as what follows. */
void kl_plot_black(cairo_t *cr, double x, double y, double size, enum kl_align align, const char *text);
void kl_plot_black_within(cairo_t *cr, double x, double y, double size, enum kl_align align, double room,
                          const char *text);
/* The text as kl_plot_text_within shows it. */
enum { KL_TEXT = 404 };
void kl_plot_text_cut(char cut[KL_TEXT], cairo_t *cr, double size, double room, const char *text);
/* kl_plot_text_within from bottom to top. */
void kl_plot_text_upwards(cairo_t *cr, double x, double y, double size, enum kl_align align, double room,
                          const char *text);
double kl_plot_text_width(cairo_t *cr, double size, const char *text);
/* In black, in as many lines as a width takes, of which the last stands at y; or the first, and
   returned is where the next would. */
void kl_plot_black_lines(cairo_t *cr, double x, double y, double size, double room, const char *text);
double kl_plot_black_down(cairo_t *cr, double x, double y, double size, enum kl_align align, double room,
                          const char *text);
/* How many lines that are. */
int kl_plot_text_lines(cairo_t *cr, double size, double room, const char *text);
/* Bytes of the printable UTF-8 character that begins at text; 0: none does. */
size_t kl_plot_text_character(const char *text);
/* The k-th of n names, each in `size` bytes; a class beyond them has its number. */
enum { KL_NAME = 80 };
void kl_plot_name(char text[KL_NAME], const char *names, size_t n, size_t size, size_t k);

/* ---- a plot: a frame with axes ---- */
struct kl_axes {
    double left, top, width, height; /* of the frame on the sheet */
    double x0, x1, y0, y1;           /* values at its edges */
    bool whole_x;                    /* ticks at whole numbers only */
    bool no_x_numbers;               /* of a panel that shares those of the panel below */
    bool log_y, log_x;               /* values are logarithms to the base of ten */
    bool bare_y;                     /* no numbers and no label: those of the panel at the left */
    double label_out;                /* distance of the y label from the frame; 0: beside the numbers */
};
/* Frame, about five ticks at round numbers an axis, labels; x_label may be NULL. */
void kl_plot_axes_draw(cairo_t *cr, const struct kl_axes *axes, const char *x_label,
                       const char *y_label);
/* Panel i of those that stand two across: `across` and `down` from the first one's place. */
struct kl_axes kl_plot_axes_panel(cairo_t *cr, struct kl_axes first, int i, double across, double down);
/* Frame and the lower axis alone. */
void kl_plot_axes_draw_x(cairo_t *cr, const struct kl_axes *axes, const char *label);
/* A number of ticks that are `step` apart, the largest of about `most`: with as many decimals as tell
   them apart, and above 1e6 and below 1e-4 times the power of ten of `most`. */
enum { KL_TICK = 60 };
void kl_plot_tick_text(char text[KL_TICK], double value, double step, double most);
/* A whole number in raised digits, to stand behind "10". */
void kl_plot_axes_power(char *to, size_t size, int power);
double kl_plot_axes_x(const struct kl_axes *axes, double value);
double kl_plot_axes_y(const struct kl_axes *axes, double value);
/* Cut what follows to the frame, up to cairo_restore. */
void kl_plot_axes_clip(cairo_t *cr, const struct kl_axes *axes);
/* By values: the path goes on to (x, y); a line; a line across the frame. */
void kl_plot_axes_to(cairo_t *cr, const struct kl_axes *axes, double x, double y);
void kl_plot_axes_line(cairo_t *cr, const struct kl_axes *axes, double x0, double y0, double x1,
                       double y1);
void kl_plot_axes_level(cairo_t *cr, const struct kl_axes *axes, double y);
/* An interval: upright at x of the sheet, or level at its y. */
void kl_plot_axes_upright(cairo_t *cr, const struct kl_axes *axes, double x, double low, double high);
void kl_plot_axes_across(cairo_t *cr, const struct kl_axes *axes, double y, double low, double high);
/* Above the middle of the frame. */
void kl_plot_axes_title(cairo_t *cr, const struct kl_axes *axes, const char *text);
/* y reaches value too, if that is a number. */
void kl_plot_axes_widen(struct kl_axes *axes, double value);
/* A filled mark, of about the same area whatever its form; of values. */
enum kl_mark { KL_CIRCLE, KL_TRIANGLE, KL_SQUARE, KL_DIAMOND, KL_N_MARKS };
void kl_plot_mark(cairo_t *cr, double x, double y, double radius, enum kl_mark mark);
void kl_plot_axes_mark(cairo_t *cr, const struct kl_axes *axes, double x, double y, double radius,
                       enum kl_mark mark);

/* How many of n values in a row one place stands for, 1 up to a thousand of them; their mean at place k,
   of ceil(n / width), and the middle of their numbers (from 0). (axes.c) */
size_t kl_plot_bin_width(size_t n);
double kl_plot_bin_mean(double *middle, const double *values, size_t n, size_t width, size_t k);

/* Of a report over n heads: is there a head inputs->replica (KL_EUSAGE)? "replica 0 (of 0 to 4)" for the
   figure, empty for the only one. */
enum { KL_WHICH = 80 };
int kl_plot_which_replica(char which[KL_WHICH], const struct kl_figure_inputs *inputs, size_t n,
                          struct kl_error *err);

/* A member of an object, "": no text; a number of a file, NaN: it has none. (inputs.c) */
const char *kl_plot_json_text(const struct json_t *object, const char *name);
double kl_plot_file_number(const struct kl_file *file, const char *name);

/* A number among the options that a file's key was made of; NaN: it has no such option. (inputs.c)
   KL_EDATA, KL_ENOMEM. */
int kl_plot_key_option(double *value, const struct kl_file *file, const char *name,
                       struct kl_error *err);

/* Above the frame of a report's figure whose top is at `top`: its n samples, shots and noise, which
   replica, and what the numbers are not to be taken for. (page/headline.c) KL_EDATA, KL_ENOMEM. */
int kl_plot_report_head(cairo_t *cr, double left, double top, const struct kl_file *file, double n,
                        const char *which, struct kl_error *err);

/* --images as one input or, where no such file is there, several with commas between them. The caller
   frees text. KL_EUSAGE: too many. */
enum { KL_SAMPLE_INPUTS = 64 };
struct kl_sample_paths {
    const char *paths[KL_SAMPLE_INPUTS];
    size_t n;
    char *text; /* what several point into */
};
int kl_plot_sample_paths_split(struct kl_sample_paths *paths, const char *images, struct kl_error *err);

/* Are inputs->images what the report's features were made from, by their digests? KL_EDATA: no, or rows
   cannot be counted in them. *known: false if the report does not say what that was. */
int kl_plot_sample_images_check(bool *known, const struct kl_figure_inputs *inputs,
                                struct kl_error *err);

/* Places for each of c classes that have so many samples: one each in turn; where a last round does not
   reach all, it is spread over them. quota [c] begins at 0. */
void kl_plot_share_places(size_t *quota, const size_t *have, size_t c, size_t places);

/* ---- the figures ---- */
kl_plot_draw kl_plot_curves, kl_plot_circuit, kl_plot_confusion, kl_plot_calibration, kl_plot_pca,
    kl_plot_samples, kl_plot_sweep, kl_plot_frequency, kl_plot_bit_tests, kl_plot_transitions,
    kl_plot_symbols, kl_plot_plateau, kl_plot_tournament, kl_plot_synthetic_figure, kl_plot_validation,
    kl_plot_learning, kl_plot_classifiers, kl_plot_configurations, kl_plot_gan, kl_plot_pulse,
    kl_plot_bloch, kl_plot_filter_function, kl_plot_landscape, kl_plot_starts, kl_plot_policy,
    kl_plot_tasks, kl_plot_adaptation, kl_plot_bounds, kl_plot_traces, kl_plot_ranks,
    kl_plot_autocorrelation, kl_plot_acceptance, kl_plot_windows, kl_plot_spectra, kl_plot_erd,
    kl_plot_topography, kl_plot_people, kl_plot_scaling, kl_plot_importance;
/* The title of a circuit: by name or as OpenQASM (which has neither ansatz nor layers), and its size. */
enum { KL_TITLE = 400 };
void kl_plot_circuit_title(char title[KL_TITLE], const struct kl_circuit_options *o,
                           const struct kl_circuit *circuit, bool noisy);
/* First two principal components of x (n, d): scores (n, 2), explained[2] shares of the variance, 0 of
   samples that are all equal. Subspace iteration on the covariance (Golub & Van Loan, Matrix
   Computations, 8.2.4), from a fixed start; a component's largest loading is positive. */
int kl_plot_pca_project(double *scores, double explained[2], const float *x, size_t n, size_t d,
                        struct kl_error *err);

/* ---- what replicas did by epoch ---- */

struct kl_series {
    double *values; /* (replicas, epochs); NaN: not trained */
    size_t replicas, epochs;
    size_t shown, common; /* epochs that any replica, and that every one was trained for */
};
/* A dataset; the caller frees values. KL_EDATA, KL_ENOMEM. */
int kl_plot_series_load(struct kl_series *s, struct kl_file *file, const char *name,
                        struct kl_error *err);
/* Finds what n series of the same replicas show. */
void kl_plot_series_lengths(struct kl_series *s, size_t n);
/* An entry at x, above the panels; returns where the next may begin. */
double kl_plot_series_legend(cairo_t *cr, double x, int colour, enum kl_mark mark, bool marked,
                             const char *text);
/* In the same line, at the right end of the panels; on a narrow sheet above it. */
void kl_plot_series_head(cairo_t *cr, double right, const char *text);
/* So few epochs are marked one by one. */
enum { KL_SERIES_MARKED = 20 };
/* Two series, or one (val NULL), in a frame whose place is given; returned are its finished axes. A
   loss is seen against zero (from_zero); an accuracy takes the range that it needs. */
struct kl_axes kl_plot_series_panel(cairo_t *cr, struct kl_axes axes, const struct kl_series *train,
                                    const struct kl_series *val, const char *label, bool from_zero);

#endif
