/* SPDX-License-Identifier: MIT
   Whether a run's chains may be believed, in memory: as `sgld diagnose` says it of their file. */
#include <math.h>
#include <stdlib.h>

#include "sampling/chain/chain_int.h"
#include "sampling/diagnose/verdict.h"

static int64_t fewest(const struct kl_sampling_run *run, size_t rung)
{
    int64_t least = INT64_MAX;
    for (int64_t c = 0; c < run->settings.chains; c++) {
        const int64_t draws = kl_sampling_run_chain(run, 0, rung, c)->at.draws;
        if (draws < least) least = draws;
    }
    return least;
}

static void pack(double *x, const struct kl_sampling_run *run, size_t rung, int64_t draws, int field)
{
    for (int64_t c = 0; c < run->settings.chains; c++) {
        const float *trace = kl_sampling_run_chain(run, 0, rung, c)->trace[field];
        for (int64_t d = 0; d < draws; d++) x[c * draws + d] = (double)trace[d];
    }
}

/* x: (chains, draws) */
static int judge(struct kl_sampling_verdict *v, double *x, const struct kl_sampling_run *run,
                 size_t rung, int64_t draws, struct kl_error *err)
{
    struct kl_sampling_traces *traces = NULL;
    double norm = 0;
    const int code = kl_sampling_traces_open(&traces, v->chains, (size_t)draws, err);
    if (code) return code;
    pack(x, run, rung, draws, KL_SAMPLING_LOSS);
    kl_sampling_traces_take(traces, x), kl_sampling_verdict_of_trace(v, traces);
    pack(x, run, rung, draws, KL_SAMPLING_VIRIAL);
    kl_sampling_traces_take(traces, x), kl_sampling_verdict_of_virial(v, traces);
    pack(x, run, rung, draws, KL_SAMPLING_RADIUS);
    for (size_t i = 0; i < v->chains * (size_t)draws; i++) norm += x[i];
    v->norm = norm / (double)(v->chains * (size_t)draws);
    kl_sampling_traces_close(&traces);
    return KL_OK;
}

static int of_rung(struct kl_sampling_verdict *v, const struct kl_sampling_run *run, size_t rung,
                   struct kl_error *err)
{
    const struct kl_sampling_settings *s = &run->settings;
    const int64_t draws = fewest(run, rung);
    double *x = malloc((v->chains * (size_t)(draws + 1)) * sizeof *x), step = 0;
    if (!x) return kl_fail_memory(err, v->chains * (size_t)draws * sizeof *x);
    const int code = draws > 0 ? judge(v, x, run, rung, draws, err) : KL_OK;
    v->refuses = s->sampler == KL_SAMPLING_MALA || s->sampler == KL_SAMPLING_HMC;
    if (s->tune) v->target = s->target_accept;
    for (int64_t c = 0; c < s->chains; c++) {
        const struct kl_sampling_chain *chain = kl_sampling_run_chain(run, 0, rung, c);
        x[c] = kl_sampling_chain_acceptance(chain), step += kl_sampling_chain_step(chain);
    }
    kl_sampling_verdict_of_acceptance(v, x);
    v->step = step / (double)s->chains;
    free(x);
    return code;
}

int kl_sampling_run_verdicts(struct kl_sampling_verdict **verdicts, const struct kl_sampling_run *run,
                             struct kl_error *err)
{
    const struct kl_sampling_settings *s = &run->settings;
    struct kl_sampling_verdict *v = *verdicts = malloc(s->n_rungs * sizeof *v);
    int code = v ? KL_OK : kl_fail_memory(err, s->n_rungs * sizeof *v);
    for (size_t k = 0; k < s->n_rungs && !code; k++) {
        v[k] = kl_sampling_verdict_none(s->rungs[k].beta, (size_t)s->chains);
        code = of_rung(&v[k], run, k, err);
    }
    if (code) free(v), *verdicts = NULL;
    return code;
}

void kl_sampling_run_say_warmup(const struct kl_sampling_run *run, const struct kl_log *log)
{
    int64_t most = 0;
    size_t longer = 0, at_limit = 0;
    for (size_t i = 0; i < run->per_role; i++) {
        const struct kl_sampling_chain *c = &run->chains[i];
        if (!c->adapts || (c->at.warm <= c->warmup && kl_sampling_tune_near(c))) continue;
        longer++, at_limit += !kl_sampling_tune_near(c);
        if (c->at.warm > most) most = c->at.warm;
    }
    if (longer)
        kl_note(
            log, 1,
            "the warm-up of %zu of %zu chains went on until the acceptance was near %g, to %lld epochs "
            "at most",
            longer, run->per_role, run->settings.target_accept, (long long)most);
    if (at_limit)
        kl_caution(
            log,
            "the warm-up of %zu of %zu chains ended at its limit, ten times what was asked for and "
            "at least 1000 epochs, before the acceptance was near %g",
            at_limit, run->per_role, run->settings.target_accept);
}
