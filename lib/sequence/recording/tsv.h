/* SPDX-License-Identifier: MIT
   Tables of BIDS: a line of column names, then rows, cells between tabs. Private to this room. */
#ifndef KL_SEQUENCE_TSV_H
#define KL_SEQUENCE_TSV_H

#include "base/base.h"

enum { KL_SEQUENCE_COLUMNS = 256 };
struct kl_sequence_tsv {
    const char *path;
    char *text, *rest;
    size_t line, n, n_names; /* of the row that was read; its cells; those of the first line */
    char *cells[KL_SEQUENCE_COLUMNS], *names[KL_SEQUENCE_COLUMNS];
};
/* Reads the file and its first line. KL_ENOINPUT, KL_EDATA, KL_EIO, KL_ENOMEM. Close it in any case. */
int kl_sequence_tsv_open(struct kl_sequence_tsv *t, const char *path, struct kl_error *err);
/* *more: there is a row, now in cells. KL_EDATA: it has other cells than the first line. */
int kl_sequence_tsv_next(bool *more, struct kl_sequence_tsv *t, struct kl_error *err);
/* The place of a column; -1: there is none. */
int kl_sequence_tsv_column(const struct kl_sequence_tsv *t, const char *name);
/* The cell of a column of the row; NULL: there is no such column, or nothing in it (n/a). */
const char *kl_sequence_tsv_cell(const struct kl_sequence_tsv *t, int column);
void kl_sequence_tsv_close(struct kl_sequence_tsv *t);

#endif
