/* SPDX-License-Identifier: MIT
   Circuits of layers of RY and rings of XX and YY as passes over diagonals. In the basis X (amplitudes
   of RY(-pi/2) on every wire) a ring of XX is diagonal; in the basis Y (RX(pi/2) on top of it) RY and
   a ring of YY are. From X to Y a wire's pair (a, b) becomes (a - i b, b - i a) / sqrt 2: additions
   only. Here one kl_lane holds amplitude k of KL_LANES circuits. Bit b of k is wire n - 1 - b. In basis
   Y the observables X, Y, Z of a wire are -Y, Z, -X. No b c + a is left to the compiler: kl_fma. */
#ifndef KL_INLINE_RING_H
#define KL_INLINE_RING_H

#include <stddef.h>

#include "kernels/inline/fused.h"
#include "kernels/inline/real.h"

#define RING static inline __attribute__((always_inline))
#define RING_UNROLL _Pragma("GCC unroll 16") for
/* Bits of one pass: 2^m complex amplitudes are in registers. The order of bits, hence of roundings, does
   not depend on it. */
enum { RING_RADIX = KL_VECTOR_BYTES == 64 ? 3 : 2 };
enum { RING_QUBITS = 14 };

struct ring_z {
    kl_lane r, i;
};
RING struct ring_z ring_times(struct ring_z a, struct ring_z t)
{
    return (struct ring_z){ kl_fma(a.r, t.r, -(a.i * t.i)), kl_fma(a.r, t.i, a.i * t.r) };
}
/* a conj(t) */
RING struct ring_z ring_times_conj(struct ring_z a, struct ring_z t)
{
    return (struct ring_z){ kl_fma(a.r, t.r, a.i * t.i), kl_fma(a.i, t.r, -(a.r * t.i)) };
}
/* The factors of bits 0 and 1 of a wire that turns by an angle with these cosine and sine of its half:
   e^(-i angle / 2), and its conjugate. A row of angles: row i at rows + i * stride. */
RING struct ring_z ring_phase(const kl_real *cosine, const kl_real *sine, size_t i, size_t stride)
{
    return (struct ring_z){ *(const kl_lane *)(cosine + i * stride),
                            -*(const kl_lane *)(sine + i * stride) };
}

/* ---- diagonals ---- */
/* Angles of a diagonal: of rings (n), of single wires (n) or NULL. */
struct ring_angles {
    const kl_real *ring_c, *ring_s, *one_c, *one_s;
    size_t stride;
};
/* t (2^b entries) grows by bit b: factor f[m] where bit b - 1 is m and bit b is 0, its conjugate where
   that is 1. */
RING void ring_grow(struct ring_z *t, int b, const struct ring_z f[2])
{
    const int h = 1 << b, q = h >> 1;
    for (int m = 0; m < 2; m++)
        for (int k = m * q; k < m * q + q; k++) {
            const struct ring_z a = t[k], u = f[m];
            const kl_lane x = a.i * u.i, y = a.i * u.r;
            t[k] = (struct ring_z){ kl_fma(a.r, u.r, -x), kl_fma(a.r, u.i, y) };
            t[k + h] = (struct ring_z){ kl_fma(a.r, u.r, x), kl_fma(-a.r, u.i, y) };
        }
}
/* t (2^(n-1)): scale e^(-i/2 sum of ring angles z z'), amplitudes with bit n - 1 = 0; amplitude k of the
   others is that of 2^n - 1 - k. */
RING void ring_even(struct ring_z *t, int n, const struct ring_angles *a, kl_real scale)
{
    const struct ring_z top = ring_phase(a->ring_c, a->ring_s, 0, a->stride);
    struct ring_z f[2], last = ring_phase(a->ring_c, a->ring_s, (size_t)n - 1, a->stride);
    if (n == 2) last = ring_times(last, top);
    last.r *= scale, last.i *= scale;
    t[0] = last, t[1] = (struct ring_z){ last.r, -last.i };
    for (int b = 1; b < n - 1; b++) {
        const struct ring_z e = ring_phase(a->ring_c, a->ring_s, (size_t)(n - 1 - b), a->stride);
        f[0] = e, f[1] = (struct ring_z){ e.r, -e.i };
        if (b == n - 2) f[0] = ring_times(e, top), f[1] = ring_times_conj(top, e);
        ring_grow(t, b, f);
    }
}
/* The last bit of a closed ring: its factor depends on bit 0 as well. */
RING void ring_close(struct ring_z *t, int n, const struct ring_z f[2], struct ring_z close)
{
    const int h = 1 << (n - 1), q = h >> 1;
    for (int m = 0; m < 2; m++) {
        const struct ring_z g[2] = { ring_times(f[m], close), ring_times_conj(f[m], close) };
        for (int k = m * q; k < m * q + q; k += 2)
            RING_UNROLL(int j = 0; j < 2; j++)
            {
                const struct ring_z v = t[k + j], u = g[j];
                const kl_lane x = v.i * u.i, y = v.i * u.r;
                t[k + j] = (struct ring_z){ kl_fma(v.r, u.r, -x), kl_fma(v.r, u.i, y) };
                t[k + j + h] = (struct ring_z){ kl_fma(v.r, u.r, x), kl_fma(-v.r, u.i, y) };
            }
    }
}
/* t (2^n): scale e^(-i/2 (sum of ring angles z z' + sum of single angles z)). */
RING void ring_full(struct ring_z *t, int n, const struct ring_angles *a, kl_real scale)
{
    struct ring_z one = ring_phase(a->one_c, a->one_s, (size_t)n - 1, a->stride), f[2];
    one.r *= scale, one.i *= scale;
    t[0] = one, t[1] = (struct ring_z){ ring_phase(a->one_c, a->one_s, (size_t)n - 1, a->stride).r * scale,
                                        -one.i };
    for (int b = 1; b < n; b++) {
        const size_t wire = (size_t)(n - 1 - b);
        const struct ring_z e = ring_phase(a->ring_c, a->ring_s, wire, a->stride),
                            p = ring_phase(a->one_c, a->one_s, wire, a->stride);
        f[0] = ring_times(p, e), f[1] = ring_times_conj(p, e);
        const struct ring_z close = ring_phase(a->ring_c, a->ring_s, (size_t)n - 1, a->stride);
        if (b < n - 1) {
            ring_grow(t, b, f);
        } else if (n == 2) { /* the ring meets the pair twice */
            f[0] = ring_times(f[0], close), f[1] = ring_times_conj(f[1], close);
            for (int k = 0; k < 2; k++) {
                const struct ring_z v = t[k];
                t[k] = ring_times(v, f[k]), t[k + 2] = ring_times_conj(v, f[k]);
            }
        } else {
            ring_close(t, n, f, close);
        }
    }
}
/* t (2^n): scale e^(-i/2 sum of single angles z). */
RING void ring_singles(struct ring_z *t, int n, const struct ring_angles *a, kl_real scale)
{
    const struct ring_z one = ring_phase(a->one_c, a->one_s, (size_t)n - 1, a->stride);
    t[0] = (struct ring_z){ one.r * scale, one.i * scale }, t[1] = (struct ring_z){ t[0].r, -t[0].i };
    for (int b = 1; b < n; b++) {
        const struct ring_z e = ring_phase(a->one_c, a->one_s, (size_t)(n - 1 - b), a->stride),
                            f[2] = { e, e };
        ring_grow(t, b, f);
    }
}

/* ---- gradients of diagonals ---- */
/* Sums of v (2^bits), which is used up: one[b] of v z_b, pair[b] of v z_b z_(b-1), b > 0, close of v
   z_(bits-1) z_0. For a diagonal's table t, v_k = Im(conj(bra_k) state_k): the derivative by an angle is
   half of its sum. */
RING void ring_sums(kl_lane *one, kl_lane *pair, kl_lane *close, kl_lane *v, int bits)
{
    *close = (kl_lane){ 0 };
    for (int b = bits - 1; b >= 1; b--) {
        const int h = 1 << b, q = h >> 1;
        kl_lane s[2][2] = { { { 0 } } };
        if (q == 1) {
            s[0][0] = v[0] - v[2], s[1][1] = v[1] - v[3];
            v[0] += v[2], v[1] += v[3];
        } else {
            for (int k = 0; k < q; k += 2)
                RING_UNROLL(int m = 0; m < 2; m++)
                    RING_UNROLL(int j = 0; j < 2; j++)
                    {
                        kl_lane *at = v + k + m * q + j;
                        const kl_lane a = at[0], c = at[h];
                        at[0] = a + c, s[m][j] += a - c;
                    }
        }
        const kl_lane x = s[0][0] + s[0][1], y = s[1][0] + s[1][1];
        one[b] = x + y, pair[b] = x - y;
        if (b == bits - 1)
            *close = q == 1 ? s[0][0] - s[1][1] : (s[0][0] + s[1][0]) - (s[0][1] + s[1][1]);
    }
    one[0] = v[0] - v[1];
}

/* ---- from basis to basis ---- */
/* The table that amplitudes are multiplied by as they are loaded: none; of 2^n entries; even, of
   2^(n-1); likewise its conjugate. */
enum ring_table { RING_NONE, RING_FULL, RING_FULL_CONJ, RING_EVEN, RING_EVEN_CONJ };
RING struct ring_z ring_load(const struct ring_z *s, int k, int size, const struct ring_z *t,
                             const enum ring_table table)
{
    if (table == RING_NONE) return s[k];
    const int e = (table == RING_EVEN || table == RING_EVEN_CONJ) && k >= size / 2 ? size - 1 - k : k;
    return table == RING_FULL || table == RING_EVEN ? ring_times(s[k], t[e]) :
                                                      ring_times_conj(s[k], t[e]);
}
/* Bits [low, low + m) of all amplitudes: sqrt(2)^m times the transform from X to Y, or back. */
RING void ring_pass(struct ring_z *s, int n, int low, const int m, const int back,
                    const struct ring_z *t, const enum ring_table table)
{
    const int size = 1 << n, step = 1 << low, count = 1 << m;
    for (int high = 0; high < size; high += step * count)
        for (int l = high; l < high + step; l++) {
            struct ring_z a[1 << RING_RADIX];
            RING_UNROLL(int j = 0; j < count; j++) a[j] = ring_load(s, l + j * step, size, t, table);
            RING_UNROLL(int b = 0; b < m; b++)
                RING_UNROLL(int j = 0; j < count; j++) if (!(j >> b & 1))
                {
                    struct ring_z *x = &a[j], *y = &a[j | 1 << b];
                    const struct ring_z p = *x, q = *y;
                    *x = back ? (struct ring_z){ p.r - q.i, p.i + q.r } :
                                (struct ring_z){ p.r + q.i, p.i - q.r };
                    *y = back ? (struct ring_z){ q.r - p.i, q.i + p.r } :
                                (struct ring_z){ q.r + p.i, q.i - p.r };
                }
            RING_UNROLL(int j = 0; j < count; j++) s[l + j * step] = a[j];
        }
}
/* All bits: sqrt(2)^n times the transform of (table s): scale tables by ring_scale(n). */
RING void ring_basis(struct ring_z *s, int n, const int back, const struct ring_z *t,
                     const enum ring_table table)
{
    const int first = n % RING_RADIX ? n % RING_RADIX : RING_RADIX;
    if (first == 1) ring_pass(s, n, 0, 1, back, t, table);
    else if (first == 2) ring_pass(s, n, 0, 2, back, t, table);
    else ring_pass(s, n, 0, RING_RADIX, back, t, table);
    for (int low = first; low < n; low += RING_RADIX)
        ring_pass(s, n, low, RING_RADIX, back, NULL, RING_NONE);
}
/* sqrt(1/2)^n */
RING kl_real ring_scale(int n)
{
    kl_real s = n % 2 ? (kl_real)0.70710678118654752440 : 1;
    for (; n > 1; n -= 2) s *= (kl_real)0.5;
    return s;
}

/* ---- ends of a circuit ---- */
/* p (2^n): the product state of RY on |0> in basis X. cosine, sine: of half of (angle - pi/2), a row a
   wire. */
RING void ring_product(kl_lane *p, int n, const kl_real *cosine, const kl_real *sine, size_t stride)
{
    p[0] = kl_all(1);
    for (int b = 0; b < n; b++) {
        const kl_lane c = *(const kl_lane *)(cosine + (size_t)(n - 1 - b) * stride),
                      s = *(const kl_lane *)(sine + (size_t)(n - 1 - b) * stride);
        for (int k = 0; k < 1 << b; k++) p[k + (1 << b)] = s * p[k], p[k] = c * p[k];
    }
}
/* Derivatives (a row a wire, added to nothing) of sum(bra p) by those angles; bra (2^n, real) is used up;
   q: 2^(n+1) of scratch. */
RING void ring_product_back(kl_real *dangle, kl_lane *bra, kl_lane *q, int n, const kl_real *cosine,
                            const kl_real *sine, size_t stride)
{
    q[1] = kl_all(1); /* the product of bits below b at q + 2^b */
    for (int b = 0; b < n - 1; b++) {
        const int h = 1 << b;
        const kl_lane c = *(const kl_lane *)(cosine + (size_t)(n - 1 - b) * stride),
                      s = *(const kl_lane *)(sine + (size_t)(n - 1 - b) * stride);
        for (int k = 0; k < h; k++) q[2 * h + k] = c * q[h + k], q[3 * h + k] = s * q[h + k];
    }
    for (int b = n - 1; b >= 0; b--) {
        const int h = 1 << b;
        const size_t row = (size_t)(n - 1 - b) * stride;
        const kl_lane c = *(const kl_lane *)(cosine + row), s = *(const kl_lane *)(sine + row);
        kl_lane low = { 0 }, high = { 0 };
        for (int k = 0; k < h; k++) {
            const kl_lane x = bra[k], y = bra[k + h];
            low = kl_fma(x, q[h + k], low), high = kl_fma(y, q[h + k], high);
            bra[k] = kl_fma(c, x, s * y);
        }
        *(kl_lane *)(dangle + row) = kl_fma(c, high, -(s * low)) * (kl_real)0.5;
    }
}

/* ---- expectation values ---- */
/* Sums over the pairs a, b of each bit: cross[bit] = sum conj(a) b. Four amplitudes at a time. */
RING void ring_cross(struct ring_z *cross, const struct ring_z *s, int n)
{
    for (int low = 0; low < n; low += 2) {
        const int size = 1 << n, step = 1 << low;
        struct ring_z c[2] = { { { 0 }, { 0 } }, { { 0 }, { 0 } } }, d[2] = { { { 0 }, { 0 } }, { { 0 }, { 0 } } };
#define RING_PAIR(sum, a, b)                                             \
    sum.r = kl_fma((a).r, (b).r, sum.r), sum.r = kl_fma((a).i, (b).i, sum.r), \
    sum.i = kl_fma((a).r, (b).i, sum.i), sum.i = kl_fma(-(a).i, (b).r, sum.i)
        if (low + 1 == n) {
            for (int k = 0; k < step; k++) { RING_PAIR(c[0], s[k], s[k + step]); }
            cross[low] = c[0];
            return;
        }
        for (int high = 0; high < size; high += 4 * step)
            for (int k = high; k < high + step; k++) {
                const struct ring_z w = s[k], x = s[k + step], y = s[k + 2 * step], z = s[k + 3 * step];
                RING_PAIR(c[0], w, x);
                RING_PAIR(c[1], w, y);
                RING_PAIR(d[0], y, z);
                RING_PAIR(d[1], x, z);
            }
        RING_UNROLL(int j = 0; j < 2; j++)
        cross[low + j] = (struct ring_z){ c[j].r + d[j].r, c[j].i + d[j].i };
    }
}
/* z[bit] = sum of v where the bit is 0 less where it is 1; v (2^n) is used up, v[0] is its sum. */
RING void ring_signed(kl_lane *z, kl_lane *v, int n)
{
    for (int b = n - 1; b >= 0; b--) {
        const int h = 1 << b;
        kl_lane d[2] = { { 0 }, { 0 } };
        if (h == 1) d[0] = v[0] - v[1], v[0] += v[1];
        else
            for (int k = 0; k < h; k += 2)
                RING_UNROLL(int j = 0; j < 2; j++)
                {
                    const kl_lane x = v[k + j], y = v[k + j + h];
                    v[k + j] = x + y, d[j] += x - y;
                }
        z[b] = d[0] + d[1];
    }
}
/* Weights of a sum of observables of single wires, a row a bit. */
struct ring_weights {
    kl_lane x[RING_QUBITS], y[RING_QUBITS], z[RING_QUBITS];
};
/* bra = (one + sum of x X + y Y + z Z) s; v: 2^n of scratch. */
RING void ring_observe(struct ring_z *bra, const struct ring_z *s, kl_lane *v, int n, kl_lane one,
                       const struct ring_weights *w)
{
    const int size = 1 << n;
    v[0] = one;
    for (int b = 0; b < n; b++)
        for (int k = 0; k < 1 << b; k++) v[k + (1 << b)] = v[k] - w->z[b], v[k] += w->z[b];
    for (int low = 0; low < n; low += 2) {
        const int step = 1 << low, count = low + 1 < n ? 4 : 2;
        for (int high = 0; high < size; high += count * step)
            for (int k = high; k < high + step; k++) {
                struct ring_z a[4], to[4];
                RING_UNROLL(int j = 0; j < 4; j++) if (j < count)
                {
                    a[j] = s[k + j * step];
                    to[j] = low ? bra[k + j * step] :
                                  (struct ring_z){ v[k + j * step] * a[j].r, v[k + j * step] * a[j].i };
                }
                RING_UNROLL(int b = 0; b < 2; b++) if (1 << b < count)
                {
                    const kl_lane x = w->x[low + b], y = w->y[low + b];
                    RING_UNROLL(int j = 0; j < 4; j++) if (j < count)
                    {
                        const struct ring_z p = a[j ^ 1 << b];
                        const kl_lane t = j >> b & 1 ? y : -y; /* (x - i y) b, (x + i y) a */
                        to[j].r = kl_fma(x, p.r, to[j].r), to[j].r = kl_fma(-t, p.i, to[j].r);
                        to[j].i = kl_fma(x, p.i, to[j].i), to[j].i = kl_fma(t, p.r, to[j].i);
                    }
                }
                RING_UNROLL(int j = 0; j < 4; j++) if (j < count) bra[k + j * step] = to[j];
            }
    }
}

#endif
