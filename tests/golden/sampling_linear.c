/* SPDX-License-Identifier: MIT
   The Gaussian linear target against groups linear_sgld and gaussian_ladder of the reference's
   golden_peers.h5: where its gradient and the prior's cancel is the posterior's mean, what its
   gradients' differences give inverts the covariance, and the mean energy of that law is the exact one.
 */
#define KL_F64 1
#include <math.h>

#include "golden.h"
#include "sampling/model/model.h"

enum { MOST = 512, D = 6 };
static int failures;

static void near(const char *what, double found, double expected)
{
    if (fabs(found - expected) <= 1e-11 * fmax(1, fabs(expected))) return;
    fprintf(stderr, "%s: found %.15g, expected %.15g\n", what, found, expected);
    failures++;
}

/* curvature (d, d) from gradients at unit vectors, less that at 0: exact but for rounding. */
static void curvature_of(double *curvature, const struct kl_sampling_target_f64 *t)
{
    struct kl_sampling_sums sums = { 0 };
    double zero[D] = { 0 }, origin[D], g[D];
    t->gradient(t->context, origin, &sums, zero, NULL, t->n, NULL, NULL);
    for (size_t i = 0; i < t->size; i++) {
        double unit[D] = { 0 };
        unit[i] = 1;
        t->gradient(t->context, g, &sums, unit, NULL, t->n, NULL, NULL);
        for (size_t j = 0; j < t->size; j++) curvature[i * t->size + j] = g[j] - origin[j];
    }
}

static void check_law(const struct kl_sampling_target_f64 *t, double beta, const double *mean,
                      const double *cov, const double *energy)
{
    const size_t d = t->size;
    const double prior = 1 / (t->tensors->sigma * t->tensors->sigma);
    struct kl_sampling_sums sums = { 0 };
    double curvature[D * D], g[D], per_record[64], spread = 0;
    curvature_of(curvature, t);
    t->gradient(t->context, g, &sums, mean, NULL, t->n, NULL, NULL);
    for (size_t i = 0; i < d; i++) {
        near("gradient at the mean", beta * g[i] + prior * mean[i], 0);
        for (size_t j = 0; j < d; j++) {
            double product = 0;
            for (size_t k = 0; k < d; k++)
                product += cov[i * d + k] * (beta * curvature[k * d + j] + (k == j ? prior : 0));
            near("covariance times curvature", product, i == j);
            spread += cov[i * d + j] * curvature[j * d + i] / 2;
        }
    }
    if (energy) near("mean energy", sums.loss / (double)sums.count + spread, *energy);
    sums = (struct kl_sampling_sums){ 0 };
    const int64_t rows[3] = { 2, 0, 2 };
    t->evaluate(t->context, &sums, per_record, mean, true, rows, 3, NULL, NULL);
    near("a record twice", per_record[0], per_record[2]);
    near("sums", sums.loss, per_record[0] + per_record[1] + per_record[2]);
    if (sums.count != 3 || sums.wrong != 0) failures++;
}

static void check(hid_t file, const char *name)
{
    double x[MOST], y[MOST], beta[32], mean[MOST], cov[1024], energy[32];
    struct kl_sampling_target_f64 target;
    struct kl_error err;
    const hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    golden_need(group >= 0, name);
    const bool ladder = strcmp(name, "gaussian_ladder") == 0;
    const size_t n = golden_values(y, MOST, group, "y"), d = golden_values(x, MOST, group, "X") / n;
    const size_t betas = ladder ? golden_values(beta, 32, group, "beta") : 1;
    if (ladder) golden_values(energy, 32, group, "mean_energy");
    else beta[0] = golden_number(group, "beta");
    golden_need(golden_values(mean, MOST, group, ladder ? "mean" : "posterior_mean") == betas * d,
                "mean");
    golden_need(golden_values(cov, 1024, group, ladder ? "cov" : "posterior_cov") == betas * d * d,
                "cov");
    must(kl_sampling_linear_target_f64(&target, x, y, n, d, golden_number(group, "sigma"), &err), &err);
    for (size_t k = 0; k < betas; k++)
        check_law(&target, beta[k], mean + k * d, cov + k * d * d, ladder ? &energy[k] : NULL);
    target.close(target.context);
    H5Gclose(group);
}

int main(void)
{
    const char *shared = getenv("KETLINE_SHARED");
    char path[4096];
    snprintf(path, sizeof path, "%s/reference/sampling/golden_peers.h5", shared ? shared : "../shared");
    const hid_t file = H5Fis_hdf5(path) > 0 ? H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT) : -1;
    if (file < 0) {
        puts("skipped: KETLINE_SHARED holds no reference/sampling/golden_peers.h5");
        return 77;
    }
    check(file, "linear_sgld");
    check(file, "gaussian_ladder");
    H5Fclose(file);
    return failures != 0;
}
