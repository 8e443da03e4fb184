/* SPDX-License-Identifier: MIT
   In place of convs_cudnn.cu and cudnn*.cu where there is no cudnn.h to compile them with. */
#include "kernels/cuda/convs.h"

static int refuse(struct kl_error *err)
{
    return kl_cuda_fail(err, KL_EDEVICE,
                        "libketline-cuda.so was built without cuDNN, which other precisions than fp32 "
                        "need; 'make cuda CUDNN_HOME=DIR' with cudnn.h in DIR/include builds it with, "
                        "--precision fp32 needs none");
}

/* Preparing is refused, so nothing else is called. */
const struct kl_convs_calls kl_convs_cudnn = { refuse, NULL, NULL, NULL, NULL };
