/* SPDX-License-Identifier: MIT
   Potential scale reduction, effective numbers of draws, and the standard errors that follow from them.
 */
#include <math.h>
#include <string.h>

#include "sampling/diagnose/diagnose_int.h"

/* ---- potential scale reduction: variance between chains against variance within ---- */

/* sqrt((B / W + n - 1) / n), Gelman and Rubin's, of rows of n values. */
static double reduction(const double *y, size_t rows, size_t n)
{
    double within = 0, mean = 0, between = 0;
    for (size_t r = 0; r < rows; r++) {
        const double sum = kl_sampling_sum(y + r * n, n);
        double squares = 0;
        for (size_t i = 0; i < n; i++) {
            const double d = y[r * n + i] - sum / (double)n;
            squares += d * d;
        }
        /* Welford's update, over the rows' means. */
        const double of_row = sum / (double)n, d = of_row - mean;
        within += squares / ((double)n - 1);
        mean += d / (double)(r + 1);
        between += d * (of_row - mean);
    }
    within /= (double)rows;
    between *= (double)n / ((double)rows - 1);
    return sqrt((between / within + (double)n - 1) / (double)n);
}

double kl_sampling_rhat(struct kl_sampling_traces *t)
{
    if (!t->valid || t->chains < 2) return NAN;
    kl_sampling_rows_folded(t);
    const double scale = reduction(t->y, t->rows, t->half);
    kl_sampling_rows_scored(t); /* last, for the ESS of the bulk looks at the same rows */
    const double place = reduction(t->y, t->rows, t->half);
    return scale > place ? scale : place;
}

/* ---- effective numbers of draws, and the standard errors that follow from them ---- */

/* ---- autocovariances: a few lags directly, all of them by transforms where those do not suffice ----
 */
enum { FEW = 12, LANES = 8 };
struct covariances {
    struct kl_sampling_traces *t;
    double few[FEW];
    size_t n;          /* of few that are there */
    const double *all; /* NULL: not there yet */
};

/* sum of y[i] y[i + lag], in an order that fits vectors. */
static double product(const double *y, size_t n, size_t lag)
{
    double lane[LANES] = { 0 }, sum = 0;
    size_t i = 0;
    for (; i + LANES + lag <= n; i += LANES)
        for (int j = 0; j < LANES; j++) lane[j] += y[i + (size_t)j] * y[i + (size_t)j + lag];
    for (; i + lag < n; i++) sum += y[i] * y[i + lag];
    for (int j = 0; j < LANES; j++) sum += lane[j];
    return sum;
}

static double covariance(struct covariances *c, size_t lag)
{
    struct kl_sampling_traces *t = c->t;
    for (; c->n <= lag && c->n < FEW; c->n++) {
        double sum = 0;
        for (size_t r = 0; r < t->rows && c->n < t->half; r++)
            sum += product(t->y + r * t->half, t->half, c->n);
        c->few[c->n] = sum / (double)t->m;
    }
    if (lag < FEW) return c->few[lag];
    if (!c->all) c->all = kl_sampling_autocovariances(t->spectrum, t->y, t->rows);
    return c->all[lag];
}

/* Rows less their means; the variance between those (0 of one). */
static double centre(struct kl_sampling_traces *t)
{
    double mean = 0, squares = 0;
    for (size_t r = 0; r < t->rows; r++) {
        double *y = t->y + r * t->half;
        const double of_row = kl_sampling_sum(y, t->half) / (double)t->half, d = of_row - mean;
        for (size_t i = 0; i < t->half; i++) y[i] -= of_row;
        mean += d / (double)(r + 1);
        squares += d * (of_row - mean);
    }
    return squares / ((double)t->rows - 1);
}

static bool is_constant(const double *y, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (!(fabs(y[i] - y[0]) < 5e-16)) { /* it may be: look at all of them */
            double least = y[0], greatest = y[0];
            for (size_t j = 1; j < n && greatest - least < 1e-15; j++) {
                least = y[j] < least ? y[j] : least;
                greatest = y[j] > greatest ? y[j] : greatest;
            }
            return greatest - least < 1e-15; /* NumPy's resolution of a double */
        }
    return true;
}

/* Sum over the autocorrelations, 1 of independent draws: Geyer's initial monotone sequence, pair by
   pair, as ArviZ walks it. Of the first pair whose sum is not positive the even member counts once, if
   it is positive. */
static double time_of_rows(struct covariances *c, double within, double whole)
{
    double even = 1, odd = 1 - (within - covariance(c, 1)) / whole, time = -1, before = INFINITY;
    double last = 1; /* even member of the pair at hand, 0 where the pair is not kept */
    if (isnan(odd)) return NAN;
    for (size_t t = 1; t + 3 < c->t->half && even + odd > 0; t += 2) {
        before = even + odd > before ? before : even + odd;
        time += 2 * before;
        even = 1 - (within - covariance(c, t + 1)) / whole;
        odd = 1 - (within - covariance(c, t + 2)) / whole;
        last = even > 0 || even + odd >= 0 ? even : 0;
    }
    return time + last;
}

/* ESS of the rows in t->y, which are centred; as ArviZ's _ess. */
static double effective(struct kl_sampling_traces *t)
{
    struct covariances c = { .t = t };
    t->scored = false; /* rows are centred in place */
    const double n = (double)t->half, all = (double)t->m;
    if (is_constant(t->y, t->m)) return all;
    const double between = centre(t);
    const double own = covariance(&c, 0), within = own * n / (n - 1), whole = own + between;
    const double time = time_of_rows(&c, within, whole), least = 1 / log10(all);
    return isnan(time) ? NAN : all / (time > least ? time : least);
}

/* ---- rows of what a kind looks at ---- */
static double less_or_equal(struct kl_sampling_traces *t, double limit)
{
    for (size_t r = 0; r < t->rows; r++) {
        const double *x = kl_sampling_half(t, r);
        double *y = t->y + r * t->half;
        for (size_t i = 0; i < t->half; i++) y[i] = x[i] <= limit ? 1 : 0;
    }
    return effective(t);
}

/* Linear between order statistics; in just these operations, for a limit that is a value of its own must
 * come out equal. */
static double quantile(const double *sorted, size_t n, double share)
{
    const double most = (double)n - 1, at = (double)n * share + (1 + share * -1.0);
    const double k = floor(at < 1 ? 1 : at > most ? most : at), gap = at - k;
    const double gamma = gap < 0 ? 0 : gap > 1 ? 1 : gap;
    return (1 - gamma) * sorted[(size_t)k - 1] + gamma * sorted[(size_t)k];
}

static double ess_quantile(struct kl_sampling_traces *t, double share)
{
    return less_or_equal(t, quantile(t->sorted, t->n, share));
}

static double ess_mean(struct kl_sampling_traces *t)
{
    for (size_t r = 0; r < t->rows; r++)
        memcpy(t->y + r * t->half, kl_sampling_half(t, r), t->half * sizeof(double));
    return effective(t);
}

double kl_sampling_ess(struct kl_sampling_traces *t, enum kl_sampling_ess kind)
{
    if (!t->valid) return NAN;
    if (kind == KL_SAMPLING_ESS_MEAN) return ess_mean(t);
    if (kind == KL_SAMPLING_ESS_BULK) {
        kl_sampling_rows_scored(t);
        return effective(t);
    }
    const double low = ess_quantile(t, 0.05), high = ess_quantile(t, 0.95);
    return high < low ? high : low;
}

double kl_sampling_mcse_mean(struct kl_sampling_traces *t)
{
    return t->valid ? kl_sampling_sd(t) / sqrt(ess_mean(t)) : NAN;
}
