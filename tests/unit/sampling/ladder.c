/* SPDX-License-Identifier: MIT
   Ladders: errors of integrals and bounds against perturbation and simulation, a file of chains and a
   CSV read back, what a curve says, what is refused. */
#include <math.h>
#include <stdlib.h>

#include "kernels/inline/philox.h"
#include "sampling/ladder/ladder.h"
#include "stats/stats.h"
#include "tests/unit/any_file.h"
#include "tests/unit/check.h"
#include "tests/unit/test_folder.h"

static const double BETA[5] = { 0, 100, 300, 1000, 4000 }, LOSS[5] = { 2, 1.2, 0.7, 0.4, 0.3 },
                    ERROR[5] = { 0.01, 0.02, 0.005, 0.004, 0.001 };

static bool near(double a, double b, double relative)
{
    return fabs(a - b) <= relative * fmax(fabs(a), fabs(b));
}

/* ---- errors ---- */
/* All sums are linear in the means: their weights are what a change of one of them by 1 does. */
static void check_errors(void)
{
    struct kl_sampling_integral at[5], moved[5];
    double variance[6][5] = { { 0 } };
    const struct kl_sampling_curve curve = { 5, BETA, LOSS, ERROR, NULL };
    kl_sampling_integrate(at, &curve);
    for (int j = 0; j < 5; j++) {
        double loss[5];
        for (int i = 0; i < 5; i++) loss[i] = LOSS[i] + (i == j);
        const struct kl_sampling_curve other = { 5, BETA, loss, ERROR, NULL };
        kl_sampling_integrate(moved, &other);
        for (int k = 0; k < 5; k++) {
            const double w[6] = { moved[k].left - at[k].left,           moved[k].right - at[k].right,
                                  moved[k].trapezoid - at[k].trapezoid, moved[k].gamma - at[k].gamma,
                                  moved[k].kl_low - at[k].kl_low,       0 };
            for (int i = 0; i < 5; i++) variance[i][k] += w[i] * w[i] * ERROR[j] * ERROR[j];
        }
    }
    for (int k = 0; k < 5; k++) {
        CHECK(near(at[k].left_se, sqrt(variance[0][k]), 1e-10), "left %d: %g, %g", k, at[k].left_se,
              sqrt(variance[0][k]));
        CHECK(near(at[k].right_se, sqrt(variance[1][k]), 1e-10), "right %d", k);
        CHECK(near(at[k].trapezoid_se, sqrt(variance[2][k]), 1e-10), "trapezoid %d", k);
        CHECK(near(at[k].gamma_se, sqrt(variance[3][k]), 1e-10), "gamma %d: %g, %g", k, at[k].gamma_se,
              sqrt(variance[3][k]));
        CHECK(near(at[k].kl_low_se, sqrt(variance[4][k]), 1e-10) ||
                  fabs(at[k].kl_low_se - sqrt(variance[4][k])) < 1e-15, /* of numbers near 1 */
              "kl low %d", k);
        CHECK(isnan(at[k].hermite));
    }
}

static double normal(uint32_t *word)
{
    uint32_t u[4];
    kl_philox(u, 5, (*word)++, 0, 0, 0);
    return sqrt(-2 * log((u[0] + 0.5) / 4294967296.0)) * cos(2 * M_PI * u[1] / 4294967296.0);
}

/* Means with the errors that they say: how often is the upper bound below that of the exact means? At
   most as often as its share of delta; and not never, by far. */
static void check_upper(void)
{
    enum { RUNS = 4000 };
    struct kl_sampling_ladder exact, noisy;
    struct kl_sampling_bounds of_exact, of_noisy;
    struct kl_sampling_bound_options o;
    struct kl_error err = { 0 };
    uint32_t word = 0;
    int below = 0, below_plain = 0;
    double squares = 0, predicted = 0;
    CHECK(!kl_sampling_ladder_make(&exact, 5, 0, &err) && !kl_sampling_ladder_make(&noisy, 5, 0, &err));
    exact.n = noisy.n = 3000, exact.low = noisy.low = 0, exact.high = noisy.high = 4,
    exact.chance = noisy.chance = 0.5;
    for (int k = 0; k < 5; k++) {
        exact.beta[k] = noisy.beta[k] = BETA[k], exact.loss[k] = LOSS[k], exact.train01[k] = LOSS[k] / 4;
        noisy.loss_mcse[k] = ERROR[k], noisy.train01_mcse[k] = 0.004;
    }
    kl_sampling_bound_options_default(&o, 3000);
    o.delta = 0.2, o.share = 0.5;
    struct kl_sampling_bound_options rest = o;
    rest.delta = o.delta * (1 - o.share);
    CHECK(!kl_sampling_bounds_make(&of_exact, &exact, &rest, NAN, NAN, &err));
    for (int run = 0; run < RUNS; run++) {
        for (int k = 0; k < 5; k++) {
            noisy.loss[k] = LOSS[k] + ERROR[k] * normal(&word);
            noisy.train01[k] = LOSS[k] / 4 + 0.004 * normal(&word);
        }
        CHECK(!kl_sampling_bounds_make(&of_noisy, &noisy, &o, NAN, NAN, &err));
        const struct kl_sampling_rung_bounds *r = &of_noisy.rungs[3], *e = &of_exact.rungs[3];
        below += r->bound_upper < e->bound;
        below_plain += kl_sampling_bound(noisy.train01[3], r->gamma, 3000, &rest) < e->bound;
        const double off = kl_sampling_bound(noisy.train01[3], r->gamma, 3000, &rest) - e->bound;
        squares += off * off / RUNS, predicted += r->bound_se / RUNS;
        kl_sampling_bounds_free(&of_noisy);
    }
    CHECK(below < 0.1 * RUNS, "upper bounds below: %d of %d, expected under %g", below, RUNS,
          0.1 * RUNS);
    CHECK(below > 0 && below_plain > 0.4 * RUNS, "%d, and %d without errors", below, below_plain);
    CHECK(near(sqrt(squares), predicted, 0.1), "the bounds' deviation is %g, their standard errors %g",
          sqrt(squares), predicted);
    kl_sampling_bounds_free(&of_exact);
    kl_sampling_ladder_free(&exact), kl_sampling_ladder_free(&noisy);
}

/* An error that is not known is not taken for none, nor for all. */
static void check_unknown(void)
{
    struct kl_sampling_ladder l;
    struct kl_sampling_bounds b;
    struct kl_sampling_bound_options o;
    struct kl_error err = { 0 };
    CHECK(kl_sampling_ladder_make(&l, 5, 0, &err) == 0, "%s", err.text);
    l.n = 5000, l.low = 0, l.high = 4, l.chance = 0.5;
    for (int k = 0; k < 5; k++)
        l.beta[k] = BETA[k], l.loss[k] = LOSS[k], l.loss_mcse[k] = ERROR[k],
        l.train01[k] = LOSS[k] / 4; /* whose errors are not known */
    kl_sampling_bound_options_default(&o, l.n);
    o.form = KL_SAMPLING_FORM_PRIOR_LOSS;
    CHECK(kl_sampling_bounds_make(&b, &l, &o, NAN, NAN, &err) == 0, "%s", err.text);
    CHECK(b.rungs[1].bound < 1 && isnan(b.rungs[1].bound_se) && isnan(b.rungs[1].bound_upper),
          "%g +- %g, %g", b.rungs[1].bound, b.rungs[1].bound_se, b.rungs[1].bound_upper);
    kl_sampling_bounds_free(&b), kl_sampling_ladder_free(&l);
}

/* ---- what a curve says ---- */
static void check_curve(void)
{
    const double up[5] = { 2, 1.2, 1.21, 0.4, 0.5 };
    struct kl_sampling_curve curve = { 5, BETA, up, ERROR, NULL };
    struct kl_sampling_rise rise;
    struct kl_sampling_gap gap;
    struct kl_sampling_wbic wbic;
    kl_sampling_monotony(&rise, &curve, 0.01);
    CHECK(rise.rises == 1 && rise.worst == 3 && near(rise.by, 0.1, 1e-12), "%zu, worst %zu", rise.rises,
          rise.worst);
    CHECK(near(rise.z, 0.1 / hypot(0.004, 0.001), 1e-12));
    curve.mcse = NULL;
    kl_sampling_monotony(&rise, &curve, 0.01);
    CHECK(rise.rises == 2 && rise.worst == 3 && isnan(rise.z));
    curve.mean = LOSS, curve.mcse = ERROR;
    kl_sampling_monotony(&rise, &curve, 0.01);
    CHECK(rise.rises == 0);
    /* (left - right): 80, 100, 210, 300 */
    kl_sampling_next_beta(&gap, &curve);
    CHECK(gap.rung == 3 && near(gap.area, 300, 1e-12) && near(gap.share, 300.0 / 690, 1e-12) &&
              near(gap.beta, 2000, 1e-12),
          "%zu %g %g", gap.rung, gap.area, gap.beta);
    const double steep[5] = { 90, 1.2, 0.7, 0.4, 0.3 };
    curve.mean = steep;
    kl_sampling_next_beta(&gap, &curve);
    CHECK(gap.rung == 0 && near(gap.beta, 100.0 * 100 / 300, 1e-12), "%g", gap.beta);
    curve.mean = LOSS;
    const double b = 3000 / log(3000), share = log(b / 300) / log(1000.0 / 300); /* 374.7 */
    kl_sampling_wbic(&wbic, &curve, 3000);
    CHECK(wbic.reached && near(wbic.beta, b, 1e-12) &&
              near(wbic.value, 3000 * (0.7 - 0.3 * share), 1e-12),
          "%g", wbic.value);
    kl_sampling_wbic(&wbic, &curve, 1000000);
    CHECK(!wbic.reached && isnan(wbic.value));
}

/* The definition's own digits, to 45 places by decimal arithmetic. */
static void check_constants(void)
{
    static const double n[] = { 8, 500, 8000, 10000, 58862 },
                        ln_xi[] = { 1.44574607606130227, 3.35676591957161692, 4.72532955152191562,
                                    4.83627493762624914, 5.71945832184337962 };
    for (int i = 1; i < 5; i++)
        CHECK(near(kl_sampling_log_xi((int64_t)n[i]), ln_xi[i], 1e-15), "%g: %.17g", n[i],
              kl_sampling_log_xi((int64_t)n[i]));
    CHECK(near(kl_sampling_log_xi(1), log(2), 1e-16) && isnan(kl_sampling_log_xi(0)));
    CHECK(isnan(kl_sampling_kl_upper(0.1, -1e-9)) && kl_sampling_kl_upper(0.1, 1e9) == 1);
    CHECK(kl_sampling_kl_upper(1, 0.1) == 1);
    /* A factor between two ends, none, and any. */
    struct kl_sampling_calibration c;
    struct kl_sampling_bound_options o = { .delta = 0.01,
                                           .log_constant = log(2 * sqrt(8000)),
                                           .threshold = 0.5 };
    const double p[3] = { 0.5, 0.3, 0.2 }, gamma[3] = { 0, 4000, 5000 }, negative[3] = { 0, 4000, -10 };
    kl_sampling_calibrate(&c, p, gamma, 3, 8000, &o);
    CHECK(c.exists && c.at == 2 && isinf(c.at_most) &&
          near(c.factor, (8000 * kl_sampling_kl(0.2, 0.5) - log(2 * sqrt(8000) / 0.01)) / 5000, 1e-12));
    kl_sampling_calibrate(&c, p, negative, 3, 8000, &o);
    CHECK(!c.exists && c.at == 2 && isnan(c.factor));
    const double near_chance[3] = { 0.5, 0.499, 0.499 }, half[3] = { 0, 10, -10 };
    kl_sampling_calibrate(&c, near_chance, half, 3, 8000, &o);
    CHECK(c.exists && c.factor == 0 && c.at_most > 0 && isfinite(c.at_most), "%g", c.at_most);
}

/* ---- files ---- */
enum { C = 3, T = 12, K = 3 };
static float value(int what, int c, int t, int k)
{
    return 0.5F * (float)(what + 1) * (0.1F + 0.01F * (float)(c + 2 * t % 5) + 0.05F * (float)(K - k));
}

static void write_chains(const char *path, const char *kind, int64_t wrong)
{
    static const char *const names[] = { "posterior/train_loss", "posterior/train01",
                                         "sample_stats/test_loss", "sample_stats/test01" };
    struct kl_writer *w = NULL;
    struct kl_error err = { 0 };
    static float x[C * T * K];
    double ends_of[C * K];
    const size_t dims[3] = { C, T, K }, ends[2] = { C, K }, rungs = K;
    const double beta[K] = { 0, 10, 40 };
    const int64_t draws[K] = { T, T, T - 4 + wrong };
    CHECK(!open_any_file(&w, path, kind, &err), "%s", err.text);
    CHECK(kl_store_writer_put(w, "ladder/beta", KL_TYPE_F64, 0, 1, &rungs, beta, &err) >= 0, "%s",
          err.text);
    CHECK(kl_store_writer_put(w, "ladder/draws", KL_TYPE_I64, 0, 1, &rungs, draws, &err) >= 0, "%s",
          err.text);
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < C * T * K; j++) {
            const int c = j / (T * K), t = j / K % T, k = j % K;
            x[j] = (k == 2 && t >= T - 4) || (k == 1 && c == 2 && t >= T - 2) || (i >= 2 && t % 2)
                       ? NAN
                       : value(i, c, t, k);
        }
        CHECK(kl_store_writer_put(w, names[i], KL_TYPE_F32, 0, 3, dims, x, &err) >= 0, "%s", err.text);
    }
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < C * K; j++) ends_of[j] = (double)value(i ? 0 : 9, j / K, 0, j % K);
        CHECK(kl_store_writer_put(w, i ? "path/train01" : "path/work", KL_TYPE_F64, 0, 2, ends, ends_of,
                                  &err) >= 0,
              "%s", err.text);
    }
    const struct {
        const char *name;
        double number;
    } numbers[] = { { "loss_low", 0 }, { "loss_high", 4 }, { "n", 500 },
                    { "n_test", 100 }, { "chance", 0.5 },  { "sigma", 5 } };
    for (size_t i = 0; i < 6; i++)
        CHECK(!kl_store_writer_number(w, "", numbers[i].name, numbers[i].number, &err));
    CHECK(!kl_store_writer_text(w, "", "loss", "bbce", &err) &&
          !kl_store_writer_text(w, "", "scale", "raw", &err));
    CHECK(!kl_store_writer_text(w, "", "convention", "gibbs", &err));
    CHECK(!kl_store_writer_publish(&w, NULL, &err), "%s", err.text);
}

static int read_chains(struct kl_sampling_ladder *l, const char *path, struct kl_error *err)
{
    struct kl_file *file = NULL;
    int code = kl_store_file_open(&file, path, err);
    if (!code) code = kl_sampling_ladder_read_chains(l, file, err);
    kl_store_file_close(&file);
    return code;
}

static void check_chains(void)
{
    char path[1024];
    struct kl_sampling_ladder l;
    struct kl_sampling_bounds b;
    struct kl_sampling_bound_options o;
    struct kl_error err = { 0 };
    write_chains(in_folder(path, "chains.h5"), "chains", 0);
    CHECK(!read_chains(&l, path, &err), "%s", err.text);
    double sum = 0, tested = 0, shortened = 0;
    for (int c = 0; c < C; c++)
        for (int t = 0; t < T - 4; t++) {
            sum += (double)value(0, c, t, 2) / (C * (T - 4));
            if (t % 2 == 0) tested += (double)value(3, c, t, 2) / (C * (T - 4) / 2);
        }
    for (int c = 0; c < C; c++)
        for (int t = 0; t < T - 2; t++) shortened += (double)value(0, c, t, 1) / (C * (T - 2));
    CHECK(l.n == 500 && l.m == 100 && l.n_chains == C && l.draws[0] == T && l.draws[2] == T - 4);
    CHECK(near(l.loss[2], sum, 1e-12) && near(l.test01[2], tested, 1e-12) &&
          near(l.loss[1], shortened, 1e-12) && l.draws[1] == T - 2 &&
          l.work_of[1 * K + 2] == (double)value(9, 1, 0, 2));
    CHECK(l.drawn_loss[2] == (double)value(0, 0, T - 5, 2) &&
          l.drawn01[0] == (double)value(1, 0, T - 1, 0));
    CHECK(l.loss_mcse[1] > 0 && l.variance[1] > 0 && isnan(l.drawn_test01[1]) && isnan(l.least) &&
          strstr(l.none, "no minimum of the loss") && !l.still[1]);
    kl_sampling_bound_options_default(&o, l.n);
    CHECK(!kl_sampling_bounds_make(&b, &l, &o, NAN, NAN, &err), "%s", err.text);
    CHECK(b.rungs[2].bound_upper > b.rungs[2].bound && b.rungs[2].path_kl_upper > b.rungs[2].path_kl &&
          b.rungs[2].path_bound > b.rungs[2].path_train && isnan(b.rungs[0].path_kl) &&
          near(b.rungs[2].path_train,
               (double)(value(0, 0, 0, 2) + value(0, 1, 0, 2) + value(0, 2, 0, 2)) / 3, 1e-6) &&
          isfinite(b.rungs[2].raw.hermite));
    CHECK(isnan(b.rungs[2].calibrated) && b.rungs[0].bound == 0.5);
    kl_sampling_bounds_free(&b);
    o.form = KL_SAMPLING_FORM_SINGLE_DRAW;
    CHECK(!kl_sampling_bounds_make(&b, &l, &o, NAN, NAN, &err), "%s", err.text);
    CHECK(b.rungs[2].train == l.drawn01[2] &&
          near(b.rungs[2].gamma, b.rungs[2].raw.left - 40 * l.drawn_loss[2], 1e-12));
    kl_sampling_bounds_free(&b), kl_sampling_ladder_free(&l);
    write_chains(in_folder(path, "short.h5"), "chains", 1);
    CHECK(read_chains(&l, path, &err) == KL_EDATA &&
              strstr(err.text, "found 8 to 8 draws of a chain, expected up to 9"),
          "%s", err.text);
    write_chains(in_folder(path, "other.h5"), "features", 0);
    CHECK(read_chains(&l, path, &err) == KL_EDATA && strstr(err.text, "expected 'chains'"), "%s",
          err.text);
}

/* Written as raw and as unit losses and read back: the same ladder. */
static void check_csv(void)
{
    char path[1024];
    struct kl_sampling_ladder l, again;
    struct kl_error err = { 0 };
    const struct kl_sampling_ladder_source none = { 0 };
    in_folder(path, "chains.h5");
    CHECK(!read_chains(&l, path, &err), "%s", err.text);
    l.low = -log1p(-exp(-4));
    for (int scale = 0; scale < 2; scale++) {
        FILE *to = fopen(in_folder(path, "ladder.csv"), "w");
        CHECK(to && !kl_sampling_csv_write(to, &l, scale ? KL_SAMPLING_UNIT : KL_SAMPLING_RAW,
                                           "a \"net\",\nseed 42", &err),
              "%s", err.text);
        if (to) fclose(to);
        CHECK(!kl_sampling_ladder_read_csv(&again, path, &none, &err), "%s", err.text);
        CHECK(again.scale == (scale ? KL_SAMPLING_UNIT : KL_SAMPLING_RAW) && !again.assumed &&
              again.n == 500 && again.m == 100 && again.n_rungs == K && again.chance == 0.5);
        for (int k = 0; k < K; k++)
            CHECK(again.beta[k] == l.beta[k] &&
                      near(kl_sampling_ladder_raw(&again, again.loss[k]), l.loss[k], 1e-14) &&
                      again.train01[k] == l.train01[k] && again.test01[k] == l.test01[k],
                  "rung %d", k);
        kl_sampling_ladder_free(&again);
    }
    kl_sampling_ladder_free(&l);
}

int main(void)
{
    make_test_folder();
    check_errors();
    check_upper();
    check_unknown();
    check_curve();
    check_constants();
    check_chains();
    check_csv();
    return failures != 0;
}
