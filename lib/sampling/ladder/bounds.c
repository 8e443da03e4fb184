/* SPDX-License-Identifier: MIT
   Everything that follows from one ladder. */
#include <math.h>
#include <stdlib.h>

#include "sampling/ladder/ladder.h"
#include "stats/distributions.h"

/* Of an empirical mean; what is no number stays none. */
static double at_most_one(double p)
{
    return p > 1 ? 1 : p;
}

/* MCSE of what a bound is of: one standard error of each moves it by so much. */
static double moved(double p, double p_se, double gamma, double gamma_se, int64_t n,
                    const struct kl_sampling_bound_options *o)
{
    const double at = kl_sampling_bound(p, gamma, n, o);
    return hypot(kl_sampling_bound(at_most_one(p + p_se), gamma, n, o) - at,
                 kl_sampling_bound(p, gamma + gamma_se, n, o) - at);
}

/* Both means may be off: each has half of Monte Carlo's share of delta, the theorem the rest. */
static double upper(double p, double p_se, double gamma, double gamma_se, int64_t n,
                    const struct kl_sampling_bound_options *o)
{
    struct kl_sampling_bound_options rest = *o;
    const double z = kl_stats_normal_quantile(1 - o->delta * o->share / 2);
    rest.delta = o->delta * (1 - o->share);
    const double most = gamma + z * gamma_se;
    const bool possible = most >= 0 || o->form == KL_SAMPLING_FORM_SINGLE_DRAW;
    return possible ? kl_sampling_bound(at_most_one(p + z * p_se), most, n, &rest) : NAN;
}

static void settle_form(struct kl_sampling_rung_bounds *r, double *p_se,
                        const struct kl_sampling_bounds *b, size_t k)
{
    const struct kl_sampling_ladder *l = b->ladder;
    const double width = kl_sampling_ladder_width(l), beta = l->beta[k];
    r->train = b->options.unit_loss ? kl_sampling_ladder_unit(l, l->loss[k]) : l->train01[k];
    *p_se = b->options.unit_loss ? l->loss_mcse[k] * width / (l->high - l->low) : l->train01_mcse[k];
    r->test = b->options.unit_loss ? kl_sampling_ladder_unit(l, l->test_loss[k]) : l->test01[k];
    r->gamma = r->raw.gamma, r->gamma_se = r->raw.gamma_se;
    if (b->options.form == KL_SAMPLING_FORM_PRIOR_LOSS) {
        r->gamma = beta * kl_sampling_ladder_raw(l, l->loss[0]),
        r->gamma_se = beta * width * l->loss_mcse[0];
    } else if (b->options.form == KL_SAMPLING_FORM_SINGLE_DRAW) {
        r->gamma = r->raw.left - beta * kl_sampling_ladder_raw(l, l->drawn_loss[k]);
        r->gamma_se = r->raw.left_se, *p_se = 0;
        r->train = b->options.unit_loss ? kl_sampling_ladder_unit(l, l->drawn_loss[k]) : l->drawn01[k];
        if (!b->options.unit_loss) r->test = l->drawn_test01[k];
    }
}

/* The path's certificate, of the 0-1 error: work and error of the same ends of chains; Monte Carlo's
 * share of delta goes to both. */
static void certify(struct kl_sampling_rung_bounds *r, const struct kl_sampling_bounds *b, size_t k)
{
    const struct kl_sampling_ladder *l = b->ladder;
    struct kl_sampling_bound_options rest = b->options;
    const double part = b->options.delta * b->options.share / 2;
    double p_upper, unused;
    r->path_kl = r->path_kl_upper = r->path_bound = r->path_train = r->path_test = NAN;
    if (!l->work_of || k == 0 || b->options.unit_loss) return;
    rest.form = KL_SAMPLING_FORM_KL, rest.delta *= 1 - rest.share;
    kl_sampling_path_mean(&r->path_kl, &r->path_kl_upper, l->work_of + k, l->n_chains, l->n_rungs, part);
    kl_sampling_path_mean(&r->path_train, &p_upper, l->path01_of + k, l->n_chains, l->n_rungs, part);
    kl_sampling_path_mean(&r->path_test, &unused, l->path_test01_of + k, l->n_chains, l->n_rungs, part);
    if (isnan(r->path_kl_upper) || isnan(p_upper)) return;
    r->path_bound = kl_sampling_bound(fmin(1, p_upper), fmax(0, r->path_kl_upper), l->n, &rest);
}

static void bound_rung(const struct kl_sampling_bounds *b, size_t k)
{
    const struct kl_sampling_ladder *l = b->ladder;
    const struct kl_sampling_bound_options *o = &b->options;
    struct kl_sampling_rung_bounds *r = &b->rungs[k];
    double p_se;
    settle_form(r, &p_se, b, k);
    r->gamma *= o->factor, r->gamma_se *= o->factor;
    const double p = r->train, f = b->factor / o->factor;
    r->budget = kl_sampling_budget(r->gamma, l->n, o);
    /* A divergence is not negative; the logarithm of a draw's density may be. */
    const bool possible = r->gamma >= 0 || o->form == KL_SAMPLING_FORM_SINGLE_DRAW;
    r->bound = possible ? kl_sampling_bound(p, r->gamma, l->n, o) : NAN;
    r->bound_se = possible ? moved(p, p_se, r->gamma, r->gamma_se, l->n, o) : NAN;
    r->bound_upper = upper(p, p_se, r->gamma, r->gamma_se, l->n, o);
    r->calibrated = possible && !isnan(b->factor) ? kl_sampling_bound(p, f * r->gamma, l->n, o) : NAN;
    certify(r, b, k);
    r->test_chernoff = kl_sampling_chernoff_upper(r->test, l->m, o->delta);
    r->test_clopper = kl_sampling_clopper_upper(r->test, l->m, o->delta);
    r->llc = l->still[k] > 0
                 ? NAN
                 : kl_sampling_llc(l->beta[k], kl_sampling_ladder_raw(l, l->loss[k]), b->least);
    r->llc_se = isnan(r->llc) ? NAN : l->beta[k] * kl_sampling_ladder_width(l) * l->loss_mcse[k];
    if (k == 0 && !o->unit_loss) { /* guesses of the prior: the reference's entry */
        r->bound = l->chance;
        if (!isnan(r->bound_upper)) r->bound_upper = l->chance, r->bound_se = 0;
        if (!isnan(b->factor)) r->calibrated = l->chance;
    }
}

/* The raw curve: ends of the loss are added, errors and variances scaled. */
struct raw_curve {
    double *block;
    struct kl_sampling_curve curve;
};

static int raw_curve(struct raw_curve *to, const struct kl_sampling_ladder *l, struct kl_error *err)
{
    const size_t n = l->n_rungs;
    const double width = kl_sampling_ladder_width(l);
    bool varies = true, errs = false;
    to->block = malloc(3 * n * sizeof *to->block);
    if (!to->block) return kl_fail_memory(err, 3 * n * sizeof *to->block);
    double *mean = to->block, *mcse = mean + n, *variance = mcse + n;
    for (size_t k = 0; k < n; k++) {
        mean[k] = kl_sampling_ladder_raw(l, l->loss[k]);
        mcse[k] = width * l->loss_mcse[k], variance[k] = width * width * l->variance[k];
        varies &= !isnan(variance[k]), errs |= !isnan(mcse[k]);
    }
    to->curve =
        (struct kl_sampling_curve){ n, l->beta, mean, errs ? mcse : NULL, varies ? variance : NULL };
    return KL_OK;
}

static int refuse(const struct kl_sampling_ladder *l, const struct kl_sampling_bound_options *o,
                  struct kl_error *err)
{
    if (o->unit_loss && !isfinite(l->high))
        return kl_fail(err, KL_EUSAGE,
                       "--bound-of unit: the loss '%s' has no upper end, so no unit-interval form",
                       l->loss_name);
    if (o->form != KL_SAMPLING_FORM_SINGLE_DRAW) return KL_OK;
    for (size_t k = 0; k < l->n_rungs; k++)
        if (isnan(l->drawn_loss[k]) || isnan(l->drawn01[k]))
            return kl_fail(
                err, KL_EUSAGE,
                "--form single-draw: the ladder has means, no draws; give a file of sgld sample");
    return KL_OK;
}

int kl_sampling_bounds_make(struct kl_sampling_bounds *b, const struct kl_sampling_ladder *ladder,
                            const struct kl_sampling_bound_options *o, double factor, double least,
                            struct kl_error *err)
{
    struct raw_curve raw = { 0 };
    struct kl_sampling_integral *integrals = malloc(ladder->n_rungs * sizeof *integrals);
    *b = (struct kl_sampling_bounds){
        .ladder = ladder, .options = *o, .n_rungs = ladder->n_rungs, .factor = factor
    };
    b->rungs = calloc(ladder->n_rungs, sizeof *b->rungs);
    if (isnan(b->options.threshold)) b->options.threshold = ladder->chance;
    b->least = isnan(least) ? kl_sampling_ladder_raw(ladder, ladder->least) : least;
    int code = refuse(ladder, o, err);
    if (!code && (!integrals || !b->rungs))
        code = kl_fail_memory(err, ladder->n_rungs * sizeof *b->rungs);
    if (!code) code = raw_curve(&raw, ladder, err);
    if (!code) {
        kl_sampling_integrate(integrals, &raw.curve);
        kl_sampling_monotony(&b->rise, &raw.curve, 0.01);
        kl_sampling_next_beta(&b->gap, &raw.curve);
        kl_sampling_wbic(&b->wbic, &raw.curve, ladder->n);
        for (size_t k = 0; k < ladder->n_rungs; k++) b->rungs[k].raw = integrals[k], bound_rung(b, k);
    }
    free(raw.block), free(integrals);
    if (code) kl_sampling_bounds_free(b);
    return code;
}

void kl_sampling_bounds_free(struct kl_sampling_bounds *b)
{
    free(b->rungs);
    *b = (struct kl_sampling_bounds){ 0 };
}

int kl_sampling_bounds_calibrate(struct kl_sampling_calibration *to,
                                 const struct kl_sampling_ladder *random,
                                 const struct kl_sampling_bound_options *o, struct kl_error *err)
{
    struct kl_sampling_bounds b;
    struct kl_sampling_bound_options plain = *o;
    const size_t n = random->n_rungs;
    plain.factor = 1;
    double *p = malloc(2 * n * sizeof *p);
    int code = p ? kl_sampling_bounds_make(&b, random, &plain, NAN, NAN, err)
                 : kl_fail_memory(err, 2 * n * sizeof *p);
    if (!code) {
        for (size_t k = 0; k < n; k++) p[k] = b.rungs[k].train, p[n + k] = b.rungs[k].gamma;
        kl_sampling_calibrate(to, p, p + n, n, random->n, &b.options);
        kl_sampling_bounds_free(&b);
    }
    free(p);
    return code;
}
