/* SPDX-License-Identifier: MIT
   Losses of one record, from its logits, in double; without overflow for any logits. */
#include <math.h>

#include "sampling/model/model.h"

static double logistic(double v)
{
    return v >= 0 ? 1 / (1 + exp(-v)) : exp(v) / (1 + exp(v));
}

/* bbce and its derivative by p, the probability of the label; q = 1 - p without cancellation. */
static double bounded(double *by_p, double p, double q, double l_max)
{
    const double e = exp(-l_max), psi = e + (1 - 2 * e) * p;
    *by_p = -(1 - 2 * e) / psi;
    return p > 0.5 ? -log1p(-(e + (1 - 2 * e) * q)) : -log(psi);
}

static double of_margin(double *by_margin, double v, enum kl_sampling_loss loss, double l_max)
{
    const double p = logistic(v), q = logistic(-v);
    double value;
    switch (loss) {
    case KL_SAMPLING_BBCE:
        value = bounded(by_margin, p, q, l_max);
        *by_margin *= p * q;
        return value;
    case KL_SAMPLING_SAVAGE: *by_margin = -2 * q * q * p; return q * q;
    case KL_SAMPLING_TANGENT:
        value = 2 * atan(v) - 1;
        *by_margin = 4 * value / (1 + v * v);
        return value * value;
    default: *by_margin = -q; return (v < 0 ? -v : 0) + log1p(exp(-fabs(v)));
    }
}

/* Of several logits: the derivative by logit k is by_p p (1[k = y] - p_k) for what depends on p alone.
 */
static double of_logits(double *by_logits, const double *z, int n, int32_t label,
                        enum kl_sampling_loss loss, double l_max)
{
    double most = z[0], sum = 0, others = 0, by_p, value;
    for (int k = 1; k < n; k++) most = z[k] > most ? z[k] : most;
    for (int k = 0; k < n; k++) {
        const double share = exp(z[k] - most);
        sum += share;
        if (k != label) others += share;
    }
    const double p = exp(z[label] - most) / sum, q = others / sum;
    if (loss == KL_SAMPLING_BBCE) value = bounded(&by_p, p, q, l_max);
    else if (loss == KL_SAMPLING_SAVAGE) by_p = -2 * q, value = q * q;
    else by_p = 0, value = p > 0.5 ? -log1p(-q) : log(sum) - (z[label] - most);
    if (!by_logits) return value;
    for (int k = 0; k < n; k++) {
        const double share = exp(z[k] - most) / sum, step = k == label ? q : -share;
        by_logits[k] = loss == KL_SAMPLING_CE ? -step : by_p * p * step;
    }
    return value;
}

void kl_sampling_loss_of(double *value, double *by_logits, const double *logits, int outputs,
                         int32_t label, enum kl_sampling_loss loss, double l_max)
{
    if (outputs > 1) {
        *value = of_logits(by_logits, logits, outputs, label, loss, l_max);
        return;
    }
    const double sign = label ? 1 : -1;
    double by_margin;
    *value = of_margin(&by_margin, sign * logits[0], loss, l_max);
    if (by_logits) by_logits[0] = sign * by_margin;
}

int kl_sampling_loss_wrong(const double *logits, int outputs, int32_t label)
{
    int best = 0;
    if (outputs == 1) return (logits[0] > 0) != (label != 0);
    for (int k = 1; k < outputs; k++)
        if (logits[k] > logits[best]) best = k;
    return best != label;
}

void kl_sampling_loss_ends(double *low, double *high, enum kl_sampling_loss loss, double l_max)
{
    const double pi = 3.14159265358979323846;
    *low = loss == KL_SAMPLING_BBCE ? -log1p(-exp(-l_max)) : 0;
    *high = loss == KL_SAMPLING_BBCE      ? l_max
            : loss == KL_SAMPLING_SAVAGE  ? 1
            : loss == KL_SAMPLING_TANGENT ? (pi + 1) * (pi + 1)
                                          : INFINITY;
}

int kl_sampling_loss_check(enum kl_sampling_loss loss, int outputs, double l_max, struct kl_error *err)
{
    if (loss == KL_SAMPLING_BBCE && !(l_max > log(2.0) && l_max < 700))
        return kl_fail(err, KL_EUSAGE,
                       "l_max: found %g, expected more than ln 2 = 0.693 and less than 700", l_max);
    if (outputs > 1 && (loss == KL_SAMPLING_BCE || loss == KL_SAMPLING_TANGENT))
        return kl_fail(
            err, KL_EUSAGE,
            "loss: bce and tangent are for two classes, found %d; expected bbce, savage or ce", outputs);
    if (outputs == 1 && loss == KL_SAMPLING_CE)
        return kl_fail(err, KL_EUSAGE,
                       "loss: ce is for three classes or more, found 2; expected bce, which it then is");
    return 0;
}
