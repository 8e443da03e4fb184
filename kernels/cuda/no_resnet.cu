/* SPDX-License-Identifier: MIT
   In place of cudnn.cu, cudnn_conv.cu and resnet.cu where there is no cudnn.h to compile them with. */
#include "kernels/cuda/library.h"

int kl_cuda_resnet_open(struct kl_cuda_resnet **resnet, const struct kl_cuda_backbone *, int,
                        struct kl_error *err)
{
    *resnet = NULL;
    return kl_cuda_fail(err, KL_EDEVICE,
                        "libketline-cuda.so was built without cuDNN, which features need; 'make cuda "
                        "CUDNN_HOME=DIR' with cudnn.h in DIR/include builds it with, --device cpu needs "
                        "none");
}

uint8_t *kl_cuda_resnet_pixels(struct kl_cuda_resnet *, int)
{
    return NULL;
}

int kl_cuda_resnet_start(struct kl_cuda_resnet *, int, size_t, size_t, struct kl_error *err)
{
    return kl_cuda_fail(err, KL_EINTERNAL, "features that were never opened");
}

int kl_cuda_resnet_wait(struct kl_cuda_resnet *, int, const float **, struct kl_error *err)
{
    return kl_cuda_fail(err, KL_EINTERNAL, "features that were never opened");
}

int kl_cuda_resnet_seconds(struct kl_cuda_resnet *, double *, int, struct kl_error *err)
{
    return kl_cuda_fail(err, KL_EINTERNAL, "features that were never opened");
}

void kl_cuda_resnet_close(struct kl_cuda_resnet **)
{
}
