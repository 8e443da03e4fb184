/* SPDX-License-Identifier: MIT
   Gates on pairs of amplitudes, written once over a lane type; kl_lane is a vector of samples here. c,
   s: cosine and sine of half the angle. `im` is NULL where the state is real. */
#ifndef KL_INLINE_VQC_H
#define KL_INLINE_VQC_H

#include <stddef.h>

#include "kernels/inline/real.h" /* first: kl_lane */
#include "kernels/inline/gates.h"
#include "kernels/vqc.h"

/* What the rotations of a qubit between two moves make of it: [[a, -b*], [b, a*]]. */
struct kl_matrix {
    kl_lane ar, ai, br, bi;
};

/* One more rotation behind it. */
static inline void kl_matrix_turn(struct kl_matrix *u, enum kl_vqc_gate gate, kl_lane c, kl_lane s)
{
    if (gate == KL_VQC_RX) {
        kl_rotate_x(&u->ar, &u->ai, &u->br, &u->bi, c, s);
    } else if (gate == KL_VQC_RY) {
        kl_rotate(&u->ar, &u->br, c, s);
        kl_rotate(&u->ai, &u->bi, c, s);
    } else {
        kl_phase(&u->ar, &u->ai, c, s);
        kl_phase(&u->br, &u->bi, c, -s);
    }
}

KL_INLINE struct kl_matrix kl_matrix_identity(void)
{
    return (struct kl_matrix){ .ar = (kl_lane){ 0 } + (kl_real)1 };
}

/* The product of the rotations from `turn` on, for every lane; its first column is what they make of
 * |0>. */
static inline void kl_matrix_of_turns(struct kl_matrix *u, const struct kl_vqc_turns *p, int turn,
                                      const kl_lane *cosine, const kl_lane *sine)
{
    *u = kl_matrix_identity();
    for (; turn >= 0; turn = p->turn[turn].next)
        kl_matrix_turn(u, p->turn[turn].gate, cosine[p->turn[turn].slot], sine[p->turn[turn].slot]);
}

/* Its inverse. */
KL_INLINE struct kl_matrix kl_matrix_back(struct kl_matrix u)
{
    return (struct kl_matrix){ u.ar, -u.ai, -u.br, -u.bi };
}

KL_INLINE void kl_turn(kl_lane *xr, kl_lane *xi, kl_lane *yr, kl_lane *yi, const struct kl_matrix *u)
{
    const kl_lane a = *xr, b = *xi, c = *yr, d = *yi;
    *xr = u->ar * a - u->ai * b - u->br * c - u->bi * d;
    *xi = u->ar * b + u->ai * a - u->br * d + u->bi * c;
    *yr = u->br * a - u->bi * b + u->ar * c + u->ai * d;
    *yi = u->br * b + u->bi * a + u->ar * d - u->ai * c;
}

/* Im <bra| P |state> for P = X, Y, Z on one qubit: the derivatives by the angles of exp(-i angle P/2)
   right before the place where the inner products are taken. */
struct kl_generators {
    kl_lane x, y, z;
};

/* That of a rotation about P; MULTIRZ has Z. */
static inline kl_lane *kl_generator(struct kl_generators *g, enum kl_vqc_gate gate)
{
    return gate == KL_VQC_RX ? &g->x : gate == KL_VQC_RY ? &g->y : &g->z;
}

/* The derivatives by all rotations of a qubit between two moves, from the generators behind the last
   one: on the way back through a rotation about P the two others turn by its angle (c, s are of half of
   it). Lanes [from, to) are set. */
static inline void kl_turns_derivatives(kl_real *dangle, const struct kl_vqc_turns *p, int turn,
                                        struct kl_generators g, const kl_lane *cosine,
                                        const kl_lane *sine, size_t from, size_t to)
{
    while (p->turn[turn].next >= 0) turn = p->turn[turn].next;
    for (; turn >= 0; turn = p->turn[turn].before) {
        const struct kl_vqc_turn *t = &p->turn[turn];
        const kl_lane c = cosine[t->slot], s = sine[t->slot], cc = c * c - s * s, ss = 2 * c * s;
        const kl_lane *own = kl_generator(&g, t->gate);
        kl_lane *next = t->gate == KL_VQC_RX ? &g.y : t->gate == KL_VQC_RY ? &g.z : &g.x;
        kl_lane *last = t->gate == KL_VQC_RX ? &g.z : t->gate == KL_VQC_RY ? &g.x : &g.y;
        const kl_lane u = *next, v = *last;
        for (size_t l = from; l < to; l++) dangle[(size_t)t->slot * KL_LANES + l] = (*own)[l];
        *next = cc * u + ss * v;
        *last = cc * v - ss * u;
    }
}

/* Layers of RY (vqc_layers.c) and of any rotations (vqc_turns.c; vqc_wide.c), for the tables of
   kernels/cpu/vqc.c. */
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
void KL_ISA_NAME(kl_vqc_turns_adjoint)(kl_real *dangle, kl_real *state, kl_real *bra,
                                       const struct kl_vqc_turns *turns, const kl_real *cosine,
                                       const kl_real *sine, const kl_real *cot);
void KL_ISA_NAME(kl_vqc_wide_forward)(kl_real *out, kl_real *state, kl_real *work,
                                      const struct kl_vqc_turns *turns, const kl_real *cosine,
                                      const kl_real *sine, size_t first, size_t count,
                                      struct kl_pool *pool);
void KL_ISA_NAME(kl_vqc_wide_adjoint)(kl_real *dangle, kl_real *state, kl_real *bra, kl_real *work,
                                      const struct kl_vqc_turns *turns, const kl_real *cosine,
                                      const kl_real *sine, const kl_real *cot, size_t first,
                                      size_t count, struct kl_pool *pool);

#endif
