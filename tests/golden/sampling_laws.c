/* SPDX-License-Identifier: MIT
   Every sampler against the exact law of what it does: Bayesian linear regression with ULA, SGLD of
   independent and of permuted batches, each off the laws of the others; MALA, HMC, SGHMC, SGNHT against
   the posterior; pSGLD and control variates against laws computed here; MALA's acceptance against its
   closed form. */
#include "golden_chains.h"
#include "tests/unit/check.h"

enum { D = 3, N = 12, ETAS = 3, CHAINS = 400 };

static struct golden_linear problem;
static double mean[D], sigma, beta, eta;
static struct kl_sampling_rung rung;

static struct kl_sampling_settings settings(enum kl_sampling_sampler sampler, size_t batch,
                                            int64_t epochs)
{
    struct kl_sampling_settings s;
    kl_sampling_settings_default(&s);
    rung = (struct kl_sampling_rung){ beta, eta * beta, 200, epochs };
    s.seed = 5, s.sampler = sampler, s.rungs = &rung, s.n_rungs = 1, s.chains = CHAINS, s.batch = batch;
    s.anneal = 0, s.test_every = 0, s.whole = false, s.keep = 1;
    return s;
}

/* Deviations of the variance of each weight about `about` from `expected`, in standard errors. */
static void deviations(double z[D], const struct kl_sampling_run *run, const double *about,
                       const double expected[D])
{
    for (int j = 0; j < D; j++) {
        double values[CHAINS], found, error;
        for (int c = 0; c < CHAINS; c++) {
            const struct kl_sampling_chain *chain = kl_sampling_run_chain(run, 0, 0, c);
            double sum = 0;
            for (int64_t t = 0; t < chain->at.kept; t++) {
                const double off = (double)chain->kept[t * D + j] - about[j];
                sum += off * off;
            }
            values[c] = sum / (double)chain->at.kept;
        }
        golden_mean(&found, &error, values, CHAINS);
        z[j] = (found - expected[j]) / error;
    }
}

static void within(const char *what, const struct kl_sampling_run *run, const double *about,
                   const double expected[D])
{
    double z[D];
    deviations(z, run, about, expected);
    for (int j = 0; j < D; j++)
        CHECK(fabs(z[j]) < 4, "%s: variance of w%d off by %.1f s.e.", what, j, z[j]);
    if (getenv("SHOW")) printf("%-24s within %6.2f %6.2f %6.2f\n", what, z[0], z[1], z[2]);
}

static void off(const char *what, const struct kl_sampling_run *run, const double *about,
                const double other[D])
{
    double z[D];
    deviations(z, run, about, other);
    CHECK(fabs(z[0]) > 5, "%s: off by %.1f s.e. only", what, z[0]);
    if (getenv("SHOW")) printf("%-24s off    %6.2f %6.2f %6.2f\n", what, z[0], z[1], z[2]);
}

/* Diagonals of the golden covariances at the largest step. */
static void diagonal(double to[D], hid_t g, const char *name)
{
    double all[ETAS * D * D];
    const size_t n = golden_values(all, ETAS * D * D, g, name);
    for (int j = 0; j < D; j++) to[j] = all[n - D * D + (size_t)(j * D + j)];
}

static void last_mean(double to[D], hid_t g, const char *name)
{
    double all[ETAS * D];
    const size_t n = golden_values(all, ETAS * D, g, name);
    memcpy(to, all + n - D, D * sizeof *to);
}

static void check_sgld(hid_t g)
{
    double posterior[D], ula[D], iid[D], permuted[D], at[D];
    diagonal(posterior, g, "posterior_cov"), diagonal(ula, g, "ula_cov");
    diagonal(iid, g, "sgld_iid_cov"), diagonal(permuted, g, "sgld_permuted_cov");
    struct kl_sampling_settings s = settings(KL_SAMPLING_SGLD, 0, 5000);
    struct kl_sampling_run *run = golden_run(&s, &problem.target);
    within("ula", run, mean, ula);
    off("ula, posterior", run, mean, posterior), off("ula, independent", run, mean, iid);
    kl_sampling_run_close(&run);
    s = settings(KL_SAMPLING_SGLD, 4, 2500);
    run = golden_run(&s, &problem.target);
    last_mean(at, g, "sgld_permuted_mean");
    within("permuted", run, at, permuted);
    off("permuted, posterior", run, at, posterior), off("permuted, independent", run, at, iid);
    kl_sampling_run_close(&run);
    s = settings(KL_SAMPLING_SGLD, 4, 2500), s.independent_batches = true;
    run = golden_run(&s, &problem.target);
    last_mean(at, g, "sgld_iid_mean");
    within("independent", run, at, iid);
    off("independent, ula", run, at, ula), off("independent, permuted", run, at, permuted);
    kl_sampling_run_close(&run);
}

/* Those that sample the posterior itself: MALA and HMC at any step; BAOAB's positions of a Gaussian;
 * SGNHT at a small one. */
static void check_exact(hid_t g)
{
    double posterior[D], ula[D];
    diagonal(posterior, g, "posterior_cov"), diagonal(ula, g, "ula_cov");
    static const enum kl_sampling_sampler samplers[] = { KL_SAMPLING_MALA, KL_SAMPLING_HMC,
                                                         KL_SAMPLING_SGHMC, KL_SAMPLING_SGNHT };
    static const char *const names[] = { "mala", "hmc", "sghmc", "sgnht" };
    for (int i = 0; i < 4; i++) {
        struct kl_sampling_settings s = settings(samplers[i], 0, 2500);
        s.leapfrogs = 5, s.friction = 0.5;
        if (samplers[i] == KL_SAMPLING_SGNHT) rung.lr /= 10, rung.warmup = 1000, s.friction = 0.1;
        struct kl_sampling_run *run = golden_run(&s, &problem.target);
        within(names[i], run, mean, posterior), off(names[i], run, mean, ula);
        kl_sampling_run_close(&run);
    }
}

/* ---- laws of affine steps, computed ---- */

static void multiply(double to[D][D], double a[D][D], double b[D][D], bool transposed)
{
    double c[D][D];
    for (int i = 0; i < D; i++)
        for (int j = 0; j < D; j++) {
            c[i][j] = 0;
            for (int k = 0; k < D; k++) c[i][j] += a[i][k] * (transposed ? b[j][k] : b[k][j]);
        }
    memcpy(to, c, sizeof c);
}

/* Mean of x x' over rows. */
static void second(double h[D][D], const int64_t *rows, size_t n)
{
    for (int i = 0; i < D; i++)
        for (int j = 0; j < D; j++) {
            h[i][j] = 0;
            for (size_t r = 0; r < n; r++) {
                const double *x = &problem.x[(size_t)(rows ? rows[r] : (int64_t)r) * D];
                h[i][j] += x[i] * x[j] / (double)n;
            }
        }
}

/* The variances of w = (1 - eta / 2 G H) w + sqrt(eta G) N, in the long run. */
static void psgld_law(double variance[D], const float *square, double epsilon)
{
    double h[D][D], a[D][D], s[D][D] = { 0 }, scale[D];
    second(h, NULL, N);
    for (int i = 0; i < D; i++) {
        scale[i] = 1 / (epsilon + sqrt((double)square[i]));
        for (int j = 0; j < D; j++)
            a[i][j] = (i == j) - eta / 2 * scale[i] * (beta * h[i][j] + (i == j) / (sigma * sigma));
    }
    for (int t = 0; t < 3000; t++) {
        multiply(s, a, s, false), multiply(s, s, a, true);
        for (int i = 0; i < D; i++) s[i][i] += eta * scale[i];
    }
    for (int i = 0; i < D; i++) variance[i] = s[i][i];
}

static void check_psgld(void)
{
    struct kl_sampling_settings s = settings(KL_SAMPLING_PSGLD, 0, 3000);
    s.rms_epsilon = 0.3;
    struct kl_sampling_run *run = golden_run(&s, &problem.target);
    for (int j = 0; j < D; j++) {
        double difference[CHAINS], found, error;
        for (int c = 0; c < CHAINS; c++) {
            const struct kl_sampling_chain *chain = kl_sampling_run_chain(run, 0, 0, c);
            double law[D], sum = 0;
            psgld_law(law, chain->v, s.rms_epsilon);
            for (int64_t t = 0; t < chain->at.kept; t++)
                sum += pow((double)chain->kept[t * D + j] - mean[j], 2) / (double)chain->at.kept;
            difference[c] = sum / law[j] - 1;
        }
        golden_mean(&found, &error, difference, CHAINS);
        CHECK(fabs(found) < 4 * error, "psgld: variance of w%d off by %.1f s.e.", j, found / error);
        if (getenv("SHOW")) printf("psgld w%d %g +- %g\n", j, found, error);
    }
    kl_sampling_run_close(&run);
}

/* Of an epoch with its anchor at its beginning: w <- w - eta/2 (beta (H a + H_B (w - a)) + w / sigma^2)
   + sqrt(eta) N about the posterior's mean, over many permutations. */
static void control_law(double variance[D])
{
    enum { EPOCHS = 4000 };
    static double m[EPOCHS][D][D];
    double h[D][D], s[D][D] = { 0 }, noise[D][D] = { 0 };
    second(h, NULL, N);
    for (int e = 0; e < EPOCHS; e++) {
        int64_t rows[N];
        double n[D][D] = { 0 };
        kl_sampling_shuffle(rows, N, N, 99, (uint64_t)e);
        for (int i = 0; i < D; i++)
            for (int j = 0; j < D; j++) m[e][i][j] = i == j;
        for (int b = 0; b < 3; b++) {
            double part[D][D], own[D][D], fixed[D][D];
            second(part, rows + 4 * b, 4);
            for (int i = 0; i < D; i++)
                for (int j = 0; j < D; j++) {
                    own[i][j] = (i == j) * (1 - eta / 2 / (sigma * sigma)) - eta / 2 * beta * part[i][j];
                    fixed[i][j] = eta / 2 * beta * (part[i][j] - h[i][j]);
                }
            multiply(m[e], own, m[e], false);
            multiply(n, own, n, false), multiply(n, n, own, true);
            for (int i = 0; i < D; i++) {
                n[i][i] += eta;
                for (int j = 0; j < D; j++) m[e][i][j] += fixed[i][j];
            }
        }
        for (int i = 0; i < D; i++)
            for (int j = 0; j < D; j++) noise[i][j] += n[i][j] / EPOCHS;
    }
    for (int t = 0; t < 300; t++) {
        double next[D][D];
        memcpy(next, noise, sizeof next);
        for (int e = 0; e < EPOCHS; e++) {
            double part[D][D];
            multiply(part, m[e], s, false), multiply(part, part, m[e], true);
            for (int i = 0; i < D * D; i++) (&next[0][0])[i] += (&part[0][0])[i] / EPOCHS;
        }
        memcpy(s, next, sizeof s);
    }
    for (int i = 0; i < D; i++) variance[i] = s[i][i];
}

static void check_control(hid_t g)
{
    double law[D], iid[D];
    diagonal(iid, g, "sgld_iid_cov");
    control_law(law);
    struct kl_sampling_settings s = settings(KL_SAMPLING_SGLD, 4, 2500);
    s.control_variate = true;
    struct kl_sampling_run *run = golden_run(&s, &problem.target);
    within("control variate", run, mean, law), off("control variate, iid", run, mean, iid);
    kl_sampling_run_close(&run);
}

/* ---- the path certificate ---- */

/* Of the posterior against the prior, from its golden covariance. */
static double divergence(hid_t g)
{
    double s[D * D], trace = 0, norm = 0;
    golden_values(s, D * D, g, "posterior_cov");
    for (int i = 0; i < D; i++) trace += s[i * D + i], norm += mean[i] * mean[i];
    const double det = s[0] * (s[4] * s[8] - s[5] * s[7]) - s[1] * (s[3] * s[8] - s[5] * s[6]) +
                       s[2] * (s[3] * s[7] - s[4] * s[6]),
                 v = sigma * sigma;
    return 0.5 * (trace / v + norm / v - D + D * log(v) - log(det));
}

/* On average at least the divergence, and little more where the annealing is slow; a fast one costs
 * more. */
static void check_path(hid_t g)
{
    static const enum kl_sampling_sampler samplers[] = { KL_SAMPLING_SGLD, KL_SAMPLING_MALA };
    const double exact = divergence(g);
    double slow[2], slow_error[2];
    for (int i = 0; i < 2; i++) {
        double found[2], error[2];
        for (int fast = 0; fast < 2; fast++) {
            struct kl_sampling_settings s = settings(samplers[i], 0, 0);
            double values[CHAINS];
            s.work = true, s.keep = 0, s.anneal = rung.warmup = fast ? 30 : 2000;
            struct kl_sampling_run *run = golden_run(&s, &problem.target);
            for (int c = 0; c < CHAINS; c++) values[c] = kl_sampling_run_chain(run, 0, 0, c)->sum.work;
            golden_mean(&found[fast], &error[fast], values, CHAINS);
            kl_sampling_run_close(&run);
        }
        CHECK(found[0] > exact - 4 * error[0] && found[0] < exact + 4.5, "%d: %g +- %g, exact %g", i,
              found[0], error[0], exact);
        CHECK(found[1] > found[0] + 4 * error[1], "%d: fast %g +- %g, slow %g", i, found[1], error[1],
              found[0]);
        if (getenv("SHOW"))
            printf("path %d: %g +- %g, fast %g, exact %g\n", i, found[0], error[0], found[1], exact);
        slow[i] = found[0], slow_error[i] = error[0];
    }
    CHECK(fabs(slow[0] - slow[1]) < 4 * hypot(slow_error[0], slow_error[1]), "%g, %g", slow[0], slow[1]);
}

/* ---- acceptance ---- */

static void check_mala(hid_t file)
{
    const hid_t g = H5Gopen2(file, "mala_gaussian", H5P_DEFAULT);
    double dim[64], step[64], acceptance[64];
    const size_t n = golden_values(dim, 64, g, "dim");
    golden_values(step, 64, g, "step"), golden_values(acceptance, 64, g, "acceptance");
    static struct golden_linear prior;
    int checked = 0;
    for (size_t i = 0; i < n; i += 3) {
        if (dim[i] > 100) continue;
        struct kl_sampling_rung one = { 1, step[i], 0, 400 };
        struct kl_sampling_settings s = settings(KL_SAMPLING_MALA, 0, 0);
        double values[CHAINS], found, error;
        s.rungs = &one, s.keep = 0;
        golden_linear_make(&prior, (size_t)dim[i], 1, 1);
        struct kl_sampling_run *run = golden_run(&s, &prior.target);
        for (int c = 0; c < CHAINS; c++)
            values[c] = kl_sampling_chain_acceptance(kl_sampling_run_chain(run, 0, 0, c));
        golden_mean(&found, &error, values, CHAINS);
        CHECK(fabs(found - acceptance[i]) < 4 * error + 1e-6,
              "d %g, step %g: found %g +- %g, expected %g", dim[i], step[i], found, error,
              acceptance[i]);
        kl_sampling_run_close(&run), checked++;
    }
    CHECK(checked > 8, "%d", checked);
    H5Gclose(g);
}

/* Neighbours on a ladder of Gaussians. */
static void check_exchange(hid_t file)
{
    enum { FIRST = 8, RUNGS = 5, DRAWS = 300 };
    const hid_t g = H5Gopen2(file, "gaussian_ladder", H5P_DEFAULT);
    static struct golden_linear ladder;
    struct kl_sampling_rung rungs[RUNGS];
    double betas[32], expected[32], own[32], s2 = golden_number(g, "sigma");
    golden_values(ladder.x, GOLDEN_RECORDS * 8, g, "X"), golden_values(ladder.y, GOLDEN_RECORDS, g, "y");
    golden_values(betas, 32, g, "beta"), golden_values(expected, 32, g, "swap_acceptance");
    golden_values(own, 32, g, "swap_acceptance_se");
    golden_linear_make(&ladder, 6, 40, s2);
    for (int k = 0; k < RUNGS; k++) {
        const double b = betas[FIRST + k];
        rungs[k] = (struct kl_sampling_rung){ b, 0.5 * b / (11.2 * b + 0.5), 200, DRAWS };
    }
    struct kl_sampling_settings s = settings(KL_SAMPLING_HMC, 0, 0);
    s.rungs = rungs, s.n_rungs = RUNGS, s.exchange = s.whole = true, s.keep = 0, s.leapfrogs = 12;
    struct kl_sampling_run *run = golden_run(&s, &ladder.target);
    for (size_t k = 0; k + 1 < RUNGS; k++) {
        double values[CHAINS], found, error;
        for (int c = 0; c < CHAINS; c++) {
            const struct kl_sampling_position *at = &kl_sampling_run_chain(run, 0, k, c)->at;
            values[c] = (double)at->swapped / (double)at->tried;
        }
        golden_mean(&found, &error, values, CHAINS);
        CHECK(fabs(found - expected[FIRST + k]) < 4 * hypot(error, own[FIRST + k]),
              "swaps at beta %g: found %g +- %g, expected %g", rungs[k].beta, found, error,
              expected[FIRST + k]);
        if (getenv("SHOW"))
            printf("swap %g: %.4f +- %.4f, %.4f\n", rungs[k].beta, found, error, expected[FIRST + k]);
    }
    kl_sampling_run_close(&run);
    H5Gclose(g);
}

int main(void)
{
    const char *shared = getenv("KETLINE_SHARED");
    char path[1024];
    double etas[ETAS];
    snprintf(path, sizeof path, "%s/reference/sampling/golden_peers.h5", shared ? shared : "../shared");
    FILE *there = fopen(path, "rb");
    if (!there) return puts("skipped: no golden values of samplers"), 77;
    fclose(there);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT),
                g = H5Gopen2(file, "linear_sgld", H5P_DEFAULT);
    golden_values(problem.x, N * D, g, "X"), golden_values(problem.y, N, g, "y");
    golden_values(etas, ETAS, g, "eta"), golden_values(mean, D, g, "posterior_mean");
    beta = golden_number(g, "beta"), sigma = golden_number(g, "sigma"), eta = etas[ETAS - 1];
    golden_linear_make(&problem, D, N, sigma);
    check_sgld(g), check_exact(g), check_psgld(), check_control(g), check_mala(file);
    check_exchange(file), check_path(g);
    H5Gclose(g), H5Fclose(file);
    return failures != 0;
}
