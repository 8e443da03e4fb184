/* SPDX-License-Identifier: MIT
   Pauli strings on a state in registers (state.cuh): expectation values, and the bra of an adjoint. */
#ifndef KL_CUDA_OBSERVE_CUH
#define KL_CUDA_OBSERVE_CUH

#include "kernels/cuda/state.cuh"

/* The amplitude of P|state> of a Pauli string, at the place `number`, which k ^ x has in the state:
   times (-1)^parity(k & z) and i^(number of Y). */
KL_GPU void kl_string_phase(float *re, float *im, kl_vqc_observable p, uint32_t number)
{
    const int y = __popc(p.x & p.z) & 3;
    const bool minus = kl_odd((number ^ p.x) & p.z) != (y >> 1 & 1);
    const float r = minus ? -*re : *re, m = minus ? -*im : *im;
    *re = y & 1 ? -m : r;
    *im = y & 1 ? r : m;
}

/* Amplitude k goes to k ^ x. */
template <int L, bool REAL> KL_GPU void kl_exchange(kl_state<L, REAL> &a, uint32_t x)
{
#pragma unroll
    for (int bit = 0; bit < L; bit++)
        if (x >> bit & 1)
#pragma unroll
            for (int i = 0; i < 1 << L; i++) {
                const int j = i | 1 << bit;
                if (i == j) continue;
                const float re = a.re[i], im = a.imag(i);
                a.set(i, a.re[j], a.imag(j));
                a.set(j, re, im);
            }
    if (x >> L)
#pragma unroll
        for (int i = 0; i < 1 << L; i++)
            a.set(i, kl_from(a.re[i], x >> L), REAL ? 0 : kl_from(a.imag(i), x >> L));
}

/* <state| P |state>, which all of the state's threads have. */
template <int L, bool REAL>
KL_GPU float kl_expectation(const kl_state<L, REAL> &a, kl_vqc_observable p, kl_place at)
{
    float sum = 0;
    if (p.x) {
        kl_state<L, REAL> to = a;
        kl_exchange(to, p.x);
#pragma unroll
        for (int i = 0; i < 1 << L; i++) {
            float re = to.re[i], im = to.imag(i);
            kl_string_phase(&re, &im, p, at.lane << L | (uint32_t)i);
            sum += a.re[i] * re + a.imag(i) * im;
        }
    } else {
#pragma unroll
        for (int i = 0; i < 1 << L; i++) {
            const float probability = a.re[i] * a.re[i] + a.imag(i) * a.imag(i);
            sum += kl_odd((at.lane << L | (uint32_t)i) & p.z) ? -probability : probability;
        }
    }
    return kl_sum(sum, at);
}

/* bra += weight P |state>. The state is exchanged and exchanged back: there is no room for a third. */
template <int L, bool REAL>
KL_GPU void kl_observe(kl_state<L, REAL> &bra, kl_state<L, REAL> &a, kl_vqc_observable p, float weight,
                       kl_place at)
{
    for (int turn = 0; turn < 2; turn++) {
        if (p.x) kl_exchange(a, p.x);
        if (turn) break;
#pragma unroll
        for (int i = 0; i < 1 << L; i++) {
            float re = a.re[i], im = a.imag(i);
            kl_string_phase(&re, &im, p, at.lane << L | (uint32_t)i);
            bra.set(i, bra.re[i] + weight * re, bra.imag(i) + weight * im);
        }
    }
}

#endif
