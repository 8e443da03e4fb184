/* SPDX-License-Identifier: MIT
   Extractors against their definitions: the Toeplitz matrix element by element, von Neumann's rule pair
   by pair and over all outcomes; the leftover bound by hand. */
#include "qrng/extractor/extractor.h"
#include "qrng/nist/nist.h"

#include <stdlib.h>
#include <string.h>

#include "../check.h"
#include "kernels/inline/philox.h"

static void draw(uint8_t *bytes, size_t n, uint32_t purpose)
{
    uint32_t words[4];
    for (size_t i = 0; i < n; i++) {
        kl_philox(words, 3, (uint32_t)i, purpose, 0, 0);
        bytes[i] = (uint8_t)words[0];
    }
}

static unsigned bit_of(const uint8_t *bytes, size_t i)
{
    return bytes[i / 8] >> (i % 8) & 1;
}

static void check_toeplitz(size_t n_in, size_t n_out)
{
    uint8_t diagonal[256], in[128], out[128];
    struct kl_toeplitz *hash;
    struct kl_error err;
    draw(diagonal, (n_in + n_out) / 8, 1);
    draw(in, n_in / 8, 2);
    if (kl_extractor_toeplitz_create(&hash, diagonal, n_in, n_out, &err)) {
        CHECK(false, "%s", err.text);
        return;
    }
    kl_extractor_toeplitz_apply(hash, out, in);
    size_t wrong = 0;
    for (size_t row = 0; row < n_out; row++) {
        unsigned sum = 0;
        for (size_t column = 0; column < n_in; column++)
            sum ^= bit_of(diagonal, row + n_in - 1 - column) & bit_of(in, column);
        wrong += sum != bit_of(out, row);
    }
    CHECK(wrong == 0, "%zu x %zu: %zu bits differ", n_out, n_in, wrong);
    kl_extractor_toeplitz_free(&hash);
}

/* All sequences of four symbols below three: each pair of symbols and its exchange give both bits. */
static void check_von_neumann(void)
{
    const uint8_t classic[] = { 0, 1, 1, 0, 1, 1, 0, 0, 1, 0, 1 };
    uint8_t bits[8], s[4];
    CHECK(kl_extractor_von_neumann(bits, classic, sizeof classic) == 3 && bits[0] == 0 && bits[1] == 1 &&
          bits[2] == 1);
    int ones = 0, all = 0;
    for (int i = 0; i < 81; i++) {
        for (int j = 0, rest = i; j < 4; j++, rest /= 3) s[j] = (uint8_t)(rest % 3);
        const size_t n = kl_extractor_von_neumann(bits, s, 4);
        CHECK(n == (size_t)((s[0] != s[1]) + (s[2] != s[3])));
        for (size_t k = 0; k < n; k++) ones += bits[k];
        all += (int)n;
    }
    CHECK(all == 108 && ones == 54, "%d of %d", ones, all);
}

int main(void)
{
    CHECK(kl_nist_leftover_bits(4096 * 0.5, 64) == 1922);
    CHECK(kl_nist_leftover_bits(80, 64) == 0);
    CHECK(kl_nist_leftover_bits(126, 64) == 0 && kl_nist_leftover_bits(127, 64) == 1);
    check_toeplitz(64, 8);
    check_toeplitz(64, 64);
    check_toeplitz(512, 376);
    check_toeplitz(1000, 992);
    check_von_neumann();
    return failures != 0;
}
