/* SPDX-License-Identifier: MIT
   Gates undone on a state and a bra in registers (state.cuh), with the derivatives by their angles. */
#ifndef KL_CUDA_UNDO_CUH
#define KL_CUDA_UNDO_CUH

#include "kernels/cuda/state.cuh"

/* A thread's part of Im <bra| P |state> for an amplitude of the bra (br, bi): of the state (ar, ai), and
   its partner's (pr, pi). P is the generator of gate. */
KL_GPU float kl_derivative(float br, float bi, float ar, float ai, float pr, float pi, int gate,
                           bool bit)
{
    if (gate == KL_VQC_RX) return br * pi - bi * pr;
    const float d = gate == KL_VQC_RY ? -(br * pr + bi * pi) : br * ai - bi * ar;
    return bit ? -d : d;
}

/* The derivative by the angle of a rotation, a thread's part. */
template <int L, bool REAL>
KL_GPU float kl_derive_diagonal(const kl_state<L, REAL> &a, const kl_state<L, REAL> &b,
                                const kl_vqc_op &op, kl_place at)
{
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 1 << L; i++) {
        const uint32_t number = at.lane << L | (uint32_t)i;
        if ((number & op.control) == op.control)
            sum += kl_derivative(b.re[i], b.imag(i), a.re[i], a.imag(i), 0, 0, op.gate,
                                 kl_odd(number & op.target));
    }
    return sum;
}

template <int L, int T, bool REAL>
KL_GPU void kl_derive_own(float *sum, const kl_state<L, REAL> &a, const kl_state<L, REAL> &b,
                          const kl_vqc_op &op, kl_place at)
{
#pragma unroll
    for (int i = 0; i < 1 << L; i++) {
        const int j = i ^ 1 << T;
        if (((at.lane << L | (uint32_t)i) & op.control) == op.control)
            *sum += kl_derivative(b.re[i], b.imag(i), 0, 0, a.re[j], a.imag(j), op.gate, i >> T & 1);
    }
}

/* The gate undone on the state as well, whose partners are at hand. */
template <int L, bool REAL>
KL_GPU float kl_undo_across(kl_state<L, REAL> &a, const kl_state<L, REAL> &b, const kl_vqc_op &op,
                            float c, float s, kl_place at)
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
    return sum;
}

/* The gate undone on state and bra; of a rotation, the derivative by its angle. Each way of applying a
   gate stands here once: the compiler unrolls it over all amplitudes. */
template <int L, bool REAL>
KL_GPU float kl_undo(kl_state<L, REAL> &a, kl_state<L, REAL> &b, const kl_vqc_op &op, float c, float s,
                     kl_place at)
{
    const bool rotates = op.slot >= 0, across = !kl_diagonal(op.gate) && op.target >> L;
    float sum = 0;
    if (across) {
        sum = kl_undo_across(a, b, op, c, s, at);
    } else {
        if (rotates && kl_diagonal(op.gate)) {
            sum = kl_derive_diagonal(a, b, op, at);
        } else if constexpr (L > 0) {
            if (rotates) {
                KL_BY_TARGET(kl_derive_own, op.target, &sum, a, b, op, at)
            }
        }
        kl_apply_within(a, op, c, -s, at);
    }
    if (across) kl_apply_across(b, op, c, -s, at);
    else kl_apply_within(b, op, c, -s, at);
    return rotates ? kl_sum(sum, at) : 0;
}

#endif
