/* SPDX-License-Identifier: MIT
   A file of the kind that a stage reads; of another one, what was expected and which tool makes it. A
   file's kind in a list; which version of a stage a run is of. */
#include <fcntl.h>
#include <jansson.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/describe.h"
#include "store/store_int.h"

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
