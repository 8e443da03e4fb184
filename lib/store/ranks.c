/* SPDX-License-Identifier: MIT
   Ranks: one exchange, of which all others are made: each has a share of some items, and all get all. */
#include "store/ranks.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "store/mpi.h"
#include "store/shard.h"

#define LIBRARY "libketline-mpi.so"

static int load(const struct kl_mpi **table, struct kl_error *err)
{
    void *library = kl_library_open(LIBRARY, "KETLINE_MPI");
    if (!library) {
        const char *why = dlerror();
        return kl_fail(err, KL_EDEVICE,
                       "--ranks: %s; 'make mpi' builds " LIBRARY " beside the tools, KETLINE_MPI names "
                       "another place",
                       why ? why : "no " LIBRARY);
    }
    const struct kl_mpi *(*get)(void) = NULL;
    *(void **)&get = dlsym(library, "kl_store_mpi_table");
    *table = get ? get() : NULL;
    if (*table && (*table)->version == KL_MPI_VERSION) return KL_OK;
    return kl_fail(err, KL_EDEVICE,
                   LIBRARY " is of another version of ketline; build it anew: make mpi");
}

/* One of several that MPI has started, each of which will do the whole; the first says so. */
static void say_alone(const struct kl_log *log)
{
    static const char *const names[][2] = { { "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" },
                                            { "PMI_RANK", "PMI_SIZE" } };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *rank = getenv(names[i][0]), *size = getenv(names[i][1]);
        if (rank && size && strcmp(rank, "0") == 0 && atoi(size) > 1) {
            kl_note(log, 1, "started %s times by mpirun, each does the whole; --ranks auto shares it",
                    size);
            return;
        }
    }
}

int kl_store_ranks_start(struct kl_ranks **ranks, bool *answered, const char *option,
                         struct kl_stage *stage, struct kl_error *err)
{
    const struct kl_mpi *mpi = NULL;
    struct kl_shard place;
    *ranks = NULL;
    if (!option) say_alone(stage->log);
    int code = kl_store_shard_rank(&place, option, stage->log, err);
    if (code || place.count < 2) return code;
    if (answered && (stage->common->dry_run || stage->common->print_key)) {
        *answered = place.index > 0, stage->ranks = place.count;
        return KL_OK;
    }
    if (place.count > KL_RANKS_MOST)
        return kl_fail(err, KL_EUSAGE, "--ranks: %zu ranks, expected %d at most", place.count,
                       KL_RANKS_MOST);
    code = load(&mpi, err);
    if (code) return code;
    struct kl_ranks *r = calloc(1, sizeof *r);
    if (!r) return kl_fail_memory(err, sizeof *r);
    mpi->start(&r->index, &r->count, &r->local);
    r->mpi = mpi;
    *ranks = r;
    r->quiet = *stage->log, r->quiet.level = 0;
    if (r->index > 0) stage->log = &r->quiet;
    if (r->count == place.count) return KL_OK;
    return kl_fail(
        err, KL_EDEVICE,
        "--ranks: %zu processes were started together, of which MPI (%s) knows %zu; start "
        "them by its own mpirun (srun: --mpi), or build for the other: make mpi MPICC=mpicc.mpich, say",
        place.count, mpi->library(), r->count);
}

int kl_store_ranks_check(struct kl_ranks *ranks, size_t parts, const char *what, struct kl_error *err)
{
    if (!ranks || ranks->count <= parts) return KL_OK;
    ranks->known = true;
    if (parts <= 1)
        return kl_fail(err, KL_EUSAGE, "--ranks: %zu ranks, but of %s there is one: give none",
                       ranks->count, what);
    return kl_fail(err, KL_EUSAGE, "--ranks: %zu ranks, expected at most the %zu %s", ranks->count,
                   parts, what);
}

void kl_store_ranks_share(const struct kl_ranks *ranks, size_t n, size_t *from, size_t *to)
{
    const size_t i = ranks ? ranks->index : 0, count = ranks ? ranks->count : 1;
    *from = n * i / count, *to = n * (i + 1) / count;
}

int kl_store_ranks_gather_bytes(struct kl_ranks *ranks, void *all, const size_t *ends,
                                struct kl_error *err)
{
    if (ends[ranks->count] > INT_MAX)
        return kl_fail(err, KL_EUSAGE, "--ranks: %zu bytes to exchange, expected 2 GiB at most",
                       ends[ranks->count]);
    const double start = kl_clock();
    ranks->mpi->gather(all, ends, ranks->count);
    ranks->waited += kl_clock() - start;
    ranks->bytes += (ends[ranks->index + 1] - ends[ranks->index]) * (ranks->count - 1);
    return KL_OK;
}

int kl_store_ranks_gather(struct kl_ranks *ranks, void *items, size_t n, size_t size,
                          struct kl_error *err)
{
    size_t ends[KL_RANKS_MOST + 1];
    if (!ranks) return KL_OK;
    for (size_t i = 0; i <= ranks->count; i++) ends[i] = n * i / ranks->count * size;
    return kl_store_ranks_gather_bytes(ranks, items, ends, err);
}

int kl_store_ranks_meet(struct kl_ranks *ranks, const char key[65], int *answer, struct kl_error *err)
{
    struct {
        char key[64];
        int32_t answer;
    } all[KL_RANKS_MOST];
    if (!ranks) return KL_OK;
    memcpy(all[ranks->index].key, key, sizeof all->key);
    all[ranks->index].answer = *answer;
    int code = kl_store_ranks_gather(ranks, all, ranks->count, sizeof *all, err);
    *answer = all[0].answer;
    for (size_t i = 1; i < ranks->count && !code; i++)
        if (memcmp(all[i].key, all[0].key, sizeof all->key) != 0)
            code = kl_fail(err, KL_EUSAGE,
                           "--ranks: rank %zu does something else than rank 0: all need the same "
                           "options, inputs and version",
                           i);
    ranks->known |= code != 0;
    return code;
}

int kl_store_ranks_agree(struct kl_ranks *ranks, int64_t *count, int *stop, struct kl_error *err)
{
    struct {
        int64_t count, stop;
    } all[KL_RANKS_MOST];
    if (!ranks) return KL_OK;
    all[ranks->index].count = *count, all[ranks->index].stop = *stop;
    const int code = kl_store_ranks_gather(ranks, all, ranks->count, sizeof *all, err);
    if (code) return code;
    *count = all[0].count;
    for (size_t i = 0; i < ranks->count; i++)
        if (all[i].stop > *stop) *stop = (int)all[i].stop;
    ranks->known |= *stop != 0;
    return KL_OK;
}

void kl_store_ranks_wait(struct kl_ranks *ranks)
{
    struct kl_error none;
    int64_t nothing = 0;
    int signal = 0;
    kl_store_ranks_agree(ranks, &nothing, &signal, &none);
}

bool kl_store_ranks_dismiss(struct kl_ranks *ranks)
{
    if (ranks) ranks->known = true;
    return kl_store_ranks_follow(ranks);
}

void kl_store_ranks_first(struct kl_ranks *some, const struct kl_ranks *ranks, size_t count)
{
    const bool among = ranks->index < count;
    *some = (struct kl_ranks){ .index = among ? ranks->index : 0,
                               .count = among ? count : 1,
                               .mpi = ranks->mpi };
}

void kl_store_ranks_end(struct kl_ranks **ranks, int code)
{
    struct kl_ranks *r = *ranks;
    if (!r) return;
    if (!code || r->known) r->mpi->finish();
    else r->mpi->fail(kl_exit_status(code));
    free(r);
    *ranks = NULL;
}
