/* SPDX-License-Identifier: MIT
   Resumable writing: the temporary, named .NAME.KEY16.OWNER.XXXXXXXX.ketline-partial, whose journal
   (journal.c) says what is finished. A later run of the same key takes over what a dead one left by
   renaming it, which only one can, so nothing is locked; a run that finds none of a dead run makes its
   own. What dead runs of other keys left stays until this one has finished rows. */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "store/store_int.h"

static const char suffix[] = ".ketline-partial", released[] = "free";

/* Key digits and owner's tag of a partial of this target; NULL: another file. */
static const char *parse_name(const char *name, const char *prefix, char tag[64])
{
    size_t n = strlen(name), p = strlen(prefix), s = sizeof suffix - 1;
    if (n < p + 16 + 1 + 1 + 9 + s || strncmp(name, prefix, p) || strcmp(name + n - s, suffix) ||
        name[p + 16] != '.')
        return NULL;
    const char *from = name + p + 17, *dot = strchr(from, '.');
    if (!dot || dot - from > 63 || dot + 9 != name + n - s) return NULL;
    memcpy(tag, from, (size_t)(dot - from));
    tag[dot - from] = 0;
    return name + p;
}

bool kl_store_partial_is_dead(const char *name, const struct stat *s)
{
    size_t n = strlen(name), end = sizeof suffix - 1;
    char tag[64];
    if (name[0] != '.' || n < end + 30 || strcmp(name + n - end, suffix)) return false;
    const char *to = name + n - end - 9, *from = to;
    while (from[-1] != '.') from--;
    if (*to != '.' || to - from > 63) return false;
    memcpy(tag, from, (size_t)(to - from));
    tag[to - from] = 0;
    return strcmp(tag, released) == 0 || kl_store_process_dead(tag, s);
}

static int make_path(char **path, const char *folder, const char *prefix, const char *key,
                     const char *tag, struct kl_error *err)
{
    size_t room = strlen(folder) + 400;
    uint32_t random = 0;
    *path = malloc(room);
    if (!*path) return kl_fail_memory(err, room);
    if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0) random = (uint32_t)(kl_clock() * 1e6);
    snprintf(*path, room, "%s/%s%.16s.%s.%08x%s", folder, prefix, key, tag, random, suffix);
    return 0;
}

/* The next partial that a dead run of this target left, of this key or, if not own, of another. */
static struct dirent *next_dead(DIR *d, const char *prefix, const char *key, bool own, struct stat *s)
{
    char tag[64];
    for (struct dirent *e; (e = readdir(d));) {
        const char *theirs = parse_name(e->d_name, prefix, tag);
        if (theirs && (strncmp(theirs, key, 16) == 0) == own &&
            fstatat(dirfd(d), e->d_name, s, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(s->st_mode) &&
            (strcmp(tag, released) == 0 || kl_store_process_dead(tag, s)))
            return e;
    }
    return NULL;
}

/* The largest partial of a dead run of this key is renamed to `path`; the others of this key are
   removed. */
static bool take_over(const char *folder, const char *prefix, const char *key, const char *path)
{
    char best[NAME_MAX + 1] = "";
    struct stat s;
    struct dirent *e;
    off_t size = -1;
    DIR *d = opendir(folder);
    if (!d) return false;
    while ((e = next_dead(d, prefix, key, true, &s))) {
        if (s.st_size <= size) continue;
        size = s.st_size;
        snprintf(best, sizeof best, "%s", e->d_name);
    }
    if (*best && renameat(dirfd(d), best, AT_FDCWD, path)) *best = 0; /* another run was quicker */
    rewinddir(d);
    while ((e = next_dead(d, prefix, key, true, &s))) unlinkat(dirfd(d), e->d_name, 0);
    closedir(d);
    return *best != 0;
}

/* One that a dead run of another key left, malloc'ed; NULL: there is none. */
static int find_older(char **older, const char *target, const char *folder, const char *prefix,
                      const char *key, struct kl_error *err)
{
    struct stat s;
    DIR *d = opendir(folder);
    struct dirent *e = d ? next_dead(d, prefix, key, false, &s) : NULL;
    const int length = (int)(kl_store_path_name(target) - target);
    *older = NULL;
    int rc = KL_OK;
    if (e && asprintf(older, "%.*s%s", length, target, e->d_name) < 0) {
        *older = NULL;
        rc = kl_fail_memory(err, strlen(target) + NAME_MAX);
    }
    if (d) closedir(d);
    return rc;
}

void kl_store_partial_forget(struct kl_writer *w)
{
    char prefix[160], *folder = kl_store_path_folder(w->temporary.target);
    const struct kl_attribute *key = kl_store_attributes_find(&w->attributes, "", "key");
    struct stat s;
    DIR *d = folder ? opendir(folder) : NULL;
    kl_store_name_prefix(prefix, kl_store_path_name(w->temporary.target));
    for (struct dirent *e; d && (e = next_dead(d, prefix, key->text, false, &s));)
        unlinkat(dirfd(d), e->d_name, 0);
    if (d) closedir(d);
    free(folder);
    free(w->partial->older);
    w->partial->older = NULL;
}

static int open_beside(struct kl_temporary *t, char **older, const char *key, struct kl_error *err)
{
    char prefix[160], tag[64], *folder = kl_store_path_folder(t->target);
    if (!folder) return kl_fail_memory(err, strlen(t->target));
    kl_store_temporary_sweep(folder, kl_store_path_name(t->target), false, NULL, NULL);
    kl_store_name_prefix(prefix, kl_store_path_name(t->target));
    kl_store_process_tag(tag);
    int rc = find_older(older, t->target, folder, prefix, key, err);
    if (!rc) rc = make_path(&t->path, folder, prefix, key, tag, err);
    if (!rc) {
        int flags = take_over(folder, prefix, key, t->path) ? 0 : O_CREAT | O_EXCL;
        t->fd = open(t->path, O_RDWR | O_CLOEXEC | flags, 0666);
        if (t->fd < 0) {
            rc = kl_store_fail_place(err, t->target);
            free(t->path);
            t->path = NULL;
        }
    }
    free(folder);
    return rc;
}

int kl_store_writer_open_partial(struct kl_writer **writer, const char *path,
                                 const struct kl_header *header, struct kl_error *err)
{
    struct kl_temporary t;
    int rc = kl_store_temporary_resolve(&t, path, err);
    if (rc || t.stream) {
        kl_store_temporary_abort(&t);
        return rc ? rc : kl_store_writer_open(writer, path, header, err);
    }
    rc = kl_store_writer_open(writer, NULL, header, err);
    if (!rc && !((*writer)->partial = calloc(1, sizeof *(*writer)->partial)))
        rc = kl_fail_memory(err, sizeof *(*writer)->partial);
    if (!rc) rc = open_beside(&t, &(*writer)->partial->older, header->key, err);
    if (rc) {
        kl_store_temporary_abort(&t);
        kl_store_writer_abort(writer);
        return rc;
    }
    (*writer)->temporary = t;
    return 0;
}

static bool keeps(const struct kl_writer *w)
{
    return w && w->partial && w->temporary.path && w->partial->n_records && !w->broken;
}

void kl_store_writer_note_older(const struct kl_writer *w, const struct kl_log *log, const char *first)
{
    if (w->partial && w->partial->older)
        kl_store_checkpoint_say_forgotten(w->partial->older, log, first);
}

void kl_store_writer_spoiled(struct kl_writer *w)
{
    w->broken = true;
}

void kl_store_writer_stopped(const struct kl_writer *w, const struct kl_log *log, const char *how)
{
    if (keeps(w))
        kl_note(log, 1, "%s; what is done is kept, and the same command goes on from there", how);
    else if (w && w->partial && w->partial->older)
        kl_note(log, 1, "%s; %s stays as it was", how, w->partial->older);
    else kl_note(log, 1, "%s; nothing is kept", how);
}

/* What has been journalled is kept under a name that says that nobody works on it; anything else goes.
 */
void kl_store_partial_free(struct kl_writer *w)
{
    struct kl_temporary *t = &w->temporary;
    if (keeps(w)) {
        char prefix[160], *folder = kl_store_path_folder(t->target), *path = NULL;
        kl_store_name_prefix(prefix, kl_store_path_name(t->target));
        const struct kl_attribute *key = kl_store_attributes_find(&w->attributes, "", "key");
        if (folder && make_path(&path, folder, prefix, key->text, released, NULL) == 0 &&
            rename(t->path, path) == 0) {
            free(t->path);
            t->path = NULL;
        }
        free(path);
        free(folder);
    }
    free(w->partial->older);
    free(w->partial);
    w->partial = NULL;
}
