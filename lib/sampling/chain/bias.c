/* SPDX-License-Identifier: MIT
   What a run says of its own error: the virial ratio, the chains of half the step, the Gaussian beside,
   the noise of its gradient; the path certificate. */
#include <math.h>
#include <stdlib.h>

#include "kernels/langevin.h"
#include "kernels/inline/philox.h"
#include "sampling/chain/chain_int.h"

/* ---- gaussian ----
   The Gaussian beside a run: as many records, batches of the same size, the same step, temperature and
   code, but a law that is known. Record i has for each of a few weights w_j a number x_ij and an aim
   y_ij, and the loss sum_j (x_ij w_j - y_ij)^2 / 2; so the posterior is Gaussian, its weights are
   independent. */

enum { P = KL_SAMPLING_GAUSSIAN_SIZE };

static int gradient(void *context, float *grad, struct kl_sampling_sums *sums, const float *w,
                    const int64_t *rows, size_t count, const struct kl_sampling_crew *crew,
                    struct kl_error *err)
{
    const struct kl_sampling_gaussian *g = context;
    double sum[P] = { 0 };
    (void)crew, (void)err;
    for (size_t r = 0; r < count; r++) {
        const float *x = g->x + (rows ? (size_t)rows[r] : r) * 2 * P, *y = x + P;
        double loss = 0;
        for (int j = 0; j < P; j++) {
            const double left = (double)x[j] * (double)w[j] - (double)y[j];
            loss += left * left / 2, sum[j] += left * (double)x[j];
        }
        sums->loss += loss, sums->squares += loss * loss;
    }
    sums->count += (int64_t)count;
    for (int j = 0; j < P; j++) grad[j] = (float)(sum[j] / (double)count);
    return KL_OK;
}

static int evaluate(void *context, struct kl_sampling_sums *sums, double *per_record, const float *w,
                    bool test, const int64_t *rows, size_t count, const struct kl_sampling_crew *crew,
                    struct kl_error *err)
{
    float unused[P];
    (void)test, (void)per_record;
    return gradient(context, unused, sums, w, rows, count, crew, err);
}

static void fill(struct kl_sampling_gaussian *g, size_t n, uint64_t seed)
{
    const struct kl_langevin_stream stream = { seed, KL_RANDOM_COMPANION, 0, 0 };
    kl_kernel_langevin_normals(g->x, 0, n * 2 * P, &stream);
    for (int j = 0; j < P; j++) {
        double xx = 0, xy = 0;
        for (size_t i = 0; i < n; i++)
            xx += (double)g->x[i * 2 * P + (size_t)j] * (double)g->x[i * 2 * P + (size_t)j],
                xy += (double)g->x[i * 2 * P + (size_t)j] * (double)g->x[i * 2 * P + P + (size_t)j];
        g->curvature[j] = xx / (double)n, g->aim[j] = xy / (double)n;
    }
}

int kl_sampling_gaussian_open(struct kl_sampling_gaussian **gaussian, size_t n, double sigma,
                              uint64_t seed, struct kl_error *err)
{
    struct kl_sampling_gaussian *g = *gaussian = calloc(1, sizeof *g);
    if (!g) return kl_fail_memory(err, sizeof *g);
    g->x = malloc(n * 2 * P * sizeof *g->x);
    if (!g->x) return kl_fail_memory(err, n * 2 * P * sizeof *g->x);
    fill(g, n, seed);
    g->tensor = (struct kl_sampling_tensor){
        .name = "gaussian", .rank = 1, .dims = { P }, .size = P, .fan_in = 1, .sigma = sigma
    };
    g->target = (struct kl_sampling_target_f32){ .size = P,
                                                 .tensors = &g->tensor,
                                                 .n_tensors = 1,
                                                 .n = n,
                                                 .loss_high = INFINITY,
                                                 .chance = NAN,
                                                 .context = g,
                                                 .gradient = gradient,
                                                 .evaluate = evaluate };
    return KL_OK;
}

void kl_sampling_gaussian_close(struct kl_sampling_gaussian **gaussian)
{
    if (*gaussian) free((*gaussian)->x);
    free(*gaussian);
    *gaussian = NULL;
}

/* Precision and mean of weight j under the law that a chain is to sample; 0 and 0 where it has none (the
 * walk of the tempered convention at beta 0). */
static double law(const struct kl_sampling_gaussian *g, const struct kl_sampling_chain *c, int j,
                  double *mean)
{
    const double precision = c->beta * g->curvature[j] + c->precision[0];
    *mean = precision > 0 ? c->beta * g->aim[j] / precision : 0;
    return precision;
}

void kl_sampling_gaussian_begin(struct kl_sampling_chain *c)
{
    const struct kl_sampling_gaussian *g = c->target->context;
    const struct kl_langevin_stream stream = { c->key, KL_RANDOM_CHAIN_START, 0, 0 };
    kl_kernel_langevin_normals(c->w, 0, P, &stream);
    for (int j = 0; j < P; j++) {
        double mean;
        const double precision = law(g, c, j, &mean);
        c->w[j] = (float)(mean + (double)c->w[j] / (precision > 0 ? sqrt(precision) : 1));
    }
}

double kl_sampling_gaussian_excess(const struct kl_sampling_chain *c)
{
    const struct kl_sampling_gaussian *g = c->target->context;
    double sum = 0, mean;
    for (int j = 0; j < P; j++) {
        const double precision = law(g, c, j, &mean), off = (double)c->w[j] - mean;
        if (!(precision > 0)) return NAN;
        sum += precision * off * off;
    }
    return sum / P - 1;
}

/* Its mean under the law of the chain itself: of ULA 1 / (1 - eta lambda / 4) - 1; NaN: not known in
 * closed form. */
static double gaussian_expected(const struct kl_sampling_chain *c)
{
    const struct kl_sampling_gaussian *g = c->target->context;
    const struct kl_sampling_settings *s = c->settings;
    const double eta = c->lr / c->beta;
    double sum = 0, mean;
    if (s->sampler != KL_SAMPLING_SGLD || s->schedule != KL_SAMPLING_CONSTANT || c->steps > 1 ||
        !s->noise)
        return s->sampler == KL_SAMPLING_MALA || s->sampler == KL_SAMPLING_HMC ? 0 : NAN;
    for (int j = 0; j < P; j++) sum += 1 / (1 - eta * law(g, c, j, &mean) / 4);
    return sum / P - 1;
}

/* ---- bias ---- */

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

/* Mean of values of several chains (n_chains arrays, lengths n) and its standard error from batches of
   about the root of the length; NaN where there are none, or too few. */
static void batch_means(double *mean, double *error, const float *const *values, const int64_t *n,
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
    if (!code) batch_means(mean, error, values, n, chains);
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
        values[k] = c->beta > 0 ? gaussian_expected(c) : 0;
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
