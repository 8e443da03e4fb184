/* SPDX-License-Identifier: MIT
   Trajectories against the density matrix: means of outputs and of gradients over many realisations lie
   within 4.5 standard errors of the exact ones, under every channel and for several ansaetze, and their
   errors fall as 1/sqrt(T). The standard errors are those of 64 means of T realisations. Fixed seeds;
   under Pauli channels wrong signs are far outside. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/noise.h"

enum { MEANS = 64, MOST = 64 };
static int failures;

static void must(int code, const struct kl_error *err)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

/* One sample's outputs, then its gradients by inputs and weights. */
struct numbers {
    double value[MOST];
    size_t n;
};

static struct numbers run(const struct kl_circuit *c)
{
    double x[16], w[64], cot[16], dw[64] = { 0 }, dx[16], out[16];
    struct numbers result = { .n = 0 };
    struct kl_arena work;
    struct kl_error err;
    for (size_t i = 0; i < c->n_inputs; i++) x[i] = sin(1 + 3 * (double)i);
    for (size_t i = 0; i < c->n_weights; i++) w[i] = 2 * cos(2 + 5 * (double)i);
    for (size_t i = 0; i < c->n_obs; i++) cot[i] = sin(4 + 2 * (double)i);
    must(kl_arena_init(&work, 0, &err), &err);
    must(kl_circuit_forward_f64(out, NULL, c, x, w, 1, NULL, &work, &err), &err);
    must(kl_circuit_adjoint_f64(dx, dw, NULL, c, x, w, cot, 1, NULL, &work, &err), &err);
    for (size_t i = 0; i < c->n_obs; i++) result.value[result.n++] = out[i];
    for (size_t i = 0; i < c->n_inputs; i++) result.value[result.n++] = dx[i];
    for (size_t i = 0; i < c->n_weights && result.n < MOST; i++) result.value[result.n++] = dw[i];
    kl_arena_free(&work);
    return result;
}

static struct kl_circuit *build(const char *ansatz, const char *observables, const char *noise,
                                int64_t trajectories)
{
    struct kl_circuit_options o;
    struct kl_circuit *c;
    struct kl_error err;
    char *text;
    must(kl_circuit_noise_text(&text, noise, &err), &err);
    kl_circuit_options_default(&o);
    o.n_qubits = 3, o.n_layers = 2;
    o.ansatz = ansatz, o.observables = observables, o.noise = text, o.trajectories = trajectories;
    must(kl_circuit_build(&c, &o, &err), &err);
    free(text);
    return c;
}

/* Root mean square of the differences of MEANS means to the exact numbers; each mean's mean is checked.
 */
static double compare(const char *ansatz, const char *observables, const char *noise,
                      int64_t trajectories)
{
    struct kl_circuit *density = build(ansatz, observables, noise, 0),
                      *c = build(ansatz, observables, noise, trajectories);
    const struct numbers exact = run(density);
    double sum[MOST] = { 0 }, squares[MOST] = { 0 }, all = 0;
    for (int m = 0; m < MEANS; m++) {
        c->draws.step = (uint32_t)m;
        const struct numbers drawn = run(c);
        for (size_t i = 0; i < exact.n; i++) {
            const double d = drawn.value[i] - exact.value[i];
            sum[i] += d, squares[i] += d * d, all += d * d;
        }
    }
    for (size_t i = 0; i < exact.n; i++) {
        const double mean = sum[i] / MEANS,
                     error = sqrt(fmax(squares[i] / MEANS - mean * mean, 0) / (MEANS - 1));
        if (fabs(mean) <= 4.5 * error + 1e-12) continue;
        fprintf(stderr, "%s, %s, %s: number %zu: exact %.6f, by trajectories %.6f +- %.6f\n", ansatz,
                observables, noise, i, exact.value[i], exact.value[i] + mean, error);
        failures++;
    }
    kl_circuit_free(&density);
    kl_circuit_free(&c);
    return sqrt(all / MEANS / (double)exact.n);
}

int main(void)
{
    static const char *const channels[] = {
        "depolarizing=0.08",
        "amplitude-damping=0.12",
        "phase-damping=0.15",
        "bit-flip=0.1",
        "phase-flip=0.1",
        "t1=1,t2=0.8,gate-time=0.15,excited=0.3",
        "t1=1,t2=1.7,gate-time=0.1,gate-time-2=0.2,excited=0.9",
        "readout-0=0.1,readout-1=0.2",
        ("depolarizing=0.03,amplitude-damping=0.05,phase-damping=0.04,bit-flip=0.03,phase-flip=0.02,t1="
         "1,"
         "t2=1.2,gate-time=0.05,readout-0=0.02,readout-1=0.06"),
    };
    static const struct {
        const char *ansatz, *observables;
    } circuits[] = { { "ry-ring", "z" },
                     { "strongly-entangling", "XYZ,ZZI,IXI" },
                     { "simplified-two-design", "zz" },
                     { "efficient-su2", "probs" } };
    for (size_t c = 0; c < sizeof circuits / sizeof *circuits; c++)
        for (size_t k = 0; k < sizeof channels / sizeof *channels; k++)
            compare(circuits[c].ansatz, circuits[c].observables, channels[k], 200);
    for (int k = 0; k < 2; k++) { /* 16 times as many: errors a quarter */
        const double few = compare("ry-ring", "z", channels[k], 25),
                     many = compare("ry-ring", "z", channels[k], 400);
        if (few / many > 3.4 && few / many < 4.7) continue;
        fprintf(stderr, "%s: error %.4g of 25 realisations, %.4g of 400\n", channels[k], few, many);
        failures++;
    }
    return failures != 0;
}
