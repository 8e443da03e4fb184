/* SPDX-License-Identifier: MIT
   The study of synthetic devices: it makes them, contrasts their classes, names the class of held-
   out rows, and trains the reference's two classifiers. */
#include "qrng/synthetic/synthetic.h"

#include <stdlib.h>

#include "qrng/classify/network.h"

/* ---- the reference's classifiers ---- */
/* Two classifiers of its thirty devices: of a row, the class of its device. They are judged
   as the study did, on a fifth of the rows, and device by device on all rows, those that trained them
   included. */

static const double TRAIN_SHARE = 0.8;
enum { EPOCHS = 50, UNITS = 30, MORE_UNITS = 20 };

const char *const kl_synthetic_learner_names[KL_SYNTHETIC_LEARNERS] = { "network", "logistic" };

struct job {
    struct kl_synthetic *s;
    int32_t *classes; /* [rows] */
    int64_t *rows;    /* training rows, then those of the test */
    size_t n_train, n_test;
    int code[KL_SYNTHETIC_LEARNERS];
};

/* Named rows, device by device; test rows and those of training apart. */
static void judge(struct kl_synthetic_learner *l, const struct job *job, const int32_t *named)
{
    const struct kl_synthetic *s = job->s;
    size_t right[2] = { 0 };
    for (size_t i = 0; i < job->n_train + job->n_test; i++) {
        const size_t row = (size_t)job->rows[i];
        const bool is = named[i] == job->classes[row];
        if (i >= job->n_train) l->confusion[job->classes[row]][named[i]]++;
        right[i >= job->n_train] += is;
        l->accuracy[s->bits.device[row]] += is / (double)s->plan.options->rows;
    }
    l->train = (double)right[0] / (double)job->n_train;
    l->test = (double)right[1] / (double)job->n_test;
}

/* Without the dropout and the penalty that the documents speak of. */
static int learn_network(int32_t *named, const struct job *job)
{
    const struct kl_bits *b = &job->s->bits;
    const size_t n = b->n_rows, classes = job->s->n_classes;
    struct kl_network_options o;
    kl_classify_network_options_default(&o);
    o.net = (struct kl_mlp){ 3, { (int)b->n_bits, UNITS, MORE_UNITS, (int)classes } };
    o.init = KL_INIT_FAN_IN;
    o.epochs = EPOCHS, o.patience = o.rate_patience = 0, o.last = true;
    o.dropout = o.l1 = o.clip = 0;
    const struct kl_samples samples = { b->words, n, b->words_per_row * sizeof *b->words, true,
                                        job->classes };
    struct kl_network_run run = { .params =
                                      malloc(kl_classify_network_size(&o.net) * sizeof *run.params),
                                  .history = malloc(KL_NETWORK_HISTORIES * EPOCHS * sizeof(double)) };
    float *logits = malloc(n * classes * sizeof *logits);
    int code = run.params && run.history && logits ? KL_OK : KL_ENOMEM;
    if (!code)
        code = kl_classify_network_train(
            &run, &o, &samples, job->rows, job->n_train, job->rows + job->n_train, job->n_test,
            (uint64_t)job->s->plan.options->seed, 0, kl_signals_pending, NULL);
    if (!code)
        code = kl_classify_network_logits(logits, &o.net, run.params, &samples, job->rows, n, NULL);
    for (size_t i = 0; i < n && !code; i++) {
        named[i] = 0;
        for (size_t c = 1; c < classes; c++)
            if (logits[i * classes + c] > logits[i * classes + (size_t)named[i]]) named[i] = (int32_t)c;
    }
    free(run.params), free(run.history), free(logits);
    return code;
}

/* The penalty is on the weights of standardised bits: on w times the bit's deviation. */
static int learn_logistic(int32_t *named, const struct job *job)
{
    const struct kl_bits *b = &job->s->bits;
    const size_t classes = job->s->n_classes, n = b->n_bits;
    struct kl_rule rule = { KL_RULE_LOGISTIC, classes, n, NULL };
    double *variance = calloc(n + classes * (n + 1), sizeof *variance);
    int code = variance ? KL_OK : KL_ENOMEM;
    for (size_t i = 0; i < job->n_train && !code; i++) {
        const uint64_t *row = kl_bits_row(b, (size_t)job->rows[i]);
        for (size_t j = 0; j < n; j++)
            variance[j] += (double)(row[j / 64] >> (j % 64) & 1) / (double)job->n_train;
    }
    for (size_t j = 0; j < n && !code; j++) variance[j] *= 1 - variance[j];
    rule.parameters = variance + n;
    if (!code)
        code = kl_classify_logistic_fit(rule.parameters, b, job->classes, classes, job->rows,
                                        job->n_train, variance, NULL);
    for (size_t i = 0; i < b->n_rows && !code; i++) {
        double scores[KL_SYNTHETIC_CLASSES];
        kl_classify_rule_scores(scores, &rule, b, (size_t)job->rows[i]);
        named[i] = 0;
        for (size_t c = 1; c < classes; c++)
            if (scores[c] > scores[named[i]]) named[i] = (int32_t)c;
    }
    free(variance);
    return code;
}

static void learn(void *context, size_t i, int thread)
{
    struct job *job = context;
    int32_t *named = malloc(job->s->bits.n_rows * sizeof *named);
    (void)thread;
    job->code[i] = !named ? KL_ENOMEM : i == 0 ? learn_network(named, job) : learn_logistic(named, job);
    if (!job->code[i]) judge(&job->s->learners[i], job, named);
    free(named);
}

static int split(struct job *job, struct kl_error *err)
{
    const struct kl_synthetic *s = job->s;
    const size_t n = s->bits.n_rows;
    int32_t *order = calloc(2 * n, sizeof *order);
    job->classes = calloc(n, sizeof *job->classes);
    job->rows = malloc(n * sizeof *job->rows);
    if (!order || !job->classes || !job->rows) {
        free(order);
        return kl_fail_memory(err, n * sizeof *job->rows);
    }
    for (size_t r = 0; r < n; r++) job->classes[r] = s->devices[s->bits.device[r]].class;
    kl_classify_mt19937_stratified(order, &job->n_train, order + n, &job->n_test, job->classes, n,
                                   (int)s->n_classes, TRAIN_SHARE, (uint32_t)s->plan.options->seed);
    for (size_t i = 0; i < n; i++)
        job->rows[i] = i < job->n_train ? order[i] : order[n + i - job->n_train];
    free(order);
    return KL_OK;
}

/* If these are the reference's devices; split as there. */
static int learn_classes(struct kl_synthetic *s, struct kl_pool *pool, struct kl_error *err)
{
    struct job job = { .s = s };
    if (!s->plan.study) return KL_OK;
    int code = split(&job, err);
    for (int i = 0; i < KL_SYNTHETIC_LEARNERS && !code; i++) {
        s->learners[i].accuracy = calloc(s->n_devices, sizeof(double));
        if (!s->learners[i].accuracy) code = kl_fail_memory(err, s->n_devices * sizeof(double));
    }
    if (!code) kl_pool_for(pool, KL_SYNTHETIC_LEARNERS, learn, &job);
    for (int i = 0; i < KL_SYNTHETIC_LEARNERS && !code; i++) {
        struct kl_synthetic_learner *l = &s->learners[i];
        if (job.code[i] == KL_ESIGNAL) code = kl_fail(err, KL_ESIGNAL, "stopped");
        else if (job.code[i]) code = kl_fail_memory(err, s->bits.n_rows * sizeof(int64_t));
        if (code) break;
        l->pearson = kl_stats_pearson(s->study.mean, l->accuracy, s->n_devices);
        code = kl_stats_spearman(&l->spearman, s->study.mean, l->accuracy, s->n_devices, err);
    }
    free(job.classes), free(job.rows);
    return code;
}

/* ---- the study ---- */

enum { FOLDS = 5 };

/* Rows r with r mod FOLDS == fold are named by a rule that was fitted to the others. right [d]: counts.
 */
static int name_fold(double *right, const struct kl_synthetic *s, const int32_t *classes, int64_t *which,
                     int fold, enum kl_rule_kind kind, struct kl_rule *rule, struct kl_error *err)
{
    size_t n = 0;
    for (size_t r = 0; r < s->bits.n_rows; r++)
        if ((int)(r % FOLDS) != fold) which[n++] = (int64_t)r;
    int code = kl_classify_rule_fit(rule, kind, &s->bits, classes, s->n_classes, which, n, err);
    for (size_t r = (size_t)fold; r < s->bits.n_rows && !code; r += FOLDS) {
        double scores[KL_SYNTHETIC_CLASSES];
        size_t best = 0;
        kl_classify_rule_scores(scores, rule, &s->bits, r);
        for (size_t c = 1; c < s->n_classes; c++)
            if (scores[c] > scores[best]) best = c;
        right[s->bits.device[r]] += (int32_t)best == classes[r];
    }
    return code;
}

static int name_classes(struct kl_synthetic *s, struct kl_error *err)
{
    const enum kl_rule_kind kind = s->plan.pairs ? KL_RULE_PAIRS : KL_RULE_ONES;
    const size_t n = s->bits.n_rows,
                 numbers = s->n_classes * (kl_classify_rule_inputs(kind, s->bits.n_bits) + 1);
    int32_t *classes = malloc(n * sizeof *classes);
    int64_t *which = malloc(n * sizeof *which);
    struct kl_rule rule = { .parameters = malloc(numbers * sizeof *rule.parameters) };
    int code = classes && which && rule.parameters ? KL_OK : kl_fail_memory(err, n * sizeof *which);
    for (size_t r = 0; r < n && !code; r++) classes[r] = s->devices[s->bits.device[r]].class;
    for (int fold = 0; fold < FOLDS && !code; fold++)
        code = name_fold(s->accuracy, s, classes, which, fold, kind, &rule, err);
    for (size_t d = 0; d < s->n_devices && !code; d++) {
        s->accuracy[d] /= (double)s->plan.options->rows;
        s->mean_accuracy += s->accuracy[d] / (double)s->n_devices;
    }
    free(classes), free(which), free(rule.parameters);
    return code;
}

static int correlate(struct kl_contrast *c, const struct kl_synthetic *s, struct kl_error *err)
{
    c->pearson = kl_stats_pearson(c->mean, s->accuracy, s->n_devices);
    return kl_stats_spearman(&c->spearman, c->mean, s->accuracy, s->n_devices, err);
}

static int stop(const struct kl_watch *watch, uint64_t done, struct kl_error *err)
{
    return kl_watch_step(watch, done, 4, NULL) ? kl_fail(err, KL_ESIGNAL, "stopped") : KL_OK;
}

int kl_synthetic_run(struct kl_synthetic *s, const struct kl_synthetic_options *o, struct kl_pool *pool,
                     const struct kl_watch *watch, struct kl_error *err)
{
    *s = (struct kl_synthetic){ .n_devices = (size_t)o->devices };
    int code = kl_synthetic_plan(&s->plan, o, err);
    if (code) return code;
    s->n_classes = (size_t)s->plan.n_classes;
    s->n_pairs = s->n_classes * (s->n_classes + 1) / 2;
    s->devices = calloc(s->n_devices, sizeof *s->devices);
    s->accuracy = calloc(s->n_devices, sizeof *s->accuracy);
    if (!s->devices || !s->accuracy) return kl_fail_memory(err, s->n_devices * sizeof *s->devices);
    code = kl_synthetic_make(&s->bits, s->devices, &s->draws, &s->plan, pool, err);
    if (!code) code = stop(watch, 1, err);
    if (!code) code = kl_synthetic_contrast_make(&s->study, s, false, pool, err);
    if (!code) code = kl_synthetic_contrast_make(&s->smoothed, s, true, pool, err);
    if (!code) code = name_classes(s, err);
    if (!code) code = correlate(&s->study, s, err);
    if (!code) code = correlate(&s->smoothed, s, err);
    if (!code) code = stop(watch, 2, err);
    if (!code) code = learn_classes(s, pool, err);
    if (!code) code = stop(watch, 3, err);
    if (!code) code = kl_synthetic_power(s, pool, err);
    return code ? code : stop(watch, 4, err);
}

void kl_synthetic_free(struct kl_synthetic *s)
{
    kl_synthetic_contrast_free(&s->study), kl_synthetic_contrast_free(&s->smoothed);
    kl_bits_free(&s->bits);
    free(s->devices), free(s->accuracy);
    for (int i = 0; i < KL_SYNTHETIC_LEARNERS; i++) free(s->learners[i].accuracy);
    *s = (struct kl_synthetic){ 0 };
}
