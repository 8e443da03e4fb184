/* SPDX-License-Identifier: MIT
   Each half byte of the input adds one of 16 shifted sums of the diagonal to the output, from a byte on
   that its place says: tables that fit in the first cache, so that any processor is fast. */
#include <stdlib.h>
#include <string.h>

#include "qrng/extractor/extractor.h"

enum { CHUNK = 64 }; /* bytes of the output that are summed in registers */
typedef uint64_t chunk __attribute__((vector_size(CHUNK)));

struct kl_toeplitz {
    size_t in, out, stride; /* bytes; of one sum, with a chunk behind it */
    uint8_t *sums;          /* [2, 16, stride]: of the lower and the upper half */
};

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
    const size_t bytes = (n_in + n_out) / 8, stride = bytes + CHUNK;
    struct kl_toeplitz *h = *hash = calloc(1, sizeof *h);
    if (h) *h = (struct kl_toeplitz){ n_in / 8, n_out / 8, stride, calloc(32, stride) };
    if (!h || !h->sums) {
        kl_toeplitz_free(hash);
        return kl_fail_memory(err, 32 * stride);
    }
    for (unsigned entry = 0; entry < 32; entry++)
        for (unsigned k = 0; k < 4; k++)
            if (entry >> k & 1)
                add_shifted(h->sums + entry * stride, diagonal, bytes,
                            7 - (int)(k + (entry < 16 ? 0 : 4)));
    return KL_OK;
}

void kl_toeplitz_free(struct kl_toeplitz **hash)
{
    if (*hash) free((*hash)->sums);
    free(*hash);
    *hash = NULL;
}

void kl_toeplitz_apply(const struct kl_toeplitz *hash, uint8_t *out, const uint8_t *in)
{
    for (size_t at = 0; at < hash->out; at += CHUNK) {
        const size_t left = hash->out - at;
        chunk sum = { 0 }, low, high;
        for (size_t p = 0; p < hash->in; p++) {
            const uint8_t *from = hash->sums + hash->in - 1 - p + at;
            memcpy(&low, from + (in[p] & 15) * hash->stride, CHUNK);
            memcpy(&high, from + (16 + (in[p] >> 4)) * hash->stride, CHUNK);
            sum ^= low ^ high;
        }
        memcpy(out + at, &sum, left < CHUNK ? left : CHUNK);
    }
}
