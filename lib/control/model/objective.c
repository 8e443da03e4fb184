/* SPDX-License-Identifier: MIT
   Objectives: fidelities as linear functions of the transfer matrix; and what else its numbers say. */
#include "control/model/model.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void kl_control_objective_free(struct kl_control_objective *objective)
{
    free(objective->start);
    free(objective->weights);
    *objective = (struct kl_control_objective){ 0 };
}

double kl_control_objective_loss(const struct kl_control_objective *objective,
                                 const struct kl_control_system *system, const double *ends)
{
    double sum = 0;
    for (int i = 0; i < system->dim * objective->columns; i++) sum += objective->weights[i] * ends[i];
    return objective->constant - sum;
}

int kl_control_states(double complex *states, int d)
{
    static const char *const one[] = { "+", "-", "r", "l", "0", "1" };
    static const char *const two[] = { "++", "+-", "-+", "--", "rr", "rl",
                                       "1+", "1-", "+1", "-1", "00", "11" };
    const int n = d == 2 ? 6 : d == 4 ? 12 : 0;
    for (int k = 0; k < n; k++)
        kl_control_state_text(states + k * d, d == 2 ? one[k] : two[k], d, d == 2 ? 1 : 2, NULL);
    return n;
}

/* Tr(B_a |s><s|) of a state of the levels that compute. */
static void vector_of(double *vector, const double complex *basis, const struct kl_control_system *s,
                      const double complex *state)
{
    const int d = s->d;
    for (int a = 0; a < s->dim; a++) {
        const double complex *b = basis + (size_t)a * (size_t)s->dim;
        vector[a] = 0;
        for (int i = 0; i < s->subspace; i++)
            for (int j = 0; j < s->subspace; j++)
                vector[a] += creal(conj(state[i]) * b[i * d + j] * state[j]);
    }
}

/* V_a = (B_a restricted to the levels that compute), seen through U: U^+ B_a U. */
static void turned(double complex *to, const double complex *b, const struct kl_control_system *s,
                   const double complex *u)
{
    const int n = s->subspace;
    double complex half[KL_CONTROL_MATRIX];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            half[i * n + j] = 0;
            for (int k = 0; k < n; k++) half[i * n + j] += b[i * s->d + k] * u[k * n + j];
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            to[i * n + j] = 0;
            for (int k = 0; k < n; k++) to[i * n + j] += conj(u[k * n + i]) * half[k * n + j];
        }
}

/* sum_jk conj(Tr(B_a U|j><k|U^+)) Tr(B_b |j><k|) = Tr(U^+ B_a U B_b), both restricted. */
static void weights_entanglement(double *weights, const double complex *basis,
                                 const struct kl_control_system *s,
                                 const struct kl_control_target *target)
{
    const int n = s->subspace, dim = s->dim;
    for (int a = 0; a < dim; a++) {
        double complex seen[KL_CONTROL_MATRIX];
        turned(seen, basis + (size_t)a * (size_t)dim, s, target->u);
        for (int b = 0; b < dim; b++) {
            const double complex *other = basis + (size_t)b * (size_t)dim;
            double sum = 0;
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) sum += creal(seen[i * n + j] * other[j * s->d + i]);
            weights[a * dim + b] = sum / (s->d * n * n);
        }
    }
}

static void weights_kept(double *weights, const double complex *basis, const struct kl_control_system *s)
{
    double kept[KL_CONTROL_MATRIX] = { 0 };
    for (int a = 0; a < s->dim; a++)
        for (int i = 0; i < s->subspace; i++)
            kept[a] += creal(basis[(size_t)a * (size_t)s->dim + (size_t)(i * s->d + i)]);
    for (int a = 0; a < s->dim; a++)
        for (int b = 0; b < s->dim; b++)
            weights[a * s->dim + b] = kept[a] * kept[b] / (s->d * s->subspace);
}

static int check_target(const struct kl_control_system *system, const struct kl_control_target *target,
                        struct kl_error *err)
{
    if (target->d == system->subspace) return KL_OK;
    return kl_fail(err, KL_EUSAGE, "target %.60s has %d levels, the system %s computes with %d",
                   target->name, target->d, system->name, system->subspace);
}

/* Fold the first row of R, which is known, into the constant; rounding leaves tiny weights in place of
   0: set them to 0. */
static void fold(struct kl_control_objective *o, int dim)
{
    double largest = 0;
    for (int i = 0; i < dim * o->columns; i++) largest = fmax(largest, fabs(o->weights[i]));
    for (int i = 0; i < dim * o->columns; i++)
        if (fabs(o->weights[i]) < 1e-15 * largest) o->weights[i] = 0;
    if (o->columns == 1) o->constant -= o->weights[0] * o->start[0];
    else o->constant -= o->weights[0];
    memset(o->weights, 0, (size_t)o->columns * sizeof *o->weights);
}

static int take(struct kl_control_objective *o, const struct kl_control_system *s, int columns,
                struct kl_error *err)
{
    const size_t n = (size_t)s->dim * (size_t)columns;
    *o = (struct kl_control_objective){ .columns = columns, .constant = 1 };
    o->start = calloc(n, sizeof *o->start);
    o->weights = calloc(n, sizeof *o->weights);
    if (!o->start || !o->weights) return kl_fail_memory(err, 2 * n * sizeof(double));
    for (int i = 0; columns > 1 && i < columns; i++) o->start[i * columns + i] = 1;
    return KL_OK;
}

static int basis_of(double complex **basis, const struct kl_control_system *s, struct kl_error *err)
{
    const size_t bytes = (size_t)s->dim * (size_t)s->dim * sizeof **basis;
    *basis = malloc(bytes);
    if (!*basis) return kl_fail_memory(err, bytes);
    kl_control_basis(*basis, s->d, s->n_qubits);
    return KL_OK;
}

int kl_control_objective_states(struct kl_control_objective *o, const struct kl_control_system *s,
                                const double complex *inputs, const double complex *targets, int n,
                                struct kl_error *err)
{
    double complex *basis = NULL;
    double input[KL_CONTROL_MATRIX], target[KL_CONTROL_MATRIX];
    int code = take(o, s, n == 1 ? 1 : s->dim, err);
    if (!code) code = basis_of(&basis, s, err);
    snprintf(o->name, sizeof o->name, n == 1 ? "state" : "mean of %d states", n);
    for (int k = 0; k < n && !code; k++) {
        vector_of(input, basis, s, inputs + k * s->subspace);
        vector_of(target, basis, s, targets + k * s->subspace);
        for (int a = 0; a < s->dim; a++) {
            if (n == 1) o->start[a] = input[a], o->weights[a] = target[a] / s->d;
            for (int b = 0; n > 1 && b < s->dim; b++)
                o->weights[a * s->dim + b] += target[a] * input[b] / (n * s->d);
        }
    }
    if (!code) fold(o, s->dim);
    free(basis);
    return code;
}

static int of_states(struct kl_control_objective *o, const struct kl_control_system *s, bool one,
                     const struct kl_control_target *target, struct kl_error *err)
{
    double complex
        inputs[KL_CONTROL_STATES_MOST * KL_CONTROL_MAX_LEVELS] = { 1 },
                                        targets[KL_CONTROL_STATES_MOST * KL_CONTROL_MAX_LEVELS];
    const int d = s->subspace, n = one ? 1 : kl_control_states(inputs, d);
    if (!n)
        return kl_fail(err, KL_EUSAGE, "objective states: found %d levels that compute, expected 2 or 4",
                       d);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < d; i++) {
            targets[k * d + i] = 0;
            for (int j = 0; j < d; j++) targets[k * d + i] += target->u[i * d + j] * inputs[k * d + j];
        }
    return kl_control_objective_states(o, s, inputs, targets, n, err);
}

/* share of F_e and of what is kept, 1 - L1, in the fidelity. */
static int of_gate(struct kl_control_objective *o, const struct kl_control_system *s,
                   const struct kl_control_target *target, double entanglement, double kept,
                   struct kl_error *err)
{
    double complex *basis = NULL;
    const size_t n = (size_t)s->dim * (size_t)s->dim;
    int code = take(o, s, s->dim, err);
    if (!code) code = basis_of(&basis, s, err);
    double *more = code ? NULL : malloc(n * sizeof *more);
    if (!code && !more) code = kl_fail_memory(err, n * sizeof *more);
    if (!code) {
        if (entanglement > 0) weights_entanglement(o->weights, basis, s, target);
        weights_kept(more, basis, s);
        for (size_t i = 0; i < n; i++) o->weights[i] = entanglement * o->weights[i] + kept * more[i];
        fold(o, s->dim);
    }
    free(more);
    free(basis);
    return code;
}

int kl_control_objective_make(struct kl_control_objective *o, const struct kl_control_system *s,
                              enum kl_control_fidelity fidelity, const struct kl_control_target *target,
                              struct kl_error *err)
{
    const double d = s->subspace;
    *o = (struct kl_control_objective){ 0 };
    const char *name = "", *of = target->name;
    int code = check_target(s, target, err);
    if (code) return code;
    switch (fidelity) {
    case KL_CONTROL_STATE: name = "state", code = of_states(o, s, true, target, err); break;
    case KL_CONTROL_ENTANGLEMENT:
        name = "entanglement", code = of_gate(o, s, target, 1, 0, err);
        break;
    case KL_CONTROL_AVERAGE:
        name = "average", code = of_gate(o, s, target, d / (d + 1), 1 / (d + 1), err);
        break;
    case KL_CONTROL_STATES: name = "states", code = of_states(o, s, false, target, err); break;
    case KL_CONTROL_LEAKAGE:
        name = "leakage", of = "L1", code = of_gate(o, s, target, 0, 1, err);
        break;
    }
    snprintf(o->name, sizeof o->name, "%s %.48s", name, of);
    return code;
}

/* ---- a transfer matrix ----
   Numbers of a transfer matrix: fidelities, leakage, and whether it is a physical map. */

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
    int code = check_target(s, target, err);
    if (code) return code;
    double complex *basis = malloc(3 * n * sizeof *basis);
    double *weights = malloc(n * sizeof *weights);
    if (!basis || !weights) {
        code = kl_fail_memory(err, 3 * n * sizeof *basis);
        goto out;
    }
    *channel = (struct kl_control_channel){ 0 };
    kl_control_basis(basis, s->d, s->n_qubits);
    weights_entanglement(weights, basis, s, target);
    channel->entanglement = inner(weights, transfer, n);
    weights_kept(weights, basis, s);
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
