/* SPDX-License-Identifier: MIT
   What every kernel here is made of: the block's memory, sums of a warp, kernels/inline/ over one value
   a thread. */
#ifndef KL_CUDA_GPU_CUH
#define KL_CUDA_GPU_CUH

#include <cuda_runtime.h>

#include "kernels/cuda.h"

#define KL_GPU static __device__ __forceinline__
#define KL_GPU_MEMBER __device__ __forceinline__
typedef float kl_lane;
#define KL_INLINE KL_GPU
#include "kernels/inline/place.h"
#include "kernels/inline/rotations.h"

#ifndef kl_shared                                  /* tests/cuda/emulated has its own */
extern __shared__ __align__(16) float kl_shared[]; /* also read as double and float4 */
#endif

/* x, of which the compiler knows nothing: what is made of it is not kept in registers from one turn of a
   loop to the next. */
#ifndef KL_ANEW /* tests/cuda/emulated has its own */
#define KL_ANEW(x) asm volatile("" : "+r"(x))
#endif
KL_GPU uint32_t kl_anew(uint32_t x)
{
    KL_ANEW(x);
    return x;
}

#ifndef KL_PREFETCH /* tests/cuda/emulated has its own */
#define KL_PREFETCH(level, from) asm volatile("prefetch.global." #level " [%0];" ::"l"(from))
#endif

/* As the GPU has them in its own units, to two units in the last place. */
#ifndef KL_ROOT /* tests/cuda/emulated has its own */
#define KL_ROOT(to, x) asm("sqrt.approx.f32 %0, %1;" : "=f"(to) : "f"(x))
#endif
KL_GPU float kl_root(float x)
{
    float root;
    KL_ROOT(root, x);
    return root;
}
KL_GPU float kl_ratio(float a, float b)
{
    return __fdividef(a, b);
}
KL_GPU double kl_root(double x)
{
    return sqrt(x);
}
KL_GPU double kl_ratio(double a, double b)
{
    return a / b;
}

enum { KL_WARP = 32, KL_WARP_BITS = 5 };

KL_GPU float kl_from(float value, uint32_t mask)
{
    return __shfl_xor_sync(0xffffffffu, value, (int)mask);
}

/* The thread's warp in its block, its number in the warp. */
KL_GPU int kl_warp()
{
    return (int)threadIdx.x / KL_WARP;
}
KL_GPU int kl_lane_number()
{
    return (int)threadIdx.x % KL_WARP;
}

/* The sum over a warp's threads, and the largest, by halves. */
template <class T> KL_GPU T kl_warp_sum(T value)
{
    for (int bit = 1; bit < KL_WARP; bit *= 2) value += __shfl_xor_sync(0xffffffffu, value, bit);
    return value;
}
template <class T> KL_GPU T kl_warp_most(T value)
{
    for (int bit = 1; bit < KL_WARP; bit *= 2)
        value = fmax(value, __shfl_xor_sync(0xffffffffu, value, bit));
    return value;
}
/* The sum over a block's threads, the same in all of them. sums: a number a warp. */
KL_GPU double kl_block_sum(double *sums, double value)
{
    const int warps = (int)blockDim.x / KL_WARP;
    value = kl_warp_sum(value);
    if (warps == 1) return value;
    if (kl_lane_number() == 0) sums[kl_warp()] = value;
    __syncthreads();
    value = 0;
    for (int w = 0; w < warps; w++) value += sums[w];
    __syncthreads();
    return value;
}

#endif
