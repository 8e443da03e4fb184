/* SPDX-License-Identifier: MIT
   extractor: nearly uniform bits from biased ones. */
#ifndef KL_QRNG_EXTRACTOR_EXTRACTOR_H
#define KL_QRNG_EXTRACTOR_EXTRACTOR_H

#include "base/base.h"

/* ---- Toeplitz hashing (toeplitz.c) ---- */
/* A random n_out x n_in matrix over two elements, constant along its diagonals, so that n_in + n_out - 1
   bits draw it (Krawczyk 1994, doi:10.1007/3-540-48658-5_15). Both multiples of 8. Bits lie in bytes,
   the least significant first. */
struct kl_toeplitz;
/* diagonal [ceil((n_in + n_out - 1) / 8)]: bit k is that of the elements with row - column = k - n_in
   + 1. KL_ENOMEM. */
int kl_toeplitz_create(struct kl_toeplitz **hash, const uint8_t *diagonal, size_t n_in, size_t n_out,
                       struct kl_error *err);
void kl_toeplitz_free(struct kl_toeplitz **hash);
/* out [n_out / 8], in [n_in / 8]. */
void kl_toeplitz_apply(const struct kl_toeplitz *hash, uint8_t *out, const uint8_t *in);

/* ---- von Neumann's rule (von_neumann.c) ---- */
/* Symbols in pairs: one bit, whether the first of two is larger; none of two equal ones (von Neumann
   1951). Exactly uniform if symbols are independent and identically distributed, whatever that
   distribution. s [n]; bits [n / 2] is set, 0 or 1; returns how many. */
size_t kl_von_neumann(uint8_t *bits, const uint8_t *s, size_t n);

#endif
