/* SPDX-License-Identifier: MIT
   Tables as texts (RFC 4180: quoted fields may hold separators, quotes and ends of lines), taken apart
   in place. Fields are parted by tabs, semicolons or commas, whichever the first row has; numbers have a
   point or, where a table has no other use for it, a comma. */
#ifndef KL_BASE_CSV_H
#define KL_BASE_CSV_H

#include "base/base.h"

enum { KL_CSV_FIELDS = 4096 };
struct kl_csv {
    const char *path; /* for messages */
    char *at, *end;   /* what is not read yet */
    char separator;   /* '\t', ';' or ',' */
    size_t line;      /* at which the row begins, from 1 */
    size_t next_line; /* (hidden) */
    size_t n;         /* fields; an empty row has none */
    char *fields[KL_CSV_FIELDS];
};
/* text: n bytes of kl_read_text and a 0 behind; it is changed. first_line: the number of its first one,
   1 or more. KL_EDATA: it holds a 0. */
int kl_csv_open(struct kl_csv *csv, const char *path, char *text, size_t n, size_t first_line,
                struct kl_error *err);
/* The next row; *more false: there is none. Lines end in LF, CR or both. KL_EDATA: quotes without an
   end, too many fields. */
int kl_csv_row(struct kl_csv *csv, bool *more, struct kl_error *err);
/* A field as a finite number; name: the column's, for the line. KL_EDATA. */
int kl_csv_number(double *value, const struct kl_csv *csv, size_t field, const char *name,
                  struct kl_error *err);

#endif
