/* SPDX-License-Identifier: MIT
   The diagnostics of each temperature of a file, several at once, and what is amiss in them. */
#include <math.h>
#include <stdlib.h>

#include "sampling/diagnose/verdict.h"
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

struct kl_sampling_verdict kl_sampling_verdict_none(double beta, size_t chains)
{
    return (struct kl_sampling_verdict){ .beta = beta,
                                         .chains = chains,
                                         .mean = NAN,
                                         .mcse = NAN,
                                         .sd = NAN,
                                         .rhat = NAN,
                                         .bulk = NAN,
                                         .tail = NAN,
                                         .time = NAN,
                                         .acceptance = NAN,
                                         .step = NAN,
                                         .target = NAN,
                                         .farthest = NAN,
                                         .virial = NAN,
                                         .virial_mcse = NAN,
                                         .norm = NAN };
}

void kl_sampling_verdict_of_trace(struct kl_sampling_verdict *v, struct kl_sampling_traces *t)
{
    v->draws = kl_sampling_traces_draws(t), v->still = kl_sampling_still(t);
    v->mean = kl_sampling_mean(t), v->sd = kl_sampling_sd(t);
    if (v->still == v->chains) return;
    v->rhat = kl_sampling_rhat(t);
    v->bulk = kl_sampling_ess(t, KL_SAMPLING_ESS_BULK);
    v->tail = kl_sampling_ess(t, KL_SAMPLING_ESS_TAIL);
    const double ess = kl_sampling_ess(t, KL_SAMPLING_ESS_MEAN);
    v->time = (double)(v->draws * v->chains) / ess, v->mcse = v->sd / sqrt(ess);
}

void kl_sampling_verdict_of_virial(struct kl_sampling_verdict *v, struct kl_sampling_traces *t)
{
    v->virial = kl_sampling_mean(t);
    if (kl_sampling_still(t) < v->chains) v->virial_mcse = kl_sampling_mcse_mean(t);
}

void kl_sampling_verdict_of_acceptance(struct kl_sampling_verdict *v, const double *acceptance)
{
    double sum = 0;
    v->farthest = acceptance[0];
    for (size_t i = 0; i < v->chains; i++) {
        const double aim = isnan(v->target) ? 1 : v->target;
        sum += acceptance[i];
        if (fabs(acceptance[i] - aim) > fabs(v->farthest - aim)) v->farthest = acceptance[i];
    }
    v->acceptance = sum / (double)v->chains;
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
    if (!code && t) kl_sampling_verdict_of_trace(v, t);
    if (!code && w->virial) code = look(&t, x, w->virial, c, b, err);
    if (!code && w->virial && t) kl_sampling_verdict_of_virial(v, t);
    if (!code && w->norm) v->norm = mean_of(w->norm, c, b);
    kl_sampling_traces_close(&t);
    free(x);
}

/* (chains) of temperature b, of a dataset [chain, beta]. */
static void column(double *to, const void *data, enum kl_type type, const struct kl_sampling_chains *c,
                   size_t b)
{
    for (size_t i = 0; i < c->chains; i++) to[i] = kl_store_type_number(type, data, i * c->n_betas + b);
}

/* Acceptance and step of each chain, and what the step was tuned to; without them nothing is known. */
static int fill_sampler(struct kl_sampling_verdict *v, const struct kl_sampling_chains *c,
                        struct kl_error *err)
{
    static const char *const names[] = { "sample_stats/acceptance", "sample_stats/step" };
    static const enum kl_type types[] = { KL_TYPE_F32, KL_TYPE_F64 };
    const size_t dims[2] = { c->chains, c->n_betas };
    void *data[2] = { NULL, NULL };
    char *sampler = NULL;
    double target = NAN, tuned = 0, *of = malloc(c->chains * sizeof *of);
    int code = of ? KL_OK : kl_fail_memory(err, c->chains * sizeof *of);
    if (!code && kl_store_file_has_attribute(c->file, "", "sampler"))
        code = kl_store_file_text(&sampler, c->file, "", "sampler", err);
    if (!code && kl_store_file_has_attribute(c->file, "", "tune"))
        code = kl_store_file_number(&tuned, c->file, "", "tune", err);
    if (!code && tuned > 0 && kl_store_file_has_attribute(c->file, "", "target_accept"))
        code = kl_store_file_number(&target, c->file, "", "target_accept", err);
    for (int i = 0; i < 2 && !code; i++)
        if (kl_store_file_find(c->file, names[i]))
            code = kl_store_file_load_shape(&data[i], c->file, names[i], types[i], 2, dims, err);
    for (size_t b = 0; b < c->n_betas && !code; b++) {
        v[b].target = target, v[b].refuses = sampler && kl_choice("mala|hmc", sampler) >= 0;
        if (data[0]) column(of, data[0], types[0], c, b), kl_sampling_verdict_of_acceptance(&v[b], of);
        double sum = 0;
        if (data[1]) column(of, data[1], types[1], c, b);
        for (size_t i = 0; i < c->chains && data[1]; i++) sum += of[i];
        if (data[1]) v[b].step = sum / (double)c->chains;
    }
    free(data[0]), free(data[1]), free(sampler), free(of);
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
    for (size_t b = 0; b < c->n_betas; b++) v[b] = kl_sampling_verdict_none(c->beta[b], c->chains);
    int code = fill(v, c, of, pool, err);
    if (!code) code = fill_sampler(v, c, err);
    if (code) free(v), *verdicts = NULL;
    return code;
}

/* ---- what is amiss ---- */
static bool virial_is_off(const struct kl_sampling_verdict *v)
{
    const double off = fabs(v->virial - 1);
    return off > 0.5 || (off > 0.05 && !(off <= 4 * v->virial_mcse));
}

static bool never_moved(const struct kl_sampling_verdict *v)
{
    return v->still > 0 && v->refuses && !(v->farthest > KL_SAMPLING_LEAST_ACCEPTANCE);
}
static bool is_still(const struct kl_sampling_verdict *v)
{
    return v->still > 0 && !never_moved(v);
}
static bool is_far(const struct kl_sampling_verdict *v)
{
    if (!v->refuses || isnan(v->farthest) || never_moved(v)) return false;
    return isnan(v->target) ? v->farthest < KL_SAMPLING_LEAST_ACCEPTANCE
                            : fabs(v->farthest - v->target) > KL_SAMPLING_NEAR_ACCEPTANCE;
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
    return isnan(v->bulk) && v->still < v->chains;
}

/* Those that are so: "beta 10, 30 and 4 more"; and the worst of them, " at beta 30" where there are
 * several. */
enum { AT = 200 };
struct those {
    char at[AT], worst_at[48];
    const struct kl_sampling_verdict *worst; /* NULL: none is so */
    bool alike;                              /* all are as bad */
};
typedef bool is_so_fn(const struct kl_sampling_verdict *v);
typedef double how_fn(const struct kl_sampling_verdict *v);
static struct those those(const struct kl_sampling_verdict *v, size_t n, is_so_fn *is_so, how_fn *how)
{
    enum { SHOWN = 5 };
    struct those t = { .alike = true };
    size_t found = 0, at = 0;
    for (size_t i = 0; i < n; i++) {
        if (!is_so(&v[i])) continue;
        t.alike &= !t.worst || how(&v[i]) == how(t.worst);
        if (!t.worst || how(&v[i]) > how(t.worst)) t.worst = &v[i];
        if (found++ >= SHOWN) continue;
        at += (size_t)snprintf(t.at + at, AT - at, "%s%g", found > 1 ? ", " : "beta ", v[i].beta);
    }
    if (found > SHOWN) snprintf(t.at + at, AT - at, " and %zu more", found - SHOWN);
    if (found > 1) snprintf(t.worst_at, sizeof t.worst_at, " at beta %g", t.worst->beta);
    return t;
}

static double by_chains(const struct kl_sampling_verdict *v)
{
    return (double)v->still;
}
static double by_acceptance(const struct kl_sampling_verdict *v)
{
    return fabs(v->farthest - (isnan(v->target) ? 1 : v->target));
}
static double by_rhat(const struct kl_sampling_verdict *v)
{
    return v->rhat;
}
static double by_draws(const struct kl_sampling_verdict *v)
{
    return -fmin(v->bulk, v->tail);
}
static double by_virial(const struct kl_sampling_verdict *v)
{
    return fabs(v->virial - 1);
}

const char *kl_sampling_beside(char text[KL_SAMPLING_BESIDE], double value, double limit)
{
    for (int digits = 3; digits <= 17; digits++) {
        snprintf(text, KL_SAMPLING_BESIDE, "%.*g", digits, value);
        if ((strtod(text, NULL) > limit) == (value > limit) &&
            (strtod(text, NULL) < limit) == (value < limit))
            break;
    }
    return text;
}

/* " (--epochs 4300)": R-hat less 1 falls with the number of draws, as effective draws rise with it. */
enum { ASKED = 48 };
static const char *longer(char text[ASKED], const struct kl_sampling_verdict *v, size_t n,
                          const struct kl_sampling_lengths *had)
{
    double times = 1;
    *text = '\0';
    for (size_t i = 0; i < n; i++) {
        if (has_high_rhat(&v[i])) times = fmax(times, (v[i].rhat - 1) / (KL_SAMPLING_MOST_RHAT - 1));
        if (has_few(&v[i])) times = fmax(times, KL_SAMPLING_LEAST_ESS / fmin(v[i].bulk, v[i].tail));
    }
    if (!had || !had->n || !isfinite(times)) return text;
    const double asked = 1.5 * times * (double)had->n, unit = pow(10, floor(log10(asked)) - 1);
    snprintf(text, ASKED, " (%s %.0f)", had->option, ceil(asked / unit) * unit);
    return text;
}
static const char *warmer(char text[ASKED], const struct kl_sampling_lengths *had)
{
    *text = '\0';
    if (had && had->warmup) snprintf(text, ASKED, " (--warmup %lld)", 4 * (long long)had->warmup);
    return text;
}

/* Chains that do not move, or not well. */
static bool warn_of_moves(const struct kl_log *log, const struct kl_sampling_verdict *v, size_t n,
                          const char *of, const char *trace, const struct kl_sampling_lengths *had)
{
    char far[KL_SAMPLING_BESIDE], asked[ASKED];
    const struct those stuck = those(v, n, never_moved, by_chains),
                       still = those(v, n, is_still, by_chains),
                       away = those(v, n, is_far, by_acceptance);
    if (stuck.worst)
        kl_caution(log,
                   "%sno proposal was accepted at %s, in %s%zu of %zu chains: they never moved; take a "
                   "smaller step, or a warm-up in which it is tuned",
                   of, stuck.at, stuck.alike ? "" : "up to ", stuck.worst->still, stuck.worst->chains);
    if (still.worst)
        kl_caution(
            log, "%s%s does not vary at %s, in %s%zu of %zu chains: it says nothing of how they mix", of,
            trace, still.at, still.alike ? "" : "up to ", still.worst->still, still.worst->chains);
    if (away.worst && isnan(away.worst->target))
        kl_caution(log,
                   "%sthe acceptance is low at %s (%.2g%s): expected %g or more; take a smaller step",
                   of, away.at, away.worst->farthest, away.worst_at, KL_SAMPLING_LEAST_ACCEPTANCE);
    else if (away.worst)
        kl_caution(log,
                   "%sthe acceptance is far from its target %g at %s (%s in a chain%s): take a longer "
                   "warm-up%s",
                   of, away.worst->target, away.at,
                   kl_sampling_beside(far, away.worst->farthest, away.worst->target), away.worst_at,
                   warmer(asked, had));
    return stuck.worst || still.worst || away.worst;
}

/* Chains whose draws say too little. */
static bool warn_of_draws(const struct kl_log *log, const struct kl_sampling_verdict *v, size_t n,
                          const char *of, const struct kl_sampling_lengths *had)
{
    char value[KL_SAMPLING_BESIDE], asked[ASKED], warm[ASKED];
    const struct those apart = those(v, n, has_high_rhat, by_rhat), few = those(v, n, has_few, by_draws),
                       off = those(v, n, virial_is_off, by_virial);
    if (apart.worst)
        kl_caution(
            log,
            "%sR-hat is above %g at %s (%s%s): the chains have not met; sample longer%s, or warm up "
            "longer%s",
            of, KL_SAMPLING_MOST_RHAT, apart.at,
            kl_sampling_beside(value, apart.worst->rhat, KL_SAMPLING_MOST_RHAT), apart.worst_at,
            longer(asked, v, n, had), warmer(warm, had));
    if (few.worst)
        kl_caution(
            log,
            "%sfewer than %g effective draws at %s (%s%s): the standard errors are unreliable; "
            "sample longer%s",
            of, KL_SAMPLING_LEAST_ESS, few.at,
            kl_sampling_beside(value, fmin(few.worst->bulk, few.worst->tail), KL_SAMPLING_LEAST_ESS),
            few.worst_at, longer(asked, v, n, had));
    if (off.worst)
        kl_caution(log,
                   "%sthe virial ratio, 1 at equilibrium, is off at %s (%.3g%s): not at equilibrium, or "
                   "the step is too large",
                   of, off.at, off.worst->virial, off.worst_at);
    return apart.worst || few.worst || off.worst;
}

bool kl_sampling_warn(const struct kl_log *log, const struct kl_sampling_verdict *v, size_t n,
                      const char *of, const char *trace, const struct kl_sampling_lengths *had)
{
    bool amiss = warn_of_moves(log, v, n, of, trace, had);
    amiss |= warn_of_draws(log, v, n, of, had);
    const struct those unknown = those(v, n, is_unknown, by_chains);
    if (unknown.worst) {
        kl_caution(log, "%snothing is known of %s: fewer than four draws, or one that is no number", of,
                   unknown.at);
        amiss = true;
    }
    if (n && v->chains < 2) {
        kl_caution(log, "%sone chain alone: R-hat needs two, for it compares them", of);
        amiss = true;
    }
    return amiss;
}

bool kl_sampling_warn_rise(const struct kl_log *log, const struct kl_sampling_verdict *v, size_t n)
{
    static const double CHANCE = 5; /* standard errors */
    size_t worst = 0;
    double most = CHANCE;
    for (size_t k = 1; k < n; k++) {
        const double by = (v[k].mean - v[k - 1].mean) / hypot(v[k].mcse, v[k - 1].mcse);
        if (v[k].beta > v[k - 1].beta && by > most) most = by, worst = k;
    }
    if (worst)
        kl_caution(
            log,
            "the mean loss rises from beta %g to %g by %.3g standard errors, where that of chains "
            "at equilibrium falls: the step is too large, or the warm-up too short",
            v[worst - 1].beta, v[worst].beta, most);
    return worst > 0;
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
