/* SPDX-License-Identifier: MIT
   Precision and instruction set of the file being compiled. The Makefile compiles each kernels/cpu/ file for every pair
   (KL_F64 0|1) x (KL_ISA base|avx2|avx512), and each lib/ file that includes this header for both precisions. */
#ifndef KL_REAL_H
#define KL_REAL_H

#ifndef KL_F64
#define KL_F64 0
#endif

#if KL_F64
typedef double kl_real;
#define KL_PRECISION f64
#else
typedef float kl_real;
#define KL_PRECISION f32
#endif

/* KL_NAME(kl_head_step) -> kl_head_step_f32 or kl_head_step_f64 */
#define KL_NAME(base) KL_JOIN(base, KL_PRECISION)
#define KL_JOIN(a, b) KL_JOIN_(a, b)
#define KL_JOIN_(a, b) a##_##b

#ifdef KL_ISA
/* KL_ISA_NAME(kl_gemm) -> kl_gemm_f32_avx2 */
#define KL_ISA_NAME(base) KL_JOIN(KL_NAME(base), KL_ISA)

#if defined(__AVX512F__)
#define KL_VECTOR_BYTES 64
#elif defined(__AVX__)
#define KL_VECTOR_BYTES 32
#else
#define KL_VECTOR_BYTES 16
#endif
/* One hardware vector; KL_LANES samples (or columns) side by side. */
typedef kl_real kl_lane __attribute__((vector_size(KL_VECTOR_BYTES), aligned(sizeof(kl_real)), may_alias));
enum { KL_LANES = KL_VECTOR_BYTES / (int)sizeof(kl_real) };
#endif

#endif
