/* SPDX-License-Identifier: MIT
   The kernels of circuits in batches. */
#ifndef KL_CUDA_CIRCUIT_KERNELS_CUH
#define KL_CUDA_CIRCUIT_KERNELS_CUH

#include "kernels/cuda/kept.cuh"
#include "kernels/cuda/sweep.cuh"

enum {
    KL_CIRCUIT_THREADS = 128, /* unless a state needs more */
    KL_SUM_BITS = 10,         /* there are few weights: a block each */
    KL_SUM_THREADS = 1 << KL_SUM_BITS
};

/* What a kernel is given; rows' arrays are of all n rows. */
struct kl_circuit_job {
    struct kl_cuda_circuit circuit;
    struct kl_rows rows;
    float *dw, *kept; /* (blocks, kl_kept_memory) */
    size_t n;
};

KL_GPU kl_rows kl_rows_of(const kl_circuit_job &job)
{
    kl_rows rows = job.rows;
    rows.circuit = &job.circuit;
    return rows;
}

/* One block. */
template <bool REAL> static __global__ void kl_share_all(const __grid_constant__ kl_circuit_job job)
{
    const kl_rows rows = kl_rows_of(job);
    kl_share_angles(rows);
    __syncthreads();
    kl_share_matrices<REAL>(rows);
}

/* Blocks of KL_KEPT_THREADS a processor, which bound their registers: a bra and a state of R own bits.
 */
#define KL_HELD_BLOCKS (R == 4 ? REAL ? 3 : 2 : REAL ? 2 : 1)

/* A block takes as many rows as its threads hold states. */
template <int R, bool REAL>
static __global__ void __launch_bounds__(KL_KEPT_THREADS, KL_HELD_BLOCKS)
    kl_held_states(const __grid_constant__ kl_circuit_job job)
{
    const kl_rows rows = kl_rows_of(job);
    const kl_cuda_circuit *c = rows.circuit;
    const kl_place at = kl_place_of(c->lane_bits, R);
    const size_t each = blockDim.x >> at.bits, from = blockIdx.x * each,
                 to = from + each < job.n ? from + each : job.n;
    kl_vary_matrices<REAL>(rows, from, to);
    __syncthreads();
    kl_each_row(from, to, at.bits, [&](size_t row, bool there) {
        const bool writes = there && at.thread == 0;
        kl_state<R, REAL> a, b;
        kl_sweep(a, rows, row, at);
        kl_outputs(rows.out + row * (size_t)c->n_outputs, a, c, writes, at);
        if (!rows.cot) return;
        kl_observe(b, a, c, rows.cot + row * (size_t)c->n_outputs, at);
        kl_sweep_back(a, b, rows, row, writes, at);
    });
    __syncthreads();
    if (rows.cot) kl_differentiate<REAL>(rows, from, to);
}

/* A block takes one row after another. */
static __global__ void __launch_bounds__(KL_KEPT_THREADS)
    kl_kept_states(const __grid_constant__ kl_circuit_job job)
{
    const kl_rows rows = kl_rows_of(job);
    float *memory = job.kept + blockIdx.x * kl_kept_memory(job.circuit.own_bits + job.circuit.lane_bits);
    for (size_t row = blockIdx.x; row < job.n; row += gridDim.x) {
        kl_vary_matrices<false>(rows, row, row + 1);
        __syncthreads();
        kl_kept_row(memory, rows, row, rows.out != NULL, rows.cot != NULL);
        if (rows.cot) kl_differentiate<false>(rows, row, row + 1);
    }
}

/* A block a weight: threads take every KL_SUM_THREADS'th row, then halves. */
static __global__ void __launch_bounds__(KL_SUM_THREADS)
    kl_sum_weights(const __grid_constant__ kl_circuit_job job)
{
    const int weight = (int)blockIdx.x;
    const struct kl_cuda_circuit *c = &job.circuit;
    float sum = 0;
    for (int u = weight ? c->use_end[weight - 1] : 0; u < c->use_end[weight]; u++) {
        const kl_cuda_angle angle = c->angles[c->use[u]];
        const float *d = job.rows.dangle + (size_t)c->use[u] * job.rows.stride;
        for (size_t row = threadIdx.x; row < job.n; row += KL_SUM_THREADS)
            sum += kl_weight_part(angle, job.rows.x + row * (size_t)c->n_inputs, d[row]);
    }
    sum = kl_sum(sum, kl_place_of(KL_SUM_BITS, 0));
    if (threadIdx.x == 0) job.dw[weight] = sum;
}

#endif
