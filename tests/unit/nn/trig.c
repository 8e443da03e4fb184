/* SPDX-License-Identifier: MIT
   Minima of rotations: of a sinusoid that of the closed form (Ostaszewski, Grant & Benedetti 2021); of
   more degrees no point of a fine grid is lower. */
#include <math.h>

#include "nn/nn.h"
#include "tests/unit/check.h"

struct polynomial {
    double cosine[8], sine[8];
    size_t degree;
};

static double value(const struct polynomial *p, double angle)
{
    double sum = 0.3;
    for (size_t d = 0; d < p->degree; d++)
        sum += p->cosine[d] * cos((double)(d + 1) * angle) + p->sine[d] * sin((double)(d + 1) * angle);
    return sum;
}

static int values_of(double *values, const double *angles, size_t n, void *context, struct kl_error *err)
{
    (void)err;
    for (size_t i = 0; i < n; i++) values[i] = value(context, angles[i]);
    return 0;
}

static int refuse(double *values, const double *angles, size_t n, void *context, struct kl_error *err)
{
    (void)values, (void)angles, (void)n, (void)context;
    return kl_fail(err, KL_EDATA, "no");
}

static int flat(double *values, const double *angles, size_t n, void *context, struct kl_error *err)
{
    (void)angles, (void)context, (void)err;
    for (size_t i = 0; i < n; i++) values[i] = 1;
    return 0;
}

int main(void)
{
    struct kl_error err;
    double at;
    for (int k = 0; k < 100; k++) {
        struct polynomial p = { .cosine = { cos(k) }, .sine = { sin(k) }, .degree = 1 };
        /* cos(angle - k) is least at k + pi */
        CHECK(kl_nn_trig_minimum(&at, 1, values_of, &p, &err) == 0);
        CHECK(fabs(remainder(at - k - M_PI, 2 * M_PI)) < 1e-7, "%d: %.12g", k, at);
    }
    for (int k = 0; k < 100; k++) {
        struct polynomial p = { .degree = 5 };
        double lowest = 1e9;
        for (int d = 0; d < 5; d++) p.cosine[d] = sin(k + 1.7 * d), p.sine[d] = cos(2.3 * k + d * d);
        CHECK(kl_nn_trig_minimum(&at, 5, values_of, &p, &err) == 0);
        for (int i = 0; i < 10000; i++) lowest = fmin(lowest, value(&p, 2 * M_PI * i / 10000));
        CHECK(value(&p, at) < lowest + 1e-9, "%d: %.12g, lowest %.12g", k, value(&p, at), lowest);
    }
    CHECK(kl_nn_trig_minimum(&at, 3, flat, NULL, &err) == 0 && at == 0);
    CHECK(kl_nn_trig_minimum(&at, 3, refuse, NULL, &err) == KL_EDATA);
    return failures != 0;
}
