/* SPDX-License-Identifier: MIT
   See races.h. */
#include "races.h"

#include <stdlib.h>

#ifdef EMULATED_RACES
#include <sys/mman.h>

#include "streams.h"

#include <vector>

extern "C" {
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void __tsan_acquire(void *at);
void __tsan_release(void *at);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);
}
enum { NO_SYNC = 1 };

void races_begin(struct races_thread *t, unsigned i)
{
    static std::vector<struct races_thread> &all = *new std::vector<struct races_thread>;
    while (all.size() <= i) all.push_back({ __tsan_create_fiber(0), __tsan_create_fiber(0), NULL, 0 });
    *t = all[i];
}
void races_become(void *identity)
{
    __tsan_switch_to_fiber(identity, NO_SYNC);
}
void *races_self(void)
{
    return __tsan_get_current_fiber();
}
void races_release(void *at)
{
    __tsan_release(at);
}
void races_acquire(void *at)
{
    __tsan_acquire(at);
}
void races_fence(struct races_thread *t)
{
    __tsan_release(&t->fence);
    if (t->seen) __tsan_acquire(t->seen);
    t->seen = NULL;
}
void races_atomic(struct races_thread *t, void *at)
{
    races_become(t->fenced);
    __tsan_acquire(&t->fence);
    __tsan_release(at);
    races_become(t->self);
    t->seen = at;
}
void races_forget(void *pages, size_t bytes)
{
    const int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
    if (mmap(pages, bytes, PROT_READ | PROT_WRITE, how, -1, 0) != pages) emulated_die("no memory");
}
/* Of which threads may know that the host does not know of yet. */
void races_free(void *memory)
{
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    free(memory);
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
}
#else
void races_begin(struct races_thread *, unsigned)
{
}
void races_become(void *)
{
}
void *races_self(void)
{
    return NULL;
}
void races_release(void *)
{
}
void races_acquire(void *)
{
}
void races_fence(struct races_thread *)
{
}
void races_atomic(struct races_thread *, void *)
{
}
void races_forget(void *, size_t)
{
}
void races_free(void *memory)
{
    free(memory);
}
#endif
