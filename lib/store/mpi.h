/* SPDX-License-Identifier: MIT
   mpi: what libketline-mpi.so (mpi/mpi.c) offers. MPI's binary interface differs between its
   implementations, so the tools are linked against none: `make mpi` builds this library by the mpicc of
   the one that starts them. Errors of MPI end the process, as is its default. */
#ifndef KL_STORE_MPI_H
#define KL_STORE_MPI_H

#include <stddef.h>
#include <stdint.h>

enum { KL_MPI_VERSION = 2 };
struct kl_mpi {
    uint32_t version;
    /* MPI_Init_thread; this process's rank, of how many, and among those of its machine. */
    void (*start)(size_t *index, size_t *count, size_t *local);
    /* Among the first n ranks, which all call it: rank i has bytes [ends[i], ends[i + 1]) of `all`, and
       all get all of them. ends (n + 1), from 0 to at most INT_MAX. */
    void (*gather)(void *all, const size_t *ends, size_t n);
    void (*finish)(void);         /* MPI_Finalize, by all ranks */
    void (*fail)(int status);     /* end all ranks with this status when this process ends */
    const char *(*library)(void); /* "Open MPI v4.1.4, ..." */
};
const struct kl_mpi *kl_store_mpi_table(void);

#endif
