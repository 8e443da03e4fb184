/* SPDX-License-Identifier: MIT
   A finished file in words, for the tool `cache`: show and log. */
#ifndef KL_DESCRIBE_H
#define KL_DESCRIBE_H

#include "store/store.h"

/* One page: what it is, its numbers, its datasets (values of small tables), where it came from. KL_ENOMEM, KL_EIO. */
int kl_describe_page(FILE *to, struct kl_file *file, struct kl_error *err);
/* The same as one JSON object. */
int kl_describe_json(FILE *to, struct kl_file *file, struct kl_error *err);
/* The provenance drawn as a tree: the file's own record first, its parents below it, back to the raw inputs. */
int kl_describe_log(FILE *to, const struct kl_file *file, struct kl_error *err);

#endif
