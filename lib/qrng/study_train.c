/* SPDX-License-Identifier: MIT
   The runs of a study on all threads, each written as soon as it is done. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "qrng/study.h"

/* Datasets of the file; -1: not there. */
struct sets {
    int split, rules[KL_RULES], weight[KL_MLP_LAYERS], bias[KL_MLP_LAYERS],
        history[KL_NETWORK_HISTORIES], best, epochs;
};

struct training {
    const struct kl_study *study;
    struct kl_writer *w;
    const struct kl_watch *watch;
    struct sets sets;
    bool *done;           /* [r] runs that were there before */
    pthread_mutex_t lock; /* what follows, and the journal */
    size_t finished;
    bool stopped;
    size_t failed_run;
    struct kl_error error;
};

static const char *const history_names[KL_NETWORK_HISTORIES] = { "train_loss", "train_accuracy",
                                                                 "judge_loss", "judge_accuracy",
                                                                 "learning_rate" };

/* The memory of one run, in one piece. */
struct memory {
    int32_t *labels;   /* [n] */
    int64_t *rows;     /* [2 n] */
    uint8_t *part;     /* [n] */
    double *history;   /* [histories, epochs] */
    double *rule;      /* of the largest rule */
    float *parameters; /* of the network */
};

static void *take(struct memory *m, const struct kl_study *s, struct kl_error *err)
{
    const size_t n = s->bits->n_rows, epochs = s->network ? (size_t)s->options.epochs : 0;
    const size_t rule = (size_t)s->bits->n_devices * (s->bits->n_bits + 5);
    const size_t bytes = n * (4 + 16 + 1) + 8 * KL_NETWORK_HISTORIES * epochs + 8 * rule +
                         4 * kl_network_size(&s->options.net) + 64;
    char *all = malloc(bytes);
    if (!all) {
        kl_fail_memory(err, bytes);
        return NULL;
    }
    m->rows = (int64_t *)all;
    m->history = (double *)(m->rows + 2 * n);
    m->rule = m->history + KL_NETWORK_HISTORIES * epochs;
    m->labels = (int32_t *)(m->rule + rule);
    m->parameters = (float *)(m->labels + n);
    m->part = (uint8_t *)(m->parameters + kl_network_size(&s->options.net));
    return all;
}

static int declare(struct sets *sets, const struct kl_study *s, struct kl_writer *w,
                   struct kl_error *err)
{
    const size_t r = s->n_runs, c = (size_t)s->bits->n_devices;
    const struct kl_mlp *net = &s->options.net;
    char name[64];
    int last = sets->split =
        kl_writer_dataset(w, "splits", KL_TYPE_U8, 0, 2, (const size_t[]){ r, s->bits->n_rows }, err);
    for (int k = 0; k < KL_RULES && last >= 0; k++) {
        if (!(s->rules >> k & 1)) continue;
        const size_t dims[] = { r, c, kl_rule_inputs((enum kl_rule_kind)k, s->bits->n_bits) + 1 };
        snprintf(name, sizeof name, "rules/%s", kl_rule_names[k]);
        last = sets->rules[k] = kl_writer_dataset(w, name, KL_TYPE_F64, 0, 3, dims, err);
    }
    for (int l = 0; l < net->n_layers && s->network && last >= 0; l++) {
        const size_t dims[] = { r, (size_t)net->size[l + 1], (size_t)net->size[l] };
        snprintf(name, sizeof name, "network/%d.weight", l);
        last = sets->weight[l] = kl_writer_dataset(w, name, KL_TYPE_F32, 0, 3, dims, err);
        snprintf(name, sizeof name, "network/%d.bias", l);
        if (last >= 0) last = sets->bias[l] = kl_writer_dataset(w, name, KL_TYPE_F32, 0, 2, dims, err);
    }
    for (int h = 0; h < KL_NETWORK_HISTORIES && s->network && last >= 0; h++) {
        snprintf(name, sizeof name, "history/%s", history_names[h]);
        last = sets->history[h] = kl_writer_dataset(
            w, name, KL_TYPE_F64, 0, 2, (const size_t[]){ r, (size_t)s->options.epochs }, err);
    }
    if (!s->network || last < 0) return last < 0 ? last : KL_OK;
    last = sets->best = kl_writer_dataset(w, "best_epoch", KL_TYPE_I64, 0, 1, &r, err);
    if (last >= 0) last = sets->epochs = kl_writer_dataset(w, "epochs", KL_TYPE_I64, 0, 1, &r, err);
    return last < 0 ? last : KL_OK;
}

/* Rules learn from the validation rows too: they have nothing to choose. */
static int fit_rules(const struct training *t, size_t run, const struct memory *m, struct kl_error *err)
{
    const struct kl_study *s = t->study;
    const size_t n =
        kl_study_rows(m->rows, m->part, s->bits->n_rows, KL_PART_TRAINING, KL_PART_VALIDATION);
    const size_t c = (size_t)s->bits->n_devices;
    int rc = KL_OK;
    for (int k = 0; k < KL_RULES && !rc; k++) {
        struct kl_rule rule = { .parameters = m->rule };
        const size_t size = c * (kl_rule_inputs((enum kl_rule_kind)k, s->bits->n_bits) + 1);
        if (!(s->rules >> k & 1)) continue;
        if (run < s->n_splits || (!s->network && s->chosen == k))
            rc = kl_rule_fit(&rule, (enum kl_rule_kind)k, s->bits, m->labels, c, m->rows, n, err);
        else
            for (size_t i = 0; i < size; i++) m->rule[i] = NAN;
        if (!rc) rc = kl_writer_rows(t->w, t->sets.rules[k], run, 1, m->rule, err);
    }
    return rc;
}

static int write_network(const struct training *t, size_t run, const struct kl_network_run *n,
                         struct kl_error *err)
{
    const struct kl_mlp *net = &t->study->options.net;
    const float *at = n->params;
    int rc = KL_OK;
    for (int l = 0; l < net->n_layers && !rc; l++) {
        rc = kl_writer_rows(t->w, t->sets.weight[l], run, 1, at, err);
        at += (size_t)net->size[l] * (size_t)net->size[l + 1];
        if (!rc) rc = kl_writer_rows(t->w, t->sets.bias[l], run, 1, at, err);
        at += net->size[l + 1];
    }
    for (int h = 0; h < KL_NETWORK_HISTORIES && !rc; h++)
        rc = kl_writer_rows(t->w, t->sets.history[h], run, 1, n->history + h * t->study->options.epochs,
                            err);
    if (!rc) rc = kl_writer_rows(t->w, t->sets.best, run, 1, &n->best, err);
    return rc ? rc : kl_writer_rows(t->w, t->sets.epochs, run, 1, &n->epochs, err);
}

static int train_network(const struct training *t, size_t run, const struct memory *m,
                         struct kl_error *err)
{
    const struct kl_study *s = t->study;
    const size_t n = s->bits->n_rows;
    const enum kl_part judged = s->protocol == KL_REFERENCE ? KL_PART_TEST : KL_PART_VALIDATION;
    const size_t n_training = kl_study_rows(m->rows, m->part, n, KL_PART_TRAINING, KL_PART_TRAINING);
    int64_t *judging = m->rows + n_training;
    const size_t n_judging = kl_study_rows(judging, m->part, n, judged, judged);
    struct kl_network_run trained = { .params = m->parameters, .history = m->history };
    struct kl_samples samples = s->samples;
    samples.labels = m->labels;
    const int rc =
        kl_network_train(&trained, &s->options, &samples, m->rows, n_training, judging, n_judging,
                         (uint64_t)s->v->common.seed, (uint32_t)run, kl_signals_pending, err);
    return rc ? rc : write_network(t, run, &trained, err);
}

static int train_run(const struct training *t, size_t run, struct kl_error *err)
{
    const struct kl_study *s = t->study;
    struct memory m = { 0 };
    void *all = take(&m, s, err);
    if (!all) return err->code;
    kl_study_labels(m.labels, s, run, m.rows);
    int rc = kl_study_split(m.part, s, run, m.labels, err);
    if (!rc) rc = kl_writer_rows(t->w, t->sets.split, run, 1, m.part, err);
    if (!rc) rc = fit_rules(t, run, &m, err);
    if (!rc && s->network) rc = train_network(t, run, &m, err);
    free(all);
    return rc;
}

/* The first error wins by place, not by time. */
static void fail(struct training *t, size_t run, const struct kl_error *error)
{
    const bool only_stopped = error->code == KL_ESIGNAL;
    if (!t->stopped || (!only_stopped && (t->error.code == KL_ESIGNAL || run < t->failed_run)))
        t->error = *error, t->failed_run = run;
    t->stopped = true;
}

static void run_item(void *context, size_t run, int thread)
{
    struct training *t = context;
    struct kl_error error = { 0 };
    (void)thread;
    pthread_mutex_lock(&t->lock);
    const bool skip = t->stopped || t->done[run];
    pthread_mutex_unlock(&t->lock);
    if (skip) return;
    int rc = train_run(t, run, &error);
    pthread_mutex_lock(&t->lock);
    if (!rc) rc = kl_writer_journal(t->w, t->sets.split, run, 1, &error);
    if (!rc && kl_watch_step(t->watch, ++t->finished, t->study->n_runs, NULL))
        rc = kl_fail(&error, KL_ESIGNAL, "stopped");
    if (rc) fail(t, run, &error);
    pthread_mutex_unlock(&t->lock);
}

/* Text and numbers by which a report knows what it reads. */
static int describe(const struct kl_study *s, struct kl_writer *w, struct kl_error *err)
{
    const struct kl_study_settings *v = s->v;
    const struct kl_bits *b = s->bits;
    const size_t names[] = { (size_t)b->n_devices }, labels[] = { b->n_rows };
    const struct {
        const char *name, *value;
    } texts[] = { { "model", v->model },
                  { "features", v->features },
                  { "protocol", v->protocol },
                  { "hidden", v->hidden },
                  { "keep", v->keep } };
    const struct {
        const char *name;
        int64_t value;
    } numbers[] = { { "seed", v->common.seed },
                    { "seeds", v->seeds },
                    { "folds", v->folds },
                    { "null", v->null },
                    { "n_bits", (int64_t)b->n_bits } };
    int rc = kl_writer_put(w, "labels", KL_TYPE_I32, 0, 1, labels, b->device, err);
    if (rc >= 0)
        rc = kl_writer_put(w, "device_names", KL_TYPE_STRING, KL_BITS_NAME, 1, names, b->names, err);
    rc = rc < 0 ? rc : KL_OK;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && !rc; i++)
        rc = kl_writer_text(w, "", texts[i].name, texts[i].value, err);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !rc; i++)
        rc = kl_writer_integer(w, "", numbers[i].name, numbers[i].value, err);
    return rc;
}

int kl_study_train(const struct kl_study *study, struct kl_writer *w, struct kl_pool *pool,
                   const struct kl_watch *watch, struct kl_error *err)
{
    struct training t = { .study = study, .w = w, .watch = watch };
    int rc = declare(&t.sets, study, w, err);
    if (!rc) rc = describe(study, w, err);
    if (rc) return rc;
    t.done = calloc(study->n_runs, sizeof *t.done);
    if (!t.done) return kl_fail_memory(err, study->n_runs);
    rc = kl_writer_done_rows(w, t.sets.split, t.done, err);
    for (size_t i = 0; i < study->n_runs; i++) t.finished += t.done[i];
    pthread_mutex_init(&t.lock, NULL);
    if (!rc) kl_pool_for(pool, study->n_runs, run_item, &t);
    pthread_mutex_destroy(&t.lock);
    free(t.done);
    if (rc || !t.stopped) return rc;
    if (t.error.code == KL_ESIGNAL)
        return kl_fail(err, KL_ESIGNAL, "stopped after %zu of %zu run%s", t.finished, study->n_runs,
                       kl_s(study->n_runs));
    return kl_fail(err, t.error.code, "run %zu: %s", t.failed_run + 1, t.error.text);
}
