/* SPDX-License-Identifier: MIT
   Where generators and discriminators begin, and what they are fed with. */
#include <math.h>

#include "kernels/inline/philox.h"
#include "qrng/gan.h"

void kl_gan_uniform(double *x, size_t n, double bound, uint64_t seed, uint32_t stream, uint32_t replica)
{
    uint32_t words[4] = { 0 };
    for (size_t i = 0; i < n; i++) {
        if (i % 4 == 0) kl_philox(words, seed, (uint32_t)(i / 4), KL_RANDOM_INIT, stream, replica);
        x[i] = bound * (2 * kl_philox_unit(words[i % 4]) - 1);
    }
}

void kl_gan_normal(float *x, size_t n, uint64_t seed, uint32_t stream, uint32_t replica)
{
    const float two_pi = 6.2831853f;
    float values[4];
    for (size_t i = 0; i < n; i += 4) { /* a block of Philox is two pairs */
        uint32_t words[4];
        kl_philox(words, seed, (uint32_t)(i / 4), KL_RANDOM_LATENT, stream, replica);
        for (size_t j = 0; j < 4; j += 2) {
            const float radius = sqrtf(-2 * logf((float)kl_philox_unit(words[j]))),
                        angle = two_pi * (float)kl_philox_unit(words[j + 1]);
            values[j] = radius * cosf(angle), values[j + 1] = radius * sinf(angle);
        }
        for (size_t j = 0; j < 4 && i + j < n; j++) x[i + j] = values[j];
    }
}
