/* SPDX-License-Identifier: MIT
   Finished files below a folder, each with what can be said of it. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/housekeeping.h"
#include "store/store_int.h"

struct walk {
    bool verify;
    int (*each)(void *context, const struct kl_found *found);
    void *context;
    size_t n_bad;
    struct kl_passed unlisted;
};

/* In a shared store a file's name is its key: "ab/cdef....h5". */
bool kl_store_has_shared_name(const char *path)
{
    size_t n = strlen(path);
    return n >= 68 && path[n - 66] == '/' && strspn(path + n - 65, "0123456789abcdef") == 62 &&
           strcmp(path + n - 3, ".h5") == 0;
}

static bool misnamed(const char *path, const char *key)
{
    size_t n = strlen(path);
    if (!kl_store_has_shared_name(path)) return false;
    return strncmp(path + n - 65, key + 2, 62) != 0 || strncmp(path + n - 68, key, 2) != 0;
}

static int one_file(struct walk *w, const char *path, struct kl_error *stopped)
{
    struct kl_file *file = NULL;
    struct kl_error err = { 0 };
    struct kl_found found = { .path = path, .problem = "" };
    struct stat s;
    if (stat(path, &s) == 0) {
        found.size = (uint64_t)s.st_size;
        found.mtime = s.st_mtim.tv_sec;
    }
    found.code = kl_store_file_open(&file, path, &err);
    if (file) {
        snprintf(found.kind, sizeof found.kind, "%s", kl_store_file_kind(file));
        memcpy(found.key, kl_store_file_key(file), 65);
        memcpy(found.content, kl_store_file_content(file), 65);
        snprintf(found.created_by, sizeof found.created_by, "%s", kl_store_file_created_by(file));
        found.schema = kl_store_file_schema(file);
        const struct kl_dataset *samples = kl_store_file_find(file, "index");
        if (!samples) samples = kl_store_file_find(file, "labels");
        found.rows = samples ? samples->rows : 0;
        if (w->verify) found.code = kl_store_file_verify(file, NULL, &err);
        if (!found.code && misnamed(path, found.key))
            found.code =
                kl_fail(&err, KL_EDATA, "%s: lies under the name of another key than its own, %.12s...",
                        path, found.key);
    }
    if (found.code == KL_ENOMEM) { /* that is not the file's fault */
        kl_store_file_close(&file);
        *stopped = err;
        return KL_ENOMEM;
    }
    if (found.code) found.problem = err.text;
    w->n_bad += found.code != 0;
    int stop = w->each ? w->each(w->context, &found) : 0;
    kl_store_file_close(&file);
    return stop ? KL_ESIGNAL : 0;
}

static int no_dots(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

static int walk_folder(struct walk *w, const char *folder, bool top, struct kl_error *err);

/* What was listed may have gone since; that it may not be looked at makes the folder one that cannot be
   listed. */
static int walk_entry(struct walk *w, const char *folder, const char *path, bool *unseen,
                      struct kl_error *err)
{
    struct stat s;
    const size_t length = strlen(path);
    if (lstat(path, &s)) {
        if (errno == ENOENT || errno == ENOTDIR || *unseen) return KL_OK;
        *unseen = true;
        kl_fail_errno(err, KL_ENOINPUT, "%s: cannot be looked into", folder);
        return kl_store_pass_over(&w->unlisted, err);
    }
    if (S_ISDIR(s.st_mode)) return walk_folder(w, path, false, err);
    if (S_ISREG(s.st_mode) && length > 3 && strcmp(path + length - 3, ".h5") == 0)
        return one_file(w, path, err);
    return KL_OK;
}

/* No link is followed, so it ends; what no path is long enough for cannot be listed. */
static int walk_folder(struct walk *w, const char *folder, bool top, struct kl_error *err)
{
    struct dirent **names = NULL;
    int n = scandir(folder, &names, no_dots, alphasort), rc = 0;
    bool unseen = false;
    if (n < 0) {
        rc = kl_fail_errno(err, KL_ENOINPUT, "%s: cannot be listed", folder);
        return top ? rc : kl_store_pass_over(&w->unlisted, err);
    }
    for (int i = 0; i < n; i++) {
        size_t room = strlen(folder) + strlen(names[i]->d_name) + 2;
        char *path = rc ? NULL : malloc(room);
        if (path) {
            snprintf(path, room, "%s/%s", folder, names[i]->d_name);
            rc = walk_entry(w, folder, path, &unseen, err);
        } else if (!rc) {
            rc = kl_fail_memory(err, room);
        }
        free(path);
        free(names[i]);
    }
    free(names);
    return rc;
}

int kl_store_walk(const char *path, bool verify,
                  int (*each)(void *context, const struct kl_found *found), void *context, size_t *n_bad,
                  struct kl_error *err)
{
    struct walk w = { .verify = verify, .each = each, .context = context };
    struct stat s;
    if (stat(path, &s)) return kl_fail_errno(err, KL_ENOINPUT, "%s: cannot be opened", path);
    int rc = S_ISDIR(s.st_mode) ? walk_folder(&w, path, true, err) : one_file(&w, path, err);
    if (n_bad) *n_bad = w.n_bad;
    if (rc) return rc == KL_ESIGNAL ? 0 : rc;
    return kl_store_passed_end(&w.unlisted, err);
}
