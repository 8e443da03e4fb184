/* SPDX-License-Identifier: MIT
   Precision and instruction set of the file being compiled. The Makefile compiles each kernels/cpu/ file
   for every pair (KL_F64 0|1) x (KL_ISA base|avx2|avx512), and each lib/ file that includes this header
   for both precisions. */
#ifndef KL_REAL_H
#define KL_REAL_H

#ifndef KL_F64
#define KL_F64 0
#endif

/* kl_head_loss -> kl_head_loss_f32 or kl_head_loss_f64. The header that declares a function or
   a struct of both precisions has the line `#define kl_head_loss kl_head_loss`: files that are
   compiled in both define and call kl_head_loss. */
#if KL_F64
typedef double kl_real;
#define KL_NAME(base) base##_f64
#else
typedef float kl_real;
#define KL_NAME(base) base##_f32
#endif

#ifdef KL_ISA
/* KL_ISA_NAME(kl_gemm) -> kl_gemm_f32_avx2. A base that is such a macro is not expanded. */
#if KL_F64
#define KL_ISA_NAME(base) KL_JOIN(base##_f64, KL_ISA)
#else
#define KL_ISA_NAME(base) KL_JOIN(base##_f32, KL_ISA)
#endif
#define KL_JOIN(a, b) KL_JOIN_(a, b)
#define KL_JOIN_(a, b) a##_##b

#if defined(__AVX512F__)
#define KL_VECTOR_BYTES 64
#elif defined(__AVX__)
#define KL_VECTOR_BYTES 32
#else
#define KL_VECTOR_BYTES 16
#endif
/* One hardware vector; KL_LANES samples (or columns) side by side. */
typedef kl_real kl_lane
    __attribute__((vector_size(KL_VECTOR_BYTES), aligned(sizeof(kl_real)), may_alias));
enum { KL_LANES = KL_VECTOR_BYTES / (int)sizeof(kl_real) };
#endif

#endif
