/* SPDX-License-Identifier: MIT
   libketline-mpi.so: ranks by MPI (lib/store/mpi.h). */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "store/mpi.h"

enum { RANKS = 64 };
static MPI_Comm groups[RANKS + 1]; /* [n]: of the first n; made when it is first asked for */
static int failed;

static void start(size_t *index, size_t *count, size_t *local)
{
    int rank, n, here, provided;
    MPI_Comm machine;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    for (int i = 0; i <= RANKS; i++) groups[i] = MPI_COMM_NULL;
    if (n <= RANKS) groups[n] = MPI_COMM_WORLD;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &here);
    MPI_Comm_free(&machine);
    *index = (size_t)rank, *count = (size_t)n, *local = (size_t)here;
}

static MPI_Comm of_first(int n)
{
    if (groups[n] == MPI_COMM_NULL) {
        MPI_Group all, first;
        int ranges[1][3] = { { 0, n - 1, 1 } };
        MPI_Comm_group(MPI_COMM_WORLD, &all);
        MPI_Group_range_incl(all, 1, ranges, &first);
        MPI_Comm_create_group(MPI_COMM_WORLD, first, n, &groups[n]);
        MPI_Group_free(&first), MPI_Group_free(&all);
    }
    return groups[n];
}

static void gather(void *all, const size_t *ends, size_t n)
{
    int counts[RANKS], places[RANKS];
    for (size_t i = 0; i < n; i++) places[i] = (int)ends[i], counts[i] = (int)(ends[i + 1] - ends[i]);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts, places, MPI_BYTE, of_first((int)n));
}

static void finish(void)
{
    for (int i = 0; i <= RANKS; i++)
        if (groups[i] != MPI_COMM_NULL && groups[i] != MPI_COMM_WORLD) MPI_Comm_free(&groups[i]);
    MPI_Finalize();
}

static void abort_all(void)
{
    MPI_Abort(MPI_COMM_WORLD, failed);
}

static void fail(int status)
{
    failed = status;
    atexit(abort_all);
}

static const char *library(void)
{
    static char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int n;
    MPI_Get_library_version(text, &n);
    text[strcspn(text, ",\n\t")] = 0;
    return text;
}

const struct kl_mpi *kl_store_mpi_table(void)
{
    static const struct kl_mpi table = { KL_MPI_VERSION, start, gather, finish, fail, library };
    return &table;
}
