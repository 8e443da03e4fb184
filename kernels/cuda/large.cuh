/* SPDX-License-Identifier: MIT
   A state in memory, of a sample a block: in shared memory while state and bra fit, else on the card. A
   gate is one pass of the block's threads over the pairs of amplitudes. */
#ifndef KL_CUDA_LARGE_CUH
#define KL_CUDA_LARGE_CUH

#include "kernels/cuda/sweep.cuh"

enum { KL_LARGE_THREADS = 512, KL_WARP = 32, KL_LARGE_WARPS = KL_LARGE_THREADS / KL_WARP };

/* im NULL: real amplitudes. */
struct kl_memory_state {
    float *re, *im;
    uint32_t size; /* amplitudes */
};

KL_GPU float kl_imag_at(const kl_memory_state &a, uint32_t i)
{
    return a.im ? a.im[i] : 0;
}

KL_GPU void kl_set_at(const kl_memory_state &a, uint32_t i, float re, float im)
{
    a.re[i] = re;
    if (a.im) a.im[i] = im;
}

/* One gate; s of the other sign undoes it. Ends with the block together. */
KL_GPU void kl_pass(const kl_memory_state &a, const kl_vqc_op &op, float c, float s)
{
    const bool alone = kl_diagonal(op.gate);
    const uint32_t n = alone ? a.size : a.size / 2, low = op.target - 1;
    for (uint32_t k = threadIdx.x; k < n; k += blockDim.x) {
        const uint32_t i = alone ? k : (k & ~low) << 1 | (k & low), j = alone ? i : i | op.target;
        if ((i & op.control) != op.control) continue;
        float xr = a.re[i], xi = kl_imag_at(a, i), yr = a.re[j], yi = kl_imag_at(a, j);
        const float pr = xr, pi = xi;
        if (op.gate == KL_VQC_CZ) {
            if ((i & op.target) == op.target) kl_set_at(a, i, -xr, -xi);
            continue;
        }
        if (alone) {
            kl_phase(&xr, &xi, c, kl_odd(i & op.target) ? -s : s);
            kl_set_at(a, i, xr, xi);
            continue;
        }
        kl_mix<false>(&xr, &xi, yr, yi, op.gate, false, c, s);
        kl_mix<false>(&yr, &yi, pr, pi, op.gate, true, c, s);
        kl_set_at(a, i, xr, xi);
        kl_set_at(a, j, yr, yi);
    }
    __syncthreads();
}

/* This warp's part of a sum over the block, into part[warp]. All threads take part. */
KL_GPU void kl_part(float *part, float sum)
{
    const kl_place warp = { threadIdx.x % KL_WARP, 5 };
    sum = kl_sum(sum, warp);
    if (warp.lane == 0) part[threadIdx.x / KL_WARP] = sum;
}

/* Im <bra| P |state> for the generator of a rotation, by warps. */
KL_GPU void kl_derivative_parts(float *part, const kl_memory_state &a, const kl_memory_state &b,
                                const kl_vqc_op &op)
{
    const bool alone = kl_diagonal(op.gate);
    float sum = 0;
    for (uint32_t i = threadIdx.x; i < a.size; i += blockDim.x) {
        if ((i & op.control) != op.control) continue;
        const uint32_t j = alone ? i : i ^ op.target;
        sum += kl_derivative(b.re[i], kl_imag_at(b, i), a.re[i], kl_imag_at(a, i), a.re[j],
                             kl_imag_at(a, j), op.gate, kl_odd(i & op.target));
    }
    kl_part(part, sum);
}

/* (P state)[k]; see kl_string_phase of observe.cuh. */
KL_GPU void kl_string_at(float *re, float *im, const kl_memory_state &a, kl_vqc_observable p, uint32_t k)
{
    *re = a.re[k ^ p.x];
    *im = kl_imag_at(a, k ^ p.x);
    kl_string_phase(re, im, p, k);
}

KL_GPU void kl_large_sweep(const kl_memory_state &a, const kl_angles &angles)
{
    for (uint32_t i = threadIdx.x; i < a.size; i += blockDim.x) kl_set_at(a, i, i ? 0 : 1, 0);
    __syncthreads();
    for (int k = 0; k < angles.circuit->n_ops; k++) {
        const kl_vqc_op op = angles.circuit->ops[k];
        float c, s;
        kl_half_angle(&c, &s, angles, op.slot);
        kl_pass(a, op, c, s);
    }
}

/* part: KL_LARGE_WARPS values of scratch. */
KL_GPU void kl_large_outputs(float *out, float *part, const kl_memory_state &a,
                             const kl_cuda_circuit *circuit)
{
    float value = 0; /* of thread 0 */
    for (int o = 0, t = 0; o < circuit->n_outputs; o++, value = 0) {
        for (; t < circuit->end[o]; t++) {
            float sum = 0, re, im;
            for (uint32_t k = threadIdx.x; k < a.size; k += blockDim.x) {
                kl_string_at(&re, &im, a, circuit->strings[circuit->term[t]], k);
                sum += a.re[k] * re + kl_imag_at(a, k) * im;
            }
            kl_part(part, sum);
            __syncthreads();
            for (int w = 0; threadIdx.x == 0 && w < (int)blockDim.x / KL_WARP; w++)
                value += circuit->term_weight[t] * part[w];
            __syncthreads();
        }
        if (threadIdx.x == 0) out[o] = value;
    }
}

/* As kl_sweep_back; parts: (n_slots, KL_LARGE_WARPS) of scratch. */
KL_GPU void kl_large_back(float *dangle, size_t stride, float *dx, float *parts,
                          const kl_memory_state &a, const kl_memory_state &b, const kl_angles &angles,
                          const float *cot)
{
    const kl_cuda_circuit *circuit = angles.circuit;
    for (uint32_t k = threadIdx.x; k < a.size; k += blockDim.x) {
        float sum_re = 0, sum_im = 0, re, im;
        for (int o = 0, t = 0; o < circuit->n_outputs; o++)
            for (; t < circuit->end[o]; t++) {
                kl_string_at(&re, &im, a, circuit->strings[circuit->term[t]], k);
                sum_re += circuit->term_weight[t] * cot[o] * re;
                sum_im += circuit->term_weight[t] * cot[o] * im;
            }
        kl_set_at(b, k, sum_re, sum_im);
    }
    __syncthreads();
    for (int k = circuit->n_ops; k-- > 0;) {
        const kl_vqc_op op = circuit->ops[k];
        float c, s;
        kl_half_angle(&c, &s, angles, op.slot);
        if (op.slot >= 0) {
            kl_derivative_parts(parts + (size_t)op.slot * KL_LARGE_WARPS, a, b, op);
            __syncthreads();
        }
        kl_pass(a, op, c, -s);
        kl_pass(b, op, c, -s);
    }
    if (threadIdx.x) return;
    for (int i = 0; i < circuit->n_inputs; i++) dx[i] = 0;
    for (int k = circuit->n_ops; k-- > 0;) {
        const int slot = circuit->ops[k].slot;
        if (slot < 0) continue;
        float d = 0;
        for (int w = 0; w < (int)blockDim.x / KL_WARP; w++)
            d += parts[(size_t)slot * KL_LARGE_WARPS + w];
        dangle[(size_t)slot * stride] = d;
        const kl_cuda_angle angle = circuit->angles[slot];
        if (angle.source == KL_CUDA_INPUT) kl_to_inputs(dx, d, angle, angles);
    }
}

#endif
