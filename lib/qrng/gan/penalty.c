/* SPDX-License-Identifier: MIT
   Gradient penalty of a discriminator on the target's cells (R1; Mescheder, Geiger & Nowozin 2018,
   arXiv:1801.04406): the steeper its logit is where the data are, the more it pays. All cells at once,
   so that nothing is sampled. Compiled in both precisions. The logit is piecewise linear in the cell x:
   its slope there is g = sum_h v_h s_h w_h, v and w being the weights behind and before neuron h, s_h
   its own slope, 1 or 0.2. So half the weight times sum r |g|^2 is quadratic in the weights, and the
   biases have no part in it. */
#include <string.h>

#include "kernels/inline/real.h"
#include "qrng/gan/gan.h"

/* s_h of each neuron at cell k, and g (n_inputs), the logit's slope there. */
static void find_slope(kl_real *s, kl_real *g, const struct kl_discriminator *d, size_t k)
{
    const size_t n = d->n_inputs;
    const kl_real *bias = d->params + d->n_hidden * n, *behind = bias + d->n_hidden;
    for (size_t i = 0; i < n; i++) g[i] = 0;
    for (size_t h = 0; h < d->n_hidden; h++) {
        const kl_real *w = d->params + h * n;
        kl_real a = bias[h];
        for (size_t i = 0; i < n; i++) a += w[i] * d->x[i * d->stride + k];
        s[h] = a > 0 ? 1 : (kl_real)KL_GAN_SLOPE;
        for (size_t i = 0; i < n; i++) g[i] += behind[h] * s[h] * w[i];
    }
}

double kl_discriminator_penalty(struct kl_discriminator *d, const kl_real *target, double weight)
{
    const size_t n = d->n_inputs;
    const kl_real *behind = d->params + d->n_hidden * (n + 1);
    kl_real *d_behind = d->grad + d->n_hidden * (n + 1), s[KL_GAN_HIDDEN], g[KL_GAN_INPUTS];
    double sum = 0;
    for (size_t k = 0; k < d->n_cells; k++) {
        const kl_real each = (kl_real)weight * target[k];
        find_slope(s, g, d, k);
        for (size_t i = 0; i < n; i++) sum += (double)(target[k] * g[i] * g[i]);
        for (size_t h = 0; h < d->n_hidden; h++) {
            const kl_real *w = d->params + h * n;
            kl_real along = 0;
            for (size_t i = 0; i < n; i++) {
                along += w[i] * g[i];
                d->grad[h * n + i] += each * behind[h] * s[h] * g[i];
            }
            d_behind[h] += each * s[h] * along;
        }
    }
    return weight / 2 * sum;
}
