/* SPDX-License-Identifier: MIT
   Pauli strings on a state in registers (state.cuh): expectation values, and the bra of an adjoint. For
   strings of Z, all sums of a thread's probabilities with signs are made at once, by the Walsh-Hadamard
   transform over own bits, and back. */
#ifndef KL_CUDA_OBSERVE_CUH
#define KL_CUDA_OBSERVE_CUH

#include "kernels/cuda/probabilities.cuh"

/* The amplitude of P|state> at number k, which number k ^ x has in the state: times (-1)^parity(that &
   z) and i^turns. */
KL_GPU void kl_string_phase(float *re, float *im, kl_cuda_term p, uint32_t k)
{
    const bool minus = kl_odd((k ^ p.x) & p.z) != (p.turns >> 1 & 1);
    const float r = minus ? -*re : *re, m = minus ? -*im : *im;
    *re = p.turns & 1 ? -m : r;
    *im = p.turns & 1 ? r : m;
}

template <int R> KL_GPU void kl_walsh_hadamard(float (&value)[1 << R])
{
#pragma unroll
    for (int k = 0; k < R; k++)
#pragma unroll
        for (int i = 0; i < 1 << R; i++)
            if (!(i >> k & 1)) {
                const float x = value[i], y = value[i | 1 << k];
                value[i] = x + y;
                value[i | 1 << k] = x - y;
            }
}

/* The place of this thread's sum for a string of Z. */
KL_GPU uint32_t kl_z_place(kl_cuda_term p, const kl_place &at)
{
    return kl_place_beside(at, p.z >> at.bits << at.bits);
}

/* And the sign with which a string of Z takes this thread's sum: of the thread's bits, and its own. */
KL_GPU float kl_z_sign(kl_cuda_term p, const kl_place &at)
{
    return kl_odd(at.thread & p.z) != (p.turns >> 1 & 1) ? -1.f : 1.f;
}

/* P|state> for a string that is not of Z alone. */
template <int R, bool REAL>
KL_GPU kl_state<R, REAL> kl_circuit_string_of(kl_state<R, REAL> a, kl_cuda_term p,
                                              const kl_cuda_circuit *c, const kl_place &at)
{
    const uint32_t by = kl_cuda_place(p.x, at.bits) * (uint32_t)sizeof(float);
    uint32_t places[1 << R], from[1 << R];
    kl_places<R>(places, kl_anew(at.home), c->home);
#pragma unroll
    for (int i = 0; i < 1 << R; i++) from[i] = places[i] ^ by;
    kl_through_all(a, places, from, at);
#pragma unroll
    for (int i = 0; i < 1 << R; i++) {
        float re = a.re[i], im = a.imag(i);
        kl_string_phase(&re, &im, p, (uint32_t)i << at.bits | at.thread);
        a.set(i, re, im);
    }
    return a;
}

/* Expectation values of terms of Z, from the sums in this thread's places. So many outputs at once,
   since each sum over threads is a chain of exchanges that wait for each other. */
enum { KL_OUTPUTS = 4 };
KL_GPU void kl_z_outputs(float *out, const kl_cuda_circuit *c, bool writes, const kl_place &at)
{
    for (int o = 0, t = 0; o < c->n_outputs; o += KL_OUTPUTS) {
        float sums[KL_OUTPUTS] = { 0, 0, 0, 0 };
#pragma unroll
        for (int k = 0; k < KL_OUTPUTS; k++)
#pragma unroll 1 /* mostly one */
            for (; o + k < c->n_outputs && t < c->end[o + k]; t++) {
                const kl_cuda_term p = c->terms[t];
                if (p.x) continue;
                sums[k] += p.weight * kl_z_sign(p, at) * at.memory[kl_z_place(p, at)];
            }
        kl_sums(sums, at);
#pragma unroll
        for (int k = 0; k < KL_OUTPUTS; k++)
            if (writes && o + k < c->n_outputs) out[o + k] = sums[k];
    }
}

/* The expectation value of a string of Z, by one thread from the places of all 2^bits, four at once:
   two bits at least. */
KL_GPU float kl_z_sum(kl_cuda_term p, const kl_place &at)
{
    const uint32_t first = kl_z_place(p, at) ^ at.thread;
    uint32_t minus = kl_odd_ones(p.z & ((1u << at.bits) - 1));
    float sum = 0;
    for (uint32_t t = 0; t < 1u << at.bits; t += 4, minus >>= 4)
#pragma unroll
        for (uint32_t k = 0; k < 4; k++) sum += kl_signed(at.memory[first ^ (t | k)], minus, (int)k);
    return p.turns >> 1 & 1 ? -sum : sum;
}

/* The same as kl_z_outputs where a warp's threads share a state: a thread an output. */
KL_GPU void kl_z_outputs_apart(float *out, const kl_cuda_circuit *c, bool there, const kl_place &at)
{
    kl_together(at);
    for (int o = (int)at.thread; o < c->n_outputs; o += 1 << at.bits) {
        float sum = 0;
#pragma unroll 1
        for (int t = o ? c->end[o - 1] : 0; t < c->end[o]; t++) {
            const kl_cuda_term p = c->terms[t];
            if (!p.x) sum += p.weight * kl_z_sum(p, at);
        }
        if (there) out[o] = sum;
    }
}

/* Terms that are not of Z alone, added to out. */
template <int R, bool REAL>
KL_GPU void kl_mixed_outputs(float *out, const kl_state<R, REAL> &a, const kl_cuda_circuit *c,
                             bool writes, const kl_place &at)
{
    for (int o = 0, t = 0; o < c->n_outputs; o++)
        for (; t < c->end[o]; t++) {
            const kl_cuda_term p = c->terms[t];
            float value = 0;
            if (!p.x) continue;
            const kl_state<R, REAL> to = kl_circuit_string_of(a, p, c, at);
#pragma unroll
            for (int i = 0; i < 1 << R; i++) value += a.re[i] * to.re[i] + a.imag(i) * to.imag(i);
            value = kl_sum(value, at);
            if (writes) out[o] += p.weight * value;
        }
}

/* out (n_outputs) of the state; there: this thread may write. Ends with the state's threads together,
   but for probabilities, which touch no place in the block's memory. */
template <int R, bool REAL>
KL_GPU void kl_outputs(float *out, const kl_state<R, REAL> &a, const kl_cuda_circuit *c, bool there,
                       const kl_place &at)
{
    const bool writes = there && at.thread == 0;
    uint32_t places[1 << R];
    float sums[1 << R];
    if (c->probabilities) {
        kl_probabilities(out, a, c, there, kl_anew_place(at));
        return;
    }
    kl_places<R>(places, at.home, c->home);
#pragma unroll
    for (int i = 0; i < 1 << R; i++) sums[i] = a.re[i] * a.re[i] + a.imag(i) * a.imag(i);
    kl_walsh_hadamard<R>(sums);
#pragma unroll
    for (int i = 0; i < 1 << R; i++) *kl_at(at.memory, places[i]) = sums[i];
    if (at.bits > 1 && at.bits <= KL_WARP_BITS) kl_z_outputs_apart(out, c, there, at);
    else kl_z_outputs(out, c, writes, at);
    kl_together(at);
    if (c->mixed) kl_mixed_outputs(out, a, c, writes, kl_anew_place(at));
    if (c->n_fidelities) kl_fidelities(out, a, c, writes, kl_anew_place(at));
}

template <int R, bool REAL>
KL_GPU void kl_observe_mixed(kl_state<R, REAL> &b, const kl_state<R, REAL> &a, const kl_cuda_circuit *c,
                             const float *cot, const kl_place &at)
{
    for (int o = 0, t = 0; o < c->n_outputs; o++)
        for (; t < c->end[o]; t++) {
            const kl_cuda_term p = c->terms[t];
            const float weight = p.weight * cot[o];
            if (!p.x) continue;
            const kl_state<R, REAL> to = kl_circuit_string_of(a, p, c, at);
#pragma unroll
            for (int i = 0; i < 1 << R; i++)
                b.set(i, b.re[i] + weight * to.re[i], b.imag(i) + weight * to.imag(i));
        }
}

/* The bra: the sum of cot (n_outputs) times the outputs' operators, on the state. Threads come and go
   with their own places alone. */
template <int R, bool REAL>
KL_GPU void kl_circuit_observe_text(kl_state<R, REAL> &b, const kl_state<R, REAL> &a,
                                    const kl_cuda_circuit *c, const float *cot, const kl_place &at)
{
    uint32_t places[1 << R];
    float factor[1 << R];
    if (c->probabilities) {
        kl_observe_probabilities(b, a, c, cot, kl_anew_place(at));
        return;
    }
    kl_places<R>(places, at.home, c->home);
#pragma unroll
    for (int i = 0; i < 1 << R; i++) *kl_at(at.memory, places[i]) = 0;
    for (int o = 0, t = 0; o < c->n_outputs; o++) {
        const float weight = cot[o];
        for (; t < c->end[o]; t++) {
            const kl_cuda_term p = c->terms[t];
            if (!p.x) at.memory[kl_z_place(p, at)] += p.weight * weight * kl_z_sign(p, at);
        }
    }
#pragma unroll
    for (int i = 0; i < 1 << R; i++) factor[i] = *kl_at(at.memory, places[i]);
    kl_walsh_hadamard<R>(factor);
#pragma unroll
    for (int i = 0; i < 1 << R; i++) b.set(i, factor[i] * a.re[i], factor[i] * a.imag(i));
    if (c->mixed) kl_observe_mixed(b, a, c, cot, kl_anew_place(at));
    if (c->n_fidelities) kl_observe_fidelities(b, a, c, cot, kl_anew_place(at));
}

#endif
