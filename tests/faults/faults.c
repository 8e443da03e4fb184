/* SPDX-License-Identifier: MIT */
#include "faults.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

static atomic_int armed;
static atomic_long seen, at;
static atomic_bool for_ever, fired;

void faults_arm(int kinds, long n, bool forever)
{
    atomic_store(&armed, 0);
    atomic_store(&seen, 0);
    atomic_store(&at, n);
    atomic_store(&for_ever, forever);
    atomic_store(&fired, false);
    atomic_store(&armed, kinds);
}

bool faults_disarm(void)
{
    atomic_store(&armed, 0);
    return atomic_load(&fired);
}

long faults_seen(void)
{
    return atomic_load(&seen);
}

static bool fails(int kind)
{
    if (!(atomic_load(&armed) & kind)) return false;
    long i = atomic_fetch_add(&seen, 1) + 1, n = atomic_load(&at);
    if (n == 0 || i < n || (i > n && !atomic_load(&for_ever))) return false;
    atomic_store(&fired, true);
    return true;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
int __real_posix_memalign(void **out, size_t align, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);
ssize_t __real_write(int fd, const void *data, size_t size);
ssize_t __real_pwrite(int fd, const void *data, size_t size, off_t offset);
int __real_fsync(int fd);
int __real_rename(const char *from, const char *to);
int __real_ftruncate(int fd, off_t size);
int __real_posix_fallocate(int fd, off_t offset, off_t size);

static void *no_memory(void)
{
    errno = ENOMEM;
    return NULL;
}

static int no(int error)
{
    errno = error;
    return -1;
}

void *__wrap_malloc(size_t size)
{
    return fails(FAULT_MEMORY) ? no_memory() : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails(FAULT_MEMORY) ? no_memory() : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails(FAULT_MEMORY) ? no_memory() : __real_realloc(old, size);
}

void *__wrap_aligned_alloc(size_t align, size_t size)
{
    return fails(FAULT_MEMORY) ? no_memory() : __real_aligned_alloc(align, size);
}

int __wrap_posix_memalign(void **out, size_t align, size_t size)
{
    return fails(FAULT_MEMORY) ? ENOMEM : __real_posix_memalign(out, align, size);
}

char *__wrap_strdup(const char *text)
{
    return fails(FAULT_MEMORY) ? no_memory() : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t size)
{
    return fails(FAULT_MEMORY) ? no_memory() : __real_strndup(text, size);
}

ssize_t __wrap_write(int fd, const void *data, size_t size)
{
    return fails(FAULT_FILE) ? no(ENOSPC) : __real_write(fd, data, size);
}

ssize_t __wrap_pwrite(int fd, const void *data, size_t size, off_t offset)
{
    return fails(FAULT_FILE) ? no(ENOSPC) : __real_pwrite(fd, data, size, offset);
}

int __wrap_fsync(int fd)
{
    return fails(FAULT_FILE) ? no(EIO) : __real_fsync(fd);
}

int __wrap_rename(const char *from, const char *to)
{
    return fails(FAULT_FILE) ? no(EACCES) : __real_rename(from, to);
}

int __wrap_ftruncate(int fd, off_t size)
{
    return fails(FAULT_FILE) ? no(ENOSPC) : __real_ftruncate(fd, size);
}

int __wrap_posix_fallocate(int fd, off_t offset, off_t size)
{
    return fails(FAULT_FILE) ? ENOSPC : __real_posix_fallocate(fd, offset, size);
}
