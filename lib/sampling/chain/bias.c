/* SPDX-License-Identifier: MIT
   What a run says of its own error: the virial ratio, the chains of half the step, the Gaussian beside,
   the noise of its gradient; the path certificate. */
#include <math.h>
#include <stdlib.h>

#include "sampling/chain/chains_int.h"

/* Sum over batches of squared deviations of their means from `mean`; batches of `size` values. */
static double spread(const float *x, int64_t n, int64_t size, double mean, int64_t *batches)
{
    double sum = 0;
    for (int64_t first = 0; first + size <= n; first += size, (*batches)++) {
        double part = 0;
        for (int64_t i = first; i < first + size; i++) part += (double)x[i];
        sum += (part / (double)size - mean) * (part / (double)size - mean);
    }
    return sum;
}

void kl_sampling_batch_means(double *mean, double *error, const float *const *values, const int64_t *n,
                             size_t n_chains)
{
    double sum = 0, squares = 0;
    int64_t count = 0, batches = 0;
    for (size_t c = 0; c < n_chains; c++)
        for (int64_t i = 0; i < n[c]; i++) sum += (double)values[c][i], count++;
    *mean = count ? sum / (double)count : NAN, *error = NAN;
    for (size_t c = 0; c < n_chains; c++) {
        const int64_t size = (int64_t)sqrt((double)n[c]);
        if (size > 0) squares += spread(values[c], n[c], size, *mean, &batches);
    }
    if (batches > 3) *error = sqrt(squares / (double)(batches - 1) / (double)batches);
}

/* Of one temperature: mean and error of a trace of a role's chains. */
static int mean_of(double *mean, double *error, const struct kl_sampling_run *run, int role, size_t rung,
                   int field, struct kl_error *err)
{
    const size_t chains = (size_t)run->settings.chains;
    const float **values = malloc(chains * sizeof *values);
    int64_t *n = malloc(chains * sizeof *n);
    const int code = values && n ? KL_OK : kl_fail_memory(err, chains * sizeof *n);
    for (size_t c = 0; c < chains && !code; c++) {
        const struct kl_sampling_chain *chain = kl_sampling_run_chain(run, role, rung, (int64_t)c);
        values[c] = chain->trace[field], n[c] = chain->at.draws;
    }
    if (!code) kl_sampling_batch_means(mean, error, values, n, chains);
    free(values), free(n);
    return code;
}

static int put(struct kl_writer *w, const char *group, const char *name, const double *values, size_t n,
               size_t chains, struct kl_error *err)
{
    char full[96];
    const size_t dims[2] = { chains ? chains : n, n };
    snprintf(full, sizeof full, "%s/%s", group, name);
    const int code = kl_store_writer_put(w, full, KL_TYPE_F64, 0, chains ? 2 : 1, dims, values, err);
    return code < 0 ? code : KL_OK;
}

/* (rungs) means and errors under bias/NAME and bias/NAME_se; of a companion against what it should be.
 */
static int put_means(struct kl_writer *w, const struct kl_sampling_run *run, int role, int field,
                     bool against_main, const char *name, struct kl_error *err)
{
    const size_t n = run->settings.n_rungs;
    double *mean = malloc(2 * n * sizeof *mean), *error = mean + n, other = 0, other_error = 0;
    int code = mean ? KL_OK : kl_fail_memory(err, 2 * n * sizeof *mean);
    char se[64];
    for (size_t k = 0; k < n && !code; k++) {
        code = mean_of(&mean[k], &error[k], run, role, k, field, err);
        if (code || !against_main) continue;
        code = mean_of(&other, &other_error, run, 0, k, field, err);
        mean[k] = other - mean[k], error[k] = sqrt(error[k] * error[k] + other_error * other_error);
    }
    snprintf(se, sizeof se, "%s_se", name);
    if (!code) code = put(w, "bias", name, mean, n, 0, err);
    if (!code) code = put(w, "bias", se, error, n, 0, err);
    free(mean);
    return code;
}

/* (chains, rungs) of one of the chains' numbers. */
static int put_numbers(struct kl_writer *w, const struct kl_sampling_run *run, const char *group,
                       const char *name, size_t offset, struct kl_error *err)
{
    const size_t n = run->settings.n_rungs, chains = (size_t)run->settings.chains;
    double *values = malloc(n * chains * sizeof *values);
    if (!values) return kl_fail_memory(err, n * chains * sizeof *values);
    for (size_t c = 0; c < chains; c++)
        for (size_t k = 0; k < n; k++)
            values[c * n + k] =
                *(const double *)((const char *)&kl_sampling_run_chain(run, 0, k, (int64_t)c)->sum +
                                  offset);
    const int code = put(w, group, name, values, n, chains, err);
    free(values);
    return code;
}

static int put_expected(struct kl_writer *w, const struct kl_sampling_run *run, int role,
                        struct kl_error *err)
{
    const size_t n = run->settings.n_rungs;
    double *values = malloc(n * sizeof *values);
    if (!values) return kl_fail_memory(err, n * sizeof *values);
    for (size_t k = 0; k < n; k++) {
        const struct kl_sampling_chain *c = kl_sampling_run_chain(run, role, k, 0);
        values[k] = c->beta > 0 ? kl_sampling_gaussian_expected(c) : 0;
    }
    const int code = put(w, "bias", "companion_expected", values, n, 0, err);
    free(values);
    return code;
}

#define NUMBER(member) offsetof(struct kl_sampling_numbers, member)

int kl_sampling_bias_put(struct kl_writer *w, const struct kl_sampling_run *run, struct kl_error *err)
{
    int code = put_means(w, run, 0, KL_SAMPLING_VIRIAL, false, "virial", err);
    if (!code) code = put_means(w, run, 0, KL_SAMPLING_RADIUS, false, "norm", err);
    if (!code) code = put_numbers(w, run, "bias", "noise_ratio", NUMBER(noise_ratio), err);
    for (int r = 0; r < run->n_roles && !code; r++) {
        if (run->roles[r] == KL_SAMPLING_HALF)
            code = put_means(w, run, r, KL_SAMPLING_LOSS, true, "half_step", err);
        if (run->roles[r] != KL_SAMPLING_GAUSSIAN) continue;
        code = put_means(w, run, r, KL_SAMPLING_LOSS, false, "companion", err);
        if (!code) code = put_expected(w, run, r, err);
    }
    if (code || !run->settings.work) return code;
    code = put_numbers(w, run, "path", "work", NUMBER(work), err);
    if (!code) code = put_numbers(w, run, "path", "train_loss", NUMBER(path_loss), err);
    if (!code) code = put_numbers(w, run, "path", "train01", NUMBER(path_error), err);
    if (!code) code = put_numbers(w, run, "path", "test01", NUMBER(path_test_error), err);
    return code;
}
