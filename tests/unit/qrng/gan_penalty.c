/* SPDX-License-Identifier: MIT
   The discriminator's gradient penalty against PyTorch's double backward, and as differences of a
   definition written apart: of 4 inputs and 3 neurons. */
#include <math.h>

#include "../check.h"
#include "qrng/gan/study.h"

enum { P_BITS = 4, P_CELLS = 1 << P_BITS, P_HIDDEN = 3, P_PARAMS = P_HIDDEN * (P_BITS + 2) + 1 };

static long double logit_at(const double *params, const long double *x)
{
    long double logit = params[P_PARAMS - 1];
    for (int h = 0; h < P_HIDDEN; h++) {
        long double a = params[P_HIDDEN * P_BITS + h];
        for (int i = 0; i < P_BITS; i++) a += params[h * P_BITS + i] * x[i];
        logit += (a > 0 ? a : 0.2L * a) * params[P_HIDDEN * (P_BITS + 1) + h];
    }
    return logit;
}

/* 0.7 / 2 sum r |slope|^2, the slope by differences: the logit is piecewise linear. */
static double penalty_of(const double *params, const double *r)
{
    const long double step = 0x1p-20L;
    long double sum = 0;
    for (int k = 0; k < P_CELLS; k++)
        for (int i = 0; i < P_BITS; i++) {
            long double x[P_BITS];
            for (int j = 0; j < P_BITS; j++) x[j] = k >> (P_BITS - 1 - j) & 1 ? 1 : -1;
            x[i] += step;
            const long double up = logit_at(params, x);
            x[i] -= 2 * step;
            const long double slope = (up - logit_at(params, x)) / (2 * step);
            sum += r[k] * slope * slope;
        }
    return (double)(0.35L * sum);
}

/* tests/golden/make_penalty.py */
static void penalty(void)
{
    static const double value = 0.13888693965217486, torch[P_PARAMS] = { -0.014373498299610007,
                                                                         -0.014259008409503556,
                                                                         -0.0010348519464859292,
                                                                         0.013140742623666601,
                                                                         -0.15839084824854885,
                                                                         -0.12738821034228134,
                                                                         0.020734560671848434,
                                                                         0.1497940722266065,
                                                                         -0.0694389136212696,
                                                                         -0.0999561998482529,
                                                                         -0.03857421690638569,
                                                                         0.05827272316509699,
                                                                         0,
                                                                         0,
                                                                         0,
                                                                         0.12209496908598533,
                                                                         -0.3633267213845145,
                                                                         -0.04403203536233923,
                                                                         0 };
    struct kl_arena memory;
    struct kl_discriminator_f64 d;
    double r[P_CELLS], sum = 0;
    CHECK(kl_arena_init(&memory, 0, NULL) == 0);
    CHECK(kl_gan_discriminator_make_f64(&d, KL_GAN_BITS, P_CELLS, P_HIDDEN, &memory, NULL) == 0);
    for (int k = 0; k < P_CELLS; k++) sum += r[k] = 1.1 + cos(5.0 * k + 1);
    for (int k = 0; k < P_CELLS; k++) r[k] /= sum;
    for (int i = 0; i < P_PARAMS; i++) d.params[i] = 0.8 * sin(i + 1.0), d.grad[i] = i;
    const double found = kl_gan_discriminator_penalty_f64(&d, r, 0.7);
    CHECK(fabs(found - value) < 1e-14, "%.17g", found);
    CHECK(fabs(penalty_of(d.params, r) - value) < 1e-10, "%.17g", penalty_of(d.params, r));
    for (int i = 0; i < P_PARAMS; i++) { /* added to what is there */
        const double kept = d.params[i], grad = d.grad[i] - i;
        d.params[i] = kept + 1e-4;
        const double up = penalty_of(d.params, r);
        d.params[i] = kept - 1e-4;
        const double differences = (up - penalty_of(d.params, r)) / 2e-4;
        d.params[i] = kept;
        CHECK(fabs(grad - torch[i]) < 1e-13, "[%d]: %.17g, PyTorch %.17g", i, grad, torch[i]);
        CHECK(fabs(grad - differences) < 1e-7, "[%d]: %.10g, differences %.10g", i, grad, differences);
    }
    kl_arena_free(&memory);
}

int main(void)
{
    penalty();
    return failures != 0;
}
