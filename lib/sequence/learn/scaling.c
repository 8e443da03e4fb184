/* SPDX-License-Identifier: MIT
   The training of lib/train, by the same learner and the same ranks, without what is not a step: no
   epoch is judged and no file written. */
#include "sequence/learn/scaling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/learn/learner.h"
#include "train/ranks.h"

enum { ROUNDS = 3, MOST_EPOCHS = 100000 };

struct open {
    struct kl_training training;
    struct kl_log quiet; /* what the split would say is no matter here */
    size_t batch;
};

static int open_one(struct open *o, struct kl_sequence_train_values *values,
                    const struct kl_sequence_scaling_job *job, struct kl_error *err)
{
    struct kl_training *t = &o->training;
    const struct kl_train_stage *stage = &kl_sequence_train_stage;
    o->quiet = (struct kl_log){ job->log->tool, job->log->to, 0, NULL };
    values->parts.kind = KL_SEQUENCE_SPLIT_LEAK; /* any windows will do, of one person too */
    values->parts.validation = 0, values->parts.test = 1e-9;
    *t = (struct kl_training){ .of = stage,
                               .values = values,
                               .settings = &values->train,
                               .log = &o->quiet,
                               .inputs = job->inputs,
                               .input = job->inputs->files[0],
                               .state = calloc(1, stage->state_size) };
    if (!t->state) return kl_fail_memory(err, stage->state_size);
    const int code = stage->open(t, err);
    if (code < 0) return code;
    struct kl_sequence_learner *s = t->state;
    const size_t n = s->split.n[KL_SEQUENCE_TRAIN];
    o->batch = (size_t)values->train.options.batch_size;
    if (n < o->batch)
        return kl_fail(err, KL_EDATA, "batches of %zu: found %zu windows; give more of them", o->batch,
                       n);
    s->split.n[KL_SEQUENCE_TRAIN] = n - n % o->batch; /* whole batches alone */
    t->learner.steps_per_epoch = (int64_t)(n / o->batch);
    return KL_OK;
}

static void close_one(struct open *o)
{
    if (o->training.state) kl_sequence_train_stage.close(&o->training);
    free(o->training.state);
}

/* All ranks are here. */
static int meet(struct kl_ranks *ranks, int64_t *count, struct kl_error *err)
{
    int stop = kl_signals_pending();
    const int code = ranks ? kl_train_ranks_agree(ranks, count, &stop, err) : KL_OK;
    if (code || !stop) return code;
    kl_signals_told(stop);
    return kl_fail(err, KL_ESIGNAL, "stopped by a signal; nothing is kept");
}

/* Some epochs, as many on every rank; *seconds: of one. */
static int some_epochs(double *seconds, struct kl_train *train, struct kl_pool *pool, int64_t epochs,
                       const struct kl_sequence_scaling_job *job, struct kl_error *err)
{
    int code = meet(train->options.ranks, &epochs, err);
    const double start = kl_clock();
    train->until = train->epoch + epochs;
    if (!code) code = kl_train_run(train, pool, job->watch, err);
    *seconds = (kl_clock() - start) / (double)epochs;
    return code;
}

/* One row: an epoch to warm up, which says how many fill a round; the best of the rounds. */
static int measure(struct kl_sequence_scaling_row *row, struct open *o, struct kl_ranks *ranks,
                   struct kl_pool *pool, const struct kl_sequence_scaling_job *job, struct kl_error *err)
{
    struct kl_train train;
    struct kl_train_options options = o->training.settings->options;
    const double steps = (double)o->training.learner.steps_per_epoch;
    double once, seconds;
    options.epochs = MOST_EPOCHS, options.replicas = 1, options.patience = 0;
    options.checkpoint_every = 0, options.ranks = ranks;
    int code = kl_train_open(&train, &o->training.learner, &options, kl_pool_size(pool), err);
    if (code) return code;
    code = some_epochs(&once, &train, pool, 1, job, err);
    row->seconds = INFINITY;
    for (int k = 0; k < ROUNDS && !code; k++) {
        const double waited = ranks ? ranks->waited : 0;
        const uint64_t bytes = ranks ? ranks->bytes : 0;
        const double wish = ceil(job->seconds / ROUNDS / once);
        int64_t epochs = (int64_t)fmin(fmax(wish, 1), MOST_EPOCHS / (2 * ROUNDS));
        code = meet(ranks, &epochs, err); /* the first rank's number is everyone's */
        if (!code) code = some_epochs(&seconds, &train, pool, epochs, job, err);
        if (code || seconds / steps >= row->seconds) continue;
        row->seconds = seconds / steps;
        row->waited = ranks ? (ranks->waited - waited) / (double)epochs / steps : 0;
        row->bytes = ranks ? (double)(ranks->bytes - bytes) / (double)epochs / steps : 0;
    }
    kl_train_close(&train);
    return code;
}

static int add_row(struct kl_sequence_scaling *s, struct open *o, size_t ranks, int threads,
                   const struct kl_sequence_scaling_job *job, struct kl_error *err)
{
    const struct kl_sequence_learner *learner = o->training.state;
    const bool measured = !job->ranks || job->ranks->index < ranks;
    struct kl_ranks some = { 0 };
    struct kl_pool *pool = NULL;
    int64_t nothing = 0;
    struct kl_sequence_scaling_row *more = realloc(s->rows, (s->n + 1) * sizeof *more);
    if (!more) return kl_fail_memory(err, (s->n + 1) * sizeof *more);
    s->rows = more;
    struct kl_sequence_scaling_row *row = &more[s->n++];
    *row =
        (struct kl_sequence_scaling_row){ .batch = (int32_t)o->batch,
                                          .ranks = (int32_t)ranks,
                                          .threads = threads,
                                          .qubits =
                                              learner->net.model->quantum ? learner->v->net.qubits : 0,
                                          .parameters = (int64_t)learner->net.n_parameters };
    snprintf(row->model, sizeof row->model, "%s", learner->v->model);
    int code = kl_pool_create(&pool, threads, err);
    if (job->ranks) kl_train_ranks_first(&some, job->ranks, ranks);
    if (!code && measured) code = measure(row, o, some.count > 1 ? &some : NULL, pool, job, err);
    kl_train_ranks_first_end(&some);
    kl_pool_destroy(&pool);
    return code ? code : meet(job->ranks, &nothing, err);
}

static int add_rows(struct kl_sequence_scaling *s, struct open *o,
                    const struct kl_sequence_scaling_job *job, struct kl_error *err)
{
    const struct kl_learner *l = &o->training.learner;
    const size_t most = job->ranks ? job->ranks->count : 1, parts = l->tree && l->parts ? l->parts : 1;
    int code = KL_OK;
    for (size_t ranks = 1; ranks <= most && !code; ranks *= 2)
        for (int threads = 1; threads <= job->threads && !code; threads *= 2)
            if (ranks > parts)
                kl_note(job->log, 1, "batches of %zu have %zu part%s: %zu ranks are left out",
                        o->batch, parts, kl_s(parts), ranks);
            else if (ranks * (size_t)threads > (size_t)job->processors)
                kl_note(job->log, 2, "%zu ranks of %d threads are left out: over %d processors", ranks,
                        threads, job->processors);
            else code = add_row(s, o, ranks, threads, job, err);
    return code;
}

int kl_sequence_scaling_add(struct kl_sequence_scaling *s, struct kl_sequence_train_values *values,
                            const struct kl_sequence_scaling_job *job, struct kl_error *err)
{
    struct open o = { 0 };
    int code = open_one(&o, values, job, err);
    if (!code) {
        const struct kl_sequence_learner *learner = o.training.state;
        struct kl_learner *l = &o.training.learner;
        s->windows = learner->set.n, s->channels = learner->set.channels, s->steps = learner->set.steps;
        l->judge = NULL, l->n_judged = 0, l->plateau_own = false;
        code = add_rows(s, &o, job, err);
    }
    close_one(&o);
    return code;
}

void kl_sequence_scaling_free(struct kl_sequence_scaling *s)
{
    free(s->rows);
    *s = (struct kl_sequence_scaling){ 0 };
}

double kl_sequence_scaling_speedup(const struct kl_sequence_scaling *s, size_t i)
{
    const struct kl_sequence_scaling_row *row = &s->rows[i];
    for (size_t k = 0; k < s->n; k++) {
        const struct kl_sequence_scaling_row *one = &s->rows[k];
        if (one->ranks == 1 && one->threads == 1 && one->qubits == row->qubits &&
            one->batch == row->batch && strcmp(one->model, row->model) == 0)
            return one->seconds / row->seconds;
    }
    return NAN;
}
