/* SPDX-License-Identifier: MIT
   The evidence of a head out of the ladder that was sampled. */
#include <math.h>
#include <stdlib.h>

#include "sampling/heads/heads.h"
#include "sampling/ladder/ladder.h"

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

double kl_sampling_bayes_factor(double *error, const struct kl_sampling_evidence *a,
                                const struct kl_sampling_evidence *b)
{
    *error = hypot(a->error, b->error);
    return a->log_z - b->log_z;
}
