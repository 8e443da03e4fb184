/* SPDX-License-Identifier: MIT
   The kernels of heads: whole steps, with a few blocks a head that meet three times in each; and samples
   judged. */
#ifndef KL_CUDA_HEAD_KERNELS_CUH
#define KL_CUDA_HEAD_KERNELS_CUH

#include "kernels/cuda/head_update.cuh"

enum { KL_JUDGED = 32 /* rows a block judges at once */ };
/* Blocks a processor, which bounds their registers: states of 32 amplitudes need all of them. */
#define KL_HEAD_BOUNDS __launch_bounds__(KL_HEAD_THREADS, L < 5 ? 2 : 1)

/* The blocks of one head wait for each other; they all run at once (a cooperative launch). */
KL_GPU void kl_meet(uint32_t *barrier, uint32_t blocks)
{
    __syncthreads();
    if (blocks == 1) return;
    if (threadIdx.x == 0) {
        __threadfence();
        const uint32_t ticket = atomicAdd(barrier, 1u), all = ticket - ticket % blocks + blocks;
        while ((int32_t)(*(volatile uint32_t *)barrier - all) < 0) __nanosleep(32);
        __threadfence();
    }
    __syncthreads();
}

/* Forward and back of this block's share of the rows. */
template <int L, bool REAL>
KL_GPU void kl_step_rows(const kl_head_job &job, const kl_own &own, int64_t head, int block, int rows)
{
    const int from = (int)((int64_t)rows * block / job.blocks),
              to = (int)((int64_t)rows * (block + 1) / job.blocks),
              last = job.y_at[job.shape.n_layers - 1];
    const int classes = job.shape.n_classes;
    kl_head_forward<L, REAL>(job, own, from, to);
    for (int r = from + (int)threadIdx.x; r < to; r += (int)blockDim.x) {
        bool right;
        job.loss[head * job.shape.batch + r] = kl_row_loss(
            own.dy + last + (int64_t)r * classes, &right, own.y + last + (int64_t)r * classes,
            job.labels[own.rows[r]], classes, 1 / (float)rows);
        job.right[head * job.shape.batch + r] = right;
    }
    __syncthreads();
    kl_head_back<L, REAL>(job, own, from, to);
}

template <int L, bool REAL>
static __global__ void KL_HEAD_BOUNDS kl_head_steps(const __grid_constant__ kl_head_job job)
{
    const int turn = (int)blockIdx.x / job.blocks, block = (int)blockIdx.x % job.blocks;
    const int64_t head = job.which[turn], size = (int64_t)job.shape.block,
                  items = job.item_at[job.shape.n_layers];
    const int batch = job.shape.batch;
    double *sums = job.sums + (int64_t)turn * (2 + job.shape.n_groups);
    float *squares = job.squares + head * items;
    kl_mover to = { job.params + head * size,
                    job.m + head * size,
                    job.v + head * size,
                    job.shape.clip > 0 ? job.grad + head * size : NULL,
                    job.shape.absent,
                    {},
                    job.shape.rule };
    kl_own own = { to.params,
                   job.y + head * job.y_size,
                   job.dy + head * job.y_size,
                   job.dangle + head * job.shape.circuit.n_slots * batch,
                   job.trig + (int64_t)blockIdx.x * 2 * job.shape.circuit.n_slots,
                   NULL,
                   0,
                   job.replica[turn],
                   true };
    for (int64_t t = 0; t < job.count; t++) {
        const int64_t begin = (job.first + t) * batch, left = job.n_rows - begin;
        const int rows = left < batch ? (int)left : batch;
        own.rows = job.order + begin;
        own.number = job.number + (uint32_t)t;
        to.f = job.factors[turn * job.count + t];
        kl_step_rows<L, REAL>(job, own, head, block, rows);
        kl_meet(job.barrier + turn, (uint32_t)job.blocks);
        if (block == 0) kl_losses(sums, job.loss + head * batch, job.right + head * batch, rows);
        kl_items(squares, to, job, own, block, rows);
        kl_meet(job.barrier + turn, (uint32_t)job.blocks);
        if (block == 0) kl_norms(sums + 2, squares, job);
        if (job.shape.clip <= 0) continue;
        kl_move_clipped(
            to, job,
            kl_clip_scale(job.clipped + (int64_t)blockIdx.x * (KL_HEAD_THREADS / 32), squares, job),
            block);
        kl_meet(job.barrier + turn, (uint32_t)job.blocks);
    }
}

/* Blocks take turns over (head, KL_JUDGED rows). */
template <int L, bool REAL>
static __global__ void KL_HEAD_BOUNDS kl_head_judge(const __grid_constant__ kl_head_job job)
{
    const int tiles = (job.n_rows + KL_JUDGED - 1) / KL_JUDGED, classes = job.shape.n_classes,
              outputs = job.shape.circuit.n_outputs;
    kl_own own = { NULL,
                   job.y + (int64_t)blockIdx.x * job.y_size,
                   NULL,
                   NULL,
                   job.trig + (int64_t)blockIdx.x * 2 * job.shape.circuit.n_slots,
                   NULL,
                   0,
                   0,
                   false };
    for (int64_t turn = blockIdx.x; turn < (int64_t)tiles * job.n_heads; turn += gridDim.x) {
        const int64_t head = turn / tiles, begin = turn % tiles * KL_JUDGED,
                      to = head * job.n_rows + begin;
        const int rows = job.n_rows - begin < KL_JUDGED ? (int)(job.n_rows - begin) : KL_JUDGED;
        own.params = job.params + job.which[head] * (int64_t)job.shape.block;
        own.rows = job.order + begin;
        kl_head_forward<L, REAL>(job, own, 0, rows);
        const float *logits = own.y + job.y_at[job.shape.n_layers - 1];
        for (int i = (int)threadIdx.x; job.logits && i < rows * classes; i += (int)blockDim.x)
            job.logits[to * classes + i] = logits[i];
        for (int l = 0; job.outputs && l < job.shape.n_layers; l++)
            for (int i = (int)threadIdx.x;
                 job.shape.layers[l].kind == KL_CUDA_QUANTUM && i < rows * outputs; i += (int)blockDim.x)
                job.outputs[to * outputs + i] = own.y[job.y_at[l] + i];
        for (int r = (int)threadIdx.x; job.row_loss && r < rows; r += (int)blockDim.x) {
            bool right;
            job.row_loss[to + r] = (float)kl_row_loss(NULL, &right, logits + (int64_t)r * classes,
                                                      job.labels[own.rows[r]], classes, 1);
            job.row_right[to + r] = right;
        }
        __syncthreads();
    }
}

#endif
