/* SPDX-License-Identifier: MIT
   Normal deviates, a thread at a time: the twin of kernels/inline/normal.h, whose operations these are,
   one by one, so that the bits are those of the CPU's AVX2 and AVX-512. */
#ifndef KL_CUDA_NORMAL_CUH
#define KL_CUDA_NORMAL_CUH

#include "kernels/cuda/gpu.cuh"
#include "kernels/inline/philox.h"

template <int N> KL_GPU float kl_horner(float x, const float (&from_highest)[N])
{
    float sum = from_highest[0];
#pragma unroll
    for (int i = 1; i < N; i++) sum = fmaf(x, sum, from_highest[i]);
    return sum;
}

/* more - 2 ln(1 + f), f in [-1/2, 0] */
KL_GPU float kl_minus_two_log1p(float f, float more)
{
    const float best[] = { -2.829097f,  -3.2791824f, -2.4174306f, -0.36190575f, -0.52738214f, 0.4873652f,
                           -0.6672642f, 0.99999046f, -2 };
    return fmaf(f, kl_horner(f, best), more);
}

/* -2 ln((word + 1/2) / 2^32), the word taken as a number with a sign. */
KL_GPU float kl_radius_squared(uint32_t word)
{
    const float x = (float)(int32_t)word + 0.5f;
    const uint32_t bits = __float_as_uint(x);
    const bool upper = bits >> 31;
    const float m = __uint_as_float((bits & 0x7fffff) | 0x3f000000),
                e = (float)((int32_t)(bits >> 23) - (126 + 32));
    return kl_minus_two_log1p(upper ? x * 0x1p-32f : m - 1, (upper ? 0 : e) * -1.38629436f);
}

KL_GPU void kl_box_muller(float *cosine, float *sine, uint32_t a, uint32_t b)
{
    const float sines[] = { -75.39356f, 81.592354f, -41.341663f, 6.2831855f },
                cosines[] = { -83.665924f, 64.923225f, -19.739168f, 1 };
    const float r = sqrtf(kl_radius_squared(a)),
                turns = fmaf((float)(int32_t)(b << 2), 0x1p-34f, 0x1p-33f), z = turns * turns,
                s = turns * kl_horner(z, sines), c = kl_horner(z, cosines);
    const uint32_t quarter = b + 0x20000000u, odd = quarter << 1, sign = 0x80000000u;
    *cosine = __uint_as_float(__float_as_uint(r * (odd & sign ? s : c)) ^ ((quarter ^ odd) & sign));
    *sine = __uint_as_float(__float_as_uint(r * (odd & sign ? c : s)) ^ (quarter & sign));
}

/* Elements 0 .. 32 groups - 1 of a stream (kernels/langevin.h), by all threads of the block. */
KL_GPU void kl_normals(float *to, int groups, const kl_langevin_stream &stream)
{
    for (int block = (int)threadIdx.x; block < 8 * groups; block += (int)blockDim.x) {
        uint32_t words[4];
        float *at = to + block / 8 * 32 + block % 8 * 2;
        kl_philox(words, stream.key, (uint32_t)block, stream.purpose, stream.step, stream.replica);
#pragma unroll
        for (int pair = 0; pair < 2; pair++)
            kl_box_muller(at + pair, at + 16 + pair, words[2 * pair], words[2 * pair + 1]);
    }
}

#endif
