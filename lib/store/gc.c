/* SPDX-License-Identifier: MIT
   Removing what nobody needs: temporaries of dead runs and, when asked, damaged or long unused files. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "store/store_int.h"

enum { RESUME_SECONDS = 7 * 24 * 3600 };

static void tell(struct kl_gc *gc, const char *path, const char *why, uint64_t bytes) {
    gc->n++;
    gc->bytes += bytes;
    if (gc->each)
        gc->each(gc->context, path, why, bytes);
}

static void swept(void *context, const char *path, uint64_t bytes) {
    tell(context, path, "left by a run that has ended", bytes);
}

/* Begins as HDF5 does: only such a file is ours to call damaged. */
static bool is_damaged(const char *path) {
    struct kl_file *file = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool ours = fd >= 0 && kl_superblock_eof(fd) != 0;
    if (fd >= 0)
        close(fd);
    if (!ours)
        return false;
    int rc = kl_file_open(&file, path, NULL);
    if (!rc)
        rc = kl_file_verify(file, NULL, NULL);
    kl_file_close(&file);
    return rc == KL_EDATA;
}

static void one_file(struct kl_gc *gc, const char *path, const struct stat *s) {
    time_t used = s->st_mtim.tv_sec > s->st_atim.tv_sec ? s->st_mtim.tv_sec : s->st_atim.tv_sec;
    const char *why = NULL;
    if (gc->max_age > 0 && difftime(time(NULL), used) > gc->max_age)
        why = "unused for longer than asked for";
    else if (gc->damaged && is_damaged(path))
        why = "damaged";
    if (why && (gc->dry || unlink(path) == 0))
        tell(gc, path, why, (uint64_t)s->st_size);
}

static int gc_folder(struct kl_gc *gc, const char *folder, int depth, struct kl_error *err) {
    DIR *d = opendir(folder);
    int rc = 0;
    if (!d)
        return kl_fail_errno(err, KL_ENOINPUT, "%s: cannot be listed", folder);
    kl_temporary_sweep(folder, NULL, gc->dry, swept, gc);
    for (struct dirent *e; !rc && (e = readdir(d));) {
        size_t length = strlen(e->d_name), room = strlen(folder) + length + 2;
        struct stat s;
        if (fstatat(dirfd(d), e->d_name, &s, AT_SYMLINK_NOFOLLOW))
            continue;
        bool stale = S_ISREG(s.st_mode) && kl_partial_is_dead(e->d_name, &s) &&
                     difftime(time(NULL), s.st_mtim.tv_sec) > RESUME_SECONDS;
        if (e->d_name[0] == '.' && !stale)
            continue;
        char *path = malloc(room);
        if (!path) {
            rc = kl_fail_memory(err, room);
            break;
        }
        snprintf(path, room, "%s/%s", folder, e->d_name);
        if (stale && (gc->dry || unlink(path) == 0))
            tell(gc, path, "can be resumed, but nobody did for a week", (uint64_t)s.st_size);
        else if (S_ISDIR(s.st_mode) && depth < 16)
            rc = gc_folder(gc, path, depth + 1, err);
        else if (S_ISREG(s.st_mode) && length > 3 && strcmp(e->d_name + length - 3, ".h5") == 0)
            one_file(gc, path, &s);
        free(path);
    }
    closedir(d);
    return rc;
}

int kl_store_gc(const char *folder, struct kl_gc *gc, struct kl_error *err) {
    gc->n = 0;
    gc->bytes = 0;
    return gc_folder(gc, folder, 0, err);
}
