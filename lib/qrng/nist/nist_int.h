/* SPDX-License-Identifier: MIT
   Private to the standards' tests and estimates. */
#ifndef KL_QRNG_NIST_NIST_INT_H
#define KL_QRNG_NIST_NIST_INT_H

#include <math.h>

#include "qrng/nist/nist.h"
#include "stats/stats.h"

/* ---- SP 800-22 ---- */
/* igamc(a, x) of the publication. */
static inline double kl_nist_sp22_igamc(double a, double x)
{
    return x > 0 ? kl_stats_log_gamma_upper(a, x) / M_LN10 : 0;
}

/* Chi-squared of k counts that sum to n, against a law. */
static inline double kl_nist_sp22_chi_square(const size_t *counts, const double *law, size_t k, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < k; i++) {
        const double expected = (double)n * law[i], off = (double)counts[i] - expected;
        sum += off * off / expected;
    }
    return sum;
}

/* ---- SP 800-90B ---- */
/* 99 % in this publication: of a normal distribution, two-sided. */
#define KL_NIST90B_Z 2.576

/* p with its upper bound, from n samples; at most 1. */
static inline double kl_nist_sp90b_upper(double p, size_t n)
{
    return fmin(1, p + KL_NIST90B_Z * sqrt(p * (1 - p) / (double)(n - 1)));
}

/* Repeats of a text: how often the most common tuple of each length occurs, and how many pairs of equal
   ones there are (repeats.c). */
struct kl_repeats {
    size_t longest;  /* of a tuple that occurs twice */
    uint32_t *most;  /* [longest + 1], by length; most[0] = n */
    uint64_t *pairs; /* [longest + 1] */
};
int kl_nist_repeats(struct kl_repeats *r, const uint8_t *s, size_t n, struct kl_error *err);
void kl_nist_repeats_free(struct kl_repeats *r);

/* s [n], n < 2^32, in the order of this permutation, after Fisher and Yates from the last place down
   (iid.c). 64 random bits a draw leave a bias below 2^-43 for a million symbols. */
void kl_nist_iid_permute(uint8_t *s, size_t n, int64_t seed, uint32_t permutation);

/* Runs of equal signs [n], and the longest of them (iid_statistics.c). */
void kl_nist_iid_runs(double *count, double *longest, const bool *signs, size_t n);

/* ---- the report ---- */
static inline size_t kl_nist_part(size_t n)
{
    return n < KL_NIST_PART ? n : KL_NIST_PART;
}

/* ---- bzip2_length.c ---- */
/* The length of "3 14 15" in bzip2's blocks of 500 kB, which SP 800-90B, section 5.1.11, asks
   for, without compressing: rotations of such a text are in the order of those of its symbols, and only
   the lengths of codes are needed, not the codes. */

/* work: kl_nist_bzip2_length_work bytes, at an address that malloc may return. A text whose parts repeat
   for long, or of few symbols, is compressed by the library. KL_ENOMEM. */
size_t kl_nist_bzip2_length_work(size_t n);
int kl_nist_bzip2_length(double *bytes, const uint8_t *s, size_t n, void *work, struct kl_error *err);
/* By the library alone. */
int kl_nist_bzip2_length_packed(double *bytes, const uint8_t *s, size_t n, struct kl_error *err);

/* A block, its words and its rotations. */
enum {
    KL_TEXT_CHARS = 11, /* the space and ten digits: what is written, 0 .. 10 */
    KL_TEXT_GROUP = 50, /* codes of a block that share a table */
    KL_TEXT_CODES = 16  /* places for the counts of codes: two of runs, one of each character, the end */
};

enum {
    KL_TEXT_BLOCK = 5 * 100000 - 19, /* bytes, and what is left of a run of equal ones */
    KL_TEXT_WORDS = 257,             /* 256 values, and what a block begins and ends with */
    KL_TEXT_LENGTH = 8,              /* of the longest word: "255" and "255" with no space between */
    KL_TEXT_PLACE_BITS = 18,
    KL_TEXT_RANK_BITS = 9,
    KL_TEXT_SPARE = 8 /* bytes behind the last characters, which may be read */
};

struct kl_text_block {
    size_t m, n_bytes, codes;     /* words, bytes, codes */
    uint64_t text[KL_TEXT_WORDS]; /* of words in order: characters from the top byte on, a space behind
                                     them */
    int k;                        /* how many words there are */
    /* Of the word that the block ends and begins with, if no other is like it: it stands once, as the
       last one; else KL_TEXT_WORDS. */
    uint16_t odd;
    uint16_t value_rank[256];
    /* workspace */
    uint64_t *a, *b;
    uint32_t *key;
    uint16_t *rank;
    uint8_t *last, *table;
    uint8_t (*counts)[KL_TEXT_CODES];
};

/* A word's digits, without the space. */
static inline int kl_nist_bzip2_word_length(uint64_t word)
{
    int length = 0;
    while ((word >> (56 - 8 * length) & 255) != ' ') length++;
    return length;
}
/* Of a word's character: 0: the space, 1 .. 10: digits. */
static inline uint8_t kl_nist_bzip2_word_code(uint64_t word, int at)
{
    const uint64_t character = word >> (56 - 8 * at) & 255;
    return character == ' ' ? 0 : (uint8_t)(character - '0' + 1);
}
/* ---- the order of rotations (bzip2_rotations.c) ---- */
/* a [m]: a block's rotations in order: the place of the word that each begins with, in the lowest
   KL_TEXT_PLACE_BITS bits, and above them the rank of the word before it, in KL_TEXT_RANK_BITS. False:
   they are alike for too long, or there is but one word; a is not ordered. */
bool kl_nist_bzip2_order(struct kl_text_block *b);

#endif
