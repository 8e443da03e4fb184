/* SPDX-License-Identifier: MIT
   filter: the Fourier transform of a noise operator in the frame that a piecewise-constant pulse moves,
   at many frequencies, and the gradient of a weighted sum of its squares. Frequencies lie in lanes. No
   CUDA twin: a pulse at 500 frequencies takes a tenth of a millisecond. */
#ifndef KL_FILTER_H
#define KL_FILTER_H

#include <stddef.h>

#include "kernels/isa.h"

enum { KL_FILTER_LANES = 16, KL_FILTER_MAX_ORDER = 9, KL_FILTER_COEFFICIENTS = 10 };

/* A pulse has pieces of equal length 2h. In piece s, t after its middle, the operator is the vector
   a + b (1 - cos wt)/w^2 + d sin(wt)/w with real a, b, d; its 10 coefficients are a, b, d, z = -w^2.
   The series in z have `order` terms; enough are so many that (wh)^(2 order + 1) < 1e-16 (2 order + 2)!.
 */
struct kl_filter {
    int pieces, order;
    size_t n; /* frequencies, a multiple of KL_FILTER_LANES; those that fill up have weight 0 */
    const double *step;  /* [2][n] cosine and sine of omega 2h */
    const double *first; /* [2][n] of omega times the middle of the first piece */
    /* [1 + 2 KL_FILTER_MAX_ORDER][n] integrals from -h to h of: cos omega t; then, for m = 0, 1, ...,
       t^(2m+1)/(2m+1)! sin omega t and t^(2m+2)/(2m+2)! cos omega t. */
    const double *moments;
};
/* Numbers of workspace, aligned to 64 bytes. */
static inline size_t kl_filter_work(const struct kl_filter *f)
{
    return (size_t)f->pieces * KL_FILTER_COEFFICIENTS * 8;
}

/* power [n]: the sum over the three axes of |int y exp(i omega t) dt|^2. bar [pieces][10]: of
   sum weights * power, the derivatives by the coefficients [pieces][10]; NULL: not asked for, then
   weights and work may be NULL. */
typedef void kl_filter_power_fn(double *power, double *bar, const double *coefficients,
                                const double *weights, const struct kl_filter *f, double *work);
KL_KERNEL(kl_filter_power_fn, filter_power_f64)

#endif
