/* SPDX-License-Identifier: MIT
   Accuracies of a study's configurations. */
#include "plot/qrng/report_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/store.h"

enum { KL_CONFIGURATIONS = 24, KL_SETTING = 40 };
struct kl_configuration {
    char name[2 * KL_SETTING], layers[KL_SETTING], epochs[KL_SETTING], penalty[KL_SETTING],
        splits[KL_SETTING];                  /* "-": has none */
    double parameters, batch, dropout, test; /* NaN: has none */
    double mean, low, high, chance;          /* of the accuracy; 1 / devices */
    bool named; /* with its model: a yardstick, or the one report there is */
};
/* The chosen model of each report, then the yardsticks of inputs->file, which had the same splits.
   KL_EDATA, KL_ENOMEM; KL_EUSAGE: more than KL_CONFIGURATIONS reports. */
struct kl_configurations {
    struct kl_configuration line[KL_CONFIGURATIONS + KL_REPORT_ROWS];
    size_t n;
    bool alone; /* there is one report */
};

/* NaN: there is none. */
static int number(double *value, const struct kl_file *f, const char *name, struct kl_error *err)
{
    *value = NAN;
    return kl_store_file_has_attribute(f, "", name) ? kl_store_file_number(value, f, "", name, err)
                                                    : KL_OK;
}

/* "-": there is none. */
static int text(char to[KL_SETTING], const struct kl_file *f, const char *name, struct kl_error *err)
{
    char *value = NULL;
    int code = KL_OK;
    if (kl_store_file_has_attribute(f, "", name)) code = kl_store_file_text(&value, f, "", name, err);
    snprintf(to, KL_SETTING, "%s", value ? value : "-");
    free(value);
    return code;
}

/* The file's name without its folder and its end. */
static void name_file(char name[KL_SETTING], const struct kl_file *f)
{
    const char *slash = strrchr(kl_store_file_path(f), '/');
    snprintf(name, KL_SETTING, "%.*s", KL_SETTING - 1, slash ? slash + 1 : kl_store_file_path(f));
    char *dot = strrchr(name, '.');
    if (dot && dot > name) *dot = '\0';
}

static int describe_training(struct kl_configuration *l, const struct kl_file *f, struct kl_error *err)
{
    double epochs = NAN, l1 = NAN, decay = NAN;
    char keep[KL_SETTING];
    int code = text(l->layers, f, "layers", err);
    if (!code) code = text(keep, f, "keep", err);
    if (!code) code = number(&epochs, f, "epochs", err);
    if (!code) code = number(&l1, f, "l1", err);
    if (!code) code = number(&decay, f, "weight_decay", err);
    if (!code) code = number(&l->batch, f, "batch_size", err);
    if (!code) code = number(&l->dropout, f, "dropout", err);
    if (code) return code;
    if (isfinite(epochs)) snprintf(l->epochs, KL_SETTING, "%.0f, %.9s", epochs, keep);
    if (l1 > 0 && decay > 0) snprintf(l->penalty, KL_SETTING, "L1 %g, L2 %g", l1, decay);
    else if (l1 > 0) snprintf(l->penalty, KL_SETTING, "L1 %g", l1);
    else if (decay > 0) snprintf(l->penalty, KL_SETTING, "decay %g", decay);
    return KL_OK;
}

/* The share of the test rows: of folds one is the test. */
static int find_test(double *test, const struct kl_file *f, struct kl_error *err)
{
    char protocol[KL_SETTING];
    int code = text(protocol, f, "protocol", err);
    const bool folds = strcmp(protocol, "folds") == 0;
    if (!code) code = number(test, f, folds ? "folds" : "test", err);
    if (folds) *test = 1 / *test;
    return code;
}

/* A row by its model; of several reports the chosen models by their files, and a yardstick, which is
   that of one of them alone, by both. */
static void name_line(struct kl_configuration *l, const struct kl_file *f, const char *model,
                      bool chosen, bool alone)
{
    char file[KL_SETTING];
    name_file(file, f);
    l->named = !chosen || alone;
    if (alone) snprintf(l->name, sizeof l->name, "%.*s", KL_SETTING - 1, model);
    else if (chosen) snprintf(l->name, sizeof l->name, "%s", file);
    else snprintf(l->name, sizeof l->name, "%.*s of %s", KL_SETTING / 2, model, file);
}

/* A row of the report: the chosen model, or a yardstick, which is trained on the same splits. */
static int add_line(struct kl_configurations *c, const struct kl_file *f, const struct kl_report_view *v,
                    const struct kl_accuracies *row, bool chosen, struct kl_error *err)
{
    char attribute[48];
    double collapsed;
    struct kl_configuration *l = &c->line[c->n++];
    *l = (struct kl_configuration){
        .layers = "-", .epochs = "-", .penalty = "-", .batch = NAN, .dropout = NAN
    };
    l->chance = 1 / (double)v->n_devices;
    l->mean = row->mean, l->low = row->low, l->high = row->high;
    snprintf(attribute, sizeof attribute, "%.23s_collapsed", row->name);
    int code = number(&collapsed, f, attribute, err);
    snprintf(attribute, sizeof attribute, "%.23s_parameters", row->name);
    if (!code) code = number(&l->parameters, f, attribute, err);
    if (!code) code = find_test(&l->test, f, err);
    snprintf(l->splits, KL_SETTING, collapsed > 0 ? "%zu, %.0f" : "%zu", v->n_splits, collapsed);
    name_line(l, f, row->name, chosen, c->alone);
    return code || !chosen ? code : describe_training(l, f, err);
}

static int load_file(struct kl_configurations *c, struct kl_file *f, bool yardsticks,
                     struct kl_error *err)
{
    struct kl_report_view v;
    int code = kl_plot_report_view_load(&v, f, err);
    if (!code && !yardsticks) code = add_line(c, f, &v, &v.rows[0], true, err);
    for (size_t i = 1; !code && yardsticks && i < v.n_rows; i++)
        if (isfinite(v.rows[i].low)) code = add_line(c, f, &v, &v.rows[i], false, err);
    kl_plot_report_view_free(&v);
    return code;
}

static size_t count_reports(const struct kl_figure_inputs *inputs)
{
    size_t n = 0;
    for (size_t i = 0; i < inputs->n_files; i++)
        n += strcmp(kl_store_file_kind(inputs->files[i]), "device-report") == 0;
    return n;
}

static int configurations_load(struct kl_configurations *c, const struct kl_figure_inputs *inputs,
                               struct kl_error *err)
{
    c->alone = count_reports(inputs) < 2;
    int code = inputs->n_files ? KL_OK : load_file(c, inputs->file, false, err);
    for (size_t i = 0; i < inputs->n_files && !code; i++) {
        if (strcmp(kl_store_file_kind(inputs->files[i]), "device-report") != 0) continue;
        if (c->n == KL_CONFIGURATIONS)
            return kl_fail(err, KL_EUSAGE,
                           "%s: is one report too many; a figure of configurations has %d",
                           kl_store_file_path(inputs->files[i]), (int)KL_CONFIGURATIONS);
        code = load_file(c, inputs->files[i], false, err);
    }
    return code ? code : load_file(c, inputs->file, true, err);
}

/* ---- configurations figure ----
   What was trained, and what came of it: a line for each classifier of devices with its settings, as its
   report has them, its accuracy and the gain over chance; then accuracy against size. Of several
   reports, whose first one's yardsticks stand below under its name, each with the chance of its own
   devices. */

static const double STEP = 13, TOP = 24; /* of the lines; of the first one's upper edge */

/* ---- the table ---- */
enum column {
    CLASSIFIER,
    LAYERS,
    PARAMETERS,
    BATCH,
    EPOCHS,
    PENALTY,
    DROPOUT,
    TEST,
    SPLITS,
    GAIN,
    COLUMNS
};
static const struct {
    double x, room;
    enum kl_align align;
    const char *head;
} columns[COLUMNS] = {
    { 0, 76, KL_LEFT, "classifier" },           { 80, 54, KL_LEFT, "layers" },
    { 164, 30, KL_RIGHT, "parameters" },        { 188, 20, KL_RIGHT, "batch" },
    { 240, 48, KL_RIGHT, "epochs, kept" },      { 248, 50, KL_LEFT, "penalty" },
    { 322, 24, KL_RIGHT, "dropout" },           { 342, 18, KL_RIGHT, "test" },
    { 398, 50, KL_RIGHT, "splits, collapsed" }, { 542, 28, KL_RIGHT, "over chance" }
};
static const double PANEL = 406, PANEL_WIDTH = 106;

static void put(cairo_t *cr, enum column c, double y, const char *word)
{
    kl_plot_text_within(cr, columns[c].x, y, 6.5, columns[c].align, columns[c].room, word);
}

static void put_number(cairo_t *cr, enum column c, double y, const char *form, double value)
{
    char word[KL_SETTING] = "-";
    if (isfinite(value)) snprintf(word, sizeof word, form, value);
    put(cr, c, y, word);
}

static void draw_heads(cairo_t *cr)
{
    kl_plot_colour(cr, 0, 1);
    for (int c = 0; c < COLUMNS; c++)
        kl_plot_text(cr, columns[c].x, TOP - 8, 6.5, columns[c].align, columns[c].head);
    kl_plot_text(cr, PANEL + PANEL_WIDTH / 2, TOP - 8, 6.5, KL_CENTRE, "accuracy, 95 %");
}

static void draw_words(cairo_t *cr, const struct kl_configuration *l, double y)
{
    kl_plot_colour(cr, 0, 1);
    put(cr, CLASSIFIER, y, l->name);
    put(cr, LAYERS, y, l->layers);
    put(cr, EPOCHS, y, l->epochs);
    put(cr, PENALTY, y, l->penalty);
    put(cr, SPLITS, y, l->splits);
    put_number(cr, PARAMETERS, y, "%.0f", l->parameters);
    put_number(cr, BATCH, y, "%.0f", l->batch);
    put_number(cr, DROPOUT, y, "%g", l->dropout);
    put_number(cr, TEST, y, "%.2g", l->test);
    put_number(cr, GAIN, y, "%+.0f %%", 100 * (l->mean / l->chance - 1));
}

static void draw_interval(cairo_t *cr, const struct kl_configuration *l, double x0, double y0, double x1,
                          double y1, double x, double y)
{
    kl_plot_pen(cr, strcmp(l->layers, "-") == 0 ? 2 : 1, 1, 1.2);
    kl_plot_line(cr, x0, y0, x1, y1);
    kl_plot_mark(cr, x, y, 2.2, KL_CIRCLE);
}

/* Accuracies of all lines and chance. */
static void range(double *least, double *most, const struct kl_configurations *lines)
{
    *least = INFINITY, *most = -INFINITY;
    for (size_t i = 0; i < lines->n; i++) {
        *least = fmin(*least, fmin(lines->line[i].low, lines->line[i].chance));
        *most = fmax(*most, lines->line[i].high);
    }
    const double margin = fmax(0.05 * (*most - *least), 0.005);
    *least -= margin, *most += margin;
}

/* A mark a line, all at one place if the reports are of as many devices; returns the axis's label. */
static const char *draw_chances(cairo_t *cr, const struct kl_axes *a,
                                const struct kl_configurations *lines)
{
    bool differ = false;
    kl_plot_pen(cr, 0, 0.5, 0.6);
    for (size_t i = 0; i < lines->n; i++) {
        const double x = kl_plot_axes_x(a, lines->line[i].chance);
        cairo_move_to(cr, x, a->top + STEP * (double)i);
        cairo_line_to(cr, x, a->top + STEP * (double)(i + 1));
        differ = differ || lines->line[i].chance != lines->line[0].chance;
    }
    cairo_stroke(cr);
    return differ ? "the lines: chance of each" : "the line: chance";
}

static double draw_table(cairo_t *cr, const struct kl_configurations *lines)
{
    struct kl_axes a = { PANEL, TOP, PANEL_WIDTH, STEP * (double)lines->n, .y1 = 0 };
    range(&a.x0, &a.x1, lines);
    draw_heads(cr);
    for (size_t i = 0; i < lines->n; i++) {
        const struct kl_configuration *l = &lines->line[i];
        const double y = TOP + STEP * ((double)i + 0.5);
        draw_words(cr, l, y + 2.3);
        draw_interval(cr, l, kl_plot_axes_x(&a, l->low), y, kl_plot_axes_x(&a, l->high), y,
                      kl_plot_axes_x(&a, l->mean), y);
    }
    kl_plot_axes_draw_x(cr, &a, draw_chances(cr, &a, lines));
    return a.top + a.height;
}

/* Decades below the frame, as many as there is room for. */
static void draw_powers(cairo_t *cr, const struct kl_axes *a)
{
    const double every = ceil((a->x1 - a->x0) / 12);
    for (double k = ceil(a->x0); k <= a->x1; k += every) {
        kl_plot_colour(cr, 0, 1);
        char word[KL_TICK];
        kl_plot_tick_text(word, pow(10, k), pow(10, k), pow(10, k));
        kl_plot_text(cr, kl_plot_axes_x(a, k), a->top + a->height + 11, 7, KL_CENTRE, word);
    }
    kl_plot_text(cr, a->left + a->width / 2, a->top + a->height + 23, 8, KL_CENTRE, "parameters");
}

/* A line's place across; those of one size stand side by side. */
static double place(const struct kl_axes *a, const struct kl_configurations *lines, size_t i)
{
    size_t same = 0, before = 0;
    for (size_t k = 0; k < lines->n; k++)
        if (lines->line[k].parameters == lines->line[i].parameters) same++, before += k < i;
    return kl_plot_axes_x(a, log10(lines->line[i].parameters)) +
           6 * ((double)before - (double)(same - 1) / 2);
}

static bool stand_side_by_side(const struct kl_configurations *lines)
{
    for (size_t i = 0; i < lines->n; i++)
        for (size_t k = 0; k < i; k++)
            if (lines->line[i].parameters > 0 && lines->line[k].parameters == lines->line[i].parameters)
                return true;
    return false;
}

static void draw_size(cairo_t *cr, const struct kl_axes *a, const struct kl_configurations *lines,
                      size_t i)
{
    const struct kl_configuration *l = &lines->line[i];
    if (!(l->parameters > 0)) return;
    const double x = place(a, lines, i), y = kl_plot_axes_y(a, l->mean);
    draw_interval(cr, l, x, kl_plot_axes_y(a, l->low), x, kl_plot_axes_y(a, l->high), x, y);
    const bool late = x > a->left + 0.9 * a->width; /* a name would leave the frame */
    if (l->named || strcmp(l->layers, "-") == 0)
        kl_plot_text_within(cr, late ? x - 5 : x + 5, y + 2.3, 6.5, late ? KL_RIGHT : KL_LEFT, 90,
                            l->name);
}

static void draw_sizes(cairo_t *cr, const struct kl_configurations *lines, double top)
{
    struct kl_axes a = { 50, top, 480, 130, .whole_x = true, .no_x_numbers = true };
    a.x0 = INFINITY, a.x1 = -INFINITY;
    for (size_t i = 0; i < lines->n; i++)
        if (lines->line[i].parameters > 0) {
            a.x0 = fmin(a.x0, log10(lines->line[i].parameters));
            a.x1 = fmax(a.x1, log10(lines->line[i].parameters));
        }
    if (!(a.x0 <= a.x1)) return;
    a.x0 = floor(a.x0), a.x1 = fmax(ceil(a.x1), a.x0 + 1);
    range(&a.y0, &a.y1, lines);
    for (size_t i = 0; i < lines->n; i++) draw_size(cr, &a, lines, i);
    kl_plot_axes_draw(cr, &a, NULL, "accuracy");
    draw_powers(cr, &a);
    if (stand_side_by_side(lines))
        kl_plot_text(cr, a.left + a.width, a.top - 4, 6.5, KL_RIGHT, "equal sizes side by side");
}

int kl_plot_configurations(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs,
                           struct kl_error *err)
{
    struct kl_configurations *lines = calloc(1, sizeof *lines);
    int code = lines ? KL_OK : kl_fail_memory(err, sizeof *lines);
    if (!code) code = configurations_load(lines, inputs, err);
    if (!code) draw_sizes(sheet->cr, lines, draw_table(sheet->cr, lines) + 50);
    free(lines);
    return code;
}
