/* SPDX-License-Identifier: MIT
   The table of a sweep: its rows, their order, its file, and the same for a person. */
#include "train/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"

int kl_train_sweep_make(struct kl_sweep *sweep, const struct kl_sweep_rows *by, size_t n,
                        size_t replicas, struct kl_error *err)
{
    const size_t each = 2 * KL_SWEEP_ROWS * replicas;
    double *values = malloc((n * each + 1) * sizeof *values);
    *sweep = (struct kl_sweep){
        .by = *by, .n = n, .replicas = replicas, .folds = 1, .rows = calloc(n + 1, sizeof *sweep->rows)
    };
    if (!values || !sweep->rows) {
        free(values);
        kl_train_sweep_free(sweep);
        return kl_fail_memory(err, n * sizeof *sweep->rows);
    }
    for (size_t i = 0; i < n * each; i++) values[i] = NAN;
    sweep->rows[0].judged[0] = values; /* the first row's pointer owns all */
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < KL_SWEEP_ROWS; k++) {
            sweep->rows[i].judged[k] = values + i * each + k * replicas;
            sweep->rows[i].tested[k] = sweep->rows[i].judged[k] + KL_SWEEP_ROWS * replicas;
        }
    return KL_OK;
}

int kl_train_sweep_fold(struct kl_sweep *sweep, size_t folds, struct kl_error *err)
{
    struct kl_sweep to;
    const size_t each = sweep->replicas, size = each * sizeof(double);
    int code = kl_train_sweep_make(&to, &sweep->by, sweep->n / folds, folds * each, err);
    if (code) return code;
    to.folds = folds, to.samples = sweep->samples;
    for (size_t i = 0; i < sweep->n; i++) {
        const struct kl_sweep_row *from = &sweep->rows[i];
        struct kl_sweep_row *row = &to.rows[i / folds];
        row->point = from->point / folds, row->parameters = from->parameters;
        snprintf(row->name, sizeof row->name, "%.*s", (int)(strrchr(from->name, ' ') - from->name),
                 from->name); /* without its fold */
        if (from->epochs > row->epochs) row->epochs = from->epochs;
        row->collapsed += from->collapsed, row->diverged |= from->diverged;
        for (int k = 0; k < KL_SWEEP_ROWS; k++) {
            memcpy(row->judged[k] + i % folds * each, from->judged[k], size);
            memcpy(row->tested[k] + i % folds * each, from->tested[k], size);
        }
    }
    kl_train_sweep_free(sweep);
    *sweep = to;
    return KL_OK;
}

void kl_train_sweep_free(struct kl_sweep *sweep)
{
    if (sweep->rows) free(sweep->rows[0].judged[0]);
    free(sweep->rows);
    *sweep = (struct kl_sweep){ 0 };
}

double kl_train_sweep_mean(const struct kl_sweep *sweep, size_t row, int k)
{
    return k < sweep->by.n ? kl_stats_mean(sweep->rows[row].judged[k], sweep->replicas) : 0;
}

/* Means over the replicas of each fold. */
static void fold_means(double means[KL_SWEEP_FOLDS], const struct kl_sweep *sweep, size_t row, int k)
{
    const size_t each = sweep->replicas / sweep->folds;
    for (size_t f = 0; f < sweep->folds; f++)
        means[f] = kl_stats_mean(sweep->rows[row].judged[k] + f * each, each);
}

double kl_train_sweep_error(const struct kl_sweep *sweep, size_t row, int k)
{
    double means[KL_SWEEP_FOLDS];
    fold_means(means, sweep, row, k);
    return sweep->folds > 1 ? kl_stats_deviation(means, sweep->folds) / sqrt((double)sweep->folds) : NAN;
}

struct kl_interval kl_train_sweep_difference(const struct kl_sweep *sweep, size_t a, size_t b, int k)
{
    double x[KL_SWEEP_FOLDS], y[KL_SWEEP_FOLDS];
    fold_means(x, sweep, a, k), fold_means(y, sweep, b, k);
    return kl_stats_resampled(x, y, sweep->folds, 1 / (double)(sweep->folds - 1));
}

/* As an accuracy, of which more is better, and a loss. */
static struct kl_judgement judgement(const struct kl_sweep *sweep, size_t row)
{
    const double first = kl_train_sweep_mean(sweep, row, 0), next = kl_train_sweep_mean(sweep, row, 1);
    return (struct kl_judgement){ sweep->by.row[0].higher ? first : -first,
                                  sweep->by.row[1].higher ? -next : next };
}

/* By insertion: points are few, and equal ones stay in the order of the grid. */
void kl_train_sweep_order(size_t *order, const struct kl_sweep *sweep)
{
    for (size_t i = 0; i < sweep->n; i++) {
        const struct kl_judgement own = judgement(sweep, i);
        size_t k = i;
        for (; k > 0 && kl_stats_comes_before(own, judgement(sweep, order[k - 1])); k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
}

int kl_train_sweep_best(const struct kl_sweep_row **best, const struct kl_sweep *sweep,
                        struct kl_error *err)
{
    size_t *order = malloc((sweep->n + 1) * sizeof *order);
    if (!order) return kl_fail_memory(err, sweep->n * sizeof *order);
    kl_train_sweep_order(order, sweep);
    *best = sweep->n && !isnan(kl_train_sweep_mean(sweep, order[0], 0)) ? &sweep->rows[order[0]] : NULL;
    free(order);
    return KL_OK;
}

/* ---- the file of a point ---- */

/* The values of `name` at each replica's best epoch. */
static int at_best(double *to, const char *name, const int64_t *best, size_t replicas,
                   struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *d;
    double *values = NULL;
    int code = kl_store_file_expect(&d, file, name, KL_TYPE_F64, 2, err);
    if (!code && d->dims[0] != replicas)
        code = kl_fail(err, KL_EDATA, "%s: holds %zu %ss, expected %zu", kl_store_file_path(file),
                       d->dims[0], kl_store_file_kind(file), replicas);
    if (!code) code = kl_store_file_load((void **)&values, file, d, err);
    for (size_t r = 0; !code && r < replicas; r++)
        if (best[r] < 0 || (size_t)best[r] >= d->dims[1])
            code = kl_fail(err, KL_EDATA, "%s: replicas/best_epoch: %lld of %zu epochs",
                           kl_store_file_path(file), (long long)best[r], d->dims[1]);
        else to[r] = values[r * d->dims[1] + (size_t)best[r]];
    free(values);
    return code;
}

/* Epochs that any replica was trained for: rows of the history that are numbers. */
static int count_epochs(int64_t *epochs, const char *row, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *d;
    double *values = NULL;
    char name[80] = "history/train_loss";
    if (!kl_store_file_find(file, name)) snprintf(name, sizeof name, "history/%s", row);
    *epochs = 0;
    int code = kl_store_file_load_named((void **)&values, &d, file, name, KL_TYPE_F64, 2, err);
    for (size_t i = 0; !code && i < d->dims[0] * d->dims[1]; i++)
        if (!isnan(values[i]) && (int64_t)(i % d->dims[1]) >= *epochs)
            *epochs = (int64_t)(i % d->dims[1]) + 1;
    free(values);
    return code;
}

int kl_train_sweep_read(struct kl_sweep_row *row, const struct kl_sweep *sweep, struct kl_file *file,
                        struct kl_error *err)
{
    const struct kl_dataset *d;
    const size_t replicas = sweep->replicas;
    int64_t *best = NULL;
    int code = kl_store_file_expect(&d, file, "replicas/best_epoch", KL_TYPE_I64, 1, err);
    if (!code && d->dims[0] != replicas)
        code = kl_fail(err, KL_EDATA, "%s: holds %zu %ss, expected %zu", kl_store_file_path(file),
                       d->dims[0], kl_store_file_kind(file), replicas);
    if (!code) code = kl_store_file_load((void **)&best, file, d, err);
    for (int k = 0; k < sweep->by.n && !code; k++) {
        char name[80];
        snprintf(name, sizeof name, "history/%s", sweep->by.row[k].name);
        code = at_best(row->judged[k], name, best, replicas, file, err);
    }
    if (!code) code = count_epochs(&row->epochs, sweep->by.row[0].name, file, err);
    if (!code) strcpy(row->key, kl_store_file_key(file));
    free(best);
    return code;
}

/* ---- the sweep's file ---- */

/* Those of heads, whose files do not say it. */
static const struct kl_sweep_rows of_heads = {
    2, { { "val_accuracy", "val accuracy", true }, { "val_loss", "val loss", false } }
};
/* Attributes of other sweeps: "head_key" is then LINE_key. */
static const char of_attribute[] = "of", folds_attribute[] = "folds",
                  samples_attribute[] = "test_samples",
                  *const judged_attributes[KL_SWEEP_ROWS] = { "judged", "judged_next" };

static int put_texts(struct kl_writer *w, const struct kl_sweep *sweep, const char *of,
                     struct kl_error *err)
{
    char key_name[80], *names = calloc(sweep->n + 1, KL_SWEEP_NAME), *keys = calloc(sweep->n + 1, 64);
    int code = names && keys ? KL_OK : kl_fail_memory(err, sweep->n * KL_SWEEP_NAME);
    for (size_t i = 0; !code && i < sweep->n; i++) {
        memcpy(names + i * KL_SWEEP_NAME, sweep->rows[i].name, strlen(sweep->rows[i].name));
        memcpy(keys + i * 64, sweep->rows[i].key, strlen(sweep->rows[i].key));
    }
    snprintf(key_name, sizeof key_name, "%s_key", of);
    if (!code)
        code = kl_store_writer_put(w, "point", KL_TYPE_STRING, KL_SWEEP_NAME, 1, &sweep->n, names, err);
    if (code >= 0) code = kl_store_writer_put(w, key_name, KL_TYPE_STRING, 64, 1, &sweep->n, keys, err);
    free(names);
    free(keys);
    return code < 0 ? code : KL_OK;
}

/* What row k is called, and on the test samples: "test_accuracy". */
struct name {
    char text[48];
};
static struct name name_of(const struct kl_sweep *sweep, int k, bool test)
{
    const char *own = sweep->by.row[k].name;
    struct name name;
    if (test) snprintf(name.text, sizeof name.text, "test%.42s", own + strcspn(own, "_"));
    else snprintf(name.text, sizeof name.text, "%s", own);
    return name;
}

static int put_judged(struct kl_writer *w, const struct kl_sweep *sweep, struct kl_error *err)
{
    const size_t n = sweep->n, dims[2] = { n, sweep->replicas };
    double *values = malloc((n * sweep->replicas + 1) * sizeof *values);
    int code = values ? KL_OK : kl_fail_memory(err, n * sizeof *values);
    for (int k = 0; code >= 0 && k < (sweep->samples ? 2 : 1) * sweep->by.n; k++) {
        const int j = k % sweep->by.n;
        const bool test = k >= sweep->by.n;
        for (size_t i = 0; i < n; i++)
            memcpy(values + i * sweep->replicas,
                   test ? sweep->rows[i].tested[j] : sweep->rows[i].judged[j],
                   sweep->replicas * sizeof *values);
        code =
            kl_store_writer_put(w, name_of(sweep, j, test).text, KL_TYPE_F64, 0, 2, dims, values, err);
    }
    free(values);
    return code < 0 ? code : KL_OK;
}

/* Write what the sweep is of, unless of heads, and its measures: "-val_loss" is better if less. */
static int put_rows(struct kl_writer *w, const struct kl_sweep *sweep, const char *of,
                    struct kl_error *err)
{
    int code = strcmp(of, "head") == 0 ? KL_ENO : kl_store_writer_text(w, "", of_attribute, of, err);
    for (int k = 0; !code && k < sweep->by.n; k++) {
        char text[80];
        snprintf(text, sizeof text, "%s%s", sweep->by.row[k].higher ? "" : "-", sweep->by.row[k].name);
        code = kl_store_writer_text(w, "", judged_attributes[k], text, err);
    }
    if (code == KL_ENO) code = KL_OK;
    if (!code && sweep->folds > 1)
        code = kl_store_writer_integer(w, "", folds_attribute, (int64_t)sweep->folds, err);
    if (!code && sweep->samples)
        code = kl_store_writer_integer(w, "", samples_attribute, (int64_t)sweep->samples, err);
    return code;
}

int kl_train_sweep_save(struct kl_writer *w, const struct kl_sweep *sweep, const char *of,
                        struct kl_error *err)
{
    const size_t n = sweep->n;
    int64_t *columns = malloc((3 * n + 1) * sizeof *columns);
    int code = columns ? put_rows(w, sweep, of, err) : kl_fail_memory(err, n * 64);
    if (!code) code = put_texts(w, sweep, of, err);
    for (size_t i = 0; !code && i < n; i++) {
        columns[i] = (int64_t)sweep->rows[i].point;
        columns[n + i] = sweep->rows[i].parameters;
        columns[2 * n + i] = sweep->rows[i].epochs;
    }
    if (!code) code = kl_store_writer_put(w, "index", KL_TYPE_I64, 0, 1, &n, columns, err);
    if (code >= 0) code = kl_store_writer_put(w, "parameters", KL_TYPE_I64, 0, 1, &n, columns + n, err);
    if (code >= 0) code = kl_store_writer_put(w, "epochs", KL_TYPE_I64, 0, 1, &n, columns + 2 * n, err);
    free(columns);
    return code < 0 ? code : put_judged(w, sweep, err);
}

/* ---- and back ---- */

static int read_rows(struct kl_sweep_rows *by, char **of, const struct kl_file *file,
                     struct kl_error *err)
{
    *by = of_heads;
    *of = NULL;
    if (!kl_store_file_has_attribute(file, "", of_attribute)) return KL_OK;
    *by = (struct kl_sweep_rows){ 0 };
    int code = kl_store_file_text(of, file, "", of_attribute, err);
    if (!code) kl_make_printable(*of);
    for (int k = 0; k < KL_SWEEP_ROWS && !code; k++) {
        char *text = NULL;
        if (!kl_store_file_has_attribute(file, "", judged_attributes[k])) break;
        code = kl_store_file_text(&text, file, "", judged_attributes[k], err);
        if (code) break;
        by->row[k].higher = *text != '-';
        snprintf(by->row[k].name, sizeof by->row[k].name, "%s", text + (*text == '-'));
        kl_make_printable(by->row[k].name);
        snprintf(by->row[k].label, sizeof by->row[k].label, "%s", by->row[k].name);
        for (char *c = by->row[k].label; *c; c++) *c = *c == '_' ? ' ' : *c;
        by->n++;
        free(text);
    }
    if (!code && !by->n)
        code = kl_fail(err, KL_EDATA, "%s: does not say by what it compares", kl_store_file_path(file));
    return code;
}

/* A dataset with one row for each point; *data malloc'ed. */
static int take(void **data, const struct kl_dataset **d, struct kl_file *file, const char *name,
                enum kl_type type, int rank, size_t n, struct kl_error *err)
{
    int code = kl_store_file_expect(d, file, name, type, rank, err);
    if (!code && (*d)->dims[0] != n)
        code = kl_fail(err, KL_EDATA, "%s: %s: found %zu rows, expected one for each of %zu points",
                       kl_store_file_path(file), name, (*d)->dims[0], n);
    return code ? code : kl_store_file_load(data, file, *d, err);
}

static int take_numbers(struct kl_sweep *sweep, struct kl_file *file, struct kl_error *err)
{
    static const char *const names[] = { "index", "parameters", "epochs" };
    const struct kl_dataset *d;
    int code = KL_OK;
    for (int k = 0; k < 3 && !code; k++) {
        int64_t *values = NULL;
        code = take((void **)&values, &d, file, names[k], KL_TYPE_I64, 1, sweep->n, err);
        for (size_t i = 0; i < sweep->n && !code; i++) {
            struct kl_sweep_row *row = &sweep->rows[i];
            if (k == 0) row->point = (size_t)values[i];
            else *(k == 1 ? &row->parameters : &row->epochs) = values[i];
        }
        free(values);
    }
    return code;
}

/* Row k of the validation samples, or of the test. */
static int take_judged(struct kl_sweep *sweep, int k, bool test, const char *of, struct kl_file *file,
                       struct kl_error *err)
{
    const struct name own = name_of(sweep, k, test);
    const char *name = own.text;
    const struct kl_dataset *d;
    double *values = NULL;
    int code = take((void **)&values, &d, file, name, KL_TYPE_F64, 2, sweep->n, err);
    if (!code && d->dims[1] != sweep->replicas)
        code = kl_fail(err, KL_EDATA, "%s: %s: found %zu %ss a point, expected %zu",
                       kl_store_file_path(file), name, d->dims[1], of ? of : "head", sweep->replicas);
    for (size_t i = 0; i < sweep->n && !code; i++)
        memcpy(test ? sweep->rows[i].tested[k] : sweep->rows[i].judged[k], values + i * sweep->replicas,
               sweep->replicas * sizeof *values);
    free(values);
    return code;
}

/* Folds, and what a test has said; files without them have none of its attributes. */
static int take_folds(struct kl_sweep *sweep, const char *of, struct kl_file *file, struct kl_error *err)
{
    double folds = 1, samples = 0;
    int code = KL_OK;
    if (kl_store_file_has_attribute(file, "", folds_attribute))
        code = kl_store_file_number(&folds, file, "", folds_attribute, err);
    if (!code && kl_store_file_has_attribute(file, "", samples_attribute))
        code = kl_store_file_number(&samples, file, "", samples_attribute, err);
    if (code) return code;
    if (!(folds >= 1 && folds <= KL_SWEEP_FOLDS && folds <= (double)sweep->replicas) ||
        sweep->replicas % (size_t)folds || !(samples >= 0 && samples < 1e15))
        return kl_fail(err, KL_EDATA, "%s: %g folds of %zu values a point, tested on %g samples",
                       kl_store_file_path(file), folds, sweep->replicas, samples);
    sweep->folds = (size_t)folds, sweep->samples = (size_t)samples;
    for (int k = 0; k < sweep->by.n && sweep->samples && !code; k++)
        code = take_judged(sweep, k, true, of, file, err);
    return code;
}

/* At most size - 1 bytes of a text padded with NUL. What would steer a terminal becomes '?'. */
static void copy_text(char *to, size_t size, const char *from, size_t item_size)
{
    snprintf(to, size, "%.*s", (int)(item_size < size ? item_size : size), from);
    kl_make_printable(to);
}

static int take_texts(struct kl_sweep *sweep, const char *of, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *d, *k;
    char *names = NULL, *keys = NULL, key_name[80];
    snprintf(key_name, sizeof key_name, "%s_key", of ? of : "head");
    int code = take((void **)&names, &d, file, "point", KL_TYPE_STRING, 1, sweep->n, err);
    if (!code) code = take((void **)&keys, &k, file, key_name, KL_TYPE_STRING, 1, sweep->n, err);
    for (size_t i = 0; i < sweep->n && !code; i++) {
        struct kl_sweep_row *row = &sweep->rows[i];
        copy_text(row->name, sizeof row->name, names + i * d->item_size, d->item_size);
        copy_text(row->key, sizeof row->key, keys + i * k->item_size, k->item_size);
    }
    free(names);
    free(keys);
    return code;
}

int kl_train_sweep_load(struct kl_sweep *sweep, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *d;
    struct kl_sweep_rows by;
    char *of;
    *sweep = (struct kl_sweep){ 0 };
    int code = read_rows(&by, &of, file, err);
    if (!code) code = kl_store_file_expect(&d, file, by.row[0].name, KL_TYPE_F64, 2, err);
    if (!code) code = kl_train_sweep_make(sweep, &by, d->dims[0], d->dims[1], err);
    if (!code) code = take_texts(sweep, of, file, err);
    if (!code) code = take_numbers(sweep, file, err);
    for (int k = 0; k < by.n && !code; k++) code = take_judged(sweep, k, false, of, file, err);
    if (!code) code = take_folds(sweep, of, file, err);
    for (size_t i = 0; i < sweep->n && !code; i++)
        sweep->rows[i].diverged = isnan(kl_train_sweep_mean(sweep, i, 0));
    free(of);
    return code;
}

/* ---- for a person ---- */

/* Columns of the table: of a name, of what is judged first. */
struct widths {
    int name, judged;
    bool next; /* there is room for what is judged next */
    bool test; /* what it is on the test samples stands behind */
};

static struct widths measure(const struct kl_sweep *sweep)
{
    enum { LINE = 80, NUMBERS = 2 + 6 + 2 + 10, NEXT = 2 + 8 };
    struct widths w = { 5,
                        sweep->replicas == 1 ? 12
                        : sweep->folds > 1   ? 17
                                             : 25,
                        false, sweep->samples > 0 };
    for (size_t i = 0; i < sweep->n; i++)
        if ((int)strlen(sweep->rows[i].name) > w.name) w.name = (int)strlen(sweep->rows[i].name);
    w.next = sweep->by.n > 1 && !w.test && w.name + NUMBERS + 2 + w.judged + NEXT <= LINE;
    return w;
}

static void write_row(FILE *to, const struct kl_sweep *sweep, size_t i, const struct widths *w)
{
    const struct kl_sweep_row *row = &sweep->rows[i];
    const double mean = kl_train_sweep_mean(sweep, i, 0), next = kl_train_sweep_mean(sweep, i, 1);
    double low = INFINITY, high = -INFINITY;
    char judged[64];
    fprintf(to, "%-*s  %6lld  %10lld  ", w->name, row->name, (long long)row->epochs,
            (long long)row->parameters);
    for (size_t r = 0; r < sweep->replicas; r++)
        low = fmin(low, row->judged[0][r]), high = fmax(high, row->judged[0][r]);
    if (sweep->replicas == 1) snprintf(judged, sizeof judged, "%.4f", mean);
    else if (sweep->folds > 1)
        snprintf(judged, sizeof judged, "%.4f +- %.4f", mean, kl_train_sweep_error(sweep, i, 0));
    else snprintf(judged, sizeof judged, "%.4f (%.4f to %.4f)", mean, low, high);
    if (row->diverged) fprintf(to, "diverged\n");
    else if (w->test && isnan(row->tested[0][0])) fprintf(to, "%s\n", judged); /* it was dropped */
    else if (w->test)
        fprintf(to, "%-*s  %13.4f\n", w->judged, judged, kl_stats_mean(row->tested[0], sweep->replicas));
    else if (w->next)
        fprintf(to, fabs(next) < 1000 ? "%-*s  %8.4f\n" : "%-*s  %8.2e\n", w->judged, judged, next);
    else fprintf(to, "%s\n", judged);
}

int kl_train_sweep_write(FILE *to, const struct kl_sweep *sweep, size_t most, struct kl_error *err)
{
    const struct widths w = measure(sweep);
    size_t *order = malloc((sweep->n + 1) * sizeof *order);
    if (!order) return kl_fail_memory(err, sweep->n * sizeof *order);
    kl_train_sweep_order(order, sweep);
    fprintf(to, "%-*s  %6s  %10s  ", w.name, "point", "epochs", "parameters");
    if (w.next) fprintf(to, "%-*s  %8s\n", w.judged, sweep->by.row[0].label, sweep->by.row[1].label);
    else if (w.test) fprintf(to, "%-*s  %13s\n", w.judged, sweep->by.row[0].label, "test");
    else fprintf(to, "%s\n", sweep->by.row[0].label);
    for (size_t i = 0; i < sweep->n && i < most; i++) write_row(to, sweep, order[i], &w);
    if (sweep->n > most) fprintf(to, "... and %zu more\n", sweep->n - most);
    free(order);
    return KL_OK;
}

static const struct kl_kind_table tables[] = {
    { .name = "points",
      .axes = { { "point", "point" } },
      .only_json = true,
      .columns = { KL_KIND_COLUMN("epochs", "epochs", "epochs", "%.0f"),
                   KL_KIND_COLUMN("parameters", "parameters", "parameters", "%.0f"),
                   KL_KIND_COLUMN("val_accuracy", "val_accuracy", "val accuracy", "%.4f",
                                  .cell = KL_CELL_MEAN),
                   KL_KIND_COLUMN("val_loss", "val_loss", "val loss", "%.4f", .cell = KL_CELL_MEAN),
                   KL_KIND_COLUMN("test_accuracy", "test_accuracy", "test accuracy", "%.4f",
                                  .cell = KL_CELL_MEAN),
                   KL_KIND_COLUMN("test_loss", "test_loss", "test loss", "%.4f",
                                  .cell = KL_CELL_MEAN) } },
    { .name = NULL }
};

/* The page has the table for a person. */
static int write_page(FILE *to, struct kl_file *file, struct kl_error *err)
{
    enum { MOST_ROWS = 20 };
    struct kl_sweep sweep = { 0 };
    int code = kl_train_sweep_load(&sweep, file, err);
    if (!code) fputc('\n', to);
    if (!code) code = kl_train_sweep_write(to, &sweep, MOST_ROWS, err);
    kl_train_sweep_free(&sweep);
    return code;
}

const struct kl_kind kl_sweep_kind = { .name = "sweep", .tables = tables, .write = write_page };
