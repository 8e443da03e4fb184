/* SPDX-License-Identifier: MIT
   Measured outputs and gradients from them: errors fall as 1 / sqrt(shots); the mean of many estimates
   is the adjoint's gradient within 4 standard errors, for shift rules and simultaneous perturbation,
   with every kind of output and under noise; parts of a batch have the bits of the whole; shift rules in
   float are those in double. Seeds are fixed. */
#include "circuit/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"
#include "tests/worse.h"

enum { SAMPLES = 64, FEW = 5, MOST_OBS = 16, MOST_INPUTS = 16, MOST_WEIGHTS = 54 };

struct values {
    double x[SAMPLES * MOST_INPUTS], w[MOST_WEIGHTS], cot[SAMPLES * MOST_OBS];
    double out[SAMPLES * MOST_OBS], dx[SAMPLES * MOST_INPUTS], dw[MOST_WEIGHTS];
};
static struct values exact, found;
static double *dangles;
static struct kl_arena work;

typedef int rule_fn(double *dx, double *dangles, const struct kl_estimator *e, const double *x,
                    const double *w, const double *cot, size_t n, struct kl_arena *work,
                    struct kl_error *err);

static void must(int code, const struct kl_error *err)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

static struct kl_circuit *make_on(int n_qubits, const char *ansatz, const char *embedding,
                                  const char *observables, const char *noise)
{
    struct kl_circuit_options o;
    struct kl_circuit *c;
    struct kl_error err;
    kl_circuit_options_default(&o);
    o.n_qubits = n_qubits;
    o.n_layers = 2;
    o.ansatz = ansatz, o.embedding = embedding, o.observables = observables, o.noise = noise;
    must(kl_circuit_build(&c, &o, &err), &err);
    if (c->n_obs > MOST_OBS || c->n_inputs > MOST_INPUTS || c->n_weights > MOST_WEIGHTS) exit(1);
    return c;
}

static struct kl_circuit *make(const char *ansatz, const char *embedding, const char *observables,
                               const char *noise)
{
    return make_on(4, ansatz, embedding, observables, noise);
}

static void run_exactly(const struct kl_circuit *c, size_t n)
{
    struct kl_error err;
    for (size_t i = 0; i < n * c->n_inputs; i++) exact.x[i] = sin(1.7 * (double)i + 1);
    for (size_t i = 0; i < c->n_weights; i++) exact.w[i] = 2 * sin(0.9 * (double)i + 2);
    for (size_t i = 0; i < n * c->n_obs; i++) exact.cot[i] = sin(2.3 * (double)i + 3);
    memset(exact.dw, 0, sizeof exact.dw);
    kl_arena_reset(&work);
    must(kl_circuit_forward_f64(exact.out, NULL, c, exact.x, exact.w, n, NULL, &work, &err), &err);
    must(kl_circuit_adjoint_f64(exact.dx, exact.dw, NULL, c, exact.x, exact.w, exact.cot, n, NULL, &work,
                                &err),
         &err);
    dangles = realloc(dangles, 4 * (kl_circuit_angles_size(c, n) + 1) * sizeof *dangles);
}

static void estimate(rule_fn *rule, const struct kl_estimator *e, size_t n)
{
    struct kl_error err;
    kl_arena_reset(&work);
    must(kl_circuit_outputs_f64(found.out, e, exact.x, exact.w, n, &work, &err), &err);
    must(rule(found.dx, dangles, e, exact.x, exact.w, exact.cot, n, &work, &err), &err);
    memset(found.dw, 0, sizeof found.dw);
    kl_circuit_weights_f64(found.dw, dangles, kl_circuit_estimated(e), n);
}

static double rms(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += pow(a[i] - b[i], 2);
    return sqrt(sum / (double)n);
}

/* Least squares of log rms over log N. With 256 numbers, of which four have a sample in common, a rms is
   known to about 6 %, the slope over a factor of 1024 in six steps to 0.01. */
static void check_slope(const char *what, const double error[6])
{
    double slope = 0, squares = 0;
    for (int k = 0; k < 6; k++) {
        slope += (k - 2.5) * log(error[k]);
        squares += (k - 2.5) * (k - 2.5) * log(4);
    }
    CHECK(fabs(slope / squares + 0.5) < 0.05, "%s: slope %g", what, slope / squares);
}

static void check_convergence(struct kl_circuit *c)
{
    struct kl_measured m;
    struct kl_error err;
    double out[6], dx[6], one = 0;
    must(kl_circuit_measured_make(&m, c, &err), &err);
    run_exactly(c, SAMPLES);
    for (size_t i = 0; i < SAMPLES * c->n_obs; i++) one += 1 - exact.out[i] * exact.out[i];
    one = sqrt(one / (double)(SAMPLES * c->n_obs));
    for (int k = 0; k < 6; k++) {
        const size_t shots = (size_t)16 << 2 * k;
        const struct kl_estimator e = { .circuit = c,
                                        .measured = &m,
                                        .shots = { .n = shots, .seed = 11 } };
        estimate(kl_circuit_shift_samples_f64, &e, SAMPLES);
        out[k] = rms(found.out, exact.out, SAMPLES * c->n_obs);
        dx[k] = rms(found.dx, exact.dx, SAMPLES * c->n_inputs);
        CHECK(fabs(out[k] * sqrt((double)shots) / one - 1) < 0.3, "%zu shots: rms %g", shots, out[k]);
    }
    check_slope("outputs", out);
    check_slope("gradients", dx);
    kl_circuit_measured_free(&m);
    kl_circuit_free(&c);
}

/* Entries of the mean of estimates, in standard errors from the exact ones. */
static void judge(const char *what, const double *sum, const double *squares, const double *is, size_t n,
                  int repeats)
{
    double chi2 = 0, worst = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        const double mean = sum[i] / repeats, variance = squares[i] / repeats - mean * mean,
                     error = sqrt(variance / repeats);
        if (error < 1e-9) {
            CHECK(fabs(mean - is[i]) < 1e-6, "%s [%zu]: always %g, is %g", what, i, mean, is[i]);
            continue;
        }
        chi2 += pow((mean - is[i]) / error, 2);
        worst = worse(worst, fabs(mean - is[i]) / error);
        size++;
    }
    CHECK(worst < 4, "%s: %g standard errors", what, worst);
    CHECK(size > 0 && chi2 / size < 2.5 && chi2 / size > 0.2, "%s: mean square %g", what, chi2 / size);
}

static void check_mean(const char *what, struct kl_circuit *c, rule_fn *rule, size_t shots, double step)
{
    enum { REPEATS = 400 };
    static double sum[2][FEW * MOST_INPUTS + MOST_WEIGHTS], squares[2][FEW * MOST_INPUTS + MOST_WEIGHTS];
    struct kl_measured m;
    struct kl_error err;
    must(kl_circuit_measured_make(&m, c, &err), &err);
    run_exactly(c, FEW);
    memset(sum, 0, sizeof sum), memset(squares, 0, sizeof squares);
    for (uint32_t k = 0; k < REPEATS; k++) {
        const struct kl_estimator e = { .circuit = c,
                                        .measured = &m,
                                        .shots = { .n = shots, .seed = 5, .step = k },
                                        .step = step,
                                        .directions = 1 };
        estimate(rule, &e, FEW);
        for (size_t i = 0; i < FEW * c->n_inputs; i++)
            sum[0][i] += found.dx[i], squares[0][i] += found.dx[i] * found.dx[i];
        for (size_t i = 0; i < c->n_weights; i++)
            sum[1][i] += found.dw[i], squares[1][i] += found.dw[i] * found.dw[i];
    }
    judge(what, sum[0], squares[0], exact.dx, FEW * c->n_inputs, REPEATS);
    judge(what, sum[1], squares[1], exact.dw, c->n_weights, REPEATS);
    kl_circuit_measured_free(&m);
    kl_circuit_free(&c);
}

/* A batch in two parts, the second from sample 16. */
static void check_parts(rule_fn *rule)
{
    enum { FROM = KL_CIRCUIT_GROUP, ALL = 37 };
    static double dx[SAMPLES * MOST_INPUTS];
    struct kl_circuit *c = make("strongly-entangling", "angle-y", "ZIII,XIYI", NULL);
    struct kl_measured m;
    struct kl_error err;
    must(kl_circuit_measured_make(&m, c, &err), &err);
    struct kl_estimator e = {
        .circuit = c, .measured = &m, .shots = { .n = 50, .seed = 3 }, .step = 0.1, .directions = 2
    };
    run_exactly(c, ALL);
    estimate(rule, &e, ALL);
    double *parts = dangles + kl_circuit_angles_size(kl_circuit_estimated(&e), ALL),
           *second = parts + kl_circuit_angles_size(kl_circuit_estimated(&e), FROM),
           dw[MOST_WEIGHTS] = { 0 };
    must(rule(dx, parts, &e, exact.x, exact.w, exact.cot, FROM, &work, &err), &err);
    e.first = FROM;
    must(rule(dx + FROM * c->n_inputs, second, &e, exact.x + FROM * c->n_inputs, exact.w,
              exact.cot + FROM * c->n_obs, ALL - FROM, &work, &err),
         &err);
    kl_circuit_weights_f64(dw, parts, kl_circuit_estimated(&e), ALL);
    CHECK(memcmp(dx, found.dx, ALL * c->n_inputs * sizeof *dx) == 0);
    CHECK(memcmp(dw, found.dw, c->n_weights * sizeof *dw) == 0);
    kl_circuit_measured_free(&m);
    kl_circuit_free(&c);
}

/* With many shots simultaneous perturbation is what it is with exact outputs and the same directions, on
   states wide enough to be run one after another, whose gates are not those that probabilities are from.
 */
static void check_wide(struct kl_circuit *c)
{
    struct kl_measured m;
    struct kl_error err;
    double dx[FEW * MOST_INPUTS];
    must(kl_circuit_measured_make(&m, c, &err), &err);
    struct kl_estimator e = { .circuit = c, .shots = { .seed = 9 }, .step = 0.3, .directions = 1 };
    run_exactly(c, FEW);
    estimate(kl_circuit_spsa_samples_f64, &e, FEW);
    memcpy(dx, found.dx, sizeof dx);
    e.measured = &m, e.shots.n = 1 << 20;
    estimate(kl_circuit_spsa_samples_f64, &e, FEW);
    const double away = rms(found.dx, dx, FEW * c->n_inputs);
    CHECK(away < 0.01 && rms(dx, exact.dx, FEW * c->n_inputs) > 0.1, "%g", away);
    kl_circuit_measured_free(&m);
    kl_circuit_free(&c);
}

static void check_float(struct kl_circuit *c)
{
    static float x[SAMPLES * MOST_INPUTS], w[MOST_WEIGHTS], cot[SAMPLES * MOST_OBS],
        dx[SAMPLES * MOST_INPUTS], dw[MOST_WEIGHTS];
    struct kl_error err;
    double worst = 0;
    run_exactly(c, SAMPLES);
    memset(dw, 0, sizeof dw);
    for (size_t i = 0; i < SAMPLES * c->n_inputs; i++) x[i] = (float)exact.x[i];
    for (size_t i = 0; i < c->n_weights; i++) w[i] = (float)exact.w[i];
    for (size_t i = 0; i < SAMPLES * c->n_obs; i++) cot[i] = (float)exact.cot[i];
    must(kl_circuit_shift_f32(dx, dw, c, x, w, cot, SAMPLES, &work, &err), &err);
    for (size_t i = 0; i < SAMPLES * c->n_inputs; i++) worst = worse(worst, (double)dx[i] - exact.dx[i]);
    for (size_t i = 0; i < c->n_weights; i++) worst = worse(worst, (double)dw[i] - exact.dw[i]);
    CHECK(worst < 5e-5, "%g", worst);
    kl_circuit_free(&c);
}

int main(void)
{
    struct kl_error err;
    rule_fn *const shift = kl_circuit_shift_samples_f64, *const spsa = kl_circuit_spsa_samples_f64;
    must(kl_arena_init(&work, 0, &err), &err);
    check_convergence(make("ry-ring", "angle-y", "z", NULL));
    check_convergence(make("strongly-entangling", "angle-y", "ZZII,XIYI,IXXI,IIIZ", NULL));
    check_mean("shift", make("ry-ring", "angle-y", "z", NULL), shift, 32, 0);
    check_mean("shift, strings", make("strongly-entangling", "iqp", "ZZII,XIYI", NULL), shift, 32, 0);
    check_mean("shift, sums", make("qcnn", "angle-x", "0.5*ZZII-XIII,fidelity(0+1-)", NULL), shift, 32,
               0);
    check_mean("shift, probabilities", make("qcnn", "angle-y", "probs", NULL), shift, 32, 0);
    check_mean("shift, amplitudes", make("ry-ring", "amplitude", "z", NULL), shift, 32, 0);
    check_mean("shift, noise",
               make("ry-ring", "angle-y", "z", "amplitude-damping=0.05,readout-0=0.02,readout-1=0.1"),
               shift, 32, 0);
    check_mean("spsa", make("ry-ring", "angle-y", "z", NULL), spsa, 0, 1e-3);
    check_mean("spsa, amplitudes", make("qcnn", "amplitude", "z", NULL), spsa, 0, 1e-3);
    check_mean("spsa, noise", make("strongly-entangling", "angle-y", "XYII", "depolarizing=0.02"), spsa,
               0, 1e-3);
    check_mean("spsa, shots", make("ry-ring", "angle-y", "z", NULL), spsa, 64, 0.02);
    check_parts(shift);
    check_parts(spsa);
    check_wide(make_on(9, "brick", "angle-y", "XIIIIIIII,IZXIIIIII,IIIIZIIII", NULL));
    check_float(make("ry-ring", "angle-y", "z", NULL));
    check_float(make("qcnn", "amplitude", "probs", NULL));
    kl_arena_free(&work);
    free(dangles);
    return failures != 0;
}
