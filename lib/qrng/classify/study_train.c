/* SPDX-License-Identifier: MIT
   Training of a study: the file's datasets, one run but for its network, all runs on the CPU's threads
   or on a GPU; each is written as soon as it is done. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/device.h"
#include "qrng/classify/classify_int.h"
#include "store/kind.h"

/* Datasets of the file; -1: not there. */
struct sets {
    int split, rules[KL_RULES], weight[KL_MLP_LAYERS], bias[KL_MLP_LAYERS],
        history[KL_NETWORK_HISTORIES], best, epochs, collapsed;
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

/* One run on its rows; n of the study. */
struct run {
    size_t number;
    int32_t *labels;             /* [n] */
    int64_t *training, *judging; /* numbers of rows, for the network; one list */
    size_t n_training, n_judging;
    struct kl_network_run network;
    uint8_t *part; /* [n] */
    double *rule;  /* parameters of the largest rule */
    void *memory;  /* of all arrays, in one piece */
};

/* ---- what the file holds ---- */
static int datasets(struct sets *sets, const struct kl_study *s, struct kl_writer *w,
                    struct kl_error *err)
{
    const size_t r = s->n_runs, c = (size_t)s->bits->n_devices;
    const struct kl_mlp *net = &s->options.net;
    char name[64];
    int last = sets->split = kl_store_writer_dataset(w, "splits", KL_TYPE_U8, 0, 2,
                                                     (const size_t[]){ r, s->bits->n_rows }, err);
    for (int k = 0; k < KL_RULES && last >= 0; k++) {
        if (!(s->rules >> k & 1)) continue;
        const size_t dims[] = { r, c,
                                kl_classify_rule_inputs((enum kl_rule_kind)k, s->bits->n_bits) + 1 };
        snprintf(name, sizeof name, "rules/%s", kl_rule_names[k]);
        last = sets->rules[k] = kl_store_writer_dataset(w, name, KL_TYPE_F64, 0, 3, dims, err);
    }
    for (int l = 0; l < net->n_layers && s->network && last >= 0; l++) {
        const size_t dims[] = { r, (size_t)net->size[l + 1], (size_t)net->size[l] };
        snprintf(name, sizeof name, "network/%d.weight", l);
        last = sets->weight[l] = kl_store_writer_dataset(w, name, KL_TYPE_F32, 0, 3, dims, err);
        snprintf(name, sizeof name, "network/%d.bias", l);
        if (last >= 0)
            last = sets->bias[l] = kl_store_writer_dataset(w, name, KL_TYPE_F32, 0, 2, dims, err);
    }
    for (int h = 0; h < KL_NETWORK_HISTORIES && s->network && last >= 0; h++) {
        snprintf(name, sizeof name, "history/%s", kl_network_rows[h].name);
        last = sets->history[h] = kl_store_writer_dataset(
            w, name, KL_TYPE_F64, 0, 2, (const size_t[]){ r, (size_t)s->options.epochs }, err);
    }
    if (!s->network || last < 0) return last < 0 ? last : KL_OK;
    last = sets->best = kl_store_writer_dataset(w, "best_epoch", KL_TYPE_I64, 0, 1, &r, err);
    if (last >= 0)
        last = sets->epochs = kl_store_writer_dataset(w, "epochs", KL_TYPE_I64, 0, 1, &r, err);
    if (last >= 0)
        last = sets->collapsed = kl_store_writer_dataset(w, "collapsed", KL_TYPE_U8, 0, 1, &r, err);
    return last < 0 ? last : KL_OK;
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
    int rc = kl_store_writer_put(w, "labels", KL_TYPE_I32, 0, 1, labels, b->device, err);
    if (rc >= 0)
        rc = kl_store_writer_put(w, "device_names", KL_TYPE_STRING, KL_BITS_NAME, 1, names, b->names,
                                 err);
    rc = rc < 0 ? rc : KL_OK;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && !rc; i++)
        rc = kl_store_writer_text(w, "", texts[i].name, texts[i].value, err);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !rc; i++)
        rc = kl_store_writer_integer(w, "", numbers[i].name, numbers[i].value, err);
    return rc;
}

static int declare_sets(struct sets *sets, const struct kl_study *s, struct kl_writer *w,
                        struct kl_error *err)
{
    const int rc = datasets(sets, s, w, err);
    return rc ? rc : describe(s, w, err);
}

/* The rows that judge an epoch are those of the test in the reference protocol. Runs on shuffled labels
   stand last. */
static const struct kl_kind_history histories[] = {
    { .loss = { "history/train_loss", "training loss" },
      .judged = { "history/judge_accuracy", "test accuracy" },
      .of = "split",
      .attribute = "protocol",
      .is = "reference",
      .left_out = "null" },
    { .loss = { "history/train_loss", "training loss" },
      .judged = { "history/judge_accuracy", "validation accuracy" },
      .of = "split",
      .left_out = "null" },
    { .of = NULL }
};
const struct kl_kind kl_study_kind = { .name = "device-classifier",
                                       .maker = "qtrain --qrng",
                                       .histories = histories };

/* ---- networks that answer with one device whatever the row ----
   By the rows of training too, since of few rows that judge the epochs a sound network may say the same.
 */
static size_t answer(const float *logits, size_t classes)
{
    size_t best = 0;
    for (size_t k = 1; k < classes; k++)
        if (logits[k] > logits[best]) best = k;
    return best;
}

static int find_collapse(uint8_t *collapsed, const struct kl_study *s, const struct run *run,
                         struct kl_error *err)
{
    const size_t n = run->n_training + run->n_judging, c = (size_t)s->bits->n_devices;
    float *logits = malloc(n * c * sizeof *logits);
    if (!logits) return kl_fail_memory(err, n * c * sizeof *logits);
    const int rc = kl_classify_network_logits(logits, &s->options.net, run->network.params, &s->samples,
                                              run->training, n, err);
    *collapsed = 1;
    for (size_t i = 1; i < n && !rc; i++)
        if (answer(logits + i * c, c) != answer(logits, c)) *collapsed = 0;
    free(logits);
    return rc;
}

int kl_classify_count_collapsed(size_t *n, const char *path, size_t n_splits, struct kl_error *err)
{
    struct kl_file *file = NULL;
    const struct kl_dataset *d;
    uint8_t *all = NULL;
    *n = 0;
    int rc = kl_store_file_open_kind(&file, path, &kl_study_kind, err);
    if (!rc) rc = kl_store_file_load_named((void **)&all, &d, file, "collapsed", KL_TYPE_U8, 1, err);
    for (size_t i = 0; !rc && i < d->rows && i < n_splits; i++) *n += all[i];
    free(all);
    kl_store_file_close(&file);
    return rc;
}

/* ---- one run: its rows, its rules, what is written of it ---- */
static int take(struct run *run, const struct kl_study *s, struct kl_error *err)
{
    const size_t n = s->bits->n_rows, epochs = s->network ? (size_t)s->options.epochs : 0;
    const size_t rule = (size_t)s->bits->n_devices * (s->bits->n_bits + 5);
    const size_t bytes = n * (4 + 16 + 1) + 8 * KL_NETWORK_HISTORIES * epochs + 8 * rule +
                         4 * kl_classify_network_size(&s->options.net) + 64;
    run->memory = malloc(bytes);
    if (!run->memory) return kl_fail_memory(err, bytes);
    run->training = run->memory;
    run->network.history = (double *)(run->training + 2 * n);
    run->rule = run->network.history + KL_NETWORK_HISTORIES * epochs;
    run->labels = (int32_t *)(run->rule + rule);
    run->network.params = (float *)(run->labels + n);
    run->part = (uint8_t *)(run->network.params + kl_classify_network_size(&s->options.net));
    return KL_OK;
}

static void run_free(struct run *run)
{
    free(run->memory);
    *run = (struct run){ 0 };
}

/* A device with more rows is met more often: networks and logistic regression learn that from the rows
   that they see, naive Bayes has it in its constants, which are 0 where devices have equally many. */
static void set_priors(struct kl_rule *rule, const struct kl_study *s)
{
    for (size_t k = 0; k < rule->classes; k++)
        rule->parameters[k * (rule->inputs + 1) + rule->inputs] +=
            log((double)s->device_rows[k] * (double)rule->classes / (double)s->bits->n_rows);
}

/* Rules learn from the validation rows too: they have nothing to choose. */
static int fit_rules(const struct training *t, const struct run *run, struct kl_error *err)
{
    const struct kl_study *s = t->study;
    const size_t n = kl_classify_rows(run->training, run->part, s->bits->n_rows, KL_PART_TRAINING,
                                      KL_PART_VALIDATION);
    const size_t c = (size_t)s->bits->n_devices;
    int rc = KL_OK;
    for (int k = 0; k < KL_RULES && !rc; k++) {
        struct kl_rule rule = { .parameters = run->rule };
        const size_t size = c * (kl_classify_rule_inputs((enum kl_rule_kind)k, s->bits->n_bits) + 1);
        if (!(s->rules >> k & 1)) continue;
        if (run->number < s->n_splits || (!s->network && s->chosen == k)) {
            rc = kl_classify_rule_fit(&rule, (enum kl_rule_kind)k, s->bits, run->labels, c,
                                      run->training, n, err);
            if (!rc && k != KL_RULE_LOGISTIC) set_priors(&rule, s);
        } else {
            for (size_t i = 0; i < size; i++) run->rule[i] = NAN;
        }
        if (!rc) rc = kl_store_writer_rows(t->w, t->sets.rules[k], run->number, 1, run->rule, err);
    }
    return rc;
}

/* Choose the rows that the network learns from, and those that judge its epochs. */
static void choose_rows(struct run *run, const struct kl_study *s)
{
    const size_t n = s->bits->n_rows;
    const enum kl_part judged = s->protocol == KL_REFERENCE ? KL_PART_TEST : KL_PART_VALIDATION;
    run->n_training = kl_classify_rows(run->training, run->part, n, KL_PART_TRAINING, KL_PART_TRAINING);
    run->judging = run->training + run->n_training;
    run->n_judging = kl_classify_rows(run->judging, run->part, n, judged, judged);
}

static int run_begin(struct run *run, const struct training *t, size_t number, struct kl_error *err)
{
    const struct kl_study *s = t->study;
    *run = (struct run){ .number = number };
    int rc = take(run, s, err);
    if (rc) return rc;
    kl_classify_labels(run->labels, s, number, run->training);
    rc = kl_classify_split(run->part, s, number, run->labels, err);
    if (!rc) rc = kl_store_writer_rows(t->w, t->sets.split, number, 1, run->part, err);
    if (!rc) rc = fit_rules(t, run, err);
    choose_rows(run, s);
    return rc;
}

static int write_network(const struct training *t, const struct run *own, struct kl_error *err)
{
    const struct kl_mlp *net = &t->study->options.net;
    const struct kl_network_run *n = &own->network;
    const size_t run = own->number;
    const float *at = n->params;
    uint8_t collapsed;
    int rc = find_collapse(&collapsed, t->study, own, err);
    if (!rc) rc = kl_store_writer_rows(t->w, t->sets.collapsed, run, 1, &collapsed, err);
    for (int l = 0; l < net->n_layers && !rc; l++) {
        rc = kl_store_writer_rows(t->w, t->sets.weight[l], run, 1, at, err);
        at += (size_t)net->size[l] * (size_t)net->size[l + 1];
        if (!rc) rc = kl_store_writer_rows(t->w, t->sets.bias[l], run, 1, at, err);
        at += net->size[l + 1];
    }
    for (int h = 0; h < KL_NETWORK_HISTORIES && !rc; h++)
        rc = kl_store_writer_rows(t->w, t->sets.history[h], run, 1,
                                  n->history + h * t->study->options.epochs, err);
    if (!rc) rc = kl_store_writer_rows(t->w, t->sets.best, run, 1, &n->best, err);
    return rc ? rc : kl_store_writer_rows(t->w, t->sets.epochs, run, 1, &n->epochs, err);
}

/* Its trained network is written, the run is journalled and counted. Any thread. */
static int run_end(const struct run *run, struct training *t, struct kl_error *err)
{
    int rc = t->study->network ? write_network(t, run, err) : KL_OK;
    if (rc) return rc;
    pthread_mutex_lock(&t->lock);
    rc = kl_store_writer_journal(t->w, t->sets.split, run->number, 1, err);
    if (!rc && kl_watch_step(t->watch, ++t->finished, t->study->n_runs, NULL))
        rc = kl_fail(err, KL_ESIGNAL, "stopped");
    pthread_mutex_unlock(&t->lock);
    return rc;
}

/* ---- all runs on a GPU, as many side by side as it holds; where one ends, the next begins ---- */
struct gpu {
    struct training *t;
    struct kl_network_gpu *networks;
    size_t n_places, n_live;
    struct run *runs;        /* [places]; memory NULL: nobody is there */
    struct kl_error *errors; /* [places] */
    size_t *begun, n_begun;  /* [n_begun] places where a run has just begun */
};

static void prepare(void *context, size_t i, int thread)
{
    struct gpu *c = context;
    struct run *run = &c->runs[c->begun[i]];
    (void)thread;
    run_begin(run, c->t, run->number, &c->errors[c->begun[i]]);
}

/* The next runs into the free places, their rows and rules by all threads. */
static int fill(struct gpu *c, size_t *next, struct kl_pool *pool, struct kl_error *err)
{
    const struct kl_study *s = c->t->study;
    c->n_begun = 0;
    for (size_t p = 0; p < c->n_places; p++) {
        while (*next < s->n_runs && c->t->done[*next]) ++*next;
        if (c->runs[p].memory || *next == s->n_runs) continue;
        c->runs[p].number = (*next)++;
        c->errors[p].code = KL_OK;
        c->begun[c->n_begun++] = p;
    }
    kl_pool_for(pool, c->n_begun, prepare, c);
    for (size_t i = 0; i < c->n_begun; i++) {
        const size_t p = c->begun[i];
        struct run *r = &c->runs[p];
        if (c->errors[p].code)
            return kl_fail(err, c->errors[p].code, "run %zu: %s", r->number + 1, c->errors[p].text);
        const int rc = kl_classify_network_gpu_begin(
            c->networks, p, &r->network, r->labels, r->training, r->n_training, r->judging, r->n_judging,
            (uint64_t)s->v->common.seed, (uint32_t)r->number, err);
        if (rc) return rc;
    }
    c->n_live += c->n_begun;
    return KL_OK;
}

/* Runs that have ended are written and leave. */
static int harvest(struct gpu *c, struct kl_error *err)
{
    int rc = KL_OK;
    for (size_t p = 0; p < c->n_places && !rc; p++) {
        bool ended = false;
        rc = kl_classify_network_gpu_take(&ended, c->networks, p, err);
        if (rc || !ended) continue;
        rc = run_end(&c->runs[p], c->t, err);
        run_free(&c->runs[p]);
        c->n_live--;
    }
    return rc;
}

static int train(struct gpu *c, struct kl_pool *pool, struct kl_error *err)
{
    const size_t n = c->t->study->n_runs;
    size_t next = 0;
    int rc = fill(c, &next, pool, err);
    while (!rc && c->n_live) {
        rc = kl_signals_pending() ? kl_fail(err, KL_ESIGNAL, "stopped")
                                  : kl_classify_network_gpu_epoch(c->networks, err);
        if (!rc) rc = harvest(c, err);
        if (!rc) rc = fill(c, &next, pool, err);
    }
    if (rc != KL_ESIGNAL) return rc;
    return kl_fail(err, rc, "stopped after %zu of %zu run%s", c->t->finished, n, kl_s(n));
}

static int train_on_gpu(struct training *t, const struct kl_device *device, struct kl_pool *pool,
                        struct kl_error *err)
{
    const struct kl_study *s = t->study;
    struct gpu c = { .t = t, .n_places = s->n_runs - t->finished };
    if (!s->network)
        return kl_fail(err, KL_EUSAGE, "--model %s: not on a GPU; give --device cpu", s->v->model);
    if (!c.n_places) return KL_OK;
    int rc = kl_classify_network_gpu_open(&c.networks, &c.n_places, &s->options, &s->samples, device,
                                          pool, err);
    if (rc) return rc;
    c.runs = calloc(c.n_places, sizeof *c.runs);
    c.errors = calloc(c.n_places, sizeof *c.errors);
    c.begun = calloc(c.n_places, sizeof *c.begun);
    rc = c.runs && c.errors && c.begun ? train(&c, pool, err)
                                       : kl_fail_memory(err, c.n_places * sizeof *c.errors);
    for (size_t p = 0; c.runs && p < c.n_places; p++) run_free(&c.runs[p]);
    free(c.runs), free(c.errors), free(c.begun);
    kl_classify_network_gpu_close(&c.networks);
    return rc;
}

/* ---- all runs on all threads ---- */
static int train_run(struct training *t, size_t number, struct kl_error *err)
{
    const struct kl_study *s = t->study;
    struct kl_samples samples = s->samples;
    struct run run;
    int rc = run_begin(&run, t, number, err);
    samples.labels = run.labels;
    if (!rc && s->network)
        rc = kl_classify_network_train(&run.network, &s->options, &samples, run.training, run.n_training,
                                       run.judging, run.n_judging, (uint64_t)s->v->common.seed,
                                       (uint32_t)number, kl_signals_pending, err);
    if (!rc) rc = run_end(&run, t, err);
    run_free(&run);
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

/* Earlier runs than one that failed go on: they may fail as well, and would be the ones to name. */
static bool skips(const struct training *t, size_t run)
{
    return t->done[run] || (t->stopped && (t->error.code == KL_ESIGNAL || run > t->failed_run));
}

static void run_item(void *context, size_t run, int thread)
{
    struct training *t = context;
    struct kl_error error = { 0 };
    (void)thread;
    pthread_mutex_lock(&t->lock);
    const bool skip = skips(t, run);
    pthread_mutex_unlock(&t->lock);
    if (skip || !train_run(t, run, &error)) return;
    pthread_mutex_lock(&t->lock);
    fail(t, run, &error);
    pthread_mutex_unlock(&t->lock);
}

/* Report the error that stopped the threads, if one did. */
static int outcome(const struct training *t, struct kl_error *err)
{
    const size_t n = t->study->n_runs;
    if (!t->stopped) return KL_OK;
    if (t->error.code == KL_ESIGNAL)
        return kl_fail(err, KL_ESIGNAL, "stopped after %zu of %zu run%s", t->finished, n, kl_s(n));
    return kl_fail(err, t->error.code, "run %zu: %s", t->failed_run + 1, t->error.text);
}

int kl_classify_train(const struct kl_study *study, struct kl_writer *w, const struct kl_device *device,
                      struct kl_pool *pool, const struct kl_watch *watch, struct kl_error *err)
{
    struct training t = { .study = study, .w = w, .watch = watch };
    int rc = declare_sets(&t.sets, study, w, err);
    if (rc) return rc;
    t.done = calloc(study->n_runs, sizeof *t.done);
    if (!t.done) return kl_fail_memory(err, study->n_runs);
    rc = kl_store_writer_done_rows(w, t.sets.split, t.done, err);
    for (size_t i = 0; i < study->n_runs; i++) t.finished += t.done[i];
    pthread_mutex_init(&t.lock, NULL);
    if (!rc && device->cuda) rc = train_on_gpu(&t, device, pool, err);
    else if (!rc) kl_pool_for(pool, study->n_runs, run_item, &t);
    pthread_mutex_destroy(&t.lock);
    free(t.done);
    return rc ? rc : outcome(&t, err);
}
