/* SPDX-License-Identifier: MIT
   The kernels of heads: whole steps, with a few blocks a head that meet twice or three times in each;
   and samples judged. */
#ifndef KL_CUDA_HEAD_KERNELS_CUH
#define KL_CUDA_HEAD_KERNELS_CUH

#include "kernels/cuda/head_resident.cuh"
#include "kernels/cuda/heads.h"

/* Blocks a processor, which bounds their registers: 32 amplitudes a thread need all of them. */
template <int R> constexpr int kl_head_blocks(void)
{
    return R == 4 ? 2 : 1;
}

/* The blocks of one head wait for each other; they all run at once (a cooperative launch). met: what the
   barrier will have counted then. */
KL_GPU void kl_meet(uint32_t *barrier, uint32_t &met, uint32_t blocks)
{
    __syncthreads();
    if (blocks == 1) return;
    met += blocks;
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(barrier, 1u);
        while ((int32_t)(*(volatile uint32_t *)barrier - met) < 0) __nanosleep(32);
        __threadfence();
    }
    __syncthreads();
}

/* Forward, from layer `first` on, and back of this block's share of the slice's `rows` rows, of a batch
   of `all`. */
template <int R, bool REAL>
KL_GPU void kl_slice_rows(const kl_head_job &job, const kl_head_slice &own, int64_t head, int block,
                          int first, int rows, int all)
{
    const int from = (int)((int64_t)rows * block / job.blocks),
              to = (int)((int64_t)rows * (block + 1) / job.blocks),
              last = job.y_at[job.shape.n_layers - 1], warp = kl_warp(), lane = kl_lane_number();
    const int classes = job.shape.n_classes;
    const int64_t judged = head * job.shape.batch + own.first;
    kl_head_forward<R, REAL>(job, own, first, from, to);
    for (int r = from + warp; r < to; r += KL_HEAD_THREADS / KL_WARP) {
        bool right;
        const double loss = kl_row_loss(own.dy + last + (int64_t)r * classes, &right,
                                        own.y + last + (int64_t)r * classes, job.labels[own.rows[r]],
                                        classes, 1 / (float)all);
        if (lane == 0) job.loss[judged + r] = loss, job.right[judged + r] = right;
    }
    __syncthreads();
    kl_head_back<R, REAL>(job, own, from, to);
}

/* Loss and gradients of a batch of `all` rows, slice by slice, and, unless they are clipped, the update.
 */
template <int R, bool REAL>
KL_GPU void kl_batch(double *sums, float *squares, const kl_mover &to, const kl_head_job &job,
                     kl_head_slice &own, uint32_t &met, int64_t head, int turn, int block, int all)
{
    const int32_t *rows = own.rows;
    for (own.first = 0; own.first < all; own.first += job.slice) {
        const int left = all - own.first, n = left < job.slice ? left : job.slice;
        own.rows = rows + own.first;
        own.last = n == left;
        kl_slice_rows<R, REAL>(job, own, head, block, 0, n, all);
        kl_meet(job.barrier + turn, met, (uint32_t)job.blocks);
        if (block == job.blocks - 1 && own.last && threadIdx.x < KL_WARP)
            kl_losses(sums, job.loss + head * job.shape.batch, job.right + head * job.shape.batch, all);
        if (job.tiled) kl_tiles_items(squares, to, job, own, block, n);
        kl_items(squares, to, job, own,
                 job.tiled ? kl_whole_warps(kl_weight_items(job.shape.layers[0])) : 0, n,
                 kl_warp() * job.blocks + block, KL_HEAD_THREADS / KL_WARP * job.blocks);
        kl_meet(job.barrier + turn, met, (uint32_t)job.blocks);
    }
}

KL_GPU kl_mover kl_mover_of(const kl_head_job &job, int64_t head)
{
    const int64_t at = head * (int64_t)job.shape.block;
    return kl_mover{ job.params + at,  job.m + at,
                     job.v + at,       job.shape.clip > 0 ? job.grad + at : NULL,
                     job.shape.absent, {},
                     job.shape.rule };
}
KL_GPU kl_head_slice kl_own_of(const kl_head_job &job, int64_t head, int turn)
{
    const int64_t at = head * (int64_t)job.shape.block;
    return kl_head_slice{ job.params + at,
                          job.y + head * job.y_size,
                          job.dy + head * job.y_size,
                          head,
                          job.slice,
                          job.grad + at,
                          job.replica[turn],
                          true,
                          0,
                          NULL,
                          0,
                          false };
}
/* Step t of the launch; how many rows it has. */
KL_GPU int kl_begin_step(kl_mover &to, kl_head_slice &own, const kl_head_job &job, int turn, int block,
                         int64_t t)
{
    const int batch = job.shape.batch;
    const int64_t begin = t * batch, left = job.n_rows - begin;
    own.rows = job.order + begin;
    own.number = job.number + (uint32_t)t;
    to.f = job.factors[(int64_t)turn * job.factors_step + t];
    if (turn == 0 && t + 1 < job.count)
        kl_fetch_rows(job, own.rows + batch, left - batch < batch ? (int)(left - batch) : batch, block);
    return left < batch ? (int)left : batch;
}

template <int R, bool REAL>
static __global__ void __launch_bounds__(KL_HEAD_THREADS, kl_head_blocks<R>())
    kl_head_steps(const __grid_constant__ kl_head_job job)
{
    const int turn = (int)blockIdx.x / job.blocks, block = (int)blockIdx.x % job.blocks;
    const int64_t head = job.which[turn];
    double *sums = job.sums + (int64_t)turn * (2 + job.shape.n_groups);
    float *squares = job.squares + head * job.item_at[job.shape.n_layers];
    kl_mover to = kl_mover_of(job, head);
    kl_head_slice own = kl_own_of(job, head, turn);
    uint32_t met = 0;
    for (int64_t t = 0; t < job.count; t++) {
        const int rows = kl_begin_step(to, own, job, turn, block, t);
        kl_batch<R, REAL>(sums, squares, to, job, own, met, head, turn, block, rows);
        if (block == 0) kl_norms(sums + 2, squares, job, kl_warp(), KL_HEAD_THREADS / KL_WARP);
        if (job.shape.clip <= 0) continue;
        kl_move_clipped(
            to, job,
            kl_clip_scale(job.clipped + (int64_t)blockIdx.x * (KL_HEAD_THREADS / 32), squares, job),
            block);
        kl_meet(job.barrier + turn, met, (uint32_t)job.blocks);
    }
}

/* As kl_head_steps, of a head whose first layer stays in its blocks' memory: head_resident.cuh. Outputs
   of one step are read when blocks ahead write the next one's, so they have two places in turn; the
   norms of a step are summed in the next one, by threads that have nothing else to do. */
template <int R, bool REAL>
static __global__ void __launch_bounds__(KL_HEAD_THREADS, 1)
    kl_head_resident(const __grid_constant__ kl_head_job job)
{
    enum { WARPS = KL_HEAD_THREADS / KL_WARP };
    const int turn = (int)blockIdx.x / job.blocks, block = (int)blockIdx.x % job.blocks,
              warp = kl_warp(), batch = job.shape.batch;
    const int64_t head = job.which[turn];
    double *sums = job.sums + (int64_t)turn * (2 + job.shape.n_groups);
    float *squares = job.squares + head * job.item_at[job.shape.n_layers];
    kl_mover to = kl_mover_of(job, head);
    kl_head_slice own = kl_own_of(job, head, turn);
    uint32_t met = 0;
    float *const y[2] = { own.y, job.y_beside + head * job.y_size };
    const kl_resident a = kl_resident_of(job, block);
    kl_resident_load(a, job.shape.layers[0], to);
    own.last = true;
    for (int64_t t = 0; t < job.count; t++) {
        const int rows = kl_begin_step(to, own, job, turn, block, t);
        own.y = y[t % 2], own.params = to.params;
        kl_resident_rows(a, job, own, rows);
        __syncthreads();
        kl_resident_forward(a, job, own, rows);
        kl_meet(job.barrier + turn, met, (uint32_t)job.blocks);
        kl_resident_params(a, to);
        __syncthreads();
        own.params = a.params - a.from;
        if (block == 0 && t && warp >= WARPS / 2)
            kl_norms(sums + 2, squares, job, warp - WARPS / 2, WARPS / 2);
        kl_slice_rows<R, REAL>(job, own, head, block, 1, rows, rows);
        kl_meet(job.barrier + turn, met, (uint32_t)job.blocks);
        kl_resident_gather(a, job, own, rows);
        __syncthreads();
        if (block == job.blocks - 1 && warp == WARPS - 1)
            kl_losses(sums, job.loss + head * batch, job.right + head * batch, rows);
        kl_resident_update(squares, a, to, job, own, block, rows);
        __syncthreads();
    }
    kl_resident_store(to, job.shape.layers[0], a);
    kl_meet(job.barrier + turn, met, (uint32_t)job.blocks);
    if (block == 0) kl_norms(sums + 2, squares, job, warp, WARPS);
}

/* job.blocks a head, which take turns over KL_JUDGED rows. */
template <int R, bool REAL>
static __global__ void __launch_bounds__(KL_HEAD_THREADS, kl_head_blocks<R>())
    kl_head_judge(const __grid_constant__ kl_head_job job)
{
    const int tiles = (job.n_rows + KL_JUDGED - 1) / KL_JUDGED, classes = job.shape.n_classes,
              turn = (int)blockIdx.x / job.blocks;
    kl_head_slice own = { job.params + job.which[turn] * (int64_t)job.shape.block,
                          job.y + (int64_t)blockIdx.x * job.y_size,
                          NULL,
                          blockIdx.x,
                          KL_JUDGED,
                          NULL,
                          0,
                          false,
                          0,
                          NULL,
                          0,
                          false };
    for (int tile = (int)blockIdx.x % job.blocks; tile < tiles; tile += job.blocks) {
        const int first = tile * KL_JUDGED,
                  rows = job.n_rows - first < KL_JUDGED ? job.n_rows - first : KL_JUDGED;
        const int64_t to = (int64_t)turn * job.n_rows + first;
        own.rows = job.order + first;
        kl_head_forward<R, REAL>(job, own, 0, 0, rows);
        const float *logits = own.y + job.y_at[job.shape.n_layers - 1];
        for (int i = (int)threadIdx.x; job.logits && i < rows * classes; i += KL_HEAD_THREADS)
            job.logits[to * classes + i] = logits[i];
        for (int r = kl_warp(); job.row_loss && r < rows; r += KL_HEAD_THREADS / KL_WARP) {
            bool right;
            const double loss = kl_row_loss(NULL, &right, logits + (int64_t)r * classes,
                                            job.labels[own.rows[r]], classes, 1);
            if (kl_lane_number() == 0) job.row_loss[to + r] = (float)loss, job.row_right[to + r] = right;
        }
        __syncthreads();
    }
}

#endif
