/* SPDX-License-Identifier: MIT
   What the files behind describe.h share. */
#ifndef KL_DESCRIBE_INT_H
#define KL_DESCRIBE_INT_H

#include <jansson.h>

#include "store/describe.h"

/* "float32", ...: by enum kl_type. */
extern const char *const kl_type_names[];
/* describe_results.c: numbers of a report or head; of a report on several heads their accuracies, mean
   and standard deviation; of a head, or of a network that tells devices, some epochs of the first
   one's history, and the best of each. */
void kl_write_numbers(FILE *to, const struct kl_file *file);
int kl_write_heads(FILE *to, struct kl_file *file, struct kl_error *err);
int kl_write_history(FILE *to, struct kl_file *file, struct kl_error *err);

/* ---- results by kind: tables of what stands in datasets ---- */
enum kl_view_how {
    KL_VIEW_AT,
    KL_VIEW_LEAST,
    KL_VIEW_GREATEST,
    KL_VIEW_MEAN,
    KL_VIEW_ONES,
    KL_VIEW_ZEROS
};
/* A number of each row. dataset: [rows] or [rows, k]; of k one, by its name or its place, or what `how`
   makes of them. Beside NAME, NAME_low and NAME_high are its interval, NAME_error or NAME_se its
   standard error; beside a mean of k > 1 stand the least and the greatest of them as low and high. */
struct kl_view_column {
    const char *member, *dataset, *heading, *format;
    enum kl_view_how how;
    const char *names, *pick; /* the k names, and the one; else: */
    size_t at;
    const char *spread; /* NAME, where it is not the dataset's own */
    double rounding;    /* less is 0 but for rounding */
};
enum { KL_VIEW_AXES = 3, KL_VIEW_COLUMNS = 8 };
/* What a row is: a point of up to three axes, of names or numbers, the last one fastest; or a pair. */
struct kl_view {
    const char *kind, *name;
    struct kl_view_axis {
        const char *member, *dataset;
    } axes[KL_VIEW_AXES];
    bool pairs;                /* [rows, 2] devices from 0, whose names are `devices` */
    const char *needs, *lacks; /* a dataset without, or with, which there is no such table */
    const char *order;         /* rows, from the first to tell; NULL: as they stand */
    bool only_json;
    struct kl_view_column columns[KL_VIEW_COLUMNS]; /* up to one without a dataset */
};
extern const struct kl_view kl_views[]; /* describe_views.c; up to one without a kind */
/* A table of a file: words or numbers along its axes, numbers in its columns. */
struct kl_table {
    const struct kl_view *view;
    struct kl_table_axis {
        char *words;
        double *numbers;
        size_t n, size;   /* of a word */
    } axes[KL_VIEW_AXES]; /* of pairs: the devices, then both numbers of each pair */
    int n_axes, n_columns;
    size_t n_rows, *order;
    struct kl_table_column {
        const struct kl_view_column *as;
        double *value, *low, *high, *error; /* [rows]; NULL: there is none */
        bool whole;                         /* numbers */
    } columns[KL_VIEW_COLUMNS];
};
/* n_columns stays 0 where the file has no such table. Free it in any case. */
int kl_table_load(struct kl_table *table, const struct kl_view *view, struct kl_file *file,
                  struct kl_error *err);
void kl_table_free(struct kl_table *table);
/* All tables of the file's kind (describe_rows.c). */
int kl_write_tables(FILE *to, struct kl_file *file, struct kl_error *err);
/* {"pairs": [{"first": "1", ...}, ...]} */
int kl_tables_json(json_t **tables, struct kl_file *file, struct kl_error *err);

/* Attributes that say what a stage found or how it went about it, several a line; options and what
   kl_write_numbers writes are left out (describe_attributes.c). KL_EDATA, KL_ENOMEM. */
int kl_write_attributes(FILE *to, const struct kl_file *file, struct kl_error *err);
/* All of them; of a dataset as NAME/ATTRIBUTE. */
int kl_attributes_json(json_t **attributes, const struct kl_file *file, struct kl_error *err);
/* Has kl_write_numbers a line for this root attribute? */
bool kl_is_number_of_report(const char *name);

/* "748.1 KB" */
void kl_size_text(char text[32], double bytes);
/* A member that is a text, or "". */
const char *kl_json_text(const json_t *object, const char *name);
/* The file's own record, which is the last one; NULL: none. */
json_t *kl_own_record(json_t *records);
/* The command line of a record; what would steer a terminal becomes '?'. */
void kl_write_command(FILE *to, const json_t *record);
void kl_write_safely(FILE *to, const char *text);

#endif
