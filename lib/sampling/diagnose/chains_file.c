/* SPDX-License-Identifier: MIT
   A file of kind `chains`, read: its ladder and its traces. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/diagnose/diagnose.h"
#include "store/kind.h"
#include "store/store.h"

/* The room that writes the kind stands above this one. */
static const struct kl_kind chains_kind = { .name = "chains", .maker = "sgld sample" };

static int check_ladder(const struct kl_sampling_chains *c, struct kl_error *err)
{
    for (size_t b = 0; b < c->n_betas; b++) {
        if (!isfinite(c->beta[b]) || c->beta[b] < 0)
            return kl_fail(err, KL_EDATA,
                           "%s: ladder/beta: %g of temperature %zu is no inverse temperature",
                           kl_store_file_path(c->file), c->beta[b], b);
        if (c->draws[b] < 0 || (size_t)c->draws[b] > c->most_draws)
            return kl_fail(
                err, KL_EDATA,
                "%s: ladder/draws: %lld at beta %g, but posterior/train_loss has places for %zu",
                kl_store_file_path(c->file), (long long)c->draws[b], c->beta[b], c->most_draws);
    }
    return KL_OK;
}

int kl_sampling_chains_open(struct kl_sampling_chains *c, const char *path, struct kl_error *err)
{
    const struct kl_dataset *loss, *beta;
    *c = (struct kl_sampling_chains){ 0 };
    int code = kl_store_file_open_kind(&c->file, path, &chains_kind, err);
    if (!code) code = kl_store_file_check_once(c->file, err);
    if (!code) code = kl_store_file_expect(&loss, c->file, "posterior/train_loss", KL_TYPE_F32, 3, err);
    if (!code) code = kl_store_file_expect(&beta, c->file, "ladder/beta", KL_TYPE_F64, 1, err);
    if (code) return code;
    c->chains = loss->dims[0], c->most_draws = loss->dims[1], c->n_betas = beta->dims[0];
    if (loss->dims[2] != c->n_betas || !c->chains || !c->n_betas)
        return kl_fail(
            err, KL_EDATA,
            "%s: posterior/train_loss is of %zu chains and %zu temperatures, expected some and as many "
            "as ladder/beta has, %zu",
            path, c->chains, loss->dims[2], c->n_betas);
    code = kl_store_file_load((void **)&c->beta, c->file, beta, err);
    if (!code)
        code = kl_store_file_load_shape((void **)&c->draws, c->file, "ladder/draws", KL_TYPE_I64, 1,
                                        &c->n_betas, err);
    return code ? code : check_ladder(c, err);
}

void kl_sampling_chains_close(struct kl_sampling_chains *c)
{
    kl_store_file_close(&c->file);
    free(c->beta), free(c->draws);
    c->beta = NULL, c->draws = NULL;
}

int kl_sampling_chains_load(float **all, const struct kl_sampling_chains *c, const char *name,
                            struct kl_error *err)
{
    const size_t dims[3] = { c->chains, c->most_draws, c->n_betas };
    *all = NULL;
    if (!kl_store_file_find(c->file, name)) return KL_OK;
    return kl_store_file_load_shape((void **)all, c->file, name, KL_TYPE_F32, 3, dims, err);
}

size_t kl_sampling_chains_trace(double *x, const float *all, const struct kl_sampling_chains *c,
                                size_t b)
{
    const size_t most = (size_t)c->draws[b], step = c->n_betas, chain = c->most_draws * step;
    size_t kept = 0;
    for (size_t t = 0; t < most; t++) {
        bool there = false;
        for (size_t i = 0; i < c->chains; i++) there |= !isnan(all[i * chain + t * step + b]);
        if (!there) continue;
        for (size_t i = 0; i < c->chains; i++) x[i * most + kept] = all[i * chain + t * step + b];
        kept++;
    }
    for (size_t i = 1; i < c->chains && kept < most; i++)
        memmove(x + i * kept, x + i * most, kept * sizeof *x);
    return kept;
}
