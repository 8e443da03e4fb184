/* SPDX-License-Identifier: MIT
   The table of a block of parameters. */
#include <string.h>

#include "nn/nn.h"

enum { ALIGN_VALUES = 16 }; /* 64 bytes of float */

int kl_nn_block_add(struct kl_block *block, const char *name, int rank, size_t d0, size_t d1,
                    struct kl_error *err)
{
    if (rank == 1) d1 = 1;
    if (block->n == KL_MAX_TENSORS)
        return kl_fail(err, KL_EUSAGE, "%s: a model holds at most %d tensors", name, KL_MAX_TENSORS);
    if (d0 == 0 || d1 == 0 || d0 > (size_t)1 << 24 || d1 > (size_t)1 << 24)
        return kl_fail(err, KL_EUSAGE, "%s: no tensor of %zu x %zu values", name, d0, d1);
    struct kl_tensor *t = &block->tensors[block->n];
    *t = (struct kl_tensor){ .rank = rank, .dims = { d0, d1 }, .offset = block->size, .size = d0 * d1 };
    strncpy(t->name, name, sizeof t->name - 1);
    block->size += (t->size + ALIGN_VALUES - 1) / ALIGN_VALUES * ALIGN_VALUES;
    return block->n++;
}

size_t kl_nn_tensor_index(const struct kl_tensor *t, size_t i, size_t j)
{
    if (t->rank == 1) return i;
    const size_t outputs = t->dims[0], inputs = t->dims[1], first = i / KL_STRIP * KL_STRIP;
    const size_t width = outputs - first < KL_STRIP ? outputs - first : KL_STRIP;
    return first * inputs + j * width + (i - first);
}

int kl_nn_block_find(const struct kl_block *block, const char *name)
{
    for (int i = 0; i < block->n; i++)
        if (strcmp(block->tensors[i].name, name) == 0) return i;
    return -1;
}
