/* SPDX-License-Identifier: MIT
   `sgld diagnose`: whether a file's chains may be believed. It keeps no file. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "sampling/diagnose/verdict.h"
#include "store/mode.h"
#include "store/store.h"

#define TRACES "train_loss|train01|norm|test_loss|test01|virial"
struct values {
    struct kl_common common;
    const char *of;
    bool check;
};
#define AT(field) offsetof(struct values, field)
static const struct kl_option options[] = {
    { "of", 0, KL_OPT_CHOICE, AT(of), TRACES, 0, 0, false, "trace that is looked at", "Diagnostics",
      NULL },
    { "check", 0, KL_OPT_FLAG, AT(check), NULL, 0, 0, false, "exit status 1 where something is amiss",
      NULL, NULL },
};
const struct kl_tool kl_sampling_diagnose_tool = {
    .name = "sgld",
    .summary =
        "Says of each temperature's chains whether they have met and how exact their means are: R-hat, "
        "effective "
        "draws, standard errors, autocorrelation time, acceptance, virial ratio; WAIC and leave-one-out",
    .arguments = "diagnose CHAINS.h5",
    .example = "sgld diagnose chains.h5\n"
               "  sgld diagnose chains.h5 --of norm --check",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .without = "output store force dry-run key note no-provenance progress seed device",
    .chosen_by = "diagnose",
};

static void defaults(void *values)
{
    ((struct values *)values)->of = "train_loss";
}

/* Posterior: what is a function of the weights and the training set; the others stand in sample_stats.
 */
static void full_name(char name[64], const char *of)
{
    const bool posterior = kl_choice("train_loss|train01|norm", of) >= 0;
    snprintf(name, 64, "%s/%s", posterior ? "posterior" : "sample_stats", of);
}

/* "none" where there cannot be one: of a trace that does not vary. */
static void cell(FILE *to, int width, const char *format, double value, bool none)
{
    char text[32];
    snprintf(text, sizeof text, "%s", none ? "none" : "-");
    if (isfinite(value)) snprintf(text, sizeof text, format, value);
    fprintf(to, " %*s", width, text);
}

static void tell(FILE *to, const struct kl_sampling_verdict *v, const struct kl_sampling_chains *c,
                 const char *path, const char *of)
{
    fprintf(to, "%s: %zu chain%s, %zu temperature%s; %s\n", path, c->chains, kl_s(c->chains), c->n_betas,
            kl_s(c->n_betas), of);
    fprintf(to, "%9s %7s %10s %8s %6s %6s %6s %6s %6s %7s %8s\n", "beta", "draws", "mean", "MCSE",
            "R-hat", "bulk", "tail", "time", "accept", "virial", "norm");
    for (size_t b = 0; b < c->n_betas; b++, v++) {
        const bool none = v->still == v->chains;
        fprintf(to, "%9.6g %7zu", v->beta, v->draws);
        cell(to, 10, "%.5g", v->mean, false), cell(to, 8, "%.2g", v->mcse, none);
        cell(to, 6, v->rhat < 10 ? "%.4f" : v->rhat < 1000 ? "%.2f" : "%.0e", v->rhat, none);
        cell(to, 6, "%.0f", v->bulk, none), cell(to, 6, "%.0f", v->tail, none);
        cell(to, 6, "%.3g", v->time, none), cell(to, 6, "%.3f", v->acceptance, false);
        cell(to, 7, "%.4f", v->virial, false), cell(to, 8, "%.5g", v->norm, false);
        fputc('\n', to);
    }
}

static void tell_scores(FILE *to, const struct kl_sampling_scores *s)
{
    const struct kl_sampling_predictive *p = &s->predictive;
    fprintf(to,
            "log density of %zu records, %zu draws: WAIC %.6g (standard error %.3g, %.3g parameters), "
            "leave-one-out %.6g (%.3g, %.3g)\n",
            s->records, s->draws, p->waic, p->waic_se, p->waic_parameters, p->loo, p->loo_se,
            p->loo_parameters);
}

/* ---- what the run measured of its step's bias ---- */
/* NAME (betas) and NAME_se of the group `bias`; *values is NULL where the run had no such check. */
static int load_bias(double **values, double **errors, const struct kl_sampling_chains *c,
                     const char *name, struct kl_error *err)
{
    char full[2][40];
    void *data = NULL;
    snprintf(full[0], sizeof full[0], "bias/%s", name);
    snprintf(full[1], sizeof full[1], "bias/%s_se", name);
    if (!kl_store_file_find(c->file, full[0])) return KL_OK;
    int code = kl_store_file_load_shape(&data, c->file, full[0], KL_TYPE_F64, 1, &c->n_betas, err);
    *values = data, data = NULL;
    if (!code)
        code = kl_store_file_load_shape(&data, c->file, full[1], KL_TYPE_F64, 1, &c->n_betas, err);
    *errors = data;
    return code;
}

/* A line of it, and a caution where it is more than chance explains. to NULL: the caution alone. */
static int tell_bias(FILE *to, const struct kl_sampling_chains *c, const char *name, const char *words,
                     const struct kl_log *log, bool *amiss, struct kl_error *err)
{
    double *values = NULL, *errors = NULL, most = 0;
    size_t worst = 0;
    const int code = load_bias(&values, &errors, c, name, err);
    if (!code && values && to) fprintf(to, "%s:", words);
    for (size_t b = 0; b < c->n_betas && !code && values; b++) {
        if (!isfinite(values[b]) || !(c->beta[b] > 0)) continue;
        if (to) fprintf(to, " %.2g +- %.1g at beta %.6g;", values[b], errors[b], c->beta[b]);
        if (fabs(values[b]) > most * errors[b]) most = fabs(values[b]) / errors[b], worst = b;
    }
    if (!code && values && to) fputc('\n', to);
    if (most > 4)
        kl_caution(log, "%s: %.3g +- %.1g at beta %.6g, %.0f standard errors from 0: smaller steps",
                   words, values[worst], errors[worst], c->beta[worst], most);
    *amiss |= most > 4;
    free(values), free(errors);
    return code;
}

static int tell_biases(FILE *to, const struct kl_sampling_chains *c, const struct kl_log *log,
                       bool *amiss, struct kl_error *err)
{
    const int code =
        tell_bias(to, c, "half_step", "mean loss less that at half the step", log, amiss, err);
    return code ? code
                : tell_bias(to, c, "companion", "excess variance of the Gaussian companion", log, amiss,
                            err);
}

static void warn_scores(const struct kl_log *log, const struct kl_sampling_scores *s, bool *amiss)
{
    const struct kl_sampling_predictive *p = &s->predictive;
    if (p->large_k)
        kl_caution(log, "Pareto k above %.2g at %zu of %zu records: leave-one-out is unreliable",
                   p->good_k, p->large_k, s->records);
    if (p->large_variance)
        kl_caution(log,
                   "the log density of %zu of %zu records varies by more than 0.4: WAIC is unreliable",
                   p->large_variance, s->records);
    *amiss |= p->large_k > 0 || p->large_variance > 0;
}

/* A predictive density is one of the posterior: of a loss that is minus a log likelihood, at beta = n.
 */
static int warn_of_law(const struct kl_sampling_chains *c, const struct kl_log *log,
                       struct kl_error *err)
{
    const double last = c->beta[c->n_betas - 1];
    char *loss = NULL;
    double n = last;
    int code = KL_OK;
    if (kl_store_file_has_attribute(c->file, "", "loss"))
        code = kl_store_file_text(&loss, c->file, "", "loss", err);
    if (!code && kl_store_file_has_attribute(c->file, "", "n"))
        code = kl_store_file_number(&n, c->file, "", "n", err);
    if (!code && loss && kl_choice("bce|ce|bbce", loss) < 0)
        kl_caution(log,
                   "the loss %s is minus no log likelihood: WAIC and leave-one-out mean nothing here",
                   loss);
    else if (!code && last != n)
        kl_caution(
            log,
            "the log densities are of beta %.6g, while the posterior of %.0f records is at beta %.0f",
            last, n, n);
    free(loss);
    return code;
}

/* ---- JSON ---- */
static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *row_json(const struct kl_sampling_verdict *v)
{
    return json_pack("{s:o,s:I,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "beta",
                     number(v->beta), "draws", (json_int_t)v->draws, "mean", number(v->mean), "mcse",
                     number(v->mcse), "sd", number(v->sd), "rhat", number(v->rhat), "ess_bulk",
                     number(v->bulk), "ess_tail", number(v->tail), "autocorrelation_time",
                     number(v->time), "acceptance", number(v->acceptance), "step", number(v->step),
                     "virial", number(v->virial), "virial_mcse", number(v->virial_mcse), "norm",
                     number(v->norm));
}

static json_t *scores_json(const struct kl_sampling_scores *s)
{
    const struct kl_sampling_predictive *p = &s->predictive;
    return json_pack("{s:I,s:I,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:I,s:I}", "draws", (json_int_t)s->draws,
                     "records", (json_int_t)s->records, "efficiency", number(s->efficiency), "waic",
                     number(p->waic), "waic_se", number(p->waic_se), "waic_parameters",
                     number(p->waic_parameters), "loo", number(p->loo), "loo_se", number(p->loo_se),
                     "loo_parameters", number(p->loo_parameters), "good_k", number(p->good_k), "large_k",
                     (json_int_t)p->large_k, "large_variance", (json_int_t)p->large_variance);
}

/* scores NULL: there are none. */
static int tell_json(FILE *to, const struct kl_sampling_verdict *v, const struct kl_sampling_chains *c,
                     const char *path, const char *of, const struct kl_sampling_scores *scores,
                     bool amiss, const struct kl_log *log, struct kl_error *err)
{
    json_t *rows = json_array(), *name = NULL, *cautions = NULL, *all = NULL;
    char *text = NULL;
    int code = kl_json_string(&name, path, err);
    if (!code) code = kl_json_lines(&cautions, kl_json_cautions(log).text, err);
    for (size_t b = 0; b < c->n_betas && !code; b++)
        if (json_array_append_new(rows, row_json(&v[b]))) code = kl_fail_memory(err, 1024);
    json_t *predictive = code ? NULL : scores ? scores_json(scores) : json_null();
    if (!code) {
        all = json_pack("{s:O,s:s,s:I,s:O,s:O,s:b,s:O}", "file", name, "of", of, "chains",
                        (json_int_t)c->chains, "temperatures", rows, "predictive", predictive, "amiss",
                        amiss, "cautions", cautions);
        code = all ? kl_json_dump(&text, all, err) : kl_fail_memory(err, 4096);
    }
    if (!code) fprintf(to, "%s\n", text);
    free(text);
    json_decref(all), json_decref(rows), json_decref(name), json_decref(cautions),
        json_decref(predictive);
    return code;
}

static int make(struct kl_mode_run *run, const struct kl_sampling_chains *c, const char *path,
                struct kl_pool *pool, struct kl_error *err)
{
    const struct values *v = run->values;
    struct kl_sampling_verdict *verdicts = NULL;
    struct kl_sampling_scores scores;
    bool found = false;
    char of[64];
    full_name(of, v->of);
    int code = kl_sampling_verdicts(&verdicts, c, of, pool, err);
    if (!code) code = kl_sampling_scores(&scores, &found, c, pool, err);
    if (code) {
        free(verdicts);
        return code;
    }
    bool amiss = kl_sampling_warn(run->stage.log, verdicts, c->n_betas, "", v->of, NULL);
    if (found) warn_scores(run->stage.log, &scores, &amiss);
    const bool table = !v->common.json && !v->common.quiet;
    if (table) tell(run->out, verdicts, c, path, v->of);
    code = tell_biases(table ? run->out : NULL, c, run->stage.log, &amiss, err);
    if (!code && found) code = warn_of_law(c, run->stage.log, err);
    if (code) {
        free(verdicts);
        return code;
    }
    if (v->common.json) {
        code = tell_json(run->out, verdicts, c, path, v->of, found ? &scores : NULL, amiss,
                         run->stage.log, err);
    } else if (table && found) {
        tell_scores(run->out, &scores);
    }
    free(verdicts);
    if (code || !v->check || !amiss) return code;
    *err = (struct kl_error){ .code = KL_ENO };
    return KL_ENO;
}

static int run(struct kl_mode_run *run, struct kl_error *err)
{
    const struct values *v = run->values;
    struct kl_sampling_chains chains = { 0 };
    struct kl_pool *pool = NULL;
    const char *path = *run->stage.inputs;
    int code = kl_sampling_chains_open(&chains, path, err);
    if (!code) code = kl_pool_create(&pool, (int)v->common.threads, err);
    if (!code) code = make(run, &chains, path, pool, err);
    kl_pool_destroy(&pool);
    kl_sampling_chains_close(&chains);
    return code;
}

const struct kl_mode kl_sampling_mode_diagnose = {
    .tool = &kl_sampling_diagnose_tool, .defaults = defaults, .run = run, .keeps_nothing = true
};
