/* SPDX-License-Identifier: MIT
   Which samples train, which validate, and in what order. */
#include <math.h>
#include <stdlib.h>

#include "kernels/inline/philox.h"
#include "nn/nn.h"

/* A whole number in [0, bound) from 64 random bits; the bias is below bound / 2^64. */
static uint64_t below(uint64_t bound, uint64_t seed, uint64_t i, uint32_t purpose, uint32_t step)
{
    uint32_t w[4];
    kl_philox(w, seed, (uint32_t)i, purpose, step, (uint32_t)(i >> 32));
    uint64_t bits = (uint64_t)w[1] << 32 | w[0];
    return (uint64_t)(((unsigned __int128)bits * bound) >> 64);
}

static void permute(int64_t *order, size_t n, uint64_t seed, uint32_t purpose, uint32_t step)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)below(i, seed, i, purpose, step);
        int64_t kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
}

void kl_nn_shuffle(int64_t *order, const int64_t *from, size_t n, uint64_t seed, uint32_t epoch)
{
    for (size_t i = 0; i < n; i++) order[i] = from[i];
    permute(order, n, seed, KL_RANDOM_SHUFFLE, epoch);
}

int kl_nn_split_stratified(int64_t **training, size_t *n_training, int64_t **validation,
                           size_t *n_validation, const int32_t *labels, size_t n, size_t classes,
                           double fraction, uint64_t seed, struct kl_error *err)
{
    int code = 0;
    *training = malloc((n + 1) * sizeof **training);
    *validation = malloc((n + 1) * sizeof **validation);
    int64_t *members = malloc((n + 1) * sizeof *members);
    bool *chosen = calloc(n + 1, 1);
    if (!*training || !*validation || !members || !chosen) {
        code = kl_fail_memory(err, 3 * n * sizeof *members);
        goto out;
    }
    /* Shares by rounding the running total: each class is within one of its share and the sum is exact.
     */
    size_t seen = 0, taken = 0;
    for (size_t c = 0; c < classes; c++) {
        size_t count = 0;
        for (size_t i = 0; i < n; i++)
            if ((size_t)labels[i] == c) members[count++] = (int64_t)i;
        permute(members, count, seed, KL_RANDOM_SPLIT, (uint32_t)c);
        seen += count;
        size_t share = (size_t)llround((double)seen * fraction) - taken;
        if (share > count) share = count;
        for (size_t i = 0; i < share; i++) chosen[members[i]] = true;
        taken += share;
    }
    *n_training = *n_validation = 0;
    for (size_t i = 0; i < n; i++)
        if (chosen[i]) (*validation)[(*n_validation)++] = (int64_t)i;
        else (*training)[(*n_training)++] = (int64_t)i;
    if (*n_training == 0 || (fraction > 0 && *n_validation == 0))
        code = kl_fail(
            err, KL_EDATA,
            "validation split: %zu samples at fraction %g leave %zu to train and %zu to validate", n,
            fraction, *n_training, *n_validation);
out:
    free(members);
    free(chosen);
    if (code) {
        free(*training);
        free(*validation);
        *training = *validation = NULL;
    }
    return code;
}
