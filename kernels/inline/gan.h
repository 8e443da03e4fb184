/* SPDX-License-Identifier: MIT
   Arithmetic of GANs that the CPU and a GPU share: a cell under the discriminator, random numbers. */
#ifndef KL_INLINE_GAN_H
#define KL_INLINE_GAN_H

#include <math.h>

#include "kernels/inline/philox.h"
#include "kernels/inline/real.h"

#if KL_F64
#define KL_GAN_EXP exp
#define KL_GAN_LOG log
#define KL_GAN_LOG1P log1p
#else
#define KL_GAN_EXP expf
#define KL_GAN_LOG logf
#define KL_GAN_LOG1P log1pf
#endif

/* Of one cell; slope: the derivative of the discriminator's loss by its logit. */
struct kl_judged {
    kl_real d, seen, unseen, slope; /* D, ln D, ln(1 - D) */
};

/* The law has p there, the target r; e inside each logarithm. Without it nothing overflows, however sure
   the discriminator is. */
KL_PHILOX_INLINE struct kl_judged kl_judge_cell(kl_real logit, kl_real p, kl_real r, kl_real e)
{
    const kl_real small = KL_GAN_EXP(logit < 0 ? logit : -logit),
                  d = (logit < 0 ? small : 1) / (1 + small),
                  other = (logit < 0 ? 1 : small) / (1 + small);
    struct kl_judged j;
    j.d = d;
    if (e > 0) {
        j.seen = KL_GAN_LOG(d + e), j.unseen = KL_GAN_LOG(other + e);
        j.slope = (kl_real)0.5 * (p / (other + e) - r / (d + e)) * d * other;
        return j;
    }
    const kl_real both = KL_GAN_LOG1P(small);
    j.seen = (logit < 0 ? logit : 0) - both, j.unseen = (logit < 0 ? 0 : -logit) - both;
    j.slope = (kl_real)0.5 * (p * d - r * other);
    return j;
}

/* As a divergence takes a probability. */
KL_PHILOX_INLINE double kl_clipped(double x)
{
    return x < 1e-10 ? 1e-10 : x > 1 ? 1 : x;
}

/* Uniform in (-bound, bound). */
KL_PHILOX_INLINE double kl_gan_unit(uint32_t word, double bound)
{
    return bound * (2 * kl_philox_unit(word) - 1);
}

#endif
