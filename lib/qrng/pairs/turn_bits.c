/* SPDX-License-Identifier: MIT
   A square of 64 x 64 bits turned about its diagonal (Warren, Hacker's Delight, 7-3). */
#include "qrng/pairs/planes.h"

void kl_turn_bits(uint64_t m[64])
{
    uint64_t mask = 0x00000000ffffffffu;
    for (int half = 32; half; half >>= 1, mask ^= mask << half)
        for (int r = 0; r < 64; r = (r + half + 1) & ~half) {
            const uint64_t swap = ((m[r] >> half) ^ m[r + half]) & mask;
            m[r] ^= swap << half;
            m[r + half] ^= swap;
        }
}
