/* SPDX-License-Identifier: MIT
   fft: discrete Fourier transforms of several complex signals side by side in the lanes: X_k = sum_j x_j
   exp(-2 pi i j k / n), unscaled. Signals differ by lane alone, so neither the instruction set (AVX2,
   AVX-512) nor what stands beside changes a bit. Two real signals are the real and the imaginary part of
   one. No CUDA twin: a recording of 64 channels takes a few milliseconds, less than its way to a GPU. A
   point is a row of 64 bytes of real parts and one of imaginary parts, 2 KL_FFT_ROW numbers. */
#ifndef KL_FFT_H
#define KL_FFT_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/isa.h"

enum { KL_FFT_ROW_F32 = 16, KL_FFT_ROW_F64 = 8, KL_FFT_PASSES = 24 };

/* A length of factors 2, 3 and 5 is n1 * n2, columns and rows that fit into a near cache (Bailey 1990,
   "FFTs in external or hierarchical memory"); each is done by passes of radix 8, 4, 2, 3, 5, sorting
   themselves (Stockham 1966). Any other length goes through a convolution of a length that has such
   factors (Bluestein 1970): inner. */
#define KL_FFT_TYPES(real, p)                                                                        \
    struct kl_fft_factor_##p {                                                                       \
        size_t n;                                                                                    \
        int passes, radix[KL_FFT_PASSES];                                                            \
        real *twiddle[KL_FFT_PASSES]; /* of pass i, [n / (what was done) / radix][radix - 1][2] */   \
    };                                                                                               \
    struct kl_fft_##p {                                                                              \
        size_t n, work; /* work: numbers of workspace that a transform needs, aligned to 64 bytes */ \
        struct kl_fft_factor_##p columns, rows;                                                      \
        real *outer;              /* [n2][n1][2]: exp(-2 pi i j2 k1 / n); NULL: n2 is 1 */           \
        struct kl_fft_##p *inner; /* Bluestein's, else NULL */                                       \
        real *chirp, *kernel;     /* [n][2]: exp(-pi i j^2 / n); [inner->n][2], in inner's order */  \
        void *memory;             /* (hidden) */                                                     \
    };                                                                                               \
    /* columns: n1, a divisor of n that is good; 0: what is fastest. NULL: no memory, or n is 0. */  \
    struct kl_fft_##p *kl_fft_plan_##p(size_t n, size_t columns);                                    \
    void kl_fft_plan_free_##p(struct kl_fft_##p *plan);                                              \
    /* The place of X_k behind the forward transform: k1 = k mod n1, k2 = k / n1 at k1 n2 + k2. */   \
    static inline size_t kl_fft_place_##p(const struct kl_fft_##p *plan, size_t k)                   \
    {                                                                                                \
        return plan->inner ? k : k % plan->columns.n * plan->rows.n + k / plan->columns.n;           \
    }
KL_FFT_TYPES(float, f32)
KL_FFT_TYPES(double, f64)

/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_kernel_fft KL_NAME(kl_kernel_fft)()
#define kl_fft KL_NAME(kl_fft)
#define kl_fft_factor KL_NAME(kl_fft_factor)
#define kl_fft_plan KL_NAME(kl_fft_plan)
#define kl_fft_plan_free KL_NAME(kl_fft_plan_free)
#define kl_fft_table KL_NAME(kl_fft_table)

/* The least length from n on whose only factors are 2, 3 and 5 (three and five once or twice). */
size_t kl_fft_good_length(size_t n);

/* data [n][2][row]. forward: from the natural order to the plan's (kl_fft_place). backward: from the
   plan's order to the natural one, with exp(+2 pi i j k / n), unscaled. */
#define KL_FFT_ARGS(p, real) (const struct kl_fft_##p *plan, real *data, real *work)
/* Their two halves, of a plan without inner, so that what comes between (a filter, another length)
   happens while a row is near: forward is columns, then row for each of the n1 rows of n2 points;
   backward the rows first. */
#define KL_FFT_HALF_ARGS(p, real) (const struct kl_fft_##p *plan, real *data, real *work, bool backward)

#define KL_FFT_TABLE(real, p)                     \
    struct kl_fft_table_##p {                     \
        void(*forward) KL_FFT_ARGS(p, real);      \
        void(*backward) KL_FFT_ARGS(p, real);     \
        void(*columns) KL_FFT_HALF_ARGS(p, real); \
        void(*row) KL_FFT_HALF_ARGS(p, real);     \
    };
KL_FFT_TABLE(float, f32)
KL_FFT_TABLE(double, f64)

KL_KERNEL(const struct kl_fft_table_f32, fft_f32)
KL_KERNEL(const struct kl_fft_table_f64, fft_f64)

#endif
