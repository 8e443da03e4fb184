/* SPDX-License-Identifier: MIT
   One qubit's tasks on a GPU, a thread each (kernels/cuda/bloch.cu): kernels/bloch.h's gradients and
   tangents, by the same steps (kernels/inline/bloch_pass.h). See kernels/cuda.h. */
#ifndef KL_KERNELS_CUDA_BLOCH_H
#define KL_KERNELS_CUDA_BLOCH_H

#include "kernels/bloch.h"

struct kl_error;
struct kl_cuda_bloch;
/* Floats or doubles; shapes as those of kl_bloch_gradient and kl_bloch_tangent, n any number. */
struct kl_cuda_bloch_at {
    const void *u, *params, *weights;
    void *loss, *grad_u, *grad_params; /* gradients NULL: not asked for; grad_params needs grad_u */
    const void *du;                    /* NULL: none of the two below; else of these alone dgrad_u */
    void *dgrad_u;
    double
        *seconds; /* NULL: not asked for; of KL_CUDA_GROUP times the same those of one, copies apart */
};

struct kl_cuda_bloch_calls {
    /* Of n tasks: one affine column, or three that are not; other columns are KL_EUSAGE. single: floats.
       Close it in any case. */
    int (*open)(struct kl_cuda_bloch **bloch, const struct kl_bloch *b, size_t n, int single, int device,
                struct kl_error *err);
    /* Several threads may ask at once, each of its own. */
    int (*at)(struct kl_cuda_bloch *bloch, const struct kl_cuda_bloch_at *at, struct kl_error *err);
    void (*close)(struct kl_cuda_bloch **bloch);
};

#endif
