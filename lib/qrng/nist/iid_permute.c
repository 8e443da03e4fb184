/* SPDX-License-Identifier: MIT */
#include "kernels/inline/philox.h"
#include "kernels/select.h"
#include "qrng/nist/iid_int.h"

/* Places are drawn some at a time, by vectors: only the swaps themselves are one after another. */
enum { ABREAST = 1024 };

void kl_iid_permute(uint8_t *s, size_t n, int64_t seed, uint32_t permutation)
{
    uint64_t words[ABREAST];
    uint32_t places[ABREAST];
    for (size_t first = 0; first + 1 < n; first += ABREAST) {
        const size_t left = n - 1 - first, draws = left < ABREAST ? left : ABREAST;
        kl_kernels()->bit_noise(words, draws, (uint64_t)seed, (uint32_t)(first / 2), KL_RANDOM_ORDER,
                                permutation, 0);
        for (size_t k = 0; k < draws; k++) {
            const uint64_t word = words[k] << 32 | words[k] >> 32; /* the first number on top */
            places[k] = (uint32_t)((unsigned __int128)word * (n - first - k) >> 64);
        }
        for (size_t k = 0; k < draws; k++) {
            uint8_t *own = &s[n - 1 - first - k], *other = &s[places[k]];
            const uint8_t kept = *own;
            *own = *other;
            *other = kept;
        }
    }
}
