/* SPDX-License-Identifier: MIT
   See kernels/density.h. The way back carries the outputs' weights as an observable in the same
   coefficients (Heisenberg's picture), through the transposed operations. With r and b as they stand
   when a level begins, the derivative by the angle of a rotation is b . G r, G being what the rotation
   adds at a small angle: a rotation commutes with its own G, and so does all else that comes before it
   in the level, being on other qubits. So one kept state a level gives all derivatives, and nothing is
   inverted. */
#include "kernels/density.h"

#include <string.h>

#include "kernels/inline/real.h"
#include "kernels/inline/vqc.h"

KL_INLINE kl_lane vector_of(const kl_real *values, int slot)
{
    return *(const kl_lane *)(values + (size_t)slot * KL_LANES);
}

static void rotate(kl_lane *r, const struct kl_density_op *op, kl_lane c, kl_lane s)
{
    for (size_t i = 0; i < op->n; i++) kl_rotate(&r[op->pairs[i].to], &r[op->pairs[i].from], c, s);
}

static void map(kl_lane *new, const kl_lane *old, const uint32_t *from, const double *scale, size_t n)
{
    for (size_t k = 0; k < n; k++) new[k] = (kl_real)scale[k] * old[from[k]];
}

/* <psi| P |psi> of real amplitudes: P|k> = i^y (-1)^|k&z| |k ^ x>, y being the number of Y; 0 where that
   is odd. */
KL_INLINE int is_odd(const struct kl_density_program *p, size_t i)
{
    return __builtin_parity(p->x[i] & p->z[i]);
}

KL_INLINE kl_real sign_of(uint32_t x, uint32_t z, size_t k)
{
    return __builtin_parity((unsigned)k & z) ^ (__builtin_popcount(x & z) >> 1 & 1) ? -1 : 1;
}

static void begin_given(kl_lane *r, const kl_lane *psi, const struct kl_density_program *p)
{
    const size_t n = (size_t)1 << p->n_qubits;
    for (size_t i = 0; i < p->n_coefficients; i++) {
        const uint32_t x = p->x[i], z = p->z[i];
        kl_lane sum = { 0 };
        for (size_t k = 0; k < n && !is_odd(p, i); k++) sum += sign_of(x, z, k) * psi[k] * psi[k ^ x];
        r[i] = sum;
    }
}

static void given_derivatives(kl_lane *half, const kl_lane *b, const kl_lane *psi,
                              const struct kl_density_program *p)
{
    const size_t n = (size_t)1 << p->n_qubits;
    memset(half, 0, n * sizeof *half);
    for (size_t i = 0; i < p->n_coefficients; i++) {
        const uint32_t x = p->x[i], z = p->z[i];
        for (size_t k = 0; k < n && !is_odd(p, i); k++) half[k] += sign_of(x, z, k) * b[i] * psi[k ^ x];
    }
}

static void begin(kl_lane *r, const struct kl_density_program *p)
{
    memset(r, 0, p->n_coefficients * sizeof *r);
    for (size_t i = 0; i < p->n_start; i++) r[p->start[i]] += (kl_real)1;
}

static void forward(kl_real *out, kl_real *state, kl_real *work, const struct kl_density_program *p,
                    const kl_real *cosine, const kl_real *sine)
{
    const size_t n = p->n_coefficients;
    kl_lane *r = (kl_lane *)work, *other = r + n, *to = (kl_lane *)out, *kept = (kl_lane *)state;
    if (p->from_given) begin_given(r, kept, p), kept += (size_t)1 << p->n_qubits;
    else begin(r, p);
    for (size_t i = 0; i < p->n_ops; i++) {
        const struct kl_density_op *op = &p->ops[i];
        switch (op->kind) {
        case KL_DENSITY_KEEP:
            memcpy(kept, r, n * sizeof *r);
            kept += n;
            break;
        case KL_DENSITY_ROTATE:
            rotate(r, op, vector_of(cosine, op->slot), vector_of(sine, op->slot));
            break;
        case KL_DENSITY_MAP: {
            kl_lane *old = r;
            map(other, old, op->map.from, op->map.scale, n);
            r = other, other = old;
            break;
        }
        case KL_DENSITY_SHIFT:
            for (size_t k = 0; k < op->n; k++)
                r[op->pairs[k].to] += (kl_real)op->factor * r[op->pairs[k].from];
        }
    }
    for (size_t o = 0; o < p->n_obs; o++) {
        kl_lane sum = { 0 };
        for (size_t t = p->first[o]; t < p->first[o + 1]; t++)
            sum += (kl_real)p->term[t].weight * r[p->term[t].place];
        to[o] = sum;
    }
}

/* The derivatives of a level's rotations, which are ops `first`, first + 1, ... */
static void differentiate(kl_real *dangle, const kl_lane *b, const kl_lane *r,
                          const struct kl_density_program *p, size_t first)
{
    for (size_t i = first; i < p->n_ops && p->ops[i].kind == KL_DENSITY_ROTATE; i++) {
        const struct kl_density_op *op = &p->ops[i];
        kl_lane sum = { 0 };
        for (size_t k = 0; k < op->n; k++) {
            const uint32_t to = op->pairs[k].to, from = op->pairs[k].from;
            sum += b[from] * r[to] - b[to] * r[from];
        }
        *(kl_lane *)(dangle + (size_t)op->slot * KL_LANES) = sum;
    }
}

static void adjoint(kl_real *dangle, kl_real *bra, const kl_real *state, kl_real *work,
                    const struct kl_density_program *p, const kl_real *cosine, const kl_real *sine,
                    const kl_real *cot)
{
    const size_t n = p->n_coefficients;
    const kl_lane *given = (const kl_lane *)state,
                  *kept = given + (p->from_given ? (size_t)1 << p->n_qubits : 0) + p->n_kept * n;
    kl_lane *b = (kl_lane *)work, *other = b + n;
    memset(b, 0, n * sizeof *b);
    for (size_t o = 0; o < p->n_obs; o++)
        for (size_t t = p->first[o]; t < p->first[o + 1]; t++)
            b[p->term[t].place] += (kl_real)p->term[t].weight * vector_of(cot, (int)o);
    for (size_t i = p->n_ops; i-- > 0;) {
        const struct kl_density_op *op = &p->ops[i];
        switch (op->kind) {
        case KL_DENSITY_KEEP:
            kept -= n;
            differentiate(dangle, b, kept, p, i + 1);
            break;
        case KL_DENSITY_ROTATE:
            rotate(b, op, vector_of(cosine, op->slot), -vector_of(sine, op->slot));
            break;
        case KL_DENSITY_MAP: {
            kl_lane *old = b;
            map(other, old, op->map.back, op->map.back_scale, n);
            b = other, other = old;
            break;
        }
        case KL_DENSITY_SHIFT:
            for (size_t k = 0; k < op->n; k++)
                b[op->pairs[k].from] += (kl_real)op->factor * b[op->pairs[k].to];
        }
    }
    if (p->from_given) given_derivatives((kl_lane *)bra, b, given, p);
}

#define KL_TABLE_NAME KL_ISA_NAME(kl_density)
const struct kl_density KL_TABLE_NAME = { forward, adjoint };
