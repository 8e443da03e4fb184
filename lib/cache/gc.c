/* SPDX-License-Identifier: MIT
   cache gc: leftovers of dead runs, and files long unused. */
#include "cache/cache.h"

#include <string.h>

static void print_gc(void *context, const char *path, const char *why, uint64_t bytes, int error)
{
    struct kl_cache *c = context;
    const char *problem = error ? strerror(error) : "";
    const struct kl_json_pair pairs[] = { { "path", KL_JSON_TEXT, path, 0 },
                                          { "why", KL_JSON_TEXT, why, 0 },
                                          { "bytes", KL_JSON_COUNT, NULL, (double)bytes },
                                          { "removed", KL_JSON_BOOL, NULL, c->apply && !error },
                                          { "problem", KL_JSON_TEXT, problem, 0 } };
    if (c->common->json) kl_json_line(c->out, pairs, 5, &c->problem);
    else if (!c->common->quiet && error)
        fprintf(c->out, "cannot remove %s (%s, %llu bytes): %s\n", path, why, (unsigned long long)bytes,
                problem);
    else if (!c->common->quiet)
        fprintf(c->out, "%s %s (%s, %llu bytes)\n", c->apply ? "removed" : "would remove", path, why,
                (unsigned long long)bytes);
}

static void sum_up(const struct kl_cache *c, const char *folder, const struct kl_gc *work)
{
    if (!work->n && !work->n_left) fprintf(c->out, "%s: nothing to remove", folder);
    else
        fprintf(c->out, "%s: %zu file%s, %llu bytes%s", folder, work->n, kl_s(work->n),
                (unsigned long long)work->bytes,
                c->apply ? " removed" : "; nothing was removed, --apply does");
    if (work->n_left) fprintf(c->out, "; %zu could not be removed", work->n_left);
    if (work->n_unlisted)
        fprintf(c->out, "; %zu folder%s not seen through", work->n_unlisted,
                work->n_unlisted == 1 ? " was" : "s were");
    fputc('\n', c->out);
}

int kl_cache_gc(struct kl_cache *c, struct kl_error *err)
{
    const char *folder = kl_cache_folder(c, ".");
    struct kl_gc work = {
        .max_age = c->older_than * 86400, .dry = !c->apply, .each = print_gc, .context = c
    };
    int code = kl_cache_one_folder(c, err);
    /* Whoever forgot KETLINE_STORE must not lose what lies below the folder here. */
    if (!code && c->older_than > 0 && !kl_cache_folder(c, NULL))
        code = kl_fail(err, KL_EUSAGE,
                       "--older-than removes results: name the folder, give --store DIR, or set "
                       "KETLINE_STORE");
    if (!code) code = kl_store_gc(folder, &work, err);
    if ((!code || work.passed.n) && !c->common->json) sum_up(c, folder, &work);
    if (!code && c->problem.code) *err = c->problem, code = err->code;
    return code;
}
