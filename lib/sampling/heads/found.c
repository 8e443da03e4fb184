/* SPDX-License-Identifier: MIT
   What sgld head found: the evidence of a head out of the ladder that was sampled, the posterior's
   means, in words, as JSON and into the file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "head/features.h"
#include "sampling/heads/heads.h"
#include "sampling/heads/mode_head.h"
#include "sampling/ladder/ladder.h"
#include "store/store.h"

/* ---- the evidence of a head out of the ladder that was sampled ---- */

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

int kl_sampling_evidence_make(struct kl_sampling_evidence *e, const struct kl_sampling_run *run,
                              const struct kl_sampling_settings *s, struct kl_error *err)
{
    const size_t n = s->n_rungs;
    *e = (struct kl_sampling_evidence){ .n_rungs = n, .beta = calloc(4 * n, sizeof(double)) };
    if (!e->beta) return kl_fail_memory(err, 4 * n * sizeof(double));
    e->mean = e->beta + n, e->mcse = e->mean + n, e->variance = e->mcse + n;
    const int code = kl_sampling_run_verdicts(&e->verdicts, run, err);
    for (size_t k = 0; k < n && !code; k++) {
        const struct kl_sampling_verdict *v = &e->verdicts[k];
        e->beta[k] = v->beta, e->mean[k] = v->mean, e->mcse[k] = v->mcse, e->variance[k] = v->sd * v->sd;
    }
    return code ? code : integrate(e, err);
}

void kl_sampling_evidence_free(struct kl_sampling_evidence *e)
{
    free(e->beta), free(e->verdicts);
    *e = (struct kl_sampling_evidence){ 0 };
}

/* ln of the Bayes factor of a against b, and its error. */
static double bayes_factor(double *error, const struct kl_sampling_evidence *a,
                           const struct kl_sampling_evidence *b)
{
    *error = hypot(a->error, b->error);
    return a->log_z - b->log_z;
}

/* ---- heads into files of chains ---- */

/* A dataset of any type as it is; nothing where there is none. */
static int copy(struct kl_writer *w, struct kl_file *from, const char *name, struct kl_error *err)
{
    const struct kl_dataset *d = kl_store_file_find(from, name);
    void *data = NULL;
    if (!d) return KL_OK;
    int code = kl_store_file_load(&data, from, d, err);
    if (!code)
        code = kl_store_writer_put(w, name, d->type, d->type == KL_TYPE_STRING ? d->item_size : 0,
                                   d->rank, d->dims, data, err);
    free(data);
    return code < 0 ? code : KL_OK;
}

int kl_sampling_head_save(struct kl_writer *w, const struct kl_head *head, struct kl_file *from,
                          bool split, struct kl_error *err)
{
    const struct kl_block *block = &head->model.block;
    int code = kl_store_writer_text(w, "", "config", head->config, err);
    for (int i = 0; i < block->n && code >= 0; i++) {
        const struct kl_tensor *t = &block->tensors[i];
        const size_t dims[3] = { 1, t->dims[0], t->dims[1] };
        char name[96];
        float *values = malloc(t->size * sizeof *values);
        if (!values) return kl_fail_memory(err, t->size * sizeof *values);
        kl_nn_tensor_to_file_f32(values, t, head->params);
        snprintf(name, sizeof name, "params/%s", t->name);
        code = kl_store_writer_put(w, name, KL_TYPE_F32, 0, 1 + t->rank, dims, values, err);
        free(values);
    }
    if (code >= 0) code = copy(w, from, "class_names", err);
    if (code >= 0 && split) code = copy(w, from, "split/validation", err);
    return code < 0 ? code : kl_head_origin_copy(w, from, err);
}

int kl_sampling_question_save(struct kl_writer *w, const char *part,
                              const struct kl_sampling_head_prior *p, struct kl_error *err)
{
    int code = kl_store_writer_text(w, "", KL_HEAD_SAMPLED, part, err);
    if (!code) code = kl_store_writer_text(w, "", "prior", p->flat ? "flat" : "layer", err);
    if (!code) code = kl_store_writer_number(w, "", "prior_sigma", p->sigma, err);
    if (!code) code = kl_store_writer_number(w, "", "prior_sigma_angles", p->angles, err);
    return code ? code : kl_store_writer_number(w, "", "prior_sigma_scales", p->scales, err);
}

/* ---- head found ----
   What `sgld head` found: the posterior's means, the evidences, in words, as JSON and into the file. */

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

void kl_sampling_head_judge(struct kl_sampling_head_found *f, const struct kl_sampling_run *run,
                            const struct kl_sampling_settings *s)
{
    const struct kl_sampling_verdict *v = &f->evidence[0].verdicts[s->n_rungs - 1];
    f->rhat = v->rhat, f->ess = v->bulk, f->acceptance = v->acceptance;
    f->loss = mean_of(run, s, 0), f->error = mean_of(run, s, 1);
    f->test_loss = mean_of(run, s, 2), f->test_error = mean_of(run, s, 3);
}

static void caution_evidence(const struct kl_sampling_head_found *f, int i)
{
    const struct kl_log *log = f->stage->log;
    const struct kl_sampling_evidence *e = &f->evidence[i];
    const struct kl_sampling_lengths had = { "--draws", f->v->draws, f->v->warmup };
    char of[48] = "";
    if (f->n > 1) snprintf(of, sizeof of, "%.40s: ", f->names[i]);
    kl_sampling_warn(log, e->verdicts, e->n_rungs, of, "the training loss", &had);
    if (isnan(e->mc))
        kl_caution(log, "ln Z of %s has no error: of chains that do not vary there is none",
                   f->names[i]);
    else if (!(e->ladder <= 3 * e->mc))
        kl_caution(
            log, "ln Z of %s: the ladder's own error, %.2g, is above that of chance, %.2g: more --rungs",
            f->names[i], e->ladder, e->mc);
    if (e->low > e->high)
        kl_caution(log,
                   "ln Z of %s: the mean loss rises with beta, which that of chains at equilibrium "
                   "never does; more --warmup",
                   f->names[i]);
}

void kl_sampling_head_caution(const struct kl_sampling_head_found *f)
{
    const struct kl_log *log = f->stage->log;
    for (int i = 0; i < f->n; i++) caution_evidence(f, i);
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
        const double b = bayes_factor(&error, &f->evidence[0], &f->evidence[i]);
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
    fprintf(to, "; acceptance %.2f, ", f->acceptance);
    if (isnan(f->rhat) && isnan(f->ess)) fputs("no R-hat and no effective draws\n", to);
    else fprintf(to, "R-hat %.4f, %.0f effective draws\n", f->rhat, f->ess);
    for (int i = 0; i < f->n; i++, e++) {
        fprintf(to, "  ln Z %-8s %10.2f +- ", f->names[i], e->log_z);
        if (isnan(e->error)) fputs("none", to);
        else fprintf(to, "%.2f (chance %.2f, ladder %.2f)", e->error, e->mc, e->ladder);
        fprintf(to, ", sums %.1f to %.1f, %zu parameters, %.1f s\n", e->low, e->high, e->parameters,
                e->seconds);
    }
    for (int i = 1; i < f->n; i++) {
        double error;
        const double b = bayes_factor(&error, &f->evidence[0], &f->evidence[i]);
        fprintf(to, "  ln B %s : %-7s %+.2f +- ", f->names[0], f->names[i], b);
        if (isnan(error)) fputs("none\n", to);
        else fprintf(to, "%.2f\n", error);
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
        const double b = bayes_factor(&error, &f->evidence[0], e);
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
