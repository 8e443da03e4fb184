/* SPDX-License-Identifier: MIT
   The kernel of filters in front of a window's circuit: a block has 32 steps of a window, filters them
   all and adds silu of what comes out; on the way back it filters them again. */
#ifndef KL_CUDA_WINDOW_FRONT_CUH
#define KL_CUDA_WINDOW_FRONT_CUH

#include "kernels/cuda/windows.cuh"

enum { KL_FRONT_TAPS = 3, KL_FRONT_ROW = KL_WINDOW_STEPS + 3 /* a step on each side, and odd */ };

KL_GPU void kl_front_load(const kl_windows_job &job, const kl_window_block &b)
{
    const kl_cuda_windows_shape &s = job.shape;
    const size_t own = (size_t)s.channels * (size_t)s.stride;
    const float *from =
        job.windows + (size_t)job.rows[b.copy * (size_t)job.count + (size_t)b.window] * own;
    kl_block_for(s.channels * (KL_WINDOW_STEPS + 2), [&](int e) {
        const int c = e / (KL_WINDOW_STEPS + 2), at = e % (KL_WINDOW_STEPS + 2), t = b.first + at - 1;
        kl_shared[job.at.x + c * KL_FRONT_ROW + at] =
            t >= 0 && t < s.steps ? from[(size_t)c * (size_t)s.stride + (size_t)t] : 0;
    });
}
/* What filter o gives at step t of the block. */
KL_GPU float kl_front_filter(const kl_windows_job &job, const kl_window_block &b, int o, int t)
{
    const int n = job.shape.dense ? job.shape.channels : 1;
    const float *w = b.given + job.places.conv + (size_t)(o * n) * KL_FRONT_TAPS,
                *x = kl_shared + job.at.x + (job.shape.dense ? 0 : o * KL_FRONT_ROW) + t;
    float sum = b.given[job.places.conv_bias + (size_t)o];
    for (int c = 0; c < n; c++)
        for (int k = 0; k < KL_FRONT_TAPS; k++)
            sum = fmaf(w[c * KL_FRONT_TAPS + k], x[c * KL_FRONT_ROW + k], sum);
    return sum;
}

/* Into row o: silu of what comes out, or, times the derivative by the mean, its slope. */
template <bool BACK> KL_GPU void kl_front_fill(const kl_windows_job &job, const kl_window_block &b)
{
    const int filters = job.shape.filters;
    const float *by = job.by_sum + (b.copy * (size_t)job.count + (size_t)b.window) * (size_t)filters;
    kl_block_for(filters * KL_WINDOW_STEPS, [&](int e) {
        const int o = e / KL_WINDOW_STEPS, t = e % KL_WINDOW_STEPS;
        float far;
        const float u = kl_front_filter(job, b, o, t), sigma = kl_window_sigmoid(&far, u);
        float y = u * sigma;
        if (BACK) y = sigma * fmaf(u, far * sigma, 1) * by[o];
        kl_shared[job.at.z + o * KL_WINDOW_ROW + t] = t < b.count ? y / (float)job.shape.steps : 0;
    });
}
/* By taps, then biases; places from `conv` on. */
KL_GPU void kl_front_by_taps(float *part, const kl_windows_job &job, const kl_window_block &b)
{
    const int n = job.shape.dense ? job.shape.channels : 1, filters = job.shape.filters;
    kl_block_for(filters * n * KL_FRONT_TAPS, [&](int e) {
        const int o = e / (n * KL_FRONT_TAPS), c = job.shape.dense ? e / KL_FRONT_TAPS % n : o;
        const float *d = kl_shared + job.at.z + o * KL_WINDOW_ROW,
                    *x = kl_shared + job.at.x + c * KL_FRONT_ROW + e % KL_FRONT_TAPS;
        float sum = 0;
        for (int t = 0; t < b.count; t++) sum = fmaf(d[t], x[t], sum);
        part[e] = sum;
    });
}

template <bool BACK>
static __global__ void __launch_bounds__(KL_WINDOW_THREADS)
    kl_front_blocks(const __grid_constant__ kl_windows_job job)
{
    const kl_window_block b = kl_window_block_of(job);
    const size_t taps = job.places.conv_bias - job.places.conv;
    float *part = job.part + blockIdx.x * job.part_size;
    kl_front_load(job, b);
    __syncthreads();
    kl_front_fill<BACK>(job, b);
    __syncthreads();
    if (BACK) kl_front_by_taps(part, job, b);
    kl_block_for(job.shape.filters, [&](int o) {
        part[(BACK ? taps : 0) + (size_t)o] = kl_row_sum(job.at.z + o * KL_WINDOW_ROW, b.count);
    });
}

#endif
