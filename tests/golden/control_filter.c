/* SPDX-License-Identifier: MIT
   The filter function of a driven pulse against filter_functions 1.2.3: group filter_function of the
   reference's peers.h5. Infidelity and gradient to 1e-12 of their largest; F to 1e-12 of itself, but for
   1e-18, as exact as the peer is where F is 1e-7 of its largest (long doubles say so: tests/kernels). */
#include <math.h>

#include "control/noise/noise.h"
#include "control/pulse/pulse.h"
#include "golden_control.h"
#include "kernels/isa.h"

enum { FREQUENCIES = 300, SEGMENTS = 60 };
static int failures;

static void compare(const char *what, const double *found, const double *expected, size_t n,
                    bool relative)
{
    double largest = 0, worst = 0;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(expected[i]));
    for (size_t i = 0; i < n; i++)
        worst =
            fmax(worst, fabs(found[i] - expected[i]) / (relative ? fabs(expected[i]) + 1e-6 : largest));
    if (!(worst <= 1e-12)) failures++;
    printf("%s %s: off by %.1e\n", kl_isa_name(kl_isa()), what, worst);
}

static void check(hid_t group)
{
    static double u[SEGMENTS * 2], omega[FREQUENCIES], psd[FREQUENCIES], power[FREQUENCIES],
        weights[FREQUENCIES], infidelity[1], gradient[SEGMENTS * 2], values[FREQUENCIES],
        by_u[SEGMENTS * 2];
    struct kl_control_filter *filter = NULL;
    struct kl_error err;
    golden_values(u, SEGMENTS * 2, group, "u");
    golden_values(omega, FREQUENCIES, group, "omega");
    golden_values(psd, FREQUENCIES, group, "psd_one_over_f");
    golden_values(power, FREQUENCIES, group, "F");
    golden_values(infidelity, 1, group, "infidelity");
    golden_values(gradient, SEGMENTS * 2, group, "grad_u");
    const struct kl_control_pulse pulse = { SEGMENTS, 2, 1, u };
    for (int limit = 10; limit < 1000; limit *= 20) {
        struct kl_control_filter_gradient g = { values, 0, by_u, 0 };
        must(kl_control_filter_open(&filter, omega, FREQUENCIES, SEGMENTS, 1, limit, &err), &err);
        kl_control_filter_weights(weights, omega, psd, FREQUENCIES, false);
        must(kl_control_filter_evaluate(&g, filter, &pulse, 0.1, 2, weights, &err), &err);
        compare("F", values, power, FREQUENCIES, true);
        compare("infidelity", &g.infidelity, infidelity, 1, true);
        compare("gradient", by_u, gradient, SEGMENTS * 2, false);
        kl_control_filter_close(&filter);
    }
}

int main(void)
{
    const hid_t peers = golden_control("peers.h5"),
                group = H5Gopen2(peers, "filter_function", H5P_DEFAULT);
    for (int i = 0; i < 3; i++) {
        if (!kl_isa_is_here(i)) continue;
        kl_isa_use(i);
        check(group);
    }
    H5Gclose(group), H5Fclose(peers);
    return failures != 0;
}
