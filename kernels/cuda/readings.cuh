/* SPDX-License-Identifier: MIT
   What is read of a state in registers by its numbers, which are those of the basis states but for
   flips: probabilities, and fidelities with states that are given by their amplitudes. */
#ifndef KL_CUDA_READINGS_CUH
#define KL_CUDA_READINGS_CUH

#include "kernels/cuda/rows.cuh"
#include "kernels/cuda/start.cuh"

/* out (n_outputs), of all threads. */
template <int R, bool REAL>
KL_GPU void kl_probabilities(float *out, const kl_state<R, REAL> &a, const kl_cuda_circuit *c,
                             bool there, const kl_place &at)
{
#pragma unroll
    for (uint32_t i = 0; i < 1 << R; i++) {
        const uint32_t number = i << at.bits | at.thread;
        if (there && number < (uint32_t)c->n_outputs)
            out[number ^ c->flips] = a.re[i] * a.re[i] + a.imag(i) * a.imag(i);
    }
}

template <int R, bool REAL>
KL_GPU void kl_observe_probabilities(kl_state<R, REAL> &b, const kl_state<R, REAL> &a,
                                     const kl_cuda_circuit *c, const float *cot, const kl_place &at)
{
#pragma unroll
    for (uint32_t i = 0; i < 1 << R; i++) {
        const uint32_t number = i << at.bits | at.thread;
        const float weight = number < (uint32_t)c->n_outputs ? cot[number ^ c->flips] : 0;
        b.set(i, weight * a.re[i], weight * a.imag(i));
    }
}

/* Where an amplitude of any thread is in the block's memory. */
KL_GPU uint32_t kl_place_of_number(uint32_t number, const kl_place &at)
{
    return (at.home ^ at.thread) ^ kl_cuda_place(number, at.bits);
}

/* <phi|state> of a target phi, in all threads. Begins and ends with the state's threads together. */
template <int R, bool REAL>
KL_GPU kl_amplitude kl_overlap(const kl_state<R, REAL> &a, kl_cuda_target t, const kl_cuda_circuit *c,
                               const kl_place &at)
{
    float sums[2] = { 0, 0 };
    uint32_t home[1 << R];
    kl_places<R>(home, kl_anew(at.home), c->home);
#pragma unroll
    for (int part = 0; part < (REAL ? 1 : 2); part++) {
#pragma unroll
        for (int i = 0; i < 1 << R; i++) *kl_at(at.memory, home[i]) = part ? a.imag(i) : a.re[i];
        kl_together(at);
        for (int e = t.first + (int)at.thread; e < t.end; e += 1 << at.bits) {
            const kl_cuda_amplitude phi = c->amplitudes[e];
            const float value = at.memory[kl_place_of_number(phi.number, at)];
            sums[0] += (part ? phi.im : phi.re) * value;
            sums[1] += (part ? phi.re : -phi.im) * value;
        }
        kl_together(at);
    }
    kl_sums(sums, at);
    return kl_amplitude{ sums[0], sums[1] };
}

/* bra += by phi. Of a real state only the real part counts. Begins and ends with the state's threads
   together. */
template <int R, bool REAL>
KL_GPU void kl_add_target(kl_state<R, REAL> &b, kl_cuda_target t, kl_amplitude by,
                          const kl_cuda_circuit *c, const kl_place &at)
{
    uint32_t home[1 << R];
    kl_places<R>(home, kl_anew(at.home), c->home);
#pragma unroll
    for (int part = 0; part < (REAL ? 1 : 2); part++) {
#pragma unroll
        for (int i = 0; i < 1 << R; i++) *kl_at(at.memory, home[i]) = 0;
        kl_together(at);
        for (int e = t.first + (int)at.thread; e < t.end; e += 1 << at.bits) {
            const kl_cuda_amplitude phi = c->amplitudes[e];
            at.memory[kl_place_of_number(phi.number, at)] =
                part ? by.re * phi.im + by.im * phi.re : by.re * phi.re - by.im * phi.im;
        }
        kl_together(at);
#pragma unroll
        for (int i = 0; i < 1 << R; i++) {
            const float more = *kl_at(at.memory, home[i]);
            b.set(i, part ? b.re[i] : b.re[i] + more, part ? b.imag(i) + more : b.imag(i));
        }
    }
}

#endif
