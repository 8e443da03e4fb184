/* SPDX-License-Identifier: MIT
   Between the files of the emulated runtime. */
#ifndef EMULATED_STREAMS_H
#define EMULATED_STREAMS_H

#include "cuda_runtime.h"

/* Runs all that waits in streams: those that the default stream waits for, or every one. */
void emulated_wait(bool every);

#endif
