/* SPDX-License-Identifier: MIT
   Convolution, bias, residual and ReLU in one call of cuDNN, channels last. Algorithms are taken in a
   fixed order: a choice by trial would make the bits a matter of the day. What cuDNN does not fuse, as
   its version may not for a type or a GPU, is a convolution and a kernel of ours behind it. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/convs.h"
#include "kernels/cuda/cudnn_int.h"
#include "kernels/cuda/resnet_kernels.cuh"

/* The first has the fast kernels, and it alone is promised to fuse; the second has none for tensor
   cores. Others do not take channels last. */
static const cudnnConvolutionFwdAlgo_t ALGORITHMS[] = { CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM,
                                                        CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM };
enum { N_ALGORITHMS = sizeof ALGORITHMS / sizeof *ALGORITHMS };

static cudnnDataType_t type_of(int precision)
{
    return precision == KL_CUDA_BF16   ? CUDNN_DATA_BFLOAT16
           : precision == KL_CUDA_FP16 ? CUDNN_DATA_HALF
                                       : CUDNN_DATA_FLOAT;
}

static cudnnMathType_t math_of(int precision)
{
    return precision == KL_CUDA_TF32 ? CUDNN_DEFAULT_MATH : CUDNN_TENSOR_OP_MATH;
}

/* Ten bits behind the point, to nearest. What tensor cores are given as TF32 they may cut off instead,
   which makes every product smaller. What is no number, or would become infinite, stays as it is. */
static float to_tf32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if ((bits & 0x7fffffff) < 0x7f7ff000) bits = (bits + 0x1000) & ~(uint32_t)0x1fff;
    memcpy(&value, &bits, sizeof bits);
    return value;
}

/* Values as they are multiplied, to the GPU. */
static int send(void **to, const float *from, size_t n, int precision, struct kl_error *err)
{
    const size_t size = kl_cuda_value(precision);
    if (precision == KL_CUDA_FP32) return kl_cuda_copy(to, from, n, size, "weights to the GPU", err);
    void *narrow = malloc(n * size);
    if (!narrow) return kl_cuda_fail(err, KL_ENOMEM, "no memory: %zu bytes asked for", n * size);
    if (precision == KL_CUDA_FP16)
        for (size_t i = 0; i < n; i++) ((__half *)narrow)[i] = __float2half_rn(from[i]);
    else if (precision == KL_CUDA_BF16)
        for (size_t i = 0; i < n; i++) ((__nv_bfloat16 *)narrow)[i] = __float2bfloat16_rn(from[i]);
    else
        for (size_t i = 0; i < n; i++) ((float *)narrow)[i] = to_tf32(from[i]);
    int code = kl_cuda_copy(to, narrow, n, size, "weights to the GPU", err);
    free(narrow);
    return code;
}

static cudnnStatus_t create(struct kl_cudnn_conv *c, const struct kl_cudnn *cudnn)
{
    cudnnStatus_t s = cudnn->CreateTensorDescriptor(&c->x);
    if (!s) s = cudnn->CreateTensorDescriptor(&c->y);
    if (!s) s = cudnn->CreateTensorDescriptor(&c->b);
    if (!s) s = cudnn->CreateFilterDescriptor(&c->w);
    if (!s) s = cudnn->CreateConvolutionDescriptor(&c->how);
    if (!s) s = cudnn->CreateActivationDescriptor(&c->act);
    return s;
}

static cudnnStatus_t describe(struct kl_cudnn_conv *c, const struct kl_cudnn *cudnn, int n,
                              int precision)
{
    const struct kl_cuda_conv *k = &c->shape;
    const cudnnDataType_t type = type_of(precision);
    const cudnnTensorFormat_t last = CUDNN_TENSOR_NHWC;
    cudnnStatus_t s = cudnn->SetTensor4dDescriptor(c->x, last, type, n, k->in, k->in_h, k->in_w);
    if (!s) s = cudnn->SetTensor4dDescriptor(c->y, last, type, n, k->out, k->out_h, k->out_w);
    if (!s) s = cudnn->SetTensor4dDescriptor(c->b, last, type, 1, k->out, 1, 1);
    if (!s) s = cudnn->SetFilter4dDescriptor(c->w, type, last, k->out, k->in, k->size, k->size);
    if (!s)
        s = cudnn->SetConvolution2dDescriptor(c->how, k->pad, k->pad, k->stride, k->stride, 1, 1,
                                              CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT);
    if (!s) s = cudnn->SetConvolutionMathType(c->how, math_of(precision));
    if (!s)
        s = cudnn->SetActivationDescriptor(
            c->act, k->relu ? CUDNN_ACTIVATION_RELU : CUDNN_ACTIVATION_IDENTITY, CUDNN_NOT_PROPAGATE_NAN,
            0); /* the fused call takes no other */
    return s;
}

/* Statuses come in classes of a thousand, named by the first. */
static bool is_of(cudnnStatus_t s, cudnnStatus_t class_of)
{
    return s / 1000 == class_of / 1000;
}

/* Not this algorithm, here. Some of this class blame driver, GPU or a library, but for what this
   algorithm needs of them: where its kernels would be compiled here, another may have some ready. */
static bool refused(cudnnStatus_t s)
{
    return is_of(s, CUDNN_STATUS_NOT_SUPPORTED);
}

/* The next algorithm that cuDNN has here, in no more than `room` bytes. If there is none, the first
   status that says more than that. */
static cudnnStatus_t next_algorithm(struct kl_cudnn_conv *c, const struct kl_cudnn *cudnn,
                                    cudnnHandle_t handle, size_t room)
{
    cudnnStatus_t s = CUDNN_STATUS_NOT_SUPPORTED, why = s;
    while (refused(s) && c->tried < N_ALGORITHMS) {
        c->algorithm = ALGORITHMS[c->tried++];
        s = cudnn->GetConvolutionForwardWorkspaceSize(handle, c->x, c->w, c->how, c->y, c->algorithm,
                                                      &c->workspace);
        if (!s && c->workspace > room) s = CUDNN_STATUS_NOT_SUPPORTED;
        if (why == CUDNN_STATUS_NOT_SUPPORTED) why = s;
    }
    if (c->tried > 1) c->apart = true;
    return refused(s) ? why : s;
}

/* A convolution that it refuses at one pixel may be possible at others. */
int kl_cudnn_conv_prepare(const struct kl_cudnn *cudnn, cudnnHandle_t handle, struct kl_error *err)
{
    struct kl_cudnn_conv c = {};
    c.shape.in = c.shape.out = 8; /* 16 bytes */
    c.shape.in_h = c.shape.in_w = c.shape.out_h = c.shape.out_w = 1;
    c.shape.size = c.shape.stride = 1;
    cudnnStatus_t s = create(&c, cudnn);
    if (!s) s = describe(&c, cudnn, 1, KL_CUDA_FP16);
    if (!s) s = next_algorithm(&c, cudnn, handle, SIZE_MAX);
    kl_cudnn_conv_close(&c, cudnn);
    return refused(s) ? KL_OK : kl_cudnn_check(cudnn, s, "taking the GPU", err);
}

int kl_cudnn_conv_open(struct kl_cudnn_conv *c, const struct kl_cudnn *cudnn, cudnnHandle_t handle,
                       const struct kl_cuda_conv *shape, size_t batch, int precision,
                       struct kl_error *err)
{
    const size_t taps = (size_t)shape->size * (size_t)shape->size,
                 n = (size_t)shape->out * taps * (size_t)shape->in;
    c->shape = *shape, c->batch = batch, c->precision = precision;
    int code = kl_cudnn_check(cudnn, create(c, cudnn), "a convolution", err);
    if (!code)
        code = kl_cudnn_check(cudnn, describe(c, cudnn, (int)batch, precision), "a convolution", err);
    if (!code)
        code = kl_cudnn_check(cudnn, next_algorithm(c, cudnn, handle, SIZE_MAX), "a convolution", err);
    if (!code) code = send(&c->weights, shape->weights, n, precision, err);
    if (!code) /* TF32's is added in float */
        code = send(&c->bias, shape->bias, (size_t)shape->out,
                    precision == KL_CUDA_TF32 ? KL_CUDA_FP32 : precision, err);
    c->shape.weights = c->shape.bias = NULL;
    return code;
}

/* Bias, residual and ReLU, in place. */
static int finish(const struct kl_cudnn_conv *c, void *y, const void *residual, cudaStream_t stream,
                  struct kl_error *err)
{
    const struct kl_cuda_conv *k = &c->shape;
    struct kl_resnet_job job = {};
    void (*const kernel)(struct kl_resnet_job) =
        c->precision == KL_CUDA_BF16   ? kl_resnet_finish<__nv_bfloat16>
        : c->precision == KL_CUDA_FP16 ? kl_resnet_finish<__half>
                                       : kl_resnet_finish<float>;
    void *arguments[] = { &job };
    job.from = residual, job.to = y, job.bias = c->bias, job.c = k->out, job.relu = k->relu;
    job.count = c->batch * (size_t)k->out_h * (size_t)k->out_w *
                ((size_t)k->out * kl_cuda_value(c->precision) / KL_RESNET_ACCESS);
    return kl_cuda_check(cudaLaunchKernel(kernel, dim3(kl_resnet_blocks(job.count)),
                                          dim3(KL_RESNET_THREADS), arguments, 0, stream),
                         "a convolution", err);
}

/* All in one call, which may need more workspace than the convolution alone, of which cuDNN was asked.
   Calls of this kind say BAD_PARAM or INTERNAL_ERROR, too, to what they do not fuse, and more of both
   classes if their engine is one that is compiled here and cannot be; if that is not all, it is met
   again by the convolution alone. */
static cudnnStatus_t run_fused(struct kl_cudnn_conv *c, const struct kl_cudnn *cudnn,
                               cudnnHandle_t handle, void *y, const void *x, const void *residual,
                               void *workspace, size_t room)
{
    const float one = 1, zero = 0;
    const cudnnStatus_t s = cudnn->ConvolutionBiasActivationForward(
        handle, &one, c->x, x, c->w, c->weights, c->how, c->algorithm, workspace, room,
        residual ? &one : &zero, c->y, residual ? residual : y, c->b, c->bias, c->act, c->y, y);
    if (!c->ran)
        c->apart = is_of(s, CUDNN_STATUS_NOT_SUPPORTED) || is_of(s, CUDNN_STATUS_BAD_PARAM) ||
                   (is_of(s, CUDNN_STATUS_INTERNAL_ERROR) && !kl_cudnn_no_memory(s));
    return s;
}

int kl_cudnn_conv_run(struct kl_cudnn_conv *c, const struct kl_cudnn *cudnn, cudnnHandle_t handle,
                      void *y, const void *x, const void *residual, void *workspace, size_t room,
                      cudaStream_t stream, struct kl_error *err)
{
    const float one = 1, zero = 0;
    cudnnStatus_t s = CUDNN_STATUS_SUCCESS;
    if (!c->apart) s = run_fused(c, cudnn, handle, y, x, residual, workspace, room);
    if (c->apart) {
        do { /* not all refusals come before */
            s = cudnn->ConvolutionForward(handle, &one, c->x, x, c->w, c->weights, c->how, c->algorithm,
                                          workspace, room, &zero, c->y, y);
        } while (!c->ran && refused(s) && !(s = next_algorithm(c, cudnn, handle, room)));
    }
    int code = kl_cudnn_check(cudnn, s, "a convolution", err);
    if (!code && c->apart) code = finish(c, y, residual, stream, err);
    if (!code) c->ran = true;
    return code;
}

void kl_cudnn_conv_say(char *text, size_t size, const struct kl_cudnn_conv *c)
{
    const struct kl_cuda_conv *k = &c->shape;
    snprintf(text, size,
             "%dx%d/%d, %d to %d channels, %dx%d to %dx%d: algorithm %d, %s, workspace %zu bytes",
             k->size, k->size, k->stride, k->in, k->out, k->in_h, k->in_w, k->out_h, k->out_w,
             (int)c->algorithm, c->apart ? "not fused" : "fused", c->workspace);
}

void kl_cudnn_conv_close(struct kl_cudnn_conv *c, const struct kl_cudnn *cudnn)
{
    if (c->x) cudnn->DestroyTensorDescriptor(c->x);
    if (c->y) cudnn->DestroyTensorDescriptor(c->y);
    if (c->b) cudnn->DestroyTensorDescriptor(c->b);
    if (c->w) cudnn->DestroyFilterDescriptor(c->w);
    if (c->how) cudnn->DestroyConvolutionDescriptor(c->how);
    if (c->act) cudnn->DestroyActivationDescriptor(c->act);
    kl_cuda_give(c->weights);
    kl_cuda_give(c->bias);
}
