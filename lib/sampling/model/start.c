/* SPDX-License-Identifier: MIT
   The start of a chain as the reference has it: each tensor uniform within one over the root of its
   fan-in. */
#include <math.h>

#include "kernels/inline/philox.h"
#include "kernels/inline/real.h"
#include "sampling/model/model.h"

void kl_sampling_start(kl_real *w, const struct kl_sampling_tensor *tensors, int n_tensors, uint64_t key)
{
    uint32_t words[4];
    size_t drawn = (size_t)-1;
    for (int t = 0; t < n_tensors; t++) {
        const struct kl_sampling_tensor *tensor = &tensors[t];
        const double most = tensor->fan_in ? 1 / sqrt((double)tensor->fan_in) : 0;
        for (size_t i = tensor->offset; i < tensor->offset + tensor->size; i++) {
            if (i / 4 != drawn) kl_philox(words, key, (uint32_t)(i / 4), KL_RANDOM_CHAIN_START, 0, 0);
            drawn = i / 4;
            w[i] = (kl_real)(tensor->fan_in ? (2 * kl_philox_unit(words[i % 4]) - 1) * most
                                            : tensor->start);
        }
    }
}
