/* SPDX-License-Identifier: MIT
   Spectra of noise and what they become: group `noise` of the reference's golden.h5. What is a formula
   or a fixed quadrature to 1e-12 of it, what is a converged integral to 1e-9. */
#include <math.h>

#include "control/noise/noise.h"
#include "control/pulse/pulse.h"
#include "golden_control.h"

enum { TASKS = 6, PLACES = 7 };
static int failures;
static double theta[TASKS][3], omega[PLACES];

static void compare(const char *model, const char *what, int i, double found, double expected,
                    double bound)
{
    if (fabs(found - expected) <= bound * fabs(expected)) return;
    fprintf(stderr, "%s: %s[%d]: found %.15g, expected %.15g\n", model, what, i, found, expected);
    failures++;
}

static struct kl_control_psd spectrum(int model, int task)
{
    return (struct kl_control_psd){ (enum kl_control_psd_model)model, theta[task][0], theta[task][1],
                                    theta[task][2] };
}

static void check_rates(hid_t group, int model, const char *name, const char *set, const char *sequence,
                        enum kl_control_mapping mapping, double bound)
{
    double expected[TASKS];
    struct kl_control_noise noise;
    struct kl_control_rates rates;
    struct kl_error err;
    golden_values(expected, TASKS, group, set);
    kl_control_noise_default(&noise);
    noise.mapping = mapping;
    if (sequence) must(kl_control_sequence(&noise.pulses, sequence, &err), &err);
    for (int i = 0; i < TASKS; i++) {
        const struct kl_control_psd psd = spectrum(model, i);
        must(kl_control_noise_rates(&rates, &psd, &noise, &err), &err);
        compare(name, set, i,
                mapping == KL_CONTROL_BAND ? rates.phi / 2
                : sequence                 ? rates.phi
                                           : rates.down,
                expected[i], bound);
        if (mapping == KL_CONTROL_BAND && (rates.up != rates.phi || rates.down != rates.up)) failures++;
    }
}

/* No temperature is given: as much up as down, together half of S at the transition. */
static void check_golden_rule(hid_t group, int model, const char *name)
{
    double sharp[TASKS];
    struct kl_control_noise noise;
    struct kl_control_rates rates;
    struct kl_error err;
    golden_values(sharp, TASKS, group, "gamma1_sharp");
    kl_control_noise_default(&noise);
    for (int i = 0; i < TASKS; i++) {
        const struct kl_control_psd psd = spectrum(model, i);
        noise.temperature = INFINITY;
        must(kl_control_noise_rates(&rates, &psd, &noise, &err), &err);
        compare(name, "down, hot", i, rates.down, sharp[i] / 4, 1e-12);
        compare(name, "up, hot", i, rates.up, sharp[i] / 4, 1e-12);
        noise.temperature = 0.5;
        must(kl_control_noise_rates(&rates, &psd, &noise, &err), &err);
        compare(name, "down + up", i, rates.down + rates.up, sharp[i] / 2, 1e-12);
        compare(name, "detailed balance", i, rates.up / rates.down, exp(-2), 1e-12);
        noise.temperature = 0;
        must(kl_control_noise_rates(&rates, &psd, &noise, &err), &err);
        compare(name, "down, cold", i, rates.down, sharp[i] / 2, 1e-12);
        compare(name, "up, cold", i, rates.up, 0, 1e-12);
    }
}

static void check_model(hid_t noise, int model, const char *name)
{
    static const char *const sequences[] = { "ramsey", "echo", "cpmg_4", "cpmg_5" };
    const hid_t group = H5Gopen2(noise, name, H5P_DEFAULT);
    double psd[TASKS][PLACES], expected[TASKS];
    char set[64];
    golden_values(psd[0], TASKS * PLACES, group, "psd");
    for (int i = 0; i < TASKS; i++)
        for (int j = 0; j < PLACES; j++) {
            const struct kl_control_psd s = spectrum(model, i);
            compare(name, "psd", i * PLACES + j, kl_control_psd(&s, omega[j]), psd[i][j], 1e-14);
        }
    for (int k = 0; k < 4; k++) {
        snprintf(set, sizeof set, "chi_over_T_std_%s", sequences[k]);
        check_rates(group, model, name, set, sequences[k], KL_CONTROL_STANDARD, 1e-9);
        snprintf(set, sizeof set, "chi_over_T_ref_%s", sequences[k]);
        if (k < 2) check_rates(group, model, name, set, sequences[k], KL_CONTROL_FILTER, 1e-12);
    }
    check_rates(group, model, name, "gamma1_ref", NULL, KL_CONTROL_FILTER, 1e-12);
    check_rates(group, model, name, "band_rate_ref", NULL, KL_CONTROL_BAND, 1e-12);
    golden_values(expected, TASKS, group, "gamma1_exact");
    for (int i = 0; i < TASKS; i++) {
        const struct kl_control_psd s = spectrum(model, i);
        compare(name, "gamma1_exact", i, kl_control_psd_line(&s, 1, 100), expected[i], 1e-9);
    }
    check_golden_rule(group, model, name);
    H5Gclose(group);
}

int main(void)
{
    const hid_t golden = golden_control("golden.h5"), noise = H5Gopen2(golden, "noise", H5P_DEFAULT);
    golden_values(theta[0], TASKS * 3, noise, "theta");
    golden_values(omega, PLACES, noise, "omega");
    check_model(noise, KL_CONTROL_ONE_OVER_F, "one_over_f");
    check_model(noise, KL_CONTROL_LORENTZIAN, "lorentzian");
    check_model(noise, KL_CONTROL_DOUBLE_EXP, "double_exp");
    H5Gclose(noise), H5Fclose(golden);
    return failures != 0;
}
