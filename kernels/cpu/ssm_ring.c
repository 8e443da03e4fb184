/* SPDX-License-Identifier: MIT
   SSM_B of Quantum Mamba Hybrid as diagonals between constant transforms (kernels/inline/ring.h); see
   kernels/ssm.h. From one layer to the next: a wire's shared rotation RX(d) RZ(c) is RY, RX, RY, whose
   RY join the diagonals in basis Y beside it; RX is a real rotation there. */
#include "kernels/inline/groups.h"
#include "kernels/inline/ring.h"
#include "kernels/inline/ring_angles.h"
#include "kernels/ssm.h"

enum { GV = KL_GROUP_VECTORS };
#define INLINE static inline __attribute__((always_inline))

void KL_ISA_NAME(kl_ssm_angles) KL_SSM_ANGLES_ARGS(kl_real)
{
    const kl_lane half = kl_all((kl_real)3.14159265358979323846);
    for (size_t r = 0; r < rows; r++)
        for (size_t lane = 0; lane < groups * KL_GROUP; lane += KL_LANES) {
            const size_t at = r * ld + lane;
            kl_lane s, rise;
            ring_logistic(&s, &rise, *(const kl_lane *)(z + at));
            ring_turn((kl_lane *)(cosine + at), (kl_lane *)(sine + at),
                      kl_fma(half, s, kl_all(offset[r])));
            *(kl_lane *)(slope + at) = 2 * half * rise;
        }
}

/* The angles of layer l: single ones (0: RY, 2: RY) and rings (1: XX, 3: YY). */
struct angles {
    const kl_real *c, *s;
    size_t ld;
    int n;
};
INLINE struct ring_angles of_layer(const struct angles *a, int l, int ring, int one)
{
    const size_t row = a->ld * (size_t)a->n, layer = 4 * (size_t)l * row;
    return (struct ring_angles){ a->c + layer + (size_t)ring * row, a->s + layer + (size_t)ring * row,
                                 a->c + layer + (size_t)one * row, a->s + layer + (size_t)one * row,
                                 a->ld };
}

/* In basis Y: a shared rotation by RX on some wires, after a diagonal (NULL: none). */
INLINE void turn_some(struct ring_z *s, const int n, const int low, const int m, const kl_real *c,
                      const kl_real *sine, const struct ring_z *t)
{
    const int step = 1 << low, count = 1 << m;
    for (int high = 0; high < 1 << n; high += step * count)
        for (int l = high; l < high + step; l++) {
            struct ring_z a[1 << RING_RADIX];
            RING_UNROLL(int j = 0; j < count; j++)
            {
                a[j] = s[l + j * step];
                if (t) a[j] = ring_times(a[j], t[l + j * step]);
            }
            RING_UNROLL(int b = 0; b < m; b++)
            {
                const kl_lane cw = kl_all(c[n - 1 - low - b]), sw = kl_all(sine[n - 1 - low - b]);
                RING_UNROLL(int j = 0; j < count; j++) if (!(j >> b & 1))
                {
                    struct ring_z *x = &a[j], *y = &a[j | 1 << b];
                    const struct ring_z p = *x, q = *y;
                    *x = (struct ring_z){ kl_fma(sw, q.r, cw * p.r), kl_fma(sw, q.i, cw * p.i) };
                    *y = (struct ring_z){ kl_fma(-sw, p.r, cw * q.r), kl_fma(-sw, p.i, cw * q.i) };
                }
            }
            RING_UNROLL(int j = 0; j < count; j++) s[l + j * step] = a[j];
        }
}
INLINE void turn(struct ring_z *s, int n, const kl_real *c, const kl_real *sine, const struct ring_z *t)
{
    const int first = n % RING_RADIX ? n % RING_RADIX : RING_RADIX;
    if (first == 1) turn_some(s, n, 0, 1, c, sine, t);
    else if (first == 2) turn_some(s, n, 0, 2, c, sine, t);
    else turn_some(s, n, 0, RING_RADIX, c, sine, t);
    for (int low = first; low < n; low += RING_RADIX) turn_some(s, n, low, RING_RADIX, c, sine, NULL);
}

/* The way back of turn on state and bra, after the conjugate of a diagonal; sums: X, Z of each wire. */
INLINE void undo_some(struct ring_z *s, struct ring_z *bra, kl_real *sums, const int n, const int low,
                      const int m, const kl_real *c, const kl_real *sine, const struct ring_z *t)
{
    const int step = 1 << low, count = 1 << m;
    kl_lane x[2] = { { 0 } }, y[2] = { { 0 } };
    for (int high = 0; high < 1 << n; high += step * count)
        for (int l = high; l < high + step; l++) {
            struct ring_z a[4], d[4];
            RING_UNROLL(int j = 0; j < count; j++)
            {
                const int k = l + j * step;
                a[j] = s[k], d[j] = bra[k];
                if (t) a[j] = ring_times_conj(a[j], t[k]), d[j] = ring_times_conj(d[j], t[k]);
            }
            RING_UNROLL(int b = 0; b < m; b++)
            {
                const kl_lane cw = kl_all(c[n - 1 - low - b]), sw = kl_all(sine[n - 1 - low - b]);
                RING_UNROLL(int j = 0; j < count; j++) if (!(j >> b & 1))
                {
                    const int o = j | 1 << b;
                    const struct ring_z p = a[j], q = a[o], u = d[j], w = d[o];
                    x[b] = kl_fma(u.r, q.i, x[b]), x[b] = kl_fma(-u.i, q.r, x[b]);
                    x[b] = kl_fma(w.r, p.i, x[b]), x[b] = kl_fma(-w.i, p.r, x[b]);
                    y[b] = kl_fma(w.r, p.r, y[b]), y[b] = kl_fma(w.i, p.i, y[b]);
                    y[b] = kl_fma(-u.r, q.r, y[b]), y[b] = kl_fma(-u.i, q.i, y[b]);
                    a[j] = (struct ring_z){ kl_fma(-sw, q.r, cw * p.r), kl_fma(-sw, q.i, cw * p.i) };
                    a[o] = (struct ring_z){ kl_fma(sw, p.r, cw * q.r), kl_fma(sw, p.i, cw * q.i) };
                    d[j] = (struct ring_z){ kl_fma(-sw, w.r, cw * u.r), kl_fma(-sw, w.i, cw * u.i) };
                    d[o] = (struct ring_z){ kl_fma(sw, u.r, cw * w.r), kl_fma(sw, u.i, cw * w.i) };
                }
            }
            RING_UNROLL(int j = 0; j < count; j++) s[l + j * step] = a[j], bra[l + j * step] = d[j];
        }
    for (int b = 0; b < m; b++) { /* X is -Y, Z is -X of the basis */
        kl_real *to = sums + (size_t)(n - 1 - low - b) * 3 * KL_GROUP;
        *(kl_lane *)to -= (kl_real)0.5 * y[b], *(kl_lane *)(to + 2 * KL_GROUP) -= (kl_real)0.5 * x[b];
    }
}

/* v_k = Im(conj(bra_k) s_k) */
INLINE void products(kl_lane *v, const struct ring_z *s, const struct ring_z *bra, int n)
{
    for (int k = 0; k < 1 << n; k++) v[k] = kl_fma(bra[k].r, s[k].i, -(bra[k].i * s[k].r));
}

static void ring_state(struct ring_z *s, struct ring_z *t, const struct angles *a,
                       const struct kl_ssm_rings *plan)
{
    const int n = a->n;
    const kl_real scale = ring_scale(n);
    kl_lane *p = (kl_lane *)t;
    ring_product(p, n, a->c, a->s, a->ld);
    for (int k = 0; k < 1 << n; k++) s[k] = (struct ring_z){ p[k], kl_all(0) };
    for (int l = 0; l < plan->layers; l++) {
        const struct ring_angles xx = of_layer(a, l, 1, 0), yy = of_layer(a, l, 3, 2);
        ring_even(t, n, &xx, scale);
        ring_basis(s, n, 0, t, NULL, RING_EVEN);
        ring_full(t, n, &yy, 1);
        if (l + 1 == plan->layers) {
            for (int k = 0; k < 1 << n; k++) s[k] = ring_times(s[k], t[k]);
            return;
        }
        const kl_real *c = plan->turn + 2 * l * n;
        const struct ring_angles next = of_layer(a, l + 1, 1, 0);
        turn(s, n, c, c + n, t);
        ring_singles(t, n, &next, scale);
        ring_basis(s, n, 1, t, NULL, RING_FULL);
    }
}

void KL_ISA_NAME(kl_ssm_rings_forward) KL_SSM_RINGS_FORWARD_ARGS(kl_real, kl_ssm_rings)
{
    const int n = plan->n;
    const size_t N = (size_t)1 << n;
    for (size_t at = 0; at < groups * GV; at++) {
        const size_t lane = at * KL_LANES;
        const struct angles a = { cosine + lane, sine + lane, ld, n };
        struct ring_z *t = (struct ring_z *)scratch,
                      *s = states ? (struct ring_z *)states + at * N : t + N, cross[RING_QUBITS];
        kl_lane *v = (kl_lane *)t, z[RING_QUBITS];
        ring_state(s, t, &a, plan);
        ring_cross(cross, s, n);
        for (size_t k = 0; k < N; k++) v[k] = kl_fma(s[k].r, s[k].r, s[k].i * s[k].i);
        ring_signed(z, v, n);
        for (int q = 0; q < n; q++) {
            const int b = n - 1 - q;
            const kl_lane x = -2 * cross[b].i, y = z[b], w = -2 * cross[b].r;
            for (int axis = 0; axis < 3; axis++) {
                const kl_real *e = plan->end + 9 * q + 3 * axis;
                *(kl_lane *)(m + (size_t)(axis * n + q) * ld + lane) =
                    kl_fma(kl_all(e[0]), x, kl_fma(kl_all(e[1]), y, e[2] * w));
            }
        }
    }
}

/* The bra, and of each wire m x g behind all. */
static void ring_bra(struct ring_z *bra, kl_real *sums, const kl_real *g, const kl_real *m, size_t ld,
                     const struct ring_z *s, kl_lane *v, const struct kl_ssm_rings *plan)
{
    const int n = plan->n;
    struct ring_weights w;
    for (int q = 0; q < n; q++) {
        const kl_real *e = plan->end + 9 * q;
        kl_lane gm[3], mm[3], back[3];
        for (int axis = 0; axis < 3; axis++) {
            gm[axis] = *(const kl_lane *)(g + (size_t)(axis * n + q) * ld);
            mm[axis] = *(const kl_lane *)(m + (size_t)(axis * n + q) * ld);
        }
        for (int axis = 0; axis < 3; axis++) {
            const int b = (axis + 1) % 3, c = (axis + 2) % 3;
            *(kl_lane *)(sums + (size_t)(3 * q + axis) * KL_GROUP) +=
                kl_fma(mm[b], gm[c], -(mm[c] * gm[b]));
            back[axis] = 2 * kl_fma(kl_all(e[axis]), gm[0],
                                    kl_fma(kl_all(e[3 + axis]), gm[1], e[6 + axis] * gm[2]));
        }
        w.x[n - 1 - q] = -back[2], w.y[n - 1 - q] = -back[0], w.z[n - 1 - q] = back[1];
    }
    ring_observe(bra, s, v, n, kl_all(0), &w);
}

/* Derivatives by rings and single angles; v: scratch. */
INLINE void write_full(kl_real *ring, kl_real *one, size_t ld, kl_lane *v, const struct ring_z *s,
                       const struct ring_z *bra, int n)
{
    kl_lane single[RING_QUBITS], pair[RING_QUBITS], close;
    const kl_real half = (kl_real)0.5;
    ring_sums(single, pair, &close, v, n, bra, s, 0);
    for (int q = 0; q < n; q++) {
        *(kl_lane *)(one + (size_t)q * ld) = half * single[n - 1 - q];
        *(kl_lane *)(ring + (size_t)q * ld) = half * (q + 1 < n ? pair[n - 1 - q] : close);
    }
}
INLINE void write_even(kl_real *ring, size_t ld, kl_lane *v, const struct ring_z *s, const struct ring_z *bra,
                       int n)
{
    kl_lane single[RING_QUBITS], pair[RING_QUBITS], close;
    const kl_real half = (kl_real)0.5;
    ring_sums(single, pair, &close, v, n, bra, s, 1);
    *(kl_lane *)ring = half * single[n - 2];
    for (int q = 1; q < n - 1; q++) *(kl_lane *)(ring + (size_t)q * ld) = half * pair[n - 1 - q];
    *(kl_lane *)(ring + (size_t)(n - 1) * ld) = half * single[0];
}

/* From behind the ring of YY of layer l to before the ring of XX; behind the next one's RY, if there is
 * one. */
static void undo_layer(kl_real *dangle, struct ring_z *s, struct ring_z *bra, struct ring_z *t,
                       kl_lane *v, const struct angles *a, int l)
{
    const int n = a->n;
    const size_t row = (size_t)n * a->ld;
    const struct ring_angles xx = of_layer(a, l, 1, 0), yy = of_layer(a, l, 3, 2);
    kl_real *to = dangle + 4 * (size_t)l * row;
    write_full(to + 3 * row, to + 2 * row, a->ld, v, s, bra, n);
    ring_full(t, n, &yy, ring_scale(n));
    ring_basis(s, n, 1, t, NULL, RING_FULL_CONJ);
    ring_basis(bra, n, 1, t, NULL, RING_FULL_CONJ);
    write_even(to + row, a->ld, v, s, bra, n);
    ring_even(t, n, &xx, l ? ring_scale(n) : 1);
}
/* The rotation between layer l - 1 and l, from behind RY of layer l. */
static void undo_turn(kl_real *dangle, kl_real *sums, struct ring_z *s, struct ring_z *bra,
                      struct ring_z *t, kl_lane *v, const struct angles *a, int l, const kl_real *c)
{
    const int n = a->n;
    const struct ring_angles own = of_layer(a, l, 1, 0);
    kl_lane z[RING_QUBITS];
    ring_basis(s, n, 0, t, NULL, RING_EVEN_CONJ);
    ring_basis(bra, n, 0, t, NULL, RING_EVEN_CONJ);
    products(v, s, bra, n);
    ring_signed(z, v, n);
    for (int q = 0; q < n; q++) {
        const kl_lane d = (kl_real)0.5 * z[n - 1 - q];
        *(kl_lane *)(dangle + (size_t)(4 * l * n + q) * a->ld) = d;
        *(kl_lane *)(sums + (size_t)(3 * q + 1) * KL_GROUP) += d;
    }
    ring_singles(t, n, &own, 1);
    for (int low = 0; low < n;) {
        const int m = n - low < 2 ? 1 : 2;
        if (m == 2) undo_some(s, bra, sums, n, low, 2, c, c + n, low ? NULL : t);
        else undo_some(s, bra, sums, n, low, 1, c, c + n, low ? NULL : t);
        low += m;
    }
}

void KL_ISA_NAME(kl_ssm_rings_adjoint) KL_SSM_RINGS_ADJOINT_ARGS(kl_real, kl_ssm_rings)
{
    const int n = plan->n, L = plan->layers;
    const size_t N = (size_t)1 << n, turns = (size_t)(3 * n) * KL_GROUP;
    for (size_t at = 0; at < groups * GV; at++) {
        const size_t lane = at * KL_LANES;
        const struct angles a = { cosine + lane, sine + lane, ld, n };
        struct ring_z *s = (struct ring_z *)states + at * N, *t = (struct ring_z *)scratch, *bra = t + N;
        kl_lane *v = (kl_lane *)(bra + N);
        kl_real *to = sums + at % GV * KL_LANES;
        ring_bra(bra, to + (size_t)(L - 1) * turns, g + lane, m + lane, ld, s, v, plan);
        for (int l = L - 1; l >= 0; l--) {
            undo_layer(dangle + lane, s, bra, t, v, &a, l);
            if (l)
                undo_turn(dangle + lane, to + (size_t)(l - 1) * turns, s, bra, t, v, &a, l,
                          plan->turn + 2 * (l - 1) * n);
        }
        /* only the real part meets the product state */
        for (size_t k = 0; k < N; k++) {
            const struct ring_z u = t[k < N / 2 ? k : N - 1 - k];
            v[k] = kl_fma(bra[k].r, u.r, bra[k].i * u.i);
        }
        ring_product_back(dangle + lane, v, (kl_lane *)s, n, a.c, a.s, ld);
    }
}
