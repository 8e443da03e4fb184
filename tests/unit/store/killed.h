/* SPDX-License-Identifier: MIT
   What the tests share that kill a writer at random moments. */
#ifndef KL_TEST_KILLED_H
#define KL_TEST_KILLED_H

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

/* Kills the child at a moment within `span` seconds; whether that met it running. The span follows what
   is met, for disks and machines differ, and a busy one from itself: with a fixed one all kills may come
   before anything was written. */
static inline bool killed_within(pid_t child, double *span)
{
    const double moment = rand() / (RAND_MAX + 1.0) * *span;
    const struct timespec t = { (time_t)moment, (long)(1e9 * (moment - (double)(time_t)moment)) };
    nanosleep(&t, NULL);
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    *span = WIFSIGNALED(status) ? *span * 17 / 16 : (3 * *span + moment) / 4;
    return WIFSIGNALED(status);
}

#endif
