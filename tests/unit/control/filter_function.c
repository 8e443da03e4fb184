/* SPDX-License-Identifier: MIT
   Filter functions of pulses that have closed forms, gradients against central differences on every
   axis, and what is refused. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "control/noise/noise.h"
#include "control/pulse/pulse.h"

enum { FREQUENCIES = 37, SEGMENTS = 6 };
static const double pi = 3.14159265358979323846;
static int failures;

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

/* Nothing is done: Ramsey. A Z rotation does not change Z; of X/2 it makes one that turns, whose
   transform is two lines. */
static void check_free(void)
{
    double omega[FREQUENCIES], values[FREQUENCIES], u[2 * SEGMENTS] = { 0 };
    const struct kl_control_pulse pulse = { SEGMENTS, 2, 3, u };
    struct kl_control_filter_gradient g = { .values = values };
    struct kl_control_filter *filter;
    struct kl_error err;
    for (int i = 0; i < FREQUENCIES; i++) omega[i] = i == 0 ? 0 : 0.01 * pow(1.4, i);
    must(kl_control_filter_open(&filter, omega, FREQUENCIES, SEGMENTS, 3, 1.5, &err), &err);
    for (int detuned = 0; detuned < 2; detuned++) {
        must(kl_control_filter_evaluate(&g, filter, &pulse, detuned * 1.5, 2, NULL, &err), &err);
        for (int i = 0; i < FREQUENCIES; i++) {
            const double expected =
                i == 0 ? 4.5 : kl_control_sequence_filter(0, 3 * omega[i]) / (omega[i] * omega[i]);
            near("free, Z", omega[i], values[i], expected, 1e-13 * expected + 1e-15);
        }
    }
    for (int axis = 0; axis < 2; axis++) {
        must(kl_control_filter_evaluate(&g, filter, &pulse, 1.5, axis, NULL, &err), &err);
        for (int i = 0; i < FREQUENCIES; i++) {
            const double a = (omega[i] + 3) * 1.5, b = (omega[i] - 3) * 1.5;
            near("free, X or Y", omega[i], values[i], 2.25 * (pow(sin(a) / a, 2) + pow(sin(b) / b, 2)),
                 1e-13);
        }
    }
    kl_control_filter_close(&filter);
}

/* A short strong X half way is an echo; the same area spread over all time turns Z at one rate. */
static void check_driven(void)
{
    double omega[FREQUENCIES], values[FREQUENCIES], u[2 * 2001] = { 0 };
    struct kl_control_pulse pulse = { 2001, 2, 1, u };
    struct kl_control_filter_gradient g = { .values = values };
    struct kl_control_filter *filter;
    struct kl_error err;
    for (int i = 0; i < FREQUENCIES; i++) omega[i] = 1 + i;
    u[2000] = pi / 2 * 2001;
    must(kl_control_filter_open(&filter, omega, FREQUENCIES, 2001, 1, u[2000], &err), &err);
    must(kl_control_filter_evaluate(&g, filter, &pulse, 0, 2, NULL, &err), &err);
    for (int i = 0; i < FREQUENCIES; i++)
        near("echo", omega[i], values[i],
             kl_control_sequence_filter(1, omega[i]) / (omega[i] * omega[i]), 1e-3);
    kl_control_filter_close(&filter);
    for (int i = 0; i < 2001; i++) u[2 * i] = 5;
    must(kl_control_filter_open(&filter, omega, FREQUENCIES, 2001, 1, 5, &err), &err);
    must(kl_control_filter_evaluate(&g, filter, &pulse, 0, 2, NULL, &err), &err);
    for (int i = 0; i < FREQUENCIES; i++) {
        const double a = (omega[i] + 10) / 2, b = (omega[i] - 10) / 2;
        near("constant", omega[i], values[i],
             (pow(sin(a) / a, 2) + (b == 0 ? 1 : pow(sin(b) / b, 2))) / 4, 1e-12);
    }
    kl_control_filter_close(&filter);
}

static void check_gradient(int controls, int axis, double size)
{
    double omega[FREQUENCIES], weights[FREQUENCIES], psd[FREQUENCIES], u[3 * SEGMENTS],
        by_u[3 * SEGMENTS];
    const struct kl_control_pulse pulse = { SEGMENTS, controls, 2, u };
    struct kl_control_filter_gradient g = { NULL, 0, by_u, 0 }, other = { 0 };
    struct kl_control_filter *filter;
    struct kl_error err;
    for (int i = 0; i < FREQUENCIES; i++) omega[i] = 0.3 * i, psd[i] = 1 / (1 + omega[i]);
    kl_control_filter_weights(weights, omega, psd, FREQUENCIES, true);
    for (int i = 0; i < controls * SEGMENTS; i++) u[i] = size * sin(3 * i + 1);
    u[2] = u[3] = u[4] = 0;
    must(kl_control_filter_open(&filter, omega, FREQUENCIES, SEGMENTS, 2, 2 * size + 0.5, &err), &err);
    must(kl_control_filter_evaluate(&g, filter, &pulse, 0.2, axis, weights, &err), &err);
    for (int i = -1; i < controls * SEGMENTS; i++) {
        static const double places[] = { -2, -1, 1, 2 }, factors[] = { 1, -8, 8, -1 };
        const double d = 2e-3, was = i < 0 ? 0 : u[i];
        double difference = 0;
        for (int j = 0; j < 4; j++) {
            if (i >= 0) u[i] = was + places[j] * d;
            must(kl_control_filter_evaluate(&other, filter, &pulse, i < 0 ? 0.2 + places[j] * d : 0.2,
                                            axis, weights, &err),
                 &err);
            difference += factors[j] * other.infidelity / (12 * d);
        }
        if (i >= 0) u[i] = was;
        near("derivative", 100 * axis + i, i < 0 ? g.detuning : by_u[i], difference, 1e-9);
    }
    kl_control_filter_close(&filter);
}

static void check_refusals(void)
{
    double omega[2] = { 1, NAN }, u[4] = { 3, 0, 0, NAN };
    struct kl_control_pulse pulse = { 2, 2, 1, u };
    struct kl_control_filter_gradient g = { 0 };
    struct kl_control_filter *filter;
    struct kl_error err;
    if (kl_control_filter_open(&filter, omega, 2, 2, 1, 1, &err) != KL_EUSAGE || filter) failures++;
    if (kl_control_filter_open(&filter, omega, 1, 2, NAN, 1, &err) != KL_EUSAGE || filter) failures++;
    if (kl_control_filter_open(&filter, omega, 1, 2, 1, 1e300, &err) != KL_EUSAGE || filter) failures++;
    must(kl_control_filter_open(&filter, omega, 1, 2, 1, 2, &err), &err);
    if (kl_control_filter_evaluate(&g, filter, &pulse, 0, 2, NULL, &err) != KL_EUSAGE ||
        !strstr(err.text, "segment 0"))
        failures++;
    u[0] = 1;
    if (kl_control_filter_evaluate(&g, filter, &pulse, 0, 2, NULL, &err) != KL_EUSAGE ||
        !strstr(err.text, "segment 1"))
        failures++;
    if (kl_control_filter_evaluate(&g, filter, &pulse, 0, 3, NULL, &err) != KL_EUSAGE) failures++;
    pulse.segments = 1;
    if (kl_control_filter_evaluate(&g, filter, &pulse, 0, 2, NULL, &err) != KL_EUSAGE) failures++;
    kl_control_filter_close(&filter);
}

int main(void)
{
    check_free();
    check_driven();
    for (int axis = 0; axis < 3; axis++)
        for (int controls = 2; controls < 4; controls++)
            for (double size = 0.05; size < 20; size *= 15) check_gradient(controls, axis, size);
    check_refusals();
    return failures != 0;
}
