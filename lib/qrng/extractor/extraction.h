/* SPDX-License-Identifier: MIT
   extraction: rows of bits, as they come, through an extractor to bytes in a file. Memory does not grow
   with the rows. */
#ifndef KL_QRNG_EXTRACTOR_EXTRACTION_H
#define KL_QRNG_EXTRACTOR_EXTRACTION_H

#include "qrng/bits/bits.h"
#include "qrng/bits/dependence.h"
#include "qrng/extractor/extractor.h"

struct kl_extraction {
    struct kl_toeplitz *hash;           /* the caller's; NULL: von Neumann's rule */
    size_t n_in, n_out;                 /* of the hash, in bits; n_in a multiple of 64 */
    struct kl_raw *raw;                 /* where bytes go, the most significant bit first */
    uint64_t read, written;             /* bits */
    struct kl_dependence_counts counts; /* of von Neumann's symbols, whose rule needs independent ones */
    size_t n_waiting;                   /* bits that do not fill a block yet */
    int filled;                         /* bits that do not fill a byte yet, of von Neumann's */
    uint64_t *waiting;                  /* (hidden) */
    uint8_t *out, *symbols;             /* (hidden) of a row: n_out / 8 bytes, or a bit a byte */
    unsigned char byte;                 /* (hidden) that is being filled */
};
/* After hash, n_in, n_out and raw are set, for rows of n_bits. KL_ENOMEM. */
int kl_extraction_begin(struct kl_extraction *e, size_t n_bits, struct kl_error *err);
/* The next rows. KL_EIO. */
int kl_extraction_take(struct kl_extraction *e, const struct kl_bits *block, struct kl_error *err);
void kl_extraction_end(struct kl_extraction *e); /* frees what is its own; accepts what was zeroed */

/* ---- tournament --extract ---- */
struct kl_mode;
extern const struct kl_mode kl_mode_extractor;
extern const struct kl_tool kl_extractor_tool; /* its table, for tool->parts */

#endif
