/* SPDX-License-Identifier: MIT
   What the files behind describe.h share. */
#ifndef KL_DESCRIBE_INT_H
#define KL_DESCRIBE_INT_H

#include <jansson.h>

#include "store/describe.h"

/* "float32", ...: by enum kl_type. */
extern const char *const kl_type_names[];
/* describe_results.c: numbers of a report or head; of a report on several heads their accuracies, mean
   and standard deviation; of a head some epochs of the first replica's history, and each replica's
   best. */
void kl_write_numbers(FILE *to, const struct kl_file *file);
int kl_write_heads(FILE *to, struct kl_file *file, struct kl_error *err);
int kl_write_history(FILE *to, struct kl_file *file, struct kl_error *err);
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
