/* SPDX-License-Identifier: MIT
   Make the n-th allocation, or the n-th write, fsync, rename... of the library fail. Programs in
   tests/faults are linked so that every call made by libketline.a (and by the test) goes through the
   wrappers of faults.c and calls/; calls inside HDF5, libpng and other shared libraries do not, but the
   calls of those libraries themselves can be made to fail. The usual loop (each.h has it):

       for (long n = 1;; n++) {
           faults_arm(FAULT_MEMORY, n, false);
           int code = the_function(..., &err);
           bool fired = faults_disarm();
           check that code is KL_ENOMEM (or that it went without the memory) if fired,
               and that nothing was left behind;
           if (!fired) break;       the run asked fewer than n times: all points are tested
       } */
#ifndef KL_TESTS_FAULTS_H
#define KL_TESTS_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    FAULT_MEMORY = 1,   /* NULL or ENOMEM; also what other libraries make (contexts, parsers, streams) */
    FAULT_FILE = 2,     /* -1: ENOSPC (write, pwrite, ftruncate), EIO (fsync, close), EACCES (rename,
                           renameat) */
    FAULT_READ = 4,     /* -1, EIO: read, pread, fstat, lseek, gzfread, what a FILE reads; readdir;
                           poll: 0 */
    FAULT_OPEN = 8,     /* -1, EMFILE: open, fopen, opendir, memfd_create, pipe2, dup, fcntl, mkostemp,
                           getrandom */
    FAULT_HDF5 = 16,    /* -1, ENOMEM: the calls of HDF5 that can fail */
    FAULT_STREAM = 128, /* ferror, fclose: ENOMEM, as of a text in memory that cannot grow */
    FAULT_REMOVE = 256, /* -1, EACCES: unlink, unlinkat */
    FAULT_LIE = 64,     /* a byte of what read or pread gives is another one */
    FAULT_INTERRUPTED = 32 /* no failure: every odd read, pread, write, pwrite, poll is interrupted by a
                              signal, every even one does half of what it is asked for; n and forever
                              mean nothing */
};

/* The n-th call (from 1) of the given kinds fails, with forever also every later one; n = 0: they are
   only counted. */
void faults_arm(int kinds, long n, bool forever);
/* Back to normal; true if a call was made to fail since faults_arm. */
bool faults_disarm(void);
/* Calls seen since faults_arm. */
long faults_seen(void);
/* Of the i-th of them (from 1), where they were only counted: what tells its call stack from others, in
   this process and its children, and what tells its place in the source and that of its caller. Zeros:
   not known, beyond the first 2^20. */
struct fault_origin {
    uint64_t stack, site;
};
struct fault_origin faults_origin(long i);

#endif
