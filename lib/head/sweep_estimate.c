/* SPDX-License-Identifier: MIT
   How long a sweep would take: the first moments of some of its points, side by side as a sweep trains
   them, or each with all threads where there are fewer points than threads. */
#include <math.h>
#include <stdlib.h>

#include "head/run.h"
#include "head/sweep_run.h"

enum { MOST = 8 /* points that are tried */ };

struct trial {
    const struct kl_sweep_points *points;
    const struct kl_features *features;
    struct kl_pool *shared; /* whose threads share one head; NULL: a thread a head */
    struct kl_log quiet;
    size_t tried[MOST];
    struct kl_estimate estimates[MOST];
    int codes[MOST];
    struct kl_error errors[MOST];
};

static void try_point(void *context, size_t i, int thread)
{
    struct trial *t = context;
    const struct kl_sweep_job *job = t->points->job;
    struct kl_head_run run = { .v = &t->points->points[t->tried[i]].v,
                               .log = &t->quiet,
                               .input = job->input,
                               .device = job->device ? *job->device : (struct kl_device){ 0 } };
    (void)thread;
    t->codes[i] = kl_head_run_estimate(&t->estimates[i], &run, t->features, t->shared, &t->errors[i]);
    kl_head_run_close(&run);
}

/* The epochs that n points train while the worse half of them is dropped, again and again, in parts of
   what they would train without. */
static double share_of_halving(size_t n, int64_t epochs)
{
    int64_t sum = 0, before = 0;
    size_t left = n;
    for (int k = kl_sweep_rounds(n, epochs); k >= 0; k--, left = (left + 1) / 2) {
        sum += (int64_t)left * ((epochs >> k) - before);
        before = epochs >> k;
    }
    return (double)sum / ((double)n * (double)epochs);
}

/* Which of n points is tried as the i-th of `tried`: one of each part, and of these not always the same
   place, since in a grid that may always be the same value. */
static size_t choose(size_t i, size_t n, size_t tried)
{
    const double golden = 0.61803398875, place = (double)i * golden + 0.5;
    return (size_t)(((double)i + place - floor(place)) * (double)n / (double)tried);
}

/* Tries some of `todo`. A point that diverges has taken no time. */
static int try_some(struct kl_estimate *estimate, struct trial *t, const size_t *todo, size_t n,
                    struct kl_pool *pool, struct kl_error *err)
{
    const size_t threads = (size_t)kl_pool_size(pool), tried = n < MOST ? n : MOST;
    const struct kl_sweep_job *job = t->points->job;
    const bool share = n < threads && !(job->device && job->device->cuda);
    double sum = 0, longest = 0;
    t->shared = share ? pool : NULL;
    for (size_t i = 0; i < tried; i++) t->tried[i] = todo[tried < n ? choose(i, n, tried) : i];
    kl_pool_for(share ? NULL : pool, tried, try_point, t);
    for (size_t i = 0; i < tried; i++) {
        const double seconds = t->codes[i] ? 0 : t->estimates[i].seconds;
        if (t->codes[i] && t->codes[i] != KL_EDATA)
            return kl_fail(err, t->codes[i], "%s: %s", t->points->points[t->tried[i]].name,
                           t->errors[i].text);
        sum += seconds;
        if (seconds > longest) longest = seconds;
        estimate->at_most |= t->estimates[i].at_most;
    }
    estimate->seconds = sum / (double)tried * (double)n / (share ? 1 : (double)threads);
    if (job->halving) estimate->seconds *= share_of_halving(n, job->base->train.options.epochs);
    if (estimate->seconds < longest) estimate->seconds = longest;
    return KL_OK;
}

int kl_sweep_estimate(struct kl_estimate *estimate, const struct kl_sweep_points *points, size_t first,
                      size_t n, struct kl_pool *pool, struct kl_error *err)
{
    const struct kl_sweep_job *job = points->job;
    struct trial t = { .points = points, .quiet = { "", job->log->to, 0, NULL } };
    struct kl_features features = { 0 };
    size_t *todo = malloc((n + 1) * sizeof *todo), n_todo = 0;
    *estimate = (struct kl_estimate){ 0 };
    if (!todo) return kl_fail_memory(err, n * sizeof *todo);
    for (size_t i = first; i < first + n; i++) {
        const struct kl_sweep_point *p = &points->points[i];
        const bool train = job->halving || p->v.common.force || !kl_store_is_up_to_date(p->path, p->key);
        if (train) todo[n_todo++] = i;
    }
    int code = n_todo ? kl_features_load(&features, job->input, err) : KL_OK;
    t.features = &features;
    if (!code && n_todo) code = try_some(estimate, &t, todo, n_todo, pool, err);
    kl_features_free(&features);
    free(todo);
    return code;
}
