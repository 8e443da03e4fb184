/* SPDX-License-Identifier: MIT
   text_size: the length of "3 14 15" in bzip2's blocks of 500 kB, which SP 800-90B, section 5.1.11, asks
   for, without compressing: rotations of such a text are in the order of those of its symbols, and only
   the lengths of codes are needed, not the codes. */
#ifndef KL_QRNG_NIST_TEXT_SIZE_H
#define KL_QRNG_NIST_TEXT_SIZE_H

#include "base/base.h"

/* work: kl_text_size_work bytes, at an address that malloc may return. A text whose parts repeat for
   long, or of few symbols, is compressed by the library. KL_ENOMEM. */
size_t kl_text_size_work(size_t n);
int kl_text_size(double *bytes, const uint8_t *s, size_t n, void *work, struct kl_error *err);
/* By the library alone. */
int kl_text_size_packed(double *bytes, const uint8_t *s, size_t n, struct kl_error *err);

#endif
