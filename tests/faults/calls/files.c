/* SPDX-License-Identifier: MIT
   Reads, writes and descriptors. */
#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

ssize_t __real_write(int fd, const void *data, size_t size);
ssize_t __real_pwrite(int fd, const void *data, size_t size, off_t offset);
ssize_t __real_read(int fd, void *data, size_t size);
ssize_t __real_pread(int fd, void *data, size_t size, off_t offset);
int __real_fstat(int fd, struct stat *status);
off_t __real_lseek(int fd, off_t offset, int from);
int __real_unlink(const char *path);
int __real_unlinkat(int folder, const char *path, int flags);
int __real_fsync(int fd);
int __real_close(int fd);
int __real_rename(const char *from, const char *to);
int __real_renameat(int from_folder, const char *from, int to_folder, const char *to);
ssize_t __real_getrandom(void *data, size_t size, unsigned flags);
int __real_ftruncate(int fd, off_t size);
int __real_posix_fallocate(int fd, off_t offset, off_t size);
int __real_open(const char *path, int flags, ...);
int __real_fcntl(int fd, int command, ...);
int __real_dup(int fd);
int __real_pipe2(int ends[2], int flags);
int __real_memfd_create(const char *name, unsigned flags);
int __real_mkostemp(char *path, int flags);
int __real_poll(struct pollfd *fds, nfds_t n, int timeout);
pid_t __real_waitpid(pid_t pid, int *status, int options);

static size_t part(int how, size_t size)
{
    return how == FAULT_HALF ? (size + 1) / 2 : size;
}

ssize_t __wrap_write(int fd, const void *data, size_t size)
{
    static atomic_long calls;
    if (fault_fails(FAULT_FILE)) return fault_no(ENOSPC);
    const int how = fault_interrupts(&calls);
    return how == FAULT_NOTHING ? -1 : __real_write(fd, data, part(how, size));
}

ssize_t __wrap_pwrite(int fd, const void *data, size_t size, off_t offset)
{
    static atomic_long calls;
    if (fault_fails(FAULT_FILE)) return fault_no(ENOSPC);
    const int how = fault_interrupts(&calls);
    return how == FAULT_NOTHING ? -1 : __real_pwrite(fd, data, part(how, size), offset);
}

/* Of what lies in memory or in the kernel no byte changes on the way. */
static bool is_on_disk(int fd)
{
    char link[64], path[512];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t n = readlink(link, path, sizeof path - 1);
    path[n < 0 ? 0 : n] = 0;
    return strncmp(path, "/memfd:", 7) != 0 && strncmp(path, "/proc/", 6) != 0;
}

static ssize_t lie(int fd, void *data, ssize_t got)
{
    if (got > 0 && fault_counts(FAULT_LIE) && is_on_disk(fd) && fault_fails(FAULT_LIE))
        ((char *)data)[got / 2] ^= 1;
    return got;
}

ssize_t __wrap_read(int fd, void *data, size_t size)
{
    static atomic_long calls;
    if (fault_fails(FAULT_READ)) return fault_no(EIO);
    const int how = fault_interrupts(&calls);
    return how == FAULT_NOTHING ? -1 : lie(fd, data, __real_read(fd, data, part(how, size)));
}

ssize_t __wrap_pread(int fd, void *data, size_t size, off_t offset)
{
    static atomic_long calls;
    if (fault_fails(FAULT_READ)) return fault_no(EIO);
    const int how = fault_interrupts(&calls);
    return how == FAULT_NOTHING ? -1 : lie(fd, data, __real_pread(fd, data, part(how, size), offset));
}

int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout)
{
    static atomic_long calls;
    if (fault_fails(FAULT_READ)) return 0; /* nothing comes in time */
    return fault_interrupts(&calls) == FAULT_NOTHING ? -1 : __real_poll(fds, n, timeout);
}

pid_t __wrap_waitpid(pid_t pid, int *status, int options)
{
    static atomic_long calls;
    return fault_interrupts(&calls) == FAULT_NOTHING ? -1 : __real_waitpid(pid, status, options);
}

int __wrap_posix_fallocate(int fd, off_t offset, off_t size)
{
    static atomic_long calls;
    if (fault_fails(FAULT_FILE)) return ENOSPC;
    const int how = fault_interrupts(&calls);
    if (how == FAULT_NOTHING) return EINTR;
    if (how == FAULT_HALF)
        return atomic_load(&calls) % 4 ? EINVAL : EOPNOTSUPP; /* as some file systems */
    return __real_posix_fallocate(fd, offset, size);
}

int __wrap_fstat(int fd, struct stat *status)
{
    return fault_fails(FAULT_READ) ? fault_no(EIO) : __real_fstat(fd, status);
}

off_t __wrap_lseek(int fd, off_t offset, int from)
{
    return fault_fails(FAULT_READ) ? fault_no(EIO) : __real_lseek(fd, offset, from);
}

int __wrap_unlink(const char *path)
{
    return fault_fails(FAULT_REMOVE) ? fault_no(EACCES) : __real_unlink(path);
}

int __wrap_unlinkat(int folder, const char *path, int flags)
{
    return fault_fails(FAULT_REMOVE) ? fault_no(EACCES) : __real_unlinkat(folder, path, flags);
}

int __wrap_fsync(int fd)
{
    return fault_fails(FAULT_FILE) ? fault_no(EIO) : __real_fsync(fd);
}

/* It is closed all the same, as Linux does it. */
int __wrap_close(int fd)
{
    const int status = __real_close(fd);
    return fault_fails(FAULT_FILE) ? fault_no(EIO) : status;
}

int __wrap_rename(const char *from, const char *to)
{
    return fault_fails(FAULT_FILE) ? fault_no(EACCES) : __real_rename(from, to);
}

int __wrap_renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    return fault_fails(FAULT_FILE) ? fault_no(EACCES)
                                   : __real_renameat(from_folder, from, to_folder, to);
}

ssize_t __wrap_getrandom(void *data, size_t size, unsigned flags)
{
    return fault_fails(FAULT_OPEN) ? fault_no(EAGAIN) : __real_getrandom(data, size, flags);
}

int __wrap_ftruncate(int fd, off_t size)
{
    return fault_fails(FAULT_FILE) ? fault_no(ENOSPC) : __real_ftruncate(fd, size);
}

int __wrap_open(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
    va_end(list);
    static atomic_long calls; /* a name that is taken: the next one may be free */
    if (strstr(path, ".ketline-tmp") && flags & O_EXCL && fault_interrupts(&calls) == FAULT_NOTHING)
        return fault_no(EEXIST);
    return fault_fails(FAULT_OPEN) ? fault_no(EMFILE) : __real_open(path, flags, mode);
}

int __wrap_fcntl(int fd, int command, ...)
{
    va_list list;
    va_start(list, command);
    const int value = va_arg(list, int); /* of those that the library uses */
    va_end(list);
    return fault_fails(FAULT_OPEN) ? fault_no(EMFILE) : __real_fcntl(fd, command, value);
}

int __wrap_dup(int fd)
{
    return fault_fails(FAULT_OPEN) ? fault_no(EMFILE) : __real_dup(fd);
}

int __wrap_pipe2(int ends[2], int flags)
{
    return fault_fails(FAULT_OPEN) ? fault_no(EMFILE) : __real_pipe2(ends, flags);
}

int __wrap_memfd_create(const char *name, unsigned flags)
{
    return fault_fails(FAULT_OPEN) ? fault_no(EMFILE) : __real_memfd_create(name, flags);
}

int __wrap_mkostemp(char *path, int flags)
{
    return fault_fails(FAULT_OPEN) ? fault_no(EMFILE) : __real_mkostemp(path, flags);
}
