/* SPDX-License-Identifier: MIT
   How a block takes rows through a head's layers and back. */
#ifndef KL_CUDA_HEAD_ROWS_CUH
#define KL_CUDA_HEAD_ROWS_CUH

#include "kernels/cuda/head_linear.cuh"
#include "kernels/cuda/sweep.cuh"

#ifndef KL_PREFETCH /* tests/cuda/emulated has its own */
#define KL_PREFETCH(level, from) asm volatile("prefetch.global." #level " [%0];" ::"l"(from))
#endif

/* Asked for early: what the circuit's gates read one after the other, into the first-level cache, which
   each meeting of blocks empties. */
KL_GPU void kl_fetch(const void *from, size_t bytes)
{
    enum { SECTOR = 32 };
    for (size_t at = threadIdx.x * SECTOR; at < bytes; at += blockDim.x * SECTOR)
        KL_PREFETCH(L1, (const char *)from + at);
}

/* And the features of the next step's rows, into the second-level cache: this block's share. */
KL_GPU void kl_fetch_rows(const kl_head_job &job, const int32_t *rows, int n, int block)
{
    enum { LINE = 32 /* values */ };
    const int lines = (job.shape.n_features + LINE - 1) / LINE;
    for (int i = block * (int)blockDim.x + (int)threadIdx.x; i < n * lines;
         i += job.blocks * (int)blockDim.x)
        KL_PREFETCH(L2, job.x + (int64_t)rows[i / lines] * job.shape.n_features + i % lines * LINE);
}

/* The circuit of rows [from, to): a state in 2^(n_qubits - L) threads. back: and back again, from dy of
   this layer to dy of the one before. */
template <int L, bool REAL>
KL_GPU void kl_quantum(const kl_head_job &job, const kl_own &own, int number, int from, int to,
                       bool back)
{
    const kl_cuda_circuit *c = &job.shape.circuit;
    const int bits = c->n_qubits - L, step = (int)blockDim.x >> bits;
    const kl_place at = { threadIdx.x & ((1u << bits) - 1), bits };
    for (int row = from + ((int)threadIdx.x >> bits);; row += step) {
        const int first = row - (int)((threadIdx.x & 31) >> bits); /* of the warp: it goes on together */
        if (first >= to) break;
        const bool writes = row < to;
        const int64_t r = writes ? row : to - 1;
        const kl_angles angles = { c, own.trig, own.trig + c->n_slots,
                                   kl_input_row(job, own, number, (int)r),
                                   own.params + job.shape.layers[number].weight };
        kl_state<L, REAL> state;
        kl_sweep(state, angles, at);
        if (!back) kl_outputs(own.y + job.y_at[number] + r * c->n_outputs, state, c, writes, at);
        else
            kl_sweep_back(own.dangle + r, (size_t)job.slice,
                          own.dy + job.y_at[number - 1] + r * c->n_inputs, state, angles,
                          own.dy + job.y_at[number] + r * c->n_outputs, writes, at);
    }
}

template <int L, bool REAL>
KL_GPU void kl_quantum_back(const kl_head_job &job, const kl_own &own, int number, int from, int to)
{
    const kl_cuda_layer &below = job.shape.layers[number - 1];
    kl_quantum<L, REAL>(job, own, number, from, to, true);
    __syncthreads();
    for (int i = from * below.d_out + (int)threadIdx.x; i < to * below.d_out; i += (int)blockDim.x) {
        float *d = own.dy + job.y_at[number - 1] + i;
        *d = kl_activate_back(*d, own.y[job.y_at[number - 1] + i], job, below);
    }
}

/* Cosines and sines that the rows share, then all layers. Ends with the block together. */
template <int L, bool REAL>
KL_GPU void kl_head_forward(const kl_head_job &job, const kl_own &own, int from, int to)
{
    const kl_cuda_circuit *c = &job.shape.circuit;
    kl_fetch(c->ops, (size_t)c->n_ops * sizeof *c->ops);
    kl_fetch(c->angles, (size_t)c->n_slots * sizeof *c->angles);
    for (int number = 0; number < job.shape.n_layers; number++) {
        const kl_cuda_layer &l = job.shape.layers[number];
        if (l.kind == KL_CUDA_LINEAR) {
            kl_forward_linear(job, own, number, from, to);
        } else {
            for (int slot = (int)threadIdx.x; slot < c->n_slots; slot += (int)blockDim.x)
                kl_shared_angle(own.trig, own.trig + c->n_slots, c, slot, own.params + l.weight);
            __syncthreads();
            kl_fetch(own.trig, 2 * (size_t)c->n_slots * sizeof *own.trig);
            kl_quantum<L, REAL>(job, own, number, from, to, false);
        }
        __syncthreads();
    }
}

/* From dy of the last layer to dy of the first. Ends with the block together. */
template <int L, bool REAL>
KL_GPU void kl_head_back(const kl_head_job &job, const kl_own &own, int from, int to)
{
    for (int number = job.shape.n_layers - 1; number > 0; number--) {
        if (job.shape.layers[number].kind == KL_CUDA_LINEAR) kl_linear_back(job, own, number, from, to);
        else kl_quantum_back<L, REAL>(job, own, number, from, to);
        __syncthreads();
    }
}

/* One row's cross-entropy in nats, and whether its largest logit is the right one; d (classes) unless
   NULL becomes scale times the gradient. */
KL_GPU double kl_row_loss(float *d, bool *right, const float *logits, int label, int classes,
                          float scale)
{
    int best = 0;
    float sum = 0;
    for (int j = 1; j < classes; j++)
        if (logits[j] > logits[best]) best = j;
    for (int j = 0; j < classes; j++) {
        const float e = expf(logits[j] - logits[best]);
        sum += e;
        if (d) d[j] = e;
    }
    for (int j = 0; d && j < classes; j++) d[j] = d[j] * (scale / sum) - (j == label ? scale : 0);
    *right = best == label;
    return log((double)sum) - (double)(logits[label] - logits[best]);
}

#endif
