/* SPDX-License-Identifier: MIT
   What scores are worth: the labels of a pair's rows are permuted, and the scores computed anew. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/course.h"
#include "kernels/inline/philox.h"
#include "stats/ranks.h"
#include "qrng/pairs/planes.h"

struct job {
    const struct kl_planes *planes;
    const struct kl_shares *shares;
    struct kl_labelling *labellings; /* one a thread */
    double *scores;                  /* [permutations, KL_N_SCORES] */
    uint64_t seed;
    size_t n, first, chunk; /* permutations: all, done, those that a thread takes at a time */
    uint32_t pair, wanted;
};

static void permute_once(const struct job *job, size_t i, struct kl_labelling *l)
{
    const struct kl_planes *p = job->planes;
    kl_draw_labels(l->mask, l->noise, p, job->seed, KL_RANDOM_LABELS, (uint32_t)i, job->pair);
    kl_labelling_scores(job->scores + i * KL_N_SCORES, job->wanted, l, p, job->shares);
}

static void permute_some(void *context, size_t chunk, int thread)
{
    if (kl_signals_pending()) return; /* what calls this asks as well */
    const struct job *job = context;
    const size_t from = job->first + chunk * job->chunk;
    for (size_t i = from; i < from + job->chunk && i < job->n; i++)
        permute_once(job, i, &job->labellings[thread]);
}

/* Some at a time, which take about a tenth of a second. */
static int permute_all(struct job *job, struct kl_pool *pool, struct kl_course *course,
                       struct kl_error *err)
{
    enum { ROWS = 1 << 22, CHUNK = 32 };
    const size_t some = 1 + ROWS / job->planes->rows;
    int code = KL_OK;
    job->chunk = some < CHUNK ? some : CHUNK;
    const size_t most = (size_t)kl_pool_size(pool) * (some / job->chunk) * job->chunk;
    for (size_t n; !code && job->first < job->n; job->first += n) {
        n = job->n - job->first < most ? job->n - job->first : most;
        kl_pool_for(pool, (n + job->chunk - 1) / job->chunk, permute_some, job);
        code = kl_course_step(course, n, NULL, err);
    }
    return code;
}

/* p = (1 + permutations that score as high) / (1 + permutations) (Phipson & Smyth 2010,
   doi:10.2202/1544-6115.1585). */
static void judge(struct kl_pair_result *r, uint32_t wanted, const double *scores, double *column,
                  size_t n)
{
    for (int s = 0; s < KL_N_SCORES; s++) {
        size_t as_high = 0;
        double sum = 0;
        r->p[s] = r->null_mean[s] = r->null_q95[s] = NAN;
        if (!n || !(wanted >> s & 1)) continue;
        for (size_t i = 0; i < n; i++) {
            column[i] = scores[i * KL_N_SCORES + (size_t)s];
            as_high += column[i] >= r->score[s];
            sum += column[i];
        }
        kl_stats_sort(column, n);
        r->p[s] = (1 + (double)as_high) / (1 + (double)n);
        r->null_mean[s] = sum / (double)n;
        r->null_q95[s] = kl_stats_sorted_quantile(column, n, 0.95);
    }
}

static int run(struct kl_pair_result *r, struct job *job, size_t n, struct kl_pool *pool,
               struct kl_course *course, struct kl_error *err)
{
    const struct kl_planes *p = job->planes;
    double *column = malloc((n + 1) * sizeof *column);
    int code = column ? KL_OK : kl_fail_memory(err, n * sizeof *column);
    for (int t = 0; t < kl_pool_size(pool) && !code; t++)
        code = kl_labelling_make(&job->labellings[t], p, err);
    if (!code) {
        memcpy(job->labellings[0].mask, p->first, p->words * sizeof *p->first);
        kl_labelling_scores(r->score, KL_ALL_SCORES, &job->labellings[0], p, job->shares);
        job->n = n;
        code = permute_all(job, pool, course, err);
        if (!code) judge(r, job->wanted, job->scores, column, n);
    }
    for (int t = 0; t < kl_pool_size(pool); t++) kl_labelling_free(&job->labellings[t]);
    free(column);
    return code;
}

int kl_permute(struct kl_pair_result *r, const struct kl_planes *p, uint32_t wanted, size_t permutations,
               uint64_t seed, uint32_t pair, struct kl_pool *pool, struct kl_course *course,
               struct kl_error *err)
{
    struct kl_shares shares[2] = { 0 };
    struct job job = { .planes = p, .shares = shares, .seed = seed, .pair = pair, .wanted = wanted };
    const size_t bytes = (permutations + 1) * KL_N_SCORES * sizeof *job.scores;
    job.scores = malloc(bytes);
    job.labellings = calloc((size_t)kl_pool_size(pool), sizeof *job.labellings);
    int code = job.scores && job.labellings ? KL_OK : kl_fail_memory(err, bytes);
    if (!code) code = kl_shares_make(&shares[0], p->rows_a, err);
    if (!code) code = kl_shares_make(&shares[1], p->rows - p->rows_a, err);
    if (!code) code = run(r, &job, permutations, pool, course, err);
    kl_shares_free(&shares[0]), kl_shares_free(&shares[1]);
    free(job.scores), free(job.labellings);
    return code;
}
