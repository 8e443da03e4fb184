/* SPDX-License-Identifier: MIT
   One sample through a circuit and back, on a state in registers (state.cuh). */
#ifndef KL_CUDA_SWEEP_CUH
#define KL_CUDA_SWEEP_CUH

#include "kernels/cuda/given.cuh"
#include "kernels/cuda/observe.cuh"
#include "kernels/cuda/passes.cuh"

template <int R, bool REAL>
KL_GPU void kl_sweep(kl_state<R, REAL> &a, const kl_rows &rows, size_t row, const kl_place &at)
{
    const kl_cuda_circuit *c = rows.circuit;
    if (c->given) kl_given(a, rows, row, kl_anew_place(at));
    else kl_start(a, c->passes[0], rows, row, at);
    for (int k = 1; k < c->n_passes; k++) {
        const kl_cuda_pass &pass = c->passes[k];
        if (pass.moves) {
            uint32_t home[1 << R], to[1 << R];
            kl_places<R>(home, at.home ^ pass.own[7], c->home);
            kl_moved_places<R, KL_HELD_LANE_BITS>(to, pass, at);
            kl_through_all(a, to, home, at);
        }
        kl_apply(a, pass, rows, row, at);
    }
}

/* From the state that kl_sweep left and the bra of kl_circuit_observe_text: the generators' values, and
   the gradients by amplitudes that were given. Both states are undone. */
template <int R, bool REAL>
KL_GPU void kl_sweep_back(kl_state<R, REAL> &a, kl_state<R, REAL> &b, const kl_rows &rows, size_t row,
                          bool there, const kl_place &at)
{
    const kl_cuda_circuit *c = rows.circuit;
    for (int k = c->n_passes; k-- > 1;) {
        const kl_cuda_pass &pass = c->passes[k];
        float sums[R * kl_sizes<REAL>::generators] = { 0 };
        kl_apply_back(sums, a, b, pass, rows, row, at);
        kl_put_sums<R, REAL>(sums, pass, rows, row, there, at, at);
        if (pass.moves) {
            uint32_t home[1 << R], from[1 << R];
            kl_places<R>(home, at.home ^ pass.own[7], c->home);
            kl_moved_places<R, KL_HELD_LANE_BITS>(from, pass, at);
            kl_through_all(a, home, from, at);
            kl_through_all(b, home, from, at);
        }
    }
    if (c->given) kl_given_back(b, rows, row, there, kl_anew_place(at));
    else kl_start_back(b, c->passes[0], rows, row, there, at);
}

/* Rows [from, to) by a block whose threads share states of 2^bits threads: use(row, there); a row that
   is not there, but keeps threads company that wait for each other, is the last one. */
template <class F> KL_GPU void kl_each_row(size_t from, size_t to, int bits, F use)
{
    const size_t own = threadIdx.x >> bits;
    const size_t company = bits > KL_WARP_BITS ? own : threadIdx.x % KL_WARP >> bits;
    for (size_t row = from + own; row - company < to; row += blockDim.x >> bits)
        use(row < to ? row : to - 1, row < to);
}

/* The place of value k of this thread's share of a row's state. */
KL_GPU float *kl_state_at(const kl_rows &rows, int k, size_t row, const kl_place &at)
{
    return rows.states + ((((size_t)k * rows.stride + row) << at.bits) | at.thread);
}

/* Outputs of rows [from, to), whose matrices are there, by a block; the states are kept, unless there is
   no room for them, for kl_rows_back. */
template <int R, bool REAL> KL_GPU void kl_rows_forward(const kl_rows &rows, size_t from, size_t to)
{
    const kl_cuda_circuit *c = rows.circuit;
    const kl_place at = kl_place_of(c->lane_bits, R);
    kl_each_row(from, to, at.bits, [&](size_t row, bool there) {
        kl_state<R, REAL> a;
        kl_sweep(a, rows, row, at);
        kl_outputs(rows.out + row * (size_t)c->n_outputs, a, c, there, at);
        if (!rows.states || !there) return;
#pragma unroll
        for (int i = 0; i < 1 << R; i++) {
            *kl_state_at(rows, i, row, at) = a.re[i];
            if (!REAL) *kl_state_at(rows, i + (1 << R), row, at) = a.imag(i);
        }
    });
}

/* Generators of rows [from, to), by a block. */
template <int R, bool REAL> KL_GPU void kl_rows_back(const kl_rows &rows, size_t from, size_t to)
{
    const kl_cuda_circuit *c = rows.circuit;
    const kl_place at = kl_place_of(c->lane_bits, R);
    kl_each_row(from, to, at.bits, [&](size_t row, bool there) {
        kl_state<R, REAL> a, b;
#pragma unroll
        for (int i = 0; i < 1 << R; i++)
            a.set(i, *kl_state_at(rows, i, row, at),
                  REAL ? 0 : *kl_state_at(rows, i + (1 << R), row, at));
        kl_circuit_observe_text(b, a, c, rows.cot + row * (size_t)c->n_outputs, at);
        kl_sweep_back(a, b, rows, row, there, at);
    });
}

#endif
