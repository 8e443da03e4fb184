/* SPDX-License-Identifier: MIT
   gemm: small and middle matrix products whose result does not depend on blocking, position or threads:
   every element is one chain of fused multiply-adds over k in rising order (with FMA hardware). So a
   product of heads side by side is bit for bit the product of each alone, which no BLAS promises. No
   cuda/ twin: cuBLAS does this on a GPU. */
#ifndef KL_GEMM_H
#define KL_GEMM_H

#include <stddef.h>

#include "kernels/isa.h"

/* C (m,n) = or += A (m,k) B (k,n). C row-major with row stride ldc; A any layout: A[i*am + p*ak]; B
   row-major with row stride ldb (n contiguous). accumulate: start the chains from C instead of 0. No
   alignment needed; C must not overlap A or B. */
#define KL_GEMM(real, p)                                                                    \
    typedef void kl_gemm_##p##_fn(real *c, size_t ldc, const real *a, size_t am, size_t ak, \
                                  const real *b, size_t ldb, size_t m, size_t n, size_t k,  \
                                  int accumulate);                                          \
    KL_KERNEL(kl_gemm_##p##_fn, gemm_##p)
KL_GEMM(float, f32)
KL_GEMM(double, f64)

/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_kernel_gemm KL_NAME(kl_kernel_gemm)()

#endif
