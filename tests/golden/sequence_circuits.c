/* SPDX-License-Identifier: MIT
   Circuits of Quantum Hydra against the reference's in double: expectation values and gradients of the
   ring's angles, these also by parameter shift; the branch without input. And what the form of the
   circuit says of it: angles that are one, an observable that the last angles do not reach, a hybrid
   that is linear behind its circuit. */
#define KL_F64 1
#define BOUND 1e-12
#include "golden_sequence.h"

#include "circuit/circuit.h"
#include "kernels/ring.h"
#include "sequence/model/model.h"
#include "sequence/model/steps_int.h"

enum { S = KL_RING_STEPS, MOST = 6, ANGLES = 4 * MOST * 2, ROWS = MOST * 7 };

struct circuit {
    struct kl_ring ring;
    struct kl_ring_row rows[ROWS];
    double *turn, *state, *bra, *work, *m, *dm, *dturn;
};
static struct circuit circuit_open(int n, int layers)
{
    struct circuit c = { .ring = { n, layers } };
    kl_ring_fill_rows(c.rows, &c.ring);
    const size_t state = kl_ring_state(&c.ring, S), outputs = 3 * (size_t)n;
    c.turn = golden_memory(2 * ROWS * S, 8), c.state = golden_memory(state, 8),
    c.bra = golden_memory(state, 8);
    c.work = golden_memory(kl_ring_work(&c.ring, S), 8), c.m = golden_memory(outputs * S, 8);
    c.dm = golden_memory(outputs * S, 8), c.dturn = golden_memory(ROWS * S, 8);
    return c;
}
static void circuit_close(struct circuit *c)
{
    free(c->turn), free(c->state), free(c->bra), free(c->work), free(c->m), free(c->dm), free(c->dturn);
}
/* theta (angles, S) -> m; with dm also dturn. */
static void circuit_run(struct circuit *c, const double *theta, bool back)
{
    const struct kl_ring_table_f64 *k = kl_kernel_ring_f64();
    k->halves(c->turn, theta, S, c->rows, kl_ring_rows(&c->ring));
    k->forward(c->state, c->turn, &c->ring, c->work);
    k->read(c->m, S, NULL, c->state, NULL, &c->ring, c->work);
    if (!back) return;
    k->back(c->bra, NULL, NULL, c->state, c->m, c->dm, S, NULL, NULL, &c->ring, c->work);
    k->adjoint(c->dturn, c->state, c->bra, c->turn, &c->ring, c->work);
}

static void fail(const char *what, size_t i, double found, double expected)
{
    fprintf(stderr, "%s [%zu]: found %.15g, expected %.15g\n", what, i, found, expected);
    golden_failures++;
}

/* ---- the ring ---- */

static double weighed(const struct circuit *c, size_t lane)
{
    double sum = 0;
    for (size_t f = 0; f < 3 * (size_t)c->ring.n_qubits; f++)
        sum += c->m[f * S + lane] * c->dm[f * S + lane];
    return sum;
}

/* Half of the difference at +-pi/2, for every angle on its own. */
static void parameter_shift(struct circuit *c, double *theta, const double *expected, size_t lane)
{
    const size_t angles = kl_ring_angles(&c->ring);
    for (size_t i = 0; i < angles; i++) {
        double *at = theta + i * S + lane, kept = *at;
        *at = kept + acos(0), circuit_run(c, theta, false);
        const double more = weighed(c, lane);
        *at = kept - acos(0), circuit_run(c, theta, false);
        const double found = (more - weighed(c, lane)) / 2;
        *at = kept;
        if (fabs(found - expected[i]) > 1e-13) fail("parameter shift", i, found, expected[i]);
    }
}

static void ring_check(hid_t file, int n)
{
    char name[32];
    snprintf(name, sizeof name, "circuits/qlcu_n%d", n);
    const hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    golden_need(group >= 0, name);
    struct circuit c = circuit_open(n, (int)golden_number(group, "layers"));
    const size_t angles = kl_ring_angles(&c.ring), outputs = 3 * (size_t)n;
    double arg[3 * ANGLES], expval[9 * MOST], w[9 * MOST], grad[3 * ANGLES], found[3 * ANGLES],
        *theta = golden_memory(angles * S, 8);
    golden_values(arg, 3 * ANGLES, group, "arg_theta"), golden_values(expval, 9 * MOST, group, "expval");
    golden_values(w, 9 * MOST, group, "w"), golden_values(grad, 3 * ANGLES, group, "grad_theta");
    for (size_t l = 0; l < 3; l++) {
        for (size_t i = 0; i < angles; i++) theta[i * S + l] = arg[l * angles + i];
        for (size_t f = 0; f < outputs; f++) c.dm[f * S + l] = w[l * outputs + f];
    }
    circuit_run(&c, theta, true);
    for (size_t l = 0; l < 3; l++)
        for (size_t f = 0; f < outputs; f++) found[l * outputs + f] = c.m[f * S + l];
    golden_compare(name, "expval", found, expval, 3 * outputs, BOUND);
    for (size_t l = 0; l < 3; l++)
        for (size_t i = 0; i < angles; i++)
            found[l * angles + i] = c.dturn[kl_ring_row_of(&c.ring, i) * S + l];
    golden_compare(name, "grad_theta", found, grad, 3 * angles, BOUND);
    for (size_t l = 0; l < 3; l++) parameter_shift(&c, theta, grad + l * angles, l);
    /* RY behind a ring and RY before the next are one angle: in the reference's gradients too. */
    for (size_t i = 0; i < (size_t)n; i++)
        for (size_t l = 0; l < 3; l++) {
            const double a = grad[l * angles + 2 * (size_t)n + i],
                         b = grad[l * angles + 4 * (size_t)n + i];
            if (fabs(a - b) > 1e-15) fail("angles that are one", i, a, b);
        }
    free(theta), circuit_close(&c), H5Gclose(group);
}

/* The same circuit as lib/circuit builds it of other gates: --ansatz qlcu, whose angles are weights. */
static void ansatz_check(hid_t file, int n)
{
    char name[32];
    snprintf(name, sizeof name, "circuits/qlcu_n%d", n);
    const hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    golden_need(group >= 0, name);
    struct kl_circuit_options o;
    struct kl_circuit *c = NULL;
    struct kl_arena work = { 0 };
    struct kl_error err;
    kl_circuit_options_default(&o);
    o.ansatz = "qlcu", o.n_qubits = n, o.n_layers = (int)golden_number(group, "layers");
    o.observables = "x,y,z";
    golden_need(kl_circuit_build(&c, &o, &err) == 0 && kl_arena_init(&work, 0, &err) == 0, "qlcu");
    const size_t angles = c->n_weights, outputs = c->n_obs;
    double arg[3 * ANGLES], expval[9 * MOST], x[MOST] = { 0 }, found[9 * MOST];
    golden_need(angles <= ANGLES && outputs == 3 * (size_t)n, "qlcu: sizes");
    golden_values(arg, 3 * ANGLES, group, "arg_theta"), golden_values(expval, 9 * MOST, group, "expval");
    for (size_t l = 0; l < 3; l++) {
        kl_arena_reset(&work);
        golden_need(kl_circuit_forward_f64(found + l * outputs, NULL, c, x, arg + l * angles, 1, NULL,
                                           &work, &err) == 0,
                    "qlcu");
    }
    golden_compare(name, "expval by lib/circuit", found, expval, 3 * outputs, BOUND);
    kl_circuit_free(&c), kl_arena_free(&work), H5Gclose(group);
}

/* <Y> of every wire does not see the last 2 n angles: RY and YY commute with it. */
static void blind_check(int n)
{
    struct circuit c = circuit_open(n, 2);
    const size_t angles = kl_ring_angles(&c.ring), wires = (size_t)n;
    double *theta = golden_memory(angles * S, 8), before[MOST * S], reached = 0;
    for (size_t i = 0; i < angles * S; i++) theta[i] = 3 * sin(1.7 * (double)i);
    for (size_t i = wires * S; i < 2 * wires * S; i++) c.dm[i] = cos((double)i);
    circuit_run(&c, theta, true);
    memcpy(before, c.m + wires * S, wires * S * sizeof *before);
    for (size_t i = 0; i < angles; i++)
        for (size_t l = 0; l < S; l++) {
            const double d = fabs(c.dturn[kl_ring_row_of(&c.ring, i) * S + l]);
            if (i >= angles - 2 * wires && d > 1e-14) fail("<Y> by a last angle", i, d, 0);
            if (i < angles - 2 * wires) reached = fmax(reached, d);
        }
    if (reached < 0.1) fail("<Y> by any other angle", 0, reached, 1);
    for (size_t i = (angles - 2 * wires) * S; i < angles * S; i++) theta[i] += 1;
    circuit_run(&c, theta, false);
    for (size_t i = 0; i < wires * S; i++)
        if (fabs(c.m[wires * S + i] - before[i]) > 1e-14) fail("<Y>", i, c.m[wires * S + i], before[i]);
    free(theta), circuit_close(&c);
}

/* The branch without input: values in closed form, their derivatives, and the same values from its
 * state. */
static void qd_check(hid_t file, int n)
{
    char name[32];
    snprintf(name, sizeof name, "circuits/qd_n%d", n);
    const hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    golden_need(group >= 0, name);
    double p[3 * MOST], want[3 * MOST], w[3 * MOST], grad[3 * MOST], m[3 * MOST], dp[3 * MOST];
    double complex state[1 << MOST];
    golden_values(p, 3 * MOST, group, "arg_p"), golden_values(want, 3 * MOST, group, "expval");
    golden_values(w, 3 * MOST, group, "w"), golden_values(grad, 3 * MOST, group, "grad_p");
    kl_sequence_qd_read(m, p, n), kl_sequence_qd_read_back(dp, w, p, n);
    golden_compare(name, "expval", m, want, 3 * (size_t)n, BOUND);
    golden_compare(name, "grad_p", dp, grad, 3 * (size_t)n, BOUND);
    for (int shift = 0; shift < 2; shift++) {
        kl_sequence_qd_state(state, p, n, shift, KL_SEQUENCE_BASIS_Y);
        for (int j = 0; j < n; j++) {
            const int bit = 1 << (n - 1 - (j + shift) % n);
            double complex cross = 0;
            m[n + j] = 0;
            for (int k = 0; k < 1 << n; k++) {
                if (!(k & bit)) cross += 2 * conj(state[k]) * state[k | bit];
                m[n + j] += (k & bit ? -1 : 1) * creal(conj(state[k]) * state[k]);
            }
            m[j] = -cimag(cross), m[2 * n + j] = -creal(cross);
        }
        golden_compare(name, "expval of the state", m, want, 3 * (size_t)n, BOUND);
    }
    H5Gclose(group);
}

/* ---- a hybrid is linear behind its circuit ---- */

static const double *values(hid_t group, const char *prefix, const char *name)
{
    static double store[24][1 << 11];
    static int next;
    char path[96];
    double *to = store[next++ % 24];
    snprintf(path, sizeof path, "%s%s", prefix, name);
    golden_values(to, 1 << 11, group, path);
    return to;
}

/* The rows of one matrix and one vector, from the parameters alone, applied to the mean of q over time.
 */
static void hybrid_check(hid_t file, int n)
{
    char name[48];
    snprintf(name, sizeof name, "models/quantum_hydra_hybrid_n%d", n);
    const hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    golden_need(group >= 0, name);
    const char *const layer = "params/quantum_hydra.";
    const size_t out = 3 * (size_t)n, T = (size_t)golden_number(group, "n_timesteps"),
                 B = (size_t)golden_number(group, "batch");
    const double *tau = values(group, "params/", "temporal_weights"),
                 *m1 = values(group, "inter/", "m1"), *m3 = values(group, "inter/", "m3"),
                 *want = values(group, "", "out"), *wo = values(group, layer, "output_ff.weight"),
                 *bo = values(group, layer, "output_ff.bias"),
                 *wc = values(group, "params/", "output_layer.weight"),
                 *bc = values(group, "params/", "output_layer.bias");
    const double *a[3], *b[3], *v[3];
    double norm = 0, total = 0;
    for (int i = 0; i < 3; i++) {
        char text[32];
        snprintf(text, sizeof text, "branch%d_ff.weight", i + 1), a[i] = values(group, layer, text);
        snprintf(text, sizeof text, "branch%d_ff.bias", i + 1), b[i] = values(group, layer, text);
        snprintf(text, sizeof text, "w%d", i + 1), v[i] = values(group, layer, text),
                                                   norm += fabs(*v[i]);
    }
    for (size_t t = 0; t < T; t++) total += exp(tau[t]);
    for (int k = 0; k < 2; k++) {
        double row[3 * MOST] = { 0 }, shift = bc[k];
        for (size_t f = 0; f < out; f++) {
            shift += wc[(size_t)k * out + f] * bo[f];
            for (size_t g = 0; g < out; g++) {
                const double by = wc[(size_t)k * out + f] * wo[f * out + g];
                for (int i = 0; i < 3; i++) {
                    const double share = fabs(*v[i]) / norm;
                    shift += by * share * b[i][g];
                    for (size_t j = 0; j < out; j++) {
                        const size_t p = j / (size_t)n * (size_t)n, w = j % (size_t)n;
                        const double entry = by * share * a[i][g * out + j];
                        if (i == 2) shift += entry * m3[j];
                        else row[p + (i ? (size_t)n - w : w + 1) % (size_t)n] += entry;
                    }
                }
            }
        }
        for (size_t i = 0; i < B; i++) {
            double sum = shift;
            for (size_t t = 0; t < T; t++)
                for (size_t j = 0; j < out; j++) /* q of wire j + 1 is m1 of wire j */
                    sum += exp(tau[t]) / total * m1[(i * T + t) * out + j] *
                           row[j / (size_t)n * (size_t)n + (j + 1) % (size_t)n];
            if (fabs(sum - want[i * 2 + (size_t)k]) > 1e-14) fail(name, i, sum, want[i * 2 + (size_t)k]);
        }
    }
    H5Gclose(group);
}

int main(void)
{
    const hid_t file = golden_shared("hydra/golden.h5");
    if (file < 0) return 77;
    for (int n = 3; n <= 6; n += n == 4 ? 2 : 1)
        ring_check(file, n), ansatz_check(file, n), qd_check(file, n), blind_check(n),
            hybrid_check(file, n);
    blind_check(2), blind_check(5);
    printf("largest difference %.2g, at most %.2g\n", golden_worst, BOUND);
    H5Fclose(file);
    return golden_failures != 0;
}
