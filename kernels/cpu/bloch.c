/* SPDX-License-Identifier: MIT
   Definition of the family; see kernels/bloch.h. The arithmetic is in kernels/inline/bloch_*.h. */
#include "kernels/bloch.h"

#include <stdbool.h>

#include "kernels/inline/lanes.h"
#include "kernels/inline/series.h"

#define KL_BLOCH_APART 1
#define KL_BLOCH_AHEAD 0
#define KL_BLOCH_UNROLL _Pragma("GCC unroll 24")
#define KL_BLOCH_COLUMNS
#define KL_DUAL 0
#include "kernels/inline/bloch_pass.h"
#undef KL_DUAL
#define KL_DUAL 1
#include "kernels/inline/bloch_pass.h"
#undef KL_DUAL
#include "kernels/inline/bloch_terms.h"

/* The orders that are compiled unrolled (each costs the compiler half a second; a term more than needed
   is a factor of 0): a state or a gate without derivatives by parameters. */
#define UNROLLED(m)                                                        \
    if (top <= m) {                                                        \
        if (k->b->affine) run_plain(k, past, 1, 1, m, true, false, false); \
        else run_plain(k, past, 3, 0, m, true, false, false);              \
        return;                                                            \
    }
static void run_unrolled(const block_plain *k, int top)
{
    number_plain past[KL_BLOCH_MAX_ORDER];
    UNROLLED(6)
    UNROLLED(9)
    UNROLLED(12)
    UNROLLED(14)
    UNROLLED(18)
    UNROLLED(KL_BLOCH_MAX_ORDER)
}
static __attribute__((noinline)) void run_any(const block_plain *k, int top)
{
    number_plain past[KL_BLOCH_MAX_ORDER];
    run_plain(k, past, k->b->columns, k->b->affine, top, k->grad_u, k->grad_params, k->b->controls > 2);
}
static __attribute__((noinline)) void run_tangent(const block_dual *k, int top)
{
    number_dual past[KL_BLOCH_MAX_ORDER];
    run_dual(k, past, k->b->columns, k->b->affine, top, true, k->dgrad_params, k->b->controls > 2);
}

#define AT(p) ((p) ? (p) + at : NULL)

void KL_ISA_NAME(kl_bloch_gradient)(kl_real *loss, kl_real *grad_u, kl_real *grad_params, kl_real *ends,
                                    const kl_real *u, const kl_real *params, const kl_real *weights,
                                    const struct kl_bloch *b, size_t n, kl_real *work)
{
    double factors[KL_BLOCH_MAX_ORDER + 1];
    kl_lane terms[KL_BLOCH_MAX_ORDER + 1];
    kl_bloch_factors(factors, b->affine);
    const bool unrolled =
        grad_u && !grad_params && b->controls == 2 && (b->affine ? b->columns == 1 : b->columns == 3);
    for (size_t at = 0; at < n; at += KL_LANES) {
        const block_plain k = { .b = b,
                                .n = n,
                                .dt = kl_bloch_part(b),
                                .u = u + at,
                                .params = params + at,
                                .weights = weights + at,
                                .loss = loss + at,
                                .grad_u = AT(grad_u),
                                .grad_params = AT(grad_params),
                                .ends = AT(ends),
                                .terms = terms,
                                .states = (number_plain *)work };
        const int top = terms_of(terms, factors, b, k.u, k.params, n);
        if (unrolled) run_unrolled(&k, top);
        else run_any(&k, top);
    }
}

void KL_ISA_NAME(kl_bloch_tangent)(kl_real *dloss, kl_real *dgrad_u, kl_real *dgrad_params,
                                   kl_real *loss, kl_real *grad_u, const kl_real *u, const kl_real *du,
                                   const kl_real *params, const kl_real *dparams, const kl_real *weights,
                                   const struct kl_bloch *b, size_t n, kl_real *work)
{
    double factors[KL_BLOCH_MAX_ORDER + 1];
    kl_lane terms[KL_BLOCH_MAX_ORDER + 1];
    kl_bloch_factors(factors, b->affine);
    for (size_t at = 0; at < n; at += KL_LANES) {
        const block_dual k = { .b = b,
                               .n = n,
                               .dt = kl_bloch_part(b),
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
                               .states = (number_dual *)work };
        run_tangent(&k, terms_of(terms, factors, b, k.u, k.params, n));
    }
}
