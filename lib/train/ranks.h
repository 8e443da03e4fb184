/* SPDX-License-Identifier: MIT
   ranks: processes that train one model together, on one machine or several, by MPI (mpi.h). Each
   computes some parts of a step's gradient; all gather them and add one tree over the parts, whoever has
   which, so that any number of ranks gives the same bytes. */
#ifndef KL_RANKS_H
#define KL_RANKS_H

#include "base/base.h"

enum { KL_RANKS_MOST = 64 };
struct kl_ranks {
    size_t index, count; /* rank `index`, from 0, of `count`; 2 or more */
    uint64_t bytes;      /* that were sent */
    double waited;       /* seconds in which ranks exchanged, or waited for each other */
    bool known;          /* (hidden) to all: a signal, a refusal */
    const struct kl_mpi *mpi;
};
/* option: of --ranks. NULL, or the only one: *ranks is NULL. KL_EUSAGE: neither "auto" nor started by
   mpirun or srun; KL_EDEVICE: no libketline-mpi.so, or one of another MPI than started this process. End
   them in any case. */
int kl_train_ranks_start(struct kl_ranks **ranks, const char *option, const struct kl_log *log,
                         struct kl_error *err);
/* Can so many parts of a gradient have so many ranks (NULL: one)? KL_EUSAGE. */
int kl_train_ranks_check(struct kl_ranks *ranks, size_t parts, struct kl_error *err);
/* KL_EUSAGE if any rank has another key; *answer becomes rank 0's. ranks NULL: nothing to do, as in all
   that follows. */
int kl_train_ranks_meet(struct kl_ranks *ranks, const char key[65], int *answer, struct kl_error *err);
/* The share of a rank: items [from, to). */
void kl_train_ranks_share(const struct kl_ranks *ranks, size_t n, size_t *from, size_t *to);
/* Of n items of `size` bytes each rank has those of its share; all get all. KL_EUSAGE: over 2 GiB. */
int kl_train_ranks_gather(struct kl_ranks *ranks, void *items, size_t n, size_t size,
                          struct kl_error *err);
/* *count becomes rank 0's, *stop (a signal's number, 0: none) the greatest of all. */
int kl_train_ranks_agree(struct kl_ranks *ranks, int64_t *count, int *stop, struct kl_error *err);
/* The first `count` of them as ranks of their own, to measure how a training goes on fewer. Of a rank
   beyond them *some is alone (count 1). */
void kl_train_ranks_first(struct kl_ranks *some, const struct kl_ranks *ranks, size_t count);
/* code: how this one ended. Where the others do not know of it, all end. Clears the caller's pointer. */
void kl_train_ranks_end(struct kl_ranks **ranks, int code);

#endif
