/* SPDX-License-Identifier: MIT
   A state in registers: 2^lane_bits neighbouring threads of a warp hold one sample's, 2^L amplitudes
   each; amplitude lane << L | i is number i of thread `lane`. All threads of the warp must take part.
   The gates and what they mean: kernels/cpu/vqc.c, kernels/inline/gates.h. */
#ifndef KL_CUDA_STATE_CUH
#define KL_CUDA_STATE_CUH

#include <cuda_runtime.h>

#include "kernels/cuda.h"

#ifndef KL_GPU
#define KL_GPU static __device__ __forceinline__
#endif
#define KL_GPU_MEMBER __device__ __forceinline__
typedef float kl_lane;
#define KL_INLINE KL_GPU
#include "kernels/inline/gates.h"

template <int L, bool REAL> struct kl_state {
    float re[1 << L], im[REAL ? 1 : 1 << L];
    KL_GPU_MEMBER float imag(int i) const
    {
        return REAL ? 0 : im[REAL ? 0 : i];
    }
    KL_GPU_MEMBER void set(int i, float r, float m)
    {
        re[i] = r;
        if (!REAL) im[REAL ? 0 : i] = m;
    }
};
struct kl_place {
    uint32_t lane;
    int lane_bits;
};

KL_GPU float kl_from(float value, uint32_t mask)
{
    return __shfl_xor_sync(0xffffffffu, value, (int)mask);
}

/* The sum over a state's threads, by halves: all of them have it, and it does not depend on which. */
KL_GPU float kl_sum(float value, kl_place at)
{
    for (int bit = 0; bit < at.lane_bits; bit++) value += kl_from(value, 1u << bit);
    return value;
}

KL_GPU bool kl_odd(uint32_t bits)
{
    return __popc(bits) & 1;
}

/* RX, RY, H or X: what becomes of an amplitude, whose bit of the target is `bit`, beside its partner. */
template <bool REAL>
KL_GPU void kl_mix(float *re, float *im, float pr, float pi, int gate, bool bit, float c, float s)
{
    const float r = 0.70710678118654752440f, turned = bit ? -s : s;
    switch (gate) {
    case KL_VQC_RY:
        kl_rotate(re, &pr, c, turned);
        if (!REAL) kl_rotate(im, &pi, c, turned);
        break;
    case KL_VQC_RX: kl_rotate_x(re, im, &pr, &pi, c, s); break;
    case KL_VQC_H:
        *re = r * (bit ? pr - *re : *re + pr);
        if (!REAL) *im = r * (bit ? pi - *im : *im + pi);
        break;
    default: *re = pr, *im = pi;
    }
}

/* RZ, MULTIRZ, CZ. */
KL_GPU bool kl_diagonal(int gate)
{
    return gate == KL_VQC_RZ || gate == KL_VQC_MULTIRZ || gate == KL_VQC_CZ;
}

template <int L, bool REAL>
KL_GPU void kl_apply_diagonal(kl_state<L, REAL> &a, const kl_vqc_op &op, float c, float s, kl_place at)
{
#pragma unroll
    for (int i = 0; i < 1 << L; i++) {
        const uint32_t number = at.lane << L | (uint32_t)i;
        float re = a.re[i], im = a.imag(i);
        if (op.gate == KL_VQC_CZ) {
            if ((number & op.target) == op.target) re = -re, im = -im;
        } else if ((number & op.control) == op.control) {
            kl_phase(&re, &im, c, kl_odd(number & op.target) ? -s : s);
        }
        a.set(i, re, im);
    }
}

/* Pairs of a thread's own amplitudes: the target is bit T of them. */
template <int L, int T, bool REAL>
KL_GPU void kl_apply_own_as(kl_state<L, REAL> &a, int gate, uint32_t control, float c, float s,
                            kl_place at)
{
#pragma unroll
    for (int i = 0; i < 1 << L; i++) {
        const int j = i | 1 << T;
        if (i == j || ((at.lane << L | (uint32_t)i) & control) != control) continue;
        float xr = a.re[i], xi = a.imag(i), yr = a.re[j], yi = a.imag(j);
        const float pr = xr, pi = xi;
        kl_mix<REAL>(&xr, &xi, yr, yi, gate, false, c, s);
        kl_mix<REAL>(&yr, &yi, pr, pi, gate, true, c, s);
        a.set(i, xr, xi);
        a.set(j, yr, yi);
    }
}

/* The gate is asked for once, not by every pair: the compiler's time grew with the square of both. */
template <int L, int T, bool REAL>
KL_GPU void kl_apply_own(kl_state<L, REAL> &a, const kl_vqc_op &op, float c, float s, kl_place at)
{
    switch (op.gate) {
    case KL_VQC_RY: kl_apply_own_as<L, T>(a, KL_VQC_RY, op.control, c, s, at); break;
    case KL_VQC_RX: kl_apply_own_as<L, T>(a, KL_VQC_RX, op.control, c, s, at); break;
    case KL_VQC_H: kl_apply_own_as<L, T>(a, KL_VQC_H, op.control, c, s, at); break;
    default: kl_apply_own_as<L, T>(a, KL_VQC_X, op.control, c, s, at);
    }
}

template <int L, bool REAL>
KL_GPU void kl_apply_across(kl_state<L, REAL> &a, const kl_vqc_op &op, float c, float s, kl_place at)
{
    const uint32_t mask = op.target >> L;
    const bool bit = at.lane & mask;
#pragma unroll
    for (int i = 0; i < 1 << L; i++) {
        const float pr = kl_from(a.re[i], mask), pi = REAL ? 0 : kl_from(a.imag(i), mask);
        float re = a.re[i], im = a.imag(i);
        if (((at.lane << L | (uint32_t)i) & op.control) == op.control)
            kl_mix<REAL>(&re, &im, pr, pi, op.gate, bit, c, s);
        a.set(i, re, im);
    }
}

/* FN<L, T, REAL>(...) with T = the place of the target's bit, which registers need at compile time. */
#define KL_BY_TARGET(FN, target, ...)                         \
    switch (target) {                                         \
    case 1: FN<L, L >= 1 ? 0 : 0, REAL>(__VA_ARGS__); break;  \
    case 2: FN<L, L >= 2 ? 1 : 0, REAL>(__VA_ARGS__); break;  \
    case 4: FN<L, L >= 3 ? 2 : 0, REAL>(__VA_ARGS__); break;  \
    case 8: FN<L, L >= 4 ? 3 : 0, REAL>(__VA_ARGS__); break;  \
    case 16: FN<L, L >= 5 ? 4 : 0, REAL>(__VA_ARGS__); break; \
    }

/* Of amplitudes that no other thread holds. */
template <int L, bool REAL>
KL_GPU void kl_apply_within(kl_state<L, REAL> &a, const kl_vqc_op &op, float c, float s, kl_place at)
{
    if (kl_diagonal(op.gate)) {
        kl_apply_diagonal(a, op, c, s, at);
    } else if constexpr (L > 0) {
        KL_BY_TARGET(kl_apply_own, op.target, a, op, c, s, at)
    }
}

/* c, s: of half the angle, of gates that have one. */
template <int L, bool REAL>
KL_GPU void kl_apply(kl_state<L, REAL> &a, const kl_vqc_op &op, float c, float s, kl_place at)
{
    if (!kl_diagonal(op.gate) && op.target >> L) kl_apply_across(a, op, c, s, at);
    else kl_apply_within(a, op, c, s, at);
}

#endif
