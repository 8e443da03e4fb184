/* SPDX-License-Identifier: MIT
   What stands around the convolutions of a ResNet: pixels to planes, maxima, means. Maps are
   (n, h, w, c) in T, the precision of the run; a thread makes one value (of planes: one pixel). */
#ifndef KL_CUDA_RESNET_CUH
#define KL_CUDA_RESNET_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>

enum { KL_RESNET_THREADS = 256 };

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
    int h, w, c;      /* of the map that is read; of pixels: channels */
    int out_h, out_w; /* of the maxima */
    int mean, relu;
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
    enum { ACCESS = 16 / sizeof(T) /* channels */ };
};

__device__ inline size_t kl_resnet_item(void)
{
    return (size_t)blockIdx.x * blockDim.x + threadIdx.x;
}

/* A pixel's channels as (p - 128) / 128, exact in every precision; then a one, which stands for the mean
   that is subtracted wherever there is a pixel; then zeros, to KL_CUDA_PIXEL bytes. */
template <class T> __global__ void kl_resnet_planes(struct kl_resnet_job job)
{
    enum { N = KL_CUDA_PIXEL / sizeof(T) };
    const size_t i = kl_resnet_item();
    if (i >= job.count) return;
    const uint8_t *from = (const uint8_t *)job.from + i * (size_t)job.c;
    kl_values<T, N> planes;
#pragma unroll
    for (int k = 0; k < N; k++)
        planes.at[k] = kl_narrow<T>(k < job.c ? ((float)from[k] - 128) / 128 : k == job.c ? 1.0f : 0.0f);
    ((kl_values<T, N> *)job.to)[i] = planes;
}

/* y + bias + residual, and ReLU, in place: a thread a value. */
template <class T> __global__ void kl_resnet_finish(struct kl_resnet_job job)
{
    const size_t i = kl_resnet_item();
    if (i >= job.count) return;
    T *to = (T *)job.to + i;
    float value = kl_widen<T>(*to) + kl_widen<T>(((const T *)job.bias)[i % (size_t)job.c]);
    if (job.from) value += kl_widen<T>(((const T *)job.from)[i]);
    *to = kl_narrow<T>(job.relu && !(value > 0) ? 0 : value);
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

/* (c) means over the map, or (c, h, w), in float. */
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
    ((float *)job.to)[i] = value;
}

#endif
