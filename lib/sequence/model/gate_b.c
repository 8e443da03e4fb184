/* SPDX-License-Identifier: MIT
   GATE_B of Quantum Mamba Hybrid on |0>: a layer is RX on all wires, RZ on each wire but the first
   controlled by the one before, RY on all wires, RZ on the first one controlled by the last. No input
   reaches it: it runs once a batch. */
#include <math.h>

#include "sequence/model/mamba_hybrid_int.h"

enum kind { RX, RY, CRZ };
struct gate {
    enum kind kind;
    int target, control; /* bits of an amplitude's number */
};

/* Gate i of a layer. */
static struct gate gate_of(int n, int i)
{
    if (i < n) return (struct gate){ RX, 1 << (n - 1 - i), 0 };
    if (i < 2 * n - 1) return (struct gate){ CRZ, 1 << (2 * n - 2 - i), 1 << (2 * n - 1 - i) };
    if (i < 3 * n - 1) return (struct gate){ RY, 1 << (3 * n - 2 - i), 0 };
    return (struct gate){ CRZ, 1 << (n - 1), 1 };
}

static void apply(double complex *s, int size, struct gate gate, double angle)
{
    const double c = cos(angle / 2), v = sin(angle / 2);
    const int h = gate.target;
    for (int high = 0; high < size; high += 2 * h)
        for (int k = high; k < high + h; k++) {
            const double complex a = s[k], b = s[k + h];
            if (gate.kind == RX) s[k] = c * a - I * (v * b), s[k + h] = c * b - I * (v * a);
            else if (gate.kind == RY) s[k] = c * a - v * b, s[k + h] = v * a + c * b;
            else if (k & gate.control) s[k] = a * (c - I * v), s[k + h] = b * (c + I * v);
        }
}

/* Im <bra| G |state> / 2 */
static double derivative(const double complex *state, const double complex *bra, int size,
                         struct gate gate)
{
    const int h = gate.target;
    double sum = 0;
    for (int high = 0; high < size; high += 2 * h)
        for (int k = high; k < high + h; k++) {
            const double complex a = state[k], b = state[k + h], p = bra[k], q = bra[k + h];
            if (gate.kind == RX) sum += cimag(conj(p) * b + conj(q) * a);
            else if (gate.kind == RY) sum += creal(conj(q) * a - conj(p) * b);
            else if (k & gate.control) sum += cimag(conj(p) * a - conj(q) * b);
        }
    return sum / 2;
}

void kl_sequence_gate_b(double *m, double complex *state, const double *g, int n, int layers)
{
    const int size = 1 << n;
    for (int k = 0; k < size; k++) state[k] = k == 0;
    for (int i = 0; i < 3 * n * layers; i++) apply(state, size, gate_of(n, i % (3 * n)), g[i]);
    for (int q = 0; q < n; q++) {
        const int h = 1 << (n - 1 - q);
        double complex cross = 0;
        double z = 0;
        for (int high = 0; high < size; high += 2 * h)
            for (int k = high; k < high + h; k++) {
                cross += conj(state[k]) * state[k + h];
                z += creal(state[k] * conj(state[k])) - creal(state[k + h] * conj(state[k + h]));
            }
        m[q] = 2 * creal(cross), m[n + q] = 2 * cimag(cross), m[2 * n + q] = z;
    }
}

void kl_sequence_gate_b_back(double *dg, const double *dm, double complex *state, double complex *bra,
                             const double *g, int n, int layers)
{
    const int size = 1 << n;
    for (int k = 0; k < size; k++) bra[k] = 0;
    for (int q = 0; q < n; q++) {
        const int h = 1 << (n - 1 - q);
        const double x = 2 * dm[q], y = 2 * dm[n + q], z = 2 * dm[2 * n + q];
        for (int high = 0; high < size; high += 2 * h)
            for (int k = high; k < high + h; k++) {
                bra[k] += (x - I * y) * state[k + h] + z * state[k];
                bra[k + h] += (x + I * y) * state[k] - z * state[k + h];
            }
    }
    for (int i = 3 * n * layers; i < 4 * n * layers; i++) dg[i] = 0; /* never used */
    for (int i = 3 * n * layers - 1; i >= 0; i--) {
        const struct gate gate = gate_of(n, i % (3 * n));
        dg[i] = derivative(state, bra, size, gate);
        apply(state, size, gate, -g[i]), apply(bra, size, gate, -g[i]);
    }
}
