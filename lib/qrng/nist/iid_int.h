/* SPDX-License-Identifier: MIT
   Private to the tests of independence. */
#ifndef KL_QRNG_NIST_IID_INT_H
#define KL_QRNG_NIST_IID_INT_H

#include "qrng/nist/iid.h"

/* s [n], n < 2^32, in the order of this permutation, after Fisher and Yates from the last place down
   (iid_permute.c). 64 random bits a draw leave a bias below 2^-43 for a million symbols. */
void kl_iid_permute(uint8_t *s, size_t n, int64_t seed, uint32_t permutation);

/* Runs of equal signs [n], and the longest of them (iid_runs.c). */
void kl_iid_runs(double *count, double *longest, const bool *signs, size_t n);

#endif
