/* SPDX-License-Identifier: MIT
   The warm-up of chains: dual averaging, windows and masses; HMC with masses against the law it is to
   have; the noise of batches in SGHMC against the law of its steps; WBIC between rungs; the least loss
   (make_sampling_tuning.py). */
#include "golden_chains.h"
#include "sampling/ladder/ladder.h"
#include "tests/golden/golden_sampling.h"

static hid_t file;

static hid_t group(const char *name)
{
    const hid_t g = H5Gopen2(file, name, H5P_DEFAULT);
    golden_need(g >= 0, name);
    return g;
}

static void check_dual(void)
{
    const hid_t g = group("dual");
    double accept[80], step[80], average[80];
    const size_t n = golden_values(accept, 80, g, "accept");
    golden_values(step, 80, g, "step"), golden_values(average, 80, g, "average");
    struct kl_sampling_dual d;
    kl_sampling_dual_begin(&d, golden_number(g, "first"));
    for (size_t i = 0; i < n; i++) {
        golden_close("step", i, kl_sampling_dual_add(&d, accept[i], golden_number(g, "target")), step[i],
                     1e-12, 1);
        golden_close("average", i, d.average, average[i], 1e-12, 1);
    }
    kl_sampling_dual_begin(&d, 0);
    const double refused = kl_sampling_dual_add(&d, NAN, 0.8); /* a loss that is no number is refused */
    kl_sampling_dual_begin(&d, 0);
    CHECK(refused == kl_sampling_dual_add(&d, 0, 0.8), "%g", refused);
    H5Gclose(g);
}

/* A chain whose warm-up is a round from `began` to where windows end at `end`. */
enum { WEIGHTS = 3 };
static struct kl_sampling_chain chain_of(const struct kl_sampling_settings *s,
                                         const struct kl_sampling_target_f32 *t,
                                         float arrays[4][WEIGHTS], int64_t began, int64_t end)
{
    struct kl_sampling_chain c = { .settings = s,
                                   .target = t,
                                   .beta = 1,
                                   .lr = 0.01,
                                   .anneal = began,
                                   .w = arrays[0],
                                   .scale = arrays[1],
                                   .mean = arrays[2],
                                   .squares = arrays[3] };
    const int64_t windows = end - began, check = windows < 600 ? windows : 200;
    for (int i = 0; i < WEIGHTS; i++) c.scale[i] = 1;
    c.at.warm = end + 2 * check; /* where a third is left to the check, or 200 */
    kl_sampling_tune_begin(&c);
    return c;
}

/* A window ends where the draws begin anew. */
static void check_windows_of(hid_t g, const char *name)
{
    double ends[16];
    int64_t began, end;
    size_t found = 0;
    float arrays[4][WEIGHTS] = { { 0 } };
    struct kl_sampling_settings s = { .tune = true, .target_accept = 0.8 };
    static struct golden_linear problem;
    golden_linear_make(&problem, WEIGHTS, 2, 2);
    const size_t n = golden_values(ends, 16, g, name);
    golden_need(sscanf(name, "%" SCNd64 "-%" SCNd64, &began, &end) == 2, name);
    struct kl_sampling_chain c = chain_of(&s, &problem.target, arrays, began, end);
    for (c.at.epoch = 0; c.at.epoch < c.at.warm; c.at.epoch++) {
        const bool draws = c.tuning.draws > 0 || (c.at.epoch >= began && c.at.epoch < end);
        c.w[0] = (float)(c.at.epoch % 7);
        kl_sampling_tune_add(&c, 0.8);
        if (!draws || c.tuning.draws > 0) continue;
        CHECK(found < n && ends[found] == (double)(c.at.epoch + 1), "%s: window %zu ends at %lld", name,
              found, (long long)c.at.epoch + 1);
        found++;
    }
    CHECK(found == n, "%s: %zu windows", name, found);
}

static void check_masses(void)
{
    const hid_t g = group("masses");
    double draws[25 * WEIGHTS], scale[WEIGHTS];
    float arrays[4][WEIGHTS] = { { 0 } };
    struct kl_sampling_settings s = { .tune = true, .target_accept = 0.8 };
    static struct golden_linear problem;
    golden_linear_make(&problem, WEIGHTS, 2, golden_number(g, "sigma"));
    golden_values(draws, 25 * WEIGHTS, g, "draws"), golden_values(scale, WEIGHTS, g, "scale");
    struct kl_sampling_chain c = chain_of(&s, &problem.target, arrays, 0, 80);
    for (c.at.epoch = 0; c.at.epoch < 25; c.at.epoch++) {
        for (int i = 0; i < WEIGHTS; i++) c.w[i] = (float)draws[c.at.epoch * WEIGHTS + i];
        kl_sampling_tune_add(&c, 0.8);
    }
    for (size_t i = 0; i < WEIGHTS; i++) golden_close("scale", i, (double)c.scale[i], scale[i], 2e-6, 0);
    H5Gclose(g);
}

/* ---- laws ---- */

enum { CHAINS = 200, DRAWS = 500 };
/* Mean over chains of each one's mean of (w - at)^2. */
static void variance_of(double *found, double *error, const struct kl_sampling_run *run, size_t d,
                        size_t j, double at)
{
    double values[CHAINS];
    for (int c = 0; c < CHAINS; c++) {
        const struct kl_sampling_chain *chain = kl_sampling_run_chain(run, 0, 0, c);
        double sum = 0;
        for (int64_t t = 0; t < chain->at.kept; t++)
            sum += pow((double)chain->kept[(size_t)t * d + j] - at, 2);
        values[c] = sum / (double)chain->at.kept;
    }
    golden_mean(found, error, values, CHAINS);
}

/* The linear problem's posterior at beta 5: of weights whose deviations are far apart HMC finds masses,
   and samples the law; its acceptance comes near what is asked for from a step that is far off, up or
   down. */
static void check_hmc(void)
{
    const hid_t g = group("linear");
    static struct golden_linear problem;
    const double sigma = golden_number(g, "sigma"), beta = 5;
    golden_values(problem.x, 24 * 3, g, "X"), golden_values(problem.y, 24, g, "y");
    golden_linear_make(&problem, 3, 24, sigma);
    double p[3][3], variance[3], off[3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            p[i][j] = (i == j) / (sigma * sigma);
            for (int r = 0; r < 24; r++)
                p[i][j] += beta / 24 * problem.x[r * 3 + i] * problem.x[r * 3 + j];
        }
    const double det = p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) -
                       p[0][1] * (p[1][0] * p[2][2] - p[1][2] * p[2][0]) +
                       p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
    for (int i = 0; i < 3; i++) {
        const int a = (i + 1) % 3, b = (i + 2) % 3;
        variance[i] = (p[a][a] * p[b][b] - p[a][b] * p[b][a]) / det;
    }
    for (int first = 0; first < 2; first++) {
        struct kl_sampling_rung rung = { beta, first ? 1e6 : 1e-9, 200, DRAWS };
        struct kl_sampling_settings s;
        kl_sampling_settings_default(&s);
        s.seed = 11, s.sampler = KL_SAMPLING_HMC, s.rungs = &rung, s.n_rungs = 1, s.chains = CHAINS;
        s.tune = true, s.target_accept = 0.8, s.leapfrogs = 7, s.test_every = 0, s.keep = 1;
        struct kl_sampling_run *run = golden_run(&s, &problem.target);
        double accept[CHAINS], mean, error;
        int far = 0;
        for (int c = 0; c < CHAINS; c++) {
            const struct kl_sampling_chain *chain = kl_sampling_run_chain(run, 0, 0, c);
            accept[c] = kl_sampling_chain_acceptance(chain), far += fabs(accept[c] - 0.8) > 0.15;
            CHECK(chain->at.warm >= 200 && chain->at.warm <= kl_sampling_tune_limit(200));
        }
        golden_mean(&mean, &error, accept, CHAINS);
        CHECK(fabs(mean - 0.8) < 0.1 && far <= CHAINS / 50, "accepted %g, %d of %d chains far", mean,
              far, CHAINS);
        for (size_t j = 0; j < 3; j++) {
            double at = 0, ratio[CHAINS];
            for (int c = 0; c < CHAINS; c++) {
                const struct kl_sampling_chain *chain = kl_sampling_run_chain(run, 0, 0, c);
                for (int64_t t = 0; t < chain->at.kept; t++)
                    at += (double)chain->kept[(size_t)t * 3 + j] / (double)(CHAINS * chain->at.kept);
                ratio[c] = (double)chain->scale[j] / sqrt(variance[j]);
            }
            variance_of(&off[j], &error, run, 3, j, at);
            CHECK(fabs(off[j] - variance[j]) < 4 * error, "w%zu: variance %g +- %g, expected %g", j,
                  off[j], error, variance[j]);
            golden_mean(&mean, &error, ratio, CHAINS);
            CHECK(fabs(mean - 1) < 0.1, "w%zu: scales %g of the deviation", j, mean);
        }
        kl_sampling_run_close(&run);
    }
    H5Gclose(g);
}

/* Batches add to SGHMC's variance as much as the run says. */
static void check_momentum(void)
{
    const hid_t g = group("momentum");
    static struct golden_linear problem;
    const double precision = golden_number(g, "precision"), beta = golden_number(g, "beta"),
                 eta = golden_number(g, "eta");
    golden_values(problem.y, 24, g, "y");
    for (int i = 0; i < 24; i++) problem.x[i] = 1;
    golden_linear_make(&problem, 1, 24, 1 / sqrt(precision));
    struct kl_sampling_rung rung = { beta, eta * beta, 2000, 3000 };
    struct kl_sampling_settings s;
    kl_sampling_settings_default(&s);
    s.seed = 3, s.sampler = KL_SAMPLING_SGHMC, s.rungs = &rung, s.n_rungs = 1, s.chains = CHAINS;
    s.batch = (size_t)golden_number(g, "batch"), s.friction = golden_number(g, "friction");
    s.independent_batches = true, s.anneal = 0, s.test_every = 0, s.keep = 5, s.whole = false;
    struct kl_sampling_run *run = golden_run(&s, &problem.target);
    double found, error, ratios[CHAINS];
    variance_of(&found, &error, run, 1, 0, golden_number(g, "mean"));
    CHECK(fabs(found - golden_number(g, "variance")) < 4 * error &&
              fabs(found - golden_number(g, "variance_of_all")) > 5 * error,
          "variance %g +- %g, expected %g", found, error, golden_number(g, "variance"));
    for (int c = 0; c < CHAINS; c++) ratios[c] = kl_sampling_run_chain(run, 0, 0, c)->sum.noise_ratio;
    golden_mean(&found, &error, ratios, CHAINS);
    CHECK(fabs(found / golden_number(g, "ratio") - 1) < 0.02 + 4 * error / found,
          "noise ratio %g +- %g, expected %g", found, error, golden_number(g, "ratio"));
    kl_sampling_run_close(&run), H5Gclose(g);
}

/* ---- WBIC, the least loss ---- */

static void check_wbic(const char *name, bool below)
{
    const hid_t g = group(name);
    double beta[16], mean[16], variance[16], mcse[16];
    const size_t n = golden_values(beta, 16, g, "beta");
    golden_values(mean, 16, g, "mean"), golden_values(variance, 16, g, "variance");
    const double exact = golden_number(g, "exact");
    const int64_t records = (int64_t)golden_number(g, "n");
    struct kl_sampling_curve curve = { n, beta, mean, NULL, variance };
    struct kl_sampling_wbic with, without;
    kl_sampling_wbic(&with, &curve, records);
    curve.variance = NULL, kl_sampling_wbic(&without, &curve, records);
    CHECK(with.reached && without.reached && with.below < with.beta && with.beta < with.above &&
          (with.below <= 0) == below && with.se == with.off);
    CHECK(fabs(with.value - exact) <= with.off, "%s: %g +- %g, exactly %g", name, with.value, with.off,
          exact);
    CHECK(fabs(without.value - exact) <= without.off, "%s, by a line: %g +- %g, exactly %g", name,
          without.value, without.off, exact);
    CHECK(below || fabs(with.value - exact) < 0.3 * fabs(without.value - exact), "%s: %g, %g", name,
          with.value, without.value);
    /* Errors of chance beside; a rung there needs no interpolation. */
    for (size_t k = 0; k < n; k++) mcse[k] = 0.01;
    curve.mcse = mcse, curve.variance = variance, kl_sampling_wbic(&with, &curve, records);
    golden_close("both errors", 0, with.se, hypot(with.off, with.chance), 1e-14, 1);
    beta[1] = with.beta, mean[1] = exact / (double)records, kl_sampling_wbic(&with, &curve, records);
    CHECK(with.off == 0 && with.below == with.above && fabs(with.se - 0.6) < 1e-12 &&
              fabs(with.value - exact) < 1e-12,
          "%g +- %g", with.value, with.se);
    H5Gclose(g);
}

static void check_minimum(void)
{
    const hid_t g = group("linear");
    static struct golden_linear problem, other;
    struct kl_sampling_rung rungs[2] = { { 0, 0, 0, 4 }, { 5, 0.1, 20, 40 } };
    struct kl_sampling_settings s;
    struct kl_sampling_run *run = NULL;
    struct kl_sampling_minimum found;
    struct kl_error err = { 0 };
    golden_values(problem.x, 24 * 3, g, "X"), golden_values(problem.y, 24, g, "y");
    golden_linear_make(&problem, 3, 24, golden_number(g, "sigma")), other = problem;
    other.target.context = &other;
    kl_sampling_settings_default(&s);
    s.sampler = KL_SAMPLING_MALA, s.rungs = rungs, s.n_rungs = 2, s.tune = true, s.chains = 2;
    run = golden_run(&s, &problem.target);
    must(kl_sampling_minimum_seek(&found, run, NULL, &err), &err);
    golden_close("least loss", 0, found.loss, golden_number(g, "least"), 2e-6, 1);
    golden_close("its norm", 0, found.norm, golden_number(g, "norm"), 1e-2, 1);
    CHECK(found.gradient < 1e-2 && found.evaluations < 200 && found.starts == 2, "%g, %lld",
          found.gradient, (long long)found.evaluations);
    kl_sampling_run_close(&run);
    const struct kl_sampling_target_f32 two[] = { problem.target, other.target };
    must(kl_sampling_run_open(&run, &s, two, 2, 1, &err), &err);
    must(kl_sampling_minimum_seek(&found, run, NULL, &err), &err);
    CHECK(isnan(found.loss) && strstr(found.none, "of its own"), "%s", found.none);
    kl_sampling_run_close(&run), H5Gclose(g);
}

int main(void)
{
    static const char *const rounds[] = { "0-80", "50-84", "100-250", "500-1500", "2000-3600" };
    file = H5Fopen("tests/golden/sampling_tuning.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    golden_need(file >= 0, "tests/golden/sampling_tuning.h5");
    check_dual();
    const hid_t g = group("windows");
    for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++) check_windows_of(g, rounds[i]);
    H5Gclose(g);
    check_masses(), check_hmc(), check_momentum();
    check_wbic("wbic", false), check_wbic("wbic_below", true);
    check_minimum();
    H5Fclose(file);
    return failures != 0;
}
