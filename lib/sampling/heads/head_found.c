/* SPDX-License-Identifier: MIT
   What `sgld head` found: the posterior's means, the evidences, in words, as JSON and into the file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/diagnose/diagnose.h"
#include "sampling/heads/mode_head.h"

/* Over all draws of all chains at the last temperature. */
static double mean_of(const struct kl_sampling_run *run, const struct kl_sampling_settings *s, int which)
{
    double sum = 0;
    int64_t n = 0;
    for (int64_t c = 0; c < s->chains; c++) {
        struct kl_sampling_trace t;
        kl_sampling_run_trace(&t, run, s->n_rungs - 1, c);
        const float *x[] = { t.train_loss, t.train01, t.test_loss, t.test01 };
        for (int64_t d = 0; d < t.draws; d++, n++) sum += x[which] ? x[which][d] : NAN;
    }
    return n ? sum / (double)n : NAN;
}

int kl_sampling_head_judge(struct kl_sampling_head_found *f, const struct kl_sampling_run *run,
                           const struct kl_sampling_settings *s, struct kl_error *err)
{
    struct kl_sampling_traces *traces = NULL;
    const size_t chains = (size_t)s->chains, last = s->n_rungs - 1;
    struct kl_sampling_trace t;
    kl_sampling_run_trace(&t, run, last, 0);
    const size_t draws = (size_t)t.draws;
    double *x = malloc((chains * draws + 1) * sizeof *x);
    if (!x) return kl_fail_memory(err, chains * draws * sizeof *x);
    f->acceptance = 0;
    for (size_t c = 0; c < chains; c++) {
        kl_sampling_run_trace(&t, run, last, (int64_t)c);
        for (size_t d = 0; d < draws; d++) x[c * draws + d] = t.train_loss[d];
        f->acceptance += t.acceptance / (double)chains;
    }
    const int code = kl_sampling_traces_open(&traces, chains, draws, err);
    if (!code) {
        kl_sampling_traces_take(traces, x);
        f->rhat = kl_sampling_rhat(traces, KL_SAMPLING_RHAT_RANK);
        f->ess = kl_sampling_ess(traces, KL_SAMPLING_ESS_BULK);
    }
    kl_sampling_traces_close(&traces);
    free(x);
    f->loss = mean_of(run, s, 0), f->error = mean_of(run, s, 1);
    f->test_loss = mean_of(run, s, 2), f->test_error = mean_of(run, s, 3);
    return code;
}

void kl_sampling_head_caution(const struct kl_sampling_head_found *f)
{
    const struct kl_log *log = f->stage->log;
    if (f->rhat > 1.01 || f->ess < 400)
        kl_caution(log,
                   "at the posterior the loss has R-hat %.3f and %.0f effective draws, expected at most "
                   "1.01 and at least "
                   "400: more --warmup, --draws or --leapfrogs",
                   f->rhat, f->ess);
    for (int i = 0; i < f->n; i++) {
        const struct kl_sampling_evidence *e = &f->evidence[i];
        if (!(e->ladder <= 3 * e->mc))
            kl_caution(
                log,
                "ln Z of %s: the ladder's own error, %.2g, is above that of chance, %.2g: more --rungs",
                f->names[i], e->ladder, e->mc);
        if (e->low > e->high)
            kl_caution(log,
                       "ln Z of %s: the mean loss rises with beta, which that of chains at equilibrium "
                       "never does; more --warmup",
                       f->names[i]);
        if (e->worst_rhat > 1.05)
            kl_caution(log,
                       "ln Z of %s: at beta %.4g the loss has R-hat %.3f: its chains do not agree, and "
                       "errors are too small; "
                       "more --warmup or --draws",
                       f->names[i], e->beta[e->worst], e->worst_rhat);
    }
    if (strcmp(f->v->sampler, "mala") != 0 && strcmp(f->v->sampler, "hmc") != 0)
        kl_caution(log,
                   "--sampler %s: its steps are not accepted or refused, so means and evidence have its "
                   "bias; mala and hmc "
                   "have none",
                   f->v->sampler);
    if (f->n > 1 && strcmp(f->v->parameters, "tail") == 0)
        kl_caution(log, "the reduction was trained with the circuit behind it, on these rows, and is "
                        "the same for all: that "
                        "favours the circuit; --parameters all has no such gift");
}

static int put_rows(struct kl_writer *w, const struct kl_sampling_head_found *f, const char *name,
                    size_t offset, struct kl_error *err)
{
    const size_t dims[2] = { (size_t)f->n, f->evidence[0].n_rungs };
    double *rows = malloc(dims[0] * dims[1] * sizeof *rows);
    if (!rows) return kl_fail_memory(err, dims[0] * dims[1] * sizeof *rows);
    for (size_t i = 0; i < dims[0]; i++)
        memcpy(rows + i * dims[1], *(double *const *)((const char *)&f->evidence[i] + offset),
               dims[1] * sizeof *rows);
    const int code = kl_store_writer_put(w, name, KL_TYPE_F64, 0, 2, dims, rows, err);
    free(rows);
    return code;
}

static int put_numbers(struct kl_writer *w, const struct kl_sampling_head_found *f, const char *name,
                       size_t offset, struct kl_error *err)
{
    double values[KL_SAMPLING_RIVALS];
    const size_t n = (size_t)f->n;
    for (size_t i = 0; i < n; i++)
        memcpy(&values[i], (const char *)&f->evidence[i] + offset, sizeof *values);
    return kl_store_writer_put(w, name, KL_TYPE_F64, 0, 1, &n, values, err);
}

int kl_sampling_head_found_save(struct kl_writer *w, const struct kl_sampling_head_found *f,
                                struct kl_error *err)
{
#define FIELD(field) offsetof(struct kl_sampling_evidence, field)
    static const struct {
        const char *name;
        size_t offset;
    } rows[] = { { "evidence/mean_loss", FIELD(mean) },
                 { "evidence/mcse", FIELD(mcse) },
                 { "evidence/variance", FIELD(variance) } },
      numbers[] = { { "evidence/log_z", FIELD(log_z) },   { "evidence/log_z_error", FIELD(error) },
                    { "evidence/log_z_low", FIELD(low) }, { "evidence/log_z_high", FIELD(high) },
                    { "evidence/log_z_se", FIELD(mc) },   { "evidence/log_z_ladder", FIELD(ladder) } };
#undef FIELD
    enum { NAME = 16 };
    char names[KL_SAMPLING_RIVALS][NAME] = { "" };
    const size_t n = (size_t)f->n;
    for (size_t i = 0; i < n; i++) snprintf(names[i], NAME, "%s", f->names[i]);
    int code = kl_store_writer_put(w, "evidence/model", KL_TYPE_STRING, NAME, 1, &n, names, err);
    if (code >= 0)
        code = kl_store_writer_put(w, "evidence/beta", KL_TYPE_F64, 0, 1, &f->evidence[0].n_rungs,
                                   f->evidence[0].beta, err);
    for (size_t i = 0; i < sizeof rows / sizeof *rows && code >= 0; i++)
        code = put_rows(w, f, rows[i].name, rows[i].offset, err);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && code >= 0; i++)
        code = put_numbers(w, f, numbers[i].name, numbers[i].offset, err);
    for (int i = 1; i < f->n && code >= 0; i++) {
        char name[48];
        double error;
        const double b = kl_sampling_bayes_factor(&error, &f->evidence[0], &f->evidence[i]);
        snprintf(name, sizeof name, "ln_bayes_%s", f->names[i]);
        code = kl_store_writer_number(w, "", name, b, err);
        snprintf(name, sizeof name, "ln_bayes_%s_error", f->names[i]);
        if (!code) code = kl_store_writer_number(w, "", name, error, err);
    }
    return code < 0 ? code : KL_OK;
}

void kl_sampling_head_tell(FILE *to, const struct kl_sampling_head_found *f)
{
    const struct kl_sampling_evidence *e = f->evidence;
    fprintf(to, "%s: %s head, %zu parameters (%s), %lld chains at %zu temperatures up to n = %zu\n",
            f->v->common.output, f->names[0], e->parameters, f->v->parameters, (long long)f->v->chains,
            e->n_rungs, f->records);
    fprintf(to, "  posterior: loss %.4f, error %.4f", f->loss, f->error);
    if (!isnan(f->test_loss))
        fprintf(to, "; kept back: loss %.4f, error %.4f", f->test_loss, f->test_error);
    fprintf(to, "; acceptance %.2f, R-hat %.3f, %.0f effective draws\n", f->acceptance, f->rhat, f->ess);
    for (int i = 0; i < f->n; i++, e++)
        fprintf(to,
                "  ln Z %-8s %10.2f +- %.2f (chance %.2f, ladder %.2f; sums %.1f to %.1f), %zu "
                "parameters, %.1f s\n",
                f->names[i], e->log_z, e->error, e->mc, e->ladder, e->low, e->high, e->parameters,
                e->seconds);
    for (int i = 1; i < f->n; i++) {
        double error;
        const double b = kl_sampling_bayes_factor(&error, &f->evidence[0], &f->evidence[i]);
        fprintf(to, "  ln B %s : %-7s %+.2f +- %.2f\n", f->names[0], f->names[i], b, error);
    }
}

int kl_sampling_head_tell_json(FILE *to, const struct kl_sampling_head_found *f, struct kl_error *err)
{
    enum { HEAD = 14, EACH = 5 };
    char names[KL_SAMPLING_RIVALS][EACH][40];
    struct kl_json_pair pairs[HEAD + EACH * KL_SAMPLING_RIVALS] = {
        { "output", KL_JSON_TEXT, f->v->common.output, 0 },
        { "key", KL_JSON_TEXT, f->stage->key, 0 },
        { "status", KL_JSON_TEXT, kl_store_stage_status(KL_STAGE_COMPUTE), 0 },
        { "parameters", KL_JSON_COUNT, NULL, (double)f->evidence[0].parameters },
        { "records", KL_JSON_COUNT, NULL, (double)f->records },
        { "chains", KL_JSON_COUNT, NULL, (double)f->v->chains },
        { "train_loss", KL_JSON_NUMBER, NULL, f->loss },
        { "train_error", KL_JSON_NUMBER, NULL, f->error },
        { "test_loss", KL_JSON_NUMBER, NULL, f->test_loss },
        { "test_error", KL_JSON_NUMBER, NULL, f->test_error },
        { "acceptance", KL_JSON_NUMBER, NULL, f->acceptance },
        { "r_hat", KL_JSON_NUMBER, NULL, f->rhat },
        { "ess", KL_JSON_NUMBER, NULL, f->ess },
        kl_json_cautions(f->stage->log),
    };
    size_t n = HEAD;
    for (int i = 0; i < f->n; i++) {
        const struct kl_sampling_evidence *e = &f->evidence[i];
        double error = 0;
        const double b = kl_sampling_bayes_factor(&error, &f->evidence[0], e);
        const double numbers[EACH] = { e->log_z, e->error, e->seconds, b, error };
        static const char *const words[EACH] = { "ln_z_%s", "ln_z_%s_error", "seconds_%s", "ln_bayes_%s",
                                                 "ln_bayes_%s_error" };
        for (int k = 0; k < (i ? EACH : EACH - 2); k++) {
            snprintf(names[i][k], sizeof names[i][k], words[k], f->names[i]);
            pairs[n++] = (struct kl_json_pair){ names[i][k], KL_JSON_NUMBER, NULL, numbers[k] };
        }
    }
    return kl_json_line(to, pairs, n, err);
}
