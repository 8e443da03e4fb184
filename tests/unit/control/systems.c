/* SPDX-License-Identifier: MIT
   Decay times to rates, bases of any size, gates and states by name, objectives against plain sums over
   states. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/pulse/pulse.h"
#include "tests/unit/check.h"

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-13 * fmax(1, fabs(b));
}

static void decay(void)
{
    struct kl_control_rates r;
    struct kl_error err;
    CHECK(kl_control_decay_rates(&r, &(struct kl_control_decay){ .t1 = 20, .t2 = 15 }, "q", &err) == 0);
    CHECK(near(r.down, 0.05) && r.up == 0 && near(r.phi, 1 / 15.0 - 0.025));
    CHECK(kl_control_decay_rates(&r, &(struct kl_control_decay){ .t1 = 20, .t2 = 40 }, "q", &err) == 0);
    CHECK(fabs(r.phi) < 1e-17);
    CHECK(kl_control_decay_rates(&r, &(struct kl_control_decay){ .t1 = 20, .tphi = 8, .up = true }, "q",
                                 &err) == 0);
    CHECK(r.down == 0 && near(r.up, 0.05) && r.phi == 0.125);
    CHECK(kl_control_decay_rates(&r, &(struct kl_control_decay){ .t2 = 8 }, "q", &err) == 0);
    CHECK(r.down == 0 && r.up == 0 && r.phi == 0.125);
    /* 5 GHz is 239.96 mK (CODATA 2018: h/k = 4.799243073e-11 s K). */
    const struct kl_control_decay warm = { .t1 = 10, .frequency = 5e9, .temperature = 0.05 };
    CHECK(kl_control_decay_rates(&r, &warm, "q", &err) == 0);
    CHECK(near(r.down + r.up, 0.1) && fabs(log(r.down / r.up) - 4.799243073e-11 * 5e9 / 0.05) < 1e-8);
    const struct kl_control_decay bad[] = { { .t1 = 1, .t2 = 2.1 },
                                            { .t1 = -1 },
                                            { .t1 = NAN },
                                            { .t2 = 1, .tphi = 1 },
                                            { .t1 = 1, .temperature = 1 } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK(kl_control_decay_rates(&r, &bad[i], "qubit 1", &err) == KL_EUSAGE &&
              strstr(err.text, "qubit 1: "));
}

/* Tr(B_a B_b) = d delta_ab, Hermitian, B_0 = 1; the two-level matrices are Pauli's. */
static void bases(void)
{
    static double complex b[KL_CONTROL_MATRIX * KL_CONTROL_MATRIX], pauli[16], two[16];
    for (int d = 2; d <= 8; d++)
        for (int qubits = 0; qubits <= 3; qubits++) {
            const int dim = d * d;
            if (qubits && 1 << qubits != d) continue;
            kl_control_basis(b, d, qubits);
            double worst = 0;
            for (int m = 0; m < dim; m++)
                for (int n = 0; n < dim; n++) {
                    double complex sum = m == n ? -d : 0;
                    for (int i = 0; i < d; i++)
                        for (int k = 0; k < d; k++)
                            sum += b[m * dim + i * d + k] * b[n * dim + k * d + i];
                    worst = fmax(worst, cabs(sum));
                }
            for (int m = 0; m < dim; m++)
                for (int i = 0; i < dim; i++)
                    worst = fmax(worst, cabs(b[m * dim + i] - conj(b[m * dim + i % d * d + i / d])));
            for (int i = 0; i < dim; i++) worst = fmax(worst, cabs(b[i] - (i / d == i % d)));
            CHECK(worst < 1e-14, "d %d, %d qubits: %g", d, qubits, worst);
        }
    kl_control_basis(pauli, 2, 1);
    kl_control_basis(two, 2, 0);
    for (int i = 0; i < 16; i++) CHECK(pauli[i] == two[i], "%d", i);
}

/* A generator keeps the trace, and its R of a unitary rotates: i [H, .] of a gate's log; here by jumps.
 */
static void generators(void)
{
    struct kl_control_system s;
    struct kl_error err;
    static const char *const names[] = { "qubit", "two-qubits", "transmon", "cz" };
    for (int n = 0; n < 4; n++) {
        CHECK(kl_control_system_make(&s, names[n], NULL, &err) == 0);
        for (int j = 0; j < s.n_params; j++) {
            double trace = 0;
            for (int i = 0; i < s.dim; i++) {
                CHECK(s.params[j].matrix[i] == 0, "%s: the trace changes", s.params[j].name);
                trace += s.params[j].matrix[i * s.dim + i];
            }
            CHECK(s.params[j].rate ? trace < -0.5 : trace == 0, "%s: %g", s.params[j].name, trace);
        }
        kl_control_system_free(&s);
    }
    const struct kl_control_system_options up = { .jump_up = true, .controls = 3 };
    CHECK(kl_control_system_make(&s, "qubit", &up, &err) == 0 && s.n_controls == 3);
    CHECK(s.params[1].value == 0 && s.params[2].value == 0.045);
    kl_control_system_free(&s);
    const struct kl_control_system_options bad[] = { { .controls = 5 }, { .levels = 3 } };
    for (int i = 0; i < 2; i++) {
        CHECK(kl_control_system_make(&s, "qubit", &bad[i], &err) == KL_EUSAGE);
        kl_control_system_free(&s);
    }
    CHECK(kl_control_system_make(&s, "qutrit", NULL, &err) == KL_EUSAGE && strstr(err.text, "'qutrit'"));
    kl_control_system_free(&s);
}

static void gates(void)
{
    struct kl_control_target a, b;
    struct kl_error err;
    static const struct {
        const char *one, *other;
        int d;
    } same[] = { { "cnot", "cx", 4 },        { "p(pi)", "z", 2 },        { "p(pi/2)", "s", 2 },
                 { "p(-2*pi/8)", "tdg", 2 }, { "cp(pi)", "cz", 4 },      { "PAULI_X", "x", 2 },
                 { "ry(0)", "i", 2 },        { "h,i", "hadamard,i", 4 }, { "x,cz", "X,cp(pi)", 8 } };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        const int d = same[i].d;
        CHECK(kl_control_target_gate(&a, same[i].one, d, &err) == 0, "%s", err.text);
        CHECK(kl_control_target_gate(&b, same[i].other, d, &err) == 0, "%s", err.text);
        for (int k = 0; k < d * d; k++) CHECK(cabs(a.u[k] - b.u[k]) < 1e-15, "%s: %d", same[i].one, k);
    }
    /* exp(-i angle/2 X) = cos - i sin X, and sx sx = x. */
    CHECK(kl_control_target_gate(&a, "rx(0.5)", 2, &err) == 0);
    CHECK(near(creal(a.u[0]), cos(0.25)) && near(cimag(a.u[1]), -sin(0.25)) && creal(a.u[1]) == 0);
    CHECK(kl_control_target_gate(&a, "sx", 2, &err) == 0);
    CHECK(cabs(a.u[0] * a.u[0] + a.u[1] * a.u[2]) < 1e-16 && cabs(a.u[0] * a.u[1] * 2 - 1) < 1e-16);
    CHECK(kl_control_target_gate(&a, "iswap", 4, &err) == 0 && a.u[6] == I && a.u[9] == I &&
          a.u[15] == 1);
    static const char *const bad[] = { "",        "x,",        "rx",    "rx()", "rx(1",
                                       "rx(1/0)", "rx(1e400)", "u3(1)", "cz",   "x,x" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK(kl_control_target_gate(&a, bad[i], 2, &err) == KL_EUSAGE, "%s", bad[i]);
    for (const char *const *g = (const char *const[]){ "x", "y", "h", "sx", "rz(1)", "t", NULL }; *g;
         g++) {
        CHECK(kl_control_target_gate(&a, *g, 2, &err) == 0);
        CHECK(kl_control_target_matrix(&b, *g, a.u, 2, &err) == 0, "%s", err.text);
    }
}

static void states(void)
{
    double complex s[8];
    struct kl_error err;
    CHECK(kl_control_state_text(s, "1r", 4, 2, &err) == 0);
    CHECK(s[0] == 0 && s[1] == 0 && near(creal(s[2]), M_SQRT1_2) && near(cimag(s[3]), M_SQRT1_2));
    CHECK(kl_control_state_text(s, "2", 3, 0, &err) == 0 && s[2] == 1 && s[0] == 0);
    CHECK(kl_control_state_text(s, "3", 3, 0, &err) == KL_EUSAGE);
    CHECK(kl_control_state_text(s, "2", 2, 1, &err) == KL_EUSAGE);
    CHECK(kl_control_state_text(s, "0", 4, 2, &err) == KL_EUSAGE);
}

/* A perfect gate has loss 0, whatever the objective, in any system; leakage of a swap with the third
 * level. */
static void objectives(void)
{
    static const char *const names[] = { "qubit", "two-qubits", "transmon" };
    static const char *const gate[] = { "h", "iswap", "h" };
    for (int n = 0; n < 3; n++)
        for (int f = KL_CONTROL_STATE; f <= KL_CONTROL_LEAKAGE; f++) {
            struct kl_control_system s;
            struct kl_control_target t;
            struct kl_control_objective o;
            struct kl_error err;
            double complex u[KL_CONTROL_MATRIX] = { 0 };
            static double r[KL_CONTROL_MATRIX * KL_CONTROL_MATRIX],
                ends[KL_CONTROL_MATRIX * KL_CONTROL_MATRIX];
            CHECK(kl_control_system_make(&s, names[n], NULL, &err) == 0);
            CHECK(kl_control_target_gate(&t, gate[n], s.subspace, &err) == 0, "%s", err.text);
            for (int i = 0; i < s.d; i++)
                for (int k = 0; k < s.d; k++)
                    u[i * s.d + k] = i < t.d && k < t.d ? t.u[i * t.d + k] : (i == k) * I;
            CHECK(kl_control_transfer_of_unitary(r, u, s.d, s.n_qubits, &err) == 0);
            CHECK(kl_control_objective_make(&o, &s, (enum kl_control_fidelity)f, &t, &err) == 0, "%s",
                  err.text);
            CHECK(o.columns == (f == KL_CONTROL_STATE ? 1 : s.dim));
            for (int a = 0; a < s.dim; a++)
                for (int c = 0; c < o.columns; c++) {
                    ends[a * o.columns + c] = 0;
                    for (int b = 0; b < s.dim; b++)
                        ends[a * o.columns + c] += r[a * s.dim + b] * o.start[b * o.columns + c];
                }
            const double loss = kl_control_objective_loss(&o, &s, ends);
            CHECK(fabs(loss) < 2e-15, "%s, %s: %g", names[n], o.name, loss);
            for (int c = 0; c < o.columns; c++) CHECK(o.weights[c] == 0);
            kl_control_objective_free(&o);
            kl_control_system_free(&s);
        }
}

/* The transmon's |1> and |2> exchanged: half of what began in the qubit's levels has left. */
static void leakage(void)
{
    struct kl_control_system s;
    struct kl_control_target t;
    struct kl_control_channel c;
    struct kl_error err;
    double r[81];
    const double complex swap[9] = { 1, 0, 0, 0, 0, 1, 0, 1, 0 };
    CHECK(kl_control_system_make(&s, "transmon", NULL, &err) == 0);
    CHECK(kl_control_target_gate(&t, "i", 2, &err) == 0);
    CHECK(kl_control_transfer_of_unitary(r, swap, 3, 0, &err) == 0);
    CHECK(kl_control_channel_measure(&c, &s, &t, r, &err) == 0, "%s", err.text);
    CHECK(near(c.leakage, 0.5) && near(c.entanglement, 0.25) && near(c.average, (2 * 0.25 + 0.5) / 3));
    CHECK(fabs(c.smallest_choi) < 1e-14 && c.trace_error < 1e-15);
    /* The transpose is positive but not completely: its Choi matrix has the eigenvalue -1/d. */
    for (int i = 0; i < 81; i++) r[i] = i / 9 == i % 9;
    for (int a = 2; a < 7; a += 2) r[a * 9 + a] = -1; /* the antisymmetric ones */
    CHECK(kl_control_channel_measure(&c, &s, &t, r, &err) == 0 && near(c.smallest_choi, -1 / 3.0), "%g",
          c.smallest_choi);
    r[4] = 0.25;
    CHECK(kl_control_channel_measure(&c, &s, &t, r, &err) == 0 && c.trace_error == 0.25);
    r[4] = NAN;
    CHECK(kl_control_channel_measure(&c, &s, &t, r, &err) == KL_EDATA);
    kl_control_system_free(&s);
}

/* The largest |off| of each of n expected values from the nearest on the diagonal. */
static double nearest(const double complex *m, const double *expected, int n)
{
    double worst = 0;
    for (int k = 0; k < n; k++) {
        double best = 9;
        for (int i = 0; i < n; i++) best = fmin(best, cabs(m[i * n + i] - expected[k]));
        worst = fmax(worst, best);
    }
    return worst;
}

/* Of matrices whose eigenvalues are known; vectors that are orthonormal and give the matrix again. */
static void eigenvalues(void)
{
    enum { N = 64 };
    static double complex m[N * N], v[N * N];
    double expected[N], least, off = 0;
    const double complex step = cexp(0.3 * I);
    struct kl_error err;
    /* A ring, exp(i a) to the next: 2 cos(2 pi k / n + a). */
    for (int i = 0; i < N; i++) {
        m[i * N + (i + 1) % N] = step, m[(i + 1) % N * N + i] = conj(step);
        expected[i] = 2 * cos(2 * M_PI * i / N + 0.3);
    }
    kl_control_diagonalise(m, v, N);
    CHECK(nearest(m, expected, N) < 1e-13, "%g", nearest(m, expected, N));
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            double complex sum = 0, again = 0;
            for (int l = 0; l < N; l++) {
                sum += conj(v[l * N + i]) * v[l * N + k];
                again += v[i * N + l] * m[l * N + l] * conj(v[k * N + l]);
            }
            const double complex was = (i + 1) % N == k ? step : (k + 1) % N == i ? conj(step) : 0;
            off = fmax(off, fmax(cabs(sum - (i == k)), cabs(again - was)));
        }
    CHECK(off < 1e-13, "%g", off);
    /* -1, 2, -1 on three diagonals: 2 - 2 cos(pi k / (n + 1)). */
    memset(m, 0, sizeof m);
    for (int i = 0; i < N; i++) {
        m[i * N + i] = 2, expected[i] = 2 - 2 * cos(M_PI * (i + 1) / (N + 1));
        if (i) m[i * N + i - 1] = m[(i - 1) * N + i] = -1;
    }
    CHECK(kl_control_smallest_eigenvalue(&least, m, N, &err) == 0, "%s", err.text);
    CHECK(fabs(least - expected[0]) < 1e-14 && nearest(m, expected, N) < 1e-13, "%g", least);
    memset(m, 0, sizeof m);
    CHECK(kl_control_smallest_eigenvalue(&least, m, N, &err) == 0 && least == 0);
    m[5] = NAN;
    CHECK(kl_control_smallest_eigenvalue(&least, m, N, &err) == KL_EDATA);
}

int main(void)
{
    decay();
    bases();
    generators();
    gates();
    states();
    objectives();
    leakage();
    eigenvalues();
    return failures != 0;
}
