/* SPDX-License-Identifier: MIT
   cache verify: every digest of a file. */
#include "cache/cache.h"

int kl_cache_verify(struct kl_cache *c, struct kl_error *err)
{
    size_t bad = 0;
    if (!c->n) return kl_fail(err, KL_EUSAGE, "no file; give one or more");
    for (size_t i = 0; i < c->n; i++) {
        struct kl_file *file = NULL;
        struct kl_error why = { 0 };
        int code = kl_store_file_open(&file, c->args[i], &why);
        if (!code) code = kl_store_file_verify(file, NULL, &why);
        kl_store_file_close(&file);
        if (code == KL_ENOMEM) { /* that is not the file's fault */
            *err = why;
            return code;
        }
        bad += code != 0;
        const struct kl_json_pair pairs[] = { { "path", KL_JSON_TEXT, c->args[i], 0 },
                                              { "whole", KL_JSON_BOOL, NULL, code == 0 },
                                              { "problem", KL_JSON_TEXT, why.text, 0 } };
        if (c->common->json && kl_json_line(c->out, pairs, 3, err)) return err->code;
        if (!c->common->json && !code && !c->common->quiet) fprintf(c->out, "%s: whole\n", c->args[i]);
        if (code) kl_note(c->log, 0, "%s", why.text);
    }
    return bad ? kl_fail(err, KL_ENO, "%zu of %zu file%s %s not whole", bad, c->n, kl_s(c->n),
                         bad == 1 ? "is" : "are")
               : KL_OK;
}
