/* SPDX-License-Identifier: MIT
   Between the files of the emulated runtime. */
#ifndef EMULATED_STREAMS_H
#define EMULATED_STREAMS_H

#include "cuda_runtime.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, bytes) ((void)0)
#define ASAN_UNPOISON_MEMORY_REGION(at, bytes) ((void)0)
#endif

enum { EMULATED_SHARED = 232448 /* bytes of a block, of an H200 */ };
#ifdef EMULATED_RACES
enum { EMULATED_PROCESSORS = 2 }; /* what a barrier costs grows as the square of their threads */
#else
enum { EMULATED_PROCESSORS = 3 };
#endif

/* Those of the C library: the others may fail (runtime.cpp). */
extern "C" void *__real_malloc(size_t bytes);
extern "C" void *__real_calloc(size_t n, size_t bytes);
extern "C" void *__wrap_malloc(size_t bytes);
extern "C" void *__wrap_calloc(size_t n, size_t bytes);

#define MAY_FAIL()                                    \
    do {                                              \
        const cudaError_t failed_ = emulated_fails(); \
        if (failed_) return failed_;                  \
    } while (0)

/* Of this thread. */
int emulated_device(void);

/* Runs all that waits in streams: those that the default stream waits for, or every one. */
void emulated_wait(bool every);

#endif
