/* SPDX-License-Identifier: MIT
   kernels/cpu/ring_wide.c for the table of kernels/cpu/ring.c: the same of a group whose steps follow one
   another, the amplitudes of one in the lanes. */
#ifndef KL_INLINE_RING_WIDE_H
#define KL_INLINE_RING_WIDE_H

#include "kernels/inline/real.h"
#include "kernels/ring.h"

void KL_ISA_NAME(kl_ring_wide_forward)(kl_real *state, const kl_real *turn, const struct kl_ring *ring,
                                       kl_real *work);
void KL_ISA_NAME(kl_ring_wide_adjoint)(kl_real *dturn, kl_real *state, kl_real *bra, const kl_real *turn,
                                       const struct kl_ring *ring, kl_real *work);
void KL_ISA_NAME(kl_ring_wide_read)(kl_real *m, size_t stride, kl_real *norm, const kl_real *state,
                                    const struct kl_ring_mix *mix, const struct kl_ring *ring,
                                    kl_real *work);
void KL_ISA_NAME(kl_ring_wide_back)(kl_real *bra, kl_real *sums, kl_real *field, const kl_real *state,
                                    const kl_real *m, const kl_real *dm, size_t stride,
                                    const kl_real *norm, const struct kl_ring_mix *mix,
                                    const struct kl_ring *ring, kl_real *work);

#endif
