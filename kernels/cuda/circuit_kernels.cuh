/* SPDX-License-Identifier: MIT
   The kernels of circuits in batches. */
#ifndef KL_CUDA_CIRCUIT_KERNELS_CUH
#define KL_CUDA_CIRCUIT_KERNELS_CUH

#include "kernels/cuda/kept.cuh"
#include "kernels/cuda/sweep.cuh"

enum {
    KL_CIRCUIT_THREADS = 128, /* unless a state needs more */
    KL_SUM_BITS = 8,
    KL_SUM_THREADS = 1 << KL_SUM_BITS
};

/* The arguments of a kernel; rows' arrays are of all n rows. */
struct kl_circuit_job {
    struct kl_cuda_circuit circuit;
    struct kl_rows rows;
    float *dw, *parts; /* (n_weights), and of each block (n_weights, blocks) */
    float *kept;       /* (blocks, kl_kept_memory) */
    int32_t blocks;
    unsigned *together; /* NULL: kl_share_all goes before kl_held_states, and kl_sum_weights behind it;
                           or of the blocks that do that too, how many are done, 0 between launches. They
                           have each their own rows.trig and rows.shared then. */
    size_t n;
};

/* Values of rows.trig and rows.shared. */
static inline __host__ __device__ size_t kl_trig_size(const kl_cuda_circuit *c)
{
    return 2 * (size_t)c->n_slots;
}
static inline __host__ __device__ size_t kl_shared_size(const kl_cuda_circuit *c)
{
    return 4 * (size_t)c->n_matrices;
}

KL_GPU kl_rows kl_rows_of(const kl_circuit_job &job)
{
    kl_rows rows = job.rows;
    rows.circuit = &job.circuit;
    if (job.together) {
        rows.trig += blockIdx.x * kl_trig_size(&job.circuit);
        rows.shared += blockIdx.x * kl_shared_size(&job.circuit);
    }
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

/* This block's part of the derivatives by weights, of rows [from, to), whose derivatives by angles are
   there: 2^bits threads a weight, of which each takes every 2^bits'th row. `more`: it is added to what
   is there. */
KL_GPU void kl_weight_parts(const kl_circuit_job &job, size_t from, size_t to, int bits, bool more)
{
    const struct kl_cuda_circuit *c = &job.circuit;
    const kl_place at = kl_place_of(bits, 0);
    kl_each_row(0, (size_t)c->n_weights, bits, [&](size_t w, bool there) {
        float sum = 0, *to_part = job.parts + w * (size_t)job.blocks + blockIdx.x;
        for (int u = w ? c->use_end[w - 1] : 0; u < c->use_end[w]; u++) {
            const kl_cuda_angle angle = c->angles[c->use[u]];
            const float *d = job.rows.dangle + (size_t)c->use[u] * job.rows.stride;
            for (size_t row = from + at.thread; row < to; row += 1u << bits)
                sum += kl_weight_part(angle, job.rows.x + row * (size_t)c->n_inputs, d[row]);
        }
        sum = kl_sum(sum, at);
        if (there && at.thread == 0) *to_part = more ? *to_part + sum : sum;
    });
}

/* The blocks' parts together, 2^bits threads a weight. */
KL_GPU void kl_sum_parts(const kl_circuit_job &job, size_t w, bool there, const kl_place &at)
{
    const float *part = job.parts + w * (size_t)job.blocks;
    float sum = 0;
#pragma unroll 8 /* as many loads at once */
    for (int i = (int)at.thread; i < job.blocks; i += 1 << at.bits) sum += part[i];
    sum = kl_sum(sum, at);
    if (there && at.thread == 0) job.dw[w] = sum;
}

/* The same by the block that is done last, whichever that is; the order of the sums is one. */
KL_GPU void kl_sum_last(const kl_circuit_job &job)
{
    unsigned *before = (unsigned *)kl_shared;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        *before = atomicAdd(job.together, 1u);
        __threadfence();
    }
    __syncthreads();
    if (*before != gridDim.x - 1) return;
    const kl_place at = kl_place_of(KL_WARP_BITS, 0);
    kl_each_row(0, (size_t)job.circuit.n_weights, KL_WARP_BITS,
                [&](size_t w, bool there) { kl_sum_parts(job, w, there, at); });
    if (threadIdx.x == 0) *job.together = 0;
}

/* How many threads that is, as a power of two, where a block has so many rows, a power of two as well.
 */
KL_GPU int kl_weight_bits(size_t rows)
{
    int bits = 0;
    while (bits < KL_WARP_BITS && 2u << bits <= rows) bits++;
    return bits;
}

/* Blocks of 256 threads a processor, which bound the registers: those of a state and a bra of R own
   bits, and as many again. */
template <int R, bool REAL> constexpr int kl_held_blocks(void)
{
    return R == 4 ? REAL ? 3 : 2 : REAL ? 2 : 1;
}

/* A block takes as many rows as its threads hold states. */
template <int R, bool REAL>
static __global__ void __launch_bounds__(1 << KL_HELD_LANE_BITS, (kl_held_blocks<R, REAL>()))
    kl_held_states(const __grid_constant__ kl_circuit_job job)
{
    const kl_rows rows = kl_rows_of(job);
    const kl_cuda_circuit *c = rows.circuit;
    const kl_place at = kl_aligned_place_of(c->lane_bits, R);
    const size_t each = blockDim.x >> at.bits, from = blockIdx.x * each,
                 to = from + each < job.n ? from + each : job.n;
    if (job.together) {
        kl_share_angles(rows);
        __syncthreads();
        kl_share_matrices<REAL>(rows);
    }
    kl_vary_matrices<REAL>(rows, from, to);
    __syncthreads();
    kl_each_row(from, to, at.bits, [&](size_t row, bool there) {
        kl_state<R, REAL> a, b;
        kl_sweep(a, rows, row, at);
        kl_outputs(rows.out + row * (size_t)c->n_outputs, a, c, there, at);
        if (!rows.cot) return;
        kl_circuit_observe_text(b, a, c, rows.cot + row * (size_t)c->n_outputs, at);
        kl_sweep_back(a, b, rows, row, there, at);
    });
    __syncthreads();
    if (!rows.cot) return;
    kl_differentiate<REAL>(rows, from, to);
    kl_weight_parts(job, from, to, kl_weight_bits(each), false);
    if (job.together) kl_sum_last(job);
}

/* A block takes one row after another. */
static __global__ void __launch_bounds__(KL_KEPT_THREADS)
    kl_kept_states(const __grid_constant__ kl_circuit_job job)
{
    const kl_rows rows = kl_rows_of(job);
    float *memory = job.kept + blockIdx.x * kl_kept_memory(job.circuit.own_bits + job.circuit.lane_bits);
    for (size_t row = blockIdx.x; row < job.n; row += gridDim.x) {
        kl_vary_matrices<false>(rows, row, row + 1); /* the sweep's first barrier is behind it */
        const int which = kl_kept_forward(memory, rows, row);
        if (!rows.cot) continue;
        kl_kept_generators(memory, which, rows, row);
        kl_differentiate<false>(rows, row, row + 1);
        kl_weight_parts(job, row, row + 1, 0, row != blockIdx.x);
    }
}

/* A block a weight. */
static __global__ void __launch_bounds__(KL_SUM_THREADS)
    kl_sum_weights(const __grid_constant__ kl_circuit_job job)
{
    kl_sum_parts(job, blockIdx.x, true, kl_place_of(KL_SUM_BITS, 0));
}

#endif
