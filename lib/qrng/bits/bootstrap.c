/* SPDX-License-Identifier: MIT
   Rows drawn with replacement (Efron 1979, doi:10.1214/aos/1176344552): what varies together in a row
   stays together. */
#include <string.h>

#include "kernels/inline/philox.h"
#include "kernels/select.h"
#include "qrng/bits/symbols.h"

/* Places are drawn some at a time, so that the rows are fetched side by side. */
enum { ABREAST = 1024, FEW = 8 };

static void add_rows(int64_t *counts, const uint16_t *values, size_t n_symbols, const uint32_t *rows,
                     size_t n)
{
    if (n_symbols > FEW) {
        for (size_t i = 0; i < n; i++)
            for (size_t s = 0; s < n_symbols; s++) counts[s] += values[rows[i] * n_symbols + s];
        return;
    }
    for (size_t s = 0; s < n_symbols; s++) {
        uint32_t sum = 0;
        for (size_t i = 0; i < n; i++) sum += values[rows[i] * n_symbols + s];
        counts[s] += sum;
    }
}

void kl_bootstrap_counts(int64_t *counts, const uint16_t *values, size_t n_symbols, size_t n,
                         size_t resample, uint64_t seed, uint32_t device)
{
    uint64_t words[ABREAST / 2];
    uint32_t rows[ABREAST];
    memset(counts, 0, n_symbols * sizeof *counts);
    for (size_t first = 0; first < n; first += ABREAST) {
        const size_t some = n - first < ABREAST ? n - first : ABREAST;
        kl_kernels()->bit_noise(words, (some + 1) / 2, seed, (uint32_t)(first / 4), KL_RANDOM_ROWS,
                                (uint32_t)resample, device);
        for (size_t i = 0; i < some; i++)
            rows[i] = (uint32_t)((words[i / 2] >> 32 * (i % 2) & UINT32_MAX) * n >> 32);
        add_rows(counts, values, n_symbols, rows, some);
    }
}
