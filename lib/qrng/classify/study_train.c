/* SPDX-License-Identifier: MIT
   The runs of a study on all threads, each written as soon as it is done. */
#include <stdlib.h>

#include "kernels/device.h"
#include "qrng/classify/study_train_int.h"

static int train_run(struct kl_study_training *t, size_t number, struct kl_error *err)
{
    const struct kl_study *s = t->study;
    struct kl_samples samples = s->samples;
    struct kl_study_run run;
    int rc = kl_study_run_begin(&run, t, number, err);
    samples.labels = run.labels;
    if (!rc && s->network)
        rc = kl_network_train(&run.network, &s->options, &samples, run.training, run.n_training,
                              run.judging, run.n_judging, (uint64_t)s->v->common.seed, (uint32_t)number,
                              kl_signals_pending, err);
    if (!rc) rc = kl_study_run_end(&run, t, err);
    kl_study_run_free(&run);
    return rc;
}

/* The first error wins by place, not by time. */
static void fail(struct kl_study_training *t, size_t run, const struct kl_error *error)
{
    const bool only_stopped = error->code == KL_ESIGNAL;
    if (!t->stopped || (!only_stopped && (t->error.code == KL_ESIGNAL || run < t->failed_run)))
        t->error = *error, t->failed_run = run;
    t->stopped = true;
}

/* Earlier runs than one that failed go on: they may fail as well, and would be the ones to name. */
static bool skips(const struct kl_study_training *t, size_t run)
{
    return t->done[run] || (t->stopped && (t->error.code == KL_ESIGNAL || run > t->failed_run));
}

static void run_item(void *context, size_t run, int thread)
{
    struct kl_study_training *t = context;
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

/* What the threads met. */
static int outcome(const struct kl_study_training *t, struct kl_error *err)
{
    const size_t n = t->study->n_runs;
    if (!t->stopped) return KL_OK;
    if (t->error.code == KL_ESIGNAL)
        return kl_fail(err, KL_ESIGNAL, "stopped after %zu of %zu run%s", t->finished, n, kl_s(n));
    return kl_fail(err, t->error.code, "run %zu: %s", t->failed_run + 1, t->error.text);
}

int kl_study_train(const struct kl_study *study, struct kl_writer *w, const struct kl_device *device,
                   struct kl_pool *pool, const struct kl_watch *watch, struct kl_error *err)
{
    struct kl_study_training t = { .study = study, .w = w, .watch = watch };
    int rc = kl_study_declare(&t.sets, study, w, err);
    if (rc) return rc;
    t.done = calloc(study->n_runs, sizeof *t.done);
    if (!t.done) return kl_fail_memory(err, study->n_runs);
    rc = kl_store_writer_done_rows(w, t.sets.split, t.done, err);
    for (size_t i = 0; i < study->n_runs; i++) t.finished += t.done[i];
    pthread_mutex_init(&t.lock, NULL);
    if (!rc && device->cuda) rc = kl_study_gpu(&t, device, pool, err);
    else if (!rc) kl_pool_for(pool, study->n_runs, run_item, &t);
    pthread_mutex_destroy(&t.lock);
    free(t.done);
    return rc ? rc : outcome(&t, err);
}
