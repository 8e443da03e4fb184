/* SPDX-License-Identifier: MIT
   cache list: the files below a folder; and what all commands that look for files share. */
#include "cache/cache.h"

#include "store/describe.h"

const char *kl_cache_folder(const struct kl_cache *c, const char *fallback)
{
    return c->n ? c->args[0] : c->common->store ? c->common->store : fallback;
}

int kl_cache_one_folder(const struct kl_cache *c, struct kl_error *err)
{
    return c->n <= 1 ? KL_OK : kl_fail_inputs(err, c->args, c->n, 1, "one folder at most");
}

int kl_cache_found(void *context, const struct kl_found *f)
{
    struct kl_cache *c = context;
    if (!c->n_found++ && !c->common->json) kl_store_describe_heading(c->out);
    c->problem.code = kl_store_describe_found(c->out, f, c->common->json, &c->problem);
    return c->problem.code;
}

int kl_cache_list(struct kl_cache *c, struct kl_error *err)
{
    int code = kl_cache_one_folder(c, err);
    if (!code) code = kl_store_walk(kl_cache_folder(c, "."), false, kl_cache_found, c, NULL, err);
    if (!code && c->problem.code) *err = c->problem, code = err->code;
    return code;
}
