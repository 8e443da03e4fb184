/* SPDX-License-Identifier: MIT
   What is said before a training and after it: how measured circuits are differentiated, which options
   change nothing, samples whose accuracy would not mean what it seems to, whether it ended too soon. */
#include "circuit/noise.h"

#include <stdlib.h>
#include <string.h>

#include "head/run.h"

static void say_shots(const struct kl_log *log, const struct kl_head_settings *v)
{
    if (v->train.options.optimizer.kind == KL_SPSA)
        kl_note(log, 1, "losses from %s measurements an evaluation", v->shots);
    else
        kl_note(log, 1, "gradients by %s, from %s measurements an evaluation", v->diff_method, v->shots);
}

/* Inputs, then weights. */
static void mark_used(bool *used, const struct kl_circuit *c)
{
    bool *weights = used + c->n_inputs;
    for (size_t i = 0; i < c->n_ops; i++)
        for (int k = 0; k < 3; k++) {
            const struct kl_angle *a = &c->ops[i].angle[k];
            if (a->source == KL_WEIGHT) weights[a->index] = true;
            if (a->source != KL_INPUT) continue;
            used[a->index] = true;
            if (a->index2 >= 0) used[a->index2] = true;
            if (a->scaled) weights[a->scaled - 1] = true;
        }
}

/* Declared and in no gate: the head, and its twin, have as many parameters as were declared. */
static void say_unused(const struct kl_log *log, const struct kl_circuit *c)
{
    size_t inputs = 0, weights = 0;
    bool *used = calloc(c->n_inputs + c->n_weights, sizeof *used);
    if (!used) return; /* what follows needs more, and says so */
    mark_used(used, c);
    for (size_t i = 0; i < c->n_inputs; i++) inputs += !used[i];
    for (size_t i = 0; i < c->n_weights; i++) weights += !used[c->n_inputs + i];
    free(used);
    if (inputs || weights)
        kl_caution(
            log,
            "no gate uses %zu of the circuit's %zu inputs and %zu of its %zu weights: they count as "
            "parameters and change nothing; take them out of the OpenQASM",
            inputs, c->n_inputs, weights, c->n_weights);
}

/* Both wait for an epoch that is no better on validation samples. */
static void say_unjudged(const struct kl_log *log, const struct kl_train_options *o)
{
    const bool patience = o->patience > 0, plateau = o->schedule.kind == KL_PLATEAU_RATE;
    if (o->val_fraction > 0 || o->folds || (!patience && !plateau)) return;
    kl_note(log, 1, "--val-fraction 0 leaves no samples to judge epochs by: %s%s%s change%s nothing",
            patience ? "--patience" : "", patience && plateau ? " and " : "",
            plateau ? "--schedule plateau" : "", patience && plateau ? "" : "s");
}

/* A rate that is 0 throughout, or that never becomes what was asked for. */
static void say_rate(const struct kl_log *log, const struct kl_head_settings *v)
{
    const struct kl_schedule *s = &v->train.options.schedule;
    const struct kl_optimizer *o = &v->train.options.optimizer;
    const bool rises = s->min_lr > 0 && (s->kind == KL_COSINE_RATE || s->kind == KL_PLATEAU_RATE),
               turns = v->head.core == KL_CORE_CIRCUIT &&
                       (o->kind == KL_ROTOSOLVE || (o->kind == KL_QNG && o->natural_lr > 0));
    const long long warmup = s->warmup, epochs = v->train.options.epochs;
    if (s->lr == 0 && !rises)
        kl_caution(log, "--lr 0: %s stays as it was drawn", turns ? "all but the circuit" : "the head");
    else if (warmup >= epochs)
        kl_caution(
            log, "--warmup %lld: %s %lld epoch%s %s of it, and the learning rate never becomes --lr %g",
            warmup, epochs == 1 ? "the" : "all", epochs, kl_s((uint64_t)epochs),
            epochs == 1 ? "is part" : "are part", s->lr);
}

/* For a circuit that does not start normal; its twin, if that is trained as a control, does. */
static void say_scale(const struct kl_log *log, const struct kl_head_settings *v)
{
    struct kl_head_options usual;
    kl_head_options_default(&usual);
    if (v->head.core != KL_CORE_CIRCUIT || v->head.init == KL_INIT_NORMAL ||
        v->head.weight_scale == usual.weight_scale)
        return;
    kl_note(log, 1, "--weight-scale: changes nothing%s without --init normal",
            v->no_controls ? "" : " but the control twin");
}

void kl_head_remarks(const struct kl_log *log, const struct kl_head_settings *v,
                     const struct kl_head_model *model)
{
    const bool circuit = model->circuit;
    say_unjudged(log, &v->train.options);
    say_rate(log, v);
    say_scale(log, v);
    if (circuit && *v->head.circuit.qasm) say_unused(log, model->circuit);
    if (circuit) kl_circuit_say(log, model->circuit);
    if (v->head.shots && circuit) say_shots(log, v);
    if (circuit && model->circuit->trajectories && !v->trajectories)
        kl_note(log, 1, "noise by %zu trajectories a sample and step",
                (size_t)model->circuit->trajectories);
    if (circuit) kl_circuit_noise_say(log, &v->noise_source, model->circuit);
    if (!circuit && (v->head.shots || v->head.circuit.noise))
        kl_caution(log, "--core %s has no circuit: --noise and --shots change nothing", v->shape.core);
    if (circuit && v->train.options.optimizer.kind == KL_SPSA && !v->head.shots &&
        v->head.diff != KL_DIFF_ADJOINT)
        kl_note(log, 1, "--optimizer spsa takes no derivatives: --diff-method %s changes nothing",
                v->diff_method);
    if (circuit && model->options.grow && kl_head_stages(model) == 1)
        kl_note(log, 1, "--grow: the circuit begins with all of its %lld layer%s: it changes nothing",
                (long long)v->head.circuit.n_layers, kl_s((uint64_t)v->head.circuit.n_layers));
}

static double unfinished(const struct kl_head_train *t)
{
    return kl_train_unfinished(&t->loop, KL_TRAIN_LOSS, t->n_validation ? KL_VAL_LOSS : -1);
}

void kl_head_remark_unfinished(const struct kl_log *log, const struct kl_head_train *t,
                               const struct kl_controls *controls)
{
    const long long epochs = (long long)t->loop.options.epochs;
    const double head = unfinished(t);
    char names[80] = "";
    size_t used = 0;
    int several = 0;
    if (head > 0) kl_train_say_unfinished(log, &t->loop, head);
    for (int i = 0; i < controls->n; i++) {
        const double share = unfinished(&controls->trains[i]);
        if (share > 0)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s %.0f %%",
                                     several++ ? ", " : "", kl_head_control_name(i), share);
    }
    if (several)
        kl_caution(
            log,
            "control%s not trained to the end: of what the training loss fell by, the last tenth of the "
            "%lld epochs brought %s; part of the difference%s to %s is that; give more --epochs",
            several > 1 ? "s" : "", epochs, names, several > 1 ? "s" : "", several > 1 ? "them" : "it");
}

/* ---- samples ----
   What is said of the samples of a training, where its accuracy would not mean what it seems to: classes
   without samples, rows that are all the same, too few samples to judge by, and copies of training
   samples among those that judge. */

enum { DIGEST = 16, FEW = 30 };

static void say_classes(const struct kl_log *log, const struct kl_features *f, const size_t *counts)
{
    size_t empty = 0, first = 0;
    for (size_t c = f->n_classes; c--;)
        if (!counts[c]) first = c, empty++;
    if (f->n_classes - empty == 1)
        kl_caution(log, "one class: there is nothing to tell apart, and every accuracy is 1");
    if (!empty) return;
    kl_caution(log, "%zu of %zu classes %s no sample (first: '%.*s'): the head has %s for %s%s", empty,
               f->n_classes, empty == 1 ? "has" : "have", (int)f->name_size,
               f->class_names + first * f->name_size, empty == 1 ? "an output" : "outputs",
               empty == 1 ? "it" : "them", empty == 1 && first == 0 ? "; labels from 1?" : "");
}

static int count_classes(const struct kl_log *log, const struct kl_features *f, struct kl_error *err)
{
    size_t *counts = calloc(f->n_classes + 1, sizeof *counts);
    if (!counts) return kl_fail_memory(err, f->n_classes * sizeof *counts);
    for (size_t i = 0; i < f->n; i++) counts[f->labels[i]]++;
    say_classes(log, f, counts);
    free(counts);
    return KL_OK;
}

static bool all_equal(const struct kl_features *f)
{
    const size_t row = f->d * sizeof *f->x;
    for (size_t i = 1; i < f->n; i++)
        if (memcmp(f->x, f->x + i * f->d, row) != 0) return false;
    return f->n > 1;
}

/* A set of digests, open addressing; size: a power of two, above twice what it will hold. No row's
   digest is all zeros but by a chance of 2^-128: that is a free place. */
struct set {
    unsigned char (*places)[DIGEST];
    size_t size;
};

/* The place of this digest, or the free one where it would go. */
static unsigned char *place_of(const struct set *set, const unsigned char digest[DIGEST])
{
    static const unsigned char none[DIGEST];
    size_t at;
    memcpy(&at, digest, sizeof at);
    for (at &= set->size - 1;; at = (at + 1) & (set->size - 1))
        if (memcmp(set->places[at], digest, DIGEST) == 0 || memcmp(set->places[at], none, DIGEST) == 0)
            return set->places[at];
}

static void digest_row(unsigned char digest[DIGEST], const struct kl_features *f, int64_t row)
{
    kl_xxh128(digest, f->x + (size_t)row * f->d, f->d * sizeof *f->x);
}

/* How many validation rows are, to the bit, training rows too; by their digests. */
static int count_copies(size_t *n, const struct kl_head_train *t, struct kl_error *err)
{
    struct set training = { .size = 2 };
    unsigned char digest[DIGEST];
    while (training.size <= 2 * t->n_training) training.size *= 2;
    training.places = calloc(training.size, sizeof *training.places);
    if (!training.places) return kl_fail_memory(err, training.size * sizeof *training.places);
    for (size_t i = 0; i < t->n_training; i++) {
        digest_row(digest, t->features, t->training[i]);
        memcpy(place_of(&training, digest), digest, DIGEST);
    }
    *n = 0;
    for (size_t i = 0; i < t->n_validation; i++) {
        digest_row(digest, t->features, t->validation[i]);
        *n += memcmp(place_of(&training, digest), digest, DIGEST) == 0;
    }
    free(training.places);
    return KL_OK;
}

/* Public sets of images have a few copies, by far less than one in a hundred, which change nothing. */
static int say_copies(const struct kl_log *log, const struct kl_head_train *t, struct kl_error *err)
{
    const size_t n = t->n_validation;
    size_t copies = 0;
    const int code = count_copies(&copies, t, err);
    if (!code && 100 * copies >= n)
        kl_caution(log,
                   "%zu of %zu validation samples %s features of training samples: val accuracy is "
                   "flattered; take the copies out",
                   copies, n, copies == 1 ? "has the very" : "have the very");
    return code;
}

int kl_head_remark_samples(const struct kl_log *log, const struct kl_head_train *t, struct kl_error *err)
{
    const size_t n = t->n_validation;
    int code = count_classes(log, t->features, err);
    if (code) return code;
    if (n && n < FEW)
        kl_caution(
            log,
            "only %zu validation sample%s: by %s the epoch is chosen and accuracies are given, too few to "
            "tell heads apart; give more samples, or %s",
            n, kl_s(n), n == 1 ? "it" : "them",
            t->loop.options.folds ? "fewer folds" : "a larger --val-fraction");
    if (all_equal(t->features))
        kl_caution(log, "all %zu rows of the features are equal: there is nothing to learn from them",
                   t->features->n);
    else if (n) code = say_copies(log, t, err);
    return code;
}

int kl_head_remark_split(const struct kl_log *log, const struct kl_features *f,
                         const struct kl_train_options *o, struct kl_error *err)
{
    struct kl_head_train t = { .features = f, .loop.options = *o };
    int code = kl_head_split(&t, o, err);
    if (!code) code = kl_head_remark_samples(log, &t, err);
    free(t.training);
    free(t.validation);
    return code;
}
