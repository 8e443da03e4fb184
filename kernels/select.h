/* SPDX-License-Identifier: MIT
   The choice of kernels, made once at start from what the processor has (or KETLINE_ISA=base|avx2|avx512, to reproduce a report).
   A family adds its fields here and its lines in select.c. */
#ifndef KL_SELECT_H
#define KL_SELECT_H

#include "kernels/gemm.h"

struct kl_kernels {
    const char *isa; /* "base", "avx2", "avx512" */
    kl_gemm_f32_fn gemm_f32;
    kl_gemm_f64_fn gemm_f64;
};

/* The best for this processor. */
const struct kl_kernels *kl_kernels(void);
/* The table of one instruction set, or NULL if this processor lacks it: for tests and benches. i = 0, 1, ... */
const struct kl_kernels *kl_kernels_of(int i);

#endif
