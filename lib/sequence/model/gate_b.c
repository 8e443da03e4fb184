/* SPDX-License-Identifier: MIT
   GATE_B of Quantum Mamba Hybrid on |0>: a layer is RX on all wires, RZ on each wire but the first
   controlled by the one before, RY on all wires, RZ on the first one controlled by the last. No input
   reaches it: it runs once a batch. */
#include <math.h>
#include <string.h>

#include "sequence/model/mamba_hybrid_int.h"

enum kind { RX, RY, CRZ };
struct gate {
    enum kind kind;
    int target, control; /* bits of an amplitude's number */
    double c, s;         /* of half of the angle */
};

/* Gate i of all. turns: cosines, then sines. */
static struct gate gate_of(const double *turns, int n, int layers, int i)
{
    const double c = turns[i], s = turns[3 * n * layers + i];
    i %= 3 * n;
    if (i < n) return (struct gate){ RX, 1 << (n - 1 - i), 0, c, s };
    if (i < 2 * n - 1) return (struct gate){ CRZ, 1 << (2 * n - 2 - i), 1 << (2 * n - 1 - i), c, s };
    if (i < 3 * n - 1) return (struct gate){ RY, 1 << (3 * n - 2 - i), 0, c, s };
    return (struct gate){ CRZ, 1 << (n - 1), 1, c, s };
}

/* re, im (size); sign -1: undone. */
static void apply(double *re, double *im, int size, struct gate g, double sign)
{
    const double c = g.c, s = sign * g.s;
    const int h = g.target;
    for (int high = 0; high < size; high += 2 * h) {
        double *a = re + high, *b = a + h, *u = im + high, *w = u + h;
        if (g.kind == CRZ) {
            for (int k = 0; k < h; k++) {
                if (!((high + k) & g.control)) continue;
                const double x = a[k], y = b[k];
                a[k] = c * x + s * u[k], u[k] = c * u[k] - s * x;
                b[k] = c * y - s * w[k], w[k] = c * w[k] + s * y;
            }
            continue;
        }
        for (int k = 0; g.kind == RX && k < h; k++) {
            const double x = a[k], y = b[k], v = u[k], z = w[k];
            a[k] = c * x + s * z, w[k] = c * z - s * x, b[k] = c * y + s * v, u[k] = c * v - s * y;
        }
        for (int k = 0; g.kind == RY && k < h; k++) {
            const double x = a[k], y = b[k], v = u[k], z = w[k];
            a[k] = c * x - s * y, b[k] = s * x + c * y, u[k] = c * v - s * z, w[k] = s * v + c * z;
        }
    }
}

/* Im <bra| G |state> / 2. p: of the bra. */
static double derivative(const double *re, const double *im, const double *p, const double *q, int size,
                         struct gate g)
{
    const int h = g.target;
    double sum = 0;
    for (int high = 0; high < size; high += 2 * h)
        for (int k = high; k < high + h; k++) {
            const int o = k + h;
            if (g.kind == RX) sum += (p[k] * im[o] - q[k] * re[o]) + (p[o] * im[k] - q[o] * re[k]);
            else if (g.kind == RY) sum += (p[o] * re[k] + q[o] * im[k]) - (p[k] * re[o] + q[k] * im[o]);
            else if (k & g.control) sum += (p[k] * im[k] - q[k] * re[k]) - (p[o] * im[o] - q[o] * re[o]);
        }
    return sum / 2;
}

void kl_sequence_gate_b(double *m, double *work, const double *g, int n, int layers)
{
    const int size = 1 << n, gates = 3 * n * layers;
    double *re = work, *im = work + size, *turns = work + 4 * (size_t)size;
    memset(re, 0, 2 * (size_t)size * sizeof *re);
    re[0] = 1;
    for (int i = 0; i < gates; i++) {
        turns[i] = cos(g[i] / 2), turns[gates + i] = sin(g[i] / 2);
        apply(re, im, size, gate_of(turns, n, layers, i), 1);
    }
    for (int q = 0; q < n; q++) {
        const int h = 1 << (n - 1 - q);
        double x = 0, y = 0, z = 0;
        for (int high = 0; high < size; high += 2 * h)
            for (int k = high; k < high + h; k++) {
                x += re[k] * re[k + h] + im[k] * im[k + h], y += re[k] * im[k + h] - im[k] * re[k + h];
                z += (re[k] * re[k] + im[k] * im[k]) - (re[k + h] * re[k + h] + im[k + h] * im[k + h]);
            }
        m[q] = 2 * x, m[n + q] = 2 * y, m[2 * n + q] = z;
    }
}

void kl_sequence_gate_b_back(double *dg, const double *dm, double *work, int n, int layers)
{
    const int size = 1 << n, gates = 3 * n * layers;
    double *re = work, *im = re + size, *p = im + size, *q = p + size, *turns = q + size;
    memset(p, 0, 2 * (size_t)size * sizeof *p);
    for (int wire = 0; wire < n; wire++) {
        const int h = 1 << (n - 1 - wire);
        const double x = 2 * dm[wire], y = 2 * dm[n + wire], z = 2 * dm[2 * n + wire];
        for (int high = 0; high < size; high += 2 * h)
            for (int k = high; k < high + h; k++) {
                const int o = k + h;
                p[k] += x * re[o] + y * im[o] + z * re[k], q[k] += x * im[o] - y * re[o] + z * im[k];
                p[o] += x * re[k] - y * im[k] - z * re[o], q[o] += x * im[k] + y * re[k] - z * im[o];
            }
    }
    memset(dg + gates, 0, (size_t)(n * layers) * sizeof *dg); /* never used */
    for (int i = gates - 1; i >= 0; i--) {
        const struct gate gate = gate_of(turns, n, layers, i);
        dg[i] = derivative(re, im, p, q, size, gate);
        apply(re, im, size, gate, -1), apply(p, q, size, gate, -1);
    }
}
