/* SPDX-License-Identifier: MIT
   Make the n-th allocation, or the n-th write, fsync, rename... of the library fail. Programs in
   tests/faults are linked so that every call made by libketline.a (and by the test) goes through the
   wrappers of faults.c; calls inside HDF5, libpng and other shared libraries do not. The usual loop:

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

enum { FAULT_MEMORY = 1, FAULT_FILE = 2, FAULT_READ = 4 };

/* The n-th call (from 1) of the given kinds fails, with forever also every later one; n = 0: they are
   only counted. Memory: NULL or ENOMEM. Files: -1 with errno ENOSPC (write, pwrite, ftruncate), EIO
   (fsync), EACCES (rename). Reads: read, pread, fstat: -1 with EIO. */
void faults_arm(int kinds, long n, bool forever);
/* Back to normal; true if a call was made to fail since faults_arm. */
bool faults_disarm(void);
/* Calls seen since faults_arm. */
long faults_seen(void);

#endif
