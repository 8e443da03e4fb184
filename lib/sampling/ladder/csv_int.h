/* SPDX-License-Identifier: MIT
   Rows of a CSV (RFC 4180: quoted fields may hold commas, quotes and ends of lines), taken apart in
   place. */
#ifndef KL_SAMPLING_CSV_INT_H
#define KL_SAMPLING_CSV_INT_H

#include "base/base.h"

enum { KL_CSV_FIELDS = 64 };
struct kl_csv {
    const char *path; /* for messages */
    char *at, *end;   /* what is not read yet */
    size_t line;      /* at which the row begins, from 1 */
    size_t next_line; /* (hidden) */
    size_t n;         /* fields; an empty row has none */
    char *fields[KL_CSV_FIELDS];
};
/* text: n bytes and a 0 behind; it is changed. KL_EDATA: it holds a 0. */
int kl_sampling_csv_open(struct kl_csv *csv, const char *path, char *text, size_t n,
                         struct kl_error *err);
/* The next row; *more false: there is none. KL_EDATA: quotes without an end, too many fields. */
int kl_sampling_csv_row(struct kl_csv *csv, bool *more, struct kl_error *err);
/* A field as a finite number; name: the column's, for the line. KL_EDATA. */
int kl_sampling_csv_number(double *value, const struct kl_csv *csv, size_t field, const char *name,
                           struct kl_error *err);

#endif
