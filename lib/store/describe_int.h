/* SPDX-License-Identifier: MIT
   What the files behind describe.h share. */
#ifndef KL_DESCRIBE_INT_H
#define KL_DESCRIBE_INT_H

#include <jansson.h>

#include "store/describe.h"

struct kl_attribute;

/* "float32", ...: by enum kl_type. */
extern const char *const kl_type_names[];
/* describe_results.c: the kind's numbers; mean and standard deviation of its replicas; some epochs of
   its history, and the best of each run. */
void kl_store_write_numbers(FILE *to, const struct kl_file *file, const struct kl_kind *kind);
int kl_store_write_replicas(FILE *to, struct kl_file *file, const struct kl_kind *kind,
                            struct kl_error *err);
int kl_store_write_history(FILE *to, struct kl_file *file, const struct kl_kind *kind,
                           struct kl_error *err);
/* Is the attribute an end of the interval of a difference, which has none? */
bool kl_store_is_end_of_none(const struct kl_file *file, const struct kl_kind *kind,
                             const struct kl_attribute *a);
/* Has kl_store_write_numbers a line for this root attribute? */
bool kl_store_is_number_of_kind(const struct kl_kind *kind, const char *name);

/* All tables of the file's kind (describe_results.c). */
int kl_store_write_tables(FILE *to, struct kl_file *file, const struct kl_kind *kind,
                          struct kl_error *err);
/* {"pairs": [{"first": "1", ...}, ...]} */
int kl_store_tables_json(json_t **tables, struct kl_file *file, const struct kl_kind *kind,
                         struct kl_error *err);

/* "748.1 KB" */
void kl_store_size_text(char text[32], double bytes);
/* A member that is a text, or "". */
const char *kl_store_json_text(const json_t *object, const char *name);
/* The file's own record, which is the last one; NULL: none. */
json_t *kl_store_own_record(json_t *records);
void kl_store_write_safely(FILE *to, const char *text);

#endif
