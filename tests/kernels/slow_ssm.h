/* SPDX-License-Identifier: MIT
   The circuits of kernels/ssm.h gate by gate on one state in long double, and what stands around them. A
   rotation by a small angle may be inserted at a place whose derivative is asked for. */
#include <complex.h>
#include <math.h>
#include <string.h>

enum { MOST = 6, STATES = 1 << MOST, MOST_LAYERS = 3 };
typedef long double complex amplitude;

/* exp(-i angle P / 2) on a wire where the control's bit is set (control 0: everywhere). P: 0 X, 1 Y, 2
 * Z. */
static void slow_turn(amplitude *s, int n, int wire, int control, int axis, long double angle)
{
    const long double c = cosl(angle / 2), v = sinl(angle / 2);
    const int h = 1 << (n - 1 - wire);
    for (int k = 0; k < 1 << n; k++) {
        if (k & h || (k & control) != control) continue;
        const amplitude a = s[k], b = s[k + h];
        if (axis == 0) s[k] = c * a - I * v * b, s[k + h] = c * b - I * v * a;
        if (axis == 1) s[k] = c * a - v * b, s[k + h] = v * a + c * b;
        if (axis == 2) s[k] = (c - I * v) * a, s[k + h] = (c + I * v) * b;
    }
}
/* exp(-i angle P P / 2) on a pair of wires, P X or Y. */
static void slow_pair(amplitude *s, int n, int i, int j, int axis, long double angle)
{
    const long double c = cosl(angle / 2), v = sinl(angle / 2);
    const int a = 1 << (n - 1 - i), b = 1 << (n - 1 - j);
    amplitude to[STATES];
    for (int k = 0; k < 1 << n; k++) {
        const long double sign = axis == 0 ? 1 : !(k & a) == !(k & b) ? -1 : 1;
        to[k] = c * s[k] - I * v * sign * s[k ^ a ^ b];
    }
    memcpy(s, to, sizeof(amplitude) << n);
}
/* <P> of a wire. */
static long double slow_value(const amplitude *s, int n, int wire, int axis)
{
    const int h = 1 << (n - 1 - wire);
    long double sum = 0;
    for (int k = 0; k < 1 << n; k++) {
        if (k & h) continue;
        const amplitude cross = conjl(s[k]) * s[k + h];
        sum += axis == 0   ? 2 * creall(cross)
               : axis == 1 ? 2 * cimagl(cross)
                           : creall(s[k] * conjl(s[k])) - creall(s[k + h] * conjl(s[k + h]));
    }
    return sum;
}

/* The place of an inserted rotation: by number of a row of sums; -1: nowhere. */
struct slow_insert {
    int row;
    long double angle;
};
static void slow_vector(long double v[3], int axis, long double angle)
{
    const int j = (axis + 1) % 3, k = (axis + 2) % 3;
    const long double y = v[j], z = v[k];
    v[j] = cosl(angle) * y - sinl(angle) * z, v[k] = sinl(angle) * y + cosl(angle) * z;
}
/* m[axis n + wire]: values turned by `end` (n, 3, 3); rows from `first` on are insertions behind it. */
static void slow_end(long double *m, const amplitude *s, int n, const long double *end, int first,
                     struct slow_insert insert)
{
    for (int q = 0; q < n; q++) {
        long double v[3], w[3] = { 0 };
        for (int a = 0; a < 3; a++) v[a] = slow_value(s, n, q, a);
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) w[a] += end[9 * q + 3 * a + b] * v[b];
        const int mine = insert.row - first - 3 * q;
        if (insert.row >= 0 && mine >= 0 && mine < 3) slow_vector(w, mine, insert.angle);
        for (int a = 0; a < 3; a++) m[a * n + q] = w[a];
    }
}

/* Angles in place of the coefficients of a plan of kernels/ssm.h. */
struct slow_plan {
    int n, layers;
    long double turn[MOST_LAYERS][MOST], control[MOST_LAYERS][MOST], before[MOST_LAYERS][STATES],
        after[MOST_LAYERS][STATES], end[9 * MOST], gate[MOST];
};
static void slow_ssm(long double *m, const long double *v, const struct slow_plan *p,
                     struct slow_insert insert)
{
    const int n = p->n, layer = 4 * n - 1;
    amplitude s[STATES];
    for (int k = 0; k < 1 << n; k++) s[k] = v[k];
    for (int q = 0; q < n; q++)
        m[5 * n + q] = slow_value(s, n, q, 0), m[6 * n + q] = slow_value(s, n, q, 2);
    for (int q = 0; q < n; q++) {
        slow_turn(s, n, q, 0, 1, p->gate[q]);
        if (insert.row == p->layers * layer + 3 * n + q) slow_turn(s, n, q, 0, 1, insert.angle);
    }
    for (int q = 0; q + 1 < n;
         q++) { /* CNOT is i^(1/2) RX(pi) where the control is set: up to a phase there */
        const int c = 1 << (n - 1 - q), t = c >> 1;
        for (int k = 0; k < 1 << n; k++)
            if (k & c && !(k & t)) {
                const amplitude a = s[k];
                s[k] = s[k + t], s[k + t] = a;
            }
    }
    for (int q = 0; q < n; q++)
        m[3 * n + q] = slow_value(s, n, q, 0), m[4 * n + q] = slow_value(s, n, q, 2);
    for (int k = 0; k < 1 << n; k++) s[k] = v[k];
    for (int l = 0; l < p->layers; l++) {
        for (int k = 0; l && k < 1 << n; k++) s[k] *= cexpl(I * p->before[l][k]);
        for (int q = 0; q < n; q++) {
            slow_turn(s, n, q, 0, 1, p->turn[l][q]);
            const int mine = insert.row - l * layer - 3 * q;
            if (insert.row >= 0 && mine >= 0 && mine < 3) slow_turn(s, n, q, 0, mine, insert.angle);
        }
        for (int k = 0; k < 1 << n; k++) s[k] *= cexpl(I * p->after[l][k]);
        for (int q = 0; q + 1 < n; q++) {
            slow_turn(s, n, q + 1, 1 << (n - 1 - q), 0, p->control[l][q]);
            if (insert.row == l * layer + 3 * n + q)
                slow_turn(s, n, q + 1, 1 << (n - 1 - q), 0, insert.angle);
        }
    }
    slow_end(m, s, n, p->end, p->layers * layer, insert);
}

/* SSM_B from its angles (4 n L): whole ones, of the very first RY pi / 2 less; shared ones (L - 1, n).
 */
static void slow_rings(long double *m, const long double *angle, int n, int layers,
                       const long double *shared, const long double *end, struct slow_insert insert)
{
    amplitude s[STATES] = { 1 };
    for (int l = 0; l < layers; l++) {
        const long double *a = angle + 4 * n * l;
        for (int q = 0; q < n; q++) slow_turn(s, n, q, 0, 1, a[q] + (l ? 0 : acosl(0)));
        for (int q = 0; q < n; q++) slow_pair(s, n, q, (q + 1) % n, 0, a[n + q]);
        for (int q = 0; q < n; q++) slow_turn(s, n, q, 0, 1, a[2 * n + q]);
        for (int q = 0; q < n; q++) slow_pair(s, n, q, (q + 1) % n, 1, a[3 * n + q]);
        for (int q = 0; l + 1 < layers && q < n; q++) {
            slow_turn(s, n, q, 0, 0, shared[l * n + q]);
            const int mine = insert.row - l * 3 * n - 3 * q;
            if (insert.row >= 0 && mine >= 0 && mine < 3) slow_turn(s, n, q, 0, mine, insert.angle);
        }
    }
    slow_end(m, s, n, end, (layers - 1) * 3 * n, insert);
}

/* Layer norm and amplitude embedding. */
static void slow_embed(long double *v, const long double *z, size_t rows, const long double *weight,
                       const long double *bias)
{
    long double mean = 0, variance = 0, norm = 0;
    for (size_t k = 0; k < rows; k++) mean += z[k] / (long double)rows;
    for (size_t k = 0; k < rows; k++) variance += (z[k] - mean) * (z[k] - mean) / (long double)rows;
    for (size_t k = 0; k < rows; k++) {
        v[k] = weight[k] * (z[k] - mean) / sqrtl(variance + 1e-5L) + bias[k];
        norm += v[k] * v[k];
    }
    for (size_t k = 0; k < rows; k++) v[k] /= fmaxl(sqrtl(norm), 1e-12L);
}
/* Moduli of the weighed sum of three measured vectors. */
static void slow_mix(long double *r, const long double *m, int n, const long double *factor,
                     const long double *skip)
{
    amplitude h[3 * MOST];
    long double sum = 1e-8L;
    for (int j = 0; j < 3 * n; j++) {
        const int axis = j / n, q = j % n;
        const long double second = axis == 0   ? m[3 * n + q]
                                   : axis == 1 ? 0
                                               : m[4 * n + q],
                          third = axis == 0   ? cosl(skip[q]) * m[5 * n + q]
                                  : axis == 1 ? sinl(skip[q]) * m[5 * n + q]
                                              : m[6 * n + q];
        h[j] = (factor[0] + I * factor[1]) * m[j] + (factor[2] + I * factor[3]) * second +
               (factor[4] + I * factor[5]) * third;
        sum += creall(h[j] * conjl(h[j]));
    }
    for (int j = 0; j < 3 * n; j++) r[j] = cabsl(h[j]) / sqrtl(sum);
}
