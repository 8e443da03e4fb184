/* SPDX-License-Identifier: MIT
   Tables of results that stand in datasets, loaded. What a file lacks, or has in another shape, is left
   out: a page must be had of files of all ages. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/describe_int.h"
#include "store/store.h"

/* All numbers of a dataset, `inner` for each of `rows`; else *numbers stays NULL. */
static int load_numbers(double **numbers, size_t *inner, struct kl_file *file, const char *name,
                        size_t rows, struct kl_error *err)
{
    const struct kl_dataset *d = kl_store_file_find(file, name);
    void *data = NULL;
    size_t n = 1;
    *numbers = NULL;
    for (int i = 0; d && i < d->rank; i++) n *= d->dims[i];
    if (!d || d->type == KL_TYPE_STRING || d->type == KL_TYPE_F16 || !rows || !n || n % rows)
        return KL_OK;
    *inner = n / rows;
    int code = kl_store_file_load(&data, file, d, err);
    if (!code && !(*numbers = malloc(n * sizeof **numbers)))
        code = kl_fail_memory(err, n * sizeof **numbers);
    for (size_t i = 0; i < n && !code; i++) (*numbers)[i] = kl_store_type_number(d->type, data, i);
    free(data);
    return code;
}

static int load_axis(struct kl_table_axis *axis, struct kl_file *file, const char *name,
                     struct kl_error *err)
{
    const struct kl_dataset *d = kl_store_file_find(file, name);
    size_t one;
    if (!d || d->rank != 1) return KL_OK;
    axis->n = d->rows, axis->size = d->item_size;
    if (d->type == KL_TYPE_STRING) return kl_store_file_load((void **)&axis->words, file, d, err);
    return load_numbers(&axis->numbers, &one, file, name, d->rows, err);
}

/* Place of a word; beyond the last one: it is not there. */
static size_t find_word(const struct kl_table_axis *axis, const char *word)
{
    size_t i = 0, n = strlen(word);
    for (; i < axis->n; i++) {
        const char *own = axis->words + i * axis->size;
        if (strnlen(own, axis->size) == n && memcmp(own, word, n) == 0) break;
    }
    return i;
}

/* What a row's k numbers come to; numbers that are NaN count for nothing. */
static double reduced(const double *of, size_t k, enum kl_cell cell)
{
    double least = NAN, greatest = NAN, sum = 0, ones = 0, zeros = 0;
    for (size_t i = 0; i < k; i++) {
        least = fmin(least, of[i]), greatest = fmax(greatest, of[i]), sum += of[i];
        ones += of[i] == 1, zeros += of[i] == 0;
    }
    switch (cell) {
    case KL_CELL_LEAST: return least;
    case KL_CELL_GREATEST: return greatest;
    case KL_CELL_MEAN: return sum / (double)k;
    case KL_CELL_ONES: return ones;
    default: return zeros;
    }
}

/* One number a row out of k, in place of them; where there is but one, it is meant. */
static int pick(double **numbers, size_t k, const struct kl_table *t, const struct kl_kind_column *c,
                struct kl_file *file, struct kl_error *err)
{
    size_t at = c->at;
    if (c->cell == KL_CELL_AT && k == 1) return KL_OK;
    if (c->pick) {
        struct kl_table_axis names = { 0 };
        const int code = load_axis(&names, file, c->names, err);
        at = names.words ? find_word(&names, c->pick) : k;
        free(names.words), free(names.numbers);
        if (code) return code;
    }
    if (c->cell == KL_CELL_AT && at >= k) {
        free(*numbers);
        *numbers = NULL;
        return KL_OK;
    }
    for (size_t i = 0; i < t->n_rows; i++)
        (*numbers)[i] =
            c->cell == KL_CELL_AT ? (*numbers)[i * k + at] : reduced(*numbers + i * k, k, c->cell);
    return KL_OK;
}

static int load_one(double **to, struct kl_file *file, const char *name, const char *end,
                    const struct kl_table *t, const struct kl_kind_column *c, struct kl_error *err)
{
    char full[160];
    size_t k;
    snprintf(full, sizeof full, "%.128s%s", name, end);
    int code = load_numbers(to, &k, file, full, t->n_rows, err);
    return code || !*to ? code : pick(to, k, t, c, file, err);
}

/* Beside a mean of k, the least and the greatest of them; one has no range. */
static int load_range(struct kl_table_column *own, struct kl_file *file, const struct kl_table *t,
                      const struct kl_kind_column *c, struct kl_error *err)
{
    const struct kl_dataset *d = kl_store_file_find(file, c->dataset);
    struct kl_kind_column end = *c;
    if (d->rank < 2 || d->dims[1] < 2) return KL_OK;
    end.cell = KL_CELL_LEAST;
    const int code = load_one(&own->low, file, c->dataset, "", t, &end, err);
    end.cell = KL_CELL_GREATEST;
    return code ? code : load_one(&own->high, file, c->dataset, "", t, &end, err);
}

static int load_column(struct kl_table *t, const struct kl_kind_column *c, struct kl_file *file,
                       struct kl_error *err)
{
    struct kl_table_column *own = &t->columns[t->n_columns];
    const char *spread = c->spread ? c->spread : c->dataset;
    const struct kl_dataset *d = kl_store_file_find(file, c->dataset);
    *own = (struct kl_table_column){ .as = c };
    int code = load_one(&own->value, file, c->dataset, "", t, c, err);
    if (own->value) t->n_columns++; /* from here on it is freed with the table */
    if (code || !own->value) return code;
    own->whole = c->cell == KL_CELL_ONES || c->cell == KL_CELL_ZEROS ||
                 (c->cell == KL_CELL_AT && d->type != KL_TYPE_F32 && d->type != KL_TYPE_F64);
    if (c->cell == KL_CELL_MEAN) return load_range(own, file, t, c, err);
    code = load_one(&own->low, file, spread, "_low", t, c, err);
    if (!code) code = load_one(&own->high, file, spread, "_high", t, c, err);
    if (!code) code = load_one(&own->error, file, spread, "_error", t, c, err);
    if (!code && !own->error) code = load_one(&own->error, file, spread, "_se", t, c, err);
    return code;
}

/* Rows from the first to tell; a list that is none is not heeded. */
static int load_order(struct kl_table *t, struct kl_file *file, struct kl_error *err)
{
    double *order = NULL;
    size_t k = 0;
    t->order = malloc(t->n_rows * sizeof *t->order);
    if (!t->order) return kl_fail_memory(err, t->n_rows * sizeof *t->order);
    for (size_t i = 0; i < t->n_rows; i++) t->order[i] = i;
    int code = t->as->order ? load_numbers(&order, &k, file, t->as->order, t->n_rows, err) : KL_OK;
    bool good = order && k == 1;
    for (size_t i = 0; i < t->n_rows && good; i++) good = order[i] >= 0 && order[i] < (double)t->n_rows;
    for (size_t i = 0; i < t->n_rows && good; i++) t->order[i] = (size_t)order[i];
    free(order);
    return code;
}

/* The axes, and how many rows they make; 0: something is not as it should be. */
static int load_rows(struct kl_table *t, struct kl_file *file, struct kl_error *err)
{
    const struct kl_kind_table *v = t->as;
    int code = KL_OK;
    t->n_rows = 1;
    if (v->pairs) {
        const struct kl_dataset *d = kl_store_file_find(file, v->pairs);
        t->n_rows = d && d->rank == 2 && d->dims[1] == 2 ? d->rows : 0;
        code = load_axis(&t->axes[0], file, v->axes[0].dataset, err);
        if (!code)
            code = load_numbers(&t->axes[1].numbers, &t->axes[1].n, file, v->pairs, t->n_rows, err);
        if (!t->axes[0].words || !t->axes[1].numbers) t->n_rows = 0;
        return code;
    }
    for (; t->n_axes < KL_KIND_AXES && v->axes[t->n_axes].dataset && !code; t->n_axes++) {
        struct kl_table_axis *axis = &t->axes[t->n_axes];
        code = load_axis(axis, file, v->axes[t->n_axes].dataset, err);
        t->n_rows *= axis->words || axis->numbers ? axis->n : 0;
    }
    return code;
}

void kl_store_table_free(struct kl_table *t)
{
    for (int i = 0; i < KL_KIND_AXES; i++) free(t->axes[i].words), free(t->axes[i].numbers);
    for (int k = 0; k < t->n_columns; k++) {
        struct kl_table_column *c = &t->columns[k];
        free(c->value), free(c->low), free(c->high), free(c->error);
    }
    free(t->order);
    *t = (struct kl_table){ 0 };
}

int kl_store_table_load(struct kl_table *t, const struct kl_kind_table *as, struct kl_file *file,
                        struct kl_error *err)
{
    *t = (struct kl_table){ .as = as };
    if ((as->needs && !kl_store_file_find(file, as->needs)) ||
        (as->lacks && kl_store_file_find(file, as->lacks)))
        return KL_OK;
    int code = load_rows(t, file, err);
    if (code || !t->n_rows) return code;
    for (const struct kl_kind_column *c = as->columns; c->dataset && !code; c++)
        code = load_column(t, c, file, err);
    return code || !t->n_columns ? code : load_order(t, file, err);
}
