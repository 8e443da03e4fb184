/* SPDX-License-Identifier: MIT
   The kernels of circuits in batches. */
#ifndef KL_CUDA_CIRCUIT_KERNELS_CUH
#define KL_CUDA_CIRCUIT_KERNELS_CUH

#include "kernels/cuda/large.cuh"

enum { KL_CIRCUIT_THREADS = 128, KL_SUM_THREADS = 1024 /* there are few weights: a block each */ };

/* What a kernel is given. */
struct kl_circuit_job {
    struct kl_cuda_circuit circuit;
    const float *x, *w, *cot; /* cot NULL: forward alone */
    float *out, *dx, *dw, *trig, *dangle, *scratch;
    size_t n;
    int lane_bits;
    size_t state;  /* floats of a block's states in scratch; 0: in shared memory */
    size_t amount; /* floats of a block's scratch */
};

static __global__ void kl_shared_angles(struct kl_circuit_job job)
{
    const int slot = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (slot < job.circuit.n_slots)
        kl_shared_angle(job.trig, job.trig + job.circuit.n_slots, &job.circuit, slot, job.w);
}

KL_GPU kl_angles angles_of(const struct kl_circuit_job *job, size_t row)
{
    return kl_angles{ &job->circuit, job->trig, job->trig + job->circuit.n_slots,
                      job->x + row * (size_t)job->circuit.n_inputs, job->w };
}

template <int L, bool REAL>
static __global__ void __launch_bounds__(KL_CIRCUIT_THREADS) kl_small_states(struct kl_circuit_job job)
{
    const size_t thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x,
                 sample = thread >> job.lane_bits;
    const bool writes = sample < job.n;
    const size_t row = writes ? sample : job.n - 1; /* shuffles need every thread of a warp */
    const kl_place at = { threadIdx.x & ((1u << job.lane_bits) - 1), job.lane_bits };
    const kl_angles angles = angles_of(&job, row);
    const size_t n_out = (size_t)job.circuit.n_outputs, n_in = (size_t)job.circuit.n_inputs;
    kl_state<L, REAL> state;
    kl_sweep(state, angles, at);
    kl_outputs(job.out + row * n_out, state, &job.circuit, writes, at);
    if (job.cot)
        kl_sweep_back(job.dangle + row, job.n, job.dx + row * n_in, state, angles, job.cot + row * n_out,
                      writes, at);
}

extern __shared__ __align__(16) float kl_shared[]; /* also read as double and float4 */

static __global__ void __launch_bounds__(KL_LARGE_THREADS) kl_large_states(struct kl_circuit_job job)
{
    const uint32_t size = 1u << job.circuit.n_qubits;
    float *own = job.scratch + blockIdx.x * job.amount, *at = job.state ? own : kl_shared;
    float *parts = own + job.state, *part = parts + (size_t)job.circuit.n_slots * KL_LARGE_WARPS;
    const kl_memory_state a = { at, job.circuit.real ? NULL : at + size, size };
    at += job.circuit.real ? size : 2 * size;
    const kl_memory_state b = { at, job.circuit.real ? NULL : at + size, size };
    const size_t n_out = (size_t)job.circuit.n_outputs, n_in = (size_t)job.circuit.n_inputs;
    for (size_t row = blockIdx.x; row < job.n; row += gridDim.x) {
        const kl_angles angles = angles_of(&job, row);
        kl_large_sweep(a, angles);
        kl_large_outputs(job.out + row * n_out, part, a, &job.circuit);
        if (job.cot)
            kl_large_back(job.dangle + row, job.n, job.dx + row * n_in, parts, a, b, angles,
                          job.cot + row * n_out);
        __syncthreads();
    }
}

/* A block a weight: threads take every KL_SUM_THREADS'th row, then halves. */
static __global__ void __launch_bounds__(KL_SUM_THREADS) kl_sum_weights(struct kl_circuit_job job)
{
    const int weight = (int)blockIdx.x;
    const struct kl_cuda_circuit *c = &job.circuit;
    float sum = 0;
    for (int u = weight ? c->use_end[weight - 1] : 0; u < c->use_end[weight]; u++) {
        const kl_cuda_angle angle = c->angles[c->use[u]];
        const float *d = job.dangle + (size_t)c->use[u] * job.n;
        for (size_t row = threadIdx.x; row < job.n; row += KL_SUM_THREADS)
            sum += kl_weight_part(angle, job.x + row * (size_t)c->n_inputs, d[row]);
    }
    kl_part(kl_shared, sum);
    __syncthreads();
    if (threadIdx.x) return;
    sum = 0;
    for (int w = 0; w < KL_SUM_THREADS / KL_WARP; w++) sum += kl_shared[w];
    job.dw[weight] = sum;
}

#endif
