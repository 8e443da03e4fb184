/* SPDX-License-Identifier: MIT
   What was found, for people and for programs. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "claims/claims.h"

static void write_line(FILE *to, const struct kl_claim *claim)
{
    fprintf(to, "%-8s %-44s ", kl_verdict_names[claim->verdict], claim->what);
    if (claim->verdict == KL_NOT_RUN) fprintf(to, "%s\n", claim->why);
    else
        fprintf(to, "%.9g %s [%.9g, %.9g]%s%s%s\n", claim->value,
                claim->verdict == KL_PASS ? "in" : "not in", claim->low, claim->high,
                *claim->source ? "  (" : "", claim->source, *claim->source ? ")" : "");
}

void kl_claims_table(FILE *to, const struct kl_claims *c)
{
    static const enum kl_verdict order[KL_VERDICTS] = { KL_PASS, KL_NOT_RUN, KL_FAIL };
    for (int v = 0; v < KL_VERDICTS; v++)
        for (size_t i = 0; i < c->n; i++)
            if (c->claims[i].verdict == order[v]) write_line(to, &c->claims[i]);
}

static json_t *counts(const struct kl_claims *c, const char *phase)
{
    size_t n[KL_VERDICTS] = { 0 };
    for (size_t i = 0; i < c->n; i++)
        if (!phase || strcmp(c->claims[i].phase, phase) == 0) n[c->claims[i].verdict]++;
    return json_pack("{s:I, s:I, s:I}", "pass", (json_int_t)n[KL_PASS], "fail", (json_int_t)n[KL_FAIL],
                     "not_run", (json_int_t)n[KL_NOT_RUN]);
}

/* NULL: no memory. Paths and what quotes them may hold any bytes. */
static json_t *describe(const struct kl_claim *claim)
{
    static const char *const words[KL_VERDICTS] = {
        [KL_NOT_RUN] = "not-run", [KL_PASS] = "pass", [KL_FAIL] = "fail"
    };
    json_t *value = isfinite(claim->value) ? json_real(claim->value) : json_null(), *why = NULL;
    if (kl_json_string(&why, claim->why, NULL)) return NULL;
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:f, s:f, s:s, s:s, s:o}", "claim", claim->what, "phase",
                     claim->phase, "verdict", words[claim->verdict], "file", claim->file, "value", value,
                     "low", claim->low, "high", claim->high, "source", claim->source, "key", claim->key,
                     "why", why);
}

int kl_claims_json(FILE *to, const struct kl_claims *c, struct kl_error *err)
{
    json_t *phases = json_object(), *list = json_array();
    char *text = NULL;
    int failed = !phases || !list;
    for (size_t i = 0; i < c->n && !failed; i++) {
        failed = json_array_append_new(list, describe(&c->claims[i]));
        if (!failed && !json_object_get(phases, c->claims[i].phase))
            failed = json_object_set_new(phases, c->claims[i].phase, counts(c, c->claims[i].phase));
    }
    json_t *all = failed ? NULL
                         : json_pack("{s:i, s:o, s:O, s:O}", "schema", 1, "counts", counts(c, NULL),
                                     "phases", phases, "claims", list);
    int code = all ? kl_json_dump_as(&text, all, JSON_COMPACT, err) : kl_fail_memory(err, 4096);
    if (!code) fprintf(to, "%s\n", text);
    free(text);
    json_decref(all);
    json_decref(phases);
    json_decref(list);
    return code;
}
