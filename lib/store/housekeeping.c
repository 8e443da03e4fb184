/* SPDX-License-Identifier: MIT
   Looking after a store: finished files below a folder, each with what can be said of it; removing what
   nobody needs. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "store/describe_int.h"
#include "store/housekeeping.h"
#include "store/store_int.h"

/* ---- problems that a walk passes over ---- */
static int pass_over(struct kl_skipped_errors *passed, struct kl_error *err)
{
    if (err->code == KL_ENOMEM) return KL_ENOMEM; /* that is not the file's fault */
    if (passed->n++ == 0) passed->first = *err;
    *err = (struct kl_error){ 0 };
    return KL_OK;
}

/* KL_EIO, which names the first, if there are any. */
static int passed_end(const struct kl_skipped_errors *passed, struct kl_error *err)
{
    if (!passed->n) return KL_OK;
    if (passed->n == 1) return kl_fail(err, KL_EIO, "%s", passed->first.text);
    return kl_fail(err, KL_EIO, "%s; and %zu more", passed->first.text, passed->n - 1);
}

/* ---- the walk ---- */
struct walk {
    bool verify;
    int (*each)(void *context, const struct kl_found *found);
    void *context;
    size_t n_bad;
    struct kl_skipped_errors unlisted;
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

static int look_at_file(struct walk *w, const char *path, struct kl_error *stopped)
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
    found.file = file;
    int stop = w->each ? w->each(w->context, &found) : 0;
    kl_store_file_close(&file);
    return stop ? KL_ESIGNAL : 0;
}

static int no_dots(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

static int walk_folder(struct walk *w, const char *folder, bool top, struct kl_error *err);

/* A listed file may be gone since; if it may not be looked at, its folder counts as one that cannot be
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
        return pass_over(&w->unlisted, err);
    }
    if (S_ISDIR(s.st_mode)) return walk_folder(w, path, false, err);
    if (S_ISREG(s.st_mode) && length > 3 && strcmp(path + length - 3, ".h5") == 0)
        return look_at_file(w, path, err);
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
        return top ? rc : pass_over(&w->unlisted, err);
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
    int rc = S_ISDIR(s.st_mode) ? walk_folder(&w, path, true, err) : look_at_file(&w, path, err);
    if (n_bad) *n_bad = w.n_bad;
    if (rc) return rc == KL_ESIGNAL ? 0 : rc;
    return passed_end(&w.unlisted, err);
}

/* ---- temporaries of dead runs and, when asked, files long unused ---- */
enum { RESUME_SECONDS = 7 * 24 * 3600 };

static void tell(struct kl_gc *gc, const char *path, const char *why, uint64_t bytes, int error)
{
    if (error) {
        struct kl_error problem = { 0 };
        errno = error;
        kl_fail_errno(&problem, KL_EIO, "%s: cannot be removed", path);
        problem.code = KL_EIO; /* whatever the reason */
        pass_over(&gc->passed, &problem);
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

static int judge_file(struct kl_gc *gc, const char *path, const struct stat *s, struct kl_error *err)
{
    struct kl_error why = { 0 };
    time_t used = s->st_mtim.tv_sec > s->st_atim.tv_sec ? s->st_mtim.tv_sec : s->st_atim.tv_sec;
    if (gc->max_age > 0 && difftime(time(NULL), used) > gc->max_age && is_ours(path, &why))
        take_away(gc, path, "unused for longer than asked for", s);
    if (why.code == KL_ENOMEM) *err = why;
    return why.code == KL_ENOMEM ? KL_ENOMEM : KL_OK;
}

/* Could a later run have resumed it, and did none for a week? */
static bool is_forgotten(const char *name, const char *path, const struct stat *s, struct kl_error *err)
{
    if (!S_ISREG(s->st_mode) || difftime(time(NULL), s->st_mtim.tv_sec) <= RESUME_SECONDS) return false;
    return kl_store_partial_is_dead(name, s) ||
           (kl_store_checkpoint_is(name) && kl_store_checkpoint_is_ours(path, err));
}

static int gc_folder(struct kl_gc *gc, const char *folder, struct kl_error *err);

/* Collect an entry that the sweep of temporaries left: a folder, a file to be resumed, a result. */
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
        const int code = pass_over(&gc->passed, err);
        gc->n_unlisted += !code;
        return code;
    }
    if (S_ISREG(s->st_mode) && length > 3 && strcmp(name + length - 3, ".h5") == 0)
        return judge_file(gc, path, s, err);
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
            rc = pass_over(&gc->passed, err);
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
    gc->passed = (struct kl_skipped_errors){ 0 };
    const int code = gc_folder(gc, folder, err);
    return code ? code : passed_end(&gc->passed, err);
}

/* ---- lines about files ---- */
/* What its tool told at its end: KL_STORE_FOUND of its record, *records' to free; NULL: nothing. */
static int load_found(json_t **records, json_t **found, const struct kl_found *f, struct kl_error *err)
{
    const int code = f->file && !f->code
                         ? kl_json_parse(records, kl_store_file_provenance(f->file), f->path, err)
                         : KL_OK;
    *found = code ? NULL : json_object_get(kl_store_own_record(*records), KL_STORE_FOUND);
    return code;
}

static int found_json(FILE *to, const struct kl_found *f, json_t *found, struct kl_error *err)
{
    static const char *const own[] = { "output", "key", "status", "cautions", "content" };
    json_t *numbers = json_object_get(found, "json");
    char *text = NULL;
    for (size_t i = 0; numbers && i < sizeof own / sizeof *own; i++) json_object_del(numbers, own[i]);
    int code = numbers ? kl_json_members(&text, numbers, err) : KL_OK;
    const struct kl_json_pair pairs[] = {
        { "path", KL_JSON_TEXT, f->path, 0 },
        { "kind", KL_JSON_TEXT, f->kind, 0 },
        { "key", KL_JSON_TEXT, f->key, 0 },
        { "content", KL_JSON_TEXT, f->content, 0 },
        { "created_by", KL_JSON_TEXT, f->created_by, 0 },
        { "rows", KL_JSON_COUNT, NULL, (double)f->rows },
        { "bytes", KL_JSON_COUNT, NULL, (double)f->size },
        { "whole", KL_JSON_BOOL, NULL, f->code == 0 },
        { "problem", KL_JSON_TEXT, f->problem, 0 },
        { "found", KL_JSON_RAW, text, 0 },
    };
    if (!code) code = kl_json_line(to, pairs, sizeof pairs / sizeof *pairs, err);
    free(text);
    return code;
}

/* As wide as the longest kind that there is. */
enum { KIND = 17 };

void kl_store_describe_heading(FILE *to)
{
    fprintf(to, "%-*s %-12s %9s %8s  %-24s %s\n", KIND, "kind", "key", "size", "rows", "created by",
            "file, and what it found");
}

int kl_store_describe_found(FILE *to, const struct kl_found *f, bool json, struct kl_error *err)
{
    char size[32], rows[24] = "-";
    json_t *records = NULL, *found = NULL;
    char *told = NULL;
    int code = json ? load_found(&records, &found, f, err) : KL_OK;
    if (!code && json) code = found_json(to, f, found, err);
    json_decref(records);
    if (!code && !json && f->file && !f->code) code = kl_store_file_told(&told, f->file, err);
    if (code || json) return code;
    kl_store_size_text(size, (double)f->size);
    if (f->rows) snprintf(rows, sizeof rows, "%llu", (unsigned long long)f->rows);
    if (f->code)
        fprintf(to, "%-*s %-12s %9s %8s  %s\n", KIND, f->code == KL_EDATA ? "not whole" : "not read", "",
                size, "", f->problem);
    else
        fprintf(to, "%-*s %.12s %9s %8s  %-24s %s%s%s\n", KIND, f->kind, f->key, size, rows,
                f->created_by, f->path, told ? ": " : "", told ? told : "");
    free(told);
    return KL_OK;
}

bool kl_store_found_is_ours(const struct kl_found *f)
{
    return *f->kind /* its envelope is whole */ || kl_store_has_shared_name(f->path);
}

/* Of the file itself; NULL: none is called so. */
static json_t *own_value(const struct kl_found *f, const char *name)
{
    const struct {
        const char *name, *text;
    } texts[] = { { "kind", f->kind }, { "key", f->key }, { "content", f->content } };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(name, texts[i].name) == 0) return json_string(texts[i].text);
    if (strcmp(name, "bytes") == 0) return json_integer((json_int_t)f->size);
    return strcmp(name, "rows") == 0 ? json_integer((json_int_t)f->rows) : NULL;
}

/* Of the options, whose words have a hyphen between them. */
static json_t *option_value(const json_t *record, const char *name)
{
    char words[64];
    snprintf(words, sizeof words, "%s", name);
    for (char *c = words; *c; c++)
        if (*c == '_') *c = '-';
    return json_object_get(json_object_get(record, "options"), words);
}

int kl_store_found_value(json_t **value, const struct kl_found *f, const char *name,
                         struct kl_error *err)
{
    json_t *records = NULL, *found = NULL;
    const int code = load_found(&records, &found, f, err);
    const json_t *record = kl_store_own_record(records);
    *value = f->code ? NULL : own_value(f, name);
    json_t *told = json_object_get(json_object_get(found, "json"), name);
    if (!told) told = option_value(record, name);
    if (!told) told = json_object_get(record, name);
    const bool is_one = told && !json_is_null(told) && !json_is_object(told) && !json_is_array(told);
    if (!*value && is_one) *value = json_incref(told);
    json_decref(records);
    return code;
}
