/* SPDX-License-Identifier: MIT
   A finished file in words, for the tool `cache`: show and log. What is told of a kind's datasets and
   attributes says the kind's table (kind.h); of a kind without one only what all files have. */
#ifndef KL_DESCRIBE_H
#define KL_DESCRIBE_H

#include "store/housekeeping.h"
#include "store/kind.h"

struct json_t;

/* The file's kind in a list that ends with NULL; one without contents: it is not there. */
const struct kl_kind *kl_store_kind_find(const struct kl_kind *const *kinds, const struct kl_file *file);
/* One page: what it is, its numbers, its datasets, where it came from. KL_ENOMEM, KL_EDATA, KL_EIO. */
int kl_store_describe_page(FILE *to, struct kl_file *file, const struct kl_kind *kind,
                           struct kl_error *err);
/* The same as one JSON object. */
int kl_store_describe_json(FILE *to, struct kl_file *file, const struct kl_kind *kind,
                           struct kl_error *err);
/* The provenance as a tree: the file's own record first, its parents below it, back to the raw inputs
   (provenance.c). KL_EDATA without provenance. */
int kl_store_describe_log(FILE *to, const struct kl_file *file, struct kl_error *err);

/* Lines of a table of files, or one JSON object a line (housekeeping.c). */
void kl_store_describe_heading(FILE *to);
int kl_store_describe_found(FILE *to, const struct kl_found *found, bool json, struct kl_error *err);
/* A word or number of a file by its name, a reference of one's own: kind, key, content, rows or bytes of
   it, else what its run found, else the run's options (a-b, or a_b), else its record (seed, seconds,
   device). NULL: it has none. KL_ENOMEM, KL_EDATA. */
int kl_store_found_value(struct json_t **value, const struct kl_found *f, const char *name,
                         struct kl_error *err);
/* The value of the word NAME=VALUE among words ("lr=1e-3 layers=1", a grid or a point of it), *n bytes;
   NULL: there is none, or words is NULL. '_' in name is the '-' of options. (describe.c) */
const char *kl_store_assigned(const char *words, const char *name, size_t *n);
/* May a damaged file be put aside? If it is sealed as ours are, or lies under a key in a shared store;
   foreign HDF5 files are nobody's business here. */
bool kl_store_found_is_ours(const struct kl_found *found);

#endif
