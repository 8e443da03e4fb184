/* SPDX-License-Identifier: MIT
   Letters and words: how far a word is from a known one, what was meant by an unknown name; Unicode. */
#ifndef KL_BASE_WORDS_H
#define KL_BASE_WORDS_H

#include "base/base.h"

/* Levenshtein's distance of n letters from a word; SIZE_MAX where one has more than 64
 * (option_values.c). */
size_t kl_word_distance(const char *letters, size_t n, const char *word);

/* ---- unicode.c ---- */
/* The letter's bytes; returns where the next one goes. */
char *kl_put_utf8(char *to, uint32_t letter);
/* Letters and the marks behind them become one letter where Unicode has it (NFC, but for a mark that has
   another before it): names that macOS took apart (NFD) are then those of everybody else. True: some
   were. */
bool kl_compose(char *text);
/* Two names, of m and n bytes, that are the same once they are composed. */
bool kl_same_name(const char *a, size_t m, const char *b, size_t n);

#endif
