/* SPDX-License-Identifier: MIT
   extractor: nearly uniform bits from biased ones, and what an extractor relies on. */
#ifndef KL_QRNG_EXTRACTOR_EXTRACTOR_H
#define KL_QRNG_EXTRACTOR_EXTRACTOR_H

#include "qrng/bits/bits.h"
#include "qrng/bits/dependence.h"

/* ---- Toeplitz hashing ---- */
/* A random n_out x n_in matrix over two elements, constant along its diagonals, so that n_in + n_out - 1
   bits draw it (Krawczyk 1994, doi:10.1007/3-540-48658-5_15). Both multiples of 8. Bits lie in bytes,
   the least significant first. */
struct kl_toeplitz;
/* diagonal [ceil((n_in + n_out - 1) / 8)]: bit k is that of the elements with row - column = k - n_in
   + 1. KL_ENOMEM. */
int kl_extractor_toeplitz_create(struct kl_toeplitz **hash, const uint8_t *diagonal, size_t n_in,
                                 size_t n_out, struct kl_error *err);
void kl_extractor_toeplitz_free(struct kl_toeplitz **hash);
/* out [n_out / 8], in [n_in / 8]. */
void kl_extractor_toeplitz_apply(const struct kl_toeplitz *hash, uint8_t *out, const uint8_t *in);

/* ---- von Neumann's rule ---- */
/* Symbols in pairs: one bit, whether the first of two is larger; none of two equal ones (von Neumann
   1951). Exactly uniform if symbols are independent and identically distributed, whatever that
   distribution. s [n]; bits [n / 2] is set, 0 or 1; returns how many. */
size_t kl_extractor_von_neumann(uint8_t *bits, const uint8_t *s, size_t n);

/* ---- extraction: rows of bits, as they come, through an extractor to bytes in a file ---- */
/* Memory does not grow with the rows. */
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
int kl_extractor_begin(struct kl_extraction *e, size_t n_bits, struct kl_error *err);
/* The next rows. KL_EIO. */
int kl_extractor_take(struct kl_extraction *e, const struct kl_bits *block, struct kl_error *err);
void kl_extractor_end(struct kl_extraction *e); /* frees what is its own; accepts what was zeroed */

/* ---- claim: the min-entropy that is vouched for bits, held against their commonest values ---- */
/* Bits may have less than these show, never more. */
/* Words are of 1, 2, 4, ... symbols, up to 8 bits, one after another from the begin of each row. */
enum { KL_CLAIM_WIDTHS = 4, KL_CLAIM_VALUES = 1 << KL_BITS_SYMBOL };
typedef uint64_t kl_word_counts[KL_CLAIM_WIDTHS][KL_CLAIM_VALUES];
struct kl_entropy_claim {
    double entropy;  /* the caller's: bits a bit that are vouched for; all else zeroed */
    int symbol_bits; /* of the bits that were taken */
    size_t n_devices;
    kl_word_counts *counts; /* [n_devices] */
};
/* The next rows. KL_ENOMEM. */
int kl_extractor_entropy_claim_take(struct kl_entropy_claim *c, const struct kl_bits *block,
                                    struct kl_error *err);

/* refuted: were each word of some device as likely as 2^-(entropy bits) at most, independently, its
   commonest one would come as often less than once in 10^9 times, over all widths, words and devices
   (binomial tail, Bonferroni). most: the least, over devices, of SP 800-90B's most common value estimate
   (6.3.1: from the upper 99 % bound of the commonest one's share) in bits a bit, of single symbols and
   of the widths that refute. A claim of at most so much is not refuted. */
struct kl_entropy_verdict {
    bool refuted;
    double most;
    int device; /* of the worst word: its width in bits, its first bit the least significant */
    int width;
    unsigned word;
    uint64_t count, words; /* how often it came, of how many */
};
/* Once, at the end. */
struct kl_entropy_verdict kl_extractor_entropy_claim_judge(struct kl_entropy_claim *c);
void kl_extractor_entropy_claim_free(struct kl_entropy_claim *c);

/* ---- hash seed: bytes of a file that draw a Toeplitz matrix ---- */
/* The hash makes bits uniform only if they are random and independent of the devices; what plainly is
   neither is refused. */
/* The first n >= 9 bytes of the file: seed [n]. KL_EUSAGE where the file is one of the inputs, or begins
   as one; KL_EDATA where it is too short, or its bytes are equal, have a period, or have a bit, a place
   of a byte or a byte that is too common. Random bytes are refused less than once in 10^9 times.
   KL_ENOINPUT, KL_EIO, KL_ENOMEM. */
int kl_extractor_hash_seed_read(uint8_t *seed, size_t n, const char *path, const char *const *inputs,
                                size_t n_inputs, struct kl_error *err);

/* ---- tournament --extract ---- */
struct kl_mode;
extern const struct kl_mode kl_mode_extractor;
extern const struct kl_tool kl_extractor_tool; /* its table, for tool->parts */

#endif
