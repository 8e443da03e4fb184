/* SPDX-License-Identifier: MIT
   cache push and pull: the files of a store to and from a folder or what rclone knows. */
#include "cache/cache.h"

#include <unistd.h>

#include "store/rclone.h"

static void print_transfer(void *context, const char *path, enum kl_transferred what, const char *why)
{
    static const char *const words[] = { "copied", "was there", "refused" };
    struct kl_cache *c = context;
    const struct kl_json_pair pairs[] = { { "path", KL_JSON_TEXT, path, 0 },
                                          { "status", KL_JSON_TEXT, words[what], 0 },
                                          { "problem", KL_JSON_TEXT, why, 0 } };
    if (c->common->json) kl_json_line(c->out, pairs, 3, &c->problem);
    else if (what == KL_REFUSED) kl_note(c->log, 0, "%s", why);
    else if (what == KL_COPIED) kl_note(c->log, 1, "%s: copied", path);
}

static int transfer(struct kl_cache *c, bool to_store, struct kl_error *err)
{
    const char *store = c->common->store;
    struct kl_transfer t = { .each = print_transfer, .context = c };
    if (c->n != 1)
        return kl_fail(err, KL_EUSAGE,
                       "found %zu places, expected one: a folder, or NAME:PATH; see --help", c->n);
    if (!store) return kl_fail(err, KL_EUSAGE, "no store; give --store DIR, or set KETLINE_STORE");
    const char *from = to_store ? c->args[0] : store, *to = to_store ? store : c->args[0];
    const bool first = !kl_store_is_remote(to) && access(to, F_OK) != 0; /* or its name was mistyped */
    int code = kl_store_is_remote(to) ? KL_OK : kl_store_shared_check(to, err);
    if (code) return code;
    kl_signals_install();
    code = kl_store_transfer(&t, from, to, err);
    if (first && t.n[KL_COPIED]) kl_note(c->log, 1, "new store at %s", to);
    if (code && code != KL_EIO) return code;
    if (!c->common->json && !c->common->quiet)
        fprintf(c->out, "%s: %zu file%s copied, %zu there already\n", to, t.n[KL_COPIED],
                kl_s(t.n[KL_COPIED]), t.n[KL_WAS_THERE]);
    if (!t.n[KL_REFUSED]) return code;
    if (code) kl_note(c->log, 0, "%s", err->text);
    return kl_fail(err, KL_ENO, "%zu file%s not whole and %s not copied", t.n[KL_REFUSED],
                   t.n[KL_REFUSED] == 1 ? " is" : "s are", t.n[KL_REFUSED] == 1 ? "was" : "were");
}

int kl_cache_push(struct kl_cache *c, struct kl_error *err)
{
    return transfer(c, false, err);
}

int kl_cache_pull(struct kl_cache *c, struct kl_error *err)
{
    return transfer(c, true, err);
}
