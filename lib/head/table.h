/* SPDX-License-Identifier: MIT
   table: several heads on the same samples, as a table, each compared with the first. */
#ifndef KL_HEAD_TABLE_H
#define KL_HEAD_TABLE_H

#include "head/evaluate.h"

struct kl_head_row {
    const char *path;
    char content[65];       /* of the head's file */
    double seed;            /* NaN: not known */
    struct json_t *options; /* as the head was trained; NULL: none are known */
    struct kl_evaluation e;
    struct kl_control_scores controls;
    size_t collapsed; /* heads (collapse.c) */
    /* To the first row: of the accuracies, paired where both have the same seeds, else without ends;
       McNemar's test of replica 0 of each, and its p after Holm's correction for all rows. */
    struct kl_paired difference;
    struct kl_mcnemar test;
    double holm;
};
/* Of row->path: the seed in its key, its options. KL_EDATA, KL_ENOMEM. */
int kl_head_row_own(struct kl_head_row *row, const struct kl_file *head, struct kl_error *err);
/* KL_EDATA: rows judge other samples; KL_ENOMEM. */
int kl_head_rows_compare(struct kl_head_row *rows, size_t n, struct kl_error *err);
void kl_head_rows_free(struct kl_head_row *rows, size_t n);
/* As tables, for people or for LaTeX; as JSON and as comma-separated values: a line a row. Beside JSON
   with columns of the first few options in which the heads differ. KL_ENOMEM. */
int kl_head_rows_tell(FILE *to, const struct kl_head_row *rows, size_t n, bool latex,
                      struct kl_error *err);
int kl_head_rows_json(FILE *to, const struct kl_head_row *rows, size_t n, const struct kl_log *log,
                      struct kl_error *err);
void kl_head_rows_csv(FILE *to, const struct kl_head_row *rows, size_t n);

#endif
