/* SPDX-License-Identifier: MIT
   Gates on pairs of amplitudes, written once over a lane type; kl_lane is a vector of samples here. c, s:
   cosine and sine of half the angle. `im` is NULL where the state is real. */
#ifndef KL_INLINE_VQC_H
#define KL_INLINE_VQC_H

#include <stddef.h>

#include "kernels/inline/real.h"
#include "kernels/vqc.h"

#define KL_INLINE static inline __attribute__((always_inline))

/* RY: real 2x2 rotation of a pair, exp(-i angle Y/2). */
KL_INLINE void kl_rotate(kl_lane *a, kl_lane *b, kl_lane c, kl_lane s)
{
    kl_lane x = *a, y = *b;
    *a = c * x - s * y;
    *b = s * x + c * y;
}

/* RX, exp(-i angle X/2), is that rotation between each real part and the other amplitude's imaginary part.
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

/* Layers of RY (kernels/cpu/vqc_layers.c) and of any rotations (kernels/cpu/vqc_turns.c), for the tables of kernels/cpu/vqc.c. */
void KL_ISA_NAME(kl_vqc_layers_forward)(kl_real *out, kl_real *state, kl_real *work,
                                        const struct kl_vqc_layers *layers, const kl_real *cosine,
                                        const kl_real *sine);
void KL_ISA_NAME(kl_vqc_layers_adjoint)(kl_real *dangle, kl_real *state, kl_real *bra, kl_real *work,
                                        const struct kl_vqc_layers *layers, const kl_real *cosine,
                                        const kl_real *sine, const kl_real *cot);
void KL_ISA_NAME(kl_vqc_turns_forward)(kl_real *out, kl_real *state, const struct kl_vqc_turns *turns,
                                       const kl_real *cosine, const kl_real *sine);
/* out (n_targets, L): |<phi|psi>|^2 of each target (kernels/cpu/vqc_target.c); and bra += the sum of
   cot <phi|psi> phi. */
void KL_ISA_NAME(kl_vqc_fidelities)(kl_real *out, const kl_real *state,
                                    const struct kl_vqc_program *program);
void KL_ISA_NAME(kl_vqc_observe_targets)(kl_real *bra, const kl_real *state,
                                         const struct kl_vqc_program *program, const kl_real *cot);

#endif
