/* SPDX-License-Identifier: MIT
   A file that is read whole, from a pipe as well: a configuration, a circuit, a calibration, claims; an
   array. */
#include <stdlib.h>

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

int kl_read_text(char **text, size_t *n, const char *path, size_t most, const char *expected,
                 struct kl_error *err)
{
    return kl_read_bytes(text, n, path, most, expected, err);
}
