/* SPDX-License-Identifier: MIT
   What lies in a file's place under its name: the pointer that a clone without git-lfs or git-annex
   leaves, the page that a failed download leaves. Each begins with words that no format of data has. */
#include <string.h>
#include <strings.h>

#include "base/base.h"

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
