/* SPDX-License-Identifier: MIT
   First values of tensors: uniform numbers, a stream of Philox for each tensor and replica. */
#include "kernels/inline/philox.h"
#include "sequence/model/model_int.h"

void kl_sequence_start(float *params, const struct kl_tensor *t, double low, double high, uint64_t seed,
                       int stream, uint32_t replica)
{
    const size_t row = t->size / t->dims[0];
    uint32_t words[4] = { 0 };
    for (size_t i = 0; i < t->size; i++) {
        if (i % 4 == 0)
            kl_philox(words, seed, (uint32_t)(i / 4), KL_RANDOM_SEQUENCE_START, (uint32_t)stream,
                      replica);
        params[t->offset + kl_nn_tensor_index(t, i / row, i % row)] =
            (float)(low + (high - low) * kl_philox_unit(words[i % 4]));
    }
}
