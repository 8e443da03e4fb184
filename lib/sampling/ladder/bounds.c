/* SPDX-License-Identifier: MIT
   Everything that follows from one ladder, and a file of kind bounds, which keeps it. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "sampling/ladder/ladder.h"
#include "stats/stats.h"
#include "store/kind.h"
#include "store/store.h"

/* ---- everything that follows from one ladder ---- */

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

void kl_sampling_bounds_best(struct kl_sampling_best *best, const struct kl_sampling_bounds *b)
{
    struct kl_sampling_bound_options each = b->options;
    *best = (struct kl_sampling_best){ 0, NAN, NAN };
    each.delta /= (double)(b->n_rungs - 1);
    for (size_t k = 1; k < b->n_rungs; k++) {
        struct kl_sampling_rung_bounds r = b->rungs[k];
        double p_se;
        if (isnan(r.bound)) continue;
        settle_form(&r, &p_se, b, k);
        r.gamma *= each.factor, r.gamma_se *= each.factor;
        const double bound = kl_sampling_bound(r.train, r.gamma, b->ladder->n, &each);
        if (best->rung && !(bound < best->bound)) continue;
        *best =
            (struct kl_sampling_best){ k, bound,
                                       upper(r.train, p_se, r.gamma, r.gamma_se, b->ladder->n, &each) };
    }
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

/* ---- bounds file ----
   A file of kind `bounds`: what was computed of a ladder, a dataset a number, and what `cache show`
   tells of it. */

#define OF(member) offsetof(struct kl_sampling_rung_bounds, member)
/* Numbers of each rung, by their place in the record. */
static const struct {
    const char *name;
    size_t at;
} columns[] = {
    { "integral_left", OF(raw.left) },
    { "integral_right", OF(raw.right) },
    { "integral_trapezoid", OF(raw.trapezoid) },
    { "integral_hermite", OF(raw.hermite) },
    { "integral_left_mcse", OF(raw.left_se) },
    { "integral_right_mcse", OF(raw.right_se) },
    { "integral_trapezoid_mcse", OF(raw.trapezoid_se) },
    { "kl_low", OF(raw.kl_low) },
    { "kl_high", OF(raw.gamma) },
    { "gamma", OF(gamma) },
    { "gamma_mcse", OF(gamma_se) },
    { "budget", OF(budget) },
    { "bound", OF(bound) },
    { "bound_mcse", OF(bound_se) },
    { "bound_upper", OF(bound_upper) },
    { "bound_calibrated", OF(calibrated) },
    { "path_kl", OF(path_kl) },
    { "path_kl_upper", OF(path_kl_upper) },
    { "path_bound", OF(path_bound) },
    { "path_train01", OF(path_train) },
    { "path_test01", OF(path_test) },
    { "test_clopper", OF(test_clopper) },
    { "test_chernoff", OF(test_chernoff) },
    { "llc", OF(llc) },
    { "llc_mcse", OF(llc_se) },
};

/* Left out where no rung but the prior's has the number. */
static int put(struct kl_writer *w, const char *name, const double *values, size_t n,
               struct kl_error *err)
{
    bool any = false;
    for (size_t k = 1; k < n; k++) any |= !isnan(values[k]);
    return any ? kl_store_writer_put(w, name, KL_TYPE_F64, 0, 1, &n, values, err) : KL_OK;
}

static int put_columns(struct kl_writer *w, const struct kl_sampling_bounds *b, struct kl_error *err)
{
    const size_t n = b->n_rungs;
    double *values = malloc(n * sizeof *values);
    int code = values ? KL_OK : kl_fail_memory(err, n * sizeof *values);
    for (size_t i = 0; code >= 0 && i < sizeof columns / sizeof *columns; i++) {
        for (size_t k = 0; k < n; k++)
            values[k] = *(const double *)((const char *)&b->rungs[k] + columns[i].at);
        code = put(w, columns[i].name, values, n, err);
    }
    free(values);
    return code;
}

static int put_ladder(struct kl_writer *w, const struct kl_sampling_ladder *l, struct kl_error *err)
{
    const struct {
        const char *name;
        const double *values;
    } sets[] = {
        { "beta", l->beta },           { "loss", l->loss },       { "loss_mcse", l->loss_mcse },
        { "loss_var", l->variance },   { "train01", l->train01 }, { "train01_mcse", l->train01_mcse },
        { "test_loss", l->test_loss }, { "test01", l->test01 },   { "test01_mcse", l->test01_mcse }
    };
    int code = KL_OK;
    for (size_t i = 0; code >= 0 && i < sizeof sets / sizeof *sets; i++)
        code = put(w, sets[i].name, sets[i].values, l->n_rungs, err);
    return code;
}

int kl_sampling_bounds_write(struct kl_writer *w, const struct kl_sampling_bounds *b,
                             struct kl_error *err)
{
    const struct kl_sampling_ladder *l = b->ladder;
    const size_t one = 1;
    const struct kl_sampling_rung_bounds *last = &b->rungs[b->n_rungs - 1];
    const struct {
        const char *name;
        double value;
    } numbers[] = { { "delta", b->options.delta },
                    { "factor", b->options.factor },
                    { "log_constant", b->options.log_constant },
                    { "calibration_factor", b->factor },
                    { "loss_low", l->low },
                    { "loss_high", l->high },
                    { "chance", l->chance },
                    { "last_bound", last->bound },
                    { "last_calibrated", last->calibrated },
                    { "last_test", last->test },
                    { "wbic", b->wbic.value },
                    { "wbic_error", b->wbic.se },
                    { "wbic_beta", b->wbic.beta },
                    { "last_llc", last->llc },
                    { "last_llc_error", last->llc_se },
                    { "least_loss", b->least },
                    { "next_beta", b->gap.beta } };
    int code = put_ladder(w, l, err);
    if (code >= 0) code = put_columns(w, b, err);
    if (code >= 0 && !isnan(b->factor))
        code = kl_store_writer_put(w, "factor", KL_TYPE_F64, 0, 1, &one, &b->factor, err);
    for (size_t i = 0; code >= 0 && i < sizeof numbers / sizeof *numbers; i++)
        if (isfinite(numbers[i].value))
            code = kl_store_writer_number(w, "", numbers[i].name, numbers[i].value, err);
    if (code >= 0) code = kl_store_writer_integer(w, "", "n", l->n, err);
    if (code >= 0) code = kl_store_writer_integer(w, "", "m", l->m, err);
    if (code >= 0) code = kl_store_writer_text(w, "", "ladder", l->name, err);
    if (code >= 0) code = kl_store_writer_text(w, "", "loss_name", l->loss_name, err);
    if (code >= 0)
        code = kl_store_writer_text(w, "", "scale", l->scale == KL_SAMPLING_UNIT ? "unit" : "raw", err);
    if (code >= 0)
        code = kl_store_writer_text(w, "", "bound_of", b->options.unit_loss ? "unit" : "zero-one", err);
    return code < 0 ? code : KL_OK;
}

static const struct kl_kind_heading headings[] = { { "", "ladder" }, { NULL, NULL } };
static const struct kl_kind_number numbers[] = {
    { .attribute = "n", .title = "records", .format = "%.0f" },
    { .attribute = "delta", .title = "delta", .format = "%g" },
    { .attribute = "last_bound", .title = "last bound", .format = "%.4f" },
    { .attribute = "last_calibrated", .title = "calibrated", .format = "%.4f" },
    { .attribute = "calibration_factor", .title = "factor", .format = "%.4f" },
    { .attribute = "last_test", .title = "test", .format = "%.4f" },
    { .attribute = "calibrated_by", .title = "calibration" },
    { .attribute = "wbic", .title = "WBIC", .format = "%.6g" },
    { .attribute = "wbic_error", .title = "its error", .format = "%.2g" },
    { .attribute = "last_llc", .title = "learning coefficient", .format = "%.4g" },
    { .attribute = "last_llc_error", .title = "its error", .format = "%.2g" },
    { .attribute = NULL },
};
static const struct kl_kind_table tables[] = {
    { .name = "bounds",
      .axes = { { "beta", "beta" } },
      .columns = { KL_KIND_COLUMN("loss", "loss", "loss", "%.4f", .cell = KL_CELL_AT),
                   KL_KIND_COLUMN("train01", "train01", "train", "%.4f", .cell = KL_CELL_AT),
                   KL_KIND_COLUMN("test01", "test01", "test", "%.4f", .cell = KL_CELL_AT),
                   KL_KIND_COLUMN("gamma", "gamma", "Gamma", "%.5g", .cell = KL_CELL_AT),
                   KL_KIND_COLUMN("bound", "bound", "bound", "%.4f", .cell = KL_CELL_AT),
                   KL_KIND_COLUMN("bound_upper", "bound_upper", "upper", "%.4f", .cell = KL_CELL_AT),
                   KL_KIND_COLUMN("bound_calibrated", "bound_calibrated", "calibrated", "%.4f",
                                  .cell = KL_CELL_AT) } },
    { .name = NULL },
};
const struct kl_kind kl_sampling_bounds_kind = {
    .name = "bounds", .maker = "sgld bounds", .headings = headings, .numbers = numbers, .tables = tables
};
