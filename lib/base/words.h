/* SPDX-License-Identifier: MIT
   How far a word is from a known one: what was meant by an unknown name. */
#ifndef KL_BASE_WORDS_H
#define KL_BASE_WORDS_H

#include <stddef.h>

/* Levenshtein's distance of n letters from a word; SIZE_MAX where one has more than 64 (option_values.c). */
size_t kl_word_distance(const char *letters, size_t n, const char *word);

#endif
