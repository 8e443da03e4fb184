/* SPDX-License-Identifier: MIT
   A file that is read whole, from a pipe as well: a configuration, a circuit, a calibration, claims; an
   array. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/base.h"

/* The rest of a file behind *n bytes that have been read; the room grows with it. */
static int read_all(char **bytes, size_t *n, FILE *file, const char *path, size_t most,
                    const char *expected, struct kl_error *err)
{
    size_t room = 1 << 16;
    for (size_t got = 1; got; *n += got) {
        if (room > most + 1) room = most + 1;
        char *more = realloc(*bytes, room + 1);
        if (!more) return kl_fail_memory(err, room + 1);
        *bytes = more;
        got = fread(more + *n, 1, room - *n, file);
        if (ferror(file)) return kl_fail_errno(err, KL_EIO, "%s: cannot be read", path);
        if (*n + got > most)
            return kl_fail(err, KL_EDATA, "%s: more than %zu bytes, expected %s", path, most, expected);
        if (*n + got == room) room *= 2;
    }
    (*bytes)[*n] = 0;
    return KL_OK;
}

int kl_read_bytes(char **bytes, size_t *n, const char *path, size_t most, const char *expected,
                  struct kl_error *err)
{
    *bytes = NULL;
    *n = 0;
    int code = kl_no_folder(path, err);
    if (code) return code;
    FILE *file = fopen(path, "re");
    if (!file) return kl_fail_errno(err, KL_ENOINPUT, "%s: cannot be opened", path);
    code = read_all(bytes, n, file, path, most, expected, err);
    fclose(file);
    if (!code) code = kl_no_stand_in(*bytes, *n, path, err);
    if (code) free(*bytes), *bytes = NULL, *n = 0;
    return code;
}

/* ---- texts ---- */
/* Units of two bytes, *n bytes of them, as UTF-8: at most 3 bytes for 2. */
static int from_utf16(char **text, size_t *n, bool big_endian, const char *path, struct kl_error *err)
{
    const unsigned char *from = (const unsigned char *)*text;
    char *to = malloc(*n / 2 * 3 + 1), *end = to;
    if (!to) return kl_fail_memory(err, *n / 2 * 3 + 1);
    bool fine = *n % 2 == 0;
    for (size_t i = 0; i < *n && fine; i += 2) {
        uint32_t c = (uint32_t)from[i + !big_endian] << 8 | from[i + big_endian];
        if (c >= 0xd800 && c < 0xe000) { /* the first of two units */
            const uint32_t low =
                i + 3 < *n ? (uint32_t)from[i + 2 + !big_endian] << 8 | from[i + 2 + big_endian] : 0;
            fine = c < 0xdc00 && low >= 0xdc00 && low < 0xe000;
            c = 0x10000 + ((c & 0x3ff) << 10) + (low & 0x3ff);
            i += 2;
        }
        end = kl_put_utf8(end, c);
    }
    *end = 0;
    free(*text);
    *text = to, *n = (size_t)(end - to);
    return fine ? KL_OK
                : kl_fail(err, KL_EDATA, "%s: begins as a text in UTF-16 and is none; save it as UTF-8",
                          path);
}

int kl_read_text(char **text, size_t *n, const char *path, size_t most, const char *expected,
                 struct kl_error *err)
{
    int code = kl_read_bytes(text, n, path, most, expected, err);
    if (code) return code;
    const bool utf8 = *n >= 3 && memcmp(*text, "\xef\xbb\xbf", 3) == 0,
               little = *n >= 2 && memcmp(*text, "\xff\xfe", 2) == 0,
               big = *n >= 2 && memcmp(*text, "\xfe\xff", 2) == 0;
    const size_t mark = utf8 ? 3 : little || big ? 2 : 0;
    *n -= mark;
    if (mark) memmove(*text, *text + mark, *n + 1);
    if (little || big) code = from_utf16(text, n, big, path, err);
    if (code) free(*text), *text = NULL, *n = 0;
    return code;
}

/* ---- No file where one is expected: a folder can be opened, and reading it then fails in other words
   ---- */

static int is_folder(const char *path, struct kl_error *err)
{
    static const char folds[] = ".folds"; /* what a model of one for each person has beside it */
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/') n--;
    const bool holds = n >= sizeof folds && strncmp(path + n - strlen(folds), folds, strlen(folds)) == 0;
    return kl_fail(err, KL_ENOINPUT, "%s: is a folder, expected a file%s%.*s%s", path,
                   holds ? "; of those in it, " : "", holds ? (int)n : 0, path, holds ? "/*.h5" : "");
}

int kl_no_folder(const char *path, struct kl_error *err)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode) ? is_folder(path, err) : KL_OK;
}

int kl_regular(const struct stat *s, const char *path, struct kl_error *err)
{
    if (S_ISREG(s->st_mode)) return KL_OK;
    if (S_ISDIR(s->st_mode)) return is_folder(path, err);
    return kl_fail(err, KL_ENOINPUT,
                   "%s: is a pipe or a device, expected a file; write what it gives to one", path);
}

/* ---- What lies in a file's place under its name: the pointer that a clone without git-lfs or git-annex
   leaves, the page that a failed download leaves. Each begins with words that no format of data has
   ---- */

static const struct {
    const char *begin, *what;
} stand_ins[] = {
    { "version https://git-lfs.github.com/spec/", "a pointer of Git LFS, not the file: git lfs pull" },
    { "/annex/objects/", "a pointer of git-annex, not the file: git annex get" },
    { "<!doctype html", "an HTML page, not the file: fetch it again" },
    { "<html", "an HTML page, not the file: fetch it again" },
    { "<?xml", "an XML page, not the file: fetch it again" },
};

int kl_no_stand_in(const void *first, size_t n, const char *path, struct kl_error *err)
{
    const char *text = first, *const end = text + n;
    if (n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) text += 3;
    while (text < end && memchr(" \t\r\n", *text, 4)) text++;
    for (size_t i = 0; i < sizeof stand_ins / sizeof *stand_ins; i++) {
        const size_t length = strlen(stand_ins[i].begin);
        if ((size_t)(end - text) >= length && strncasecmp(text, stand_ins[i].begin, length) == 0)
            return kl_fail(err, KL_EDATA, "%s: %s", path, stand_ins[i].what);
    }
    return KL_OK;
}
