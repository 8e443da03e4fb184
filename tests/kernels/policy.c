/* SPDX-License-Identifier: MIT
   checkkernels, family policy: every instruction set and precision against the formulas of
   kernels/policy.h in long double; activations also next to 0 and far from it. */
#include "kernels/policy.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "isas.h"
#include "numbers.h"

enum { UNITS = 21, MOST = 48, STEPS = 13, STRIDE = (UNITS + 2) * MOST };

static long double act_of(long double z, enum kl_policy_act act)
{
    switch (act) {
    case KL_POLICY_TANH: return tanhl(z);
    case KL_POLICY_RELU: return z > 0 ? z : 0;
    case KL_POLICY_ELU: return z > 0 ? z : expm1l(z);
    default: return z;
    }
}
static long double slope_of(long double y, enum kl_policy_act act)
{
    switch (act) {
    case KL_POLICY_TANH: return 1 - y * y;
    case KL_POLICY_RELU: return y > 0;
    case KL_POLICY_ELU: return y > 0 ? 1 : y + 1;
    default: return 1;
    }
}
static long double bend_of(long double y, long double dy, enum kl_policy_act act)
{
    return act == KL_POLICY_TANH ? -2 * y * dy : act == KL_POLICY_ELU && y <= 0 ? dy : 0;
}

#define CHECK(real, p, eps)                                                                             \
    static real v_##p[STEPS * STRIDE], c_##p[STEPS * MOST], x_##p[UNITS * MOST], y_##p[UNITS * MOST],   \
        z_##p[UNITS * MOST], e_##p[UNITS * MOST], bias_##p[UNITS], dots_##p[STEPS * MOST];              \
    static void fill_##p(void)                                                                          \
    {                                                                                                   \
        for (size_t i = 0; i < STEPS * STRIDE; i++) v_##p[i] = (real)uniform();                         \
        for (size_t i = 0; i < STEPS * MOST; i++) c_##p[i] = (real)uniform();                           \
        for (size_t i = 0; i < UNITS * MOST; i++)                                                       \
            x_##p[i] = (real)uniform(), z_##p[i] = (real)uniform();                                     \
        for (size_t i = 0; i < UNITS; i++) bias_##p[i] = (real)uniform();                               \
    }                                                                                                   \
    /* The sum that is added to start, and the size of the terms. */                                    \
    static long double sum_##p(long double *scale, real start, size_t i, size_t t, size_t n,            \
                               size_t steps)                                                            \
    {                                                                                                   \
        long double sum = start;                                                                        \
        *scale = fabsl(sum) + 1;                                                                        \
        for (size_t j = 0; j < steps; j++) {                                                            \
            const long double term = (long double)c_##p[j * n + t] * v_##p[j * STRIDE + i * n + t];     \
            sum += term, *scale += fabsl(term);                                                         \
        }                                                                                               \
        return sum;                                                                                     \
    }                                                                                                   \
    static int dots_check_##p(enum kl_isa k, size_t n, size_t steps)                                    \
    {                                                                                                   \
        int bad = 0;                                                                                    \
        kl_isa_policy_dots_##p(k)(dots_##p, v_##p, STRIDE, steps, x_##p, UNITS, n);                     \
        for (size_t j = 0; j < steps; j++)                                                              \
            for (size_t t = 0; t < n; t++) {                                                            \
                long double sum = 0;                                                                    \
                for (size_t i = 0; i < UNITS; i++)                                                      \
                    sum += (long double)v_##p[j * STRIDE + i * n + t] * x_##p[i * n + t];               \
                bad += far(kl_isa_name(k), "dots " #p, j * n + t, dots_##p[j * n + t], sum, UNITS, 4,   \
                           eps);                                                                        \
            }                                                                                           \
        return bad;                                                                                     \
    }                                                                                                   \
    static int layer_check_##p(enum kl_isa k, size_t n, size_t steps, enum kl_policy_act act, int with) \
    {                                                                                                   \
        long double scale;                                                                              \
        int bad = 0;                                                                                    \
        memcpy(y_##p, x_##p, sizeof y_##p);                                                             \
        kl_isa_policy_forward_##p(k)(y_##p, with ? bias_##p : NULL, v_##p, STRIDE, c_##p, steps, UNITS, \
                                     n, act);                                                           \
        for (size_t i = 0; i < UNITS * n; i++) {                                                        \
            const real start = x_##p[i];                                                                \
            long double want = sum_##p(&scale, start, i / n, i % n, n, steps);                          \
            if (with) want += bias_##p[i / n];                                                          \
            bad +=                                                                                      \
                far(kl_isa_name(k), "forward " #p, i, y_##p[i], act_of(want, act), scale + 1, 8, eps);  \
        }                                                                                               \
        real d[UNITS * MOST];                                                                           \
        memcpy(d, z_##p, sizeof d);                                                                     \
        kl_isa_policy_backward_##p(k)(d, with ? e_##p : NULL, y_##p, v_##p, STRIDE, c_##p, steps,       \
                                      UNITS, n, act);                                                   \
        for (size_t i = 0; i < UNITS * n; i++) {                                                        \
            const long double want = sum_##p(&scale, z_##p[i], i / n, i % n, n, steps);                 \
            bad += far(kl_isa_name(k), "backward " #p, i, d[i], want * slope_of(y_##p[i], act), scale,  \
                       8, eps);                                                                         \
            if (with) bad += far(kl_isa_name(k), "e " #p, i, e_##p[i], want, scale, 8, eps);            \
        }                                                                                               \
        if (!with) return bad;                                                                          \
        real before[UNITS * MOST];                                                                      \
        memcpy(before, d, sizeof d);                                                                    \
        kl_isa_policy_bend_##p(k)(d, e_##p, y_##p, x_##p, UNITS * n, act);                              \
        for (size_t i = 0; i < UNITS * n; i++)                                                          \
            bad +=                                                                                      \
                far(kl_isa_name(k), "bend " #p, i, d[i],                                                \
                    before[i] + (long double)e_##p[i] * bend_of(y_##p[i], x_##p[i], act), 8, 8, eps);   \
        return bad;                                                                                     \
    }                                                                                                   \
    static int turn_check_##p(enum kl_isa k, size_t n)                                                  \
    {                                                                                                   \
        int bad = 0;                                                                                    \
        kl_isa_policy_turn_##p(k)(y_##p, x_##p, c_##p, UNITS, n);                                       \
        for (size_t i = 0; i < UNITS; i++)                                                              \
            for (size_t t = 0; t < n; t++)                                                              \
                bad += far(kl_isa_name(k), "turn " #p, i * n + t, y_##p[t * UNITS + i],                 \
                           (long double)x_##p[i * n + t] * c_##p[t], 1, 1, eps);                        \
        return bad;                                                                                     \
    }                                                                                                   \
    /* To a few units in the last place of the value, however small. */                                 \
    static int tails_##p(enum kl_isa k, enum kl_policy_act act)                                         \
    {                                                                                                   \
        int bad = 0;                                                                                    \
        for (int e = -100; e <= 10; e++) {                                                              \
            real y[16], x[16];                                                                          \
            for (int i = 0; i < 16; i++)                                                                \
                y[i] = x[i] = (real)ldexp((i % 2 ? 1 : -1) * (1 + i / 16.0), e);                        \
            kl_isa_policy_forward_##p(k)(y, NULL, NULL, 0, NULL, 0, 1, 16, act);                        \
            for (int i = 0; i < 16; i++) {                                                              \
                const long double want = act_of(x[i], act);                                             \
                bad += far(kl_isa_name(k), "tails " #p, (size_t)(e + 100), y[i], want, fabsl(want), 6,  \
                           eps);                                                                        \
            }                                                                                           \
        }                                                                                               \
        real nan[16];                                                                                   \
        for (int i = 0; i < 16; i++) nan[i] = (real)(i ? 0 : NAN);                                      \
        kl_isa_policy_forward_##p(k)(nan, NULL, NULL, 0, NULL, 0, 1, 16, act);                          \
        if (act == KL_POLICY_TANH && (!isnan(nan[0]) || nan[1] != 0)) bad++;                            \
        return bad;                                                                                     \
    }                                                                                                   \
    static int check_##p(enum kl_isa k)                                                                 \
    {                                                                                                   \
        int bad = 0;                                                                                    \
        fill_##p();                                                                                     \
        for (size_t n = 16; n <= MOST; n += 16)                                                         \
            for (size_t steps = 0; steps <= STEPS; steps++) {                                           \
                bad += dots_check_##p(k, n, steps) + turn_check_##p(k, n);                              \
                for (int act = KL_POLICY_NONE; act <= KL_POLICY_ELU; act++)                             \
                    for (int with = 0; with < 2; with++)                                                \
                        bad += layer_check_##p(k, n, steps, (enum kl_policy_act)act, with);             \
            }                                                                                           \
        for (int act = KL_POLICY_NONE; act <= KL_POLICY_ELU; act++)                                     \
            bad += tails_##p(k, (enum kl_policy_act)act);                                               \
        return bad;                                                                                     \
    }
CHECK(float, f32, FLT_EPSILON)
CHECK(double, f64, DBL_EPSILON)

static int check(enum kl_isa k)
{
    return check_f32(k) + check_f64(k);
}

int main(int argc, char **argv)
{
    return with_each_isa(argc, argv, check, NULL);
}
