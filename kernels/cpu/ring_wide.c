/* SPDX-License-Identifier: MIT
   placeholder */
#include "kernels/inline/ring_wide.h"
void KL_ISA_NAME(kl_ring_wide_forward)(kl_real *state, const kl_real *turn, const struct kl_ring *ring, kl_real *work){(void)state,(void)turn,(void)ring,(void)work;}
void KL_ISA_NAME(kl_ring_wide_adjoint)(kl_real *dturn, kl_real *state, kl_real *bra, const kl_real *turn, const struct kl_ring *ring, kl_real *work){(void)dturn,(void)state,(void)bra,(void)turn,(void)ring,(void)work;}
void KL_ISA_NAME(kl_ring_wide_read)(kl_real *m, size_t stride, kl_real *norm, const kl_real *state, const struct kl_ring_mix *mix, const struct kl_ring *ring, kl_real *work){(void)m,(void)stride,(void)norm,(void)mix,(void)state,(void)ring,(void)work;}
void KL_ISA_NAME(kl_ring_wide_back)(kl_real *bra, kl_real *sums, kl_real *field, const kl_real *state, const kl_real *m, const kl_real *dm, size_t stride, const kl_real *norm, const struct kl_ring_mix *mix, const struct kl_ring *ring, kl_real *work){(void)bra,(void)sums,(void)field,(void)state,(void)m,(void)dm,(void)stride,(void)norm,(void)mix,(void)ring,(void)work;}
