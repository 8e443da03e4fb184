/* SPDX-License-Identifier: MIT
   Where generators and discriminators begin, and what they are fed with. */
#include "kernels/inline/gan.h"
#include "kernels/select.h"
#include "qrng/gan/gan.h"

void kl_gan_uniform(double *x, size_t n, double bound, uint64_t seed, uint32_t stream, uint32_t replica)
{
    uint32_t words[4] = { 0 };
    for (size_t i = 0; i < n; i++) {
        if (i % 4 == 0) kl_philox(words, seed, (uint32_t)(i / 4), KL_RANDOM_INIT, stream, replica);
        x[i] = kl_gan_unit(words[i % 4], bound);
    }
}

void kl_gan_normal(float *x, size_t n, uint64_t seed, uint32_t stream, uint32_t replica)
{
    kl_kernels()->gan_normals(x, n, &(struct kl_gan_stream){ seed, KL_RANDOM_LATENT, stream, replica });
}
