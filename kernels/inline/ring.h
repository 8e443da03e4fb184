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
/* Both a f and a conj(f). */
RING void ring_both(struct ring_z *x, struct ring_z *y, struct ring_z a, struct ring_z f)
{
    const kl_lane p = a.i * f.i, q = a.i * f.r;
    *x = (struct ring_z){ kl_fma(a.r, f.r, -p), kl_fma(a.r, f.i, q) };
    *y = (struct ring_z){ kl_fma(a.r, f.r, p), kl_fma(-a.r, f.i, q) };
}
/* t (2^b entries) grows by bit b: factor f[m] where bit b - 1 is m and bit b is 0, its conjugate where
   that is 1. */
RING void ring_grow(struct ring_z *t, int b, const struct ring_z f[2])
{
    const int h = 1 << b, q = h >> 1;
    for (int m = 0; m < 2; m++)
        for (int k = m * q; k < m * q + q; k++) ring_both(&t[k], &t[k + h], t[k], f[m]);
}
/* By bits b and b + 1, so that entries are stored once: g[m][j] is the factor of the latter where bit b
   is m and bit 0 is j. */
RING void ring_grow_two(struct ring_z *t, int b, const struct ring_z f[2], const struct ring_z g[2][2])
{
    const int h = 1 << b, q = h >> 1;
    for (int m = 0; m < 2; m++)
        for (int k = m * q; k < m * q + q; k += 2) RING_UNROLL(int j = 0; j < 2; j++)
            {
                struct ring_z x, y;
                ring_both(&x, &y, t[k + j], f[m]);
                ring_both(&t[k + j], &t[k + j + 2 * h], x, g[0][j]);
                ring_both(&t[k + j + h], &t[k + j + 3 * h], y, g[1][j]);
            }
}
/* Factors of bit b: its single angle and that with bit b - 1; closed: of the last bit, with bit 0. */
RING void ring_factors(struct ring_z g[2][2], int n, int b, const struct ring_angles *a, const int even)
{
    const size_t wire = (size_t)(n - 1 - b);
    const struct ring_z e = ring_phase(a->ring_c, a->ring_s, wire, a->stride);
    if (!even) {
        const struct ring_z p = ring_phase(a->one_c, a->one_s, wire, a->stride);
        g[0][0] = ring_times(p, e), g[1][0] = ring_times_conj(p, e);
    } else if (b == n - 2) { /* with bit n - 1, which is 0 */
        const struct ring_z top = ring_phase(a->ring_c, a->ring_s, 0, a->stride);
        g[0][0] = ring_times(top, e), g[1][0] = ring_times_conj(top, e);
    } else {
        g[0][0] = e, g[1][0] = (struct ring_z){ e.r, -e.i };
    }
    g[0][1] = g[0][0], g[1][1] = g[1][0];
    if (b < n - 1) return;
    const struct ring_z close = ring_phase(a->ring_c, a->ring_s, (size_t)n - 1, a->stride);
    for (int m = 0; m < 2; m++) {
        const struct ring_z f = g[m][0];
        g[m][0] = ring_times(f, close), g[m][1] = ring_times_conj(f, close);
    }
}
/* From bit 0 on to bit `bits` - 1. */
RING void ring_build(struct ring_z *t, int n, int bits, const struct ring_angles *a, const int even)
{
    struct ring_z f[2][2], g[2][2];
    int b = 1;
    if (bits % 2 == 0) {
        ring_factors(f, n, 1, a, even);
        if (bits == 2) { /* perhaps the last bit of all */
            ring_both(&t[0], &t[2], t[0], f[0][0]), ring_both(&t[1], &t[3], t[1], f[1][1]);
            return;
        }
        const struct ring_z one[2] = { f[0][0], f[1][0] };
        ring_grow(t, b++, one);
    }
    for (; b < bits; b += 2) {
        ring_factors(f, n, b, a, even), ring_factors(g, n, b + 1, a, even);
        const struct ring_z one[2] = { f[0][0], f[1][0] };
        if (b == 1) { /* bit b - 1 is bit 0 */
            struct ring_z x[2], y[2];
            for (int j = 0; j < 2; j++) ring_both(&x[j], &y[j], t[j], one[j]);
            for (int j = 0; j < 2; j++)
                ring_both(&t[j], &t[j + 4], x[j], g[0][j]),
                    ring_both(&t[j + 2], &t[j + 6], y[j], g[1][j]);
        } else {
            ring_grow_two(t, b, one, g);
        }
    }
}
/* t (2^(n-1)): scale e^(-i/2 sum of ring angles z z'), amplitudes with bit n - 1 = 0; amplitude k of the
   others is that of 2^n - 1 - k. */
RING void ring_even(struct ring_z *t, int n, const struct ring_angles *a, kl_real scale)
{
    struct ring_z last = ring_phase(a->ring_c, a->ring_s, (size_t)n - 1, a->stride);
    if (n == 2) last = ring_times(last, ring_phase(a->ring_c, a->ring_s, 0, a->stride));
    t[0] = (struct ring_z){ last.r * scale, last.i * scale };
    t[1] = (struct ring_z){ t[0].r, -t[0].i };
    if (n > 2) ring_build(t, n, n - 1, a, 1);
}
/* t (2^n): scale e^(-i/2 (sum of ring angles z z' + sum of single angles z)). */
RING void ring_full(struct ring_z *t, int n, const struct ring_angles *a, kl_real scale)
{
    const struct ring_z one = ring_phase(a->one_c, a->one_s, (size_t)n - 1, a->stride);
    t[0] = (struct ring_z){ one.r * scale, one.i * scale };
    t[1] = (struct ring_z){ t[0].r, -t[0].i };
    ring_build(t, n, n, a, 0);
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
/* Terms of a derivative by a diagonal's angles: v_k = Im(conj(bra_k) state_k), of an even diagonal v_k +
   v_(2^n - 1 - k), k < 2^(n - 1). */
RING kl_lane ring_crossed(const struct ring_z *bra, const struct ring_z *s)
{
    return kl_fma(bra->r, s->i, -(bra->i * s->r));
}
RING kl_lane ring_term(const struct ring_z *bra, const struct ring_z *s, int k, const int even, int last)
{
    const kl_lane v = ring_crossed(bra + k, s + k);
    if (!even) return v;
    return kl_fma(bra[last - k].r, s[last - k].i, kl_fma(-bra[last - k].i, s[last - k].r, v));
}
/* One level of folding: v (2^(b+1)) -> v (2^b), one[b], pair[b], close. first: v is made of terms. */
RING void ring_fold(kl_lane *one, kl_lane *pair, kl_lane *close, kl_lane *v, int b,
                    const struct ring_z *bra, const struct ring_z *s, const int even, int last,
                    const int first)
{
    const int h = 1 << b, q = h >> 1;
    kl_lane sum[2][2] = { { { 0 } } };
    for (int m = 0; m < 2; m++) {
        kl_lane d[2] = { { 0 }, { 0 } };
        for (int k = m * q; k < m * q + q; k += 2) RING_UNROLL(int j = 0; j < 2; j++)
            {
                if (q == 1 && j == 1) break;
                const kl_lane a = first ? ring_term(bra, s, k + j, even, last) : v[k + j],
                              c = first ? ring_term(bra, s, k + j + h, even, last) : v[k + j + h];
                v[k + j] = a + c, d[j] += a - c;
            }
        if (q == 1) sum[m][m] = d[0];
        else sum[m][0] = d[0], sum[m][1] = d[1];
    }
    const kl_lane x = sum[0][0] + sum[0][1], y = sum[1][0] + sum[1][1];
    one[b] = x + y, pair[b] = x - y;
    if (first) *close = (sum[0][0] + sum[1][0]) - (sum[0][1] + sum[1][1]);
}
/* Sums of terms: one[b] of v z_b, pair[b] of v z_b z_(b-1), b > 0, close of v z_(bits-1) z_0, bits = n
   or, of an even diagonal, n - 1; the derivative by an angle is half of its sum. v: 2^(bits-1) of
   scratch. */
RING void ring_sums(kl_lane *one, kl_lane *pair, kl_lane *close, kl_lane *v, int n,
                    const struct ring_z *bra, const struct ring_z *s, const int even)
{
    const int bits = even ? n - 1 : n, last = (1 << n) - 1;
    *close = (kl_lane){ 0 };
    if (bits == 1) v[0] = ring_term(bra, s, 0, even, last), v[1] = ring_term(bra, s, 1, even, last);
    else ring_fold(one, pair, close, v, bits - 1, bra, s, even, last, 1);
    for (int b = bits - 2; b >= 1; b--) ring_fold(one, pair, close, v, b, bra, s, even, last, 0);
    one[0] = v[0] - v[1];
}

/* ---- from basis to basis ---- */
/* The table that amplitudes are multiplied by as they are loaded: none; of 2^n entries; even, of
   2^(n-1); likewise its conjugate; even, of real amplitudes p. */
enum ring_table { RING_NONE, RING_FULL, RING_FULL_CONJ, RING_EVEN, RING_EVEN_CONJ, RING_START };
RING struct ring_z ring_load(const struct ring_z *s, int k, int size, const struct ring_z *t,
                             const kl_lane *p, const enum ring_table kind)
{
    if (kind == RING_NONE) return s[k];
    const int e = kind != RING_FULL && kind != RING_FULL_CONJ && k >= size / 2 ? size - 1 - k : k;
    if (kind == RING_START) return (struct ring_z){ p[k] * t[e].r, p[k] * t[e].i };
    return kind == RING_FULL || kind == RING_EVEN ? ring_times(s[k], t[e]) : ring_times_conj(s[k], t[e]);
}
/* Additions and multiply-adds have units of their own: half of a transform's sums are multiply-adds by
   one, of whose bits they have all. */
RING kl_lane ring_plus(kl_lane a, kl_lane b, const int minus)
{
    return kl_fma(b, kl_all(minus ? -1 : 1), a);
}
/* The lowest m bits, as amplitudes are multiplied by table t: sqrt(2)^m times the transform from X to Y,
 * or back. */
RING void ring_first(struct ring_z *s, int n, const int m, const int back, const struct ring_z *t,
                     const kl_lane *p, const enum ring_table kind)
{
    const int size = 1 << n, count = 1 << m;
    for (int k = 0; k < size; k += count) {
        struct ring_z a[1 << RING_RADIX];
        RING_UNROLL(int j = 0; j < count; j++) a[j] = ring_load(s, k + j, size, t, p, kind);
        RING_UNROLL(int b = 0; b < m; b++)
        RING_UNROLL(int j = 0; j < count; j++) if (!(j >> b & 1))
        {
            struct ring_z *x = &a[j], *y = &a[j | 1 << b];
            const struct ring_z u = *x, v = *y;
            *x =
                back ? (struct ring_z){ u.r - v.i, u.i + v.r } : (struct ring_z){ u.r + v.i, u.i - v.r };
            if (b == 0) *y = (struct ring_z){ ring_plus(v.r, u.i, back), ring_plus(v.i, u.r, !back) };
            else
                *y = back ? (struct ring_z){ v.r - u.i, v.i + u.r }
                          : (struct ring_z){ v.r + u.i, v.i - u.r };
        }
        RING_UNROLL(int j = 0; j < count; j++) s[k + j] = a[j];
    }
}
/* Bits [low, low + m). The real parts of amplitudes with an even number of these bits set meet the
   imaginary parts of the others alone, and the other way round: two real transforms, of which each has
   half the registers. */
RING void ring_pass(struct ring_z *s, int n, int low, const int m, const int back)
{
    const int size = 1 << n, step = 1 << low, count = 1 << m;
    for (int high = 0; high < size; high += step * count)
        for (int l = high; l < high + step; l++) RING_UNROLL(int part = 0; part < 2; part++)
            {
                if (part)
                    __asm__ volatile(
                        "" ::
                            : "memory"); /* one after the other, or registers do not suffice */
                kl_lane a[1 << (RING_RADIX + 1)];
                RING_UNROLL(int j = 0; j < count; j++)
                a[j] =
                    (__builtin_popcount((unsigned)j) + part) & 1 ? s[l + j * step].i : s[l + j * step].r;
                RING_UNROLL(int b = 0; b < m; b++)
                RING_UNROLL(int j = 0; j < count; j++) if (!(j >> b & 1))
                {
                    const kl_lane x = a[j], y = a[j | 1 << b];
                    const int less = ((__builtin_popcount((unsigned)j) + part) & 1) ^ back;
                    a[j] = less ? x - y : x + y;
                    a[j | 1 << b] = ring_plus(y, x, !less);
                }
                RING_UNROLL(int j = 0; j < count; j++)
                {
                    if ((__builtin_popcount((unsigned)j) + part) & 1) s[l + j * step].i = a[j];
                    else s[l + j * step].r = a[j];
                }
            }
}
static __attribute__((noinline, unused)) void ring_rest(struct ring_z *s, int n, int low, const int back)
{
    while (low < n) {
        const int left = n - low, passes = (left + RING_RADIX) / (RING_RADIX + 1),
                  m = (left + passes - 1) / passes;
        if (m == 1 && back) ring_pass(s, n, low, 1, 1);
        else if (m == 1) ring_pass(s, n, low, 1, 0);
        else if (m == 2 && back) ring_pass(s, n, low, 2, 1);
        else if (m == 2) ring_pass(s, n, low, 2, 0);
        else if (m == 3 && back) ring_pass(s, n, low, 3, 1);
        else if (m == 3) ring_pass(s, n, low, 3, 0);
#if KL_VECTOR_BYTES == 64
        else if (back) ring_pass(s, n, low, 4, 1);
        else ring_pass(s, n, low, 4, 0);
#endif
        low += m;
    }
}
/* All bits: sqrt(2)^n times the transform of (table s): scale tables by ring_scale(n). */
RING void ring_basis(struct ring_z *s, int n, const int back, const struct ring_z *t, const kl_lane *p,
                     const enum ring_table kind)
{
    const int first = n < RING_RADIX ? n : RING_RADIX;
    if (first == 2) ring_first(s, n, 2, back, t, p, kind);
    else ring_first(s, n, RING_RADIX, back, t, p, kind);
    ring_rest(s, n, first, back);
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
/* Derivatives (a row a wire, added to nothing) of sum(bra p) by those angles; bra (2^n, real) is used
   up; q: 2^(n+1) of scratch. */
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
        struct ring_z c[2] = { { { 0 }, { 0 } }, { { 0 }, { 0 } } },
                      d[2] = { { { 0 }, { 0 } }, { { 0 }, { 0 } } };
#define RING_PAIR(sum, a, b)                                                  \
    sum.r = kl_fma((a).r, (b).r, sum.r), sum.r = kl_fma((a).i, (b).i, sum.r), \
    sum.i = kl_fma((a).r, (b).i, sum.i), sum.i = kl_fma(-(a).i, (b).r, sum.i)
        if (low + 1 == n) {
            for (int k = 0; k < step; k++) {
                RING_PAIR(c[0], s[k], s[k + step]);
            }
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
            for (int k = 0; k < h; k += 2) RING_UNROLL(int j = 0; j < 2; j++)
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
                    to[j] = low ? bra[k + j * step]
                                : (struct ring_z){ v[k + j * step] * a[j].r, v[k + j * step] * a[j].i };
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
