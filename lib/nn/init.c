/* SPDX-License-Identifier: MIT
   Initial values; one Philox block gives four uniform or two normal numbers. */
#include <math.h>

#include "kernels/inline/philox.h"
#include "nn/nn.h"

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
