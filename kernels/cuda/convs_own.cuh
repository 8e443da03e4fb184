/* SPDX-License-Identifier: MIT
   A convolution with bias, residual and ReLU in FP32, as a product of matrices whose left one, of a
   row for each place of the output map and a column for each tap and channel, is gathered from the map
   as it is needed and stands nowhere. A block makes ROWS x COLUMNS of the product; of its columns, DEEP
   at a time go through the block's memory, into one half of it while the other is worked on. A thread
   holds 8 x 8 sums: 64 multiply-adds for every 16 values that it reads. Each sum is one chain, tap by
   tap and channel by channel, whatever stands beside it. */
#ifndef KL_CUDA_CONVS_OWN_CUH
#define KL_CUDA_CONVS_OWN_CUH

#include "kernels/cuda/gpu.cuh"

enum {
    KL_CONV_ROWS = 128,
    KL_CONV_COLUMNS = 64,
    KL_CONV_DEEP = 8,
    KL_CONV_THREADS = 128,
    KL_CONV_BLOCKS = 3, /* of a processor at least, which leaves a thread 168 registers */
    /* Floats from one of the product's columns to the next in the block's memory: four more, so that
       threads that write eight of them, four and four, meet in no bank. */
    KL_CONV_STEP_X = KL_CONV_ROWS + 4,
    KL_CONV_STEP_W = KL_CONV_COLUMNS + 4,
    KL_CONV_HALF = KL_CONV_DEEP * (KL_CONV_STEP_X + KL_CONV_STEP_W),
    KL_CONV_SHARED = 2 * KL_CONV_HALF * 4 /* bytes */
};

/* Maps (images, h, w, channels), weights (out, size, size, in). out is a multiple of COLUMNS, in of
   DEEP. */
struct kl_conv_job {
    const float *x, *w, *bias, *residual; /* NULL: no residual */
    float *y;
    size_t places; /* of y: images * out_h * out_w */
    int in, out, size, stride, pad, in_h, in_w, out_h, out_w, relu;
};
static inline unsigned kl_conv_blocks(const struct kl_conv_job *job)
{
    return (unsigned)((job->places + KL_CONV_ROWS - 1) / KL_CONV_ROWS *
                      (size_t)(job->out / KL_CONV_COLUMNS));
}

/* A row of the left matrix, of which a thread brings four columns at a time: its image, the first tap's
   place in that, and where the columns stand, counted from job.x. */
struct kl_conv_row {
    size_t image, at;
    int y, x;
    bool inside; /* the map: `at` is somewhere */
};
/* Of a place behind the last one no tap is inside. */
KL_GPU void kl_conv_place(const kl_conv_job &job, kl_conv_row &row, size_t place, int first)
{
    const bool there = place < job.places;
    const size_t line = place / (size_t)job.out_w, image = there ? line / (size_t)job.out_h : 0;
    row.image = image * (size_t)(job.in_h * job.in_w) * (size_t)job.in + (size_t)first;
    row.y = there ? (int)(line % (size_t)job.out_h) * job.stride - job.pad : -job.size;
    row.x = (int)(place % (size_t)job.out_w) * job.stride - job.pad;
}
KL_GPU void kl_conv_tap(const kl_conv_job &job, kl_conv_row &row, int v, int u)
{
    const int y = row.y + v, x = row.x + u;
    row.inside = y >= 0 && y < job.in_h && x >= 0 && x < job.in_w;
    row.at = row.image + (size_t)(y * job.in_w + x) * (size_t)job.in;
}

/* The sources of a thread's columns: two rows of the left matrix, and one of the right. */
struct kl_conv_from {
    kl_conv_row rows[2];
    const float *w;
    int v, u, channel;
};
KL_GPU void kl_conv_start(const kl_conv_job &job, kl_conv_from &from, size_t place, int out, int first)
{
    from.v = from.u = from.channel = 0;
    from.w = job.w + (size_t)out * (size_t)(job.size * job.size * job.in) + first;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        kl_conv_place(job, from.rows[i], place + (size_t)(i * KL_CONV_ROWS / 2), first);
        kl_conv_tap(job, from.rows[i], 0, 0);
    }
}
/* The channels that come next, or the next tap. */
KL_GPU void kl_conv_next(const kl_conv_job &job, kl_conv_from &from)
{
    from.w += KL_CONV_DEEP, from.channel += KL_CONV_DEEP;
    from.rows[0].at += KL_CONV_DEEP, from.rows[1].at += KL_CONV_DEEP;
    if (from.channel < job.in) return;
    from.channel = 0;
    if (++from.u == job.size) from.u = 0, from.v++;
    kl_conv_tap(job, from.rows[0], from.v, from.u);
    kl_conv_tap(job, from.rows[1], from.v, from.u);
}

struct kl_conv_brought {
    float4 x[2], w;
};
KL_GPU void kl_conv_bring(kl_conv_brought &brought, const kl_conv_job &job, const kl_conv_from &from)
{
#pragma unroll
    for (int i = 0; i < 2; i++)
        brought.x[i] =
            from.rows[i].inside ? *(const float4 *)(job.x + from.rows[i].at) : make_float4(0, 0, 0, 0);
    brought.w = *(const float4 *)from.w;
}
KL_GPU void kl_conv_put(float *column, int step, const float4 &value)
{
    column[0] = value.x, column[step] = value.y, column[2 * step] = value.z, column[3 * step] = value.w;
}
KL_GPU void kl_conv_keep(float *half, const kl_conv_brought &brought, int row, int quarter)
{
    float *x = half + quarter * KL_CONV_STEP_X + row,
          *w = half + KL_CONV_DEEP * KL_CONV_STEP_X + quarter * KL_CONV_STEP_W + row;
    kl_conv_put(x, KL_CONV_STEP_X, brought.x[0]);
    kl_conv_put(x + KL_CONV_ROWS / 2, KL_CONV_STEP_X, brought.x[1]);
    kl_conv_put(w, KL_CONV_STEP_W, brought.w);
}

KL_GPU void kl_conv_read(float *to, const float *from, int other)
{
    const float4 a = *(const float4 *)from, b = *(const float4 *)(from + other);
    to[0] = a.x, to[1] = a.y, to[2] = a.z, to[3] = a.w;
    to[4] = b.x, to[5] = b.y, to[6] = b.z, to[7] = b.w;
}
/* A thread's rows are four from `row` on and four in the block's second half of rows, its columns
   likewise. Of neighbouring threads every second one has the same row, of those two apart every second
   pair the same columns: where a lane reads what lane n ^ 1 or n ^ 2 reads, 16 bytes a thread take the
   block's memory two cycles in place of four. */
KL_GPU void kl_conv_multiply(float (&sums)[8][8], const float *half, int row, int column)
{
#pragma unroll
    for (int k = 0; k < KL_CONV_DEEP; k++) {
        float x[8], w[8];
        kl_conv_read(x, half + k * KL_CONV_STEP_X + row, KL_CONV_ROWS / 2);
        kl_conv_read(w, half + KL_CONV_DEEP * KL_CONV_STEP_X + k * KL_CONV_STEP_W + column,
                     KL_CONV_COLUMNS / 2);
#pragma unroll
        for (int i = 0; i < 8; i++)
#pragma unroll
            for (int j = 0; j < 8; j++) sums[i][j] = fmaf(x[i], w[j], sums[i][j]);
    }
}

/* Four channels from `column` on at a place; what is no number stays so. */
KL_GPU void kl_conv_add(float *sums, const float4 &more)
{
    sums[0] += more.x, sums[1] += more.y, sums[2] += more.z, sums[3] += more.w;
}
KL_GPU float kl_conv_relu(const kl_conv_job &job, float value)
{
    return job.relu && value < 0 ? 0 : value;
}
KL_GPU void kl_conv_write(const kl_conv_job &job, const float *sums, size_t at)
{
    float4 to;
    to.x = kl_conv_relu(job, sums[0]), to.y = kl_conv_relu(job, sums[1]);
    to.z = kl_conv_relu(job, sums[2]), to.w = kl_conv_relu(job, sums[3]);
    *(float4 *)(job.y + at) = to;
}
/* The place of row i of a thread, and the index of the first of its channels' values there. */
KL_GPU size_t kl_conv_place_of(size_t first, int i)
{
    return first + (size_t)(i / 4 * (KL_CONV_ROWS / 2) + i % 4);
}
KL_GPU size_t kl_conv_at(const kl_conv_job &job, size_t place, int out, int half)
{
    return place * (size_t)job.out + (size_t)(out + half * KL_CONV_COLUMNS / 2);
}
/* Bias, then the residual, then all that is written: so that reads, of which the compiler cannot know
   that they are of another map, do not wait for writes. first: the place of row 0. */
KL_GPU void kl_conv_finish(const kl_conv_job &job, float (&sums)[8][8], size_t first, int out)
{
    const float4 bias[2] = { *(const float4 *)(job.bias + out),
                             *(const float4 *)(job.bias + out + KL_CONV_COLUMNS / 2) };
#pragma unroll
    for (int i = 0; i < 16; i++) kl_conv_add(&sums[i / 2][i % 2 * 4], bias[i % 2]);
    if (job.residual)
#pragma unroll
        for (int i = 0; i < 16; i++) {
            const size_t place = kl_conv_place_of(first, i / 2);
            if (place < job.places)
                kl_conv_add(&sums[i / 2][i % 2 * 4],
                            *(const float4 *)(job.residual + kl_conv_at(job, place, out, i % 2)));
        }
#pragma unroll
    for (int i = 0; i < 16; i++) {
        const size_t place = kl_conv_place_of(first, i / 2);
        if (place < job.places)
            kl_conv_write(job, &sums[i / 2][i % 2 * 4], kl_conv_at(job, place, out, i % 2));
    }
}

__global__ void __launch_bounds__(KL_CONV_THREADS, KL_CONV_BLOCKS)
    kl_conv_own(const __grid_constant__ kl_conv_job job)
{
    const int t = (int)threadIdx.x, brings = t / 2, quarter = t % 2 * 4;
    const int row = (t / 16 * 2 + t % 2) * 4, column = t % 16 / 2 * 4;
    const unsigned across = (unsigned)(job.out / KL_CONV_COLUMNS);
    const size_t first = (size_t)(blockIdx.x / across) * KL_CONV_ROWS;
    const int out = (int)(blockIdx.x % across) * KL_CONV_COLUMNS;
    float sums[8][8] = {};
    kl_conv_from from;
    kl_conv_brought brought;
    kl_conv_start(job, from, first + (size_t)brings, out + brings, quarter);
    kl_conv_bring(brought, job, from);
    kl_conv_keep(kl_shared, brought, brings, quarter);
    __syncthreads();
    float *half = kl_shared, *other = kl_shared + KL_CONV_HALF;
    for (int left = job.size * job.size * job.in / KL_CONV_DEEP - 1; left > 0; left--) {
        kl_conv_next(job, from);
        kl_conv_bring(brought, job, from);
        kl_conv_multiply(sums, half, row, column);
        kl_conv_keep(other, brought, brings, quarter);
        __syncthreads();
        float *const next = half;
        half = other, other = next;
    }
    kl_conv_multiply(sums, half, row, column);
    kl_conv_finish(job, sums, first + (size_t)row, out + column);
}

#endif
