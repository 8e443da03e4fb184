/* SPDX-License-Identifier: MIT
   nist_stream: a device's rows one after another, as bytes: one bit or one symbol each. Only what a test
   looks at is unpacked. */
#ifndef KL_QRNG_NIST_STREAM_H
#define KL_QRNG_NIST_STREAM_H

#include "qrng/bits/bits.h"

struct kl_nist_stream {
    const struct kl_bits *bits;
    size_t *rows, n_rows;    /* of the device, in their order */
    uint8_t *part, *symbols; /* the first KL_NIST_PART bits, and symbols, or as many as there are */
};
/* KL_ENOMEM. Free it in every case. */
int kl_nist_stream(struct kl_nist_stream *s, const struct kl_bits *bits, size_t device,
                   struct kl_error *err);
void kl_nist_stream_free(struct kl_nist_stream *s); /* accepts what was zeroed */
/* out [n]: bits, symbols from number `first` on. */
void kl_nist_stream_bits(uint8_t *out, const struct kl_nist_stream *s, size_t first, size_t n);
void kl_nist_stream_symbols(uint8_t *out, const struct kl_nist_stream *s, size_t first, size_t n);

#endif
