/* SPDX-License-Identifier: MIT
   What publishing needs of a folder, tried: reserve, write, fsync, rename over an older file, fsync of
   the folder, read back. Locks are not tried: none is used. */
#include "doctor/doctor.h"
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <time.h>
#include <unistd.h>

enum { SMALL = 4096, LARGE = 16 << 20, PIECE = 1 << 20, TIMES = 5 };

struct trial {
    struct kl_disk *disk;
    char *place;        /* the folder, or the one above */
    char name[2][4096]; /* temporary, and what it replaces */
    int fd[2], folder;
};

static void name_type(struct kl_disk *disk, unsigned long number)
{
    /* statfs(2), linux/magic.h */
    static const struct {
        unsigned long number;
        const char *name;
        bool remote;
    } table[] = {
        { 0xef53, "ext", false },       { 0x58465342, "xfs", false },     { 0x9123683e, "btrfs", false },
        { 0x01021994, "tmpfs", false }, { 0x794c7630, "overlay", false }, { 0x2fc12fc1, "zfs", false },
        { 0xf2f52010, "f2fs", false },  { 0x4d44, "fat", false },         { 0x2011bab0, "exfat", false },
        { 0x6969, "nfs", true },        { 0xff534d42, "cifs", true },     { 0xfe534d42, "smb2", true },
        { 0x0bd00bd0, "lustre", true }, { 0x47504653, "gpfs", true },     { 0x19830326, "beegfs", true },
        { 0x00c36400, "ceph", true },   { 0x01021997, "9p", true },       { 0x65735546, "fuse", true },
        { 0x5346414f, "afs", true },
    };
    snprintf(disk->type, sizeof disk->type, "%#lx", number);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].number == number) {
            snprintf(disk->type, sizeof disk->type, "%s", table[i].name);
            disk->remote = table[i].remote;
        }
}

/* The first problem is kept. Returns false. */
static bool no(struct trial *t, const char *what)
{
    struct kl_disk *disk = t->disk;
    if (!*disk->problem)
        snprintf(disk->problem, sizeof disk->problem, "%.150s: %s: %s", t->place, what, strerror(errno));
    return false;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values)
{
    qsort(values, TIMES, sizeof *values, by_size);
    return values[TIMES / 2];
}

static bool make_files(struct trial *t)
{
    for (int i = 0; i < 2; i++) {
        const int end = kl_store_temporary_pattern(t->name[i], sizeof t->name[i], t->place, "doctor");
        if (end < 0) errno = ENAMETOOLONG;
        t->fd[i] = end < 0 ? -1 : mkostemps(t->name[i], end, O_CLOEXEC);
        if (t->fd[i] < 0) {
            t->name[i][0] = '\0';
            return no(t, "no file can be made");
        }
    }
    const int why = posix_fallocate(t->fd[0], 0, LARGE);
    if (!why || why == EINTR || why == EINVAL || why == EOPNOTSUPP) return true; /* writing will tell */
    errno = why;
    return no(t, "no room can be reserved");
}

static bool write_all(int fd, const char *bytes, size_t n, off_t at)
{
    while (n) {
        const ssize_t done = pwrite(fd, bytes, n, at);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        bytes += done, at += done, n -= (size_t)done;
    }
    return true;
}

static bool time_writes(struct trial *t)
{
    static char bytes[PIECE];
    double times[TIMES];
    memset(bytes, 'k', sizeof bytes);
    for (int i = 0; i < TIMES; i++) {
        const double start = kl_clock();
        if (!write_all(t->fd[0], bytes, SMALL, i * SMALL)) return no(t, "cannot be written");
        if (fsync(t->fd[0])) return no(t, "fsync fails");
        times[i] = 1e3 * (kl_clock() - start);
    }
    t->disk->sync_ms = median(times);
    const double start = kl_clock();
    for (off_t at = 0; at < LARGE; at += PIECE)
        if (!write_all(t->fd[0], bytes, PIECE, at)) return no(t, "cannot be written");
    if (fsync(t->fd[0])) return no(t, "fsync fails");
    t->disk->write_rate = LARGE / (kl_clock() - start);
    return true;
}

static bool time_publishing(struct trial *t)
{
    double times[TIMES];
    for (int i = 0; i < TIMES; i++) {
        const double start = kl_clock();
        if (rename(t->name[i % 2], t->name[1 - i % 2])) return no(t, "rename over a file fails");
        if (kl_store_sync_folder(t->folder, t->place, NULL)) return no(t, "fsync of the folder fails");
        times[i] = 1e3 * (kl_clock() - start);
        const int again = open(t->name[i % 2], O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (again < 0) return no(t, "no file can be made");
        close(again);
    }
    t->disk->publish_ms = median(times);
    return true;
}

/* TIMES is odd: what was written lies under the second name. */
static bool read_back(struct trial *t)
{
    char byte = 0;
    struct stat status;
    struct timespec now;
    const int fd = open(t->name[1], O_RDONLY | O_CLOEXEC);
    if (fd < 0) return no(t, "a renamed file cannot be opened");
    const bool same = pread(fd, &byte, 1, LARGE - 1) == 1 && byte == 'k' && fstat(fd, &status) == 0 &&
                      status.st_size == LARGE;
    close(fd);
    if (!same) {
        errno = EIO;
        return no(t, "what was written is not what is read");
    }
    /* The last writing was before the renames: a new file tells the time. */
    clock_gettime(CLOCK_REALTIME, &now);
    if (stat(t->name[0], &status)) return no(t, "a file's time cannot be read");
    t->disk->clock_ahead = (double)(status.st_mtim.tv_sec - now.tv_sec) +
                           1e-9 * (double)(status.st_mtim.tv_nsec - now.tv_nsec);
    return true;
}

int kl_doctor_disk_try(struct kl_disk *disk, const char *folder, struct kl_error *err)
{
    struct statfs fs;
    struct trial t = { .disk = disk, .fd = { -1, -1 } };
    *disk = (struct kl_disk){ .path = folder, .absent = access(folder, F_OK) != 0 && errno == ENOENT };
    const int code = kl_store_shared_place(&t.place, folder, err);
    if (code == KL_ENOMEM) return code;
    if (code) {
        snprintf(disk->problem, sizeof disk->problem, "%.250s", err->text);
        return KL_OK;
    }
    t.folder = open(t.place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (t.folder < 0) {
        no(&t, "cannot be opened");
        free(t.place);
        return KL_OK;
    }
    if (fstatfs(t.folder, &fs) == 0) {
        name_type(disk, (unsigned long)fs.f_type & 0xffffffff);
        disk->size = (double)fs.f_blocks * (double)fs.f_frsize;
        disk->free = (double)fs.f_bavail * (double)fs.f_frsize;
    }
    if (make_files(&t) && time_writes(&t) && time_publishing(&t)) read_back(&t);
    for (int i = 0; i < 2; i++) {
        if (t.fd[i] >= 0) close(t.fd[i]);
        if (t.name[i][0]) unlink(t.name[i]);
    }
    close(t.folder);
    free(t.place);
    return KL_OK;
}
