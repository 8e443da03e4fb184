/* SPDX-License-Identifier: MIT
   kl, its inverses, constants, intervals, integrals, bounds and calibration of `sgld bounds` against
   golden values of two other implementations (40 and 60 digits, SciPy). */
#include "golden_sampling.h"
#include "sampling/ladder/ladder.h"

enum { MOST = 4096 };

static double upper_of(double p, double c)
{
    return kl_sampling_kl_upper(p, c);
}

/* f on all pairs of two lists. */
static void check_pairs(hid_t group, const char *name, const char *rows, const char *columns,
                        double (*f)(double, double), double relative, double floor)
{
    double p[64], c[64], expected[MOST];
    const size_t n = golden_values(p, 64, group, rows), m = golden_values(c, 64, group, columns);
    CHECK(golden_values(expected, MOST, group, name) == n * m, "%s", name);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            char what[64];
            snprintf(what, sizeof what, "%s(%g, %g)", name, p[i], c[j]);
            golden_close(what, i * m + j, f(p[i], c[j]), expected[i * m + j], relative, floor);
        }
}

static void check_kl(hid_t own, hid_t peers)
{
    const hid_t a = H5Gopen2(own, "kl", H5P_DEFAULT),
                b = H5Gopen2(peers, "bounds/kl_inverse", H5P_DEFAULT);
    check_pairs(a, "kl", "p", "q", kl_sampling_kl, 2e-15, 0);
    check_pairs(a, "inverse_upper", "p", "c", upper_of, 1e-15, 0);
    check_pairs(b, "upper", "p", "c", upper_of, 1e-15, 0);
    H5Gclose(a), H5Gclose(b);
}

static void check_constants(hid_t peers)
{
    double n[64], k[64], delta[64], clopper[64], chernoff[64], xi[64];
    hid_t g = H5Gopen2(peers, "bounds/xi", H5P_DEFAULT);
    size_t count = golden_values(n, 64, g, "n");
    golden_values(xi, 64, g, "ln_xi");
    for (size_t i = 0; i < count; i++)
        golden_close("ln xi", i, kl_sampling_log_xi((int64_t)n[i]), xi[i], 2e-12,
                     1); /* by gammaln, 1e-11 off */
    H5Gclose(g);
    g = H5Gopen2(peers, "bounds/binomial", H5P_DEFAULT);
    count = golden_values(n, 64, g, "n");
    golden_values(k, 64, g, "k"), golden_values(delta, 64, g, "delta");
    golden_values(clopper, 64, g, "clopper_pearson_upper"),
        golden_values(chernoff, 64, g, "chernoff_kl_upper");
    for (size_t i = 0; i < count; i++) {
        golden_close("Clopper-Pearson", i,
                     kl_sampling_clopper_upper(k[i] / n[i], (int64_t)n[i], delta[i]), clopper[i], 1e-11,
                     0);
        golden_close("Chernoff", i, kl_sampling_chernoff_upper(k[i] / n[i], (int64_t)n[i], delta[i]),
                     chernoff[i], 1e-12, 0);
    }
    CHECK(count == 40);
    H5Gclose(g);
}

/* ---- integrals of exact Gaussian ladders ---- */
static void check_integrals(hid_t file, const char *name, const char *left, const char *right,
                            const char *trapezoid, const char *hermite, const char *kl)
{
    double beta[64], mean[64], variance[64], expected[7][64];
    struct kl_sampling_integral found[64];
    const hid_t g = H5Gopen2(file, name, H5P_DEFAULT);
    const char *const names[] = { left, right, trapezoid, hermite, "log_z", kl };
    const size_t n = golden_values(beta, 64, g, "beta");
    golden_values(mean, 64, g, "mean_energy"), golden_values(variance, 64, g, "var_energy");
    for (int i = 0; i < 6; i++) golden_values(expected[i], 64, g, names[i]);
    const struct kl_sampling_curve curve = { n, beta, mean, NULL, variance };
    kl_sampling_integrate(found, &curve);
    for (size_t k = 0; k < n; k++) {
        const struct kl_sampling_integral *f = &found[k];
        golden_close("left", k, f->left, expected[0][k], 1e-14, 1e-3);
        golden_close("right", k, f->right, expected[1][k], 1e-14, 1e-3);
        golden_close("trapezoid", k, f->trapezoid, expected[2][k], 1e-14, 1e-3);
        golden_close("hermite", k, f->hermite, expected[3][k], 1e-14, 1e-3);
        /* The evidence and the divergence lie between the two sums, and Hermite's is nearer than either.
         */
        const double exact = -expected[4][k], slack = 1e-13 * fmax(1, exact);
        CHECK(f->left >= exact - slack && f->right <= exact + slack, "%s: -ln Z %g", name, exact);
        CHECK(f->gamma >= expected[5][k] - 1e-10 && f->kl_low <= expected[5][k] + 1e-10, "%s: kl %g",
              name, expected[5][k]);
        CHECK(k == 0 || fabs(f->hermite - exact) < 0.2 * (f->left - f->right),
              "%s: hermite %g, exact %g", name, f->hermite, exact);
        CHECK(isnan(f->gamma_se) || k == 0, "no errors were given");
    }
    struct kl_sampling_rise rise;
    kl_sampling_monotony(&rise, &curve, 0.01);
    CHECK(rise.rises == 0);
    H5Gclose(g);
}

/* ---- the published ladder ---- */
struct published {
    double beta[16], loss[16], train01[16], gamma[16], of[16];
    size_t n;
};

static void check_bound(hid_t g, const char *name, const struct published *p, const double *loss,
                        double factor, const struct kl_sampling_bound_options *o, double floor)
{
    double expected[16];
    golden_values(expected, 16, g, name);
    for (size_t k = floor > 0 ? 0 : 1; k < p->n; k++)
        golden_close(name, k, kl_sampling_bound(loss[k], factor * p->gamma[k], 8000, o), expected[k],
                     1e-13, 1);
}

static void check_ladder(hid_t file, const char *name, double factor)
{
    char where[32];
    double expected[16];
    struct published p;
    struct kl_sampling_integral integral[16];
    struct kl_sampling_bound_options o = { .delta = 0.01,
                                           .log_constant = log(2 * sqrt(8000)),
                                           .factor = 1 };
    const hid_t all = H5Gopen2(file, "bounds", H5P_DEFAULT);
    snprintf(where, sizeof where, "bounds/%s", name);
    const hid_t g = H5Gopen2(file, where, H5P_DEFAULT);
    p.n = golden_values(p.beta, 16, all, "beta");
    golden_values(p.loss, 16, g, "loss"), golden_values(p.train01, 16, g, "train01");
    const struct kl_sampling_curve curve = { p.n, p.beta, p.loss, NULL, NULL };
    kl_sampling_integrate(integral, &curve);
    golden_values(expected, 16, g, "gamma");
    for (size_t k = 0; k < p.n; k++) {
        p.gamma[k] = integral[k].gamma;
        golden_close("gamma", k, p.gamma[k], expected[k], 1e-13, 1);
    }
    golden_values(expected, 16, g, "budget");
    for (size_t k = 0; k < p.n; k++)
        golden_close("budget", k, kl_sampling_budget(p.gamma[k], 8000, &o), expected[k], 1e-13, 1e-3);
    check_bound(g, "bound_uncalibrated", &p, p.train01, 1, &o, 0);
    check_bound(g, "bound_calibrated", &p, p.train01, factor, &o, 0);
    golden_values(expected, 16, g, "bound_calibrated_coarse");
    for (size_t k = 1; k < p.n; k++)
        golden_close(
            "coarse", k,
            kl_sampling_kl_upper_coarse(p.train01[k], kl_sampling_budget(factor * p.gamma[k], 8000, &o)),
            expected[k], 1e-13, 1);
    o.form = KL_SAMPLING_FORM_HOEFFDING;
    check_bound(g, "bound_hoeffding", &p, p.train01, factor, &o, 1);
    o.form = KL_SAMPLING_FORM_SQRT_LINEAR, o.delta = 0.05;
    check_bound(g, "bound_sqrt_linear", &p, p.loss, 1, &o, 1);
    golden_values(expected, 16, g, "q_over_n_prior_loss");
    for (size_t k = 0; k < p.n; k++)
        golden_close("prior loss", k, p.beta[k] * p.loss[0] / 8000, expected[k], 1e-14, 1);
    H5Gclose(g), H5Gclose(all);
}

static void check_calibration(hid_t file)
{
    double bisected, exact, found;
    struct published p;
    struct kl_sampling_integral integral[16];
    struct kl_sampling_calibration closed;
    struct kl_sampling_bound_options o = {
        .delta = 0.01, .log_constant = log(2 * sqrt(8000)), .factor = 1, .threshold = 0.5
    };
    const hid_t all = H5Gopen2(file, "bounds", H5P_DEFAULT),
                g = H5Gopen2(file, "bounds/random", H5P_DEFAULT);
    p.n = golden_values(p.beta, 16, all, "beta");
    golden_values(p.loss, 16, g, "loss"), golden_values(p.train01, 16, g, "train01");
    golden_values(&bisected, 1, all, "calibration_bisect"),
        golden_values(&exact, 1, all, "calibration_exact");
    const struct kl_sampling_curve curve = { p.n, p.beta, p.loss, NULL, NULL };
    kl_sampling_integrate(integral, &curve);
    for (size_t k = 0; k < p.n; k++) p.gamma[k] = integral[k].gamma;
    kl_sampling_calibrate(&closed, p.train01, p.gamma, p.n, 8000, &o);
    CHECK(closed.exists);
    golden_close("closed form", 0, closed.factor, exact, 1e-12, 1);
    CHECK(kl_sampling_calibrate_bisect(&found, p.train01, p.gamma, p.n, 8000, &o));
    golden_close("bisection", 0, found, bisected, 1e-14, 1);
    /* With the factor no bound is below 0.5. */
    for (size_t k = 1; k < p.n; k++)
        CHECK(kl_sampling_bound(p.train01[k], closed.factor * p.gamma[k], 8000, &o) >= 0.5 - 1e-12,
              "rung %zu", k);
    check_ladder(file, "true", bisected), check_ladder(file, "random", bisected);
    H5Gclose(g), H5Gclose(all);
}

/* ---- local learning coefficient ---- */
/* E L of L = w1^2 w2^2 under exp(-t L) on [0, 1]^2 by Simpson's rule, the inner integrals in closed
 * form. */
static double singular_loss(double t)
{
    enum { STEPS = 2000000 };
    double z = 0, energy = 0;
    for (int i = 0; i <= STEPS; i++) {
        const double u = (double)i / STEPS,
                     w = i == 0 || i == STEPS ? 1
                         : i % 2              ? 4
                                              : 2,
                     a = t * u * u, r = sqrt(a);
        z += w * (a < 1e-8 ? 1 - a / 3 : sqrt(M_PI) / 2 * erf(r) / r);
        energy += w * u * u *
                  (a < 1e-4 ? 1.0 / 3 - a / 5 + a * a / 14
                            : sqrt(M_PI) * erf(r) / (4 * a * r) - exp(-a) / (2 * a));
    }
    return energy / z;
}

static void check_llc(hid_t peers)
{
    double ev[8], gamma[8], beta[8], expected[64];
    hid_t g = H5Gopen2(peers, "llc/quadratic", H5P_DEFAULT);
    const size_t d = golden_values(ev, 8, g, "eigenvalues"), n = golden_values(beta, 8, g, "n_beta"),
                 m = golden_values(gamma, 8, g, "localization");
    golden_values(expected, 64, g, "llc");
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            double loss = 0.25; /* the least */
            for (size_t k = 0; k < d; k++) loss += ev[k] / (beta[i] * ev[k] + gamma[j]) / 2;
            golden_close("llc", i * m + j, kl_sampling_llc(beta[i], loss, 0.25), expected[i * m + j],
                         1e-11, 1);
        }
    H5Gclose(g);
    g = H5Gopen2(peers, "llc/singular", H5P_DEFAULT);
    golden_values(expected, 64, g, "llc");
    for (size_t i = 0; i < n; i++)
        golden_close("singular llc", i, kl_sampling_llc(beta[i], singular_loss(beta[i]), 0), expected[i],
                     1e-9, 1);
    H5Gclose(g);
}

int main(void)
{
    if (golden_absent("sgld/golden.h5") || golden_absent("sampling/golden_peers.h5")) return 77;
    const hid_t own = golden_open("sgld/golden.h5"), peers = golden_open("sampling/golden_peers.h5");
    check_kl(own, peers);
    check_constants(peers);
    check_integrals(own, "ti", "integral_left", "integral_right", "integral_trapezoid",
                    "integral_hermite", "kl_posterior_prior");
    check_integrals(peers, "gaussian_ladder", "left", "right", "trapezoid", "hermite", "kl");
    check_calibration(own);
    check_llc(peers);
    H5Fclose(own), H5Fclose(peers);
    return failures != 0;
}
