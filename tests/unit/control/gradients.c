/* SPDX-License-Identifier: MIT
   Gradients of problems of every kind against central differences; waveforms stay within what they
   promise. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/pulse/pulse.h"

static int failures;
static struct kl_error err;

static struct kl_control_options with(const char *system, const char *functions, const char *spread,
                                      const char *ensemble)
{
    struct kl_control_options o;
    kl_control_options_default(&o);
    o.system = system, o.functions = functions, o.spread = spread, o.ensemble = ensemble;
    o.segments = 12, o.count = 6, o.members = 3, o.limit = "3", o.sharpness = 50, o.tail = 0.4;
    return o;
}

static void check(const char *name, const struct kl_control_options *o)
{
    struct kl_control_setup setup;
    double gradient = 1, hessian = 1;
    int code = kl_control_setup_make(&setup, o, &err);
    if (!code) code = kl_control_check_gradients(&gradient, &hessian, &setup.problem, 7, &err);
    if (code || !(gradient < 1e-7) || hessian > 1e-7) {
        printf("%s: code %d, gradient off by %g, Hessian by %g; %s\n", name, code, gradient, hessian,
               code ? err.text : "");
        failures++;
    }
    kl_control_setup_free(&setup);
}

static void check_limits(const char *name, struct kl_control_options o)
{
    struct kl_control_setup setup;
    struct kl_control_search search;
    struct kl_control_start starts[4];
    static double points[4 * 64], samples[256], u[1024];
    kl_control_search_default(&search);
    search.starts = 4, search.iterations = 60;
    int code = kl_control_setup_make(&setup, &o, &err);
    if (!code) code = kl_control_optimize(starts, points, &setup.problem, &search, NULL, NULL, &err);
    if (!code) code = kl_control_amplitudes(samples, u, &setup.problem, points, &err);
    if (code) printf("%s: %s\n", name, err.text), failures++;
    const struct kl_control_waveform *w = &setup.waveform;
    for (int k = 0; !code && k < w->controls; k++)
        for (int s = 0; s < w->samples; s++) {
            const double a = samples[s * w->controls + k],
                         before = s ? samples[(s - 1) * w->controls + k] : 0,
                         most =
                             w->slew * setup.problem.limit[k] * w->duration / w->samples * (1 + 1e-12);
            const bool whole = setup.problem.low[k] == 0 && setup.problem.high[k] == 0;
            bool fine = fabs(a) <= setup.problem.limit[k] &&
                        (whole || (a >= setup.problem.low[k] && a <= setup.problem.high[k]));
            if (w->n_moduli)
                fine &= hypot(samples[s * w->controls], samples[s * w->controls + 1]) <=
                        setup.problem.limit[0] * (1 + 1e-14);
            if (w->slew > 0 && (s > 0 || w->zero_ends)) fine &= fabs(a - before) <= most;
            if (w->slew > 0 && w->zero_ends && s == w->samples - 1) fine &= fabs(a) <= most;
            if (w->zero_ends && (s == 0 || s == w->samples - 1)) fine &= a == 0;
            if (w->constant[k]) fine &= a == samples[k];
            if (fine) continue;
            printf("%s: sample %d of control %d is %g after %g\n", name, s, k, a, before);
            failures++;
        }
    kl_control_setup_free(&setup);
}

int main(void)
{
    static const char *const functions[] = { "piecewise", "splines", "fourier" };
    static const char *const ensembles[] = { "mean", "worst", "cvar" };
    for (int i = 0; i < 3; i++)
        for (int ends = 0; ends < 2; ends++) {
            struct kl_control_options o = with("qubit", functions[i], NULL, "mean");
            o.zero_ends = ends;
            check(functions[i], &o);
            o.slew.value = 4, o.tau.value = 0.1, o.oversample = 2, o.energy = 0.1;
            check("slew and low pass", &o);
            check_limits(functions[i], o);
            o.limit = "x+iy=2";
            check("modulus", &o);
            check_limits("modulus", o);
            o.slew.value = o.tau.value = 0, o.oversample = 1;
            check("modulus alone", &o);
            check_limits("modulus alone", o);
            o.zero_ends = false, o.constant = "y", o.limit = "x=0:3 y=-1:2";
            check("constant", &o);
            check_limits("constant", o);
            o.constant = NULL;
            check("one-sided", &o);
            check_limits("one-sided", o);
        }
    for (int i = 0; i < 3; i++) {
        struct kl_control_options o =
            with("qubit", "piecewise", "detuning=0.4 amplitude=0.1", ensembles[i]);
        o.energy = 0.2;
        check(ensembles[i], &o);
        o.controls = 3;
        check(ensembles[i], &o);
        o = with("two-qubits", "piecewise", "J=0.2", ensembles[i]);
        check(ensembles[i], &o);
    }
    struct kl_control_options o = with("transmon", "splines", NULL, "mean");
    o.limit = NULL, o.segments = 24;
    check("transmon", &o);
    o = with("qubit", "piecewise", NULL, "mean"), o.fidelity = "state";
    check("state", &o);
    o.fidelity = "states";
    check("states", &o);
    return failures != 0;
}
