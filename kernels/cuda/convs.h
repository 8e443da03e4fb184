/* SPDX-License-Identifier: MIT
   Private to libketline-cuda: how the convolutions of a batch are done. */
#ifndef KL_CUDA_CONVS_H
#define KL_CUDA_CONVS_H

#include "kernels/cuda/library.h"

struct kl_convs { /* what either of the two makes of it */
};
struct kl_convs_calls {
    /* On this thread's device, before the first open: what takes long. */
    int (*prepare)(struct kl_error *err);
    /* net's convolutions in its precision, for whole batches, their weights on the GPU. */
    int (*open)(struct kl_convs **convs, const struct kl_cuda_backbone *net, cudaStream_t stream,
                struct kl_error *err);
    /* Convolution `number` from map x to map y, with bias, residual (NULL: none) and ReLU, into the
       stream. The first run may not be captured. */
    int (*run)(struct kl_convs *convs, int number, void *y, const void *x, const void *residual,
               struct kl_error *err);
    /* How it runs, as a line, once it has run. */
    void (*say)(char *text, size_t size, const struct kl_convs *convs, int number);
    void (*close)(struct kl_convs **convs);
};
/* By a kernel of ours, in FP32; by cuDNN, in the other precisions. */
extern const struct kl_convs_calls kl_convs_own, kl_convs_cudnn;

/* Bytes of a value of a map. */
static inline size_t kl_cuda_value(int precision)
{
    return precision == KL_CUDA_BF16 || precision == KL_CUDA_FP16 ? 2 : 4;
}

#endif
