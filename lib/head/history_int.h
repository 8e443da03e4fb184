/* SPDX-License-Identifier: MIT
   Private to lib/head/: the history of a finished head file. */
#ifndef KL_HISTORY_INT_H
#define KL_HISTORY_INT_H

#include "head/head.h"

struct kl_file;

/* rows[k] (replicas, epochs), NaN where a replica had stopped. */
struct kl_history {
    size_t replicas, epochs, groups;
    double *rows[KL_HISTORY_ROWS];
    double *norms;     /* (replicas, epochs, groups); NULL, and no groups: an older file */
    char *group_names; /* (groups, name_size), padded with zeros */
    size_t name_size;
};
/* The name of group g, in `name`; at most 79 bytes of it. */
void kl_history_group(char name[80], const struct kl_history *h, size_t g);
int kl_history_load(struct kl_history *h, struct kl_file *file, struct kl_error *err);
void kl_history_free(struct kl_history *h);

struct kl_run_record {
    char seed[32];        /* "" where the file does not say */
    long long start, end; /* milliseconds since 1970; a file without provenance: both now */
};
int kl_run_record(struct kl_run_record *record, const struct kl_file *file, struct kl_error *err);

#endif
