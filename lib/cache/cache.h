/* SPDX-License-Identifier: MIT
   What the tool `cache` does with a store and with files, a command a file. Each takes what follows its
   name on the command line, prints on `out`, and returns KL_ENO where its answer is no. */
#ifndef KL_CACHE_H
#define KL_CACHE_H

#include "store/housekeeping.h"
#include "store/mode.h"
struct kl_kind;
struct kl_tool;

/* Its table, and the run of its mode: the command that is the first word. kinds: of the files that it
   draws, up to a NULL (store/kind.h); tools: whose options may be columns by their second names.
   (tool.c)
 */
extern const struct kl_tool kl_cache_tool;
int kl_cache_run(struct kl_mode_run *run, const struct kl_kind *const *kinds,
                 const struct kl_tool *const *tools, struct kl_error *err);

struct kl_cache {
    const struct kl_common *common;
    double older_than; /* days, of gc; 0: none */
    bool apply, repair;
    const char *columns; /* of list: names between commas; NULL: none */
    const char *csv, *latex;
    struct kl_mode_run *run;
    const struct kl_log *log;
    FILE *out;
    const struct kl_kind *const *kinds;
    const struct kl_tool *const *tools;
    const char *const *args;
    size_t n;                        /* of args */
    size_t n_seen, n_found, n_aside; /* (hidden) files looked at, told of, and put aside */
    size_t n_unread;                 /* (hidden) of those told of: could not be read */
    struct kl_error problem;         /* (hidden) of the functions that are called for each file */
};
/* Why two keys differ; KL_ENO without a text: they do, and it is said. */
int kl_cache_diff(struct kl_cache *c, struct kl_error *err);
int kl_cache_verify(struct kl_cache *c, struct kl_error *err);
int kl_cache_list(struct kl_cache *c, struct kl_error *err);
int kl_cache_fsck(struct kl_cache *c, struct kl_error *err);
int kl_cache_gc(struct kl_cache *c, struct kl_error *err);
int kl_cache_merge(struct kl_cache *c, struct kl_error *err);
int kl_cache_push(struct kl_cache *c, struct kl_error *err);
int kl_cache_pull(struct kl_cache *c, struct kl_error *err);
/* A table of the files below a folder that have the first of c->columns, in its order (columns.c). */
int kl_cache_table(struct kl_cache *c, const char *folder, struct kl_error *err);

#endif
