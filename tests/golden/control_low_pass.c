/* SPDX-License-Identifier: MIT
   The low pass against scipy.signal (lowpass of peers.h5): ends and means of segments; and its adjoint
   by the dot product. */
#include <math.h>

#include "control/pulse/pulse.h"
#include "golden_control.h"

enum { SAMPLES = 60, CONTROLS = 2, MOST = 4096 };

int main(void)
{
    static double u[MOST], ends[MOST], means[MOST], expected[MOST], back[MOST], weights[MOST];
    struct kl_control_low_pass f;
    double worst = 0, forward = 0, backward = 0;
    const hid_t file = golden_control("peers.h5"), group = H5Gopen2(file, "lowpass", H5P_DEFAULT);
    const int oversample = (int)golden_number(group, "oversampling");
    const size_t n = golden_values(u, MOST, group, "u"), all = n * (size_t)oversample;
    golden_need(n == SAMPLES * CONTROLS && all <= MOST, "u");
    kl_control_low_pass_make(&f, golden_number(group, "tau"), 1.0 / (SAMPLES * oversample));
    kl_control_low_pass(means, ends, &f, u, SAMPLES, oversample, CONTROLS);
    golden_need(golden_values(expected, MOST, group, "end_of_segment") == all, "end_of_segment");
    for (size_t i = 0; i < all; i++) worst = fmax(worst, fabs(ends[i] - expected[i]));
    golden_need(golden_values(expected, MOST, group, "mean_of_segment") == all, "mean_of_segment");
    for (size_t i = 0; i < all; i++) worst = fmax(worst, fabs(means[i] - expected[i]));
    for (size_t i = 0; i < all; i++) forward += means[i] * (weights[i] = sin(1 + 0.37 * (double)i));
    kl_control_low_pass_back(back, weights, &f, SAMPLES, oversample, CONTROLS);
    for (size_t i = 0; i < n; i++) backward += back[i] * u[i];
    H5Gclose(group), H5Fclose(file);
    printf("%zu numbers, %.2g off; of the adjoint %.2g\n", 2 * all, worst, fabs(forward - backward));
    return !(worst <= 1e-12 && fabs(forward - backward) <= 1e-12 * (1 + fabs(forward)));
}
