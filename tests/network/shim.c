/* SPDX-License-Identifier: MIT
   Preloaded into a tool: the folder $SHIM_FOLDER behaves like a network file system on a bad day. Locks
   fail with EBADF; attributes of names are up to a second old; a file that another process has replaced
   or removed reads as ESTALE; no room can be reserved and no folder synchronised. Every 64th read of a
   replaced file works, as a client's cache would have it. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int below(const char *path)
{
    const char *folder = getenv("SHIM_FOLDER");
    char whole[4096];
    if (!folder || !path) return 0;
    if (*path != '/') {
        char here[2048];
        if (!getcwd(here, sizeof here)) return 0;
        snprintf(whole, sizeof whole, "%s/%.2000s", here, path);
        path = whole;
    }
    return strncmp(path, folder, strlen(folder)) == 0;
}

static int below_fd(int fd)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t n = readlink(link, path, sizeof path - 1);
    if (n <= 0) return 0;
    path[n] = 0;
    return below(path);
}

/* ---- attributes of names, remembered for a second ---- */
enum { NAMES = 256 };
static struct {
    char path[512];
    struct stat s;
    int result, error;
    struct timespec when;
} names[NAMES];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int old_stat(const char *path, struct stat *s, int (*real)(const char *, struct stat *))
{
    if (!below(path) || strlen(path) >= sizeof names[0].path) return real(path, s);
    unsigned hash = 5381;
    for (const char *c = path; *c; c++) hash = hash * 33 + (unsigned char)*c;
    hash %= NAMES;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    pthread_mutex_lock(&mutex);
    if (strcmp(names[hash].path, path) != 0 || now.tv_sec > names[hash].when.tv_sec + 1) {
        strcpy(names[hash].path, path);
        names[hash].when = now;
        names[hash].result = real(path, &names[hash].s);
        names[hash].error = errno;
    }
    *s = names[hash].s;
    errno = names[hash].error;
    const int result = names[hash].result;
    pthread_mutex_unlock(&mutex);
    return result;
}
int stat(const char *restrict path, struct stat *restrict s)
{
    return old_stat(path, s, REAL(stat));
}
int lstat(const char *restrict path, struct stat *restrict s)
{
    return old_stat(path, s, REAL(lstat));
}

/* ---- handles whose file is gone ---- */
static int stale(int fd)
{
    static _Atomic unsigned count;
    struct stat s;
    if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode) || s.st_nlink > 0 || !below_fd(fd)) return 0;
    if ((fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY || ++count % 64 == 0) return 0;
    errno = ESTALE;
    return 1;
}
ssize_t read(int fd, void *data, size_t n)
{
    return stale(fd) ? -1 : REAL(read)(fd, data, n);
}
ssize_t pread(int fd, void *data, size_t n, off_t at)
{
    return stale(fd) ? -1 : REAL(pread)(fd, data, n, at);
}
ssize_t pread64(int fd, void *data, size_t n, off64_t at)
{
    return pread(fd, data, n, at);
}

/* ---- what such systems lack ---- */
int flock(int fd, int how)
{
    if (!below_fd(fd)) return REAL(flock)(fd, how);
    errno = EBADF;
    return -1;
}
int fcntl(int fd, int command, ...)
{
    va_list list;
    va_start(list, command);
    void *argument = va_arg(list, void *);
    va_end(list);
    const int locks = command == F_SETLK || command == F_SETLKW || command == F_GETLK ||
                      command == F_OFD_SETLK || command == F_OFD_SETLKW;
    if (locks && below_fd(fd)) {
        errno = EBADF;
        return -1;
    }
    return ((int (*)(int, int, ...))dlsym(RTLD_NEXT, "fcntl"))(fd, command, argument);
}
int posix_fallocate(int fd, off_t at, off_t n)
{
    return below_fd(fd) ? EOPNOTSUPP : REAL(posix_fallocate)(fd, at, n);
}
int fsync(int fd)
{
    struct stat s;
    if (fstat(fd, &s) == 0 && S_ISDIR(s.st_mode) && below_fd(fd)) {
        errno = EBADF;
        return -1;
    }
    return REAL(fsync)(fd);
}
