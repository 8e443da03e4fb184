/* SPDX-License-Identifier: MIT
   The diagnostics of each temperature of a file, several at once, and what is amiss in them. */
#include "sampling/diagnose/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/store.h"

struct work {
    const struct kl_sampling_chains *chains;
    const float *of, *virial, *norm;
    struct kl_sampling_verdict *verdicts;
    struct kl_error *errors; /* (n_betas) */
};

static double mean_of(const float *all, const struct kl_sampling_chains *c, size_t b)
{
    const size_t most = (size_t)c->draws[b];
    double sum = 0;
    for (size_t i = 0; i < c->chains; i++)
        for (size_t t = 0; t < most; t++) sum += all[(i * c->most_draws + t) * c->n_betas + b];
    return sum / (double)(c->chains * most);
}

static void of_trace(struct kl_sampling_verdict *v, struct kl_sampling_traces *t, size_t chains)
{
    v->mean = kl_sampling_mean(t), v->sd = kl_sampling_sd(t);
    v->rhat = kl_sampling_rhat(t, KL_SAMPLING_RHAT_RANK);
    v->bulk = kl_sampling_ess(t, KL_SAMPLING_ESS_BULK);
    v->tail = kl_sampling_ess(t, KL_SAMPLING_ESS_TAIL);
    v->time = kl_sampling_autocorrelation_time(t);
    v->mcse = v->sd * sqrt(v->time / ((double)v->draws * (double)chains));
}

/* One trace of the b-th temperature, looked at by what follows. */
static int look(struct kl_sampling_traces **t, double *x, const float *all,
                const struct kl_sampling_chains *c, size_t b, struct kl_error *err)
{
    const size_t draws = kl_sampling_chains_trace(x, all, c, b);
    if (*t && kl_sampling_traces_draws(*t) != draws) kl_sampling_traces_close(t);
    if (!draws) return KL_OK;
    const int code = *t ? KL_OK : kl_sampling_traces_open(t, c->chains, draws, err);
    if (!code) kl_sampling_traces_take(*t, x);
    return code;
}

static void one_beta(void *context, size_t b, int thread)
{
    const struct work *w = context;
    const struct kl_sampling_chains *c = w->chains;
    struct kl_sampling_verdict *v = &w->verdicts[b];
    struct kl_sampling_traces *t = NULL;
    struct kl_error *err = &w->errors[b];
    const size_t room = c->chains * (size_t)c->draws[b];
    double *x = malloc((room + 1) * sizeof *x);
    (void)thread;
    int code = x ? look(&t, x, w->of, c, b, err) : kl_fail_memory(err, room * sizeof *x);
    if (!code && t) {
        v->draws = kl_sampling_traces_draws(t);
        of_trace(v, t, c->chains);
    }
    if (!code && w->virial) code = look(&t, x, w->virial, c, b, err);
    if (!code && w->virial && t)
        v->virial = kl_sampling_mean(t), v->virial_mcse = kl_sampling_mcse_mean(t);
    if (!code && w->norm) v->norm = mean_of(w->norm, c, b);
    kl_sampling_traces_close(&t);
    free(x);
}

/* Mean over the chains of a dataset [chain, beta]; without it nothing is known. */
static int mean_over_chains(struct kl_sampling_verdict *v, size_t offset,
                            const struct kl_sampling_chains *c, const char *name, enum kl_type type,
                            struct kl_error *err)
{
    const size_t dims[2] = { c->chains, c->n_betas };
    void *data = NULL;
    if (!kl_store_file_find(c->file, name)) return KL_OK;
    const int code = kl_store_file_load_shape(&data, c->file, name, type, 2, dims, err);
    for (size_t b = 0; b < c->n_betas && !code; b++) {
        double sum = 0;
        for (size_t i = 0; i < c->chains; i++)
            sum += kl_store_type_number(type, data, i * c->n_betas + b);
        *(double *)((char *)&v[b] + offset) = sum / (double)c->chains;
    }
    free(data);
    return code;
}

static int fill(struct kl_sampling_verdict *v, const struct kl_sampling_chains *c, const char *of,
                struct kl_pool *pool, struct kl_error *err)
{
    float *trace = NULL, *virial = NULL, *norm = NULL;
    struct kl_error *errors = calloc(c->n_betas, sizeof *errors);
    int code = errors ? kl_sampling_chains_load(&trace, c, of, err)
                      : kl_fail_memory(err, c->n_betas * sizeof *errors);
    if (!code && !trace)
        code = kl_fail(err, KL_EDATA, "%s: has no trace %s", kl_store_file_path(c->file), of);
    if (!code) code = kl_sampling_chains_load(&virial, c, "sample_stats/virial", err);
    if (!code) code = kl_sampling_chains_load(&norm, c, "posterior/norm", err);
    if (!code) {
        struct work w = { c, trace, virial, norm, v, errors };
        kl_pool_for(pool, c->n_betas, one_beta, &w);
    }
    for (size_t b = 0; b < c->n_betas && !code; b++)
        if (errors[b].code) *err = errors[b], code = err->code;
    free(errors), free(trace), free(virial), free(norm);
    return code;
}

int kl_sampling_verdicts(struct kl_sampling_verdict **verdicts, const struct kl_sampling_chains *c,
                         const char *of, struct kl_pool *pool, struct kl_error *err)
{
    struct kl_sampling_verdict *v = *verdicts = malloc(c->n_betas * sizeof *v);
    if (!v) return kl_fail_memory(err, c->n_betas * sizeof *v);
    for (size_t b = 0; b < c->n_betas; b++)
        v[b] = (struct kl_sampling_verdict){ c->beta[b], 0,   NAN, NAN, NAN, NAN, NAN,
                                             NAN,        NAN, NAN, NAN, NAN, NAN, NAN };
    int code = fill(v, c, of, pool, err);
    if (!code)
        code = mean_over_chains(v, offsetof(struct kl_sampling_verdict, acceptance), c,
                                "sample_stats/acceptance", KL_TYPE_F32, err);
    if (!code)
        code = mean_over_chains(v, offsetof(struct kl_sampling_verdict, step), c, "sample_stats/step",
                                KL_TYPE_F64, err);
    if (code) free(v), *verdicts = NULL;
    return code;
}

/* ---- what is amiss ---- */
bool kl_sampling_virial_is_off(const struct kl_sampling_verdict *v)
{
    const double off = fabs(v->virial - 1);
    return off > 0.5 || (off > 0.05 && !(off <= 4 * v->virial_mcse));
}

static bool has_high_rhat(const struct kl_sampling_verdict *v)
{
    return v->rhat > KL_SAMPLING_MOST_RHAT;
}
static bool has_few(const struct kl_sampling_verdict *v)
{
    return v->bulk < KL_SAMPLING_LEAST_ESS || v->tail < KL_SAMPLING_LEAST_ESS;
}
static bool is_unknown(const struct kl_sampling_verdict *v)
{
    return isnan(v->bulk);
}

/* "beta 10, 30 and 4 more"; false: none is so. */
static bool betas(char text[200], const struct kl_sampling_verdict *v, size_t n,
                  bool (*is_so)(const struct kl_sampling_verdict *v))
{
    enum { SHOWN = 5 };
    size_t found = 0, at = 0;
    for (size_t i = 0; i < n; i++) {
        if (!is_so(&v[i]) || found++ >= SHOWN) continue;
        at += (size_t)snprintf(text + at, 200 - at, "%s%g", found > 1 ? ", " : "beta ", v[i].beta);
    }
    if (found > SHOWN) snprintf(text + at, 200 - at, " and %zu more", found - SHOWN);
    return found > 0;
}

bool kl_sampling_warn(const struct kl_log *log, const struct kl_sampling_verdict *v, size_t n,
                      size_t chains)
{
    char at[200];
    bool amiss = false;
    if (betas(at, v, n, has_high_rhat)) {
        kl_caution(log,
                   "R-hat above %g at %s: the chains have not met; sample longer, or more of a warm-up",
                   KL_SAMPLING_MOST_RHAT, at);
        amiss = true;
    }
    if (betas(at, v, n, has_few)) {
        kl_caution(
            log,
            "fewer than %g effective draws at %s: the errors are not to be relied on; sample longer",
            KL_SAMPLING_LEAST_ESS, at);
        amiss = true;
    }
    if (betas(at, v, n, kl_sampling_virial_is_off)) {
        kl_caution(log, "the virial ratio is off 1 at %s: not at equilibrium, or the step is too large",
                   at);
        amiss = true;
    }
    if (betas(at, v, n, is_unknown)) {
        kl_caution(log, "nothing is known of %s: fewer than four draws, or one that is no number", at);
        amiss = true;
    }
    if (chains < 2) {
        kl_caution(log, "one chain alone: R-hat needs two, for it compares them");
        amiss = true;
    }
    return amiss;
}

/* ---- predictive accuracy ---- */
static int efficiency_of(double *efficiency, const float *log_lik, size_t chains, size_t draws,
                         size_t records, struct kl_error *err)
{
    struct kl_sampling_traces *t = NULL;
    double *x = calloc(chains * draws, sizeof *x);
    int code = x ? kl_sampling_traces_open(&t, chains, draws, err)
                 : kl_fail_memory(err, chains * draws * sizeof *x);
    if (!code) {
        for (size_t i = 0; i < chains * draws; i++)
            for (size_t r = 0; r < records; r++) x[i] += log_lik[i * records + r];
        kl_sampling_traces_take(t, x);
        const double ess = kl_sampling_ess(t, KL_SAMPLING_ESS_MEAN);
        *efficiency = chains > 1 && ess > 0 ? ess / (double)(chains * draws) : 1;
    }
    kl_sampling_traces_close(&t);
    free(x);
    return code;
}

int kl_sampling_scores(struct kl_sampling_scores *s, bool *found, const struct kl_sampling_chains *c,
                       struct kl_pool *pool, struct kl_error *err)
{
    const struct kl_dataset *d = kl_store_file_find(c->file, "log_likelihood/train");
    float *log_lik = NULL;
    *found = d != NULL;
    *s = (struct kl_sampling_scores){ 0 };
    if (!d) return KL_OK;
    int code = kl_store_file_expect(&d, c->file, "log_likelihood/train", KL_TYPE_F32, 3, err);
    if (code) return code;
    s->draws = d->dims[0] * d->dims[1], s->records = d->dims[2];
    if (s->draws < 2 || !s->records) {
        *found = false;
        return KL_OK;
    }
    code = kl_store_file_load((void **)&log_lik, c->file, d, err);
    if (!code) code = efficiency_of(&s->efficiency, log_lik, d->dims[0], d->dims[1], s->records, err);
    if (!code)
        code = kl_sampling_predict(&s->predictive, NULL, NULL, log_lik, s->draws, s->records,
                                   s->efficiency, pool, err);
    free(log_lik);
    return code;
}
