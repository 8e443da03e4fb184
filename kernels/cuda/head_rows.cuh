/* SPDX-License-Identifier: MIT
   How a block takes rows through a head's layers and back. */
#ifndef KL_CUDA_HEAD_ROWS_CUH
#define KL_CUDA_HEAD_ROWS_CUH

#include "kernels/cuda/head_tiles.cuh"
#include "kernels/cuda/kept.cuh"
#include "kernels/cuda/sweep.cuh"

/* Asked for early: the circuit's arrays, which are read one after the other, into the first-level cache,
   which each meeting of blocks empties. */
KL_GPU void kl_fetch(const void *from, size_t bytes)
{
    enum { SECTOR = 32 };
    for (size_t at = threadIdx.x * SECTOR; at < bytes; at += KL_HEAD_THREADS * SECTOR)
        KL_PREFETCH(L1, (const char *)from + at);
}

/* And the features of the next step's rows, into the second-level cache: this block's share. */
KL_GPU void kl_fetch_rows(const kl_head_job &job, const int32_t *rows, int n, int block)
{
    enum { LINE = 32 /* values */ };
    const int lines = (job.shape.n_features + LINE - 1) / LINE;
    for (int i = block * KL_HEAD_THREADS + (int)threadIdx.x; i < n * lines;
         i += job.blocks * KL_HEAD_THREADS)
        KL_PREFETCH(L2, job.x + (int64_t)rows[i / lines] * job.shape.n_features + i % lines * LINE);
}

/* The circuit's rows, as layer `number` of the head. */
KL_GPU kl_rows kl_circuit_rows(const kl_head_job &job, const kl_head_slice &own, int number)
{
    const int64_t block = blockIdx.x, slots = job.shape.circuit.n_slots, stride = own.stride;
    return kl_rows{ &job.shape.circuit,
                    own.y + job.y_at[number - 1],
                    own.params + job.shape.layers[number].weight,
                    own.y + job.y_at[number],
                    own.dy + job.y_at[number],
                    own.dy + job.y_at[number - 1],
                    job.trig + block * 2 * slots,
                    job.shared + block * job.shared_size,
                    job.varying + own.place * job.varying_size,
                    job.generators + own.place * job.generators_size,
                    job.dangle + own.place * slots * stride,
                    job.states ? job.states + own.place * job.states_size : NULL,
                    (size_t)stride };
}

/* R own bits of a state in registers; 0: states in the GPU's memory, which are made again on the way
   back. */
template <int R, bool REAL>
KL_GPU void kl_quantum(const kl_head_job &job, const kl_head_slice &own, int number, int from, int to)
{
    const kl_rows rows = kl_circuit_rows(job, own, number);
    kl_share_angles(rows);
    __syncthreads();
    kl_share_matrices<REAL>(rows);
    kl_vary_matrices<REAL>(rows, (size_t)from, (size_t)to);
    __syncthreads();
    if constexpr (R) {
        kl_rows_forward<R, REAL>(rows, (size_t)from, (size_t)to);
    } else {
        for (int row = from; row < to; row++)
            kl_kept_forward(job.kept + blockIdx.x * job.kept_size, rows, (size_t)row);
    }
}

template <int R, bool REAL>
KL_GPU void kl_quantum_back(const kl_head_job &job, const kl_head_slice &own, int number, int from,
                            int to)
{
    const kl_cuda_layer &below = job.shape.layers[number - 1];
    const kl_rows rows = kl_circuit_rows(job, own, number);
    if constexpr (R) {
        kl_rows_back<R, REAL>(rows, (size_t)from, (size_t)to);
        __syncthreads();
    } else {
        float *memory = job.kept + blockIdx.x * job.kept_size;
        for (int row = from; row < to; row++)
            kl_kept_generators(memory, kl_kept_sweep(memory, rows, (size_t)row), rows, (size_t)row);
    }
    kl_differentiate<REAL>(rows, (size_t)from, (size_t)to);
    /* Each thread goes on with the values that it has made, or, of given amplitudes, with what others
       have made before kl_differentiate's barrier. */
    for (int i = from * below.d_out + (int)threadIdx.x; i < to * below.d_out; i += KL_HEAD_THREADS) {
        float *d = own.dy + job.y_at[number - 1] + i;
        *d = kl_activate_back(*d, own.y[job.y_at[number - 1] + i], job, below);
    }
}

/* Layers from `first` on. Ends with the block together. */
template <int R, bool REAL>
KL_GPU void kl_head_forward(const kl_head_job &job, const kl_head_slice &own, int first, int from,
                            int to)
{
    const kl_cuda_circuit *c = &job.shape.circuit;
    kl_fetch(c->arrays, c->arrays_size);
    for (int number = first; number < job.shape.n_layers; number++) {
        const kl_cuda_layer &l = job.shape.layers[number];
        if (number == 0 && job.tiled && (to - from) * l.d_out >= KL_TILE_ROWS * KL_TILE_COLUMNS)
            kl_tiles_forward(job, own, from, to);
        else if (l.kind == KL_CUDA_LINEAR) kl_forward_linear(job, own, number, from, to);
        else kl_quantum<R, REAL>(job, own, number, from, to);
        __syncthreads();
    }
}

/* From dy of the last layer to dy of the first. Ends with the block together. */
template <int R, bool REAL>
KL_GPU void kl_head_back(const kl_head_job &job, const kl_head_slice &own, int from, int to)
{
    for (int number = job.shape.n_layers - 1; number > 0; number--) {
        if (job.shape.layers[number].kind == KL_CUDA_LINEAR) kl_linear_back(job, own, number, from, to);
        else kl_quantum_back<R, REAL>(job, own, number, from, to);
        __syncthreads();
    }
}

/* One row's cross-entropy in nats, and whether its largest logit is the right one, by a warp whose every
   thread is told; d (classes) unless NULL becomes scale times the gradient. */
KL_GPU double kl_row_loss(float *d, bool *right, const float *logits, int label, int classes,
                          float scale)
{
    const int lane = kl_lane_number();
    int best = lane < classes ? lane : 0;
    float most = logits[best], sum = 0;
    for (int j = lane + KL_WARP; j < classes; j += KL_WARP)
        if (logits[j] > most) best = j, most = logits[j];
    for (int bit = 1; bit < KL_WARP; bit *= 2) { /* of equal ones the first */
        const int other = __shfl_xor_sync(0xffffffffu, best, bit);
        const float value = kl_from(most, (uint32_t)bit);
        if (value > most || (value == most && other < best)) best = other, most = value;
    }
    for (int j = lane; j < classes; j += KL_WARP) sum += expf(logits[j] - most);
    for (int bit = 1; bit < KL_WARP; bit *= 2) sum += kl_from(sum, (uint32_t)bit);
    for (int j = lane; d && j < classes; j += KL_WARP)
        d[j] = expf(logits[j] - most) * (scale / sum) - (j == label ? scale : 0);
    *right = best == label;
    return log((double)sum) - (double)(logits[label] - most);
}

#endif
