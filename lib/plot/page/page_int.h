/* SPDX-License-Identifier: MIT
   What the files behind kl_plot_page_write share. All write HTML to a stream in memory; its errors are
   asked for once, at the end. */
#ifndef KL_PAGE_INT_H
#define KL_PAGE_INT_H

#include <stdio.h>

#include "plot/plot.h"
#include "store/store.h"

/* "accuracy_low" as "accuracy low". */
void kl_plot_html_name(FILE *to, const char *name);
/* A row of two cells, the first a heading. */
void kl_plot_html_fact(FILE *to, const char *name, const char *text);
/* How to write n numbers of one kind, each `stride` from the last, so that they can be compared: whole
   ones as they are, shares and entropies with four digits behind the point as the tools print them. */
const char *kl_plot_page_form(const double *values, size_t n, size_t stride);
/* "-" for NaN; what four digits would show as 0 has an exponent. */
enum { KL_PAGE_NUMBER = 40 };
void kl_plot_page_number(char text[KL_PAGE_NUMBER], double value, const char *form);
/* A cell of it. */
void kl_plot_html_number(FILE *to, double value, const char *form);
/* A table's heading, and its begin, within the first row. */
void kl_plot_html_caption(FILE *to, const char *caption);

/* ---- words (words.c) ---- */
/* "Evaluation of heads": what a file of the kind is; the kind itself where it has no such words. */
const char *kl_plot_page_kind(const char *kind);
/* Words for a group of datasets, or a dataset with columns, and for each of its rows. caption NULL: it
   has no words but its name. */
struct kl_page_words {
    const char *caption, *row;
};
struct kl_page_words kl_plot_page_words(const char *kind, const char *name, size_t n);
/* The name of a dataset as a column; NULL: its own. */
const char *kl_plot_page_column(const char *name);
/* The sentence below a figure. */
const char *kl_plot_page_sentence(const char *figure);

/* The tool's own line on the file, without its name; "" of what has no such line (headline.c). KL_EDATA,
   KL_EIO, KL_ENOMEM. */
enum { KL_HEADLINE = 400 };
int kl_plot_page_headline(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err);
/* The figure that shows what such a file found; NULL: none does. Is it a result, rather than what one is
   made from? */
const char *kl_plot_page_lead(const char *kind);
enum kl_page_decides { KL_PAGE_NEITHER, KL_PAGE_RESULTS, KL_PAGE_TABLES };
enum kl_page_decides kl_plot_page_decides(const char *kind);
bool kl_plot_page_is_result(const char *kind);
enum { KL_PAGE_STUDIES = 6 };
/* Heads, devices, pulses, ...: which of them a file is of, from 0; -1: it is an input of any. */
int kl_plot_page_study(const struct kl_file *file);
/* The file that the others of a study lead to, a report rather than its heads; n: there is none. study
   -1: of all files. */
size_t kl_plot_page_main(struct kl_file *const *files, size_t n, int study);
/* Root attributes that say what the stage found, as `cache show` has them (results.c). The same
   codes. */
int kl_plot_page_results(FILE *to, const struct kl_file *file, struct kl_error *err);

/* Datasets of few rows as tables: one of two axes with its columns' names, and those of one axis that
   lie in a group beside each other. KL_EDATA, KL_EIO, KL_ENOMEM. */
int kl_plot_page_tables(FILE *to, struct kl_file *file, struct kl_error *err);
/* Those of a comparison of sequence models; nothing of other kinds (comparison.c). The same codes. */
int kl_plot_page_comparison(FILE *to, struct kl_file *file, struct kl_error *err);
/* Names of a table's rows (group.c), where the group says what they are. */
struct kl_page_rows {
    char *devices; /* names, size bytes each; of people too */
    size_t n_devices, size;
    int32_t *pairs; /* [rows, 2], or NULL */
    bool are_devices, are_pairs;
};
/* group: "device_stats/rate". KL_EDATA, KL_EIO, KL_ENOMEM. */
int kl_plot_page_rows_load(struct kl_page_rows *r, struct kl_file *file, const char *group, size_t rows,
                           struct kl_error *err);
/* A heading of the row, behind its tag: the name, or the row's number where there is none. */
void kl_plot_page_row_write(FILE *to, const struct kl_page_rows *r, size_t row, const char *tag);
void kl_plot_page_rows_free(struct kl_page_rows *r);
enum { KL_PAGE_PERMUTATIONS = 2000 }; /* KL_IID_PERMUTATIONS of another room: fewer give no verdict */
/* Datasets of one axis in the group of dataset `first`, which is the first of them (group.c): side
   by side, each with its interval or standard error. The same codes. */
bool kl_plot_page_is_column(const struct kl_dataset *d);
bool kl_plot_page_beside(const struct kl_dataset *x, const struct kl_dataset *y);
int kl_plot_page_group(FILE *to, struct kl_file *file, size_t first, struct kl_error *err);
/* " over samples" behind "95 %" of the accuracy of several heads, whose interval leaves out how seeds
   differ; else nothing (results.c). */
const char *kl_plot_page_interval_of(const struct kl_file *file, const char *name);
/* " (standard error 0.0731 over people, 0.0323 by windows alone)", of a result NAME whose errors stand
   beside it (NAME_se_people, NAME_se; NAME_error); "": none does (results.c). */
enum { KL_PAGE_ERRORS = 96 };
void kl_plot_page_errors(char text[KL_PAGE_ERRORS], const struct kl_file *file, const char *name);
/* All numbers of a dataset as doubles; NULL of words. malloc'ed. */
int kl_plot_page_doubles(double **values, struct kl_file *file, const struct kl_dataset *d,
                         struct kl_error *err);
/* The options that the file's key was made of. KL_EDATA, KL_ENOMEM. */
int kl_plot_page_options(FILE *to, const struct kl_file *file, struct kl_error *err);
/* All records behind the files, each once, a record after those that it was made from. KL_EDATA,
   KL_ENOMEM. */
int kl_plot_page_provenance(FILE *to, struct kl_file *const *files, size_t n, struct kl_error *err);

#endif
