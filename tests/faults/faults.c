/* SPDX-License-Identifier: MIT */
#include "calls/calls.h"

#include <dirent.h>
#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>

/* Frames of a site: fault_fails, the wrapper, who calls that, who calls him. */
enum { ORIGINS = 1 << 20, FRAMES = 64, SITE = 4 };

/* In memory that children share, so that a fault in them is known here. */
static struct state {
    atomic_int armed;
    atomic_long seen, at;
    atomic_bool for_ever, fired;
    struct fault_origin origins[ORIGINS]; /* memory only as far as it is written */
} * state;

static __attribute__((constructor)) void begin(void)
{
    state = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (state == MAP_FAILED) abort();
}

void faults_arm(int kinds, long n, bool forever)
{
    atomic_store(&state->armed, 0);
    atomic_store(&state->seen, 0);
    atomic_store(&state->at, n);
    atomic_store(&state->for_ever, forever);
    atomic_store(&state->fired, false);
    atomic_store(&state->armed, kinds);
}

bool faults_disarm(void)
{
    atomic_store(&state->armed, 0);
    return atomic_load(&state->fired);
}

long faults_seen(void)
{
    return atomic_load(&state->seen);
}

struct fault_origin faults_origin(long i)
{
    return i >= 1 && i <= ORIGINS && i <= faults_seen() ? state->origins[i - 1]
                                                        : (struct fault_origin){ 0 };
}

/* FNV-1a (Fowler, Noll, Vo) of the return addresses. */
static inline __attribute__((always_inline)) struct fault_origin origin(void)
{
    void *frames[FRAMES];
    const int n = backtrace(frames, FRAMES);
    struct fault_origin o = { 0 };
    uint64_t hash = 14695981039346656037ull;
    for (int i = 0; i < n; i++) {
        hash = (hash ^ (uintptr_t)frames[i]) * 1099511628211ull;
        if (i < SITE) o.site = hash;
    }
    o.stack = hash;
    return o;
}

bool fault_counts(int kind)
{
    return state && atomic_load(&state->armed) & kind;
}

bool fault_fails(int kind)
{
    if (!fault_counts(kind)) return false;
    long i = atomic_fetch_add(&state->seen, 1) + 1, n = atomic_load(&state->at);
    if (n == 0 && i <= ORIGINS) state->origins[i - 1] = origin();
    if (n == 0 || i < n || (i > n && !atomic_load(&state->for_ever))) return false;
    atomic_store(&state->fired, true);
    return true;
}

int fault_interrupts(atomic_long *calls)
{
    if (!fault_counts(FAULT_INTERRUPTED)) return FAULT_NOT;
    atomic_fetch_add(&state->seen, 1);
    atomic_store(&state->fired, true);
    if (atomic_fetch_add(calls, 1) % 2) return FAULT_HALF;
    errno = EINTR;
    return FAULT_NOTHING;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
int __real_posix_memalign(void **out, size_t align, size_t size);
int __wrap_vasprintf(char **text, const char *format, va_list list);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);
int __real_vasprintf(char **text, const char *format, va_list list);
char *__real_realpath(const char *path, char *to);
FILE *__real_open_memstream(char **text, size_t *size);
DIR *__real_opendir(const char *path);
int __real_scandir(const char *path, struct dirent ***list, int (*filter)(const struct dirent *),
                   int (*compare)(const struct dirent **, const struct dirent **));
pid_t __real_fork(void);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*start)(void *),
                          void *argument);

void *fault_no_memory(void)
{
    errno = ENOMEM;
    return NULL;
}

int fault_no(int error)
{
    errno = error;
    return -1;
}

void *__wrap_malloc(size_t size)
{
    return fault_fails(FAULT_MEMORY) ? fault_no_memory() : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fault_fails(FAULT_MEMORY) ? fault_no_memory() : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fault_fails(FAULT_MEMORY) ? fault_no_memory() : __real_realloc(old, size);
}

void *__wrap_aligned_alloc(size_t align, size_t size)
{
    return fault_fails(FAULT_MEMORY) ? fault_no_memory() : __real_aligned_alloc(align, size);
}

int __wrap_posix_memalign(void **out, size_t align, size_t size)
{
    return fault_fails(FAULT_MEMORY) ? ENOMEM : __real_posix_memalign(out, align, size);
}

char *__wrap_strdup(const char *text)
{
    return fault_fails(FAULT_MEMORY) ? fault_no_memory() : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t size)
{
    return fault_fails(FAULT_MEMORY) ? fault_no_memory() : __real_strndup(text, size);
}

/* Functions that allocate within the C library, and others that fail for want of memory. */
int __wrap_vasprintf(char **text, const char *format, va_list list)
{
    return fault_fails(FAULT_MEMORY) ? fault_no(ENOMEM) : __real_vasprintf(text, format, list);
}

int __wrap_asprintf(char **text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = __wrap_vasprintf(text, format, list);
    va_end(list);
    return n;
}

char *__wrap_realpath(const char *path, char *to)
{
    return fault_fails(FAULT_MEMORY) ? fault_no_memory() : __real_realpath(path, to);
}

FILE *__wrap_open_memstream(char **text, size_t *size)
{
    return fault_fails(FAULT_MEMORY) ? fault_no_memory() : __real_open_memstream(text, size);
}

DIR *__wrap_opendir(const char *path)
{
    if (fault_fails(FAULT_OPEN)) return fault_no(EMFILE), NULL;
    return fault_fails(FAULT_MEMORY) ? fault_no_memory() : __real_opendir(path);
}

struct dirent *__real_readdir(DIR *folder);
struct dirent *__wrap_readdir(DIR *folder)
{
    return fault_fails(FAULT_READ) ? fault_no(EIO), NULL : __real_readdir(folder);
}

int __wrap_scandir(const char *path, struct dirent ***list, int (*filter)(const struct dirent *),
                   int (*compare)(const struct dirent **, const struct dirent **))
{
    return fault_fails(FAULT_MEMORY) ? fault_no(ENOMEM) : __real_scandir(path, list, filter, compare);
}

pid_t __wrap_fork(void)
{
    return fault_fails(FAULT_MEMORY) ? fault_no(ENOMEM) : __real_fork();
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*start)(void *),
                          void *argument)
{
    return fault_fails(FAULT_MEMORY) ? EAGAIN : __real_pthread_create(thread, how, start, argument);
}
