/* SPDX-License-Identifier: MIT
   A state that is too large for a block's registers: it lies in the GPU's memory, amplitude by
   amplitude in the order of numbers, and a pass takes all threads' shares of it through the registers of
   the block's threads, one after another. What moves is written to, or read from, where it goes, in a
   second copy. Complex, whatever the circuit. */
#ifndef KL_CUDA_KEPT_CUH
#define KL_CUDA_KEPT_CUH

#include "kernels/cuda/passes.cuh"
#include "kernels/cuda/observe.cuh"

enum {
    KL_KEPT_BITS = 8,
    KL_KEPT_THREADS = 1 << KL_KEPT_BITS,
    KL_KEPT_COPIES = 4 /* two states, twice */
};

struct kl_kept {
    float *re, *im;
};
typedef kl_state<KL_CUDA_OWN_BITS, false> kl_share_of;

/* Values of the GPU's memory that a block needs. */
static inline __host__ __device__ size_t kl_kept_memory(int n_bits)
{
    return (size_t)2 * KL_KEPT_COPIES << n_bits;
}

KL_GPU kl_kept kl_kept_copy(float *memory, int number, const kl_cuda_circuit *c)
{
    const size_t size = (size_t)1 << (c->own_bits + c->lane_bits);
    return kl_kept{ memory + 2 * (size_t)number * size, memory + (2 * (size_t)number + 1) * size };
}

/* Thread t of those whose shares make the state; it has no place in the block's memory. */
KL_GPU kl_place kl_kept_place(uint32_t t, const kl_cuda_circuit *c)
{
    return kl_place{ t, c->lane_bits, t, NULL, NULL };
}

/* Places of a share, in bytes, or where `moves`, unless NULL, takes them. */
KL_GPU void kl_kept_numbers(uint32_t (&to)[1 << KL_CUDA_OWN_BITS], const kl_cuda_pass *moves,
                            const kl_place &at)
{
    if (moves) {
        kl_moved_places<KL_CUDA_OWN_BITS, KL_KEPT_LANE_BITS>(to, *moves, at);
        return;
    }
#pragma unroll
    for (uint32_t i = 0; i < 1 << KL_CUDA_OWN_BITS; i++)
        to[i] = (i << at.bits | at.thread) * (uint32_t)sizeof(float);
}

KL_GPU void kl_kept_load(kl_share_of &a, const kl_kept &from,
                         const uint32_t (&number)[1 << KL_CUDA_OWN_BITS])
{
#pragma unroll
    for (int i = 0; i < 1 << KL_CUDA_OWN_BITS; i++)
        a.set(i, *kl_at(from.re, number[i]), *kl_at(from.im, number[i]));
}

KL_GPU void kl_kept_store(const kl_kept &to, const kl_share_of &a,
                          const uint32_t (&number)[1 << KL_CUDA_OWN_BITS])
{
#pragma unroll
    for (int i = 0; i < 1 << KL_CUDA_OWN_BITS; i++)
        *kl_at(to.re, number[i]) = a.re[i], *kl_at(to.im, number[i]) = a.im[i];
}

/* The pass that moves amplitudes behind pass k; NULL: none. */
KL_GPU const kl_cuda_pass *kl_moves_behind(const kl_cuda_circuit *c, int k)
{
    return k + 1 < c->n_passes && c->passes[k + 1].moves ? &c->passes[k + 1] : NULL;
}

/* Copy 0 or 1 of memory has the state in the end: which. Matrices need no barrier before it; ends with
   the block together. */
KL_GPU int kl_kept_sweep(float *memory, const kl_rows &rows, size_t row)
{
    const kl_cuda_circuit *c = rows.circuit;
    const uint32_t shares = 1u << c->lane_bits, size = shares << c->own_bits;
    int which = 0;
    for (uint32_t i = threadIdx.x; i < size; i += blockDim.x) {
        const kl_kept zero = kl_kept_copy(memory, 0, c);
        zero.re[i] = i ? 0 : 1, zero.im[i] = 0;
    }
    __syncthreads();
    for (int k = 0; k < c->n_passes; k++) {
        const kl_cuda_pass *moves = kl_moves_behind(c, k);
        const kl_kept from = kl_kept_copy(memory, which, c);
        if (moves) which ^= 1;
        const kl_kept to = kl_kept_copy(memory, which, c);
        for (uint32_t t = threadIdx.x; t < shares; t += blockDim.x) {
            const kl_place at = kl_kept_place(t, c);
            uint32_t number[1 << KL_CUDA_OWN_BITS];
            kl_share_of a;
            kl_kept_numbers(number, NULL, at);
            kl_kept_load(a, from, number);
            kl_apply(a, c->passes[k], rows, row, at);
            kl_kept_numbers(number, moves, at);
            kl_kept_store(to, a, number);
        }
        __syncthreads();
    }
    return which;
}

/* (P state)[k]; see kl_string_phase of observe.cuh. */
KL_GPU kl_amplitude kl_kept_string(const kl_kept &a, kl_cuda_term p, uint32_t k)
{
    kl_amplitude value = { a.re[k ^ p.x], a.im[k ^ p.x] };
    kl_string_phase(&value.re, &value.im, p, k);
    return value;
}

/* The expectation value of the sum of terms [first, end), in all threads of the block. */
KL_GPU float kl_kept_strings(const kl_kept &a, int first, int end, const kl_cuda_circuit *c,
                             const kl_place &block)
{
    const uint32_t size = 1u << (c->own_bits + c->lane_bits);
    float sum = 0;
    for (uint32_t k = threadIdx.x; k < size && first < end; k += blockDim.x)
        for (int t = first; t < end; t++) {
            const kl_amplitude to = kl_kept_string(a, c->terms[t], k);
            sum += c->terms[t].weight * (a.re[k] * to.re + a.im[k] * to.im);
        }
    return kl_sum(sum, block);
}

/* <phi|state>, in all threads of the block. */
KL_GPU kl_amplitude kl_kept_overlap(const kl_kept &a, const kl_cuda_fidelity &phi,
                                    const kl_cuda_circuit *c, const kl_place &block)
{
    float sums[2] = { 0, 0 };
    for (int e = phi.first + (int)threadIdx.x; e < phi.end; e += (int)blockDim.x) {
        const kl_cuda_amplitude one = c->amplitudes[e];
        kl_add_inner(&sums[0], &sums[1], one.re, one.im, a.re[one.number], a.im[one.number]);
    }
    kl_sums(sums, block);
    return kl_amplitude{ sums[0], sums[1] };
}

KL_GPU void kl_kept_outputs(float *out, const kl_kept &a, const kl_cuda_circuit *c,
                            const kl_place &block)
{
    for (int o = 0, f = 0; o < c->n_outputs; o++) {
        float value = kl_kept_strings(a, o ? c->end[o - 1] : 0, c->end[o], c, block);
        for (; c->n_fidelities && f < c->fidelity_end[o]; f++) {
            const kl_cuda_fidelity phi = c->fidelities[f];
            const kl_amplitude overlap = kl_kept_overlap(a, phi, c, block);
            value += phi.weight * (overlap.re * overlap.re + overlap.im * overlap.im);
        }
        if (threadIdx.x == 0) out[o] = value;
    }
}

/* bra = the sum of cot (n_outputs) times the outputs' strings, on the state. Ends with the block
   together. */
KL_GPU void kl_kept_observe_strings(const kl_kept &b, const kl_kept &a, const kl_cuda_circuit *c,
                                    const float *cot)
{
    const uint32_t size = 1u << (c->own_bits + c->lane_bits);
    for (uint32_t k = threadIdx.x; k < size; k += blockDim.x) {
        float re = 0, im = 0;
        for (int o = 0, t = 0; o < c->n_outputs; o++)
            for (; t < c->end[o]; t++) {
                const kl_cuda_term p = c->terms[t];
                const kl_amplitude to = kl_kept_string(a, p, k);
                re += p.weight * cot[o] * to.re;
                im += p.weight * cot[o] * to.im;
            }
        b.re[k] = re, b.im[k] = im;
    }
    __syncthreads();
}

/* bra += by phi. Ends with the block together. */
KL_GPU void kl_kept_add_state(const kl_kept &b, const kl_cuda_fidelity &phi, kl_amplitude by,
                              const kl_cuda_circuit *c)
{
    for (int e = phi.first + (int)threadIdx.x; e < phi.end; e += (int)blockDim.x) {
        const kl_cuda_amplitude one = c->amplitudes[e];
        const kl_amplitude more = kl_times<false>(by, one.re, one.im);
        b.re[one.number] += more.re, b.im[one.number] += more.im;
    }
    __syncthreads();
}

/* As kl_circuit_observe_text. Ends with the block together. */
KL_GPU void kl_kept_observe(const kl_kept &b, const kl_kept &a, const kl_cuda_circuit *c,
                            const float *cot, const kl_place &block)
{
    kl_kept_observe_strings(b, a, c, cot);
    for (int o = 0, f = 0; c->n_fidelities && o < c->n_outputs; o++)
        for (; f < c->fidelity_end[o]; f++) {
            const kl_cuda_fidelity phi = c->fidelities[f];
            const kl_amplitude overlap = kl_kept_overlap(a, phi, c, block);
            const float weight = phi.weight * cot[o];
            kl_kept_add_state(b, phi, kl_amplitude{ weight * overlap.re, weight * overlap.im }, c);
        }
}

/* One share of the state in copy `from` of memory and of the bra two behind it, back through a pass. */
KL_GPU void kl_kept_share_back(float *sums, float *memory, int from, int to, const kl_cuda_pass *moves,
                               const kl_cuda_pass &pass, const kl_rows &rows, size_t row,
                               const kl_place &at)
{
    const kl_cuda_circuit *c = rows.circuit;
    uint32_t number[1 << KL_CUDA_OWN_BITS];
    kl_share_of a, b;
    kl_kept_numbers(number, moves, at);
    kl_kept_load(a, kl_kept_copy(memory, from, c), number);
    kl_kept_load(b, kl_kept_copy(memory, from + 2, c), number);
    kl_apply_back(sums, a, b, pass, rows, row, at);
    kl_kept_numbers(number, NULL, at);
    kl_kept_store(kl_kept_copy(memory, to, c), a, number);
    kl_kept_store(kl_kept_copy(memory, to + 2, c), b, number);
}

/* As kl_sweep_back, of the state in copy `which`. */
KL_GPU void kl_kept_back(float *memory, int which, const kl_rows &rows, size_t row,
                         const kl_place &block)
{
    const kl_cuda_circuit *c = rows.circuit;
    const uint32_t shares = 1u << c->lane_bits;
    for (int k = c->n_passes; k-- > 0;) {
        const kl_cuda_pass *moves = kl_moves_behind(c, k);
        const int from = which;
        float sums[KL_PARTS] = { 0 };
        if (moves) which ^= 1;
        for (uint32_t t = threadIdx.x; t < shares; t += blockDim.x)
            kl_kept_share_back(sums, memory, from, which, moves, c->passes[k], rows, row,
                               kl_kept_place(t, c));
        kl_put_sums<KL_CUDA_OWN_BITS, false>(sums, c->passes[k], rows, row, threadIdx.x == 0,
                                             kl_kept_place(0, c), block);
        __syncthreads();
    }
}

/* The outputs of a row whose matrices are there; which copy of memory has its state. */
KL_GPU int kl_kept_forward(float *memory, const kl_rows &rows, size_t row)
{
    const kl_cuda_circuit *c = rows.circuit;
    const int which = kl_kept_sweep(memory, rows, row);
    kl_kept_outputs(rows.out + row * (size_t)c->n_outputs, kl_kept_copy(memory, which, c), c,
                    kl_place_of(KL_KEPT_BITS, 0));
    return which;
}

/* Its generators, from the state that is in copy `which`. */
KL_GPU void kl_kept_generators(float *memory, int which, const kl_rows &rows, size_t row)
{
    const kl_cuda_circuit *c = rows.circuit;
    const kl_place block = kl_place_of(KL_KEPT_BITS, 0);
    kl_kept_observe(kl_kept_copy(memory, which + 2, c), kl_kept_copy(memory, which, c), c,
                    rows.cot + row * (size_t)c->n_outputs, block);
    kl_kept_back(memory, which, rows, row, block);
}

#endif
