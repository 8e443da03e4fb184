/* SPDX-License-Identifier: MIT */
#include "faults.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

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
int __wrap_vasprintf(char **text, const char *format, va_list list);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);
ssize_t __real_write(int fd, const void *data, size_t size);
ssize_t __real_pwrite(int fd, const void *data, size_t size, off_t offset);
ssize_t __real_read(int fd, void *data, size_t size);
ssize_t __real_pread(int fd, void *data, size_t size, off_t offset);
int __real_fstat(int fd, struct stat *status);
int __real_fsync(int fd);
int __real_rename(const char *from, const char *to);
int __real_ftruncate(int fd, off_t size);
int __real_posix_fallocate(int fd, off_t offset, off_t size);
int __real_vasprintf(char **text, const char *format, va_list list);
char *__real_realpath(const char *path, char *to);
FILE *__real_fopen(const char *path, const char *mode);
FILE *__real_open_memstream(char **text, size_t *size);
DIR *__real_opendir(const char *path);
int __real_scandir(const char *path, struct dirent ***list, int (*filter)(const struct dirent *),
                   int (*compare)(const struct dirent **, const struct dirent **));
pid_t __real_fork(void);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*start)(void *),
                          void *argument);

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

/* What allocates within the C library, and what else fails for want of memory. */
int __wrap_vasprintf(char **text, const char *format, va_list list)
{
    return fails(FAULT_MEMORY) ? no(ENOMEM) : __real_vasprintf(text, format, list);
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
    return fails(FAULT_MEMORY) ? no_memory() : __real_realpath(path, to);
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
    return fails(FAULT_MEMORY) ? no_memory() : __real_fopen(path, mode);
}

FILE *__wrap_open_memstream(char **text, size_t *size)
{
    return fails(FAULT_MEMORY) ? no_memory() : __real_open_memstream(text, size);
}

DIR *__wrap_opendir(const char *path)
{
    return fails(FAULT_MEMORY) ? no_memory() : __real_opendir(path);
}

int __wrap_scandir(const char *path, struct dirent ***list, int (*filter)(const struct dirent *),
                   int (*compare)(const struct dirent **, const struct dirent **))
{
    return fails(FAULT_MEMORY) ? no(ENOMEM) : __real_scandir(path, list, filter, compare);
}

pid_t __wrap_fork(void)
{
    return fails(FAULT_MEMORY) ? no(ENOMEM) : __real_fork();
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*start)(void *),
                          void *argument)
{
    return fails(FAULT_MEMORY) ? EAGAIN : __real_pthread_create(thread, how, start, argument);
}

ssize_t __wrap_write(int fd, const void *data, size_t size)
{
    return fails(FAULT_FILE) ? no(ENOSPC) : __real_write(fd, data, size);
}

ssize_t __wrap_pwrite(int fd, const void *data, size_t size, off_t offset)
{
    return fails(FAULT_FILE) ? no(ENOSPC) : __real_pwrite(fd, data, size, offset);
}

ssize_t __wrap_read(int fd, void *data, size_t size)
{
    return fails(FAULT_READ) ? no(EIO) : __real_read(fd, data, size);
}

ssize_t __wrap_pread(int fd, void *data, size_t size, off_t offset)
{
    return fails(FAULT_READ) ? no(EIO) : __real_pread(fd, data, size, offset);
}

int __wrap_fstat(int fd, struct stat *status)
{
    return fails(FAULT_READ) ? no(EIO) : __real_fstat(fd, status);
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
