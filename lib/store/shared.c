/* SPDX-License-Identifier: MIT
   The shared store DIR/ab/cdef....h5: immutable names and atomic renames, no locks, no hard links. An
   index of its files. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/kind.h"
#include "store/store_int.h"

/* ---- files by key ---- */
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

/* ---- the index ----
   What is worth knowing of its files of one kind, in one file that is
   replaced whole. It is never believed: each folder's and file's identity is compared first. */

enum { FOLDERS = 256, KEY = 32 };
static const char mark[16] = "ketline index 1";

/* As they stand in the file, in this machine's order of bytes: one of another order has another version,
   and is made anew. The digest is of all that follows it. */
struct head {
    char mark[16];
    unsigned char digest[16];
    uint64_t bytes, n, version;
    char kind[64];
};
struct folder {
    uint64_t inode;
    int64_t changed; /* ctime in ns: no user can set it, unlike mtime */
    uint64_t there, settled;
};
enum { OTHER_KIND, DESCRIBED, UNREAD };
struct row {
    unsigned char key[KEY];
    uint64_t inode, size;
    int64_t modified;
    uint64_t what, rested, at, length; /* rested: its times could be relied on when it was described */
};
struct item {
    struct row row;
    const unsigned char *data;
    bool owned; /* data is its own memory */
};
struct kl_index {
    char *store, *loaded;
    const struct kl_index_maker *maker;
    struct folder folders[FOLDERS];
    struct item *items;
    size_t n, room, n_unread;
    bool changed;
};

/* ---- names and identities ---- */
static int64_t nanoseconds(struct timespec t)
{
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}
/* "cdef....h5" of the folder "ab"; false: no name of a shared file. */
static bool key_of(unsigned char key[KEY], int folder, const char *name)
{
    if (strlen(name) != 2 * KEY + 1 || strcmp(name + 2 * KEY - 2, ".h5") != 0) return false;
    key[0] = (unsigned char)folder;
    for (int i = 1; i < KEY; i++) {
        const int high = digit(name[2 * i - 2]), low = digit(name[2 * i - 1]);
        if (high < 0 || low < 0) return false;
        key[i] = (unsigned char)(high * 16 + low);
    }
    return true;
}
static void hex_of(char hex[65], const unsigned char key[KEY])
{
    for (int i = 0; i < KEY; i++) snprintf(hex + 2 * i, 3, "%02x", key[i]);
}
static char *path_of(const char *store, const unsigned char key[KEY])
{
    const size_t room = strlen(store) + 80;
    char *path = malloc(room), hex[65];
    hex_of(hex, key);
    if (path) snprintf(path, room, "%s/%.2s/%s.h5", store, hex, hex + 2);
    return path;
}
static bool same_file(const struct row *row, const struct stat *s)
{
    return row->inode == s->st_ino && row->size == (uint64_t)s->st_size &&
           row->modified == nanoseconds(s->st_mtim);
}

/* ---- the file of the index ---- */
static char *index_path(const char *store, const struct kl_index_maker *maker)
{
    const size_t room = strlen(store) + strlen(maker->kind->name) + 32;
    char *path = malloc(room);
    if (path) snprintf(path, room, "%s/.%s.ketline-index", store, maker->kind->name);
    return path;
}

/* Is it whole, of this kind and version, with every row within it and keys that rise? */
static bool is_index(const char *bytes, size_t n, const struct kl_index_maker *maker)
{
    struct head h;
    unsigned char digest[16];
    const size_t fixed = sizeof h + FOLDERS * sizeof(struct folder);
    if (n < fixed) return false;
    memcpy(&h, bytes, sizeof h);
    if (memcmp(h.mark, mark, sizeof mark) != 0 || h.bytes != n ||
        h.version != (uint64_t)maker->version || strncmp(h.kind, maker->kind->name, sizeof h.kind) != 0)
        return false;
    if (h.n > (n - fixed) / sizeof(struct row)) return false;
    kl_xxh128(digest, bytes + 32, n - 32);
    if (memcmp(digest, h.digest, sizeof digest) != 0) return false;
    for (size_t i = 0; i < h.n; i++) {
        struct row row;
        memcpy(&row, bytes + fixed + i * sizeof row, sizeof row);
        if (row.at > n || row.length > n - row.at || row.at % 8 != 0) return false;
        if (i && memcmp(bytes + fixed + (i - 1) * sizeof row, row.key, KEY) >= 0) return false;
    }
    return true;
}

/* Load the index file, if there is one. */
static int load(struct kl_index *index, struct kl_error *err)
{
    size_t n = 0;
    char *path = index_path(index->store, index->maker);
    if (!path) return kl_fail_memory(err, 80);
    index->loaded = kl_store_read_small(path, (size_t)1 << 32, &n);
    free(path);
    if (!index->loaded || !is_index(index->loaded, n, index->maker)) {
        index->changed = true;
        return 0;
    }
    struct head h;
    const char *at = index->loaded + sizeof h;
    memcpy(&h, index->loaded, sizeof h);
    memcpy(index->folders, at, sizeof index->folders), at += sizeof index->folders;
    index->items = calloc(h.n + 1, sizeof *index->items);
    if (!index->items) return kl_fail_memory(err, h.n * sizeof *index->items);
    index->n = index->room = h.n;
    for (size_t i = 0; i < h.n; i++, at += sizeof(struct row)) {
        struct item *item = &index->items[i];
        memcpy(&item->row, at, sizeof item->row);
        item->data = (const unsigned char *)index->loaded + item->row.at;
    }
    return 0;
}

/* If the index cannot be written, it is made anew each time. */
static int save(const struct kl_index *index, struct kl_error *err)
{
    size_t n = sizeof(struct head) + sizeof index->folders + index->n * sizeof(struct row);
    struct head h = { .n = index->n, .version = (uint64_t)index->maker->version };
    size_t at = n;
    bool written;
    struct kl_error unwritten;
    for (size_t i = 0; i < index->n; i++) n += (index->items[i].row.length + 7) / 8 * 8;
    char *bytes = calloc(n, 1), *path = index_path(index->store, index->maker);
    if (!bytes || !path) {
        free(bytes), free(path);
        return kl_fail_memory(err, n);
    }
    memcpy(h.mark, mark, sizeof mark);
    snprintf(h.kind, sizeof h.kind, "%s", index->maker->kind->name);
    h.bytes = n;
    memcpy(bytes + sizeof h, index->folders, sizeof index->folders);
    for (size_t i = 0; i < index->n; i++) {
        struct row row = index->items[i].row;
        row.at = at;
        memcpy(bytes + sizeof h + sizeof index->folders + i * sizeof row, &row, sizeof row);
        if (row.length) memcpy(bytes + at, index->items[i].data, row.length);
        at += (row.length + 7) / 8 * 8;
    }
    memcpy(bytes, &h, sizeof h);
    kl_xxh128(h.digest, bytes + 32, n - 32);
    memcpy(bytes, &h, sizeof h);
    kl_store_publish_bytes(&written, path, bytes, n, &unwritten);
    free(bytes), free(path);
    return 0;
}

/* ---- bringing it up to date ---- */
static int append(struct kl_index *to, const struct item *item, struct kl_error *err)
{
    if (to->n == to->room) {
        const size_t room = 2 * to->room + 64;
        struct item *items = realloc(to->items, room * sizeof *items);
        if (!items) return kl_fail_memory(err, room * sizeof *items);
        to->items = items, to->room = room;
    }
    to->items[to->n++] = *item;
    return 0;
}

/* Describe a new file. KL_EIO: it cannot be described now. */
static int describe(struct item *item, const struct kl_index *index, struct kl_error *err)
{
    struct kl_file *file = NULL;
    struct kl_error unread;
    void *data = NULL;
    size_t n = 0;
    char *path = path_of(index->store, item->row.key);
    if (!path) return kl_fail_memory(err, 80);
    char hex[65];
    hex_of(hex, item->row.key);
    int code = kl_store_file_open(&file, path, &unread);
    if (!code && strcmp(kl_store_file_key(file), hex) != 0) code = KL_EDATA; /* under another's name */
    if (!code && strcmp(kl_store_file_kind(file), index->maker->kind->name) == 0) {
        code = index->maker->describe(index->maker->context, &data, &n, file, &unread);
        item->row.what = DESCRIBED;
    }
    if (code) item->row.what = UNREAD;
    item->data = data, item->owned = data != NULL, item->row.length = data ? n : 0;
    kl_store_file_close(&file);
    free(path);
    if (code != KL_ENOMEM) return code == KL_EIO || code == KL_ENOINPUT ? KL_EIO : 0;
    *err = unread;
    return code;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}
static int by_key(const void *key, const void *item)
{
    return memcmp(key, ((const struct item *)item)->row.key, KEY);
}

/* One name of a folder into `to`; old: what was known. */
static int take_file(struct kl_index *to, struct kl_index *old, int at, int number, const char *name,
                     struct kl_error *err)
{
    struct item fresh = { 0 }, *known;
    struct stat s;
    if (!key_of(fresh.row.key, number, name)) return 0;
    if (fstatat(at, name, &s, AT_SYMLINK_NOFOLLOW) || !S_ISREG(s.st_mode)) return 0;
    known = old->n ? bsearch(fresh.row.key, old->items, old->n, sizeof *old->items, by_key) : NULL;
    if (known && same_file(&known->row, &s) && known->row.rested) {
        fresh = *known, known->owned = false;
        return append(to, &fresh, err);
    }
    fresh.row.rested = kl_store_stat_settled(&s);
    if (!fresh.row.rested) to->folders[number].settled = 0;
    fresh.row.inode = s.st_ino, fresh.row.size = (uint64_t)s.st_size;
    fresh.row.modified = nanoseconds(s.st_mtim);
    to->changed = true;
    const int code = describe(&fresh, to, err);
    if (code == KL_EIO) to->folders[number].settled = 0;
    return code == KL_EIO ? 0 : code ? code : append(to, &fresh, err);
}

/* A folder that has not changed since it was listed, and was then at rest, holds what it held. */
static int take_folder(struct kl_index *to, struct kl_index *old, int store, int number, size_t *from,
                       struct kl_error *err)
{
    char name[3];
    struct stat s;
    struct folder *f = &to->folders[number];
    const struct folder *before = &old->folders[number];
    struct dirent **names = NULL;
    int code = 0;
    size_t end = *from;
    while (end < old->n && old->items[end].row.key[0] == number) end++;
    snprintf(name, sizeof name, "%02x", (unsigned)number & 255);
    if (fstatat(store, name, &s, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(s.st_mode))
        *f = (struct folder){ s.st_ino, nanoseconds(s.st_ctim), 1, kl_store_stat_settled(&s) };
    const bool rests =
        f->there && before->settled && f->inode == before->inode && f->changed == before->changed;
    for (; rests && !code && *from < end; ++*from) {
        code = append(to, &old->items[*from], err);
        if (!code) old->items[*from].owned = false;
    }
    *from = end;
    if (rests || !f->there) {
        to->changed |= f->there != before->there;
        return code;
    }
    to->changed |= memcmp(f, before, sizeof *f) != 0;
    const int at = openat(store, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int n = at < 0 ? -1 : scandirat(at, ".", &names, NULL, by_name);
    if (n < 0) f->settled = 0;
    for (int i = 0; i < n; i++) {
        if (!code) code = take_file(to, old, at, number, names[i]->d_name, err);
        free(names[i]);
    }
    free(names);
    if (at >= 0) close(at);
    return code;
}

static void release(struct kl_index *index)
{
    for (size_t i = 0; i < index->n; i++)
        if (index->items[i].owned) free((void *)(uintptr_t)index->items[i].data);
    free(index->items);
}

static int refresh(struct kl_index *index, struct kl_error *err)
{
    struct kl_index old = *index;
    size_t from = 0;
    int code = 0;
    const int store = open(index->store, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (store < 0) return kl_fail_errno(err, KL_ENOINPUT, "store %s: cannot be opened", index->store);
    index->items = NULL, index->n = index->room = 0;
    memset(index->folders, 0, sizeof index->folders);
    for (int i = 0; i < FOLDERS && !code; i++) code = take_folder(index, &old, store, i, &from, err);
    close(store);
    index->changed |= index->n != old.n;
    release(&old);
    index->n_unread = 0;
    for (size_t i = 0; i < index->n; i++) index->n_unread += index->items[i].row.what == UNREAD;
    return code;
}

/* ---- for all ---- */
int kl_store_index_open(struct kl_index **to, const char *store, const struct kl_index_maker *maker,
                        bool anew, struct kl_error *err)
{
    struct kl_index *index = *to = calloc(1, sizeof *index);
    if (!index) return kl_fail_memory(err, sizeof *index);
    index->maker = maker, index->store = strdup(store);
    int code = index->store ? 0 : kl_fail_memory(err, strlen(store));
    index->changed = anew;
    if (!code && !anew) code = load(index, err);
    if (!code) code = refresh(index, err);
    if (!code && index->changed) code = save(index, err);
    if (code) kl_store_index_close(to);
    return code;
}

void kl_store_index_close(struct kl_index **index)
{
    if (!*index) return;
    release(*index);
    free((*index)->loaded), free((*index)->store), free(*index);
    *index = NULL;
}

size_t kl_store_index_size(const struct kl_index *index)
{
    return index->n;
}
size_t kl_store_index_unread(const struct kl_index *index)
{
    return index->n_unread;
}

const void *kl_store_index_data(size_t *n, char key[65], const struct kl_index *index, size_t i)
{
    const struct item *item = &index->items[i];
    if (item->row.what != DESCRIBED) return NULL;
    hex_of(key, item->row.key);
    *n = item->row.length;
    return item->data;
}

char *kl_store_index_file(const struct kl_index *index, size_t i)
{
    return path_of(index->store, index->items[i].row.key);
}

bool kl_store_index_holds(const struct kl_index *index, size_t i)
{
    struct stat s;
    char *path = kl_store_index_file(index, i);
    const bool holds =
        path && lstat(path, &s) == 0 && S_ISREG(s.st_mode) && same_file(&index->items[i].row, &s);
    free(path);
    return holds;
}
