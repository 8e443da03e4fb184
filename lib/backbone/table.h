/* SPDX-License-Identifier: MIT
   table: rows of numbers with a class each: a text whose first line names its columns (.csv, .tsv), or
   an array (.npy, F.npz:NAME, F.h5:DATASET) with its classes in another one. */
#ifndef KL_BACKBONE_TABLE_H
#define KL_BACKBONE_TABLE_H

#include "base/base.h"

enum { KL_TABLE_NAME = 64, KL_TABLE_LIST = 200 };
struct kl_vectors {
    size_t n, d;
    float *x;                       /* (n, d), in rows */
    char (*columns)[KL_TABLE_NAME]; /* (d); of an array their numbers, from 1 */
    char (*classes)[KL_TABLE_NAME]; /* (n), that of each row; NULL: not asked for */
    char (*ids)[KL_TABLE_NAME];     /* (n), what each row is called; NULL: not asked for */
    size_t commas;                  /* numbers of a text whose decimal sign is a comma */
    bool thousands;                 /* which may part thousands in all of them: 1,234 */
    int64_t *rows;  /* (n), which row of the table each is, from 0; NULL: all of an array are there */
    size_t lacking; /* rows that were left out, as values are missing */
    char gaps[KL_TABLE_LIST]; /* of which columns, how many: "age 3, sex 1" */
    bool named;               /* the text's first line names its columns */
    size_t left_out;          /* columns that --like has not */
    char left[KL_TABLE_NAME]; /* the first of them */
};
struct kl_vectors_options {
    /* The column of classes, by its name or its number from 1; of an array a second array, by its path,
       or by its name in the same file; "none": there is none. */
    const char *label;
    /* Names (or numbers) between commas, of the columns to take and to leave out; NULL: all but the
       label's, none. */
    const char *columns, *ignore;
    bool drop;                   /* leave rows out where a value is missing; else they are refused */
    const char *id;              /* the column that says what a row is called; NULL: none does */
    char (*like)[KL_TABLE_NAME]; /* (n_like) names of columns, in this order; or NULL */
    size_t n_like;
};
/* What is no finite number is refused, with the first one's line and column and how many there are.
   KL_ENOINPUT, KL_EDATA, KL_EUSAGE, KL_EIO, KL_ENOMEM. Free it in any case. */
int kl_backbone_table_read(struct kl_vectors *table, const char *path,
                           const struct kl_vectors_options *options, struct kl_error *err);
void kl_backbone_table_free(struct kl_vectors *table);
/* The path of the array of classes, malloc'ed; NULL: the label is a column, or none. KL_ENOMEM. */
int kl_backbone_table_label_path(char **label_path, const char *path, const char *label,
                                 struct kl_error *err);

#endif
