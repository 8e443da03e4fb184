/* SPDX-License-Identifier: MIT
   What a run of chains found, in words: a rung's mean losses with their Monte-Carlo error, and what to
   read them with. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "sampling/chain/sample.h"
#include "sampling/diagnose/diagnose.h"

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

/* From the correlations within chains too, where all have as many draws, and enough. */
static int diagnose(struct kl_sampling_told *told, const struct kl_sampling_run *run, size_t rung,
                    int64_t chains, struct kl_error *err)
{
    struct kl_sampling_traces *traces = NULL;
    struct kl_sampling_trace t = { 0 };
    kl_sampling_run_trace(&t, run, rung, 0);
    const int64_t draws = t.draws;
    told->r_hat = told->ess = NAN, told->mcse = error_of_chains(run, rung, chains);
    for (int64_t c = 1; c < chains; c++) {
        kl_sampling_run_trace(&t, run, rung, c);
        if (t.draws != draws) return 0;
    }
    if (draws < 4) return 0;
    double *x = malloc((size_t)(chains * draws) * sizeof *x);
    int code = x ? kl_sampling_traces_open(&traces, (size_t)chains, (size_t)draws, err)
                 : kl_fail_memory(err, (size_t)(chains * draws) * sizeof *x);
    for (int64_t c = 0; c < chains && !code; c++) {
        kl_sampling_run_trace(&t, run, rung, c);
        for (int64_t i = 0; i < draws; i++) x[c * draws + i] = t.train_loss[i];
    }
    if (!code) {
        kl_sampling_traces_take(traces, x);
        told->r_hat = kl_sampling_rhat(traces, KL_SAMPLING_RHAT_RANK);
        told->ess = fmin(kl_sampling_ess(traces, KL_SAMPLING_ESS_BULK),
                         kl_sampling_ess(traces, KL_SAMPLING_ESS_TAIL));
        told->mcse = kl_sampling_mcse_mean(traces);
    }
    kl_sampling_traces_close(&traces);
    free(x);
    return code;
}

int kl_sampling_tell_make(struct kl_sampling_told *told, const struct kl_sampling_run *run,
                          size_t n_rungs, int64_t chains, struct kl_error *err)
{
    int code = 0;
    for (size_t k = 0; k < n_rungs && !code; k++) {
        struct average loss = { 0 }, wrong = { 0 }, test = { 0 }, test_wrong = { 0 }, virial = { 0 },
                       accept = { 0 };
        struct kl_sampling_trace t = { 0 };
        for (int64_t c = 0; c < chains; c++) {
            kl_sampling_run_trace(&t, run, k, c);
            add(&loss, t.train_loss, t.draws), add(&wrong, t.train01, t.draws);
            add(&test, t.test_loss, t.draws), add(&test_wrong, t.test01, t.draws),
                add(&virial, t.virial, t.draws);
            if (!isnan(t.acceptance)) accept.sum += t.acceptance, accept.n++;
        }
        told[k] = (struct kl_sampling_told){ .beta = t.beta,
                                             .train_loss = of(&loss),
                                             .train01 = of(&wrong),
                                             .test_loss = of(&test),
                                             .test01 = of(&test_wrong),
                                             .virial = of(&virial),
                                             .acceptance = of(&accept),
                                             .draws = loss.n };
        code = diagnose(&told[k], run, k, chains, err);
    }
    return code;
}

static void caution_mixing(const struct kl_sampling_told *told, size_t n, const struct kl_log *log)
{
    size_t split = 0, few = 0, worst = 0, least = 0;
    for (size_t k = 0; k < n; k++) {
        if (told[k].r_hat > 1.01 && (!split++ || told[k].r_hat > told[worst].r_hat)) worst = k;
        if (told[k].ess < 400 && (!few++ || told[k].ess < told[least].ess)) least = k;
    }
    if (split)
        kl_caution(log,
                   "chains disagree at %zu of %zu betas: R-hat of the training loss is %.3g at beta %g, "
                   "expected at most "
                   "1.01; longer chains",
                   split, n, told[worst].r_hat, told[worst].beta);
    if (few)
        kl_caution(log,
                   "few effective draws at %zu of %zu betas: %.0f at beta %g, expected 400; the errors "
                   "told are themselves "
                   "uncertain",
                   few, n, told[least].ess, told[least].beta);
}

void kl_sampling_tell_cautions(const struct kl_sampling_told *told, size_t n, const struct kl_log *log)
{
    static const double most = 0.1; /* from 1, where a chain is at equilibrium */
    size_t off = 0, worst = 0;
    caution_mixing(told, n, log);
    for (size_t k = 0; k < n; k++) {
        if (told[k].beta <= 0 || !(fabs(told[k].virial - 1) > most))
            continue; /* at 0 there is no force to balance */
        if (!off++ || fabs(told[k].virial - 1) > fabs(told[worst].virial - 1)) worst = k;
    }
    if (!off) return;
    kl_caution(log,
               "%zu of %zu betas are not at equilibrium: the virial ratio, 1 there, is %.3g at beta %g; "
               "longer chains, "
               "smaller steps, or do not read their losses as posterior means",
               off, n, told[worst].virial, told[worst].beta);
}

void kl_sampling_tell_line(FILE *to, const struct kl_sampling_told *told, size_t n)
{
    fputs("mean training loss", to);
    for (size_t k = 0; k < n; k++) {
        fprintf(to, "%s %.4g", k ? "," : "", told[k].train_loss);
        if (!isnan(told[k].mcse)) fprintf(to, " +- %.1g", told[k].mcse);
        fprintf(to, " at beta %g", told[k].beta);
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
    for (size_t k = 0; k < n; k++) {
        const struct kl_sampling_told *t = &told[k];
        const struct {
            const char *name;
            double value;
        } members[] = {
            { "beta", t->beta },       { "train_loss", t->train_loss }, { "train_loss_mcse", t->mcse },
            { "train01", t->train01 }, { "test_loss", t->test_loss },   { "test01", t->test01 },
            { "virial", t->virial },   { "acceptance", t->acceptance }, { "r_hat", t->r_hat },
            { "ess", t->ess },         { "draws", (double)t->draws },
        };
        json_t *rung = json_object();
        for (size_t i = 0; i < sizeof members / sizeof *members; i++)
            json_object_set_new(rung, members[i].name, number(members[i].value));
        json_array_append_new(list, rung);
    }
    return list;
}

int kl_sampling_tell_json(FILE *to, const struct kl_stage *stage, const struct kl_sampling_told *told,
                          size_t n, double seconds, struct kl_error *err)
{
    json_t *all = json_object(), *cautions = NULL, *output = NULL;
    char *line = NULL;
    int code = kl_json_lines(&cautions, stage->log->cautions ? stage->log->cautions->lines : NULL, err);
    if (!code) code = kl_json_string(&output, stage->common->output, err);
    json_object_set_new(all, "output", output);
    json_object_set_new(all, "key", json_string(stage->key));
    json_object_set_new(all, "status", json_string("computed"));
    json_object_set_new(all, "ladder", rungs(told, n));
    json_object_set_new(all, "seconds", number(seconds));
    json_object_set_new(all, "cautions", cautions);
    if (!code) code = kl_json_dump_as(&line, all, JSON_COMPACT | JSON_PRESERVE_ORDER, err);
    if (!code) fprintf(to, "%s\n", line);
    free(line);
    json_decref(all);
    return code;
}
