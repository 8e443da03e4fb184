/* SPDX-License-Identifier: MIT
   Tensors between the order of memory and that of files. */
#include "kernels/inline/real.h"
#include "nn/nn.h"

void KL_NAME(kl_tensor_to_file)(kl_real *file, const struct kl_tensor *t, const kl_real *block)
{
    const kl_real *from = block + t->offset;
    const size_t rows = t->dims[0], columns = t->dims[1];
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            file[i * columns + j] = t->transposed ? from[j * rows + i] : from[i * columns + j];
}

void KL_NAME(kl_tensor_from_file)(kl_real *block, const struct kl_tensor *t, const kl_real *file)
{
    kl_real *to = block + t->offset;
    const size_t rows = t->dims[0], columns = t->dims[1];
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            to[t->transposed ? j * rows + i : i * columns + j] = file[i * columns + j];
}
