/* SPDX-License-Identifier: MIT
   Noisy circuits by their definition, in complex double, one sample after another: the density matrix is
   multiplied from both sides, by every gate and by every Kraus operator of a channel as textbooks have
   them (Nielsen & Chuang, chapter 8); readout errors are chances that a bit is read wrongly. Shares
   nothing with lib/circuit but the description of a circuit and of its noise. */
#ifndef KL_TESTS_SLOW_NOISE_H
#define KL_TESTS_SLOW_NOISE_H

#include <math.h>

#include "circuit/noise.h"
#include "slow_circuit.h"

struct slow_density {
    int n;
    size_t size;
    slow_complex *rho; /* (size, size), row after row: the conjugate of the density matrix, see below */
};

/* Rows are multiplied as if each were a column, which is rho K^T, then the adjoint is taken; both twice
   are conj(K) rho K^T. So the conjugate of the density matrix goes through K, and its diagonal, which is
   all that is read, is the same. */
static inline void slow_adjoint(struct slow_density *d)
{
    for (size_t i = 0; i < d->size; i++)
        for (size_t j = 0; j <= i; j++) {
            slow_complex upper = d->rho[j * d->size + i];
            d->rho[j * d->size + i] = conj(d->rho[i * d->size + j]);
            d->rho[i * d->size + j] = conj(upper);
        }
}

/* sum of K rho K^dagger over the 2x2 operators K on one wire */
static inline void slow_kraus(struct slow_density *d, slow_complex (*k)[4], int n_operators, int wire)
{
    const size_t all = d->size * d->size;
    slow_complex *sum = calloc(all, sizeof *sum), *old = malloc(all * sizeof *old);
    memcpy(old, d->rho, all * sizeof *old);
    for (int o = 0; o < n_operators; o++) {
        memcpy(d->rho, old, all * sizeof *old);
        for (int side = 0; side < 2; side++) {
            for (size_t row = 0; row < d->size; row++)
                slow_multiply(d->rho + row * d->size, d->n, k[o], 1, &wire);
            slow_adjoint(d);
        }
        for (size_t i = 0; i < all; i++) sum[i] += d->rho[i];
    }
    memcpy(d->rho, sum, all * sizeof *sum);
    free(sum), free(old);
}

static inline void slow_channel(struct slow_density *d, const struct kl_qubit_noise *q, int several,
                                int wire)
{
    const double p = q->depolarizing[several], a = q->amplitude_damping[several],
                 g = q->phase_damping[several], b = q->bit_flip[several], f = q->phase_flip[several],
                 t = q->gate_time[several];
    slow_complex depolarizing[4][4] = { { sqrt(1 - p), 0, 0, sqrt(1 - p) },
                                        { 0, sqrt(p / 3), sqrt(p / 3), 0 },
                                        { 0, -I * sqrt(p / 3), I * sqrt(p / 3), 0 },
                                        { sqrt(p / 3), 0, 0, -sqrt(p / 3) } };
    slow_complex amplitude[2][4] = { { 1, 0, 0, sqrt(1 - a) }, { 0, sqrt(a), 0, 0 } };
    slow_complex phase[2][4] = { { 1, 0, 0, sqrt(1 - g) }, { 0, 0, 0, sqrt(g) } };
    slow_complex flip[2][4] = { { sqrt(1 - b), 0, 0, sqrt(1 - b) }, { 0, sqrt(b), sqrt(b), 0 } };
    slow_complex sign[2][4] = { { sqrt(1 - f), 0, 0, sqrt(1 - f) }, { sqrt(f), 0, 0, -sqrt(f) } };
    slow_kraus(d, depolarizing, 4, wire);
    slow_kraus(d, amplitude, 2, wire);
    slow_kraus(d, phase, 2, wire);
    slow_kraus(d, flip, 2, wire);
    slow_kraus(d, sign, 2, wire);
    if (t == 0) return;
    /* Damping towards a mixture, then the loss of phase that T2 has beyond T1's. */
    const double r = 1 - exp(-t / q->t1), e = q->excited, rest = exp(-2 * t / q->t2) / (1 - r);
    slow_complex damping[4][4] = {
        { sqrt(1 - e), 0, 0, sqrt((1 - e) * (1 - r)) },
        { 0, sqrt((1 - e) * r), 0, 0 },
        { sqrt(e * (1 - r)), 0, 0, sqrt(e) },
        { 0, 0, sqrt(e * r), 0 },
    };
    slow_complex dephasing[2][4] = { { 1, 0, 0, sqrt(rest) }, { 0, 0, 0, sqrt(fmax(0, 1 - rest)) } };
    slow_kraus(d, damping, 4, wire);
    slow_kraus(d, dephasing, 2, wire);
}

static inline uint32_t slow_wires(const struct kl_op *op)
{
    if (op->gate == KL_MULTIRZ) return op->mask;
    uint32_t wires = 1u << op->wire[0];
    if (op->gate >= KL_CNOT && op->gate <= KL_CRZ) wires |= 1u << op->wire[1];
    return wires;
}

/* The mean that is read of one Pauli string: every way in which bits may be read wrongly, by its chance.
 */
static inline double slow_read(const struct slow_density *d, const struct kl_noise *noise, uint32_t x,
                               uint32_t z)
{
    static const slow_complex h[4] = { M_SQRT1_2, M_SQRT1_2, M_SQRT1_2, -M_SQRT1_2 },
                              s[4] = { 1, 0, 0, -I };
    struct slow_density turned = *d;
    double mean = 0;
    turned.rho = malloc(d->size * d->size * sizeof *d->rho);
    memcpy(turned.rho, d->rho, d->size * d->size * sizeof *d->rho);
    for (int q = 0; q < d->n; q++) { /* X and Y become Z */
        slow_complex one[1][4];
        if (!(x >> q & 1)) continue;
        memcpy(one[0], s, sizeof s);
        if (z >> q & 1) slow_kraus(&turned, one, 1, q);
        memcpy(one[0], h, sizeof h);
        slow_kraus(&turned, one, 1, q);
    }
    for (size_t state = 0; state < d->size; state++) {
        double sign = 1;
        for (int q = 0; q < d->n; q++) {
            const double *error = noise->qubit[noise->n_qubits ? q : 0].readout;
            const int bit = state >> (d->n - 1 - q) & 1;
            if ((x | z) >> q & 1) sign *= bit ? error[1] - (1 - error[1]) : (1 - error[0]) - error[0];
        }
        mean += sign * creal(turned.rho[state * d->size + state]);
    }
    free(turned.rho);
    return mean;
}

/* Expectation values of one sample. */
static inline void slow_noisy_circuit(double *out, const struct kl_circuit *c, const double *x,
                                      const double *w)
{
    struct slow_density d = { c->n_qubits, (size_t)1 << c->n_qubits, NULL };
    d.rho = calloc(d.size * d.size, sizeof *d.rho);
    d.rho[0] = 1;
    uint32_t wires = 0; /* of one gate, of which there may be more to come */
    for (size_t i = 0; i < c->n_ops; i++) {
        const struct kl_op *op = &c->ops[i];
        wires |= slow_wires(op);
        for (int side = 0; side < 2; side++) {
            for (size_t row = 0; row < d.size; row++) slow_apply(d.rho + row * d.size, d.n, op, x, w);
            slow_adjoint(&d);
        }
        if (op->next && i + 1 < c->n_ops) continue;
        for (int q = 0; q < d.n; q++)
            if (wires >> q & 1)
                slow_channel(&d, &c->noise->qubit[c->noise->n_qubits ? q : 0],
                             (wires & (wires - 1)) != 0, q);
        wires = 0;
    }
    for (size_t o = 0; o < c->n_obs; o++)
        out[o] =
            slow_read(&d, c->noise, c->strings[c->terms[o].string].x, c->strings[c->terms[o].string].z);
    free(d.rho);
}

#endif
