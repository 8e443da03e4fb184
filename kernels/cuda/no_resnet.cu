/* SPDX-License-Identifier: MIT
   In place of cudnn*.cu and resnet*.cu where there is no cudnn.h to compile them with. */
#include "kernels/cuda/library.h"

static int refuse(int, struct kl_error *err)
{
    return kl_cuda_fail(err, KL_EDEVICE,
                        "libketline-cuda.so was built without cuDNN, which features need; 'make cuda "
                        "CUDNN_HOME=DIR' with cudnn.h in DIR/include builds it with, --device cpu needs "
                        "none");
}

/* Where nothing can be prepared, nothing else is called. */
const struct kl_cuda_resnet_calls kl_cuda_resnet_calls = { refuse, NULL, NULL, NULL,
                                                           NULL,   NULL, NULL, NULL };
