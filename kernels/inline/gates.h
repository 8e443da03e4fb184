/* SPDX-License-Identifier: MIT
   Rotations of a pair of amplitudes, written once over kl_lane: a vector of samples on the CPU
   (kernels/inline/real.h), one sample, or one amplitude of one, a thread on the GPU (kernels/cuda/).
   c, s: cosine and sine of half the angle. */
#ifndef KL_INLINE_GATES_H
#define KL_INLINE_GATES_H

#ifndef KL_INLINE
#define KL_INLINE static inline __attribute__((always_inline))
#endif

/* RY: real 2x2 rotation of a pair, exp(-i angle Y/2). */
KL_INLINE void kl_rotate(kl_lane *a, kl_lane *b, kl_lane c, kl_lane s)
{
    kl_lane x = *a, y = *b;
    *a = c * x - s * y;
    *b = s * x + c * y;
}

/* RX, exp(-i angle X/2), is that rotation between each real part and the other amplitude's imaginary
 * part.
 */
KL_INLINE void kl_rotate_x(kl_lane *ar, kl_lane *ai, kl_lane *br, kl_lane *bi, kl_lane c, kl_lane s)
{
    kl_rotate(bi, ar, c, s);
    kl_rotate(ai, br, c, s);
    /* exp(-i t X/2): ar' = c ar + s bi, bi' = c bi - s ar; br' = c br + s ai, ai' = c ai - s br */
}

/* Multiply by exp(-i angle/2). */
KL_INLINE void kl_phase(kl_lane *re, kl_lane *im, kl_lane c, kl_lane s)
{
    kl_lane x = *re, y = *im;
    *re = c * x + s * y;
    *im = c * y - s * x;
}

#endif
