/* SPDX-License-Identifier: MIT
   bfloat16 as kernels/cuda/ uses it, rounded to nearest even. */
#ifndef EMULATED_CUDA_BF16_H
#define EMULATED_CUDA_BF16_H

#include <stdint.h>
#include <string.h>

struct __nv_bfloat16 {
    uint16_t bits;
};
static inline float __bfloat162float(__nv_bfloat16 value)
{
    const uint32_t bits = (uint32_t)value.bits << 16;
    float wide;
    memcpy(&wide, &bits, sizeof wide);
    return wide;
}
static inline __nv_bfloat16 __float2bfloat16_rn(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (value != value) return { 0x7fff };
    return { (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16) };
}

#endif
