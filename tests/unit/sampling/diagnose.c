/* SPDX-License-Identifier: MIT
   Diagnostics at their ends: constants, too few draws, one chain, numbers that are none; long series,
   for which transforms give the autocovariances, against plain sums; ranks with ties. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/diagnose/diagnose.h"
#include "sampling/diagnose/diagnose_int.h"
#include "sampling/diagnose/verdict.h"
#include "tests/unit/check.h"

static uint64_t state = 5;
static double noise(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) / 4503599627370496.0 - 1;
}

/* Series of n values less their means; autocovariances of all lags by transforms and by sums. */
static void check_transform(size_t n, size_t series)
{
    struct kl_sampling_spectrum *s = NULL;
    struct kl_error err = { 0 };
    double *y = malloc(n * series * sizeof *y), worst = 0;
    CHECK(kl_sampling_spectrum_open(&s, n, &err) == 0, "%s", err.text);
    for (size_t i = 0; i < n * series; i++) y[i] = noise() + (i ? 0.9 * y[i - 1] : 0);
    const double *all = kl_sampling_autocovariances(s, y, series);
    for (size_t lag = 0; lag < n; lag += lag < 20 ? 1 : n / 17 + 1) {
        double sum = 0;
        for (size_t k = 0; k < series; k++)
            for (size_t i = 0; i + lag < n; i++) sum += y[k * n + i] * y[k * n + i + lag];
        worst = fmax(worst, fabs(sum / (double)(n * series) - all[lag]));
    }
    CHECK(worst < 1e-13 * (all[0] + 1), "%zu values, %zu series: off by %g", n, series, worst);
    kl_sampling_spectrum_close(&s);
    free(y);
}

static void check_all(double x[], size_t chains, size_t draws, double ess, double rhat)
{
    struct kl_sampling_traces *t = NULL;
    struct kl_error err = { 0 };
    CHECK(kl_sampling_traces_open(&t, chains, draws, &err) == 0, "%s", err.text);
    if (!t) return;
    kl_sampling_traces_take(t, x);
    for (int k = 0; k <= KL_SAMPLING_ESS_MEAN; k++) {
        const double found = kl_sampling_ess(t, (enum kl_sampling_ess)k);
        CHECK(found == ess || (isnan(found) && isnan(ess)), "%zu x %zu, ess %d: %g", chains, draws, k,
              found);
    }
    const double found = kl_sampling_rhat(t);
    CHECK(found == rhat || (isnan(found) && isnan(rhat)), "%zu x %zu, rhat %g", chains, draws, found);
    kl_sampling_traces_close(&t);
}

static void check_ends(void)
{
    struct kl_sampling_traces *t = NULL;
    struct kl_error err = { 0 };
    double x[40];
    for (int i = 0; i < 40; i++) x[i] = 3;
    check_all(x, 4, 10, 40, NAN); /* a constant */
    for (int i = 0; i < 40; i++) x[i] = noise();
    check_all(x, 8, 3, NAN, NAN); /* too few */
    x[17] = NAN;
    check_all(x, 4, 10, NAN, NAN);
    CHECK(kl_sampling_traces_open(&t, 0, 10, &err) == KL_EUSAGE && !t, "%s", err.text);
    CHECK(kl_sampling_traces_open(&t, SIZE_MAX / 2, 10, &err) == KL_EUSAGE && !t, "%s", err.text);
    /* 4 draws are the least. */
    CHECK(kl_sampling_traces_open(&t, 2, 4, &err) == 0, "%s", err.text);
    kl_sampling_traces_take(t, x);
    CHECK(isfinite(kl_sampling_ess(t, KL_SAMPLING_ESS_BULK)) && isfinite(kl_sampling_rhat(t)),
          "four draws");
    kl_sampling_traces_close(&t);
}

/* Another unit, another zero: ranks, and what is made of them, stay; -0 is 0; order of chains does not
 * matter. */
static void check_invariance(void)
{
    enum { CHAINS = 3, DRAWS = 101, N = CHAINS * DRAWS };
    static double x[N], y[N];
    struct kl_sampling_traces *t = NULL;
    struct kl_error err = { 0 };
    CHECK(kl_sampling_traces_open(&t, CHAINS, DRAWS, &err) == 0, "%s", err.text);
    for (int i = 0; i < N; i++) x[i] = floor(8 * noise()) / 8, y[i] = x[i] == 0 && i % 2 ? -0.0 : x[i];
    kl_sampling_traces_take(t, x);
    const double rhat = kl_sampling_rhat(t), bulk = kl_sampling_ess(t, KL_SAMPLING_ESS_BULK);
    kl_sampling_traces_take(t, y);
    CHECK(rhat == kl_sampling_rhat(t) && bulk == kl_sampling_ess(t, KL_SAMPLING_ESS_BULK), "-0");
    for (int i = 0; i < N; i++) y[i] = exp(x[i]); /* keeps ranks, not distances */
    kl_sampling_traces_take(t, y);
    CHECK(bulk == kl_sampling_ess(t, KL_SAMPLING_ESS_BULK), "ranks");
    for (int i = 0; i < N; i++) y[i] = x[(i + DRAWS) % N];
    kl_sampling_traces_take(t, y);
    CHECK(fabs(rhat - kl_sampling_rhat(t)) < 1e-13, "order of chains");
    kl_sampling_traces_close(&t);
}

/* x[i] = r x[i-1] + e: the time is (1 + r) / (1 - r). */
static void check_time(void)
{
    enum { CHAINS = 4, DRAWS = 50000 };
    struct kl_sampling_traces *t = NULL;
    struct kl_error err = { 0 };
    double *x = malloc(CHAINS * DRAWS * sizeof *x);
    for (int r = 0; r < 3; r++) {
        const double decay = r == 0 ? 0 : r == 1 ? 0.5 : 0.95, time = (1 + decay) / (1 - decay);
        for (int i = 0; i < CHAINS * DRAWS; i++) x[i] = noise() + (i % DRAWS ? decay * x[i - 1] : 0);
        CHECK(kl_sampling_traces_open(&t, CHAINS, DRAWS, &err) == 0, "%s", err.text);
        kl_sampling_traces_take(t, x);
        const double found = CHAINS * DRAWS / kl_sampling_ess(t, KL_SAMPLING_ESS_MEAN);
        CHECK(fabs(found / time - 1) < 0.08, "decay %g: %g, expected %g", decay, found, time);
        kl_sampling_traces_close(&t);
    }
    free(x);
}

static void check_predictive(void)
{
    static const float same[6] = { -1, -2, -1, -2, -1, -2 };
    struct kl_sampling_predictive p;
    struct kl_error err = { 0 };
    CHECK(kl_sampling_predict(&p, NULL, NULL, same, 3, 2, 1, NULL, &err) == 0, "%s", err.text);
    CHECK(p.waic == -3 && fabs(p.loo + 3) < 1e-12 && p.waic_parameters == 0 && p.large_k == 2,
          "%g %g %zu", p.waic, p.loo, p.large_k); /* of a constant tail nothing can be fitted */
    CHECK(kl_sampling_predict(&p, NULL, NULL, same, 1, 2, 1, NULL, &err) == KL_EUSAGE, "one draw");
    CHECK(kl_sampling_predict(&p, NULL, NULL, same, 3, 0, 1, NULL, &err) == KL_EUSAGE, "no record");
    CHECK(kl_sampling_predict(&p, NULL, NULL, same, 3, 2, 0, NULL, &err) == KL_EUSAGE, "no efficiency");
}

/* Of chains that do not vary there is no number; of some that do not there is, and it is bad. */
static void check_still(void)
{
    static double x[4 * 50];
    struct kl_sampling_traces *t = NULL;
    struct kl_error err = { 0 };
    CHECK(kl_sampling_traces_open(&t, 4, 50, &err) == 0, "%s", err.text);
    for (int moving = 0; moving <= 4; moving++) {
        struct kl_sampling_verdict v = kl_sampling_verdict_none(10, 4);
        for (int i = 0; i < 200; i++) x[i] = i / 50 < moving ? noise() : 0.1 * (i / 50);
        kl_sampling_traces_take(t, x), kl_sampling_verdict_of_trace(&v, t);
        CHECK(v.still == (size_t)(4 - moving) && isfinite(v.mean) && v.draws == 50, "%d: %zu", moving,
              v.still);
        CHECK(isnan(v.rhat) == !moving && isnan(v.bulk) == !moving && isnan(v.tail) == !moving &&
                  isnan(v.mcse) == !moving && isnan(v.time) == !moving,
              "%d: R-hat %g, %g, %g", moving, v.rhat, v.bulk, v.mcse);
    }
    kl_sampling_traces_close(&t);
    CHECK(kl_sampling_traces_open(&t, 2, 1, &err) == 0, "%s",
          err.text); /* one draw neither moves nor not */
    kl_sampling_traces_take(t, x);
    CHECK(kl_sampling_still(t) == 0);
    kl_sampling_traces_close(&t);
}

/* A number beside its limit stands on the side that it is on. */
static void check_beside(void)
{
    static const struct {
        double value, limit;
        const char *text;
    } cases[] = { { 1.0104, 1.01, "1.0104" }, { 1.01004, 1.01, "1.01004" }, { 399.97, 400, "399.97" },
                  { 2.0968, 1.01, "2.1" },    { 5.3, 400, "5.3" },          { 1.01, 1.01, "1.01" },
                  { 2.8e16, 1.01, "2.8e+16" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[KL_SAMPLING_BESIDE];
        CHECK(strcmp(kl_sampling_beside(text, cases[i].value, cases[i].limit), cases[i].text) == 0, "%s",
              text);
    }
}

int main(void)
{
    static const size_t sizes[] = { 2, 3, 5, 6, 7, 8, 9, 12, 31, 100, 513, 1000, 3000, 12345 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t series = 1; series <= 5; series += 2) check_transform(sizes[i], series);
    check_ends();
    check_invariance();
    check_time();
    check_predictive(), check_still(), check_beside();
    for (double p = 1e-300; p < 1; p = p < 0.01 ? p * 10 : p + 0.01) {
        const double z = kl_sampling_normal_score(p);
        CHECK(fabs(0.5 * erfc(-z / sqrt(2)) / p - 1) < 1e-12 * (1 + z * z), "%g: %g", p, z);
    }
    return failures != 0;
}
