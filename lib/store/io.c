/* SPDX-License-Identifier: MIT
   Whole reads and writes, and paths. Every failure names the file and the reason. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/store_int.h"

int kl_store_pread_all(int fd, void *data, size_t n, uint64_t offset, const char *path,
                       struct kl_error *err)
{
    char *at = data;
    while (n) {
        ssize_t got = pread(fd, at, n, (off_t)offset);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            return kl_fail_errno(err, KL_EIO, "%s: reading at byte %llu failed", path,
                                 (unsigned long long)offset);
        if (got == 0)
            return kl_fail(err, KL_EDATA, "%s: ends at byte %llu, %zu bytes early; make it again", path,
                           (unsigned long long)offset, n);
        at += got;
        offset += (uint64_t)got;
        n -= (size_t)got;
    }
    return 0;
}

int kl_store_pwrite_all(int fd, const void *data, size_t n, uint64_t offset, const char *path,
                        struct kl_error *err)
{
    const char *at = data;
    while (n) {
        ssize_t put = pwrite(fd, at, n, (off_t)offset);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) {
            if (put == 0) errno = ENOSPC;
            return kl_fail_errno(err, KL_EIO, "%s: writing failed", path);
        }
        at += put;
        offset += (uint64_t)put;
        n -= (size_t)put;
    }
    return 0;
}

static int write_all(int fd, const char *at, size_t n, const char *path, struct kl_error *err)
{
    while (n) {
        ssize_t put = write(fd, at, n);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) {
            if (put == 0) errno = ENOSPC;
            return kl_fail_errno(err, KL_EIO, "%s: writing failed", path);
        }
        at += put;
        n -= (size_t)put;
    }
    return 0;
}

int kl_store_copy_all(int to, const char *to_name, int from, const char *from_name, uint64_t limit,
                      struct kl_error *err)
{
    enum { ROOM = 1 << 18 };
    int rc = 0;
    char *buffer = malloc(ROOM);
    if (!buffer) return kl_fail_memory(err, ROOM);
    while (limit) {
        ssize_t got = read(from, buffer, limit < ROOM ? (size_t)limit : ROOM);
        const bool interrupted = got < 0 && errno == EINTR;
        if ((got >= 0 || interrupted) && kl_signals_pending()) { /* an endless input never blocks */
            rc = kl_fail(err, KL_ESIGNAL, "%s: stopped while it was read", from_name);
            break;
        }
        if (interrupted) continue;
        if (got < 0) {
            rc = kl_fail_errno(err, KL_EIO, "%s: reading failed", from_name);
            break;
        }
        if (got == 0) break;
        rc = write_all(to, buffer, (size_t)got, to_name, err);
        if (rc) break;
        limit -= (uint64_t)got;
    }
    free(buffer);
    return rc;
}

const char *kl_store_path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *kl_store_path_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash) return strdup(".");
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

int kl_store_open_folder(int *fd, const char *path, struct kl_error *err)
{
    char *folder = kl_store_path_folder(path);
    if (!folder) return kl_fail_memory(err, strlen(path));
    *fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc = *fd < 0 ? kl_fail_errno(err, KL_EIO, "%s: cannot open the folder", folder) : 0;
    free(folder);
    return rc;
}

int kl_store_sync_folder(int fd, const char *path, struct kl_error *err)
{
    if (fsync(fd) && errno != EINVAL && errno != ENOTSUP &&
        errno != EBADF) /* some file systems have none */
        return kl_fail_errno(err, KL_EIO, "%s: is in place, but fsync of its folder failed", path);
    return 0;
}

int kl_store_make_folders(const char *folder)
{
    char path[4096];
    size_t n = strlen(folder);
    if (n == 0 || n >= sizeof path) {
        errno = n ? ENAMETOOLONG : ENOENT;
        return -1;
    }
    memcpy(path, folder, n + 1);
    for (size_t i = 1; i <= n; i++) {
        if (path[i] != '/' && path[i] != 0) continue;
        char saved = path[i];
        path[i] = 0;
        if (mkdir(path, 0777) && errno != EEXIST) return -1;
        path[i] = saved;
    }
    return 0;
}

char *kl_store_read_small(const char *path, size_t limit, size_t *n)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return NULL;
    struct stat s;
    char *text = NULL;
    if (fstat(fd, &s) || !S_ISREG(s.st_mode) || (size_t)s.st_size > limit) errno = EFBIG;
    else if ((text = malloc((size_t)s.st_size + 1))) {
        size_t have = 0, want = (size_t)s.st_size;
        ssize_t got;
        while (have < want && (got = read(fd, text + have, want - have)) > 0) have += (size_t)got;
        text[have] = 0;
        if (n) *n = have;
    }
    int saved = errno;
    close(fd);
    errno = saved;
    return text;
}
