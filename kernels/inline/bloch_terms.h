/* SPDX-License-Identifier: MIT
   Which terms of the series each lane of a block needs; for kernels/inline/bloch_pass.h. kl_lane_at(v,
   i) is lane i of v, kl_choose as in kernels/inline/lanes.h. */
#include <math.h>

#include "kernels/inline/series.h"

KL_NUMBER_INLINE kl_real kl_bloch_part(const struct kl_bloch *b)
{
    return (kl_real)(b->dt / b->substeps);
}
KL_NUMBER_INLINE kl_lane largest(kl_lane a, kl_lane b)
{
    return kl_choose(a > b, a, b);
}
KL_NUMBER_INLINE kl_lane absolute(kl_lane a)
{
    return largest(a, -a);
}

/* The norms of the lanes' generators times a substep, at most: |w| + the damping. Their squares without
   the damping are what the segments are looked at for. */
KL_NUMBER_INLINE kl_lane squares(const struct kl_bloch *b, const kl_real *u, const kl_real *params,
                                 size_t n)
{
    const kl_lane detuning = *(const kl_lane *)(params + KL_BLOCH_DETUNING * n);
    kl_lane most = { 0 };
    for (int s = 0; s < b->segments; s++) {
        const kl_real *at = u + (size_t)s * (size_t)b->controls * n;
        const kl_lane x = *(const kl_lane *)at, y = *(const kl_lane *)(at + n);
        kl_lane z = detuning;
        if (b->controls > 2) z += *(const kl_lane *)(at + 2 * n);
        most = largest(x * x + y * y + z * z, most);
    }
    return most;
}

/* terms[0 .. top] of the series for each lane, by its own norm; the return is top, over all lanes. A
   lane whose norm is over what kl_bloch_substeps was asked for gets no number: its series would not be
   exact. factors: kl_bloch_factors. */
KL_NUMBER_INLINE int terms_of(kl_lane *terms, const double *factors, const struct kl_bloch *b,
                              const kl_real *u, const kl_real *params, size_t n)
{
    const kl_real dt = kl_bloch_part(b);
    const kl_lane damping = absolute(*(const kl_lane *)(params + KL_BLOCH_DEPHASING * n)) +
                            absolute(*(const kl_lane *)(params + KL_BLOCH_DOWN * n)) +
                            absolute(*(const kl_lane *)(params + KL_BLOCH_UP * n)),
                  square = squares(b, u, params, n) * (4 * dt * dt);
    kl_lane norm = damping * dt, within = { 0 };
    int top = KL_SERIES_LEAST;
    for (int i = 0; i < KL_LANES; i++)
        kl_lane_at(norm, i) += (kl_real)sqrt((double)kl_lane_at(square, i));
    for (int i = 0; i < KL_LANES; i++) {
        const int m = kl_series_order(kl_lane_at(norm, i));
        kl_lane_at(within, i) = (kl_real)m;
        if (m > top) top = m;
    }
    for (int k = 0; k <= KL_BLOCH_MAX_ORDER; k++) {
        const kl_lane order = within - (kl_real)b->affine, here = (kl_lane){ 0 } + (kl_real)k;
        terms[k * KL_BLOCH_APART] =
            kl_choose(here <= order, (kl_lane){ 0 } + (kl_real)factors[k], (kl_lane){ 0 });
    }
    const kl_lane limit = (kl_lane){ 0 } + kl_series_norm[KL_BLOCH_MAX_ORDER - KL_SERIES_LEAST];
    terms[0] += kl_choose(norm <= limit, (kl_lane){ 0 }, (kl_lane){ 0 } + (kl_real)NAN);
    return top - b->affine;
}
