/* SPDX-License-Identifier: MIT
   claim: the min-entropy that is vouched for bits, held against their commonest values. Bits may have
   less than these show, never more. */
#ifndef KL_QRNG_EXTRACTOR_ENTROPY_CLAIM_H
#define KL_QRNG_EXTRACTOR_ENTROPY_CLAIM_H

#include "qrng/bits/bits.h"

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
int kl_entropy_claim_take(struct kl_entropy_claim *c, const struct kl_bits *block, struct kl_error *err);

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
struct kl_entropy_verdict kl_entropy_claim_judge(struct kl_entropy_claim *c);
void kl_entropy_claim_free(struct kl_entropy_claim *c);

#endif
