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
    const double two_pi = 6.283185307179586;
    for (size_t i = 0; i < n; i += 4) { /* a block of Philox is two pairs */
        uint32_t words[4];
        kl_philox(words, seed, (uint32_t)(i / 4), KL_RANDOM_LATENT, stream, replica);
        for (size_t j = 0; j < 4 && i + j < n; j++) {
            const size_t pair = j / 2 * 2;
            const double radius = sqrt(-2 * log(kl_philox_unit(words[pair]))),
                         angle = two_pi * kl_philox_unit(words[pair + 1]);
            x[i + j] = (float)(radius * (j % 2 ? sin(angle) : cos(angle)));
        }
    }
}
