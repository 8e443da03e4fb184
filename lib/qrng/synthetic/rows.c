/* SPDX-License-Identifier: MIT
   Rows of a device of known law, by counters: 64 random bits for each bit or symbol of each row. */
#include <math.h>
#include <string.h>

#include "kernels/inline/philox.h"
#include "kernels/select.h"
#include "qrng/synthetic/synthetic.h"

enum { BLOCK = 128 /* bits or symbols whose random words are made at once */ };

/* Bits that repeat the one before with probability copy, else are ones with probability q. */
static void chain_row(uint64_t *row, const uint64_t *noise, size_t first, size_t n, double q,
                      double copy, bool *last)
{
    for (size_t i = 0; i < n; i++) {
        const double repeat = kl_philox_unit((uint32_t)noise[i]),
                     value = kl_philox_unit((uint32_t)(noise[i] >> 32));
        if (first + i == 0 || repeat >= copy) *last = value < q;
        row[(first + i) / 64] |= (uint64_t)*last << ((first + i) % 64);
    }
}

/* Symbols 00, 01, 10, 11: the first bit stands first. */
static void pairs_row(uint64_t *row, const uint64_t *noise, size_t first, size_t n, const double *law)
{
    for (size_t i = 0; i < n; i++) {
        const double u = kl_philox_unit((uint32_t)noise[i]);
        const unsigned symbol = (u >= law[0]) + (u >= law[0] + law[1]) + (u >= law[0] + law[1] + law[2]);
        const size_t bit = 2 * (first + i);
        row[bit / 64] |= (uint64_t)(symbol >> 1 | (symbol & 1) << 1) << (bit % 64);
    }
}

void kl_synthetic_rows(uint64_t *words, const struct kl_synthetic_device *d, bool pairs, size_t rows,
                       size_t n_bits, uint64_t seed, uint32_t purpose, uint32_t replica)
{
    const size_t words_per_row = (n_bits + 63) / 64, places = pairs ? n_bits / 2 : n_bits;
    uint64_t noise[BLOCK];
    memset(words, 0, rows * words_per_row * sizeof *words);
    for (size_t r = 0; r < rows; r++, words += words_per_row) {
        const double q = fmin(fmax(d->bias + d->drift * ((double)r / (double)rows - 0.5), 0), 1);
        bool last = false;
        for (size_t first = 0; first < places; first += BLOCK) {
            const size_t n = places - first < BLOCK ? places - first : BLOCK;
            kl_kernels()->bit_noise(noise, n, seed, (uint32_t)first / 2, purpose, (uint32_t)r, replica);
            if (pairs) pairs_row(words, noise, first, n, d->law);
            else chain_row(words, noise, first, n, q, d->copy, &last);
        }
    }
}
