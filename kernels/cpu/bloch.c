/* SPDX-License-Identifier: MIT
   Definition of the family; see kernels/bloch.h. The arithmetic is in kernels/inline/bloch_pass.h. */
#include "kernels/bloch.h"

#include <stdbool.h>

#include "kernels/inline/lanes.h"
#include "kernels/inline/series.h"

#define KL_DUAL 0
#include "kernels/inline/bloch_pass.h"
#undef KL_DUAL
#define KL_DUAL 1
#include "kernels/inline/bloch_pass.h"
#undef KL_DUAL

static inline kl_lane largest(kl_lane a, kl_lane b)
{
    return kl_choose(a > b, a, b);
}
static inline kl_lane absolute(kl_lane a)
{
    return largest(a, -a);
}

/* The norms of the lanes' generators times a substep, at most: |w| + the damping. Their squares without
   the damping are what the segments are looked at for. */
static kl_lane squares(const struct kl_bloch *b, const kl_real *u, const kl_real *params, size_t n)
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
   exact. */
static int terms_of(kl_lane *terms, const struct kl_bloch *b, const kl_real *u, const kl_real *params,
                    size_t n)
{
    const kl_real dt = (kl_real)(b->dt / b->substeps);
    const kl_lane damping = absolute(*(const kl_lane *)(params + KL_BLOCH_DEPHASING * n)) +
                            absolute(*(const kl_lane *)(params + KL_BLOCH_DOWN * n)) +
                            absolute(*(const kl_lane *)(params + KL_BLOCH_UP * n)),
                  square = squares(b, u, params, n) * (4 * dt * dt);
    kl_lane norm = damping * dt, within = { 0 };
    int top = KL_SERIES_LEAST;
    for (int i = 0; i < KL_LANES; i++) norm[i] += (kl_real)__builtin_sqrt((double)square[i]);
    for (int i = 0; i < KL_LANES; i++) {
        const int m = kl_series_order(norm[i]);
        within[i] = (kl_real)m;
        if (m > top) top = m;
    }
    double factor = 1;
    for (int k = 0; k <= KL_BLOCH_MAX_ORDER; k++) {
        if (k + b->affine > 1) factor /= k + b->affine;
        const kl_lane order = within - (kl_real)b->affine, here = (kl_lane){ 0 } + (kl_real)k;
        terms[k] = kl_choose(here <= order, (kl_lane){ 0 } + (kl_real)factor, (kl_lane){ 0 });
    }
    const kl_lane limit = (kl_lane){ 0 } + kl_series_norm[KL_BLOCH_MAX_ORDER - KL_SERIES_LEAST];
    terms[0] += kl_choose(norm <= limit, (kl_lane){ 0 }, (kl_lane){ 0 } + (kl_real)__builtin_nan(""));
    return top - b->affine;
}

/* The orders that are compiled unrolled (each costs the compiler half a second; a term more than needed is
   a factor of 0): a state or a gate without derivatives by parameters. */
#define UNROLLED(m)                                                  \
    if (top <= m) {                                                  \
        if (k->b->affine) run_plain(k, 1, 1, m, true, false, false); \
        else run_plain(k, 3, 0, m, true, false, false);              \
        return;                                                      \
    }
static void run_unrolled(const block_plain *k, int top)
{
    UNROLLED(6)
    UNROLLED(9)
    UNROLLED(12)
    UNROLLED(14)
    UNROLLED(18)
    UNROLLED(KL_BLOCH_MAX_ORDER)
}
static __attribute__((noinline)) void run_any(const block_plain *k, int top)
{
    run_plain(k, k->b->columns, k->b->affine, top, k->grad_u, k->grad_params, k->b->controls > 2);
}
static __attribute__((noinline)) void run_tangent(const block_dual *k, int top)
{
    run_dual(k, k->b->columns, k->b->affine, top, true, k->dgrad_params, k->b->controls > 2);
}

#define AT(p) ((p) ? (p) + at : NULL)

void KL_ISA_NAME(kl_bloch_gradient)(kl_real *loss, kl_real *grad_u, kl_real *grad_params, kl_real *ends,
                                    const kl_real *u, const kl_real *params, const kl_real *weights,
                                    const struct kl_bloch *b, size_t n, kl_real *work)
{
    kl_lane terms[KL_BLOCH_MAX_ORDER + 1];
    const bool unrolled =
        grad_u && !grad_params && b->controls == 2 && (b->affine ? b->columns == 1 : b->columns == 3);
    for (size_t at = 0; at < n; at += KL_LANES) {
        const block_plain k = { .b = b,
                                .n = n,
                                .u = u + at,
                                .params = params + at,
                                .weights = weights + at,
                                .loss = loss + at,
                                .grad_u = AT(grad_u),
                                .grad_params = AT(grad_params),
                                .ends = AT(ends),
                                .terms = terms,
                                .states = (vec_plain *)work };
        const int top = terms_of(terms, b, k.u, k.params, n);
        if (unrolled) run_unrolled(&k, top);
        else run_any(&k, top);
    }
}

void KL_ISA_NAME(kl_bloch_tangent)(kl_real *dloss, kl_real *dgrad_u, kl_real *dgrad_params,
                                   kl_real *loss, kl_real *grad_u, const kl_real *u, const kl_real *du,
                                   const kl_real *params, const kl_real *dparams, const kl_real *weights,
                                   const struct kl_bloch *b, size_t n, kl_real *work)
{
    kl_lane terms[KL_BLOCH_MAX_ORDER + 1];
    for (size_t at = 0; at < n; at += KL_LANES) {
        const block_dual k = { .b = b,
                               .n = n,
                               .u = u + at,
                               .du = du + at,
                               .params = params + at,
                               .dparams = AT(dparams),
                               .weights = weights + at,
                               .loss = AT(loss),
                               .grad_u = AT(grad_u),
                               .dloss = AT(dloss),
                               .dgrad_u = dgrad_u + at,
                               .dgrad_params = AT(dgrad_params),
                               .terms = terms,
                               .states = (vec_dual *)work };
        run_tangent(&k, terms_of(terms, b, k.u, k.params, n));
    }
}
