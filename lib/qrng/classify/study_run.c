/* SPDX-License-Identifier: MIT
   One run of a study: its rows, its rules, what is written of it. */
#include <math.h>
#include <stdlib.h>

#include "qrng/classify/study_train_int.h"

static int take(struct kl_study_run *run, const struct kl_study *s, struct kl_error *err)
{
    const size_t n = s->bits->n_rows, epochs = s->network ? (size_t)s->options.epochs : 0;
    const size_t rule = (size_t)s->bits->n_devices * (s->bits->n_bits + 5);
    const size_t bytes = n * (4 + 16 + 1) + 8 * KL_NETWORK_HISTORIES * epochs + 8 * rule +
                         4 * kl_network_size(&s->options.net) + 64;
    run->memory = malloc(bytes);
    if (!run->memory) return kl_fail_memory(err, bytes);
    run->training = run->memory;
    run->network.history = (double *)(run->training + 2 * n);
    run->rule = run->network.history + KL_NETWORK_HISTORIES * epochs;
    run->labels = (int32_t *)(run->rule + rule);
    run->network.params = (float *)(run->labels + n);
    run->part = (uint8_t *)(run->network.params + kl_network_size(&s->options.net));
    return KL_OK;
}

void kl_study_run_free(struct kl_study_run *run)
{
    free(run->memory);
    *run = (struct kl_study_run){ 0 };
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
static int fit_rules(const struct kl_study_training *t, const struct kl_study_run *run,
                     struct kl_error *err)
{
    const struct kl_study *s = t->study;
    const size_t n =
        kl_study_rows(run->training, run->part, s->bits->n_rows, KL_PART_TRAINING, KL_PART_VALIDATION);
    const size_t c = (size_t)s->bits->n_devices;
    int rc = KL_OK;
    for (int k = 0; k < KL_RULES && !rc; k++) {
        struct kl_rule rule = { .parameters = run->rule };
        const size_t size = c * (kl_rule_inputs((enum kl_rule_kind)k, s->bits->n_bits) + 1);
        if (!(s->rules >> k & 1)) continue;
        if (run->number < s->n_splits || (!s->network && s->chosen == k)) {
            rc =
                kl_rule_fit(&rule, (enum kl_rule_kind)k, s->bits, run->labels, c, run->training, n, err);
            if (!rc && k != KL_RULE_LOGISTIC) set_priors(&rule, s);
        } else {
            for (size_t i = 0; i < size; i++) run->rule[i] = NAN;
        }
        if (!rc) rc = kl_store_writer_rows(t->w, t->sets.rules[k], run->number, 1, run->rule, err);
    }
    return rc;
}

/* What the network learns from, and what judges its epochs. */
static void choose_rows(struct kl_study_run *run, const struct kl_study *s)
{
    const size_t n = s->bits->n_rows;
    const enum kl_part judged = s->protocol == KL_REFERENCE ? KL_PART_TEST : KL_PART_VALIDATION;
    run->n_training = kl_study_rows(run->training, run->part, n, KL_PART_TRAINING, KL_PART_TRAINING);
    run->judging = run->training + run->n_training;
    run->n_judging = kl_study_rows(run->judging, run->part, n, judged, judged);
}

int kl_study_run_begin(struct kl_study_run *run, const struct kl_study_training *t, size_t number,
                       struct kl_error *err)
{
    const struct kl_study *s = t->study;
    *run = (struct kl_study_run){ .number = number };
    int rc = take(run, s, err);
    if (rc) return rc;
    kl_study_labels(run->labels, s, number, run->training);
    rc = kl_study_split(run->part, s, number, run->labels, err);
    if (!rc) rc = kl_store_writer_rows(t->w, t->sets.split, number, 1, run->part, err);
    if (!rc) rc = fit_rules(t, run, err);
    choose_rows(run, s);
    return rc;
}

static int write_network(const struct kl_study_training *t, const struct kl_study_run *own,
                         struct kl_error *err)
{
    const struct kl_mlp *net = &t->study->options.net;
    const struct kl_network_run *n = &own->network;
    const size_t run = own->number;
    const float *at = n->params;
    uint8_t collapsed;
    int rc = kl_study_collapse(&collapsed, t->study, own, err);
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

int kl_study_run_end(const struct kl_study_run *run, struct kl_study_training *t, struct kl_error *err)
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
