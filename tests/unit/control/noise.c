/* SPDX-License-Identifier: MIT
   Rates from spectra where they have closed forms, filters against the sum over their pulses, and what
   is refused. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "control/noise/noise.h"
#include "control/pulse/pulse.h"

static int failures;

static void near(const char *what, double at, double found, double expected, double bound)
{
    if (fabs(found - expected) <= bound * fabs(expected)) return;
    printf("%s at %g: found %.15g, expected %.15g\n", what, at, found, expected);
    failures++;
}

static struct kl_control_rates rates_of(const struct kl_control_psd *psd,
                                        const struct kl_control_noise *noise)
{
    struct kl_control_rates rates = { 0 };
    struct kl_error err;
    if (kl_control_noise_rates(&rates, psd, noise, &err)) printf("%s\n", err.text), failures++;
    return rates;
}

/* White noise: the coherence forgets the pulses, chi = A T/2. */
static void check_white(void)
{
    static const int pulses[] = { 0, 1, 2, 3, 7, 64, 1000 };
    const struct kl_control_psd psd = { KL_CONTROL_ONE_OVER_F, 0, 0.3, 2 };
    struct kl_control_noise noise;
    kl_control_noise_default(&noise);
    for (size_t i = 0; i < sizeof pulses / sizeof *pulses; i++)
        for (double t = 1e-3; t < 1e4; t *= 31) {
            noise.pulses = pulses[i], noise.duration = t;
            near("white noise", pulses[i], rates_of(&psd, &noise).phi, 0.15, 1e-12);
        }
}

/* Lorentzian, Ramsey and echo; x = wc T down to 0.1: below, the closed forms cancel. */
static void check_lorentzian(void)
{
    struct kl_control_noise noise;
    kl_control_noise_default(&noise);
    for (double x = 0.1; x < 1e6; x *= 7) {
        const double t = 0.25;
        const struct kl_control_psd psd = { KL_CONTROL_LORENTZIAN, 0, 2, x / t };
        noise.duration = t;
        noise.pulses = 0;
        const double unit = 2 / (2 * pow(x / t, 3)) / t;
        near("Lorentzian, Ramsey", x, rates_of(&psd, &noise).phi, unit * (x + expm1(-x)), 2e-12);
        noise.pulses = 1;
        near("Lorentzian, echo", x, rates_of(&psd, &noise).phi,
             unit * (x - 3 + 4 * exp(-x / 2) - exp(-x)), 1e-11);
        /* one_over_f with alpha 2 is the same spectrum, with its amplitude at the corner. */
        const struct kl_control_psd same = { KL_CONTROL_ONE_OVER_F, 2, 2, x / t };
        near("alpha 2", x, rates_of(&same, &noise).phi, rates_of(&psd, &noise).phi, 1e-12);
    }
}

/* alpha 4: poles to the right of the imaginary axis; its correlation is known, Ramsey as an integral of
   it: C(t) = A/(2 sqrt2 wc^3) exp(-k t) (cos k t + sin k t), k = wc/sqrt2, chi = int_0^T (T - t) C(t)
   dt. */
static void check_steep(void)
{
    struct kl_control_noise noise;
    kl_control_noise_default(&noise);
    for (double wc = 0.5; wc < 2000; wc *= 5) {
        const struct kl_control_psd psd = { KL_CONTROL_ONE_OVER_F, 4, 1, wc };
        const double k = wc / sqrt(2), scale = 1 / (2 * sqrt(2) * pow(wc, 3));
        double sum = 0;
        enum { N = 200000 };
        for (int i = 0; i < N; i++) { /* midpoints, of a smooth integrand: 1e-9 */
            const double t = (i + 0.5) / N;
            sum += (1 - t) * exp(-k * t) * (cos(k * t) + sin(k * t)) / N;
        }
        near("alpha 4", wc, rates_of(&psd, &noise).phi, scale * sum, 1e-6);
    }
}

/* F(wT) = |w sum of the pieces' integrals|^2 / 2. */
static void check_filters(void)
{
    const double pi = acos(-1);
    for (int n = 0; n <= 9; n++)
        for (int i = 1; i < 400; i++) {
            const double x = i % 2 ? 0.37 * i : pi * i / 2; /* every other one where a quotient is 0/0 */
            double complex sum = -1;
            for (int j = 1; j <= n; j++) sum += (j % 2 ? 2 : -2) * cexp(I * x * (2 * j - 1) / (2.0 * n));
            sum += (n % 2 ? -1 : 1) * cexp(I * x);
            const double f = kl_control_sequence_filter(n, x), expected = pow(cabs(sum), 2) / 2;
            if (fabs(f - expected) <= 1e-11 * (n + 1) * (n + 1)) continue;
            printf("filter %d at %g: found %.15g, expected %.15g\n", n, x, f, expected);
            failures++;
        }
}

static void refuse(struct kl_control_psd psd, struct kl_control_noise noise, const char *word)
{
    struct kl_control_rates rates;
    struct kl_error err = { 0 };
    const int code = kl_control_noise_rates(&rates, &psd, &noise, &err);
    if (code < 0 && strstr(err.text, word) && !strchr(err.text, '\n')) return;
    printf("found %d '%s', expected a line with '%s'\n", code, err.text, word);
    failures++;
}

static void check_refusals(void)
{
    const struct kl_control_psd psd = { KL_CONTROL_LORENTZIAN, 1, 1, 1 };
    struct kl_control_noise noise;
    int pulses = -7;
    struct kl_error err;
    kl_control_noise_default(&noise);
    for (int i = 0; i < 9; i++) {
        static const char *const names[] = { "alpha",   "A:",         "omega-c",     "T:",      "omega0",
                                             "gamma-h", "line-width", "temperature", "segments" };
        struct kl_control_psd p = psd;
        struct kl_control_noise n = noise;
        double *const values[] = { &p.alpha,  &p.amplitude, &p.omega_c,    &n.duration,
                                   &n.omega0, &n.gamma_h,   &n.line_width, &n.temperature };
        if (i < 8) {
            *values[i] = NAN, refuse(p, n, names[i]);
            *values[i] = -11, refuse(p, n, names[i]);
            *values[i] = i == 7 ? -1e-9 : INFINITY, refuse(p, n, names[i]);
        } else n.segments = 0, refuse(p, n, names[i]);
    }
    refuse((struct kl_control_psd){ KL_CONTROL_ONE_OVER_F, 3, 1, 1e8 }, noise, "omega-c T");
    static const char *const sequences[] = { "",        "Ramsey",  "cpmg_",    "cpmg_0",
                                             "cpmg_-4", "cpmg_4x", "cpmg_1001" };
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++)
        if (kl_control_sequence(&pulses, sequences[i], &err) != KL_EUSAGE) failures++;
    if (pulses != -7 || kl_control_sequence(&pulses, "cpmg_12", &err) || pulses != 12) failures++;
}

int main(void)
{
    check_white();
    check_lorentzian();
    check_steep();
    check_filters();
    check_refusals();
    return failures != 0;
}
