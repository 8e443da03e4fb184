/* SPDX-License-Identifier: MIT
   How a training scales: the speed-up over one thread alone against the batch, a line for each number of
   ranks and threads with what that many processors could give at most, one for each number of GPUs, a
   panel for each circuit. Several files of one machine are drawn into the same panels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/plot.h"

enum { MOST = 4096, PANELS = 16, LINES = 16, COLUMNS = 4 };
static const double LEFT = 40, TOP = 18, WIDTH = 112, GAP = 12, HEIGHT = 140, ROW = 196;

struct row {
    char model[KL_NAME];
    int32_t qubits, batch, ranks, threads, layers; /* layers 0: not known, or none; threads 0: on GPUs */
    double seconds, speedup;
};
struct group {
    int32_t a, b; /* qubits and the model's first row; ranks and threads */
};
struct table {
    struct row *rows;
    char *processor, gpu[KL_NAME];
    size_t n, n_panels, n_lines;
    struct group panels[PANELS], lines[LINES];
};

/* Times of two makes of processor say nothing about each other. */
static int same_processor(struct table *t, struct kl_file *file, struct kl_error *err)
{
    char *processor = NULL;
    int code = kl_store_file_text(&processor, file, "", "processor", err);
    if (!code && t->processor && strcmp(t->processor, processor) != 0)
        code = kl_fail(err, KL_EDATA,
                       "%s: measured on '%.60s', the file before it on '%.60s'; draw them apart",
                       kl_store_file_path(file), processor, t->processor);
    if (t->processor) free(processor);
    else t->processor = processor;
    return code;
}

/* Rows from `from` on, which are the file's: those on a GPU, of one make. */
static int mark_gpu(struct table *t, size_t from, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *set;
    char *devices = NULL, name[KL_NAME];
    int code = kl_store_file_expect(&set, file, "device", KL_TYPE_STRING, 1, err);
    if (!code && set->dims[0] != t->n - from)
        code = kl_fail(err, KL_EDATA, "%s: found %zu devices, expected one of each of %zu rows",
                       kl_store_file_path(file), set->dims[0], t->n - from);
    if (!code) code = kl_store_file_load((void **)&devices, file, set, err);
    for (size_t i = from; i < t->n && !code; i++) {
        kl_plot_name(name, devices, t->n - from, set->item_size, i - from);
        if (strncmp(name, "cuda", 4) != 0) continue;
        if (*t->gpu && strcmp(t->gpu, name) != 0)
            code =
                kl_fail(err, KL_EDATA, "%s: measured on '%s', rows before it on '%s'; draw them apart",
                        kl_store_file_path(file), name, t->gpu);
        snprintf(t->gpu, sizeof t->gpu, "%s", name);
        t->rows[i].threads = 0;
    }
    free(devices);
    return code;
}

static int load_rows(struct table *t, struct kl_file *file, struct kl_error *err)
{
    static const char *const names[] = { "qubits", "batch", "ranks", "threads", "layers" };
    static const char *const reals[] = { "seconds", "speed_up" };
    const int columns = kl_store_file_find(file, "layers") ? 5 : 4;
    const size_t from = t->n;
    const struct kl_dataset *set;
    int32_t *whole[5] = { NULL };
    double *real[2] = { NULL };
    char *models = NULL;
    int code = kl_store_file_expect(&set, file, "model", KL_TYPE_STRING, 1, err);
    if (!code) code = same_processor(t, file, err);
    if (code) return code;
    const size_t n = set->dims[0];
    if (t->n + n > MOST)
        return kl_fail(err, KL_EDATA, "%s: found %zu rows, expected at most %d",
                       kl_store_file_path(file), n, MOST);
    code = kl_store_file_load((void **)&models, file, set, err);
    for (int k = 0; k < columns && !code; k++)
        code = kl_store_file_load_shape((void **)&whole[k], file, names[k], KL_TYPE_I32, 1, &n, err);
    for (int k = 0; k < 2 && !code; k++)
        code = kl_store_file_load_shape((void **)&real[k], file, reals[k], KL_TYPE_F64, 1, &n, err);
    for (size_t i = 0; i < n && !code; i++) {
        struct row *row = &t->rows[t->n++];
        *row = (struct row){ "",          whole[0][i], whole[1][i],
                             whole[2][i], whole[3][i], columns > 4 ? whole[4][i] : 0,
                             real[0][i],  real[1][i] };
        kl_plot_name(row->model, models, n, set->item_size, i);
    }
    for (int k = 0; k < columns; k++) free(whole[k]);
    free(models), free(real[0]), free(real[1]);
    return code || !kl_store_file_find(file, "device") ? code : mark_gpu(t, from, file, err);
}

/* As panels and lines take them. */
static int by_batch(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    const int model = strcmp(x->model, y->model);
    return model                      ? model
           : x->qubits != y->qubits   ? x->qubits - y->qubits
           : x->layers != y->layers   ? x->layers - y->layers
           : x->ranks != y->ranks     ? x->ranks - y->ranks
           : x->threads != y->threads ? x->threads - y->threads
                                      : x->batch - y->batch;
}

/* A GPU's table has no thread alone of the CPU: another file has it, or the row is not drawn. */
static void compare_gpu(struct table *t)
{
    for (size_t i = 0; i < t->n; i++) {
        struct row *row = &t->rows[i];
        if (row->threads) continue;
        row->speedup = NAN;
        for (size_t k = 0; k < t->n; k++) {
            struct row alone = t->rows[k];
            if (alone.ranks != 1 || alone.threads != 1) continue;
            alone.ranks = row->ranks, alone.threads = 0;
            if (by_batch(row, &alone) == 0) row->speedup = alone.seconds / row->seconds;
        }
    }
}

static bool same_panel(const struct table *t, const struct row *row, const struct group *panel)
{
    const struct row *first = &t->rows[panel->b];
    return row->qubits == panel->a && row->layers == first->layers &&
           strcmp(row->model, first->model) == 0;
}

static bool drawn(const struct row *row)
{
    return row->ranks * row->threads != 1 && !isnan(row->speedup);
}

static int find_groups(struct table *t, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    qsort(t->rows, t->n, sizeof *t->rows, by_batch);
    compare_gpu(t);
    for (size_t i = 0; i < t->n; i++) {
        const struct row *row = &t->rows[i];
        size_t p = 0, l = 0;
        if (!drawn(row)) continue;
        while (p < t->n_panels && !same_panel(t, row, &t->panels[p])) p++;
        while (l < t->n_lines && (t->lines[l].a != row->ranks || t->lines[l].b != row->threads)) l++;
        if (p == PANELS || l == LINES)
            return kl_fail(
                err, KL_EDATA,
                "%s: more than %d models and sizes, or %d numbers of ranks and threads; measure "
                "fewer in one table",
                kl_store_file_path(inputs->file), PANELS, LINES);
        if (p == t->n_panels) t->panels[t->n_panels++] = (struct group){ row->qubits, (int32_t)i };
        if (l == t->n_lines) t->lines[t->n_lines++] = (struct group){ row->ranks, row->threads };
    }
    if (t->n_panels) return KL_OK;
    return kl_fail(err, KL_EDATA, "%s: %s", kl_store_file_path(inputs->file),
                   *t->gpu
                       ? "of a GPU, and no table of one thread of the same nets and batches beside it; "
                         "give that of qseq bench --device cpu too"
                       : "one thread alone was measured; give qseq bench --threads or --ranks");
}

static void line_name(char text[KL_NAME], const struct table *t, const struct group *line)
{
    if (!line->b && line->a == 1) snprintf(text, KL_NAME, "%s", t->gpu);
    else if (!line->b) snprintf(text, KL_NAME, "%d x %.60s", (int)line->a, t->gpu);
    else
        snprintf(text, KL_NAME, "%d rank%s x %d thread%s", (int)line->a, kl_s((unsigned)line->a),
                 (int)line->b, kl_s((unsigned)line->b));
}

/* A line in the order of the batches; its bound is dashed. */
static void draw_line(cairo_t *cr, const struct kl_axes *axes, const struct table *t,
                      const struct group *panel, size_t l)
{
    static const double dash[] = { 2, 2 };
    const struct group *line = &t->lines[l];
    const double bound = kl_plot_axes_y(axes, (double)line->a * line->b);
    const int colour = 1 + (int)l % (KL_N_COLOURS - 1);
    kl_plot_pen(cr, colour, 0.6, 0.6);
    cairo_set_dash(cr, dash, 2, l % 2 ? 2 : 0);
    if (line->b) kl_plot_line(cr, axes->left, bound, axes->left + axes->width, bound);
    cairo_set_dash(cr, NULL, 0, 0);
    kl_plot_pen(cr, colour, 1, 1.1);
    for (int pass = 0; pass < 2; pass++) {
        cairo_new_path(cr);
        for (size_t i = 0; i < t->n; i++) {
            const struct row *row = &t->rows[i];
            if (!drawn(row) || !same_panel(t, row, panel) || row->ranks != line->a ||
                row->threads != line->b)
                continue;
            const double x = kl_plot_axes_x(axes, log2(row->batch)),
                         y = kl_plot_axes_y(axes, row->speedup);
            if (pass) kl_plot_mark(cr, x, y, 2, (enum kl_mark)(l % KL_N_MARKS));
            else cairo_line_to(cr, x, y);
        }
        if (!pass) cairo_stroke(cr);
    }
}

/* Batches stand where they are, with their own numbers. */
static void number_batches(cairo_t *cr, const struct kl_axes *axes, const struct table *t)
{
    char text[16];
    for (size_t i = 0; i < t->n; i++) {
        bool before = !drawn(&t->rows[i]);
        for (size_t k = 0; k < i && !before; k++)
            before = drawn(&t->rows[k]) && t->rows[k].batch == t->rows[i].batch;
        if (before) continue;
        snprintf(text, sizeof text, "%d", (int)t->rows[i].batch);
        kl_plot_black(cr, kl_plot_axes_x(axes, log2(t->rows[i].batch)), axes->top + HEIGHT + 10, 7,
                      KL_CENTRE, text);
    }
    kl_plot_text(cr, axes->left + axes->width / 2, axes->top + HEIGHT + 21, 8, KL_CENTRE,
                 "windows a step");
}

static void draw_panel(cairo_t *cr, const struct kl_axes *axes, const struct table *t, size_t p)
{
    const struct row *first = &t->rows[t->panels[p].b];
    char title[KL_NAME + 48];
    bool layers = false; /* that differ */
    for (size_t i = 0; i < t->n; i++) layers = layers || t->rows[i].layers != first->layers;
    size_t used = (size_t)snprintf(title, sizeof title, "%s", first->model);
    if (first->qubits)
        used += (size_t)snprintf(title + used, sizeof title - used, ", %d qubits", (int)first->qubits);
    if (layers && first->layers)
        snprintf(title + used, sizeof title - used, ", %d layer%s", (int)first->layers,
                 kl_s((unsigned)first->layers));
    kl_plot_axes_draw(cr, axes, NULL, "speed-up");
    number_batches(cr, axes, t);
    kl_plot_black(cr, axes->left + axes->width / 2, axes->top - 5, 7.5, KL_CENTRE, title);
    for (size_t l = 0; l < t->n_lines; l++) draw_line(cr, axes, t, &t->panels[p], l);
}

static void draw(cairo_t *cr, const struct table *t)
{
    double low = INFINITY, high = -INFINITY, most = 1;
    char text[KL_NAME];
    for (size_t i = 0; i < t->n; i++)
        if (drawn(&t->rows[i]))
            low = fmin(low, log2(t->rows[i].batch)), high = fmax(high, log2(t->rows[i].batch)),
            most = fmax(most, fmax(t->rows[i].speedup, (double)t->rows[i].ranks * t->rows[i].threads));
    struct kl_axes axes = { 0,          0, WIDTH,       HEIGHT,          low - 0.4,
                            high + 0.4, 0, 1.08 * most, .whole_x = true, .no_x_numbers = true };
    const size_t columns = kl_plot_sheet_of(cr)->narrow ? 2 : COLUMNS;
    for (size_t p = 0; p < t->n_panels; p++) {
        axes.left = LEFT + (double)(p % columns) * (WIDTH + GAP);
        axes.top = TOP + (double)(p / columns) * ROW;
        axes.bare_y = p % columns > 0;
        draw_panel(cr, &axes, t, p);
    }
    double y = axes.top + HEIGHT + 38;
    for (size_t l = 0; l < t->n_lines; l++, y += 10) {
        line_name(text, t, &t->lines[l]);
        kl_plot_colour(cr, 1 + (int)l % (KL_N_COLOURS - 1), 1);
        kl_plot_mark(cr, LEFT + 3, y - 2.5, 2, (enum kl_mark)(l % KL_N_MARKS));
        kl_plot_black(cr, LEFT + 10, y, 7, KL_LEFT, text);
    }
    kl_plot_text(cr, LEFT, y, 7, KL_LEFT,
                 "over one thread alone; dashed: as many times as there are processors");
}

int kl_plot_scaling(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    struct table t = { .rows = calloc(MOST, sizeof *t.rows) };
    int code = t.rows ? KL_OK : kl_fail_memory(err, MOST * sizeof *t.rows);
    for (size_t i = 0; i < inputs->n_files && !code; i++)
        if (strcmp(kl_store_file_kind(inputs->files[i]), "sequence-scaling") == 0)
            code = load_rows(&t, inputs->files[i], err);
    if (!code) code = find_groups(&t, inputs, err);
    if (!code) draw(sheet->cr, &t);
    free(t.rows), free(t.processor);
    return code;
}
