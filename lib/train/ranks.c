/* SPDX-License-Identifier: MIT
   What ranks do once they have met: exchanges between pairs of them, level by level (recursive doubling:
   Thakur, Rabenseifner and Gropp 2005, doi:10.1177/1094342005051521). */
#include "train/ranks.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SILENCE = 600 /* seconds without a byte, after which a rank is taken to be lost */ };

int kl_train_ranks_check(const struct kl_shard *place, size_t parts, struct kl_error *err)
{
    const size_t n = place->count;
    if (n > 1 && parts <= 1)
        return kl_fail(err, KL_EUSAGE,
                       "--ranks: %zu ranks, but a step's gradient of this model has one part: give none",
                       n);
    if (n && (n & (n - 1) || n > parts || n > (size_t)1 << KL_RANKS_LEVELS))
        return kl_fail(
            err, KL_EUSAGE,
            "--ranks: %zu ranks, expected 1, 2, 4, ... up to the %zu parts of a step's gradient", n,
            parts);
    return KL_OK;
}

void kl_train_ranks_share(const struct kl_ranks *ranks, size_t n, size_t *from, size_t *to)
{
    const size_t i = ranks ? ranks->index : 0, count = ranks ? ranks->count : 1;
    *from = n * i / count, *to = n * (i + 1) / count;
}

static int lost(const struct kl_ranks *ranks, int level, const char *how, struct kl_error *err)
{
    return kl_fail(err, KL_EIO, "rank %zu is gone (%s): see what it said; rank %zu stops",
                   ranks->index ^ (size_t)1 << level, how, ranks->index);
}

/* Send and receive as much as is possible now, without waiting. False: the peer is gone. */
static bool move_on(int peer, const char **from, size_t *n_from, char **to, size_t *n_to,
                    uint64_t *bytes)
{
    const ssize_t sent = *n_from ? send(peer, *from, *n_from, MSG_DONTWAIT | MSG_NOSIGNAL) : 0;
    if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) return false;
    if (sent > 0) *from += sent, *n_from -= (size_t)sent, *bytes += (uint64_t)sent;
    const ssize_t got = *n_to ? recv(peer, *to, *n_to, MSG_DONTWAIT) : 1;
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) return false;
    if (*n_to && got > 0) *to += got, *n_to -= (size_t)got;
    return true;
}

/* Both directions at once, as either peer may fill the other's buffers first. */
static int exchange(struct kl_ranks *ranks, int level, const void *out, size_t n_out, void *in,
                    size_t n_in, struct kl_error *err)
{
    const char *from = out;
    char *to = in;
    const int peer = ranks->peer[level];
    for (;;) {
        if (!move_on(peer, &from, &n_out, &to, &n_in, &ranks->bytes))
            return lost(ranks, level, "its connection ended", err);
        if (!n_out && !n_in) return KL_OK;
        struct pollfd wait = { .fd = peer,
                               .events = (short)((n_out ? POLLOUT : 0) | (n_in ? POLLIN : 0)) };
        const double start = kl_clock();
        const int ready = poll(&wait, 1, SILENCE * 1000);
        ranks->waited += kl_clock() - start;
        if (ready == 0) return lost(ranks, level, "silent for ten minutes", err);
    }
}

static int take_buffer(struct kl_ranks *ranks, size_t size, struct kl_error *err)
{
    if (size <= ranks->room) return KL_OK;
    void *more = realloc(ranks->buffer, size);
    if (!more) return kl_fail_memory(err, size);
    ranks->buffer = more, ranks->room = size;
    return KL_OK;
}

/* A sum does not depend on the order of its two terms, so both peers get the same bits. */
int kl_train_ranks_add(struct kl_ranks *ranks, void *values, size_t n, bool wide, double *sums,
                       size_t n_sums, struct kl_error *err)
{
    const size_t size = n * (wide ? sizeof(double) : sizeof(float));
    int code = take_buffer(ranks, size + n_sums * sizeof *sums + sizeof *sums, err);
    for (int level = 0; !code && level < ranks->levels; level++) {
        double *their_sums = ranks->buffer;
        void *theirs = their_sums + n_sums;
        code = exchange(ranks, level, values, size, theirs, size, err);
        if (!code)
            code = exchange(ranks, level, sums, n_sums * sizeof *sums, their_sums, n_sums * sizeof *sums,
                            err);
        if (code) break;
        if (wide)
            for (size_t i = 0; i < n; i++) ((double *)values)[i] += ((const double *)theirs)[i];
        else
            for (size_t i = 0; i < n; i++) ((float *)values)[i] += ((const float *)theirs)[i];
        for (size_t i = 0; i < n_sums; i++) sums[i] += their_sums[i];
    }
    return code;
}

/* Before level l a rank has the shares of the 2^l ranks that differ from it in the lower l bits. */
int kl_train_ranks_gather(struct kl_ranks *ranks, void *items, size_t n, size_t size,
                          struct kl_error *err)
{
    int code = KL_OK;
    for (int level = 0; !code && level < ranks->levels; level++) {
        const size_t width = (size_t)1 << level, mine = ranks->index & ~(width - 1),
                     theirs = mine ^ width;
        const size_t from = n * mine / ranks->count, to = n * (mine + width) / ranks->count,
                     their_from = n * theirs / ranks->count,
                     their_to = n * (theirs + width) / ranks->count;
        code = exchange(ranks, level, (char *)items + from * size, (to - from) * size,
                        (char *)items + their_from * size, (their_to - their_from) * size, err);
    }
    return code;
}

int kl_train_ranks_agree(struct kl_ranks *ranks, int64_t *count, int *stop, struct kl_error *err)
{
    struct {
        int64_t count, stop;
    } mine = { *count, *stop }, theirs = { 0, 0 };
    int code = KL_OK;
    for (int level = 0; !code && level < ranks->levels; level++) {
        code = exchange(ranks, level, &mine, sizeof mine, &theirs, sizeof theirs, err);
        if (code) break;
        if (ranks->index & (size_t)1 << level) mine.count = theirs.count;
        if (theirs.stop > mine.stop) mine.stop = theirs.stop;
    }
    *count = mine.count, *stop = (int)mine.stop;
    return code;
}

void kl_train_ranks_first(struct kl_ranks *some, const struct kl_ranks *ranks, size_t count)
{
    const size_t n = ranks->index < count ? count : 1;
    *some = (struct kl_ranks){ .index = ranks->index < count ? ranks->index : 0, .count = n };
    while ((size_t)1 << some->levels < n) some->levels++;
    memcpy(some->peer, ranks->peer, sizeof some->peer);
}

void kl_train_ranks_first_end(struct kl_ranks *some)
{
    free(some->buffer);
    *some = (struct kl_ranks){ 0 };
}

void kl_train_ranks_close(struct kl_ranks **ranks)
{
    if (!*ranks) return;
    for (int level = 0; level < (*ranks)->levels; level++)
        if ((*ranks)->peer[level] >= 0) close((*ranks)->peer[level]);
    free((*ranks)->buffer);
    free(*ranks);
    *ranks = NULL;
}
