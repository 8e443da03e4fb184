/* SPDX-License-Identifier: MIT
   Generators, transfer matrices of gates, spectra, fidelities and leakage against golden.h5 and peers.h5
   of the shared reference, whose numbers come from SciPy, QuTiP and a program of their own; to 1e-12. */
#include <complex.h>
#include <math.h>

#include "control/pulse/pulse.h"
#include "eigenvalues.h"
#include "golden_control.h"

enum { MOST = 64 * 64, SEGMENTS = 64 };
static const double tolerance = 1e-12;
static int failures;
static double largest;

static void near(const char *group, const char *what, size_t i, double found, double expected)
{
    const double error = fabs(found - expected);
    largest = fmax(largest, error);
    if (error <= tolerance) return;
    fprintf(stderr, "%s: %s %zu: found %.17g, expected %.17g\n", group, what, i, found, expected);
    failures++;
}

static void all_near(const char *group, const char *what, const double *found, hid_t h)
{
    static double expected[MOST];
    const size_t n = golden_values(expected, MOST, h, what);
    for (size_t i = 0; i < n; i++) near(group, what, i, found[i], expected[i]);
}

/* ---- exact propagation, plainly: the expectations do not need it, it makes R of the pulses ---- */
static void multiply(double *to, const double *a, const double *b, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
            to[i * n + j] = sum;
        }
}

/* exp(g dt) by squaring a series of 24 terms of what is below 1/8. */
static void exponential(double *to, const double *g, double dt, int n)
{
    static double term[MOST], next[MOST], scaled[MOST];
    double norm = 0;
    int halvings = 0;
    for (int i = 0; i < n * n; i++) norm += g[i] * g[i];
    for (norm = sqrt(norm) * dt; norm > 0.125; norm /= 2) halvings++;
    for (int i = 0; i < n * n; i++) {
        scaled[i] = g[i] * ldexp(dt, -halvings);
        to[i] = term[i] = i / n == i % n;
    }
    for (int k = 1; k <= 24; k++) {
        multiply(next, term, scaled, n);
        for (int i = 0; i < n * n; i++) to[i] += term[i] = next[i] / k;
    }
    for (; halvings; halvings--) {
        multiply(next, to, to, n);
        memcpy(to, next, (size_t)(n * n) * sizeof *to);
    }
}

/* R of pulses u [segments][n_controls], of which `given` are in the file. */
static void propagate(double *r, const struct kl_control_system *s, const struct kl_control_task *task,
                      const double *u, int segments, double duration)
{
    static double g[MOST], e[MOST], next[MOST];
    for (int i = 0; i < s->dim * s->dim; i++) r[i] = i / s->dim == i % s->dim;
    for (int k = 0; k < segments; k++) {
        kl_control_system_generator(g, s, u + k * s->n_controls, task);
        exponential(e, g, duration / segments, s->dim);
        multiply(next, e, r, s->dim);
        memcpy(r, next, (size_t)(s->dim * s->dim) * sizeof *r);
    }
}

static struct kl_control_system system_of(const char *name)
{
    struct kl_control_system system;
    struct kl_error err;
    must(kl_control_system_make(&system, name, NULL, &err), &err);
    return system;
}

static struct kl_control_target gate_of(const char *name, int d)
{
    struct kl_control_target target;
    struct kl_error err;
    must(kl_control_target_gate(&target, name, d, &err), &err);
    return target;
}

static double loss_of(const struct kl_control_system *s, enum kl_control_fidelity fidelity,
                      const struct kl_control_target *target, const double *r)
{
    struct kl_control_objective o;
    struct kl_error err;
    double ends[MOST];
    must(kl_control_objective_make(&o, s, fidelity, target, &err), &err);
    if (o.columns == s->dim) memcpy(ends, r, (size_t)(s->dim * s->dim) * sizeof *r);
    else
        for (int a = 0; a < s->dim; a++) {
            ends[a] = 0;
            for (int b = 0; b < s->dim; b++) ends[a] += r[a * s->dim + b] * o.start[b];
        }
    const double loss = kl_control_objective_loss(&o, s, ends);
    kl_control_objective_free(&o);
    return loss;
}

static struct kl_control_channel channel_of(const struct kl_control_system *s,
                                            const struct kl_control_target *target, const double *r)
{
    struct kl_control_channel channel;
    struct kl_error err;
    must(kl_control_channel_measure(&channel, s, target, r, &err), &err);
    near(s->name, "smallest Choi eigenvalue below 0", 0, fmin(channel.smallest_choi, 0), 0);
    near(s->name, "trace error", 0, channel.trace_error, 0);
    return channel;
}

/* ---- groups ---- */
/* |1><0|, not |0><1|: a text of variable length. */
static int jumps_up(hid_t h)
{
    char *text = NULL;
    const hid_t attribute = H5Aopen(h, "jump_direction", H5P_DEFAULT), type = H5Aget_type(attribute);
    golden_need(H5Tis_variable_str(type) > 0 && H5Aread(attribute, type, &text) >= 0, "jump_direction");
    const int up = strcmp(text, "|1><0|") == 0;
    golden_need(up || strcmp(text, "|0><1|") == 0, "jump_direction");
    H5free_memory(text);
    H5Tclose(type), H5Aclose(attribute);
    return up;
}

static void generators(hid_t file)
{
    const hid_t h = H5Gopen2(file, "generators", H5P_DEFAULT);
    static const char *const gates[] = { "pauli_x", "pauli_y", "pauli_z", "hadamard", "cz" };
    struct kl_control_system s = system_of("qubit");
    struct kl_error err;
    double r[256];
    all_near("generators", "GX", s.controls[0].matrix, h);
    all_near("generators", "GY", s.controls[1].matrix, h);
    all_near("generators", "GZ", s.params[3].matrix, h);
    all_near("generators", "D_phi", s.params[0].matrix, h);
    all_near("generators", "D_1", s.params[1].matrix, h);
    for (int k = 0; k < 5; k++) {
        char name[32];
        const int d = k < 4 ? 2 : 4;
        const struct kl_control_target target = gate_of(gates[k], d);
        snprintf(name, sizeof name, "ptm_%s", gates[k]);
        must(kl_control_transfer_of_unitary(r, target.u, d, d / 2, &err), &err);
        all_near("generators", name, r, h);
    }
    kl_control_system_free(&s);
    H5Gclose(h);
}

static void spectrum(hid_t file)
{
    double rows[3 * 14], g[16];
    struct kl_control_system s = system_of("qubit");
    golden_values(rows, 42, file, "spectrum/h0_gphi_g1_then_eigenvalues");
    for (size_t k = 0; k < 3; k++) {
        const double *row = rows + 14 * k;
        double complex matrix[16], values[4];
        struct kl_control_task task = { .params = { row[2], row[4], 0, row[0] }, .amplitude = 1 };
        kl_control_system_generator(g, &s, NULL, &task);
        for (int i = 0; i < 16; i++) matrix[i] = g[i];
        golden_eigenvalues(values, matrix, 4);
        for (int e = 0; e < 4; e++) { /* each has one of its own */
            const double complex expected = row[6 + 2 * e] + I * row[7 + 2 * e];
            int best = 0;
            for (int i = 1; i < 4; i++)
                if (cabs(values[i] - expected) < cabs(values[best] - expected)) best = i;
            near("spectrum", "eigenvalue", k, cabs(values[best] - expected), 0);
            values[best] = INFINITY;
        }
    }
    kl_control_system_free(&s);
}

static herr_t one_qubit(hid_t file, const char *name, const H5L_info_t *info, void *count)
{
    (void)info;
    static const char *const gates[] = { "pauli_x", "pauli_y", "pauli_z", "hadamard" };
    static double u[2 * SEGMENTS], r[MOST], ptm[MOST], state[4], entanglement[4], average[4], loss;
    const hid_t h = H5Gopen2(file, name, H5P_DEFAULT);
    struct kl_control_system s = system_of("qubit");
    struct kl_control_task task = { .amplitude = 1,
                                    .params = { golden_number(h, "gamma_phi"),
                                                golden_number(h, "gamma_1"), 0,
                                                golden_number(h, "h0") } };
    const int segments = (int)golden_values(u, 2 * SEGMENTS, h, "u") / 2;
    propagate(r, &s, &task, u, segments, golden_number(h, "T"));
    all_near(name, "ptm", r, h);
    golden_values(ptm, MOST, h, "ptm");
    for (size_t k = 0; k < 4; k++) {
        const struct kl_control_target target = gate_of(gates[k], 2);
        const struct kl_control_channel channel = channel_of(&s, &target, ptm);
        entanglement[k] = channel.entanglement;
        average[k] = channel.average;
        state[k] = 1 - loss_of(&s, KL_CONTROL_STATE, &target, ptm);
        near(name, "1 - F_e", k, loss_of(&s, KL_CONTROL_ENTANGLEMENT, &target, ptm),
             1 - entanglement[k]);
        /* A mean over a 2-design is F_avg. */
        near(name, "mean of six", k, loss_of(&s, KL_CONTROL_STATES, &target, ptm), 1 - average[k]);
    }
    all_near(name, "state_fidelity", state, h);
    all_near(name, "entanglement_fidelity", entanglement, h);
    all_near(name, "average_gate_fidelity", average, h);
    const struct kl_control_target x = gate_of("x", 2), had = gate_of("h", 2);
    loss = loss_of(&s, KL_CONTROL_STATE, &x, ptm), all_near(name, "loss_state_x", &loss, h);
    loss = loss_of(&s, KL_CONTROL_STATE, &had, ptm), all_near(name, "loss_state_h", &loss, h);
    loss = loss_of(&s, KL_CONTROL_AVERAGE, &x, ptm), all_near(name, "loss_gate_x", &loss, h);
    loss = loss_of(&s, KL_CONTROL_AVERAGE, &had, ptm), all_near(name, "loss_gate_h", &loss, h);
    kl_control_system_free(&s);
    H5Gclose(h);
    ++*(int *)count;
    return 0;
}

/* The twelve states of the file, up to their phases: by their Pauli vectors. */
static void inputs(hid_t file, const struct kl_control_system *s)
{
    double vectors[12 * 16];
    double complex states[KL_CONTROL_STATES_MOST * KL_CONTROL_MAX_LEVELS], rho[16];
    struct kl_error err;
    golden_need(kl_control_states(states, 4) == 12, "twelve states");
    for (int k = 0; k < 12; k++) {
        for (int i = 0; i < 16; i++) rho[i] = states[4 * k + i / 4] * conj(states[4 * k + i % 4]);
        must(kl_control_vector_of_state(vectors + 16 * k, rho, 4, s->n_qubits, &err), &err);
    }
    all_near("two_qubit", "input_pauli", vectors, file);
}

static herr_t two_qubit(hid_t file, const char *name, const H5L_info_t *info, void *count)
{
    (void)info;
    static double u[6 * SEGMENTS], r[MOST], ptm[MOST], rates[4], value;
    if (strcmp(name, "input_states") == 0 || strcmp(name, "target_pauli") == 0) return 0;
    struct kl_control_system s = system_of("cz");
    if (strcmp(name, "input_pauli") == 0) {
        inputs(file, &s);
        kl_control_system_free(&s);
        return 0;
    }
    const hid_t h = H5Gopen2(file, name, H5P_DEFAULT);
    golden_values(rates, 4, h, "rates");
    struct kl_control_task task;
    kl_control_task_default(&task, &s);
    const int up = jumps_up(h);
    for (int q = 0; q < 2; q++) {
        task.params[3 * q] = rates[2 * q];
        task.params[3 * q + 1 + up] = rates[2 * q + 1];
        task.params[3 * q + 2 - up] = 0;
    }
    task.params[6] = golden_number(h, "J");
    const int segments = (int)golden_values(u, 6 * SEGMENTS, h, "u") / 6;
    propagate(r, &s, &task, u, segments, golden_number(h, "T"));
    all_near(name, "ptm", r, h);
    golden_values(ptm, MOST, h, "ptm");
    const struct kl_control_target cz = gate_of("cz", 4);
    const struct kl_control_channel channel = channel_of(&s, &cz, ptm);
    all_near(name, "entanglement_fidelity", &channel.entanglement, h);
    all_near(name, "average_gate_fidelity", &channel.average, h);
    value = loss_of(&s, KL_CONTROL_AVERAGE, &cz, ptm), all_near(name, "loss_gate", &value, h);
    value = loss_of(&s, KL_CONTROL_STATES, &cz, ptm), all_near(name, "loss_mean12", &value, h);
    value = 1 - value, all_near(name, "mean_fidelity_12", &value, h);
    kl_control_system_free(&s);
    H5Gclose(h);
    ++*(int *)count;
    return 0;
}

/* R_ab = Tr(B_a E(B_b)) / d of a row-stacking superoperator. */
static void transfer_of(double *r, const double *superoperator, int d)
{
    static double complex basis[MOST], image[MOST];
    const int dim = d * d;
    kl_control_basis(basis, d, 0);
    for (int b = 0; b < dim; b++) {
        for (int i = 0; i < dim; i++) {
            image[i] = 0;
            for (int j = 0; j < dim; j++)
                image[i] +=
                    (superoperator[2 * (i * dim + j)] + I * superoperator[2 * (i * dim + j) + 1]) *
                    basis[b * dim + j];
        }
        for (int a = 0; a < dim; a++) {
            r[a * dim + b] = 0;
            for (int i = 0; i < dim; i++)
                r[a * dim + b] += creal(conj(basis[a * dim + i]) * image[i]) / d;
        }
    }
}

static herr_t three_level(hid_t file, const char *name, const H5L_info_t *info, void *count)
{
    (void)info;
    static double u[2 * SEGMENTS], superoperator[2 * MOST], r[MOST], found[MOST];
    const hid_t h = H5Gopen2(file, name, H5P_DEFAULT);
    struct kl_control_system s = system_of("transmon");
    struct kl_control_task task;
    kl_control_task_default(&task, &s);
    task.params[0] = 1 / golden_number(h, "Tphi_ns");
    task.params[1] = 1 / golden_number(h, "T1_ns");
    const int segments = (int)golden_values(u, 2 * SEGMENTS, h, "u") / 2;
    golden_values(superoperator, 2 * MOST, h, "superoperator_row_stacking");
    transfer_of(r, superoperator, 3);
    propagate(found, &s, &task, u, segments, s.duration);
    for (size_t i = 0; i < 81; i++) near(name, "transfer matrix", i, found[i], r[i]);
    const struct kl_control_target x = gate_of("x", 2);
    const struct kl_control_channel channel = channel_of(&s, &x, r);
    all_near(name, "entanglement_fidelity", &channel.entanglement, h);
    all_near(name, "leakage_L1", &channel.leakage, h);
    all_near(name, "average_gate_fidelity_subspace", &channel.average, h);
    near(name, "1 - F_e", 0, loss_of(&s, KL_CONTROL_ENTANGLEMENT, &x, r), 1 - channel.entanglement);
    near(name, "1 - F_avg", 0, loss_of(&s, KL_CONTROL_AVERAGE, &x, r), 1 - channel.average);
    near(name, "L1", 0, loss_of(&s, KL_CONTROL_LEAKAGE, &x, r), channel.leakage);
    kl_control_system_free(&s);
    H5Gclose(h);
    ++*(int *)count;
    return 0;
}

/* The peers' CZ: jumps downwards. */
static void cz_of_peers(hid_t file, const char *name)
{
    static double u[6 * SEGMENTS], r[MOST], rates[4];
    const hid_t h = H5Gopen2(file, name, H5P_DEFAULT);
    struct kl_control_system s = system_of("cz");
    struct kl_control_task task;
    kl_control_task_default(&task, &s);
    golden_values(rates, 4, h, "rates");
    for (int k = 0; k < 4; k++) task.params[k / 2 * 3 + k % 2] = rates[k];
    const int segments = (int)golden_values(u, 6 * SEGMENTS, h, "u") / 6;
    propagate(r, &s, &task, u, segments, golden_number(h, "T"));
    const struct kl_control_target cz = gate_of("cz", 4);
    const double loss = loss_of(&s, KL_CONTROL_ENTANGLEMENT, &cz, r);
    all_near(name, "entanglement_infidelity", &loss, h);
    kl_control_system_free(&s);
    H5Gclose(h);
}

/* Losses of the best known pulses: states to |1>, the gates X and CZ; of CZ with jumps upwards. */
static herr_t best_known(hid_t file, const char *name, const H5L_info_t *info, void *count)
{
    (void)info;
    static double u[6 * SEGMENTS], r[MOST], rates[4];
    const hid_t h = H5Gopen2(file, name, H5P_DEFAULT);
    const int two = strncmp(name, "cz", 2) == 0, state = strncmp(name, "state", 5) == 0;
    struct kl_control_system s = system_of(two ? "cz" : "qubit");
    struct kl_control_task task = { .amplitude = 1 };
    const int segments = (int)golden_values(u, 6 * SEGMENTS, h, "u") / s.n_controls;
    if (two) {
        kl_control_task_default(&task, &s);
        golden_values(rates, 4, h, "rates");
        for (int q = 0; q < 2; q++) {
            task.params[3 * q] = rates[2 * q];
            task.params[3 * q + 1] = 0;
            task.params[3 * q + 2] = rates[2 * q + 1];
        }
    } else {
        task.params[0] = golden_number(file, "gamma_phi");
        task.params[1] = golden_number(file, "gamma_1");
    }
    propagate(r, &s, &task, u, segments, golden_number(two ? h : file, "T"));
    const struct kl_control_target gate = gate_of(two ? "cz" : "x", s.d);
    near(name, "loss", 0, loss_of(&s, state ? KL_CONTROL_STATE : KL_CONTROL_AVERAGE, &gate, r),
         golden_number(h, "loss"));
    kl_control_system_free(&s);
    H5Gclose(h);
    ++*(int *)count;
    return 0;
}

static void groups(hid_t file, const char *name, int expected, H5L_iterate_t check)
{
    int count = 0;
    const hid_t h = H5Gopen2(file, name, H5P_DEFAULT);
    golden_need(h >= 0 && H5Literate(h, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, check, &count) >= 0, name);
    golden_need(count == expected, name);
    H5Gclose(h);
}

int main(void)
{
    const hid_t file = golden_control("golden.h5"), peers = golden_control("peers.h5");
    generators(file);
    spectrum(file);
    groups(file, "one_qubit", 10, one_qubit);
    groups(file, "two_qubit", 4, two_qubit);
    groups(file, "grape", 7, best_known);
    groups(peers, "three_level", 3, three_level);
    cz_of_peers(peers, "cz_T_pi_8");
    cz_of_peers(peers, "cz_T_pi_4");
    H5Fclose(file);
    H5Fclose(peers);
    printf("largest error %.2g\n", largest);
    return failures != 0;
}
