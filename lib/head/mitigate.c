/* SPDX-License-Identifier: MIT
   A head with its circuit run several times: as it is, without noise to compare with, and under every
   scale of the noise. */
#include "head/mitigate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/noise.h"
#include "head/head_int.h"
#include "head/meter.h"
#include "store/store.h"

/* Outputs of the core (n, k each). */
struct outputs {
    float *plain, *ideal, *scaled;
    double *sum;
    size_t n, k;
};

static int take(struct outputs *o, const struct kl_head *head, size_t n, struct kl_error *err)
{
    *o = (struct outputs){ .n = n, .k = head->model.n_expval };
    const size_t size = n * o->k + 1;
    o->plain = malloc(size * sizeof *o->plain);
    o->ideal = malloc(size * sizeof *o->ideal);
    o->scaled = malloc(size * sizeof *o->scaled);
    o->sum = calloc(size, sizeof *o->sum);
    return o->plain && o->ideal && o->scaled && o->sum ? KL_OK
                                                       : kl_fail_memory(err, size * sizeof *o->sum);
}

static void release(struct outputs *o)
{
    free(o->plain);
    free(o->ideal);
    free(o->scaled);
    free(o->sum);
}

static int load(struct kl_head **head, const struct kl_mitigation_job *job,
                const struct kl_conditions *how, struct kl_error *err)
{
    return kl_head_load(head, job->file, job->control, (int64_t)job->replica, how, err);
}

static bool misreads(const struct kl_circuit *c)
{
    bool found = false;
    for (int q = 0; q < c->n_qubits; q++) {
        const double *e = c->noise->qubit[c->noise->n_qubits ? q : 0].readout;
        found = found || e[0] > 0 || e[1] > 0;
    }
    return found;
}

/* What was asked for has something to take back. */
static int check_noise(const struct kl_circuit *c, const struct kl_mitigation *m, struct kl_error *err)
{
    if (!c->noise)
        return kl_fail(err, KL_EUSAGE,
                       "--zne, --mitigate-readout: there is no noise to take back; give --noise");
    if (m->readout && !misreads(c))
        return kl_fail(err, KL_EUSAGE,
                       "--mitigate-readout: the noise has no readout errors; leave it away");
    if (m->n_scales && !kl_circuit_noise_errs(c->noise, c->n_qubits))
        return kl_fail(err, KL_EUSAGE,
                       "--zne: the noise has readout errors alone, which folded gates do not make "
                       "stronger; take --mitigate-readout");
    return KL_OK;
}

static int check(const struct kl_head *head, const struct kl_mitigation_job *job, struct kl_error *err)
{
    const struct kl_circuit *c = head->model.circuit;
    const bool measured = job->shots && job->shots->n && c && !c->probabilities;
    if (!c)
        return kl_fail(err, KL_EUSAGE, "%s: --zne, --mitigate-readout: the head has no circuit",
                       kl_store_file_path(job->file));
    int code = check_noise(c, job->mitigation, err);
    if (code || !job->mitigation->readout) return code;
    code = kl_circuit_readout_check(c, err);
    for (size_t i = 0; i < c->n_strings && !code && measured; i++)
        if (c->strings[i].x) code = kl_circuit_readout_mean_check(c, c->strings[i], err);
    for (size_t i = 0; i < c->n_targets && !code && measured; i++)
        if (c->targets[i].axis.x)
            code = kl_fail(err, KL_EUSAGE,
                           "shots of a fidelity with no basis state are one outcome alone, from which "
                           "readout errors are not taken back; leave --shots away, or observe strings");
    return code;
}

/* Adds weight times the outputs at one scale. */
static int add_scale(struct outputs *o, const struct kl_mitigation_job *job, int scale, double weight,
                     const float *x, struct kl_pool *pool, struct kl_error *err)
{
    const struct kl_mitigation *m = job->mitigation;
    const bool measured = job->shots && job->shots->n;
    struct kl_shots shots = measured ? *job->shots : (struct kl_shots){ 0 };
    struct kl_head *head = NULL;
    shots.step = (uint32_t)(scale - 1) / 2; /* measurements of their own */
    shots.undo_readout = m->readout;
    struct kl_conditions how = job->how;
    how.fold = scale;
    how.perfect_readout = m->readout && !measured;
    how.draws.step = shots.step; /* and realisations */
    int code = load(&head, job, &how, err);
    if (!code) code = kl_head_logits(NULL, o->scaled, head, x, o->n, &shots, pool, err);
    for (size_t i = 0; i < o->n * o->k && !code; i++) o->sum[i] += weight * (double)o->scaled[i];
    kl_head_free(&head);
    return code;
}

static void find_errors(struct kl_mitigated *m, const struct outputs *o)
{
    m->error = m->error_mitigated = 0;
    for (size_t i = 0; i < o->n * o->k; i++) {
        m->error += fabs((double)o->plain[i] - (double)o->ideal[i]) / (double)(o->n * o->k);
        m->error_mitigated += fabs(o->sum[i] - (double)o->ideal[i]) / (double)(o->n * o->k);
    }
}

/* Outputs without mitigation, the logits that follow, and outputs without noise to compare both with. */
static int compare(struct outputs *o, float *plain, const struct kl_head *head,
                   const struct kl_mitigation_job *job, const float *x, struct kl_pool *pool,
                   struct kl_error *err)
{
    struct kl_head *ideal = NULL;
    int code = kl_head_logits(plain, o->plain, head, x, o->n, job->shots, pool, err);
    if (!code) code = load(&ideal, job, &(struct kl_conditions){ .noise = "" }, err);
    if (!code) code = kl_head_logits(NULL, o->ideal, ideal, x, o->n, NULL, pool, err);
    kl_head_free(&ideal);
    return code;
}

int kl_head_mitigated_logits(float *logits, float *plain, struct kl_mitigated *m,
                             const struct kl_mitigation_job *job, const float *x, size_t n,
                             struct kl_pool *pool, struct kl_error *err)
{
    const struct kl_mitigation *how = job->mitigation;
    struct outputs o = { 0 };
    struct kl_head *head = NULL;
    int code = load(&head, job, &job->how, err);
    if (!code) code = check(head, job, err);
    if (!code) code = take(&o, head, n, err);
    kl_head_judge_progress_runs(job->how.meter,
                                (size_t)(how->n_scales ? how->n_scales : 1) + (plain != NULL));
    if (!code && plain) code = compare(&o, plain, head, job, x, pool, err);
    if (!code && !how->n_scales) code = add_scale(&o, job, 1, 1, x, pool, err);
    for (int s = 0; s < how->n_scales && !code; s++)
        code = add_scale(&o, job, how->scale[s], how->weight[s], x, pool, err);
    if (!code && m) find_errors(m, &o);
    for (size_t i = 0; i < n * o.k && !code; i++) o.scaled[i] = (float)o.sum[i];
    if (!code) code = kl_head_classify_outputs(logits, head, o.scaled, n, err);
    release(&o);
    kl_head_free(&head);
    return code;
}
