/* SPDX-License-Identifier: MIT
   The runs of a study on a GPU, as many side by side as it holds; where one ends, the next begins. */
#include <stdlib.h>

#include "kernels/device.h"
#include "qrng/classify/study_train_int.h"

struct gpu {
    struct kl_study_training *t;
    struct kl_network_gpu *networks;
    size_t n_places, n_live;
    struct kl_study_run *runs; /* [places]; memory NULL: nobody is there */
    struct kl_error *errors;   /* [places] */
    size_t *begun, n_begun;    /* [n_begun] places where a run has just begun */
};

static void prepare(void *context, size_t i, int thread)
{
    struct gpu *c = context;
    struct kl_study_run *run = &c->runs[c->begun[i]];
    (void)thread;
    kl_study_run_begin(run, c->t, run->number, &c->errors[c->begun[i]]);
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
        struct kl_study_run *r = &c->runs[p];
        if (c->errors[p].code)
            return kl_fail(err, c->errors[p].code, "run %zu: %s", r->number + 1, c->errors[p].text);
        const int rc = kl_network_gpu_begin(c->networks, p, &r->network, r->labels, r->training,
                                            r->n_training, r->judging, r->n_judging,
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
        rc = kl_network_gpu_take(&ended, c->networks, p, err);
        if (rc || !ended) continue;
        rc = kl_study_run_end(&c->runs[p], c->t, err);
        kl_study_run_free(&c->runs[p]);
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
                                  : kl_network_gpu_epoch(c->networks, err);
        if (!rc) rc = harvest(c, err);
        if (!rc) rc = fill(c, &next, pool, err);
    }
    if (rc != KL_ESIGNAL) return rc;
    return kl_fail(err, rc, "stopped after %zu of %zu run%s", c->t->finished, n, kl_s(n));
}

int kl_study_gpu(struct kl_study_training *t, const struct kl_device *device, struct kl_pool *pool,
                 struct kl_error *err)
{
    const struct kl_study *s = t->study;
    struct gpu c = { .t = t, .n_places = s->n_runs - t->finished };
    if (!s->network)
        return kl_fail(err, KL_EUSAGE, "--model %s: not on a GPU; give --device cpu", s->v->model);
    if (!c.n_places) return KL_OK;
    int rc = kl_network_gpu_open(&c.networks, &c.n_places, &s->options, &s->samples, device, pool, err);
    if (rc) return rc;
    c.runs = calloc(c.n_places, sizeof *c.runs);
    c.errors = calloc(c.n_places, sizeof *c.errors);
    c.begun = calloc(c.n_places, sizeof *c.begun);
    rc = c.runs && c.errors && c.begun ? train(&c, pool, err)
                                       : kl_fail_memory(err, c.n_places * sizeof *c.errors);
    for (size_t p = 0; c.runs && p < c.n_places; p++) kl_study_run_free(&c.runs[p]);
    free(c.runs), free(c.errors), free(c.begun);
    kl_network_gpu_close(&c.networks);
    return rc;
}
