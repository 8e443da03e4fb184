/* SPDX-License-Identifier: MIT
   A folder where a file is expected: opening one succeeds, and reading it then fails in other words. */
#include <sys/stat.h>

#include "base/base.h"

int kl_no_folder(const char *path, struct kl_error *err)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode)
               ? kl_fail(err, KL_ENOINPUT, "%s: is a folder, expected a file", path)
               : KL_OK;
}
