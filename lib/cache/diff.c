/* SPDX-License-Identifier: MIT
   cache diff: why two keys differ. */
#include "cache/cache.h"

#include <stdlib.h>
#include <string.h>

/* The lines of a difference, or a JSON object of them. */
static int print_difference(const struct kl_cache *c, bool same, const char *text, struct kl_error *err)
{
    const struct kl_json_pair pairs[] = { { "equal", KL_JSON_BOOL, NULL, same },
                                          { "differences", KL_JSON_TEXT, text, 0 } };
    if (c->common->json) return kl_json_line(c->out, pairs, 2, err);
    fputs(same ? "the keys are equal\n" : text, c->out);
    return KL_OK;
}

int kl_cache_diff(struct kl_cache *c, struct kl_error *err)
{
    struct kl_file *a = NULL, *b = NULL;
    char *text = NULL;
    if (c->n != 2)
        return kl_fail(err, KL_EUSAGE, "found %zu file%s, expected two; see --help", c->n, kl_s(c->n));
    int code = kl_store_file_open(&a, c->args[0], err);
    if (!code) code = kl_store_file_open(&b, c->args[1], err);
    if (!code) code = kl_store_file_diff(&text, a, b, err);
    bool same = !code && strcmp(kl_store_file_key(a), kl_store_file_key(b)) == 0;
    if (!code) code = print_difference(c, same, text, err);
    free(text);
    kl_store_file_close(&a);
    kl_store_file_close(&b);
    if (code || same) return code;
    *err = (struct kl_error){ .code = KL_ENO };
    return KL_ENO;
}
