/* SPDX-License-Identifier: MIT
   A ladder in memory, and thermodynamic integration of its curve. */
#include <math.h>
#include <stdlib.h>

#include "sampling/ladder/ladder.h"
#include "stats/stats.h"

/* ---- ladder ----
   A ladder in memory: its arrays, what of it can be integrated, raw and unit-interval losses. */

int kl_sampling_ladder_make(struct kl_sampling_ladder *l, size_t n_rungs, size_t n_chains,
                            struct kl_error *err)
{
    double **const arrays[] = { &l->beta,        &l->loss,         &l->loss_mcse, &l->variance,
                                &l->train01,     &l->train01_mcse, &l->test_loss, &l->test01,
                                &l->test01_mcse, &l->drawn_loss,   &l->drawn01,   &l->drawn_test01,
                                &l->draws,       &l->still };
    const size_t n_arrays = sizeof arrays / sizeof *arrays, all = n_rungs * (n_arrays + 4 * n_chains);
    *l = (struct kl_sampling_ladder){ .high = INFINITY,
                                      .chance = NAN,
                                      .sigma = NAN,
                                      .least = NAN,
                                      .least_norm = NAN,
                                      .norm = NAN,
                                      .n_rungs = n_rungs,
                                      .n_chains = n_chains };
    if (!(l->block = malloc((all ? all : 1) * sizeof *l->block)))
        return kl_fail_memory(err, all * sizeof *l->block);
    for (size_t i = 0; i < all; i++) l->block[i] = NAN;
    for (size_t i = 0; i < n_arrays; i++) *arrays[i] = l->block + i * n_rungs;
    if (n_chains > 0) {
        l->loss_of = l->block + n_arrays * n_rungs;
        l->work_of = l->loss_of + n_chains * n_rungs;
        l->path01_of = l->work_of + n_chains * n_rungs;
        l->path_test01_of = l->path01_of + n_chains * n_rungs;
    }
    return KL_OK;
}

void kl_sampling_ladder_free(struct kl_sampling_ladder *l)
{
    free(l->block);
    *l = (struct kl_sampling_ladder){ 0 };
}

double kl_sampling_ladder_width(const struct kl_sampling_ladder *l)
{
    return l->scale == KL_SAMPLING_UNIT ? l->high - l->low : 1;
}

double kl_sampling_ladder_raw(const struct kl_sampling_ladder *l, double loss)
{
    return l->scale == KL_SAMPLING_UNIT ? l->low + (l->high - l->low) * loss : loss;
}

double kl_sampling_ladder_unit(const struct kl_sampling_ladder *l, double loss)
{
    return l->scale == KL_SAMPLING_UNIT ? loss : (loss - l->low) / (l->high - l->low);
}

/* Sums of float32 values may pass the ends by their rounding. */
static bool within(double x, double low, double high)
{
    const double slack = 1e-5 * (isfinite(high) ? high - low : 1);
    return x >= low - slack && x <= high + slack;
}

int kl_sampling_ladder_check(const struct kl_sampling_ladder *l, const char *path, struct kl_error *err)
{
    const bool unit = l->scale == KL_SAMPLING_UNIT;
    if (l->n_rungs < 2)
        return kl_fail(err, KL_EDATA, "%s: found %zu temperature%s, expected at least two", path,
                       l->n_rungs, kl_s(l->n_rungs));
    if (l->n < 1)
        return kl_fail(err, KL_EDATA, "%s: does not say how many records were trained on; give --n N",
                       path);
    if (!isfinite(l->low) || !(l->high > l->low) || (unit && !isfinite(l->high)))
        return kl_fail(err, KL_EDATA, "%s: found a loss from %g to %g, expected a range%s", path, l->low,
                       l->high, unit ? " that ends" : "");
    for (size_t k = 0; k < l->n_rungs; k++) {
        const double low = unit ? 0 : l->low, high = unit ? 1 : l->high;
        if (k == 0 && l->beta[0] != 0)
            return kl_fail(
                err, KL_EDATA,
                "%s: found %g as the first beta, expected 0: the integral begins at the prior", path,
                l->beta[0]);
        if (!isfinite(l->beta[k]) || (k > 0 && !(l->beta[k] > l->beta[k - 1])))
            return kl_fail(err, KL_EDATA, "%s: found beta %g behind %g, expected rising values", path,
                           l->beta[k], k ? l->beta[k - 1] : 0);
        if (!within(l->loss[k], low, high))
            return kl_fail(err, KL_EDATA, "%s: beta %g: found a %s loss of %g, expected %g to %g", path,
                           l->beta[k], unit ? "unit-interval" : "raw", l->loss[k], low, high);
        if (!within(l->train01[k], 0, 1) || (!isnan(l->test01[k]) && !within(l->test01[k], 0, 1)))
            return kl_fail(err, KL_EDATA, "%s: beta %g: found 0-1 errors of %g and %g, expected 0 to 1",
                           path, l->beta[k], l->train01[k], l->test01[k]);
    }
    return KL_OK;
}

/* ---- integral ----
   Thermodynamic integration of a measured curve: sums that bracket the integral, their Monte-Carlo
   errors, and what else the curve says: whether it falls, where another temperature is missing, WBIC and
   the learning coefficient. */

static double square(double x)
{
    return x * x;
}

/* Weights of the mean of rung k in the sums up to it: only those of its last interval; inner ones are
 * added before. */
void kl_sampling_integrate(struct kl_sampling_integral *to, const struct kl_sampling_curve *c)
{
    double left = 0, right = 0, trapezoid = 0, hermite = c->variance ? 0 : NAN;
    double left_var = 0, right_var = 0,
           inner_var = 0; /* inner: of the trapezoid, without the last rung */
    for (size_t k = 0; k < c->n; k++) {
        const double beta = c->beta[k], mean = c->mean[k], s = c->mcse ? c->mcse[k] : NAN;
        double before = 0;
        if (k > 0) {
            const double d = before = beta - c->beta[k - 1], last = c->mean[k - 1];
            const double older = k > 1 ? c->beta[k - 1] - c->beta[k - 2] : 0;
            left += d * last, right += d * mean, trapezoid += d * (last + mean) / 2;
            if (c->variance)
                hermite += d * (last + mean) / 2 + d * d / 12 * (c->variance[k] - c->variance[k - 1]);
            const double t = c->mcse ? c->mcse[k - 1] : NAN;
            left_var += square(d * t);
            if (k > 1) right_var += square(older * t);
            inner_var += square((older + d) / 2 * t);
        }
        to[k] = (struct kl_sampling_integral){
            .left = left, .right = right, .trapezoid = trapezoid, .hermite = hermite
        };
        to[k].left_se = sqrt(left_var);
        to[k].right_se = sqrt(right_var + square(before * s));
        to[k].trapezoid_se = sqrt(inner_var + square(before / 2 * s));
        to[k].gamma = left - beta * mean, to[k].gamma_se = sqrt(left_var + square(beta * s));
        to[k].kl_low = right - beta * mean,
        to[k].kl_low_se = sqrt(right_var + square((before - beta) * s));
        to[k].kl_trapezoid = trapezoid - beta * mean, to[k].kl_hermite = hermite - beta * mean;
        if (k == 0 && c->mcse)
            to[k].gamma_se = to[k].kl_low_se = to[k].right_se = to[k].trapezoid_se = 0;
    }
}

void kl_sampling_monotony(struct kl_sampling_rise *rise, const struct kl_sampling_curve *c, double level)
{
    *rise = (struct kl_sampling_rise){ .z = NAN };
    if (c->n < 2) return;
    const double limit = -kl_stats_normal_quantile(level / (double)(c->n - 1));
    double worst = 0;
    for (size_t k = 0; k + 1 < c->n; k++) {
        const double by = c->mean[k + 1] - c->mean[k];
        const double s = c->mcse ? hypot(c->mcse[k], c->mcse[k + 1]) : NAN;
        const double z = by / s, weight = isnan(s) ? by : z;
        if (!(by > 0) || (!isnan(s) && !(z > limit))) continue;
        rise->rises++;
        if (!(weight > worst)) continue;
        worst = weight, rise->worst = k, rise->by = by, rise->z = isnan(s) ? NAN : z;
    }
}

void kl_sampling_next_beta(struct kl_sampling_gap *gap, const struct kl_sampling_curve *c)
{
    double sum = 0;
    *gap = (struct kl_sampling_gap){ .beta = NAN, .area = NAN, .share = NAN };
    if (c->n < 2) return;
    for (size_t k = 0; k + 1 < c->n; k++) {
        const double area = (c->beta[k + 1] - c->beta[k]) * (c->mean[k] - c->mean[k + 1]);
        if (area > 0) sum += area;
        if (k == 0 || area > gap->area) gap->rung = k, gap->area = area;
    }
    const double low = c->beta[gap->rung], high = c->beta[gap->rung + 1];
    const double ratio =
        c->n > 2 ? high / c->beta[gap->rung + 2 < c->n ? gap->rung + 2 : gap->rung] : 0.5;
    gap->share = sum > 0 ? gap->area / sum : NAN;
    gap->beta = low > 0 ? sqrt(low * high) : high * (ratio > 0 && ratio < 1 ? ratio : 0.5);
}

/* At a share t of the way from rung k - 1 to rung k: the coordinates of the rungs beside. */
struct between {
    const struct kl_sampling_curve *c;
    size_t k;
    bool over_log;
    double t;
};
static double coordinate(const struct between *b, size_t k)
{
    return b->over_log ? log(b->c->beta[k]) : b->c->beta[k];
}

/* Hermite's cubic less the line, of the ends' slopes. */
static double bend(const struct between *b)
{
    const struct kl_sampling_curve *c = b->c;
    const size_t k = b->k;
    const double t = b->t, h = coordinate(b, k) - coordinate(b, k - 1),
                 rise = c->mean[k] - c->mean[k - 1],
                 first = -c->variance[k - 1] * (b->over_log ? c->beta[k - 1] : 1) * h,
                 last = -c->variance[k] * (b->over_log ? c->beta[k] : 1) * h;
    return t * (1 - t) * ((1 - t) * (first - rise) + t * (rise - last));
}

/* The parabola through a third rung less the line. */
static double bow(const struct between *b, size_t third)
{
    const struct kl_sampling_curve *c = b->c;
    const double x0 = coordinate(b, b->k - 1), x1 = coordinate(b, b->k), x2 = coordinate(b, third),
                 x = x0 + b->t * (x1 - x0), slope = (c->mean[b->k] - c->mean[b->k - 1]) / (x1 - x0),
                 curvature = ((c->mean[third] - c->mean[b->k - 1]) / (x2 - x0) - slope) / (x2 - x1);
    return curvature * (x - x0) * (x - x1);
}

static double off_of(const struct between *b)
{
    const struct kl_sampling_curve *c = b->c;
    double most = 0;
    bool any = false;
    if (c->variance) return fabs(bend(b));
    /* Down from the prior no parabola follows it: the mean may be that of either end. */
    if (!b->over_log) return fmax(b->t, 1 - b->t) * fabs(c->mean[b->k] - c->mean[b->k - 1]);
    if (b->k > 1 && (!b->over_log || c->beta[b->k - 2] > 0)) most = fabs(bow(b, b->k - 2)), any = true;
    if (b->k + 1 < c->n) most = fmax(most, fabs(bow(b, b->k + 1))), any = true;
    return any ? most : fabs(c->mean[b->k] - c->mean[b->k - 1]) / 2;
}

void kl_sampling_wbic(struct kl_sampling_wbic *w, const struct kl_sampling_curve *c, int64_t n)
{
    const double size = (double)n, beta = size / log(size);
    size_t k = 0;
    *w = (struct kl_sampling_wbic){ .beta = beta, .value = NAN, .se = NAN, .chance = NAN, .off = NAN };
    while (k < c->n && c->beta[k] < beta) k++;
    if (n < 2 || k == c->n || (k == 0 && c->beta[0] > beta)) return;
    w->reached = true, w->below = w->above = c->beta[k];
    if (c->beta[k] == beta) {
        w->value = size * c->mean[k], w->off = 0, w->chance = c->mcse ? size * c->mcse[k] : NAN;
    } else {
        struct between b = { c, k, c->beta[k - 1] > 0, 0 };
        const double at = b.over_log ? log(beta) : beta, from = coordinate(&b, k - 1);
        b.t = (at - from) / (coordinate(&b, k) - from);
        w->below = c->beta[k - 1];
        w->value =
            size * (c->mean[k - 1] + b.t * (c->mean[k] - c->mean[k - 1]) + (c->variance ? bend(&b) : 0));
        w->off = size * off_of(&b);
        if (c->mcse) w->chance = size * hypot((1 - b.t) * c->mcse[k - 1], b.t * c->mcse[k]);
    }
    w->se = c->mcse ? hypot(w->off, w->chance) : w->off;
}

double kl_sampling_llc(double beta, double loss, double least)
{
    return beta * (loss - least);
}
