/* SPDX-License-Identifier: MIT
   Errors of the readout, taken back by the inverse of each qubit's confusion matrix (Bravyi et al. 2021,
   arXiv:2006.14044, the tensor product model). */
#include <math.h>

#include "circuit/noise.h"

static double *errors_of(const struct kl_circuit *c, int qubit)
{
    return c->noise->qubit[c->noise->n_qubits ? qubit : 0].readout;
}

int kl_circuit_readout_check(const struct kl_circuit *c, struct kl_error *err)
{
    for (int q = 0; c->noise && q < c->n_qubits; q++) {
        const double *e = errors_of(c, q);
        if (fabs(1 - e[0] - e[1]) < 1e-9)
            return kl_fail(
                err, KL_EUSAGE,
                "readout errors of qubit %d: found %g and %g, whose sum is 1: what is read says "
                "nothing about the qubit, so they cannot be taken back",
                q, e[0], e[1]);
    }
    return KL_OK;
}

int kl_circuit_readout_perfect(struct kl_circuit *c, struct kl_error *err)
{
    if (c->plan) return kl_fail(err, KL_EUSAGE, "circuit: it is finished, its readout is as it is");
    int code = kl_circuit_readout_check(c, err);
    for (int q = 0; c->noise && !code && q < KL_MAX_QUBITS; q++)
        c->noise->qubit[q].readout[0] = c->noise->qubit[q].readout[1] = 0;
    return code;
}

void kl_circuit_readout_undo(double *p, const struct kl_circuit *c)
{
    for (int q = 0; c->noise && q < c->n_qubits; q++) {
        const double *e = errors_of(c, q), f = 1 / (1 - e[0] - e[1]);
        const size_t bit = (size_t)1 << (c->n_qubits - 1 - q);
        for (size_t k = 0; k < (size_t)1 << c->n_qubits; k++) {
            if (k & bit) continue;
            const double p0 = p[k], p1 = p[k | bit];
            p[k] = f * ((1 - e[1]) * p0 - e[1] * p1);
            p[k | bit] = f * ((1 - e[0]) * p1 - e[0] * p0);
        }
    }
}

int kl_circuit_readout_mean_check(const struct kl_circuit *c, struct kl_pauli string,
                                  struct kl_error *err)
{
    const uint32_t wires = string.x | string.z;
    for (int q = 0; c->noise && q < c->n_qubits && (wires & (wires - 1)); q++) {
        const double *e = errors_of(c, q);
        if ((wires >> q & 1) && fabs(e[0] - e[1]) > 1e-12)
            return kl_fail(err, KL_EUSAGE,
                           "shots of a string of several letters, not all Z, under readout errors that "
                           "differ (qubit %d: %g and %g) are not mitigated; leave --shots away, or "
                           "observe strings of Z",
                           q, e[0], e[1]);
    }
    return KL_OK;
}

double kl_circuit_readout_mean(double mean, const struct kl_circuit *c, struct kl_pauli string)
{
    const uint32_t wires = string.x | string.z;
    for (int q = 0; c->noise && q < c->n_qubits; q++) {
        const double *e = errors_of(c, q);
        if (wires >> q & 1) mean = (mean - (e[1] - e[0])) / (1 - e[0] - e[1]);
    }
    return mean;
}
