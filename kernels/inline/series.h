/* SPDX-License-Identifier: MIT
   How many terms of the exponential's Taylor series are exact to rounding. */
#ifndef KL_INLINE_SERIES_H
#define KL_INLINE_SERIES_H

#include "kernels/inline/real.h"

#ifndef KL_SERIES_TABLE /* where the GPU's own code reads it, kernels/cuda/bloch.cuh says so */
#define KL_SERIES_TABLE static const
#define KL_SERIES_INLINE static inline
#endif

/* kl_series_norm[m - KL_SERIES_LEAST]: the largest norm for which a series up to order m leaves out less
   than rounding, norm^(m+1) / (m+1)! = 1e-16 (3e-8 in float). 4e-16 in double was tried: no row of
   tests/bench/control.c is faster by more than 3 %. */
enum { KL_SERIES_LEAST = 4, KL_SERIES_MOST = 24 };
#define kl_series_norm KL_NAME(kl_series_norm)
KL_SERIES_TABLE double kl_series_norm_f64[] = { 0.0016, 0.0064, 0.0175, 0.0376, 0.0691, 0.1137, 0.1723,
                                             0.2454, 0.3331, 0.4351, 0.5509, 0.6800, 0.8218, 0.9755,
                                             1.1405, 1.3161, 1.5017, 1.6966, 1.9002, 2.1120, 2.3314 };
KL_SERIES_TABLE float kl_series_norm_f32[] = { 0.0815, 0.1668, 0.2845, 0.4318, 0.6051, 0.8011, 1.0165,
                                            1.2486, 1.4952, 1.7543, 2.0241, 2.3033, 2.5907, 2.8853,
                                            3.1862, 3.4927, 3.8041, 4.1200, 4.4399, 4.7633, 5.0899 };

/* KL_SERIES_MOST for larger norms as well, and for NaN. */
KL_SERIES_INLINE int kl_series_order(kl_real norm)
{
    int m = KL_SERIES_LEAST;
    while (m < KL_SERIES_MOST && !(norm <= kl_series_norm[m - KL_SERIES_LEAST])) m++;
    return m;
}

#endif
