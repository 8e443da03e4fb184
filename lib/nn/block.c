/* SPDX-License-Identifier: MIT
   Parameters in one block, by name, shape and place; their initial values. */
#include "nn/nn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/inline/philox.h"

enum { ALIGN_VALUES = 16 }; /* 64 bytes of float */

static int make_room(struct kl_block *block, struct kl_error *err)
{
    if (block->n < block->room) return 0;
    const int room = block->room ? 2 * block->room : 16;
    struct kl_tensor *tensors = realloc(block->tensors, (size_t)room * sizeof *tensors);
    if (!tensors) return kl_fail_memory(err, (size_t)room * sizeof *tensors);
    block->tensors = tensors, block->room = room;
    return 0;
}

int kl_nn_block_add_tensor(struct kl_block *block, const char *name, int rank, const size_t *dims,
                           struct kl_error *err)
{
    struct kl_tensor t = { .rank = rank, .dims = { 1, 1, 1, 1 }, .offset = block->size, .size = 1 };
    if (rank < 1 || rank > KL_TENSOR_RANK)
        return kl_fail(err, KL_EUSAGE, "%s: no tensor of rank %d", name, rank);
    for (int i = 0; i < rank; i++) {
        if (dims[i] == 0 || dims[i] > (size_t)1 << 24 || t.size > ((size_t)1 << 48) / dims[i])
            return kl_fail(err, KL_EUSAGE, "%s: no tensor of %zu x %zu values", name, dims[0],
                           rank > 1 ? dims[1] : (size_t)1);
        t.dims[i] = dims[i], t.size *= dims[i];
    }
    strncpy(t.name, name, sizeof t.name - 1);
    const int code = make_room(block, err);
    if (code) return code;
    block->tensors[block->n] = t;
    block->size += (t.size + ALIGN_VALUES - 1) / ALIGN_VALUES * ALIGN_VALUES;
    return block->n++;
}

int kl_nn_block_add(struct kl_block *block, const char *name, int rank, size_t d0, size_t d1,
                    struct kl_error *err)
{
    const int number = kl_nn_block_add_tensor(block, name, rank, (size_t[]){ d0, d1 }, err);
    if (number >= 0) block->tensors[number].strips = rank == 2;
    return number;
}

void kl_nn_block_free(struct kl_block *block)
{
    free(block->tensors);
    *block = (struct kl_block){ 0 };
}

size_t kl_nn_tensor_index(const struct kl_tensor *t, size_t i, size_t j)
{
    if (t->rank == 1) return i;
    if (!t->strips) return i * (t->size / t->dims[0]) + j;
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

/* ---- Initial values; one Philox block gives four uniform or two normal numbers ---- */

static float *place(float *block, const struct kl_tensor *t, size_t i)
{
    const size_t row = t->size / t->dims[0];
    return block + t->offset + kl_nn_tensor_index(t, i / row, i % row);
}

void kl_nn_init_uniform(float *block, const struct kl_tensor *t, double bound, uint64_t seed,
                        uint32_t stream, uint32_t replica)
{
    uint32_t words[4] = { 0 };
    for (size_t i = 0; i < t->size; i++) {
        if (i % 4 == 0) kl_philox(words, seed, (uint32_t)(i / 4), KL_RANDOM_INIT, stream, replica);
        *place(block, t, i) = (float)(bound * (2 * kl_philox_unit(words[i % 4]) - 1));
    }
}

void kl_nn_init_normal(float *block, const struct kl_tensor *t, double sigma, uint64_t seed,
                       uint32_t stream, uint32_t replica)
{
    const double two_pi = 6.283185307179586;
    uint32_t words[4] = { 0 };
    for (size_t i = 0; i < t->size; i++) {
        if (i % 2 == 0) kl_philox(words, seed, (uint32_t)(i / 2), KL_RANDOM_INIT, stream, replica);
        double radius = sigma * sqrt(-2 * log(kl_philox_unit(words[0]))),
               angle = two_pi * kl_philox_unit(words[1]);
        *place(block, t, i) = (float)(radius * (i % 2 == 0 ? cos(angle) : sin(angle)));
    }
}
