/* SPDX-License-Identifier: MIT
   bits_words: between words, whose lowest bit is the first, and bytes, whose highest is. */
#ifndef KL_QRNG_BITS_WORDS_H
#define KL_QRNG_BITS_WORDS_H

#include <stddef.h>
#include <stdint.h>

uint64_t kl_bits_reverse(uint64_t words); /* the bits of each byte */
/* n_bits of a stream from `first` on; reads one word behind them. */
void kl_bits_cut(uint64_t *words, const uint64_t *stream, size_t first, size_t n_bits);
/* n_bits of bytes, and back, the last byte filled up with zeros. */
void kl_bits_unpack(uint64_t *words, const uint8_t *bytes, size_t n_bits);
void kl_bits_pack(uint8_t *bytes, const uint64_t *words, size_t n_bits);

#endif
