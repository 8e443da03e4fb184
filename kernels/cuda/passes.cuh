/* SPDX-License-Identifier: MIT
   The passes of a circuit (kernels/cuda_circuit.h) on a state in registers, and back again on a state
   and a bra, with the generators' values by the way: the adjoint method (Jones & Gacon 2020,
   arXiv:2009.02823), a matrix at a time. */
#ifndef KL_CUDA_PASSES_CUH
#define KL_CUDA_PASSES_CUH

#include "kernels/cuda/start.cuh"

/* The amplitudes of a pass under a control, or of signs: those for which kl_matches holds. */
struct kl_control {
    uint32_t mask, value; /* of own bits */
    bool here;            /* the thread's bits are as they must be */
};
KL_GPU kl_control kl_control_of(const kl_cuda_pass &pass, const kl_place &at)
{
    const uint32_t low = (1u << at.bits) - 1;
    return kl_control{ pass.mask >> at.bits, pass.value >> at.bits,
                       (at.thread & pass.mask) == (pass.value & low) };
}
KL_GPU bool kl_matches(const kl_control &c, int i)
{
    return c.here && ((uint32_t)i & c.mask) == c.value;
}

template <int R, bool REAL>
KL_GPU void kl_turn_pair(kl_state<R, REAL> &a, int i, int j, const kl_matrix &u)
{
    if constexpr (REAL) kl_rotate(&a.re[i], &a.re[j], u.ar, u.br);
    else kl_ingest_turn(&a.re[i], &a.im[i], &a.re[j], &a.im[j], &u);
}

template <int R, bool REAL>
KL_GPU void kl_add_pair(kl_generators &g, const kl_state<R, REAL> &a, const kl_state<R, REAL> &b, int i,
                        int j)
{
    if constexpr (REAL) g.y = fmaf(b.re[j], a.re[i], fmaf(-b.re[i], a.re[j], g.y));
    else kl_add_generators(&g, a.re[i], a.im[i], a.re[j], a.im[j], b.re[i], b.im[i], b.re[j], b.im[j]);
}

template <int R, bool REAL> KL_GPU void kl_turn_own(kl_state<R, REAL> &a, int k, const kl_matrix &u)
{
#pragma unroll
    for (int i = 0; i < 1 << R; i++)
        if (!(i >> k & 1)) kl_turn_pair(a, i, i | 1 << k, u);
}

/* Undone on state and bra. */
template <int R, bool REAL>
KL_GPU void kl_turn_own_back(float *sums, kl_state<R, REAL> &a, kl_state<R, REAL> &b, int k,
                             const kl_matrix &u)
{
    const kl_matrix back = kl_matrix_back(u);
    kl_generators g = { 0, 0, 0 };
#pragma unroll
    for (int i = 0; i < 1 << R; i++)
        if (!(i >> k & 1)) {
            const int j = i | 1 << k;
            kl_add_pair(g, a, b, i, j);
            kl_turn_pair(a, i, j, back);
            kl_turn_pair(b, i, j, back);
        }
    kl_add_sums<REAL>(sums, g);
}

/* One behind the other, not each where it is needed, so that one wait is enough for all; where there is
   none, any will do, since nothing is turned. */
template <int R, bool REAL>
KL_GPU void kl_load_turns(kl_matrix (&u)[R], const kl_cuda_pass &pass, const kl_rows &rows, size_t row,
                          const kl_place &at)
{
#pragma unroll
    for (int k = 0; k < R; k++) {
        const int m = pass.matrix[at.bits + k];
        u[k] = kl_matrix_of<REAL>(rows, m < 0 ? 0 : m, row);
    }
}

template <int R, bool REAL>
KL_GPU void kl_turn_each(kl_state<R, REAL> &a, const kl_cuda_pass &pass, const kl_rows &rows, size_t row,
                         const kl_place &at)
{
    kl_matrix u[R];
    kl_load_turns<R, REAL>(u, pass, rows, row, at);
#pragma unroll
    for (int k = 0; k < R; k++)
        if (pass.matrix[at.bits + k] >= 0) kl_turn_own(a, k, u[k]);
}

template <int R, bool REAL>
KL_GPU void kl_turn_each_back(float *sums, kl_state<R, REAL> &a, kl_state<R, REAL> &b,
                              const kl_cuda_pass &pass, const kl_rows &rows, size_t row,
                              const kl_place &at)
{
    kl_matrix u[R];
    kl_load_turns<R, REAL>(u, pass, rows, row, at);
#pragma unroll
    for (int k = 0; k < R; k++)
        if (pass.matrix[at.bits + k] >= 0)
            kl_turn_own_back(sums + k * kl_sizes<REAL>::generators, a, b, k, u[k]);
}

/* Turns of a real state. All but the cosine of a turn, x - t y and y + t x with the tangent t, is half
   the work, and no less exact for any t; one factor at the end makes up for all cosines. Where tangents
   are so large that a pass of them might leave float's range, turns are done one by one. */
#define KL_STEEP 1024.f
template <int R>
KL_GPU bool kl_load_tangents(float2 (&u)[R], const kl_cuda_pass &pass, const kl_rows &rows, size_t row,
                             const kl_place &at)
{
    bool steep = false;
#pragma unroll
    for (int k = 0; k < R; k++) {
        const int m = pass.matrix[at.bits + k];
        u[k] = *(const float2 *)kl_matrix_at<true>(rows, m < 0 ? 0 : m, row);
        steep |= fabsf(u[k].y) > KL_STEEP;
    }
    return steep;
}

KL_GPU void kl_shear(float *x, float *y, float t)
{
    const float was = *x;
    *x = fmaf(-t, *y, was);
    *y = fmaf(t, was, *y);
}

template <int R, bool REAL> KL_GPU void kl_scale(kl_state<R, REAL> &a, float by)
{
#pragma unroll
    for (int i = 0; i < 1 << R; i++) a.re[i] *= by;
}

template <int R, bool REAL>
KL_GPU void kl_turn_all(kl_state<R, REAL> &a, const kl_cuda_pass &pass, const kl_rows &rows, size_t row,
                        const kl_place &at)
{
    float2 u[R];
    if (!REAL || kl_load_tangents(u, pass, rows, row, at)) {
        kl_turn_each(a, pass, rows, row, at);
        return;
    }
    float scale = 1;
#pragma unroll
    for (int k = 0; k < R; k++) {
        if (pass.matrix[at.bits + k] < 0) continue;
#pragma unroll
        for (int i = 0; i < 1 << R; i++)
            if (!(i >> k & 1)) kl_shear(&a.re[i], &a.re[i | 1 << k], u[k].y);
        scale *= u[k].x;
    }
    kl_scale(a, scale);
}

template <int R, bool REAL>
KL_GPU void kl_turn_all_back(float *sums, kl_state<R, REAL> &a, kl_state<R, REAL> &b,
                             const kl_cuda_pass &pass, const kl_rows &rows, size_t row,
                             const kl_place &at)
{
    float2 u[R];
    if (!REAL || kl_load_tangents(u, pass, rows, row, at)) {
        kl_turn_each_back(sums, a, b, pass, rows, row, at);
        return;
    }
    float scale = 1;
#pragma unroll
    for (int k = 0; k < R; k++) {
        if (pass.matrix[at.bits + k] < 0) continue;
        kl_generators g = { 0, 0, 0 };
#pragma unroll
        for (int i = 0; i < 1 << R; i++)
            if (!(i >> k & 1)) {
                const int j = i | 1 << k;
                kl_add_pair(g, a, b, i, j);
                kl_shear(&a.re[i], &a.re[j], -u[k].y);
                kl_shear(&b.re[i], &b.re[j], -u[k].y);
            }
        sums[k] += scale * scale * g.y;
        scale *= u[k].x;
    }
    kl_scale(a, scale);
    kl_scale(b, scale);
}

template <int R, bool REAL>
KL_GPU void kl_turn_controlled(kl_state<R, REAL> &a, const kl_cuda_pass &pass, const kl_matrix &u,
                               const kl_place &at)
{
    const kl_control control = kl_control_of(pass, at);
#pragma unroll
    for (int i = 0; i < 1 << R; i += 2)
        if (kl_matches(control, i)) kl_turn_pair(a, i, i | 1, u);
}

template <int R, bool REAL>
KL_GPU void kl_turn_controlled_back(float *sums, kl_state<R, REAL> &a, kl_state<R, REAL> &b,
                                    const kl_cuda_pass &pass, const kl_matrix &u, const kl_place &at)
{
    const kl_control control = kl_control_of(pass, at);
    const kl_matrix back = kl_matrix_back(u);
    kl_generators g = { 0, 0, 0 };
#pragma unroll
    for (int i = 0; i < 1 << R; i += 2)
        if (kl_matches(control, i)) kl_add_pair(g, a, b, i, i | 1);
    kl_turn_controlled(a, pass, back, at);
    kl_turn_controlled(b, pass, back, at);
    kl_add_sums<REAL>(sums, g);
}

/* RZ by the parity of the number & mask. */
template <int R> KL_GPU void kl_turn_string(kl_state<R, false> &a, uint32_t odd, const kl_matrix &u)
{
#pragma unroll
    for (int i = 0; i < 1 << R; i++) kl_phase(&a.re[i], &a.im[i], u.ar, kl_signed(-u.ai, odd, i));
}

template <int R>
KL_GPU void kl_turn_string_back(float *sums, kl_state<R, false> &a, kl_state<R, false> &b, uint32_t odd,
                                const kl_matrix &u)
{
    const kl_matrix back = kl_matrix_back(u);
    kl_generators g = { 0, 0, 0 };
#pragma unroll
    for (int i = 0; i < 1 << R; i++) g.z += kl_signed(b.re[i] * a.im[i] - b.im[i] * a.re[i], odd, i);
    kl_turn_string(a, odd, back);
    kl_turn_string(b, odd, back);
    kl_add_sums<false>(sums, g);
}

/* Its own inverse. */
template <int R, bool REAL>
KL_GPU void kl_turn_sign(kl_state<R, REAL> &a, const kl_cuda_pass &pass, const kl_place &at)
{
    const kl_control control = kl_control_of(pass, at);
#pragma unroll
    for (int i = 0; i < 1 << R; i++)
        if (kl_matches(control, i)) a.set(i, -a.re[i], -a.imag(i));
}

/* All passes but the first of a state in registers. */
template <int R, bool REAL>
KL_GPU void kl_apply(kl_state<R, REAL> &a, const kl_cuda_pass &pass, const kl_rows &rows, size_t row,
                     const kl_place &at)
{
    switch (pass.kind) {
    case KL_CUDA_TURNS: kl_turn_all(a, pass, rows, row, at); break;
    case KL_CUDA_CONTROLLED:
        kl_turn_controlled(a, pass, kl_matrix_of<REAL>(rows, pass.matrix[0], row), at);
        break;
    case KL_CUDA_STRING:
        if constexpr (!REAL)
            kl_turn_string(a, kl_odd_numbers(pass.mask, at),
                           kl_matrix_of<REAL>(rows, pass.matrix[0], row));
        break;
    case KL_CUDA_SIGN: kl_turn_sign(a, pass, at); break;
    default: break; /* the move was all */
    }
}

/* sums (KL_PARTS): this thread's part of the generators' values is added, of matrix k those from k *
   generators on. */
template <int R, bool REAL>
KL_GPU void kl_apply_back(float *sums, kl_state<R, REAL> &a, kl_state<R, REAL> &b,
                          const kl_cuda_pass &pass, const kl_rows &rows, size_t row, const kl_place &at)
{
    switch (pass.kind) {
    case KL_CUDA_CONTROLLED:
        kl_turn_controlled_back(sums, a, b, pass, kl_matrix_of<REAL>(rows, pass.matrix[0], row), at);
        break;
    case KL_CUDA_STRING:
        if constexpr (!REAL)
            kl_turn_string_back(sums, a, b, kl_odd_numbers(pass.mask, at),
                                kl_matrix_of<REAL>(rows, pass.matrix[0], row));
        break;
    case KL_CUDA_SIGN:
        kl_turn_sign(a, pass, at);
        kl_turn_sign(b, pass, at);
        break;
    case KL_CUDA_TURNS: kl_turn_all_back(sums, a, b, pass, rows, row, at); break;
    default: break;
    }
}

/* See kl_sum_all. at: of the state. */
template <int R, bool REAL>
KL_GPU void kl_put_sums(float (&sums)[R * kl_sizes<REAL>::generators], const kl_cuda_pass &pass,
                        const kl_rows &rows, size_t row, bool there, const kl_place &at,
                        const kl_place &summing)
{
    enum { G = kl_sizes<REAL>::generators };
    if (pass.kind == KL_CUDA_SIGN || pass.kind == KL_CUDA_MOVE) return;
    if (pass.kind == KL_CUDA_TURNS) {
        kl_sum_all<R, REAL>(sums, pass.matrix + at.bits, rows, row, there, summing);
    } else {
        float one[G];
#pragma unroll
        for (int k = 0; k < G; k++) one[k] = sums[k];
        kl_sums(one, summing);
        kl_put_generators<REAL>(rows, pass.matrix[0], one, row, there && summing.thread == 0);
    }
}

#endif
