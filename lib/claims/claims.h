/* SPDX-License-Identifier: MIT
   claims: published numbers held against finished files. A claim names a number of a file, the range in
   which it must lie and where that is published; docs/verify.md gives the form of the list. */
#ifndef KL_CLAIMS_H
#define KL_CLAIMS_H

#include "store/mode.h"

enum kl_verdict { KL_NOT_RUN, KL_PASS, KL_FAIL, KL_VERDICTS };
enum { KL_CLAIM_WHY = 400 };

struct kl_claim {
    const char *what, *phase, *source; /* into the list's JSON; phase and source may be "" */
    const char *file;                  /* relative to the list's folder */
    const char *dataset, *attribute;   /* a number of a dataset at index; or an attribute, of the root if
                                          dataset is "" */
    size_t index[KL_MAX_RANK];
    int n_index;
    double low, high; /* closed */
    /* from kl_claims_check */
    enum kl_verdict verdict;
    double value;           /* NaN: not run */
    char key[65];           /* of the file that it comes from, or "" */
    char why[KL_CLAIM_WHY]; /* not run: why */
};
struct kl_claims {
    struct json_t *json;
    char *folder;                 /* with its slash, or "" */
    const char *data;             /* SHA-256 of the input that every file must come from, or NULL */
    const struct json_t *options; /* file: tool: option: value, with which files must be made, or NULL */
    struct kl_claim *claims;
    size_t n, verdicts[KL_VERDICTS];
};

/* Read the list. KL_ENOINPUT; KL_EDATA names the claim and what is wrong with it; KL_ENOMEM. */
int kl_claims_read(struct kl_claims *claims, const char *path, struct kl_error *err);
/* Hold every claim against its file. A number counts only if the file is whole (every block), was
   written by this version, and comes from the list's data, made with its options; else the claim is not
   run, and says why. A damaged file is an error. KL_EDATA, KL_EIO, KL_ENOMEM, KL_ESIGNAL. */
int kl_claims_check(struct kl_claims *claims, struct kl_error *err);
/* A line a claim, the worst verdicts last. */
void kl_claims_table(FILE *to, const struct kl_claims *claims);
/* One JSON object: counts, counts of each phase, every claim with value, range, verdict and key. */
int kl_claims_json(FILE *to, const struct kl_claims *claims, struct kl_error *err);
void kl_claims_free(struct kl_claims *claims);

extern const struct kl_mode kl_mode_verify; /* of qeval */
extern const struct kl_tool kl_verify_tool; /* its table, for tool->parts */
extern const char *const kl_verdict_names[KL_VERDICTS];

#endif
