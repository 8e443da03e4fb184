/* SPDX-License-Identifier: MIT
   The evidence of a head out of the ladder that was sampled. */
#include <math.h>
#include <stdlib.h>

#include "sampling/diagnose/diagnose.h"
#include "sampling/heads/heads.h"
#include "sampling/ladder/ladder.h"

/* Mean, its error, variance and R-hat of the loss at one temperature; x (chains, draws) is scratch. At
   beta 0 all draws are independent, which the effective number of draws tells. */
static int sum_up(struct kl_sampling_evidence *e, size_t k, const struct kl_sampling_run *run,
                  int64_t chains, double *x, int64_t draws, struct kl_error *err)
{
    struct kl_sampling_traces *traces = NULL;
    for (int64_t c = 0; c < chains; c++) {
        struct kl_sampling_trace t;
        kl_sampling_run_trace(&t, run, k, c);
        for (int64_t d = 0; d < draws; d++) x[c * draws + d] = t.train_loss[d];
    }
    const int code = kl_sampling_traces_open(&traces, (size_t)chains, (size_t)draws, err);
    if (!code) {
        kl_sampling_traces_take(traces, x);
        const double sd = kl_sampling_sd(traces), rhat = kl_sampling_rhat(traces, KL_SAMPLING_RHAT_RANK);
        e->mean[k] = kl_sampling_mean(traces);
        e->mcse[k] = kl_sampling_mcse_mean(traces);
        e->variance[k] = sd * sd;
        if (rhat > e->worst_rhat) e->worst_rhat = rhat, e->worst = k;
    }
    kl_sampling_traces_close(&traces);
    return code;
}

static int integrate(struct kl_sampling_evidence *e, struct kl_error *err)
{
    const struct kl_sampling_curve curve = { e->n_rungs, e->beta, e->mean, e->mcse, e->variance };
    struct kl_sampling_integral *to = calloc(e->n_rungs, sizeof *to);
    if (!to) return kl_fail_memory(err, e->n_rungs * sizeof *to);
    kl_sampling_integrate(to, &curve);
    const struct kl_sampling_integral *last = &to[e->n_rungs - 1];
    e->log_z = -last->hermite;
    e->low = -last->left;
    e->high = -last->right;
    e->mc = last->trapezoid_se;
    e->ladder = fabs(last->hermite - last->trapezoid);
    /* Of a ladder too coarse for its slopes they tell nothing. Where the loss rises with beta, low is
       above high. */
    if (!(e->log_z >= e->low && e->log_z <= e->high))
        e->log_z = -last->trapezoid, e->ladder = fabs(e->high - e->low) / 2;
    e->error = hypot(e->mc, e->ladder);
    free(to);
    return KL_OK;
}

/* All chains have as many draws, or as many as the one with the fewest. */
static int64_t fewest(const struct kl_sampling_run *run, size_t k, int64_t chains)
{
    int64_t least = INT64_MAX;
    for (int64_t c = 0; c < chains; c++) {
        struct kl_sampling_trace t;
        kl_sampling_run_trace(&t, run, k, c);
        if (t.draws < least) least = t.draws;
    }
    return least;
}

int kl_sampling_evidence_make(struct kl_sampling_evidence *e, const struct kl_sampling_run *run,
                              const struct kl_sampling_settings *s, struct kl_error *err)
{
    const size_t n = s->n_rungs;
    *e = (struct kl_sampling_evidence){ .n_rungs = n, .beta = calloc(4 * n, sizeof(double)) };
    if (!e->beta) return kl_fail_memory(err, 4 * n * sizeof(double));
    e->mean = e->beta + n, e->mcse = e->mean + n, e->variance = e->mcse + n;
    int code = KL_OK;
    for (size_t k = 0; k < n && !code; k++) {
        const int64_t draws = fewest(run, k, s->chains);
        double *x = malloc((size_t)(s->chains * draws + 1) * sizeof *x);
        e->beta[k] = s->rungs[k].beta;
        code = x ? sum_up(e, k, run, s->chains, x, draws, err)
                 : kl_fail_memory(err, (size_t)(s->chains * draws) * sizeof *x);
        free(x);
    }
    return code ? code : integrate(e, err);
}

void kl_sampling_evidence_free(struct kl_sampling_evidence *e)
{
    free(e->beta);
    *e = (struct kl_sampling_evidence){ 0 };
}

double kl_sampling_bayes_factor(double *error, const struct kl_sampling_evidence *a,
                                const struct kl_sampling_evidence *b)
{
    *error = hypot(a->error, b->error);
    return a->log_z - b->log_z;
}
