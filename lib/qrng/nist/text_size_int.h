/* SPDX-License-Identifier: MIT */
#ifndef KL_QRNG_NIST_TEXT_SIZE_INT_H
#define KL_QRNG_NIST_TEXT_SIZE_INT_H

#include "qrng/nist/text_size.h"

enum {
    KL_TEXT_CHARS = 11, /* the space and ten digits: what is written, 0 .. 10 */
    KL_TEXT_GROUP = 50, /* codes of a block that share a table */
    KL_TEXT_CODES = 16  /* places for the counts of codes: two of runs, one of each character, the end */
};

/* ---- blocks and their words (text_words.c) ---- */
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

/* A place in the text: character `at` of symbol i, behind the digits the space. */
struct kl_text_place {
    size_t i;
    int at;
};

/* Where the block from p ends; n_bytes is set. Runs of equal digits are never cut, and a last character
   alone is no block. */
struct kl_text_place kl_text_end(struct kl_text_block *b, const uint8_t *s, size_t n,
                                 struct kl_text_place p);
/* The block's words, in a circle; what it ends and begins with is one word. False: there is no space. */
bool kl_text_words(struct kl_text_block *b, const uint8_t *s, size_t n, struct kl_text_place from,
                   struct kl_text_place to);
/* A word's digits, without the space. */
static inline int kl_text_length(uint64_t word)
{
    int length = 0;
    while ((word >> (56 - 8 * length) & 255) != ' ') length++;
    return length;
}
/* Of a word's character: 0: the space, 1 .. 10: digits. */
static inline uint8_t kl_text_code(uint64_t word, int at)
{
    const uint64_t character = word >> (56 - 8 * at) & 255;
    return character == ' ' ? 0 : (uint8_t)(character - '0' + 1);
}
/* In order, each once; how many are left. Where one stands that is among them. */
int kl_text_sort_unique(uint64_t *a, int n);
int kl_text_find(const uint64_t *a, int n, uint64_t wanted);

/* ---- the order of rotations (text_order.c) ---- */
/* a [m]: a block's rotations in order: the place of the word that each begins with, in the lowest
   KL_TEXT_PLACE_BITS bits, and above them the rank of the word before it, in KL_TEXT_RANK_BITS. False:
   they are alike for too long, or there is but one word; a is not ordered. */
bool kl_text_order(struct kl_text_block *b);

/* ---- codes: how long ago each character was the last one, and runs of those just seen
   (text_counts.c) ---- */
/* The block's codes and counts from last [n_bytes]. Returns how many kinds of codes there are. */
int kl_text_count_codes(struct kl_text_block *b);

/* ---- what codes take (text_codes.c) ---- */
/* Bits of a block but for its header: selectors, tables and codes. counts [groups]: of each code in each
   group, changed by nothing; codes: how many there are in the block, of `kinds` kinds. table [groups] is
   workspace. */
uint64_t kl_text_codes(uint8_t (*counts)[KL_TEXT_CODES], uint8_t *table, size_t codes, int kinds);

#endif
