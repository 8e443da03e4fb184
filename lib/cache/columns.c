/* SPDX-License-Identifier: MIT
   cache list --columns: what the files below a folder found, and their options, as a table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"
#include "store/describe.h"

enum { COLUMNS = 16, CELL = 48 };
struct row {
    char *path, cell[COLUMNS][CELL];
    double number[COLUMNS]; /* NAN: a word, or nothing */
    bool has[COLUMNS];
};
struct table {
    char *names, *name[COLUMNS];
    size_t columns, n, room, without;
    bool smallest; /* on top */
    struct row *rows;
    struct kl_error err;
};

/* Their names, and whether the smallest of the first comes first. */
static int split(struct table *t, const char *columns, struct kl_error *err)
{
    t->smallest = *columns == '-';
    t->names = strdup(columns + t->smallest);
    if (!t->names) return kl_fail_memory(err, strlen(columns));
    for (char *rest = t->names, *name; (name = strsep(&rest, ","));) {
        if (!*name || t->columns == COLUMNS)
            return kl_fail(err, KL_EUSAGE,
                           "--columns: found '%s', expected 1 to %d names between commas", columns,
                           COLUMNS);
        t->name[t->columns++] = name;
    }
    return KL_OK;
}

static int add(void *context, const struct kl_found *f)
{
    struct table *t = context;
    if (t->n == t->room) {
        const size_t room = 2 * t->room + 16;
        struct row *rows = realloc(t->rows, room * sizeof *rows);
        if (!rows) return kl_fail_memory(&t->err, room * sizeof *rows);
        t->rows = rows, t->room = room;
    }
    struct row *row = &t->rows[t->n];
    for (size_t i = 0; i < t->columns; i++) {
        const int code = kl_store_found_value(&row->has[i], row->cell[i], CELL, &row->number[i], f,
                                              t->name[i], &t->err);
        if (code) return code;
    }
    if (!row->has[0]) {
        t->without++;
        return KL_OK;
    }
    row->path = strdup(f->path);
    if (!row->path) return kl_fail_memory(&t->err, strlen(f->path));
    t->n++;
    return KL_OK;
}

/* Numbers before words; of equal ones by their names. */
static int order(const void *pa, const void *pb, void *context)
{
    const struct row *a = pa, *b = pb;
    const struct table *t = context;
    const int sign = t->smallest ? 1 : -1;
    const double x = a->number[0], y = b->number[0];
    if (isnan(x) != isnan(y)) return isnan(x) ? 1 : -1;
    if (x > y || x < y) return x > y ? sign : -sign;
    const int words = isnan(x) ? strcmp(a->cell[0], b->cell[0]) : 0;
    return words ? words : strcmp(a->path, b->path);
}

/* Whole numbers as they are printed: no digit of theirs is cut. */
static int json_type(struct row *row, size_t i)
{
    if (!row->has[i]) strcpy(row->cell[i], "null");
    else if (isnan(row->number[i])) return KL_JSON_TEXT;
    return row->has[i] && strpbrk(row->cell[i], ".en") ? KL_JSON_NUMBER : KL_JSON_RAW;
}
static int print_json(const struct table *t, FILE *out, struct kl_error *err)
{
    int code = KL_OK;
    for (size_t r = 0; r < t->n && !code; r++) {
        struct row *row = &t->rows[r];
        struct kl_json_pair pairs[COLUMNS + 1] = { { "path", KL_JSON_TEXT, row->path, 0 } };
        for (size_t i = 0; i < t->columns; i++)
            pairs[i + 1] =
                (struct kl_json_pair){ t->name[i], json_type(row, i), row->cell[i], row->number[i] };
        code = kl_json_line(out, pairs, t->columns + 1, err);
    }
    return code;
}

static void print(const struct table *t, FILE *out)
{
    int width[COLUMNS];
    for (size_t i = 0; i < t->columns; i++) {
        width[i] = (int)strlen(t->name[i]);
        for (size_t r = 0; r < t->n; r++)
            if ((int)strlen(t->rows[r].cell[i]) > width[i]) width[i] = (int)strlen(t->rows[r].cell[i]);
        fprintf(out, "%*s  ", width[i], t->name[i]);
    }
    fprintf(out, "file\n");
    for (size_t r = 0; r < t->n; r++) {
        for (size_t i = 0; i < t->columns; i++) fprintf(out, "%*s  ", width[i], t->rows[r].cell[i]);
        fprintf(out, "%s\n", t->rows[r].path);
    }
}

int kl_cache_table(struct kl_cache *c, const char *folder, struct kl_error *err)
{
    struct table t = { 0 };
    int code = split(&t, c->columns, err);
    if (!code) code = kl_store_walk(folder, false, add, &t, NULL, err);
    if (t.err.code) *err = t.err, code = err->code;
    if (!code && !t.n)
        code = kl_fail(err, KL_ENO,
                       "%s: none of %zu files has %s; cache show --json FILE names what it has", folder,
                       t.without, t.name[0]);
    if (!code || code == KL_EIO) {
        if (t.n) qsort_r(t.rows, t.n, sizeof *t.rows, order, &t);
        if (c->common->json) {
            const int printed = print_json(&t, c->out, err);
            if (printed) code = printed;
        } else print(&t, c->out);
        if (t.without)
            kl_note(c->log, 1, "%zu file%s without %s", t.without, kl_s(t.without), t.name[0]);
    }
    for (size_t r = 0; r < t.n; r++) free(t.rows[r].path);
    free(t.rows), free(t.names);
    return code;
}
