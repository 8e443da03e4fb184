/* SPDX-License-Identifier: MIT
   A table of texts, made cell by cell, for people or for LaTeX. */
#include "base/base.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void add(struct kl_table *t, const char *format, va_list values)
{
    if (t->n == t->room) {
        const size_t room = 2 * t->room + 64;
        char **cells = realloc(t->cells, room * sizeof *cells);
        if (cells) t->cells = cells, t->room = room;
    }
    char *text = NULL;
    if (t->n < t->room && vasprintf(&text, format, values) >= 0) t->cells[t->n++] = text;
    else t->lost = true;
}

void kl_table_cell(struct kl_table *t, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    add(t, format, values);
    va_end(values);
}

void kl_table_column(struct kl_table *t, int least, const char *title)
{
    if (t->columns == KL_TABLE_COLUMNS) t->lost = true;
    else t->least[t->columns++] = least;
    kl_table_cell(t, "%s", title);
}

void kl_table_number(struct kl_table *t, const char *format, double value, const char *none)
{
    char text[64];
    snprintf(text, sizeof text, format, value); /* one format, given by the caller */
    kl_table_cell(t, "%s", isnan(value) ? none : text);
}

void kl_table_interval(struct kl_table *t, const char *format, double low, double high)
{
    char text[64];
    snprintf(text, sizeof text, "%s", isfinite(low) && isfinite(high) ? "all equal" : "undefined");
    if (kl_has_width(low, high)) snprintf(text, sizeof text, format, low, high);
    kl_table_cell(t, "%s", text);
}

void kl_table_free(struct kl_table *t)
{
    for (size_t i = 0; i < t->n; i++) free(t->cells[i]);
    free(t->cells);
    *t = (struct kl_table){ 0 };
}

/* ---- for people ---- */
static int width_of(const struct kl_table *t, size_t column)
{
    int width = t->least[column];
    for (size_t i = column; i < t->n; i += t->columns)
        if ((int)strlen(t->cells[i]) > width) width = (int)strlen(t->cells[i]);
    return width;
}

static void write_text(FILE *to, const struct kl_table *t)
{
    int width[KL_TABLE_COLUMNS];
    for (size_t k = 0; k < t->columns; k++) width[k] = width_of(t, k);
    for (size_t i = 0; i < t->n; i++) {
        const size_t k = i % t->columns;
        const bool last = k == t->columns - 1;
        if (k != t->names) fprintf(to, "%*s", width[k], t->cells[i]);
        else fprintf(to, "%-*s", last ? 0 : width[k], t->cells[i]);
        fputs(last ? "\n" : t->wide ? "  " : " ", to);
    }
}

/* ---- LaTeX ---- */
static void escape(FILE *to, const char *text)
{
    for (const char *c = text; *c; c++) {
        const bool minus = *c == '-' && c[1] == ' ' && (c == text || c[-1] == ' ');
        if (minus) fputs("$-$", to);
        else if (strchr("&%$#_{}", *c)) fprintf(to, "\\%c", *c);
        else if (*c == '\\') fputs("\\textbackslash{}", to);
        else if (*c == '~') fputs("\\textasciitilde{}", to);
        else if (*c == '^') fputs("\\textasciicircum{}", to);
        else if (*c == '<' || *c == '>') fprintf(to, "$%c$", *c);
        else fputc(*c, to);
    }
}

/* "-0.01" is $-0.01$, "1.2e-05" $1.2\times10^{-5}$. A name may look like one: only with a sign or a
 * power. */
static bool write_number(FILE *to, const char *text, size_t n)
{
    char number[40], *end;
    if (n >= sizeof number) return false;
    memcpy(number, text, n);
    number[n] = '\0';
    char *power = strchr(number, 'e');
    strtod(number, &end);
    if (!n || *end || end == number || strpbrk(number, "xXn") || !(power || strchr("+-", *number)))
        return false;
    if (power) *power = '\0';
    fprintf(to, "$%s", number);
    if (power) fprintf(to, "\\times10^{%ld}", strtol(power + 1, NULL, 10));
    fputc('$', to);
    return true;
}

/* A number, "A to B" of two, or words. */
static void write_cell(FILE *to, const char *text)
{
    const char *middle = strstr(text, " to ");
    if (!middle && write_number(to, text, strlen(text))) return;
    if (middle && write_number(to, text, (size_t)(middle - text))) {
        fputs(" to ", to);
        if (!write_number(to, middle + 4, strlen(middle + 4))) escape(to, middle + 4);
    } else escape(to, text);
}

static void write_latex(FILE *to, const struct kl_table *t)
{
    fputs(KL_TABLE_LATEX, to);
    for (size_t k = 0; k < t->columns; k++) fputc(k == t->names ? 'l' : 'r', to);
    fputs("}\n\\toprule\n", to);
    for (size_t i = 0; i < t->n; i++) {
        const size_t k = i % t->columns;
        if (i < t->columns || k == t->names) escape(to, t->cells[i]);
        else write_cell(to, t->cells[i]);
        fputs(k == t->columns - 1 ? " \\\\\n" : " & ", to);
        if (i == t->columns - 1) fputs("\\midrule\n", to);
    }
    fputs("\\bottomrule\n\\end{tabular}\n", to);
}

int kl_table_write(FILE *to, const struct kl_table *t, bool latex, struct kl_error *err)
{
    if (t->lost) return kl_fail_memory(err, 4096);
    (latex ? write_latex : write_text)(to, t);
    return KL_OK;
}
