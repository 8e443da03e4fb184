/* SPDX-License-Identifier: MIT
   Families of tasks: laws, features of the reference (golden values), rates of spectra by tables against
   the integrals, targets, experiments with finitely many shots, what cannot be. */
#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/meta/meta_train.h"
#include "tests/golden/golden.h"
#include "tests/unit/check.h"

static struct kl_control_family family(void)
{
    return (struct kl_control_family){ .dephasing = { 0.02, 0.15 },
                                       .relaxation = { 0.01, 0.08 },
                                       .alpha = { 0.1, 2 },
                                       .amplitude = { 0.01, 10 },
                                       .omega_c = { 1, 300 },
                                       .models = { 1, 0, 0 },
                                       .diversity = 1,
                                       .controls = { 1, 1 },
                                       .coupling = { 1, 1 },
                                       .angle = { M_PI, M_PI },
                                       .shots = 100,
                                       .duration = 1 };
}

static struct kl_control_task_id id_of(uint32_t number, enum kl_control_task_set set)
{
    return (struct kl_control_task_id){ 5, set, number, 0 };
}

/* Mean and least and largest of 20,000 drawn rates of dephasing. */
static void moments(double found[3], struct kl_control_family f)
{
    enum { N = 20000 };
    found[0] = 0, found[1] = INFINITY, found[2] = -INFINITY;
    for (uint32_t i = 0; i < N; i++) {
        struct kl_control_meta_task t;
        const struct kl_control_task_id id = id_of(i, KL_CONTROL_TRAINING);
        kl_control_family_draw(&t, &f, &id);
        found[0] += t.rates[KL_BLOCH_DEPHASING] / N;
        found[1] = fmin(found[1], t.rates[KL_BLOCH_DEPHASING]);
        found[2] = fmax(found[2], t.rates[KL_BLOCH_DEPHASING]);
    }
}

static void check_laws(void)
{
    struct kl_control_family f = family();
    struct kl_control_meta_task a, b;
    double m[3];
    moments(m, f);
    CHECK(fabs(m[0] - 0.085) < 0.001 && m[1] >= 0.02 && m[2] <= 0.15, "uniform: %g in %g to %g", m[0],
          m[1], m[2]);
    f.diversity = 0.5;
    moments(m, f);
    CHECK(fabs(m[0] - 0.085) < 0.001 && m[1] >= 0.0525 && m[2] <= 0.1175, "half: %g to %g", m[1], m[2]);
    f.diversity = 1, f.distribution = KL_CONTROL_LOG_UNIFORM;
    moments(m, f);
    CHECK(fabs(m[0] - 0.13 / log(7.5)) < 0.001 && m[1] >= 0.02 && m[2] <= 0.15, "log-uniform: %g", m[0]);
    f.distribution = KL_CONTROL_GAUSSIAN;
    moments(m, f);
    CHECK(fabs(m[0] - 0.085) < 0.001 && fabs(m[1] - 0.02) < 1e-15 && fabs(m[2] - 0.15) < 1e-15,
          "Gaussian: %g in %g to %g", m[0], m[1], m[2]);
    const struct kl_control_task_id first = id_of(3, KL_CONTROL_TRAINING),
                                    other = id_of(3, KL_CONTROL_VALIDATION);
    kl_control_family_draw(&a, &f, &first), kl_control_family_draw(&b, &f, &other);
    CHECK(a.rates[0] != b.rates[0], "training and validation have a task in common");
    kl_control_family_draw(&b, &f, &first);
    CHECK(memcmp(&a, &b, sizeof a) == 0, "a task is not the same when it is drawn again");
    f.jump_up = true;
    kl_control_family_draw(&b, &f, &first);
    CHECK(b.rates[KL_BLOCH_UP] == a.rates[KL_BLOCH_DOWN] && b.rates[KL_BLOCH_DOWN] == 0,
          "jumps upwards");
}

static void check_table(enum kl_control_mapping mapping, enum kl_control_psd_model model)
{
    struct kl_control_family f = family();
    struct kl_control_noise noise;
    struct kl_error err;
    kl_control_noise_default(&noise);
    noise.mapping = mapping;
    f.psd = true, f.models[0] = 0, f.models[model] = 1;
    CHECK(kl_control_psd_tables(&f, &noise, &err) == 0, "%s", err.text);
    for (uint32_t i = 0; i < 50; i++) {
        struct kl_control_meta_task t;
        const struct kl_control_task_id id = id_of(i, KL_CONTROL_TEST);
        struct kl_control_rates rates;
        kl_control_family_draw(&t, &f, &id);
        const struct kl_control_psd psd = { model, t.theta[0], t.theta[1], t.theta[2] };
        CHECK(kl_control_noise_rates(&rates, &psd, &noise, &err) == 0, "%s", err.text);
        const double wanted[] = { rates.phi, rates.down, rates.up };
        const double most = kl_control_psd_most(&f) * t.theta[1] / f.amplitude.high;
        for (int r = 0; r < 3; r++)
            CHECK(fabs(t.rates[r] - wanted[r]) <= 2e-9 * most + 1e-15,
                  "mapping %d, model %d, rate %d: found %.12g, expected %.12g", (int)mapping, (int)model,
                  r, t.rates[r], wanted[r]);
        CHECK(t.rates[0] + t.rates[1] + t.rates[2] <= kl_control_family_rates(&f),
              "a rate above the largest");
    }
    kl_control_psd_tables_free(&f);
}

/* Ones of a fair and of a rare shot, by the law itself. */
static void check_shots(void)
{
    const double ps[] = { 0.5, 0.03, 0.9999, 0, 1 };
    for (size_t k = 0; k < 5; k++) {
        enum { N = 40000, SHOTS = 200 };
        double mean = 0, var = 0;
        for (int i = 0; i < N; i++) {
            const double ones = (double)kl_control_binomial(SHOTS, ps[k], (i + 0.5) / N);
            mean += ones / N, var += ones * ones / N;
        }
        var -= mean * mean;
        CHECK(fabs(mean - SHOTS * ps[k]) < 0.01, "p %g: mean %g", ps[k], mean);
        CHECK(fabs(var - SHOTS * ps[k] * (1 - ps[k])) < 0.02 + 0.001 * var, "p %g: variance %g", ps[k],
              var);
    }
    /* Without noise and with many shots: the cosine and the sine of the phase, five quarter turns. */
    struct kl_control_family f = family();
    struct kl_control_meta_task t = { .controls = 1 };
    const struct kl_control_task_id id = id_of(0, KL_CONTROL_TRAINING);
    double z[KL_CONTROL_PROBES];
    f.shots = 1000000000;
    kl_control_probe(z, &f, &t, &id);
    CHECK(fabs(z[0] - 1) < 1e-4 && fabs(z[1]) < 1e-4 && fabs(z[2]) < 1e-4 && fabs(z[3] + 1) < 1e-4,
          "no errors: found %g, %g, %g, %g", z[0], z[1], z[2], z[3]);
    t.controls = 1.02;
    kl_control_probe(z, &f, &t, &id);
    CHECK(fabs(z[2] + sin(5 * 0.02 * M_PI / 2)) < 1e-4, "two percent: found %g", z[2]);
    t.controls = 1, t.rates[KL_BLOCH_DETUNING] = 0.2;
    kl_control_probe(z, &f, &t, &id);
    CHECK(fabs(z[0] - cos(2 * 0.2 * 0.9)) < 0.02 && fabs(fabs(z[1]) - sin(2 * 0.2 * 0.9)) < 0.02,
          "detuned: found %g, %g", z[0], z[1]);
    t.rates[KL_BLOCH_DETUNING] = 0, t.rates[KL_BLOCH_DOWN] = 0.5;
    kl_control_probe(z, &f, &t, &id);
    CHECK(fabs(z[3] - (1 - 2 * exp(-0.5 * 0.85))) < 0.02, "relaxing: found %g", z[3]);
}

static void check_targets(void)
{
    struct kl_control_family f = family();
    struct kl_control_meta_task t = { .angle = 0.3 };
    double w[9];
    f.gate = KL_CONTROL_ROTATION, f.whole_gate = true;
    kl_control_family_weights(w, &f, &t);
    CHECK(fabs(w[0] - 1 / 6.0) < 1e-15 && fabs(w[4] - cos(0.3) / 6) < 1e-15 &&
              fabs(w[5] - sin(0.3) / 6) < 1e-15 && fabs(w[7] + sin(0.3) / 6) < 1e-15,
          "a rotation by 0.3: %g, %g, %g, %g", w[0], w[4], w[5], w[7]);
    f.gate = KL_CONTROL_GATE_H, f.whole_gate = false;
    kl_control_family_weights(w, &f, &t);
    CHECK(w[0] == 0.5 && w[1] == 0 && w[2] == 0, "Hadamard of |0>: %g, %g, %g", w[0], w[1], w[2]);
}

static void check_features(void)
{
    const char *shared = getenv("KETLINE_SHARED");
    char path[4096];
    snprintf(path, sizeof path, "%s/reference/control/golden.h5", shared ? shared : "../shared");
    const hid_t file = fopen(path, "r") ? H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT) : -1;
    double theta[18], features[18], found[KL_CONTROL_MAX_FEATURES];
    const struct kl_control_task_id id = id_of(0, KL_CONTROL_TEST);
    if (file < 0) return;
    for (int psd = 0; psd < 2; psd++) {
        struct kl_control_family f = family();
        f.psd = psd;
        const size_t in = psd ? 3 : 2,
                     n = golden_values(theta, 18, file,
                                       psd ? "features/psd_theta" : "features/gamma_rates") /
                         in;
        golden_values(features, 18, file, psd ? "features/psd_features" : "features/gamma_features");
        for (size_t i = 0; i < n; i++) {
            struct kl_control_meta_task t = { 0 };
            memcpy(t.theta, theta + in * i, in * sizeof *theta);
            kl_control_family_features(found, &f, &t, &id);
            for (size_t k = 0; k < 3; k++)
                CHECK(fabs(found[k] - features[3 * i + k]) < 1e-14,
                      "task %zu, feature %zu: found %.17g, expected %.17g", i, k, found[k],
                      features[3 * i + k]);
        }
    }
    H5Fclose(file);
}

static void refused(struct kl_control_family f, const char *says)
{
    struct kl_error err = { 0 };
    CHECK(kl_control_family_check(&f, &err) == KL_EUSAGE && strstr(err.text, says), "%s: %s", says,
          err.text);
}

static void check_refusals(void)
{
    struct kl_control_family f = family();
    struct kl_error err;
    CHECK(kl_control_family_check(&f, &err) == 0, "%s", err.text);
    f.dephasing = (struct kl_control_range){ -0.1, 0.2 },
    refused(f, "--gamma-deph-range: found -0.1,0.2");
    f.dephasing = (struct kl_control_range){ 0.2, 0.1 }, refused(f, "at most the second");
    f.dephasing = (struct kl_control_range){ 0.2, NAN }, refused(f, "--gamma-deph-range");
    f.dephasing = (struct kl_control_range){ 0, 0.1 }, f.distribution = KL_CONTROL_LOG_UNIFORM,
    refused(f, "above 0");
    f = family(), f.controls.low = 0, refused(f, "--amplitude-range");
    f = family(), f.angle.low = 0, refused(f, "--target-gate rotation");
    f = family(), f.psd = true, f.omega_c.low = 0, refused(f, "--omega-c-range");
}

int main(void)
{
    check_laws();
    for (int mapping = KL_CONTROL_FILTER; mapping <= KL_CONTROL_STANDARD; mapping++)
        for (int model = KL_CONTROL_ONE_OVER_F; model <= KL_CONTROL_DOUBLE_EXP; model++)
            check_table((enum kl_control_mapping)mapping, (enum kl_control_psd_model)model);
    check_shots();
    check_targets();
    check_features();
    check_refusals();
    return failures != 0;
}
