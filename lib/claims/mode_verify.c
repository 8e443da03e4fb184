/* SPDX-License-Identifier: MIT
   qeval --verify CLAIMS.json: published numbers against finished files. */
#include "claims/claims.h"

struct values {
    struct kl_common common;
    bool verify, strict;
};

#define AT(field) offsetof(struct values, field)
static const struct kl_option options[] = {
    { "verify", 0, KL_OPT_FLAG, AT(verify), NULL, 0, 0, false, "claims, not heads", "Verdict", NULL },
    { "strict", 0, KL_OPT_FLAG, AT(strict), NULL, 0, 0, false,
      "status 1 as well where a claim could not be checked", NULL, NULL },
};
const struct kl_tool kl_verify_tool = {
    .name = "qeval",
    .summary = "Holds published numbers against finished files; status 1 if one is not met",
    .arguments = "--verify CLAIMS.json",
    .example = "qeval --verify pipelines/qrng-claims.json --strict",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .without = "output store force dry-run key seed threads note no-provenance progress",
    .chosen_by = "--verify",
};

static int run(struct kl_mode_run *run, struct kl_error *err)
{
    const struct values *v = run->values;
    const struct kl_stage *stage = &run->stage;
    struct kl_claims claims;
    int code = kl_claims_read(&claims, stage->inputs[0], err);
    if (!code) code = kl_claims_check(&claims, err);
    const size_t *n = claims.verdicts;
    if (!code && v->common.json) code = kl_claims_json(run->out, &claims, err);
    else if (!code && !v->common.quiet) {
        kl_claims_table(run->out, &claims);
        fprintf(run->out, "%s: %zu passed, %zu failed, %zu not run\n", stage->inputs[0], n[KL_PASS],
                n[KL_FAIL], n[KL_NOT_RUN]);
    }
    if (!code && n[KL_FAIL])
        code = kl_fail(err, KL_ENO, "%zu of %zu claims not met", n[KL_FAIL], claims.n);
    if (!code && v->strict && n[KL_NOT_RUN])
        code = kl_fail(err, KL_ENO, "%zu of %zu claims not run (--strict)", n[KL_NOT_RUN], claims.n);
    kl_claims_free(&claims);
    return code;
}

const struct kl_mode kl_mode_verify = { .tool = &kl_verify_tool, .run = run };
