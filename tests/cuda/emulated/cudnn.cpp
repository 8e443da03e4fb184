/* SPDX-License-Identifier: MIT
   Convolutions as plain loops, in the place of libcudnn.so (which it is found as, under CUDNN_HOME).
   Refused with the status that cuDNN would give, or the end of the process where that would read or
   write astray: descriptors that do not fit each other, other layouts than channels last, types that no
   fused convolution takes together, memory that is smaller than its descriptor or not aligned, an output
   that is also an input, a workspace that is too small, of which a fused convolution of 64 channels
   needs twice what the convolution alone does. Precision: of factors of TF32 the last 13 bits are
   dropped, the worst that a GPU's units do; sums are float in one order; the maps are in the
   descriptors' type. Channels must fill 16 bytes, without which a GPU is slow.
   KETLINE_EMULATED_CUDNN is a list of words: no-precomp and no-implicit refuse an algorithm,
   no-nvrtc-precomp for want of a compiler, no-run-precomp when it runs alone; no-fused, bad-fused,
   broken-fused, uncompiled-fused and no-nvrtc-fused refuse a fused call in five ways, lost-fused and
   full-fused break it, bad-any breaks every convolution; no-card refuses all, as a cuDNN for other GPUs
   does. old is of a version that has fewer libraries; no-library misses one of them when it first looks
   for algorithms. */
#include "cudnn.h"

#include <stdio.h>
#include <stdlib.h>

#include <sstream>
#include <string>
#include <vector>

#include "cuda_bf16.h"
#include "cuda_fp16.h"

struct emulated_cudnn {
    cudaStream_t stream;
};
struct emulated_tensor {
    cudnnTensorFormat_t format;
    cudnnDataType_t type;
    int n, c, h, w;
};
struct emulated_filter {
    cudnnTensorFormat_t format;
    cudnnDataType_t type;
    int k, c, h, w;
};
struct emulated_convolution {
    int pad[2], stride[2], dilation[2];
    cudnnConvolutionMode_t mode;
    cudnnDataType_t sums;
    cudnnMathType_t math;
};
struct emulated_activation {
    cudnnActivationMode_t mode;
    cudnnNanPropagation_t nan;
};

static bool told(const char *word)
{
    const char *list = getenv("KETLINE_EMULATED_CUDNN");
    std::istringstream words(list ? list : "");
    for (std::string each; words >> each;)
        if (each == word) return true;
    return false;
}

size_t cudnnGetVersion(void)
{
    return told("old") ? 90000 : 92200;
}

const char *cudnnGetErrorString(cudnnStatus_t status)
{
    return status == CUDNN_STATUS_BAD_PARAM                   ? "CUDNN_STATUS_BAD_PARAM"
           : status == CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED ? "CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED"
           : status == CUDNN_STATUS_NOT_SUPPORTED             ? "CUDNN_STATUS_NOT_SUPPORTED"
           : status == CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH
               ? "CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH"
           : status == CUDNN_STATUS_NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING
               ? "CUDNN_STATUS_NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING"
               : "CUDNN_STATUS_EXECUTION_FAILED";
}

static cudnnStatus_t fails(void)
{
    const cudaError_t error = emulated_fails();
    return error == cudaErrorMemoryAllocation ? CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED
           : error                            ? CUDNN_STATUS_EXECUTION_FAILED
                                              : CUDNN_STATUS_SUCCESS;
}

template <class T> static cudnnStatus_t create(T **d)
{
    const cudnnStatus_t failed = fails();
    *d = failed ? NULL : new T();
    if (!failed) emulated_hold(1);
    return failed;
}
template <class T> static cudnnStatus_t destroy(T *d)
{
    if (!d) return CUDNN_STATUS_BAD_PARAM;
    delete d;
    emulated_hold(-1);
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnCreate(cudnnHandle_t *handle)
{
    return create(handle);
}
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle)
{
    return destroy(handle);
}
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream)
{
    handle->stream = stream;
    return fails();
}
cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t *d)
{
    return create(d);
}
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t d)
{
    return destroy(d);
}
cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t *d)
{
    return create(d);
}
cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t d)
{
    return destroy(d);
}
cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t *d)
{
    return create(d);
}
cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t d)
{
    return destroy(d);
}
cudnnStatus_t cudnnCreateActivationDescriptor(cudnnActivationDescriptor_t *d)
{
    return create(d);
}
cudnnStatus_t cudnnDestroyActivationDescriptor(cudnnActivationDescriptor_t d)
{
    return destroy(d);
}

cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t d, cudnnTensorFormat_t format,
                                         cudnnDataType_t type, int n, int c, int h, int w)
{
    if (!d || n < 1 || c < 1 || h < 1 || w < 1) return CUDNN_STATUS_BAD_PARAM;
    *d = { format, type, n, c, h, w };
    return fails();
}
cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t d, cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int k, int c, int h, int w)
{
    if (!d || k < 1 || c < 1 || h < 1 || w < 1) return CUDNN_STATUS_BAD_PARAM;
    *d = { format, type, k, c, h, w };
    return fails();
}
cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t d, int pad_h, int pad_w,
                                              int stride_h, int stride_w, int dilation_h, int dilation_w,
                                              cudnnConvolutionMode_t mode, cudnnDataType_t sums)
{
    if (!d || pad_h < 0 || pad_w < 0 || stride_h < 1 || stride_w < 1 || dilation_h != 1 ||
        dilation_w != 1)
        return CUDNN_STATUS_BAD_PARAM;
    *d = { { pad_h, pad_w }, { stride_h, stride_w }, { 1, 1 }, mode, sums, CUDNN_DEFAULT_MATH };
    return fails();
}
cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t d, cudnnMathType_t math)
{
    d->math = math;
    return fails();
}
cudnnStatus_t cudnnSetActivationDescriptor(cudnnActivationDescriptor_t d, cudnnActivationMode_t mode,
                                           cudnnNanPropagation_t nan, double)
{
    d->mode = mode, d->nan = nan;
    return fails();
}

static size_t size_of(cudnnDataType_t type)
{
    return type == CUDNN_DATA_FLOAT ? 4 : 2;
}
static size_t values_of(const emulated_tensor &t)
{
    return (size_t)t.n * (size_t)t.c * (size_t)t.h * (size_t)t.w;
}
static int out_of(int in, int pad, int size, int stride)
{
    return (in + 2 * pad - size) / stride + 1;
}

static bool has(cudnnConvolutionFwdAlgo_t algorithm)
{
    return algorithm == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM ? !told("no-precomp")
           : algorithm == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM       ? !told("no-implicit")
                                                                         : false; /* channels last */
}

/* What the three must be, for one convolution. */
static cudnnStatus_t fit(const emulated_tensor &x, const emulated_filter &w,
                         const emulated_convolution &how, const emulated_tensor &y,
                         cudnnConvolutionFwdAlgo_t algorithm)
{
    if (told("no-card")) return CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH;
    if (told("no-nvrtc-precomp") && algorithm == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM)
        return CUDNN_STATUS_NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING;
    if (x.format != CUDNN_TENSOR_NHWC || y.format != CUDNN_TENSOR_NHWC ||
        w.format != CUDNN_TENSOR_NHWC || how.mode != CUDNN_CROSS_CORRELATION ||
        how.sums != CUDNN_DATA_FLOAT || !has(algorithm) || x.type != w.type || x.type != y.type ||
        (x.type != CUDNN_DATA_FLOAT && how.math != CUDNN_TENSOR_OP_MATH) ||
        (size_t)x.c * size_of(x.type) % 16 || (size_t)w.k * size_of(x.type) % 16)
        return CUDNN_STATUS_NOT_SUPPORTED;
    if (x.c != w.c || y.c != w.k || x.n != y.n || y.h != out_of(x.h, how.pad[0], w.h, how.stride[0]) ||
        y.w != out_of(x.w, how.pad[1], w.w, how.stride[1]))
        return CUDNN_STATUS_BAD_PARAM;
    return CUDNN_STATUS_SUCCESS;
}

/* Some bytes that depend on the shape, so that a wrong workspace is noticed. */
static size_t workspace_of(const emulated_tensor &x, const emulated_filter &w,
                           cudnnConvolutionFwdAlgo_t algorithm)
{
    return w.h == 1 ? 0 : 16 * (size_t)algorithm * (size_t)(x.c + w.k);
}

cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(cudnnHandle_t, cudnnTensorDescriptor_t x,
                                                      cudnnFilterDescriptor_t w,
                                                      cudnnConvolutionDescriptor_t how,
                                                      cudnnTensorDescriptor_t y,
                                                      cudnnConvolutionFwdAlgo_t algorithm, size_t *bytes)
{
    const cudnnStatus_t bad = fit(*x, *w, *how, *y, algorithm);
    if (told("no-library")) return CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED;
    if (bad) return bad;
    *bytes = workspace_of(*x, *w, algorithm);
    return fails();
}

static float to_tf32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits &= ~(uint32_t)0x1fff; /* 10 bits behind the point */
    memcpy(&value, &bits, sizeof bits);
    return value;
}

static std::vector<float> read(const void *from, size_t n, cudnnDataType_t type, bool tf32)
{
    std::vector<float> wide(n);
    for (size_t i = 0; i < n; i++) {
        const float value = type == CUDNN_DATA_HALF ? __half2float(((const __half *)from)[i])
                            : type == CUDNN_DATA_BFLOAT16
                                ? __bfloat162float(((const __nv_bfloat16 *)from)[i])
                                : ((const float *)from)[i];
        wide[i] = tf32 ? to_tf32(value) : value;
    }
    return wide;
}

static void write(void *to, size_t i, float value, cudnnDataType_t type)
{
    if (type == CUDNN_DATA_HALF) ((__half *)to)[i] = __float2half_rn(value);
    else if (type == CUDNN_DATA_BFLOAT16) ((__nv_bfloat16 *)to)[i] = __float2bfloat16_rn(value);
    else ((float *)to)[i] = value;
}

struct job {
    emulated_tensor x, y;
    emulated_filter w;
    emulated_convolution how;
    const void *from, *weights, *bias, *residual;
    void *to;
    bool relu;
};

/* Sums of all outputs at one place, over the taps inside the map: the weights as (taps, in, out), so
   that the innermost loop is one of vectors. */
static void sum_place(std::vector<float> &sums, const std::vector<float> &x, const std::vector<float> &w,
                      const job &j, int n, int row, int column)
{
    for (int v = 0; v < j.w.h; v++)
        for (int u = 0; u < j.w.w; u++) {
            const int a = row * j.how.stride[0] - j.how.pad[0] + v,
                      b = column * j.how.stride[1] - j.how.pad[1] + u;
            if (a < 0 || a >= j.x.h || b < 0 || b >= j.x.w) continue;
            const float *from = &x[(size_t)((n * j.x.h + a) * j.x.w + b) * (size_t)j.x.c];
            const float *by = &w[(size_t)((v * j.w.w + u) * j.x.c) * (size_t)j.w.k];
            for (int i = 0; i < j.x.c; i++, by += j.w.k)
                for (int o = 0; o < j.w.k; o++) sums[(size_t)o] += from[i] * by[o];
        }
}

static void convolve(const job &j)
{
    const cudnnDataType_t type = j.x.type;
    const bool tf32 = type == CUDNN_DATA_FLOAT && j.how.math == CUDNN_DEFAULT_MATH;
    const size_t out = (size_t)j.w.k, each = (size_t)(j.w.h * j.w.w * j.w.c);
    const std::vector<float> x = read(j.from, values_of(j.x), type, tf32),
                             rows = read(j.weights, out * each, type, tf32),
                             bias = j.bias ? read(j.bias, out, type, false) : std::vector<float>(out),
                             residual = j.residual ? read(j.residual, values_of(j.y), type, false)
                                                   : std::vector<float>();
    std::vector<float> w(out * each), sums(out);
    for (size_t o = 0; o < out; o++)
        for (size_t i = 0; i < each; i++) w[i * out + o] = rows[o * each + i];
    size_t at = 0;
    for (int n = 0; n < j.y.n; n++)
        for (int row = 0; row < j.y.h; row++)
            for (int column = 0; column < j.y.w; column++) {
                sums.assign(out, 0);
                sum_place(sums, x, w, j, n, row, column);
                for (size_t o = 0; o < out; o++, at++) {
                    const float value = sums[o] + bias[o] + (j.residual ? residual[at] : 0);
                    write(j.to, at, j.relu && !(value > 0) ? 0 : value, type);
                }
            }
}

static void need(const void *memory, size_t bytes, const char *what)
{
    if ((uintptr_t)memory % 16) emulated_die("cuDNN: memory that is not aligned to 16 bytes");
    if (bytes && emulated_room(memory) < bytes) emulated_die(what);
}

/* A convolution's memory, which is as large as its descriptors say, and its place in the stream. */
static cudnnStatus_t enqueue(cudnnHandle_t handle, const job &j, void *workspace, size_t bytes)
{
    const size_t size = size_of(j.x.type);
    need(j.from, values_of(j.x) * size, "cuDNN: the input is smaller than its descriptor");
    need(j.to, values_of(j.y) * size, "cuDNN: the output is smaller than its descriptor");
    need(j.weights, (size_t)j.w.k * (size_t)(j.w.c * j.w.h * j.w.w) * size,
         "cuDNN: the filter is smaller than its descriptor");
    need(workspace, bytes, "cuDNN: the workspace is too small");
    const cudnnStatus_t failed = fails();
    if (failed) return failed;
    return emulated_enqueue(handle->stream,
                            [=] {
                                if (bytes) memset(workspace, 0xff, bytes);
                                convolve(j);
                            })
               ? CUDNN_STATUS_EXECUTION_FAILED
               : CUDNN_STATUS_SUCCESS;
}

void cudnnGetLastErrorString(char *message, size_t size)
{
    snprintf(message, size, "emulated");
}

cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void *alpha,
                                      cudnnTensorDescriptor_t x_desc, const void *x,
                                      cudnnFilterDescriptor_t w_desc, const void *w,
                                      cudnnConvolutionDescriptor_t how,
                                      cudnnConvolutionFwdAlgo_t algorithm, void *workspace, size_t bytes,
                                      const void *beta, cudnnTensorDescriptor_t y_desc, void *y)
{
    const cudnnStatus_t bad = fit(*x_desc, *w_desc, *how, *y_desc, algorithm);
    if (bad) return bad;
    if (algorithm == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM && told("no-run-precomp"))
        return CUDNN_STATUS_NOT_SUPPORTED;
    if (told("bad-any")) return CUDNN_STATUS_BAD_PARAM;
    if (*(const float *)alpha != 1 || *(const float *)beta != 0 ||
        bytes < workspace_of(*x_desc, *w_desc, algorithm) || x == y || w == y)
        return CUDNN_STATUS_BAD_PARAM;
    const job j = { *x_desc, *y_desc, *w_desc, *how, x, w, NULL, NULL, y, false };
    return enqueue(handle, j, workspace, bytes);
}

cudnnStatus_t cudnnConvolutionBiasActivationForward(
    cudnnHandle_t handle, const void *alpha1, cudnnTensorDescriptor_t x_desc, const void *x,
    cudnnFilterDescriptor_t w_desc, const void *w, cudnnConvolutionDescriptor_t how,
    cudnnConvolutionFwdAlgo_t algorithm, void *workspace, size_t bytes, const void *alpha2,
    cudnnTensorDescriptor_t z_desc, const void *z, cudnnTensorDescriptor_t bias_desc, const void *bias,
    cudnnActivationDescriptor_t act, cudnnTensorDescriptor_t y_desc, void *y)
{
    const cudnnStatus_t bad = fit(*x_desc, *w_desc, *how, *y_desc, algorithm);
    const float times = *(const float *)alpha2;
    if (bad) return bad;
    if (told("lost-fused")) return CUDNN_STATUS_EXECUTION_FAILED;
    if (told("broken-fused")) return CUDNN_STATUS_INTERNAL_ERROR;
    if (told("uncompiled-fused")) return CUDNN_STATUS_INTERNAL_ERROR_COMPILATION_FAILED;
    if (told("full-fused")) return CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED;
    if (told("no-nvrtc-fused")) return CUDNN_STATUS_NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING;
    if (told("bad-fused") || told("bad-any")) return CUDNN_STATUS_BAD_PARAM;
    if (told("no-fused")) return CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE;
    if (algorithm != CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM) return CUDNN_STATUS_NOT_SUPPORTED;
    if (act->nan != CUDNN_NOT_PROPAGATE_NAN ||
        (act->mode != CUDNN_ACTIVATION_RELU && act->mode != CUDNN_ACTIVATION_IDENTITY))
        return CUDNN_STATUS_NOT_SUPPORTED;
    if (z_desc->type != y_desc->type || values_of(*z_desc) != values_of(*y_desc) ||
        bias_desc->type != y_desc->type || bias_desc->n != 1 || bias_desc->c != y_desc->c ||
        bias_desc->h != 1 || bias_desc->w != 1 || *(const float *)alpha1 != 1 ||
        (times != 0 && times != 1) ||
        bytes < workspace_of(*x_desc, *w_desc, algorithm) * (x_desc->c == 64 ? 2 : 1) || x == y ||
        (times != 0 && z == y) || w == y)
        return CUDNN_STATUS_BAD_PARAM;
    const size_t size = size_of(x_desc->type);
    need(z, values_of(*z_desc) * size, "cuDNN: the residual is smaller than its descriptor");
    need(bias, (size_t)w_desc->k * size, "cuDNN: the bias is smaller than its descriptor");
    const job j = { *x_desc, *y_desc,
                    *w_desc, *how,
                    x,       w,
                    bias,    times != 0 ? z : NULL,
                    y,       act->mode == CUDNN_ACTIVATION_RELU };
    return enqueue(handle, j, workspace, bytes);
}
