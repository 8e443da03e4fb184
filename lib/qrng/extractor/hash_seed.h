/* SPDX-License-Identifier: MIT
   hash_seed: bytes of a file that draw a Toeplitz matrix. The hash makes bits uniform only if they are
   random and independent of the devices; what plainly is neither is refused. */
#ifndef KL_QRNG_EXTRACTOR_HASH_SEED_H
#define KL_QRNG_EXTRACTOR_HASH_SEED_H

#include "base/base.h"

/* The first n >= 9 bytes of the file: seed [n]. KL_EUSAGE where the file is one of the inputs, or begins
   as one; KL_EDATA where it is too short, or its bytes are equal, have a period, or have a bit, a place
   of a byte or a byte that is too common. Random bytes are refused less than once in 10^9 times
   (hash_seed.c). KL_ENOINPUT, KL_EIO, KL_ENOMEM. */
int kl_hash_seed_read(uint8_t *seed, size_t n, const char *path, const char *const *inputs,
                      size_t n_inputs, struct kl_error *err);

#endif
