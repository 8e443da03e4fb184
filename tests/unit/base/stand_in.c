/* SPDX-License-Identifier: MIT
   What lies in the place of a file: told by its first bytes, and nothing else is taken for it. */
#include <string.h>

#include "base/base.h"
#include "tests/unit/check.h"

static const struct {
    const char *text, *said; /* NULL: nothing */
} cases[] = {
    { "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 46830571\n",
      "w.pth: a pointer of Git LFS, not the file: git lfs pull" },
    { "/annex/objects/SHA256E-s7--0.h5\n", "w.pth: a pointer of git-annex, not the file: git annex get" },
    { "<!DOCTYPE html>\n<html></html>", "w.pth: an HTML page, not the file: fetch it again" },
    { "\xef\xbb\xbf\r\n\t <!doctype HTML PUBLIC", "w.pth: an HTML page, not the file: fetch it again" },
    { "<HTML><head>", "w.pth: an HTML page, not the file: fetch it again" },
    { "<?xml version=\"1.0\"?><Error><Code>NoSuchKey", "w.pth: an XML page, not the file: fetch it again" },
    { "", NULL },
    { " \n", NULL },
    { "version https://git-lfs.github.com/spec", NULL },
    { "<htm", NULL },
    { "OPENQASM 3.0;", NULL },
    { "0110<html>", NULL },
    { "\211HDF\r\n\032\n<html>", NULL },
};

int main(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kl_error err = { 0 };
        const int code = kl_no_stand_in(cases[i].text, strlen(cases[i].text), "w.pth", &err);
        CHECK(code == (cases[i].said ? KL_EDATA : KL_OK), "case %zu: %d", i, code);
        CHECK(strcmp(err.text, cases[i].said ? cases[i].said : "") == 0, "case %zu: %s", i, err.text);
    }
    return failures != 0;
}
