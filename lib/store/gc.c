/* SPDX-License-Identifier: MIT
   Removing what nobody needs: temporaries of dead runs and, when asked, files long unused. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "store/housekeeping.h"
#include "store/store_int.h"

enum { RESUME_SECONDS = 7 * 24 * 3600 };

static void tell(struct kl_gc *gc, const char *path, const char *why, uint64_t bytes, int error)
{
    if (error) {
        struct kl_error problem = { 0 };
        errno = error;
        kl_fail_errno(&problem, KL_EIO, "%s: cannot be removed", path);
        problem.code = KL_EIO; /* whatever the reason */
        kl_store_pass_over(&gc->passed, &problem);
        gc->n_left++;
    } else {
        gc->n++;
        gc->bytes += bytes;
    }
    if (gc->each) gc->each(gc->context, path, why, bytes, error);
}

static void swept(void *context, const char *path, uint64_t bytes, int error)
{
    tell(context, path, "left by a run that has ended", bytes, error);
}

static void take_away(struct kl_gc *gc, const char *path, const char *why, const struct stat *s)
{
    struct stat now;
    if (lstat(path, &now) == 0 && (now.st_ino != s->st_ino || now.st_mtim.tv_sec != s->st_mtim.tv_sec ||
                                   now.st_mtim.tv_nsec != s->st_mtim.tv_nsec))
        return; /* a run has just written it anew */
    const int error = gc->dry || unlink(path) == 0 ? 0 : errno;
    if (error != ENOENT && error != ESTALE) /* another run was quicker */
        tell(gc, path, why, (uint64_t)s->st_size, error);
}

/* Old files of other programs, HDF5 or not, are nobody's business here. Looking is not using: without a
   new time of access, if the file is ours to open so. */
static bool is_ours(const char *path, struct kl_error *err)
{
    struct kl_file *file = NULL;
    if (kl_store_has_shared_name(path)) return true;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOATIME);
    if (fd < 0) fd = open(path, O_RDONLY | O_CLOEXEC);
    bool ours = fd >= 0 && kl_store_file_open_fd(&file, fd, path, err) == 0;
    kl_store_file_close(&file);
    return ours;
}

static int one_file(struct kl_gc *gc, const char *path, const struct stat *s, struct kl_error *err)
{
    struct kl_error why = { 0 };
    time_t used = s->st_mtim.tv_sec > s->st_atim.tv_sec ? s->st_mtim.tv_sec : s->st_atim.tv_sec;
    if (gc->max_age > 0 && difftime(time(NULL), used) > gc->max_age && is_ours(path, &why))
        take_away(gc, path, "unused for longer than asked for", s);
    if (why.code == KL_ENOMEM) *err = why;
    return why.code == KL_ENOMEM ? KL_ENOMEM : KL_OK;
}

/* What a later run could go on from, but none did for a week. */
static bool is_forgotten(const char *name, const char *path, const struct stat *s, struct kl_error *err)
{
    if (!S_ISREG(s->st_mode) || difftime(time(NULL), s->st_mtim.tv_sec) <= RESUME_SECONDS) return false;
    return kl_store_partial_is_dead(name, s) ||
           (kl_store_checkpoint_is(name) && kl_store_checkpoint_is_ours(path, err));
}

static int gc_folder(struct kl_gc *gc, const char *folder, struct kl_error *err);

/* What the sweep of temporaries leaves: a folder, a file that could be resumed, a result. */
static int gc_entry(struct kl_gc *gc, const char *path, const struct stat *s, struct kl_error *err)
{
    const char *name = kl_store_path_name(path);
    struct kl_error why = { 0 };
    size_t length = strlen(name);
    if (name[0] == '.') {
        if (is_forgotten(name, path, s, &why))
            take_away(gc, path, "can be resumed, but nobody did for a week", s);
        if (why.code == KL_ENOMEM) *err = why;
        return why.code == KL_ENOMEM ? KL_ENOMEM : KL_OK;
    }
    if (S_ISDIR(s->st_mode) && gc_folder(gc, path, err)) {
        const int code = kl_store_pass_over(&gc->passed, err);
        gc->n_unlisted += !code;
        return code;
    }
    if (S_ISREG(s->st_mode) && length > 3 && strcmp(name + length - 3, ".h5") == 0)
        return one_file(gc, path, s, err);
    return KL_OK;
}

static int gc_folder(struct kl_gc *gc, const char *folder, struct kl_error *err)
{
    DIR *d = opendir(folder);
    if (!d) return kl_fail_errno(err, KL_ENOINPUT, "%s: cannot be listed", folder);
    int rc = kl_store_temporary_sweep(folder, NULL, gc->dry, swept, gc)
                 ? KL_OK
                 : kl_fail_errno(err, KL_EIO, "%s: reading the folder", folder);
    bool unseen = false;
    for (struct dirent *e; !rc && (errno = 0, e = readdir(d));) {
        size_t room = strlen(folder) + strlen(e->d_name) + 2;
        struct stat s;
        char *path = malloc(room);
        if (!path) {
            rc = kl_fail_memory(err, room);
            break;
        }
        snprintf(path, room, "%s/%s", folder, e->d_name);
        if (fstatat(dirfd(d), e->d_name, &s, AT_SYMLINK_NOFOLLOW) == 0) rc = gc_entry(gc, path, &s, err);
        else if (errno != ENOENT && errno != ENOTDIR && !unseen) {
            unseen = true;
            kl_fail_errno(err, KL_EIO, "%s: cannot be looked into", folder);
            rc = kl_store_pass_over(&gc->passed, err);
            gc->n_unlisted++;
        }
        free(path);
    }
    if (!rc && errno) rc = kl_fail_errno(err, KL_EIO, "%s: reading the folder", folder);
    closedir(d);
    return rc;
}

int kl_store_gc(const char *folder, struct kl_gc *gc, struct kl_error *err)
{
    gc->n = 0;
    gc->bytes = 0;
    gc->n_left = gc->n_unlisted = 0;
    gc->passed = (struct kl_passed){ 0 };
    const int code = gc_folder(gc, folder, err);
    return code ? code : kl_store_passed_end(&gc->passed, err);
}
