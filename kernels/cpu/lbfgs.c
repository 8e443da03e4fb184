/* SPDX-License-Identifier: MIT
   Definition of the family, in double alone; see kernels/lbfgs.h. */
#include "kernels/lbfgs.h"

#include <stdbool.h>

#include "kernels/inline/lanes.h"

#if KL_F64

enum { ROW = KL_LBFGS_LANES };

static inline kl_lane get(const double *v, size_t i, int lane)
{
    return *(const kl_lane *)(v + i * ROW + lane);
}
static inline void put(double *v, size_t i, int lane, kl_lane value)
{
    *(kl_lane *)(v + i * ROW + lane) = value;
}
static inline kl_lane at_bound(const struct kl_lbfgs *b, size_t i, int lane, kl_lane value)
{
    const kl_lane x = get(b->x, i, lane), g = get(b->g, i, lane), zero = { 0 };
    const kl_lane_bits held = ((x <= b->low[i]) & (g > 0)) | ((x >= b->high[i]) & (g < 0));
    return kl_choose(held, zero, value);
}
static inline kl_lane larger(kl_lane a, kl_lane b)
{
    return kl_choose(a > b, a, b);
}
static inline kl_lane root(kl_lane a)
{
    for (int i = 0; i < KL_LANES; i++) a[i] = __builtin_sqrt(a[i]);
    return a;
}

/* Over what is free. */
static inline kl_lane product(const struct kl_lbfgs *b, const double *u, const double *v, int lane)
{
    kl_lane even = { 0 }, odd = { 0 };
    size_t i = 0;
    for (; i + 2 <= b->n; i += 2) {
        even += get(b->free, i, lane) * get(u, i, lane) * get(v, i, lane);
        odd += get(b->free, i + 1, lane) * get(u, i + 1, lane) * get(v, i + 1, lane);
    }
    if (i < b->n) even += get(b->free, i, lane) * get(u, i, lane) * get(v, i, lane);
    return even + odd;
}
/* d -= factor v */
static inline void subtract(const struct kl_lbfgs *b, const double *v, int lane, kl_lane factor)
{
    for (size_t i = 0; i < b->n; i++) put(b->d, i, lane, get(b->d, i, lane) - factor * get(v, i, lane));
}
static inline bool any(kl_lane rho)
{
    return kl_most_of_lanes(rho) > 0;
}

/* d becomes H d, with what is free of the pairs; those that have no curvature there are left out. A pair
   that is empty changes nothing: it is skipped where it is so in all lanes. */
static void recursion(struct kl_lbfgs *b, int lane)
{
    const kl_lane none = { 0 }, one = none + 1, tiny = none + 1e-280;
    kl_lane alpha[KL_LBFGS_PAIRS], rho[KL_LBFGS_PAIRS],
        scale = one / (root(product(b, b->d, b->d, lane)) + 1e-300), open = one;
    for (int k = 0; k < KL_LBFGS_PAIRS; k++) {
        const int p = (b->newest - k + 2 * KL_LBFGS_PAIRS) % KL_LBFGS_PAIRS;
        rho[p] = get(b->rho[p], 0, lane);
        if (!any(rho[p])) continue;
        const kl_lane sy = product(b, b->s[p], b->y[p], lane), yy = product(b, b->y[p], b->y[p], lane),
                      least = larger(1e-14 * yy, tiny);
        rho[p] = kl_choose(rho[p] > 0, kl_choose(sy > least, one / larger(sy, tiny), none), none);
        alpha[p] = rho[p] * product(b, b->s[p], b->d, lane);
        subtract(b, b->y[p], lane, alpha[p]);
        /* The newest pair that there is scales the first matrix. */
        scale = kl_choose(rho[p] * open > 0, one / (rho[p] * yy + 1e-300), scale);
        open = kl_choose(rho[p] > 0, none, open);
    }
    for (size_t i = 0; i < b->n; i++) put(b->d, i, lane, scale * get(b->d, i, lane));
    for (int k = KL_LBFGS_PAIRS - 1; k >= 0; k--) {
        const int p = (b->newest - k + 2 * KL_LBFGS_PAIRS) % KL_LBFGS_PAIRS;
        if (!any(rho[p])) continue;
        const kl_lane beta = rho[p] * product(b, b->y[p], b->d, lane);
        subtract(b, b->s[p], lane, beta - alpha[p]);
    }
}

void KL_ISA_NAME(kl_lbfgs_direction)(struct kl_lbfgs *b, double slope[KL_LBFGS_LANES],
                                     double size[KL_LBFGS_LANES])
{
    for (int lane = 0; lane < KL_LBFGS_LANES; lane += KL_LANES) {
        const kl_lane one = (kl_lane){ 0 } + 1;
        kl_lane most = { 0 }, along = { 0 }, steep = { 0 };
        for (size_t i = 0; i < b->n; i++) {
            const kl_lane free = at_bound(b, i, lane, one), g = free * get(b->g, i, lane);
            put(b->free, i, lane, free), put(b->d, i, lane, g);
            most = larger(most, larger(g, -g));
        }
        recursion(b, lane);
        for (size_t i = 0; i < b->n; i++) {
            const kl_lane free = get(b->free, i, lane), d = -free * get(b->d, i, lane),
                          g = get(b->g, i, lane);
            put(b->d, i, lane, d);
            along += g * d;
            steep -= free * g * g;
        }
        const kl_lane_bits descends = along < 0;
        for (size_t i = 0; i < b->n; i++)
            put(b->d, i, lane,
                kl_choose(descends, get(b->d, i, lane), -get(b->free, i, lane) * get(b->g, i, lane)));
        put(slope, 0, lane, kl_choose(descends, along, steep));
        put(size, 0, lane, most);
    }
}

void KL_ISA_NAME(kl_lbfgs_trial)(struct kl_lbfgs *b, double gain[KL_LBFGS_LANES],
                                 const double step[KL_LBFGS_LANES])
{
    for (int lane = 0; lane < KL_LBFGS_LANES; lane += KL_LANES) {
        const kl_lane t = get(step, 0, lane);
        kl_lane sum = { 0 };
        for (size_t i = 0; i < b->n; i++) {
            const kl_lane low = (kl_lane){ 0 } + b->low[i], high = (kl_lane){ 0 } + b->high[i],
                          x = get(b->x, i, lane);
            kl_lane to = x + t * get(b->d, i, lane);
            to = kl_choose(to < low, low, to);
            to = kl_choose(to > high, high, to);
            put(b->next_x, i, lane, to);
            sum += get(b->g, i, lane) * (to - x);
        }
        put(gain, 0, lane, sum);
    }
}

void KL_ISA_NAME(kl_lbfgs_update)(struct kl_lbfgs *b, const double accept[KL_LBFGS_LANES])
{
    const int p = (b->newest + 1) % KL_LBFGS_PAIRS;
    for (int lane = 0; lane < KL_LBFGS_LANES; lane += KL_LANES) {
        const kl_lane wanted = get(accept, 0, lane), none = { 0 };
        const kl_lane one = none + 1, pairs = wanted * wanted;
        const kl_lane_bits moves = wanted > 0, gains = wanted == one;
        kl_lane sy = { 0 }, yy = { 0 };
        for (size_t i = 0; i < b->n; i++) {
            const kl_lane x = get(b->x, i, lane), g = get(b->g, i, lane), next = get(b->next_x, i, lane),
                          next_g = get(b->next_g, i, lane), s = kl_choose(moves, next - x, none),
                          y = kl_choose(moves, next_g - g, none);
            put(b->s[p], i, lane, s), put(b->y[p], i, lane, y);
            put(b->x, i, lane, kl_choose(moves, next, x)),
                put(b->g, i, lane, kl_choose(moves, next_g, g));
            sy += s * y, yy += y * y;
        }
        const kl_lane least = larger(1e-14 * yy, none + 1e-280);
        const kl_lane_bits curves = sy > least, curved = gains & curves;
        put(b->rho[p], 0, lane, kl_choose(curved, 1 / (sy + 1e-300), none));
        const kl_lane_bits kept = (wanted >= none) & (pairs <= one);
        for (int k = 0; k < KL_LBFGS_PAIRS; k++)
            put(b->rho[k], 0, lane, kl_choose(kept, get(b->rho[k], 0, lane), none));
    }
    b->newest = p;
}

#endif
