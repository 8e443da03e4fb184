/* SPDX-License-Identifier: MIT
   IEEE 754 binary16 as kernels/cuda/ uses it, rounded to nearest even. */
#ifndef EMULATED_CUDA_FP16_H
#define EMULATED_CUDA_FP16_H

#include <math.h>
#include <stdint.h>
#include <string.h>

struct __half {
    uint16_t bits;
};
static inline float __half2float(__half half)
{
    const int exponent = half.bits >> 10 & 31, fraction = half.bits & 1023;
    const float size = exponent == 31  ? (fraction ? NAN : INFINITY)
                       : exponent == 0 ? ldexpf((float)fraction, -24)
                                       : ldexpf((float)(1024 + fraction), exponent - 25);
    return half.bits & 0x8000 ? -size : size;
}
static inline __half __float2half_rn(float value)
{
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    const float size = fabsf(value);
    if (size != size) return { 0x7fff };
    if (size >= 65520) return { (uint16_t)(sign | 0x7c00) };
    int exponent;
    frexpf(size, &exponent);
    if (!(size > 0) || exponent < -13) exponent = -13; /* from here down numbers have equal distances */
    const int units = (int)rintf(ldexpf(size, 11 - exponent));
    return { (uint16_t)(sign | (units + ((exponent + 13) << 10))) };
}

#endif
