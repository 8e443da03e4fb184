/* SPDX-License-Identifier: MIT
   What the divergences of the study's GANs are: beside each its closed form, and what two halves of one
   device come to. */
#include <math.h>

#include "qrng/gan/gan_int.h"

static double closed_form(const double a[KL_GRID_BITS], const double b[KL_GRID_BITS])
{
    double grid[KL_GRID_CELLS];
    const double sum = kl_gan_grid(grid, a, b);
    for (size_t k = 0; k < KL_GRID_CELLS; k++) grid[k] /= sum;
    return kl_gan_divergence(grid, NULL, KL_GRID_CELLS);
}

/* How far two random halves of a device are apart by the same measure; NaN: of a device whose bits are
   all equal no halves have a grid. */
static void score_halves(double *low, double *high, const struct kl_gan_study *s, int32_t device)
{
    double a[KL_GRID_BITS], b[KL_GRID_BITS];
    *low = INFINITY, *high = -INFINITY;
    for (uint32_t draw = 0; draw < KL_GAN_HALVES; draw++) {
        kl_gan_rates(a, s->bits, device, 1, draw, &s->o);
        kl_gan_rates(b, s->bits, device, 2, draw, &s->o);
        const double kl = closed_form(a, b);
        *low = fmin(*low, kl), *high = fmax(*high, kl);
    }
    if (*low > *high) *low = *high = NAN;
}

void kl_gan_reference_score(struct kl_gan_study *s)
{
    const size_t n = s->n_pairs, epochs = (size_t)s->o.epochs;
    for (size_t i = 0; i < n; i++) {
        const size_t row = KL_GAN_DIVERGENCE * s->n_models + (size_t)s->model[2 * i];
        const double *kl = s->history + row * epochs;
        double a[KL_GRID_BITS], b[KL_GRID_BITS], *score = s->scores + i;
        score[KL_GAN_KL * n] = kl[epochs - 1];
        score[KL_GAN_KL_START * n] = kl[0];
        kl_gan_rates(a, s->bits, s->pairs[i].a, 0, 0, &s->o);
        kl_gan_rates(b, s->bits, s->pairs[i].b, 0, 0, &s->o);
        score[KL_GAN_KL_UNIFORM * n] = closed_form(a, b);
        if (i && s->pairs[i].a == s->pairs[i - 1].a) {
            score[KL_GAN_HALVES_LOW * n] = score[KL_GAN_HALVES_LOW * n - 1];
            score[KL_GAN_HALVES_HIGH * n] = score[KL_GAN_HALVES_HIGH * n - 1];
        } else {
            score_halves(&score[KL_GAN_HALVES_LOW * n], &score[KL_GAN_HALVES_HIGH * n], s,
                         s->pairs[i].a);
        }
    }
}
