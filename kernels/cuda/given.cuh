/* SPDX-License-Identifier: MIT
   The first pass where the inputs are the amplitudes to begin with: psi = x / |x|, and the gradient by
   x, (g - psi (psi . g)) / |x|, g = 2 Re(bra) being that by psi. */
#ifndef KL_CUDA_GIVEN_CUH
#define KL_CUDA_GIVEN_CUH

#include "kernels/cuda/rows.cuh"
#include "kernels/cuda/state.cuh"

/* This thread's inputs; numbers that there are not are 0. */
template <int R>
KL_GPU void kl_load_given(float (&x)[1 << R], const kl_rows &rows, size_t row, const kl_place &at)
{
    const uint32_t n = (uint32_t)rows.circuit->n_inputs;
#pragma unroll
    for (uint32_t i = 0; i < 1 << R; i++) {
        const uint32_t number = i << at.bits | at.thread;
        x[i] = number < n ? rows.x[row * n + number] : 0;
    }
}

/* 1 / |x|; of no length at all, the state stays 0. */
template <int R> KL_GPU float kl_given_scale(const float (&x)[1 << R], const kl_place &at)
{
    float squares = 0;
#pragma unroll
    for (int i = 0; i < 1 << R; i++) squares += x[i] * x[i];
    squares = kl_sum(squares, at);
    return squares > 0 ? 1 / sqrtf(squares) : 1;
}

template <int R, bool REAL>
KL_GPU void kl_given(kl_state<R, REAL> &a, const kl_rows &rows, size_t row, const kl_place &at)
{
    float x[1 << R];
    kl_load_given<R>(x, rows, row, at);
    const float scale = kl_given_scale<R>(x, at);
#pragma unroll
    for (int i = 0; i < 1 << R; i++) a.set(i, scale * x[i], 0);
}

/* dx, of all inputs of the row. */
template <int R, bool REAL>
KL_GPU void kl_given_back(const kl_state<R, REAL> &b, const kl_rows &rows, size_t row, bool there,
                          const kl_place &at)
{
    const uint32_t n = (uint32_t)rows.circuit->n_inputs;
    float x[1 << R], along = 0;
    kl_load_given<R>(x, rows, row, at);
    const float scale = kl_given_scale<R>(x, at);
#pragma unroll
    for (int i = 0; i < 1 << R; i++) along += scale * x[i] * 2 * b.re[i];
    along = kl_sum(along, at);
#pragma unroll
    for (uint32_t i = 0; i < 1 << R; i++) {
        const uint32_t number = i << at.bits | at.thread;
        if (there && number < n)
            rows.dx[row * n + number] = scale * (2 * b.re[i] - scale * x[i] * along);
    }
}

#endif
