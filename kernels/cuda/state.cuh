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
KL_GPU void kl_apply_own(kl_state<L, REAL> &a, const kl_vqc_op &op, float c, float s, kl_place at)
{
#pragma unroll
    for (int i = 0; i < 1 << L; i++) {
        const int j = i | 1 << T;
        if (i == j || ((at.lane << L | (uint32_t)i) & op.control) != op.control) continue;
        float xr = a.re[i], xi = a.imag(i), yr = a.re[j], yi = a.imag(j);
        const float pr = xr, pi = xi;
        kl_mix<REAL>(&xr, &xi, yr, yi, op.gate, false, c, s);
        kl_mix<REAL>(&yr, &yi, pr, pi, op.gate, true, c, s);
        a.set(i, xr, xi);
        a.set(j, yr, yi);
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

/* c, s: of half the angle, of gates that have one. */
template <int L, bool REAL>
KL_GPU void kl_apply(kl_state<L, REAL> &a, const kl_vqc_op &op, float c, float s, kl_place at)
{
    if (kl_diagonal(op.gate)) {
        kl_apply_diagonal(a, op, c, s, at);
    } else if (op.target >> L) {
        kl_apply_across(a, op, c, s, at);
    } else if constexpr (L > 0) {
        KL_BY_TARGET(kl_apply_own, op.target, a, op, c, s, at)
    }
}

/* A thread's part of Im <bra| P |state> for an amplitude of the bra (br, bi): of the state (ar, ai), and
   its partner's (pr, pi). P is the generator of gate. */
KL_GPU float kl_derivative(float br, float bi, float ar, float ai, float pr, float pi, int gate,
                           bool bit)
{
    if (gate == KL_VQC_RX) return br * pi - bi * pr;
    const float d = gate == KL_VQC_RY ? -(br * pr + bi * pi) : br * ai - bi * ar;
    return bit ? -d : d;
}

/* The derivative by the angle of a rotation, before the sum over threads, and the rotation undone on
   state and bra. */
template <int L, bool REAL>
KL_GPU float kl_undo_diagonal(kl_state<L, REAL> &a, kl_state<L, REAL> &b, const kl_vqc_op &op, float c,
                              float s, kl_place at)
{
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 1 << L; i++) {
        const uint32_t number = at.lane << L | (uint32_t)i;
        if ((number & op.control) == op.control)
            sum += kl_derivative(b.re[i], b.imag(i), a.re[i], a.imag(i), 0, 0, op.gate,
                                 kl_odd(number & op.target));
    }
    kl_apply_diagonal(a, op, c, -s, at);
    kl_apply_diagonal(b, op, c, -s, at);
    return sum;
}

template <int L, int T, bool REAL>
KL_GPU void kl_undo_own(float *sum, kl_state<L, REAL> &a, kl_state<L, REAL> &b, const kl_vqc_op &op,
                        float c, float s, kl_place at)
{
#pragma unroll
    for (int i = 0; i < 1 << L; i++) {
        const int j = i ^ 1 << T;
        if (((at.lane << L | (uint32_t)i) & op.control) == op.control)
            *sum += kl_derivative(b.re[i], b.imag(i), 0, 0, a.re[j], a.imag(j), op.gate, i >> T & 1);
    }
    kl_apply_own<L, T, REAL>(a, op, c, -s, at);
    kl_apply_own<L, T, REAL>(b, op, c, -s, at);
}

template <int L, bool REAL>
KL_GPU float kl_undo_across(kl_state<L, REAL> &a, kl_state<L, REAL> &b, const kl_vqc_op &op, float c,
                            float s, kl_place at)
{
    const uint32_t mask = op.target >> L;
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 1 << L; i++) {
        const float pr = kl_from(a.re[i], mask), pi = REAL ? 0 : kl_from(a.imag(i), mask);
        float re = a.re[i], im = a.imag(i);
        if (((at.lane << L | (uint32_t)i) & op.control) == op.control) {
            sum += kl_derivative(b.re[i], b.imag(i), 0, 0, pr, pi, op.gate, at.lane & mask);
            kl_mix<REAL>(&re, &im, pr, pi, op.gate, at.lane & mask, c, -s);
        }
        a.set(i, re, im);
    }
    kl_apply_across(b, op, c, -s, at);
    return sum;
}

template <int L, bool REAL>
KL_GPU float kl_undo(kl_state<L, REAL> &a, kl_state<L, REAL> &b, const kl_vqc_op &op, float c, float s,
                     kl_place at)
{
    float sum = 0;
    if (kl_diagonal(op.gate)) {
        sum = kl_undo_diagonal(a, b, op, c, s, at);
    } else if (op.target >> L) {
        sum = kl_undo_across(a, b, op, c, s, at);
    } else if constexpr (L > 0) {
        KL_BY_TARGET(kl_undo_own, op.target, &sum, a, b, op, c, s, at)
    }
    return kl_sum(sum, at);
}

/* P|state> of a Pauli string: k goes to k ^ x, times (-1)^parity(k & z) and i^(number of Y). */
template <int L, bool REAL>
KL_GPU void kl_string(kl_state<L, REAL> &to, const kl_state<L, REAL> &a, kl_vqc_observable p,
                      kl_place at)
{
    to = a;
    for (uint32_t left = p.x; left; left &= left - 1) {
        const kl_vqc_op exchange = { KL_VQC_X, left & (0u - left), 0, -1 };
        kl_apply(to, exchange, 0, 0, at);
    }
    const int y = __popc(p.x & p.z) & 3;
#pragma unroll
    for (int i = 0; i < 1 << L; i++) {
        const bool minus = kl_odd(((at.lane << L | (uint32_t)i) ^ p.x) & p.z) != (y >> 1 & 1);
        const float re = minus ? -to.re[i] : to.re[i], im = minus ? -to.imag(i) : to.imag(i);
        to.set(i, y & 1 ? -im : re, y & 1 ? re : im);
    }
}

/* <state| P |state>, which all of the state's threads have. */
template <int L, bool REAL>
KL_GPU float kl_expectation(const kl_state<L, REAL> &a, kl_vqc_observable p, kl_place at)
{
    kl_state<L, REAL> to;
    float sum = 0;
    if (p.x) kl_string(to, a, p, at);
#pragma unroll
    for (int i = 0; i < 1 << L; i++) {
        if (p.x) {
            sum += a.re[i] * to.re[i] + a.imag(i) * to.imag(i);
        } else {
            const float probability = a.re[i] * a.re[i] + a.imag(i) * a.imag(i);
            sum += kl_odd((at.lane << L | (uint32_t)i) & p.z) ? -probability : probability;
        }
    }
    return kl_sum(sum, at);
}

/* bra += weight P |state> */
template <int L, bool REAL>
KL_GPU void kl_observe(kl_state<L, REAL> &bra, const kl_state<L, REAL> &a, kl_vqc_observable p,
                       float weight, kl_place at)
{
    kl_state<L, REAL> to;
    if (p.x) kl_string(to, a, p, at);
#pragma unroll
    for (int i = 0; i < 1 << L; i++) {
        const float w = !p.x && kl_odd((at.lane << L | (uint32_t)i) & p.z) ? -weight : weight;
        const float re = p.x ? to.re[i] : a.re[i], im = p.x ? to.imag(i) : a.imag(i);
        bra.set(i, bra.re[i] + w * re, bra.imag(i) + w * im);
    }
}

#endif
