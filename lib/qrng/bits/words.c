/* SPDX-License-Identifier: MIT
   Between words, whose lowest bit comes first, and bytes, whose highest bit does. */
#include <string.h>

#include "qrng/bits/words.h"

uint64_t kl_bits_reverse(uint64_t w)
{
    w = (w >> 1 & 0x5555555555555555) | (w & 0x5555555555555555) << 1;
    w = (w >> 2 & 0x3333333333333333) | (w & 0x3333333333333333) << 2;
    return (w >> 4 & 0x0f0f0f0f0f0f0f0f) | (w & 0x0f0f0f0f0f0f0f0f) << 4;
}

static void mask_tail(uint64_t *words, size_t n_bits)
{
    if (n_bits % 64) words[n_bits / 64] &= UINT64_MAX >> (64 - n_bits % 64);
}

void kl_bits_cut(uint64_t *words, const uint64_t *stream, size_t first, size_t n_bits)
{
    const size_t n = (n_bits + 63) / 64, shift = first % 64;
    stream += first / 64;
    if (shift == 0) memcpy(words, stream, n * sizeof *words);
    else
        for (size_t w = 0; w < n; w++) words[w] = stream[w] >> shift | stream[w + 1] << (64 - shift);
    mask_tail(words, n_bits);
}

void kl_bits_unpack(uint64_t *words, const uint8_t *bytes, size_t n_bits)
{
    const size_t n = (n_bits + 63) / 64;
    words[n - 1] = 0;
    memcpy(words, bytes, (n_bits + 7) / 8);
    for (size_t w = 0; w < n; w++) words[w] = kl_bits_reverse(words[w]);
    mask_tail(words, n_bits);
}

void kl_bits_pack(uint8_t *bytes, const uint64_t *words, size_t n_bits)
{
    const size_t n = (n_bits + 7) / 8;
    for (size_t w = 0; 8 * w < n; w++) {
        const uint64_t reversed = kl_bits_reverse(words[w]);
        memcpy(bytes + 8 * w, &reversed, n - 8 * w < 8 ? n - 8 * w : 8);
    }
}
