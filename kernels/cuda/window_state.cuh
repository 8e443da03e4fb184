/* SPDX-License-Identifier: MIT
   A circuit's state in a block's memory, by one warp: rotations about strings, expectation values of all
   wires, superposition, and their way back. Each function ends with the warp's threads together. */
#ifndef KL_CUDA_WINDOW_STATE_CUH
#define KL_CUDA_WINDOW_STATE_CUH

#include "kernels/cuda/gpu.cuh"
#include "kernels/cuda_windows.h"

/* x + i y */
typedef float2 kl_complex;
KL_GPU kl_complex kl_complex_of(float re, float im)
{
    return make_float2(re, im);
}

/* conj(a) b */
KL_GPU kl_complex kl_inner(kl_complex a, kl_complex b)
{
    return kl_complex_of(fmaf(a.x, b.x, a.y * b.y), fmaf(a.x, b.y, -(a.y * b.x)));
}
/* sum + a b */
KL_GPU kl_complex kl_add_product(kl_complex sum, kl_complex a, kl_complex b)
{
    return kl_complex_of(fmaf(a.x, b.x, fmaf(-a.y, b.y, sum.x)), fmaf(a.x, b.y, fmaf(a.y, b.x, sum.y)));
}
KL_GPU kl_complex kl_conj(kl_complex a)
{
    return kl_complex_of(a.x, -a.y);
}

/* ---- one rotation ---- */
/* A string as it acts: P|k> = i^turns (-1)^|z & k| |k ^ x>. Pairs k, k ^ x are counted by k without the
   lowest bit of x, which is 0 there. */
struct kl_axis {
    uint32_t x, z, low;
    bool odd;   /* i^turns is i or -i: the rotation is real */
    float sign; /* i^turns is sign, or i sign */
};
KL_GPU kl_axis kl_axis_of(const kl_cuda_rotation &r)
{
    const int turns = __popc(r.x & r.z);
    return kl_axis{ r.x, r.z, r.x & (0u - r.x), (turns & 1) != 0, turns & 2 ? -1.0f : 1.0f };
}
KL_GPU uint32_t kl_pair(const kl_axis &p, uint32_t i)
{
    return (i & (p.low - 1)) | (i & ~(p.low - 1)) << 1;
}
KL_GPU float kl_sign(const kl_axis &p, uint32_t k)
{
    return __popc(p.z & k) & 1 ? -p.sign : p.sign;
}

/* c a - i s P a of a pair u, v: each has what the other one's place gives. f: P's factor of v -> u (odd:
   without its i). */
KL_GPU void kl_turn_pair(kl_complex *u, kl_complex *v, bool odd, float c, float s, float f)
{
    const kl_complex a = *u, b = *v;
    const float g = s * f;
    if (odd) {
        *u = kl_complex_of(fmaf(c, a.x, g * b.x), fmaf(c, a.y, g * b.y));
        *v = kl_complex_of(fmaf(c, b.x, -(g * a.x)), fmaf(c, b.y, -(g * a.y)));
    } else {
        *u = kl_complex_of(fmaf(c, a.x, g * b.y), fmaf(c, a.y, -(g * b.x)));
        *v = kl_complex_of(fmaf(c, b.x, g * a.y), fmaf(c, b.y, -(g * a.x)));
    }
}
/* Of a string of Z alone, on one amplitude. */
KL_GPU void kl_turn_phase(kl_complex *u, float c, float s, float f)
{
    const kl_complex a = *u;
    const float g = s * f;
    *u = kl_complex_of(fmaf(c, a.x, g * a.y), fmaf(c, a.y, -(g * a.x)));
}
/* Im <l| P |a> of a pair. */
KL_GPU float kl_slope_pair(kl_complex lu, kl_complex lv, kl_complex u, kl_complex v, bool odd, float f)
{
    if (odd) return f * (fmaf(lu.x, v.x, lu.y * v.y) - fmaf(lv.x, u.x, lv.y * u.y));
    return f * (kl_inner(lu, v).y + kl_inner(lv, u).y);
}

KL_GPU void kl_rotate(kl_complex *state, int n, const kl_cuda_rotation &r, float c, float s)
{
    const kl_axis p = kl_axis_of(r);
    const uint32_t size = 1u << n;
    if (p.x)
        for (uint32_t i = (uint32_t)kl_lane_number(); i < size / 2; i += KL_WARP) {
            const uint32_t k = kl_pair(p, i), o = k ^ p.x;
            kl_turn_pair(&state[k], &state[o], p.odd, c, s, kl_sign(p, o));
        }
    else
        for (uint32_t k = (uint32_t)kl_lane_number(); k < size; k += KL_WARP)
            kl_turn_phase(&state[k], c, s, kl_sign(p, k));
    __syncwarp();
}

/* Undone, on the state and the bra; returns the derivative by the angle, in all lanes. */
KL_GPU float kl_rotate_back(kl_complex *state, kl_complex *bra, int n, const kl_cuda_rotation &r,
                            float c, float s)
{
    const kl_axis p = kl_axis_of(r);
    const uint32_t size = 1u << n;
    float sum = 0;
    if (p.x)
        for (uint32_t i = (uint32_t)kl_lane_number(); i < size / 2; i += KL_WARP) {
            const uint32_t k = kl_pair(p, i), o = k ^ p.x;
            const float f = kl_sign(p, o);
            sum += kl_slope_pair(bra[k], bra[o], state[k], state[o], p.odd, f);
            kl_turn_pair(&state[k], &state[o], p.odd, c, -s, f);
            kl_turn_pair(&bra[k], &bra[o], p.odd, c, -s, f);
        }
    else
        for (uint32_t k = (uint32_t)kl_lane_number(); k < size; k += KL_WARP) {
            const float f = kl_sign(p, k);
            sum += f * kl_inner(bra[k], state[k]).y;
            kl_turn_phase(&state[k], c, -s, f);
            kl_turn_phase(&bra[k], c, -s, f);
        }
    __syncwarp();
    return 0.5f * kl_warp_sum(sum);
}

KL_GPU void kl_begin_state(kl_complex *state, int n)
{
    for (uint32_t k = (uint32_t)kl_lane_number(); k < 1u << n; k += KL_WARP)
        state[k] = kl_complex_of(k == 0 ? 1.0f : 0.0f, 0);
    __syncwarp();
}

/* ---- superposition ---- */
struct kl_mix {
    kl_complex alpha, beta;
    const kl_complex *third; /* (2^n) */
    const uint32_t *image;
};
KL_GPU void kl_superpose(kl_complex *phi, const kl_complex *psi, int n, const kl_mix &mix)
{
    for (uint32_t k = (uint32_t)kl_lane_number(); k < 1u << n; k += KL_WARP)
        phi[k] =
            kl_add_product(kl_add_product(mix.third[k], mix.alpha, psi[k]), mix.beta, psi[mix.image[k]]);
    __syncwarp();
}
/* From bra by phi to that by psi; by (4): derivatives by alpha and beta, in all lanes. */
KL_GPU void kl_superpose_back(kl_complex *to, float *by, const kl_complex *bra, const kl_complex *psi,
                              int n, const kl_mix &mix)
{
    float sums[4] = { 0, 0, 0, 0 };
    for (uint32_t k = (uint32_t)kl_lane_number(); k < 1u << n; k += KL_WARP) {
        const uint32_t o = mix.image[k];
        const kl_complex none = kl_complex_of(0, 0), a = kl_inner(psi[k], bra[k]),
                         b = kl_inner(psi[o], bra[k]);
        sums[0] += a.x, sums[1] += a.y, sums[2] += b.x, sums[3] += b.y;
        to[k] =
            kl_add_product(kl_add_product(none, kl_conj(mix.alpha), bra[k]), kl_conj(mix.beta), bra[o]);
    }
    for (int i = 0; i < 4; i++) by[i] = kl_warp_sum(sums[i]);
    __syncwarp();
}

/* ---- expectation values ---- */
/* m: of each wire, at `step` from one to the next, <X>, then <Y> of all, <Z>, times `by`. Lane 0 writes.
 */
KL_GPU void kl_measure(float *m, int step, const kl_complex *phi, int n, float by)
{
    for (int w = 0; w < n; w++) {
        const uint32_t bit = 1u << (n - 1 - w);
        float x = 0, y = 0, z = 0;
        for (uint32_t i = (uint32_t)kl_lane_number(); i < 1u << (n - 1); i += KL_WARP) {
            const uint32_t k = (i & (bit - 1)) | (i & ~(bit - 1)) << 1;
            const kl_complex a = phi[k], b = phi[k | bit], c = kl_inner(a, b);
            x += c.x, y += c.y;
            z += fmaf(a.x, a.x, a.y * a.y) - fmaf(b.x, b.x, b.y * b.y);
        }
        x = kl_warp_sum(x), y = kl_warp_sum(y), z = kl_warp_sum(z);
        if (kl_lane_number() == 0)
            m[w * step] = 2 * by * x, m[(n + w) * step] = 2 * by * y, m[(2 * n + w) * step] = by * z;
    }
    __syncwarp();
}
KL_GPU float kl_square_norm(const kl_complex *phi, int n)
{
    float sum = 0;
    for (uint32_t k = (uint32_t)kl_lane_number(); k < 1u << n; k += KL_WARP)
        sum += fmaf(phi[k].x, phi[k].x, phi[k].y * phi[k].y);
    return kl_warp_sum(sum);
}
/* bra = (one + by times the sum of dm P) phi, dm as m. */
KL_GPU void kl_observe(kl_complex *bra, const kl_complex *phi, int n, const float *dm, int step,
                       float by, float one)
{
    for (uint32_t k = (uint32_t)kl_lane_number(); k < 1u << n; k += KL_WARP) {
        float own = 0;
        kl_complex sum = kl_complex_of(0, 0);
        for (int w = 0; w < n; w++) {
            const uint32_t bit = 1u << (n - 1 - w);
            const float side = k & bit ? -1.0f : 1.0f;
            own += side * dm[(2 * n + w) * step];
            sum = kl_add_product(sum, kl_complex_of(dm[w * step], -side * dm[(n + w) * step]),
                                 phi[k ^ bit]);
        }
        own = fmaf(by, own, one);
        bra[k] = kl_complex_of(fmaf(own, phi[k].x, by * sum.x), fmaf(own, phi[k].y, by * sum.y));
    }
    __syncwarp();
}

#endif
