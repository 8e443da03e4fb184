/* SPDX-License-Identifier: MIT
   What the files behind describe.h share. */
#ifndef KL_DESCRIBE_INT_H
#define KL_DESCRIBE_INT_H

#include <jansson.h>

#include "store/describe.h"

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
