/* SPDX-License-Identifier: MIT
   The pass that acts on |0>: the state it leaves is a product of the qubits' first columns, and on the
   way back one qubit after another is taken out of the bra, the highest bit first. */
#ifndef KL_CUDA_START_CUH
#define KL_CUDA_START_CUH

#include "kernels/cuda/rows.cuh"
#include "kernels/cuda/state.cuh"

struct kl_amplitude {
    float re, im;
};

template <bool REAL> KL_GPU kl_amplitude kl_times(kl_amplitude a, float re, float im)
{
    if (REAL) return kl_amplitude{ a.re * re, 0 };
    return kl_amplitude{ a.re * re - a.im * im, a.re * im + a.im * re };
}

/* What the lowest n bits of this thread's number contribute. */
template <bool REAL>
KL_GPU kl_amplitude kl_thread_product(const kl_cuda_pass &pass, const kl_rows &rows, size_t row,
                                      const kl_place &at, int n)
{
    kl_amplitude p = { 1, 0 };
    for (int bit = 0; bit < n; bit++) {
        const kl_matrix u = kl_matrix_of<REAL>(rows, pass.matrix[bit], row);
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
KL_GPU void kl_load_own(kl_matrix (&u)[R], const kl_cuda_pass &pass, const kl_rows &rows, size_t row,
                        const kl_place &at)
{
#pragma unroll
    for (int k = 0; k < R; k++) u[k] = kl_matrix_of<REAL>(rows, pass.matrix[at.bits + k], row);
}

template <int R, bool REAL>
KL_GPU void kl_start(kl_state<R, REAL> &a, const kl_cuda_pass &pass, const kl_rows &rows, size_t row,
                     const kl_place &at)
{
    kl_matrix u[R];
    kl_load_own<R, REAL>(u, pass, rows, row, at);
    kl_own_product(a, u, kl_thread_product<REAL>(pass, rows, row, at, at.bits), R);
}

/* Inner products of the bra's halves with the state of the lower bits. */
struct kl_halves {
    float lr, li, hr, hi;
};

template <bool REAL> KL_GPU void kl_add_half(float *re, float *im, kl_amplitude bra, kl_amplitude ket)
{
    *re += REAL ? bra.re * ket.re : bra.re * ket.re + bra.im * ket.im;
    if (!REAL) *im += bra.re * ket.im - bra.im * ket.re;
}

/* The qubit taken out: conj(a) low + conj(b) high. */
template <bool REAL>
KL_GPU kl_amplitude kl_take_out(kl_amplitude low, kl_amplitude high, const kl_matrix &u)
{
    if (REAL) return kl_amplitude{ u.ar * low.re + u.br * high.re, 0 };
    return kl_amplitude{ u.ar * low.re + u.ai * low.im + u.br * high.re + u.bi * high.im,
                         u.ar * low.im - u.ai * low.re + u.br * high.im - u.bi * high.re };
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

/* Own bits out of the bra, of which one amplitude is left in b's first. */
template <int R, bool REAL>
KL_GPU void kl_take_out_own(kl_state<R, REAL> &b, const kl_cuda_pass &pass, const kl_rows &rows,
                            size_t row, bool writes, const kl_place &at)
{
    enum { G = kl_sizes<REAL>::generators };
    const kl_amplitude p = kl_thread_product<REAL>(pass, rows, row, at, at.bits);
    kl_matrix u[R];
    float sums[R * G] = { 0 };
    kl_load_own<R, REAL>(u, pass, rows, row, at);
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
            const kl_amplitude ket = { lower.re[i], lower.imag(i) }, low = { b.re[i], b.imag(i) },
                               high = { b.re[j], b.imag(j) };
            kl_add_half<REAL>(&h.lr, &h.li, low, ket);
            kl_add_half<REAL>(&h.hr, &h.hi, high, ket);
            const kl_amplitude left = kl_take_out<REAL>(low, high, u[k]);
            b.set(i, left.re, left.im);
        }
        kl_add_sums<REAL>(sums + k * G, kl_product_generators(&u[k], h.lr, h.li, h.hr, h.hi));
    }
    kl_sums(sums, at);
#pragma unroll
    for (int k = 0; k < R; k++)
        kl_put_generators<REAL>(rows, pass.matrix[at.bits + k], sums + k * G, row, writes);
}

/* Then the bits of the threads' numbers. Threads whose numbers differ in bits that are out already have
   the same values; so their sum is a power of two times what it should be. */
template <int R, bool REAL>
KL_GPU void kl_start_back(kl_state<R, REAL> &b, const kl_cuda_pass &pass, const kl_rows &rows,
                          size_t row, bool writes, const kl_place &at)
{
    enum { G = kl_sizes<REAL>::generators };
    kl_take_out_own(b, pass, rows, row, writes, at);
    kl_amplitude own = { b.re[0], b.imag(0) };
    for (int bit = at.bits; bit-- > 0;) {
        const kl_matrix u = kl_matrix_of<REAL>(rows, pass.matrix[bit], row);
        const kl_amplitude ket = kl_thread_product<REAL>(pass, rows, row, at, bit),
                           other = { kl_across(own.re, bit, at), REAL ? 0 : kl_across(own.im, bit, at) };
        const bool one = at.thread >> bit & 1;
        const kl_amplitude low = one ? other : own, high = one ? own : other;
        kl_halves h = { 0, 0, 0, 0 };
        float sums[G] = { 0 };
        kl_add_half<REAL>(&h.lr, &h.li, low, ket);
        kl_add_half<REAL>(&h.hr, &h.hi, high, ket);
        own = kl_take_out<REAL>(low, high, u);
        kl_add_sums<REAL>(sums, kl_product_generators(&u, h.lr, h.li, h.hr, h.hi));
        kl_sums(sums, at);
#pragma unroll
        for (int k = 0; k < G; k++) sums[k] *= 1 / (float)(1 << (at.bits - bit));
        kl_put_generators<REAL>(rows, pass.matrix[bit], sums, row, writes);
    }
}

#endif
