/* SPDX-License-Identifier: MIT
   Tables and arrays read into rows of numbers and the classes' names. */
#include "backbone/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "weights/array.h"

enum { MOST_BYTES = 1 << 30, MOST_NUMBERS = 1 << 28 };

void kl_backbone_table_free(struct kl_vectors *t)
{
    free(t->x), free(t->columns), free(t->classes), free(t->ids), free(t->rows);
    *t = (struct kl_vectors){ 0 };
}

/* ---- texts ---- */
/* A text's columns: what each is for. */
struct sheet {
    struct kl_csv csv;
    size_t n;                     /* columns of the text */
    char (*names)[KL_TABLE_NAME]; /* (n) */
    size_t *place;                /* (n), among the table's columns; SIZE_MAX: it is not taken */
    size_t label, id;             /* SIZE_MAX: none */
    size_t room;                  /* rows that there is memory for */
    bool named;
    size_t points, commas; /* numbers with either decimal sign */
    bool thousands;        /* all of the latter may have one that parts thousands: 1,234 */
    size_t rows, lacking;  /* that were read; of them, without a value that is asked for */
    size_t *gaps, *words;  /* (n) of each column that is asked for: no value, no number */
    bool drop;             /* gaps are no reason to refuse */
    struct kl_error first; /* of these; code KL_OK: there is none */
};

/* Between commas a number with one, "1,234", is no plain one. */
static bool is_number(double *value, const struct sheet *s, const char *text)
{
    return (s->csv.separator != ',' || !strchr(text, ',')) && kl_csv_value(value, text);
}

static bool is_missing(const char *text)
{
    static const char *const words[] = { "", "NA", "N/A", "NaN", "nan", "NULL", "null", "None", "?" };
    bool missing = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        missing |= strcmp(text + strspn(text, " "), words[i]) == 0;
    return missing;
}

/* Does the first row name the columns? It does where it has a word and the second one a number. */
static bool names_columns(const struct sheet *s, char *const *first)
{
    const struct kl_csv *second = &s->csv;
    bool names = false;
    double value;
    for (size_t j = 0; j < s->n && j < second->n; j++)
        names |= !is_number(&value, s, first[j]) && !is_missing(first[j]) &&
                 is_number(&value, s, second->fields[j]);
    return names;
}

/* Columns are called as the first row says, or by their places from 1. */
static int name_columns(struct sheet *s, char *const *first, bool named, struct kl_error *err)
{
    s->names = calloc(s->n, sizeof *s->names), s->place = malloc(s->n * sizeof *s->place);
    s->gaps = calloc(s->n, sizeof *s->gaps), s->words = calloc(s->n, sizeof *s->words);
    if (!s->names || !s->place || !s->gaps || !s->words)
        return kl_fail_memory(err, s->n * sizeof *s->names);
    for (size_t j = 0; j < s->n; j++) {
        const char *field = first[j] + strspn(first[j], " ");
        s->place[j] = SIZE_MAX;
        if (named && *field) snprintf(s->names[j], KL_TABLE_NAME, "%s", field);
        else snprintf(s->names[j], KL_TABLE_NAME, "%zu", j + 1);
        kl_make_printable(s->names[j]);
        for (size_t k = 0; k < j; k++)
            if (strcmp(s->names[k], s->names[j]) == 0)
                return kl_fail(err, KL_EDATA, "%s: two columns are called '%s'", s->csv.path,
                               s->names[j]);
    }
    return KL_OK;
}

/* A column by its name, else by its number. */
static int find_column(size_t *at, const struct sheet *s, const char *name, size_t length,
                       const char *option, struct kl_error *err)
{
    char text[KL_TABLE_NAME], all[200] = "";
    snprintf(text, sizeof text, "%.*s", (int)length, name);
    for (*at = 0; *at < s->n; (*at)++)
        if (strcmp(s->names[*at], text) == 0) return KL_OK;
    char *end;
    const unsigned long number = strtoul(text, &end, 10);
    if (!*end && number >= 1 && number <= s->n) return *at = number - 1, KL_OK;
    for (size_t j = 0, used = 0; j < s->n && used + KL_TABLE_NAME + 8 < sizeof all; j++)
        used +=
            (size_t)snprintf(all + used, sizeof all - used,
                             strchr(s->names[j], ',') ? "%s\"%s\"" : "%s%s", j ? ", " : "", s->names[j]);
    return kl_fail(err, KL_EUSAGE, "--%s: %s has no column '%s'; found %zu%s: %s%s%s", option,
                   s->csv.path, text, s->n, s->named ? "" : ", which its first line does not name", all,
                   strlen(all) + KL_TABLE_NAME + 8 < sizeof all ? "" : ", ...",
                   s->n == 1 ? "; no comma, semicolon or tab parts its lines" : "");
}

static int mark(struct sheet *s, const char *list, const char *option, bool taken, struct kl_error *err)
{
    int code = KL_OK;
    for (const char *word = list; word && *word && !code;) {
        size_t at;
        word += strspn(word, " ");
        const bool quoted = *word == '"';
        const size_t n = strcspn(word += quoted, quoted ? "\"" : ",");
        code = find_column(&at, s, word, n, option, err);
        if (!code && at == s->label)
            code =
                kl_fail(err, KL_EUSAGE, "--%s: '%s' is the column of the classes", option, s->names[at]);
        if (!code) s->place[at] = taken ? 0 : SIZE_MAX;
        word += n + (quoted && word[n]);
        word += *word == ',';
    }
    return code;
}

/* By name, in their order. */
static int place_like(struct sheet *s, const struct kl_vectors_options *o, struct kl_error *err)
{
    int code = KL_OK;
    for (size_t k = 0; k < o->n_like && !code; k++) {
        size_t at;
        code = find_column(&at, s, o->like[k], strlen(o->like[k]), "like", err);
        if (!code) s->place[at] = k;
    }
    return code;
}

static int choose_columns(struct kl_vectors *t, struct sheet *s, const struct kl_vectors_options *o,
                          struct kl_error *err)
{
    s->label = s->id = SIZE_MAX;
    int code = strcmp(o->label, "none") == 0
                   ? KL_OK
                   : find_column(&s->label, s, o->label, strlen(o->label), "label", err);
    if (!code && o->id) code = find_column(&s->id, s, o->id, strlen(o->id), "id", err);
    for (size_t j = 0; j < s->n && !o->columns && !o->like; j++)
        if (j != s->label && j != s->id) s->place[j] = 0;
    if (!code) code = mark(s, o->columns, "columns", true, err);
    if (!code) code = mark(s, o->ignore, "ignore", false, err);
    for (size_t j = 0; j < s->n && !code && !o->like; j++)
        if (s->place[j] != SIZE_MAX) s->place[j] = t->d++;
    if (!code && o->like) code = place_like(s, o, err), t->d = o->n_like;
    for (size_t j = 0; j < s->n && !code && o->like; j++)
        if (j != s->label && j != s->id && s->place[j] == SIZE_MAX && !t->left_out++)
            strcpy(t->left, s->names[j]);
    if (code) return code;
    if (!t->d) return kl_fail(err, KL_EUSAGE, "%s: no column is left to take", s->csv.path);
    if (!(t->columns = calloc(t->d, sizeof *t->columns)))
        return kl_fail_memory(err, t->d * KL_TABLE_NAME);
    for (size_t j = 0; j < s->n; j++)
        if (s->place[j] != SIZE_MAX) strcpy(t->columns[s->place[j]], s->names[j]);
    return KL_OK;
}

/* Room for words of a column, if there is one. */
static bool grow_words(char (**words)[KL_TABLE_NAME], size_t column, size_t room)
{
    char(*more)[KL_TABLE_NAME] = column == SIZE_MAX ? NULL : realloc(*words, room * sizeof *more);
    if (more) *words = more;
    return more || column == SIZE_MAX;
}

static int grow(struct kl_vectors *t, struct sheet *s, struct kl_error *err)
{
    if (t->n < s->room) return KL_OK;
    s->room = s->room ? 2 * s->room : 256;
    float *x = realloc(t->x, s->room * t->d * sizeof *x);
    if (x) t->x = x;
    int64_t *rows = realloc(t->rows, s->room * sizeof *rows);
    if (rows) t->rows = rows;
    return x && rows && grow_words(&t->classes, s->label, s->room) && grow_words(&t->ids, s->id, s->room)
               ? KL_OK
               : kl_fail_memory(err, s->room * t->d * sizeof *x);
}

/* The class, or what the row is called. */
static int read_word(char to[KL_TABLE_NAME], const struct sheet *s, size_t column, struct kl_error *err)
{
    const char *text = s->csv.fields[column];
    if (strlen(text) >= KL_TABLE_NAME)
        return kl_fail(err, KL_EDATA,
                       "%s: line %zu, column %s: the %s has %zu bytes, expected at most %d", s->csv.path,
                       s->csv.line, s->names[column], column == s->id ? "name" : "class's name",
                       strlen(text), KL_TABLE_NAME - 1);
    memset(to, 0, KL_TABLE_NAME); /* all of it is written */
    strcpy(to, text + strspn(text, " "));
    kl_make_printable(to);
    return KL_OK;
}

/* What the table cannot be taken with; it is read on, so that all of it can be told. */
static void note(struct sheet *s, size_t j, size_t *count, const char *what)
{
    count[j]++;
    if (!s->first.code)
        kl_fail(&s->first, KL_EDATA, "%s: line %zu, column %s: found '%.40s', %s", s->csv.path,
                s->csv.line, s->names[j], s->csv.fields[j], what);
}

/* "age 3, sex 1, and 2 more" */
static void list_columns(char list[KL_TABLE_LIST], const struct sheet *s, const size_t *count)
{
    size_t used = 0, left = 0;
    *list = '\0';
    for (size_t j = 0; j < s->n; j++) {
        if (!count[j]) continue;
        if (left || used + strlen(s->names[j]) + 48 > KL_TABLE_LIST) left++;
        else
            used += (size_t)snprintf(list + used, KL_TABLE_LIST - used, "%s%s %zu", used ? ", " : "",
                                     s->names[j], count[j]);
    }
    if (left) snprintf(list + used, KL_TABLE_LIST - used, ", and %zu more", left);
}

static int refuse(const struct sheet *s, struct kl_error *err)
{
    char gaps[KL_TABLE_LIST], words[KL_TABLE_LIST],
        rows[KL_TABLE_LIST + 120] = "", numbers[KL_TABLE_LIST + 120] = "";
    list_columns(gaps, s, s->gaps), list_columns(words, s, s->words);
    if (*gaps && !s->drop)
        snprintf(rows, sizeof rows,
                 "; %zu of %zu rows lack%s a value (%s): --missing drop leaves such rows out, --ignore "
                 "a column",
                 s->lacking, s->rows, s->lacking == 1 ? "s" : "", gaps);
    if (*words)
        snprintf(numbers, sizeof numbers,
                 "; no numbers (%s): words are to be numbers before; --ignore leaves a column out",
                 words);
    return kl_fail(err, KL_EDATA, "%s%s%s", s->first.text, rows, numbers);
}

/* "0,5" beside "1.5" cannot both be numbers of one table. */
static int read_number(struct kl_vectors *t, struct sheet *s, size_t j, struct kl_error *err)
{
    const struct kl_csv *csv = &s->csv;
    const char *text = csv->fields[j], *comma = csv->separator == ',' ? NULL : strchr(text, ',');
    double value;
    if (!is_number(&value, s, text)) return note(s, j, s->words, "expected a number"), KL_OK;
    s->points += strchr(text, '.') != NULL;
    if (comma) {
        const size_t before = (size_t)(comma - text);
        s->thousands = (s->thousands || !s->commas) && before >= 1 && before <= 3 && *text != '0' &&
                       strspn(comma + 1, "0123456789") == 3 && !comma[4];
        s->commas++;
    }
    if (s->points && s->commas)
        return kl_fail(
            err, KL_EDATA,
            "%s: line %zu, column %s: found '%.40s', after numbers with %s for a decimal sign; expected "
            "one for all",
            csv->path, csv->line, s->names[j], text, comma ? "a point" : "a comma");
    t->x[t->n * t->d + s->place[j]] = (float)value;
    return KL_OK;
}

static int read_row(struct kl_vectors *t, struct sheet *s, struct kl_error *err)
{
    const struct kl_csv *csv = &s->csv;
    if (csv->n != s->n)
        return kl_fail(err, KL_EDATA, "%s: line %zu: found %zu columns, expected %zu", csv->path,
                       csv->line, csv->n, s->n);
    int code = grow(t, s, err);
    bool lacks = false;
    if (!code && s->id != SIZE_MAX) code = read_word(t->ids[t->n], s, s->id, err);
    for (size_t j = 0; j < s->n && !code; j++) {
        if (j != s->label && s->place[j] == SIZE_MAX) continue;
        if (is_missing(csv->fields[j])) {
            if (s->drop) s->gaps[j]++;
            else note(s, j, s->gaps, "which is no value");
            lacks = true;
        } else code = j == s->label ? read_word(t->classes[t->n], s, j, err) : read_number(t, s, j, err);
    }
    if (code) return code;
    t->rows[t->n] = (int64_t)s->rows++, s->lacking += lacks;
    t->n += !(lacks && s->drop);
    return KL_OK;
}

/* A row that was read before the one that is at hand. */
static int read_earlier(struct kl_vectors *t, struct sheet *s, char **fields, size_t line,
                        struct kl_error *err)
{
    struct kl_csv *csv = &s->csv;
    const size_t n = csv->n, now = csv->line;
    for (size_t j = 0; j < s->n; j++) {
        char *const other = csv->fields[j];
        csv->fields[j] = fields[j], fields[j] = other;
    }
    csv->n = s->n, csv->line = line;
    const int code = read_row(t, s, err);
    for (size_t j = 0; j < s->n; j++) csv->fields[j] = fields[j];
    csv->n = n, csv->line = now;
    return code;
}

/* The first rows, by which columns are named and chosen, and all others. */
static int read_rows(struct kl_vectors *t, struct sheet *s, const struct kl_vectors_options *o,
                     struct kl_error *err)
{
    const struct kl_csv begin = s->csv;
    bool more = true;
    int code = KL_OK;
    while (!code && more && !s->csv.n) code = kl_csv_row(&s->csv, &more, err);
    if (!code && !more) code = kl_fail(err, KL_EDATA, "%s: found no rows, expected a table", begin.path);
    if (code) return code;
    s->n = s->csv.n;
    char **first = malloc(s->n * sizeof *first);
    if (!first) return kl_fail_memory(err, s->n * sizeof *first);
    memcpy(first, s->csv.fields, s->n * sizeof *first);
    const size_t line = s->csv.line;
    do code = kl_csv_row(&s->csv, &more, err);
    while (!code && more && !s->csv.n);
    if (!code && !more)
        code =
            kl_fail(err, KL_EDATA, "%s: found one line, expected names of columns and rows", begin.path);
    t->named = s->named = !code && names_columns(s, first);
    if (!code) code = name_columns(s, first, t->named, err);
    if (!code) code = choose_columns(t, s, o, err);
    if (!code && !t->named) code = read_earlier(t, s, first, line, err);
    free(first);
    while (!code && more) {
        if (s->csv.n) code = read_row(t, s, err);
        if (!code) code = kl_csv_row(&s->csv, &more, err);
    }
    return !code && s->first.code ? refuse(s, err) : code;
}

/* Names go into files as they are. */
static int check_utf8(const char *path, const char *text, struct kl_error *err)
{
    size_t line = 1;
    uint32_t letter;
    for (int n; *text; text += n) {
        line += *text == '\n';
        if ((n = kl_get_utf8(&letter, text)) == 0)
            return kl_fail(err, KL_EDATA,
                           "%s: line %zu: found bytes that are no UTF-8; convert it before: iconv "
                           "-f latin1 -t utf-8",
                           path, line);
    }
    return KL_OK;
}

static int read_text(struct kl_vectors *t, const char *path, const struct kl_vectors_options *o,
                     struct kl_error *err)
{
    struct sheet *s = calloc(1, sizeof *s);
    char *text = NULL;
    size_t n = 0;
    int code =
        s ? kl_read_text(&text, &n, path, MOST_BYTES, "a table", err) : kl_fail_memory(err, sizeof *s);
    if (!code && n > 1 && memcmp(text, "\x1f\x8b", 2) == 0)
        code = kl_fail(err, KL_EDATA, "%s: compressed by gzip; gunzip it before", path);
    if (!code) code = check_utf8(path, text, err);
    if (!code) code = kl_csv_open(&s->csv, path, text, n, 1, err);
    if (!code) s->drop = o->drop, code = read_rows(t, s, o, err);
    if (!code && !t->n)
        code = kl_fail(err, KL_EDATA, "%s: each of %zu rows lacks a value: none is left", path, s->rows);
    if (s) t->commas = s->commas, t->thousands = s->thousands, t->lacking = s->lacking;
    if (s && s->gaps) list_columns(t->gaps, s, s->gaps);
    if (s) free(s->names), free(s->place), free(s->gaps), free(s->words);
    free(text), free(s);
    return code;
}

/* ---- arrays ---- */
static int take_classes(struct kl_vectors *t, const struct kl_numbers *y, const char *path,
                        struct kl_error *err)
{
    if (y->rank == 2 && y->dims[1] > 1)
        return kl_fail(
            err, KL_EDATA,
            "%s: found %zu x %zu values, expected a class for each of %zu rows; of one-hot ones save "
            "y.argmax(1)",
            path, y->dims[0], y->dims[1], t->n);
    if (!y->rank || y->dims[0] != t->n || y->rank > 2)
        return kl_fail(err, KL_EDATA, "%s: found %zu classes, expected one for each of %zu rows", path,
                       y->rank ? y->dims[0] : 0, t->n);
    if (!(t->classes = calloc(t->n, sizeof *t->classes)))
        return kl_fail_memory(err, t->n * KL_TABLE_NAME);
    for (size_t i = 0; i < t->n; i++) {
        if (y->texts) snprintf(t->classes[i], KL_TABLE_NAME, "%s", y->texts[i]);
        else if (isfinite(y->values[i])) snprintf(t->classes[i], KL_TABLE_NAME, "%.10g", y->values[i]);
        else return kl_fail(err, KL_EDATA, "%s: row %zu (from 0): the class is no number", path, i);
        kl_make_printable(t->classes[i]);
    }
    return KL_OK;
}

static int take_rows(struct kl_vectors *t, const struct kl_numbers *x, const char *path,
                     struct kl_error *err)
{
    if (x->pairs || x->rank != 2)
        return kl_fail(err, KL_EDATA, "%s: found %s%d axes, expected real numbers (rows, columns)", path,
                       x->pairs ? "complex numbers of " : "", x->rank);
    t->n = x->dims[0], t->d = x->dims[1];
    if (!t->n || !t->d) return kl_fail(err, KL_EDATA, "%s: found %zu x %zu numbers", path, t->n, t->d);
    t->x = malloc(t->n * t->d * sizeof *t->x), t->columns = calloc(t->d, sizeof *t->columns);
    if (!t->x || !t->columns) return kl_fail_memory(err, t->n * t->d * sizeof *t->x);
    for (size_t j = 0; j < t->d; j++) snprintf(t->columns[j], KL_TABLE_NAME, "%zu", j + 1);
    for (size_t k = 0; k < t->n * t->d; k++) {
        t->x[k] = (float)x->values[k];
        if (!isfinite(t->x[k]))
            return kl_fail(err, KL_EDATA,
                           "%s: row %zu, column %zu (from 0): found %g, expected a finite "
                           "number; leave such rows out before",
                           path, k / t->d, k % t->d, x->values[k]);
    }
    return KL_OK;
}

int kl_backbone_table_label_path(char **label_path, const char *path, const char *label,
                                 struct kl_error *err)
{
    *label_path = NULL;
    if (!kl_weights_is_array(path) || strcmp(label, "none") == 0) return KL_OK;
    const bool own = kl_weights_is_array(label);
    const size_t length = strlen(path);
    if (!own && length > 4 && strcmp(path + length - 4, ".npy") == 0)
        return kl_fail(err, KL_EUSAGE,
                       "--label: %s has no column '%s'; give the array of its classes, y.npy", path,
                       label);
    const size_t n = kl_weights_array_length(path), room = strlen(path) + strlen(label) + 2;
    if (!(*label_path = malloc(room))) return kl_fail_memory(err, room);
    if (own) strcpy(*label_path, label);
    else snprintf(*label_path, room, "%.*s:%s", (int)n, path, label);
    return KL_OK;
}

static int read_arrays(struct kl_vectors *t, const char *path, const struct kl_vectors_options *o,
                       struct kl_error *err)
{
    struct kl_numbers x = { 0 }, y = { 0 };
    char *label = NULL;
    int code = kl_weights_array_foreign(path, "a foreign array", err);
    if (!code) code = kl_weights_array_read(&x, path, MOST_NUMBERS, false, err);
    if (!code) code = take_rows(t, &x, path, err);
    kl_store_numbers_free(&x);
    if (!code && o->like && o->n_like != t->d)
        code = kl_fail(err, KL_EDATA, "%s: found %zu columns, expected %zu, as --like has them", path,
                       t->d, o->n_like);
    if (!code) code = kl_backbone_table_label_path(&label, path, o->label, err);
    if (!code && label) code = kl_weights_array_read(&y, label, MOST_NUMBERS, true, err);
    if (!code && label) code = take_classes(t, &y, label, err);
    kl_store_numbers_free(&y);
    free(label);
    return code;
}

int kl_backbone_table_read(struct kl_vectors *t, const char *path, const struct kl_vectors_options *o,
                           struct kl_error *err)
{
    const bool array = kl_weights_is_array(path);
    *t = (struct kl_vectors){ 0 };
    if (array && o->drop)
        return kl_fail(err, KL_EUSAGE, "--missing: %s is an array; save the rows that are whole", path);
    if (array && (o->columns || o->ignore || o->id))
        return kl_fail(err, KL_EUSAGE, "--%s: %s has no named columns; save what is wanted of the array",
                       o->columns  ? "columns"
                       : o->ignore ? "ignore"
                                   : "id",
                       path);
    return array ? read_arrays(t, path, o, err) : read_text(t, path, o, err);
}
