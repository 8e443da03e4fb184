/* SPDX-License-Identifier: MIT
   Bounds in words: what whoever reads them should know, a table, a JSON object. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "sampling/ladder/ladder.h"

#define FAR_NORM 4.0 /* of the minimum, where the draws have 1 */

static const char *form_of(const struct kl_sampling_bounds *b)
{
    static const char *const names[] = { "kl", "Hoeffding", "sqrt-linear", "prior loss", "single draw" };
    return names[b->options.form];
}

/* ---- cautions ---- */
static void of_source(const struct kl_sampling_ladder *l, const struct kl_log *log)
{
    if (l->assumed)
        kl_caution(log,
                   "the file does not say of what loss its values are: taken for %s values of %s%s; "
                   "else give --scale "
                   "and --loss",
                   l->scale == KL_SAMPLING_UNIT ? "unit-interval" : "raw", l->loss_name,
                   l->high == 4 ? " with l_max 4" : "");
    if (l->scale == KL_SAMPLING_UNIT && kl_sampling_ladder_width(l) != 1)
        kl_caution(log,
                   "losses are of the unit-interval form: what moved the chain is %.4g times as much, "
                   "and so is Gamma "
                   "here",
                   kl_sampling_ladder_width(l));
    if (strcmp(l->convention, "tempered") == 0)
        kl_caution(log, "the chains are tempered: their prior changes with beta, so that Gamma is no "
                        "divergence and no bound "
                        "follows");
    if (l->own_records)
        kl_caution(log, "each chain has records of its own: the means are over sets of records, while a "
                        "bound is of one set");
    if (l->exchange)
        kl_caution(
            log,
            "replica exchange couples the temperatures, while errors of Gamma take them as independent");
}

/* Means that have no error: all, as in a table of means, or those of chains that do not vary. */
static void of_errors(const struct kl_sampling_bounds *b, const struct kl_log *log)
{
    const struct kl_sampling_ladder *l = b->ladder;
    size_t still = 0, first = 0;
    for (size_t k = b->n_rungs; k-- > 0;)
        if (l->still[k] > 0) still++, first = k;
    if (still)
        kl_caution(
            log,
            "the loss does not vary at %zu temperature%s, first at beta %g: its mean has no error "
            "there, and from there on no bound has one",
            still, kl_s(still), l->beta[first]);
    else if (isnan(b->rungs[b->n_rungs - 1].gamma_se) && b->n_rungs > 1)
        kl_caution(log, "no Monte-Carlo errors in the file: the bounds are those of exact means, which "
                        "these are not");
}

static void of_curve(const struct kl_sampling_bounds *b, const struct kl_log *log)
{
    const struct kl_sampling_ladder *l = b->ladder;
    size_t negative = 0, first = 0;
    of_errors(b, log);
    if (b->rise.rises && isnan(b->rise.z))
        kl_caution(log,
                   "the loss rises with beta %zu time%s, most from beta %g to %g, by %.3g: chains at "
                   "equilibrium have "
                   "falling means",
                   b->rise.rises, kl_s(b->rise.rises), l->beta[b->rise.worst],
                   l->beta[b->rise.worst + 1], b->rise.by);
    else if (b->rise.rises)
        kl_caution(log,
                   "the loss rises with beta %zu time%s by more than chance, most from beta %g to %g "
                   "(%.1f standard "
                   "errors): the chains are not at equilibrium",
                   b->rise.rises, kl_s(b->rise.rises), l->beta[b->rise.worst],
                   l->beta[b->rise.worst + 1], b->rise.z);
    for (size_t k = b->n_rungs; k-- > 1;)
        if (b->rungs[k].raw.gamma < 0) negative++, first = k;
    if (negative)
        kl_caution(log,
                   "Gamma is negative at %zu temperature%s, first at beta %g, where a divergence cannot "
                   "be: no bound "
                   "follows there",
                   negative, kl_s(negative), l->beta[first]);
}

/* Watanabe's theory is of a minimum where the prior is; of one that is only approached the coefficient
   goes on growing with beta. */
static void of_minimum(const struct kl_sampling_bounds *b, const struct kl_log *log)
{
    const struct kl_sampling_ladder *l = b->ladder;
    if (!isnan(b->rungs[b->n_rungs - 1].llc) && b->least == l->least &&
        l->least_norm > FAR_NORM * l->norm)
        kl_caution(
            log,
            "the loss comes to L* = %.6g only as the weights grow (|w|^2 there is %.0f times that of "
            "the draws): no minimum where the prior is. The learning "
            "coefficient is of this beta and grows with it (--least-loss gives another L*); no bound "
            "uses L*",
            b->least, l->least_norm / l->norm);
}

static void of_bounds(const struct kl_sampling_bounds *b, const struct kl_log *log)
{
    const struct kl_sampling_ladder *l = b->ladder;
    const bool single = b->options.form == KL_SAMPLING_FORM_SINGLE_DRAW;
    size_t below = 0;
    if (b->options.factor < 1)
        kl_caution(log, "with a factor of %.4g on Gamma, `bound` is no bound that a theorem gives",
                   b->options.factor);
    if (!isnan(b->factor))
        kl_caution(log, "a calibrated bound is a heuristic, no guarantee; the one without calibration "
                        "stands beside it");
    for (size_t k = b->n_rungs; k-- > 1;)
        if (b->rungs[k].test > b->rungs[k].calibrated) below = k;
    if (below)
        kl_caution(log, "at beta %g the test error %.4f is above the calibrated bound %.4f",
                   l->beta[below], b->rungs[below].test, b->rungs[below].calibrated);
    below = 0;
    for (size_t k = b->n_rungs; k-- > 1;)
        if (b->rungs[k].test > b->rungs[k].bound) below = k;
    if (below)
        kl_caution(log,
                   "at beta %g the test error %.4f is above the bound %.4f: the chain is not the Gibbs "
                   "law that the "
                   "bound is of",
                   l->beta[below], b->rungs[below].test, b->rungs[below].bound);
    if (single && !b->options.unit_loss && isnan(b->rungs[b->n_rungs - 1].test))
        kl_caution(log, "the draw that the bound is of was not tested");
}

void kl_sampling_bounds_cautions(const struct kl_sampling_bounds *b, const struct kl_log *log)
{
    of_source(b->ladder, log);
    of_curve(b, log);
    of_minimum(b, log);
    of_bounds(b, log);
}

/* ---- a table ---- */
enum { COLUMNS = 13 };
static void row_of(double to[COLUMNS], const struct kl_sampling_bounds *b, size_t k)
{
    const struct kl_sampling_rung_bounds *r = &b->rungs[k];
    const double row[COLUMNS] = { b->ladder->beta[k],
                                  b->ladder->loss[k],
                                  b->ladder->loss_mcse[k],
                                  r->train,
                                  r->test,
                                  r->gamma,
                                  r->gamma_se,
                                  r->budget,
                                  r->bound,
                                  r->bound_se,
                                  r->bound_upper,
                                  r->calibrated,
                                  r->path_bound };
    memcpy(to, row, sizeof row);
}

static void tell_table(const struct kl_sampling_bounds *b, FILE *to)
{
    static const char *const names[COLUMNS] = { "beta",  "loss",       "+-",     "train", "test",
                                                "Gamma", "+-",         "budget", "bound", "+-",
                                                "upper", "calibrated", "path" };
    static const char *const formats[COLUMNS] = { "%g",   "%.4f", "%.2g", "%.4f", "%.4f", "%.5g", "%.2g",
                                                  "%.4g", "%.4f", "%.2g", "%.4f", "%.4f", "%.4f" };
    bool there[COLUMNS] = { false };
    double row[COLUMNS];
    char cell[32];
    for (size_t k = 1; k < b->n_rungs; k++) {
        row_of(row, b, k);
        for (int i = 0; i < COLUMNS; i++) there[i] |= !isnan(row[i]);
    }
    for (int i = 0; i < COLUMNS; i++)
        if (there[i]) fprintf(to, "%s%*s", i ? " " : "", i == 11 ? 10 : 8, names[i]);
    fprintf(to, "\n");
    for (size_t k = 0; k < b->n_rungs; k++) {
        row_of(row, b, k);
        for (int i = 0; i < COLUMNS; i++) {
            if (!there[i]) continue;
            if (isnan(row[i])) snprintf(cell, sizeof cell, i == 2 || i == 6 || i == 9 ? "none" : "-");
            else snprintf(cell, sizeof cell, formats[i], row[i]);
            fprintf(to, "%s%*s", i ? " " : "", i == 11 ? 10 : 8, cell);
        }
        fprintf(to, "\n");
    }
}

/* If Hermite's value leaves the bracket, the ladder is too coarse for slopes. */
static double log_z(const struct kl_sampling_integral *i)
{
    const bool within = i->hermite >= i->right && i->hermite <= i->left;
    return -(within ? i->hermite : i->trapezoid);
}

/* An error in two digits, or as a whole number. */
static void tell_error(FILE *to, double error)
{
    fprintf(to, error < 100 ? "%.2g" : "%.0f", error);
}

static void tell_wbic(const struct kl_sampling_bounds *b, FILE *to)
{
    const struct kl_sampling_wbic *w = &b->wbic;
    if (!w->reached) {
        fprintf(to, "WBIC: the ladder does not reach beta n / ln n = %.5g\n", w->beta);
        return;
    }
    fprintf(to, "WBIC, at beta n / ln n = %.5g: %.6g", w->beta, w->value);
    if (!isnan(w->se) && w->se > 0) fputs(" +- ", to), tell_error(to, w->se);
    if (w->below < w->above) {
        fprintf(to, " (interpolated between %g and %g, off by ", w->below, w->above);
        tell_error(to, w->off);
        if (!isnan(w->chance)) fputs("; Monte Carlo ", to), tell_error(to, w->chance);
        fputs(")", to);
    }
    fprintf(to, "\n");
}

/* Why the last temperature has no learning coefficient; NULL: it has one. */
static const char *no_coefficient(const struct kl_sampling_bounds *b)
{
    const struct kl_sampling_ladder *l = b->ladder;
    if (!isnan(b->rungs[b->n_rungs - 1].llc)) return NULL;
    return l->still[b->n_rungs - 1] > 0 ? "the loss does not vary at the last temperature"
           : *l->none                   ? l->none
                                        : "a table has no minimum of the loss; --least-loss gives one";
}

static void tell_llc(const struct kl_sampling_bounds *b, FILE *to)
{
    const struct kl_sampling_ladder *l = b->ladder;
    const struct kl_sampling_rung_bounds *last = &b->rungs[b->n_rungs - 1];
    const double top = l->beta[b->n_rungs - 1];
    if (isnan(last->llc)) {
        fprintf(to, "local learning coefficient: none; %s\n", no_coefficient(b));
        return;
    }
    fprintf(to, "local learning coefficient at %g: %.4g", top, last->llc);
    if (!isnan(last->llc_se)) fprintf(to, " +- %.2g", last->llc_se);
    fprintf(to, ", beta (E L - L*), L* = %.6g%s\n", b->least,
            b->least == l->least ? ", the least loss that L-BFGS finds" : "");
}

/* The best of the rows, if a theorem says what they say. */
static bool find_best(struct kl_sampling_best *best, const struct kl_sampling_bounds *b)
{
    kl_sampling_bounds_best(best, b);
    return best->rung && b->options.factor >= 1 && strcmp(b->ladder->convention, "tempered") != 0 &&
           !b->ladder->own_records;
}

void kl_sampling_bounds_tell_best(const struct kl_sampling_bounds *b, FILE *to)
{
    struct kl_sampling_best best;
    fprintf(to, "%zu temperatures", b->n_rungs);
    if (!find_best(&best, b)) return;
    fprintf(to, ", best bound %.4f", best.bound);
    if (!isnan(best.upper)) fprintf(to, ", upper %.4f", best.upper);
    fprintf(to, ", at beta %g", b->ladder->beta[best.rung]);
}

/* What a row says, and what may be said of the best of them. */
static void tell_meaning(const struct kl_sampling_bounds *b, FILE *to)
{
    const struct kl_sampling_ladder *l = b->ladder;
    const bool single = b->options.form == KL_SAMPLING_FORM_SINGLE_DRAW;
    const char *what = b->options.unit_loss ? "loss" : "error";
    struct kl_sampling_best best;
    if (!find_best(&best, b)) return;
    fprintf(to,
            "a row by itself: with probability %g over the choice of the %lld training records the mean "
            "%s on\n"
            "new ones of %s is below its bound%s,\nif the chains sample that law\n",
            1 - b->options.delta, (long long)l->n, what,
            single ? "this draw" : "the Gibbs posterior at its beta",
            isnan(best.upper) ? "" : " (upper: Monte Carlo's error included)");
    if (b->n_rungs < 3) return;
    fprintf(to, "the best of %zu, chosen after a look at all: %.4f", b->n_rungs - 1, best.bound);
    if (!isnan(best.upper)) fprintf(to, ", upper %.4f", best.upper);
    fprintf(to, ", at beta %g (each has delta / %zu)\n", l->beta[best.rung], b->n_rungs - 1);
}

void kl_sampling_bounds_tell(const struct kl_sampling_bounds *b, FILE *to)
{
    const struct kl_sampling_ladder *l = b->ladder;
    const struct kl_sampling_integral *last = &b->rungs[b->n_rungs - 1].raw;
    const double top = l->beta[b->n_rungs - 1];
    fprintf(to, "%s%s%zu temperatures, n %lld, %s (%s); bounds of the %s: %s, delta %g, factor %g\n",
            l->name, *l->name ? ": " : "", l->n_rungs, (long long)l->n, l->loss_name,
            l->scale == KL_SAMPLING_UNIT ? "unit" : "raw",
            b->options.unit_loss ? "unit-interval loss" : "0-1 error", form_of(b), b->options.delta,
            b->options.factor);
    tell_table(b, to);
    tell_meaning(b, to);
    fprintf(to, "ln Z(%g): %.6g, from %.6g to %.6g by the ladder's steps", top, log_z(last), -last->left,
            -last->right);
    if (!isnan(last->trapezoid_se)) fprintf(to, ", +- %.2g by Monte Carlo", last->trapezoid_se);
    fprintf(to, "\nKL(rho||pi) at %g: from %.6g to %.6g\n", top, last->kl_low, last->gamma);
    tell_wbic(b, to);
    tell_llc(b, to);
    fprintf(to, "next temperature: %.4g, between %g and %g, with %.0f %% of the gap left - right\n",
            b->gap.beta, l->beta[b->gap.rung], l->beta[b->gap.rung + 1], 100 * b->gap.share);
}

/* ---- JSON ---- */
static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *rung_json(const struct kl_sampling_bounds *b, size_t k)
{
    const struct kl_sampling_rung_bounds *r = &b->rungs[k];
    const struct kl_sampling_ladder *l = b->ladder;
    const struct {
        const char *name;
        double value;
    } members[] = {
        { "beta", l->beta[k] },
        { "loss", l->loss[k] },
        { "loss_mcse", l->loss_mcse[k] },
        { "loss_var", l->variance[k] },
        { "train", r->train },
        { "test", r->test },
        { "left", r->raw.left },
        { "right", r->raw.right },
        { "trapezoid", r->raw.trapezoid },
        { "hermite", r->raw.hermite },
        { "log_z", log_z(&r->raw) },
        { "log_z_mcse", r->raw.trapezoid_se },
        { "kl_low", r->raw.kl_low },
        { "kl_high", r->raw.gamma },
        { "gamma", r->gamma },
        { "gamma_mcse", r->gamma_se },
        { "budget", r->budget },
        { "bound", r->bound },
        { "bound_mcse", r->bound_se },
        { "bound_upper", r->bound_upper },
        { "bound_calibrated", r->calibrated },
        { "path_kl", r->path_kl },
        { "path_kl_upper", r->path_kl_upper },
        { "path_bound", r->path_bound },
        { "path_train01", r->path_train },
        { "path_test01", r->path_test },
        { "test_clopper", r->test_clopper },
        { "test_chernoff", r->test_chernoff },
        { "llc", r->llc },
        { "llc_mcse", r->llc_se },
    };
    json_t *rung = json_object();
    for (size_t i = 0; rung && i < sizeof members / sizeof *members; i++)
        if (json_object_set_new(rung, members[i].name, number(members[i].value)))
            json_decref(rung), rung = NULL;
    return rung;
}

int kl_sampling_bounds_json(struct json_t **value, const struct kl_sampling_bounds *b,
                            struct kl_error *err)
{
    const struct kl_sampling_ladder *l = b->ladder;
    struct kl_sampling_best best;
    kl_sampling_bounds_best(&best, b);
    json_t *rungs = json_array();
    for (size_t k = 0; rungs && k < b->n_rungs; k++)
        if (json_array_append_new(rungs, rung_json(b, k))) json_decref(rungs), rungs = NULL;
    *value =
        rungs ? json_pack("{s:s,s:s,s:s,s:I,s:I,s:s,s:s,s:o,s:o,s:o,s:o,s:o,s:b,s:o,s:b,s:o,s:o,s:s?,s:"
                          "I,s:o,s:o,s:o,"
                          "s:o}",
                          "name", l->name, "loss", l->loss_name, "scale",
                          l->scale == KL_SAMPLING_UNIT ? "unit" : "raw", "n", (json_int_t)l->n, "m",
                          (json_int_t)l->m, "form", form_of(b), "bound_of",
                          b->options.unit_loss ? "unit" : "zero-one", "delta", number(b->options.delta),
                          "factor", number(b->options.factor), "calibration_factor", number(b->factor),
                          "wbic", number(b->wbic.value), "wbic_error", number(b->wbic.se),
                          "wbic_reached", b->wbic.reached, "wbic_beta", number(b->wbic.beta),
                          "wbic_interpolated", b->wbic.below < b->wbic.above, "next_beta",
                          number(b->gap.beta), "least_loss", number(b->least), "llc_none",
                          no_coefficient(b), "rises", (json_int_t)b->rise.rises, "best_beta",
                          best.rung ? json_real(l->beta[best.rung]) : json_null(), "best_bound",
                          number(best.bound), "best_upper", number(best.upper), "rungs", rungs)
              : NULL;
    return *value ? KL_OK : kl_fail_memory(err, 4096);
}
