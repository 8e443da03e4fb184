/* SPDX-License-Identifier: MIT
   The shared store DIR/ab/cdef....h5: immutable names and atomic renames, no locks, no hard links. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/store_int.h"

/* A new store is one folder: with those above it a mistyped name would pass for one, empty and perhaps
   on another disk. */
int kl_store_shared_place(char **place, const char *store, struct kl_error *err)
{
    struct stat s;
    size_t n = strlen(store);
    const bool there = stat(store, &s) == 0, absent = !there && (errno == ENOENT || errno == ENOTDIR);
    *place = NULL;
    if (there && !S_ISDIR(s.st_mode))
        return kl_fail(err, KL_EIO, "store %s: found a file, expected a folder", store);
    while (n > 1 && store[n - 1] == '/') n--;
    char *path = strndup(store, n), *folder = path ? kl_store_path_folder(path) : NULL;
    int code = folder ? KL_OK : kl_fail_memory(err, n);
    if (!code && absent && lstat(path, &s) == 0)
        code = kl_fail(err, KL_EIO, "store %s: is a link to what does not exist", store);
    if (!code && absent && (stat(folder, &s) || !S_ISDIR(s.st_mode)))
        code = kl_fail(err, KL_EIO, "store %s: neither it nor its folder exists; make one of them first",
                       store);
    if (!code) *place = absent ? folder : path; /* if it cannot be looked at, using it will tell */
    if (path != *place) free(path);
    if (folder != *place) free(folder);
    return code;
}

int kl_store_shared_check(const char *store, struct kl_error *err)
{
    char *place;
    const int code = kl_store_shared_place(&place, store, err);
    free(place);
    return code;
}

static char *shared_path(const char *store, const char *key, struct kl_error *err)
{
    size_t n = strlen(store) + 80;
    char *path = kl_store_is_key(key) ? malloc(n) : NULL;
    if (path) snprintf(path, n, "%s/%.2s/%s.h5", store, key, key + 2);
    else
        kl_fail(err, kl_store_is_key(key) ? KL_ENOMEM : KL_EINTERNAL, "%s: shared store: key '%.64s'",
                store, key);
    return path;
}

/* Copy to a temporary beside the target, check every block of the copy, publish. */
static int copy_verified(const char *from, int fd, const char *key, const char *target,
                         struct kl_error *err)
{
    struct kl_temporary t;
    struct kl_file *file = NULL;
    int copy = -1, rc = kl_store_temporary_open(&t, target, err);
    if (rc) return rc;
    rc = kl_store_copy_all(t.fd, target, fd, from, UINT64_MAX, err);
    if (!rc && (copy = fcntl(t.fd, F_DUPFD_CLOEXEC, 3)) < 0)
        rc = kl_fail_errno(err, KL_EIO, "%s: reopening failed", target);
    if (!rc) rc = kl_store_file_open_fd(&file, copy, from, err);
    if (!rc) rc = kl_store_file_verify(file, NULL, err);
    if (!rc && strcmp(kl_store_file_key(file), key))
        rc = kl_fail(err, KL_EDATA, "%s: has key %.12s..., expected %.12s...", from,
                     kl_store_file_key(file), key);
    kl_store_file_close(&file);
    if (!rc) return kl_store_temporary_publish(&t, err);
    kl_store_temporary_abort(&t);
    return rc;
}

int kl_store_shared_fetch(bool *found, const char *store, const char *key, const char *target,
                          struct kl_error *err)
{
    int rc = 0;
    *found = false;
    char *path = shared_path(store, key, err);
    if (!path) return kl_store_is_key(key) ? KL_ENOMEM : KL_EINTERNAL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 && errno != ENOENT && errno != ENOTDIR)
        rc = kl_fail_errno(err, KL_EIO, "%s: cannot be opened", path);
    if (fd >= 0) {
        rc = copy_verified(path, fd, key, target, err);
        *found = rc == 0;
        close(fd);
    }
    free(path);
    return rc;
}

int kl_store_shared_put(const char *store, const char *key, const char *path, int fd,
                        struct kl_error *err)
{
    int rc = 0;
    char *target = shared_path(store, key, err), *folder = target ? kl_store_path_folder(target) : NULL;
    if (!target || !folder)
        rc = target ? kl_fail_memory(err, 80) : kl_store_is_key(key) ? KL_ENOMEM : KL_EINTERNAL;
    else if (kl_store_make_folders(folder))
        rc = kl_fail_errno(err, KL_EIO, "%s: cannot be made", folder);
    else rc = copy_verified(path, fd, key, target, err);
    free(folder);
    free(target);
    return rc;
}

int kl_store_shared_publish(const char *store, const char *key, const char *path, int fd,
                            struct kl_error *err)
{
    char *target = shared_path(store, key, err);
    if (!target) return kl_store_is_key(key) ? KL_ENOMEM : KL_EINTERNAL;
    const bool there = kl_store_is_up_to_date(target, key);
    free(target);
    if (there) return KL_OK;
    if (lseek(fd, 0, SEEK_SET)) return kl_fail_errno(err, KL_EIO, "%s: seeking failed", path);
    return kl_store_shared_put(store, key, path, fd, err);
}
