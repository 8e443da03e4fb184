/* SPDX-License-Identifier: MIT
   Generators that have learnt nothing: with all weights at 0, or one and the same word whatever the
   latent vector, they stand no closer to their target than the law that knows nothing. */
#include <stdlib.h>

#include "qrng/gan_study.h"

int kl_gan_unlearnt(size_t *n, const struct kl_gan_study *s, struct kl_error *err)
{
    static const double closer = 0.99; /* of the uniform law's divergence: less is rounding */
    const size_t cells = s->n_cells;
    double *target = malloc(2 * cells * sizeof *target);
    if (!target) return kl_fail_memory(err, 2 * cells * sizeof *target);
    double *const law = target + cells;
    *n = 0;
    for (size_t m = 0; m < s->n_models; m++) {
        for (size_t k = 0; k < cells; k++) {
            target[k] = (double)s->target[m * cells + k];
            law[k] = (double)s->law[m * cells + k];
        }
        *n += !(kl_gan_divergence(target, law, cells) < closer * kl_gan_divergence(target, NULL, cells));
    }
    free(target);
    return KL_OK;
}
