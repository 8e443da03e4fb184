/* SPDX-License-Identifier: MIT
   Private to libketline-cuda: heads side by side, between their memory (head_memory.cu) and their
   launches (head.cu). */
#ifndef KL_CUDA_HEADS_H
#define KL_CUDA_HEADS_H

#include "kernels/cuda/features.h"
#include "kernels/cuda/head.cuh"

enum {
    KL_JUDGED = 32,            /* rows a block judges at once */
    KL_JUDGED_BYTES = 64 << 20 /* of what is said of all heads' rows in one launch, unless a head had
                                  fewer rows than a block */
};

struct kl_cuda_heads {
    struct kl_cuda_head shape; /* arrays on the GPU */
    struct kl_head_job job;    /* what stays the same between launches */
    struct kl_cuda_features features;
    size_t n_heads;
    int device;
    int32_t judge_at[KL_CUDA_LAYERS], judge_size;
    int64_t judge_varying_size;
    size_t judged; /* rows of a head in a launch that judges, at most */
    int together;  /* blocks that run at once */
    size_t block_memory;
    int resident_blocks; /* of a head whose first layer is resident; 0: of none */
    int processors;
    size_t resident_memory; /* of a block, then */
    void *arrays, *groups, *absent;
    struct kl_cuda_pieces pieces; /* what else was taken */
    float *judge_y, *judge_varying;
    int32_t *which; /* of a call's steps: (n_heads) and so on */
    uint32_t *replica;
    struct kl_cuda_factors *factors;
    double *sums;
    float *logits, *loss; /* (n_heads, judged) */
    uint8_t *right;
    cudaStream_t stream;
};

/* All memory of h, whose n_heads, device and together are set. Where the GPU has too little, features
   are streamed, then a batch is worked on in slices of half its rows, and so on. KL_ENOMEM, KL_EDEVICE:
   kl_cuda_heads_close gives back what was taken. */
int kl_cuda_heads_take(struct kl_cuda_heads *h, const struct kl_cuda_head *shape, const float *x,
                       const int32_t *labels, size_t n, struct kl_error *err);
void kl_cuda_heads_release(struct kl_cuda_heads *h);

#endif
