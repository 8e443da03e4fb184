/* SPDX-License-Identifier: MIT
   Circuits by their definition, in complex double, one sample after another: every gate is its matrix
   from the textbook, multiplied onto the state; an observable is a product of Pauli matrices. Shares
   nothing with lib/circuit but the description of a circuit. */
#ifndef KL_TESTS_SLOW_CIRCUIT_H
#define KL_TESTS_SLOW_CIRCUIT_H

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/circuit.h"

typedef double complex slow_complex;

/* new = (matrix on the k wires, wires[0] the most significant bit of its index) old */
static inline void slow_multiply(slow_complex *state, int n, const slow_complex *matrix, int k,
                                 const int *wires)
{
    size_t size = (size_t)1 << n, side = (size_t)1 << k;
    slow_complex *old = malloc(size * sizeof *old);
    memcpy(old, state, size * sizeof *old);
    for (size_t row = 0; row < size; row++) {
        size_t r = 0, rest = row;
        for (int i = 0; i < k; i++) {
            size_t bit = (size_t)1 << (n - 1 - wires[i]);
            r = 2 * r + ((row & bit) != 0);
            rest &= ~bit;
        }
        state[row] = 0;
        for (size_t c = 0; c < side; c++) {
            size_t column = rest;
            for (int i = 0; i < k; i++)
                if (c >> (k - 1 - i) & 1) column |= (size_t)1 << (n - 1 - wires[i]);
            state[row] += matrix[r * side + c] * old[column];
        }
    }
    free(old);
}

static inline double slow_angle(const struct kl_angle *a, const double *x, const double *w)
{
    if (a->source == KL_CONSTANT) return a->scale;
    if (a->source == KL_WEIGHT) return a->scale * w[a->index];
    return a->scale * x[a->index] * (a->index2 >= 0 ? x[a->index2] : 1) *
           (a->scaled ? w[a->scaled - 1] : 1);
}

/* The 2x2 matrices; kind 'x', 'y', 'z': exp(-i t/2 P). */
static inline void slow_rotation(slow_complex m[4], char kind, double t)
{
    slow_complex c = cos(t / 2), s = sin(t / 2);
    slow_complex rx[4] = { c, -I * s, -I * s, c }, ry[4] = { c, -s, s, c },
                 rz[4] = { cexp(-I * t / 2), 0, 0, cexp(I * t / 2) };
    memcpy(m, kind == 'x' ? rx : kind == 'y' ? ry : rz, sizeof rx);
}

static inline void slow_controlled(slow_complex m[16], const slow_complex u[4])
{
    slow_complex all[16] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, u[0], u[1], 0, 0, u[2], u[3] };
    memcpy(m, all, sizeof all);
}

static inline void slow_multirz(slow_complex *state, int n, uint32_t mask, double t)
{
    for (size_t k = 0; k < (size_t)1 << n; k++) {
        int parity = 0;
        for (int q = 0; q < n; q++) parity ^= (mask >> q & 1) && (k >> (n - 1 - q) & 1);
        state[k] *= cexp((parity ? I : -I) * t / 2);
    }
}

static inline void slow_apply(slow_complex *state, int n, const struct kl_op *op, const double *x,
                              const double *w)
{
    static const slow_complex h[4] = { M_SQRT1_2, M_SQRT1_2, M_SQRT1_2, -M_SQRT1_2 },
                              not [4] = { 0, 1, 1, 0 }, z[4] = { 1, 0, 0, -1 };
    slow_complex u[4], m[16];
    double t = slow_angle(&op->angle[0], x, w);
    switch (op->gate) {
    case KL_RX:
    case KL_RY:
    case KL_RZ:
        slow_rotation(u, "xyz"[op->gate - KL_RX], t);
        slow_multiply(state, n, u, 1, op->wire);
        return;
    case KL_ROT:
        for (int i = 0; i < 3; i++) {
            slow_rotation(u, "zyz"[i], slow_angle(&op->angle[i], x, w));
            slow_multiply(state, n, u, 1, op->wire);
        }
        return;
    case KL_H: slow_multiply(state, n, h, 1, op->wire); return;
    case KL_X: slow_multiply(state, n, not, 1, op->wire); return;
    case KL_CNOT: slow_controlled(m, not ); break;
    case KL_CZ: slow_controlled(m, z); break;
    case KL_CRX:
    case KL_CRY:
    case KL_CRZ:
        slow_rotation(u, "xyz"[op->gate - KL_CRX], t);
        slow_controlled(m, u);
        break;
    case KL_MULTIRZ: slow_multirz(state, n, op->mask, t); return;
    case KL_ID: return;
    }
    slow_multiply(state, n, m, 2, op->wire);
}

/* Expectation values of one sample. */
static inline void slow_circuit(double *out, const struct kl_circuit *c, const double *x,
                                const double *w)
{
    static const slow_complex pauli[3][4] = { { 0, 1, 1, 0 }, { 0, -I, I, 0 }, { 1, 0, 0, -1 } };
    int n = c->n_qubits;
    size_t size = (size_t)1 << n;
    slow_complex *state = calloc(size, sizeof *state), *acted = malloc(size * sizeof *acted);
    state[0] = 1;
    for (size_t i = 0; i < c->n_ops; i++) slow_apply(state, n, &c->ops[i], x, w);
    for (size_t o = 0; o < c->n_obs; o++) {
        slow_complex sum = 0;
        memcpy(acted, state, size * sizeof *acted);
        for (int q = 0; q < n; q++) {
            int px = c->strings[c->terms[o].string].x >> q & 1,
                pz = c->strings[c->terms[o].string].z >> q & 1;
            if (px || pz) slow_multiply(acted, n, pauli[px && pz ? 1 : px ? 0 : 2], 1, &q);
        }
        for (size_t k = 0; k < size; k++) sum += conj(state[k]) * acted[k];
        out[o] = creal(sum);
    }
    free(state), free(acted);
}

#endif
