/* SPDX-License-Identifier: MIT
   The instruction set that kernels run with: the best that the processor has, or the one that
   KETLINE_ISA names (base, avx2, avx512; of arm64 neon alone), to reproduce a report; if the processor lacks that, the best
   below it. Each file of kernels/cpu is compiled once for each set. */
#ifndef KL_KERNELS_ISA_H
#define KL_KERNELS_ISA_H

#include <stdbool.h>

/* Lowest first. */
enum kl_isa { KL_ISA_BASE, KL_ISA_AVX2, KL_ISA_AVX512, KL_ISAS };

enum kl_isa kl_isa(void);
const char *kl_isa_name(enum kl_isa isa); /* as KETLINE_ISA has it */
/* For tests and benches. Does this processor have it (KL_ISAS: no, so that loops end there)? From now on
   all threads use it. */
bool kl_isa_is_here(enum kl_isa isa);
void kl_isa_use(enum kl_isa isa);

/* How many of them are built: one where the processor is another, and in builds for checkers of threads.
 */
#if !defined(KL_ISAS_BUILT) && defined(__x86_64__)
#define KL_ISAS_BUILT 3
#elif !defined(KL_ISAS_BUILT)
#define KL_ISAS_BUILT 1
#endif
#if KL_ISAS_BUILT == 3
#define KL_ISA_CHOICE(name)                     \
    (isa == KL_ISA_AVX512 ? &kl_##name##_avx512 \
     : isa == KL_ISA_AVX2 ? &kl_##name##_avx2   \
                          : &kl_##name##_base)
#else
#define KL_ISA_CHOICE(name) (&kl_##name##_base)
#endif

/* A family declares each of its kernels, or its table of them, by one line: KL_KERNEL(type, gemm_f32)
   says that kl_gemm_f32_base, _avx2 and _avx512 are of that type, and defines kl_isa_gemm_f32(isa)
   and kl_kernel_gemm_f32(), the one for this processor. A tool thus links the families that it uses
   alone. */
#define KL_KERNEL(type, name)                                           \
    extern type kl_##name##_base, kl_##name##_avx2, kl_##name##_avx512; \
    static inline type *kl_isa_##name(enum kl_isa isa)                  \
    {                                                                   \
        (void)isa;                                                      \
        return KL_ISA_CHOICE(name);                                     \
    }                                                                   \
    static inline type *kl_kernel_##name(void)                          \
    {                                                                   \
        return kl_isa_##name(kl_isa());                                 \
    }

#endif
