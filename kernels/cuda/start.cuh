/* SPDX-License-Identifier: MIT
   The pass that acts on |0>: the state it leaves is a product of the qubits' first columns, and on the
   way back one qubit after another is taken out of the bra, the highest bit first. */
#ifndef KL_CUDA_START_CUH
#define KL_CUDA_START_CUH

#include "kernels/cuda/rows.cuh"
#include "kernels/cuda/state.cuh"

/* The factor of the lowest n bits of this thread's number. */
template <bool REAL>
KL_GPU kl_amplitude kl_thread_product(const kl_cuda_pass &pass, const kl_rows &rows, size_t row,
                                      const kl_place &at, int n)
{
    kl_amplitude p = { 1, 0 };
    for (int bit = 0; bit < n; bit++) {
        const kl_matrix u = kl_matrix_if_any<REAL>(rows, pass.matrix[bit], row);
        const bool one = at.thread >> bit & 1;
        p = kl_times<REAL>(p, one ? u.br : u.ar, one ? u.bi : u.ai);
    }
    return p;
}

/* The product over the lowest n own bits, 2^n amplitudes, times p. */
template <int R, bool REAL>
KL_GPU void kl_own_product(kl_state<R, REAL> &a, const kl_matrix (&u)[R], kl_amplitude p, int n)
{
    a.set(0, p.re, p.im);
#pragma unroll
    for (int k = 0; k < R; k++)
#pragma unroll
        for (int i = 0; i < 1 << (R - 1); i++) {
            if (k >= n || i >= 1 << k) continue;
            const kl_amplitude was = { a.re[i], a.imag(i) },
                               zero = kl_times<REAL>(was, u[k].ar, u[k].ai),
                               one = kl_times<REAL>(was, u[k].br, u[k].bi);
            a.set(i, zero.re, zero.im);
            a.set(i | 1 << k, one.re, one.im);
        }
}

template <int R, bool REAL>
KL_GPU void kl_load_all(kl_matrix (&u)[R], const int32_t *m, const kl_rows &rows, size_t row)
{
#pragma unroll
    for (int k = 0; k < R; k++) u[k] = kl_matrix_if_any<REAL>(rows, m[k], row);
}

template <int R, bool REAL>
KL_GPU void kl_start(kl_state<R, REAL> &a, const kl_cuda_pass &pass, const kl_rows &rows, size_t row,
                     const kl_place &at)
{
    kl_matrix u[R];
    kl_load_all<R, REAL>(u, pass.matrix + at.bits, rows, row);
    kl_own_product(a, u, kl_thread_product<REAL>(pass, rows, row, at, at.bits), R);
}

/* See kl_add_inner of kernels/inline/rotations.h. */
struct kl_halves {
    float lr, li, hr, hi;
};

/* One pair of the bra's amplitudes, of which low becomes what is left, beside ket, that of the state of
   the lower bits. */
template <bool REAL>
KL_GPU void kl_take_out_pair(kl_halves &h, kl_amplitude &low, kl_amplitude high, kl_amplitude ket,
                             const kl_matrix &u)
{
    if (REAL) {
        h.lr += low.re * ket.re, h.hr += high.re * ket.re;
        low.re = u.ar * low.re + u.br * high.re;
        return;
    }
    kl_add_inner(&h.lr, &h.li, low.re, low.im, ket.re, ket.im);
    kl_add_inner(&h.hr, &h.hi, high.re, high.im, ket.re, ket.im);
    kl_take_out(&low.re, &low.im, high.re, high.im, &u);
}

template <bool REAL> KL_GPU void kl_add_sums(float *sums, const kl_generators &g)
{
    if (REAL) sums[0] += g.y;
    else sums[0] += g.x, sums[1] += g.y, sums[2] += g.z;
}

template <bool REAL>
KL_GPU void kl_put_generators(const kl_rows &rows, int m, const float *sums, size_t row, bool writes)
{
#pragma unroll
    for (int k = 0; k < kl_sizes<REAL>::generators; k++)
        if (writes && m >= 0) *kl_generator_at<REAL>(rows, m, k, row) = sums[k];
}

/* R qubits out of the bra, whose bits are the amplitudes' numbers in b and whose matrices are m: one
   amplitude is left, b's first. p: what the bits below contribute to the product. sums: see
   kl_add_sums. */
template <int R, bool REAL>
KL_GPU void kl_take_out_all(float *sums, kl_state<R, REAL> &b, const int32_t *m, kl_amplitude p,
                            const kl_rows &rows, size_t row)
{
    kl_matrix u[R];
    kl_load_all<R, REAL>(u, m, rows, row);
#pragma unroll
    for (int done = 0; done < R; done++) {
        const int k = R - 1 - done;
        kl_state<R, REAL> lower;
        kl_halves h = { 0, 0, 0, 0 };
        kl_own_product(lower, u, p, k);
#pragma unroll
        for (int i = 0; i < 1 << (R - 1); i++) {
            if (i >= 1 << k) continue;
            const int j = i | 1 << k;
            kl_amplitude low = { b.re[i], b.imag(i) };
            kl_take_out_pair<REAL>(h, low, kl_amplitude{ b.re[j], b.imag(j) },
                                   kl_amplitude{ lower.re[i], lower.imag(i) }, u[k]);
            b.set(i, low.re, low.im);
        }
        kl_add_sums<REAL>(sums + k * kl_sizes<REAL>::generators,
                          kl_product_generators(&u[k], h.lr, h.li, h.hr, h.hi));
    }
}

template <int R, bool REAL>
KL_GPU void kl_put_all(const kl_rows &rows, const int32_t *m, const float *sums, size_t row, bool writes)
{
#pragma unroll
    for (int k = 0; k < R; k++)
        kl_put_generators<REAL>(rows, m[k], sums + k * kl_sizes<REAL>::generators, row, writes);
}

/* The sums over a state's threads, `summing`, of R matrices' generators, to their places. there: they
   are to be written. */
template <int R, bool REAL>
KL_GPU void kl_sum_all(float (&sums)[R * kl_sizes<REAL>::generators], const int32_t *m,
                       const kl_rows &rows, size_t row, bool there, const kl_place &summing)
{
    enum { G = kl_sizes<REAL>::generators, K = R * G };
    if (!kl_can_spread(K, summing)) {
        kl_sums(sums, summing);
        kl_put_all<R, REAL>(rows, m, sums, row, there && summing.thread == 0);
        return;
    }
    const float sum = kl_spread_sums(sums, summing);
    const int number = kl_spread_number<K>(summing);
    if (!there || number >= K || summing.thread >> kl_spread_bits(K)) return;
    const int matrix = m[number / G];
    if (matrix >= 0) *kl_generator_at<REAL>(rows, matrix, number % G, row) = sum;
}

/* The qubit of a bit of the threads' numbers out of the bra, of which each thread has an amplitude.
   Threads whose numbers differ in bits that are out already have the same one; so their sum is a power
   of two times what it should be. */
template <bool REAL>
KL_GPU void kl_take_out_lane(kl_amplitude &own, int bit, const kl_cuda_pass &pass, const kl_rows &rows,
                             size_t row, bool writes, const kl_place &at)
{
    const kl_matrix u = kl_matrix_if_any<REAL>(rows, pass.matrix[bit], row);
    const kl_amplitude ket = kl_thread_product<REAL>(pass, rows, row, at, bit),
                       other = { kl_across(own.re, bit, at), REAL ? 0 : kl_across(own.im, bit, at) };
    const bool one = at.thread >> bit & 1;
    const kl_amplitude high = one ? own : other;
    kl_halves h = { 0, 0, 0, 0 };
    float sums[kl_sizes<REAL>::generators] = { 0 };
    own = one ? other : own;
    kl_take_out_pair<REAL>(h, own, high, ket, u);
    kl_add_sums<REAL>(sums, kl_product_generators(&u, h.lr, h.li, h.hr, h.hi));
    kl_sums(sums, at);
#pragma unroll
    for (int k = 0; k < kl_sizes<REAL>::generators; k++) sums[k] *= 1 / (float)(1 << (at.bits - bit));
    kl_put_generators<REAL>(rows, pass.matrix[bit], sums, row, writes);
}

/* The amplitudes of the first 2^n threads, in every thread; others are 0. */
template <int R, bool REAL>
KL_GPU void kl_gather(kl_state<R, REAL> &b, kl_amplitude own, int n, const kl_place &at)
{
    const uint32_t first = at.home ^ at.thread;
#pragma unroll
    for (int part = 0; part < (REAL ? 1 : 2); part++) {
        at.memory[at.home] = part ? own.im : own.re;
        kl_together(at);
#pragma unroll
        for (int i = 0; i < 1 << R; i++) {
            const float value = i < 1 << n ? at.memory[first ^ (uint32_t)i] : 0;
            b.set(i, part ? b.re[i] : value, part ? value : 0);
        }
        kl_together(at);
    }
}

/* Own bits, then those of the threads' numbers, of which the last that are left are like own ones when
   every thread has all amplitudes. */
template <int R, bool REAL>
KL_GPU void kl_start_back(kl_state<R, REAL> &b, const kl_cuda_pass &pass, const kl_rows &rows,
                          size_t row, bool there, const kl_place &at)
{
    const bool writes = there && at.thread == 0;
    float sums[R * kl_sizes<REAL>::generators] = { 0 };
    kl_take_out_all(sums, b, pass.matrix + at.bits,
                    kl_thread_product<REAL>(pass, rows, row, at, at.bits), rows, row);
    kl_sum_all<R, REAL>(sums, pass.matrix + at.bits, rows, row, there, at);
    if (!at.bits) return;
    kl_amplitude own = { b.re[0], b.imag(0) };
    int bits = at.bits;
    while (bits > R) kl_take_out_lane<REAL>(own, --bits, pass, rows, row, writes, at);
    kl_gather(b, own, bits, at);
    int32_t lanes[R];
#pragma unroll
    for (int k = 0; k < R; k++) lanes[k] = k < bits ? pass.matrix[k] : -1;
#pragma unroll
    for (float &sum : sums) sum = 0;
    kl_take_out_all(sums, b, lanes, kl_amplitude{ 1, 0 }, rows, row);
    kl_put_all<R, REAL>(rows, lanes, sums, row, writes);
}

#endif
