/* SPDX-License-Identifier: MIT
   What a launch of one qubit's tasks is given, and the kernels of either precision. */
#ifndef KL_CUDA_BLOCH_JOB_CUH
#define KL_CUDA_BLOCH_JOB_CUH

#include "kernels/cuda/gpu.cuh"
#include "kernels/cuda_bloch.h"

/* As in struct kl_cuda_bloch_at, on the GPU. */
struct kl_bloch_job {
    struct kl_bloch b;
    double factors[KL_BLOCH_MAX_ORDER + 1];
    size_t n;
    const void *u, *du, *params, *weights;
    void *loss, *grad_u, *grad_params, *dgrad_u;
    void *states; /* (blocks, segments * substeps * columns * 3, 32) */
};
/* Of a state's one column, of a gate's three; a block is a warp. Its shared memory: terms
   (KL_BLOCH_MAX_ORDER + 1, 32) and what a series was before each step (KL_BLOCH_MAX_ORDER, 32), of
   tangents in numbers twice as large. */
struct kl_bloch_kernels {
    void (*gradient[2])(kl_bloch_job), (*tangent[2])(kl_bloch_job);
};
extern const kl_bloch_kernels kl_bloch_kernels_f32, kl_bloch_kernels_f64;

#endif
