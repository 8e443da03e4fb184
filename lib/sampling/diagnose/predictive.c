/* SPDX-License-Identifier: MIT
   WAIC and leave-one-out from each record's log density under each draw. */
#include <math.h>
#include <stdlib.h>

#include "sampling/diagnose/diagnose_int.h"

/* What each record gives. */
struct point {
    double density, variance, loo, k;
};
struct work {
    const float *log_lik;
    size_t draws, records;
    double efficiency;
    struct point *points;
    struct kl_sampling_smoother *smoothers; /* one a thread */
    double **column;                        /* one a thread: (draws) */
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
    struct kl_sampling_smoother *s = &w->smoothers[thread];
    struct point *p = &w->points[r];
    double *x = w->column[thread];
    for (size_t i = 0; i < w->draws; i++) {
        x[i] = w->log_lik[i * w->records + r];
        s->weight[i] = -x[i];
    }
    p->density = kl_sampling_log_sum(x, w->draws) - log((double)w->draws);
    p->variance = population_variance(x, w->draws);
    p->k = kl_sampling_smooth(s, w->draws, w->efficiency);
    for (size_t i = 0; i < w->draws; i++) x[i] += s->weight[i];
    p->loo = kl_sampling_log_sum(x, w->draws);
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
        code = kl_sampling_smoother_open(&w->smoothers[i], w->draws, err);
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
    for (int i = 0; i < threads && w.smoothers; i++) kl_sampling_smoother_close(&w.smoothers[i]);
    for (int i = 0; i < threads && w.column; i++) free(w.column[i]);
    free(w.smoothers), free(w.column), free(w.points), free(x);
    return code;
}
