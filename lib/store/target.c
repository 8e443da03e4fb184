/* SPDX-License-Identifier: MIT
   What may stand where a result goes: nothing, or an older result of the same kind. Anything else was
   put there by somebody, and is replaced on demand only. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/store_int.h"

/* path may be FILE:DATASET. */
static bool stat_file(struct stat *s, const char *path)
{
    char file[4096];
    const char *colon = strrchr(path, ':');
    if (stat(path, s) == 0) return true;
    if (!colon || (size_t)(colon - path) >= sizeof file) return false;
    memcpy(file, path, (size_t)(colon - path));
    file[colon - path] = '\0';
    return stat(file, s) == 0;
}

static bool same_file(const char *a, const char *b)
{
    struct stat s, t;
    return stat_file(&s, a) && stat_file(&t, b) && s.st_dev == t.st_dev && s.st_ino == t.st_ino;
}

bool kl_store_same_place(const char *a, const char *b)
{
    char *in = kl_store_path_folder(a), *of = kl_store_path_folder(b);
    const bool same =
        same_file(a, b) ||
        (in && of && strcmp(kl_store_path_name(a), kl_store_path_name(b)) == 0 && same_file(in, of));
    free(in), free(of);
    return same;
}

/* Our files have a seal behind HDF5's end of file. One that has lost it, or a part of it, is not as long
   as its superblock says; a whole file of another program is exactly as long. */
static bool was_ours(const char *path, const struct stat *s)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    uint64_t size = (uint64_t)s->st_size, eof = fd < 0 ? 0 : kl_store_superblock_eof(fd);
    bool ours = eof && eof != size;
    char magic[8] = "";
    if (fd >= 0 && !ours && size >= KL_SEAL_BYTES &&
        kl_store_pread_all(fd, magic, sizeof magic, size - KL_SEAL_BYTES, path, NULL) == 0)
        ours = memcmp(magic, "KETLSEAL", sizeof magic) == 0;
    if (fd >= 0) close(fd);
    return ours;
}

int kl_store_target_no_input(const char *path, const char *const *inputs, size_t n, struct kl_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (kl_store_same_place(inputs[i], path))
            return kl_fail(err, KL_EUSAGE, "%s: is an input; give another name", path);
    return KL_OK;
}

static int refuse(const char *path, struct kl_error *err)
{
    return kl_fail(err, KL_EUSAGE,
                   "%s: was not written by ketline; give another name, or --force to replace it", path);
}

/* The type of what is at the place of the folder of `path`; 0: nothing. */
static mode_t type_of_folder(const char *path)
{
    struct stat s;
    char *folder = kl_store_path_folder(path);
    const mode_t type = folder && stat(folder, &s) == 0 ? s.st_mode & S_IFMT : 0;
    free(folder);
    return type;
}
static bool lies_in_file(const char *path)
{
    const mode_t type = type_of_folder(path);
    return type && type != S_IFDIR;
}

int kl_store_fail_place(struct kl_error *err, const char *path)
{
    const int why = errno;
    const char *name = kl_store_path_name(path);
    if (lies_in_file(path))
        return kl_fail(err, KL_EIO, "%.*s: is no folder, %s cannot lie in it", (int)(name - path - 1),
                       path, name);
    const bool folder = type_of_folder(path) == S_IFDIR; /* in /proc no file can be made: ENOENT */
    errno = why;
    return !folder && (errno == ENOENT || errno == ENOTDIR)
               ? kl_fail(err, KL_EIO, "%s: its folder does not exist; make it first", path)
               : kl_fail_errno(err, KL_EIO, "%s: cannot create a file in its folder", path);
}

int kl_store_place_check(const char *path, struct kl_error *err)
{
    char *folder = kl_store_path_folder(path);
    if (!folder) return kl_fail_memory(err, strlen(path));
    const int failed = access(folder, W_OK | X_OK), why = errno;
    free(folder);
    errno = why;
    return failed || lies_in_file(path) ? kl_store_fail_place(err, path) : KL_OK;
}

/* Who names it so wants another form, and would find out only later. */
static int check_ending(const char *output, struct kl_error *err)
{
    static const char others[] =
        "csv|tsv|txt|json|npy|npz|png|svg|pdf|html|tex|md|yaml|yml|mat|pkl|parquet";
    const char *dot = strrchr(kl_store_path_name(output), '.');
    if (!dot || kl_choice(others, dot + 1) < 0) return KL_OK;
    return kl_fail(err, KL_EUSAGE,
                   "%s: -o writes HDF5, which no %s is; name it %.*s.h5, or give --force", output, dot,
                   (int)(dot - output), output);
}

int kl_store_target_check(const char *path, const char *kind, bool force, const char *const *inputs,
                          size_t n, struct kl_error *err)
{
    struct stat s;
    struct kl_file *file = NULL;
    struct kl_error problem = { 0 };
    if (strcmp(path, "-") == 0) return KL_OK;
    if (stat(path, &s)) return force ? KL_OK : check_ending(path, err);
    if (!S_ISREG(s.st_mode)) return KL_OK;
    int rc = kl_store_target_no_input(path, inputs, n, err);
    if (rc || force) return rc;
    if (s.st_size == 0) return check_ending(path, err);
    rc = kl_store_file_open(&file, path, &problem);
    if (rc == KL_OK && strcmp(kl_store_file_kind(file), kind))
        rc = kl_fail(
            err, KL_EUSAGE,
            "%s: holds a file of kind '%s', which one of kind '%s' would replace; give another name, "
            "or --force to replace it",
            path, kl_store_file_kind(file), kind);
    else if (rc == KL_EDATA) rc = was_ours(path, &s) ? KL_OK : refuse(path, err);
    else if (rc == KL_ENOMEM) *err = problem;
    else if (rc == KL_OK) rc = check_ending(path, err);
    else rc = KL_OK; /* it cannot be read: writing will tell */
    kl_store_file_close(&file);
    return rc;
}

/* Does the file go on as the mark from byte `at` on? KL_EIO. */
static int has_mark(bool *same, int fd, const char *path, size_t at, const char *mark,
                    struct kl_error *err)
{
    char found[64];
    size_t n = 0, i = 0;
    for (*same = true; *mark && *mark != *KL_STORE_OR && *same;) {
        if (i == n) {
            const ssize_t got = pread(fd, found, sizeof found, (off_t)at);
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) return kl_fail_errno(err, KL_EIO, "%s: reading at byte %zu failed", path, at);
            *same = got > 0;
            at += n = (size_t)got, i = 0;
        } else if (*mark != *KL_STORE_VARIES) *same = found[i++] == *mark++;
        else if (found[i] == '"' || (found[i] >= '0' && found[i] <= '9')) i++;
        else mark++;
    }
    return KL_OK;
}

int kl_store_target_check_bytes(const char *path, size_t at, const char *mark, bool force,
                                const char *const *inputs, size_t n, struct kl_error *err)
{
    struct stat s;
    int rc = kl_store_target_no_input(path, inputs, n, err);
    if (rc) return rc;
    if (stat(path, &s)) return KL_OK;
    if (S_ISDIR(s.st_mode)) return kl_store_fail_folder(err, path);
    if (!S_ISREG(s.st_mode) || force || s.st_size == 0) return KL_OK;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return KL_OK; /* it cannot be read: writing will tell */
    bool same = false;
    for (const char *one = mark; one && !same && !rc;) {
        rc = has_mark(&same, fd, path, at, one, err);
        one = strchr(one, *KL_STORE_OR);
        one += one != NULL;
    }
    close(fd);
    return rc ? rc : same ? KL_OK : refuse(path, err);
}
