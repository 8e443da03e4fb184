/* SPDX-License-Identifier: MIT
   SSM_A and GATE_A of Quantum Mamba, forward and adjoint, a vector of states at a time; see
   kernels/ssm.h. */
#include "kernels/ssm.h"

#include "kernels/inline/groups.h"

#define INLINE static inline __attribute__((always_inline))
enum { GV = KL_GROUP_VECTORS };

/* Amplitude k of a state: real, imaginary part. s is the group's, at one of its vectors. */
#define RE(s, k) (s)[2 * (size_t)(k)*GV]
#define IM(s, k) (s)[(2 * (size_t)(k) + 1) * GV]

/* ---- real amplitudes ---- */
/* RY on the wires of bits lo to lo + m - 1. from: rows, step values apart. */
INLINE void turn_real_some(kl_lane *to, const kl_real *from, size_t step, const int n, const int lo,
                           const int m, const kl_real *c, const kl_real *s)
{
    const int low = 1 << lo, size = 1 << m;
    for (int high = 0; high < 1 << n; high += low * size)
        for (int l = high; l < high + low; l++) {
            kl_lane a[8];
#pragma GCC unroll 8
            for (int j = 0; j < size; j++)
                a[j] = *(const kl_lane *)(from + (size_t)(l + j * low) * step);
#pragma GCC unroll 3
            for (int q = 0; q < m; q++) {
                const kl_real cw = c[n - 1 - lo - q], sw = s[n - 1 - lo - q];
#pragma GCC unroll 8
                for (int j = 0; j < size; j++)
                    if (!(j >> q & 1)) {
                        const kl_lane x = a[j], y = a[j | 1 << q];
                        a[j] = cw * x - sw * y, a[j | 1 << q] = sw * x + cw * y;
                    }
            }
#pragma GCC unroll 8
            for (int j = 0; j < size; j++) to[l + j * low] = a[j];
        }
}
static void turn_real(kl_lane *to, const kl_real *from, size_t step, int n, const kl_real *c,
                      const kl_real *s)
{
    for (int lo = 0; lo < n;) {
        const int m = n - lo == 4 ? 2 : n - lo < 3 ? n - lo : 3;
        if (m == 3) turn_real_some(to, from, step, n, lo, 3, c, s);
        else if (m == 2) turn_real_some(to, from, step, n, lo, 2, c, s);
        else turn_real_some(to, from, step, n, lo, 1, c, s);
        from = (const kl_real *)to, step = KL_LANES, lo += m;
    }
}
/* The way back of turn_real on state and bra; y[wire] += <bra| Y |state> / i, each before its own turn
 * is undone. */
static void undo_real(kl_lane *state, kl_lane *bra, kl_lane *y, int n, const kl_real *c,
                      const kl_real *s)
{
    for (int b = 0; b < n; b++) {
        const int h = 1 << b;
        const kl_real cw = c[n - 1 - b], sw = s[n - 1 - b];
        kl_lane sum = { 0 };
        for (int high = 0; high < 1 << n; high += 2 * h)
            for (int k = high; k < high + h; k++) {
                const kl_lane a = state[k], d = state[k + h], p = bra[k], r = bra[k + h];
                sum += r * a - p * d;
                state[k] = cw * a + sw * d, state[k + h] = cw * d - sw * a;
                bra[k] = cw * p + sw * r, bra[k + h] = cw * r - sw * p;
            }
        y[n - 1 - b] = sum;
    }
}

/* z[wire] = sum of p (N, used up) with the sign of the wire's bit. */
INLINE void signed_sums(kl_lane *z, size_t step, kl_lane *p, int n)
{
    for (int b = n - 1; b >= 0; b--) {
        const int h = 1 << b;
        kl_lane even = { 0 }, odd = { 0 };
        for (int k = 0; k + 1 < h; k += 2) {
            even += p[k] - p[k + h], odd += p[k + 1] - p[k + 1 + h];
            p[k] += p[k + h], p[k + 1] += p[k + 1 + h];
        }
        if (h == 1) even = p[0] - p[1];
        *(kl_lane *)((kl_real *)z + (size_t)(n - 1 - b) * step) = even + odd;
    }
}
/* w (N) = sum over wires of g with the sign of the wire's bit. g: rows, step values apart. */
INLINE void signed_weights(kl_lane *w, const kl_real *g, size_t step, int n)
{
    w[0] = (kl_lane){ 0 };
    for (int b = 0; b < n; b++) {
        const kl_lane d = *(const kl_lane *)(g + (size_t)(n - 1 - b) * step);
        for (int k = 0; k < 1 << b; k++) w[k + (1 << b)] = w[k] - d, w[k] += d;
    }
}

/* <X> and <Z> of v, by wire. p: scratch (N). */
static void observe_real(kl_real *x, kl_real *z, size_t ld, const kl_real *v, int n, kl_lane *p)
{
    for (int b = 0; b < n; b++) {
        const int h = 1 << b;
        kl_lane sum = { 0 };
        for (int high = 0; high < 1 << n; high += 2 * h)
            for (int k = high; k < high + h; k++)
                sum += *(const kl_lane *)(v + (size_t)k * ld) *
                       *(const kl_lane *)(v + (size_t)(k + h) * ld);
        *(kl_lane *)(x + (size_t)(n - 1 - b) * ld) = 2 * sum;
    }
    for (int k = 0; k < 1 << n; k++) {
        const kl_lane a = *(const kl_lane *)(v + (size_t)k * ld);
        p[k] = a * a;
    }
    signed_sums((kl_lane *)z, ld, p, n);
}
/* bra = 2 sum of g P |v>. w: scratch (N). */
static void bra_real(kl_lane *bra, const kl_real *gx, const kl_real *gz, size_t ld, const kl_real *v,
                     int n, kl_lane *w)
{
    signed_weights(w, gz, ld, n);
    for (int k = 0; k < 1 << n; k++) bra[k] = 2 * (w[k] * *(const kl_lane *)(v + (size_t)k * ld));
    for (int b = 0; b < n; b++) {
        const int h = 1 << b;
        const kl_lane g = 2 * *(const kl_lane *)(gx + (size_t)(n - 1 - b) * ld);
        for (int high = 0; high < 1 << n; high += 2 * h)
            for (int k = high; k < high + h; k++) {
                bra[k] += g * *(const kl_lane *)(v + (size_t)(k + h) * ld);
                bra[k + h] += g * *(const kl_lane *)(v + (size_t)k * ld);
            }
    }
}

/* Behind the chain of CNOT, X of wire q is X of q and q + 1 before it (the last: X), Z is Z of all wires
   up to q: the state need not be moved. */
INLINE int pair_of(int n, int q)
{
    return q + 1 < n ? 3 << (n - 2 - q) : 1;
}
static void observe_gate(kl_real *x, kl_real *z, size_t ld, const kl_lane *state, int n, kl_lane *p)
{
    for (int q = 0; q < n; q++) {
        const int flip = pair_of(n, q), h = 1 << (n - 1 - q);
        kl_lane sum = { 0 };
        for (int high = 0; high < 1 << n; high += 2 * h)
            for (int k = high; k < high + h; k++) sum += state[k] * state[k ^ flip];
        *(kl_lane *)(x + (size_t)q * ld) = 2 * sum;
    }
    for (int k = 0; k < 1 << n; k++) p[k] = state[k] * state[k];
    for (int q = 0; q < n; q++) {
        const int h = 1 << (n - 1 - q);
        kl_lane sum = { 0 };
        for (int k = 0; k < h; k++) p[k] -= p[k + h], sum += p[k];
        *(kl_lane *)(z + (size_t)q * ld) = sum;
    }
}
static void bra_gate(kl_lane *bra, const kl_real *gx, const kl_real *gz, size_t ld, const kl_lane *state,
                     int n, kl_lane *w)
{
    w[0] = (kl_lane){ 0 };
    for (int b = 0; b < n; b++) {
        const kl_lane g = *(const kl_lane *)(gz + (size_t)(n - 1 - b) * ld);
        for (int k = 0; k < 1 << b; k++) w[k] += g, w[k + (1 << b)] = -w[k];
    }
    for (int k = 0; k < 1 << n; k++) bra[k] = 2 * (w[k] * state[k]);
    for (int q = 0; q < n; q++) {
        const int flip = pair_of(n, q);
        const kl_lane g = 2 * *(const kl_lane *)(gx + (size_t)q * ld);
        for (int k = 0; k < 1 << n; k++) bra[k] += g * state[k ^ flip];
    }
}

/* ---- complex amplitudes ---- */
/* (r, i) times d, or its conjugate. */
INLINE void multiply(kl_lane *r, kl_lane *i, const kl_real *d, const int back)
{
    const kl_lane a = *r, b = *i;
    if (back) *r = d[0] * a + d[1] * b, *i = d[0] * b - d[1] * a;
    else *r = d[0] * a - d[1] * b, *i = d[0] * b + d[1] * a;
}
/* Diagonal `first`, RY on some wires, diagonal `last` (NULL: none). */
INLINE void turn_some(kl_lane *state, const int n, const int lo, const int m, const kl_real *c,
                      const kl_real *s, const kl_real *first, const kl_real *last)
{
    const int low = 1 << lo, size = 1 << m;
    for (int high = 0; high < 1 << n; high += low * size)
        for (int l = high; l < high + low; l++) {
            kl_lane r[8], i[8];
#pragma GCC unroll 8
            for (int j = 0; j < size; j++) {
                r[j] = RE(state, l + j * low), i[j] = IM(state, l + j * low);
                if (first) multiply(&r[j], &i[j], first + 2 * (l + j * low), 0);
            }
#pragma GCC unroll 3
            for (int q = 0; q < m; q++) {
                const kl_real cw = c[n - 1 - lo - q], sw = s[n - 1 - lo - q];
#pragma GCC unroll 8
                for (int j = 0; j < size; j++)
                    if (!(j >> q & 1)) {
                        const kl_lane x = r[j], y = r[j | 1 << q], u = i[j], w = i[j | 1 << q];
                        r[j] = cw * x - sw * y, r[j | 1 << q] = sw * x + cw * y;
                        i[j] = cw * u - sw * w, i[j | 1 << q] = sw * u + cw * w;
                    }
            }
#pragma GCC unroll 8
            for (int j = 0; j < size; j++) {
                if (last) multiply(&r[j], &i[j], last + 2 * (l + j * low), 0);
                RE(state, l + j * low) = r[j], IM(state, l + j * low) = i[j];
            }
        }
}
static void turn(kl_lane *state, int n, const kl_real *c, const kl_real *s, const kl_real *before,
                 const kl_real *after)
{
    for (int lo = 0; lo < n;) {
        const int m = n - lo == 4 ? 2 : n - lo < 3 ? n - lo : 3;
        const kl_real *first = lo ? NULL : before, *last = lo + m == n ? after : NULL;
        if (m == 3) turn_some(state, n, lo, 3, c, s, first, last);
        else if (m == 2) turn_some(state, n, lo, 2, c, s, first, last);
        else turn_some(state, n, lo, 1, c, s, first, last);
        lo += m;
    }
}

/* RX on the wire behind each wire, which controls it, one after the other. */
INLINE void turn_x(kl_lane *ar, kl_lane *ai, kl_lane *br, kl_lane *bi, kl_real c, kl_real s)
{
    const kl_lane x = *ar, u = *ai, y = *br, w = *bi;
    *ar = c * x + s * w, *ai = c * u - s * y;
    *br = c * y + s * u, *bi = c * w - s * x;
}
static void chain(kl_lane *state, int n, const kl_real *c, const kl_real *s)
{
    for (int i = 0; i + 1 < n; i++) {
        const int h = 1 << (n - 2 - i);
        for (int high = 2 * h; high < 1 << n; high += 4 * h)
            for (int k = high; k < high + h; k++)
                turn_x(&RE(state, k), &IM(state, k), &RE(state, k + h), &IM(state, k + h), c[i], s[i]);
    }
}
/* Of state and bra; x[i] = Im <bra| X |state> / 2 where control i acts. */
static void undo_chain(kl_lane *state, kl_lane *bra, kl_real *x, int n, const kl_real *c,
                       const kl_real *s)
{
    for (int i = n - 2; i >= 0; i--) {
        const int h = 1 << (n - 2 - i);
        kl_lane sum = { 0 };
        for (int high = 2 * h; high < 1 << n; high += 4 * h)
            for (int k = high; k < high + h; k++) {
                kl_lane ar = RE(state, k), ai = IM(state, k), br = RE(state, k + h),
                        bi = IM(state, k + h);
                kl_lane pr = RE(bra, k), pi = IM(bra, k), qr = RE(bra, k + h), qi = IM(bra, k + h);
                sum += (pr * bi - pi * br) + (qr * ai - qi * ar);
                turn_x(&ar, &ai, &br, &bi, c[i], -s[i]);
                turn_x(&pr, &pi, &qr, &qi, c[i], -s[i]);
                RE(state, k) = ar, IM(state, k) = ai, RE(state, k + h) = br, IM(state, k + h) = bi;
                RE(bra, k) = pr, IM(bra, k) = pi, RE(bra, k + h) = qr, IM(bra, k + h) = qi;
            }
        *(kl_lane *)(x + (size_t)i * KL_GROUP) += (kl_real)0.5 * sum;
    }
}

/* The way back of turn on state and bra. sums: of each wire X, Y (before the diagonal `after`, which
   comes off first). */
INLINE void undo_some(kl_lane *state, kl_lane *bra, kl_real *sums, const int n, const int lo,
                      const int m, const kl_real *c, const kl_real *s, const kl_real *after,
                      const kl_real *before)
{
    const int low = 1 << lo, size = 1 << m;
    kl_lane x[2] = { { 0 } }, y[2] = { { 0 } };
    for (int high = 0; high < 1 << n; high += low * size)
        for (int l = high; l < high + low; l++) {
            kl_lane r[4], i[4], p[4], t[4];
#pragma GCC unroll 4
            for (int j = 0; j < size; j++) {
                const int k = l + j * low;
                r[j] = RE(state, k), i[j] = IM(state, k), p[j] = RE(bra, k), t[j] = IM(bra, k);
                if (after)
                    multiply(&r[j], &i[j], after + 2 * k, 1), multiply(&p[j], &t[j], after + 2 * k, 1);
            }
#pragma GCC unroll 2
            for (int q = 0; q < m; q++) {
                const kl_real cw = c[n - 1 - lo - q], sw = s[n - 1 - lo - q];
#pragma GCC unroll 4
                for (int j = 0; j < size; j++)
                    if (!(j >> q & 1)) {
                        const int o = j | 1 << q;
                        x[q] += (p[j] * i[o] - t[j] * r[o]) + (p[o] * i[j] - t[o] * r[j]);
                        y[q] += (p[o] * r[j] + t[o] * i[j]) - (p[j] * r[o] + t[j] * i[o]);
                        const kl_lane a = r[j], b = i[j], d = p[j], e = t[j];
                        r[j] = cw * a + sw * r[o], r[o] = cw * r[o] - sw * a;
                        i[j] = cw * b + sw * i[o], i[o] = cw * i[o] - sw * b;
                        p[j] = cw * d + sw * p[o], p[o] = cw * p[o] - sw * d;
                        t[j] = cw * e + sw * t[o], t[o] = cw * t[o] - sw * e;
                    }
            }
#pragma GCC unroll 4
            for (int j = 0; j < size; j++) {
                const int k = l + j * low;
                if (before)
                    multiply(&r[j], &i[j], before + 2 * k, 1), multiply(&p[j], &t[j], before + 2 * k, 1);
                RE(state, k) = r[j], IM(state, k) = i[j], RE(bra, k) = p[j], IM(bra, k) = t[j];
            }
        }
    for (int q = 0; q < m; q++) {
        kl_real *to = sums + (size_t)(n - 1 - lo - q) * 3 * KL_GROUP;
        *(kl_lane *)to += (kl_real)0.5 * x[q], *(kl_lane *)(to + KL_GROUP) += (kl_real)0.5 * y[q];
    }
}
/* Z of each wire behind the diagonal: sums[wire][2]. p: scratch (N). */
static void add_z(kl_real *sums, const kl_lane *state, const kl_lane *bra, int n, kl_lane *p)
{
    kl_lane z[KL_SSM_MOST_QUBITS];
    for (int k = 0; k < 1 << n; k++) p[k] = RE(bra, k) * IM(state, k) - IM(bra, k) * RE(state, k);
    signed_sums(z, KL_LANES, p, n);
    for (int q = 0; q < n; q++)
        *(kl_lane *)(sums + (size_t)(3 * q + 2) * KL_GROUP) += (kl_real)0.5 * z[q];
}
static void undo(kl_lane *state, kl_lane *bra, kl_real *sums, int n, const kl_real *c, const kl_real *s,
                 const kl_real *before, const kl_real *after, kl_lane *p)
{
    add_z(sums, state, bra, n, p);
    for (int lo = 0; lo < n;) {
        const int m = n - lo < 2 ? 1 : 2;
        const kl_real *first = lo ? NULL : after, *last = lo + m == n ? before : NULL;
        if (m == 2) undo_some(state, bra, sums, n, lo, 2, c, s, first, last);
        else undo_some(state, bra, sums, n, lo, 1, c, s, first, last);
        lo += m;
    }
}

/* <X>, <Y>, <Z> by wire, turned by `end`. p: scratch (N). */
INLINE void observe_some(kl_lane *x, kl_lane *y, const kl_lane *state, const int n, const int lo,
                         const int m)
{
    const int low = 1 << lo, size = 1 << m;
    kl_lane sx[3] = { { 0 } }, sy[3] = { { 0 } };
    for (int high = 0; high < 1 << n; high += low * size)
        for (int l = high; l < high + low; l++) {
            kl_lane r[8], i[8];
#pragma GCC unroll 8
            for (int j = 0; j < size; j++) r[j] = RE(state, l + j * low), i[j] = IM(state, l + j * low);
#pragma GCC unroll 3
            for (int q = 0; q < m; q++)
#pragma GCC unroll 8
                for (int j = 0; j < size; j++)
                    if (!(j >> q & 1)) {
                        const int o = j | 1 << q;
                        sx[q] += r[j] * r[o], sx[q] += i[j] * i[o];
                        sy[q] += r[j] * i[o], sy[q] -= i[j] * r[o];
                    }
        }
    for (int q = 0; q < m; q++) x[n - 1 - lo - q] = 2 * sx[q], y[n - 1 - lo - q] = 2 * sy[q];
}
static void observe(kl_real *m, size_t ld, const kl_lane *state, int n, const kl_real *end, kl_lane *p)
{
    kl_lane x[KL_SSM_MOST_QUBITS], y[KL_SSM_MOST_QUBITS], z[KL_SSM_MOST_QUBITS];
    for (int lo = 0; lo < n;) {
        const int some = n - lo == 4 ? 2 : n - lo < 3 ? n - lo : 3;
        if (some == 3) observe_some(x, y, state, n, lo, 3);
        else if (some == 2) observe_some(x, y, state, n, lo, 2);
        else observe_some(x, y, state, n, lo, 1);
        lo += some;
    }
    for (int k = 0; k < 1 << n; k++) p[k] = RE(state, k) * RE(state, k) + IM(state, k) * IM(state, k);
    signed_sums(z, KL_LANES, p, n);
    for (int q = 0; q < n; q++)
        for (int a = 0; a < 3; a++) {
            const kl_real *e = end + 9 * q + 3 * a;
            *(kl_lane *)(m + (size_t)(a * n + q) * ld) = e[0] * x[q] + e[1] * y[q] + e[2] * z[q];
        }
}
/* bra = 2 sum of (g turned back) P |state>; sums: of each wire m x g, the generators behind all. */
INLINE void bra_some(kl_lane *bra, const kl_lane *state, const kl_lane *gx, const kl_lane *gy,
                     const kl_lane *w, const int n, const int lo, const int m)
{
    const int low = 1 << lo, size = 1 << m;
    for (int high = 0; high < 1 << n; high += low * size)
        for (int l = high; l < high + low; l++) {
            kl_lane r[4], i[4], p[4], t[4];
#pragma GCC unroll 4
            for (int j = 0; j < size; j++) {
                const int k = l + j * low;
                r[j] = RE(state, k), i[j] = IM(state, k);
                if (w) p[j] = w[k] * r[j], t[j] = w[k] * i[j];
                else p[j] = RE(bra, k), t[j] = IM(bra, k);
            }
#pragma GCC unroll 2
            for (int q = 0; q < m; q++) {
                const kl_lane x = gx[n - 1 - lo - q], y = gy[n - 1 - lo - q];
#pragma GCC unroll 4
                for (int j = 0; j < size; j++)
                    if (!(j >> q & 1)) {
                        const int o = j | 1 << q;
                        p[j] += x * r[o], p[j] += y * i[o], t[j] += x * i[o], t[j] -= y * r[o];
                        p[o] += x * r[j], p[o] -= y * i[j], t[o] += x * i[j], t[o] += y * r[j];
                    }
            }
#pragma GCC unroll 4
            for (int j = 0; j < size; j++) RE(bra, l + j * low) = p[j], IM(bra, l + j * low) = t[j];
        }
}
static void make_bra(kl_lane *bra, kl_real *sums, const kl_real *g, const kl_real *m, size_t ld,
                     const kl_lane *state, int n, const kl_real *end, kl_lane *w)
{
    kl_lane gx[KL_SSM_MOST_QUBITS], gy[KL_SSM_MOST_QUBITS], gz[KL_SSM_MOST_QUBITS];
    for (int q = 0; q < n; q++) {
        const kl_real *e = end + 9 * q;
        kl_lane gm[3], mm[3];
        for (int a = 0; a < 3; a++) {
            gm[a] = *(const kl_lane *)(g + (size_t)(a * n + q) * ld);
            mm[a] = *(const kl_lane *)(m + (size_t)(a * n + q) * ld);
        }
        for (int a = 0; a < 3; a++) {
            const int b = (a + 1) % 3, c = (a + 2) % 3;
            *(kl_lane *)(sums + (size_t)(3 * q + a) * KL_GROUP) += mm[b] * gm[c] - mm[c] * gm[b];
        }
        gx[q] = 2 * (e[0] * gm[0] + e[3] * gm[1] + e[6] * gm[2]);
        gy[q] = 2 * (e[1] * gm[0] + e[4] * gm[1] + e[7] * gm[2]);
        gz[q] = 2 * (e[2] * gm[0] + e[5] * gm[1] + e[8] * gm[2]);
    }
    signed_weights(w, (const kl_real *)gz, KL_LANES, n);
    for (int lo = 0; lo < n;) {
        const int some = n - lo < 2 ? 1 : 2;
        if (some == 2) bra_some(bra, state, gx, gy, lo ? NULL : w, n, lo, 2);
        else bra_some(bra, state, gx, gy, lo ? NULL : w, n, lo, 1);
        lo += some;
    }
}

/* ---- whole circuits ---- */
static void forward KL_SSM_FORWARD_ARGS(kl_real, kl_ssm_plan)
{
    const int n = plan->n;
    const size_t N = (size_t)1 << n;
    for (size_t g = 0; g < groups; g++)
        for (int at = 0; at < GV; at++) {
            const size_t lane = g * KL_GROUP + (size_t)(at * KL_LANES);
            kl_lane *real = (kl_lane *)scratch, *p = real + N,
                    *state = (kl_lane *)(states ? states + g * 2 * N * KL_GROUP
                                                : scratch + 2 * N * KL_GROUP) +
                             at;
            turn_real(real, v + lane, ld, n, plan->gate, plan->gate + n);
            observe_gate(m + (size_t)(3 * n) * ld + lane, m + (size_t)(4 * n) * ld + lane, ld, real, n,
                         p);
            observe_real(m + (size_t)(5 * n) * ld + lane, m + (size_t)(6 * n) * ld + lane, ld, v + lane,
                         n, p);
            turn_real(real, v + lane, ld, n, plan->turn, plan->turn + n);
            for (size_t k = 0; k < N; k++)
                RE(state, k) = plan->after[2 * k] * real[k],
                          IM(state, k) = plan->after[2 * k + 1] * real[k];
            for (int l = 0; l < plan->layers; l++) {
                const kl_real *c = plan->turn + 2 * l * n, *d = plan->control + 2 * l * (n - 1);
                if (l)
                    turn(state, n, c, c + n, plan->before + 2 * (size_t)l * N,
                         plan->after + 2 * (size_t)l * N);
                chain(state, n, d, d + n - 1);
            }
            observe(m + lane, ld, state, n, plan->end, p);
        }
}

/* Adds a gradient by v of GATE_A and of |v> itself. */
static void adjoint_real(kl_real *dv, kl_real *sums, const kl_real *g, const kl_real *v, size_t ld,
                         const struct kl_ssm_plan *plan, kl_lane *scratch)
{
    const int n = plan->n, N = 1 << n;
    kl_lane *state = scratch, *bra = scratch + N, *w = bra + N, y[KL_SSM_MOST_QUBITS];
    const kl_real *gate = g + (size_t)(3 * n) * ld, *plain = g + (size_t)(5 * n) * ld;
    turn_real(state, v, ld, n, plan->gate, plan->gate + n);
    bra_gate(bra, gate, gate + (size_t)n * ld, ld, state, n, w);
    undo_real(state, bra, y, n, plan->gate, plan->gate + n);
    for (int q = 0; q < n; q++) *(kl_lane *)(sums + (size_t)q * KL_GROUP) += (kl_real)0.5 * y[q];
    for (int k = 0; k < N; k++) *(kl_lane *)(dv + (size_t)k * ld) += bra[k];
    bra_real(bra, plain, plain + (size_t)n * ld, ld, v, n, w);
    for (int k = 0; k < N; k++) *(kl_lane *)(dv + (size_t)k * ld) += bra[k];
}

static void adjoint KL_SSM_ADJOINT_ARGS(kl_real, kl_ssm_plan)
{
    const int n = plan->n, L = plan->layers;
    const size_t N = (size_t)1 << n, layer = (size_t)(4 * n - 1) * KL_GROUP;
    for (size_t j = 0; j < groups; j++)
        for (int at = 0; at < GV; at++) {
            const size_t lane = j * KL_GROUP + (size_t)(at * KL_LANES);
            kl_lane *state = (kl_lane *)(states + j * 2 * N * KL_GROUP) + at, *w = (kl_lane *)scratch,
                    *bra = (kl_lane *)(scratch + 2 * N * KL_GROUP) + at, y[KL_SSM_MOST_QUBITS];
            kl_real *to = sums + (size_t)(at * KL_LANES);
            make_bra(bra, to + (size_t)L * layer, g + lane, m + lane, ld, state, n, plan->end, w);
            for (int l = L - 1; l >= 0; l--) {
                const kl_real *c = plan->turn + 2 * l * n, *d = plan->control + 2 * l * (n - 1);
                kl_real *mine = to + (size_t)l * layer;
                undo_chain(state, bra, mine + (size_t)(3 * n) * KL_GROUP, n, d, d + n - 1);
                if (l)
                    undo(state, bra, mine, n, c, c + n, plan->before + 2 * (size_t)l * N,
                         plan->after + 2 * (size_t)l * N, w);
            }
            add_z(to, state, bra, n, w);
            kl_lane *real = w, *real_bra = w + N;
            for (size_t k = 0; k < N; k++) {
                const kl_real *d = plan->after + 2 * k;
                real[k] = d[0] * RE(state, k) + d[1] * IM(state, k);
                real_bra[k] = d[0] * RE(bra, k) + d[1] * IM(bra, k);
            }
            undo_real(real, real_bra, y, n, plan->turn, plan->turn + n);
            for (int q = 0; q < n; q++)
                *(kl_lane *)(to + (size_t)(3 * q + 1) * KL_GROUP) += (kl_real)0.5 * y[q];
            for (size_t k = 0; k < N; k++) *(kl_lane *)(dv + k * ld + lane) = real_bra[k];
            adjoint_real(dv + lane, to + (size_t)L * layer + (size_t)(3 * n) * KL_GROUP, g + lane,
                         v + lane, ld, plan, (kl_lane *)scratch);
        }
}

/* Defined in kernels/cpu/ssm_rows.c. */
void KL_ISA_NAME(kl_ssm_embed) KL_SSM_EMBED_ARGS(kl_real);
void KL_ISA_NAME(kl_ssm_embed_back) KL_SSM_EMBED_BACK_ARGS(kl_real);
void KL_ISA_NAME(kl_ssm_mix) KL_SSM_MIX_ARGS(kl_real);
void KL_ISA_NAME(kl_ssm_mix_back) KL_SSM_MIX_BACK_ARGS(kl_real);
/* And in kernels/cpu/ssm_ring.c. */
void KL_ISA_NAME(kl_ssm_angles) KL_SSM_ANGLES_ARGS(kl_real);
void KL_ISA_NAME(kl_ssm_rings_forward) KL_SSM_RINGS_FORWARD_ARGS(kl_real, kl_ssm_rings);
void KL_ISA_NAME(kl_ssm_rings_adjoint) KL_SSM_RINGS_ADJOINT_ARGS(kl_real, kl_ssm_rings);

#define KL_TABLE_NAME KL_ISA_NAME(kl_ssm)
const struct kl_ssm KL_TABLE_NAME = { forward,
                                      adjoint,
                                      KL_ISA_NAME(kl_ssm_embed),
                                      KL_ISA_NAME(kl_ssm_embed_back),
                                      KL_ISA_NAME(kl_ssm_mix),
                                      KL_ISA_NAME(kl_ssm_mix_back),
                                      KL_ISA_NAME(kl_ssm_angles),
                                      KL_ISA_NAME(kl_ssm_rings_forward),
                                      KL_ISA_NAME(kl_ssm_rings_adjoint) };
