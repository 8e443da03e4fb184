/* SPDX-License-Identifier: MIT
   Rows of a table, taken apart in place. */
#include "base/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Find the separator of fields in the first row that has any. */
static char separator_of(const char *text)
{
    size_t tabs = 0, semicolons = 0;
    bool quoted = false;
    text += strspn(text, "\r\n");
    for (; *text && (quoted || !strchr("\r\n", *text)); text++) {
        quoted ^= *text == '"';
        tabs += !quoted && *text == '\t';
        semicolons += !quoted && *text == ';';
    }
    return tabs ? '\t' : semicolons ? ';' : ',';
}

int kl_csv_open(struct kl_csv *csv, const char *path, char *text, size_t n, size_t first_line,
                struct kl_error *err)
{
    *csv = (struct kl_csv){ .path = path,
                            .at = text,
                            .end = text + n,
                            .next_line = first_line,
                            .separator = separator_of(text) };
    return memchr(text, 0, n) ? kl_fail(err, KL_EDATA, "%s: found a byte 0, expected a text", path)
                              : KL_OK;
}

/* A quoted field; *to ends before what stands behind it. */
static int quoted(struct kl_csv *csv, char **to, struct kl_error *err)
{
    for (csv->at++; *csv->at; csv->at++) {
        if (*csv->at == '\n') csv->next_line++;
        if (*csv->at == '"' && csv->at[1] != '"') {
            csv->at++;
            return KL_OK;
        }
        if (*csv->at == '"') csv->at++;
        *(*to)++ = *csv->at;
    }
    return kl_fail(err, KL_EDATA, "%s: line %zu: a quote without its end", csv->path, csv->line);
}

int kl_csv_row(struct kl_csv *csv, bool *more, struct kl_error *err)
{
    csv->n = 0, csv->line = csv->next_line;
    *more = csv->at < csv->end;
    while (*more) {
        char *to = csv->at;
        if (csv->n == KL_CSV_FIELDS)
            return kl_fail(err, KL_EDATA, "%s: line %zu: found more than %d columns", csv->path,
                           csv->line, KL_CSV_FIELDS);
        csv->fields[csv->n++] = to;
        const int code = *csv->at == '"' ? quoted(csv, &to, err) : KL_OK;
        if (code) return code;
        while (*csv->at && *csv->at != csv->separator && *csv->at != '\n' && *csv->at != '\r')
            *to++ = *csv->at++;
        const bool within = *csv->at == csv->separator;
        if (!within && *csv->at) {
            csv->at += csv->at[0] == '\r' && csv->at[1] == '\n' ? 2 : 1;
            csv->next_line++;
        } else if (within) csv->at++;
        *to = 0;
        if (!within) break;
    }
    if (csv->n == 1 && *csv->fields[0] == 0) csv->n = 0;
    return KL_OK;
}

bool kl_csv_value(double *value, const char *text)
{
    char number[64], *end, *comma = NULL;
    if (strlen(text) >= sizeof number || strpbrk(text, "xXpP")) return false;
    strcpy(number, text);
    if (!strchr(text, '.')) comma = strchr(number, ',');
    if (comma) *comma = '.';
    *value = strtod(number, &end);
    return end != number && !end[strspn(end, " ")] && isfinite(*value);
}

int kl_csv_number(double *value, const struct kl_csv *csv, size_t field, const char *name,
                  struct kl_error *err)
{
    char found[40];
    const char *const text = field < csv->n ? csv->fields[field] : "";
    if (kl_csv_value(value, text)) return KL_OK;
    snprintf(found, sizeof found, "%s", text);
    kl_make_printable(found);
    return kl_fail(err, KL_EDATA, "%s: line %zu, column %s: found '%s', expected a number", csv->path,
                   csv->line, name, found);
}

void kl_csv_write(FILE *to, const char *text, size_t n)
{
    const bool quotes = memchr(text, ',', n) || memchr(text, '"', n) || memchr(text, '\n', n);
    if (quotes) fputc('"', to);
    for (size_t i = 0; i < n; i++) {
        if (quotes && text[i] == '"') fputc('"', to);
        fputc(text[i], to);
    }
    if (quotes) fputc('"', to);
}
