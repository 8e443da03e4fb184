/* SPDX-License-Identifier: MIT
   Kept draws of a file of chains as heads. */
#include "sampling/ensemble/ensemble.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "head/features.h"
#include "store/store.h"

static int read_question(struct kl_sampling_heads *h, enum kl_sampling_part *part,
                         struct kl_sampling_head_prior *p, struct kl_file *file, struct kl_error *err)
{
    char *prior = NULL;
    if (!kl_store_file_has_attribute(file, "", KL_HEAD_SAMPLED))
        return kl_fail(err, KL_EDATA,
                       "%s: chains of a network, expected chains of a head, as sgld head writes them",
                       kl_store_file_path(file));
    int code = kl_store_file_text(&h->part, file, "", KL_HEAD_SAMPLED, err);
    if (!code) code = kl_store_file_text(&prior, file, "", "prior", err);
    if (!code) code = kl_store_file_number(&p->sigma, file, "", "prior_sigma", err);
    if (!code) code = kl_store_file_number(&p->angles, file, "", "prior_sigma_angles", err);
    if (!code) code = kl_store_file_number(&p->scales, file, "", "prior_sigma_scales", err);
    const int found = code ? 0 : kl_choice(KL_SAMPLING_PARTS, h->part);
    if (!code && found < 0)
        code = kl_fail(err, KL_EDATA, "%s: " KL_HEAD_SAMPLED ": found '%s', expected " KL_SAMPLING_PARTS,
                       kl_store_file_path(file), h->part);
    if (!code) p->flat = strcmp(prior, "flat") == 0, *part = (enum kl_sampling_part)found;
    free(prior);
    return code;
}

int kl_sampling_head_key_features(struct kl_key *key, const struct kl_file *chains, struct kl_error *err)
{
    json_t *parts = NULL;
    int code = kl_json_parse(&parts, kl_store_file_key_parts(chains), kl_store_file_path(chains), err);
    const char *content = json_string_value(
        json_array_get(json_object_get(json_object_get(parts, "inputs"), "features"), 0));
    if (!code && !content)
        code =
            kl_fail(err, KL_EDATA,
                    "%s: its key names no features, expected chains of a head, as sgld head writes them",
                    kl_store_file_path(chains));
    if (!code) code = kl_store_key_input(key, "features", content, err);
    json_decref(parts);
    return code;
}

/* The temperature at which the chains sample the posterior. */
static int find_posterior(struct kl_sampling_heads *h, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *set;
    double *beta = NULL, n = 0;
    int code = kl_store_file_expect(&set, file, "ladder/beta", KL_TYPE_F64, 1, err);
    if (!code) code = kl_store_file_number(&n, file, "", "n", err);
    if (!code) code = kl_store_file_load((void **)&beta, file, set, err);
    size_t k = 0;
    while (!code && k < set->dims[0] && beta[k] != n) k++;
    if (!code && k == set->dims[0])
        code = kl_fail(err, KL_EDATA, "%s: no temperature beta = %g, the posterior's; add it to --betas",
                       kl_store_file_path(file), n);
    /* Weights are kept of all temperatures, or of the last alone. */
    if (!code && h->kept.rungs == 1 && k + 1 != set->dims[0])
        code = kl_fail(err, KL_EDATA, "%s: weights were kept at beta %g alone, expected %g",
                       kl_store_file_path(file), beta[set->dims[0] - 1], n);
    h->rung = h->kept.rungs == 1 ? 0 : k;
    free(beta);
    return code;
}

static int set(void *context, struct kl_head *head, size_t i, struct kl_error *err)
{
    struct kl_sampling_heads *h = context;
    const int64_t chains = h->kept.chains;
    const int code =
        kl_sampling_kept_read(h->w, &h->kept, h->rung, (int64_t)i % chains, (int64_t)i / chains, err);
    for (size_t k = 0; k < h->layout.size && !code; k++)
        head->params[h->layout.index[k]] = h->layout.scale[k] * h->w[k];
    return code;
}

int kl_sampling_heads_open(struct kl_sampling_heads *h, struct kl_file *file, struct kl_error *err)
{
    enum kl_sampling_part part = KL_SAMPLING_ALL;
    struct kl_sampling_head_prior prior = { 0 };
    struct kl_head *head = NULL;
    *h = (struct kl_sampling_heads){ 0 };
    int code = kl_store_file_check_once(file, err);
    if (!code) code = read_question(h, &part, &prior, file, err);
    if (!code) code = kl_sampling_kept_open(&h->kept, file, err);
    if (!code) code = find_posterior(h, file, err);
    if (!code) code = kl_head_load(&head, file, NULL, 0, NULL, err);
    if (!code) code = kl_sampling_layout_make(&h->layout, &head->model, part, &prior, err);
    if (!code && h->layout.size != h->kept.size)
        code = kl_fail(err, KL_EDATA, "%s: draws of %zu parameters, the head has %zu",
                       kl_store_file_path(file), h->kept.size, h->layout.size);
    if (!code && !(h->w = malloc(h->kept.size * sizeof *h->w)))
        code = kl_fail_memory(err, h->kept.size * sizeof *h->w);
    kl_head_free(&head);
    if (code) return code;
    h->n = (size_t)(h->kept.chains * h->kept.draws);
    h->ensemble = (struct kl_head_ensemble){ h->n, set, h };
    return KL_OK;
}

void kl_sampling_heads_close(struct kl_sampling_heads *h)
{
    kl_sampling_kept_close(&h->kept);
    kl_sampling_layout_free(&h->layout);
    free(h->w);
    free(h->part);
    *h = (struct kl_sampling_heads){ 0 };
}
