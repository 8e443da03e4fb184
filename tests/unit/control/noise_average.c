/* SPDX-License-Identifier: MIT
   Averages over noise: closed forms of free coherence, the limits of slow and fast noise, several
   processes at once, the filter function as another route to second order, trajectories, and what is
   refused. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "control/noise/noise.h"
#include "control/pulse/pulse.h"
#include "tests/control_qubit.h"
#include "tests/control_trajectories.h"

enum { SEGMENTS = 8 };
static int failures;
/* H = X, Y, Z and the jump sqrt(1/2) Z. */
static const double identity[16] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 };
static double u[2 * SEGMENTS];
static const struct kl_control_pulse driven = { SEGMENTS, 2, 1.5, u };

static void near(const char *what, double at, double found, double expected, double bound)
{
    if (fabs(found - expected) <= bound) return;
    printf("%s at %g: found %.15g, expected %.15g\n", what, at, found, expected);
    failures++;
}

static void must(int code, const struct kl_error *err)
{
    if (!code) return;
    printf("%s\n", err->text);
    failures++;
}

static int average(double *map, double detuning, double dephasing, const struct kl_control_process *p,
                   int n)
{
    const struct kl_control_task task = { { detuning, dephasing }, 1 };
    struct kl_error err;
    int levels = 0;
    must(kl_control_noise_average(map, identity, 4, &qubit, &driven, &task, p, n, 1e-13, &levels, &err),
         &err);
    return levels;
}

static void compare(const char *what, double at, const double *found, const double *expected,
                    double bound)
{
    for (int i = 0; i < 16; i++) near(what, at, found[i], expected[i], bound);
}

/* Free evolution for a time 1. Telegraph noise: exp(-n t)(cosh(r t) + n/r sinh(r t)), r^2 = n^2 -
 * (2b)^2. */
static void check_free(void)
{
    static const double start[4] = { 0, 1, 0, 0 }, nothing[2] = { 0, 0 };
    const struct kl_control_pulse pulse = { 1, 2, 1, (double *)nothing };
    const struct kl_control_task task = { { 0, 0 }, 1 };
    struct kl_error err;
    double end[4];
    for (double k = 0.01; k < 1e4; k *= 10)
        for (double sigma = 0.011; sigma < 3; sigma *= 5) {
            const struct kl_control_process gauss = { KL_CONTROL_ORNSTEIN_UHLENBECK, QUBIT_DETUNING,
                                                      sigma, k },
                                            jumps = { KL_CONTROL_TELEGRAPH, QUBIT_DETUNING, sigma, k };
            must(kl_control_noise_average(end, start, 1, &qubit, &pulse, &task, &gauss, 1, 1e-12, NULL,
                                          &err),
                 &err);
            near("free, Gaussian", k, end[1], exp(-4 * sigma * sigma / (k * k) * (k + expm1(-k))),
                 1e-11);
            must(kl_control_noise_average(end, start, 1, &qubit, &pulse, &task, &jumps, 1, 1e-12, NULL,
                                          &err),
                 &err);
            const double square = k * k - 4 * sigma * sigma, r = sqrt(fabs(square));
            const double expected = square > 0
                                        ? (exp(r - k) * (1 + k / r) + exp(-r - k) * (1 - k / r)) / 2
                                        : exp(-k) * (cos(r) + k / r * sin(r));
            near("free, telegraph", k, end[1], expected, 1e-11);
        }
}

/* Slow noise is quasi-static; fast noise is the dephasing of its spectrum at 0, gamma_phi = 4 sigma^2/k.
 */
static void check_limits(void)
{
    double found[16], expected[16], one[16];
    const struct kl_control_process frozen = { KL_CONTROL_QUASI_STATIC, QUBIT_DETUNING, 0.4, 0 },
                                    slow = { KL_CONTROL_ORNSTEIN_UHLENBECK, QUBIT_DETUNING, 0.4, 0 },
                                    fast = { KL_CONTROL_ORNSTEIN_UHLENBECK, QUBIT_DETUNING, 30, 36000 },
                                    never = { KL_CONTROL_TELEGRAPH, QUBIT_DETUNING, 0.4, 0 };
    average(expected, 0.2, 0, &frozen, 1);
    average(found, 0.2, 0, &slow, 1);
    compare("slow noise", 0, found, expected, 1e-12);
    average(expected, 0.2, 0.1 + 4 * 900 / 36000.0, NULL, 0);
    average(found, 0.2, 0.1, &fast, 1);
    compare("fast noise", 0, found, expected, 1e-4);
    average(expected, 0.6, 0, NULL, 0);
    average(one, -0.2, 0, NULL, 0);
    for (int i = 0; i < 16; i++) expected[i] = (expected[i] + one[i]) / 2;
    average(found, 0.2, 0, &never, 1);
    compare("telegraph noise that does not switch", 0, found, expected, 1e-13);
}

/* Two normal numbers on one parameter are one; amplitude and detuning at once, in either order, and each
   dynamic one in the limit where it is frozen. */
static void check_several(void)
{
    double found[16], expected[16];
    struct kl_control_process two[2] = { { KL_CONTROL_ORNSTEIN_UHLENBECK, QUBIT_DETUNING, 0.3, 0 },
                                         { KL_CONTROL_QUASI_STATIC, QUBIT_DETUNING, 0.4, 0 } };
    const struct kl_control_process whole = { KL_CONTROL_QUASI_STATIC, QUBIT_DETUNING, 0.5, 0 };
    average(expected, 0.2, 0, &whole, 1);
    average(found, 0.2, 0, two, 2);
    compare("two normal numbers", 0, found, expected, 1e-11);
    two[0] = (struct kl_control_process){ KL_CONTROL_ORNSTEIN_UHLENBECK, KL_CONTROL_AMPLITUDE, 0.05, 0 };
    two[1] = (struct kl_control_process){ KL_CONTROL_TELEGRAPH, QUBIT_DETUNING, 0.4, 3 };
    average(expected, 0.2, 0.05, two, 2);
    const struct kl_control_process turned[2] = {
        two[1], { KL_CONTROL_QUASI_STATIC, KL_CONTROL_AMPLITUDE, 0.05, 0 }
    };
    average(found, 0.2, 0.05, turned, 2);
    compare("two processes", 0, found, expected, 1e-12);
}

/* Weak noise x(t) Z: what it adds to the infidelity, by the filter function. Noise of 2x(t) Z/2. */
static void check_filter(void)
{
    enum { N = 60001 };
    static double omega[N], psd[N], weights[N];
    const double sigma = 2e-3, k = 2;
    const struct kl_control_process weak = { KL_CONTROL_ORNSTEIN_UHLENBECK, QUBIT_DETUNING, sigma, k };
    struct kl_control_filter_gradient g = { 0 };
    struct kl_control_filter *filter;
    struct kl_error err;
    double ideal[16], noisy[16], infidelity = 1;
    for (int i = 0; i < N; i++) {
        omega[i] = 0.02 * i;
        psd[i] = 4 * sigma * sigma * 2 * k / (omega[i] * omega[i] + k * k);
    }
    average(ideal, 0.2, 0, NULL, 0);
    average(noisy, 0.2, 0, &weak, 1);
    for (int i = 0; i < 16; i++) infidelity -= ideal[i] * noisy[i] / 4;
    kl_control_filter_weights(weights, omega, psd, N, true);
    must(kl_control_filter_open(&filter, omega, N, SEGMENTS, 1.5, 5, &err), &err);
    must(kl_control_filter_evaluate(&g, filter, &driven, 0.2, 2, weights, &err), &err);
    near("infidelity by the filter function", k, g.infidelity / infidelity, 1, 1e-4);
    kl_control_filter_close(&filter);
}

static void check_trajectories(void)
{
    const struct kl_control_process p[2] = { { KL_CONTROL_ORNSTEIN_UHLENBECK, QUBIT_DETUNING, 0.5, 4 },
                                             { KL_CONTROL_TELEGRAPH, KL_CONTROL_AMPLITUDE, 0.1, 2 } };
    const struct kl_control_task task = { { 0.2, 0.05 }, 1 };
    struct estimate one, four;
    struct kl_pool *pool;
    struct kl_error err;
    double ideal[16], map[16], expected = 0;
    average(ideal, 0.2, 0, NULL, 0);
    average(map, 0.2, 0.05, p, 2);
    for (int i = 0; i < 16; i++) expected += (ideal[i] /= 4) * map[i];
    must(kl_pool_create(&pool, 4, &err), &err);
    must(sample_trajectories(&one, identity, ideal, 4, &qubit, &driven, &task, p, 2, 3000, 11, NULL,
                             &err),
         &err);
    must(sample_trajectories(&four, identity, ideal, 4, &qubit, &driven, &task, p, 2, 3000, 11, pool,
                             &err),
         &err);
    near("trajectories", 2, one.mean, expected, 4 * one.error);
    near("their error", 2, one.error, 0, 5e-3);
    if (one.mean != four.mean || one.error != four.error)
        printf("threads change the sample\n"), failures++;
    kl_pool_destroy(&pool);
}

static void refuse(const struct kl_control_process *p, const char *word)
{
    const struct kl_control_task task = { { 0 }, 1 };
    struct kl_error err = { 0 };
    double map[16];
    const int code =
        kl_control_noise_average(map, identity, 4, &qubit, &driven, &task, p, 1, 1e-12, NULL, &err);
    if (code < 0 && strstr(err.text, word)) return;
    printf("found %d '%s', expected a line with '%s'\n", code, err.text, word);
    failures++;
}

int main(void)
{
    for (int i = 0; i < 2 * SEGMENTS; i++) u[i] = 3 * sin(1 + 2 * i);
    check_free();
    check_limits();
    check_several();
    check_filter();
    check_trajectories();
    refuse(&(struct kl_control_process){ KL_CONTROL_TELEGRAPH, 2, 1, 1 }, "parameter 2");
    refuse(&(struct kl_control_process){ KL_CONTROL_TELEGRAPH, -2, 1, 1 }, "parameter -2");
    refuse(&(struct kl_control_process){ KL_CONTROL_TELEGRAPH, 0, NAN, 1 }, "sigma");
    refuse(&(struct kl_control_process){ KL_CONTROL_TELEGRAPH, 0, 1, -1 }, "rate");
    refuse(&(struct kl_control_process){ KL_CONTROL_QUASI_STATIC, 0, 300, 0 }, "trajectories");
    u[3] = NAN;
    refuse(&(struct kl_control_process){ KL_CONTROL_TELEGRAPH, 0, 1, 1 }, "segment 1");
    return failures != 0;
}
