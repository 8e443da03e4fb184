/* SPDX-License-Identifier: MIT
   Variances against closed forms, intervals against how often they hold the truth, and what must be
   equal to the bit: threads, cells in another grid. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"
#include "plateau/plateau_int.h"

static void must(int code, const struct kl_error *err)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

static struct kl_plateau scan(const struct kl_plateau_options *o, struct kl_pool *pool)
{
    struct kl_plateau p;
    struct kl_error err;
    must(kl_plateau_scan(&p, o, pool, NULL, &err), &err);
    return p;
}

/* RY on each of n wires and nothing else. */
static struct kl_plateau_options product(const char *qubits, int64_t draws)
{
    struct kl_plateau_options o;
    kl_plateau_options_default(&o);
    o.ansatz = "real-amplitudes";
    o.qubits = qubits;
    o.layers = "0";
    o.draws = draws;
    o.initial = 0;
    return o;
}

/* d/dw0 of cos w0 is -sin w0, of variance 1/2; of the product of n cosines -sin w0 cos w1 ..., 2^-n. */
static void products_of_cosines(void)
{
    const struct kl_plateau_options o = product("1-6", 40000);
    struct kl_plateau p = scan(&o, NULL);
    for (size_t q = 0; q < p.n_qubits; q++) {
        const double local = p.variance[q], global = p.variance[p.n_qubits + q], n = p.qubits[q];
        CHECK(fabs(local - 0.5) < 0.01, "%g qubits: local %g", n, local);
        CHECK(fabs(global * exp2(n) - 1) < 0.08, "%g qubits: global %g", n, global);
        CHECK(fabs(p.mean[q]) < 0.02, "%g qubits: mean %g", n, p.mean[q]);
    }
    CHECK(fabs(p.slope[0]) < 0.01, "local: slope %g", p.slope[0]);
    CHECK(fabs(p.slope[1] + M_LN2) < 0.02, "global: slope %g", p.slope[1]);
    CHECK(p.slope_low[1] < -M_LN2 && -M_LN2 < p.slope_high[1], "[%g, %g]", p.slope_low[1],
          p.slope_high[1]);
    kl_plateau_free(&p);
}

/* Small angles: the mean of sin^2 within +-s is 1/2 - sin(2 s)/(4 s). The initial RY(b) moves the angle:
   sin(w + b) has the variance of both, less its mean squared. By all parameters: on two wires the
   variances of sin w0 cos w1 and cos w0 sin w1 are equal. */
static void small_angles(void)
{
    struct kl_plateau_options o = product("1", 40000);
    const double s = o.spread = 0.4, sines = 0.5 - sin(2 * s) / (4 * s), cosines = 1 - sines,
                 mean_cosine = sin(s) / s, b = 0.7;
    o.observables = "local";
    struct kl_plateau p = scan(&o, NULL);
    CHECK(fabs(p.variance[0] / sines - 1) < 0.03, "found %g, expected %g", p.variance[0], sines);
    kl_plateau_free(&p);
    o.initial = b;
    const double expected =
        sines * cos(b) * cos(b) + (cosines - mean_cosine * mean_cosine) * sin(b) * sin(b);
    p = scan(&o, NULL);
    CHECK(fabs(p.variance[0] / expected - 1) < 0.03, "found %g, expected %g", p.variance[0], expected);
    CHECK(fabs(p.mean[0] + sin(b) * mean_cosine) < 0.01, "mean %g", p.mean[0]);
    kl_plateau_free(&p);
    o = product("2", 20000);
    o.spread = s, o.parameter = "all", o.observables = "ZZ";
    p = scan(&o, NULL);
    CHECK(fabs(p.variance[0] / (sines * cosines) - 1) < 0.04, "found %g", p.variance[0]);
    kl_plateau_free(&p);
}

/* Behind the first rotation a circuit that is a 2-design: with d = 2^n and the first angle an RZ after
   RY(pi/4), Tr O = 0 and Tr O^2 = d give d / (4 (d^2 - 1)) for every Pauli string O. */
static void deep_circuits(void)
{
    struct kl_plateau_options o;
    kl_plateau_options_default(&o);
    o.qubits = "2-5", o.layers = "16", o.draws = 4000, o.observables = "local,global,XY";
    struct kl_plateau p = scan(&o, NULL);
    for (size_t i = 0; i < p.n_observables * p.n_qubits; i++) {
        const double d = ldexp(1, p.qubits[i % p.n_qubits]), expected = d / (4 * (d * d - 1));
        CHECK(fabs(p.variance[i] / expected - 1) < 0.1, "%s, dimension %g: found %g, expected %g",
              p.observables[i / p.n_qubits], d, p.variance[i], expected);
    }
    kl_plateau_free(&p);
}

/* An interval of 95 % holds the truth about so often; the percentile bootstrap a little less. */
static void coverage(void)
{
    struct kl_plateau_options o = product("1", 100);
    int held = 0, runs = 400;
    o.resamples = 200;
    o.observables = "local";
    for (o.seed = 0; o.seed < runs; o.seed++) {
        struct kl_plateau p = scan(&o, NULL);
        held += p.low[0] <= 0.5 && 0.5 <= p.high[0];
        CHECK(p.low[0] <= p.variance[0] && p.variance[0] <= p.high[0]);
        kl_plateau_free(&p);
    }
    CHECK(held > 0.89 * runs && held < 0.99 * runs, "%d of %d", held, runs);
}

static void same(const char *what, const double *a, const double *b, size_t n)
{
    CHECK(memcmp(a, b, n * sizeof *a) == 0, "%s differ", what);
}

static void equal_bits(void)
{
    struct kl_plateau_options o;
    struct kl_pool *pool;
    struct kl_error err;
    kl_plateau_options_default(&o);
    o.qubits = "2-5", o.layers = "1,2,5", o.draws = 70, o.resamples = 50, o.seed = 3;
    for (int all = 0; all < 2; all++) {
        o.parameter = all ? "all" : "1";
        struct kl_plateau one = scan(&o, NULL), three;
        must(kl_pool_create(&pool, 3, &err), &err);
        three = scan(&o, pool);
        const size_t n = one.n_observables * one.n_qubits * one.n_layers;
        same("numbers by threads", one.mean, three.mean, 4 * n + 3 * one.n_observables * one.n_layers);
        kl_plateau_free(&three);
        kl_pool_destroy(&pool);
        struct kl_plateau_options part = o;
        part.qubits = "4", part.layers = "2,9", part.observables = "global";
        struct kl_plateau few = scan(&part, NULL);
        const size_t at = (one.n_qubits + 2) * one.n_layers + 1;
        same("variances by grid", &few.variance[0], &one.variance[at], 1);
        same("intervals by grid", &few.low[0], &one.low[at], 1);
        kl_plateau_free(&few);
        kl_plateau_free(&one);
    }
}

static void by_hand(void)
{
    double values[102], low, high, mean, variance, scratch[4];
    const double gradients[] = { 1, 10, 2, 10, 4, 40 }; /* three draws of two parameters */
    const uint8_t counts[] = { 2, 0, 1 };
    const int qubits[] = { 2, 3, 4, 6 };
    const double halves[] = { 1, 0.5, 1e-40, 0.0625 };
    for (int i = 0; i < 101; i++) values[i] = 100 - i;
    values[101] = NAN;
    kl_plateau_interval(&low, &high, values, 102);
    CHECK(low == 2.5 && high == 97.5, "[%g, %g]", low, high);
    kl_plateau_moments(&mean, &variance, gradients, 3, 2, NULL, scratch);
    CHECK(fabs(mean - (7.0 / 3 + 20) / 2) < 1e-12 && fabs(variance - (7.0 / 3 + 300) / 2) < 1e-12,
          "%.15g %.15g", mean, variance);
    kl_plateau_moments(&mean, &variance, gradients, 3, 2, counts, scratch); /* 1, 1, 4 and 10, 10, 40 */
    CHECK(mean == 11 && fabs(variance - 151.5) < 1e-12, "%.15g %.15g", mean, variance);
    CHECK(fabs(kl_plateau_slope(halves, 1, qubits, 4) + M_LN2) < 1e-12);
    CHECK(isnan(kl_plateau_slope(halves + 1, 1, qubits, 2)));
}

/* Deep circuits of mirrored blocks that begin as the identity keep their gradients, those of random
   layers lose them (Grant et al. 2019, arXiv:1903.05076). */
static void identity_keeps_gradients(void)
{
    struct kl_plateau_options o;
    struct kl_plateau random, identity;
    struct kl_error err;
    kl_plateau_options_default(&o);
    o.qubits = "4,6,8", o.layers = "32", o.observables = "local", o.parameter = "all", o.draws = 20;
    CHECK(kl_plateau_scan(&random, &o, NULL, NULL, &err) == 0);
    o.init = "identity";
    CHECK(kl_plateau_scan(&identity, &o, NULL, NULL, &err) == KL_EUSAGE);
    kl_plateau_free(&identity);
    o.mirror = 2;
    CHECK(kl_plateau_scan(&identity, &o, NULL, NULL, &err) == 0);
    CHECK(random.variance[2] < random.variance[0] / 8, "%g", random.variance[2] / random.variance[0]);
    CHECK(identity.variance[2] > identity.variance[0] / 4, "%g",
          identity.variance[2] / identity.variance[0]);
    kl_plateau_free(&random), kl_plateau_free(&identity);
}

/* A wish to stop after so many looks. */
struct wish {
    int looks, after;
    uint64_t last, total;
};
static int look(void *context, uint64_t done, uint64_t total, const char *note)
{
    struct wish *w = context;
    (void)note;
    CHECK(done >= w->last, "%d after %d", (int)done, (int)w->last);
    w->last = done, w->total = total;
    return ++w->looks > w->after;
}

/* Whatever it is at: drawing resamples, gradients, the bootstrap, on whichever thread. */
static void stops_anywhere(void)
{
    struct kl_plateau_options o;
    struct kl_pool *pool;
    struct kl_error err;
    struct kl_plateau p;
    kl_plateau_options_default(&o);
    o.qubits = "2", o.layers = "1", o.observables = "local,global", o.draws = 3000, o.resamples = 2000;
    must(kl_pool_create(&pool, 2, &err), &err);
    const int gradients = 2000, bootstrap = gradients + 94; /* chunks of 32 draws */
    for (int k = 0; k < 6; k++) {
        const int afters[] = { 0, 1000, gradients, gradients + 50, bootstrap, bootstrap + 1 };
        struct wish w = { .after = afters[k] };
        const struct kl_watch watch = { look, &w };
        const int code = kl_plateau_scan(&p, &o, k % 2 ? pool : NULL, &watch, &err);
        CHECK(code == KL_ESIGNAL, "wish %d: %d", afters[k], code);
        CHECK(w.looks == w.after + 1, "wish %d: %d looks", afters[k], w.looks);
        CHECK(k < 4 || (w.last == w.total && w.total), "wish %d: not in the bootstrap", afters[k]);
        kl_plateau_free(&p);
    }
    kl_pool_destroy(&pool);
}

int main(void)
{
    by_hand();
    products_of_cosines();
    small_angles();
    deep_circuits();
    coverage();
    equal_bits();
    identity_keeps_gradients();
    stops_anywhere();
    return failures != 0;
}
