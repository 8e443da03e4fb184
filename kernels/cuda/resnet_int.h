/* SPDX-License-Identifier: MIT
   Private to libketline-cuda: batches of images through a ResNet, between their memory and order
   (resnet.cu) and what one of them launches (resnet_batch.cu). */
#ifndef KL_CUDA_RESNET_INT_H
#define KL_CUDA_RESNET_INT_H

#include <pthread.h>

#include "kernels/cuda/convs.h"

struct kl_resnet_slot {
    uint8_t *pixels, *gpu_pixels; /* on the host, pinned; on the GPU */
    float *values, *gpu_values;
    cudaEvent_t sent, computed, fetched;
};
struct kl_cuda_resnet {
    struct kl_cuda_backbone net; /* net.convs: shapes, without weights */
    int device;
    size_t d, image; /* values and bytes of an image */
    struct kl_cuda_conv *shapes;
    const struct kl_convs_calls *by;
    struct kl_convs *convs;
    void *planes, *maps[KL_CUDA_MAPS];
    unsigned *infinite; /* values in the maps of a batch; NULL: what precision has room for all */
    cudaStream_t send, compute, fetch;
    cudaEvent_t begin, end;
    struct kl_resnet_slot *slots;
    cudaGraphExec_t graph; /* of all convolutions */
    pthread_mutex_t order; /* of what goes into the streams */
};

/* The size of a side behind the maxima. */
static inline int kl_half_of(int size)
{
    return (size - 1) / 2 + 1;
}

/* A whole batch of this slot into the stream that computes. */
int kl_resnet_batch(struct kl_cuda_resnet *f, const struct kl_resnet_slot *s, struct kl_error *err);
/* From now on the convolutions are one graph, unless they cannot be captured. */
int kl_resnet_capture(struct kl_cuda_resnet *f, struct kl_error *err);

#endif
