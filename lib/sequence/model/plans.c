/* SPDX-License-Identifier: MIT
   Angles of circuits as coefficients of kernels/ssm.h, and its sums as their gradients. */
#include <math.h>

#include "kernels/inline/real.h"
#include "sequence/model/mamba_int.h"

/* ---- rotations of one wire one after the other ---- */

/* A rotation: w - i (x X + y Y + z Z), and, of the vector (X, Y, Z) of expectation values,
 * about an axis. */
struct turn {
    double w, v[3];
};
static inline struct turn turned(struct turn a, int axis, double angle)
{
    const double c = cos(angle / 2), s = sin(angle / 2);
    const int j = (axis + 1) % 3, k = (axis + 2) % 3;
    struct turn t = { .w = c * a.w - s * a.v[axis] };
    t.v[axis] = c * a.v[axis] + s * a.w;
    t.v[j] = c * a.v[j] - s * a.v[k], t.v[k] = c * a.v[k] + s * a.v[j];
    return t;
}
static inline void turn_vector(double v[3], int axis, double angle)
{
    const double c = cos(angle), s = sin(angle);
    const int j = (axis + 1) % 3, k = (axis + 2) % 3;
    const double y = v[j], z = v[k];
    v[j] = c * y - s * z, v[k] = s * y + c * z;
}

enum { X, Y, Z };

/* ---- ssm plan ----
   The angles of SSM_A and GATE_A as coefficients of kernels/ssm.h, and its sums as their gradients.
   SSM_A, a layer: RY, RZ on each wire, RX on each wire but the first controlled by the one before,
   RY(b), RX, RZ(c). What stands between two chains of controlled rotations is one matrix a wire,
   RZ(last) RY(turn) RZ(first). */

/* Angles of a layer: p of RY and RZ of wire q, of its control, of RX behind them. */
static size_t first_of(int n, int layer, int q)
{
    return (size_t)(layer * (4 * n - 1) + 2 * q);
}
static size_t control_of(int n, int layer, int i)
{
    return (size_t)(layer * (4 * n - 1) + 2 * n + i);
}
static size_t behind_of(int n, int layer, int q)
{
    return (size_t)(layer * (4 * n - 1) + 3 * n - 1 + q);
}

/* t (N, 2) = e^(-i/2 sum of angle z). */
static void diagonal(kl_real *t, int n, const double *angle)
{
    double re[1 << KL_SSM_MOST_QUBITS], im[1 << KL_SSM_MOST_QUBITS];
    re[0] = 1, im[0] = 0;
    for (int b = 0; b < n; b++) {
        const double c = cos(angle[n - 1 - b] / 2), s = sin(angle[n - 1 - b] / 2);
        for (int k = 0, h = 1 << b; k < h; k++) {
            const double x = re[k], y = im[k];
            re[k] = x * c + y * s, im[k] = y * c - x * s;
            re[k + h] = x * c - y * s, im[k + h] = y * c + x * s;
        }
    }
    for (int k = 0; k < 1 << n; k++) t[2 * k] = (kl_real)re[k], t[2 * k + 1] = (kl_real)im[k];
}

static kl_real *take(kl_real **values, size_t n)
{
    kl_real *at = *values;
    *values += (n + 3) / 4 * 4;
    return at;
}

static void layer_of(kl_real *turn, kl_real *before, kl_real *after, kl_real *control, int n, int layer,
                     const kl_real *p, const kl_real *b, const kl_real *c)
{
    double first[KL_SSM_MOST_QUBITS], last[KL_SSM_MOST_QUBITS];
    for (int q = 0; q < n; q++) {
        const double y = (double)p[first_of(n, layer, q)], z = (double)p[first_of(n, layer, q) + 1];
        double half[2] = { cos(y / 2), sin(y / 2) };
        first[q] = 0, last[q] = z;
        if (layer) {
            struct turn t = { 1, { 0 } };
            t = turned(t, Y, (double)b[q]);
            t = turned(t, X, (double)p[behind_of(n, layer - 1, q)]);
            t = turned(t, Z, (double)c[q]);
            t = turned(turned(t, Y, y), Z, z);
            const double sum = atan2(t.v[Z], t.w), difference = atan2(-t.v[X], t.v[Y]);
            first[q] = sum - difference, last[q] = sum + difference;
            half[0] = hypot(t.w, t.v[Z]), half[1] = hypot(t.v[X], t.v[Y]);
        }
        turn[q] = (kl_real)half[0], turn[n + q] = (kl_real)half[1];
    }
    for (int i = 0; i + 1 < n; i++) {
        const double angle = (double)p[control_of(n, layer, i)];
        control[i] = (kl_real)cos(angle / 2), control[n - 1 + i] = (kl_real)sin(angle / 2);
    }
    diagonal(before, n, first), diagonal(after, n, last);
}

void kl_sequence_ssm_plan(struct kl_ssm_plan *plan, kl_real *values, int n, int layers, const kl_real *p,
                          const kl_real *b, const kl_real *c, const kl_real *gate)
{
    const size_t N = (size_t)1 << n, w = (size_t)n, L = (size_t)layers;
    kl_real *turn = take(&values, 2 * w * L), *before = take(&values, 2 * N * L),
            *after = take(&values, 2 * N * L), *control = take(&values, 2 * (w - 1) * L),
            *end = take(&values, 9 * w), *half = take(&values, 2 * w);
    for (int l = 0; l < layers; l++)
        layer_of(turn + 2 * w * (size_t)l, before + 2 * N * (size_t)l, after + 2 * N * (size_t)l,
                 control + 2 * (w - 1) * (size_t)l, n, l, p, b, c);
    for (int q = 0; q < n; q++) {
        for (int a = 0; a < 3; a++) {
            double v[3] = { a == 0, a == 1, a == 2 };
            turn_vector(v, Y, (double)b[q]);
            turn_vector(v, X, (double)p[behind_of(n, layers - 1, q)]);
            turn_vector(v, Z, (double)c[q]);
            for (int r = 0; r < 3; r++) end[9 * q + 3 * r + a] = (kl_real)v[r];
        }
        half[q] = (kl_real)cos((double)gate[q] / 2), half[n + q] = (kl_real)sin((double)gate[q] / 2);
    }
    *plan = (struct kl_ssm_plan){ n, layers, turn, before, after, control, end, half };
}

/* Generators of a wire, taken behind RZ(c) of a layer, as gradients by the three angles there; left
 * before them. */
static void behind(double g[3], double *db, double *dp, double *dc, double b, double p, double c)
{
    *dc += g[Z];
    turn_vector(g, Z, -c);
    *dp = g[X];
    turn_vector(g, X, -p);
    *db += g[Y];
    turn_vector(g, Y, -b);
}

void kl_sequence_ssm_gradient(kl_real *dp, kl_real *db, kl_real *dc, kl_real *dgate, const kl_real *sums,
                              int n, int layers, const kl_real *p, const kl_real *b, const kl_real *c)
{
    enum { WIDTH = 64 / sizeof(kl_real) };
    const size_t layer = (size_t)(4 * n - 1) * WIDTH;
    const kl_real *ends = sums + (size_t)layers * layer;
    double by_b[KL_SSM_MOST_QUBITS] = { 0 }, by_c[KL_SSM_MOST_QUBITS] = { 0 }, by_p;
    for (int i = layers * (4 * n - 1); i < 4 * n * layers; i++) dp[i] = 0; /* never used */
    for (int q = 0; q < n; q++) {
        double g[3];
        for (int a = 0; a < 3; a++)
            g[a] = (double)kl_sequence_row_sum(ends + (size_t)(3 * q + a) * WIDTH);
        behind(g, &by_b[q], &by_p, &by_c[q], (double)b[q], (double)p[behind_of(n, layers - 1, q)],
               (double)c[q]);
        dp[behind_of(n, layers - 1, q)] = (kl_real)by_p;
        dgate[q] = kl_sequence_row_sum(ends + (size_t)(3 * n + q) * WIDTH);
    }
    for (int l = layers - 1; l >= 0; l--)
        for (int q = 0; q < n; q++) {
            const kl_real *rows = sums + (size_t)l * layer + (size_t)(3 * q) * WIDTH;
            const double y = (double)p[first_of(n, l, q)], z = (double)p[first_of(n, l, q) + 1];
            double g[3];
            for (int a = 0; a < 3; a++) g[a] = (double)kl_sequence_row_sum(rows + (size_t)a * WIDTH);
            if (q + 1 < n)
                dp[control_of(n, l, q)] =
                    kl_sequence_row_sum(sums + (size_t)l * layer + (size_t)(3 * n + q) * WIDTH);
            if (!l) {
                dp[first_of(n, l, q)] = (kl_real)g[Y], dp[first_of(n, l, q) + 1] = (kl_real)g[Z];
                continue;
            }
            struct turn t = { 1, { 0 } };
            t = turned(t, Y, (double)b[q]);
            t = turned(t, X, (double)p[behind_of(n, l - 1, q)]);
            t = turned(turned(turned(t, Z, (double)c[q]), Y, y), Z, z);
            turn_vector(g, Z, atan2(t.v[Z], t.w) + atan2(-t.v[X], t.v[Y]));
            dp[first_of(n, l, q) + 1] = (kl_real)g[Z];
            turn_vector(g, Z, -z);
            dp[first_of(n, l, q)] = (kl_real)g[Y];
            turn_vector(g, Y, -y);
            behind(g, &by_b[q], &by_p, &by_c[q], (double)b[q], (double)p[behind_of(n, l - 1, q)],
                   (double)c[q]);
            dp[behind_of(n, l - 1, q)] = (kl_real)by_p;
        }
    for (int q = 0; q < n; q++) db[q] = (kl_real)by_b[q], dc[q] = (kl_real)by_c[q];
}

/* ---- rings plan ----
   The shared angles of SSM_B as coefficients of kernels/ssm.h, and its sums as their gradients. Between
   two layers, and behind the last, stands RX(d) RZ(c) on each wire, which is RY(last) RX(turn)
   RY(first). */

void kl_sequence_rings_plan(struct kl_ssm_rings *plan, kl_real *values, kl_real *offset, int n,
                            int layers, const kl_real *base, const kl_real *b, const kl_real *c,
                            const kl_real *d)
{
    kl_real *turn = values, *end = values + 2 * n * layers;
    for (int r = 0; r < 4 * n * layers; r++) offset[r] = base[r] / 2;
    for (int q = 0; q < n; q++) {
        struct turn t = { 1, { 0 } };
        t = turned(turned(t, Z, (double)c[q]), X, (double)d[q]);
        const double sum = atan2(t.v[Y], t.w), difference = atan2(-t.v[Z], t.v[X]);
        for (int l = 0; l < layers; l++) {
            kl_real *to = offset + 4 * n * l + q;
            const double first = l + 1 < layers ? sum - difference : 0,
                         last = l ? sum + difference : -1.5707963267948966;
            to[0] = (kl_real)(((double)base[4 * n * l + q] + last) / 2);
            to[2 * n] = (kl_real)(((double)base[4 * n * l + 2 * n + q] + (double)b[q] + first) / 2);
            if (l + 1 == layers) continue;
            turn[2 * n * l + q] = (kl_real)hypot(t.w, t.v[Y]);
            turn[2 * n * l + n + q] = (kl_real)hypot(t.v[X], t.v[Z]);
        }
        for (int a = 0; a < 3; a++) {
            double v[3] = { a == 0, a == 1, a == 2 };
            turn_vector(v, Z, (double)c[q]);
            turn_vector(v, X, (double)d[q]);
            for (int r = 0; r < 3; r++) end[9 * q + 3 * r + a] = (kl_real)v[r];
        }
    }
    *plan = (struct kl_ssm_rings){ n, layers, turn, end };
}

void kl_sequence_rings_gradient(kl_real *db, kl_real *dc, kl_real *dd, const kl_real *dbase,
                                const kl_real *sums, int n, int layers, const kl_real *c,
                                const kl_real *d)
{
    enum { WIDTH = 64 / sizeof(kl_real) };
    for (int q = 0; q < n; q++) {
        struct turn t = { 1, { 0 } };
        t = turned(turned(t, Z, (double)c[q]), X, (double)d[q]);
        const double last = atan2(t.v[Y], t.w) + atan2(-t.v[Z], t.v[X]);
        double by_b = 0, by_c = 0, by_d = 0;
        for (int l = 0; l < layers; l++) {
            double g[3];
            for (int a = 0; a < 3; a++)
                g[a] = (double)kl_sequence_row_sum(sums + (size_t)((l * n + q) * 3 + a) * WIDTH);
            if (l + 1 < layers) turn_vector(g, Y, last);
            by_d += g[X];
            turn_vector(g, X, -(double)d[q]);
            by_c += g[Z];
            by_b += (double)dbase[4 * n * l + 2 * n + q];
        }
        db[q] = (kl_real)by_b, dc[q] = (kl_real)by_c, dd[q] = (kl_real)by_d;
    }
}
