/* SPDX-License-Identifier: MIT
   What the CPU's kernels of circuits have in common; kl_lane is a vector of samples here. */
#ifndef KL_INLINE_VQC_H
#define KL_INLINE_VQC_H

#include <stddef.h>

#include "kernels/inline/real.h" /* first: kl_lane */
#include "kernels/inline/rotations.h"

/* The product of the rotations from `turn` on, for every lane; its first column is what they make of
 * |0>. */
static inline void kl_matrix_of_rotations(struct kl_matrix *u, const struct kl_vqc_rotations *p,
                                          int turn, const kl_lane *cosine, const kl_lane *sine)
{
    *u = kl_matrix_identity();
    for (; turn >= 0; turn = p->turn[turn].next)
        kl_matrix_turn(u, p->turn[turn].gate, cosine[p->turn[turn].slot], sine[p->turn[turn].slot]);
}

/* The derivatives by all rotations of a qubit between two moves, from the generators behind the last
   one: on the way back through a rotation about P the two others turn by its angle (c, s are of half of
   it). Lanes [from, to) are set. */
static inline void kl_rotations_derivatives(kl_real *dangle, const struct kl_vqc_rotations *p, int turn,
                                            struct kl_generators g, const kl_lane *cosine,
                                            const kl_lane *sine, size_t from, size_t to)
{
    while (p->turn[turn].next >= 0) turn = p->turn[turn].next;
    for (; turn >= 0; turn = p->turn[turn].before) {
        const struct kl_vqc_turn *t = &p->turn[turn];
        const kl_lane *own = kl_generator(&g, t->gate);
        for (size_t l = from; l < to; l++) dangle[(size_t)t->slot * KL_LANES + l] = (*own)[l];
        kl_generators_back(&g, t->gate, cosine[t->slot], sine[t->slot]);
    }
}

/* Layers of RY (vqc_layers.c) and of any rotations (vqc_rotations.c; vqc_wide.c), for the tables of
   kernels/cpu/vqc/vqc.c. */
void KL_ISA_NAME(kl_vqc_layers_forward)(kl_real *out, kl_real *state, kl_real *work,
                                        const struct kl_vqc_layers *layers, const kl_real *cosine,
                                        const kl_real *sine);
void KL_ISA_NAME(kl_vqc_layers_adjoint)(kl_real *dangle, kl_real *state, kl_real *bra, kl_real *work,
                                        const struct kl_vqc_layers *layers, const kl_real *cosine,
                                        const kl_real *sine, const kl_real *cot);
void KL_ISA_NAME(kl_vqc_rotations_forward)(kl_real *out, kl_real *state,
                                           const struct kl_vqc_rotations *turns, const kl_real *cosine,
                                           const kl_real *sine);
/* out (n_targets, L): |<phi|psi>|^2 of each target (kernels/cpu/vqc/vqc_target.c); and bra += the sum of
   cot <phi|psi> phi. */
void KL_ISA_NAME(kl_vqc_fidelities)(kl_real *out, const kl_real *state,
                                    const struct kl_vqc_program *program);
void KL_ISA_NAME(kl_vqc_observe_targets)(kl_real *bra, const kl_real *state,
                                         const struct kl_vqc_program *program, const kl_real *cot);
void KL_ISA_NAME(kl_vqc_rotations_adjoint)(kl_real *dangle, kl_real *state, kl_real *bra,
                                           const struct kl_vqc_rotations *turns, const kl_real *cosine,
                                           const kl_real *sine, const kl_real *cot);
void KL_ISA_NAME(kl_vqc_wide_forward)(kl_real *out, kl_real *state, kl_real *work,
                                      const struct kl_vqc_rotations *turns, const kl_real *cosine,
                                      const kl_real *sine, size_t first, size_t count,
                                      struct kl_pool *pool);
void KL_ISA_NAME(kl_vqc_wide_adjoint)(kl_real *dangle, kl_real *state, kl_real *bra, kl_real *work,
                                      const struct kl_vqc_rotations *turns, const kl_real *cosine,
                                      const kl_real *sine, const kl_real *cot, size_t first,
                                      size_t count, struct kl_pool *pool);

#endif
