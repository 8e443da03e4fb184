/* SPDX-License-Identifier: MIT
   Images from other people's HDF5 files. HDF5's parser hangs or crashes on some damaged files, so a
   child process with little memory and little time parses (foreign_child.c), and hands pixels through a
   pipe; the parent, here, believes nothing but sizes it checks. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/foreign_int.h"
#include "store/store_int.h"

enum { WAIT_MS = 5000 };

/* n bytes, each piece within the time limit. */
static int receive(int from, void *data, size_t n, const char *path, struct kl_error *err)
{
    char *at = data;
    while (n) {
        struct pollfd p = { .fd = from, .events = POLLIN };
        int ready = poll(&p, 1, WAIT_MS);
        ssize_t got = ready > 0 ? read(from, at, n) : ready;
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            return kl_fail_errno(err, KL_EIO, "%s: the pipe from the reading process failed", path);
        if (ready == 0)
            return kl_fail(err, KL_EDATA,
                           "%s: reading it took HDF5 more than %d s without progress: damaged?", path,
                           WAIT_MS / 1000);
        if (got == 0) return kl_fail(err, KL_EDATA, "%s: HDF5 failed while reading it: damaged", path);
        at += got;
        n -= (size_t)got;
    }
    return 0;
}

static int take(uint8_t **data, size_t dims[4], int *rank, int32_t **labels, int from, const char *path,
                uint64_t size, struct kl_error *err)
{
    struct kl_answer a;
    uint64_t all = 1;
    int rc = receive(from, &a, sizeof a, path, err);
    if (rc) return rc;
    a.text[sizeof a.text - 1] = 0;
    if (a.code) return kl_fail(err, KL_EDATA, "%s: %s", path, a.text);
    bool fits = a.rank == 3 || a.rank == 4;
    for (int i = 0; i < a.rank && fits; i++) fits = !__builtin_mul_overflow(all, a.dims[i], &all);
    if (!fits || all > KL_FOREIGN_BYTES || all / 1040 > size || (a.n_labels && a.n_labels != a.dims[0]))
        return kl_fail(err, KL_EDATA, "%s: the reading process answered nonsense: damaged", path);
    *rank = a.rank;
    for (int i = 0; i < 4; i++) dims[i] = i < a.rank ? a.dims[i] : 1;
    *data = malloc(all + 1);
    int32_t *found = a.n_labels ? malloc(a.n_labels * 4) : NULL;
    if (!*data || (a.n_labels && !found)) rc = kl_fail_memory(err, all);
    if (!rc) rc = receive(from, *data, all, path, err);
    if (!rc && found) rc = receive(from, found, a.n_labels * 4, path, err);
    if (rc || !labels) free(found);
    else *labels = found;
    return rc;
}

static pid_t start(const int ends[2], const char *path, const char *wanted, uint64_t size,
                   bool want_labels)
{
    pid_t pid = fork();
    if (pid) return pid;
    close(ends[0]);
    _exit(kl_foreign_child(ends[1], path, wanted, size, want_labels));
}

static int by_child(uint8_t **data, size_t dims[4], int *rank, int32_t **labels, const char *path,
                    const char *wanted, uint64_t size, struct kl_error *err)
{
    int ends[2], status;
    if (pipe2(ends, O_CLOEXEC))
        return kl_fail_errno(err, KL_EIO, "%s: no pipe for the reading process", path);
    pid_t pid = start(ends, path, wanted, size, labels != NULL);
    close(ends[1]);
    int rc = pid < 0 ? kl_fail_errno(err, KL_EIO, "%s: no reading process", path)
                     : take(data, dims, rank, labels, ends[0], path, size, err);
    close(ends[0]);
    if (pid > 0) {
        kill(pid, SIGKILL);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    }
    return rc;
}

/* Features, say, in place of the images that they were made from. */
static int check_pixels(const struct kl_file *file, const char *path, struct kl_error *err)
{
    const struct kl_dataset *d;
    for (size_t i = 0; (d = kl_file_dataset(file, i)); i++)
        if (d->type == KL_TYPE_U8 && (d->rank == 3 || d->rank == 4)) return KL_OK;
    return kl_fail_kind(err, path, kl_file_kind(file), "images");
}

/* One of ours has digests, and they are checked: HDF5 itself returns damaged pixels without a word. */
static int check_ours(const char *path, uint64_t size, struct kl_error *err)
{
    struct kl_file *file = NULL;
    char first[KL_STAND_IN], magic[8] = "";
    const size_t n = size < KL_STAND_IN ? (size_t)size : KL_STAND_IN;
    int fd = open(path, O_RDONLY | O_CLOEXEC), rc = 0;
    if (fd >= 0 && kl_pread_all(fd, first, n, 0, path, NULL) == 0)
        rc = kl_no_stand_in(first, n, path, err);
    bool ours = fd >= 0 && size > KL_SEAL_BYTES &&
                kl_pread_all(fd, magic, 8, size - KL_SEAL_BYTES, path, NULL) == 0 &&
                memcmp(magic, "KETLSEAL", 8) == 0;
    if (fd >= 0) close(fd);
    if (rc || !ours) return rc;
    rc = kl_file_open(&file, path, err);
    if (!rc) rc = kl_file_verify(file, NULL, err);
    if (!rc) rc = check_pixels(file, path, err);
    kl_file_close(&file);
    return rc;
}

int kl_foreign_images(uint8_t **data, size_t dims[4], int *rank, int32_t **labels, const char *path,
                      struct kl_error *err)
{
    struct stat s;
    const char *wanted = "", *colon = strrchr(path, ':');
    char *name = strdup(path);
    int rc = name ? 0 : kl_fail_memory(err, strlen(path));
    *data = NULL;
    if (labels) *labels = NULL;
    if (!rc && stat(name, &s) && colon) {
        name[colon - path] = 0;
        wanted = colon + 1 + (colon[1] == '/');
    }
    if (!rc && stat(name, &s)) rc = kl_fail_errno(err, KL_ENOINPUT, "%s: cannot be opened", name);
    if (!rc) rc = kl_regular(&s, name, err);
    if (!rc) rc = check_ours(name, (uint64_t)s.st_size, err);
    if (!rc) rc = by_child(data, dims, rank, labels, name, wanted, (uint64_t)s.st_size, err);
    if (rc) {
        free(*data);
        *data = NULL;
    }
    free(name);
    return rc;
}
