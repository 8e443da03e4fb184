/* SPDX-License-Identifier: MIT
   See kernels/vqc.h. Every gate is one pass over the pairs of amplitudes that it mixes; the adjoint pass
   takes the inner product that gives the derivative and undoes the gate on state and bra while the pair
   is in registers. */
#include "kernels/vqc.h"

#include <math.h>
#include <string.h>

#include "kernels/inline/real.h"
#include "kernels/inline/vqc.h"

struct halves {
    kl_lane *re, *im; /* im NULL: a real state */
};

static struct halves halves_of(kl_real *state, const struct kl_vqc_program *p)
{
    kl_lane *re = (kl_lane *)state;
    return (struct halves){ re, p->real ? NULL : re + ((size_t)1 << p->n_qubits) };
}

KL_INLINE kl_lane vector_of(const kl_real *values, int slot)
{
    return *(const kl_lane *)(values + (size_t)slot * KL_LANES);
}

/* for each pair (i, j = i | target) whose control bits are set */
#define FOR_PAIRS(op, n)                                                      \
    for (size_t base_ = 0, j; base_ < (n); base_ += 2 * (size_t)(op)->target) \
        for (size_t i = base_; i < base_ + (op)->target; i++)                 \
            if (((i & (op)->control) == (op)->control) && (j = i | (op)->target, true))

static void apply_pairs(struct halves h, const struct kl_vqc_op *op, size_t n, kl_lane c, kl_lane s)
{
    switch (op->gate) {
    case KL_VQC_RY:
        FOR_PAIRS(op, n) kl_rotate(&h.re[i], &h.re[j], c, s);
        if (h.im) FOR_PAIRS(op, n) kl_rotate(&h.im[i], &h.im[j], c, s);
        break;
    case KL_VQC_RX: FOR_PAIRS(op, n) kl_rotate_x(&h.re[i], &h.im[i], &h.re[j], &h.im[j], c, s); break;
    case KL_VQC_RZ:
        FOR_PAIRS(op, n)
        {
            kl_phase(&h.re[i], &h.im[i], c, s);
            kl_phase(&h.re[j], &h.im[j], c, -s);
        }
        break;
    default: break;
    }
}

static void hadamard(kl_lane *a, const struct kl_vqc_op *op, size_t n)
{
    const kl_real r = (kl_real)0.70710678118654752440;
    FOR_PAIRS(op, n)
    {
        kl_lane x = a[i], y = a[j];
        a[i] = r * (x + y);
        a[j] = r * (x - y);
    }
}

static void exchange(kl_lane *a, const struct kl_vqc_op *op, size_t n)
{
    FOR_PAIRS(op, n)
    {
        kl_lane x = a[i];
        a[i] = a[j];
        a[j] = x;
    }
}

/* Gates without an angle are their own inverses. */
static void apply_fixed(struct halves h, const struct kl_vqc_op *op, size_t n)
{
    for (kl_lane *a = h.re; a; a = a == h.re ? h.im : NULL) {
        if (op->gate == KL_VQC_H) hadamard(a, op, n);
        if (op->gate == KL_VQC_X) exchange(a, op, n);
        if (op->gate == KL_VQC_CZ)
            for (size_t i = 0; i < n; i++)
                if ((i & op->target) == op->target) a[i] = -a[i];
    }
}

static void apply_rotation(struct halves h, const struct kl_vqc_op *op, size_t n, kl_lane c, kl_lane s)
{
    if (op->gate == KL_VQC_MULTIRZ) {
        for (size_t i = 0; i < n; i++)
            kl_phase(&h.re[i], &h.im[i], c, __builtin_parity((unsigned)i & op->target) ? -s : s);
    } else {
        apply_pairs(h, op, n, c, s);
    }
}

/* The matrix of KL_VQC_MIX. */
struct mix {
    kl_lane a, b, c, d;
};

static struct mix mix_of(const kl_real *cosine, const kl_real *sine, int slot)
{
    return (struct mix){ vector_of(cosine, slot), vector_of(sine, slot), vector_of(sine, slot + 1),
                         vector_of(cosine, slot + 1) };
}

static void mix(struct halves h, const struct kl_vqc_op *op, size_t n, struct mix m)
{
    for (kl_lane *v = h.re; v; v = v == h.re ? h.im : NULL) FOR_PAIRS(op, n)
        {
            const kl_lane x = v[i], y = v[j];
            v[i] = m.a * x + m.b * y;
            v[j] = m.c * x + m.d * y;
        }
}

/* Its inverse on the state, its transpose on the bra. */
static void undo_mix(struct halves a, struct halves b, const struct kl_vqc_op *op, size_t n,
                     struct mix m)
{
    const kl_lane zero = { 0 }, scale = (zero + 1) / (m.a * m.d - m.b * m.c);
    mix(a, op, n, (struct mix){ scale * m.d, -scale * m.b, -scale * m.c, scale * m.a });
    mix(b, op, n, (struct mix){ m.a, m.c, m.b, m.d });
}

/* Im <bra| P |state>, summed over the pair, for P = Y, X, Z: the derivative by the angle of exp(-i angle
   P/2). */
KL_INLINE kl_lane derivative_y(const kl_lane *b, const kl_lane *a, size_t i, size_t j)
{
    return b[j] * a[i] - b[i] * a[j];
}

/* The derivative of one rotation, and the rotation undone on both. */
static kl_lane undo_rotation(struct halves a, struct halves b, const struct kl_vqc_op *op, size_t n,
                             kl_lane c, kl_lane s)
{
    kl_lane sum = { 0 };
    s = -s;
    switch (op->gate) {
    case KL_VQC_RY:
        for (int part = 0; part < (a.im ? 2 : 1); part++) {
            kl_lane *x = part ? a.im : a.re, *y = part ? b.im : b.re;
            FOR_PAIRS(op, n)
            {
                sum += derivative_y(y, x, i, j);
                kl_rotate(&x[i], &x[j], c, s);
                kl_rotate(&y[i], &y[j], c, s);
            }
        }
        break;
    case KL_VQC_RX:
        FOR_PAIRS(op, n)
        {
            sum += b.re[i] * a.im[j] - b.im[i] * a.re[j] + b.re[j] * a.im[i] - b.im[j] * a.re[i];
            kl_rotate_x(&a.re[i], &a.im[i], &a.re[j], &a.im[j], c, s);
            kl_rotate_x(&b.re[i], &b.im[i], &b.re[j], &b.im[j], c, s);
        }
        break;
    case KL_VQC_RZ:
        FOR_PAIRS(op, n)
        {
            sum += b.re[i] * a.im[i] - b.im[i] * a.re[i] - b.re[j] * a.im[j] + b.im[j] * a.re[j];
            kl_phase(&a.re[i], &a.im[i], c, s);
            kl_phase(&a.re[j], &a.im[j], c, -s);
            kl_phase(&b.re[i], &b.im[i], c, s);
            kl_phase(&b.re[j], &b.im[j], c, -s);
        }
        break;
    default: /* KL_VQC_MULTIRZ */
        for (size_t i = 0; i < n; i++) {
            kl_real sign = __builtin_parity((unsigned)i & op->target) ? -1 : 1;
            sum += sign * (b.re[i] * a.im[i] - b.im[i] * a.re[i]);
            kl_phase(&a.re[i], &a.im[i], c, sign * s);
            kl_phase(&b.re[i], &b.im[i], c, sign * s);
        }
    }
    return sum;
}

/* A Pauli string takes amplitude k to k ^ x, times (-1)^parity(k & z) and i^(number of Y): P|k> = i^y
   (-1)^|k&z| |k ^ x>. */
struct string {
    uint32_t x, z;
    int y; /* number of Y modulo 4 */
};

static struct string string_of(struct kl_vqc_observable o)
{
    return (struct string){ o.x, o.z, __builtin_popcount(o.x & o.z) & 3 };
}

/* (P state)[k], real and imaginary part */
KL_INLINE void string_amplitude(kl_lane *re, kl_lane *im, struct halves a, struct string p, size_t k)
{
    size_t from = k ^ p.x;
    kl_real sign = __builtin_parity((unsigned)from & p.z) ? -1 : 1;
    kl_lane r = sign * a.re[from], m = { 0 };
    if (a.im) m = sign * a.im[from];
    if (p.y & 2) r = -r, m = -m;
    *re = p.y & 1 ? -m : r;
    *im = p.y & 1 ? r : m;
}

static kl_lane expectation(struct halves a, struct string p, size_t n)
{
    kl_lane sum = { 0 }, re, im;
    for (size_t k = 0; k < n; k++) {
        string_amplitude(&re, &im, a, p, k);
        sum += a.re[k] * re;
        if (a.im) sum += a.im[k] * im;
    }
    return sum;
}

KL_INLINE kl_lane probability_of(struct halves a, size_t k)
{
    return a.im ? a.re[k] * a.re[k] + a.im[k] * a.im[k] : a.re[k] * a.re[k];
}

/* Strings of Z alone need only the probabilities, which are read once for all of them. */
static void expectations(kl_real *out, struct halves a, const struct kl_vqc_program *p, size_t n)
{
    kl_lane *to = (kl_lane *)out;
    for (size_t k = 0; p->probabilities && k < n; k++) to[k] = probability_of(a, k);
    if (p->probabilities) return;
    for (size_t o = 0; o < p->n_obs; o++) {
        to[o] = (kl_lane){ 0 };
        if (p->obs[o].x) to[o] = expectation(a, string_of(p->obs[o]), n);
    }
    for (size_t k = 0; k < n; k++) {
        kl_lane probability = probability_of(a, k);
        for (size_t o = 0; o < p->n_obs; o++)
            if (!p->obs[o].x)
                to[o] += __builtin_parity((unsigned)k & p->obs[o].z) ? -probability : probability;
    }
}

static void forward(kl_real *out, kl_real *state, const struct kl_vqc_program *p, const kl_real *cosine,
                    const kl_real *sine)
{
    size_t n = (size_t)1 << p->n_qubits;
    struct halves h = halves_of(state, p);
    if (!p->from_given) {
        memset(state, 0, (p->real ? 1 : 2) * n * sizeof(kl_lane));
        h.re[0] += (kl_real)1;
    }
    for (size_t k = 0; k < p->n_ops; k++) {
        const struct kl_vqc_op *op = &p->ops[k];
        if (op->slot < 0) apply_fixed(h, op, n);
        else if (op->gate == KL_VQC_MIX) mix(h, op, n, mix_of(cosine, sine, op->slot));
        else apply_rotation(h, op, n, vector_of(cosine, op->slot), vector_of(sine, op->slot));
    }
    expectations(out, h, p, n);
    if (p->n_targets) KL_ISA_NAME(kl_vqc_fidelities)(out + p->n_obs * KL_LANES, state, p);
}

/* bra = sum_k cot_k P_k |state> */
static void observe(struct halves b, struct halves a, const struct kl_vqc_program *p, const kl_real *cot,
                    size_t n)
{
    for (size_t k = 0; k < n; k++) { /* all strings of Z alone in one pass */
        kl_lane weight = { 0 };
        if (p->probabilities) weight = vector_of(cot, (int)k);
        for (size_t o = 0; !p->probabilities && o < p->n_obs; o++) {
            if (p->obs[o].x) continue;
            kl_lane c = vector_of(cot, (int)o);
            weight += __builtin_parity((unsigned)k & p->obs[o].z) ? -c : c;
        }
        b.re[k] = weight * a.re[k];
        if (b.im) b.im[k] = weight * a.im[k];
    }
    for (size_t o = 0; !p->probabilities && o < p->n_obs; o++) {
        struct string s = string_of(p->obs[o]);
        kl_lane weight = vector_of(cot, (int)o), re, im;
        for (size_t k = 0; s.x && k < n; k++) {
            string_amplitude(&re, &im, a, s, k);
            b.re[k] += weight * re;
            if (b.im) b.im[k] += weight * im;
        }
    }
}

static void adjoint(kl_real *dangle, kl_real *state, kl_real *bra, const struct kl_vqc_program *p,
                    const kl_real *cosine, const kl_real *sine, const kl_real *cot)
{
    size_t n = (size_t)1 << p->n_qubits;
    struct halves a = halves_of(state, p), b = halves_of(bra, p);
    observe(b, a, p, cot, n);
    if (p->n_targets) KL_ISA_NAME(kl_vqc_observe_targets)(bra, state, p, cot + p->n_obs * KL_LANES);
    for (size_t k = p->n_ops; k-- > 0;) {
        const struct kl_vqc_op *op = &p->ops[k];
        if (op->slot < 0) {
            apply_fixed(a, op, n);
            apply_fixed(b, op, n);
            continue;
        }
        if (op->gate == KL_VQC_MIX) {
            undo_mix(a, b, op, n, mix_of(cosine, sine, op->slot));
            continue;
        }
        *(kl_lane *)(dangle + (size_t)op->slot * KL_LANES) =
            undo_rotation(a, b, op, n, vector_of(cosine, op->slot), vector_of(sine, op->slot));
    }
}

#if !KL_F64
typedef int32_t whole __attribute__((vector_size(KL_VECTOR_BYTES)));

/* Cody and Waite's reduction by pi/2 in three parts, then minimax polynomials on [-pi/4, pi/4] (S.
   Moshier's Cephes coefficients); the error is below 1.2e-7 for |angle| <= FAR. Adding `round` leaves
   the nearest whole number in the last bits. */
enum { FAR = 8192 };
KL_INLINE void half_angles_near(kl_lane *cosine, kl_lane *sine, kl_lane angle)
{
    const float round = 12582912; /* 1.5 * 2^23 */
    kl_lane x = 0.5f * angle, shifted = x * 0.636619772f + round, q = shifted - round;
    kl_lane r = ((x - q * 1.5703125f) - q * 4.837512969970703e-4f) - q * 7.549789948768648e-8f,
            z = r * r;
    kl_lane s = r + r * z * (-1.6666654611e-1f + z * (8.3321608736e-3f + z * -1.9515295891e-4f));
    kl_lane c =
        1 - 0.5f * z +
        z * z * (4.166664568298827e-2f + z * (-1.388731625493765e-3f + z * 2.443315711809948e-5f));
    whole quadrant = (whole)shifted, swap = -(quadrant & 1);
    whole a = ((whole)c & swap) | ((whole)s & ~swap), b = ((whole)s & swap) | ((whole)c & ~swap);
    *sine = (kl_lane)(a ^ (quadrant & 2) << 30);
    *cosine = (kl_lane)(b ^ ((quadrant + 1) & 2) << 30);
}

KL_INLINE whole is_far(kl_lane angle)
{
    return (angle > FAR) | (angle < -FAR);
}

KL_INLINE bool any(whole lanes)
{
    int32_t all = 0;
    for (int l = 0; l < KL_LANES; l++) all |= lanes[l];
    return all;
}
#endif

/* Far angles, which are rare, and double take the library's way. */
static void half_angles(kl_real *cosine, kl_real *sine, const kl_real *angle, size_t n)
{
#if KL_F64
    for (size_t i = 0; i < n; i += KL_LANES) {
        kl_real kept[KL_LANES];
        memcpy(kept, angle + i, sizeof kept);
        for (int l = 0; l < KL_LANES; l++) {
            kl_real *c = &cosine[i + (size_t)l], *s = &sine[i + (size_t)l];
            if (l && kept[l] == kept[l - 1]) *c = c[-1], *s = s[-1]; /* the weights; a shifted circuit */
            else sincos(0.5 * kept[l], s, c);
        }
    }
#else
    whole far = { 0 };
    for (size_t i = 0; i < n; i += KL_LANES) far |= is_far(*(const kl_lane *)(angle + i));
    const bool some = any(far);
    for (size_t i = 0; i < n; i += KL_LANES) {
        const kl_lane kept = *(const kl_lane *)(angle + i);
        half_angles_near((kl_lane *)(cosine + i), (kl_lane *)(sine + i), kept);
        for (int l = 0; some && any(is_far(kept)) && l < KL_LANES; l++)
            sincosf(0.5f * kept[l], &sine[i + (size_t)l], &cosine[i + (size_t)l]);
    }
#endif
}

#define KL_TABLE_NAME KL_ISA_NAME(kl_vqc)
const struct kl_vqc KL_TABLE_NAME = {
    KL_LANES,
    forward,
    adjoint,
    half_angles,
    KL_ISA_NAME(kl_vqc_layers_forward),
    KL_ISA_NAME(kl_vqc_layers_adjoint),
    KL_ISA_NAME(kl_vqc_rotations_forward),
    KL_ISA_NAME(kl_vqc_rotations_adjoint),
    KL_ISA_NAME(kl_vqc_wide_forward),
    KL_ISA_NAME(kl_vqc_wide_adjoint),
};
