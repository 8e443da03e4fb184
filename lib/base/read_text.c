/* SPDX-License-Identifier: MIT
   A short text from a file or a pipe: a configuration, a circuit, a calibration, claims. */
#include <stdlib.h>

#include "base/base.h"

int kl_read_text(char **text, size_t *n, const char *path, size_t most, const char *expected,
                 struct kl_error *err)
{
    *text = NULL;
    int code = kl_no_folder(path, err);
    if (code) return code;
    FILE *file = fopen(path, "re");
    if (!file) return kl_fail_errno(err, KL_ENOINPUT, "%s: cannot be opened", path);
    char *all = malloc(most + 1);
    *n = all ? fread(all, 1, most + 1, file) : 0;
    if (!all) code = kl_fail_memory(err, most + 1);
    else if (ferror(file)) code = kl_fail_errno(err, KL_EIO, "%s: cannot be read", path);
    else if (*n > most)
        code = kl_fail(err, KL_EDATA, "%s: more than %zu bytes, expected %s", path, most, expected);
    else all[*n] = 0;
    fclose(file);
    if (!code) code = kl_no_stand_in(all, *n, path, err);
    if (code) free(all);
    else *text = all;
    return code;
}
