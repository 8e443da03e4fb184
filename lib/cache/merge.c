/* SPDX-License-Identifier: MIT
   cache merge: one file from the shards of a run. */
#include "cache/cache.h"

#include <string.h>

#include "store/shard.h"

int kl_cache_merge(struct kl_cache *c, struct kl_error *err)
{
    if (!c->n || !c->common->output)
        return kl_fail(err, KL_EUSAGE, "expected: cache merge SHARD... -o OUTPUT");
    const char *output = c->common->output;
    bool done = !c->common->force && kl_store_merged_before(output, c->args[0]);
    bool quiet = c->common->quiet || strcmp(output, "-") == 0;
    int code = done ? KL_OK : kl_store_merge(output, c->args, c->n, c->common, err);
    const struct kl_json_pair pairs[] = { { "output", KL_JSON_TEXT, output, 0 },
                                          { "shards", KL_JSON_COUNT, NULL, (double)c->n },
                                          { "status", KL_JSON_TEXT, done ? "up to date" : "computed",
                                            0 } };
    if (!code && !quiet && c->common->json) code = kl_json_line(c->out, pairs, 3, err);
    else if (!code && !quiet && done) fprintf(c->out, "%s: up to date\n", output);
    else if (!code && !quiet) fprintf(c->out, "%s: merged from %zu shard%s\n", output, c->n, kl_s(c->n));
    return code;
}
