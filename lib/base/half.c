/* SPDX-License-Identifier: MIT
   Conversions between float and binary16: the same bits with and without the instructions of F16C. */
#include "base/half.h"

#include <string.h>

static uint16_t half_of(float value)
{
    uint32_t x;
    memcpy(&x, &value, 4);
    const uint32_t sign = x >> 16 & 0x8000, magnitude = x & 0x7fffffff;
    if (magnitude > 0x7f800000) return (uint16_t)(sign | 0x7e00);  /* NaN */
    if (magnitude >= 0x477ff000) return (uint16_t)(sign | 0x7c00); /* 65520 and more round to infinity */
    if (magnitude <
        0x38800000) { /* below 2^-14: a multiple of 2^-24; the addition rounds to nearest even */
        float shifted, a;
        memcpy(&a, &magnitude, 4);
        shifted = a + 0.5f;
        uint32_t bits;
        memcpy(&bits, &shifted, 4);
        return (uint16_t)(sign | (bits - 0x3f000000));
    }
    const uint32_t odd = magnitude >> 13 & 1;
    return (uint16_t)(sign | ((magnitude - 0x38000000 + 0xfff + odd) >> 13));
}

size_t kl_half_from_float(uint16_t *half, const float *x, size_t n)
{
    size_t overflows = 0;
    for (size_t i = 0; i < n; i++) {
        half[i] = half_of(x[i]);
        overflows += (half[i] & 0x7fff) == 0x7c00;
    }
    return overflows;
}

static float float_of(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000) << 16, rest = half & 0x7fff;
    uint32_t bits;
    float f;
    if (rest >= 0x7c00) { /* infinity, NaN */
        bits = sign | 0x7f800000 | (rest & 0x3ff) << 13;
    } else if (rest >= 0x400) {
        bits = sign | ((rest << 13) + 0x38000000);
    } else { /* zero and subnormal: rest * 2^-24, exact */
        f = (float)rest * 0x1p-24f;
        memcpy(&bits, &f, 4);
        bits |= sign;
    }
    memcpy(&f, &bits, 4);
    return f;
}

void kl_float_from_half(float *x, const uint16_t *half, size_t n)
{
    for (size_t i = 0; i < n; i++) x[i] = float_of(half[i]);
}
