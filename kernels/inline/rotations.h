/* SPDX-License-Identifier: MIT
   Rotations of one qubit between two moves of amplitudes, as one matrix, and the derivatives by their
   angles; written once over kl_lane, as gates.h. c, s: cosine and sine of half an angle. */
#ifndef KL_INLINE_TURNS_H
#define KL_INLINE_TURNS_H

#include "kernels/inline/gates.h"
#include "kernels/vqc.h"

/* [[a, -b*], [b, a*]] */
struct kl_matrix {
    kl_lane ar, ai, br, bi;
};

/* One more rotation behind it. */
KL_INLINE void kl_matrix_turn(struct kl_matrix *u, int gate, kl_lane c, kl_lane s)
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
    const kl_lane zero = { 0 };
    const struct kl_matrix u = { zero + 1, zero, zero, zero };
    return u;
}

/* Its inverse. */
KL_INLINE struct kl_matrix kl_matrix_back(struct kl_matrix u)
{
    const struct kl_matrix back = { u.ar, -u.ai, -u.br, -u.bi };
    return back;
}

KL_INLINE void kl_ingest_turn(kl_lane *xr, kl_lane *xi, kl_lane *yr, kl_lane *yi,
                              const struct kl_matrix *u)
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
KL_INLINE kl_lane *kl_generator(struct kl_generators *g, int gate)
{
    return gate == KL_VQC_RX ? &g->x : gate == KL_VQC_RY ? &g->y : &g->z;
}

/* Add the part of a pair of amplitudes x, y of the state and v, w of the bra. */
KL_INLINE void kl_add_generators(struct kl_generators *g, kl_lane xr, kl_lane xi, kl_lane yr, kl_lane yi,
                                 kl_lane vr, kl_lane vi, kl_lane wr, kl_lane wi)
{
    g->x += vr * yi - vi * yr + wr * xi - wi * xr;
    g->y += wr * xr + wi * xi - vr * yr - vi * yi;
    g->z += vr * xi - vi * xr - wr * yi + wi * yr;
}

/* One qubit after another taken out of a bra whose state is a product (of which a qubit's part is the
   first column of its u), the highest bit first. Inner products, conj(v) x, of the bra's halves where
   the qubit is 0, l, and where it is 1, h, with the state of the lower qubits: */
KL_INLINE void kl_add_inner(kl_lane *re, kl_lane *im, kl_lane vr, kl_lane vi, kl_lane xr, kl_lane xi)
{
    *re += vr * xr + vi * xi;
    *im += vr * xi - vi * xr;
}
/* what is left of an amplitude v where the qubit is 0 and its partner w: conj(a) v + conj(b) w, in v; */
KL_INLINE void kl_take_out(kl_lane *vr, kl_lane *vi, kl_lane wr, kl_lane wi, const struct kl_matrix *u)
{
    const kl_lane x = *vr, y = *vi;
    *vr = u->ar * x + u->ai * y + u->br * wr + u->bi * wi;
    *vi = u->ar * y - u->ai * x + u->br * wi - u->bi * wr;
}
/* and its generators behind the last turn. */
KL_INLINE struct kl_generators kl_product_generators(const struct kl_matrix *u, kl_lane lr, kl_lane li,
                                                     kl_lane hr, kl_lane hi)
{
    const struct kl_generators g = { lr * u->bi + li * u->br + hr * u->ai + hi * u->ar,
                                     li * u->bi - lr * u->br + hr * u->ar - hi * u->ai,
                                     lr * u->ai + li * u->ar - hr * u->bi - hi * u->br };
    return g;
}

/* On the way back through a rotation about P the two other generators turn by its angle. */
KL_INLINE void kl_generators_back(struct kl_generators *g, int gate, kl_lane c, kl_lane s)
{
    const kl_lane cc = c * c - s * s, ss = 2 * c * s;
    kl_lane *next = gate == KL_VQC_RX ? &g->y : gate == KL_VQC_RY ? &g->z : &g->x;
    kl_lane *last = gate == KL_VQC_RX ? &g->z : gate == KL_VQC_RY ? &g->x : &g->y;
    const kl_lane u = *next, v = *last;
    *next = cc * u + ss * v;
    *last = cc * v - ss * u;
}

#endif
