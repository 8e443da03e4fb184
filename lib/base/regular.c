/* SPDX-License-Identifier: MIT
   No file where one is expected: a folder can be opened, and reading it then fails in other words. */
#include <sys/stat.h>

#include "base/base.h"

static int is_folder(const char *path, struct kl_error *err)
{
    return kl_fail(err, KL_ENOINPUT, "%s: is a folder, expected a file", path);
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
