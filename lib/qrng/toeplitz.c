/* SPDX-License-Identifier: MIT
   Each byte of the input adds one of 256 shifted sums of the diagonal to the output, from a byte on that
   its place says: tables instead of carry-less products, so that any processor is fast. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "qrng/extractor.h"

struct kl_toeplitz {
    size_t in, out, stride; /* bytes */
    uint8_t *sums;          /* [256, stride] */
};

size_t kl_leftover_bits(double entropy, double security)
{
    const double bits = floor(entropy + 2 - 2 * security);
    return bits > 0 ? (size_t)bits : 0;
}

/* to ^= diagonal, `by` bits further on. */
static void add_shifted(uint8_t *to, const uint8_t *diagonal, size_t bytes, int by)
{
    for (size_t i = 0; i < bytes; i++) {
        const unsigned next = i + 1 < bytes ? diagonal[i + 1] : 0;
        to[i] ^= (uint8_t)((diagonal[i] | next << 8) >> by);
    }
}

/* Row i, column j is bit i - j + n_in - 1 of the diagonal: of input byte p, bit k it is bit
   8 (in - 1 - p) + i + 7 - k. */
int kl_toeplitz_create(struct kl_toeplitz **hash, const uint8_t *diagonal, size_t n_in, size_t n_out,
                       struct kl_error *err)
{
    const size_t bytes = (n_in + n_out) / 8;
    struct kl_toeplitz *h = *hash = calloc(1, sizeof *h);
    if (h) *h = (struct kl_toeplitz){ n_in / 8, n_out / 8, bytes, calloc(256, bytes) };
    if (!h || !h->sums) {
        kl_toeplitz_free(hash);
        return kl_fail_memory(err, 256 * bytes);
    }
    for (unsigned bit = 0; bit < 8; bit++)
        add_shifted(h->sums + (1u << bit) * bytes, diagonal, bytes, 7 - (int)bit);
    for (unsigned value = 1; value < 256; value++) {
        const unsigned low = value & -value;
        if (low == value) continue;
        for (size_t i = 0; i < bytes; i++)
            h->sums[value * bytes + i] = h->sums[low * bytes + i] ^ h->sums[(value ^ low) * bytes + i];
    }
    return KL_OK;
}

void kl_toeplitz_free(struct kl_toeplitz **hash)
{
    if (*hash) free((*hash)->sums);
    free(*hash);
    *hash = NULL;
}

void kl_toeplitz_apply(const struct kl_toeplitz *hash, uint8_t *restrict out, const uint8_t *in)
{
    memset(out, 0, hash->out);
    for (size_t p = 0; p < hash->in; p++) {
        const uint8_t *restrict sum = hash->sums + in[p] * hash->stride + hash->in - 1 - p;
        for (size_t i = 0; i < hash->out; i++) out[i] ^= sum[i];
    }
}
