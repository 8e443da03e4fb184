/* SPDX-License-Identifier: MIT
   IEEE 754 binary16 (half precision), round to nearest even. */
#ifndef KL_HALF_H
#define KL_HALF_H

#include <stddef.h>
#include <stdint.h>

/* Out of range gives infinity: returned is how many did. */
size_t kl_half_from_float(uint16_t *half, const float *x, size_t n);
void kl_float_from_half(float *x, const uint16_t *half, size_t n);

#endif
