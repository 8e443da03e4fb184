/* SPDX-License-Identifier: MIT
   A finished file: the envelope first, then one listing by HDF5, then everything small is in memory; its
   results and its kind. */
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/describe.h"
#include "store/store_int.h"

/* ---- opening ---- */
void kl_store_file_close(struct kl_file **file)
{
    struct kl_file *f = file ? *file : NULL;
    if (!f) return;
    for (size_t i = 0; i < f->n; i++) {
        free(f->stored[i]->digests);
        free(f->stored[i]->checked);
        free(f->stored[i]);
    }
    free(f->stored);
    free(f->envelope.extents);
    free(f->provenance);
    free(f->path);
    kl_store_attributes_free(&f->attributes);
    close(f->fd);
    free(f);
    *file = NULL;
}

static const struct kl_dataset *find_listed(const struct kl_dataset *all, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(all[i].name, name) == 0) return &all[i];
    return NULL;
}

static bool is_hidden(const char *name)
{
    return strncmp(name, "digests/", 8) == 0 || strcmp(name, "provenance") == 0;
}

static bool from_hex(unsigned char bytes[16], const char *text)
{
    if (strlen(text) != 32 || strspn(text, "0123456789abcdef") != 32) return false;
    for (int i = 0; i < 16; i++) {
        unsigned high = (unsigned char)text[2 * i], low = (unsigned char)text[2 * i + 1];
        bytes[i] = (unsigned char)((high <= '9' ? high - '0' : high - 'a' + 10) << 4 |
                                   (low <= '9' ? low - '0' : low - 'a' + 10));
    }
    return true;
}

/* A dataset lies within the file, and a large one is an extent of the seal, so what neither guards
   cannot exist. */
static bool lies_well(const struct kl_file *f, const struct kl_dataset *d, size_t *n_large)
{
    uint64_t bytes = (uint64_t)d->rows * d->row_size;
    if (bytes == 0) return true;
    if (d->offset > f->envelope.eof || bytes > f->envelope.eof - d->offset) return false;
    bool listed = false;
    for (size_t i = 0; i < f->envelope.n; i++)
        listed |= f->envelope.extents[i].offset == d->offset && f->envelope.extents[i].length == bytes;
    if (is_hidden(d->name)) return !listed;
    *n_large += listed;
    return listed == (bytes >= KL_LARGE_BYTES);
}

static int take_dataset(struct kl_file *f, const struct kl_dataset *d, const struct kl_dataset *all,
                        size_t n_all, struct kl_error *err)
{
    char name[sizeof d->name + 8] = "digests/";
    struct kl_stored *s = f->stored[f->n] = calloc(1, sizeof *s);
    if (!s) return kl_fail_memory(err, sizeof *s);
    s->dataset = *d;
    s->dataset.id = (int)f->n++;
    s->n_blocks = kl_store_block_count(d->rows, d->row_size);
    strcat(name, d->name);
    const struct kl_dataset *g = find_listed(all, n_all, name);
    const struct kl_attribute *sum = kl_store_attributes_find(&f->attributes, name, "row_sum");
    if (!g || g->type != KL_TYPE_U8 || g->rank != 2 || g->dims[0] != s->n_blocks || g->dims[1] != 16 ||
        !sum || sum->type != KL_ATTR_TEXT || !from_hex(s->row_sum, sum->text))
        return kl_fail(err, KL_EDATA, "%s: dataset %s: its digests are missing or of another form",
                       f->path, d->name);
    s->digests = malloc(16 * s->n_blocks + 1);
    s->checked = calloc(s->n_blocks + 1, 1);
    if (!s->digests || !s->checked) return kl_fail_memory(err, 17 * s->n_blocks);
    return kl_store_pread_all(f->fd, s->digests, 16 * s->n_blocks, g->offset, f->path, err);
}

static int by_name(const void *x, const void *y)
{
    return strcmp(((const struct kl_dataset *)x)->name, ((const struct kl_dataset *)y)->name);
}

static int take_provenance(struct kl_file *f, const struct kl_dataset *d, struct kl_error *err)
{
    size_t n = d ? d->item_size : 0;
    if (d && (d->type != KL_TYPE_STRING || d->rank != 0))
        return kl_fail(err, KL_EDATA, "%s: provenance is not a text", f->path);
    f->provenance = calloc(1, n + 3);
    if (!f->provenance) return kl_fail_memory(err, n);
    strcpy(f->provenance, "[]");
    return d ? kl_store_pread_all(f->fd, f->provenance, n, d->offset, f->path, err) : 0;
}

static int take_all(struct kl_file *f, struct kl_dataset *all, size_t n_all, struct kl_error *err)
{
    size_t n_large = 0;
    int rc = 0;
    if (n_all) qsort(all, n_all, sizeof *all, by_name);
    f->stored = calloc(n_all + 1, sizeof *f->stored);
    if (!f->stored) return kl_fail_memory(err, n_all * sizeof *f->stored);
    for (size_t i = 0; i < n_all && !rc; i++)
        if (!lies_well(f, &all[i], &n_large))
            rc = kl_fail(err, KL_EDATA, "%s: dataset %s: lies outside of what the seal knows", f->path,
                         all[i].name);
    if (!rc && n_large != f->envelope.n)
        rc = kl_fail(err, KL_EDATA, "%s: the seal names %zu large datasets, the file has %zu", f->path,
                     f->envelope.n, n_large);
    for (size_t i = 0; i < n_all && !rc; i++)
        if (!is_hidden(all[i].name)) rc = take_dataset(f, &all[i], all, n_all, err);
    return rc ? rc : take_provenance(f, find_listed(all, n_all, "provenance"), err);
}

static int check_header(struct kl_file *f, struct kl_error *err)
{
    static const char *const names[] = { "kind", "key", "key_parts", "content", "created_by" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct kl_attribute *a = kl_store_attributes_find(&f->attributes, "", names[i]);
        if (!a || a->type != KL_ATTR_TEXT || ((i == 1 || i == 3) && !kl_store_is_key(a->text)))
            return kl_fail(err, KL_EDATA, "%s: root attribute %s: missing or of another form", f->path,
                           names[i]);
    }
    const struct kl_attribute *schema = kl_store_attributes_find(&f->attributes, "", "schema");
    if (!schema || schema->type != KL_ATTR_INTEGER)
        return kl_fail(err, KL_EDATA, "%s: root attribute schema: missing or not an integer", f->path);
    return 0;
}

int kl_store_file_open_fd(struct kl_file **file, int fd, const char *path, struct kl_error *err)
{
    struct kl_dataset *all = NULL;
    size_t n_all = 0;
    int rc = 0;
    struct kl_file *f = calloc(1, sizeof *f);
    *file = NULL;
    if (!f) {
        close(fd);
        return kl_fail_memory(err, sizeof *f);
    }
    f->fd = fd;
    f->path = strdup(path);
    if (!f->path) rc = kl_fail_memory(err, strlen(path));
    else if (fstat(fd, &f->stat)) rc = kl_fail_errno(err, KL_EIO, "%s: fstat failed", path);
    else rc = kl_regular(&f->stat, path, err);
    if (!rc) rc = kl_store_envelope_check(&f->envelope, fd, path, err);
    if (!rc) rc = kl_store_h5_list(fd, path, &all, &n_all, &f->attributes, err);
    if (!rc) rc = check_header(f, err);
    if (!rc) rc = take_all(f, all, n_all, err);
    kl_store_attributes_sort(&f->attributes);
    free(all);
    if (rc) kl_store_file_close(&f);
    *file = f;
    return rc;
}

int kl_store_file_open(struct kl_file **file, const char *path, struct kl_error *err)
{
    int fd = -1;
    *file = NULL;
    if (strcmp(path, "-") == 0) {
        struct stat s;
        int rc = kl_store_spool(&fd, STDIN_FILENO, UINT64_MAX, "standard input", err);
        if (!rc && fstat(fd, &s) == 0 && s.st_size == 0) {
            close(fd);
            return kl_fail(err, KL_EDATA, "standard input: is empty; what writes to it has failed");
        }
        return rc ? rc : kl_store_file_open_fd(file, fd, "standard input", err);
    }
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe without a writer must not hang us */
    if (fd < 0) return kl_fail_errno(err, KL_ENOINPUT, "%s: cannot be opened", path);
    return kl_store_file_open_fd(file, fd, path, err);
}

static const char *root_text(const struct kl_file *file, const char *name)
{
    return kl_store_attributes_find(&file->attributes, "", name)
        ->text; /* there, or it would not be open */
}

const char *kl_store_file_path(const struct kl_file *file)
{
    return file->path;
}
const char *kl_store_file_kind(const struct kl_file *file)
{
    return root_text(file, "kind");
}
const char *kl_store_file_key(const struct kl_file *file)
{
    return root_text(file, "key");
}
const char *kl_store_file_content(const struct kl_file *file)
{
    return root_text(file, "content");
}
const char *kl_store_file_created_by(const struct kl_file *file)
{
    return root_text(file, "created_by");
}
const char *kl_store_file_key_parts(const struct kl_file *file)
{
    return root_text(file, "key_parts");
}
const char *kl_store_file_provenance(const struct kl_file *file)
{
    return file->provenance;
}
size_t kl_store_file_n_datasets(const struct kl_file *file)
{
    return file->n;
}

int kl_store_file_schema(const struct kl_file *file)
{
    return (int)kl_store_attributes_find(&file->attributes, "", "schema")->integer;
}

const struct kl_dataset *kl_store_file_dataset(const struct kl_file *file, size_t i)
{
    return i < file->n ? &file->stored[i]->dataset : NULL;
}

const struct kl_dataset *kl_store_file_find(const struct kl_file *file, const char *name)
{
    for (size_t i = 0; i < file->n; i++)
        if (strcmp(file->stored[i]->dataset.name, name) == 0) return &file->stored[i]->dataset;
    return NULL;
}

int kl_store_file_expect(const struct kl_dataset **dataset, const struct kl_file *file, const char *name,
                         enum kl_type type, int rank, struct kl_error *err)
{
    static const char *const names[] = { "u8", "i32", "i64", "f16", "f32", "f64", "string" };
    const struct kl_dataset *d = kl_store_file_find(file, name);
    *dataset = d;
    if (!d) return kl_fail(err, KL_EDATA, "%s: has no dataset %s", file->path, name);
    if (d->type != type)
        return kl_fail(err, KL_EDATA, "%s: dataset %s is of type %s, expected %s", file->path, name,
                       names[d->type], names[type]);
    if (rank >= 0 && d->rank != rank)
        return kl_fail(err, KL_EDATA, "%s: dataset %s has %d dimensions, expected %d", file->path, name,
                       d->rank, rank);
    return 0;
}

/* ---- root attributes that say what a stage found ---- */
/* `config` is the whole configuration, which readers take apart themselves. */
static bool is_result(const struct kl_attribute *a)
{
    return !a->object[0] && !kl_store_attribute_is_standard(a) && strcmp(a->name, "config") != 0;
}

bool kl_store_file_interval(double ends[2], const struct kl_file *file, const char *name)
{
    static const char *const ending[2] = { "_low", "_high" };
    char full[256];
    for (int i = 0; i < 2; i++) {
        const int n = snprintf(full, sizeof full, "%s%s", name, ending[i]);
        if (n < 0 || (size_t)n >= sizeof full || !kl_store_file_has_attribute(file, "", full) ||
            kl_store_file_number(&ends[i], file, "", full, NULL))
            return false;
    }
    return kl_has_width(ends[0], ends[1]);
}

int kl_store_file_result(const char **name, char **text, const struct kl_file *file, size_t k,
                         struct kl_error *err)
{
    const struct kl_attributes *all = &file->attributes;
    size_t i = 0;
    *name = NULL, *text = NULL;
    for (; i < all->n; i++)
        if (is_result(&all->items[i]) && k-- == 0) break;
    if (i == all->n) return KL_OK;
    const struct kl_attribute *a = &all->items[i];
    const int n = a->type == KL_ATTR_TEXT     ? asprintf(text, "%s", a->text)
                  : a->type == KL_ATTR_NUMBER ? asprintf(text, "%.6g", a->number)
                                              : asprintf(text, "%lld", (long long)a->integer);
    if (n < 0) {
        *text = NULL;
        return kl_fail_memory(err, 64);
    }
    *name = a->name;
    return KL_OK;
}

/* ---- the kind that a stage reads, and its versions ---- */
/* ", which comes from TOOL", or "". */
static void name_maker(char words[64], const struct kl_kind *kind)
{
    *words = '\0';
    if (kind->maker) snprintf(words, 64, ", which comes from %s", kind->maker);
}

int kl_store_fail_kind(struct kl_error *err, const char *path, const char *found,
                       const struct kl_kind *kind)
{
    char maker[64];
    name_maker(maker, kind);
    return kl_fail(err, KL_EDATA, "%s: holds '%s', expected '%s'%s", path, found, kind->name, maker);
}

static bool is_stand_in(int fd, off_t size)
{
    unsigned char first[KL_STAND_IN];
    const size_t n = size < KL_STAND_IN ? (size_t)size : KL_STAND_IN;
    return kl_store_pread_all(fd, first, n, 0, "", NULL) == 0 && kl_no_stand_in(first, n, "", NULL) != 0;
}

/* Images given to qtrain, say: what it wants in place of a file that is none of ours at all. */
static int add_expected(struct kl_error *err, const char *path, const struct kl_kind *kind)
{
    char maker[64];
    struct stat s;
    int fd = strcmp(path, "-") == 0 ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool file = fd >= 0 && fstat(fd, &s) == 0 && S_ISREG(s.st_mode),
               foreign = file && kl_store_superblock_eof(fd) == 0 && !is_stand_in(fd, s.st_size);
    const struct kl_error why = err ? *err : (struct kl_error){ 0 };
    if (fd >= 0) close(fd);
    name_maker(maker, kind);
    return foreign ? kl_fail(err, KL_EDATA, "%s; expected '%s'%s", why.text, kind->name, maker)
                   : KL_EDATA;
}

int kl_store_file_open_kind(struct kl_file **file, const char *path, const struct kl_kind *kind,
                            struct kl_error *err)
{
    int rc = kl_store_file_open(file, path, err);
    if (rc == KL_EDATA) return add_expected(err, path, kind);
    if (!rc && strcmp(kl_store_file_kind(*file), kind->name)) {
        rc = kl_store_fail_kind(err, path, kl_store_file_kind(*file), kind);
        kl_store_file_close(file);
    }
    return rc;
}

const struct kl_kind *kl_store_kind_find(const struct kl_kind *const *kinds, const struct kl_file *file)
{
    static const struct kl_kind none = { .name = "" };
    for (; *kinds; kinds++)
        if (strcmp((*kinds)->name, kl_store_file_kind(file)) == 0) return *kinds;
    return &none;
}

int kl_store_kind_version(const struct kl_kind *kind, const char *stage, int first,
                          const json_t *options)
{
    int version = first;
    for (const struct kl_kind_revision *r = kind->revisions; r && r->stage; r++)
        if (strcmp(r->stage, stage) == 0 && r->version > version &&
            (!r->applies || r->applies(options, NULL)))
            version = r->version;
    return version;
}

bool kl_store_option_is(const json_t *options, const char *name, const char *is)
{
    const json_t *value = json_object_get(options, name);
    if (!value || json_is_null(value) || json_is_false(value)) return false;
    const char *text = json_string_value(value);
    return !is || (text && strcmp(text, is) == 0);
}
