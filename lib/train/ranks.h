/* SPDX-License-Identifier: MIT
   ranks: processes that train one model together, on one machine or several. Each computes some parts of
   a step's gradient; what they add up is one tree over the parts, whoever has which, so that 1, 2, 4,
   ... ranks give the same bytes. They find each other by files beside the output, which a job's
   processes share, and talk over TCP: MPI would bring a library whose binary interface differs between
   its implementations, for messages of some kilobytes. */
#ifndef KL_RANKS_H
#define KL_RANKS_H

#include "base/base.h"
#include "store/shard.h"

enum { KL_RANKS_LEVELS = 6 }; /* 64 ranks at most */
struct kl_ranks {
    size_t index, count; /* rank `index`, from 0, of `count`, a power of two */
    uint64_t bytes;      /* that were sent */
    double waited;       /* seconds in which nothing could be sent or received */
    int levels;
    int peer[KL_RANKS_LEVELS]; /* (hidden) sockets; peer l is rank index ^ 2^l */
    void *buffer;              /* (hidden) what a peer sends */
    size_t room;
};
/* Is it a number of ranks that a gradient in so many parts can have? KL_EUSAGE. */
int kl_train_ranks_check(const struct kl_shard *place, size_t parts, struct kl_error *err);
/* Meet the others: each rank leaves `OUTPUT's folder/.NAME.rankI`, and takes it away once all have come.
   key: of what is trained; ranks with another one are refused (KL_EUSAGE). KL_EIO; KL_EDEVICE: some have
   not come within `patience` seconds; KL_ESIGNAL. Close them in any case. */
int kl_train_ranks_open(struct kl_ranks **ranks, const struct kl_shard *place, const char *output,
                        const char key[65], double patience, struct kl_error *err);
/* values (n floats, or doubles if wide) and sums (n_sums) become their sums over the ranks: level by
   level of the tree whose leaves are the ranks in order. KL_EIO: a rank is gone. KL_ENOMEM. */
int kl_train_ranks_add(struct kl_ranks *ranks, void *values, size_t n, bool wide, double *sums,
                       size_t n_sums, struct kl_error *err);
/* Of n items of `size` bytes each rank has those of its share; all get all. KL_EIO, KL_ENOMEM. */
int kl_train_ranks_gather(struct kl_ranks *ranks, void *items, size_t n, size_t size,
                          struct kl_error *err);
/* The share of a rank: items [from, to). ranks NULL: all of them. */
void kl_train_ranks_share(const struct kl_ranks *ranks, size_t n, size_t *from, size_t *to);
/* *count becomes rank 0's, *stop (a signal's number, 0: none) the greatest of all. */
int kl_train_ranks_agree(struct kl_ranks *ranks, int64_t *count, int *stop, struct kl_error *err);
/* The first `count` of them, a power of two, as ranks of their own, by the connections that there are:
   to measure how a training goes on fewer. Of a rank beyond them *some is alone (count 1). It ends
   before `ranks` does, and owns nothing but its buffer (kl_train_ranks_first_end). */
void kl_train_ranks_first(struct kl_ranks *some, const struct kl_ranks *ranks, size_t count);
void kl_train_ranks_first_end(struct kl_ranks *some);
void kl_train_ranks_close(struct kl_ranks **ranks); /* accepts NULL, clears the caller's pointer */

#endif
