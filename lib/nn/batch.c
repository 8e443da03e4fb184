/* SPDX-License-Identifier: MIT
   The order of samples in the batches of an epoch, from Philox or as PyTorch draws it. */
#include "nn/nn.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/inline/philox.h"

enum { N = 624, M = 397 };

void kl_nn_mersenne_seed(struct kl_nn_mersenne *m, uint32_t seed)
{
    m->state[0] = seed;
    for (uint32_t i = 1; i < N; i++)
        m->state[i] = 1812433253u * (m->state[i - 1] ^ m->state[i - 1] >> 30) + i;
    m->at = N, m->has_normal = false;
}

static void renew(uint32_t *s)
{
    for (int i = 0; i < N; i++) {
        const uint32_t y = (s[i] & 0x80000000u) | (s[(i + 1) % N] & 0x7fffffffu);
        s[i] = s[(i + M) % N] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
    }
}

uint32_t kl_nn_mersenne_word(struct kl_nn_mersenne *m)
{
    if (m->at == N) renew(m->state), m->at = 0;
    uint32_t y = m->state[m->at++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

double kl_nn_mersenne_unit(struct kl_nn_mersenne *m)
{
    const uint32_t a = kl_nn_mersenne_word(m) >> 5, b = kl_nn_mersenne_word(m) >> 6;
    return ((double)a * 0x1p26 + (double)b) * 0x1p-53;
}

double kl_nn_mersenne_normal(struct kl_nn_mersenne *m)
{
    double x, y, r2;
    if (m->has_normal) {
        m->has_normal = false;
        return m->normal;
    }
    do {
        x = 2 * kl_nn_mersenne_unit(m) - 1, y = 2 * kl_nn_mersenne_unit(m) - 1;
        r2 = x * x + y * y;
    } while (r2 >= 1 || r2 == 0);
    const double f = sqrt(-2 * log(r2) / r2);
    m->normal = f * x, m->has_normal = true;
    return f * y;
}

uint32_t kl_nn_mersenne_below(struct kl_nn_mersenne *m, uint32_t most)
{
    uint32_t mask = most, value;
    for (int k = 1; k < 32; k *= 2) mask |= mask >> k;
    do value = kl_nn_mersenne_word(m) & mask;
    while (value > most);
    return value;
}

void kl_nn_mersenne_permute(struct kl_nn_mersenne *m, int64_t *values, size_t n)
{
    for (size_t i = n; i-- > 1;) {
        const size_t j = kl_nn_mersenne_below(m, (uint32_t)i);
        const int64_t value = values[i];
        values[i] = values[j], values[j] = value;
    }
}

/* ---- Which samples train, which validate, and in what order ---- */

/* A whole number in [0, bound) from 64 random bits; the bias is philox_below bound / 2^64. */
static uint64_t philox_below(uint64_t bound, uint64_t seed, uint64_t i, uint32_t purpose, uint32_t step)
{
    uint32_t w[4];
    kl_philox(w, seed, (uint32_t)i, purpose, step, (uint32_t)(i >> 32));
    uint64_t bits = (uint64_t)w[1] << 32 | w[0];
    return (uint64_t)(((unsigned __int128)bits * bound) >> 64);
}

static void permute(int64_t *order, size_t n, uint64_t seed, uint32_t purpose, uint32_t step)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)philox_below(i, seed, i, purpose, step);
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

/* What goes to validation: a fraction, or of so many folds one. */
struct held {
    double fraction;
    size_t fold, folds; /* folds 0: the fraction */
};

static int split(int64_t **training, size_t *n_training, int64_t **validation, size_t *n_validation,
                 const int32_t *labels, size_t n, size_t classes, struct held held, uint64_t seed,
                 struct kl_error *err)
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
       Folds take turns, from class to class. */
    size_t seen = 0, taken = 0;
    for (size_t c = 0; c < classes; c++) {
        size_t count = 0;
        for (size_t i = 0; i < n; i++)
            if ((size_t)labels[i] == c) members[count++] = (int64_t)i;
        permute(members, count, seed, KL_RANDOM_SPLIT, (uint32_t)c);
        for (size_t i = 0; i < count && held.folds; i++)
            chosen[members[i]] = (seen + i) % held.folds == held.fold;
        seen += count;
        if (held.folds) continue;
        size_t share = (size_t)llround((double)seen * held.fraction) - taken;
        if (share > count) share = count;
        for (size_t i = 0; i < share; i++) chosen[members[i]] = true;
        taken += share;
    }
    *n_training = *n_validation = 0;
    for (size_t i = 0; i < n; i++)
        if (chosen[i]) (*validation)[(*n_validation)++] = (int64_t)i;
        else (*training)[(*n_training)++] = (int64_t)i;
    if (held.folds && (*n_training == 0 || *n_validation == 0))
        code =
            kl_fail(err, KL_EDATA, "fold %zu of %zu: %zu samples leave %zu to train and %zu to validate",
                    held.fold, held.folds, n, *n_training, *n_validation);
    else if (*n_training == 0 || (held.fraction > 0 && *n_validation == 0))
        code = kl_fail(
            err, KL_EDATA,
            "validation split: %zu samples at fraction %g leave %zu to train and %zu to validate", n,
            held.fraction, *n_training, *n_validation);
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

int kl_nn_split_stratified(int64_t **training, size_t *n_training, int64_t **validation,
                           size_t *n_validation, const int32_t *labels, size_t n, size_t classes,
                           double fraction, uint64_t seed, struct kl_error *err)
{
    return split(training, n_training, validation, n_validation, labels, n, classes,
                 (struct held){ .fraction = fraction }, seed, err);
}

int kl_nn_split_fold(int64_t **training, size_t *n_training, int64_t **validation, size_t *n_validation,
                     const int32_t *labels, size_t n, size_t classes, size_t fold, size_t folds,
                     uint64_t seed, struct kl_error *err)
{
    return split(training, n_training, validation, n_validation, labels, n, classes,
                 (struct held){ .fold = fold, .folds = folds }, seed, err);
}
