/* SPDX-License-Identifier: MIT
   first_rows: a part of bits that come by blocks, of which repeats are looked for. */
#ifndef KL_QRNG_BITS_FIRST_ROWS_H
#define KL_QRNG_BITS_FIRST_ROWS_H

#include "qrng/bits/bits.h"

/* The first rows of each device, up to 2^20 bits or one row, and 2^28 bits of all devices, for
   kl_bits_repeats: what is taken stays small. */
struct kl_first_rows {
    struct kl_bits bits; /* zeroed before the first; no names */
    size_t room;         /* (hidden) rows */
    size_t *words;       /* (hidden) [bits.n_devices] taken */
    bool all;            /* none was left out */
};
int kl_first_rows_take(struct kl_first_rows *f, const struct kl_bits *block, struct kl_error *err);
void kl_first_rows_free(struct kl_first_rows *f);

#endif
