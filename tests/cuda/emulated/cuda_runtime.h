/* SPDX-License-Identifier: MIT
   As much of CUDA's runtime as kernels/cuda/ uses, on the CPU: with this header in place of NVIDIA's,
   g++ compiles the very .cu files, so that their arithmetic, indices, barriers and errors are tested
   where there is no GPU. What it can show: wrong numbers, reads of memory nobody wrote (fresh memory is
   NaN), writes behind the end, barriers that not all threads reach, results that depend on the order of
   threads (KETLINE_EMULATED_ORDER=reverse), streams that do not wait for each other (streams.cpp:
   nothing runs before somebody waits for it), what is never given back (status 98 at the end), and what
   a failing call leads to (KETLINE_EMULATED_FAIL=k: the k-th one and all after it say that the GPU is
   lost; k,o: the k-th alone; k,M and k,m: that memory is full). KETLINE_EMULATED_MEMORY=bytes: of the
   GPU; KETLINE_EMULATED_SHARED=bytes: of a block; KETLINE_EMULATED_CAPTURE=0: nothing can be captured;
   =never: nobody may try.   What it cannot: speed, and what only happens when threads truly run at once.
 */
#ifndef EMULATED_CUDA_RUNTIME_H
#define EMULATED_CUDA_RUNTIME_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <functional>

#include "functions.h" /* behind the C++ library's own uses of what it defines anew */

#define CUDART_VERSION 13000
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __shared__
/* Of the kernels: here a read, which must lie within the GPU's memory. */
#define KL_PREFETCH(level, from) (void)*(const volatile char *)(from)
#define KL_ANEW(x) (void)(x)
#define __launch_bounds__(...)
#define __restrict__
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_)
    {
    }
};
struct uint3 {
    unsigned x, y, z;
};
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;

struct alignas(8) float2 {
    float x, y;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
static inline float2 make_float2(float x, float y)
{
    return float2{ x, y };
}
static inline float4 make_float4(float x, float y, float z, float w)
{
    return float4{ x, y, z, w };
}

enum cudaError_t {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInsufficientDriver = 35,
    cudaErrorNoDevice = 100,
    cudaErrorInvalidResourceHandle = 400,
    cudaErrorCooperativeLaunchTooLarge = 720,
    cudaErrorStreamCaptureUnsupported = 900,
    cudaErrorStreamCaptureWrongThread = 908,
    cudaErrorUnknown = 999
};
enum cudaMemcpyKind {
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3
};
enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal = 0, cudaStreamCaptureModeThreadLocal = 1 };
enum { cudaStreamNonBlocking = 1, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2 };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
typedef struct emulated_stream *cudaStream_t;
typedef struct emulated_event *cudaEvent_t;
typedef struct emulated_graph *cudaGraph_t;
typedef struct emulated_graph *cudaGraphExec_t;
struct cudaDeviceProp {
    char name[256];
    int major, minor, multiProcessorCount;
    size_t sharedMemPerBlockOptin;
};

const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError(void);
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device);
cudaError_t cudaMemGetInfo(size_t *free, size_t *total);
cudaError_t cudaMalloc(void **memory, size_t bytes);
cudaError_t cudaFree(void *memory);
cudaError_t cudaMallocHost(void **memory, size_t bytes);
cudaError_t cudaFreeHost(void *memory);
cudaError_t cudaMemset(void *memory, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream);
cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t begin, cudaEvent_t end);

/* Work of a stream, in its order: kernels, copies, and what an emulated library does. cudaSuccess, or
   that nothing may be put there now. */
cudaError_t emulated_enqueue(cudaStream_t stream, std::function<void()> work);
/* The call of KETLINE_EMULATED_FAIL fails; how many calls that could fail there were. */
cudaError_t emulated_fails(void);
extern "C" int emulated_calls(void);
/* One thing more that must be given back, or one less: 1, -1. */
void emulated_hold(int change);
void emulated_die(const char *why);
/* Bytes from here to the end of the memory that cudaMalloc gave; 0: this is none. */
size_t emulated_room(const void *memory);

/* The order of a call in which threads run is not promised; those of a cooperative launch all live at
   once. Refused: more shared memory than a kernel has without being told to take more, a cooperative
   launch of more blocks than run at once, a stream of another device than this thread's. `id`: the
   kernel. */
cudaError_t emulated_launch(const void *id, std::function<void()> kernel, dim3 grid, dim3 block,
                            size_t shared, bool cooperative, cudaStream_t stream);
cudaError_t emulated_allow(const void *id, int shared);
template <class A>
cudaError_t cudaLaunchKernel(void (*k)(A), dim3 grid, dim3 block, void **args, size_t shared,
                             cudaStream_t stream)
{
    const A a = *(A *)args[0];
    return emulated_launch((const void *)k, [k, a] { k(a); }, grid, block, shared, false, stream);
}
template <class A>
cudaError_t cudaLaunchCooperativeKernel(void (*k)(A), dim3 grid, dim3 block, void **args, size_t shared,
                                        cudaStream_t stream)
{
    const A a = *(A *)args[0];
    return emulated_launch((const void *)k, [k, a] { k(a); }, grid, block, shared, true, stream);
}
template <class F> cudaError_t cudaFuncSetAttribute(F *k, cudaFuncAttribute, int bytes)
{
    return emulated_allow((const void *)k, bytes);
}
template <class F>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, F *, int, size_t)
{
    *blocks = 1;
    return emulated_fails();
}

/* In kernels. kl_shared: of this thread's block. */
float *emulated_shared(void);
#define kl_shared emulated_shared()
void __syncthreads(void);
void __syncwarp(void);
void __nanosleep(unsigned);
uint64_t emulated_shuffle(uint64_t bits, int mask);
template <class T> T __shfl_xor_sync(unsigned, T value, int mask)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    bits = emulated_shuffle(bits, mask);
    memcpy(&value, &bits, sizeof value);
    return value;
}
static inline int __popc(unsigned bits)
{
    return __builtin_popcount(bits);
}
static inline unsigned __float_as_uint(float value)
{
    unsigned bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
static inline float __uint_as_float(unsigned bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
unsigned atomicAdd(unsigned *to, unsigned value);
void __threadfence(void);

#endif
