/* SPDX-License-Identifier: MIT
   Definition of the family; see kernels/gemm.h. */
#include "kernels/gemm.h"

#include "kernels/inline/real.h"

void KL_ISA_NAME(kl_gemm) KL_GEMM_ARGS(kl_real)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            kl_real sum = accumulate ? c[i * ldc + j] : 0;
            for (size_t p = 0; p < k; p++) sum += a[i * am + p * ak] * b[p * ldb + j];
            c[i * ldc + j] = sum;
        }
}
