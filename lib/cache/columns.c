/* SPDX-License-Identifier: MIT
   cache list --columns: what the files below a folder found, and their options, as a table; of a sweep's
   models also what its table has of them, as they are tested when they have been kept. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/cache.h"
#include "stats/stats.h"
#include "store/describe.h"

enum { COLUMNS = 16, CELL = 64 };
struct row {
    char *path, key[65];
    json_t *value[COLUMNS]; /* NULL: it has none */
};
/* Of a model, by a sweep's table: the mean over its replicas. */
struct measured {
    char key[65]; /* the model's */
    size_t column;
    double value;
};
struct table {
    char *names, *name[COLUMNS];
    const char *option[COLUMNS]; /* of which the name is the second one; NULL: of none */
    size_t columns, n, room, without, n_measured, measured_room, n_several;
    bool smallest; /* on top */
    struct row *rows;
    struct measured *measured;
    const struct kl_log *log;
    struct kl_error err;
};

static bool same_name(const char *a, const char *b)
{
    for (; *a && (*a == *b || (*a == '-' && *b == '_') || (*a == '_' && *b == '-')); a++) b++;
    return !*a && !*b;
}

/* "lr" of "learning_rate"; NULL: it is no option's second name. */
static const char *option_of(const struct kl_tool *const *tools, const char *name)
{
    for (; *tools; tools++)
        for (const struct kl_option *o = (*tools)->options; o < (*tools)->options + (*tools)->n_options;
             o++)
            if (o->alias && same_name(o->alias, name)) return o->name;
    return NULL;
}

/* Their names, and whether the smallest of the first comes first. */
static int split(struct table *t, const char *columns, const struct kl_tool *const *tools,
                 struct kl_error *err)
{
    t->smallest = *columns == '-';
    t->names = strdup(columns + t->smallest);
    if (!t->names) return kl_fail_memory(err, strlen(columns));
    for (char *rest = t->names, *name; (name = strsep(&rest, ","));) {
        if (!*name || t->columns == COLUMNS || strcmp(name, "path") == 0)
            return kl_fail(err, KL_EUSAGE,
                           "--columns: found '%s', expected 1 to %d names between commas, none of them "
                           "path, which is there",
                           columns, COLUMNS);
        t->option[t->columns] = option_of(tools, name), t->name[t->columns++] = name;
    }
    return KL_OK;
}

static void free_row(struct row *row)
{
    free(row->path);
    for (size_t i = 0; i < COLUMNS; i++) json_decref(row->value[i]);
}

/* ---- what sweeps measured ---- */
static int measure(struct table *t, const char *key, size_t column, double value, struct kl_error *err)
{
    if (t->n_measured == t->measured_room) {
        const size_t room = 2 * t->measured_room + 64;
        struct measured *measured = realloc(t->measured, room * sizeof *measured);
        if (!measured) return kl_fail_memory(err, room * sizeof *measured);
        t->measured = measured, t->measured_room = room;
    }
    struct measured *m = &t->measured[t->n_measured++];
    *m = (struct measured){ .column = column, .value = value };
    memcpy(m->key, key, 64);
    return KL_OK;
}

/* Column i, if the sweep of models with these keys has it. */
static int take_column(struct table *t, size_t i, struct kl_file *sweep, const char *keys, size_t n,
                       struct kl_error *err)
{
    const struct kl_dataset *d = kl_store_file_find(sweep, t->name[i]);
    void *data;
    if (!d || d->type != KL_TYPE_F64 || d->rank != 2 || d->rows != n) return KL_OK;
    int code = kl_store_file_load(&data, sweep, d, err);
    if (code) return code;
    for (size_t r = 0; r < n && !code; r++) {
        const double mean = kl_stats_mean((const double *)data + r * d->dims[1], d->dims[1]);
        if (keys[r * 64] && isfinite(mean)) code = measure(t, keys + r * 64, i, mean, err);
    }
    free(data);
    return code;
}

static int take_sweep(struct table *t, const char *path, struct kl_error *err)
{
    const struct kl_dataset *d;
    struct kl_file *file = NULL;
    char *of = NULL, name[80];
    void *keys = NULL;
    int code = kl_store_file_open(&file, path, err);
    if (!code && kl_store_file_has_attribute(file, "", "of"))
        code = kl_store_file_text(&of, file, "", "of", err);
    snprintf(name, sizeof name, "%.60s_key", of ? of : "head");
    if (!code) code = kl_store_file_load_named(&keys, &d, file, name, KL_TYPE_STRING, 1, err);
    if (!code && d->item_size != 64)
        code = kl_fail(err, KL_EDATA, "%s: %s: found texts of %zu bytes, expected 64", path, name,
                       d->item_size);
    for (size_t i = 0; i < t->columns && !code; i++) code = take_column(t, i, file, keys, d->rows, err);
    kl_store_file_close(&file);
    free(of), free(keys);
    if (code != KL_EDATA) return code;
    kl_note(t->log, 1, "%s", err->text); /* what it measured is left out, and files are listed */
    *err = (struct kl_error){ 0 };
    return KL_OK;
}

/* NAME.h5 beside a folder NAME-heads, where a sweep puts it. */
static int take_beside(struct table *t, const char *folder, struct kl_error *err)
{
    size_t n = strlen(folder);
    char *path = malloc(n + sizeof ".h5");
    struct kl_file *file = NULL;
    if (!path) return kl_fail_memory(err, n);
    memcpy(path, folder, n + 1);
    while (n > 1 && path[n - 1] == '/') path[--n] = '\0';
    char *dash = strrchr(path, '-');
    if (dash && !strchr(dash, '/')) strcpy(dash, ".h5");
    const bool is_sweep = dash && access(path, R_OK) == 0 && !kl_store_file_open(&file, path, NULL) &&
                          strcmp(kl_store_file_kind(file), "sweep") == 0;
    kl_store_file_close(&file);
    const int code = is_sweep ? take_sweep(t, path, err) : KL_OK;
    free(path);
    return code;
}

/* What files lack and a sweep has measured; then the rows that have the first column are left. */
static void complete(struct table *t)
{
    size_t left = 0;
    for (size_t r = 0; r < t->n; r++) {
        struct row *row = &t->rows[r];
        const struct measured *first[COLUMNS] = { NULL };
        bool several = false;
        for (const struct measured *m = t->measured; m < t->measured + t->n_measured; m++)
            if (strcmp(m->key, row->key) == 0 && !first[m->column]) first[m->column] = m;
            else if (strcmp(m->key, row->key) == 0)
                several |= !row->value[m->column] && m->value != first[m->column]->value;
        for (size_t i = 0; i < t->columns; i++)
            if (first[i] && !row->value[i]) row->value[i] = json_real(first[i]->value);
        t->n_several += several;
        if (row->value[0]) t->rows[left++] = *row;
        else free_row(row), t->without++;
    }
    t->n = left;
}

/* What a sweep found is of its best point, and so are the options of its grid; NULL: no best is told. */
static int take_best(struct row *row, const struct table *t, const struct kl_found *f,
                     struct kl_error *err)
{
    json_t *best = NULL, *grid = NULL;
    int code = kl_store_found_value(&best, f, "best", err);
    if (!code) code = kl_store_found_value(&grid, f, "grid", err);
    for (size_t i = 0; i < t->columns && !code; i++) {
        size_t n, in_grid;
        const char *value = kl_store_assigned(json_string_value(best), t->name[i], &n);
        if (!value && t->option[i]) value = kl_store_assigned(json_string_value(best), t->option[i], &n);
        if (!value && !kl_store_assigned(json_string_value(grid), t->name[i], &in_grid)) continue;
        json_decref(row->value[i]);
        row->value[i] = value ? json_loadb(value, n, JSON_DECODE_ANY, NULL) : NULL;
        if (value && !json_is_number(row->value[i])) {
            json_decref(row->value[i]);
            if (!(row->value[i] = json_stringn(value, n))) code = kl_fail_memory(err, n);
        }
    }
    json_decref(best), json_decref(grid);
    return code;
}

static int take_values(struct row *row, const struct table *t, const struct kl_found *f,
                       struct kl_error *err)
{
    int code = KL_OK;
    for (size_t i = 0; i < t->columns && !code; i++) {
        code = kl_store_found_value(&row->value[i], f, t->name[i], err);
        if (!code && !row->value[i] && t->option[i])
            code = kl_store_found_value(&row->value[i], f, t->option[i], err);
    }
    return code || strcmp(f->kind, "sweep") != 0 ? code : take_best(row, t, f, err);
}

static int add(void *context, const struct kl_found *f)
{
    struct table *t = context;
    struct row row = { .path = strdup(f->path) };
    int code = row.path ? KL_OK : kl_fail_memory(&t->err, strlen(f->path));
    if (!code && t->n == t->room) {
        const size_t room = 2 * t->room + 16;
        struct row *rows = realloc(t->rows, room * sizeof *rows);
        code = rows ? KL_OK : kl_fail_memory(&t->err, room * sizeof *rows);
        if (rows) t->rows = rows, t->room = room;
    }
    snprintf(row.key, sizeof row.key, "%s", f->key);
    if (!code) code = take_values(&row, t, f, &t->err);
    if (!code && f->file && strcmp(f->kind, "sweep") == 0) code = take_sweep(t, f->path, &t->err);
    if (!code) t->rows[t->n++] = row;
    else free_row(&row);
    return code;
}

/* A cell's words, that a terminal takes as they are; of accuracies four digits, as tools print them. */
static void write_cell(char text[CELL], const json_t *value, const char *name)
{
    if (!value) snprintf(text, CELL, "-");
    else if (json_is_integer(value)) snprintf(text, CELL, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        snprintf(text, CELL, strstr(name, "accuracy") ? "%.4f" : "%.6g", json_real_value(value));
    else if (json_is_boolean(value)) snprintf(text, CELL, "%s", json_is_true(value) ? "yes" : "no");
    else if (snprintf(text, CELL, "%s", json_string_value(value)) >= CELL)
        strcpy(text + CELL - 4, "...");
    kl_make_printable(text);
}

/* Numbers before words; of equal ones by their names. */
static int order(const void *pa, const void *pb, void *context)
{
    const struct row *a = pa, *b = pb;
    const struct table *t = context;
    const json_t *u = a->value[0], *v = b->value[0];
    const int sign = t->smallest ? 1 : -1;
    const double x = json_number_value(u), y = json_number_value(v);
    if (json_is_number(u) != json_is_number(v)) return json_is_number(u) ? -1 : 1;
    if (x > y || x < y) return x > y ? sign : -sign;
    const int words =
        json_is_string(u) && json_is_string(v) ? strcmp(json_string_value(u), json_string_value(v)) : 0;
    return words ? words : strcmp(a->path, b->path);
}

static int print_json(const struct table *t, FILE *out, struct kl_error *err)
{
    int code = KL_OK;
    for (size_t r = 0; r < t->n && !code; r++) {
        const struct row *row = &t->rows[r];
        json_t *object = json_object(), *path = NULL;
        char *text = NULL;
        code = kl_json_string(&path, row->path, err);
        bool made = !json_object_set_new(object, "path", path);
        for (size_t i = 0; i < t->columns && made; i++)
            made = !json_object_set_new(object, t->name[i],
                                        row->value[i] ? json_incref(row->value[i]) : json_null());
        if (!code)
            code = made ? kl_json_dump_as(&text, object, JSON_COMPACT, err) : kl_fail_memory(err, 256);
        if (!code) fprintf(out, "%s\n", text);
        free(text);
        json_decref(object);
    }
    return code;
}

static void print_titles(FILE *to, const struct table *t)
{
    for (size_t i = 0; i < t->columns; i++)
        kl_csv_write(to, t->name[i], strlen(t->name[i])), fputc(',', to);
    fputs("path\n", to);
}

static int print_csv(FILE *to, const void *context, struct kl_error *err)
{
    const struct table *t = context;
    (void)err;
    print_titles(to, t);
    for (size_t r = 0; r < t->n; r++) {
        for (size_t i = 0; i < t->columns; i++) {
            const json_t *value = t->rows[r].value[i];
            char text[CELL];
            if (json_is_real(value)) fprintf(to, "%.17g", json_real_value(value));
            else if (json_is_string(value))
                kl_csv_write(to, json_string_value(value), json_string_length(value));
            else if (value) write_cell(text, value, t->name[i]), fputs(text, to);
            fputc(',', to);
        }
        kl_csv_write(to, t->rows[r].path, strlen(t->rows[r].path)), fputc('\n', to);
    }
    return KL_OK;
}

static int print(FILE *to, const struct table *t, bool latex, struct kl_error *err)
{
    struct kl_table table = { .names = t->columns, .wide = true };
    for (size_t i = 0; i < t->columns; i++) {
        kl_make_printable(t->name[i]);
        kl_table_column(&table, 0, t->name[i]);
    }
    kl_table_column(&table, 0, "file");
    for (size_t r = 0; r < t->n; r++) {
        for (size_t i = 0; i < t->columns; i++) {
            char text[CELL];
            write_cell(text, t->rows[r].value[i], t->name[i]);
            kl_table_cell(&table, "%s", text);
        }
        kl_table_cell(&table, "%s", t->rows[r].path);
    }
    const int code = kl_table_write(to, &table, latex, err);
    kl_table_free(&table);
    return code;
}

static int print_latex(FILE *to, const void *context, struct kl_error *err)
{
    return print(to, context, true, err);
}

/* To files, and on the screen what none of them is for. */
static int put(const struct kl_cache *c, const struct table *t, struct kl_error *err)
{
    int code = kl_store_mode_text_write(c->run, c->csv, print_csv, t, err);
    if (!code) code = kl_store_mode_text_write(c->run, c->latex, print_latex, t, err);
    if (code || kl_store_mode_on_screen(c->csv) || kl_store_mode_on_screen(c->latex)) return code;
    return c->common->json ? print_json(t, c->out, err) : print(c->out, t, false, err);
}

/* May the files be written? Only over the same columns: one name alone begins many a text. */
static int check_texts(const struct kl_cache *c, const struct table *t, struct kl_error *err)
{
    char *titles = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&titles, &size);
    if (!to) return kl_fail_memory(err, 1024);
    print_titles(to, t);
    const bool failed = ferror(to) | (fclose(to) != 0);
    int code = failed ? kl_fail_memory(err, 1024)
                      : kl_store_mode_text_check(c->run, "csv", c->csv, titles, err);
    free(titles);
    return code ? code : kl_store_mode_text_check(c->run, "latex", c->latex, KL_TABLE_LATEX, err);
}

/* A column of nothing, as of a name that is mistyped. */
static void note_empty(const struct table *t)
{
    for (size_t i = 1; i < t->columns; i++) {
        size_t r = 0;
        while (r < t->n && !t->rows[r].value[i]) r++;
        if (t->n && r == t->n)
            kl_note(t->log, 1, "none of these files has %s; cache show --json FILE names what it has",
                    t->name[i]);
    }
}

int kl_cache_table(struct kl_cache *c, const char *folder, struct kl_error *err)
{
    struct table t = { .log = c->log };
    int code = split(&t, c->columns, c->tools, err);
    if (!code) code = check_texts(c, &t, err);
    if (!code) code = kl_store_walk(folder, false, add, &t, NULL, err);
    if (t.err.code) *err = t.err, code = err->code;
    if (!code || code == KL_EIO) {
        struct kl_error other = { 0 };
        const int taken = take_beside(&t, folder, &other);
        if (!code && taken) *err = other, code = taken;
        complete(&t);
    }
    if (!code && !t.n)
        code = kl_fail(err, KL_ENO,
                       "%s: none of %zu files has %s; cache show --json FILE names what it has", folder,
                       t.without, t.name[0]);
    if (!code || code == KL_EIO) {
        if (t.n) qsort_r(t.rows, t.n, sizeof *t.rows, order, &t);
        const int printed = put(c, &t, err);
        if (printed) code = printed;
        note_empty(&t);
        if (t.without)
            kl_note(c->log, 1, "%zu file%s without %s", t.without, kl_s(t.without), t.name[0]);
        if (t.n_several)
            kl_note(c->log, 1,
                    "%zu file%s: several sweeps measured other values; the first one's are shown",
                    t.n_several, kl_s(t.n_several));
    }
    for (size_t r = 0; r < t.n; r++) free_row(&t.rows[r]);
    free(t.rows), free(t.names), free(t.measured);
    return code;
}
