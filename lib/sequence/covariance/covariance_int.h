/* SPDX-License-Identifier: MIT
   Private to lib/sequence/covariance: triangles and squares, half products, the first of several errors.
 */
#ifndef KL_SEQUENCE_COVARIANCE_INT_H
#define KL_SEQUENCE_COVARIANCE_INT_H

#include "base/base.h"

void kl_sequence_unpack(double *square, const double *triangle, size_t n);
void kl_sequence_pack(double *triangle, const double *square, size_t n);
/* The lower triangle (and a little more) of c (n, n) = a b, a by its strides as in kernels/gemm.h, b (k,
   n). */
void kl_sequence_half_product(double *c, const double *a, size_t am, size_t ak, const double *b,
                              size_t n, size_t k);
/* Of several threads, each with the number of the first item that failed (SIZE_MAX: none). */
int kl_sequence_first_error(const struct kl_error *errors, const size_t *failed, size_t threads,
                            struct kl_error *err);

#endif
