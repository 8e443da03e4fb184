/* SPDX-License-Identifier: MIT
   What stands around the convolutions of a ResNet: pixels to planes, maxima, means. Maps are
   (n, h, w, c) in T, the precision of the run; a thread makes one value (of planes: one block). */
#ifndef KL_CUDA_RESNET_CUH
#define KL_CUDA_RESNET_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <math.h>

enum { KL_RESNET_THREADS = 256, KL_RESNET_ACCESS = 16 /* bytes that a thread reads at once */ };

template <class T> __device__ float kl_widen(T value);
template <class T> __device__ T kl_narrow(float value);
template <> __device__ inline float kl_widen<float>(float value)
{
    return value;
}
template <> __device__ inline float kl_narrow<float>(float value)
{
    return value;
}
template <> __device__ inline float kl_widen<__half>(__half value)
{
    return __half2float(value);
}
template <> __device__ inline __half kl_narrow<__half>(float value)
{
    return __float2half_rn(value);
}
template <> __device__ inline float kl_widen<__nv_bfloat16>(__nv_bfloat16 value)
{
    return __bfloat162float(value);
}
template <> __device__ inline __nv_bfloat16 kl_narrow<__nv_bfloat16>(float value)
{
    return __float2bfloat16_rn(value);
}

/* Work of one launch: `count` threads that do something. */
struct kl_resnet_job {
    const void *from; /* of finishing: the residual, or NULL */
    void *to;
    const void *bias;
    size_t count;
    int h, w, c;      /* of the map that is read, or the image */
    int out_h, out_w; /* of the maxima, or the blocks */
    int mean, relu;
    unsigned *infinite; /* how often one was found in this batch's maps; NULL: nobody looks */
};

static inline unsigned kl_resnet_blocks(size_t count)
{
    return (unsigned)((count + KL_RESNET_THREADS - 1) / KL_RESNET_THREADS);
}
/* Values that are read and written at once. */
template <class T, int N> struct alignas(N * sizeof(T)) kl_values {
    T at[N];
};
template <class T> struct kl_per {
    enum { ACCESS = KL_RESNET_ACCESS / sizeof(T) /* channels */ };
};

__device__ inline size_t kl_resnet_item(void)
{
    return (size_t)blockIdx.x * blockDim.x + threadIdx.x;
}

/* Blocks of 2x2 pixels (kl_cuda_backbone), (n, out_h, out_w): a pixel's Q - 1 channels as (p - 128) /
   128, exact in every precision, then a one, which stands for the mean that is subtracted wherever there
   is a pixel. */
template <class T, int Q> __global__ void kl_resnet_planes(struct kl_resnet_job job)
{
    enum { N = kl_per<T>::ACCESS, PIECES = 4 * Q / N };
    const size_t i = kl_resnet_item();
    if (i >= job.count) return;
    if (i == 0 && job.infinite) *job.infinite = 0;
    const size_t row = i / (size_t)job.out_w, image = row / (size_t)job.out_h;
    const int x = 2 * (int)(i % (size_t)job.out_w) - 4, y = 2 * (int)(row % (size_t)job.out_h) - 4;
    const uint8_t *pixels = (const uint8_t *)job.from + image * (size_t)job.h * (size_t)job.w * (Q - 1);
    kl_values<T, N> to[PIECES];
#pragma unroll
    for (int k = 0; k < 4 * Q; k++) {
        const int v = y + k / Q / 2, u = x + k / Q % 2, c = k % Q;
        const bool there = v >= 0 && v < job.h && u >= 0 && u < job.w;
        float value = there ? 1 : 0;
        if (there && c < Q - 1)
            value =
                ((float)pixels[((size_t)v * (size_t)job.w + (size_t)u) * (Q - 1) + (size_t)c] - 128) /
                128;
        to[k / N].at[k % N] = kl_narrow<T>(value);
    }
#pragma unroll
    for (int k = 0; k < PIECES; k++) ((kl_values<T, N> *)job.to)[i * PIECES + (size_t)k] = to[k];
}

/* y + bias + residual, and ReLU, in place: a thread as many channels as it reads at once, of which c is
   a multiple. */
template <class T> __global__ void kl_resnet_finish(struct kl_resnet_job job)
{
    enum { N = kl_per<T>::ACCESS };
    typedef kl_values<T, N> values;
    const size_t i = kl_resnet_item();
    if (i >= job.count) return;
    const values here = ((const values *)job.to)[i],
                 bias = ((const values *)job.bias)[i % (size_t)(job.c / N)];
    values more = {}, to;
    if (job.from) more = ((const values *)job.from)[i];
#pragma unroll
    for (int k = 0; k < N; k++) {
        const float value = kl_widen<T>(here.at[k]) + kl_widen<T>(bias.at[k]) + kl_widen<T>(more.at[k]);
        to.at[k] = kl_narrow<T>(job.relu && !(value > 0) ? 0 : value);
    }
    ((values *)job.to)[i] = to;
}

/* 3x3, stride 2, padding 1, of a map that is not negative: a thread as many channels as it reads at
   once, of which c is a multiple. */
template <class T> __global__ void kl_resnet_maxima(struct kl_resnet_job job)
{
    enum { N = kl_per<T>::ACCESS };
    typedef kl_values<T, N> values;
    const size_t i = kl_resnet_item(), groups = (size_t)job.c / N;
    if (i >= job.count) return;
    const size_t group = i % groups, place = i / groups, row = place / (size_t)job.out_w;
    const int x = (int)(place % (size_t)job.out_w), y = (int)(row % (size_t)job.out_h);
    const values *map = (const values *)job.from +
                        row / (size_t)job.out_h * (size_t)job.h * (size_t)job.w * groups + group;
    float most[N] = { 0 };
    for (int v = 2 * y - 1; v <= 2 * y + 1; v++)
        for (int u = 2 * x - 1; u <= 2 * x + 1; u++) {
            if (v < 0 || v >= job.h || u < 0 || u >= job.w) continue;
            const values here = map[((size_t)v * (size_t)job.w + (size_t)u) * groups];
#pragma unroll
            for (int k = 0; k < N; k++) {
                const float value = kl_widen<T>(here.at[k]);
                if (value > most[k] || value != value) most[k] = value; /* what is no number stays */
            }
        }
    values to;
#pragma unroll
    for (int k = 0; k < N; k++) to.at[k] = kl_narrow<T>(most[k]);
    ((values *)job.to)[i] = to;
}

/* Whether a map has values beyond T's range, as FP16's may have. The next convolution would make what is
   no number of them, ReLU zeros of that, and the features were finite and wrong. */
template <class T> __global__ void kl_resnet_look(struct kl_resnet_job job)
{
    enum { N = kl_per<T>::ACCESS };
    const size_t i = kl_resnet_item();
    if (i >= job.count) return;
    const kl_values<T, N> here = ((const kl_values<T, N> *)job.from)[i];
    bool infinite = false;
#pragma unroll
    for (int k = 0; k < N; k++) infinite |= !isfinite(kl_widen<T>(here.at[k]));
    if (infinite) atomicAdd(job.infinite, 1u);
}

/* (c) means over the map, or (c, h, w), in float; no numbers if a map on the way was beyond its range. */
template <class T> __global__ void kl_resnet_values(struct kl_resnet_job job)
{
    const size_t i = kl_resnet_item();
    if (i >= job.count) return;
    const size_t pixels = (size_t)(job.h * job.w), c = (size_t)job.c, each = job.mean ? c : c * pixels;
    const size_t n = i / each, at = i % each;
    const T *map = (const T *)job.from + n * c * pixels;
    float value = 0;
    if (job.mean) {
        for (size_t p = 0; p < pixels; p++) value += kl_widen<T>(map[p * c + at]);
        value /= (float)pixels;
    } else {
        value = kl_widen<T>(map[at % pixels * c + at / pixels]);
    }
    ((float *)job.to)[i] = job.infinite && *job.infinite ? NAN : value;
}

#endif
