/* SPDX-License-Identifier: MIT
   Resumable writing: the temporary, named .NAME.KEY16.OWNER.XXXXXXXX.ketline-partial, whose journal
   says what is finished. A later run of the same key takes over what a dead one left by
   renaming it, which only one can, so nothing is locked; a run that finds none of a dead run makes its
   own. What dead runs of other keys left stays until this one has finished rows. */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>
#include <xxhash.h>

#include "store/store_int.h"

/* ---- the partial file ---- */
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

/* Removes what dead runs of other keys left. */
static void partial_forget(struct kl_writer *w)
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

/* Keep journalled data under a name that says that nobody works on it; remove anything else. */
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

/* ---- the journal, behind the data's reserved room: finished ranges of rows with digests ---- */
enum { PAGE = 4096, ROOM = 1 << 18 };

/* One finished range: this, then the rows of the datasets that are kept in memory, then the digest of
   layout, record, rows. */
struct record {
    char magic[8];
    uint64_t rows, row, n, payload;
    unsigned char digest[16]; /* of the rows in the file */
};
static const char record_magic[8] = { 'K', 'E', 'T', 'L', 'R', 'O', 'W', 'S' };

/* Datasets that are written by rows, as many as the journalled one has, in name order. malloc'ed. */
static struct kl_entry **matching(const struct kl_writer *w, size_t rows, size_t *n)
{
    struct kl_entry **order = malloc((w->n + 1) * sizeof *order);
    *n = 0;
    for (size_t i = 0; order && i < w->n; i++)
        if (!w->entries[i]->put && w->entries[i]->stored.dataset.rows == rows &&
            w->entries[i]->stored.dataset.rank > 0)
            order[(*n)++] = w->entries[i];
    if (order) qsort(order, *n, sizeof *order, kl_store_by_name);
    return order;
}

/* Digest of rows in the file, and their sums into *sums if it is not NULL. */
static int digest_rows(unsigned char digest[16], unsigned char (*sums)[16], const struct kl_writer *w,
                       struct kl_entry *const *order, size_t n_order, size_t row, size_t n,
                       struct kl_error *err)
{
    XXH3_state_t *state = XXH3_createState();
    int rc = state ? 0 : kl_fail_memory(err, 512);
    if (state) XXH3_128bits_reset(state);
    for (size_t i = 0; i < n_order && !rc; i++) {
        const struct kl_dataset *d = &order[i]->stored.dataset;
        size_t step = d->row_size && d->row_size < ROOM ? ROOM / d->row_size : 1;
        char *buffer = order[i]->placed ? malloc(step * d->row_size + 1) : NULL;
        if (order[i]->placed && !buffer) rc = kl_fail_memory(err, step * d->row_size);
        for (size_t r = row; buffer && r < row + n && !rc; r += step) {
            size_t k = row + n - r < step ? row + n - r : step;
            rc = kl_store_pread_all(w->temporary.fd, buffer, k * d->row_size,
                                    d->offset + r * d->row_size, w->temporary.target, err);
            if (!rc) XXH3_128bits_update(state, buffer, k * d->row_size);
            if (!rc && sums) kl_store_row_sum_add(sums[i], buffer, k, d->row_size);
        }
        free(buffer);
    }
    if (state) XXH128_canonicalFromHash((XXH128_canonical_t *)digest, XXH3_128bits_digest(state));
    XXH3_freeState(state);
    return rc;
}

static size_t payload_size(struct kl_entry *const *order, size_t n_order, size_t n)
{
    size_t bytes = 0;
    for (size_t i = 0; i < n_order; i++)
        if (!order[i]->placed) bytes += n * order[i]->stored.dataset.row_size;
    return bytes;
}

/* layout | record | payload, whose digest follows them in the file. */
static char *record_bytes(const struct kl_partial *p, const struct record *r, size_t *n)
{
    *n = 16 + sizeof *r + r->payload;
    char *bytes = malloc(*n + 16);
    if (bytes) {
        memcpy(bytes, p->layout, 16);
        memcpy(bytes + 16, r, sizeof *r);
    }
    return bytes;
}

/* Names, shapes and places: a journal of another layout is no use. With the mutex held. */
static int get_ready(struct kl_writer *w, struct kl_error *err)
{
    struct kl_partial *p = w->partial;
    int rc = kl_store_writer_freeze(w, err);
    if (rc || p->ready) return rc;
    unsigned char one[16];
    uint64_t end = 0;
    memset(p->layout, 0, 16);
    for (size_t i = 0; i < w->n; i++) {
        const struct kl_dataset *d = &w->entries[i]->stored.dataset;
        char text[320];
        int n =
            snprintf(text, sizeof text, "%s %d %zu %zu %zu %llu %d", d->name, (int)d->type, d->item_size,
                     d->rows, d->row_size, (unsigned long long)d->offset, w->entries[i]->placed);
        kl_xxh128(one, text, (size_t)n);
        kl_store_sum_add(p->layout, one);
        if (w->entries[i]->placed && d->offset + d->rows * d->row_size > end)
            end = d->offset + d->rows * d->row_size;
    }
    p->base = p->end = (end + PAGE - 1) / PAGE * PAGE;
    p->ready = true;
    return 0;
}

/* Rows that are there and as they were: their sums, and those of the memory from the payload. */
static int keep_rows(struct kl_writer *w, const struct record *r, const char *payload,
                     struct kl_entry **order, size_t n_order, bool *done, struct kl_error *err)
{
    unsigned char digest[16], (*sums)[16] = calloc(n_order + 1, sizeof *sums);
    int rc = sums ? digest_rows(digest, sums, w, order, n_order, r->row, r->n, err)
                  : kl_fail_memory(err, n_order * 16);
    bool fresh = !rc && memcmp(digest, r->digest, 16) == 0;
    for (size_t i = r->row; i < r->row + r->n && fresh; i++) fresh = !done[i];
    for (size_t i = 0; i < n_order && fresh && !rc; i++) {
        const struct kl_dataset *d = &order[i]->stored.dataset;
        if (!order[i]->placed) {
            memcpy(order[i]->memory + r->row * d->row_size, payload, r->n * d->row_size);
            kl_store_row_sum_add(sums[i], payload, r->n, d->row_size);
            payload += r->n * d->row_size;
        }
        rc = kl_store_entry_mark(order[i], r->row, r->n, sums[i], err);
    }
    for (size_t i = r->row; i < r->row + r->n && fresh; i++) done[i] = true;
    free(sums);
    return rc;
}

/* The record at the journal's end; *more: there was one. */
static int read_record(struct kl_writer *w, size_t rows, struct kl_entry **order, size_t n_order,
                       uint64_t size, bool *done, bool *more, struct kl_error *err)
{
    struct kl_partial *p = w->partial;
    struct record r;
    unsigned char digest[16];
    size_t n;
    *more = false;
    if (p->end + sizeof r + 16 > size ||
        kl_store_pread_all(w->temporary.fd, &r, sizeof r, p->end, "", NULL) ||
        memcmp(r.magic, record_magic, 8) || r.rows != rows || r.row > rows || r.n > rows - r.row ||
        r.payload != payload_size(order, n_order, r.n) || r.payload > size - p->end - sizeof r - 16)
        return 0;
    char *bytes = record_bytes(p, &r, &n);
    if (!bytes) return kl_fail_memory(err, r.payload);
    int rc = 0;
    if (kl_store_pread_all(w->temporary.fd, bytes + 16 + sizeof r, r.payload + 16, p->end + sizeof r, "",
                           NULL) == 0) {
        kl_xxh128(digest, bytes, n);
        *more = memcmp(digest, bytes + n, 16) == 0;
    }
    if (*more) {
        rc = keep_rows(w, &r, bytes + 16 + sizeof r, order, n_order, done, err);
        p->end += sizeof r + r.payload + 16;
        p->n_records++;
        if (p->older) partial_forget(w);
    }
    free(bytes);
    return rc;
}

int kl_store_writer_done_rows(struct kl_writer *w, int dataset, bool *done, struct kl_error *err)
{
    struct stat s;
    size_t n_order = 0;
    if (dataset < 0 || (size_t)dataset >= w->n)
        return kl_fail(err, KL_EINTERNAL, "dataset number %d is not declared", dataset);
    size_t rows = w->entries[dataset]->stored.dataset.rows;
    memset(done, 0, rows * sizeof *done);
    if (!w->partial) return 0;
    pthread_mutex_lock(&w->mutex);
    struct kl_entry **order = matching(w, rows, &n_order);
    int rc = order ? get_ready(w, err) : kl_fail_memory(err, w->n * sizeof *order);
    if (!rc && fstat(w->temporary.fd, &s))
        rc = kl_fail_errno(err, KL_EIO, "%s: fstat failed", w->temporary.target);
    for (bool more = !rc; more && !rc;)
        rc = read_record(w, rows, order, n_order, (uint64_t)s.st_size, done, &more, err);
    free(order);
    pthread_mutex_unlock(&w->mutex);
    return rc;
}

int kl_store_writer_journal(struct kl_writer *w, int dataset, size_t row, size_t n, struct kl_error *err)
{
    struct record r = { .row = row, .n = n };
    size_t n_order = 0, size = 0;
    char *bytes = NULL;
    if (dataset < 0 || (size_t)dataset >= w->n || row > w->entries[dataset]->stored.dataset.rows ||
        n > w->entries[dataset]->stored.dataset.rows - row)
        return kl_fail(err, KL_EINTERNAL, "journal of dataset number %d, rows %zu to %zu", dataset, row,
                       row + n);
    if (!w->partial) return 0;
    memcpy(r.magic, record_magic, 8);
    r.rows = w->entries[dataset]->stored.dataset.rows;
    struct kl_entry **order = matching(w, r.rows, &n_order);
    int rc =
        order ? digest_rows(r.digest, NULL, w, order, n_order, row, n, err) : kl_fail_memory(err, 64);
    pthread_mutex_lock(&w->mutex);
    if (!rc) rc = get_ready(w, err);
    if (!rc) {
        r.payload = payload_size(order, n_order, n);
        bytes = record_bytes(w->partial, &r, &size);
        rc = bytes ? 0 : kl_fail_memory(err, r.payload);
    }
    if (!rc) {
        char *to = bytes + 16 + sizeof r;
        for (size_t i = 0; i < n_order; i++) {
            size_t row_size = order[i]->stored.dataset.row_size;
            if (order[i]->placed) continue;
            memcpy(to, order[i]->memory + row * row_size, n * row_size);
            to += n * row_size;
        }
        kl_xxh128((unsigned char *)to, bytes, size);
        rc = kl_store_pwrite_all(w->temporary.fd, bytes + 16, size, w->partial->end, w->temporary.target,
                                 err);
        w->partial->end += size;
        w->partial->n_records++;
        if (!rc && w->partial->older) partial_forget(w);
    }
    pthread_mutex_unlock(&w->mutex);
    free(bytes);
    free(order);
    return rc;
}
