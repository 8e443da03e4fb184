/* SPDX-License-Identifier: MIT
   Definition of the family, the law of the cells from their logits; see kernels/gan.h. */
#include "kernels/gan.h"

#include "kernels/inline/elementary.h"
#include "kernels/inline/lanes.h"

kl_real KL_ISA_NAME(kl_gan_weigh)(double sums[2], const struct kl_gan_weighed *c)
{
    kl_lane largest = *(const kl_lane *)c->x, all = { 0 }, felt = { 0 };
    for (size_t j = KL_LANES; j < c->n; j += KL_LANES) {
        const kl_lane x = *(const kl_lane *)(c->x + j);
        largest = kl_choose(x > largest, x, largest);
    }
    const kl_real most = kl_most_of_lanes(largest);
    for (size_t j = 0; j < c->n; j += KL_LANES) {
        const kl_lane e = kl_exp_lane(*(const kl_lane *)(c->x + j) - most),
                      u = e * (*(const kl_lane *)(c->dp + j) - c->level);
        *(kl_lane *)(c->e + j) = e;
        *(kl_lane *)(c->u + j) = u;
        all += e, felt += u;
    }
    sums[0] = (double)kl_sum_lanes(all), sums[1] = (double)kl_sum_lanes(felt);
    return most;
}

void KL_ISA_NAME(kl_gan_products)(kl_real out[2], const kl_real *w, const kl_real *x, const kl_real *y,
                                  size_t n)
{
    enum { WIDE = 4 }; /* sums side by side: one would wait for itself */
    kl_lane by_x[WIDE] = { 0 }, by_y[WIDE] = { 0 };
    for (size_t j = 0; j < n; j += WIDE * KL_LANES)
        for (size_t l = 0; l < WIDE; l++) {
            const size_t at = j + l * KL_LANES;
            const kl_lane v = *(const kl_lane *)(w + at);
            by_x[l] += v * *(const kl_lane *)(x + at);
            by_y[l] += v * *(const kl_lane *)(y + at);
        }
    out[0] = kl_sum_lanes((by_x[0] + by_x[1]) + (by_x[2] + by_x[3]));
    out[1] = kl_sum_lanes((by_y[0] + by_y[1]) + (by_y[2] + by_y[3]));
}

void KL_ISA_NAME(kl_gan_law)(kl_real *restrict law, kl_real *restrict d, const kl_real *restrict dp,
                             kl_real scale, kl_real level, kl_real mean, size_t n)
{
    for (size_t j = 0; j < n; j += KL_LANES) {
        const kl_lane p = scale * *(const kl_lane *)(law + j);
        *(kl_lane *)(law + j) = p;
        *(kl_lane *)(d + j) = p * ((*(const kl_lane *)(dp + j) - level) - mean);
    }
}
