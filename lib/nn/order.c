/* SPDX-License-Identifier: MIT
   Tensors between the order of memory and that of files. */
#include "kernels/inline/real.h"
#include "nn/nn.h"

void kl_nn_tensor_to_file(kl_real *file, const struct kl_tensor *t, const kl_real *block)
{
    for (size_t i = 0; i < t->dims[0]; i++)
        for (size_t j = 0; j < t->size / t->dims[0]; j++)
            *file++ = block[t->offset + kl_nn_tensor_index(t, i, j)];
}

void kl_nn_tensor_from_file(kl_real *block, const struct kl_tensor *t, const kl_real *file)
{
    for (size_t i = 0; i < t->dims[0]; i++)
        for (size_t j = 0; j < t->size / t->dims[0]; j++)
            block[t->offset + kl_nn_tensor_index(t, i, j)] = *file++;
}
