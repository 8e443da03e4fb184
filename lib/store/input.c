/* SPDX-License-Identifier: MIT
   Content of a raw input: SHA-256 of a file; of a folder, SHA-256 over its sorted relative names and
   files' digests. What was computed of files is remembered. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "store/store_int.h"

/* ---- memory ----
   What was once computed of a file is kept under $XDG_CACHE_HOME/ketline (or ~/.cache/ketline):
   one small file an entry, replaced by rename, with a digest of itself. A missing, damaged or unwritable
   cache only costs time. */

enum { RACY_SECONDS = 2, MEMO_BYTES = 2048 };

static bool memo_folder(char path[1024])
{
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n = -1;
    if (xdg && *xdg == '/') n = snprintf(path, 1024, "%s/ketline", xdg);
    else if (home && *home == '/') n = snprintf(path, 1024, "%s/.cache/ketline", home);
    return n > 0 && n < 900;
}

static bool memo_path(char path[1200], const char *purpose, const char *slot)
{
    char folder[1024], text[512], hex[33];
    unsigned char digest[16];
    if (!memo_folder(folder)) return false;
    int n = snprintf(text, sizeof text, "%s %s", purpose, slot);
    kl_xxh128(digest, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
    kl_store_hex(hex, digest, 16);
    snprintf(path, 1200, "%s/%s", folder, hex);
    return true;
}

/* The whole entry: a heading that names what it is of, the value, a digest. */
static int memo_text(char text[MEMO_BYTES], const char *purpose, const char *slot, const char *identity,
                     const char *value)
{
    unsigned char digest[16];
    char hex[33];
    int n = snprintf(text, MEMO_BYTES - 40, "ketline memo 1\n%s %s %s\n%s\n", purpose, slot, identity,
                     value);
    if (n < 0 || n >= MEMO_BYTES - 40) return -1;
    kl_xxh128(digest, text, (size_t)n);
    kl_store_hex(hex, digest, 16);
    return n + snprintf(text + n, 40, "%s\n", hex);
}

bool kl_store_memo_get(const char *purpose, const char *slot, const char *identity, char *value,
                       size_t room)
{
    char path[1200], expected[MEMO_BYTES], heading[1024];
    bool found = false;
    int n = snprintf(heading, sizeof heading, "ketline memo 1\n%s %s %s\n", purpose, slot, identity);
    char *text = memo_path(path, purpose, slot) ? kl_store_read_small(path, MEMO_BYTES, NULL) : NULL;
    if (text && n < (int)sizeof heading && strncmp(text, heading, (size_t)n) == 0) {
        char *end = strchr(text + n, '\n');
        size_t length = end ? (size_t)(end - text - n) : room;
        if (length < room) {
            memcpy(value, text + n, length);
            value[length] = 0;
            found =
                memo_text(expected, purpose, slot, identity, value) > 0 && strcmp(expected, text) == 0;
        }
    }
    free(text);
    return found;
}

void kl_store_memo_put(const char *purpose, const char *slot, const char *identity, const char *value)
{
    char path[1200], folder[1024], temporary[1300], text[MEMO_BYTES], tag[64];
    int n = memo_text(text, purpose, slot, identity, value);
    if (n < 0 || !memo_folder(folder) || !memo_path(path, purpose, slot) ||
        kl_store_make_folders(folder))
        return;
    kl_store_process_tag(tag);
    snprintf(temporary, sizeof temporary, "%s.%s.%p", path, tag,
             (void *)text); /* two threads have two stacks */
    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) return;
    bool fine = write(fd, text, (size_t)n) == n;
    fine = close(fd) == 0 && fine;
    if (!fine || rename(temporary, path)) unlink(temporary);
}

void kl_store_stat_slot(char slot[64], const struct stat *s)
{
    snprintf(slot, 64, "%llx:%llx", (unsigned long long)s->st_dev, (unsigned long long)s->st_ino);
}

void kl_store_stat_identity(char identity[128], const struct stat *s)
{
    snprintf(identity, 128, "%lld %lld.%09ld %lld.%09ld", (long long)s->st_size,
             (long long)s->st_mtim.tv_sec, s->st_mtim.tv_nsec, (long long)s->st_ctim.tv_sec,
             s->st_ctim.tv_nsec);
}

/* A file changed a moment ago could change again without a new time. Such a file is not remembered. */
bool kl_store_stat_settled(const struct stat *s)
{
    time_t now = time(NULL);
    return now - s->st_mtim.tv_sec > RACY_SECONDS && now - s->st_ctim.tv_sec > RACY_SECONDS;
}

bool kl_store_input_remembered(const char *path, const char *words)
{
    struct stat s;
    char slot[64], identity[128], value[8];
    if (stat(path, &s)) return false;
    kl_store_stat_slot(slot, &s);
    kl_store_stat_identity(identity, &s);
    return kl_store_memo_get(words, slot, identity, value, sizeof value);
}

void kl_store_input_remember(const char *path, const char *words)
{
    struct stat s;
    char slot[64], identity[128];
    if (stat(path, &s) || !kl_store_stat_settled(&s)) return;
    kl_store_stat_slot(slot, &s);
    kl_store_stat_identity(identity, &s);
    kl_store_memo_put(words, slot, identity, "yes");
}

/* ---- inputs ---- */
struct member {
    char *name; /* relative to the folder */
    struct stat stat;
};
struct members {
    struct member *items;
    size_t n, room;
};

static void members_free(struct members *m)
{
    for (size_t i = 0; i < m->n; i++) free(m->items[i].name);
    free(m->items);
}

static char *join(const char *a, const char *b)
{
    size_t n = strlen(a) + strlen(b) + 2;
    char *path = malloc(n);
    if (path) snprintf(path, n, "%s%s%s", a, *a ? "/" : "", b);
    return path;
}

static int add_member(struct members *m, char *name, const struct stat *s, struct kl_error *err)
{
    if (m->n == m->room) {
        size_t room = m->room ? 2 * m->room : 64;
        struct member *items = realloc(m->items, room * sizeof *items);
        if (!items) {
            free(name);
            return kl_fail_memory(err, room * sizeof *items);
        }
        m->items = items;
        m->room = room;
    }
    m->items[m->n++] = (struct member){ name, *s };
    return 0;
}

/* Regular files below root/below, and folders in which there is none ("NAME/": an empty class counts,
   too); names that begin with a dot are left out, as reading leaves them out. */
static int list_members(struct members *m, const char *root, const char *below, int depth,
                        struct kl_error *err)
{
    int rc = 0;
    char *folder = *below ? join(root, below) : strdup(root);
    DIR *d = folder ? opendir(folder) : NULL;
    if (!folder) return kl_fail_memory(err, strlen(root));
    if (!d || depth > 16)
        rc = depth > 16 ? kl_fail(err, KL_EDATA, "%s: folders are nested more than 16 deep", folder)
                        : kl_fail_errno(err, KL_ENOINPUT, "%s: cannot be listed", folder);
    for (struct dirent *e; !rc && (errno = 0, e = readdir(d));) {
        struct stat s;
        if (e->d_name[0] == '.') continue;
        char *name = join(below, e->d_name);
        if (!name) {
            rc = kl_fail_memory(err, strlen(e->d_name));
        } else if (fstatat(dirfd(d), e->d_name, &s, 0)) {
            rc = kl_fail_errno(err, KL_ENOINPUT, "%s/%s: cannot be read", root, name);
            free(name);
        } else if (S_ISREG(s.st_mode)) {
            rc = add_member(m, name, &s, err);
        } else if (S_ISDIR(s.st_mode)) {
            size_t before = m->n;
            rc = list_members(m, root, name, depth + 1, err);
            char *empty = !rc && m->n == before ? join(name, "") : NULL;
            if (empty) rc = add_member(m, empty, &s, err);
            else if (!rc && m->n == before) rc = kl_fail_memory(err, strlen(name));
            free(name);
        } else {
            free(name);
        }
    }
    if (!rc && errno) rc = kl_fail_errno(err, KL_EIO, "%s: reading the folder", folder);
    if (d) closedir(d);
    free(folder);
    return rc;
}

static int by_name(const void *x, const void *y)
{
    return strcmp(((const struct member *)x)->name, ((const struct member *)y)->name);
}

/* Names and identities of all files: equal fingerprints, unchanged files. */
static int fingerprint(char hex[65], bool *settled, const struct members *m, struct kl_error *err)
{
    struct kl_sha256 s;
    char identity[128], slot[64];
    int rc = kl_sha256_begin(&s, err);
    if (rc) return rc;
    *settled = true;
    for (size_t i = 0; i < m->n; i++) {
        kl_store_stat_identity(identity, &m->items[i].stat);
        kl_store_stat_slot(slot, &m->items[i].stat);
        kl_sha256_add(&s, m->items[i].name, strlen(m->items[i].name) + 1);
        kl_sha256_add(&s, identity, strlen(identity) + 1);
        kl_sha256_add(&s, slot, strlen(slot) + 1);
        *settled &= kl_store_stat_settled(&m->items[i].stat);
    }
    kl_sha256_end(&s, hex);
    return 0;
}

static int folder_digest(char hex[65], const char *path, const struct members *m, struct kl_error *err)
{
    struct kl_sha256 s;
    char one[65];
    int rc = kl_sha256_begin(&s, err);
    if (rc) return rc;
    for (size_t i = 0; i < m->n && !rc; i++) {
        char *file = join(path, m->items[i].name);
        if (!file) rc = kl_fail_memory(err, strlen(path));
        else if (S_ISDIR(m->items[i].stat.st_mode)) rc = kl_sha256_hex(one, "", 0, err);
        else rc = kl_sha256_file(one, file, err);
        free(file);
        if (rc) break;
        kl_sha256_add(&s, m->items[i].name, strlen(m->items[i].name) + 1);
        kl_sha256_add(&s, one, 64);
    }
    kl_sha256_end(&s, rc ? NULL : hex);
    return rc;
}

static int folder_content(char hex[65], const char *path, const struct stat *s, struct kl_error *err)
{
    struct members m = { 0 };
    char slot[64], print[65];
    bool settled = false;
    int rc = list_members(&m, path, "", 0, err);
    if (!rc && m.n == 0) rc = kl_fail(err, KL_ENOINPUT, "%s: the folder holds no files", path);
    if (!rc) {
        qsort(m.items, m.n, sizeof *m.items, by_name);
        rc = fingerprint(print, &settled, &m, err);
    }
    kl_store_stat_slot(slot, s);
    if (!rc && !kl_store_memo_get("folder", slot, print, hex, 65)) {
        rc = folder_digest(hex, path, &m, err);
        if (!rc && settled) kl_store_memo_put("folder", slot, print, hex);
    }
    members_free(&m);
    return rc;
}

int kl_store_input_content(char hex[65], const char *path, struct kl_error *err)
{
    struct stat s, after;
    char slot[64], identity[128], now[128];
    if (stat(path, &s))
        return strcmp(path, "-") == 0
                   ? kl_fail(err, KL_EUSAGE, "-: standard input is not taken here; give a file's name")
                   : kl_fail_errno(err, KL_ENOINPUT, "%s: cannot be opened", path);
    if (S_ISDIR(s.st_mode)) return folder_content(hex, path, &s, err);
    int rc = kl_regular(&s, path, err);
    if (rc) return rc;
    kl_store_stat_slot(slot, &s);
    kl_store_stat_identity(identity, &s);
    if (kl_store_memo_get("sha256", slot, identity, hex, 65) && kl_store_is_key(hex)) return 0;
    rc = kl_sha256_file(hex, path, err);
    if (rc) return rc;
    if (stat(path, &after))
        return kl_fail_errno(err, KL_ENOINPUT, "%s: vanished while it was read", path);
    kl_store_stat_identity(now, &after);
    if (strcmp(identity, now) == 0 && s.st_ino == after.st_ino && kl_store_stat_settled(&s))
        kl_store_memo_put("sha256", slot, identity, hex);
    return 0;
}

/* Path and digest under the role's name, or "ROLE 2", "ROLE 3"... if there were some before. */
int kl_store_input_record_as(json_t *record, const char *role, const char *path, const char *member,
                             const char *hex, struct kl_error *err)
{
    char name[64];
    json_t *text = NULL;
    snprintf(name, sizeof name, "%.32s", role);
    for (int k = 2; json_object_get(record, name); k++) snprintf(name, sizeof name, "%.32s %d", role, k);
    int rc = kl_json_string(&text, path, err);
    if (!rc && json_object_set_new(record, name, json_pack("{s:O, s:s}", "path", text, member, hex)) < 0)
        rc = kl_fail_memory(err, 256);
    json_decref(text);
    return rc;
}

int kl_store_input_record(json_t *record, const char *role, const char *path, const char *sha256,
                          struct kl_error *err)
{
    return kl_store_input_record_as(record, role, path, "sha256", sha256, err);
}

int kl_store_input_identify(struct kl_key *key, json_t *record, const char *role, size_t i,
                            const char *path, struct kl_error *err)
{
    char hex[65], file[4096], part[48] = "dataset";
    snprintf(file, sizeof file, "%s", path);
    char *colon = strrchr(file, ':');
    const bool inside = colon && access(path, F_OK) != 0; /* FILE:DATASET */
    if (inside) *colon = 0;
    if (i > 0) snprintf(part, sizeof part, "dataset %zu", i + 1);
    int rc = kl_store_input_content(hex, file, err);
    if (!rc) rc = kl_store_key_input(key, role, hex, err);
    if (!rc && inside) rc = kl_store_key_text(key, part, colon + 1, err);
    return rc ? rc : kl_store_input_record(record, role, path, hex, err);
}
