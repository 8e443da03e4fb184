/* SPDX-License-Identifier: MIT
   ranks: processes that work on one thing together, on one machine or several, by MPI (mpi.h). Each has
   a share of the parts (of a step's gradient, of chains, points, tasks); all gather what the others
   have, so that any number of ranks gives the same bytes. The first alone writes, and speaks. */
#ifndef KL_RANKS_H
#define KL_RANKS_H

#include "store/store.h"

/* The option of a stage that shares `what`: "chains". at: offset of the text. */
#define KL_STORE_RANKS_OPTION(at, what)                                                    \
    {                                                                                      \
        "ranks", 0, KL_OPT_STRING, at, "R", 0, 0, false,                                   \
            "share the " what " with other processes: auto, of mpirun or srun", NULL, NULL \
    }
enum { KL_RANKS_MOST = 64 };
struct kl_ranks {
    size_t index, count; /* rank `index`, from 0, of `count`; 2 or more */
    size_t local;        /* among those of this machine: "cuda" is the card of this number */
    uint64_t bytes;      /* that were sent */
    double waited;       /* seconds in which ranks exchanged, or waited for each other */
    bool known;          /* (hidden) to all: a signal, a refusal */
    const struct kl_mpi *mpi;
    struct kl_log quiet; /* (hidden) of those that follow the first */
};
/* option: of --ranks. NULL, or the only one: *ranks is NULL. The log of those that follow the first
   becomes a quiet one. *answered (NULL: there are no such questions): the first answers --dry-run or
   --key, alone, and this is another. KL_EUSAGE: neither "auto" nor started by mpirun or srun;
   KL_EDEVICE: no libketline-mpi.so, or one of another MPI than started this process. End them in any
   case. */
int kl_store_ranks_start(struct kl_ranks **ranks, bool *answered, const char *option,
                         struct kl_stage *stage, struct kl_error *err);
static inline bool kl_store_ranks_follow(const struct kl_ranks *ranks)
{
    return ranks && ranks->index > 0;
}
/* Can so many parts have so many ranks (NULL: one)? KL_EUSAGE names the parts: "chains". */
int kl_store_ranks_check(struct kl_ranks *ranks, size_t parts, const char *what, struct kl_error *err);
/* KL_EUSAGE if any rank has another key; *answer becomes rank 0's. ranks NULL: nothing to do, as in all
   that follows. */
int kl_store_ranks_meet(struct kl_ranks *ranks, const char key[65], int *answer, struct kl_error *err);
/* The share of a rank: items [from, to). */
void kl_store_ranks_share(const struct kl_ranks *ranks, size_t n, size_t *from, size_t *to);
/* Of n items of `size` bytes each rank has those of its share; all get all. KL_EUSAGE: over 2 GiB. */
int kl_store_ranks_gather(struct kl_ranks *ranks, void *items, size_t n, size_t size,
                          struct kl_error *err);
/* The same where rank i has bytes [ends[i], ends[i + 1]) of `all`; ends (ranks->count + 1). */
int kl_store_ranks_gather_bytes(struct kl_ranks *ranks, void *all, const size_t *ends,
                                struct kl_error *err);
/* *count becomes rank 0's, *stop (a signal's number, 0: none) the greatest of all. */
int kl_store_ranks_agree(struct kl_ranks *ranks, int64_t *count, int *stop, struct kl_error *err);
/* Until all are here: others are not to end while one writes what they were stopped at. */
void kl_store_ranks_wait(struct kl_ranks *ranks);
/* From here on the first goes on alone; true: this is another, and has done its work. */
bool kl_store_ranks_dismiss(struct kl_ranks *ranks);
/* The first `count` of them as ranks of their own, to measure how a training goes on fewer. Of a rank
   beyond them *some is alone (count 1). */
void kl_store_ranks_first(struct kl_ranks *some, const struct kl_ranks *ranks, size_t count);
/* code: how this one ended. Where the others do not know of it, all end. Clears the caller's pointer. */
void kl_store_ranks_end(struct kl_ranks **ranks, int code);

#endif
