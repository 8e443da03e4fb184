/* SPDX-License-Identifier: MIT
   What a kernel may count on, told to ThreadSanitizer, which then reports every pair of accesses of a
   block's or the GPU's memory that nothing orders, in whatever order they came here. What orders them:
   the barriers of a block, __syncwarp, and an atomic operation behind __threadfence that another thread
   has seen before a __threadfence of its own. What does not: shuffles, and the blocks of a launch.
   Unless this is compiled with EMULATED_RACES, and the kernels with -fsanitize=thread, nothing happens. */
#ifndef EMULATED_RACES_H
#define EMULATED_RACES_H

#include <stddef.h>

/* A thread of a launch. `self` and `fenced` are identities of ThreadSanitizer's: what the thread did,
   and what it had done when it last came to a __threadfence. */
struct races_thread {
    void *self, *fenced;
    void *seen; /* what it read by an atomic operation or as volatile since then */
    char fence;
};

/* Thread i of those that nothing orders; its identity lasts as long as the process. */
void races_begin(struct races_thread *t, unsigned i);
/* From here on accesses are those of this identity. */
void races_become(void *identity);
void *races_self(void);
/* All before the release happens before all behind the acquire, if both name one place. */
void races_release(void *at);
void races_acquire(void *at);
void races_fence(struct races_thread *t);
void races_atomic(struct races_thread *t, void *at);
/* Whole pages, whose accesses so far are forgotten, with what is in them. */
void races_forget(void *pages, size_t bytes);
void races_free(void *memory);

#endif
