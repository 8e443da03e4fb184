/* SPDX-License-Identifier: MIT
   Parts of a run, each computed alone, and the whole that is merged from them. */
#ifndef KL_SHARD_H
#define KL_SHARD_H

#include "store/store.h"

/* ---- a part (shard.c) ---- */
struct kl_shard {
    size_t index, count; /* part `index`, from 0, of `count`; count 0: the whole, for which all below do
                            nothing */
    char whole_key[65], *whole_parts;
};
/* "I/N" with I from 0 to N-1; "auto": which, and of how many, by the variables of an array of Slurm's,
   else of Open MPI or PMI, else of srun's tasks, if they say it beyond doubt; "auto/N": this task of N,
   of whatever tasks the array is. What was found goes to the log. NULL: the whole. KL_EUSAGE. */
int kl_store_shard_parse(struct kl_shard *shard, const char *text, const struct kl_log *log,
                         struct kl_error *err);
/* The same for processes that work on one thing together: "auto", by MPI's variables, else srun's;
   arrays of Slurm's are no matter. NULL: alone (count 0). KL_EUSAGE. */
int kl_store_shard_rank(struct kl_shard *place, const char *text, const struct kl_log *log,
                        struct kl_error *err);
/* Finish *key, of the whole, for the part to remember. Free with kl_store_shard_free. */
int kl_store_shard_of(struct kl_shard *shard, struct kl_key **key, struct kl_error *err);
/* Add the part's number to a key that is otherwise that of the whole. */
int kl_store_key_shard(struct kl_key *key, const struct kl_shard *shard, struct kl_error *err);
/* The root attributes shard_index, shard_count, whole_key and whole_key_parts. */
int kl_store_shard_save(struct kl_writer *writer, const struct kl_shard *shard, struct kl_error *err);
void kl_store_shard_free(struct kl_shard *shard);
/* KL_EUSAGE: at path stands another part of the same run, as where all tasks of an array write one name.
 */
int kl_store_shard_check_target(const struct kl_shard *shard, const char *path, struct kl_error *err);
/* A note if the file is a part, for whoever forgot to merge. */
void kl_store_shard_say(const struct kl_file *file, const struct kl_log *log);

/* ---- merging (shard.c) ---- */
/* One file whose bytes (but for provenance) are those of the unsharded run. Shards carry what
   kl_store_shard_save writes, and `index`. Of the common options those about provenance and force count.
   KL_EDATA names what is missing or does not belong. */
int kl_store_merge(const char *output, const char *const *inputs, size_t n,
                   const struct kl_common *common, struct kl_error *err);
/* Is the output there already, whole and under the key of the whole that this shard belongs to? */
bool kl_store_merged_before(const char *output, const char *shard);

#endif
