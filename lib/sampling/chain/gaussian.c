/* SPDX-License-Identifier: MIT
   The Gaussian beside a run: as many records, batches of the same size, the same step, temperature and
   code, but a law that is known. Record i has for each of a few weights w_j a number x_ij and an aim
   y_ij, and the loss sum_j (x_ij w_j - y_ij)^2 / 2; so the posterior is Gaussian, its weights are
   independent. */
#include <math.h>
#include <stdlib.h>

#include "kernels/langevin.h"
#include "kernels/inline/philox.h"
#include "sampling/chain/chain_int.h"

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

double kl_sampling_gaussian_expected(const struct kl_sampling_chain *c)
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
