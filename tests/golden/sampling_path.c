/* SPDX-License-Identifier: MIT
   The path certificate against a golden annealed path: 71 weights of a small network, whose gradient is
   computed here by its plain definition. And what is known exactly: a step without a gradient costs what
   the prior changes by. */
#include "golden_sampling.h"
#include "sampling/ladder/ladder.h"

enum { IN = 6, UNITS = 5, SIZE = 71, RECORDS = 8, STATES = 5 };
static double x[RECORDS * IN], y[RECORDS];

static const double L_MAX = 4;
static double sigmoid(double v)
{
    return 1 / (1 + exp(-v));
}

/* Gradient of the mean bounded cross-entropy of a 6-5-5-1 ReLU network. */
static void gradient(double g[SIZE], const double w[SIZE])
{
    const double *w1 = w, *b1 = w1 + UNITS * IN, *w2 = b1 + UNITS, *b2 = w2 + UNITS * UNITS,
                 *w3 = b2 + UNITS;
    double *g1 = g, *h1 = g1 + UNITS * IN, *g2 = h1 + UNITS, *h2 = g2 + UNITS * UNITS, *g3 = h2 + UNITS;
    memset(g, 0, SIZE * sizeof *g);
    for (int r = 0; r < RECORDS; r++) {
        const double *in = x + r * IN, e = exp(-L_MAX);
        double a[UNITS], b[UNITS], da[UNITS] = { 0 }, z = w3[UNITS];
        for (int i = 0; i < UNITS; i++) {
            a[i] = b1[i];
            for (int j = 0; j < IN; j++) a[i] += w1[i * IN + j] * in[j];
            a[i] = fmax(0, a[i]);
        }
        for (int i = 0; i < UNITS; i++) {
            b[i] = b2[i];
            for (int j = 0; j < UNITS; j++) b[i] += w2[i * UNITS + j] * a[j];
            b[i] = fmax(0, b[i]), z += w3[i] * b[i];
        }
        const double sign = 2 * y[r] - 1, v = sign * z, psi = e + (1 - 2 * e) * sigmoid(v);
        const double dz = -sign * (1 - 2 * e) * sigmoid(v) * sigmoid(-v) / psi / RECORDS;
        g3[UNITS] += dz;
        for (int i = 0; i < UNITS; i++) {
            const double db = b[i] > 0 ? dz * w3[i] : 0;
            g3[i] += dz * b[i], h2[i] += db;
            for (int j = 0; j < UNITS; j++)
                g2[i * UNITS + j] += db * a[j], da[j] += db * w2[i * UNITS + j];
        }
        for (int i = 0; i < UNITS; i++) {
            if (!(a[i] > 0)) continue;
            h1[i] += da[i];
            for (int j = 0; j < IN; j++) g1[i * IN + j] += da[i] * in[j];
        }
    }
}

static void check_golden(hid_t file)
{
    double beta[STATES], path[STATES * SIZE], expected[STATES], estimate, before[SIZE], after[SIZE],
        known[SIZE];
    const hid_t g = H5Gopen2(file, "work", H5P_DEFAULT),
                net = H5Gopen2(file, "net/fcn2_binary", H5P_DEFAULT);
    const double h = golden_number(g, "h"), sigma = golden_number(g, "sigma");
    golden_values(x, RECORDS * IN, net, "x"), golden_values(y, RECORDS, net, "y");
    golden_values(beta, STATES, g, "beta"), golden_values(path, STATES * SIZE, g, "path");
    golden_values(expected, STATES, g, "log_forward_minus_backward"),
        golden_values(&estimate, 1, g, "kl_estimate");
    golden_values(before, SIZE, net, "hashed/w"), golden_values(known, SIZE, net, "hashed/bbce/grad");
    gradient(after, before);
    for (size_t i = 0; i < SIZE; i++)
        golden_close("the test's own gradient", i, after[i], known[i], 1e-12, 1e-2);
    double sum = kl_sampling_path_prior(path, path + (STATES - 1) * SIZE, SIZE, sigma);
    for (size_t k = 1; k < STATES; k++) {
        const double *from = path + (k - 1) * SIZE, *to = path + k * SIZE;
        gradient(before, from), gradient(after, to);
        const double step = kl_sampling_path_step(from, to, before, after, SIZE,
                                                  1 - h / (2 * sigma * sigma), h * beta[k] / 2, h);
        golden_close("ln F - ln B", k - 1, step, expected[k - 1], 1e-10, 1);
        sum += step;
    }
    golden_close("path kl", 0, sum, estimate, 1e-10, 1);
    H5Gclose(g), H5Gclose(net);
}

/* Without a gradient the exact prior step is reversible with respect to the prior: ln F - ln B = ln
   pi(w') - ln pi(w), whatever the step, so that a path of such steps proves 0; Euler's step costs more.
 */
static void check_free_steps(void)
{
    double from[3] = { 0.3, -1.2, 2 }, to[3] = { 1.1, 0.4, -0.7 }, none[3] = { 0 };
    const double sigma = 0.7, eta = 0.4, a = exp(-eta / (2 * sigma * sigma)),
                 v = sigma * sigma * (1 - a * a);
    const double price = kl_sampling_path_step(from, to, none, none, 3, a, 0.1, v),
                 prior = kl_sampling_path_prior(from, to, 3, sigma);
    golden_close("an exact prior step", 0, price + prior, 0, 1e-13, 1);
    golden_close("the prior", 0, prior, ((1.21 + 0.16 + 0.49) - (0.09 + 1.44 + 4)) / (2 * 0.49), 1e-14,
                 1);
    const double beta[3] = { 0, 2, 5 }, loss[3] = { 1, 0.5, 0.25 };
    golden_close("invariant kernels", 0, kl_sampling_path_invariant(beta, loss, 2),
                 2 * 1 + 3 * 0.5 - 5 * 0.25, 1e-15, 1);
    /* Four chains: mean 2.5, deviation sqrt(5/3); t of 3 degrees at 97.5 % is 3.182446305284263. */
    const double work[8] = { 1, 9, 2, 9, 3, 9, 4, 9 };
    double mean, upper;
    kl_sampling_path_mean(&mean, &upper, work, 4, 2, 0.025);
    golden_close("mean", 0, mean, 2.5, 1e-15, 1);
    golden_close("upper end", 0, upper, 2.5 + 3.182446305284263 * sqrt(5.0 / 3 / 4), 1e-12, 1);
    kl_sampling_path_mean(&mean, &upper, work, 1, 2, 0.025);
    CHECK(mean == 1 && isnan(upper));
}

int main(void)
{
    check_free_steps();
    if (golden_absent("sgld/golden.h5")) return failures ? 1 : 77;
    const hid_t file = golden_open("sgld/golden.h5");
    check_golden(file);
    H5Fclose(file);
    return failures != 0;
}
