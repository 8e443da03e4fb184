/* SPDX-License-Identifier: MIT
   WAIC and leave-one-out from each record's log density under each draw, with Pareto smoothed importance
   weights. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "sampling/diagnose/diagnose_int.h"

/* ---- pareto ----
   Pareto smoothed importance weights: Vehtari, Simpson, Gelman, Yao and Gabry 2024 (JMLR 25(72)), with
   Zhang and Stephens' fit of a generalised Pareto law (2009, doi:10.1198/tech.2009.08017). */

/* Memory for one record of `draws` log weights. */
struct smoother {
    double *weight, *tail; /* (draws); the weights are what is smoothed */
    struct place {
        double value;
        size_t i;
    } * order;          /* (draws) */
    double *b, *length; /* (grid_size(draws)) of the fit */
};
static size_t grid_size(size_t draws)
{
    size_t root = 1;
    while (root * root < draws) root++;
    return 30 + root;
}

static int smoother_open(struct smoother *s, size_t draws, struct kl_error *err)
{
    const size_t grid = grid_size(draws);
    s->weight = malloc(draws * sizeof(double)), s->tail = malloc(draws * sizeof(double));
    s->order = malloc(draws * sizeof *s->order);
    s->b = malloc(grid * sizeof(double)), s->length = malloc(grid * sizeof(double));
    return s->weight && s->tail && s->order && s->b && s->length ? KL_OK
                                                                 : kl_fail_memory(err, 40 * draws);
}

/* also after a failure */
static void smoother_close(struct smoother *s)
{
    free(s->weight), free(s->tail), free(s->order), free(s->b), free(s->length);
    *s = (struct smoother){ 0 };
}

/* ln sum exp x */
static double log_sum(const double *x, size_t n)
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
static double fit(double *scale, struct smoother *s, size_t n)
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
    const struct place *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

/* The n largest weights, order[first...], become quantiles of the law fitted to them. */
static double smooth_tail(struct smoother *s, size_t first, size_t n, double cutoff)
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

/* s->weight holds log weights: they are smoothed and normalised. Returns Pareto's k, infinite of a tail
 * of four or fewer. */
static double smooth(struct smoother *s, size_t draws, double efficiency)
{
    double k = INFINITY, greatest = s->weight[0];
    for (size_t i = 1; i < draws; i++) greatest = s->weight[i] > greatest ? s->weight[i] : greatest;
    for (size_t i = 0; i < draws; i++) {
        s->weight[i] -= greatest;
        s->order[i] = (struct place){ s->weight[i], i };
    }
    qsort(s->order, draws, sizeof *s->order, by_value);
    const double fifth = (double)draws / 5, root = 3 * sqrt((double)draws / efficiency);
    const size_t length = (size_t)ceil(fifth < root ? fifth : root);
    const double at = s->order[draws - length - 1].value, least = log(DBL_MIN);
    const double cutoff = at > least ? at : least;
    size_t first = draws;
    while (first && s->order[first - 1].value > cutoff) first--;
    if (draws - first > 4) k = smooth_tail(s, first, draws - first, cutoff);
    const double sum = log_sum(s->weight, draws);
    for (size_t i = 0; i < draws; i++) s->weight[i] -= sum;
    return k;
}

/* ---- WAIC and leave-one-out from each record's log density under each draw ---- */

/* The results of one record. */
struct point {
    double density, variance, loo, k;
};
struct work {
    const float *log_lik;
    size_t draws, records;
    double efficiency;
    struct point *points;
    struct smoother *smoothers; /* one a thread */
    double **column;            /* one a thread: (draws) */
};

static double population_variance(const double *x, size_t n)
{
    double mean = 0, sum = 0;
    for (size_t i = 0; i < n; i++) mean += x[i];
    mean /= (double)n;
    for (size_t i = 0; i < n; i++) sum += (x[i] - mean) * (x[i] - mean);
    return sum / (double)n;
}

static void one_record(void *context, size_t r, int thread)
{
    const struct work *w = context;
    struct smoother *s = &w->smoothers[thread];
    struct point *p = &w->points[r];
    double *x = w->column[thread];
    for (size_t i = 0; i < w->draws; i++) {
        x[i] = w->log_lik[i * w->records + r];
        s->weight[i] = -x[i];
    }
    p->density = log_sum(x, w->draws) - log((double)w->draws);
    p->variance = population_variance(x, w->draws);
    p->k = smooth(s, w->draws, w->efficiency);
    for (size_t i = 0; i < w->draws; i++) x[i] += s->weight[i];
    p->loo = log_sum(x, w->draws);
}

/* Sum and its standard error, sqrt(n) times the deviation between records. */
static double sum_of(double *error, const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    *error = sqrt((double)n * population_variance(x, n));
    return sum;
}

static void sum_up(struct kl_sampling_predictive *p, double *x, const struct work *w)
{
    const size_t n = w->records;
    double density = 0;
    *p = (struct kl_sampling_predictive){ .good_k = fmin(1 - 1 / log10((double)w->draws), 0.7) };
    for (size_t i = 0; i < n; i++) {
        density += w->points[i].density;
        p->waic_parameters += w->points[i].variance;
        p->large_variance += w->points[i].variance > 0.4;
        p->large_k += w->points[i].k > p->good_k;
        x[i] = w->points[i].density - w->points[i].variance;
    }
    p->waic = sum_of(&p->waic_se, x, n);
    for (size_t i = 0; i < n; i++) x[i] = w->points[i].loo;
    p->loo = sum_of(&p->loo_se, x, n);
    p->loo_parameters = density - p->loo;
}

static int open_threads(struct work *w, int threads, struct kl_error *err)
{
    int code = KL_OK;
    w->smoothers = calloc((size_t)threads, sizeof *w->smoothers);
    w->column = calloc((size_t)threads, sizeof *w->column);
    if (!w->smoothers || !w->column) return kl_fail_memory(err, (size_t)threads * sizeof *w->smoothers);
    for (int i = 0; i < threads && !code; i++) {
        code = smoother_open(&w->smoothers[i], w->draws, err);
        if (!code && !(w->column[i] = malloc(w->draws * sizeof(double))))
            code = kl_fail_memory(err, w->draws * sizeof(double));
    }
    return code;
}

int kl_sampling_predict(struct kl_sampling_predictive *predictive, double *loo, double *k,
                        const float *log_lik, size_t draws, size_t records, double efficiency,
                        struct kl_pool *pool, struct kl_error *err)
{
    const int threads = pool ? kl_pool_size(pool) : 1;
    if (draws < 2 || records == 0 || !(efficiency > 0))
        return kl_fail(err, KL_EUSAGE,
                       "log densities of %zu draws and %zu records, efficiency %g: expected two draws, "
                       "a record and "
                       "an efficiency above 0",
                       draws, records, efficiency);
    struct work w = {
        log_lik, draws, records, efficiency, malloc(records * sizeof *w.points), NULL, NULL
    };
    double *x = calloc(records, sizeof *x);
    int code =
        w.points && x ? open_threads(&w, threads, err) : kl_fail_memory(err, records * sizeof *w.points);
    if (!code) {
        kl_pool_for(pool, records, one_record, &w);
        sum_up(predictive, x, &w);
        for (size_t i = 0; i < records && loo; i++) loo[i] = w.points[i].loo;
        for (size_t i = 0; i < records && k; i++) k[i] = w.points[i].k;
    }
    for (int i = 0; i < threads && w.smoothers; i++) smoother_close(&w.smoothers[i]);
    for (int i = 0; i < threads && w.column; i++) free(w.column[i]);
    free(w.smoothers), free(w.column), free(w.points), free(x);
    return code;
}
