/* SPDX-License-Identifier: MIT */
#include "cache/cache.h"

static void print_gc(void *context, const char *path, const char *why, uint64_t bytes)
{
    struct kl_cache *c = context;
    const struct kl_json_pair pairs[] = { { "path", KL_JSON_TEXT, path, 0 },
                                          { "why", KL_JSON_TEXT, why, 0 },
                                          { "bytes", KL_JSON_COUNT, NULL, (double)bytes },
                                          { "removed", KL_JSON_BOOL, NULL, c->apply } };
    if (c->common->json) kl_json_line(c->out, pairs, 4, &c->problem);
    else if (!c->common->quiet)
        fprintf(c->out, "%s %s (%s, %llu bytes)\n", c->apply ? "removed" : "would remove", path, why,
                (unsigned long long)bytes);
}

int kl_cache_gc(struct kl_cache *c, struct kl_error *err)
{
    const char *folder = kl_cache_folder(c, ".");
    struct kl_gc work = {
        .max_age = c->older_than * 86400, .dry = !c->apply, .each = print_gc, .context = c
    };
    int code = kl_store_gc(folder, &work, err);
    if (!code && !c->common->json)
        fprintf(c->out, "%s: %zu file%s, %llu bytes%s\n", folder, work.n, kl_s(work.n),
                (unsigned long long)work.bytes,
                c->apply ? " removed" : "; nothing was removed, --apply does");
    return code;
}
