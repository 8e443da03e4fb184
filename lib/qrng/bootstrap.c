/* SPDX-License-Identifier: MIT
   Rows drawn with replacement (Efron 1979, doi:10.1214/aos/1176344552): what varies together in a row
   stays together. */
#include <string.h>

#include "kernels/inline/philox.h"
#include "qrng/tournament_int.h"

void kl_bootstrap_counts(int64_t *counts, const struct kl_row_features *f, const size_t *rows, size_t n,
                         size_t resample, uint64_t seed, uint32_t device)
{
    uint32_t words[4] = { 0 };
    memset(counts, 0, f->n_symbols * sizeof *counts);
    for (size_t i = 0; i < n; i++) {
        if (i % 4 == 0)
            kl_philox(words, seed, (uint32_t)(i / 4), KL_RANDOM_ROWS, (uint32_t)resample, device);
        const size_t row = rows[(uint64_t)words[i % 4] * n >> 32];
        for (size_t s = 0; s < f->n_symbols; s++) counts[s] += f->values[row * f->n + s];
    }
}
