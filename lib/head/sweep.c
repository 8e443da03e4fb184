/* SPDX-License-Identifier: MIT */
#include "head/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/store.h"

int kl_sweep_make(struct kl_sweep *sweep, size_t n, size_t replicas, struct kl_error *err)
{
    double *values = malloc((2 * n * replicas + 1) * sizeof *values);
    *sweep = (struct kl_sweep){ n, replicas, calloc(n + 1, sizeof *sweep->rows) };
    if (!values || !sweep->rows) {
        free(values);
        kl_sweep_free(sweep);
        return kl_fail_memory(err, n * sizeof *sweep->rows);
    }
    for (size_t i = 0; i < 2 * n * replicas; i++) values[i] = NAN;
    sweep->rows[0].accuracy = values; /* the first row's pointer owns all */
    for (size_t i = 0; i < n; i++) {
        sweep->rows[i].accuracy = values + 2 * i * replicas;
        sweep->rows[i].loss = values + (2 * i + 1) * replicas;
    }
    return KL_OK;
}

void kl_sweep_free(struct kl_sweep *sweep)
{
    if (sweep->rows) free(sweep->rows[0].accuracy);
    free(sweep->rows);
    *sweep = (struct kl_sweep){ 0 };
}

struct kl_judgement kl_sweep_judge(const struct kl_sweep *sweep, size_t row)
{
    const struct kl_sweep_row *r = &sweep->rows[row];
    return (struct kl_judgement){ kl_stats_mean(r->accuracy, sweep->replicas),
                                  kl_stats_mean(r->loss, sweep->replicas) };
}

/* By insertion: points are few, and equal ones stay in the order of the grid. */
void kl_sweep_order(size_t *order, const struct kl_sweep *sweep)
{
    for (size_t i = 0; i < sweep->n; i++) {
        const struct kl_judgement own = kl_sweep_judge(sweep, i);
        size_t k = i;
        for (; k > 0 && kl_stats_comes_before(own, kl_sweep_judge(sweep, order[k - 1])); k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
}

/* The values of `name` at each replica's best epoch. */
static int at_best(double *to, const char *name, const int64_t *best, size_t replicas,
                   struct kl_file *head, struct kl_error *err)
{
    const struct kl_dataset *d;
    double *values = NULL;
    int code = kl_store_file_expect(&d, head, name, KL_TYPE_F64, 2, err);
    if (!code && d->dims[0] != replicas)
        code = kl_fail(err, KL_EDATA, "%s: holds %zu heads, expected %zu", kl_store_file_path(head),
                       d->dims[0], replicas);
    if (!code) code = kl_store_file_load((void **)&values, head, d, err);
    for (size_t r = 0; !code && r < replicas; r++)
        if (best[r] < 0 || (size_t)best[r] >= d->dims[1])
            code = kl_fail(err, KL_EDATA, "%s: replicas/best_epoch: %lld of %zu epochs",
                           kl_store_file_path(head), (long long)best[r], d->dims[1]);
        else to[r] = values[r * d->dims[1] + (size_t)best[r]];
    free(values);
    return code;
}

/* Epochs that any replica was trained for: rows of the history that are numbers. */
static int count_epochs(int64_t *epochs, struct kl_file *head, struct kl_error *err)
{
    const struct kl_dataset *d;
    double *loss = NULL;
    *epochs = 0;
    int code = kl_store_file_expect(&d, head, "history/train_loss", KL_TYPE_F64, 2, err);
    if (!code) code = kl_store_file_load((void **)&loss, head, d, err);
    for (size_t i = 0; !code && i < d->dims[0] * d->dims[1]; i++)
        if (!isnan(loss[i]) && (int64_t)(i % d->dims[1]) >= *epochs)
            *epochs = (int64_t)(i % d->dims[1]) + 1;
    free(loss);
    return code;
}

int kl_sweep_read_head(struct kl_sweep_row *row, size_t replicas, struct kl_file *head,
                       struct kl_error *err)
{
    const struct kl_dataset *d;
    int64_t *best = NULL;
    int code = kl_store_file_expect(&d, head, "replicas/best_epoch", KL_TYPE_I64, 1, err);
    if (!code && d->dims[0] != replicas)
        code = kl_fail(err, KL_EDATA, "%s: holds %zu heads, expected %zu", kl_store_file_path(head),
                       d->dims[0], replicas);
    if (!code) code = kl_store_file_load((void **)&best, head, d, err);
    if (!code) code = at_best(row->accuracy, "history/val_accuracy", best, replicas, head, err);
    if (!code) code = at_best(row->loss, "history/val_loss", best, replicas, head, err);
    if (!code) code = count_epochs(&row->epochs, head, err);
    if (!code) strcpy(row->key, kl_store_file_key(head));
    free(best);
    return code;
}

static int put_texts(struct kl_writer *w, const struct kl_sweep *sweep, struct kl_error *err)
{
    char *names = calloc(sweep->n + 1, KL_SWEEP_NAME), *keys = calloc(sweep->n + 1, 64);
    int code = names && keys ? KL_OK : kl_fail_memory(err, sweep->n * KL_SWEEP_NAME);
    for (size_t i = 0; !code && i < sweep->n; i++) {
        memcpy(names + i * KL_SWEEP_NAME, sweep->rows[i].name, strlen(sweep->rows[i].name));
        memcpy(keys + i * 64, sweep->rows[i].key, strlen(sweep->rows[i].key));
    }
    if (!code)
        code = kl_store_writer_put(w, "point", KL_TYPE_STRING, KL_SWEEP_NAME, 1, &sweep->n, names, err);
    if (!code) code = kl_store_writer_put(w, "head_key", KL_TYPE_STRING, 64, 1, &sweep->n, keys, err);
    free(names);
    free(keys);
    return code;
}

int kl_sweep_save(struct kl_writer *w, const struct kl_sweep *sweep, struct kl_error *err)
{
    const size_t n = sweep->n, dims[2] = { n, sweep->replicas };
    int64_t *columns = malloc((3 * n + 1) * sizeof *columns);
    double *values = malloc((2 * n * sweep->replicas + 1) * sizeof *values);
    int code = columns && values ? put_texts(w, sweep, err) : kl_fail_memory(err, n * 64);
    for (size_t i = 0; !code && i < n; i++) {
        columns[i] = (int64_t)sweep->rows[i].point;
        columns[n + i] = sweep->rows[i].parameters;
        columns[2 * n + i] = sweep->rows[i].epochs;
        for (size_t r = 0; r < sweep->replicas; r++) {
            values[i * sweep->replicas + r] = sweep->rows[i].accuracy[r];
            values[(n + i) * sweep->replicas + r] = sweep->rows[i].loss[r];
        }
    }
    if (!code) code = kl_store_writer_put(w, "index", KL_TYPE_I64, 0, 1, dims, columns, err);
    if (!code) code = kl_store_writer_put(w, "parameters", KL_TYPE_I64, 0, 1, dims, columns + n, err);
    if (!code) code = kl_store_writer_put(w, "epochs", KL_TYPE_I64, 0, 1, dims, columns + 2 * n, err);
    if (!code) code = kl_store_writer_put(w, "val_accuracy", KL_TYPE_F64, 0, 2, dims, values, err);
    if (!code)
        code = kl_store_writer_put(w, "val_loss", KL_TYPE_F64, 0, 2, dims, values + n * sweep->replicas,
                                   err);
    free(columns);
    free(values);
    return code;
}

/* Columns of the table: of a name, of an accuracy. */
struct widths {
    int name, accuracy;
    bool losses; /* there is room for them */
};

static struct widths measure(const struct kl_sweep *sweep)
{
    enum { LINE = 80, NUMBERS = 2 + 6 + 2 + 10, LOSS = 2 + 8 };
    struct widths w = { 5, sweep->replicas == 1 ? 12 : 25, false };
    for (size_t i = 0; i < sweep->n; i++)
        if ((int)strlen(sweep->rows[i].name) > w.name) w.name = (int)strlen(sweep->rows[i].name);
    w.losses = w.name + NUMBERS + 2 + w.accuracy + LOSS <= LINE;
    return w;
}

static void write_row(FILE *to, const struct kl_sweep *sweep, size_t i, const struct widths *w)
{
    const struct kl_sweep_row *row = &sweep->rows[i];
    const struct kl_judgement mean = kl_sweep_judge(sweep, i);
    double low = INFINITY, high = -INFINITY;
    char accuracy[64];
    fprintf(to, "%-*s  %6lld  %10lld  ", w->name, row->name, (long long)row->epochs,
            (long long)row->parameters);
    for (size_t r = 0; r < sweep->replicas; r++)
        low = fmin(low, row->accuracy[r]), high = fmax(high, row->accuracy[r]);
    if (sweep->replicas == 1) snprintf(accuracy, sizeof accuracy, "%.4f", mean.accuracy);
    else snprintf(accuracy, sizeof accuracy, "%.4f (%.4f to %.4f)", mean.accuracy, low, high);
    if (row->diverged) fprintf(to, "diverged\n");
    else if (w->losses)
        fprintf(to, fabs(mean.loss) < 1000 ? "%-*s  %8.4f\n" : "%-*s  %8.2e\n", w->accuracy, accuracy,
                mean.loss);
    else fprintf(to, "%s\n", accuracy);
}

int kl_sweep_write(FILE *to, const struct kl_sweep *sweep, size_t most, struct kl_error *err)
{
    const struct widths w = measure(sweep);
    size_t *order = malloc((sweep->n + 1) * sizeof *order);
    if (!order) return kl_fail_memory(err, sweep->n * sizeof *order);
    kl_sweep_order(order, sweep);
    fprintf(to, "%-*s  %6s  %10s  ", w.name, "point", "epochs", "parameters");
    if (w.losses) fprintf(to, "%-*s  %8s\n", w.accuracy, "val accuracy", "val loss");
    else fprintf(to, "val accuracy\n");
    for (size_t i = 0; i < sweep->n && i < most; i++) write_row(to, sweep, order[i], &w);
    if (sweep->n > most) fprintf(to, "... and %zu more\n", sweep->n - most);
    free(order);
    return KL_OK;
}
