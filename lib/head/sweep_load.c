/* SPDX-License-Identifier: MIT
   The rows of a finished sweep. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "head/sweep.h"
#include "store/kind.h"
#include "store/store.h"

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

static int take_judgement(struct kl_sweep *sweep, const char *name, struct kl_file *file,
                          struct kl_error *err)
{
    const bool accuracy = strcmp(name, "val_accuracy") == 0;
    const struct kl_dataset *d;
    double *values = NULL;
    int code = take((void **)&values, &d, file, name, KL_TYPE_F64, 2, sweep->n, err);
    if (!code && d->dims[1] != sweep->replicas)
        code = kl_fail(err, KL_EDATA, "%s: %s: found %zu heads a point, expected %zu",
                       kl_store_file_path(file), name, d->dims[1], sweep->replicas);
    for (size_t i = 0; i < sweep->n && !code; i++)
        memcpy(accuracy ? sweep->rows[i].accuracy : sweep->rows[i].loss, values + i * sweep->replicas,
               sweep->replicas * sizeof *values);
    free(values);
    return code;
}

/* At most size - 1 bytes of a text padded with NUL. What would steer a terminal becomes '?'. */
static void copy_text(char *to, size_t size, const char *from, size_t item_size)
{
    snprintf(to, size, "%.*s", (int)(item_size < size ? item_size : size), from);
    kl_make_printable(to);
}

static int take_texts(struct kl_sweep *sweep, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *d, *k;
    char *names = NULL, *keys = NULL;
    int code = take((void **)&names, &d, file, "point", KL_TYPE_STRING, 1, sweep->n, err);
    if (!code) code = take((void **)&keys, &k, file, "head_key", KL_TYPE_STRING, 1, sweep->n, err);
    for (size_t i = 0; i < sweep->n && !code; i++) {
        struct kl_sweep_row *row = &sweep->rows[i];
        copy_text(row->name, sizeof row->name, names + i * d->item_size, d->item_size);
        copy_text(row->key, sizeof row->key, keys + i * k->item_size, k->item_size);
    }
    free(names);
    free(keys);
    return code;
}

int kl_sweep_load(struct kl_sweep *sweep, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *d;
    *sweep = (struct kl_sweep){ 0 };
    int code = kl_store_file_expect(&d, file, "val_accuracy", KL_TYPE_F64, 2, err);
    if (!code) code = kl_sweep_make(sweep, d->dims[0], d->dims[1], err);
    if (!code) code = take_texts(sweep, file, err);
    if (!code) code = take_numbers(sweep, file, err);
    if (!code) code = take_judgement(sweep, "val_accuracy", file, err);
    if (!code) code = take_judgement(sweep, "val_loss", file, err);
    for (size_t i = 0; i < sweep->n && !code; i++)
        sweep->rows[i].diverged = isnan(kl_sweep_judge(sweep, i).accuracy);
    return code;
}

static const struct kl_kind_table tables[] = {
    { .name = "points",
      .axes = { { "point", "point" } },
      .only_json = true,
      .columns = { KL_KIND_COLUMN("epochs", "epochs", "epochs", "%.0f"),
                   KL_KIND_COLUMN("parameters", "parameters", "parameters", "%.0f"),
                   KL_KIND_COLUMN("val_accuracy", "val_accuracy", "val accuracy", "%.4f",
                                  .cell = KL_CELL_MEAN),
                   KL_KIND_COLUMN("val_loss", "val_loss", "val loss", "%.4f", .cell = KL_CELL_MEAN) } },
    { .name = NULL }
};

/* The page has the table for a person. */
static int write_page(FILE *to, struct kl_file *file, struct kl_error *err)
{
    enum { MOST_ROWS = 20 };
    struct kl_sweep sweep = { 0 };
    int code = kl_sweep_load(&sweep, file, err);
    if (!code) fputc('\n', to);
    if (!code) code = kl_sweep_write(to, &sweep, MOST_ROWS, err);
    kl_sweep_free(&sweep);
    return code;
}

const struct kl_kind kl_sweep_kind = { .name = "sweep", .tables = tables, .write = write_page };
