/* SPDX-License-Identifier: MIT
   Convergence diagnostics against ArviZ 0.23.4 (group diagnostics of the reference's golden_peers.h5, 13
   sets of chains, to 1e-10), against the numbers of the study itself (group chains of golden.h5), WAIC
   and leave-one-out (group predictive, to 1e-6: its log densities are rounded), normal scores against
   SciPy. */
#include <math.h>

#include "golden.h"
#include "sampling/diagnose/diagnose.h"
#include "sampling/diagnose/diagnose_int.h"

enum { MOST = 20000 };
static int failures, compared;
static double x[MOST];

static void compare(const char *set, const char *what, double found, double expected, double tolerance)
{
    compared++;
    if (isnan(found) && isnan(expected)) return;
    if (fabs(found - expected) <= tolerance * (fabs(expected) > 1 ? fabs(expected) : 1)) return;
    failures++;
    printf("%s: %s is %.15g, expected %.15g\n", set, what, found, expected);
}

/* A dataset of two dimensions. */
static void read_chains(size_t dims[2], hid_t group)
{
    hsize_t found[2] = { 0, 0 };
    const hid_t set = H5Dopen2(group, "x", H5P_DEFAULT), space = H5Dget_space(set);
    golden_need(H5Sget_simple_extent_dims(space, found, NULL) == 2, "x");
    H5Sclose(space), H5Dclose(set);
    dims[0] = found[0], dims[1] = found[1];
    golden_values(x, MOST, group, "x");
}

static void compare_set(struct kl_sampling_traces *t, hid_t g, const char *name)
{
    static const char *const ess[] = { "ess_bulk", "ess_tail", "ess_mean" };
    for (int k = 0; k < 3; k++)
        compare(name, ess[k], kl_sampling_ess(t, (enum kl_sampling_ess)k), golden_number(g, ess[k]),
                1e-10);
    compare(name, "rhat_rank", kl_sampling_rhat(t), golden_number(g, "rhat_rank"), 1e-10);
    compare(name, "mcse_mean", kl_sampling_mcse_mean(t), golden_number(g, "mcse_mean"), 1e-10);
}

static herr_t one_set(hid_t parent, const char *name, const H5L_info_t *info, void *context)
{
    struct kl_sampling_traces *t = NULL;
    struct kl_error err;
    size_t dims[2];
    const hid_t g = H5Gopen2(parent, name, H5P_DEFAULT);
    (void)info;
    read_chains(dims, g);
    must(kl_sampling_traces_open(&t, dims[0], dims[1], &err), &err);
    kl_sampling_traces_take(t, x);
    compare_set(t, g, name);
    kl_sampling_traces_close(&t);
    H5Gclose(g);
    ++*(int *)context;
    return 0;
}

static double value(hid_t group, const char *name)
{
    double v;
    golden_need(golden_values(&v, 1, group, name) == 1, name);
    return v;
}

static void study(const char *path)
{
    struct kl_sampling_traces *t = NULL;
    struct kl_error err;
    size_t dims[2];
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT),
                g = H5Gopen2(file, "chains", H5P_DEFAULT);
    read_chains(dims, g);
    must(kl_sampling_traces_open(&t, dims[0], dims[1], &err), &err);
    kl_sampling_traces_take(t, x);
    compare("study", "ess_bulk", kl_sampling_ess(t, KL_SAMPLING_ESS_BULK), value(g, "ess_bulk"), 1e-10);
    compare("study", "ess_tail", kl_sampling_ess(t, KL_SAMPLING_ESS_TAIL), value(g, "ess_tail"), 1e-10);
    compare("study", "ess_mean", kl_sampling_ess(t, KL_SAMPLING_ESS_MEAN), value(g, "ess_mean"), 1e-10);
    compare("study", "mcse_mean", kl_sampling_mcse_mean(t), value(g, "mcse_mean"), 1e-10);
    compare("study", "rhat_rank", kl_sampling_rhat(t), value(g, "rhat_rank"), 1e-10);
    kl_sampling_traces_close(&t);
    H5Gclose(g), H5Fclose(file);
}

static void predictive(hid_t g)
{
    enum { DRAWS = 1000, RECORDS = 40 };
    static double values[DRAWS * RECORDS], loo[RECORDS], k[RECORDS], expected[RECORDS];
    static float log_lik[DRAWS * RECORDS];
    struct kl_sampling_predictive p;
    struct kl_error err;
    struct kl_pool *pool = NULL;
    golden_need(golden_values(values, DRAWS * RECORDS, g, "log_lik") == DRAWS * RECORDS, "log_lik");
    for (int i = 0; i < DRAWS * RECORDS; i++) log_lik[i] = (float)values[i];
    must(kl_pool_create(&pool, 3, &err), &err);
    must(kl_sampling_predict(&p, loo, k, log_lik, DRAWS, RECORDS, 1, pool, &err), &err);
    kl_pool_destroy(&pool);
    compare("predictive", "elpd_loo", p.loo, golden_number(g, "elpd_loo"), 1e-6);
    compare("predictive", "p_loo", p.loo_parameters, golden_number(g, "p_loo"), 1e-6);
    compare("predictive", "elpd_waic", p.waic, golden_number(g, "elpd_waic"), 1e-6);
    compare("predictive", "p_waic", p.waic_parameters, golden_number(g, "p_waic"), 1e-6);
    golden_need(golden_values(expected, RECORDS, g, "loo_i") == RECORDS, "loo_i");
    for (int i = 0; i < RECORDS; i++) compare("predictive", "loo_i", loo[i], expected[i], 1e-6);
    golden_need(golden_values(expected, RECORDS, g, "pareto_k") == RECORDS, "pareto_k");
    /* The rounding moves k itself by up to 1.2e-6. */
    for (int i = 0; i < RECORDS; i++) compare("predictive", "pareto_k", k[i], expected[i], 2e-6);
}

static void scores(hid_t g)
{
    double p[200], z[200];
    const size_t n = golden_values(p, 200, g, "u");
    golden_need(golden_values(z, 200, g, "quantile") == n, "quantile");
    for (size_t i = 0; i < n; i++)
        compare("normal", "score", kl_sampling_normal_score(p[i]), z[i], 2e-15);
}

int main(void)
{
    char peers[4096], own[4096];
    const char *shared = getenv("KETLINE_SHARED");
    int sets = 0;
    snprintf(peers, sizeof peers, "%s/reference/sampling/golden_peers.h5",
             shared ? shared : "../shared");
    snprintf(own, sizeof own, "%s/reference/sgld/golden.h5", shared ? shared : "../shared");
    FILE *first = fopen(peers, "rb"), *second = fopen(own, "rb");
    if (!first || !second) {
        printf("skipped: %s is absent\n", first ? own : peers);
        return 77;
    }
    fclose(first), fclose(second);
    const hid_t file = H5Fopen(peers, H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t all = H5Gopen2(file, "diagnostics", H5P_DEFAULT),
                g = H5Gopen2(file, "predictive", H5P_DEFAULT);
    const hid_t normal = H5Gopen2(file, "normal", H5P_DEFAULT);
    golden_need(H5Literate(all, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, one_set, &sets) >= 0,
                "diagnostics");
    predictive(g), scores(normal), study(own);
    H5Gclose(normal), H5Gclose(g), H5Gclose(all), H5Fclose(file);
    printf("%d sets of chains, %d numbers compared\n", sets, compared);
    return failures != 0 || sets != 13;
}
