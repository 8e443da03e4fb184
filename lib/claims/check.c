/* SPDX-License-Identifier: MIT
   A published number held against the file that should have it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "claims/claims_int.h"

const char *const kl_verdict_names[KL_VERDICTS] = {
    [KL_NOT_RUN] = "not run", [KL_PASS] = "pass", [KL_FAIL] = "FAIL"
};

/* May numbers of the file be believed? If not, why says so. */
static int check_file(char why[KL_CLAIM_WHY], const struct kl_claims *c, const char *name,
                      struct kl_file *file, struct kl_error *err)
{
    const char *version = strrchr(kl_store_file_created_by(file), ' ');
    if (!version || strcmp(version + 1, KL_VERSION) != 0) {
        snprintf(why, KL_CLAIM_WHY, "%.200s was written by %.40s, this is " KL_VERSION "; make it again",
                 kl_store_file_path(file), kl_store_file_created_by(file));
        return KL_OK;
    }
    const int code = kl_store_file_verify(file, NULL, err);
    return code ? code : kl_claims_origin(why, c, name, file, err);
}

static int read_element(struct kl_claim *claim, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *d = kl_store_file_find(file, claim->dataset);
    void *data = NULL;
    size_t at = 0;
    if (!d) {
        snprintf(claim->why, KL_CLAIM_WHY, "%.200s has no dataset %.60s", kl_store_file_path(file),
                 claim->dataset);
        return KL_OK;
    }
    bool fits = claim->n_index == d->rank && d->type != KL_TYPE_F16 && d->type != KL_TYPE_STRING;
    for (int k = 0; fits && k < d->rank; k++) {
        fits = claim->index[k] < d->dims[k];
        at = at * d->dims[k] + claim->index[k];
    }
    if (!fits) {
        snprintf(claim->why, KL_CLAIM_WHY, "%.200s: dataset %.60s has no number at this index (%d axes)",
                 kl_store_file_path(file), claim->dataset, d->rank);
        return KL_OK;
    }
    int code = kl_store_file_load(&data, file, d, err);
    if (!code) claim->value = kl_store_type_number(d->type, data, at);
    free(data);
    return code;
}

static int read_attribute(struct kl_claim *claim, const struct kl_file *file, struct kl_error *err)
{
    struct kl_error why;
    if (!kl_store_file_has_attribute(file, claim->dataset, claim->attribute)) {
        snprintf(claim->why, KL_CLAIM_WHY, "%.200s has no attribute %.60s", kl_store_file_path(file),
                 claim->attribute);
        return KL_OK;
    }
    int code = kl_store_file_number(&claim->value, file, claim->dataset, claim->attribute, &why);
    if (code == KL_ENOMEM) return kl_fail(err, code, "%s", why.text);
    if (code) snprintf(claim->why, KL_CLAIM_WHY, "%.290s", why.text);
    return KL_OK;
}

static void judge(struct kl_claim *claim)
{
    if (*claim->why) {
        claim->verdict = KL_NOT_RUN;
        claim->value = NAN;
    } else
        claim->verdict = claim->value >= claim->low && claim->value <= claim->high ? KL_PASS : KL_FAIL;
}

/* All claims on one file, from claim `first` on: it is opened and verified once. */
static int check_claims(struct kl_claims *c, size_t first, struct kl_error *err)
{
    struct kl_file *file = NULL;
    char path[4200], why[KL_CLAIM_WHY] = "";
    const char *name = c->claims[first].file;
    snprintf(path, sizeof path, "%.2000s%.2000s", *name == '/' ? "" : c->folder, name);
    int code = kl_store_file_open(&file, path, err);
    if (code == KL_ENOINPUT && access(path, F_OK) != 0)
        snprintf(why, sizeof why, "there is no %.200s yet", path), code = KL_OK;
    else if (!code) code = check_file(why, c, name, file, err);
    for (size_t i = first; i < c->n && !code; i++) {
        struct kl_claim *claim = &c->claims[i];
        if (strcmp(claim->file, name) != 0) continue;
        memcpy(claim->why, why, sizeof why);
        if (file) snprintf(claim->key, sizeof claim->key, "%s", kl_store_file_key(file));
        if (!*why)
            code = *claim->attribute ? read_attribute(claim, file, err) : read_element(claim, file, err);
        judge(claim);
        c->verdicts[claim->verdict]++;
    }
    kl_store_file_close(&file);
    return code;
}

int kl_claims_check(struct kl_claims *c, struct kl_error *err)
{
    int code = KL_OK;
    for (size_t i = 0; i < c->n && !code; i++) {
        bool seen = false;
        for (size_t k = 0; k < i && !seen; k++) seen = strcmp(c->claims[k].file, c->claims[i].file) == 0;
        if (kl_signals_pending()) return kl_fail(err, KL_ESIGNAL, "stopped");
        if (!seen) code = check_claims(c, i, err);
    }
    return code;
}
