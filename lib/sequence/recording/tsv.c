/* SPDX-License-Identifier: MIT
   Tables of BIDS, row by row. */
#include "sequence/recording/tsv.h"

#include <stdlib.h>
#include <string.h>

enum { LARGEST = 1 << 24 };

/* Cells of a line, in place; quotes around one are none of it. Beyond the last column they are counted.
 */
static size_t split(char **cells, char *line)
{
    size_t n = 0;
    for (char *cell = line; cell; n++) {
        char *tab = strchr(cell, '\t');
        if (tab) *tab = '\0';
        size_t length = strlen(cell);
        while (length && strchr(" \r", cell[length - 1])) cell[--length] = '\0';
        if (length > 1 && *cell == '"' && cell[length - 1] == '"') cell[length - 1] = '\0', cell++;
        if (n < KL_SEQUENCE_COLUMNS) cells[n] = cell;
        cell = tab ? tab + 1 : NULL;
    }
    return n;
}

/* The next line that holds something; NULL: there is none. */
static char *next_line(struct kl_sequence_tsv *t)
{
    char *line = t->rest;
    while (line) {
        char *end = strchr(line, '\n');
        if (end) *end = '\0';
        t->rest = end ? end + 1 : NULL, t->line++;
        if (line[strspn(line, " \t\r")]) return line;
        line = t->rest;
    }
    return NULL;
}

int kl_sequence_tsv_open(struct kl_sequence_tsv *t, const char *path, struct kl_error *err)
{
    static const char mark[] = "\xef\xbb\xbf";
    size_t n = 0;
    *t = (struct kl_sequence_tsv){ .path = path };
    const int code = kl_read_text(&t->text, &n, path, LARGEST, "a table of BIDS", err);
    if (code) return code;
    if (strlen(t->text) != n)
        return kl_fail(err, KL_EDATA, "%s: byte %zu is 0, expected text", path, strlen(t->text));
    t->rest = strncmp(t->text, mark, 3) == 0 ? t->text + 3 : t->text;
    char *line = next_line(t);
    if (line) t->n_names = split(t->names, line);
    if (t->n_names > KL_SEQUENCE_COLUMNS)
        return kl_fail(err, KL_EDATA, "%s: %zu columns, expected at most %d", path, t->n_names,
                       KL_SEQUENCE_COLUMNS);
    return line ? KL_OK : kl_fail(err, KL_EDATA, "%s: empty, expected a line of column names", path);
}

int kl_sequence_tsv_next(bool *more, struct kl_sequence_tsv *t, struct kl_error *err)
{
    char *line = next_line(t);
    *more = line != NULL;
    if (!line) return KL_OK;
    t->n = split(t->cells, line);
    if (t->n == t->n_names) return KL_OK;
    return kl_fail(err, KL_EDATA, "%s: line %zu has %zu cell%s, expected the %zu of the first line",
                   t->path, t->line, t->n, kl_s(t->n), t->n_names);
}

int kl_sequence_tsv_column(const struct kl_sequence_tsv *t, const char *name)
{
    for (size_t i = 0; i < t->n_names; i++)
        if (strcmp(t->names[i], name) == 0) return (int)i;
    return -1;
}

const char *kl_sequence_tsv_cell(const struct kl_sequence_tsv *t, int column)
{
    if (column < 0 || !*t->cells[column] || strcmp(t->cells[column], "n/a") == 0) return NULL;
    return t->cells[column];
}

void kl_sequence_tsv_close(struct kl_sequence_tsv *t)
{
    free(t->text);
    *t = (struct kl_sequence_tsv){ 0 };
}
