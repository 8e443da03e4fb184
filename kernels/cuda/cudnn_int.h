/* SPDX-License-Identifier: MIT
   Private to libketline-cuda: what it takes of cuDNN, found at run time, and convolutions by it. */
#ifndef KL_CUDA_CUDNN_H
#define KL_CUDA_CUDNN_H

#include <cudnn.h>

#include "kernels/cuda/library.h"

/* cudnnNAME as cudnn->NAME. */
#define KL_CUDNN_FUNCTIONS(each)              \
    each(GetVersion);                         \
    each(GetErrorString);                     \
    each(Create);                             \
    each(Destroy);                            \
    each(SetStream);                          \
    each(CreateTensorDescriptor);             \
    each(SetTensor4dDescriptor);              \
    each(DestroyTensorDescriptor);            \
    each(CreateFilterDescriptor);             \
    each(SetFilter4dDescriptor);              \
    each(DestroyFilterDescriptor);            \
    each(CreateConvolutionDescriptor);        \
    each(SetConvolution2dDescriptor);         \
    each(SetConvolutionMathType);             \
    each(DestroyConvolutionDescriptor);       \
    each(CreateActivationDescriptor);         \
    each(SetActivationDescriptor);            \
    each(DestroyActivationDescriptor);        \
    each(GetConvolutionForwardWorkspaceSize); \
    each(ConvolutionForward);                 \
    each(ConvolutionBiasActivationForward)
#define KL_CUDNN_POINTER(name) decltype(&cudnn##name) name
struct kl_cudnn {
    KL_CUDNN_FUNCTIONS(KL_CUDNN_POINTER);
    KL_CUDNN_POINTER(GetLastErrorString); /* NULL: a library without it */
};

/* The functions of libcudnn.so of the version of cudnn.h, which stays loaded. Looked for in CUDNN_HOME,
   where the system looks, beside the toolkit, among Python's nvidia packages. KL_EDEVICE. */
int kl_cudnn_load(struct kl_cudnn *cudnn, struct kl_error *err);
bool kl_cudnn_no_memory(cudnnStatus_t status);
/* As kl_cuda_check. */
int kl_cudnn_check(const struct kl_cudnn *cudnn, cudnnStatus_t status, const char *what,
                   struct kl_error *err);

/* One convolution: descriptors, weights and bias on the GPU in the run's precision. */
struct kl_cudnn_conv {
    struct kl_cuda_conv shape;
    size_t batch;
    int precision;
    cudnnTensorDescriptor_t x, y, b;
    cudnnFilterDescriptor_t w;
    cudnnConvolutionDescriptor_t how;
    cudnnActivationDescriptor_t act;
    void *weights, *bias;
    cudnnConvolutionFwdAlgo_t algorithm;
    int tried;        /* algorithms, this one included */
    size_t workspace; /* bytes, of this one */
    bool apart;       /* bias, residual and ReLU by a kernel behind */
    bool ran;         /* once: how it runs is settled */
};
/* Asks for a tiny one's workspace, so that cuDNN loads its engines, the most of what it is. */
int kl_cudnn_conv_prepare(const struct kl_cudnn *cudnn, cudnnHandle_t handle, struct kl_error *err);
int kl_cudnn_conv_open(struct kl_cudnn_conv *conv, const struct kl_cudnn *cudnn, cudnnHandle_t handle,
                       const struct kl_cuda_conv *shape, size_t batch, int precision,
                       struct kl_error *err);
/* Into the handle's stream; residual NULL: none. room: bytes of workspace. The first run, which may not
   be captured, finds out what cuDNN supports. */
int kl_cudnn_conv_run(struct kl_cudnn_conv *conv, const struct kl_cudnn *cudnn, cudnnHandle_t handle,
                      void *y, const void *x, const void *residual, void *workspace, size_t room,
                      cudaStream_t stream, struct kl_error *err);
/* How it runs, as a line, once it has run. */
void kl_cudnn_conv_say(char *text, size_t size, const struct kl_cudnn_conv *conv);
void kl_cudnn_conv_close(struct kl_cudnn_conv *conv, const struct kl_cudnn *cudnn);

#endif
