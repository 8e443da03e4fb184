/* SPDX-License-Identifier: MIT
   Denormal numbers taken as zero while a loop runs: the moments of parameters whose gradient has become
   0 decay through them, at a hundred cycles each. */
#ifndef KL_FLUSH_H
#define KL_FLUSH_H

/* Returns what kl_flush_end puts back. The setting belongs to the calling thread. */
static inline unsigned kl_flush_begin(void)
{
#if defined(__SSE__)
    enum { FLUSH_TO_ZERO = 0x8000, DENORMALS_ARE_ZERO = 0x40 };
    const unsigned before = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(before | FLUSH_TO_ZERO | DENORMALS_ARE_ZERO);
    return before;
#elif defined(__aarch64__)
    const unsigned long flush_to_zero = 1ul << 24;
    unsigned long before;
    __asm__ volatile("mrs %0, fpcr" : "=r"(before));
    __asm__ volatile("msr fpcr, %0" : : "r"(before | flush_to_zero));
    return (unsigned)before;
#else
    return 0;
#endif
}

static inline void kl_flush_end(unsigned before)
{
#if defined(__SSE__)
    __builtin_ia32_ldmxcsr(before);
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"((unsigned long)before));
#else
    (void)before;
#endif
}

#endif
