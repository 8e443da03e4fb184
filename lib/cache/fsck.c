/* SPDX-License-Identifier: MIT
   cache fsck: every file of a store, damaged ones put aside. */
#include "cache/cache.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "store/describe.h"

/* NAME.damaged, or NAME.damaged.2 and so on: what was put aside before stays. False: too long. */
static bool name_aside(char *aside, size_t size, const char *path)
{
    struct stat s;
    int length = snprintf(aside, size, "%s.damaged", path);
    for (int k = 2; length < (int)size && lstat(aside, &s) == 0; k++)
        length = snprintf(aside, size, "%s.damaged.%d", path, k);
    return length < (int)size;
}

static int check_found(void *context, const struct kl_found *f)
{
    struct kl_cache *c = context;
    char aside[4096];
    c->n_seen++;
    if (!f->code) return 0;
    c->n_unread += f->code != KL_EDATA;
    if (kl_cache_found(c, f) || !c->repair || f->code != KL_EDATA) return c->problem.code;
    if (!kl_store_found_is_ours(f)) {
        kl_note(c->log, 0, "%s: left where it is: nothing shows that ketline wrote it", f->path);
    } else if (!name_aside(aside, sizeof aside, f->path)) {
        kl_note(c->log, 0, "%s: cannot be renamed: %s", f->path, strerror(ENAMETOOLONG));
    } else if (rename(f->path, aside) == 0) {
        c->n_aside++;
        kl_note(c->log, 1, "%s: put aside as %s", f->path, aside);
    } else {
        kl_note(c->log, 0, "%s: cannot be renamed: %s", f->path, strerror(errno));
    }
    return 0;
}

int kl_cache_fsck(struct kl_cache *c, struct kl_error *err)
{
    size_t bad = 0;
    const char *folder = kl_cache_folder(c, NULL);
    if (!folder)
        return kl_fail(err, KL_EUSAGE, "no folder; name one, give --store DIR, or set KETLINE_STORE");
    int code = kl_cache_one_folder(c, err);
    if (!code) code = kl_store_walk(folder, true, check_found, c, &bad, err);
    bad -= c->n_unread;
    if (!code && c->n_unread)
        code = kl_fail(err, KL_EIO, "%s: %zu file%s cannot be read", folder, c->n_unread,
                       kl_s(c->n_unread));
    if (code == KL_EIO && bad) { /* the answer is no, whatever lies in what cannot be read */
        kl_note(c->log, 0, "%s", err->text);
        code = KL_OK;
    }
    if (!code && c->problem.code) *err = c->problem, code = err->code;
    if (code) return code;
    if (bad && c->repair)
        return kl_fail(err, KL_ENO, "%s: %zu file%s not whole, %zu put aside", folder, bad,
                       bad == 1 ? " is" : "s are", c->n_aside);
    if (bad)
        return kl_fail(err, KL_ENO, "%s: %zu file%s not whole; --repair puts %s aside", folder, bad,
                       bad == 1 ? " is" : "s are", bad == 1 ? "it" : "them");
    if (c->common->quiet || c->common->json) return KL_OK;
    if (!c->n_seen) fprintf(c->out, "%s: has no .h5 files\n", folder);
    else fprintf(c->out, "%s: %zu file%s, every one whole\n", folder, c->n_seen, kl_s(c->n_seen));
    return KL_OK;
}
