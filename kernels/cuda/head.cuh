/* SPDX-License-Identifier: MIT
   A head on the GPU: what its kernels (head.cu) are given, and where its values lie. */
#ifndef KL_CUDA_HEAD_CUH
#define KL_CUDA_HEAD_CUH

#include "kernels/cuda/rows.cuh"
#include "kernels/cuda/train.cuh"

enum {
    KL_HEAD_THREADS = 256,
    KL_HEAD_STRIP = 32, /* KL_STRIP of nn.h: outputs of a weight that lie together */
    KL_HEAD_INPUTS = 8, /* inputs whose weights' gradients one thread takes */
    KL_HEAD_ROWS = 8    /* rows that one thread takes at most */
};

/* y, dy: outputs of every layer and gradients there, of layer l from y_at[l], (rows, d_out). */
struct kl_head_job {
    struct kl_cuda_head shape;
    int32_t y_at[KL_CUDA_LAYERS];
    int32_t item_at[KL_CUDA_LAYERS + 1]; /* items of gradients: see head_update.cuh */
    int32_t slot_at[KL_CUDA_LAYERS + 1]; /* and threads that take them */
    int32_t blocks;                      /* of a head */
    int32_t tiled;                       /* 1: the first layer goes by head_tiles.cuh */
    int32_t slice;                       /* rows of a batch that are worked on at once */
    int32_t factors_step;                /* from one head's factors to the next one's */
    const float *x;                      /* features */
    const int32_t *labels, *order, *which;
    const uint32_t *replica;
    const struct kl_cuda_factors *factors;
    float *params, *m, *v, *grad; /* (heads, block); grad where it is clipped, or summed over slices */
    float *y, *dy;                /* (heads or blocks, y_size) */
    float *y_beside;              /* another y, where the first layer is resident: head_resident.cuh */
    int32_t resident_at;          /* there, where the block's memory begins that the circuit leaves */
    /* Of the circuit: see struct kl_rows. kept: of states that are too large for a block. */
    float *trig, *shared, *kept;                   /* a block's */
    float *varying, *generators, *dangle, *states; /* a head's, where it is judged a block's */
    int64_t shared_size, kept_size, varying_size, generators_size, states_size;
    float *squares;  /* (heads, items): of the gradient */
    double *clipped; /* (blocks, warps): scratch of its norm */
    double *loss;    /* (heads, batch) */
    int32_t *right;
    double *sums; /* (heads, 2 + groups) */
    uint32_t *barrier;
    int64_t count;
    uint32_t number;
    int32_t n_rows, y_size;
    /* of judging alone */
    float *logits, *row_loss;
    uint8_t *row_right;
};

/* A slice of rows, and the places of its values. */
struct kl_head_slice {
    const float *params;
    float *y, *dy;
    int64_t place;  /* of the circuit's arrays: the head's number, or the block's where it is judged */
    int32_t stride; /* rows there is room for in them */
    float *partial; /* the gradient, summed over the slices before */
    uint32_t replica;
    bool trains; /* with dropout */
    uint32_t number;
    const int32_t *rows; /* of the features, this slice's */
    int32_t first;       /* row of the batch */
    bool last;           /* slice of the batch */
};

KL_GPU int kl_width(int d_out, int col)
{
    const int left = d_out - col / KL_HEAD_STRIP * KL_HEAD_STRIP;
    return left < KL_HEAD_STRIP ? left : KL_HEAD_STRIP;
}

/* The place of weight (input 0, output col); those of the next inputs follow at steps of kl_width. */
KL_GPU int64_t kl_weight_at(const kl_cuda_layer &l, int col)
{
    return l.weight + (int64_t)(col / KL_HEAD_STRIP * KL_HEAD_STRIP) * l.d_in + col % KL_HEAD_STRIP;
}

/* Outputs beside each other that one thread takes, of a layer of d_out. Values reach a warp at 128 bytes
   a cycle, even the one value that all of its threads read: what a thread has loaded must be good for
   many multiply-adds. */
static inline __host__ __device__ int kl_outputs_together(int d_out)
{
    return d_out % 4 ? 1 : 4;
}

/* Items of a linear layer's weights: see head_update.cuh. */
static inline __host__ __device__ int kl_weight_items(const kl_cuda_layer &l)
{
    return (l.d_in + KL_HEAD_INPUTS - 1) / KL_HEAD_INPUTS * (l.d_out / kl_outputs_together(l.d_out));
}

/* Threads of whole warps, n at least. */
static inline __host__ __device__ int kl_whole_warps(int n)
{
    return (n + KL_WARP - 1) / KL_WARP * KL_WARP;
}

template <int C> KL_GPU void kl_load(float (&to)[C], const float *from)
{
    if constexpr (C == 4) {
        const float4 four = *(const float4 *)from;
        to[0] = four.x, to[1] = four.y, to[2] = four.z, to[3] = four.w;
    } else if constexpr (C == 2) {
        const float2 two = *(const float2 *)from;
        to[0] = two.x, to[1] = two.y;
    } else {
#pragma unroll
        for (int c = 0; c < C; c++) to[c] = from[c];
    }
}

template <int C> KL_GPU void kl_store(float *to, const float (&from)[C])
{
    if constexpr (C == 4) {
        const float4 four = { from[0], from[1], from[2], from[3] };
        *(float4 *)to = four;
    } else if constexpr (C == 2) {
        *(float2 *)to = make_float2(from[0], from[1]);
    } else {
#pragma unroll
        for (int c = 0; c < C; c++) to[c] = from[c];
    }
}

/* Four values, or zeros. */
KL_GPU float4 kl_four(const float *from, bool there)
{
    return there ? *(const float4 *)from : make_float4(0, 0, 0, 0);
}

/* sum[q][c] goes on by x[q] w[c]. */
template <int R, int C>
KL_GPU void kl_outer(float (&sum)[R][C], const float (&x)[R], const float (&w)[C])
{
#pragma unroll
    for (int q = 0; q < R; q++)
#pragma unroll
        for (int c = 0; c < C; c++) sum[q][c] = fmaf(x[q], w[c], sum[q][c]);
}

/* Row r of what goes into layer l. */
KL_GPU const float *kl_input_row(const kl_head_job &job, const kl_head_slice &own, int l, int r)
{
    return l ? own.y + job.y_at[l - 1] + (int64_t)r * job.shape.layers[l].d_in
             : job.x + (int64_t)own.rows[r] * job.shape.n_features;
}

#endif
