/* SPDX-License-Identifier: MIT
   What is read of a state in registers besides Pauli strings (observe.cuh): probabilities, of numbers
   that are those of the basis states but for flips, and fidelities with states that are given by their
   amplitudes. */
#ifndef KL_CUDA_PROBABILITIES_CUH
#define KL_CUDA_PROBABILITIES_CUH

#include "kernels/cuda/rows.cuh"
#include "kernels/cuda/state.cuh"

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

/* <phi|state>, in all threads. Begins and ends with the state's threads together. */
template <int R, bool REAL>
KL_GPU kl_amplitude kl_overlap(const kl_state<R, REAL> &a, const kl_cuda_fidelity &phi,
                               const kl_cuda_circuit *c, const kl_place &at)
{
    float sums[2] = { 0, 0 };
    uint32_t home[1 << R];
    kl_places<R>(home, kl_anew(at.home), c->home);
#pragma unroll
    for (int part = 0; part < (REAL ? 1 : 2); part++) {
#pragma unroll
        for (int i = 0; i < 1 << R; i++) *kl_at(at.memory, home[i]) = part ? a.imag(i) : a.re[i];
        kl_together(at);
        for (int e = phi.first + (int)at.thread; e < phi.end; e += 1 << at.bits) {
            const kl_cuda_amplitude one = c->amplitudes[e];
            const float value = at.memory[kl_place_beside(at, one.number ^ at.thread)];
            kl_add_inner(&sums[0], &sums[1], one.re, one.im, part ? 0 : value, part ? value : 0);
        }
        kl_together(at);
    }
    kl_sums(sums, at);
    return kl_amplitude{ sums[0], sums[1] };
}

/* Fidelities, added to out. */
template <int R, bool REAL>
KL_GPU void kl_fidelities(float *out, const kl_state<R, REAL> &a, const kl_cuda_circuit *c, bool writes,
                          const kl_place &at)
{
    for (int o = 0, f = 0; o < c->n_outputs; o++)
        for (; f < c->fidelity_end[o]; f++) {
            const kl_cuda_fidelity phi = c->fidelities[f];
            const kl_amplitude overlap = kl_overlap(a, phi, c, at);
            if (writes) out[o] += phi.weight * (overlap.re * overlap.re + overlap.im * overlap.im);
        }
}

/* bra += by phi; of a real state only the real part counts. Begins with the state's threads together;
   ends with reads of own places alone. */
template <int R, bool REAL>
KL_GPU void kl_add_state(kl_state<R, REAL> &b, const kl_cuda_fidelity &phi, kl_amplitude by,
                         const kl_cuda_circuit *c, const kl_place &at)
{
    uint32_t home[1 << R];
    kl_places<R>(home, kl_anew(at.home), c->home);
#pragma unroll
    for (int part = 0; part < (REAL ? 1 : 2); part++) {
#pragma unroll
        for (int i = 0; i < 1 << R; i++) *kl_at(at.memory, home[i]) = 0;
        kl_together(at);
        for (int e = phi.first + (int)at.thread; e < phi.end; e += 1 << at.bits) {
            const kl_cuda_amplitude one = c->amplitudes[e];
            const kl_amplitude more = kl_times<false>(by, one.re, one.im);
            at.memory[kl_place_beside(at, one.number ^ at.thread)] = part ? more.im : more.re;
        }
        kl_together(at);
#pragma unroll
        for (int i = 0; i < 1 << R; i++) {
            const float more = *kl_at(at.memory, home[i]);
            b.set(i, part ? b.re[i] : b.re[i] + more, part ? b.imag(i) + more : b.imag(i));
        }
    }
}

/* Begins and ends as kl_add_state. */
template <int R, bool REAL>
KL_GPU void kl_observe_fidelities(kl_state<R, REAL> &b, const kl_state<R, REAL> &a,
                                  const kl_cuda_circuit *c, const float *cot, const kl_place &at)
{
    for (int o = 0, f = 0; o < c->n_outputs; o++)
        for (; f < c->fidelity_end[o]; f++) {
            const kl_cuda_fidelity phi = c->fidelities[f];
            const kl_amplitude overlap = kl_overlap(a, phi, c, at);
            const float weight = phi.weight * cot[o];
            kl_add_state(b, phi, kl_amplitude{ weight * overlap.re, weight * overlap.im }, c, at);
        }
}

#endif
