/* SPDX-License-Identifier: MIT
   Pareto smoothed importance weights: Vehtari, Simpson, Gelman, Yao and Gabry 2024 (JMLR 25(72)), with
   Zhang and Stephens' fit of a generalised Pareto law (2009, doi:10.1198/tech.2009.08017). */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "sampling/diagnose/diagnose_int.h"

int kl_sampling_smoother_open(struct kl_sampling_smoother *s, size_t draws, struct kl_error *err)
{
    const size_t grid = kl_sampling_grid(draws);
    s->weight = malloc(draws * sizeof(double)), s->tail = malloc(draws * sizeof(double));
    s->order = malloc(draws * sizeof *s->order);
    s->b = malloc(grid * sizeof(double)), s->length = malloc(grid * sizeof(double));
    return s->weight && s->tail && s->order && s->b && s->length ? KL_OK
                                                                 : kl_fail_memory(err, 40 * draws);
}

void kl_sampling_smoother_close(struct kl_sampling_smoother *s)
{
    free(s->weight), free(s->tail), free(s->order), free(s->b), free(s->length);
    *s = (struct kl_sampling_smoother){ 0 };
}

double kl_sampling_log_sum(const double *x, size_t n)
{
    double greatest = x[0], sum = 0;
    for (size_t i = 1; i < n; i++) greatest = x[i] > greatest ? x[i] : greatest;
    if (!isfinite(greatest)) return greatest;
    for (size_t i = 0; i < n; i++) sum += exp(x[i] - greatest);
    return greatest + log(sum);
}

static double mean_log1p(double b, const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += log1p(-b * x[i]);
    return sum / (double)n;
}

/* k and scale of x (n), rising: the posterior mean over a grid of b, with a weak prior of ten
 * observations at k = 1/2. */
static double fit(double *scale, struct kl_sampling_smoother *s, size_t n)
{
    const double *x = s->tail, count = (double)n;
    const size_t grid = 30 + (size_t)sqrt(count);
    double sum = 0, b = 0;
    for (size_t i = 0; i < grid; i++) {
        s->b[i] = (1 - sqrt((double)grid / ((double)i + 0.5))) / (3 * x[(size_t)(count / 4 + 0.5) - 1]) +
                  1 / x[n - 1];
        const double k = mean_log1p(s->b[i], x, n);
        s->length[i] = count * (log(-(s->b[i] / k)) - k - 1);
    }
    for (size_t i = 0; i < grid; i++) {
        double others = 0;
        for (size_t j = 0; j < grid; j++) others += exp(s->length[j] - s->length[i]);
        if (!(1 / others >= 10 * DBL_EPSILON)) continue; /* too small to count */
        sum += 1 / others, b += s->b[i] / others;
    }
    b /= sum;
    const double k = mean_log1p(b, x, n);
    *scale = -k / b;
    return (count * k + 5) / (count + 10);
}

static double pareto_quantile(double p, double k, double scale)
{
    if (!(scale > 0)) return NAN;
    const double x = -log1p(-p);
    return scale * (fabs(k) < DBL_EPSILON ? x : expm1(k * x) / k);
}

static int by_value(const void *a, const void *b)
{
    const struct kl_sampling_place *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

/* The n largest weights, order[first...], become quantiles of the law fitted to them. */
static double smooth_tail(struct kl_sampling_smoother *s, size_t first, size_t n, double cutoff)
{
    const double base = exp(cutoff);
    double scale;
    for (size_t i = 0; i < n; i++) s->tail[i] = exp(s->order[first + i].value) - base;
    const double k = fit(&scale, s, n);
    for (size_t i = 0; i < n && isfinite(k); i++) {
        const double w = log(pareto_quantile(((double)i + 0.5) / (double)n, k, scale) + base);
        s->weight[s->order[first + i].i] = w > 0 ? 0 : w; /* none above the largest raw one */
    }
    return k;
}

double kl_sampling_smooth(struct kl_sampling_smoother *s, size_t draws, double efficiency)
{
    double k = INFINITY, greatest = s->weight[0];
    for (size_t i = 1; i < draws; i++) greatest = s->weight[i] > greatest ? s->weight[i] : greatest;
    for (size_t i = 0; i < draws; i++) {
        s->weight[i] -= greatest;
        s->order[i] = (struct kl_sampling_place){ s->weight[i], i };
    }
    qsort(s->order, draws, sizeof *s->order, by_value);
    const double fifth = (double)draws / 5, root = 3 * sqrt((double)draws / efficiency);
    const size_t length = (size_t)ceil(fifth < root ? fifth : root);
    const double at = s->order[draws - length - 1].value, least = log(DBL_MIN);
    const double cutoff = at > least ? at : least;
    size_t first = draws;
    while (first && s->order[first - 1].value > cutoff) first--;
    if (draws - first > 4) k = smooth_tail(s, first, draws - first, cutoff);
    const double sum = kl_sampling_log_sum(s->weight, draws);
    for (size_t i = 0; i < draws; i++) s->weight[i] -= sum;
    return k;
}
