/* SPDX-License-Identifier: MIT
   Filter functions and averages over noise while allocations fail: KL_ENOMEM, and nothing is left behind
   (the sanitizer sees that). */
#include <math.h>

#include "control/noise/noise.h"
#include "control/pulse/pulse.h"
#include "each.h"
#include "tests/control_qubit.h"

enum { SEGMENTS = 3, FREQUENCIES = 5 };
static double u[2 * SEGMENTS] = { 1, 2, 3, -1, -2, -3 },
                    identity[16] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 };
static const struct kl_control_pulse pulse = { SEGMENTS, 2, 1, u };
static const struct kl_control_task task = { { 0.1 }, 1 };
static const struct kl_control_process processes[3] = { { KL_CONTROL_TELEGRAPH, 0, 0.4, 3 },
                                                        { KL_CONTROL_ORNSTEIN_UHLENBECK, 0, 0.1, 3000 },
                                                        { KL_CONTROL_QUASI_STATIC, -1, 0.01, 0 } };

static int filter(struct kl_error *err)
{
    static const double omega[FREQUENCIES] = { 0, 1, 2, 3, 4 }, weights[FREQUENCIES] = { 1, 1, 1, 1, 1 };
    double by_u[2 * SEGMENTS];
    struct kl_control_filter_gradient g = { .u = by_u };
    struct kl_control_filter *f;
    int code = kl_control_filter_open(&f, omega, FREQUENCIES, SEGMENTS, 1, 5, err);
    if (!code) code = kl_control_filter_evaluate(&g, f, &pulse, 0.1, 2, weights, err);
    kl_control_filter_close(&f);
    if (!code && !(g.infidelity > 0)) code = kl_fail(err, KL_EINTERNAL, "no infidelity");
    return code;
}

/* Fast noise takes the dense exponential as well. */
static int average(struct kl_error *err)
{
    double map[16];
    const int code = kl_control_noise_average(map, identity, 4, &qubit, &pulse, &task, processes, 3,
                                              1e-10, NULL, err);
    return code || fabs(map[0] - 1) < 1e-8 ? code
                                           : kl_fail(err, KL_EINTERNAL, "the trace is %g", map[0]);
}

int main(void)
{
    check_each("filter", filter, FAULT_MEMORY, KL_ENOMEM, KL_ENOMEM);
    check_each("average", average, FAULT_MEMORY, KL_ENOMEM, KL_ENOMEM);
    return failures != 0;
}
