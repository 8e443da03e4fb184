/* SPDX-License-Identifier: MIT */
#ifndef KL_BACKBONE_GPU_INT_H
#define KL_BACKBONE_GPU_INT_H

#include "backbone/resnet18_int.h"
#include "kernels/cuda.h"

enum { KL_BACKBONE_GPU_CONVS = 20 }; /* of ResNet-18, shortcuts included */

/* The network's convolutions in the order in which they run, and their weights
   (kl_backbone_gpu_convs_free). A 3x3 convolution on a map of fewer pixels than taps becomes a matrix
   product: one pixel of all the map's values in, one out, the taps outside left out. */
struct kl_backbone_gpu_convs {
    size_t n;
    struct kl_cuda_conv conv[KL_BACKBONE_GPU_CONVS];
};
int kl_backbone_gpu_convs_make(struct kl_backbone_gpu_convs *convs, const struct kl_resnet18 *net,
                               const struct kl_weights *weights, struct kl_error *err);
void kl_backbone_gpu_convs_free(struct kl_backbone_gpu_convs *convs);

#endif
