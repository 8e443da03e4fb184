/* SPDX-License-Identifier: MIT
   One qubit's tasks on a GPU, a thread each (kernels/cuda/bloch.cu): kernels/bloch.h's gradients and
   tangents, by the same steps (kernels/inline/bloch_pass.h). See kernels/cuda.h. */
#ifndef KL_KERNELS_CUDA_BLOCH_H
#define KL_KERNELS_CUDA_BLOCH_H

#include "kernels/bloch.h"

struct kl_error;
struct kl_cuda_bloch;
/* Floats or doubles; shapes as those of kl_bloch_gradient and kl_bloch_tangent, n any number. Gradients
   NULL: not asked for; grad_params needs grad_u. With du: dgrad_u alone. seconds (NULL: not asked for):
   the same KL_CUDA_GROUP times, and what one took, copies apart. */
struct kl_cuda_bloch_at {
    const void *u, *params, *weights;
    void *loss, *grad_u, *grad_params;
    const void *du;
    void *dgrad_u;
    double *seconds;
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
