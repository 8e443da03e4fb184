/* SPDX-License-Identifier: MIT
   Definition of the family; see kernels/policy.h. A vector of lanes goes through all units with the
   factors of up to MOST steps in registers; every lane is one chain, whatever the width of the vector.
 */
#include "kernels/policy.h"

#include "kernels/inline/elementary.h"

enum { MOST = 5, WIDTH = 2 }; /* WIDTH: vectors of a row that dots takes together */

/* ---- dot products ---- */

static inline __attribute__((always_inline)) void dots_of(kl_real *dots, const kl_real *v, size_t stride,
                                                          const int steps, const int width,
                                                          const kl_real *x, size_t units, size_t n)
{
    kl_lane sum[MOST][WIDTH];
#pragma GCC unroll 5
    for (int j = 0; j < steps; j++)
#pragma GCC unroll 2
        for (int w = 0; w < width; w++) sum[j][w] = (kl_lane){ 0 };
    for (size_t i = 0; i < units; i++, x += n, v += n) {
#pragma GCC unroll 2
        for (int w = 0; w < width; w++) {
            const kl_lane xi = *(const kl_lane *)(x + w * KL_LANES);
#pragma GCC unroll 5
            for (int j = 0; j < steps; j++)
                sum[j][w] += *(const kl_lane *)(v + (size_t)j * stride + w * KL_LANES) * xi;
        }
    }
#pragma GCC unroll 5
    for (int j = 0; j < steps; j++)
#pragma GCC unroll 2
        for (int w = 0; w < width; w++) *(kl_lane *)(dots + (size_t)j * n + w * KL_LANES) = sum[j][w];
}

#define DOTS(s)                                                                  \
    case s:                                                                      \
        if (width == 2) dots_of(dots + t, v + t, stride, s, 2, x + t, units, n); \
        else dots_of(dots + t, v + t, stride, s, 1, x + t, units, n);            \
        break;

void KL_ISA_NAME(kl_policy_dots)(kl_real *dots, const kl_real *v, size_t stride, size_t steps,
                                 const kl_real *x, size_t units, size_t n)
{
    for (; steps > 0;) {
        const size_t group = steps < MOST ? steps : MOST;
        const int width = n % (2 * KL_LANES) == 0 ? 2 : 1;
        for (size_t t = 0; t < n; t += (size_t)width * KL_LANES) switch (group) {
                DOTS(1) DOTS(2) DOTS(3) DOTS(4) DOTS(5)
            }
        dots += group * n, v += group * stride, steps -= group;
    }
}

/* ---- activations ---- */

static inline kl_lane act_of(kl_lane z, enum kl_policy_act act)
{
    switch (act) {
    case KL_POLICY_TANH: return kl_tanh_lane(z);
    case KL_POLICY_RELU: return kl_choose(z > 0, z, (kl_lane){ 0 });
    case KL_POLICY_ELU: {
        const kl_lane_bits above = z > 0;
        return kl_choose(above, z, kl_expm1_lane(kl_choose(above, (kl_lane){ 0 }, z)));
    }
    default: return z;
    }
}

/* By the output. */
static inline kl_lane slope_of(kl_lane y, enum kl_policy_act act)
{
    const kl_lane one = (kl_lane){ 0 } + 1;
    switch (act) {
    case KL_POLICY_TANH: return 1 - y * y;
    case KL_POLICY_RELU: return kl_choose(y > 0, one, (kl_lane){ 0 });
    case KL_POLICY_ELU: return kl_choose(y > 0, one, y + 1);
    default: return one;
    }
}

static inline kl_lane bend_of(kl_lane y, kl_lane dy, enum kl_policy_act act)
{
    switch (act) {
    case KL_POLICY_TANH: return -2 * y * dy;
    case KL_POLICY_ELU: return kl_choose(y > 0, (kl_lane){ 0 }, dy);
    default: return (kl_lane){ 0 };
    }
}

/* ---- sums of steps, and what is done with them ---- */

/* One pass of a vector of lanes over the units: what is added, and what becomes of the sum. */
struct pass {
    kl_real *y, *e;
    const kl_real *bias, *out, *v, *c;
    size_t stride, units, n;
};

static inline __attribute__((always_inline)) void pass_of(const struct pass *p, const int steps,
                                                          const int back, const enum kl_policy_act act)
{
    const size_t n = p->n, stride = p->stride;
    const kl_real *v = p->v, *bias = p->bias, *out = p->out;
    kl_real *y = p->y, *e = p->e;
    kl_lane c[MOST];
#pragma GCC unroll 5
    for (int j = 0; j < steps; j++) c[j] = *(const kl_lane *)(p->c + (size_t)j * n);
    for (size_t i = 0; i < p->units; i++) {
        kl_lane sum = *(kl_lane *)(y + i * n);
        if (bias) sum += bias[i];
#pragma GCC unroll 5
        for (int j = 0; j < steps; j++) sum += c[j] * *(const kl_lane *)(v + i * n + (size_t)j * stride);
        if (!back) {
            *(kl_lane *)(y + i * n) = act_of(sum, act);
            continue;
        }
        if (e) *(kl_lane *)(e + i * n) = sum;
        if (act) sum *= slope_of(*(const kl_lane *)(out + i * n), act);
        *(kl_lane *)(y + i * n) = sum;
    }
}

#define PASS(s)                                                              \
    case s:                                                                  \
        if (act == KL_POLICY_TANH) pass_of(p, s, back, KL_POLICY_TANH);      \
        else if (act == KL_POLICY_NONE) pass_of(p, s, back, KL_POLICY_NONE); \
        else if (act == KL_POLICY_RELU) pass_of(p, s, back, KL_POLICY_RELU); \
        else pass_of(p, s, back, KL_POLICY_ELU);                             \
        break;

static inline __attribute__((always_inline)) void pass_choose(const struct pass *p, size_t steps,
                                                              const int back, enum kl_policy_act act)
{
    switch (steps) {
        PASS(0) PASS(1) PASS(2) PASS(3) PASS(4) PASS(5)
    }
}

static void pass_forward(const struct pass *p, size_t steps, enum kl_policy_act act)
{
    pass_choose(p, steps, 0, act);
}

static void pass_backward(const struct pass *p, size_t steps, enum kl_policy_act act)
{
    pass_choose(p, steps, 1, act);
}

/* Groups before the last only add. */
static inline __attribute__((always_inline)) void
passes(struct pass whole, size_t steps, enum kl_policy_act act,
       void (*last)(const struct pass *p, size_t steps, enum kl_policy_act act))
{
    for (; steps > MOST; steps -= MOST) {
        for (size_t t = 0; t < whole.n; t += KL_LANES) {
            struct pass p = whole;
            p.y += t, p.v += t, p.c += t, p.e = NULL;
            pass_forward(&p, MOST, KL_POLICY_NONE);
        }
        whole.bias = NULL, whole.v += MOST * whole.stride, whole.c += MOST * whole.n;
    }
    for (size_t t = 0; t < whole.n; t += KL_LANES) {
        struct pass p = whole;
        p.y += t, p.v = p.v ? p.v + t : NULL, p.c = p.c ? p.c + t : NULL;
        p.out = p.out ? p.out + t : NULL, p.e = p.e ? p.e + t : NULL;
        last(&p, steps, act);
    }
}

void KL_ISA_NAME(kl_policy_forward)(kl_real *y, const kl_real *bias, const kl_real *v, size_t stride,
                                    const kl_real *c, size_t steps, size_t units, size_t n,
                                    enum kl_policy_act act)
{
    passes(
        (struct pass){ .y = y, .bias = bias, .v = v, .c = c, .stride = stride, .units = units, .n = n },
        steps, act, pass_forward);
}

void KL_ISA_NAME(kl_policy_backward)(kl_real *d, kl_real *e, const kl_real *y, const kl_real *v,
                                     size_t stride, const kl_real *c, size_t steps, size_t units,
                                     size_t n, enum kl_policy_act act)
{
    passes(
        (struct pass){
            .y = d, .e = e, .out = y, .v = v, .c = c, .stride = stride, .units = units, .n = n },
        steps, act, pass_backward);
}

void KL_ISA_NAME(kl_policy_bend)(kl_real *d, const kl_real *e, const kl_real *y, const kl_real *dy,
                                 size_t count, enum kl_policy_act act)
{
    for (size_t i = 0; i < count; i += KL_LANES)
        *(kl_lane *)(d + i) += *(const kl_lane *)(e + i) *
                               bend_of(*(const kl_lane *)(y + i), *(const kl_lane *)(dy + i), act);
}

/* Sixteen units at a time: a lane's row is then written by whole lines of the cache. */
void KL_ISA_NAME(kl_policy_turn)(kl_real *to, const kl_real *from, const kl_real *c, size_t units,
                                 size_t n)
{
    enum { BLOCK = 16 };
    for (size_t first = 0; first < units; first += BLOCK) {
        const size_t end = units - first < BLOCK ? units : first + BLOCK;
        for (size_t t = 0; t < n; t++)
            for (size_t i = first; i < end; i++) to[t * units + i] = from[i * n + t] * c[t];
    }
}
