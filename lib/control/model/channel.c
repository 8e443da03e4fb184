/* SPDX-License-Identifier: MIT
   Numbers of a transfer matrix: fidelities, leakage, and whether it is a physical map. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/model/objective_int.h"

/* J_(ji)(lk) = <i|E(|j><l|)|k> / d = sum_ab (B_a)_ik R_ab (B_b)_lj / d^2, of trace 1. */
static void choi(double complex *j_matrix, double complex *images, const double complex *basis,
                 const double *transfer, int d)
{
    const size_t dim = (size_t)d * (size_t)d;
    for (size_t b = 0; b < dim; b++)
        for (size_t e = 0; e < dim; e++) {
            images[b * dim + e] = 0;
            for (size_t a = 0; a < dim; a++)
                images[b * dim + e] += transfer[a * dim + b] * basis[a * dim + e];
        }
    for (int j = 0; j < d; j++)
        for (int i = 0; i < d; i++)
            for (int l = 0; l < d; l++)
                for (int k = 0; k < d; k++) {
                    double complex sum = 0;
                    for (size_t b = 0; b < dim; b++)
                        sum +=
                            images[b * dim + (size_t)(i * d + k)] * basis[b * dim + (size_t)(l * d + j)];
                    j_matrix[(size_t)(j * d + i) * dim + (size_t)(l * d + k)] = sum / (d * d);
                }
}

static double inner(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

int kl_control_channel_measure(struct kl_control_channel *channel, const struct kl_control_system *s,
                               const struct kl_control_target *target, const double *transfer,
                               struct kl_error *err)
{
    const size_t dim = (size_t)s->dim, n = dim * dim;
    const double d = s->subspace;
    int code = kl_control_check_target(s, target, err);
    if (code) return code;
    double complex *basis = malloc(3 * n * sizeof *basis);
    double *weights = malloc(n * sizeof *weights);
    if (!basis || !weights) {
        code = kl_fail_memory(err, 3 * n * sizeof *basis);
        goto out;
    }
    *channel = (struct kl_control_channel){ 0 };
    kl_control_basis(basis, s->d, s->n_qubits);
    kl_control_weights_entanglement(weights, basis, s, target);
    channel->entanglement = inner(weights, transfer, n);
    kl_control_weights_kept(weights, basis, s);
    const double kept = inner(weights, transfer, n);
    channel->average = (d * channel->entanglement + kept) / (d + 1);
    channel->leakage = s->subspace < s->d ? 1 - kept : 0;
    for (size_t b = 0; b < dim; b++)
        channel->trace_error = fmax(channel->trace_error, fabs(transfer[b] - (b == 0)));
    choi(basis + n, basis + 2 * n, basis, transfer, s->d);
    code = kl_control_smallest_eigenvalue(&channel->smallest_choi, basis + n, s->dim, err);
out:
    free(weights);
    free(basis);
    return code;
}

int kl_control_channel_states(double *fidelities, const struct kl_control_system *s,
                              const double *transfer, const double complex *inputs,
                              const double complex *targets, int n, struct kl_error *err)
{
    struct kl_control_objective one = { 0 };
    int code = KL_OK;
    for (int k = 0; k < n && !code; k++) {
        code = kl_control_objective_states(&one, s, inputs + k * s->subspace, targets + k * s->subspace,
                                           1, err);
        fidelities[k] = 1 - one.constant;
        for (int a = 0; a < s->dim && !code; a++)
            fidelities[k] += one.weights[a] * inner(transfer + a * s->dim, one.start, (size_t)s->dim);
        kl_control_objective_free(&one);
    }
    return code;
}
