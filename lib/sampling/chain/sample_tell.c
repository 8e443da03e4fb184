/* SPDX-License-Identifier: MIT
   What a run of chains found, in words, and whether its chains may be believed. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "sampling/chain/chain_int.h"
#include "sampling/chain/sample.h"
#include "sampling/diagnose/verdict.h"

/* ---- verdicts ----
   Whether a run's chains may be believed, in memory: as `sgld diagnose` says it of their file. */

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

/* Its prior does not change with beta. */
static bool run_is_gibbs(const struct kl_sampling_run *run)
{
    return run->settings.convention == KL_SAMPLING_GIBBS;
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
        kl_note(log, 1,
                "the warm-up of %zu of %zu chains was extended until the acceptance was near %g, to "
                "%lld epochs at most",
                longer, run->per_role, run->settings.target_accept, (long long)most);
    if (at_limit)
        kl_caution(
            log,
            "the warm-up of %zu of %zu chains ended at its limit, ten times what was asked for and "
            "at least 1000 epochs, before the acceptance was near %g",
            at_limit, run->per_role, run->settings.target_accept);
}

/* ---- sample tell ----
   What a run of chains found, in words: a rung's mean losses with their Monte-Carlo error, and what to
   read them with. */

/* Mean over the draws that there are; *n of them are added. */
static double mean(const float *values, int64_t draws, int64_t *n)
{
    double sum = 0;
    int64_t count = 0;
    for (int64_t i = 0; values && i < draws; i++)
        if (!isnan(values[i])) sum += values[i], count++;
    *n += count;
    return count ? sum / (double)count : NAN;
}

/* Sums over chains of chains' means, each as heavy as its draws. */
struct average {
    double sum;
    int64_t n;
};
static void add(struct average *a, const float *values, int64_t draws)
{
    int64_t n = 0;
    const double m = mean(values, draws, &n);
    if (n) a->sum += m * (double)n, a->n += n;
}
static double of(const struct average *a)
{
    return a->n ? a->sum / (double)a->n : NAN;
}

/* Chains are independent: the deviation of their means over the root of their number is the error of the
   mean, whatever the correlation within a chain. One chain alone has none. */
static double error_of_chains(const struct kl_sampling_run *run, size_t rung, int64_t chains)
{
    double sum = 0, squares = 0;
    int64_t n = 0;
    for (int64_t c = 0; c < chains; c++) {
        struct kl_sampling_trace t = { 0 };
        int64_t draws = 0;
        kl_sampling_run_trace(&t, run, rung, c);
        const double m = mean(t.train_loss, t.draws, &draws);
        if (!draws) continue;
        const double from = m - (n ? sum / (double)n : m);
        sum += m, n++;
        squares += from * (m - sum / (double)n);
    }
    return n > 1 ? sqrt(squares / (double)(n - 1) / (double)n) : NAN;
}

/* What --epochs and --warmup say; where temperatures differ in them, or a rule ends chains, no number.
   Chains at infinite temperature are drawn from the prior: they warm up in none. */
static struct kl_sampling_lengths lengths_of(const struct kl_sampling_run *run)
{
    struct kl_sampling_lengths had = { .option = "--epochs" };
    const struct kl_sampling_settings *s = &run->settings;
    if (s->stop.on || !s->n_rungs) return had;
    had.n = s->rungs[0].epochs, had.warmup = s->rungs[s->n_rungs - 1].warmup;
    for (size_t k = 0; k < s->n_rungs; k++) {
        if (s->rungs[k].epochs != had.n) had.n = 0;
        if (s->rungs[k].warmup && s->rungs[k].warmup != had.warmup) had.warmup = 0;
    }
    return had;
}

int kl_sampling_tell_make(struct kl_sampling_told *told, const struct kl_sampling_run *run,
                          size_t n_rungs, int64_t chains, const struct kl_log *log, struct kl_error *err)
{
    struct kl_sampling_verdict *verdicts = NULL;
    const int code = kl_sampling_run_verdicts(&verdicts, run, err);
    const struct kl_sampling_lengths had = lengths_of(run);
    if (!code) kl_sampling_warn(log, verdicts, n_rungs, "", "the training loss", &had);
    if (!code && run_is_gibbs(run)) kl_sampling_warn_rise(log, verdicts, n_rungs);
    kl_sampling_run_say_warmup(run, log);
    for (size_t k = 0; k < n_rungs && !code; k++) {
        struct average loss = { 0 }, wrong = { 0 }, test = { 0 }, test_wrong = { 0 };
        int64_t warmup = 0;
        for (int64_t c = 0; c < chains; c++) {
            struct kl_sampling_trace t = { 0 };
            kl_sampling_run_trace(&t, run, k, c);
            add(&loss, t.train_loss, t.draws), add(&wrong, t.train01, t.draws);
            add(&test, t.test_loss, t.draws), add(&test_wrong, t.test01, t.draws);
            if (t.warmup > warmup) warmup = t.warmup;
        }
        told[k] = (struct kl_sampling_told){ .verdict = verdicts[k],
                                             .train_loss = of(&loss),
                                             .mcse = verdicts[k].mcse,
                                             .train01 = of(&wrong),
                                             .test_loss = of(&test),
                                             .test01 = of(&test_wrong),
                                             .draws = loss.n,
                                             .warmup = warmup };
        /* Of too few draws for more, chains still are as many means. */
        if (isnan(verdicts[k].mcse) && verdicts[k].still < verdicts[k].chains)
            told[k].mcse = error_of_chains(run, k, chains);
    }
    free(verdicts);
    return code;
}

void kl_sampling_tell_line(FILE *to, const struct kl_sampling_told *told, size_t n)
{
    fputs("mean training loss", to);
    for (size_t k = 0; k < n; k++) {
        fputs(k ? ", " : " ", to);
        if (isnan(told[k].train_loss)) fputs("none", to);
        else fprintf(to, "%.4g", told[k].train_loss);
        if (!isnan(told[k].mcse)) fprintf(to, " +- %.1g", told[k].mcse);
        else if (told[k].verdict.still) fputs(" +- none", to);
        fprintf(to, " at beta %g", told[k].verdict.beta);
    }
}

/* NaN is null. */
static json_t *number(double x)
{
    char text[32];
    snprintf(text, sizeof text, "%.6g", x);
    return isfinite(x) ? json_loads(text, JSON_DECODE_ANY, NULL) : json_null();
}

static json_t *rungs(const struct kl_sampling_told *told, size_t n)
{
    json_t *list = json_array();
    int bad = 0;
    for (size_t k = 0; k < n; k++) {
        const struct kl_sampling_told *t = &told[k];
        const struct kl_sampling_verdict *v = &t->verdict;
        const struct {
            const char *name;
            double value;
        } members[] = {
            { "beta", v->beta },
            { "train_loss", t->train_loss },
            { "train_loss_mcse", t->mcse },
            { "train01", t->train01 },
            { "test_loss", t->test_loss },
            { "test01", t->test01 },
            { "virial", v->virial },
            { "acceptance", v->acceptance },
            { "r_hat", v->rhat },
            { "ess", fmin(v->bulk, v->tail) },
            { "draws", (double)t->draws },
            { "warmup", (double)t->warmup },
        };
        json_t *rung = json_object();
        for (size_t i = 0; i < sizeof members / sizeof *members; i++)
            bad |= json_object_set_new(rung, members[i].name, number(members[i].value));
        bad |= json_array_append_new(list, rung);
    }
    if (!bad) return list;
    json_decref(list);
    return NULL;
}

int kl_sampling_tell_json(FILE *to, const struct kl_stage *stage, const struct kl_sampling_told *told,
                          size_t n, double seconds, struct kl_error *err)
{
    json_t *all = json_object(), *cautions = NULL, *output = NULL;
    char *line = NULL;
    int code = kl_json_lines(&cautions, stage->log->cautions ? stage->log->cautions->lines : NULL, err);
    if (!code) code = kl_json_string(&output, stage->common->output, err);
    int bad = json_object_set_new(all, "output", output);
    bad |= json_object_set_new(all, "key", json_string(stage->key));
    bad |= json_object_set_new(all, "status", json_string("computed"));
    bad |= json_object_set_new(all, "ladder", rungs(told, n));
    bad |= json_object_set_new(all, "seconds", number(seconds));
    bad |= json_object_set_new(all, "cautions", cautions);
    if (bad && !code) code = kl_fail_memory(err, 256);
    if (!code) code = kl_json_dump_as(&line, all, JSON_COMPACT | JSON_PRESERVE_ORDER, err);
    if (!code) fprintf(to, "%s\n", line);
    free(line);
    json_decref(all);
    return code;
}
