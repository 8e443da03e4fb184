/* SPDX-License-Identifier: MIT
   Rows of a CSV, taken apart in place. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/ladder/csv_int.h"

int kl_sampling_csv_open(struct kl_csv *csv, const char *path, char *text, size_t n,
                         struct kl_error *err)
{
    *csv = (struct kl_csv){ .path = path, .at = text, .end = text + n, .next_line = 1 };
    if (n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) csv->at += 3;
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

int kl_sampling_csv_row(struct kl_csv *csv, bool *more, struct kl_error *err)
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
        while (*csv->at && *csv->at != ',' && *csv->at != '\n' && *csv->at != '\r') *to++ = *csv->at++;
        const bool comma = *csv->at == ',';
        if (!comma && *csv->at) {
            csv->at += csv->at[0] == '\r' && csv->at[1] == '\n' ? 2 : 1;
            csv->next_line++;
        } else if (comma) csv->at++;
        *to = 0;
        if (!comma) break;
    }
    if (csv->n == 1 && *csv->fields[0] == 0) csv->n = 0;
    return KL_OK;
}

int kl_sampling_csv_number(double *value, const struct kl_csv *csv, size_t field, const char *name,
                           struct kl_error *err)
{
    char found[40], *end;
    const char *text = field < csv->n ? csv->fields[field] : "";
    *value = strtod(text, &end);
    while (*end == ' ') end++;
    if (end != text && !*end && isfinite(*value) && !strpbrk(text, "xXpP")) return KL_OK;
    snprintf(found, sizeof found, "%s", text);
    kl_make_printable(found);
    return kl_fail(err, KL_EDATA, "%s: line %zu, column %s: found '%s', expected a number", csv->path,
                   csv->line, name, found);
}
