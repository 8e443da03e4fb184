/* SPDX-License-Identifier: MIT
   Averages over slow and coloured noise against group noise_average of the reference's peers.h5 (SciPy:
   Gauss's nodes, 8x8 exponentials, a closed form), exact to 1e-12, and trajectories within four errors.
 */
#include <math.h>

#include "control/noise/noise.h"
#include "control/pulse/pulse.h"
#include "golden_control.h"
#include "tests/control_qubit.h"
#include "tests/control_trajectories.h"

enum { SEGMENTS = 60 };
static int failures;

static void compare(const char *what, double found, double expected)
{
    printf("%s: off by %.1e\n", what, fabs(found - expected));
    if (fabs(found - expected) <= 1e-12) return;
    fprintf(stderr, "%s: found %.15g, expected %.15g\n", what, found, expected);
    failures++;
}

static void check(hid_t group, const char *name, struct kl_control_process process)
{
    static const double identity[16] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 },
                        gate_x[16] = { 0.25, 0, 0, 0, 0, 0.25, 0, 0, 0, 0, -0.25, 0, 0, 0, 0, -0.25 };
    static double u[SEGMENTS * 2], expected[1], map[16];
    const struct kl_control_task task = { { 0.1 }, 1 };
    const struct kl_control_pulse pulse = { SEGMENTS, 2, 1, u };
    struct estimate sampled;
    struct kl_error err;
    int levels;
    golden_values(u, SEGMENTS * 2, group, "u");
    golden_values(expected, 1, group, name);
    must(kl_control_noise_average(map, identity, 4, &qubit, &pulse, &task, &process, 1, 1e-13, &levels,
                                  &err),
         &err);
    double fidelity = 0;
    for (int i = 0; i < 16; i++) fidelity += gate_x[i] * map[i];
    compare(name, fidelity, expected[0]);
    must(sample_trajectories(&sampled, identity, gate_x, 4, &qubit, &pulse, &task, &process, 1, 1500, 7,
                             NULL, &err),
         &err);
    printf("  %d levels; sampled %.5f +- %.5f\n", levels, sampled.mean, sampled.error);
    if (!(fabs(sampled.mean - expected[0]) < 4 * sampled.error && sampled.error < 0.004)) {
        fprintf(stderr, "%s: sampled %.6f +- %.6f, expected %.6f\n", name, sampled.mean, sampled.error,
                expected[0]);
        failures++;
    }
}

/* x(t) Z and nothing else: the coherence is exp of minus half the variance of the angle. */
static void check_free(hid_t group)
{
    static const double start[4] = { 0, 1, 0, 0 };
    double u[2] = { 0, 0 }, expected[1], end[4];
    const struct kl_control_task task = { { 0 }, 1 };
    const struct kl_control_pulse pulse = { 1, 2, 1, u };
    const struct kl_control_process process = { KL_CONTROL_ORNSTEIN_UHLENBECK, QUBIT_DETUNING, 0.8,
                                                1 / 0.3 };
    struct estimate sampled;
    struct kl_error err;
    golden_values(expected, 1, group, "ou_free_coherence");
    must(kl_control_noise_average(end, start, 1, &qubit, &pulse, &task, &process, 1, 1e-13, NULL, &err),
         &err);
    compare("Ornstein-Uhlenbeck, coherence", end[1], expected[0]);
    compare("Ornstein-Uhlenbeck, y", end[2], 0);
    must(sample_trajectories(&sampled, start, start, 1, &qubit, &pulse, &task, &process, 1, 4000, 3,
                             NULL, &err),
         &err);
    if (!(fabs(sampled.mean - expected[0]) < 4 * sampled.error)) failures++;
}

int main(void)
{
    const hid_t peers = golden_control("peers.h5"),
                group = H5Gopen2(peers, "noise_average", H5P_DEFAULT);
    check(group, "quasi_static_detuning_sigma_0p3_Fe",
          (struct kl_control_process){ KL_CONTROL_QUASI_STATIC, QUBIT_DETUNING, 0.3, 0 });
    check(group, "quasi_static_amplitude_sigma_0p05_Fe",
          (struct kl_control_process){ KL_CONTROL_QUASI_STATIC, KL_CONTROL_AMPLITUDE, 0.05, 0 });
    check(group, "telegraph_slow_b_0p4_nu_0p5_Fe",
          (struct kl_control_process){ KL_CONTROL_TELEGRAPH, QUBIT_DETUNING, 0.4, 0.5 });
    check(group, "telegraph_fast_b_0p4_nu_20p0_Fe",
          (struct kl_control_process){ KL_CONTROL_TELEGRAPH, QUBIT_DETUNING, 0.4, 20 });
    check_free(group);
    H5Gclose(group), H5Fclose(peers);
    return failures != 0;
}
