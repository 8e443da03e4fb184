/* SPDX-License-Identifier: MIT
   Preloaded into a tool: writes down, in order, what it does to the files below $TRACE_FOLDER: a line of
   JSON an act into $TRACE_LOG, bytes into $TRACE_LOG.data. Acts are written before they are done;
   nothing fails here. */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* Absolute name of what fd is open on, if that lies in the folder. */
static int watched_fd(char path[4096], int fd)
{
    const char *folder = getenv("TRACE_FOLDER");
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t n = readlink(link, path, 4095);
    if (n < 0 || !folder) return 0;
    path[n] = 0;
    return strncmp(path, folder, strlen(folder)) == 0;
}

static int watched_name(char path[4096], int folder, const char *name)
{
    const char *root = getenv("TRACE_FOLDER");
    char base[4096];
    if (!root) return 0;
    if (*name == '/') snprintf(path, 4096, "%s", name);
    else if (folder == AT_FDCWD) {
        if (!getcwd(base, sizeof base)) return 0;
        snprintf(path, 4096, "%.2000s/%.2000s", base, strncmp(name, "./", 2) ? name : name + 2);
    } else {
        if (!watched_fd(base, folder)) return 0;
        snprintf(path, 4096, "%.2000s/%.2000s", base, name);
    }
    return strncmp(path, root, strlen(root)) == 0;
}

static void append(const char *suffix, const void *data, size_t n)
{
    char name[4096];
    snprintf(name, sizeof name, "%.4000s%s", getenv("TRACE_LOG"), suffix);
    const int fd = REAL(open)(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || REAL(write)(fd, data, n) != (ssize_t)n) abort();
    close(fd);
}

static void note(const char *act, const char *path, const char *other, long long at, long long n,
                 const void *data)
{
    char line[9000];
    const int length = snprintf(
        line, sizeof line, "{\"act\":\"%s\",\"path\":\"%s\",\"other\":\"%s\",\"at\":%lld,\"n\":%lld}\n",
        act, path, other, at, n);
    pthread_mutex_lock(&mutex);
    if (data) append(".data", data, (size_t)n);
    append("", line, (size_t)length);
    pthread_mutex_unlock(&mutex);
}

static int open_noted(int folder, const char *name, int flags, mode_t mode)
{
    char path[4096];
    struct stat s;
    const int there = fstatat(folder, name, &s, 0) == 0;
    if (watched_name(path, folder, name) && (flags & O_ACCMODE) != O_RDONLY) {
        if (!there && (flags & O_CREAT)) note("create", path, "", 0, 0, NULL);
        if (there && (flags & O_TRUNC)) note("truncate", path, "", 0, 0, NULL);
    }
    return REAL(openat)(folder, name, flags, mode);
}

#define MODE(flags)                  \
    mode_t mode = 0;                 \
    if ((flags)&O_CREAT) {           \
        va_list list;                \
        va_start(list, flags);       \
        mode = va_arg(list, mode_t); \
        va_end(list);                \
    }
int open(const char *name, int flags, ...)
{
    MODE(flags)
    return open_noted(AT_FDCWD, name, flags, mode);
}
int open64(const char *name, int flags, ...)
{
    MODE(flags)
    return open_noted(AT_FDCWD, name, flags, mode);
}

ssize_t pwrite(int fd, const void *data, size_t n, off_t at)
{
    char path[4096];
    if (watched_fd(path, fd)) note("write", path, "", at, (long long)n, data);
    return REAL(pwrite)(fd, data, n, at);
}
ssize_t pwrite64(int fd, const void *data, size_t n, off64_t at)
{
    return pwrite(fd, data, n, at);
}
ssize_t write(int fd, const void *data, size_t n)
{
    char path[4096];
    if (watched_fd(path, fd)) {
        const long long at =
            fcntl(fd, F_GETFL) & O_APPEND ? lseek(fd, 0, SEEK_END) : lseek(fd, 0, SEEK_CUR);
        if (at >= 0) note("write", path, "", at, (long long)n, data);
    }
    return REAL(write)(fd, data, n);
}
int ftruncate(int fd, off_t n)
{
    char path[4096];
    if (watched_fd(path, fd)) note("truncate", path, "", 0, n, NULL);
    return REAL(ftruncate)(fd, n);
}
int ftruncate64(int fd, off64_t n)
{
    return ftruncate(fd, n);
}
int posix_fallocate(int fd, off_t at, off_t n)
{
    char path[4096];
    if (watched_fd(path, fd)) note("reserve", path, "", at, n, NULL);
    return REAL(posix_fallocate)(fd, at, n);
}
int posix_fallocate64(int fd, off64_t at, off64_t n)
{
    return posix_fallocate(fd, at, n);
}
int fsync(int fd)
{
    char path[4096];
    const int result = REAL(fsync)(fd);
    if (result == 0 && watched_fd(path, fd)) note("sync", path, "", 0, 0, NULL);
    return result;
}
int rename(const char *from, const char *to)
{
    char a[4096], b[4096];
    if (watched_name(a, AT_FDCWD, from) && watched_name(b, AT_FDCWD, to))
        note("rename", a, b, 0, 0, NULL);
    return REAL(rename)(from, to);
}
int renameat(int in, const char *from, int into, const char *to)
{
    char a[4096], b[4096];
    if (watched_name(a, in, from) && watched_name(b, into, to)) note("rename", a, b, 0, 0, NULL);
    return REAL(renameat)(in, from, into, to);
}
int unlink(const char *name)
{
    char path[4096];
    if (watched_name(path, AT_FDCWD, name)) note("unlink", path, "", 0, 0, NULL);
    return REAL(unlink)(name);
}
int unlinkat(int folder, const char *name, int flags)
{
    char path[4096];
    if (!(flags & AT_REMOVEDIR) && watched_name(path, folder, name))
        note("unlink", path, "", 0, 0, NULL);
    return REAL(unlinkat)(folder, name, flags);
}
